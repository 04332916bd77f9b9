package agg

import "testing"

// TestSnapshot checks that a snapshot is found by its input, and that the first one
// stands for an input that there is not.
func TestSnapshot(t *testing.T) {
	b := Builder{Snapshots: []Snapshot{{Input: 3}, {Input: 7}}}
	for input, want := range map[int]int{3: 0, 7: 1, 9: 0} {
		if got := b.Snapshot(input); got != &b.Snapshots[want] {
			t.Errorf("input %d: that of input %d", input, got.Input)
		}
	}
}
