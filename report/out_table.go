package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/internal/text"
)

// The report for people at a terminal, and for a ticket. One overall list of
// keys and the five largest of each type are shown, not a list for each measure;
// JSON holds all. It is plain ASCII but for names, without colours or control
// characters.

func init() {
	register(&Format{Name: "table", Doc: "tables for people (the default)", rank: 1, write: writeTable})
}

// How much of each list a terminal shows.
const (
	tablePerType  = 5
	tableGroups   = 20
	tableExamples = 3
	tableCommands = 3
	tableHot      = 10
)

// tableWriter writes the sections. Errors of w stay with it: Flush gives them.
type tableWriter struct {
	w     *bufio.Writer
	r     *Report
	width int
	err   error           // of a table
	said  map[string]bool // advice that was given
}

func writeTable(w *bufio.Writer, r *Report, o WriteOptions) error {
	t := &tableWriter{w: w, r: r, width: o.Width, said: make(map[string]bool)}
	t.summary()
	t.snapshots()
	t.totals()
	t.types()
	t.databases()
	t.top()
	t.topByType()
	t.hot()
	t.findings()
	t.ignored()
	t.groups()
	t.owners()
	t.expiry()
	t.histograms()
	return t.err
}

func (t *tableWriter) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

// section begins a part of the report.
func (t *tableWriter) section(title, note string) {
	t.printf("\n")
	if note != "" {
		title += " (" + note + ")"
	}
	t.wrap("", "  ", title)
}

func (t *tableWriter) grid(g *text.Grid) {
	if err := g.Write(t.w, t.width); err != nil && t.err == nil {
		t.err = err
	}
}

// field writes a line of a list of facts, and goes on below where it is long.
func (t *tableWriter) field(label, text string) {
	const indent = 18
	t.wrap(fmt.Sprintf("  %-*s", indent-2, label), strings.Repeat(" ", indent), text)
}

// wrap writes a sentence in lines of the width. An NBSP of ours becomes a space.
func (t *tableWriter) wrap(first, next, s string) {
	t.printf("%s", strings.ReplaceAll(text.Wrap(first, next, s, t.width), text.NBSP, " "))
}

func (t *tableWriter) summary() {
	r := t.r
	t.printf("%s", counted(r.Totals.Keys, "key", "keys"))
	if r.Totals.MemoryBytes.Known() {
		least := ""
		if r.Totals.WithoutMemory > 0 {
			least = "at least "
		}
		t.printf(", %s%s of memory", least, bytesText(int64(r.Totals.MemoryBytes)))
	} else {
		t.printf(", %s of values", bytesText(r.Totals.ValueBytes))
	}
	t.printf("; %s, %s, %s", counted(r.Findings.Error, "error", "errors"),
		counted(r.Findings.Warning, "warning", "warnings"), grouped(r.Findings.Info)+" info")
	if r.Findings.Ignored > 0 {
		t.printf(" (%s ignored)", grouped(r.Findings.Ignored))
	}
	t.printf("\n")
	if c := configText(&r.Config); c != "" {
		t.wrap("", "  ", c)
	}
	for _, w := range r.Config.Warnings {
		t.wrap("", "  ", "warning: "+text.Sanitize(w))
	}
	if r.Filter != nil {
		t.wrap("", "  ", "FILTERED: only "+filterText(r.Filter)+"; "+counted(r.Filter.Dropped, "key", "keys")+" left out, of totals, findings and all below")
	}
	switch {
	case r.Complete:
	case r.Interrupted:
		t.wrap("", "  ", "PARTIAL: interrupted; all figures are of what was read until then")
	case !slices.ContainsFunc(r.Inputs, func(in Input) bool { return !in.Ended }):
		t.wrap("", "  ", "DAMAGED: every key was read, but not all is as it should be, see below")
	default:
		t.wrap("", "  ", "PARTIAL: not every snapshot was read to its end, see below")
	}
}

// configText says which configuration was in force.
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

// filterText says which keys were counted.
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
	if f.MinSize > 0 {
		parts = append(parts, "values of at least "+counted(f.MinSize, "byte", "bytes"))
	}
	if f.MinElements > 0 {
		parts = append(parts, "at least "+counted(f.MinElements, "element", "elements"))
	}
	words("owner", f.Owners)
	return strings.Join(parts, "; ")
}

