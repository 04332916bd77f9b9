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
	// runs of 30 days whose hours are: 4.2 MB and 1.4 MB at most. They begin with
	// the snapshot; where it does not say when it was taken, the first key that
	// expires is in their middle. What lies outside of the months is not counted.
	maxDays   = 181
	maxMonths = 122
	dayMins   = 24 * 60
	monthHrs  = 30 * 24
	// maxFresh is how many keys are gathered before they go into the days: 2 MB,
	// which no block of a snapshot has keys enough to fill.
	maxFresh = 1 << 17
	// crowdBits gives the places where minutes are watched for crowds. Of the
	// minutes that share one the most frequent stays.
	crowdBits = 10
	// maxSampled is how many minutes have groups, maxGroups how many each: 2 MB
	// with patterns of 100 bytes.
	maxSampled = 2048
	maxGroups  = 8
)

// minuteSum are the keys that expire in one minute, or hour.
type minuteSum struct{ keys, bytes int64 }

// freshKey is a key that was added lately.
type freshKey struct{ minute, bytes int64 } // minute since the epoch

// crowd watches a minute: votes fall when another one comes to its place, which
// takes it over when none are left.
type crowd struct {
	minute      int64
	votes, keys int32 // keys since it has the place
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
// A run of keys only lists its minutes, in order, which costs less than to look
// each up in a table that no cache holds. The days and months are made when runs
// are merged.
type minuteSums struct {
	fresh   []freshKey
	crowds  [1 << crowdBits]crowd
	samples []sample
	arena   []byte

	based    bool  // the first day and month are chosen
	firstDay int64 // since the epoch
	firstMon int64
	days     [maxDays]*[dayMins]minuteSum
	months   [maxMonths]*[monthHrs]minuteSum
	groups   map[span][]groupWeight
}

func hashMinute(minute int64) uint64 { return uint64(minute) * 0x9e3779b97f4a7c15 }

func (s *minuteSums) add(e *Engine, k *parser.Key, size int64) {
	minute := floorDiv(k.ExpireAt, 60_000)
	if len(s.fresh) == maxFresh {
		s.settle(e, s)
		s.clearFresh()
	}
	s.fresh = append(s.fresh, freshKey{minute, size})
	c := &s.crowds[hashMinute(minute)>>(64-crowdBits)]
	if c.minute != minute {
		if c.votes > 0 {
			c.votes--
			return
		}
		*c = crowd{minute: minute}
	}
	c.votes++
	c.keys++
	// A pattern costs more than all the rest, so it is made for keys number 1,
	// 2, 4, 8, ... of a minute, and only of minutes that stand out: others
	// cannot be found guilty.
	if c.keys&(c.keys-1) == 0 && (c.keys >= 8 || len(s.fresh) <= 16) {
		start := len(s.arena)
		s.arena = e.namer.AppendPattern(s.arena, k.Name)
		s.samples = append(s.samples, sample{minute, start, len(s.arena), int64(c.keys+1) / 2})
	}
}

// bytes estimates the memory behind the sums.
func (s *minuteSums) bytes() int64 {
	n := int64(cap(s.fresh))*16 + int64(cap(s.samples))*40 + int64(cap(s.arena))
	for _, day := range s.days {
		if day != nil {
			n += dayMins * 16
		}
	}
	for _, month := range s.months {
		if month != nil {
			n += monthHrs * 16
		}
	}
	return n
}

func floorDiv(a, b int64) int64 {
	if a >= 0 {
		return int64(uint64(a) / uint64(b))
	}
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (s *minuteSums) clearFresh() {
	if len(s.fresh) > 0 {
		s.crowds = [1 << crowdBits]crowd{}
	}
	s.fresh, s.samples, s.arena = s.fresh[:0], s.samples[:0], s.arena[:0]
}

func (s *minuteSums) reset() {
	s.clearFresh()
	if s.based {
		s.based, s.days, s.months, s.groups = false, [maxDays]*[dayMins]minuteSum{}, [maxMonths]*[monthHrs]minuteSum{}, nil
	}
}

// settle takes another's fresh keys into the days and months.
func (s *minuteSums) settle(e *Engine, o *minuteSums) {
	if len(o.fresh) > 0 && !s.based {
		s.begin(e, o.fresh[0].minute)
	}
	first, most := s.firstDay*dayMins, uint64(0)
	if created := e.whole.created; created >= 0 {
		// Minutes before the limit, as spanOf has it; they fit into the days.
		most = uint64(floorDiv(created, 60_000) + nearMinutes - first)
	}
	for _, k := range o.fresh {
		if n := uint64(k.minute - first); n < most {
			if day := s.days[n/dayMins]; day != nil {
				m := &day[n%dayMins]
				m.keys++
				m.bytes += k.bytes
				continue
			}
		}
		s.put(s.spanOf(e, k.minute), minuteSum{1, k.bytes})
	}
	for i := range o.samples {
		x := &o.samples[i]
		s.addGroup(s.spanOf(e, x.minute), string(o.arena[x.start:x.end]), x.keys)
	}
	s.trim()
}

// begin chooses the first day and month.
func (s *minuteSums) begin(e *Engine, minute int64) {
	s.based = true
	if created := e.whole.created; created >= 0 {
		s.firstDay = floorDiv(created, dayMins*60_000)
		s.firstMon = floorDiv(created, monthHrs*3_600_000)
		return
	}
	s.firstDay = floorDiv(minute, dayMins) - maxDays/2
	s.firstMon = floorDiv(minute, monthHrs*60) - maxMonths/2
}

// spanOf gives the finest span that a minute is counted in.
func (s *minuteSums) spanOf(e *Engine, minute int64) span {
	if !s.based {
		s.begin(e, minute)
	}
	far := uint64(floorDiv(minute, dayMins)-s.firstDay) >= maxDays
	if created := e.whole.created; created >= 0 {
		far = minute >= created/60_000+nearMinutes
	}
	if far {
		return span{true, floorDiv(minute, 60)}
	}
	return span{false, minute}
}

// at gives the sum of a span, nil where there is none yet or no room for it.
func (s *minuteSums) at(p span) *minuteSum {
	if p.hour {
		n := floorDiv(p.n, monthHrs)
		if i := uint64(n - s.firstMon); i < maxMonths && s.months[i] != nil {
			return &s.months[i][p.n-n*monthHrs]
		}
		return nil
	}
	n := floorDiv(p.n, dayMins)
	if i := uint64(n - s.firstDay); i < maxDays && s.days[i] != nil {
		return &s.days[i][p.n-n*dayMins]
	}
	return nil
}

func (s *minuteSums) put(p span, sum minuteSum) {
	m := s.at(p)
	if m == nil {
		if p.hour {
			if i := uint64(floorDiv(p.n, monthHrs) - s.firstMon); i < maxMonths {
				s.months[i] = new([monthHrs]minuteSum)
			}
		} else if i := uint64(floorDiv(p.n, dayMins) - s.firstDay); i < maxDays {
			s.days[i] = new([dayMins]minuteSum)
		}
		if m = s.at(p); m == nil {
			return
		}
	}
	m.keys += sum.keys
	m.bytes += sum.bytes
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
		return cmp.Or(cmp.Compare(s.keysAt(b), s.keysAt(a)), compareSpans(a, b))
	})
	for _, p := range spans[maxSampled/2:] {
		delete(s.groups, p)
	}
}

