package memory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDeviation draws levels of skiplists and buckets as servers do, and compares how much
// their memory varies with the closed form.
func TestDeviation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	deviation := func(runs int, draw func() int64) float64 {
		var sum, square float64
		for range runs {
			x := float64(draw())
			sum += x
			square += x * x
		}
		n := float64(runs)
		return math.Sqrt(square/n - sum*sum/n/n)
	}
	near := func(what string, got, want, share float64) {
		if math.Abs(got/want-1) > share {
			t.Errorf("%s: %.1f drawn, %.1f computed", what, want, got)
		}
	}
	const n = 2000
	for _, allocator := range []string{"jemalloc", "jemalloc-system"} {
		m, _, err := Choose("redis", "7.0.15", Options{Allocator: allocator})
		if err != nil {
			t.Fatal(err)
		}
		near(allocator, m.Deviation(Random{Scored: n}), deviation(2000, func() (sum int64) {
			for range n {
				levels := int64(1)
				for rng.IntN(4) == 0 {
					levels++
				}
				sum += m.usable(24 + 16*levels)
			}
			return sum
		}), .08)
		if d := m.Deviation(Random{Hashes: n, Sets: n}); d != 0 {
			t.Errorf("a dict with values varies by %f", d)
		}
	}
	// Tables of sets, of each load from half full to full.
	for name, server := range map[string]struct {
		server, release string
		full            int // elements in a bucket
		cost            func(counts []int) int64
	}{
		"dict": {"redis", "7.2.4", 1, func(counts []int) (bytes int64) {
			for _, k := range counts {
				bytes += int64(max(0, k-1)) * noValueEntrySize
			}
			return bytes
		}},
		"hashtable": {"valkey", "8.1.1", bucketEntries, func(counts []int) (bytes int64) {
			for _, k := range counts {
				bytes += chainLength(int64(k)) * bucketSize
			}
			return bytes
		}},
	} {
		m, _, _ := Choose(server.server, server.release, Options{})
		const buckets, loads = 512, 8
		var variance float64
		elements := int64(0)
		for load := range loads {
			n := int(buckets * float64(server.full) * (.5 + (float64(load)+.5)/(2*loads)))
			elements += int64(n)
			d := deviation(1000, func() int64 {
				counts := make([]int, buckets)
				for range n {
					counts[rng.IntN(buckets)]++
				}
				return server.cost(counts)
			})
			variance += d * d
		}
		near(name, m.Deviation(Random{Sets: elements}), math.Sqrt(variance), .25)
	}
}
