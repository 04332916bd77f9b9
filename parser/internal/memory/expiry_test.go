package memory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// hashWithExpiries returns the sizes of a hash whose n fields of 8 bytes with
// values of 10 all expire, at random within spread milliseconds.
func hashWithExpiries(m *Model, n, spread int64) Sizes {
	var a Accumulator
	a.Reset(m)
	r := rand.New(rand.NewPCG(uint64(n), uint64(spread)))
	for range n {
		a.AddField(8, 10, true)
		a.AddFieldExpiry(4000000000000 + r.Int64N(spread))
	}
	return a.Sizes(&Facts{Shape: HashTable, Type: typeHash, NameLen: 10, Elements: n, FieldsWithTTL: n, Longest: 10})
}

// MEMORY USAGE with SAMPLES 0 of Valkey 9.1.2 with jemalloc 5.3.1 for such
// hashes, after a reload: the mean of 3 or 4 keys. The least spread is one
// millisecond, whose fields are in one table; the largest an hour.
func TestExpiryWindows(t *testing.T) {
	m, _, err := Choose("valkey", "9.1.2", Options{Allocator: "jemalloc-5.3.1", State: "reloaded"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ n, spread, want int64 }{
		{100, 1, 7138}, {127, 1, 9416}, {128, 1, 11714}, {129, 1, 10781}, {200, 1, 15277}, {224, 1, 18114}, {225, 1, 22301}, {256, 1, 23234},
		{257, 1, 21192}, {448, 1, 36077}, {449, 1, 44125}, {500, 1, 45933}, {512, 1, 46168}, {513, 1, 42056}, {897, 1, 88136}, {2000, 1, 181890},
		{500, 17, 46632}, {1000, 40, 78984}, {3000, 40, 230456}, {3000, 100, 261020}, {10000, 100, 760904},
		{128, 1000, 9768}, {200, 1000, 14296}, {300, 1000, 21868}, {500, 1000, 37464}, {1000, 1000, 74372}, {3000, 1000, 211668}, {10000, 1000, 778120},
		{500, 8192, 37348}, {3000, 8192, 212280}, {500, 60000, 37624}, {3000, 60000, 212522}, {500, 3600000, 50326}, {3000, 3600000, 232842},
		{300, 1000000, 26954}, {1000, 3000000, 90480}, {3000, 10000000, 264541}, {10000, 30000000, 880938},
	} {
		got := hashWithExpiries(m, c.n, c.spread).Usage
		limit := .008
		if c.n == 3000 && c.spread == 100 {
			limit = .018 // seven windows, one of which has fewer fields than a table of the next size
		}
		if e := float64(got-c.want) / float64(c.want); math.Abs(e) > limit {
			t.Errorf("%d fields within %d ms: %d, the server says %d (%+.1f%%)", c.n, c.spread, got, c.want, 100*e)
		}
	}
}

// Times that no server writes have no bad effect.
func TestExpiryWindowsHostile(t *testing.T) {
	m, _, _ := Choose("valkey", "9.1.2", Options{})
	for _, times := range [][]int64{{math.MinInt64, math.MaxInt64}, {-1, 0}, {math.MaxInt64}, {math.MinInt64, math.MinInt64 + 100}} {
		var a Accumulator
		a.Reset(m)
		for i := range 5000 {
			a.AddField(8, 10, true)
			a.AddFieldExpiry(times[i%len(times)])
		}
		if got := a.Sizes(&Facts{Shape: HashTable, Type: typeHash, NameLen: 10, Elements: 5000, FieldsWithTTL: 5000}); got.Allocated < 0 || got.Allocated > 1<<30 {
			t.Errorf("times %d: %d bytes", times, got.Allocated)
		}
	}
}

// What used_memory of Redis 8.0.2 with Debian's jemalloc fell by when such a
// hash was deleted, after a reload: the mean of 3 keys. Of fields that expire
// together the figures are exact.
func TestExpiryBuckets(t *testing.T) {
	m, _, err := Choose("redis", "8.0.2", Options{Allocator: "jemalloc-system", State: "reloaded"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ n, spread, want int64 }{
		{600, 1, 61728}, {1000, 1, 90432}, {2000, 1, 180608}, {5000, 1, 508544}, {20000, 1, 2033440},
		{1000, 2, 90485}, {20000, 2, 2033514}, {600, 16, 62144}, {20000, 16, 2033834}, {600, 100, 62762}, {5000, 100, 511040}, {20000, 100, 2036010},
		{600, 1000, 62885}, {2000, 1000, 184053}, {20000, 1000, 2061424}, {1000, 30000, 93674}, {5000, 30000, 519578}, {20000, 30000, 2070010},
		{600, 1000000, 63898}, {5000, 1000000, 524682}, {20000, 1000000, 2097280}, {600, 100000000, 63818}, {20000, 100000000, 2105269},
	} {
		got := hashWithExpiries(m, c.n, c.spread).Allocated
		e := float64(got-c.want) / float64(c.want)
		if c.spread == 1 && got != c.want || math.Abs(e) > .005 {
			t.Errorf("%d fields within %d ms: %d, the server freed %d (%+.2f%%)", c.n, c.spread, got, c.want, 100*e)
		}
	}
}

// TestWindowsAreCounted checks estimates of the number of windows, with many and
// few fields in each, and different distances.
func TestWindowsAreCounted(t *testing.T) {
	for _, apart := range []int64{1, 13, 1000} {
		for _, want := range []int64{1, 2, 100, 3000, 15_000, 20_000, 30_000, 200_000} {
			var a, b windows
			const n = 600_000
			for i := range int64(n) {
				to := &a
				if i >= n/2 {
					to = &b
				}
				to.add(4_000_000_000_000 + (i%want*apart)<<wideShift)
			}
			a.merge(&b)
			wide, narrow := a.counts(n)
			if apart == 1 && want <= n/20 && wide != want {
				t.Errorf("%d windows one after the other are counted as %d", want, wide)
			}
			if math.Abs(float64(wide-want)) > 1+float64(want)/10 || math.Abs(float64(narrow-want)) > 1+float64(want)/10 {
				t.Errorf("%d windows %d apart are counted as %d wide and %d narrow", want, apart, wide, narrow)
			}
		}
	}
}

// TestSpread compares the shares of windows with a count of fields, one in each
// millisecond from the middle of one window to that of another, or in one window of
// three.
func TestSpread(t *testing.T) {
	const width = 1 << narrowShift
	for _, c := range []struct{ from, windows, step int64 }{{width / 2, 5, 1}, {3, 40, 1}, {0, 100, 1}, {width - 1, 1000, 1}, {5, 300, 3}} {
		var w windows
		counts := map[int64]int64{}
		n := int64(0)
		first := int64(4_000_000_000_000)>>narrowShift<<narrowShift + c.from
		last := first>>narrowShift + c.windows - 1
		for ms := first; ms < last<<narrowShift+width/2; ms++ {
			if (ms>>narrowShift-first>>narrowShift)%c.step == 0 {
				w.add(ms)
				counts[ms>>narrowShift]++
				n++
			}
		}
		used := int64(len(counts))
		gotFirst, each, gotLast := w.spread(n, used)
		if c.step > 1 {
			if want := (n + used/2) / used; gotFirst != want || each != want || gotLast != want {
				t.Errorf("%+v: %d, %d and %d fields, want %d in each", c, gotFirst, each, gotLast, want)
			}
		} else if gotFirst != counts[first>>narrowShift] || each != width || gotLast != counts[last] {
			t.Errorf("%+v: %d, %d and %d fields, want %d, %d and %d", c, gotFirst, each, gotLast, counts[first>>narrowShift], width, counts[last])
		}
	}
}

// TestExpiryIndexByHand has the indexes of a few fields. Redis' list of up to 16 is in the
// fields; 17 of one time are two segments of 16 and 24 bytes, under a tree (24) of a chain
// of six bytes (4+6+6+8) and a leaf (16). Valkey's of one field is the pointer, of up to
// 127 an array of 8 bytes and a pointer for each.
func TestExpiryIndexByHand(t *testing.T) {
	redis, valkey := mustChoose(t, Options{Server: "redis-8.0"}), mustChoose(t, Options{Server: "valkey-9"})
	var w windows
	w.add(1700000000000)
	for n, want := range map[int64]int64{0: 0, 1: 0, 16: 0, 17: 24 + 24 + 16 + 16 + 24, 32: 24 + 24 + 16 + 16 + 24, 33: 24 + 24 + 16 + 16 + 2*24} {
		if alloc, usage := redis.expiryIndexSizes(n, &w); alloc != want || usage != 0 {
			t.Errorf("Redis, %d fields: %d and %d, want %d", n, alloc, usage, want)
		}
	}
	for n, want := range map[int64][2]int64{0: {0, 0}, 1: {0, 0}, 2: {24, 24}, 3: {32, 32}, 7: {64, 64}, 8: {80, 80}, 127: {1024, 1024}} {
		if alloc, usage := valkey.expiryIndexSizes(n, &w); alloc != want[0] || usage != want[1] {
			t.Errorf("Valkey, %d fields: %d and %d, want %d", n, alloc, usage, want)
		}
	}
	for n, want := range map[int64]int64{-1: 0, 0: 0, 1: windowNodes, 2: windowNodes + 24, 127: windowNodes + 1024} {
		if got := valkey.narrowWindow(n); got != want {
			t.Errorf("a window of %d fields: %d, want %d", n, got, want)
		}
	}
	if table, _ := valkey.tableSizes(insertedHashtable(128), 0); valkey.narrowWindow(128) != windowNodes+table {
		t.Errorf("a window of 128 fields: %d, want a table of %d", valkey.narrowWindow(128), table)
	}
}
