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
		index     int
		fit       Fit
	}{
		{"the first, exactly", 1000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 0, FitOne},
		{"the first, and buffers", 1012 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 0, FitOne},
		{"the second", 1080 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 1, FitOne},
		{"the second, and 3 % more", 1100 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 1, FitOne},
		{"pages", 1041 * mb, []int64{1000 * mb, 1070 * mb, 1040 * mb}, 2, FitOne},
		{"a Valkey server, 2.5 % apart", 1035 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, 1, FitOne},
		{"the first of a Valkey server", 1005 * mb, []int64{1000 * mb, 1025 * mb, 1025 * mb}, 0, FitOne},
		{"a third more", 1330 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 1, FitTie},
		{"between two", 1008 * mb, []int64{1000 * mb, 1010 * mb, 1010 * mb}, 1, FitTie},
		{"too small to tell", 1100 << 10, []int64{1050 << 10, 1060 << 10, 1060 << 10}, 0, FitTie},
		{"far more", 3000 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 0, FitNone},
		{"far less", 800 * mb, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 0, FitNone},
		{"unknown", -1, []int64{1000 * mb, 1070 * mb, 1070 * mb}, 0, FitNone},
	} {
		if i, fit := FindAllocator(c.used, c.predicted); i != c.index || fit != c.fit {
			t.Errorf("%s: %d, %d, want %d, %d", c.name, i, fit, c.index, c.fit)
		}
	}
}
