package thresholds

import (
	"cmp"
	"slices"
	"time"

	"github.com/rdblens/rdblens/parser"
)

// Bounds of ttl-stampede's sums.
const (
	// nearMinutes is how far ahead of the snapshot minutes are told apart.
	// Beyond it whole hours are.
	nearMinutes = 90 * 24 * 60
	// maxDays and maxMonths bound the days whose minutes are counted, and the
	// runs of 30 days whose hours are: 4.2 MB and 1.4 MB at most. What finds no
	// place is not counted. Days can only run out where the snapshot does not
	// say when it was taken.
	maxDays   = 181
	maxMonths = 122
	dayMins   = 24 * 60
	monthHrs  = 30 * 24
	// maxFresh is how many minutes are gathered before they go into the days:
	// 1.6 MB.
	maxFresh = 1 << 15
	// maxSampled is how many minutes have groups, maxGroups how many each: 2 MB
	// with patterns of 100 bytes.
	maxSampled = 2048
	maxGroups  = 8
)

// minuteSum are the keys that expire in one minute, or hour.
type minuteSum struct{ keys, bytes int64 }

// freshMinute is a minute of the keys that were added last.
type freshMinute struct {
	minute int64 // since the epoch
	minuteSum
}

// sample says that a key of a group expires in a minute, and for how many keys
// it stands.
type sample struct {
	minute     int64
	start, end int // of the group's pattern in the arena
	keys       int64
}

// span is a minute, or an hour where that is as fine as it gets.
type span struct {
	hour bool
	n    int64 // since the epoch
}

type groupWeight struct {
	pattern string
	keys    int64
}

// minuteSums counts the keys that expire, by minute.
//
// Fresh minutes are what a run of keys needs: they are cheap to add to and to
// merge. The days and months are made when runs are merged.
type minuteSums struct {
	fresh   []freshMinute
	index   index
	added   int64 // keys in fresh
	samples []sample
	arena   []byte

	days   map[int64]*[dayMins]minuteSum
	months map[int64]*[monthHrs]minuteSum
	groups map[span][]groupWeight
}

func hashMinute(minute int64) uint64 { return uint64(minute) * 0x9e3779b97f4a7c15 }

func (s *minuteSums) add(e *Engine, k *parser.Key, size int64) {
	minute := floorDiv(k.ExpireAt, 60_000)
	place := s.place(minute)
	if place < 0 {
		place = s.enter(e, minute)
	}
	m := &s.fresh[place]
	m.keys++
	m.bytes += size
	s.added++
	// A pattern costs more than all the rest, so it is made for keys number 1,
	// 2, 4, 8, ... of a minute, and only of minutes that stand out: others
	// cannot be found guilty.
	if m.keys&(m.keys-1) == 0 && (len(s.fresh) <= 32 || m.keys*int64(len(s.fresh)) > 4*s.added && m.keys > 4) {
		start := len(s.arena)
		s.arena = e.namer.AppendPattern(s.arena, k.Name)
		s.samples = append(s.samples, sample{minute, start, len(s.arena), (m.keys + 1) / 2})
	}
}

// place gives where a minute stands in fresh, -1 nowhere.
func (s *minuteSums) place(minute int64) int {
	slots := s.index.slots
	if len(slots) == 0 {
		return -1
	}
	mask := uint32(len(slots) - 1)
	for at := uint32(hashMinute(minute)>>32) & mask; ; at = (at + 1) & mask {
		p := int(slots[at&mask]) - 1
		if p < 0 || s.fresh[p].minute == minute {
			return p
		}
	}
}

