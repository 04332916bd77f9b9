package thresholds

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// wholeRules are the rules over the whole instance, as they are in force. A rule
// that is off has no levels.
type wholeRules struct {
	databases []level
	business  []level
	stampede  []level
	slots     []level
	tags      []level

	ratio    int64 // ttl-stampede: hundredths of the median
	created  int64 // ms since the epoch, -1 unknown
	slotSize int64 // slot-skew: bytes that a slot must be over
	slotKeys int64 // and keys that the snapshot must have
	tagSize  int64
	ids      struct{ databases, business, stampede, slots, tags RuleID }
}

func (e *Engine) compileWhole() wholeRules {
	w := wholeRules{created: e.createdMilli()}
	w.databases, w.ids.databases = e.wholeLevels("multiple-databases")
	w.business, w.ids.business = e.wholeLevels("mixed-business")
	w.stampede, w.ids.stampede = e.wholeLevels("ttl-stampede")
	w.ratio = e.policy.Settings[w.ids.stampede].Param("ratio").Number
	w.slots, w.ids.slots = e.wholeLevels("slot-skew")
	w.slotSize = e.policy.Settings[w.ids.slots].Param("min_size").Number
	w.slotKeys = e.policy.Settings[w.ids.slots].Param("min_keys").Number
	w.tags, w.ids.tags = e.wholeLevels("hashtag-skew")
	w.tagSize = e.policy.Settings[w.ids.tags].Param("min_size").Number
	if !e.env.Cluster {
		w.slots = nil
	}
	if !e.env.Cluster || !e.policy.HashTags.Value {
		w.tags = nil
	}
	return w
}

// wholeLevels gives the levels of a rule, severest first.
func (e *Engine) wholeLevels(name string) ([]level, RuleID) {
	r, ok := Lookup(name)
	if !ok {
		panic("thresholds: no rule " + name)
	}
	s := &e.policy.Settings[r.ID]
	if !s.On {
		return nil, r.ID
	}
	if r.Unit == NoUnit {
		return []level{{1, s.Severity}}, r.ID
	}
	var levels []level
	for severity := Error; severity >= Info; severity-- {
		if v, ok := s.Limit(AnyType, false, severity); ok {
			levels = append(levels, level{v, severity})
		}
	}
	return levels, r.ID
}

// createdMilli gives when the snapshot was taken in milliseconds since the
// epoch, -1 where that is unknown or beyond reason.
func (e *Engine) createdMilli() int64 {
	if e.env.Created < 0 || e.env.Created > 1<<50 {
		return -1
	}
	return e.env.Created * 1000
}

// Instance gathers what the rules over the whole instance need. It is made for
// runs of keys that are merged in the order of the file; then its findings
// depend on the keys alone. It holds at most about 20 MB, however many keys
// there are: the bounds stand with its parts.
type Instance struct {
	engine *Engine
	keys   int64
	bytes  int64

	databases  databaseSums
	minutes    minuteSums
	businesses segmentSums
	tags       tagSums
	slots      []slotSum // by slot, nil until a cluster's key comes
}

type slotSum struct{ keys, bytes int64 }

// NewInstance gives an empty Instance.
func (e *Engine) NewInstance() *Instance { return &Instance{engine: e} }

// Add counts a key.
func (i *Instance) Add(k *parser.Key, f *Facts) {
	w := &i.engine.whole
	size := i.engine.sizeOf(k)
	i.keys++
	i.bytes += size
	if w.databases != nil {
		i.databases.add(k.DB, 1)
	}
	if w.stampede != nil && k.HasExpire && (w.created < 0 || k.ExpireAt >= w.created) {
		i.minutes.add(i.engine, k, size)
	}
	if w.business != nil && f.FirstEnd < len(k.Name) && !isID(k.Name[:f.FirstEnd]) {
		i.businesses.add(k.Name[:f.FirstEnd], 1, size)
	}
	if w.slots != nil {
		if i.slots == nil {
			i.slots = make([]slotSum, naming.Slots)
		}
		slot := naming.Slot
		if !i.engine.policy.HashTags.Value {
			slot = naming.SlotIgnoringTag
		}
		s := &i.slots[slot(k.Name)&(naming.Slots-1)]
		s.keys++
		s.bytes += size
	}
	if w.tags != nil && f.TagEnd > f.TagStart {
		i.tags.add(k.Name[f.TagStart:f.TagEnd], 1, size)
	}
}

