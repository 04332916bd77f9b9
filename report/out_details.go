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
	register(&Format{Name: "details", Doc: "all tables for people", Extension: ".details.txt", rank: 2,
		write: writeDetails})
}

// The rows of each list.
const (
	detailsPerType  = 5
	detailsGroups   = 20
	detailsExamples = 3
	detailsCommands = 3
	detailsHot      = 10
	detailsNodes    = 40
	detailsMemories = 8 // inputs whose memory has a section of its own
)

type details struct {
	page
	r       *Report
	since   *Report         // WriteOptions.Since
	changes bool            // show commands that change data
	advised map[string]bool // advice that has been written
}

func newDetails(p page, r *Report, o WriteOptions) *details {
	return &details{page: p, r: r, since: o.Since, changes: o.Advice, advised: make(map[string]bool)}
}

// most returns the rows that a list of n rows has: all on a page for browsers, whose tables
// have pages, else at most so many.
func (d *details) most(n, rows int) int {
	if _, pages := d.page.(*htmlPage); pages {
		rows = htmlRows
	}
	return min(n, rows)
}

// sections are the sections, the most important first. A ticket has them folded under titles
// that say what is in them.
var sections = []struct {
	name, title string
	write       func(*details)
}{
	{"findings", "All problems, their worst keys, and what to do", (*details).findings},
	{"since", "What changed since the older report", (*details).changedSince},
	{"can-go", "What can be deleted with the least harm", (*details).canGo},
	{"expires", "What expires next", (*details).expiresNext},
	{"savings", "What could be saved", (*details).savings},
	{"target", "What the other server does not load", (*details).target},
	{"keys", "The largest keys", func(d *details) { d.top(); d.topByType(); d.hot() }},
	{"groups", "Groups of keys", (*details).groups},
	{"snapshots", "The files, and the memory of a server with their keys", (*details).snapshots},
	{"types", "Types", func(d *details) { d.types(); d.encodings() }},
	{"totals", "Totals", (*details).totals},
	{"owners", "Owners", func(d *details) { d.owners(); d.budgets() }},
	{"databases", "Databases", (*details).databases},
	{"expiry", "TTLs", (*details).expiry},
	{"histograms", "Distributions", (*details).histograms},
	{"ignored", "Ignored findings", (*details).ignored},
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
			newOverview(r, o).head(p, math.MaxInt-3)
		}
		d := newDetails(p, r, o)
		for _, s := range sections {
			if o.Sections == nil || slices.Contains(o.Sections, s.name) {
				s.write(d)
			}
		}
	})
}

func (d *details) rows(n int, columns ...column) { d.table(table{n, columns}) }

func (d *details) totals() {
	r := &d.r.Totals
	d.section(word("Totals"), message.Message{})
	d.field("keys", countText(Figure(r.Keys)))
	if r.Keys == 0 {
		return
	}
	d.field("elements", countText(Figure(r.Elements)))
	size := func(label string, n Figure, id string) {
		if !n.Known() {
			return
		}
		m := sizeText(n)
		if n >= 10000 {
			m = message.New("{size} = {exact}", message.Size("size", int64(n)), message.ExactSize("exact", int64(n)))
		}
		d.field(label, message.New(id, message.Phrase("size", m), keysArg("keys", r.WithoutMemory)))
	}
	allocated := "{size} allocated"
	switch {
	case r.WithoutMemory > 0:
		allocated = "{size} allocated (without {keys} of servers that no model covers)"
	case r.MemoryApproximate:
		allocated = "{size} allocated (approximate for some types of modules)"
	case r.MemoryBound:
		allocated = "{size} allocated (a lower bound: no model covers some types)"
	}
	size("value bytes", Figure(r.ValueBytes), "{size}")
	size("serialized", Figure(r.SerializedBytes), "{size} in the file, without names")
	size("memory", r.MemoryBytes, allocated)
	size("memory usage", r.MemoryUsage, "{size} as the sum of MEMORY USAGE")
	d.field("with TTL", message.New("{keys}, {share}", keysArg("keys", r.WithTTL), shareArg("share", r.WithTTL, r.Keys)))
	without := "{keys}, {share}"
	if r.WithoutTTLMemory.Known() {
		without = "{keys}, {share}, {memory} of memory that volatile policies never evict"
	}
	d.field("no TTL", message.New(without, keysArg("keys", r.WithoutTTL), shareArg("share", r.WithoutTTL, r.Keys),
		sizeArg("memory", r.WithoutTTLMemory)))
	for _, e := range d.r.Encodings {
		if e.Encoding == parser.EncInt.String() && e.WithoutTTL > 0 { // an INCR makes such a string
			d.field("integers", message.New("{strings} without a TTL, such as counters, {memory}",
				message.Number("strings", e.WithoutTTL, "1 integer string", "{n} integer strings"),
				message.Size("memory", int64(max(e.WithoutTTLMemory, 0)))))
		}
	}
	if r.Expired > 0 {
		d.field("expired", message.New("{keys} when the snapshot was taken", keysArg("keys", int64(r.Expired))))
	}
}
