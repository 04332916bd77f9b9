package rdb

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// longEntries are strings that runs leave to Decode, with the lengths of all forms.
func longEntries(f *Format) (list []packedEntry) {
	for _, n := range []int{1024, 4095, 4096, 16377, 16378, 16379, 20000} {
		head, lp := "\xf0"+le(int64(n), 4), n+5+2
		switch {
		case f == Ziplist && n < 1<<14:
			head = string([]byte{0x40 | byte(n>>8), byte(n)})
		case f == Ziplist:
			head = "\x80" + string(binary.BigEndian.AppendUint32(nil, uint32(n)))
		case n < 4096:
			head = string([]byte{0xe0 | byte(n>>8), byte(n)})
		}
		switch {
		case n < 4096:
			lp = n + 2 + 2
		case n+5 >= 16383:
			lp = n + 5 + 3
		}
		list = append(list, packedEntry{head + repeated(n), repeated(n), false, lp})
	}
	return append(list, packedEntry{map[*Format]string{Listpack: "\xf0\x05\x00\x00\x00", Ziplist: "\x80\x00\x00\x00\x05"}[f] + "short", "short", false, 11})
}

// packedBlock has the header and the end of a listpack or ziplist around entries.
func packedBlock(f *Format, count int, body string) string {
	b := make([]byte, f.Header)
	binary.LittleEndian.PutUint32(b, uint32(f.Header+len(body)+1))
	binary.LittleEndian.PutUint16(b[f.Header-2:], uint16(count))
	return string(b) + body + "\xff"
}

// stored is a string with its length in four bytes.
func stored(s string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0x80}, uint32(len(s))), s...)
}

// TestDecode decodes entries of each kind and size where they lie in memory whole, and
// where the block is read in parts.
func TestDecode(t *testing.T) {
	for _, f := range []*Format{Listpack, Ziplist} {
		list := listpackEntries()
		if f == Ziplist {
			list = ziplistEntries()
		}
		list = append(list, longEntries(f)...)
		var body strings.Builder
		var want []packedEntry
		for n := 0; body.Len() < 3*BlockPart; n++ {
			e := list[n%len(list)]
			want = append(want, e)
			text := packedBytes(f, e)
			if f == Ziplist && n%3 == 1 {
				text = "\xfe\x05\x00\x00\x00" + e.bytes // a length of the entry before in its long form
			}
			body.WriteString(text)
		}
		for _, whole := range []bool{true, false} {
			data := append(stored(packedBlock(f, len(want), body.String())), "behind"...)
			c := pieces(data, 20, 7000)
			if whole {
				c = &Cursor{Buf: data}
			}
			b := &Block{MaxHead: 300}
			b.Open(c, true)
			if b.Stable != whole || b.Size != int64(len(data)-5-6) {
				t.Fatalf("%s: a block of %d bytes, stable %v", f.name, b.Size, b.Stable)
			}
			claimed := b.OpenPacked(f)
			if claimed != int64(len(want)) {
				t.Fatalf("%s: %d entries are claimed, want %d", f.name, claimed, len(want))
			}
			var got Entry // which keeps nothing of the entry before
			for i, e := range want {
				at := b.Pos
				switch {
				case whole && i%2 == 0:
					got = DecodeAt(f, b.Buf, at)
					b.Decode(f, new(Entry), 1)
				default:
					b.Decode(f, &got, i%3)
				}
				kept := e.text
				if !whole {
					kept = e.text[:min(len(e.text), 300)]
				}
				if e.isInt && fmt.Sprint(got.Value) != e.text || !e.isInt && string(got.Text) != kept || got.IsInt != e.isInt || got.Len != int64(len(e.text)) {
					t.Fatalf("%s, whole %v, entry %d, %.20q: %+.30v", f.name, whole, i, e.bytes, got)
				}
				if got.ListpackSize() != int64(e.lp) && e.text != "short" { // whose form is not the shortest
					t.Fatalf("%s, %.20q: %d bytes in a listpack, want %d", f.name, e.bytes, got.ListpackSize(), e.lp)
				}
			}
			b.ClosePacked(f, claimed, int64(len(want)))
			if whole && c.Pos != len(data)-6 || !whole && c.Offset() != 1000+int64(len(data)-6) {
				t.Errorf("%s: ends at %d", f.name, c.Offset())
			}
		}
	}
}