// sizeOf gives a key's memory, or what stands in for it: its value's bytes, or
// those in the file where even they are unknown.
func (e *Engine) sizeOf(k *parser.Key) int64 {
	size := k.ValueBytes
	if e.env.Memory && k.Memory >= 0 {
		size = k.Memory
	}
	if size < 0 {
		size = k.Serialized
	}
	return max(size, 0)
}

// Merge adds what another Instance of the same engine has gathered from the
// keys that come next in the file. The other one is left as it is.
func (i *Instance) Merge(o *Instance) {
	i.keys += o.keys
	i.bytes += o.bytes
	i.databases.merge(&o.databases)
	i.minutes.merge(i.engine, &o.minutes)
	i.businesses.merge(&o.businesses)
	i.tags.merge(&o.tags)
	if o.slots != nil {
		if i.slots == nil {
			i.slots = make([]slotSum, naming.Slots)
		}
		for n := range o.slots {
			i.slots[n].keys += o.slots[n].keys
			i.slots[n].bytes += o.slots[n].bytes
		}
	}
}

// Reset empties the Instance and keeps its memory.
func (i *Instance) Reset() {
	i.keys, i.bytes = 0, 0
	i.databases.reset()
	i.minutes.reset()
	i.businesses.reset()
	i.tags.reset()
	clear(i.slots)
}

// Bytes estimates the memory behind the Instance.
func (i *Instance) Bytes() int64 {
	n := int64(len(i.slots))*16 + i.minutes.bytes() + int64(cap(i.businesses.list))*40 + int64(cap(i.businesses.arena)) +
		int64(cap(i.tags.list))*40 + int64(cap(i.tags.arena))
	return n + 4*int64(len(i.businesses.index.slots)+len(i.tags.index.slots))
}

// Omitted are findings of a rule that were counted and not kept.
type Omitted struct {
	Rule     RuleID
	Severity Severity
	Ignored  uint16 // as in Finding
	Count    int64
	Keys     int64
	Bytes    int64
}

// maxKept bounds the findings of one rule that are kept, the worst first, and
// those of them that are ignored.
const maxKept = 100

// Findings gives the findings by rule, the worst first, at most 100 a rule and
// as many that the configuration says to leave out; Omitted tells how many more
// there are.
func (i *Instance) Findings() []InstanceFinding {
	kept, _ := i.findings()
	return kept
}

// Omitted gives the findings that Findings leaves out, by rule, severity and
// the entry that says to ignore them, severest first.
func (i *Instance) Omitted() []Omitted {
	_, omitted := i.findings()
	return omitted
}

func (i *Instance) findings() (kept []InstanceFinding, omitted []Omitted) {
	lists := [][]InstanceFinding{i.stampedes(), i.manyDatabases(), i.manyBusinesses(), i.skewedSlots(), i.skewedTags()}
	slices.SortStableFunc(lists, func(a, b []InstanceFinding) int {
		if len(a) == 0 || len(b) == 0 {
			return len(b) - len(a)
		}
		return int(a[0].Rule) - int(b[0].Rule)
	})
	for _, list := range lists {
		var more []Omitted
		counted, ignored := 0, 0
		for n := range list {
			found := &list[n]
			found.Ignored = i.ignored(found)
			held := &counted
			if found.Ignored != 0 {
				held = &ignored
			}
			if *held++; *held <= maxKept {
				kept = append(kept, *found)
				continue
			}
			at := slices.IndexFunc(more, func(o Omitted) bool { return o.Severity == found.Severity && o.Ignored == found.Ignored })
			if at < 0 {
				at = len(more)
				more = append(more, Omitted{Rule: found.Rule, Severity: found.Severity, Ignored: found.Ignored})
			}
			more[at].Count++
			more[at].Keys += found.Keys
			more[at].Bytes += found.Bytes
		}
		slices.SortFunc(more, func(a, b Omitted) int {
			return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Ignored, b.Ignored))
		})
		omitted = append(omitted, more...)
	}
	return kept, omitted
}

