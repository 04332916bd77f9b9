package agg

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/report/internal/hashindex"
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

// Bytes that are kept of a name: of a key in a list of keys, and of the largest
// key of a group.
const (
	ListedName   = 1 << 10
	maxGroupName = 512
)

// RetainedKey is a key that outlives its block: the figures that a report shows
// of it and that advice needs, in less memory than a parser.Key, because every
// group has one.
type RetainedKey struct {
	KeyRecord
	size                int64  // what keys are compared by; -1: there is no key
	buf                 []byte // the name as far as it is kept, that of the largest element, and the group
	nameEnd, largestEnd int32  // of the names in buf; then comes the pattern of its group
}

// KeyRecord has the figures of a RetainedKey, as in parser.Key, in the order in which
// states store them. Input is the number of its snapshot, Owner an index in
// thresholds.Engine.Owners.
type KeyRecord struct {
	Offset, NameLen, Elements, ValueBytes, Serialized    int64
	Memory, MemoryUsage, CompactMemory, Largest, Longest int64
	ExpireAt, Idle, FieldsWithTTL, Pending               int64
	LZFIn, LZFOut, LargestNameLen, LongestField          int64
	NameHash                                             uint64
	DB                                                   int
	Module                                               string
	Formats                                              format.Set
	Input, Owner                                         int32
	Freq                                                 int16
	Type                                                 parser.Type
	Encoding                                             parser.Encoding
	HasExpire, MemoryBound, MemoryApproximate            bool
	LargestHasName, Integers                             bool
	Content                                              thresholds.Content // as thresholds.ContentOf says
	Behind                                               *parser.GroupState // its own
}

// set copies a key of the size given, and at most maxName bytes of its name. It
// allocates nothing once buf is large enough.
func (r *RetainedKey) set(k *parser.Key, maxName int, size int64, input, owner int32) {
	k.NameLargest()
	name, hash := k.CutName(maxName)
	r.size = size
	r.buf = append(append(r.buf[:0], name...), k.LargestName...)
	r.nameEnd, r.largestEnd = int32(len(name)), int32(len(name)+len(k.LargestName))
	o := &r.KeyRecord // set field by field: a literal would be copied
	o.Offset, o.NameLen, o.NameHash, o.DB, o.Input, o.Owner = k.Offset, k.NameLen, hash, k.DB, input, owner
	o.Type, o.Encoding, o.Module, o.Formats = k.Type, k.Encoding, k.ModuleName, k.Formats
	o.Content = thresholds.ContentOf(k)
	o.Elements, o.ValueBytes, o.Serialized, o.LZFIn, o.LZFOut = k.Elements, k.ValueBytes, k.Serialized, k.LZFIn, k.LZFOut
	o.Memory, o.MemoryUsage, o.CompactMemory = k.Memory, k.MemoryUsage, k.CompactMemory
	o.MemoryBound, o.MemoryApproximate, o.Integers = k.MemoryBound, k.MemoryApproximate, k.Integers
	o.Largest, o.Longest, o.LongestField = k.Largest, k.Longest, k.LongestField
	o.LargestNameLen, o.LargestHasName = k.LargestNameLen, k.LargestName != nil
	o.HasExpire, o.ExpireAt, o.Idle, o.Freq = k.HasExpire, k.ExpireAt, k.Idle, k.Freq
	o.FieldsWithTTL, o.Pending, o.Behind = k.FieldsWithTTL, k.Pending, nil
	if g := k.Behind; g != nil {
		r.Behind = new(*g)
		r.Behind.Name = slices.Clone(g.Name)
	}
}

func (r *RetainedKey) copy(o *RetainedKey) {
	buf := append(r.buf[:0], o.buf...)
	*r = *o
	r.buf = buf
}

// before reports whether the key is larger than another one, or as large and
// comes first.
func (r *RetainedKey) before(o *RetainedKey) bool {
	return r.size > o.size || r.size == o.size && (r.Input < o.Input || r.Input == o.Input && r.Offset < o.Offset)
}

// Key returns the key as far as it is retained. Its names belong to r.
func (r *RetainedKey) Key() parser.Key {
	k := parser.Key{DB: r.DB, Name: r.buf[:r.nameEnd:r.nameEnd], NameLen: r.NameLen, NameHash: r.NameHash, Type: r.Type,
		Encoding: r.Encoding, HasExpire: r.HasExpire, ExpireAt: r.ExpireAt, Idle: r.Idle, Freq: r.Freq,
		Elements: r.Elements, ValueBytes: r.ValueBytes, Serialized: r.Serialized, Largest: r.Largest,
		LargestNameLen: r.LargestNameLen, Longest: r.Longest, FieldsWithTTL: r.FieldsWithTTL, Pending: r.Pending,
		Integers: r.Integers, LZFIn: r.LZFIn, LZFOut: r.LZFOut, Memory: r.Memory, MemoryUsage: r.MemoryUsage,
		MemoryBound: r.MemoryBound, MemoryApproximate: r.MemoryApproximate, CompactMemory: r.CompactMemory,
		ModuleName: r.Module, Offset: r.Offset, Formats: r.Formats, LongestField: r.LongestField, Behind: r.Behind}
	if r.LargestHasName {
		k.LargestName = r.buf[r.nameEnd:r.largestEnd:r.largestEnd]
	}
	return k
}

// Group returns the pattern of the group of a key on a list, once the Builder is
// finished.
func (r *RetainedKey) Group() []byte { return r.buf[r.largestEnd:] }

// sizeOf returns what keys are compared by where one figure must do: memory,
// and value bytes if memory is unknown.
func sizeOf(k *parser.Key) int64 {
	if k.Memory >= 0 {
		return k.Memory
	}
	return max(k.ValueBytes, 0)
}

// keyPool has the keys of all lists of a shard, each once however many lists it
// is on.
type keyPool struct {
	list  hashindex.List[RetainedKey]
	names int64   // bytes of the names of list, also where it was emptied
	uses  []int32 // lists that each key is on
	free  []int32
}

// get returns the position of a key that is used once. The key is not set yet.
func (p *keyPool) get() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.uses[i] = 1
		return i
	}
	p.list.Add() // it keeps the buffer of an earlier key
	p.uses = append(p.uses, 1)
	return int32(p.list.Len() - 1)
}

func (p *keyPool) release(i int32) {
	if p.uses[i]--; p.uses[i] == 0 {
		p.free = append(p.free, i)
	}
}

func (p *keyPool) reset() {
	p.list.Reset()
	p.uses, p.free = p.uses[:0], p.free[:0]
}

func (p *keyPool) set(i int32, k *parser.Key, size int64, input, owner int32) {
	r := p.list.At(int(i))
	p.names -= int64(cap(r.buf))
	r.set(k, ListedName, size, input, owner)
	p.names += int64(cap(r.buf))
}

// bytes returns the memory of a pool whose keys were all set, in bytes.
func (p *keyPool) bytes() int64 {
	return p.names + p.list.Bytes() + capBytes(p.uses) + capBytes(p.free)
}
