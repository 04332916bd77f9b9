package parser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/testdata/watchdog"
)

// inSnapshot puts a block into a snapshot of one key, plain and compressed, and
// checks the key with three ways to read it.
func inSnapshot(t *testing.T, typ byte, block string, before, behind func(*rdbBuilder) *rdbBuilder, check func(how string, k *Key, err error)) {
	t.Helper()
	small := lzf(block)
	for how, put := range map[string]func(*rdbBuilder) *rdbBuilder{
		"plain": func(r *rdbBuilder) *rdbBuilder { return r.str(block) },
		"compressed": func(r *rdbBuilder) *rdbBuilder {
			return r.raw(0xc3).len(uint64(len(small))).len(uint64(len(block))).raw(small)
		},
	} {
		in := behind(put(before(newRDB("REDIS0012").key(typ, "key")))).end()
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		var k *Key
		for s.Scan() {
			k = s.Key().Clone()
		}
		checkInternal(t, s.Err())
		check(how+", scanner", k, s.Err())
		k = nil
		_, err := run(t.Context(), bytes.NewReader(in), Options{Jobs: 1}, func() Sink { return &lastKeySink{k: &k} }, smallBlock)
		checkInternal(t, err)
		check(how+", run", k, err)
	}
}

// lastKeySink keeps the last key.
type lastKeySink struct {
	noSink
	k **Key
}

func (s *lastKeySink) Key(k *Key) { *s.k = k.Clone() }

func checkInternal(t *testing.T, err error) {
	t.Helper()
	var d *DamageError
	if err != nil && (!errors.As(err, &d) || strings.Contains(d.Reason.Quoted(), "internal error")) {
		t.Errorf("a claim went unchecked: %v", err)
	}
}

func same(r *rdbBuilder) *rdbBuilder { return r }

// holds compares a key with what the reference walk gave.
func holds(t *testing.T, want reference, sound bool) func(string, *Key, error) {
	return func(how string, k *Key, err error) {
		t.Helper()
		if k != nil {
			k.NameLargest()
		}
		switch {
		case sound != (err == nil):
			t.Errorf("%s: sound is %v, error %v", how, sound, err)
		case sound && k == nil:
			t.Errorf("%s: no key", how)
		case sound && (k.Elements != want.n || k.ValueBytes != want.sum || k.Largest != want.largest || k.Longest != want.longest || string(k.LargestName) != want.name):
			t.Errorf("%s: got %s\nwant %+v", how, line(k), want)
		}
	}
}

// padded puts entries in front of those of a listpack or ziplist, so many that
// it is walked in parts.
func padded(block []byte, zl bool, stride int, units byte) []byte {
	head := 6
	if zl {
		head = 10
	}
	if units == 0 || len(block) < head+1 {
		return block
	}
	unit := []any{strings.Repeat("x", 600), "y", 12345, strings.Repeat("z", 70), "", 7}
	if stride < 3 {
		unit = []any{strings.Repeat("x", 600), "y"}
	}
	var front string
	if zl {
		front = ziplist(slices.Repeat(unit, int(units))...)
	} else {
		front = listpack(slices.Repeat(unit, int(units))...)
	}
	out := join(front[:len(front)-1], block[head:])
	if binary.LittleEndian.Uint32(block) == uint32(len(block)) {
		binary.LittleEndian.PutUint32(out, uint32(len(out)))
	}
	copy(out[head-2:], "\xff\xff")
	return out
}

