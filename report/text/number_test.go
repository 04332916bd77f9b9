package text

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestAppendInt(t *testing.T) {
	check := func(n int64) {
		if got, want := string(AppendInt([]byte("x"), n)), "x"+strconv.FormatInt(n, 10); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for p := int64(1); p <= math.MaxInt64/10; p *= 10 {
		for d := int64(-1); d <= 1; d++ {
			check(p + d)
			check(-p + d)
		}
	}
	for s := range 64 {
		check(1 << s)
		check(1<<s - 1)
	}
	check(math.MinInt64)
	check(math.MaxInt64)
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		check(int64(r.Uint64() >> r.IntN(64)))
	}
}
