package rdb

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestCursor reads values of each kind, the file coming in pieces of each size, and
// cut at each byte.
func TestCursor(t *testing.T) {
	long := strings.Repeat("long", 30)
	type read struct {
		bytes string
		want  any
		read  func(c *Cursor) any
	}
	length := func(c *Cursor) any { return c.Length() }
	form := func(c *Cursor) any {
		n, special := c.LengthOrForm()
		return fmt.Sprint(n, special)
	}
	passed := func(c *Cursor) any {
		n, compressed := c.PassString()
		return fmt.Sprint(n, compressed)
	}
	number := func(c *Cursor) any { return string(AppendNumber([]byte("n"), c)) }
	reads := []read{
		{"\x00", uint64(0), length}, {"\x3f", uint64(63), length}, {"\x40\x05", uint64(5), length}, {"\x7f\xff", uint64(16383), length}, {"\x41\x02", uint64(258), length},
		{"\x80\x01\x02\x03\x04", uint64(0x01020304), length}, {"\x81\x01\x02\x03\x04\x05\x06\x07\x08", uint64(0x0102030405060708), length},
		{"\x05", "5 false", form}, {"\x45\x05", "1285 false", form}, {"\x80\xff\xff\xff\xff", "4294967295 false", form}, {"\xc0", "0 true", form}, {"\xc3", "3 true", form}, {"\xff", "63 true", form},
		{"\xc0\x80", "n-128", number}, {"\xc0\x7f", "n127", number}, {"\xc1\x00\x80", "n-32768", number}, {"\xc1\x01\x02", "n513", number}, {"\xc2\x00\x00\x00\x80", "n-2147483648", number}, {"\xc2\x01\x02\x03\x04", "n67305985", number},
		{"\x07", byte(7), func(c *Cursor) any { return c.Byte() }}, {"\x01\x02\x03\x04", uint32(0x04030201), func(c *Cursor) any { return c.Uint32() }}, {"\x01\x02\x03\x04\x05\x06\x07\x08", uint64(0x0807060504030201), func(c *Cursor) any { return c.Uint64() }},
		{"abc", "abc", func(c *Cursor) any { return string(c.Take(3)) }}, {long, "to " + long, func(c *Cursor) any { return string(c.AppendNext([]byte("to "), uint64(len(long)))) }}, {"", "to ", func(c *Cursor) any { return string(c.AppendNext([]byte("to "), 0)) }},
		{long, nil, func(c *Cursor) any { c.Skip(uint64(len(long))); return nil }}, {"\x05\x40\x05\x05", nil, func(c *Cursor) any { c.Lengths(3); return nil }},
		{"abcd", "d", func(c *Cursor) any { c.Need(4); c.Pos += 3; return string(c.Take(1)) }},
		{text(0), "0 0", passed}, {text(63), "63 0", passed}, {text(64), "64 0", passed}, {"\x80\x00\x00\x00\x02ab", "2 0", passed}, {"\xc0\xff", "2 0", passed}, {"\xc1\x00\x80", "6 0", passed}, {"\xc2\x00\x00\x00\x80", "11 0", passed},
		{"\xc3\x05\x05\x01ab\x20\x01", "5 5", passed}, {"\xc3\x40\x06\x41\x0a\x01ab\xe0\xff\x01", "266 6", passed}, {"\xc3\x00\x00", "0 0", passed},
	}
	var data string
	for _, r := range reads {
		data += r.bytes
	}
	for k := 1; k < 70; k++ {
		c := pieces([]byte(data), k*7%5, k)
		at := int64(1000)
		for _, r := range reads {
			at += int64(len(r.bytes))
			if got := r.read(c); got != r.want || c.Offset() != at {
				t.Fatalf("in pieces of %d: %q is %v, want %v; offset %d, want %d", k, r.bytes, got, r.want, c.Offset(), at)
			}
		}
	}
	for _, r := range reads { // which is all that there is
		whole := &Cursor{Buf: []byte(r.bytes)}
		if got := r.read(whole); got != r.want || whole.Pos != len(r.bytes) {
			t.Errorf("%q alone is %v, want %v; offset %d", r.bytes, got, r.want, whole.Pos)
		}
		c := pieces([]byte(r.bytes), 0, 1)
		if got := r.read(c); got != r.want || c.Offset() != 1000+int64(len(r.bytes)) {
			t.Errorf("%q alone byte by byte is %v, want %v; offset %d", r.bytes, got, r.want, c.Offset())
		}
		for n := range len(r.bytes) {
			for _, k := range []int{0, 1, 100} {
				c := pieces([]byte(r.bytes[:n]), 1000, k)
				if k > 0 {
					c = pieces([]byte(r.bytes[:n]), 0, k)
				} else {
					c.Refill = nil
				}
				fail := failure(func() { r.read(c) })
				if fail == nil || fail.Offset != 1000+int64(n) || !strings.HasPrefix(fail.Reason.Quoted(), "the file ends in the middle of a value") {
					t.Errorf("%d bytes of %q: %+v", n, r.bytes, fail)
				}
			}
		}
	}
}