// packedSeeds are sound blocks, and some that are not.
func packedSeeds(f *testing.F, pack func(...any) string) []string {
	f.Helper()
	long := strings.Repeat("long", 1200)
	var seeds []string
	for _, entries := range [][]any{
		{}, {"a"}, {"field", "value"}, {"f", 1, 1700000000000}, {0, 127, 128, -1, 4095, -4096, 4096, -4097},
		{32767, -32768, 32768, 1<<23 - 1, -1 << 23, 1 << 23, 1<<31 - 1, -1 << 31, 1 << 31, 1<<63 - 1, -1 << 63, 12, 13, 14},
		{strings.Repeat("a", 63), strings.Repeat("b", 64), strings.Repeat("c", 4095), strings.Repeat("d", 4096), long, ""},
		{"member", 1, "other", "2.5", "third", -17}, {1, "1", -1, "-1", "01"},
		{strings.Repeat("e", 16377), strings.Repeat("f", 16378), strings.Repeat("g", 16379), "h"},
	} {
		b := pack(entries...)
		seeds = append(seeds, b, b[:len(b)-1], b+"\xff")
		for _, i := range []int{0, 4, 5, 6, 8, 9, 10, 12, len(b) - 2} {
			if i < len(b) && len(b) < 100 {
				seeds = append(seeds, b[:i]+string(b[i]^0xff)+b[i+1:])
			}
		}
	}
	return seeds
}

var packedTypes = []byte{16, 17, 20, 23, 18}

func FuzzListpack(f *testing.F) {
	for _, b := range packedSeeds(f, listpack) {
		for i := range packedTypes {
			f.Add([]byte(b), byte(i), byte(0))
		}
		f.Add([]byte(b), byte(0), byte(120))
		f.Add([]byte(b), byte(3), byte(250))
	}
	// Valkey 9.1's entry of 16,383 bytes has a backward length of two.
	odd := listpack(strings.Repeat("o", 16378))
	odd = strings.Replace(odd, "\x00\xff\xff\xff", "\x7f\xff\xff", 1)
	odd = string(binary.LittleEndian.AppendUint32(nil, uint32(len(odd)))) + odd[4:]
	f.Add([]byte(odd), byte(2), byte(0))
	f.Fuzz(func(t *testing.T, block []byte, kind, units byte) {
		defer watchdog.Start(t)()
		typ := packedTypes[int(kind)%len(packedTypes)]
		stride := map[byte]int{16: 2, 17: 2, 23: 3}[typ]
		block = padded(block, false, stride, units)
		want, sound := refPacked(typ, block)
		before := same
		if typ == 18 {
			before = func(r *rdbBuilder) *rdbBuilder { return r.len(1).len(2) }
		}
		inSnapshot(t, typ, string(block), before, same, holds(t, want, sound))
	})
}

func FuzzZiplist(f *testing.F) {
	types := []byte{10, 12, 13, 14}
	for _, b := range packedSeeds(f, ziplist) {
		for i := range types {
			f.Add([]byte(b), byte(i), byte(0))
		}
		f.Add([]byte(b), byte(0), byte(120))
		f.Add([]byte(b), byte(2), byte(250))
	}
	f.Fuzz(func(t *testing.T, block []byte, kind, units byte) {
		defer watchdog.Start(t)()
		typ := types[int(kind)%len(types)]
		block = padded(block, true, 2, units)
		read := typ
		before := same
		if typ == 14 {
			read, before = 10, func(r *rdbBuilder) *rdbBuilder { return r.len(1) }
		}
		want, sound := refPacked(read, block)
		inSnapshot(t, typ, string(block), before, same, holds(t, want, sound))
	})
}

func FuzzIntset(f *testing.F) {
	for _, b := range []string{intset(2), intset(2, 1), intset(2, -32768, 0, 32767), intset(4, -1<<31, 5, 1<<31-1), intset(8, -1<<63, 1<<63-1),
		intset(2, make([]int64, 40000)...), intset(8, make([]int64, 20000)...), intset(3), "\x02\x00\x00\x00\xff\xff\xff\xff", "short"} {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		defer watchdog.Start(t)()
		want, sound := refIntset(block)
		inSnapshot(t, 11, string(block), same, same, holds(t, want, sound))
	})
}

