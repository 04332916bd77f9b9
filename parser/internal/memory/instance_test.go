package memory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMeanOfFilled draws places for things at random.
func TestMeanOfFilled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, each := range []float64{1.001, 1.3, 4, 127.5, 900, 1024, 1500, 4095} {
		if got := meanOfFilled(each, func(k int64) int64 { return k }); math.Abs(got-each) > each*1e-6 {
			t.Errorf("the mean of numbers whose mean is %v is %v", each, got)
		}
		if each < 4 {
			continue // empty places would count
		}
		const places = 1 << 11
		counts := make([]int64, places)
		for range int(each * places) {
			counts[r.IntN(places)]++
		}
		var want float64
		power := func(k int64) int64 { // of a table that doubles
			n := int64(1)
			for n < k {
				n *= 2
			}
			return n
		}
		for _, n := range counts {
			want += float64(power(n)) / places
		}
		if got := meanOfFilled(each, power); math.Abs(got-want) > want*0.03 {
			t.Errorf("tables of %v on average have %v slots, drawn %v", each, got, want)
		}
	}
}
