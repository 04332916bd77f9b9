package thresholds

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// An accumulator collects what one rule over the whole instance needs from a run
// of keys. Runs are merged in the order of the file; the findings then depend on
// the keys only, not on how they were divided into runs. Its memory is bounded,
// however many keys there are.
type accumulator interface {
	// add counts a key and its size in bytes.
	add(k *parser.Key, f *naming.Facts, size int64)
	// merge adds what another accumulator of the same rule has collected from
	// the keys that follow in the file. next is not changed.
	merge(next accumulator)
	// counts calls a function for each sum, and put adds a sum of another
	// accumulator of the rule: of a snapshot, or several. Hostile counts do no harm.
	counts(do func(*Count))
	put(c *Count)
	// findings returns what the rule finds in snapshots with these totals.
	findings(total totals, nodes []NodeSums) []InstanceFinding
	// reset empties the accumulator and keeps its memory.
	reset()
	// size estimates its memory in bytes.
	size() int64
}

// wholeSnapshot returns the constructor of the accumulators of a rule that needs
// only the totals.
func wholeSnapshot(findings func(totals) []InstanceFinding) func() accumulator {
	return func() accumulator {
		return totalsOnly(func(total totals, _ []NodeSums) []InstanceFinding { return findings(total) })
	}
}

// snapshotSubject is the subject of a finding about the snapshot as a whole.
var snapshotSubject = message.New("snapshot")

type totalsOnly func(total totals, nodes []NodeSums) []InstanceFinding

func (totalsOnly) add(*parser.Key, *naming.Facts, int64) {}
func (totalsOnly) merge(accumulator)                     {}
func (totalsOnly) counts(func(*Count))                   {}
func (totalsOnly) put(*Count)                            {}
func (t totalsOnly) findings(total totals, nodes []NodeSums) []InstanceFinding {
	return t(total, nodes)
}
func (totalsOnly) reset()      {}
func (totalsOnly) size() int64 { return 0 }

// totals are a number of keys and their bytes.
type totals struct{ keys, bytes int64 }

func (t *totals) add(o totals) {
	t.keys += o.keys
	t.bytes += o.bytes
}

type instanceRule struct {
	rule     RuleID
	make     func() accumulator
	expiring bool // see Rule.expiring
}

func (e *Engine) instanceRules() []instanceRule {
	var list []instanceRule
	for _, r := range Rules() {
		s := &e.policy.Settings[r.ID]
		if r.accumulate == nil || !s.On || s.lacksLimits() || s.Idle(e.policy) != "" {
			continue
		}
		if a := r.accumulate(e, s); a != nil {
			list = append(list, instanceRule{r.ID, a, r.expiring})
		}
	}
	return list
}

// createdMilli returns when the snapshot was taken in ms since the epoch, -1 if
// that is unknown or implausible.
func (e *Env) createdMilli() int64 {
	if e.Created < 0 || e.Created > 1<<50 {
		return -1
	}
	return e.Created * 1000
}

// Instance checks the rules over the whole instance. Keys are added to one
// Instance for each run of keys, and the runs are merged in the order of the file.
// An Instance takes at most about 20 MB, however many keys there are.
type Instance struct {
	engine       *Engine
	total        totals
	accumulators []accumulator // of all rules, by RuleID
	ofAll        []accumulator // those that all keys go to
	ofExpiring   []accumulator // those that keys with an expiry go to
}

// NewInstance returns an empty Instance.
func (e *Engine) NewInstance() *Instance {
	i := &Instance{engine: e}
	for _, r := range e.instance {
		a := r.make()
		i.accumulators = append(i.accumulators, a)
		if _, needsNoKeys := a.(totalsOnly); needsNoKeys {
			continue
		} else if r.expiring {
			i.ofExpiring = append(i.ofExpiring, a)
		} else {
			i.ofAll = append(i.ofAll, a)
		}
	}
	return i
}

// Add counts a key.
func (i *Instance) Add(k *parser.Key, f *naming.Facts) {
	size := i.engine.sizeOf(k)
	i.total.add(totals{1, size})
	for _, a := range i.ofAll {
		a.add(k, f, size)
	}
	if k.HasExpire {
		for _, a := range i.ofExpiring {
			a.add(k, f, size)
		}
	}
}