// TestCursorFails has what is no value, and where that is said.
func TestCursorFails(t *testing.T) {
	for _, c := range []struct {
		bytes  string
		read   func(c *Cursor)
		offset int64
		reason string
	}{
		{"x\x82", func(c *Cursor) { c.Byte(); c.Length() }, 1001, "length byte 0x82 is not defined"},
		{"x\xbf", func(c *Cursor) { c.Byte(); c.LengthOrForm() }, 1001, "length byte 0xbf is not defined"},
		{"x\xc0", func(c *Cursor) { c.Byte(); c.Length() }, 1001, "a string form stands where a plain length must be"},
		{"x\xc4", func(c *Cursor) { c.Byte(); c.PassString() }, 1001, "string form 4 is not defined"},
		{"x\xc3", func(c *Cursor) { c.Byte(); AppendNumber(nil, c) }, 1001, "string form 3 is not defined"},
		{"", func(c *Cursor) { c.CheckLen(1<<48 + 1) }, 1000, "a length of 281474976710657 bytes is claimed, more than any file holds"},
		{"", func(c *Cursor) { c.CheckCount(1<<48+1, "nodes") }, 1000, "a count of 281474976710657 nodes is claimed, more than any file holds"},
		{"ab", func(c *Cursor) { c.Skip(5) }, 1002, "the file ends in the middle of a value: 3 bytes are missing"},
		{"\xc3\x01\x40\xb2\x00", func(c *Cursor) { c.PassString() }, 1004, "a compressed string of 1 bytes claims to hold 178, more than LZF can"},
		{"\xc3\x01\x40\xb1\x00", func(c *Cursor) { c.PassString() }, 1004, BadLZF},
		{"\xc3\x00\x05", func(c *Cursor) { c.PassString() }, 1003, BadLZF},
		{"\xc3\x01\x3f\x00behind", func(c *Cursor) { c.PassString() }, 1003, BadLZF},
	} {
		for _, k := range []int{0, 1, 100} {
			w := pieces([]byte(c.bytes), 100, 1)
			if k > 0 {
				w = pieces([]byte(c.bytes), 0, k)
			}
			fail := failure(func() { c.read(w) })
			if fail == nil || fail.Offset != c.offset || fail.Reason.Quoted() != c.reason {
				t.Errorf("%q in pieces of %d: %+v, want %q at %d", c.bytes, k, fail, c.reason, c.offset)
			}
		}
	}
	c := new(Cursor)
	if c.CheckLen(1<<48) != 1<<48 || c.CheckCount(1<<48, "nodes") != 1<<48 {
		t.Error("256 TiB are refused")
	}
}

