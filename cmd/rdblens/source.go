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
		Long: `source reads the source code below DIR and lists the patterns of the keys that it
gives to Redis, each with its line: JavaScript and TypeScript, Python, Ruby, PHP,
Java, Kotlin, Go, C# and Rust. It runs nothing, follows no link out of DIR, and
leaves out what .gitignore names, tests, vendored and generated code. Patterns of
caches that the configuration of the application does not keep in Redis are counted
at the end; --all lists them, each with what it depends on.

With a snapshot, or a report that scan -f json=FILE saved, it lists the lines whose
keys have no expiry, and the patterns that no key matches.`,
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
	cmd.Flags().BoolVar(&o.all, "all", false, "list patterns that are keys only under a condition, too")
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
	titles := []string{"pattern", "sure", "commands", "line", "lines", "function"}
	if o.all {
		titles = append(titles, "only if")
	}
	table := text.Grid{Columns: e.columns(titles...)}
	var conditions []*report.SourcePattern // a pattern of each
	possible := map[string]int64{}
	for _, p := range c.Distinct() {
		only := p.Condition + p.Chosen
		if only != "" && possible[only] == 0 {
			conditions = append(conditions, p.Pattern)
		}
		if possible[only]++; only == "" || o.all {
			row := []string{text.Display([]byte(p.Key)), e.t(p.Sure.String()), strings.Join(p.Commands, ", "), place(p.Pattern),
				e.figure(message.Int("n", int64(p.Lines))), text.Sanitize(p.Function), e.line(condition(p.Pattern))}
			table.Add(row[:len(titles)]...)
		}
	}
	if len(table.Rows) > 0 {
		table.Write(w, terminalWidth(e.stdout))
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, e.line(message.New("{patterns} in {files} with {lines}; not read: {tests} of tests, "+
		"{generated} of generated code, {large} over 1 MB",
		message.Number("patterns", int64(len(table.Rows)), "1 pattern", "{n} patterns"),
		message.Number("files", int64(c.Files), "1 file", "{n} files"),
		message.Number("lines", int64(c.Lines), "1 line", "{n} lines"),
		message.Number("tests", int64(c.Skipped.Tests), "1 file", "{n} files"),
		message.Number("generated", int64(c.Skipped.Generated), "1 file", "{n} files"),
		message.Number("large", int64(c.Skipped.Large), "1 file", "{n} files"))))
	slices.SortStableFunc(conditions, func(a, b *report.SourcePattern) int {
		return cmp.Compare(possible[b.Condition+b.Chosen], possible[a.Condition+a.Chosen])
	})
	for _, p := range conditions {
		if o.all {
			break
		}
		fmt.Fprintln(w, e.line(message.New("{patterns} only if {condition}; --all lists them",
			message.Number("patterns", possible[p.Condition+p.Chosen], "1 more pattern has keys in Redis",
				"{n} more patterns have keys in Redis"),
			message.Phrase("condition", condition(p)))))
	}
	return outputError(w.Flush())
}

// condition says under which condition a pattern is one of keys, and which line decides it.
func condition(p *report.SourcePattern) message.Message {
	switch only := message.Code("condition", p.Condition); {
	case p.Condition == "":
		return message.Message{}
	case p.Condition == report.SourceUnused:
		return message.New("a command uses them")
	case p.Chosen == "":
		return message.New("{condition}", only)
	default:
		return message.New("{condition} (see {place})", only, message.Code("place", p.Chosen))
	}
}

// columns returns columns with titles in the reader's language. The first one and
// those of places can be cut in the middle.
func (e *env) columns(titles ...string) (list []text.Column) {
	for i, t := range titles {
		c := text.Column{Title: e.t(t)}
		switch {
		case t == "keys" || t == "lines" || t == "memory" || t == "no TTL":
			c.Right = true
		case i == 0 || t == "line":
			c.Shrink = text.ShrinkMiddle
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
	without, unknown := []keysOfLine{}, 0
	for i := range r.Groups {
		g := &r.Groups[i]
		groups = append(groups, report.SourceGroup{Pattern: string(g.Group), Type: g.Type})
		switch {
		case g.WithoutTTL == 0:
		case len(g.Source) == 0:
			unknown++
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
		}{without, unknown, unmatched})
	}
	w := bufio.NewWriter(e.stdout)
	fmt.Fprintf(w, "%s\n", text.Heading(e.t("Keys without an expiry, and the lines that write them")))
	table := text.Grid{Columns: e.columns("group", "type", "keys", "no TTL", "memory", "line", "sure")}
	for _, k := range without {
		memory := "-"
		if k.Memory.Known() {
			memory = e.figure(message.Size("memory", int64(k.Memory)))
		}
		for n, s := range k.Source {
			row := []string{"", "", "", "", "", text.Sanitize(s.Place()), e.t(s.Sure)}
			if n == 0 {
				row = append([]string{text.Display([]byte(k.Group)), k.Type, e.figure(message.Int("n", k.Keys)),
					e.figure(message.Int("n", k.WithoutTTL)), memory}, row[5:]...)
			}
			table.Add(row...)
		}
	}
	table.Write(w, terminalWidth(e.stdout))
	if unknown > 0 {
		fmt.Fprintf(w, "\n%s\n", e.line(message.Plural(int64(unknown),
			"1 group without an expiry has no line that is likely enough",
			"{n} groups without an expiry have no line that is likely enough")))
	}
	fmt.Fprintf(w, "\n%s\n", text.Heading(e.t("Patterns that no key matches")))
	none := text.Grid{Columns: e.columns("pattern", "line", "sure")}
	for _, p := range unmatched {
		none.Add(text.Display([]byte(p.Key)), place(p), e.t(p.Sure.String()))
	}
	none.Write(w, terminalWidth(e.stdout))
	return outputError(w.Flush())
}
