package tree

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestBlocksKeepNothingThatCounts checks that a tree does not depend on which Block reads which
// block: a Block keeps nodes for the next block, and which ones depends on what it read before. Blocks
// of few nodes and blocks that are merged early take turns, and values come in different orders.
func TestBlocksKeepNothingThatCounts(t *testing.T) {
	const size, blocks = 2000, 64
	kinds := []func(r *rand.Rand, block, i int) string{
		func(r *rand.Rand, block, i int) string {
			if block%2 == 0 {
				return fmt.Sprintf("k%s:v%s:x", word(r, 10), word(r, 15))
			}
			return fmt.Sprintf("app%d:%s:%s:x", block, word(r, 1+r.IntN(1400)), word(r, 3))
		},
		func(r *rand.Rand, block, i int) string {
			if block%2 == 0 {
				return fmt.Sprintf("app:%s:x", word(r, 200))
			}
			return fmt.Sprintf("app:%s:x", word(r, 1+r.IntN(6000)))
		},
		func(r *rand.Rand, block, i int) string {
			switch {
			case i%4 == 0 && block == 27:
				return fmt.Sprintf("app:%s:x", word(r, 2000))
			case i%4 == 0 && block > 27:
				return "app:zz:x"
			case block%2 == 0:
				i = size - i
			}
			return fmt.Sprintf("app:%d:x", 1000+i/(8+block%3))
		},
	}
	for n, name := range kinds {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			var keys []key
			for block := range blocks {
				for i := range size {
					text := fmt.Sprintf("order:%d:x", block*size+i)
					if block >= 24 {
						text = name(r, block, i)
					}
					keys = append(keys, key{text, 40 + int64(r.IntN(100))})
				}
			}
			one := newForest(":").fill(keys, size, 1).dump()
			for _, count := range []int{2, 16} {
				if many := newForest(":").fill(keys, size, count).dump(); many != one {
					t.Errorf("names %d, seed %d: %d Blocks differ from one:\n%s", n, seed, count, difference(one, many))
				}
			}
		}
	}
}
