package rdb

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A packedEntry is an entry by its bytes: the listpack's without the length behind it,
// the ziplist's without that of the entry before.
type packedEntry struct {
	bytes string
	text  string
	isInt bool
	lp    int // bytes that it takes in a listpack, all included
}

func repeated(n int) string { return strings.Repeat("t", n) }

// le is a number in n bytes, little endian.
func le(v int64, n int) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(v))[:n])
}

func intEntry(head string, v int64, lp int) packedEntry {
	return packedEntry{head, strconv.FormatInt(v, 10), true, lp}
}

// listpackEntries are entries of each kind, at the limits of each (listpack.c).
func listpackEntries() []packedEntry {
	var list []packedEntry
	for _, v := range []int64{0, 9, 10, 99, 100, 127} {
		list = append(list, intEntry(string([]byte{byte(v)}), v, 2))
	}
	for _, v := range []int64{-4096, -1000, -100, -10, -9, -1, 128, 999, 1000, 4095} {
		list = append(list, intEntry(string([]byte{0xc0 | byte(v>>8)&0x1f, byte(v)}), v, 3))
	}
	for head, limits := range map[string][]int64{
		"\xf12": {math.MinInt16, -4097, -9999, 4096, 9999, 10000, math.MaxInt16}, "\xf23": {-1 << 23, 1<<23 - 1, 99999, 100000, -100000},
		"\xf34": {math.MinInt32, math.MaxInt32, 999999999, 1000000000}, "\xf48": {math.MinInt64, math.MaxInt64, -1 << 40, 999999999999999999},
	} {
		for _, v := range limits {
			n := int(head[1] - '0')
			list = append(list, intEntry(head[:1]+le(v, n), v, n+2))
		}
	}
	for _, n := range []int{0, 1, 62, 63} {
		list = append(list, packedEntry{string([]byte{0x80 | byte(n)}) + repeated(n), repeated(n), false, n + 2})
	}
	for _, n := range []int{64, 124, 125, 126, 127, 255, 256, 1000, 1023} {
		back := 1
		if 2+n > 127 {
			back = 2
		}
		list = append(list, packedEntry{string([]byte{0xe0 | byte(n>>8), byte(n)}) + repeated(n), repeated(n), false, n + 2 + back})
	}
	return list
}

// ziplistEntries are the same of a ziplist (ziplist.c).
func ziplistEntries() []packedEntry {
	var list []packedEntry
	for v := range int64(13) {
		list = append(list, intEntry(string([]byte{0xf1 + byte(v)}), v, 2))
	}
	for head, limits := range map[string]map[int64]int{
		"\xfe1": {-128: 3, -1: 3, 13: 2, 127: 2}, "\xc02": {math.MinInt16: 4, -4097: 4, -4096: 3, -129: 3, 128: 3, 4095: 3, 4096: 4, math.MaxInt16: 4},
		"\xf03": {-1 << 23: 5, 1<<23 - 1: 5, 1 << 15: 5}, "\xd04": {math.MinInt32: 6, math.MaxInt32: 6, 1 << 23: 6}, "\xe08": {math.MinInt64: 10, math.MaxInt64: 10, 1 << 31: 10},
	} {
		for v, lp := range limits {
			list = append(list, intEntry(head[:1]+le(v, int(head[1]-'0')), v, lp))
		}
	}
	for _, n := range []int{0, 1, 63} {
		list = append(list, packedEntry{string([]byte{byte(n)}) + repeated(n), repeated(n), false, n + 2})
	}
	for _, n := range []int{64, 125, 126, 300, 1023} {
		back := 1
		if 2+n > 127 {
			back = 2
		}
		list = append(list, packedEntry{string([]byte{0x40 | byte(n>>8), byte(n)}) + repeated(n), repeated(n), false, n + 2 + back})
	}
	return list
}

// packedBytes writes an entry with what is around it. The length behind a listpack's
// entry is not looked at: its bytes only count.
func packedBytes(f *Format, e packedEntry) string {
	if f == Ziplist {
		return "\x05" + e.bytes
	}
	return e.bytes + strings.Repeat("\x01", e.lp-len(e.bytes))
}

