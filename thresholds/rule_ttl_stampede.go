package thresholds

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "ttl-stampede",
		Section:  SectionExpiry,
		Title:    "minute in which too many keys expire at once",
		Harm:     Blocks,
		fix:      &fix{action: adviseTTL, id: "Spread the TTLs of {groups}: {text} ({key})."},
		Instance: true,
		Unit:     message.Count,
		Params: []Param{{Name: "ratio", Unit: message.Ratio, Default: "10x",
			Doc: "how many times the average of the minutes between the snapshot and it a minute must exceed"}},
		expiring: true,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			rule := expiryTimes{rule: s.Rule.ID, levels: s.levels(AnyType), ratio: float64(s.Param("ratio").Number) / 100,
				created: e.created, namer: e.namer}
			return func() accumulator {
				a := rule
				return &a
			}
		},
		text: func(x *explainer) message.Message {
			keys := message.Int("keys", x.instance.Keys)
			switch x.note {
			case noteHour:
				return x.found("{measured} keys expire in one hour, over {limit}")
			case noteWindow:
				return x.found("{keys} keys expire in neighbouring minutes, up to {measured} in one, over {limit}", keys)
			case noteHour | noteWindow:
				return x.found("{keys} keys expire in neighbouring hours, up to {measured} in one, over {limit}", keys)
			}
			return x.found("{measured} keys expire in one minute, over {limit}")
		},
		advise: func(x *explainer) {
			minutes := spreadMinutes(x.instance.Keys, x.Limit)
			x.advise(adviseTTL, nil, "Spread them over {minutes} minutes or more: the application adds to each TTL a "+
				"random number of seconds up to {seconds}, drawn again for each key: EXPIRE key (seconds + random(0..{seconds})), "+
				"or EXPIREAT likewise.",
				message.Int("minutes", minutes), plainNumber("seconds", minutes*60))
			x.advise(adviseCost, nil,
				"Deleting expired keys takes server time, and the cache misses go to the database behind it.")
		},
		Doc: Doc{
			What: "UTC minutes in each of which more keys expire than the limit, and more than 10 times as many as in the " +
				"average minute between the snapshot and it. Neighbouring minutes are one finding. A cache that is written at a " +
				"steady rate with a fixed TTL is not flagged: of its keys no more expire later than sooner. Where many keys " +
				"expire from the snapshot on, they are taken for such a cache if they do so for at least five minutes. Keys that " +
				"had already expired do not count. Minutes are counted for 90 days; beyond that, and for ten years, hours. The " +
				"100 worst findings are listed, with the groups of their keys, which are estimated from one key in 64; the " +
				"others are counted. The keys of all snapshots of a report are added up.",
			Why: "Deleting the keys takes server time at that moment, and all requests that used to find them in the " +
				"cache go to the database at once.",
			Fix: "Add a random part to the expiry: EXPIRE key (3600 + random(0..600)), so that the keys of one batch are " +
				"spread over several minutes.",
			Example: "minutes 2026-11-11T00:00Z to 2026-11-11T00:02Z: 480,000 keys expire, up to 180,000 in one, over 10,000; " +
				"groups item:*:price, item:*:stock.",
		},
	})
}

// The notes, which are flags.
const (
	noteHour   = 1 // hours in place of minutes
	noteWindow = 2 // several neighbouring ones
)

const (
	// nearMinutes is how far ahead of the snapshot keys are counted by the minute.
	// Beyond it they are counted by the hour.
	nearMinutes = 90 * 24 * 60
	farHours    = 10 * 366 * 24
	// flowMinutes is how long many keys must expire from the snapshot on to be taken
	// for a cache in steady flow.
	flowMinutes = 5
	// maxPending is the number of keys that are collected before they are counted:
	// 2 MB. No block of a snapshot has that many.
	maxPending = 1 << 17
	// One key in sampled has its group counted, for up to 2*maxSamples pairs of a
	// minute and a group: 600 KB with patterns of 100 bytes. A minute with 10,000 keys,
	// which is the least that is reported by default, has 150 of them.
	sampled    = 64
	maxSamples = 2048
	maxGroups  = 8 // groups that a finding names
)

