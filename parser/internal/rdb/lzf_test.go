package rdb

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// failure returns the failure that ends a function, nil for none.
func failure(f func()) (fail *Failure) {
	defer func() {
		if r := recover(); r != nil {
			fail = r.(*Failure)
		}
	}()
	f()
	return nil
}

// pieces returns a cursor over data that has first bytes of it, and each time k more.
func pieces(data []byte, first, k int) *Cursor {
	next := min(first, len(data))
	c := &Cursor{Buf: slices.Clip(slices.Clone(data[:next])), Base: 1000}
	c.Refill = func(keep int) bool {
		if next == len(data) {
			return false
		}
		n := min(k, len(data)-next)
		c.Buf = slices.Clip(append(slices.Clone(c.Buf[keep:]), data[next:next+n]...))
		c.Pos, c.Base, next = c.Pos-keep, c.Base+int64(keep), next+n
		return true
	}
	return c
}

// An lzfOp is a literal run (its bytes), or a reference.
type lzfOp struct {
	literals       string
	length, before int // bytes, and how far before they begin
}

// packLZF writes operations as the format has them, and returns what they make: ok is
// false where one refers to what is before the beginning.
func packLZF(ops []lzfOp) (src, plain []byte, ok bool) {
	ok = true
	for _, op := range ops {
		if op.length == 0 {
			src = append(append(src, byte(len(op.literals)-1)), op.literals...)
			plain = append(plain, op.literals...)
			continue
		}
		d := op.before - 1
		if op.length <= 8 {
			src = append(src, byte((op.length-2)<<5|d>>8), byte(d))
		} else {
			src = append(src, byte(7<<5|d>>8), byte(op.length-9), byte(d))
		}
		for range op.length {
			if op.before > len(plain) {
				ok = false
				plain = append(plain, 0)
				continue
			}
			plain = append(plain, plain[len(plain)-op.before])
		}
	}
	return src, plain, ok
}

// lzfCases are streams at the limits of the format, and random ones of most bytes.
func lzfCases(most, count int) (cases [][]lzfOp) {
	random := rand.New(rand.NewPCG(7, 11))
	literals := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return string(b)
	}
	for _, n := range []int{1, 2, 15, 16, 17, 31, 32} {
		cases = append(cases, []lzfOp{{literals: literals(n)}}, []lzfOp{{literals: literals(n)}, {literals: literals(33 - n)}})
		for _, before := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32} {
			for _, length := range []int{3, 4, 7, 8, 9, 10, 15, 16, 17, 24, 25, 264} {
				cases = append(cases, []lzfOp{{literals: literals(n)}, {length: length, before: before}}, []lzfOp{{literals: literals(n)}, {length: length, before: before}, {literals: literals(3)}})
			}
		}
	}
	far := make([]lzfOp, 0, 300)
	for range WindowLZF / 32 {
		far = append(far, lzfOp{literals: literals(32)})
	}
	for _, before := range []int{256, 257, 4095, 4096, 4097, WindowLZF - 1, WindowLZF} {
		cases = append(cases, append(slices.Clip(far), lzfOp{length: 20, before: before}))
	}
	cases = append(cases, append(far[:WindowLZF/32-1:WindowLZF/32-1], lzfOp{length: 20, before: WindowLZF - 31}), []lzfOp{{length: 3, before: 1}}, nil)
	for range count {
		var ops []lzfOp
		for n := 0; n < most; {
			op := lzfOp{length: 3 + random.IntN(262), before: 1 + random.IntN(max(1, min(n, WindowLZF)))}
			if n == 0 || random.IntN(2) == 0 {
				op = lzfOp{literals: literals(1 + random.IntN(32))}
			}
			ops, n = append(ops, op), n+len(op.literals)+op.length
		}
		cases = append(cases, ops)
	}
	return cases
}

