package thresholds

import (
	"fmt"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
)

// shop is when the snapshots of these tests were taken.
const shopTime = 1_700_000_000

func testEnv() Env {
	return Env{Server: "redis", Version: "7.0.15", Created: shopTime, Memory: true, Now: time.Unix(shopTime, 0)}
}

func mustLoad(t testing.TB, opt LoadOptions) *Policy {
	t.Helper()
	p, err := Load(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ordinaryKeys are keys as a healthy instance has them.
func ordinaryKeys() []*parser.Key {
	var keys []*parser.Key
	for i := range 64 {
		k := &parser.Key{Type: parser.String, Encoding: parser.EncRaw, Elements: 1, ValueBytes: 120, Serialized: 90, Largest: 120, Longest: 120,
			Idle: -1, Freq: -1, Live: -1, Memory: 200, MemoryUsage: 200, CompactMemory: -1, HasExpire: true, ExpireAt: (shopTime + 3600) * 1000}
		k.Name = fmt.Appendf(nil, "user:basic.info:%d:string", 10000+i*37)
		if i%4 == 1 {
			k.Type, k.Encoding, k.Elements = parser.Hash, parser.EncListpack, 12
			k.Name = fmt.Appendf(nil, "user:basic.info:%d:hash", 10000+i*37)
		}
		if i%8 == 2 {
			k.HasExpire, k.ExpireAt = false, 0
		}
		k.NameLen = int64(len(k.Name))
		keys = append(keys, k)
	}
	return keys
}

func BenchmarkCheck(b *testing.B) {
	for _, profile := range Profiles() {
		b.Run(profile, func(b *testing.B) {
			e := mustLoad(b, LoadOptions{Profile: profile}).Compile(testEnv())
			keys := ordinaryKeys()
			facts := make([]Facts, len(keys))
			for i, k := range keys {
				e.Namer().Facts(k.Name, &facts[i])
			}
			var dst []Finding
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				i := n & 63
				dst = e.Check(keys[i], &facts[i], dst[:0])
				n++
			}
		})
	}
}
