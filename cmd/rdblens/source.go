package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

type sourceCommand struct {
	passFlags
	format string
	all    bool
}

func newSource(e *env) *cobra.Command {
	var o sourceCommand
	cmd := &cobra.Command{
		Use:   "source DIR [SNAPSHOT|REPORT]",
		Short: "List the patterns of keys in the source code of an application",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return usageError("no directory with source code given").withHint("rdblens source DIR [dump.rdb]")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			checkout, err := readSource(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return e.sourceList(&o, checkout)
			}
			return e.sourceKeys(cmd.Context(), &o, checkout, args[1])
		},
	}
	o.passFlags.register(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "list patterns that are keys only under a condition, and all groups without a line")
	formats := []string{"table", "json"}
	option{name: "format", short: "f", arg: "FORMAT", value: "table", usage: "table, or json with all lines",
		words: formats, hint: "formats: {names}", names: strings.Join(formats, ", "),
		set: oneOf(&o.format, "format", formats)}.add(cmd)
	return cmd
}

// readSource reads the source code below a directory. While it does, memory is bounded
// by what source code takes, not by what a pass over a snapshot takes.
func readSource(dir string) (*report.SourceTree, error) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(100))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(160 << 20))
	}
	c, err := report.ScanSource(dir)
	if err != nil {
		return nil, inputFailed(exitUsage, dir, "{error}", message.Reason("error", reasonOf(err)))
	}
	return c, nil
}

func (e *env) sourceList(o *sourceCommand, c *report.SourceTree) error {
	if o.format == "json" {
		out := struct {
			Dir      string                 `json:"dir"`
			Files    int                    `json:"files"`
			Lines    int                    `json:"lines"`
			Skipped  report.SourceSkipped   `json:"skipped"`
			Prefixes []string               `json:"prefixes"` // that clients put before every key
			Patterns []report.SourcePattern `json:"patterns"`
		}{c.Dir, c.Files, c.Lines, c.Skipped, append([]string{}, c.Prefixes...), append([]report.SourcePattern{}, c.Patterns...)}
		return writeJSON(e.stdout, out)
	}
	w := bufio.NewWriter(e.stdout)
	table := text.Grid{Columns: e.columns("pattern", "sure", "commands", "line", "lines", "function")}
	var listed, conditions []*report.SourcePattern // one of each condition
	possible, numbers := map[string]int64{}, map[string]int{}
	for _, p := range c.Distinct() {
		only, sure := p.Condition+p.Chosen, e.t(p.Sure.String())
		if only != "" {
			if possible[only]++; possible[only] == 1 {
				conditions = append(conditions, p.Pattern)
				numbers[only] = len(conditions)
			}
			sure += fmt.Sprintf(" (%d)", numbers[only])
		}
		if only == "" || o.all {
			table.Add(text.Display([]byte(p.Key)), sure, strings.Join(p.Commands, ", "), place(p.Pattern),
				e.figure(message.Int("n", int64(p.Lines))), text.Sanitize(p.Function))
			listed = append(listed, p.Pattern)
		}
	}
	if len(table.Rows) > 0 {
		table.Write(w, terminalWidth(e.stdout))
		fmt.Fprintln(w)
		e.explainStar(w, listed)
	}
	fmt.Fprintln(w, e.line(message.New("{patterns} in {files} with {lines}; not read: {tests} of tests, "+
		"{generated} of generated code, {large} over 1 MB",
		message.Number("patterns", int64(len(table.Rows)), "1 pattern", "{n} patterns"),
		message.Number("files", int64(c.Files), "1 file", "{n} files"),
		message.Number("lines", int64(c.Lines), "1 line", "{n} lines"),
		message.Number("tests", int64(c.Skipped.Tests), "1 file", "{n} files"),
		message.Number("generated", int64(c.Skipped.Generated), "1 file", "{n} files"),
		message.Number("large", int64(c.Skipped.Large), "1 file", "{n} files"))))
	if len(c.Patterns) == 0 {
		fmt.Fprintln(w, e.line(nothingFound(c)))
	}
	for i, p := range conditions {
		only := message.Phrase("condition", condition(p))
		if o.all {
			fmt.Fprintln(w, e.line(message.New("({n}) only if {condition}", message.Int("n", int64(i+1)), only)))
			continue
		}
		fmt.Fprintln(w, e.line(message.New("{patterns} only if {condition}; --all lists them",
			message.Number("patterns", possible[p.Condition+p.Chosen], "1 more pattern has keys in Redis",
				"{n} more patterns have keys in Redis"), only)))
	}
	return outputError(w.Flush())
}

