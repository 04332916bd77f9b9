package parser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// benchKeys returns a snapshot of n keys of one kind.
func benchKeys(kind string, n int) []byte {
	r := newRDB("REDIS0011").aux("redis-ver", "7.2.0").raw(0xfe, 0)
	var pairs []any
	for i := range 16 {
		pairs = append(pairs, fmt.Sprintf("field:%d", i), i*i*97)
	}
	packed := listpack(pairs...)
	small := pressed(packed)
	for i := range n {
		name := fmt.Sprintf("shop:order:item:%08d", i)
		switch kind {
		case "string":
			r.key(0, name).str("0123456789abc")
		case "string-ttl":
			r.raw(0xfc).le64(1_800_000_000_000).key(0, name).str("0123456789abc")
		case "hash-listpack":
			r.key(16, name).str(packed)
		case "hash-lzf":
			r.key(16, name).raw(0xc3).len(uint64(len(small))).len(uint64(len(packed))).raw(small)
		case "hash-ziplist":
			r.key(13, name).str(ziplist(pairs...))
		case "hash-unpacked": // more fields than a listpack keeps
			r.key(16, name).str(listpack(slices.Repeat(pairs, 40)...))
		case "zset-listpack":
			r.key(17, name).str(listpack("member:1", "1.5", "member:20", 300, "member:300", "2.25", "member:4000", 100000))
		case "listpackex":
			r.key(25, name).le64(0).str(listpack("field:1", "value", 1800000000000, "field:2", "other", 0))
		case "stream":
			node := listpack(3, 0, 2, "temperature", "humidity", 0, 2, 0, 0, "21.5", 40, 5, 2, 1000, 0, "21.75", 41, 5, 0, 2500, 1, 1, "alarm", "too warm", 6)
			r.key(15, name).len(1).len(16).id(1800000000000, 0).str(node).len(3).len(1800000002500).len(1).len(0)
		case "quicklist":
			r.key(18, name).raw(1, 2).str(packed)
		case "set":
			r.key(2, name).raw(16)
			for j := range 16 {
				r.str(fmt.Sprintf("member:%d", j*j))
			}
		case "hash":
			r.key(4, name).raw(8)
			for j := range 8 {
				r.str(fmt.Sprintf("field:%d", j)).str("some value of it")
			}
		case "intset":
			r.key(11, name).str(intset(4, 1, 20, 300, 4000, 50000, 600000, 7000000))
		}
	}
	return r.end()
}

// pressed compresses as a server does: back to the last place where the same
// three bytes stood.
func pressed(s string) string {
	var out []byte
	seen := make(map[string]int)
	lit := 0 // first literal not written yet
	flush := func(to int) {
		for lit < to {
			n := min(to-lit, 32)
			out = append(append(out, byte(n-1)), s[lit:lit+n]...)
			lit += n
		}
	}
	for i := 0; i+3 <= len(s); {
		at, ok := seen[s[i:i+3]]
		seen[s[i:i+3]] = i
		if !ok || i-at > rdb.WindowLZF {
			i++
			continue
		}
		n := 3
		for n < 264 && i+n < len(s) && s[at+n] == s[i+n] {
			n++
		}
		flush(i)
		d := i - at - 1
		if n-2 < 7 {
			out = append(out, byte((n-2)<<5|d>>8), byte(d))
		} else {
			out = append(out, byte(7<<5|d>>8), byte(n-9), byte(d))
		}
		i += n
		lit = i
	}
	flush(len(s))
	return string(out)
}

// BenchmarkWalk is the walk of one key of each kind, in a block.
func BenchmarkWalk(b *testing.B) {
	model, _, err := memory.Choose("redis", "7.2.0", memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	const keys = 4000
	for _, kind := range []string{"string", "string-ttl", "hash-listpack", "hash-lzf", "quicklist", "set", "hash", "intset", "hash-ziplist", "hash-unpacked", "zset-listpack", "listpackex", "stream"} {
		file := benchKeys(kind, keys)
		for _, m := range []*memory.Model{nil, model} {
			name := kind
			if m != nil {
				name += "+memory"
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(file)) / keys)
				b.ReportAllocs()
				w := newWalker(&dialect{version: 11, model: m})
				w.model, w.counters = m, newCounters()
				w.src.compile()
				block := append(file[:len(file):len(file)], make([]byte, rdb.SlackLZF)...)[:len(file)]
				n := 0
				b.ResetTimer()
				if fail := w.guard(func() {
					for n < b.N {
						w.Cursor = rdb.Cursor{Buf: block, Pos: 9}
						for how := steppedOp; how != steppedEnd; how = w.step() {
							if how == steppedKey {
								n++
							}
						}
					}
				}); fail != nil {
					b.Fatal(fail.Reason.Quoted())
				}
			})
		}
	}
}

// BenchmarkSkim is what cutting a block into records costs a key.
func BenchmarkSkim(b *testing.B) {
	const keys = 20000
	d := &dialect{version: 11}
	d.compile()
	for _, kind := range []string{"string", "hash-lzf", "set", "hash"} {
		file := benchKeys(kind, keys)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(file)) / keys)
			db := 0
			for done := 0; done < b.N; done += keys {
				if _, why := d.RecordsEnd(file, 9, &db); why != rdb.StopEnd {
					b.Fatal(why)
				}
			}
		})
	}
}

// BenchmarkLZF decompresses a listpack, and checks a text.
func BenchmarkLZF(b *testing.B) {
	var entries []any
	for i := range 400 {
		entries = append(entries, fmt.Sprintf("element:%07d", i*7919))
	}
	plain := listpack(entries...)
	src := []byte(pressed(plain))
	dst := make([]byte, len(plain)+rdb.SlackLZF)
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			if !rdb.DecodeLZF(dst, src, len(plain)) {
				b.Fatal("not decoded")
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			if !rdb.CheckLZF(src, int64(len(plain))) {
				b.Fatal("not sound")
			}
		}
	})
}