// enter puts a minute into fresh that is not there.
func (s *minuteSums) enter(e *Engine, minute int64) int {
	if len(s.fresh) == maxFresh {
		s.settle(e, s)
		s.clearFresh()
	}
	place, hash := len(s.fresh), hashMinute(minute)
	_, slot := s.index.find(hash, func(int) bool { return false })
	s.fresh = append(s.fresh, freshMinute{minute: minute})
	s.index.put(hash, place, slot, func(p int) uint64 { return hashMinute(s.fresh[p].minute) })
	return place
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (s *minuteSums) clearFresh() {
	s.fresh, s.samples, s.arena, s.added = s.fresh[:0], s.samples[:0], s.arena[:0], 0
	s.index.reset()
}

func (s *minuteSums) reset() {
	s.clearFresh()
	s.days, s.months, s.groups = nil, nil, nil
}

// settle takes another's fresh minutes into the days and months.
func (s *minuteSums) settle(e *Engine, o *minuteSums) {
	for i := range o.fresh {
		m := &o.fresh[i]
		s.put(s.spanOf(e, m.minute), m.minuteSum)
	}
	for i := range o.samples {
		x := &o.samples[i]
		s.addGroup(s.spanOf(e, x.minute), string(o.arena[x.start:x.end]), x.keys)
	}
	s.trim()
}

// spanOf gives the finest span that a minute is counted in.
func (s *minuteSums) spanOf(e *Engine, minute int64) span {
	if created := e.whole.created; created >= 0 {
		if minute >= created/60_000+nearMinutes {
			return span{true, floorDiv(minute, 60)}
		}
		return span{false, minute}
	}
	if day := floorDiv(minute, dayMins); s.days[day] == nil && len(s.days) == maxDays {
		return span{true, floorDiv(minute, 60)}
	}
	return span{false, minute}
}

func (s *minuteSums) put(at span, sum minuteSum) {
	var m *minuteSum
	if at.hour {
		n := floorDiv(at.n, monthHrs)
		month := s.months[n]
		if month == nil {
			if len(s.months) == maxMonths {
				return
			}
			if s.months == nil {
				s.months = map[int64]*[monthHrs]minuteSum{}
			}
			month = new([monthHrs]minuteSum)
			s.months[n] = month
		}
		m = &month[at.n-n*monthHrs]
	} else {
		n := floorDiv(at.n, dayMins)
		day := s.days[n]
		if day == nil {
			if s.days == nil {
				s.days = map[int64]*[dayMins]minuteSum{}
			}
			day = new([dayMins]minuteSum)
			s.days[n] = day
		}
		m = &day[at.n-n*dayMins]
	}
	m.keys += sum.keys
	m.bytes += sum.bytes
}

func (s *minuteSums) at(p span) minuteSum {
	if p.hour {
		n := floorDiv(p.n, monthHrs)
		if month := s.months[n]; month != nil {
			return month[p.n-n*monthHrs]
		}
	} else {
		n := floorDiv(p.n, dayMins)
		if day := s.days[n]; day != nil {
			return day[p.n-n*dayMins]
		}
	}
	return minuteSum{}
}

// addGroup adds to a group of a span, in the place of the smallest where there
// is no room (space-saving).
func (s *minuteSums) addGroup(at span, pattern string, keys int64) {
	if s.groups == nil {
		s.groups = map[span][]groupWeight{}
	}
	list := s.groups[at]
	least := 0
	for i := range list {
		if list[i].pattern == pattern {
			list[i].keys += keys
			return
		}
		if list[i].keys < list[least].keys {
			least = i
		}
	}
	if len(list) < maxGroups {
		s.groups[at] = append(list, groupWeight{pattern, keys})
		return
	}
	list[least] = groupWeight{pattern, list[least].keys + keys}
}

// trim forgets the groups of the spans with the fewest keys where there are too
// many.
func (s *minuteSums) trim() {
	if len(s.groups) <= maxSampled {
		return
	}
	spans := s.sampled()
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(s.at(b).keys, s.at(a).keys), compareSpans(a, b))
	})
	for _, p := range spans[maxSampled/2:] {
		delete(s.groups, p)
	}
}

func (s *minuteSums) sampled() []span {
	spans := make([]span, 0, len(s.groups))
	for p := range s.groups {
		spans = append(spans, p)
	}
	return spans
}

func compareSpans(a, b span) int {
	if a.hour != b.hour {
		return sign(a.hour)
	}
	return cmp.Compare(a.n, b.n)
}

