package memory

import (
	"slices"
	"testing"
)

// TestFindAllocator has what used_memory shows of the allocator: a server uses a little
// more than is predicted, rarely less.
func TestFindAllocator(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name      string
		used      int64
		predicted []int64
		usual     string
		fits      []int
	}{
		{"the first, exactly", 1000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", []int{0}},
		{"the first, and buffers", 1012 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", []int{0}},
		{"the second", 1080 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", []int{1, 2}},
		{"the second, and 3 % more", 1100 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", []int{1, 2}},
		{"pages", 1041 * mb, []int64{1000 * mb, 1070 * mb, 1040 * mb}, "jemalloc", []int{2}},
		{"a Valkey server, 2.5 % apart", 1035 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, "jemalloc", []int{1, 2}},
		{"the first of a Valkey server", 1005 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, "jemalloc", []int{0}},
		{"a third more", 1330 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", []int{0, 1, 2}},
		{"a third more than a package needs", 1330 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", []int{1, 0, 2}},
		{"between two", 1008 * mb, []int64{1000 * mb, 1010 * mb, 1010 * mb}, "jemalloc", []int{0, 1, 2}},
		{"too small to tell", 1100 << 10, []int64{1050 << 10, 1060 << 10, 1060 << 10}, "jemalloc", []int{0, 1, 2}},
		// Servers of 300 keys with 90 histograms of commands of 24 KB each.
		{"a small packaged server", 6_000_000, []int64{3_630_000, 3_839_119, 3_838_000}, "jemalloc-system", []int{1, 0, 2}},
		{"a small server of a container", 6_000_000, []int64{3_630_000, 3_839_119, 3_838_000}, "jemalloc", []int{0, 1, 2}},
		{"a packaged server with an allocator of its own", 1005 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", []int{0}},
		{"pages, with the same sums", 1080 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-5.3.1", []int{2, 1}},
		{"far more than a package needs", 3000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", nil},
		{"far more", 3000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", nil},
		{"far less", 800 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", nil},
		{"unknown", -1, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", nil},
	} {
		if fits := FindAllocator(c.used, c.predicted, c.usual); !slices.Equal(fits, c.fits) {
			t.Errorf("%s: %d, want %d", c.name, fits, c.fits)
		}
	}
}
