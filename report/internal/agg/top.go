package agg

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// The measures that keys are ranked by.
const (
	ByMemory = iota
	ByMemoryUsage
	ByValueBytes
	ByElements
	BySerialized
	ByLargest
	Measures
)

// measuresOf returns the figures that a key is ranked by.
func measuresOf(k *parser.Key) [Measures]int64 {
	return [Measures]int64{k.Memory, k.MemoryUsage, k.ValueBytes, k.Elements, k.Serialized, k.Largest}
}

// Entry is a key on a list. Of equal entries the first in the file ranks higher,
// so that a list does not depend on how the file was cut into blocks.
type Entry struct {
	Value   int64              // the more, the higher
	second  int64              // decides between equal values
	offset  int64              // in the snapshot
	key     int32              // in TopLists.keys
	input   int32              // number of the snapshot
	Finding thresholds.Finding // on a list of examples
}

func (e *Entry) before(o *Entry) bool {
	switch {
	case e.Value != o.Value:
		return e.Value > o.Value
	case e.second != o.second:
		return e.second > o.second
	case e.input != o.input:
		return e.input < o.input
	}
	return e.offset < o.offset
}

// ranking is a list of entries, the highest first.
type ranking []Entry

// insert puts an entry into its place among at most n, and returns the key that
// is no longer on the list, -1 if there is none. It may be that of the entry.
func (r *ranking) insert(e Entry, n int) (removed int32) {
	list := *r
	i := len(list)
	for i > 0 && e.before(&list[i-1]) {
		i--
	}
	if i >= n {
		return e.key
	}
	removed = -1
	if len(list) >= n {
		removed = list[len(list)-1].key
		list = list[:len(list)-1]
	}
	*r = slices.Insert(list, i, e)
	return removed
}

// cutoff is what a key must exceed to enter a full list: a greater value, or the
// same value and a greater second one. A later key that equals both does not
// enter.
type cutoff struct{ value, second int64 }

var noCutoff = cutoff{-1, -1} // of a list with room: known figures are not negative

// passes reports whether a key with these figures may enter.
func (c *cutoff) passes(value, second int64) bool {
	return value > c.value || value == c.value && second > c.second
}

// raise makes the cutoff at least as high as another.
func (c *cutoff) raise(o cutoff) {
	if o.value > c.value || o.value == c.value && o.second > c.second {
		*c = o
	}
}

// cutoff returns the cutoff of a list of at most n entries.
func (r ranking) cutoff(n int) cutoff {
	if len(r) < n {
		return noCutoff
	}
	last := &r[len(r)-1]
	return cutoff{last.Value, last.second}
}

// cutoffs are those of all lists. A block begins with the cutoffs of the blocks
// before it, so that it retains only keys that may still enter a list.
type cutoffs struct {
	types    [16][Measures]int64 // by parser.Type, of which there are fewer
	freq     int64
	examples [RuleSeverities]cutoff
}

const (
	maxRules   = 64 // a thresholds.RuleID is less
	severities = 4  // a thresholds.Severity is less

	// RuleSeverities is the number of pairs of a rule and a severity.
	RuleSeverities = maxRules * severities
)

// RuleSeverity returns the index of a rule and a severity in tables of both.
func RuleSeverity(rule thresholds.RuleID, s thresholds.Severity) int {
	return int(rule)%maxRules*severities + int(s)%severities
}

// SeverityOf returns the severity of a RuleSeverity.
func SeverityOf(ruleSeverity int) thresholds.Severity {
	return thresholds.Severity(ruleSeverity % severities)
}

func (c *cutoffs) reset() {
	for t := range c.types {
		c.types[t] = [Measures]int64{-1, -1, -1, -1, -1, -1}
	}
	c.freq = -1
	for i := range c.examples {
		c.examples[i] = noCutoff
	}
}

// TopLists has the lists of keys of a block, a snapshot or several snapshots.
type TopLists struct {
	top      int // entries of a list at most
	samples  int // entries of a list of examples at most
	keys     keyPool
	types    [parser.NumTypes][Measures]ranking
	hot      ranking
	examples [RuleSeverities]ranking
	cutoffs  cutoffs
	moved    []int32 // scratch of merge
}

func (t *TopLists) reset() {
	t.keys.reset()
	for typ := range t.types {
		for m := range t.types[typ] {
			t.types[typ][m] = t.types[typ][m][:0]
		}
	}
	t.hot = t.hot[:0]
	for i := range t.examples {
		t.examples[i] = t.examples[i][:0]
	}
	t.cutoffs.reset()
}

// Key returns the key of an entry.
func (t *TopLists) Key(e *Entry) *RetainedKey { return &t.keys.list[e.key] }