// cutFailure says how decoding an entry fails of which the block has n bytes, from an
// offset on.
func cutFailure(f *Format, e packedEntry, n, offset int) (reason string, at int) {
	const past = "an entry reaches past the end of its block"
	head := len(e.bytes)
	if !e.isInt {
		head -= len(e.text)
	}
	if f == Ziplist {
		switch {
		case n <= 1:
			return past, offset + n
		case n-1 < head:
			return past, offset + 2
		}
		n, offset = n-1, offset+1
	} else if n == 0 {
		return past, offset
	} else if n < head {
		return past, offset + 1
	}
	if n < len(e.bytes) {
		return fmt.Sprintf("an entry reaches %d bytes past the end of its block", len(e.bytes)-n), offset + head
	}
	if whole := max(e.lp, len(e.bytes)); f == Listpack && n < whole {
		return fmt.Sprintf("an entry reaches %d bytes past the end of its block", whole-n), offset + len(e.bytes)
	}
	return past, offset + n
}

// TestDecodeCut ends a block within each entry, and just behind it: at what byte is said.
// It decodes the entry if all but its last bytes are in memory, too.
func TestDecodeCut(t *testing.T) {
	part := make([]byte, BlockPart)
	for _, f := range []*Format{Listpack, Ziplist} {
		list := listpackEntries()
		if f == Ziplist {
			list = ziplistEntries()
		}
		for _, e := range append(list, longEntries(f)...) {
			if e.text == "short" || len(e.text) == 16378 && f == Listpack {
				continue // see TestBackLength
			}
			whole := packedBytes(f, e)
			for _, n := range append(steps(len(whole)), len(whole)) {
				cut := slices.Clip([]byte("head" + whole[:n]))
				reason, offset := cutFailure(f, e, n, 104)
				for _, left := range []bool{false, true} {
					b := &Block{c: &Cursor{}, Buf: cut, Pos: 4, Size: int64(len(cut)), at: 100}
					if left {
						b.Buf, b.part, b.Left, b.c = cut[:4:4], part, int64(n), pieces(cut[4:], 0, 3)
					}
					fail := failure(func() { b.Decode(f, new(Entry), 0) })
					if fail == nil || fail.Reason.Quoted() != reason || fail.Offset != int64(offset) {
						t.Fatalf("%s, %.20q, %d of %d bytes: %+v, want %s at %d", f.name, e.bytes, n, len(whole), fail, reason, offset)
					}
				}
			}
			data := "head" + whole + "\xff"
			for left := range min(20, len(whole)) {
				b := &Block{c: pieces([]byte(data[len(data)-left:]), 0, 1), Buf: slices.Clip([]byte(data[:len(data)-left])), Pos: 4, Size: int64(len(data)), part: part, Left: int64(left), MaxHead: 1 << 20}
				var got Entry
				if b.Decode(f, &got, 0); got.Len != int64(len(e.text)) || got.IsInt != e.isInt || !e.isInt && string(got.Text) != e.text || b.Rest() != 1 {
					t.Errorf("%s, %.20q, %d bytes to come: %.40v", f.name, e.bytes, left, got)
				}
			}
		}
	}
	for n := 1; n < 6; n++ { // within the long form of the length of the entry before
		b := &Block{c: &Cursor{}, Buf: []byte("\xfe\x05\x00\x00\x00")[:n], Size: int64(n), at: 100}
		want := int64(101)
		if n == 5 {
			want = 105
		}
		if fail := failure(func() { b.Decode(Ziplist, new(Entry), 0) }); fail == nil || fail.Offset != want {
			t.Errorf("%d bytes: %+v", n, fail)
		}
	}
}

// TestNumber has entries of a stream's node that must be numbers.
func TestNumber(t *testing.T) {
	for entry, want := range map[string]int64{"\x07\x01": 7, "\xdf\xff\x02": -1, "\xf1\x00\x80\x03": math.MinInt16} {
		b := &Block{c: &Cursor{}, Buf: []byte(entry + "\xff"), Size: int64(len(entry) + 1)}
		if got := b.Number(new(Entry), "a test"); got != want || b.Pos != len(entry) {
			t.Errorf("%q: %d", entry, got)
		}
	}
	b := &Block{c: &Cursor{}, Buf: []byte("\x81a\x02\xff"), Size: 4, at: 100}
	if fail := failure(func() { b.Number(new(Entry), "a test") }); fail == nil || fail.Reason.Quoted() != "a test in a stream's node is not a number" || fail.Offset != 103 {
		t.Errorf("%+v", fail)
	}
}

