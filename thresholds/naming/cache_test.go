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

// TestCacheRecognizes checks that names of up to 64 bytes which differ only in digits
// are recognized, whatever their length and wherever the digits are, also while others
// are looked up: that is what the cache is for. Dates are not recognized, because
// whether digits are one depends on their values.
func TestCacheRecognizes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	c := NewNamer(":").NewCache()
	withDigits := func(shape string) []byte {
		name := []byte(shape)
		for i, b := range name {
			if b == '0' {
				name[i] = byte('0' + r.IntN(10))
			}
		}
		return name
	}
	known := func(name []byte) bool { return c.Facts(name) != &c.facts }
	for length := 1; length <= 64; length++ {
		var shapes []string
		for i := range 16 {
			shape := make([]byte, length)
			for j := range shape {
				shape[j] = "ghijklmnopqrstuvwxyz:._-"[r.IntN(24)]
				if r.IntN(3) == 0 || i == 0 {
					shape[j] = '0'
				}
			}
			var f Facts
			if dates(c.namer.shortFacts(shape, &f)) == 0 {
				shapes = append(shapes, string(shape))
			}
		}
		hits, all := 0, 0
		for range 20 {
			for _, shape := range shapes {
				name := withDigits(shape)
				c.Facts(name)
				for range 3 {
					all++
					if known(withDigits(shape)) {
						hits++
					}
				}
			}
		}
		if hits < all {
			t.Errorf("of %d names of %d bytes, %d were recognized", all, length, hits)
		}
		// Of sixteen shapes in 256 pairs of places nearly all are still known.
		hits = 0
		for _, shape := range shapes {
			if known(withDigits(shape)) {
				hits++
			}
		}
		if hits < len(shapes)*3/4 {
			t.Errorf("of %d shapes of %d bytes, %d are still known", len(shapes), length, hits)
		}
	}
	for range 10 {
		if known([]byte("stat:2024-01-31")) {
			t.Error("a date is recognized")
		}
	}
	for range 2 {
		if known(make([]byte, 65)) || known(nil) {
			t.Error("a name of 65 bytes, or none, is recognized")
		}
	}
}

// TestCacheGivesUp checks when random names bypass the cache, and that it is used again
// when names are alike.
func TestCacheGivesUp(t *testing.T) {
	c := NewNamer(":").NewCache()
	r := rand.New(rand.NewPCG(13, 14))
	random := func() []byte {
		name := make([]byte, 24)
		for i := range name {
			name[i] = byte('g' + r.IntN(20))
		}
		return name
	}
	for range fullCredit {
		c.Facts(random())
	}
	if c.bypass != 0 {
		t.Fatalf("after %d names %d bypass the cache", fullCredit, c.bypass)
	}
	looked := 0
	for range 9000 {
		if c.bypass == 0 {
			looked++
		}
		c.Facts(random())
	}
	if looked < 1000 || looked > 1300 { // 9 out of 64 + 9
		t.Errorf("of 9000 random names %d were looked up", looked)
	}
	for range 200 {
		c.Facts([]byte("user:1"))
	}
	if c.Facts([]byte("user:2")) == &c.facts || c.credit < 100 {
		t.Errorf("names that are alike are not recognized again: credit %d", c.credit)
	}
	for range 1000 {
		c.Facts([]byte("user:1"))
	}
	if c.credit != fullCredit {
		t.Errorf("credit rises to %d", c.credit)
	}
}

// TestCacheSpreads checks that names which differ in the letters of one word only are
// known side by side, as those of the entities of a service are.
func TestCacheSpreads(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for length := 1; length <= 64; length++ {
		words := []int{0, length - 8} // those that the place of a name depends on
		switch {
		case length < 8:
			words = []int{0}
		case length > 40:
			words = append(words, length/2-4)
		case length > 32:
			words = append(words, 8, 16, 24)
		case length >= 16:
			words = append(words, 8, length-16)
		}
		for _, at := range words {
			const shapes = 20
			c := NewNamer(":").NewCache()
			name := make([]byte, length)
			var last [shapes][]byte
			hits := 0
			for round := range 2 {
				for i := range name {
					name[i] = byte('0' + round)
				}
				for shape := range shapes {
					if round == 0 {
						last[shape] = make([]byte, min(8, length))
						for i := range last[shape] {
							last[shape][i] = byte('g' + r.IntN(20))
						}
						if length < 3 {
							last[shape][0] = byte('g' + shape)
						}
					}
					copy(name[at:], last[shape])
					if c.Facts(name) != &c.facts && round == 1 {
						hits++
					}
				}
			}
			if hits < shapes/2 { // at one place two are
				t.Errorf("%d bytes, letters from %d: of %d names %d are known", length, at, shapes, hits)
			}
		}
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
