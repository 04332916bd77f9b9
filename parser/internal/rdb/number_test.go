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
