//go:build !race

package report

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
)

// TestNoAllocations checks that a key allocates nothing once a few blocks have
// passed. If names are random, a block builds a trie again, which takes a few
// allocations whatever the number of keys.
func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	ordinary := testKeys(11, 10_000)
	for i := range ordinary {
		k := &ordinary[i]
		k.Name = fmt.Appendf(nil, "shop:%s:item:%d", randomWord(r, 30), r.IntN(1e6))
		k.NameLen = int64(len(k.Name))
	}
	for _, c := range []struct {
		name string
		keys []parser.Key
		most float64
	}{{"ordinary", ordinary, 0}, {"random", testKeys(11, 10_000), 100}} {
		b := newBuilder(agg.Options{Top: 20})
		b.Start(testEngine(t, "typed"))
		s := b.NewShard()
		round := func() {
			for i := range c.keys {
				s.Key(&c.keys[i])
			}
			s.Flush(true)
		}
		for range 10 {
			round()
		}
		if n := testing.AllocsPerRun(10, round); n > c.most {
			t.Errorf("%s names: %v allocations in a block of %d keys", c.name, n, len(c.keys))
		}
	}
}
