package report

import (
	"bufio"
	"math"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// The whole report for people. It shows one overall list of keys and the five
// largest of each type, not a list for each measure; JSON has all of them.

func init() {
	register(&Format{Name: "details", Doc: "all tables for people", Extension: ".details.txt", rank: 2, write: writeDetails})
}

// The rows of each list.
const (
	detailsPerType  = 5
	detailsGroups   = 20
	detailsExamples = 3
	detailsCommands = 3
	detailsHot      = 10
	detailsNodes    = 40
)

// details writes sections of a report to a page.
type details struct {
	page
	r       *Report
	changes bool            // show commands that change data
	advised map[string]bool // advice that has been written
}

func newDetails(p page, r *Report, o WriteOptions) *details {
	return &details{page: p, r: r, changes: o.Advice, advised: make(map[string]bool)}
}

// sections are the sections, in their order.
var sections = []struct {
	name  string
	write func(*details)
}{
	{"findings", (*details).findings},
	{"target", (*details).target},
	{"keys", func(d *details) { d.top(); d.topByType(); d.hot() }},
	{"groups", (*details).groups},
	{"types", func(d *details) { d.types(); d.encodings() }},
	{"databases", (*details).databases},
	{"owners", func(d *details) { d.owners(); d.budgets() }},
	{"expiry", (*details).expiry},
	{"histograms", (*details).histograms},
	{"totals", (*details).totals},
	{"snapshots", (*details).snapshots},
	{"ignored", (*details).ignored},
}

// Sections returns the names that WriteOptions.Sections takes.
func Sections() []string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

func writeDetails(w *bufio.Writer, r *Report, o WriteOptions) error {
	return writeText(w, o, func(p page) {
		if o.Sections == nil {
			newOverview(r, o).head(p, math.MaxInt-2)
		}
		d := newDetails(p, r, o)
		for _, s := range sections {
			if o.Sections == nil || slices.Contains(o.Sections, s.name) {
				s.write(d)
			}
		}
	})
}

// rows writes a table.
func (d *details) rows(n int, columns ...column) { d.table(table{n, columns}) }

func (d *details) totals() {
	r := &d.r.Totals
	d.section("Totals", "")
	d.field("keys", message.FormatCount(r.Keys))
	if r.Keys == 0 {
		return
	}
	d.field("elements", message.FormatCount(r.Elements))
	size := func(label string, n Figure, note string) {
		if !n.Known() {
			return
		}
		s := message.FormatBytes(int64(n))
		if n >= 10000 {
			s += " = " + message.FormatCount(int64(n)) + " bytes"
		}
		d.field(label, s+note)
	}
	bound := ""
	if r.MemoryBound {
		bound = " (a lower bound: no model covers some types)"
	}
	if r.MemoryApproximate {
		bound = " (approximate for some types of modules)"
	}
	if r.WithoutMemory > 0 {
		bound = " (without " + message.FormatCountOf(r.WithoutMemory, "key", "keys") + " of servers that no model covers)"
	}
	size("value bytes", Figure(r.ValueBytes), "")
	size("serialized", Figure(r.SerializedBytes), " in the file, without names")
	size("memory", r.MemoryBytes, " allocated"+bound)
	size("memory usage", r.MemoryUsage, " as the sum of MEMORY USAGE")
	d.field("with TTL", message.FormatCountOf(r.WithTTL, "key", "keys")+", "+message.FormatPercent(ratio(r.WithTTL, r.Keys)))
	without := message.FormatCountOf(r.WithoutTTL, "key", "keys") + ", " + message.FormatPercent(ratio(r.WithoutTTL, r.Keys))
	if r.WithoutTTLMemory.Known() {
		without += ", " + message.FormatBytes(int64(r.WithoutTTLMemory)) + " of memory that volatile policies never evict"
	}
	d.field("no TTL", without)
	for _, e := range d.r.Encodings {
		if e.Encoding == parser.EncInt.String() && e.WithoutTTL > 0 { // an INCR makes such a string
			d.field("integers", message.FormatCountOf(e.WithoutTTL, "integer string", "integer strings")+" without a TTL, such as counters, "+message.FormatBytes(int64(max(e.WithoutTTLMemory, 0))))
		}
	}
	if r.Expired > 0 {
		d.field("expired", message.FormatCountOf(int64(r.Expired), "key", "keys")+" when the snapshot was taken")
	}
}