// TestAhead has an element's bytes in memory before it is read, unless they may never
// come.
func TestAhead(t *testing.T) {
	data := make([]byte, 100<<10)
	for _, c := range []struct {
		first, at int
		lazy      bool
		want      int
	}{
		{20 << 10, 0, false, 20 << 10}, {20 << 10, 4 << 10, false, 20 << 10}, {20 << 10, 4<<10 + 1, false, 21 << 10}, {20 << 10, 20 << 10, false, 21 << 10}, {20 << 10, 20 << 10, true, 20 << 10},
	} {
		w := pieces(data, c.first, 1<<10)
		w.Pos, w.Lazy = c.at, c.lazy
		if w.Ahead(); int(w.Base)-1000+len(w.Buf) != c.want || int(w.Offset())-1000 != c.at {
			t.Errorf("%+v: %d bytes were read, offset %d", c, int(w.Base)-1000+len(w.Buf), w.Offset())
		}
	}
	(&Cursor{}).Ahead()
}

// TestBlocks opens strings of each form as blocks.
func TestBlocks(t *testing.T) {
	plain := strings.Repeat("0123456789abcde\n", 3*BlockPart/16)
	small := plain[:1000]
	ops := []lzfOp{{literals: plain[:16]}}
	for n := 16; n < len(plain); n += 16 {
		ops = append(ops, lzfOp{length: 16, before: 16})
	}
	packed, _, _ := packLZF(ops)
	packedSmall, smallPlain, _ := packLZF(ops[:60])
	var plainOps []lzfOp
	for range (WholeBlock - 31) / 33 {
		plainOps = append(plainOps, lzfOp{literals: plain[:32]})
	}
	hard, hardPlain, _ := packLZF(append(plainOps, lzfOp{literals: plain[:30]}))
	harder, harderPlain, _ := packLZF(append(plainOps, lzfOp{literals: plain[:31]}))
	if len(hard) != WholeBlock || len(harder) != WholeBlock+1 {
		t.Fatal(len(hard), len(harder))
	}
	b := new(Block)
	lzf := func(src []byte, n int) string {
		return "\xc3" + string(stored(string(src)))[:5] + string(stored(strings.Repeat("x", n))[:5]) + string(src)
	}
	for _, c := range []struct {
		bytes, text string
		compressed  int
	}{
		{string(stored(small)), small, 0}, {string(stored(plain[:WholeBlock])), plain[:WholeBlock], 0}, {string(stored(plain[:WholeBlock+1])), plain[:WholeBlock+1], 0}, {string(stored(plain)), plain, 0}, {string(stored(plain[:BlockPart])), plain[:BlockPart], 0}, {string(stored(plain[:BlockPart+1])), plain[:BlockPart+1], 0}, {string(stored(plain[:BlockPart+2])), plain[:BlockPart+2], 0},
		{lzf(hard, len(hardPlain)), string(hardPlain), len(hard)}, {lzf(harder, len(harderPlain)), string(harderPlain), len(harder)}, {text(0), "", 0},
		{lzf(packedSmall, len(smallPlain)), string(smallPlain), len(packedSmall)}, {lzf(packed, len(plain)), plain, len(packed)}, {lzf(packed[:17+3*(WholeBlock/16-1)], WholeBlock), plain[:WholeBlock], 17 + 3*(WholeBlock/16-1)},
	} {
		for _, k := range []int{0, 777, 100_000} {
			for _, several := range []bool{false, true} {
				data := []byte("x" + c.bytes + "behind")
				w := &Cursor{Buf: data, Base: 1000, Pos: 1}
				if k > 0 {
					w = pieces(data, 1, k)
					w.Pos = 1
				}
				b.Open(w, several)
				name := fmt.Sprintf("%.20q of %d bytes in pieces of %d, several %v", c.bytes, len(c.text), k, several)
				inMemory := len(c.text) <= WholeBlock && c.compressed <= WholeBlock || k == 0 && c.compressed == 0
				if stable := inMemory && (c.compressed == 0 && k == 0 || c.compressed > 0 && !several); b.Stable != stable || b.Size != int64(len(c.text)) || b.Compressed != int64(c.compressed) || inMemory && (b.Left != 0 || len(b.Buf) != len(c.text)) {
					t.Errorf("%s: stable %v, %d bytes, %d compressed, %d in memory, %d left", name, b.Stable, b.Size, b.Compressed, len(b.Buf), b.Left)
				}
				if fail, want := failure(func() { b.Skip(int64(len(c.text)+5), "a test") }), "a test reaches 5 bytes past the end of its block"; fail == nil || fail.Reason.Quoted() != want {
					t.Errorf("%s: %+v, want %s", name, fail, want)
				}
				for at := 0; at < len(c.text); {
					if b.Offset() != int64(at) || b.Rest() != int64(len(c.text)-at) {
						t.Fatalf("%s: offset %d at %d, %d bytes are left", name, b.Offset(), at, b.Rest())
					}
					if got := b.Byte("a test"); got != c.text[at] {
						t.Fatalf("%s: byte %d is %q", name, at, got)
					}
					if at++; at+4 <= len(c.text) && at%5 == 0 {
						if got := b.Uint32("a test"); le(int64(got), 4) != c.text[at:at+4] {
							t.Fatalf("%s: number at %d is %x", name, at, got)
						}
						at += 4
					}
					if at%7 == 0 {
						n := min(at%1000*20, len(c.text)-at)
						b.Skip(int64(n), "a test")
						at += n
					}
					if b.Ready(); b.Left > 0 && len(b.Buf)-b.Pos < blobAhead {
						t.Fatalf("%s: %d bytes are ready at %d", name, len(b.Buf)-b.Pos, at)
					}
				}
				offset := int64(1001 + len(c.bytes))
				if c.compressed > 0 {
					offset = 1001 + 1 + 5 + 5 // where the compressed bytes begin
				}
				for what, f := range map[string]func(){
					"a test reaches past the end of its block": func() { b.Byte("a test") }, "a number reaches past the end of its block": func() { b.Uint32("a number") },
					"a test reaches 5 bytes past the end of its block": func() { b.Skip(5, "a test") }, "why": func() { b.Failf("why") },
				} {
					if fail := failure(f); fail == nil || fail.Reason.Quoted() != what || fail.Offset != offset {
						t.Errorf("%s: %+v, want %s at %d", name, fail, what, offset)
					}
				}
				if w.Offset() != 1001+int64(len(c.bytes)) {
					t.Errorf("%s: ends at %d", name, w.Offset())
				}
			}
		}
	}
}

