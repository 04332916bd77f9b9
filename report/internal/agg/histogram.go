package agg

import (
	"math/bits"
	"slices"
)

// Count counts keys and adds up their bytes. Saved is the memory that following the
// advice of a finding about them would save.
type Count struct{ Keys, ValueBytes, Memory, Saved int64 }

func (c *Count) add(o *Count) {
	c.Keys += o.Keys
	c.ValueBytes += o.ValueBytes
	c.Memory += o.Memory
	c.Saved += o.Saved
}

func (c *Count) addKey(valueBytes, memory int64) {
	c.Keys++
	c.ValueBytes += valueBytes
	c.Memory += memory
}

// Bucket is a bucket of a histogram: keys whose figure is at least Min and less
// than Max. A nil bound is none.
type Bucket struct {
	Label    string
	Min, Max *int64
	Count
}

// scale divides figures into buckets. Bucket i has those of at least least[i]
// and less than least[i+1]; labels has one for each.
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

// The buckets of TTLs. noExpiry has the keys without an expiry, unknownExpiry
// those with one in a snapshot that does not say when it was taken.
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
	expiryBuckets
)

var expiryLabels = [expiryBuckets]string{"expired", "minutes", "hours", "days", "weeks", "months", "years", "none",
	"unknown"}

// expiryLeast has the shortest TTL of the buckets from minutes to years, in
// seconds: TTLs under an hour are minutes, under a day hours, under 7 days days,
// under 30 days weeks, under 365 days months.
var expiryLeast = [...]int64{minutes: 0, hours: hour, days: day, weeks: 7 * day, months: 30 * day, years: 365 * day}

// expiryOctaves has, by the number of bits of a TTL in milliseconds, the bucket of the shortest such
// TTL, and the one from which on TTLs are in the next bucket: no two begin in one power of two.
var expiryOctaves = func() (all [65]struct {
	bucket int
	next   int64
}) {
	for n := range all {
		all[n].bucket, all[n].next = years, 1<<63-1
		for bucket := minutes; bucket < years; bucket++ {
			if next := expiryLeast[bucket+1] * 1000; bits.Len64(uint64(next)) >= n {
				all[n].bucket, all[n].next = bucket, next
				break
			}
		}
	}
	return all
}()

func expiryBucket(ms int64) int {
	if ms < 0 {
		return expired
	}
	o := &expiryOctaves[bits.Len64(uint64(ms))]
	return o.bucket + int(uint64(o.next-1-ms)>>63) // 1 if ms >= next, branch-free
}

// lengthScale divides the lengths of names, in bytes. The limits of naming
// conventions (3, 30, 128) are bounds.
var lengthScale = scale{
	[]int64{0, 3, 11, 21, 31, 65, 129, 257, 1025},
	[]string{"0–2", "3–10", "11–20", "21–30", "31–64", "65–128", "129–256", "257–1024", "over 1024"},
}

var elementsScale = scale{
	[]int64{0, 1, 2, 11, 101, 513, 1001, 5001, 10001, 100001, 1000001},
	[]string{"0", "1", "2–10", "11–100", "101–512", "513–1000", "1001–5000", "5001–10000", "10001–100000",
		"100001–1000000", "over 1000000"},
}

// idleScale divides the seconds since the last access.
var idleScale = scale{
	[]int64{0, minute, hour, day, 7 * day, 30 * day, 90 * day, 365 * day},
	[]string{"under a minute", "minutes", "hours", "days", "1–4 weeks", "1–3 months", "3–12 months", "over a year"},
}

// lfuScale divides LFU counters. A new key has 5.
var lfuScale = scale{
	[]int64{0, 1, 5, 6, 11, 51, 101, 201, 255},
	[]string{"0", "1–4", "5", "6–10", "11–50", "51–100", "101–200", "201–254", "255"},
}

// lengthBucket and elementsBucket have the buckets of figures up to 1024.
var (
	lengthBucket   = lengthScale.table()
	elementsBucket = elementsScale.table()
)

