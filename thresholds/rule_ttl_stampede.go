package thresholds

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

func init() {
	register(Rule{
		Name:     "ttl-stampede",
		Section:  SectionExpiry,
		Title:    "minute in which too many keys expire at once",
		Harm:     Blocks,
		Brief:    "Spread the TTLs of {groups}: {measured} keys expire in one {key}.",
		Instance: true,
		Unit:     units.Count,
		Params:   []Param{{Name: "ratio", Unit: units.Ratio, Default: "10x", Doc: "how many times the median minute a minute must exceed"}},
		expiring: true,
		accumulate: func(e *Engine, s *Setting) func() accumulator {
			rule := expiryTimes{rule: s.Rule.ID, levels: s.levels(AnyType), ratio: s.Param("ratio").Number, created: e.createdMilli(), namer: e.namer}
			return func() accumulator {
				a := rule
				return &a
			}
		},
		text: func(x *explainer) string {
			if x.note == noteHour {
				return x.found("{measured} keys expire in one hour, over {limit}")
			}
			return x.found("{measured} keys expire in one minute, over {limit}")
		},
		advise: func(x *explainer) {
			keys, limit := x.instance.Keys, max(x.Limit, 1)
			minutes := keys / limit
			if keys%limit > 0 {
				minutes++
			}
			x.advise(adviseTTL, nil, "Spread them over {minutes} minutes or more: EXPIRE key (seconds + random(0..{seconds})), or EXPIREAT with the same random part.",
				"minutes", comma(minutes), "seconds", decimal(minutes*60))
			x.advise(adviseCost, nil, "Deleting expired keys takes server time, and the cache misses go to the database behind it.")
		},
		Doc: Doc{
			What: "A UTC minute in which more keys expire than the limit, and more than 10 times as many as in the median minute in which any expire (a single minute " +
				"has nothing to be compared with). Keys that had already expired do not count. Minutes more than 90 days ahead are combined into hours, which are " +
				"compared with the median hour. The 100 worst are kept, with the groups of their keys; the others are counted.",
			Why:     "Deleting the keys takes server time at that moment, and all requests that used to find them in the cache go to the database at once.",
			Fix:     "Add a random part to the expiry: EXPIRE key (3600 + random(0..600)), so that the keys of one batch are spread over several minutes.",
			Example: "minute 2026-11-11T00:00Z: 480,000 keys expire, over 10,000; groups item:*:price, item:*:stock.",
			Sources: []Source{
				{[]string{"default", "aliyun"}, aliyun, "【推荐】", "建议使用expire设置过期时间(条件允许可以打散过期时间,防止集中过期),不过期的数据重点关注idletime。",
					"Set an expiry with EXPIRE (spread the times if possible, to avoid that keys expire together); for data that does not expire, watch the idle time."},
				{onlyBaidu, baidu, "", "在设置过期时间的时候**要加上随机值**， 让过期时间分散一些。", "Add a random value to the expiry, so that the times are spread."},
				{onlyBaidu, baidu, "", "使用 EXPIREAT 设置过期时间，不要集中到某个时间戳，最好加上随机时间；", "Set expiries with EXPIREAT; do not concentrate them on one timestamp, and preferably add a random time."},
				{onlyUpper, upper, "", "若有很多个key同时到期,将会占用cpu大量的时间来删除key,不能让cpu做要紧的事",
					"If many keys expire at the same time, deleting them takes a lot of CPU time, which is then not available for important work."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "baidu", "upper"}, "ours: no document gives a number; Baidu's limits are the lower ones, so its profile has a tenth"},
			},
		},
	})
}

// noteHour is the note on an hour in place of its minutes.
const noteHour = 1

