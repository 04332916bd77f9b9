package memory

import "testing"

// TestChildBuckets checks the ends of the estimate: seven entries fit into a bucket,
// of which the last position refers to a child bucket if there are more.
func TestChildBuckets(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 0, 7: 0, 8: 1, 13: 1, 14: 2} {
		if got := childBuckets(n, 1); got != want*fraction {
			t.Errorf("%d entries in one bucket have %d/65536 child buckets, want %d", n, got, want)
		}
	}
	for _, n := range []int64{0, 7, 8, 100} {
		if got := childBuckets(n, 0); got != 0 {
			t.Errorf("%d entries without a bucket have %d child buckets", n, got)
		}
	}
}
