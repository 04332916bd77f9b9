package agg

import (
	"math"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

func TestExpiryBucket(t *testing.T) {
	for _, c := range []struct {
		seconds int64
		want    string
	}{{-1, "expired"}, {0, "minutes"}, {hour - 1, "minutes"}, {hour, "hours"}, {day - 1, "hours"}, {day, "days"}, {7*day - 1, "days"},
		{7 * day, "weeks"}, {30*day - 1, "weeks"}, {30 * day, "months"}, {365*day - 1, "months"}, {365 * day, "years"}, {1 << 40, "years"}} {
		if got := expiryLabels[expiryBucket(c.seconds*1000)]; got != c.want {
			t.Errorf("%d seconds are %s, want %s", c.seconds, got, c.want)
		}
	}
}

// TestExpiryBounds checks that the bounds that the histogram states are those by which
// keys are counted, to the millisecond.
func TestExpiryBounds(t *testing.T) {
	var h Histograms
	h.expiry[unknownExpiry].Keys = 1
	list := h.Expiry()
	if len(list) != expiryBuckets || list[expired].Min != nil || list[years].Max != nil {
		t.Fatalf("%+v", list)
	}
	for i, b := range list {
		if i >= noExpiry && (b.Min != nil || b.Max != nil) {
			t.Errorf("%s has bounds", b.Label)
		}
		if b.Min != nil && (expiryBucket(*b.Min*1000) != i || expiryBucket(*b.Min*1000-1) != i-1 || *list[i-1].Max != *b.Min) {
			t.Errorf("%s begins at %d s", b.Label, *b.Min)
		}
	}
	for _, ms := range []int64{math.MinInt64, -1001, -1} {
		if expiryBucket(ms) != expired {
			t.Errorf("%d ms left are %s", ms, expiryLabels[expiryBucket(ms)])
		}
	}
	h.expiry[unknownExpiry].Keys = 0
	if len(h.Expiry()) != expiryBuckets-1 {
		t.Error("keys with an unknown TTL are listed where there are none")
	}
}

// TestBucketBounds checks that a figure is in the bucket whose bounds it lies
// between.
func TestBucketBounds(t *testing.T) {
	for _, s := range []*scale{&lengthScale, &elementsScale, &idleScale, &lfuScale} {
		if len(s.least) != len(s.labels) || len(s.least) > len(histogram{}) {
			t.Fatalf("%d bounds, %d labels", len(s.least), len(s.labels))
		}
		for i, least := range s.least {
			for _, v := range []int64{least, max(least-1, 0)} {
				var b histogram
				b[s.bucket(v)].addKey(1, 1)
				list := s.buckets(&b)
				at := slices.IndexFunc(list, func(b Bucket) bool { return b.Keys == 1 })
				if *list[at].Min > v || list[at].Max != nil && *list[at].Max <= v || v == least && at != i {
					t.Errorf("%d is in %q", v, list[at].Label)
				}
			}
		}
	}
	if lengthScale.buckets(&histogram{}) != nil {
		t.Error("a histogram without keys is not empty")
	}
}

// TestHistogramsCountEveryKey puts keys through several Shards' blocks: each histogram
// counts each key once, in the bucket whose bounds its figure is within.
func TestHistogramsCountEveryKey(t *testing.T) {
	figures := []int64{0, 1, 9, 10, 99, 100, 999, 1000, 1024, 1025, 9999, 10_000, 1 << 20, 1 << 40}
	var keys []parser.Key
	for i := range 20 * len(figures) {
		n := figures[i%len(figures)]
		k := plainKey(0, 100, "key")
		k.Type, k.Elements, k.Idle, k.Freq, k.NameLen = parser.Hash, n, n, int16(n%256), max(3, n%60_000)
		keys = append(keys, k)
	}
	b := gather(testEngine(t, "default"), 0, keys, 7)
	for what, c := range map[string]struct {
		buckets []Bucket
		figure  func(k *parser.Key) int64
	}{
		"elements": {b.Histograms.Elements(), func(k *parser.Key) int64 { return k.Elements }},
		"names":    {b.Histograms.KeyLength(), func(k *parser.Key) int64 { return k.NameLen }},
		"idle":     {b.Histograms.Idle(), func(k *parser.Key) int64 { return k.Idle }},
	} {
		total := int64(0)
		for _, bucket := range c.buckets {
			want := int64(0)
			for i := range keys {
				if n := c.figure(&keys[i]); (bucket.Min == nil || n >= *bucket.Min) && (bucket.Max == nil || n < *bucket.Max) {
					want++
				}
			}
			if total += bucket.Keys; bucket.Keys != want || bucket.Memory != 100*want {
				t.Errorf("%s %s: %d keys of %d bytes, want %d", what, bucket.Label, bucket.Keys, bucket.Memory, want)
			}
		}
		if total != int64(len(keys)) {
			t.Errorf("%s: %d keys, want %d", what, total, len(keys))
		}
	}
	if n := b.Histograms.NoExpiry(); n.Keys != int64(len(keys)) {
		t.Errorf("%d keys without a TTL", n.Keys)
	}
}