// TestDecodeUndefined has bytes that begin no entry.
func TestDecodeUndefined(t *testing.T) {
	behind := strings.Repeat("\x01", 40)
	for c := range 256 {
		lp := &Block{c: &Cursor{}, Buf: []byte(string([]byte{byte(c)}) + strings.Repeat("\x00", 5000)), at: 100}
		lp.Size = int64(len(lp.Buf))
		fail := failure(func() { lp.Decode(Listpack, new(Entry), 0) })
		want := ""
		switch {
		case c == 0xff:
			want = "a listpack ends in the middle of an element"
		case c > 0xf4:
			want = fmt.Sprintf("listpack entry begins with 0x%02x, which is not defined", c)
		}
		if (fail == nil) != (want == "") || fail != nil && (fail.Reason.Quoted() != want || fail.Offset != 101) {
			t.Errorf("listpack, 0x%02x: %+v", c, fail)
		}
		zl := &Block{c: &Cursor{}, Buf: append([]byte{1, byte(c)}, make([]byte, 1<<14)...), at: 100}
		zl.Size = int64(len(zl.Buf))
		fail = failure(func() { zl.Decode(Ziplist, new(Entry), 0) })
		defined := c <= 0x80 || c == 0xc0 || c == 0xd0 || c == 0xe0 || c == 0xf0 || c >= 0xf1 && c <= 0xfe
		if want := fmt.Sprintf("ziplist entry begins with 0x%02x, which is not defined", c); (fail == nil) != defined || fail != nil && (fail.Reason.Quoted() != want || fail.Offset != 102) {
			t.Errorf("ziplist, 0x%02x: %+v", c, fail)
		}
	}
	zl := &Block{c: &Cursor{}, Buf: []byte("\xff" + behind), Size: 41, at: 100}
	if fail := failure(func() { zl.Decode(Ziplist, new(Entry), 0) }); fail == nil || fail.Reason.Quoted() != "a ziplist ends in the middle of an element" || fail.Offset != 101 {
		t.Errorf("%+v", fail)
	}
}

// TestPackedHeaders has blocks whose header or end is false.
func TestPackedHeaders(t *testing.T) {
	for _, f := range []*Format{Listpack, Ziplist} {
		entry := "\x05\x01"
		if f == Ziplist {
			entry = "\x00\xf6"
		}
		good := packedBlock(f, 2, entry+entry)
		end := int64(5 + len(good)) // the length precedes
		size := func(n int) string { return le(int64(n), 4) + good[4:] }
		for _, c := range []struct {
			block, reason string
			offset        int64
		}{
			{good, "", 0},
			{packedBlock(f, countUnknown, entry+entry), "", 0},
			{packedBlock(f, 3, entry+entry), "says it has 3 entries, but 2 are there", end - 1},
			{packedBlock(f, 1, entry+entry), "says it has 1 entries, but 2 are there", end - 1},
			{packedBlock(f, 0, entry+entry), "says it has 0 entries, but 2 are there", end - 1},
			{packedBlock(f, 65534, entry+entry), "says it has 65534 entries, but 2 are there", end - 1},
			{size(len(good) + 1), fmt.Sprintf("says it has %d bytes, but its block has %d", len(good)+1, len(good)), 5 + 4},
			{size(len(good) - 1), fmt.Sprintf("says it has %d bytes, but its block has %d", len(good)-1, len(good)), 5 + 4},
			{size(len(good))[:f.Header], fmt.Sprintf("of %d bytes is shorter than its header", f.Header), 5},
			{"", "of 0 bytes is shorter than its header", 5}, {"\x01", "of 1 bytes is shorter than its header", 5},
			{packedBlock(f, 2, entry+entry+"\xff"), "ends 1 bytes before its block does", end - 1},
			{packedBlock(f, 2, entry+entry+"\xff\xff\xff"), "ends 3 bytes before its block does", end - 1},
		} {
			b := new(Block)
			fail := failure(func() {
				b.Open(&Cursor{Buf: stored(c.block)}, false)
				claimed := b.OpenPacked(f)
				entries := int64(0)
				for b.Rest() > 0 && b.Buf[b.Pos] != PackedEnd {
					b.Decode(f, new(Entry), 0)
					entries++
				}
				b.ClosePacked(f, claimed, entries)
			})
			if (fail == nil) != (c.reason == "") || fail != nil && (!strings.HasSuffix(fail.Reason.Quoted(), c.reason) || !strings.Contains(fail.Reason.String(), "a "+f.name+" ") || fail.Offset != c.offset) {
				t.Errorf("%s, %q: %+v, want %q at %d", f.name, c.block, fail, c.reason, c.offset)
			}
		}
	}
}

