package rdb

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDecimalLen(t *testing.T) {
	check := func(v int64) {
		if got, want := DecimalLen(v), len(strconv.FormatInt(v, 10)); got != want {
			t.Errorf("decimalLen(%d) = %d, want %d", v, got, want)
		}
	}
	for v, p := int64(1), 0; p < 19; p++ {
		for _, d := range []int64{-1, 0, 1} {
			check(v + d)
			check(-v + d)
		}
		v *= 10
	}
	for _, v := range []int64{0, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		check(v)
	}
	for range 100000 {
		check(int64(rand.Uint64()) >> rand.IntN(64))
	}
}

// TestListpackInt checks the size of a number in a listpack by its specification:
// the encoding with 7, 13, 16, 24, 32 or 64 bits of the number, and a byte for the
// length of the entry.
func TestListpackInt(t *testing.T) {
	for _, c := range []struct{ low, high, size int64 }{
		{0, 127, 1 + 1}, {-4096, 4095, 2 + 1}, {-1 << 15, 1<<15 - 1, 3 + 1}, {-1 << 23, 1<<23 - 1, 4 + 1}, {-1 << 31, 1<<31 - 1, 5 + 1},
	} {
		for _, v := range []int64{c.low, c.high} {
			if got := ListpackInt(v); got != c.size {
				t.Errorf("%d takes %d bytes, want %d", v, got, c.size)
			}
		}
		for _, v := range []int64{c.low - 1, c.high + 1} {
			if got := ListpackInt(v); got <= c.size && !(v == -1) {
				t.Errorf("%d takes %d bytes", v, got)
			}
		}
	}
	if got := ListpackInt(-1); got != 3 {
		t.Errorf("-1 takes %d bytes", got)
	}
	for _, v := range []int64{math.MinInt64, -1<<31 - 1, 1 << 31, math.MaxInt64} {
		if got := ListpackInt(v); got != 9+1 {
			t.Errorf("%d takes %d bytes", v, got)
		}
	}
}