// expiryTimes counts the keys that expire in each minute.
//
// The parser's workers each have one for a run of keys. Looking up a counter for
// each key, in an array that no cache holds, costs more than all the rest, so a run
// only lists its keys; the array is filled when runs are merged. Buckets are minutes
// and hours since the epoch, so snapshots taken at different times can be merged.
type expiryTimes struct {
	rule    RuleID
	levels  []level
	ratio   float64
	created int64 // ms since the epoch, -1 unknown; of a Fleet that of the latest snapshot
	namer   *naming.Namer

	pending []pendingKey
	minutes timeline[totals] // of the next nearMinutes
	hours   timeline[totals] // of all other keys
	samples counters         // by minute (8 bytes, big endian) and pattern
	sample  []byte           // scratch

	// Of a Fleet: the latest ID of listTaken, and for each minute and hour the snapshot with most keys.
	isFleet     bool
	latest      int64
	minuteNodes timeline[NodeSums]
	hourNodes   timeline[NodeSums]
}

// pendingKey is a key that is not counted yet.
type pendingKey struct{ minute, bytes int64 } // minutes since the epoch

func (s *expiryTimes) add(k *parser.Key, f *naming.Facts, size int64) {
	if s.created >= 0 && k.ExpireAt < s.created {
		return
	}
	if len(s.pending) == maxPending {
		s.countPending()
	}
	if len(s.pending) == cap(s.pending) { // append adds a quarter only
		s.pending = slices.Grow(s.pending, max(32, len(s.pending)))
	}
	minute := floorDiv(k.ExpireAt, 60_000)
	s.pending = append(s.pending, pendingKey{minute, size})
	// The offset in the file selects keys whatever their names and expiries are.
	if uint64(k.Offset+k.ExpireAt)*0x9e3779b97f4a7c15>>32%sampled == 0 {
		s.sample = s.namer.AppendPattern(binary.BigEndian.AppendUint64(s.sample[:0], uint64(minute)), k.Name)
		s.addSample(hashBytes(s.sample), s.sample, 1)
	}
}

// addSample counts sampled keys of a minute and pattern. If there are too many
// pairs, those of the minutes with the fewest keys are dropped.
func (s *expiryTimes) addSample(hash uint64, part []byte, keys int64) {
	i := s.samples.get(hash, part, len(part), 2*maxSamples)
	if i < 0 {
		ofMinute := func(n *counter) int64 { return s.at(s.minute(n)).keys }
		least := s.samples.nth(maxSamples, ofMinute)
		s.samples.keep(func(n *counter) bool { return ofMinute(n) > least })
		i = s.samples.get(hash, part, len(part), 2*maxSamples)
	}
	s.samples.list[i].keys += keys
}

func (s *expiryTimes) minute(n *counter) int64 {
	return int64(binary.BigEndian.Uint64(s.samples.part(n)))
}

// at returns the totals of the minute or hour in which keys of a minute are counted.
func (s *expiryTimes) at(minute int64) *totals {
	if len(s.minutes.pages) == 0 {
		s.start(minute)
	}
	if t := s.minutes.at(minute); t != nil {
		return t
	}
	if t := s.hours.at(floorDiv(minute, 60)); t != nil {
		return t
	}
	return &totals{} // beyond what is counted
}

// start sets the time that is covered. minute is the first that is counted.
func (s *expiryTimes) start(minute int64) {
	isKnown := s.created >= 0
	if isKnown {
		minute = s.created / 60_000
	}
	s.minutes.start(minute, nearMinutes, isKnown)
	s.hours.start(floorDiv(minute, 60), farHours, isKnown)
}

func (s *expiryTimes) countPending() {
	for _, k := range s.pending {
		s.at(k.minute).add(totals{1, k.bytes})
	}
	s.pending = s.pending[:0]
}

// merge adds what next has counted, and then its pending keys.
func (s *expiryTimes) merge(next accumulator) {
	o := next.(*expiryTimes)
	s.countPending()
	eachOf(&o.minutes, func(minute int64, n totals) { s.at(minute).add(n) })
	eachOf(&o.hours, func(hour int64, n totals) {
		if s.at(hour * 60); s.hours.at(hour) != nil {
			s.hours.at(hour).add(n)
		}
	})
	for _, k := range o.pending {
		s.at(k.minute).add(totals{1, k.bytes})
	}
	for i := range o.samples.list {
		n := &o.samples.list[i]
		s.addSample(n.hash, o.samples.part(n), n.keys)
	}
}

// The lists of Counts. In the first, ID is the minute at which the latest snapshot was
// taken, or, without Keys, the latest that is the middle of what a Fleet covers: for a
// snapshot of unknown time that is the first in which a key expires.
const (
	listTaken = iota
	listMinutes
	listHours
	listSamples
)