// TestLastBytes reads what is left behind the first part of a block, a few bytes before
// which the block was passed.
func TestLastBytes(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", BlockPart/16+1)
	for more := 1; more < 16; more++ {
		for before := range 5 {
			data := text[:BlockPart+more]
			b := new(Block)
			open := func() {
				b.Open(pieces(stored(data), 5, 10_000), false)
				b.Skip(int64(BlockPart-before), "a test")
			}
			if open(); b.Rest() != int64(before+more) {
				t.Fatalf("%d bytes are left, want %d", b.Rest(), before+more)
			}
			for i := BlockPart - before; i < len(data); i++ {
				if got := b.Byte("a test"); got != data[i] {
					t.Fatalf("%d of %d: %q", i, len(data), got)
				}
			}
			if before+more >= 4 {
				open()
				if got := b.Uint32("a test"); le(int64(got), 4) != data[BlockPart-before:][:4] {
					t.Errorf("%d before and %d behind: %x", before, more, got)
				}
			}
			open()
			if b.Ready(); b.Left != 0 {
				t.Errorf("%d before and %d behind: %d are left", before, more, b.Left)
			}
		}
	}
}

// TestBlocksFail has strings that are no blocks.
func TestBlocksFail(t *testing.T) {
	for _, c := range []struct {
		bytes, reason string
		offset        int64
	}{
		{"\xc0\x07", "a number stands where a packed encoding must be", 1000}, {"\x05abc", "the file ends in the middle of a value", 1004}, {"\x81\x00\x01\x00\x00\x00\x00\x00\x01", "a length of 281474976710657 bytes is claimed, more than any file holds", 1009},
		{"\xc3\x01\x40\xb2\x00", "a compressed string of 1 bytes claims to hold 178, more than LZF can", 1004}, {"\xc3\x01\x40\xb1\x00", BadLZF, 1004}, {"\xc3\x04\x05\x01ab", "the file ends in the middle of a value", 1006},
		{"\xc3\x00\x05", BadLZF, 1003}, {"\xc3\x01\x81\x00\x01\x00\x00\x00\x00\x00\x01", "a length of 281474976710657 bytes is claimed, more than any file holds", 1011},
	} {
		for _, k := range []int{0, 1} {
			w := &Cursor{Buf: []byte(c.bytes), Base: 1000}
			if k > 0 {
				w = pieces([]byte(c.bytes), 0, k)
			}
			fail := failure(func() { new(Block).Open(w, false) })
			if fail == nil || !strings.HasPrefix(fail.Reason.Quoted(), c.reason) || fail.Offset != c.offset {
				t.Errorf("%q in pieces of %d: %+v, want %q at %d", c.bytes, k, fail, c.reason, c.offset)
			}
		}
	}
}