// sizeOf returns a key's memory, or what replaces it if that is unknown: the bytes
// of its value, or those in the file.
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

// Merge adds what another Instance of the same engine has collected from the keys
// that follow in the file. The other one is not changed.
func (i *Instance) Merge(o *Instance) {
	i.total.add(o.total)
	for n, a := range i.accumulators {
		a.merge(o.accumulators[n])
	}
}

// Reset empties the Instance and keeps its memory.
func (i *Instance) Reset() {
	i.total = totals{}
	for _, a := range i.accumulators {
		a.reset()
	}
}

// Bytes estimates the memory of the Instance in bytes.
func (i *Instance) Bytes() int64 {
	n := int64(0)
	for _, a := range i.accumulators {
		n += a.size()
	}
	return n
}

// Omitted counts findings of a rule that were not kept.
type Omitted struct {
	Rule     RuleID
	Severity Severity
	Ignored  uint16 // as in Finding
	Count    int64
	Keys     int64
	Bytes    int64
}

// maxKept is the number of findings of one rule that are kept, the worst first,
// and of its ignored findings.
const maxKept = 100

// Findings returns the findings of a snapshot by rule, the worst first: at most 100
// for a rule, and as many that the configuration ignores. It counts the others by
// rule, severity and the entry that ignores them, the severest first.
func (i *Instance) Findings() (kept []InstanceFinding, omitted []Omitted) {
	return i.engine.judge(i.accumulators, i.total, []NodeSums{{0, i.total.keys, i.total.bytes}}, nil)
}

// OwnFindings returns the findings that are about the snapshot alone; the others are
// those of a Fleet.
func (i *Instance) OwnFindings() (kept []InstanceFinding, omitted []Omitted) {
	var own []accumulator
	for n, r := range i.engine.instance {
		if r.rule.rule().bySnapshot != nil {
			own = append(own, i.accumulators[n])
		}
	}
	return i.engine.judge(own, i.total, nil, i.engine.bySnapshot)
}

// judge returns the findings of accumulators that a function wants, nil all.
func (e *Engine) judge(accumulators []accumulator, total totals, nodes []NodeSums,
	want func(*InstanceFinding) bool) (kept []InstanceFinding, omitted []Omitted) {
	for _, a := range accumulators {
		list := a.findings(total, nodes)
		slices.SortStableFunc(list, CompareInstance)
		var rest []Omitted
		counted, ignored := 0, 0
		for n := range list {
			found := &list[n]
			if want != nil && !want(found) {
				continue
			}
			found.Ignored = e.ignoring(&found.Finding, NoDatabase, []byte(SubjectText(found.Subject)))
			number := &counted
			if found.Ignored != 0 {
				number = &ignored
			}
			if *number++; *number <= maxKept {
				kept = append(kept, *found)
				continue
			}
			at := slices.IndexFunc(rest,
				func(o Omitted) bool { return o.Severity == found.Severity && o.Ignored == found.Ignored })
			if at < 0 {
				at = len(rest)
				rest = append(rest, Omitted{Rule: found.Rule, Severity: found.Severity, Ignored: found.Ignored})
			}
			rest[at].Count++
			rest[at].Keys += found.Keys
			rest[at].Bytes += found.Bytes
		}
		slices.SortFunc(rest, func(a, b Omitted) int {
			return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Ignored, b.Ignored))
		})
		omitted = append(omitted, rest...)
	}
	return kept, omitted
}

// CompareInstance orders the findings of one rule, the worst first: by measure,
// then bytes, then subject.
func CompareInstance(a, b InstanceFinding) int {
	if order := cmp.Or(cmp.Compare(b.Measured, a.Measured), cmp.Compare(b.Bytes, a.Bytes)); order != 0 {
		return order
	}
	return strings.Compare(SubjectText(a.Subject), SubjectText(b.Subject))
}

// noteAtLeast is the note of a measure that may be too low.
const noteAtLeast = 1

func noteIf(low bool) uint8 {
	if low {
		return noteAtLeast
	}
	return 0
}

func severest(levels []level, exceeded func(limit int64) bool) (level, bool) {
	for _, l := range levels {
		if exceeded(l.limit) {
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

// share returns a*b/c, at most 2^62.
func share(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if c <= 0 || hi >= uint64(c) {
		return 1 << 62
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, 1<<62))
}