func (t *tableWriter) totals() {
	r := &t.r.Totals
	t.section("TOTALS", "")
	t.field("keys", grouped(r.Keys))
	if r.Keys == 0 {
		return
	}
	t.field("elements", grouped(r.Elements))
	size := func(label string, n Figure, note string) {
		if !n.Known() {
			return
		}
		s := bytesText(int64(n))
		if n >= 10000 {
			s += " = " + grouped(int64(n)) + " bytes"
		}
		t.field(label, s+note)
	}
	bound := ""
	if r.MemoryBound {
		bound = " (a lower bound: no model covers some types)"
	}
	if r.WithoutMemory > 0 {
		bound = " (without " + counted(r.WithoutMemory, "key", "keys") + " of servers that no model covers)"
	}
	size("value bytes", Figure(r.ValueBytes), "")
	size("serialized", Figure(r.SerializedBytes), " in the file, without names")
	size("memory", r.MemoryBytes, " allocated"+bound)
	size("memory usage", r.MemoryUsage, " as MEMORY USAGE adds up")
	t.field("with expiry", counted(r.WithTTL, "key", "keys")+", "+percent(ratio(r.WithTTL, r.Keys)))
	without := counted(r.WithoutTTL, "key", "keys") + ", " + percent(ratio(r.WithoutTTL, r.Keys))
	if r.WithoutTTLMemory.Known() {
		without += ", " + bytesText(int64(r.WithoutTTLMemory)) + " of memory that volatile policies never evict"
	}
	t.field("without expiry", without)
	if r.Expired > 0 {
		t.field("expired", counted(int64(r.Expired), "key", "keys")+" when the snapshot was taken")
	}
}

// sizes says which size ranks things: memory where it is known.
func (t *tableWriter) sizes() string {
	if t.r.Totals.MemoryBytes.Known() {
		return "memory"
	}
	return "value"
}

func (t *tableWriter) types() {
	rows := t.r.Types
	if len(rows) == 0 {
		return
	}
	var values, files, memory, largest []int64
	for _, row := range rows {
		values, files = append(values, row.ValueBytes), append(files, row.SerializedBytes)
		memory = append(memory, int64(row.MemoryBytes))
		largest = append(largest, int64(largestOf(&row)))
	}
	v, f, m, l := scaleOf(values...), scaleOf(files...), scaleOf(memory...), scaleOf(largest...)
	t.section("BY TYPE", "")
	g := &text.Grid{Columns: []text.Column{{Title: "type"}, {Title: "keys", Right: true}, {Title: "elements", Right: true},
		{Title: "value " + v.unit, Right: true}, {Title: "serialized " + f.unit, Right: true, Drop: 2}, {Title: "memory " + m.unit, Right: true},
		{Title: "share", Right: true}, {Title: "average B", Right: true, Drop: 3}, {Title: "largest " + l.unit, Right: true},
		{Title: "largest key", Shrink: text.ShrinkMiddle, Drop: 1}}}
	for i, row := range rows {
		key := ""
		if row.LargestKey != nil {
			key = row.LargestKey.Key.Display()
		}
		g.Add(row.Type, grouped(row.Keys), grouped(row.Elements), v.format(Figure(row.ValueBytes)), f.format(Figure(row.SerializedBytes)),
			m.format(row.MemoryBytes), percent(row.Share), row.AverageBytes.count(), l.format(Figure(largest[i])), key)
	}
	t.grid(g)
}

// largestOf gives the size of a type's largest key.
func largestOf(row *TypeRow) Figure {
	if row.MaxMemoryBytes.Known() {
		return row.MaxMemoryBytes
	}
	return row.MaxValueBytes
}

// severalDatabases reports whether keys are in another database than 0.
func (t *tableWriter) severalDatabases() bool {
	return slices.ContainsFunc(t.r.Databases, func(d Database) bool { return d.DB != 0 })
}

func (t *tableWriter) databases() {
	rows := t.r.Databases
	if !t.severalDatabases() {
		return
	}
	var values, memory []int64
	for _, row := range rows {
		values, memory = append(values, row.ValueBytes), append(memory, int64(row.MemoryBytes))
	}
	v, m := scaleOf(values...), scaleOf(memory...)
	t.section("BY DATABASE", "")
	g := &text.Grid{Columns: []text.Column{{Title: "snapshot", Shrink: text.ShrinkMiddle}, {Title: "database", Right: true}, {Title: "keys", Right: true},
		{Title: "with expiry", Right: true}, {Title: "value " + v.unit, Right: true}, {Title: "memory " + m.unit, Right: true}}}
	for _, row := range rows {
		number := "(others)"
		if row.DB != OtherDatabases {
			number = grouped(int64(row.DB))
		}
		g.Add(t.inputName(row.Input), number, grouped(row.Keys), grouped(row.WithTTL),
			v.format(Figure(row.ValueBytes)), m.format(row.MemoryBytes))
	}
	t.grid(g)
}

