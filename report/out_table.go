package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/units"
)

// The report for people, on a terminal or in a ticket. It shows one overall list
// of keys and the five largest of each type, not a list for each measure; JSON
// has all of them. It is ASCII except for names, without colours or control
// characters.

func init() {
	register(&Format{Name: "table", Doc: "tables for people (default)", Extension: ".txt", rank: 1, write: writeTable})
}

// The rows of each list that a terminal shows.
const (
	tablePerType  = 5
	tableGroups   = 20
	tableExamples = 3
	tableCommands = 3
	tableHot      = 10
)

// tableWriter writes the sections. Write errors stay with w; Flush returns them.
type tableWriter struct {
	w       *bufio.Writer
	r       *Report
	width   int
	begun   bool            // something was written
	changes bool            // show commands that change data
	err     error           // the first of a table
	advised map[string]bool // advice that has been written
}

func writeTable(w *bufio.Writer, r *Report, o WriteOptions) error {
	t := &tableWriter{w: w, r: r, width: o.Width, changes: o.Advice, advised: make(map[string]bool)}
	if o.Sections == nil {
		t.begun = true
		t.summary()
	}
	for _, s := range sections {
		if o.Sections == nil || slices.Contains(o.Sections, s.name) {
			s.write(t)
		}
	}
	return t.err
}

// sections are the parts of the report after the summary, in their order.
var sections = []struct {
	name  string
	write func(t *tableWriter)
}{
	{"snapshots", (*tableWriter).snapshots},
	{"totals", (*tableWriter).totals},
	{"types", (*tableWriter).types},
	{"databases", (*tableWriter).databases},
	{"keys", func(t *tableWriter) { t.top(); t.topByType(); t.hot() }},
	{"findings", (*tableWriter).findings},
	{"ignored", (*tableWriter).ignored},
	{"groups", (*tableWriter).groups},
	{"owners", (*tableWriter).owners},
	{"expiry", (*tableWriter).expiry},
	{"histograms", (*tableWriter).histograms},
}

// Sections returns the names that WriteOptions.Sections takes.
func Sections() []string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	return names
}

func (t *tableWriter) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

// section begins a part of the report.
func (t *tableWriter) section(title, note string) {
	if t.begun {
		t.printf("\n")
	}
	t.begun = true
	if note != "" {
		title += " (" + note + ")"
	}
	t.wrap("", "  ", title)
}

// field writes one line of a list of facts, continued below where it is long.
func (t *tableWriter) field(label, s string) {
	const indent = 18
	t.wrap(fmt.Sprintf("  %-*s", indent-2, label), strings.Repeat(" ", indent), s)
}

// wrap writes a sentence in lines of the width. An NBSP becomes a space.
func (t *tableWriter) wrap(first, next, s string) {
	t.printf("%s", strings.ReplaceAll(text.Wrap(first, next, s, t.width), text.NBSP, " "))
}

// column is a column of a table whose cells are functions of the row's index.
type column struct {
	text.Column
	cell func(i int) string
	size func(i int) Figure // bytes, instead of cell
}

func leftColumn(title string, cell func(i int) string) column {
	return column{Column: text.Column{Title: title}, cell: cell}
}

func rightColumn(title string, cell func(i int) string) column {
	return column{Column: text.Column{Title: title, Right: true}, cell: cell}
}

// nameColumn has names, which are cut in the middle where room is short.
func nameColumn(title string, cell func(i int) string) column {
	return column{Column: text.Column{Title: title, Shrink: text.ShrinkMiddle}, cell: cell}
}

// sentenceColumn has sentences, which are cut at the end where room is short.
func sentenceColumn(title string, cell func(i int) string) column {
	return column{Column: text.Column{Title: title, Shrink: text.ShrinkEnd}, cell: cell}
}

func countColumn(title string, count func(i int) int64) column {
	return rightColumn(title, func(i int) string { return countText(Figure(count(i))) })
}

// sizeColumn has bytes, all in the unit of the largest, which its title names.
func sizeColumn(title string, size func(i int) Figure) column {
	return column{Column: text.Column{Title: title, Right: true}, size: size}
}

// drop sets the rank of a column in the order in which columns are dropped where
// room is short, the highest first.
func (c column) drop(rank int) column {
	c.Drop = rank
	return c
}

