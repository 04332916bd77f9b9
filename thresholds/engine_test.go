package thresholds

import (
	"fmt"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// created is when the snapshots of these tests were taken, in seconds.
const created = 1_700_000_000

func testEnv() Env {
	return Env{Server: "redis", Version: "7.0.15", Created: created, Now: time.Unix(created, 0)}
}

// key is a small string that expires in an hour; change it as needed.
func key(name string, change func(*parser.Key)) *parser.Key {
	k := &parser.Key{Name: []byte(name), NameLen: int64(len(name)), Type: parser.String, Encoding: parser.EncRaw,
		HasExpire: true, ExpireAt: (created + 3600) * 1000, Idle: -1, Freq: -1, Elements: 1, ValueBytes: 50, Serialized: 50,
		Largest: 50, Longest: 50, Live: -1, Memory: 100, MemoryUsage: 100, CompactMemory: -1}
	if change != nil {
		change(k)
	}
	return k
}

// collection is one of n elements of 10 bytes in an encoding.
func collection(t parser.Type, enc parser.Encoding, n int64) func(*parser.Key) {
	return func(k *parser.Key) {
		k.Type, k.Encoding, k.Elements, k.ValueBytes, k.Largest, k.Longest = t, enc, n, 10*n, 10, 10
	}
}

func facts(e *Engine, k *parser.Key) *naming.Facts {
	f := new(naming.Facts)
	e.Namer().Facts(k.Name, f)
	return f
}

// found returns the one finding of a rule about a key, Off if there is none.
func found(t testing.TB, e *Engine, rule string, k *parser.Key) Finding {
	t.Helper()
	r, ok := Lookup(rule)
	if !ok {
		t.Fatalf("no rule %s", rule)
	}
	var one Finding
	for _, x := range e.Check(k, facts(e, k), nil) {
		if x.Rule != r.ID {
			continue
		}
		if one.Severity != Off {
			t.Errorf("%s: two findings about %q", rule, k.Name)
		}
		one = x
	}
	return one
}

func TestCheckAllocatesNothing(t *testing.T) {
	path := writeConfig(t, `
extends: typed
namespaces: {user: a, "order:item": b}
abbreviations: {economic: ec}
overrides:
  - {key: "user:*", owner: x, rules: {no-ttl: off}}
  - {key: "*:hash", rules: {big-collection: {error: 10}}}
ignore:
  - {rule: key-charset, key: "User*", reason: old}
`)
	opts := []LoadOptions{{Config: path}}
	for _, p := range profileNames {
		opts = append(opts, LoadOptions{Profile: p})
	}
	for _, opt := range opts {
		e := mustLoad(t, opt).Compile(Env{Server: "redis", Version: "7.0", Created: created, Cluster: true})
		keys := ordinaryKeys()
		keys = append(keys, key("User 1:\xff{x}", nil), key("x", collection(parser.Hash, parser.EncHashtable, 6000)))
		dst := make([]Finding, 0, 32)
		var f naming.Facts
		work := e.NewInstance()
		run := func() {
			for _, k := range keys {
				e.Namer().Facts(k.Name, &f)
				dst = e.Check(k, &f, dst[:0])
				e.Owner(k, &f)
				work.Add(k, &f)
			}
			work.Reset()
		}
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", opt.Profile, n)
		}
	}
}

// ordinaryKeys are keys as a healthy instance has them.
func ordinaryKeys() []*parser.Key {
	var keys []*parser.Key
	for i := range 64 {
		k := key(fmt.Sprintf("user:basic.info:%d:string", 10000+i*37), nil)
		if i%4 == 1 {
			k = key(fmt.Sprintf("user:basic.info:%d:hash", 10000+i*37), collection(parser.Hash, parser.EncListpack, 12))
		}
		if i%8 == 2 {
			k.HasExpire, k.ExpireAt = false, 0
		}
		keys = append(keys, k)
	}
	return keys
}

func BenchmarkCheck(b *testing.B) {
	for _, profile := range profileNames {
		b.Run(profile, func(b *testing.B) {
			e := mustLoad(b, LoadOptions{Profile: profile}).Compile(testEnv())
			keys := ordinaryKeys()
			all := make([]naming.Facts, len(keys))
			for i, k := range keys {
				all[i] = *facts(e, k)
			}
			var dst []Finding
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				dst = e.Check(keys[n&63], &all[n&63], dst[:0])
				n++
			}
		})
	}
}

func BenchmarkInstanceAdd(b *testing.B) {
	for _, cluster := range []bool{false, true} {
		b.Run(fmt.Sprintf("cluster=%v", cluster), func(b *testing.B) {
			env := testEnv()
			env.Cluster = cluster
			e := mustLoad(b, LoadOptions{}).Compile(env)
			keys := ordinaryKeys()
			all := make([]naming.Facts, len(keys))
			for i, k := range keys {
				all[i] = *facts(e, k)
			}
			x := e.NewInstance()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				x.Add(keys[n&63], &all[n&63])
				n++
			}
		})
	}
}