func (s *expiryTimes) counts(do func(*Count)) {
	s.countPending()
	if len(s.minutes.pages) == 0 {
		return
	}
	c := Count{List: listTaken, ID: s.latest}
	if !s.isFleet {
		c.ID = s.minutes.first + nearMinutes
	}
	if s.isFleet || s.created < 0 {
		do(&c)
	}
	if s.created >= 0 {
		c.ID, c.Keys = s.created/60_000, 1
		do(&c)
	}
	each := func(list uint8, line *timeline[totals], nodes *timeline[NodeSums]) {
		eachOf(line, func(n int64, keys totals) {
			c = Count{List: list, ID: n, Keys: keys.keys, Bytes: keys.bytes}
			if s.isFleet {
				c.Largest = *nodes.at(n)
			}
			do(&c)
		})
	}
	each(listMinutes, &s.minutes, &s.minuteNodes)
	each(listHours, &s.hours, &s.hourNodes)
	for i := range s.samples.list {
		n := &s.samples.list[i]
		c = Count{List: listSamples, ID: s.minute(n), Part: s.samples.part(n)[8:], Keys: n.keys}
		do(&c)
	}
}

func (s *expiryTimes) put(c *Count) {
	if len(s.minutes.pages) == 0 || c.List == listTaken && c.ID > s.latest {
		s.cover(c.ID)
	}
	switch c.List {
	case listTaken:
		if c.Keys > 0 {
			s.created = max(s.created, c.ID*60_000)
		}
	case listMinutes, listHours:
		s.putTime(c)
	case listSamples:
		s.sample = append(binary.BigEndian.AppendUint64(s.sample[:0], uint64(c.ID)), c.Part...)
		s.addSample(hashBytes(s.sample), s.sample, c.Keys)
	}
}

// putTime adds the keys of a minute or an hour. Those of a minute that is not
// covered are added to its hour.
func (s *expiryTimes) putTime(c *Count) {
	at, node := s.minutes.at(c.ID), (*NodeSums)(nil)
	if c.List == listMinutes && at != nil {
		node = s.minuteNodes.at(c.ID)
	} else {
		hour := c.ID
		if c.List == listMinutes {
			hour = floorDiv(c.ID, 60)
		}
		if at = s.hours.at(hour); at == nil {
			return
		}
		node = s.hourNodes.at(hour)
	}
	at.add(totals{c.Keys, c.Bytes})
	node.larger(c.Largest, false)
}

// cover sets the time that a Fleet covers: nearMinutes, and farHours, before and
// after the day of the latest snapshot. So it depends on the snapshots, and not on
// their order, which keys are counted by the minute.
func (s *expiryTimes) cover(latest int64) {
	const day = 24 * 60
	old := *s
	s.latest = latest
	if start := floorDiv(latest, day) * day; len(old.minutes.pages) == 0 || old.minutes.first != start-nearMinutes {
		s.minutes, s.minuteNodes, s.hours, s.hourNodes = timeline[totals]{}, timeline[NodeSums]{}, timeline[totals]{},
			timeline[NodeSums]{}
		s.minutes.start(start-nearMinutes, 2*nearMinutes+day, true)
		s.minuteNodes.start(start-nearMinutes, 2*nearMinutes+day, true)
		s.hours.start(start/60-farHours, 2*farHours+24, true)
		s.hourNodes.start(start/60-farHours, 2*farHours+24, true)
		eachOf(&old.minutes, func(minute int64, n totals) {
			s.putTime(&Count{List: listMinutes, ID: minute, Keys: n.keys, Bytes: n.bytes, Largest: *old.minuteNodes.at(minute)})
		})
		eachOf(&old.hours, func(hour int64, n totals) {
			s.putTime(&Count{List: listHours, ID: hour, Keys: n.keys, Bytes: n.bytes, Largest: *old.hourNodes.at(hour)})
		})
	}
}

func (s *expiryTimes) reset() {
	s.pending = s.pending[:0]
	s.minutes.reset()
	s.hours.reset()
	s.samples.reset()
}

func (s *expiryTimes) size() int64 {
	return sliceSize(s.pending) + s.minutes.size() + s.hours.size() + s.samples.size()
}

// window is a run of neighbouring minutes, or hours, in each of which too many keys
// expire.
type window struct {
	start, end, length int64    // in minutes since the epoch; length of a minute or hour
	most               int64    // keys in one of them
	largest            NodeSums // of the minute or hour in which one snapshot has most
	totals
	groups []counter // samples
}