// checkDecoders has all that decompress or check a string do so.
func checkDecoders(t *testing.T, block *Block, src, plain []byte, n int, ok bool) {
	t.Helper()
	for _, slack := range []int{0, 1, 7, 15, 16, 17, 31, 32, 40} {
		in := append(slices.Clone(src), bytes.Repeat([]byte{1}, slack)...)[: len(src) : len(src)+slack]
		dst := make([]byte, n+SlackLZF)
		if got := DecodeLZF(dst, in, n); got != ok || ok && !bytes.Equal(dst[:n], plain) {
			t.Errorf("DecodeLZF of %.30x to %d bytes: %v, %.30x, want %v, %.30x", src, n, got, dst[:n], ok, plain)
		}
	}
	if got := CheckLZF(slices.Clip(src), int64(n)); got != ok {
		t.Errorf("CheckLZF of %.30x to %d bytes: %v", src, n, got)
	}
	for _, k := range []int{1 + len(src)/500, 7 + len(src)/100, len(src) + 1} {
		c := pieces(append(slices.Clone(src), "behind"...), 1, k)
		fail := failure(func() { c.SkipLZF(uint64(len(src)), int64(n)) })
		if got := fail == nil; got != ok || ok && c.Offset() != 1000+int64(len(src)) || !ok && (fail.Offset != 1000 || fail.Reason.Quoted() != BadLZF) {
			t.Errorf("SkipLZF of %.30x to %d bytes: %+v, offset %d", src, n, fail, c.Offset())
		}
		whole := slices.Clone(src)
		if !ok {
			whole = append(whole, "behind"...)
		}
		c = pieces(whole, 1, k)
		var got []byte
		if uint64(n)/MaxRatioLZF > uint64(len(src)) {
			continue
		}
		fail = failure(func() { got = block.AppendLZF(c, []byte("to "), uint64(len(src)), uint64(n), n+3) })
		if is := fail == nil; is != ok || ok && (string(got) != "to "+string(plain) || c.Offset() != 1000+int64(len(src))) || !ok && (fail.Offset != 1000 || fail.Reason.Quoted() != BadLZF) {
			t.Errorf("AppendLZF of %.30x to %d bytes: %+v, %.30x, want %.30x, offset %d", src, n, fail, got, plain, c.Offset())
		}
	}
}

// TestLZF decompresses streams that were made by construction, to their length, and
// to others; and with each byte of their end missing.
func TestLZF(t *testing.T) {
	block := new(Block)
	for _, ops := range lzfCases(300, 40) {
		src, plain, ok := packLZF(ops)
		checkDecoders(t, block, src, plain, len(plain), ok)
		for _, n := range []int{len(plain) - 1, len(plain) + 1} {
			if n >= 0 {
				checkDecoders(t, block, src, plain, n, false)
			}
		}
		for n := max(0, len(src)-3); n < len(src); n++ {
			// Where an operation ends there, it is the stream of fewer operations.
			if shorter, _, _ := packLZF(ops[:len(ops)-1]); n != len(shorter) {
				checkDecoders(t, block, src[:n], plain, len(plain), false)
				checkDecoders(t, block, src[:n], plain, len(plain)-1, false)
			}
		}
		for _, limit := range []int{0, 1, 5, 100, len(plain), len(plain) + 10} {
			if got := HeadLZF(make([]byte, min(3, limit), limit), src); ok && !bytes.Equal(got, plain[:min(limit, len(plain))]) {
				t.Errorf("HeadLZF of %.30x: %d bytes, %.30x, want %.30x", src, limit, got, plain)
			}
		}
	}
}