// condition says under which condition a pattern is one of keys, and which line decides it.
func condition(p *report.SourcePattern) message.Message {
	module, uncompiled := strings.CutPrefix(p.Condition, report.SourceUncompiled)
	switch only := message.Code("condition", p.Condition); {
	case uncompiled:
		return message.New("Cargo compiles {module}", message.Path("module", module))
	case p.Condition == "":
		return message.Message{}
	case p.Condition == report.SourceUnwritten:
		return message.New("a command writes them")
	case p.Condition == report.SourceUncalled:
		return message.New("something calls the function")
	case p.Chosen == "":
		return message.New("{condition}", only)
	default:
		return message.New("{condition} (see {place})", only, message.Path("place", p.Chosen))
	}
}

// columns returns columns with titles in the reader's language. The first one and
// those of places can be cut in the middle.
func (e *env) columns(titles ...string) (list []text.Column) {
	for i, t := range titles {
		c := text.Column{Title: e.t(t)}
		switch {
		case t == "keys" || t == "lines":
			c.Right = true
		case i == 0:
			c.Shrink = text.ShrinkMiddle
		case t == "line":
			c.Shrink = text.ShrinkPath
		case t == "commands" || t == "function":
			c.Shrink, c.Drop = text.ShrinkEnd, i
		}
		list = append(list, c)
	}
	return list
}

func place(p *report.SourcePattern) string {
	return text.Sanitize(fmt.Sprintf("%s:%d", p.File, p.Line))
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return outputError(enc.Encode(v))
}

// keysOfLine are a group of keys without an expiry, and the lines that write them.
type keysOfLine struct {
	Group      report.Name              `json:"group"`
	Type       string                   `json:"type,omitempty"`
	Keys       int64                    `json:"keys"`
	WithoutTTL int64                    `json:"without_ttl"`
	Memory     report.Figure            `json:"memory_bytes_without_ttl"`
	Source     []report.SourceReference `json:"source"`
}

// sourceKeys lists the lines of a checkout whose keys have no expiry in a snapshot, and
// the patterns that no key matches.
func (e *env) sourceKeys(ctx context.Context, o *sourceCommand, c *report.SourceTree, path string) error {
	r, err := e.reportOf(ctx, &o.passFlags, []string{path})
	if err != nil {
		return err
	}
	r.FindSource(&report.SourceFinder{Checkouts: []*report.SourceTree{c}})
	var groups []report.SourceGroup
	without, unknown := []keysOfLine{}, []report.Name{}
	for i := range r.Groups {
		g := &r.Groups[i]
		groups = append(groups, report.SourceGroup{Pattern: string(g.Group), Type: g.Type})
		switch {
		case g.WithoutTTL == 0:
		case len(g.Source) == 0:
			unknown = append(unknown, g.Group)
		default:
			without = append(without, keysOfLine{g.Group, g.Type, g.Keys, g.WithoutTTL, g.MemoryWithoutTTL, g.Source})
		}
	}
	slices.SortStableFunc(without, func(a, b keysOfLine) int { return cmp.Compare(b.Memory, a.Memory) })
	unmatched := append([]*report.SourcePattern{}, c.Unmatched(groups)...)
	if o.format == "json" {
		return writeJSON(e.stdout, struct {
			WithoutTTL []keysOfLine            `json:"without_ttl"`
			NoSource   int                     `json:"groups_without_ttl_and_source"`
			Unmatched  []*report.SourcePattern `json:"unmatched"`
		}{without, len(unknown), unmatched})
	}
	w := bufio.NewWriter(e.stdout)
	width := cmp.Or(terminalWidth(e.stdout), text.Unlimited)
	wrapped := func(first, next string, m message.Message) {
		io.WriteString(w, strings.ReplaceAll(text.Wrap(first, next, e.line(m), width), text.NBSP, " "))
	}
	fmt.Fprintf(w, "%s\n", text.Heading(e.t("Keys without an expiry, and their lines of code")))
	var entries [][]keysOfLine // of the same lines
	at := map[string]int{}
	for _, k := range without {
		i, known := at[k.places()]
		if !known {
			i = len(entries)
			at[k.places()] = i
			entries = append(entries, nil)
		}
		entries[i] = append(entries[i], k)
	}
	slices.SortStableFunc(entries, func(a, b []keysOfLine) int { return cmp.Compare(sum(b).Memory, sum(a).Memory) })
	for _, e := range entries {
		wrapped("  ", "    ", keysMessage(e))
		for n := range e[0].Source {
			s := &e[0].Source[n]
			wrapped("    ", "      ", message.New("{place} ({sure}): {why}", message.Link("place", s.Place(), s.URL),
				message.Phrase("sure", message.New(s.Sure)), message.Phrase("why", s.Message)))
		}
	}
	switch {
	case len(unknown) > 0:
		names := []message.Message{}
		most := 3
		if o.all {
			most = len(unknown)
		}
		for _, g := range unknown[:min(len(unknown), most)] {
			names = append(names, message.New("{group}", message.Name("group", string(g))))
		}
		if more := len(unknown) - len(names); more > 0 {
			names = append(names, message.New("{n} more", message.Int("n", int64(more))))
		}
		wrapped("  ", "  ", message.New("No line is likely enough for {groups}: {names}",
			message.Number("groups", int64(len(unknown)), "1 group without an expiry", "{n} groups without an expiry"),
			message.List("names", ", ", names)))
	case len(without) == 0:
		wrapped("  ", "  ", message.New("Every key has an expiry."))
	}
	fmt.Fprintf(w, "\n%s\n", text.Heading(e.t("Patterns that no key matches")))
	table := text.Grid{Columns: e.columns("pattern", "line", "sure")}
	for _, p := range unmatched {
		table.Add(text.Display([]byte(p.Key)), place(p), e.t(p.Sure.String()))
	}
	table.Write(w, terminalWidth(e.stdout))
	switch {
	case len(c.Patterns) == 0:
		wrapped("  ", "  ", nothingFound(c))
	case len(unmatched) == 0:
		wrapped("  ", "  ", message.New("Every pattern of the code that writes keys has some."))
	default:
		e.explainStar(w, unmatched)
	}
	return outputError(w.Flush())
}