// ignored gives 1 + the index of the entry that says to leave a finding out, 0
// where none does.
func (i *Instance) ignored(found *InstanceFinding) uint16 {
	for _, entry := range i.engine.ignored[found.Rule%maxRules] {
		if in := &i.engine.ignores[entry]; in.Keys == nil || matchAny(in.Keys, []byte(found.Subject)) {
			return entry + 1
		}
	}
	return 0
}

// severityOf gives the severest level whose limit is passed.
func severityOf(levels []level, passed func(limit int64) bool) (level, bool) {
	for _, l := range levels {
		if passed(l.limit) {
			return l, true
		}
	}
	return level{}, false
}

// more reports whether a*b > c*d for numbers that are not negative.
func more(a, b, c, d int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	h2, l2 := bits.Mul64(uint64(c), uint64(d))
	return h1 > h2 || h1 == h2 && l1 > l2
}

// share gives a*b/c, at most 2^62.
func share(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if c <= 0 || hi >= uint64(c) {
		return 1 << 62
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, 1<<62))
}

func (i *Instance) manyDatabases() []InstanceFinding {
	n := int64(len(i.databases.list))
	l, found := severityOf(i.engine.whole.databases, func(limit int64) bool { return n > limit })
	if !found {
		return nil
	}
	words := make([]string, 0, 16)
	for _, d := range i.databases.list[:min(n, 16)] {
		words = append(words, fmt.Sprint(d.db))
	}
	subject := "db " + strings.Join(words, ", ")
	if n > 16 {
		subject += ", ..."
	}
	return []InstanceFinding{{Finding: Finding{Rule: i.engine.whole.ids.databases, Severity: l.severity, Measured: n, Limit: 1, Note: i.databases.note()},
		Subject: subject, Keys: i.keys, Bytes: i.bytes}}
}

func (i *Instance) manyBusinesses() []InstanceFinding {
	n := int64(len(i.businesses.list))
	l, found := severityOf(i.engine.whole.business, func(limit int64) bool { return n > limit })
	if !found {
		return nil
	}
	f := InstanceFinding{Finding: Finding{Rule: i.engine.whole.ids.business, Severity: l.severity, Measured: n, Limit: l.limit, Note: i.businesses.note()},
		Subject: "first segments", Keys: i.businesses.keys, Bytes: i.businesses.bytes}
	for _, s := range i.businesses.largest(20) {
		f.Groups = append(f.Groups, string(s))
	}
	return []InstanceFinding{f}
}

func (i *Instance) skewedSlots() []InstanceFinding {
	w := &i.engine.whole
	if i.keys < w.slotKeys || w.slots == nil {
		return nil
	}
	used := int64(0)
	for n := range i.slots {
		if i.slots[n].keys > 0 {
			used++
		}
	}
	var list []InstanceFinding
	for n, s := range i.slots {
		if s.bytes <= w.slotSize {
			continue
		}
		if l, found := severityOf(w.slots, func(limit int64) bool { return more(s.bytes, used*100, limit, i.bytes) }); found {
			list = append(list, InstanceFinding{Finding: Finding{Rule: w.ids.slots, Severity: l.severity, Measured: share(s.bytes, used*100, i.bytes), Limit: l.limit},
				Subject: fmt.Sprintf("slot %d", n), Keys: s.keys, Bytes: s.bytes})
		}
	}
	slices.SortStableFunc(list, CompareInstance)
	return list
}

func (i *Instance) skewedTags() []InstanceFinding {
	w := &i.engine.whole
	var list []InstanceFinding
	for n := range i.tags.list {
		t := &i.tags.list[n]
		if t.bytes <= w.tagSize {
			continue
		}
		if l, found := severityOf(w.tags, func(limit int64) bool { return more(t.bytes, 100_00, limit, i.bytes) }); found {
			list = append(list, InstanceFinding{Finding: Finding{Rule: w.ids.tags, Severity: l.severity, Measured: share(t.bytes, 100_00, i.bytes), Limit: l.limit, Note: i.tags.note()},
				Subject: "{" + string(i.tags.name(t)) + "}", Keys: t.keys, Bytes: t.bytes})
		}
	}
	slices.SortStableFunc(list, CompareInstance)
	return list
}

// CompareInstance orders the findings of one rule, the worst first: most measured,
// then most bytes, then by subject.
func CompareInstance(a, b InstanceFinding) int {
	return cmp.Or(cmp.Compare(b.Measured, a.Measured), cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Subject, b.Subject))
}