// TestHeadLZFDamaged has streams that end within an operation, or refer to what is
// before the beginning: what precedes that is the head.
func TestHeadLZFDamaged(t *testing.T) {
	for src, want := range map[string]string{
		"\x04ab": "ab", "\x01ab\x20": "ab", "\x01ab\xe0": "ab", "\x01ab\xe0\x00": "ab", "\x01ab\x20\x02": "ab", "\x01ab\x20\x01": "ababa", "\x01ab\x21\x00": "ab", "": "", "\xe0": "", "\x20": "",
	} {
		if got := HeadLZF(make([]byte, 0, 100), []byte(src)); string(got) != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

// TestLZFAtParts has operations that begin before the end of a part and end behind it,
// and streams that have more than they claim at just that end.
func TestLZFAtParts(t *testing.T) {
	fill := func(n int) (ops []lzfOp) {
		for ops = append(ops, lzfOp{literals: repeated(20) + "xyz"}); n > 23+300; n -= 200 {
			ops = append(ops, lzfOp{length: 200, before: 7})
		}
		for n -= 23; n > 30; n -= 25 {
			ops = append(ops, lzfOp{length: 25, before: 11})
		}
		return append(ops, lzfOp{literals: repeated(n)})
	}
	block := new(Block)
	for _, op := range []lzfOp{{literals: "01234567"}, {length: 8, before: 13}} {
		for before := range 10 {
			ops := append(fill(BlockPart-before), op)
			for _, ops := range [][]lzfOp{ops, append(slices.Clip(ops), lzfOp{literals: "end"})} {
				src, plain, _ := packLZF(ops)
				for _, n := range []int{len(plain), BlockPart, len(plain) + 1, BlockPart + 1} {
					c := pieces(src, 0, 5000)
					var got []byte
					fail := failure(func() { got = block.AppendLZF(c, nil, uint64(len(src)), uint64(n), 1<<20) })
					if ok := n == len(plain); (fail == nil) != ok || ok && string(got) != string(plain) || !ok && fail.Reason.Quoted() != BadLZF {
						t.Errorf("%+v, %d bytes before the end of a part, %d bytes that claim to be %d: %+v", op, before, len(plain), n, fail)
					}
				}
			}
		}
	}
}

// TestLargeLZF walks compressed blocks in parts: of no more than a part, whatever
// the pieces in which the file comes.
func TestLargeLZF(t *testing.T) {
	cases := lzfCases(3*BlockPart, 5)
	for i, ops := range cases[len(cases)-5:] {
		src, plain, _ := packLZF(ops)
		head := []byte{0xc3, 0x81, 0, 0, 0, 0, byte(len(src) >> 24), byte(len(src) >> 16), byte(len(src) >> 8), byte(len(src)), 0x81, 0, 0, 0, 0, byte(len(plain) >> 24), byte(len(plain) >> 16), byte(len(plain) >> 8), byte(len(plain))}
		c := pieces(append(append(head, src...), "behind"...), 30, 1000+5000*i)
		b := new(Block)
		b.Open(c, false)
		if b.Size != int64(len(plain)) || b.Compressed != int64(len(src)) || b.Stable {
			t.Fatalf("a block of %d bytes, compressed %d, stable %v, want %d and %d", b.Size, b.Compressed, b.Stable, len(plain), len(src))
		}
		at := 0
		for step := 1; at < len(plain); step = step*7%4099 + 1 {
			if b.Offset() != int64(at) || b.Rest() != int64(len(plain)-at) || len(b.Buf) > BlockPart {
				t.Fatalf("at %d of %d: offset %d, %d bytes left, %d in memory", at, len(plain), b.Offset(), b.Rest(), len(b.Buf))
			}
			b.Need(min(16, len(plain)-at), "a test")
			n := min(step, len(b.Buf)-b.Pos)
			if !bytes.Equal(b.Buf[b.Pos:b.Pos+n], plain[at:at+n]) {
				t.Fatalf("other bytes at %d of %d", at, len(plain))
			}
			if step%3 == 0 {
				n = min(step*20, len(plain)-at)
				b.Skip(int64(n), "a test")
			} else {
				b.Pos += n
			}
			at += n
		}
		if b.Rest() != 0 || c.Offset() != 1000+int64(len(head)+len(src)) {
			t.Errorf("%d bytes are left, offset %d", b.Rest(), c.Offset())
		}
		got := b.AppendLZF(pieces(src, 1, 3000), []byte("x"), uint64(len(src)), uint64(len(plain)), 5000)
		if !bytes.Equal(got[1:], plain[:4999]) {
			t.Errorf("AppendLZF to 5,000 bytes returns %d", len(got))
		}
	}
}
