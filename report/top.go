package report

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// figures are the measures that keys are ranked by, in the order of Measures.
type figures [6]int64

// entry is a key's place on a list: the more the higher. Of equal ones the
// first in the file stands higher, so that a list does not depend on how the
// file was cut into blocks.
type entry struct {
	value int64
	also  int64 // decides among equal values
	at    int64 // offset in the snapshot
	row   int32
	input int32
	found thresholds.Finding // on a list of examples
}

func (e *entry) before(o *entry) bool {
	switch {
	case e.value != o.value:
		return e.value > o.value
	case e.also != o.also:
		return e.also > o.also
	case e.input != o.input:
		return e.input < o.input
	}
	return e.at < o.at
}

// ranking is the top of an order of keys: the first entry stands highest.
type ranking []entry

// insert puts an entry in its place among at most n, and tells which row fell
// out; -1 none. The entry itself may be the one.
func (r *ranking) insert(e entry, n int) (out int32) {
	list := *r
	i := len(list)
	for i > 0 && e.before(&list[i-1]) {
		i--
	}
	if i >= n {
		return e.row
	}
	out = -1
	if len(list) >= n {
		out = list[len(list)-1].row
		list = list[:len(list)-1]
	}
	*r = slices.Insert(list, i, e)
	return out
}

// bar is what a key must pass to enter a list that is full: a greater value, or
// the same value and a greater second one. A later key that is equal in both
// does not enter.
type bar struct{ value, also int64 }

var open = bar{-1, -1} // of a list that has room: figures are never negative unless unknown

// under reports whether a key with these figures may enter.
func (b *bar) under(value, also int64) bool {
	return value > b.value || value == b.value && also > b.also
}

// raise makes the bar at least as high as another.
func (b *bar) raise(o bar) {
	if o.value > b.value || o.value == b.value && o.also > b.also {
		*b = o
	}
}

// bar gives what a key must pass to enter.
func (r ranking) bar(n int) bar {
	if len(r) < n {
		return open
	}
	last := &r[len(r)-1]
	return bar{last.value, last.also}
}

// bars of all lists of keys: what block after block is held against, so that a
// block keeps only keys that a list may still want.
type floors struct {
	types    [16]figures // a key must have more; parser.NumTypes are used
	freq     int64
	examples [maxRules * severities]bar
}

const (
	maxRules   = 64 // a thresholds.RuleID is less
	severities = 4  // a thresholds.Severity is less
)

// outcome is the place of a rule and a severity in tables of both.
func outcome(rule thresholds.RuleID, s thresholds.Severity) int {
	return int(rule)%maxRules*severities + int(s)%severities
}

func (f *floors) reset() {
	for t := range f.types {
		f.types[t] = figures{-1, -1, -1, -1, -1, -1}
	}
	f.freq = -1
	for i := range f.examples {
		f.examples[i] = open
	}
}

// tops has the lists of keys of a block, a snapshot, or several.
type tops struct {
	n        int // entries of a list at most
	samples  int // entries of a list of examples at most
	rows     rows
	overall  [len(figures{})]ranking
	types    [parser.NumTypes][len(figures{})]ranking
	hot      ranking
	examples [maxRules * severities]ranking
	floors   floors
	moved    []int32 // scratch of merge
}

func (t *tops) reset() {
	t.rows.reset()
	for m := range t.overall {
		t.overall[m] = t.overall[m][:0]
		for typ := range t.types {
			t.types[typ][m] = t.types[typ][m][:0]
		}
	}
	t.hot = t.hot[:0]
	for i := range t.examples {
		t.examples[i] = t.examples[i][:0]
	}
	t.floors.reset()
}

// enter puts a row on a list and reports whether it is there now.
func (t *tops) enter(r *ranking, e entry, n int) bool {
	out := r.insert(e, n)
	if out == e.row {
		return false
	}
	t.rows.uses[e.row]++
	if out >= 0 {
		t.rows.drop(out)
	}
	return true
}

// merge adds the lists of a block, or of another snapshot, that comes later.
func (t *tops) merge(o *tops) {
	moved := t.moved[:0] // by row of o: 1 + the row here, 0 not copied
	for range o.rows.list {
		moved = append(moved, 0)
	}
	t.moved = moved
	move := func(to *ranking, from ranking, n int) {
		for _, e := range from {
			if len(*to) >= n && !e.before(&(*to)[len(*to)-1]) {
				return // nor does any after it
			}
			if moved[e.row] == 0 {
				i := t.rows.take()
				t.rows.list[i].copy(&o.rows.list[e.row])
				moved[e.row] = i + 1
			}
			e.row = moved[e.row] - 1
			t.enter(to, e, n)
		}
	}
	for m := range t.overall {
		move(&t.overall[m], o.overall[m], t.n)
		for typ := range t.types {
			if len(o.types[typ][m]) > 0 {
				move(&t.types[typ][m], o.types[typ][m], t.n)
				t.floors.types[typ][m] = max(t.floors.types[typ][m], t.types[typ][m].bar(t.n).value)
			}
		}
	}
	move(&t.hot, o.hot, t.n)
	t.floors.freq = max(t.floors.freq, t.hot.bar(t.n).value)
	for i := range t.examples {
		if len(o.examples[i]) > 0 {
			move(&t.examples[i], o.examples[i], t.samples)
			t.floors.examples[i].raise(t.examples[i].bar(t.samples))
		}
	}
	for _, i := range moved {
		if i != 0 {
			t.rows.drop(i - 1) // the use that take counted
		}
	}
}

// candidate is a key that some list may want. Its row is taken when the first
// list does.
type candidate struct {
	key          *parser.Key
	input, owner int32
	row          int32 // -1: not taken yet
}

// offer puts a key on a list where it belongs, and reports whether it does.
func (t *tops) offer(r *ranking, c *candidate, e entry, n int) bool {
	if c.row < 0 {
		c.row = t.rows.take()
		t.rows.list[c.row].set(c.key, c.input, c.owner)
	}
	e.at, e.row, e.input = c.key.Offset, c.row, c.input
	return t.enter(r, e, n)
}

// done gives up the candidate's row, unless a list has it.
func (t *tops) done(c *candidate) {
	if c.row >= 0 {
		t.rows.drop(c.row)
	}
}

// rank puts a key on the lists by measure. What is not among the largest of its
// type is not among the largest of all.
func (t *tops) rank(c *candidate, v *figures) {
	typ := c.key.Type
	for m := range v {
		if v[m] > t.floors.types[typ][m] && t.offer(&t.types[typ][m], c, entry{value: v[m]}, t.n) {
			t.offer(&t.overall[m], c, entry{value: v[m]}, t.n)
			t.floors.types[typ][m] = max(t.floors.types[typ][m], t.types[typ][m].bar(t.n).value)
		}
	}
	if f := int64(c.key.Freq); f > t.floors.freq {
		t.offer(&t.hot, c, entry{value: f}, t.n)
		t.floors.freq = max(t.floors.freq, t.hot.bar(t.n).value)
	}
}

// example puts a key on the list of examples of what was found.
func (t *tops) example(c *candidate, found *thresholds.Finding, bytes int64) {
	i := outcome(found.Rule, found.Severity)
	t.offer(&t.examples[i], c, entry{value: found.Rank(c.key), also: bytes, found: *found}, t.samples)
	t.floors.examples[i].raise(t.examples[i].bar(t.samples))
}
