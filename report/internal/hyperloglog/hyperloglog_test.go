package hyperloglog

import (
	"math/rand/v2"
	"testing"
)

// TestSketch checks that the estimate is within 5 %, three times its standard error.
func TestSketch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int64{0, 1, 10, 1000, 5000, 12_000, 100_000, 1_000_000} {
		var s, half Sketch
		for i := range n {
			h := r.Uint64()
			s.Add(h)
			s.Add(h)
			if i%2 == 0 {
				half.Add(h)
			}
		}
		got := s.Count()
		if d := got - n; max(d, -d)*20 > n {
			t.Errorf("%d patterns are counted as %d", n, got)
		}
		half.Merge(&s)
		if half.Count() != got {
			t.Error("a merge with a part of the same sketch changes the estimate")
		}
	}
}

// TestSize checks that a sketch has the 4096 registers that its error follows from.
func TestSize(t *testing.T) {
	if n := len(Sketch{}); n != 4096 {
		t.Errorf("%d registers", n)
	}
}
