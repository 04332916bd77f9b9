package agg

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOctaves checks the bounds of the buckets of an octave, and that it loses
// whole buckets as longer TTLs come.
func TestOctaves(t *testing.T) {
	for used := 1; used <= maxOctaves; used++ {
		end := 0
		for o := range used {
			b := octaves[used][o]
			n, width := int64(b.mask)+1, int64(1)<<b.shift
			least, next := int64(1)<<(firstOctave-1+o), int64(1)<<(firstOctave+o)
			if o == 0 {
				least = 0
			}
			if n*width != next-least {
				t.Fatalf("octave %d of %d: %d buckets of %d ms for %d to %d", o, used, n, width, least, next)
			}
			if n < coarseBuckets || o == used-1 && n != fineBuckets || o == used-2 && used <= 26 && n != fineBuckets {
				t.Errorf("octave %d of %d has %d buckets", o, used, n)
			}
			if o > 0 && int(b.from) != end {
				t.Errorf("octave %d of %d begins at %d, not at %d", o, used, b.from, end)
			}
			end = int(b.from) + int(n)
			for _, ms := range []int64{least, least + width - 1, next - width, next - 1} {
				if octaveOf(ms) != o || int64(b.bucket(ms)) != int64(b.from)+(ms-least)/width {
					t.Errorf("%d ms are in octave %d of %d, bucket %d", ms, octaveOf(ms), used, b.bucket(ms))
				}
			}
			if used < maxOctaves && octaves[used+1][o].shift < b.shift {
				t.Errorf("octave %d has smaller buckets of %d than of %d", o, used+1, used)
			}
		}
		if end != ttlBuckets {
			t.Errorf("%d octaves end at %d", used, end)
		}
	}
}

func timesLeft(t *rapid.T) []int64 {
	top := int64(1) << rapid.IntRange(0, 42).Draw(t, "bits")
	times := rapid.SliceOfN(rapid.Int64Range(-top/8, top), 1, 200).Draw(t, "times")
	if rapid.Bool().Draw(t, "alike") { // most keys are of an age
		for i := range times[:len(times)*3/4] {
			times[i] = top/2 + times[i]%1000
		}
	}
	return times
}

func histogramOf(times []int64) *ttlHistogram {
	l := new(ttlHistogram)
	for _, ms := range times {
		l.count(ms)
	}
	return l
}

// TestMedian checks the stated errors.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := timesLeft(t)
		l := histogramOf(times)
		slices.Sort(times)
		least, most := times[0], times[len(times)-1]
		want := max(times[(len(times)-1)/2], 0)
		got := l.median(least, most)
		if got < least || got > most {
			t.Fatalf("median of %v is %d", times, got)
		}
		if most < 0 || want > longestTTL {
			return
		}
		allowed := max(want/4, 256)
		if 2*want >= most && most < 1<<35 {
			allowed = max(want/32, 32)
		}
		if d := got - want; max(d, -d) > allowed {
			t.Fatalf("median of %v is %d, want %d", times, got, want)
		}
	})
}

// TestTTLsOfAnyOrder checks that a histogram depends on the TTLs alone, not on
// their order, nor on how they were divided among histograms that are added up.
func TestTTLsOfAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := timesLeft(t)
		want := histogramOf(times)
		at := rapid.IntRange(0, len(times)).Draw(t, "at")
		first, second := histogramOf(times[:at]), histogramOf(times[at:])
		joined := *first
		joined.add(second)
		second.add(first)
		slices.Sort(times)
		sorted := histogramOf(times)
		for _, got := range []*ttlHistogram{&joined, second, sorted} {
			if *got != *want {
				t.Fatalf("%v differs from %v", got, want)
			}
		}
	})
}
