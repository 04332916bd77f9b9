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

func SeverityOf(ruleSeverity int) thresholds.Severity {
	return thresholds.Severity(ruleSeverity % severities)
}

func RuleOf(ruleSeverity int) thresholds.RuleID { return thresholds.RuleID(ruleSeverity / severities) }

// The lists of a TopLists, by index: those of each type and measure, that of LFU
// counters, and those of examples.
const (
	hotList      = int(parser.NumTypes) * Measures
	exampleLists = hotList + 1 // the first, that of RuleSeverity 0
	numLists     = exampleLists + RuleSeverities
)

func typeList(typ parser.Type, measure int) int { return int(typ)*Measures + measure }

// TopLists has the lists of keys of a block, a snapshot or several snapshots.
type TopLists struct {
	top      int // entries of a list at most
	examples int // entries of a list of examples at most
	keys     keyPool
	lists    [numLists]ranking
	used     []int // the lists that have entries
	// cutoffs are those of the lists. A block begins with the cutoffs of the
	// blocks before it, so that it retains only keys that may still enter a list.
	cutoffs [numLists]cutoff
	moved   []int32 // scratch of merge
}

// noCutoffs are those of lists that are not full.
var noCutoffs = func() (all [numLists]cutoff) {
	for i := range all {
		all[i] = cutoff{-1, -1}
		if i < exampleLists {
			all[i].second = 0 // an unknown figure, -1, does not enter
		}
	}
	return all
}()

func (t *TopLists) reset(cutoffs *[numLists]cutoff) {
	t.keys.reset()
	for _, i := range t.used {
		t.lists[i] = t.lists[i][:0]
	}
	t.used, t.cutoffs = t.used[:0], *cutoffs
}

// limit returns the number of entries that a list may have.
func (t *TopLists) limit(list int) int {
	if list < exampleLists {
		return t.top
	}
	return t.examples
}

// Limit returns the number of keys that a list may have, as far as that was cut.
func (t *TopLists) Limit() int { return t.top }

func (t *TopLists) Key(e *Entry) *RetainedKey { return t.keys.list.At(int(e.key)) }

// Type returns the largest keys of a type by a measure.
func (t *TopLists) Type(typ parser.Type, measure int) []Entry { return t.lists[typeList(typ, measure)] }

// Overall returns the largest keys of all types by a measure. They are among the
// largest of their types.
func (t *TopLists) Overall(measure int) []Entry {
	var all ranking
	for typ := range parser.NumTypes {
		for _, e := range t.Type(typ, measure) {
			all.insert(e, t.top)
		}
	}
	return all
}

// Hot returns the keys with the highest LFU counters.
func (t *TopLists) Hot() []Entry { return t.lists[hotList] }

// Examples returns the worst keys of a rule and severity, by RuleSeverity.
func (t *TopLists) Examples(ruleSeverity int) []Entry { return t.lists[exampleLists+ruleSeverity] }

// enter puts an entry on a list if it belongs there.
func (t *TopLists) enter(list int, e Entry) {
	r, limit := &t.lists[list], t.limit(list)
	if len(*r) == 0 {
		t.used = append(t.used, list)
	}
	removed := r.insert(e, limit)
	if removed != e.key {
		t.keys.uses[e.key]++
		if removed >= 0 {
			t.keys.release(removed)
		}
	}
	if len(*r) == limit {
		last := &(*r)[limit-1]
		t.cutoffs[list].raise(cutoff{last.Value, last.second})
	}
}

// merge adds the lists of another block or snapshot.
func (t *TopLists) merge(o *TopLists) {
	if o.top < t.top || o.examples < t.examples {
		t.shorten(o.top, o.examples)
	}
	moved := t.moved[:0] // by key of o: 1 + the key here, 0 not copied
	for range o.keys.list.Len() {
		moved = append(moved, 0)
	}
	t.moved = moved
	slices.Sort(o.used)
	for _, i := range o.used {
		limit := t.limit(i)
		for _, e := range o.lists[i] {
			if r := t.lists[i]; len(r) >= limit && !e.before(&r[limit-1]) {
				break // nor does any after it
			}
			if moved[e.key] == 0 {
				n := t.keys.get()
				t.keys.list.At(int(n)).copy(o.keys.list.At(int(e.key)))
				moved[e.key] = n + 1
			}
			e.key = moved[e.key] - 1
			t.enter(i, e)
		}
	}
	for _, i := range moved {
		if i != 0 {
			t.keys.release(i - 1) // the use that get counted
		}
	}
}

func (t *TopLists) setGroups(g *Groups) {
	for i := range t.keys.list.Len() {
		if r := t.keys.list.At(i); t.keys.uses[i] > 0 {
			key := r.Key()
			r.buf = append(r.buf[:r.largestEnd], g.PatternOf(key.Name)...)
		}
	}
}

// add puts a key on the lists where it belongs: by measure, by LFU counter, and as
// an example of findings. The key is retained when it enters the first.
func (t *TopLists) add(k *parser.Key, size int64, found []thresholds.Finding, input, owner int32) {
	retained := int32(-1)
	offer := func(list int, e Entry) {
		if !t.cutoffs[list].passes(e.Value, e.second) {
			return
		}
		if retained < 0 {
			retained = t.keys.get()
			t.keys.set(retained, k, size, input, owner)
		}
		e.offset, e.key, e.input = k.Offset, retained, input
		t.enter(list, e)
	}
	for m, v := range [Measures]int64{k.Memory, k.MemoryUsage, k.ValueBytes, k.Elements, k.Serialized, k.Largest} {
		offer(typeList(k.Type, m), Entry{Value: v})
	}
	offer(hotList, Entry{Value: int64(k.Freq)})
	for n := range found {
		if f := &found[n]; f.Ignored == 0 {
			offer(exampleLists+RuleSeverity(f.Rule, f.Severity), Entry{Value: f.Rank(k), second: size, Finding: *f})
		}
	}
	if retained >= 0 {
		t.keys.release(retained) // the use that get counted
	}
}