// inputName gives an input's name where there are several.
func (t *tableWriter) inputName(i int) string {
	if len(t.r.Inputs) < 2 || i < 0 || i >= len(t.r.Inputs) {
		return ""
	}
	return t.r.Inputs[i].Name.Display()
}

func (t *tableWriter) owners() {
	rows := t.r.Owners
	if len(rows) == 0 || len(rows) == 1 && rows[0].Owner == "" {
		return
	}
	var values, memory []int64
	for _, row := range rows {
		values, memory = append(values, row.ValueBytes), append(memory, int64(row.MemoryBytes))
	}
	v, m := scaleOf(values...), scaleOf(memory...)
	t.section("BY OWNER", "")
	g := &text.Grid{Columns: []text.Column{{Title: "owner", Shrink: text.ShrinkMiddle}, {Title: "keys", Right: true}, {Title: "elements", Right: true, Drop: 1},
		{Title: "value " + v.unit, Right: true, Drop: 2}, {Title: "memory " + m.unit, Right: true}, {Title: "no expiry", Right: true},
		{Title: "errors", Right: true}, {Title: "warnings", Right: true}, {Title: "info", Right: true}}}
	for _, row := range rows {
		owner := "(nobody)"
		if row.Owner != "" {
			owner = text.Sanitize(row.Owner)
		}
		g.Add(owner, grouped(row.Keys), grouped(row.Elements), v.format(Figure(row.ValueBytes)), m.format(row.MemoryBytes),
			percent(ratio(row.WithoutTTL, row.Keys)), grouped(row.Findings.Error), grouped(row.Findings.Warning), grouped(row.Findings.Info))
	}
	t.grid(g)
}

func (t *tableWriter) expiry() {
	if len(t.r.Expiry) == 0 || t.r.Totals.Keys == 0 {
		return
	}
	t.section("EXPIRY", "time left when the snapshot was taken")
	t.bars("left", t.r.Expiry)
}

// bars writes a histogram with a bar of keys.
func (t *tableWriter) bars(label string, buckets []Bucket) {
	var memory, values []int64
	var keys, most int64
	for _, b := range buckets {
		memory, values = append(memory, int64(b.MemoryBytes)), append(values, b.ValueBytes)
		keys += b.Keys
		most = max(most, b.Keys)
	}
	m, v := scaleOf(memory...), scaleOf(values...)
	g := &text.Grid{Columns: []text.Column{{Title: label}, {Title: "keys", Right: true}, {Title: "share", Right: true},
		{Title: "value " + v.unit, Right: true, Drop: 2}, {Title: "memory " + m.unit, Right: true}, {Title: "", Drop: 1}}}
	const barWidth = 24
	for _, b := range buckets {
		bar := 0
		if b.Keys > 0 {
			bar = max(1, int(math.Round(barWidth*ratio(b.Keys, most))))
		}
		g.Add(b.Label, grouped(b.Keys), percent(ratio(b.Keys, keys)), v.format(Figure(b.ValueBytes)), m.format(b.MemoryBytes),
			strings.Repeat("#", bar))
	}
	t.grid(g)
}

func (t *tableWriter) histograms() {
	h := &t.r.Histograms
	lines := []struct {
		label   string
		buckets []Bucket
	}{{"key length", h.KeyLength}, {"elements", h.Elements}, {"idle", h.Idle}, {"LFU counter", h.LFU}}
	begun := false
	for _, l := range lines {
		var keys int64
		for _, b := range l.buckets {
			keys += b.Keys
		}
		var parts []string
		for _, b := range l.buckets {
			if b.Keys > 0 {
				parts = append(parts, text.Sanitize(b.Label)+": "+percent(ratio(b.Keys, keys)))
			}
		}
		if len(parts) == 0 {
			continue
		}
		if !begun {
			t.section("SPREAD OF KEYS", "key length in bytes, elements of collections, idle time")
			begun = true
		}
		// A part must not be broken apart.
		for i := range parts {
			parts[i] = strings.ReplaceAll(parts[i], " ", text.NBSP)
		}
		t.field(l.label, strings.Join(parts, ", "))
	}
}