func FuzzZipmap(f *testing.F) {
	long := strings.Repeat("v", 300)
	many := slices.Repeat([]string{"field", long}, 300)
	for _, b := range []string{zipmap(0), zipmap(0, "f", "v"), zipmap(3, "field", "value", "", "", long, long), zipmap(0, many...),
		zipmap(255, many...), "\xfe" + zipmap(0, "f", "v")[1:], "\x00", "", "\x01\xfe\xff\xff\xff\xffx\xff", "\x00\xfe\x01\x00\x00\x00f\x01\x00v\xff"} {
		f.Add([]byte(b), byte(0))
		f.Add([]byte(b), byte(200))
	}
	// A field, a length, a value end where a part of the block does.
	for _, n := range []int{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1} {
		f.Add([]byte(zipmap(0, long[:255+n], long[:256+n], "f", "v")), byte(0))
		f.Add([]byte(zipmap(2, "first", "value", strings.Repeat("f", rdb.BlockPart-20+n), "v", "last", "v")), byte(0))
	}
	f.Fuzz(func(t *testing.T, block []byte, units byte) {
		defer watchdog.Start(t)()
		if units > 0 && len(block) > 0 {
			front := zipmap(2, slices.Repeat([]string{"x", long, "second", ""}, int(units))...)
			block = append([]byte("\xfe"+front[1:len(front)-1]), block[1:]...)
		}
		want, sound := refZipmap(block)
		inSnapshot(t, 9, string(block), same, same, holds(t, want, sound))
	})
}

func FuzzStreamNode(f *testing.F) {
	for _, entries := range [][]any{
		{1, 0, 1, "f", 0, 2, 0, 0, "val", 4},
		{2, 1, 1, "f", 0, 2, 0, 0, "first", 4, 3, 1, 0, "deleted", 4, 0, 5, -7, 2, "name", "value", "x", 12345, 8},
		{0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 4}, {-1, 0, 1, "f", 0}, {0, -1, 0, 0}, {1, 0, 1 << 60, "f", 0},
		{1, 0, 1, "f", 0, 0, 0, 0, -1, 4}, {1, 0, 1, "f", 0, 0, 0, 0, 1 << 60, 4}, {1 << 62, 1 << 62, 0, 0}, {1<<63 - 1, 1<<63 - 1, 0, 0},
		{1, 0, 2, "f", "g", 0, 2, 0, 0, strings.Repeat("v", 5000), 7, 5}, {1, 0, 1, "f", 1}, {1, 0, 1, "f", 0, "x"},
	} {
		b := listpack(entries...)
		f.Add([]byte(b), uint64(5), uint64(1<<64-1), byte(0))
		f.Add([]byte(b), uint64(1<<64-1), uint64(0), byte(150))
		f.Add([]byte(counted(b, 4)), uint64(0), uint64(0), byte(0))
	}
	f.Fuzz(func(t *testing.T, block []byte, ms, seq uint64, units byte) {
		defer watchdog.Start(t)()
		block = paddedNode(block, units)
		want, sound := refStreamNode(block, ms, seq)
		want.n = 1000 // elements are what the stream says
		before := func(r *rdbBuilder) *rdbBuilder { return r.len(1).len(16).id(ms, seq) }
		behind := func(r *rdbBuilder) *rdbBuilder { return r.len(1000).len(0).len(0).len(0) }
		check := holds(t, want, sound)
		inSnapshot(t, 15, string(block), before, behind, func(how string, k *Key, err error) {
			if check(how, k, err); err == nil && k.Live != want.live {
				t.Errorf("%s: %d live entries, want %d", how, k.Live, want.live)
			}
		})
	})
}