type histogram [12]Count

func (h *histogram) add(o *histogram) {
	for i := range h {
		h[i].add(&o[i])
	}
}

// bucket returns the bucket of a figure, which is not negative.
func (s *scale) bucket(v int64) int {
	i, found := slices.BinarySearch(s.least, v)
	if !found {
		i--
	}
	return i
}

// table returns the buckets of small figures.
func (s *scale) table() (t [1025]uint8) {
	for i := range t {
		t[i] = uint8(s.bucket(int64(i)))
	}
	return t
}

// buckets returns the buckets of a histogram, nil if it has no key.
func (s *scale) buckets(h *histogram) []Bucket {
	var list []Bucket
	keys := int64(0)
	for i := range s.least {
		b := Bucket{Label: s.labels[i], Min: &s.least[i], Count: h[i]}
		if i+1 < len(s.least) {
			b.Max = &s.least[i+1]
		}
		keys += b.Keys
		list = append(list, b)
	}
	if keys == 0 {
		return nil
	}
	return list
}

// Histograms are the histograms of a block, a snapshot or several snapshots.
type Histograms struct {
	expiry, lengths, elements, idle histogram
	freq                            [256]Count
	hasFreq                         bool // some key has an LFU counter
}

// addNoExpiry counts the keys of a block without an expiry: all that are in no
// other bucket of that histogram. Every key is in a bucket of the lengths.
func (h *Histograms) addNoExpiry() {
	var all, others Count
	h.expiry[noExpiry] = Count{}
	for i := range h.lengths {
		all.add(&h.lengths[i])
		others.add(&h.expiry[i])
	}
	h.expiry[noExpiry] = Count{Keys: all.Keys - others.Keys, ValueBytes: all.ValueBytes - others.ValueBytes,
		Memory: all.Memory - others.Memory}
}

func (h *Histograms) merge(o *Histograms) {
	h.expiry.add(&o.expiry)
	h.lengths.add(&o.lengths)
	h.elements.add(&o.elements)
	h.idle.add(&o.idle)
	if o.hasFreq {
		h.hasFreq = true
		for i := range h.freq {
			h.freq[i].add(&o.freq[i])
		}
	}
}

func (h *Histograms) reset() {
	h.expiry, h.lengths, h.elements, h.idle = histogram{}, histogram{}, histogram{}, histogram{}
	if h.hasFreq {
		clear(h.freq[:])
		h.hasFreq = false
	}
}

// Expired returns the keys past their expiry when the snapshot was taken,
// NoExpiry those without an expiry.
func (h *Histograms) Expired() Count  { return h.expiry[expired] }
func (h *Histograms) NoExpiry() Count { return h.expiry[noExpiry] }

// Expiry returns the histogram of TTLs, with bounds in seconds.
func (h *Histograms) Expiry() []Bucket {
	var list []Bucket
	for i, label := range expiryLabels {
		if i == unknownExpiry && h.expiry[i].Keys == 0 {
			continue
		}
		b := Bucket{Label: label, Count: h.expiry[i]}
		if i >= minutes && i <= years {
			b.Min = &expiryLeast[i]
		}
		if i < years {
			b.Max = &expiryLeast[i+1]
		}
		list = append(list, b)
	}
	return list
}

// KeyLength returns the histogram of the lengths of names, Elements that of
// elements of collections and streams, Idle that of the seconds since the last
// access, LFU that of the LFU counters; nil if no key has such a figure.
func (h *Histograms) KeyLength() []Bucket { return lengthScale.buckets(&h.lengths) }
func (h *Histograms) Elements() []Bucket  { return elementsScale.buckets(&h.elements) }
func (h *Histograms) Idle() []Bucket      { return idleScale.buckets(&h.idle) }
func (h *Histograms) LFU() []Bucket {
	var all histogram
	for n := range h.freq {
		all[lfuScale.bucket(int64(n))].add(&h.freq[n])
	}
	return lfuScale.buckets(&all)
}