// TestNoEnd ends the walk of blocks that have no end byte there.
func TestNoEnd(t *testing.T) {
	for _, f := range []*Format{Listpack, Ziplist} {
		for pos := range 2 {
			b := &Block{c: &Cursor{}, Buf: []byte("head\x05"), Pos: 4 + pos, Size: 5, at: 100}
			fail := failure(func() { b.ClosePacked(f, 0, 0) })
			if fail == nil || fail.Reason.Quoted() != "a "+f.name+" has no end byte" || fail.Offset != int64(104+pos) {
				t.Errorf("%s: %+v", f.name, fail)
			}
		}
	}
}

// TestBackLength has entries of the three sizes for which Valkey 9.1 writes a byte less
// behind them than listpack.c did before.
func TestBackLength(t *testing.T) {
	for _, c := range []struct {
		size int
		back string
	}{
		{16382 - 5, "\x7f\xff"}, {16383 - 5, "\x01\x80\x80"}, {16383 - 5, "\x7f\xff"}, {16383 - 5, "\x00\xff\xff"}, {16384 - 5, "\x01\x80\x80"},
		{2097150 - 5, "\x7f\xff\xff"}, {2097151 - 5, "\x00\xff\xff\xff"}, {2097151 - 5, "\x7f\xff\xff"}, {2097152 - 5, "\x01\x80\x80\x80"},
	} {
		entry := "\xf0" + le(int64(c.size), 4) + repeated(c.size) + c.back
		b := &Block{Buf: []byte(entry + "\x07\x01"), c: &Cursor{}}
		b.Size = int64(len(b.Buf))
		var e Entry
		b.Decode(Listpack, &e, 0)
		if e.Len != int64(c.size) || b.Pos != len(entry) {
			t.Errorf("%d bytes and %x: ends at %d of %d", c.size, c.back, b.Pos, len(entry))
		}
	}
}

// TestListpackSizes has the sizes of strings in a listpack at the limits of its
// forms: six, twelve and 32 bits of length, and seven bits a byte for that behind.
func TestListpackSizes(t *testing.T) {
	for _, c := range []struct{ text, size int64 }{
		{0, 2}, {1, 3}, {63, 65}, {64, 67}, {125, 128}, {126, 130}, {4095, 4099}, {4096, 4103}, {16377, 16384}, {16378, 16386},
		{2097145, 2097153}, {2097146, 2097155}, {268435449, 268435458}, {268435450, 268435460},
	} {
		if got := ListpackText(c.text); got != c.size {
			t.Errorf("%d bytes take %d, want %d", c.text, got, c.size)
		}
	}
	for _, c := range []struct {
		n    int64
		head string
		size int64
	}{
		{1, "7", 2}, {3, "127", 2}, {3, "128", 3}, {3, "007", 5}, {2, "-0", 4}, {20, "-9223372036854775808", 10}, {20, "-9223372036854775809", 22}, {19, "9223372036854775807", 10}, {19, "9223372036854775808", 21},
		{21, "100000000000000000000", 23}, {20, "12345", 22}, {5, "-4096", 3}, {5, "-4097", 4}, {0, "", 2},
	} {
		if got := ListpackString(c.n, []byte(c.head)); got != c.size {
			t.Errorf("%q of %d bytes takes %d, want %d", c.head, c.n, got, c.size)
		}
	}
}

// TestScore has scores of packed sorted sets, by the texts that servers write.
func TestScore(t *testing.T) {
	for text, want := range map[string]float64{"1.5": 1.5, "-1e300": -1e300, "inf": math.Inf(1), "-inf": math.Inf(-1), "1e999": math.Inf(1), "17": 17} {
		if got := (&Entry{Text: []byte(text), Len: int64(len(text))}).Score(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := (&Entry{IsInt: true, Value: -70}).Score(); got != -70 {
		t.Errorf("-70: %v", got)
	}
	for _, e := range []*Entry{{Text: []byte("x"), Len: 1}, {Text: []byte(""), Len: 0}, {Text: []byte("1.5"), Len: 4}} {
		if got := e.Score(); !math.IsNaN(got) {
			t.Errorf("%q of %d bytes: %v", e.Text, e.Len, got)
		}
	}
}
