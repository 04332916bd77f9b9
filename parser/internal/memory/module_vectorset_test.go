package memory

import (
	"fmt"
	"slices"
	"testing"
)

// TestNamesOfVectors compares what the names of a vector set take, whose elements
// the file has in any order, with a radix tree of the sorted names. Beyond 65,536
// names, or a megabyte of them, the tree is extrapolated.
func TestNamesOfVectors(t *testing.T) {
	m, _, err := Choose("redis", "8.0.2", Options{State: "reloaded"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n    int
		name func(i int) string
	}{
		{0, nil}, {1, func(int) string { return "only" }}, {500, func(i int) string { return fmt.Sprintf("%x", i*2654435761) }},
		{500, func(i int) string { return fmt.Sprintf("product:%d:%d", i*7919%500, i) }}, {65536, func(i int) string { return fmt.Sprintf("e%07d", i*7919%65536) }},
	} {
		var s ModuleSizes
		for range 2 { // the second time after a Reset
			s.Reset(m)
			s.VectorSet(0)
			var names []string
			for i := range c.n {
				names = append(names, c.name(i))
				s.Vector([]byte(names[i]), int64(len(names[i])), 0, 16, 1)
			}
			slices.Sort(names)
			var tree nameTree
			for _, name := range names {
				tree.add(&m.allocator, []byte(name), int64(len(name)))
			}
			_, want := tree.finishTree(m)
			if got := s.namesTree(); got != want || s.Approximate {
				t.Errorf("%d names take %d bytes, want %d; approximate: %v", c.n, got, want, s.Approximate)
			}
		}
	}

	// Twice as many names of the same form.
	var s ModuleSizes
	s.Reset(m)
	s.VectorSet(0)
	for i := range 2 * maxNames {
		name := fmt.Sprintf("e%07d", i)
		s.Vector([]byte(name), int64(len(name)), 0, 16, 1)
	}
	var tree nameTree
	for i := range 2 * maxNames {
		name := fmt.Sprintf("e%07d", i)
		tree.add(&m.allocator, []byte(name), int64(len(name)))
	}
	_, want := tree.finishTree(m)
	if got := s.namesTree(); got < want*99/100 || got > want*101/100 || !s.Approximate {
		t.Errorf("the tree of %d names is taken for %d bytes, want %d; approximate: %v", 2*maxNames, got, want, s.Approximate)
	}
}
