package naming

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestCacheChangesNothing compares facts from the cache with those of the Namer.
func TestCacheChangesNothing(t *testing.T) {
	n := NewNamer(":")
	c := n.NewCache()
	check := func(t interface{ Fatalf(string, ...any) }, name []byte) {
		var want Facts
		n.Facts(name, &want)
		if got := c.Facts(name); *got != want {
			t.Fatalf("facts of %q\n got %+v\nwant %+v", name, *got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := aName(t)
		check(t, name)
		// The same with other digits, and with one other byte.
		for range 3 {
			other := append([]byte(nil), name...)
			for i, b := range other {
				if isDigit(b) {
					other[i] = byte(rapid.IntRange('0', '9').Draw(t, "digit"))
				}
			}
			check(t, other)
			if len(other) > 0 {
				other[rapid.IntRange(0, len(other)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
				check(t, other)
			}
		}
	})
	r := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		check(t, fmt.Appendf(nil, benchNames[r.IntN(len(benchNames))], r.IntN(1<<r.IntN(30)+1)))
	}
}

func BenchmarkCache(b *testing.B) {
	for _, shape := range benchNames {
		b.Run(shape, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			names := make([][]byte, 4096)
			for i := range names {
				names[i] = fmt.Appendf(nil, shape, r.IntN(100_000_000))
			}
			c := NewNamer(":").NewCache()
			i := 0
			for b.Loop() {
				c.Facts(names[i&4095])
				i++
			}
		})
	}
}