const (
	// nearMinutes is how far ahead of the snapshot keys are counted by the minute.
	// Beyond it they are counted by the hour.
	nearMinutes = 90 * 24 * 60
	dayMinutes  = 24 * 60
	monthHours  = 30 * 24
	// maxMinutes and maxHours bound the time that is covered: 181 days by the
	// minute and 122 times 30 days by the hour, 4.2 MB and 1.4 MB at most. They
	// begin with the snapshot. If it does not say when it was taken, the first key
	// that expires is in their middle. Keys beyond the hours are not counted.
	maxMinutes = 181 * dayMinutes
	maxHours   = 122 * monthHours
	// maxPending is the number of keys that are collected before they are counted:
	// 2 MB. No block of a snapshot has that many.
	maxPending = 1 << 17
	// candidateBits is the binary logarithm of the number of candidates.
	candidateBits = 10
	// maxSampled is the number of buckets that have groups, maxGroups the number of
	// groups of each: 2 MB with patterns of 100 bytes.
	maxSampled = 2048
	maxGroups  = 8
)

// expiryTimes counts the keys that expire in each minute.
//
// The parser's workers each have one for a run of keys. Looking up a counter for
// each key, in an array that no cache holds, costs more than all the rest, so a run
// only lists its keys, in order; the array is filled when runs are merged.
//
// A finding names the groups of keys that expire in its minute. Computing the
// pattern of every key is too expensive, so keys are sampled: number 1, 2, 4, 8, ...
// of those that expire in one minute, the later ones standing for as many keys as
// came since the one before. To know which minutes have many keys, a run has 1024
// candidates, selected by a hash of the minute. Each keeps the majority of
// the minutes that fall to it (Boyer and Moore): a key of its minute adds a vote, a
// key of another minute removes one, and takes over when none are left. Only
// minutes with at least 8 keys, and the first 16 keys of a run, are sampled; other
// minutes cannot exceed the limit. A bucket has at most 8 groups; a new one
// replaces the smallest and inherits its count (Metwally, Agrawal and El Abbadi,
// "Efficient computation of frequent and top-k elements in data streams", 2005).
type expiryTimes struct {
	rule    RuleID
	levels  []level
	ratio   int64 // hundredths of the median
	created int64 // ms since the epoch, -1 unknown
	namer   *naming.Namer

	pending    []pendingKey
	candidates [1 << candidateBits]candidate
	samples    []sample
	patterns   []byte // of samples, one after the other

	started     bool // firstMinute and firstHour are set
	firstMinute int64
	firstHour   int64
	minutes     timeline // from firstMinute on
	hours       timeline // from firstHour on
	groups      map[int][]groupCount
}

// timeline has the totals of buckets by number, in pages that exist once one of
// their buckets has keys: most snapshots have keys in few of the minutes.
type timeline []*[pageBuckets]totals

const pageBuckets = 64

// at returns the totals of a bucket.
func (t *timeline) at(i int) *totals {
	p := i / pageBuckets
	if missing := p + 1 - len(*t); missing > 0 {
		*t = append(*t, make(timeline, missing)...)
	}
	if (*t)[p] == nil {
		(*t)[p] = new([pageBuckets]totals)
	}
	return &(*t)[p][i%pageBuckets]
}

// each calls a function for each bucket that has keys. Its buckets are numbered
// from first on.
func (t timeline) each(first int, do func(bucket int, n totals)) {
	for p, page := range t {
		if page == nil {
			continue
		}
		for i, n := range page {
			if n.keys > 0 {
				do(first+p*pageBuckets+i, n)
			}
		}
	}
}

func (t timeline) size() (n int64) {
	for _, page := range t {
		if page != nil {
			n += pageBuckets * 16
		}
	}
	return n + int64(cap(t))*8
}

// pendingKey is a key that is not counted yet.
type pendingKey struct{ minute, bytes int64 } // minutes since the epoch

// candidate is a minute that may be the most frequent one of those with the same
// hash.
type candidate struct {
	minute      int64
	votes, keys int32 // keys: since the minute took over
}

// sample is a pattern of a key that expires in a minute.
type sample struct {
	minute     int64
	start, end int   // in patterns
	keys       int64 // for which it stands
}

type groupCount struct {
	pattern string
	keys    int64
}

func hashMinute(minute int64) uint64 { return uint64(minute) * 0x9e3779b97f4a7c15 }

