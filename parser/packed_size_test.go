package parser

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// TestPackedSizes has elements of 64 to 4,095 bytes in listpacks and ziplists,
// whose bytes are put together here as listpack.c and ziplist.c describe them: a
// length of 12 bits (of 14 in a ziplist), and behind a listpack's entry its length
// in groups of 7 bits, the lowest last.
func TestPackedSizes(t *testing.T) {
	for _, n := range []int{64, 65, 100, 124, 125, 126, 127, 128, 250, 251, 252, 253, 255, 256, 257, 1023, 1024, 1025, 2048, 4094, 4095} {
		text := bytes.Repeat([]byte{'t'}, n)
		back := []byte{byte(n + 2)}
		if n+2 > 127 {
			back = []byte{byte((n + 2) >> 7), byte((n+2)&127) | 128}
		}
		large := slices.Concat([]byte{0xe0 | byte(n>>8), byte(n)}, text, back)
		lp := slices.Concat([]byte{0x81, 'f', 2}, large, []byte{0x81, 'z', 2}, large)
		lp = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(6+len(lp)+1)), []byte{4, 0}, lp, []byte{0xff})

		before := []byte{byte(3 + n)} // length of the entry before
		if 3+n >= 254 {
			before = binary.LittleEndian.AppendUint32([]byte{254}, uint32(3+n))
		}
		head := []byte{0x40 | byte(n>>8), byte(n)}
		entries := slices.Concat([]byte{0, 1, 'f'}, []byte{3}, head, text, before, []byte{1, 'z'})
		last := len(entries)
		entries = slices.Concat(entries, []byte{byte(len(before) + 2)}, head, text)
		zl := slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(10+len(entries)+1)), binary.LittleEndian.AppendUint32(nil, uint32(10+last)), []byte{4, 0}, entries, []byte{0xff})

		for _, c := range []struct {
			typ               byte
			block             []byte
			elements, largest int
		}{{20, lp, 4, n}, {16, lp, 2, n + 1}, {13, zl, 2, n + 1}, {10, zl, 4, n}} {
			what := fmt.Sprintf("%d bytes, type %d", n, c.typ)
			in := newRDB("REDIS0011").key(c.typ, "k").str(string(c.block)).end()
			for _, visitor := range []*Visitor{nil, {MaxText: -1}} {
				s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
				s.Visit(visitor)
				if !s.Scan() {
					t.Fatalf("%s: %v", what, s.Err())
				}
				k := s.Key()
				if k.Elements != int64(c.elements) || k.ValueBytes != int64(2*n+2) || k.Largest != int64(c.largest) || k.Longest != int64(n) {
					t.Errorf("%s: %s", what, line(k))
				}
				if got := s.r.w.facts.ListpackBytes; c.typ == 13 && got != int64(len(lp)) {
					t.Errorf("%s: a listpack of %d bytes, want %d", what, got, len(lp))
				}
			}
			differential(t, in)
		}
	}
}

// TestLiteralAcrossRefill decompresses a listpack whose LZF is all literals, at all
// places where the buffer can end within one.
func TestLiteralAcrossRefill(t *testing.T) {
	var entries []byte
	for i := range 40_000 {
		entries = append(entries, 0x83, byte('a'+i%23), byte('a'+i%19), byte('a'+i%17), 4)
	}
	lp := slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(6+len(entries)+1)), binary.LittleEndian.AppendUint16(nil, 40_000), entries, []byte{0xff})
	var lzf []byte
	for part := range slices.Chunk(lp, 32) {
		lzf = append(append(lzf, byte(len(part)-1)), part...)
	}
	if len(lp) <= rdb.WholeBlock {
		t.Fatal("the listpack is small enough to be decompressed at once")
	}
	for shift := range 34 {
		in := newRDB("REDIS0011").key(20, string(make([]byte, shift))).raw(0xc3).len(uint64(len(lzf))).len(uint64(len(lp))).raw(lzf).end()
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		i := 0
		s.Visit(&Visitor{MaxText: -1, Element: func(e *Element) bool {
			if want := entries[5*i+1 : 5*i+4]; !bytes.Equal(e.Value.Bytes, want) {
				t.Fatalf("shifted by %d, element %d: %q, want %q", shift, i, e.Value.Bytes, want)
			}
			i++
			return true
		}})
		for s.Scan() {
		}
		if s.Err() != nil || i != 40_000 {
			t.Fatalf("shifted by %d: %d elements, %v", shift, i, s.Err())
		}
	}
}

// TestCompactMemory compares what a hash that is a table would take as a listpack with
// that listpack, which stores what is a number as a number.
func TestCompactMemory(t *testing.T) {
	for _, value := range []string{"1", "127", "4095", "-4096", "32768", "8388608", "2147483648", "1234567890123", "-9223372036854775808", "9223372036854775808", "01", "-0", "+1", "x234567890123", ""} {
		var entry any = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
			entry = int(n)
		}
		table := newRDB("REDIS0010").aux("redis-ver", "7.0.15").key(4, "k").len(60)
		var entries []any
		for i := range 60 {
			field := "field" + strconv.Itoa(i)
			table.str(field, value)
			entries = append(entries, field, entry)
		}
		packed := newRDB("REDIS0010").aux("redis-ver", "7.0.15").key(16, "k").str(listpack(entries...))
		var memory [2]int64
		for i, in := range [][]byte{table.end(), packed.end()} {
			s := newScanner(bytes.NewReader(in), withMemory, smallBlock)
			if !s.Scan() {
				t.Fatal(s.Err())
			}
			memory[i] = []int64{s.Key().CompactMemory, s.Key().Memory}[i]
		}
		if memory[0] != memory[1] {
			t.Errorf("values %q would take %d bytes as a listpack, and take %d", value, memory[0], memory[1])
		}
	}
}
