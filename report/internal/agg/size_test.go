package agg

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestSizeIsTheMemory compares the sizes that a Shard states, which the parser bounds,
// with what the garbage collector gets back once its parts are dropped.
func TestSizeIsTheMemory(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, shape := range shapeOfNames {
		keys := benchmarkKeys(shape.make)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range keys { // thousands of patterns
			name := append([]byte(word(r, 8000)+":"+word(r, 8000)+":"), keys[i].Name...)
			keys[i].Name, keys[i].NameLen = name, int64(len(name))
		}
		builder := NewBuilder(Options{Top: 20, Examples: 10})
		builder.Start(testEngine(t, "default"))
		shard := builder.NewShard()
		for i := range keys {
			shard.Key(&keys[i])
		}
		check := func(what string, size int64, drop func()) {
			before := heap()
			if drop(); math.Abs(float64(before-heap()-size)) > float64(size)/4+32<<10 || size < 1<<18 {
				t.Errorf("names that are %s: %s of %d bytes, %d were in use", shape.name, what, size, before-heap())
			}
		}
		check("tree", shard.tree.Bytes(), func() { shard.tree = nil })
		check("aggregates", shard.aggregates.bytes(), func() { shard.aggregates = aggregates{} })
		runtime.KeepAlive(shard)
	}
}