func (s *expiryTimes) add(k *parser.Key, f *naming.Facts, size int64) {
	if s.created >= 0 && k.ExpireAt < s.created {
		return
	}
	minute := floorDiv(k.ExpireAt, 60_000)
	if len(s.pending) == maxPending {
		s.count(s)
		s.clearPending()
	}
	s.pending = append(s.pending, pendingKey{minute, size})
	c := &s.candidates[hashMinute(minute)>>(64-candidateBits)]
	if c.minute != minute {
		if c.votes > 0 {
			c.votes--
			return
		}
		*c = candidate{minute: minute}
	}
	c.votes++
	c.keys++
	if c.keys&(c.keys-1) == 0 && (c.keys >= 8 || len(s.pending) <= 16) {
		start := len(s.patterns)
		s.patterns = s.namer.AppendPattern(s.patterns, k.Name)
		s.samples = append(s.samples, sample{minute, start, len(s.patterns), int64(c.keys+1) / 2})
	}
}

// count counts the pending keys of another run, and its samples.
func (s *expiryTimes) count(o *expiryTimes) {
	for _, k := range o.pending {
		if p := uint64(k.minute-s.firstMinute) / pageBuckets; p < uint64(len(s.minutes)) && s.minutes[p] != nil {
			s.minutes[p][uint64(k.minute-s.firstMinute)%pageBuckets].add(totals{1, k.bytes})
		} else {
			s.addTo(s.bucket(k.minute), totals{1, k.bytes})
		}
	}
	for i := range o.samples {
		x := &o.samples[i]
		s.addGroup(s.bucket(x.minute), string(o.patterns[x.start:x.end]), x.keys)
	}
	s.dropGroups()
}

func (s *expiryTimes) clearPending() {
	if len(s.pending) > 0 {
		s.candidates = [1 << candidateBits]candidate{}
	}
	s.pending, s.samples, s.patterns = s.pending[:0], s.samples[:0], s.patterns[:0]
}

// Buckets are numbered: 0 to maxMinutes-1 are minutes, those from maxMinutes on are
// hours.

// bucket returns the finest bucket of a minute since the epoch, -1 if it is beyond
// the time that is covered.
func (s *expiryTimes) bucket(minute int64) int {
	if !s.started {
		s.start(minute)
	}
	n := minute - s.firstMinute
	isNear := uint64(n) < maxMinutes
	if s.created >= 0 {
		isNear = minute < s.created/60_000+nearMinutes
	}
	if isNear {
		return int(n)
	}
	return s.hourBucket(floorDiv(minute, 60))
}

func (s *expiryTimes) hourBucket(hour int64) int {
	if n := uint64(hour - s.firstHour); n < maxHours {
		return maxMinutes + int(n)
	}
	return -1
}

// start sets the time that is covered. minute is the first that is counted.
func (s *expiryTimes) start(minute int64) {
	s.started = true
	day, month := floorDiv(minute, dayMinutes)-maxMinutes/dayMinutes/2, floorDiv(minute, monthHours*60)-maxHours/monthHours/2
	if s.created >= 0 {
		day, month = floorDiv(s.created, dayMinutes*60_000), floorDiv(s.created, monthHours*3_600_000)
	}
	s.firstMinute, s.firstHour = day*dayMinutes, month*monthHours
}

// since returns the beginning of a bucket in minutes or hours since the epoch.
func (s *expiryTimes) since(bucket int) (n int64, isHour bool) {
	if bucket >= maxMinutes {
		return s.firstHour + int64(bucket-maxMinutes), true
	}
	return s.firstMinute + int64(bucket), false
}

func (s *expiryTimes) addTo(bucket int, n totals) {
	list, i := &s.minutes, bucket
	if bucket >= maxMinutes {
		list, i = &s.hours, bucket-maxMinutes
	}
	if i < 0 {
		return
	}
	list.at(i).add(n)
}

func (s *expiryTimes) totalsOf(bucket int) totals {
	if bucket >= maxMinutes {
		return *s.hours.at(bucket - maxMinutes)
	}
	return *s.minutes.at(bucket)
}

// each calls a function for each bucket that has keys, minutes first.
func (s *expiryTimes) each(do func(bucket int, n totals)) {
	s.minutes.each(0, do)
	s.hours.each(maxMinutes, do)
}

