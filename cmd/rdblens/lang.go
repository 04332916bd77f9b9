package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/config"
)

func (e *env) addLanguage(root *cobra.Command) {
	e.language = language.FromLocale(os.Getenv)
	words := language.All()
	lang := &option{arg: "LANGUAGE",
		usage: "language of reports and help: en or zh (default by LC_ALL, LC_MESSAGES or LANG)",
		hint:  "{names}", names: strings.Join(words, " or "), set: oneOf((*string)(&e.language), "language", words)}
	root.PersistentFlags().Var(lang, "lang", lang.usage)
	root.RegisterFlagCompletionFunc("lang", completeWords(words...))
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if e.language == language.English {
			cmd.Long = e.helpText(cmd.Long)
			print(cmd, args)
			return
		}
		var help bytes.Buffer
		e.translateHelp(cmd)
		cmd.SetOut(&help)
		print(cmd, args)
		helpWords := regexp.MustCompile(`(?m)^(Usage|Examples|Commands|Reports|Keys|Flags|Input|Filters|Rules|Server|Output|Rarely used|Global Flags|Aliases|Additional help topics):|^(COMMAND --help|In rdblens.yaml alone:) .*$`)
		flagDefault := regexp.MustCompile(` \(default ([^()]*)\)`)
		words := helpWords.ReplaceAllStringFunc(help.String(), e.t)
		io.WriteString(&e.help, flagDefault.ReplaceAllString(words, e.t("(default $1)")))
	})
}

// untranslated, if not nil, is called by tests for each sentence that has no
// translation.
var untranslated func(sentence string)

// t returns a sentence without arguments in the language that was chosen.
func (e *env) t(sentence string) string { return e.line(message.New(sentence)) }

func (e *env) figure(a message.Arg) string { return e.line(message.New("{"+a.Name+"}", a)) }

// line returns a message for standard output. Names stand as they are, in quotes
// where they hold spaces.
func (e *env) line(m message.Message) string {
	return e.render(m, func(_ message.Kind, name string) string { return shownName(name) })
}

// shownName returns a name for a terminal, in quotes where it holds spaces.
func shownName(name string) string {
	shown := text.Display([]byte(name))
	if name == "" || strings.Contains(name, " ") {
		return `"` + shown + `"`
	}
	return shown
}

func quotedName(_ message.Kind, name string) string { return text.Sanitize(strconv.Quote(name)) }

// render returns a message in the language that was chosen, with names as a function
// writes them.
func (e *env) render(m message.Message, name func(message.Kind, string) string) string {
	for _, f := range e.redactions {
		if by := f.redactor(); by != nil {
			m = by.Message(m)
		}
	}
	catalogue := e.language.Catalogue()
	if untranslated != nil {
		m.Missing(language.Chinese.Catalogue(), untranslated)
	}
	var b strings.Builder
	for _, s := range m.Spans(catalogue) {
		switch s.Kind {
		case message.KindName, message.KindElement, message.KindPath:
			b.WriteString(name(s.Kind, s.Text))
		default:
			b.WriteString(text.SanitizeLines(s.Text))
		}
	}
	return b.String()
}

func (e *env) complain(err error, hint message.Message) {
	if problems, ok := errors.AsType[config.Errors](err); ok {
		e.problems(problems)
		return
	}
	fmt.Fprintln(e.stderr, "rdblens:", e.render(message.Of(err), quotedName))
	if !hint.IsZero() {
		e.hint(hint)
	}
}

func (e *env) warn(m message.Message) {
	fmt.Fprintln(e.stderr, e.render(message.New("warning: {warning}", message.Phrase("warning", m)), quotedName))
}

func (e *env) hint(m message.Message) {
	fmt.Fprintln(e.stderr, e.line(message.New("hint: {hint}", message.Phrase("hint", m))))
}

// problems writes the problems of a configuration, each with its place as an editor
// takes it: the path has no quotes.
func (e *env) problems(list config.Errors) {
	for i, p := range list {
		line := e.render(message.Of(p), func(kind message.Kind, name string) string {
			if kind == message.KindPath && p.Line > 0 {
				return shownName(name)
			}
			return quotedName(kind, name)
		})
		if i == 0 {
			line = "rdblens: " + line
		}
		fmt.Fprintln(e.stderr, line)
		if p.Excerpt != "" {
			fmt.Fprintln(e.stderr, text.SanitizeLines(strings.TrimRight(p.Excerpt, "\n")))
		}
		if !p.Hint.IsZero() {
			e.hint(p.Hint)
		}
	}
}

// hintOf returns what to do about an error, zero if it does not say.
func hintOf(err error) message.Message {
	var own *message.Error
	var unwritten *report.OutputError
	var format *parser.FormatError
	switch {
	case errors.As(err, &own) && !own.Hint.IsZero():
		return own.Hint
	case errors.As(err, &unwritten) && unwritten.Hint != "":
		return message.New(unwritten.Hint)
	case errors.As(err, &format) && !format.Hint.IsZero():
		return format.Hint
	}
	return message.Message{}
}

func (e *env) translateHelp(cmd *cobra.Command) {
	cmd.Short, cmd.Long = e.t(cmd.Short), e.helpText(cmd.Long)
	for _, c := range cmd.Commands() {
		c.Short = e.t(c.Short)
	}
	lines := strings.Split(cmd.Example, "\n")
	for i, line := range lines {
		if question, ok := strings.CutPrefix(line, "  # "); ok {
			lines[i] = "  # " + e.t(question)
		}
	}
	cmd.Example = strings.Join(lines, "\n")
	flags := func(f *pflag.Flag) {
		if o, ok := f.Value.(*option); ok {
			f.Usage = o.describe(e.t(o.usage))
		} else {
			f.Usage = e.t(f.Usage)
		}
	}
	if f := cmd.Flags().Lookup("help"); f != nil {
		f.Usage = "help for this command"
	}
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