// table writes a table.
func (t *tableWriter) table(rows int, columns ...column) {
	g := &text.Grid{Rows: make([][]string, rows)}
	for _, c := range columns {
		if c.size != nil {
			sizes := make([]int64, rows)
			for i := range sizes {
				sizes[i] = int64(c.size(i))
			}
			scale := units.ScaleFor(sizes...)
			c.Title += " " + scale.Unit
			c.cell = func(i int) string {
				if sizes[i] < 0 {
					return ""
				}
				return scale.Format(sizes[i])
			}
		}
		g.Columns = append(g.Columns, c.Column)
		for i := range g.Rows {
			g.Rows[i] = append(g.Rows[i], c.cell(i))
		}
	}
	if err := g.Write(t.w, t.width); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *tableWriter) summary() {
	r := t.r
	t.printf("%s", units.FormatCountOf(r.Totals.Keys, "key", "keys"))
	if r.Totals.MemoryBytes.Known() {
		least := ""
		if r.Totals.WithoutMemory > 0 {
			least = "at least "
		}
		t.printf(", %s%s of memory", least, units.FormatBytes(int64(r.Totals.MemoryBytes)))
	} else {
		t.printf(", %s of values", units.FormatBytes(r.Totals.ValueBytes))
	}
	t.printf("; %s, %s, %s", units.FormatCountOf(r.Findings.Error, "error", "errors"),
		units.FormatCountOf(r.Findings.Warning, "warning", "warnings"), units.FormatCount(r.Findings.Info)+" info")
	if r.Findings.Ignored > 0 {
		t.printf(" (%s ignored)", units.FormatCount(r.Findings.Ignored))
	}
	t.printf("\n")
	if c := configText(&r.Config); c != "" {
		t.wrap("", "  ", c)
	}
	for _, w := range r.Config.Warnings {
		t.wrap("", "  ", "warning: "+text.Sanitize(w))
	}
	if r.Filter != nil {
		t.wrap("", "  ", "FILTERED: only "+filterText(r.Filter)+"; "+units.FormatCountOf(r.Filter.Dropped, "key", "keys")+" left out of everything below")
	}
	switch {
	case r.Complete:
	case r.Interrupted:
		t.wrap("", "  ", "INCOMPLETE: interrupted; all figures cover what was read until then")
	case !slices.ContainsFunc(r.Inputs, func(in Input) bool { return !in.Ended }):
		t.wrap("", "  ", "DAMAGED: every key was read, but the file has errors, see below")
	default:
		t.wrap("", "  ", "INCOMPLETE: not every snapshot was read to its end, see below")
	}
}

// configText describes the configuration in force.
func configText(c *Config) string {
	if c.Profile == "" {
		return ""
	}
	s := "profile " + text.Sanitize(c.Profile)
	if c.File != "" {
		s += " with " + text.Sanitize(c.File)
	}
	if c.Rules != "" {
		s += ", rules " + text.Sanitize(c.Rules)
	}
	if c.FailOn != "" && c.FailOn != "never" {
		s += ", fails on " + text.Sanitize(c.FailOn)
	}
	return s
}

// filterText describes which keys were counted.
func filterText(f *Filter) string {
	var parts []string
	words := func(label string, values []string) {
		if len(values) > 0 {
			shown := make([]string, len(values))
			for i, v := range values {
				shown[i] = Name(v).Display()
			}
			parts = append(parts, label+" "+strings.Join(shown, ","))
		}
	}
	words("type", f.Types)
	if len(f.Databases) > 0 {
		parts = append(parts, "database "+strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Databases), " ", ","), "[]"))
	}
	words("match", f.Match)
	words("regex", f.Regex)
	figure := func(before string, n *int64, format func(int64) string) {
		if n != nil {
			parts = append(parts, before+format(*n))
		}
	}
	elements := func(n int64) string { return units.FormatCountOf(n, "element", "elements") }
	if f.MinSize > 0 {
		figure("values of at least ", &f.MinSize, units.FormatExactBytes)
	}
	figure("values of at most ", f.MaxSize, units.FormatExactBytes)
	if f.MinElements > 0 {
		figure("at least ", &f.MinElements, elements)
	}
	figure("at most ", f.MaxElements, elements)
	if f.NoTTL {
		parts = append(parts, "without TTL")
	}
	figure("TTL under ", f.TTLUnder, units.FormatExactDuration)
	figure("TTL over ", f.TTLOver, units.FormatExactDuration)
	figure("idle over ", f.IdleOver, units.FormatExactDuration)
	words("owner", f.Owners)
	return strings.Join(parts, "; ")
}

func (t *tableWriter) totals() {
	r := &t.r.Totals
	t.section("TOTALS", "")
	t.field("keys", units.FormatCount(r.Keys))
	if r.Keys == 0 {
		return
	}
	t.field("elements", units.FormatCount(r.Elements))
	size := func(label string, n Figure, note string) {
		if !n.Known() {
			return
		}
		s := units.FormatBytes(int64(n))
		if n >= 10000 {
			s += " = " + units.FormatCount(int64(n)) + " bytes"
		}
		t.field(label, s+note)
	}
	bound := ""
	if r.MemoryApproximate {
		bound = " (approximate for some types of modules)"
	}
	if r.MemoryBound {
		bound = " (a lower bound: no model covers some types)"
	}
	if r.WithoutMemory > 0 {
		bound = " (without " + units.FormatCountOf(r.WithoutMemory, "key", "keys") + " of servers that no model covers)"
	}
	size("value bytes", Figure(r.ValueBytes), "")
	size("serialized", Figure(r.SerializedBytes), " in the file, without names")
	size("memory", r.MemoryBytes, " allocated"+bound)
	size("memory usage", r.MemoryUsage, " as the sum of MEMORY USAGE")
	t.field("with TTL", units.FormatCountOf(r.WithTTL, "key", "keys")+", "+units.FormatPercent(ratio(r.WithTTL, r.Keys)))
	without := units.FormatCountOf(r.WithoutTTL, "key", "keys") + ", " + units.FormatPercent(ratio(r.WithoutTTL, r.Keys))
	if r.WithoutTTLMemory.Known() {
		without += ", " + units.FormatBytes(int64(r.WithoutTTLMemory)) + " of memory that volatile policies never evict"
	}
	t.field("no TTL", without)
	if r.Expired > 0 {
		t.field("expired", units.FormatCountOf(int64(r.Expired), "key", "keys")+" when the snapshot was taken")
	}
}

// countText returns a count, "" if it is unknown.
func countText(n Figure) string {
	if !n.Known() {
		return ""
	}
	return units.FormatCount(int64(n))
}

// ratio returns a share of 0 to 1, NaN of nothing.
func ratio(part, whole int64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}