// addGroup counts keys of a group in a bucket, which must have been counted there
// already.
func (s *expiryTimes) addGroup(bucket int, pattern string, keys int64) {
	if bucket < 0 {
		return
	}
	if s.groups == nil {
		s.groups = map[int][]groupCount{}
	}
	list := s.groups[bucket]
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
		s.groups[bucket] = append(list, groupCount{pattern, keys})
		return
	}
	list[least] = groupCount{pattern, list[least].keys + keys}
}

// dropGroups drops the groups of the buckets with the fewest keys if too many
// have groups.
func (s *expiryTimes) dropGroups() {
	if len(s.groups) <= maxSampled {
		return
	}
	buckets := slices.SortedFunc(maps.Keys(s.groups), func(a, b int) int {
		return cmp.Or(cmp.Compare(s.totalsOf(b).keys, s.totalsOf(a).keys), cmp.Compare(a, b))
	})
	for _, b := range buckets[maxSampled/2:] {
		delete(s.groups, b)
	}
}

// merge adds what next had counted, and then its pending keys, which came later.
func (s *expiryTimes) merge(next accumulator) {
	o := next.(*expiryTimes)
	s.count(s)
	s.clearPending()
	mine := func(bucket int) int {
		n, isHour := o.since(bucket)
		switch {
		case !isHour:
			return s.bucket(n)
		case !s.started:
			s.start(n * 60)
		}
		return s.hourBucket(n)
	}
	o.each(func(bucket int, n totals) { s.addTo(mine(bucket), n) })
	for _, b := range slices.Sorted(maps.Keys(o.groups)) {
		for _, g := range o.groups[b] {
			s.addGroup(mine(b), g.pattern, g.keys)
		}
	}
	s.count(o)
}

func (s *expiryTimes) reset() {
	s.clearPending()
	s.started, s.groups = false, nil
	clear(s.minutes)
	clear(s.hours)
}

func (s *expiryTimes) size() int64 {
	return int64(cap(s.pending))*16 + s.minutes.size() + s.hours.size() + int64(cap(s.samples))*40 + int64(cap(s.patterns))
}

// findings returns the minutes in which too many keys expire at once, and the
// hours, each compared with the median of its kind.
func (s *expiryTimes) findings(totals) []InstanceFinding {
	s.count(s)
	s.clearPending()
	least := s.levels[len(s.levels)-1].limit
	for _, l := range s.levels {
		least = min(least, l.limit)
	}
	var minutes, hours []int64 // keys of each that has any
	var over []int
	s.each(func(bucket int, n totals) {
		if bucket >= maxMinutes {
			hours = append(hours, n.keys)
		} else {
			minutes = append(minutes, n.keys)
		}
		if n.keys > least {
			over = append(over, bucket)
		}
	})
	medianMinute, medianHour := median(minutes), median(hours)
	var list []InstanceFinding
	for _, bucket := range over {
		n := s.totalsOf(bucket)
		start, isHour := s.since(bucket)
		median, note, subject := medianMinute, uint8(0), "minute "+timeText(start*60)
		if isHour {
			median, note, subject = medianHour, noteHour, "hour "+timeText(start*3600)
		}
		if !more(n.keys, 100, s.ratio, median) {
			continue
		}
		l, _ := severest(s.levels, func(limit int64) bool { return n.keys > limit })
		list = append(list, InstanceFinding{Finding: Finding{Rule: s.rule, Severity: l.severity, Measured: n.keys, Limit: l.limit, note: note},
			Subject: subject, Keys: n.keys, Bytes: n.bytes, Groups: s.groupsOf(bucket)})
	}
	return list
}

// groupsOf returns the patterns of a bucket's groups, those with most keys first.
func (s *expiryTimes) groupsOf(bucket int) []string {
	list := slices.Clone(s.groups[bucket])
	slices.SortStableFunc(list, func(a, b groupCount) int {
		return cmp.Or(cmp.Compare(b.keys, a.keys), cmp.Compare(a.pattern, b.pattern))
	})
	var patterns []string
	for _, g := range list {
		patterns = append(patterns, g.pattern)
	}
	return patterns
}

func timeText(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04Z") }

// median returns the lower median, 0 for fewer than two numbers: a single minute
// has nothing to be compared with.
func median(numbers []int64) int64 {
	if len(numbers) < 2 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[(len(numbers)-1)/2]
}

// floorDiv returns a/b rounded down, for a positive b.
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
