package report

import "slices"

// tally counts keys and adds up their bytes.
type tally struct{ keys, values, memory int64 }

func (t *tally) add(o *tally) {
	t.keys += o.keys
	t.values += o.values
	t.memory += o.memory
}

// scale cuts figures into the bars of a histogram. Bar i has those of at least
// least[i] and less than least[i+1]; labels has one for each.
type scale struct {
	least  []int64
	labels []string
}

const (
	second = 1
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// The bars of the time left, in milliseconds. noExpiry and unknownExpiry are
// those of keys without an expiry, and of keys with one in a snapshot that does
// not say when it was taken.
const (
	expired = iota
	minutes
	hours
	days
	weeks
	months
	years
	noExpiry
	unknownExpiry
	expiryBars
)

var expiryLabels = [expiryBars]string{"expired", "minutes", "hours", "days", "weeks", "months", "years", "none", "unknown"}

// expiryLeast has the least time left of minutes to years, in seconds: under an
// hour are minutes, under a day hours, under 7 days days, under 30 days weeks,
// under 365 days months.
var expiryLeast = [...]int64{minutes: 0, hours: hour, days: day, weeks: 7 * day, months: 30 * day, years: 365 * day}

// expiryBar gives the bar of a time left in milliseconds.
func expiryBar(ms int64) int {
	ms = max(ms, -1)
	bar := uint64(0)
	for _, least := range [...]int64{0, hour * 1000, day * 1000, 7 * day * 1000, 30 * day * 1000, 365 * day * 1000} {
		bar += uint64(least-1-ms) >> 63 // 1 if ms >= least, without a branch that nobody can foresee
	}
	return int(bar)
}

// The bars of the lengths of names, in bytes. The conventions' limits (3, 30,
// 128) are bounds.
var lengthScale = scale{
	[]int64{0, 3, 11, 21, 31, 65, 129, 257, 1025},
	[]string{"0–2", "3–10", "11–20", "21–30", "31–64", "65–128", "129–256", "257–1024", "over 1024"},
}

// lengthBar has the bar of each length up to 1024.
var lengthBar = lengthScale.table()

// The bars of the numbers of elements of collections and streams.
var elementsScale = scale{
	[]int64{0, 1, 2, 11, 101, 513, 1001, 5001, 10001, 100001, 1000001},
	[]string{"0", "1", "2–10", "11–100", "101–512", "513–1000", "1001–5000", "5001–10000", "10001–100000", "100001–1000000", "over 1000000"},
}

// elementsBar has the bar of each number up to 1024.
var elementsBar = elementsScale.table()

// The bars of the seconds since the last access.
var idleScale = scale{
	[]int64{0, minute, hour, day, 7 * day, 30 * day, 90 * day, 365 * day},
	[]string{"under a minute", "minutes", "hours", "days", "1–4 weeks", "1–3 months", "3–12 months", "over a year"},
}

// The bars of LFU counters. A new key begins with 5.
var lfuScale = scale{
	[]int64{0, 1, 5, 6, 11, 51, 101, 201, 255},
	[]string{"0", "1–4", "5", "6–10", "11–50", "51–100", "101–200", "201–254", "255"},
}

// bars is room for the bars of any scale.
type bars [12]tally

func (b *bars) add(o *bars) {
	for i := range b {
		b[i].add(&o[i])
	}
}

// bar gives the bar of a figure that is not negative.
func (s *scale) bar(v int64) int {
	i, found := slices.BinarySearch(s.least, v)
	if !found {
		i--
	}
	return i
}

// table gives the bars of small figures.
func (s *scale) table() (t [1025]uint8) {
	for i := range t {
		t[i] = uint8(s.bar(int64(i)))
	}
	return t
}

// buckets gives the histogram, empty where it has no key.
func (s *scale) buckets(b *bars, memory bool) []Bucket {
	var list []Bucket
	some := false
	for i := range s.least {
		bucket := Bucket{Label: s.labels[i], Min: &s.least[i]}
		if i+1 < len(s.least) {
			bucket.Max = &s.least[i+1]
		}
		bucket.take(&b[i], memory)
		some = some || b[i].keys > 0
		list = append(list, bucket)
	}
	if !some {
		return nil
	}
	return list
}

// take sets the bucket's figures.
func (b *Bucket) take(t *tally, memory bool) {
	b.Keys, b.ValueBytes, b.MemoryBytes = t.keys, t.values, Unknown
	if memory {
		b.MemoryBytes = Figure(t.memory)
	}
}

// expiryBuckets gives the histogram of the time left.
func expiryBuckets(b *bars, memory bool) []Bucket {
	var list []Bucket
	for i, label := range expiryLabels {
		if i == unknownExpiry && b[i].keys == 0 {
			continue
		}
		bucket := Bucket{Label: label}
		if i >= minutes && i <= years {
			bucket.Min = &expiryLeast[i]
		}
		if i < years {
			bucket.Max = &expiryLeast[i+1]
		}
		bucket.take(&b[i], memory)
		list = append(list, bucket)
	}
	return list
}