// findings returns the windows of minutes, and those of hours.
//
// Of keys that are written at a steady rate with a fixed TTL, as many expire in each
// minute from the snapshot on until the TTL has passed. Several such flows add up to
// a number that never rises with the distance from the snapshot. So a minute is
// compared with the average of those between the snapshot and it; those that were
// found before do not count. The first minutes have too few before them. They are
// compared with the least of them, apart from the first, which has begun already:
// a batch leaves one without keys, a flow does not.
func (s *expiryTimes) findings(totals, []NodeSums) []InstanceFinding {
	s.countPending()
	limit := s.levels[0].limit
	for _, l := range s.levels {
		limit = min(limit, l.limit)
	}
	first, least := int64(math.MaxInt64), int64(math.MaxInt64)
	eachOf(&s.minutes, func(minute int64, _ totals) { first = min(first, minute) })
	eachOf(&s.hours, func(hour int64, _ totals) { first = min(first, hour*60) })
	if first == math.MaxInt64 {
		return nil
	}
	if s.created >= 0 {
		first = s.created / 60_000
	}
	for minute := first + 1; minute < first+flowMinutes; minute++ {
		least = min(least, s.at(minute).keys)
	}
	var list []window
	var found int64  // minutes in list
	var others int64 // keys in other minutes
	check := func(start, length int64, n totals, nodes *timeline[NodeSums]) {
		usual := float64(least)
		if start >= first+flowMinutes {
			usual = float64(others) / float64(max(start-first-found, 1))
		}
		if n.keys <= limit || float64(n.keys) <= s.ratio*usual*float64(length) {
			others += n.keys
			return
		}
		found += length
		if last := len(list) - 1; last < 0 || list[last].end != start || list[last].length != length {
			list = append(list, window{start: start, length: length})
		}
		w := &list[len(list)-1]
		w.end, w.most = start+length, max(w.most, n.keys)
		w.add(n)
		if s.isFleet {
			w.largest.larger(*nodes.at(start / length), false)
		}
	}
	eachOf(&s.minutes, func(minute int64, n totals) { check(minute, 1, n, &s.minuteNodes) })
	eachOf(&s.hours, func(hour int64, n totals) { check(hour*60, 60, n, &s.hourNodes) })
	for i := range s.samples.list {
		n := &s.samples.list[i]
		minute := s.minute(n)
		at, isStart := slices.BinarySearchFunc(list, minute,
			func(w window, minute int64) int { return cmp.Compare(w.start, minute) })
		if !isStart {
			at--
		}
		if at >= 0 && minute < list[at].end {
			list[at].groups = append(list[at].groups, *n)
		}
	}
	var findings []InstanceFinding
	for i := range list {
		findings = append(findings, s.finding(&list[i]))
	}
	return findings
}

func (s *expiryTimes) finding(w *window) InstanceFinding {
	note := uint8(0)
	if w.length > 1 {
		note = noteHour
	}
	if w.end-w.start > w.length {
		note |= noteWindow
	}
	id := [...]string{"minute {first}", "hour {first}", "minutes {first} to {last}", "hours {first} to {last}"}[note]
	l, _ := severest(s.levels, func(limit int64) bool { return w.most > limit })
	return InstanceFinding{Finding: Finding{Rule: s.rule, Severity: l.severity, Measured: w.most, Limit: l.limit,
		note: note},
		Subject: message.New(id, message.Text("first", timeText(w.start)), message.Text("last", timeText(w.end-w.length))),
		Keys:    w.keys, Bytes: w.bytes, Groups: s.patterns(w.groups), Largest: w.largest}
}

// patterns returns the patterns of samples, those with most keys first.
func (s *expiryTimes) patterns(samples []counter) []string {
	keys := map[string]int64{}
	for i := range samples {
		keys[string(s.samples.part(&samples[i])[8:])] += samples[i].keys
	}
	list := slices.SortedFunc(maps.Keys(keys),
		func(a, b string) int { return cmp.Or(cmp.Compare(keys[b], keys[a]), strings.Compare(a, b)) })
	return list[:min(len(list), maxGroups)]
}

func timeText(minute int64) string { return time.Unix(minute*60, 0).UTC().Format("2006-01-02T15:04Z") }

// spreadMinutes returns over how many minutes keys must be spread at random so that
// none has more than the limit, although other keys expire, too: five standard
// deviations above the average of a minute are at most 80 % of the limit.
func spreadMinutes(keys, limit int64) int64 {
	// The standard deviation of an average a is sqrt(a): a + 5*sqrt(a) = 0.8*limit.
	root := math.Sqrt(0.8*float64(max(limit, 1))+6.25) - 2.5
	return int64(math.Ceil(float64(keys) / (root * root)))
}

// floorDiv returns a/b rounded down, for a positive b.
func floorDiv(a, b int64) int64 {
	if a >= 0 {
		return int64(uint64(a) / uint64(b))
	}
	return -((-(a + 1)) / b) - 1
}
