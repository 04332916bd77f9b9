package memory

import "testing"

// TestFindAllocator has what used_memory shows of the allocator: a server uses a little
// more than is predicted, rarely less.
func TestFindAllocator(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name      string
		used      int64
		predicted []int64
		usual     string
		index     int
		fit       Fit
	}{
		{"the first, exactly", 1000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitOne},
		{"the first, and buffers", 1012 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitOne},
		{"the second", 1080 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 1, FitOne},
		{"the second, and 3 % more", 1100 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 1, FitOne},
		{"pages", 1041 * mb, []int64{1000 * mb, 1070 * mb, 1040 * mb}, "jemalloc", 2, FitOne},
		{"a Valkey server, 2.5 % apart", 1035 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, "jemalloc", 1, FitOne},
		{"the first of a Valkey server", 1005 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, "jemalloc", 0, FitOne},
		{"a third more", 1330 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitTie},
		{"a third more than a package needs", 1330 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", 1, FitTie},
		{"between two", 1008 * mb, []int64{1000 * mb, 1010 * mb, 1010 * mb}, "jemalloc", 0, FitTie},
		{"too small to tell", 1100 << 10, []int64{1050 << 10, 1060 << 10, 1060 << 10}, "jemalloc", 0, FitTie},
		// Servers of 300 keys with 90 histograms of commands of 24 KB each.
		{"a small packaged server", 6_000_000, []int64{3_630_000, 3_839_119, 3_838_000}, "jemalloc-system", 1, FitTie},
		{"a small server of a container", 6_000_000, []int64{3_630_000, 3_839_119, 3_838_000}, "jemalloc", 0, FitTie},
		{"a packaged server with an allocator of its own", 1005 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", 0, FitOne},
		{"pages, with the same sums", 1080 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-5.3.1", 2, FitOne},
		{"far more than a package needs", 3000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc-system", 1, FitNone},
		{"far more", 3000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitNone},
		{"far less", 800 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitNone},
		{"unknown", -1, []int64{1000 * mb, 1070 * mb, 1070 * mb}, "jemalloc", 0, FitNone},
	} {
		if i, fit := FindAllocator(c.used, c.predicted, c.usual); i != c.index || fit != c.fit {
			t.Errorf("%s: %d, %d, want %d, %d", c.name, i, fit, c.index, c.fit)
		}
	}
}
