package agg

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// shapeOfNames are names for benchmarks: of one shape, of many, and random ones.
var shapeOfNames = []struct {
	name string
	make func(r *rand.Rand) []byte
}{
	{"short", func(r *rand.Rand) []byte { return fmt.Appendf(nil, "user:%d", r.IntN(1e7)) }},
	{"long", func(r *rand.Rand) []byte { return fmt.Appendf(nil, "shop:user.basic.info:%d:string", r.IntN(1e7)) }},
	{"mixed", func(r *rand.Rand) []byte {
		shapes := [...]string{"shop:product.json:%d:string", "shop:session.token:%d:string", "shop:order.item:%d:hash",
			"shop:user.recent.view:%d:list", "shop:stock.amount:%d:string", "user:%d:cart", "rank:%d"}
		return fmt.Appendf(nil, shapes[r.IntN(len(shapes))], r.IntN(1e7))
	}},
	{"random", func(r *rand.Rand) []byte { return append([]byte("tok:"), randomText(r, 22)...) }},
}

const testCreated = 1_700_000_000 // seconds

// testEngine returns the rules of a profile, compiled for a snapshot of testCreated.
func testEngine(tb testing.TB, profile string) *thresholds.Engine {
	tb.Helper()
	policy, err := config.Load(config.Options{Profile: profile})
	if err != nil {
		tb.Fatal(err)
	}
	return policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true, Now: time.Unix(testCreated, 0)})
}

func word(r *rand.Rand, n int) string {
	const letters = "ghijklmnopqrstuvwxyz" // no hexadecimal digits
	i := r.IntN(n)
	return string([]byte{letters[i%20], letters[i/20%20], letters[i/400%20]})
}

func randomText(r *rand.Rand, n int) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return b
}

func benchmarkKeys(name func(r *rand.Rand) []byte) []parser.Key {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]parser.Key, 20_000)
	for i := range keys {
		n := name(r)
		size := int64(5 + r.IntN(10))
		keys[i] = parser.Key{Name: n, NameLen: int64(len(n)), Encoding: parser.EncEmbstr, Elements: 1, ValueBytes: size, Serialized: size + 1,
			Largest: size, Longest: size, Memory: 72, MemoryUsage: 72, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1, Offset: int64(i * 40)}
		if i%3 == 0 {
			keys[i].HasExpire, keys[i].ExpireAt = true, testCreated*1000+r.Int64N(1e9)
		}
	}
	return keys
}

// BenchmarkKey is the whole work of a key after its value was walked, folding
// included. The unit is one key.
func BenchmarkKey(b *testing.B) {
	for _, profile := range []string{"default", "typed"} {
		for _, shape := range shapeOfNames {
			b.Run(profile+"/"+shape.name, func(b *testing.B) {
				keys := benchmarkKeys(shape.make)
				builder := NewBuilder(Options{Top: 20, Examples: 10})
				builder.Start(testEngine(b, profile))
				b.ReportAllocs()
				shard, i := builder.NewShard(), 0
				for b.Loop() {
					shard.Key(&keys[i])
					if i++; i == len(keys) {
						shard.Flush(true)
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkAdd is Key without facts and rules.
func BenchmarkAdd(b *testing.B) {
	for _, shape := range shapeOfNames {
		b.Run(shape.name, func(b *testing.B) {
			keys := benchmarkKeys(shape.make)
			engine := testEngine(b, "default")
			facts := make([]naming.Facts, len(keys))
			found := make([][]thresholds.Finding, len(keys))
			for i := range keys {
				engine.Namer().Facts(keys[i].Name, &facts[i])
				found[i] = engine.Check(&keys[i], &facts[i], nil)
			}
			builder := NewBuilder(Options{Top: 20, Examples: 10})
			builder.Start(engine)
			shard, i := builder.NewShard(), 0
			for b.Loop() {
				shard.add(&keys[i], &facts[i], found[i], 0)
				if i++; i == len(keys) {
					i = 0
					shard.Flush(true)
				}
			}
		})
	}
}

// BenchmarkFold is the folding of a block of 20,000 keys. The unit is one block.
func BenchmarkFold(b *testing.B) {
	for _, shape := range shapeOfNames {
		b.Run(shape.name, func(b *testing.B) {
			keys := benchmarkKeys(shape.make)
			builder := NewBuilder(Options{Top: 20, Examples: 10})
			builder.Start(testEngine(b, "default"))
			shard := builder.NewShard()
			for b.Loop() {
				b.StopTimer()
				for i := range keys {
					shard.Key(&keys[i])
				}
				b.StartTimer()
				shard.Flush(true)
			}
		})
	}
}