// Type returns the largest keys of a type by a measure.
func (t *TopLists) Type(typ parser.Type, measure int) []Entry { return t.types[typ][measure] }

// Overall returns the largest keys of all types by a measure. They are among the
// largest of their types.
func (t *TopLists) Overall(measure int) []Entry {
	var all ranking
	for typ := range t.types {
		for _, e := range t.types[typ][measure] {
			all.insert(e, t.top)
		}
	}
	return all
}

// Hot returns the keys with the highest LFU counters.
func (t *TopLists) Hot() []Entry { return t.hot }

// Examples returns the worst keys of a rule and severity, by RuleSeverity.
func (t *TopLists) Examples(ruleSeverity int) []Entry { return t.examples[ruleSeverity] }

// enter puts an entry on a list and reports whether its key is there now.
func (t *TopLists) enter(r *ranking, e Entry, n int) bool {
	removed := r.insert(e, n)
	if removed == e.key {
		return false
	}
	t.keys.uses[e.key]++
	if removed >= 0 {
		t.keys.release(removed)
	}
	return true
}

// merge adds the lists of a later block or snapshot.
func (t *TopLists) merge(o *TopLists) {
	moved := t.moved[:0] // by key of o: 1 + the key here, 0 not copied
	for range o.keys.list {
		moved = append(moved, 0)
	}
	t.moved = moved
	move := func(to *ranking, from ranking, n int) {
		for _, e := range from {
			if len(*to) >= n && !e.before(&(*to)[len(*to)-1]) {
				return // nor does any after it
			}
			if moved[e.key] == 0 {
				i := t.keys.get()
				t.keys.list[i].copy(&o.keys.list[e.key])
				moved[e.key] = i + 1
			}
			e.key = moved[e.key] - 1
			t.enter(to, e, n)
		}
	}
	for typ := range t.types {
		for m := range t.types[typ] {
			if len(o.types[typ][m]) > 0 {
				move(&t.types[typ][m], o.types[typ][m], t.top)
				t.cutoffs.types[typ][m] = max(t.cutoffs.types[typ][m], t.types[typ][m].cutoff(t.top).value)
			}
		}
	}
	move(&t.hot, o.hot, t.top)
	t.cutoffs.freq = max(t.cutoffs.freq, t.hot.cutoff(t.top).value)
	for i := range t.examples {
		if len(o.examples[i]) > 0 {
			move(&t.examples[i], o.examples[i], t.samples)
			t.cutoffs.examples[i].raise(t.examples[i].cutoff(t.samples))
		}
	}
	for _, i := range moved {
		if i != 0 {
			t.keys.release(i - 1) // the use that get counted
		}
	}
}

// candidate is a key that may enter a list. It is retained when it enters the
// first.
type candidate struct {
	key          *parser.Key
	input, owner int32
	retained     int32 // in TopLists.keys, -1 not yet
}

// offer puts a candidate on a list if it belongs there.
func (t *TopLists) offer(r *ranking, c *candidate, e Entry, n int) {
	if c.retained < 0 {
		c.retained = t.keys.get()
		t.keys.list[c.retained].set(c.key, maxListName, sizeOf(c.key), c.input, c.owner)
	}
	e.offset, e.key, e.input = c.key.Offset, c.retained, c.input
	t.enter(r, e, n)
}

// rank puts a candidate on the lists that it belongs on: by measure, by LFU
// counter, and as an example of findings.
func (t *TopLists) rank(c *candidate, found []thresholds.Finding) {
	typ := c.key.Type
	for m, v := range measuresOf(c.key) {
		if v > t.cutoffs.types[typ][m] {
			t.offer(&t.types[typ][m], c, Entry{Value: v}, t.top)
			t.cutoffs.types[typ][m] = max(t.cutoffs.types[typ][m], t.types[typ][m].cutoff(t.top).value)
		}
	}
	if f := int64(c.key.Freq); f > t.cutoffs.freq {
		t.offer(&t.hot, c, Entry{Value: f}, t.top)
		t.cutoffs.freq = max(t.cutoffs.freq, t.hot.cutoff(t.top).value)
	}
	size := sizeOf(c.key)
	for n := range found {
		f := &found[n]
		i := RuleSeverity(f.Rule, f.Severity)
		if rank := f.Rank(c.key); f.Ignored == 0 && t.cutoffs.examples[i].passes(rank, size) {
			t.offer(&t.examples[i], c, Entry{Value: rank, second: size, Finding: *f}, t.samples)
			t.cutoffs.examples[i].raise(t.examples[i].cutoff(t.samples))
		}
	}
	if c.retained >= 0 {
		t.keys.release(c.retained) // the use that get counted
	}
}