// places returns the places of the lines.
func (k *keysOfLine) places() (places string) {
	for n := range k.Source {
		places += k.Source[n].Place() + " "
	}
	return places
}

// sum returns the first of several groups, with the sums of all.
func sum(list []keysOfLine) keysOfLine {
	all := list[0]
	for _, k := range list[1:] {
		all.Keys, all.WithoutTTL, all.Memory = all.Keys+k.Keys, all.WithoutTTL+k.WithoutTTL, all.Memory+k.Memory
		if k.Type != all.Type {
			all.Type = ""
		}
	}
	return all
}

// keysMessage is about the keys without an expiry of groups with the same lines.
func keysMessage(list []keysOfLine) message.Message {
	all := sum(list)
	keys := message.Number("keys", all.WithoutTTL, "1 key", "{n} keys")
	if all.WithoutTTL < all.Keys {
		keys = message.Phrase("keys", message.New("{n} of {keys}", message.Int("n", all.WithoutTTL),
			message.Number("keys", all.Keys, "1 key", "{n} keys")))
	}
	groups := message.Name("group", string(all.Group))
	if more := len(list) - 1; more > 0 {
		groups = message.Phrase("group", message.New("{group} and {groups}", groups,
			message.Number("groups", int64(more), "1 more group", "{n} more groups")))
	}
	id, memory := "{group}: {type}, {keys}", message.Int("memory", 0)
	if all.Memory.Known() {
		id, memory = "{group}: {type}, {keys}, {memory}", message.Size("memory", int64(all.Memory))
	}
	return message.New(id, groups, message.Code("type", cmp.Or(all.Type, "-")), keys, memory)
}

// nothingFound says what to do about a checkout without patterns.
func nothingFound(c *report.SourceTree) message.Message {
	if c.Files == 0 {
		return message.New("No source code of a language that source reads: is {dir} the directory of the application?",
			message.Foreign("dir", c.Dir))
	}
	return message.New("No line writes a Redis key whose name can be read from this code. " +
		"If the application uses Redis, name the directory with all of its code: " +
		"where the client is set up, and where keys are built.")
}

// explainStar says what * in front of patterns is, if it stands for what precedes a key.
func (e *env) explainStar(w io.Writer, patterns []*report.SourcePattern) {
	if slices.ContainsFunc(patterns, (*report.SourcePattern).Prefixed) {
		fmt.Fprintln(w, e.t("* in front of a pattern: a prefix that a client, a framework or the environment sets, or none"))
	}
}
