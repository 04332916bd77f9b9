package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/thresholds/naming"
)

func TestExpiryBar(t *testing.T) {
	for _, c := range []struct {
		seconds int64
		want    string
	}{{-1, "expired"}, {0, "minutes"}, {hour - 1, "minutes"}, {hour, "hours"}, {day - 1, "hours"}, {day, "days"}, {7*day - 1, "days"},
		{7 * day, "weeks"}, {30*day - 1, "weeks"}, {30 * day, "months"}, {365*day - 1, "months"}, {365 * day, "years"}, {1 << 40, "years"}} {
		if got := expiryLabels[expiryBar(c.seconds*1000)]; got != c.want {
			t.Errorf("%d seconds are %s, want %s", c.seconds, got, c.want)
		}
	}
}

// TestBucketsTellTheirBounds holds every histogram to its bounds: a figure is
// in the bucket whose bounds it lies in.
func TestBucketsTellTheirBounds(t *testing.T) {
	for _, s := range []*scale{&lengthScale, &elementsScale, &idleScale, &lfuScale} {
		if len(s.least) != len(s.labels) || len(s.least) > len(bars{}) {
			t.Fatalf("%d bounds, %d labels", len(s.least), len(s.labels))
		}
		for i, least := range s.least {
			for _, v := range []int64{least, least + 1} {
				var b bars
				b[s.bar(v)].count(1, 1)
				list := s.buckets(&b, true)
				at := slices.IndexFunc(list, func(b Bucket) bool { return b.Keys == 1 })
				if *list[at].Min > v || list[at].Max != nil && *list[at].Max <= v || v == least && at != i {
					t.Errorf("%d is in %q", v, list[at].Label)
				}
			}
		}
	}
	if lengthScale.buckets(&bars{}, true) != nil {
		t.Error("a histogram without keys is not empty")
	}
}

// TestSketch holds the estimate to 5 %, some three times its standard error.
func TestSketch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int64{0, 1, 10, 1000, 5000, 12_000, 100_000, 1_000_000} {
		var s, half sketch
		for i := range n {
			h := naming.HashPattern([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(r.Uint32())})
			s.add(h)
			s.add(h)
			if i%2 == 0 {
				half.add(h)
			}
		}
		got := s.count()
		if d := got - n; max(d, -d)*20 > n {
			t.Errorf("%d patterns are counted as %d", n, got)
		}
		half.merge(&s)
		if half.count() != got {
			t.Error("a merge with a part of itself changes the estimate")
		}
	}
}
