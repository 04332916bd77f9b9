package agg

import (
	"slices"
	"testing"
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

// TestBucketBounds checks that a figure is in the bucket whose bounds it lies
// between.
func TestBucketBounds(t *testing.T) {
	for _, s := range []*scale{&lengthScale, &elementsScale, &idleScale, &lfuScale} {
		if len(s.least) != len(s.labels) || len(s.least) > len(histogram{}) {
			t.Fatalf("%d bounds, %d labels", len(s.least), len(s.labels))
		}
		for i, least := range s.least {
			for _, v := range []int64{least, least + 1} {
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