// paddedNode puts entries behind the master entry of a stream's node, so many
// that it is walked in parts.
func paddedNode(block []byte, units byte) []byte {
	entries, ok := refListpack(block)
	if !ok || units == 0 || len(entries) < 4 || entries[2].v < 0 || entries[2].v > int64(len(entries)-4) || !entries[0].isInt {
		return block
	}
	var out []any
	for i, e := range entries {
		switch {
		case i == 0:
			out = append(out, int(e.v+int64(units)))
		case e.isInt:
			out = append(out, int(e.v))
		default:
			out = append(out, e.text)
		}
		if int64(i) == 3+entries[2].v {
			for n := range int(units) {
				out = append(out, 0, n, n, 1, "field", strings.Repeat("v", 700), 6)
			}
		}
	}
	return []byte(listpack(out...))
}

func FuzzLZF(f *testing.F) {
	for _, s := range []string{"", "a", "abcdefgh", strings.Repeat("a", 5), strings.Repeat("a", 9), strings.Repeat("ab", 500), strings.Repeat("x", 300)} {
		b := lzf(s)
		f.Add([]byte(b), uint16(len(s)))
		f.Add([]byte(b), uint16(len(s)+1))
		if len(b) > 0 {
			f.Add([]byte(b[:len(b)-1]), uint16(len(s)))
		}
	}
	f.Add([]byte("\x02abc\x20\x02\xe0\x10\x05\x3f\x00"), uint16(48))
	f.Add([]byte("\x00a\x20\x01"), uint16(4)) // before the beginning
	f.Add([]byte("\xe0"), uint16(9))
	f.Add([]byte("\xe0\x00"), uint16(9))
	f.Add([]byte("\x1f"), uint16(32))
	f.Fuzz(func(t *testing.T, src []byte, n uint16) {
		defer watchdog.Start(t)()
		checkLZF(t, src, int(n))
		filler := lzf(strings.Repeat("0123456789abcdef", 400)) // beyond what is undone whole
		checkLZF(t, append([]byte(filler), src...), 6400+int(n))
		run := lzf(strings.Repeat("r", 70000))
		checkLZF(t, append([]byte(run), src...), 70000+int(n))
	})
}

func checkLZF(t *testing.T, src []byte, n int) {
	t.Helper()
	want, sound := refLZF(src, n)
	dst := make([]byte, n+rdb.SlackLZF)
	if got := rdb.DecodeLZF(dst, src, n); got != sound || sound && !bytes.Equal(dst[:n], want) {
		t.Errorf("decode: %v, want %v", got, sound)
	}
	if got := rdb.CheckLZF(src, int64(n)); got != sound {
		t.Errorf("check: %v, want %v", got, sound)
	}
	for _, most := range []int{0, 1, 100, n} {
		head := rdb.HeadLZF(make([]byte, 0, most), src)
		if sound && !bytes.Equal(head, want[:min(most, n)]) {
			t.Errorf("head of %d: %q", most, head)
		}
	}
	in := newRDB("REDIS0009").key(0, "k").raw(0xc3).len(uint64(len(src))).len(uint64(n)).raw(src).end()
	for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "run": ranSmall(bytes.NewReader(in), Options{}, 1)} {
		if sound != (o.err == nil) {
			t.Errorf("%s: sound is %v, error %v", how, sound, o.err)
		}
		checkError(t, how, o)
	}
	if n > rdb.WholeBlock {
		if got, ok := streamedLZF(src, n); ok != sound || sound && !bytes.Equal(got, want) {
			t.Errorf("streamed: %v, want %v", ok, sound)
		}
	}
}

// streamedLZF undoes LZF as a large packed block has it undone.
func streamedLZF(src []byte, n int) (out []byte, ok bool) {
	w := newWalker(&dialect{})
	w.Buf = new(rdbBuilder).raw(0xc3).len(uint64(len(src))).len(uint64(n)).raw(src).b
	fail := w.guard(func() {
		b := &w.block
		for w.open(b); ; b.More() {
			out = append(out, b.Buf[b.Pos:]...)
			b.Pos = len(b.Buf)
			if b.Rest() == 0 {
				return
			}
		}
	})
	return out, fail == nil
}