// TestRuns passes an entry of each kind, alone, as each half of a pair, and as a member
// with its score.
func TestRuns(t *testing.T) {
	for _, f := range []*Format{Listpack, Ziplist} {
		list := listpackEntries()
		if f == Ziplist {
			list = ziplistEntries()
		}
		for i, e := range list {
			other := list[(i*7+3)%len(list)]
			if len(e.text)+len(other.text) >= LargeElement {
				other = packedEntry{text: "", lp: 2, bytes: map[*Format]string{Listpack: "\x80", Ziplist: "\x00"}[f]}
			}
			for _, shape := range []string{"single", "pair", "member"} {
				name := fmt.Sprintf("%s, %s, %.20q", f.name, shape, e.bytes)
				element, size, longest, stride := packedBytes(f, e), len(e.text), len(e.text), 2
				lp := e.lp
				switch shape {
				case "single":
					stride = 1
				case "pair":
					element += packedBytes(f, other)
					size, longest, lp = size+len(other.text), max(len(e.text), len(other.text)), lp+other.lp
				case "member":
					element += packedBytes(f, other)
					lp += other.lp
				}
				delta := int64(0)
				if f == Ziplist {
					delta = int64(2 * (lp - len(element)))
				}
				small := packedBytes(f, list[0])
				if stride == 2 {
					small += small
				}
				before := Run{Elements: 3, Sum: 100, LargestAt: -1, LargestIndex: -1, ListpackDelta: 50}
				b := []byte("head" + element + element + small + "\xff")
				whole := append(slices.Clip(b), make([]byte, wideEntry)...)[:len(b)]
				smallSize := len(list[0].text)
				if shape == "pair" {
					smallSize *= 2
				}
				want := Run{Elements: 6, Sum: 100 + int64(2*size+smallSize), Largest: int64(max(size, smallSize)), Longest: int64(max(longest, 1)), ListpackDelta: 50 + delta, LargestAt: 4, LargestIndex: 3}
				if size < smallSize {
					want.LargestAt, want.LargestIndex = 4+2*len(element), 5
				}
				pass := func(r *Run, b []byte) int {
					if f == Ziplist {
						return r.PassZiplist(b, 4, stride, shape == "pair")
					}
					return r.PassListpack(b, 4, stride, shape == "pair")
				}
				got := before
				if end := pass(&got, whole); end != len(b)-1 || got != want {
					t.Errorf("%s: ends at %d of %d with %+v, want %+v", name, end, len(b), got, want)
				}
				// What is cut is no element, whatever follows it.
				for _, n := range steps(len(element)) {
					cut := append(slices.Clone(whole[:4+len(element)+n]), "\xff"+strings.Repeat("\x01", wideEntry)...)[:4+len(element)+n+1]
					got := before
					if end := pass(&got, cut); end != 4+len(element) || got.Elements != 4 || got.Sum != 100+int64(size) {
						t.Errorf("%s, cut after %d bytes: ends at %d with %+v", name, n, end, got)
					}
				}
			}
		}
	}
}

// TestRunsStop has entries that runs leave to Decode.
func TestRunsStop(t *testing.T) {
	lpSmall, zlSmall := "\x07\x01", "\x02\xf8"
	lp1024 := "\xe4\x00" + repeated(1024) + "\x01\x01"
	zl1024 := "\x05\x44\x00" + repeated(1024)
	for _, c := range []struct {
		f      *Format
		entry  string
		stride int
		pair   bool
	}{
		{Listpack, lp1024, 1, false}, {Listpack, lp1024 + lpSmall, 2, true}, {Listpack, lpSmall + lp1024, 2, true}, {Listpack, lp1024 + lpSmall, 2, false},
		{Listpack, "\xe2\x00" + repeated(512) + "12\xe2\x00" + repeated(512) + "12", 2, true}, // 1,024 bytes together
		{Listpack, "\xf0\x05\x00\x00\x00abcde\x0a", 1, false}, {Listpack, "\xf5\x01\x01", 1, false}, {Listpack, "\xfe\x01\x01", 1, false}, {Listpack, lpSmall + "\xf5\x01\x01", 2, true}, {Listpack, lpSmall + "\xf0\x05\x00\x00\x00abcde\x0a", 2, false},
		{Ziplist, zl1024, 1, false}, {Ziplist, zl1024 + zlSmall, 2, true}, {Ziplist, zlSmall + zl1024, 2, true}, {Ziplist, zl1024 + zlSmall, 2, false},
		{Ziplist, "\x05\x42\x00" + repeated(512) + "\x05\x42\x00" + repeated(512), 2, true},
		{Ziplist, "\x05\x80\x00\x00\x00\x05abcde", 1, false}, {Ziplist, "\x05\x81aaaa", 1, false}, {Ziplist, "\xfe\x05\x00\x00\x00\x01a", 1, false}, {Ziplist, "\xff\x01a", 1, false},
		{Ziplist, "\xfe\x00\x01\x00\x00\x01a", 1, false}, {Ziplist, "\xff\x00\x01\x00\x00\x01a", 1, false}, {Ziplist, "\xfe\x40\x01\x00\x00\x01a", 1, false}, {Ziplist, zlSmall + "\xfe\x05\x00\x00\x00\x01a", 2, true}, {Ziplist, zlSmall + "\x05\x80\x00\x00\x00\x05abcde", 2, false}, {Ziplist, "\xfe\x05\x00\x00\x00\x41\x00" + repeated(256), 1, false},
	} {
		small := lpSmall
		if c.f == Ziplist {
			small = zlSmall
		}
		small = strings.Repeat(small, c.stride)
		b := []byte("head" + small + c.entry + strings.Repeat(small, 20) + "\xff")
		r := Run{LargestAt: -1, LargestIndex: -1}
		end := 0
		if c.f == Ziplist {
			end = r.PassZiplist(b, 4, c.stride, c.pair)
		} else {
			end = r.PassListpack(b, 4, c.stride, c.pair)
		}
		if end != 4+len(small) || r.Elements != 1 || r.LargestAt != 4 {
			t.Errorf("%s, %.20q: ends at %d with %+v", c.f.name, c.entry, end, r)
		}
	}
}