// merge adds what another has gathered: first what it had settled, which came
// before its fresh minutes.
func (s *minuteSums) merge(e *Engine, o *minuteSums) {
	s.settle(e, s)
	s.clearFresh()
	for _, n := range sortedKeys(o.days) {
		for i, m := range o.days[n] {
			if m.keys > 0 {
				s.put(s.spanOf(e, n*dayMins+int64(i)), m)
			}
		}
	}
	for _, n := range sortedKeys(o.months) {
		for i, m := range o.months[n] {
			if m.keys > 0 {
				s.put(span{true, n*monthHrs + int64(i)}, m)
			}
		}
	}
	spans := o.sampled()
	slices.SortFunc(spans, compareSpans)
	for _, p := range spans {
		for _, g := range o.groups[p] {
			s.addGroup(p, g.pattern, g.keys)
		}
	}
	s.settle(e, o)
}

func sortedKeys[V any](m map[int64]V) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// median gives the lower median of numbers, 0 of fewer than two: a single
// minute has nothing to be held against.
func median(numbers []int64) int64 {
	if len(numbers) < 2 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[(len(numbers)-1)/2]
}

// stampedes gives the minutes in which too many keys expire at once, and the
// hours beyond the minutes, each held against its own kind.
func (i *Instance) stampedes() []InstanceFinding {
	w, s := &i.engine.whole, &i.minutes
	if w.stampede == nil {
		return nil
	}
	s.settle(i.engine, s)
	s.clearFresh()
	least := w.stampede[len(w.stampede)-1].limit
	for _, l := range w.stampede {
		least = min(least, l.limit)
	}
	type candidate struct {
		at span
		minuteSum
	}
	var all [2][]int64 // by granularity: keys of each span that has any
	var found []candidate
	count := func(at span, m minuteSum) {
		if m.keys == 0 {
			return
		}
		kind := 0
		if at.hour {
			kind = 1
		}
		all[kind] = append(all[kind], m.keys)
		if m.keys > least {
			found = append(found, candidate{at, m})
		}
	}
	for _, n := range sortedKeys(s.days) {
		for j, m := range s.days[n] {
			count(span{false, n*dayMins + int64(j)}, m)
		}
	}
	for _, n := range sortedKeys(s.months) {
		for j, m := range s.months[n] {
			count(span{true, n*monthHrs + int64(j)}, m)
		}
	}
	medians := [2]int64{median(all[0]), median(all[1])}
	var list []InstanceFinding
	for _, c := range found {
		middle, note := medians[0], uint8(0)
		if c.at.hour {
			middle, note = medians[1], noteHour
		}
		if !more(c.keys, 100, w.ratio, middle) {
			continue
		}
		l, _ := severityOf(w.stampede, func(limit int64) bool { return c.keys > limit })
		list = append(list, InstanceFinding{Finding: Finding{Rule: w.ids.stampede, Severity: l.severity, Measured: c.keys, Limit: l.limit, Note: note},
			Subject: c.at.String(), Keys: c.keys, Bytes: c.bytes, Groups: s.groupsOf(c.at)})
	}
	slices.SortStableFunc(list, worse)
	return list
}

// noteHour is ttl-stampede's note of an hour that stands for its minutes.
const noteHour = 1

// String gives the span's beginning.
func (p span) String() string {
	if p.hour {
		return "hour " + time.Unix(p.n*3600, 0).UTC().Format("2006-01-02T15:04Z")
	}
	return "minute " + time.Unix(p.n*60, 0).UTC().Format("2006-01-02T15:04Z")
}

func (s *minuteSums) groupsOf(at span) []string {
	list := slices.Clone(s.groups[at])
	slices.SortStableFunc(list, func(a, b groupWeight) int {
		return cmp.Or(cmp.Compare(b.keys, a.keys), cmp.Compare(a.pattern, b.pattern))
	})
	var names []string
	for _, g := range list {
		names = append(names, g.pattern)
	}
	return names
}