// TestLongerLZF has blocks that decompress to more than they claim: that is said when so
// much is there, and not later.
func TestLongerLZF(t *testing.T) {
	ops := []lzfOp{{literals: repeated(32)}}
	for range 300_000 / 200 {
		ops = append(ops, lzfOp{length: 200, before: 30})
	}
	src, _, _ := packLZF(ops)
	for _, claimed := range []int{WholeBlock + 1, BlockPart - 1, BlockPart, BlockPart + 1, 200_000} {
		data := "\xc3" + string(stored(string(src)))[:5] + string(stored(strings.Repeat("x", claimed))[:5]) + string(src)
		var b Block
		fail := failure(func() { b.Open(pieces([]byte(data), 11, 1000), false) })
		if claimed > BlockPart && fail == nil {
			fail = failure(func() { b.Skip(int64(claimed), "a test") })
		}
		if fail == nil || fail.Reason.Quoted() != BadLZF || fail.Offset != 1011 {
			t.Errorf("%d bytes are claimed: %+v", claimed, fail)
		}
	}
}

// TestNames has a module's name in its ID: six bits a character (module.c).
func TestNames(t *testing.T) {
	for name, id := range map[string]uint64{"AAAAAAAAA": 0, "AAAAAAAAB": 1, "BAAAAAAAA": 1 << 48, "AAAAAAA_-": 63<<6 | 62, "abc019ZYX": 26<<48 | 27<<42 | 28<<36 | 52<<30 | 53<<24 | 61<<18 | 25<<12 | 24<<6 | 23} {
		if got := ModuleID(name); got != id {
			t.Errorf("%s: ID %x, want %x", name, got, id)
		}
		if got := ModuleName(id<<10 | 1023); string(got[:]) != name {
			t.Errorf("%x: %s, want %s", id, got, name)
		}
	}
	if got := Float64([]byte("\x00\x00\x00\x00\x00\x00\xf8\xbf")); got != -1.5 {
		t.Error(got)
	}
}

// TestCanonicalInt has texts that are the shortest of a number, and those that are not.
func TestCanonicalInt(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "7": 7, "-1": -1, "10": 10, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64, "-9223372036854775807": math.MinInt64 + 1} {
		if got, ok := CanonicalInt([]byte(text)); !ok || got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-", "-0", "00", "01", "-01", "+1", "1.0", " 1", "1 ", "1:", "1/", "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999", "100000000000000000000", "-10000000000000000000"} {
		if got, ok := CanonicalInt([]byte(text)); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}
