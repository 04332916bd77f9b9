package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// addLanguage declares --lang for all commands, and prints help in its language.
func (e *env) addLanguage(root *cobra.Command) {
	e.language = language.FromLocale(os.Getenv)
	words := language.All()
	root.PersistentFlags().Var(&option{arg: "LANGUAGE", hint: strings.Join(words, " or "),
		set: oneOf((*string)(&e.language), "language", words)}, "lang", "language of reports and help: en or zh (default by LC_ALL, LC_MESSAGES or LANG)")
	root.RegisterFlagCompletionFunc("lang", completeWords(words...))
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if e.language == language.English {
			print(cmd, args)
			return
		}
		var help bytes.Buffer
		e.translateHelp(cmd)
		cmd.SetOut(&help)
		print(cmd, args)
		e.help.Write(helpWords.ReplaceAllFunc(help.Bytes(), func(s []byte) []byte { return []byte(e.t(string(s))) }))
	})
}

// helpWords are the words that cobra adds to the help of a command.
var helpWords = regexp.MustCompile(`(?m)^(Usage|Examples|Available Commands|Additional Commands|Flags|Global Flags|Aliases|Additional help topics):|\(default |^Use "rdblens.*"[a-z ]*\.$`)

// untranslated, if not nil, is called by tests for each sentence that has no
// translation.
var untranslated func(sentence string)

// t returns a sentence in the language that was chosen.
func (e *env) t(sentence string) string {
	if untranslated != nil {
		if _, ok := language.Chinese.Translate(sentence); !ok {
			untranslated(sentence)
		}
	}
	to, _ := e.language.Translate(sentence)
	return to
}

// filled returns a template with its values, in the language that was chosen.
func (e *env) filled(template string, pairs ...string) string {
	return e.t(thresholds.Fill(template, pairs...))
}

// message writes sentences of an error, a warning or a hint to standard error, each on a
// line of its own. They can quote names from a snapshot, so they are escaped for the
// terminal.
func (e *env) message(kind, sentences string) {
	var lines []string
	for line := range strings.SplitSeq(sentences, "\n") {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, ">") { // lines of a configuration
			line = e.t(line)
		}
		lines = append(lines, line)
	}
	fmt.Fprintf(e.stderr, "%s %s\n", kind, text.SanitizeLines(strings.Join(lines, "\n")))
}

// translateHelp translates what the help of a command shows.
func (e *env) translateHelp(cmd *cobra.Command) {
	cmd.Short, cmd.Long = e.t(cmd.Short), e.helpText(cmd.Long)
	for _, c := range cmd.Commands() {
		c.Short = e.t(c.Short)
	}
	flags := func(f *pflag.Flag) { f.Usage = e.t(f.Usage) }
	cmd.LocalFlags().VisitAll(flags)
	cmd.InheritedFlags().VisitAll(flags)
}

// helpItem is a line of a list: a word, spaces, and what it means.
var helpItem = regexp.MustCompile(`^( +\S+ +)(\S.*)$`)

// helpText translates paragraphs of help: lists line by line, others as a whole.
func (e *env) helpText(s string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(s, "\n\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if !strings.HasPrefix(paragraph, " ") {
			b.WriteString(text.Wrap("", "", e.t(strings.ReplaceAll(paragraph, "\n", " ")), 80))
			continue
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if item := helpItem.FindStringSubmatch(line); item != nil {
				line = item[1] + e.t(item[2])
			}
			fmt.Fprintln(&b, line)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