func (s *minuteSums) keysAt(p span) int64 {
	if m := s.at(p); m != nil {
		return m.keys
	}
	return 0
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
		if a.hour {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.n, b.n)
}

// merge adds what another has gathered: first what it had settled, which came
// before its fresh keys.
func (s *minuteSums) merge(e *Engine, o *minuteSums) {
	s.settle(e, s)
	s.clearFresh()
	o.each(func(p span, m minuteSum) {
		if !p.hour {
			p = s.spanOf(e, p.n)
		} else if !s.based {
			s.begin(e, p.n*60)
		}
		s.put(p, m)
	})
	spans := o.sampled()
	slices.SortFunc(spans, compareSpans)
	for _, p := range spans {
		for _, g := range o.groups[p] {
			s.addGroup(p, g.pattern, g.keys)
		}
	}
	s.settle(e, o)
}

// each calls a function for every span that has keys, minutes first, in order.
func (s *minuteSums) each(do func(span, minuteSum)) {
	for i, day := range s.days {
		if day == nil {
			continue
		}
		for j, m := range day {
			if m.keys > 0 {
				do(span{false, (s.firstDay+int64(i))*dayMins + int64(j)}, m)
			}
		}
	}
	for i, month := range s.months {
		if month == nil {
			continue
		}
		for j, m := range month {
			if m.keys > 0 {
				do(span{true, (s.firstMon+int64(i))*monthHrs + int64(j)}, m)
			}
		}
	}
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
	s.each(func(at span, m minuteSum) {
		kind := 0
		if at.hour {
			kind = 1
		}
		all[kind] = append(all[kind], m.keys)
		if m.keys > least {
			found = append(found, candidate{at, m})
		}
	})
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
	slices.SortStableFunc(list, CompareInstance)
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
