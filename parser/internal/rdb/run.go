package rdb

import "encoding/binary"

// Format is how a listpack or ziplist begins.
type Format struct {
	name   string
	Header int // bytes in front of the entries
	Lead   int // bytes of an entry in front of the one that says its kind
}

// The formats of packed blocks with entries (listpack.c, ziplist.c).
var (
	Listpack = &Format{name: "listpack", Header: 6}
	Ziplist  = &Format{name: "ziplist", Header: 10, Lead: 1}
)

// packedTables say what the first byte of an entry means; in a ziplist that is
// the one behind the length of the entry before, which counts as part of the
// entry in short.
type packedTables struct {
	// short has, for entries of the two shortest kinds, the length of the text
	// (upper byte) and of the entry (lower byte), 0 for others: small numbers,
	// and strings under 64 bytes.
	short [256]uint16
	// numbers has what the entry of a number takes, 0 for others.
	numbers [256]uint8
	// heads has the number of bytes before the text, or of the number; 0 for
	// undefined bytes.
	heads [256]uint8
}

var listpackTables, ziplistTables = newPackedTables()

func newPackedTables() (lp, zl packedTables) {
	for c := range 256 {
		switch {
		case c < 0x80:
			lp.short[c] = uint16(DecimalLen(int64(c)))<<8 | 2
			lp.heads[c], lp.numbers[c] = 1, 2
		case c < 0xc0:
			lp.short[c] = uint16(c-0x80)<<8 | uint16(c-0x80+2)
			lp.heads[c] = 1
		case c < 0xe0:
			lp.heads[c], lp.numbers[c] = 2, 3
		case c < 0xf0:
			lp.heads[c] = 2
		}
		switch {
		case c < 0x40:
			zl.short[c] = uint16(c)<<8 | uint16(c+2)
			zl.heads[c] = 1
		case c < 0x80:
			zl.heads[c] = 2
		case c >= 0xf1 && c <= 0xfd:
			zl.short[c] = uint16(DecimalLen(int64(c&15-1)))<<8 | 2
			zl.heads[c] = 1
		}
	}
	lp.heads[0xf0] = 5
	for c, n := range map[int]uint8{0xf1: 2, 0xf2: 3, 0xf3: 4, 0xf4: 8} {
		lp.heads[c], lp.numbers[c] = 1+n, 2+n
	}
	zl.heads[0x80] = 5
	for c, n := range map[int]uint8{0xc0: 2, 0xd0: 4, 0xe0: 8, 0xf0: 3, 0xfe: 1} {
		zl.heads[c] = 1 + n
	}
	return lp, zl
}

// Run are the sums of a packed block's elements until now.
type Run struct {
	Elements, Sum    int64 // elements, and bytes of their texts
	Largest, Longest int64
	// ListpackDelta is by how much the listpack is longer that a server from 7.0 on makes
	// of the ziplist, in bytes.
	ListpackDelta int64
	// LargestAt and bestIndex say where the largest element of this block begins
	// that was passed, and which it is; -1 none, or another is larger.
	LargestAt    int
	LargestIndex int64
}

// wideEntry is the most bytes that the head of an entry takes, with the length
// behind a listpack's text: where so many can be read, whatever they are, no
// shorter bound needs a look.
const wideEntry = 16

// withSlack returns the buffer with the slack behind a block, which may be read.
func withSlack(buf []byte) []byte {
	end := min(cap(buf), len(buf)+wideEntry)
	return buf[:end:end]
}

// numberShift has for the first byte of a number of 2, 3, 4 or 8 bytes, less
// 0xf1, by how much the eight bytes after it must be shifted to leave just those.
var numberShift = [4]uint8{48, 40, 32, 0}

// PassListpack adds up elements, of stride entries each, from position p of a
// buffer on: as far as they lie in it whole, are of frequent kinds and under
// LargeElement bytes. It returns where it stopped, at an element's first byte or the
// end. Of pairs both entries count, otherwise the first.
func (r *Run) PassListpack(buf []byte, p, stride int, pair bool) int {
	wide := withSlack(buf)
	end := len(buf) - 1
	n, sum, largest, longest := r.Elements, r.Sum, r.Largest, r.Longest
	for uint(p) < uint(end) {
		size := int(wide[p]) - 0x80 // of a short text; a table would be slower, as the next entry waits for it
		next := p + size + 2
		if uint(size) >= 0x40 {
			size, next = otherEntry(wide, p)
		}
		most := size
		if stride == 2 {
			if uint(next) >= uint(end) {
				break
			}
			c := wide[next]
			if number := int(listpackTables.numbers[c]); number != 0 && !pair { // a score
				next += number
			} else {
				second := int(c) - 0x80
				if uint(second) < 0x40 {
					next += second + 2
				} else {
					second, next = otherEntry(wide, next)
				}
				if pair {
					most = max(most, second)
					size += second
				}
			}
		}
		if next > end || size >= LargeElement {
			break
		}
		sum += int64(size)
		longest = max(longest, int64(most))
		if int64(size) > largest {
			largest = int64(size)
			r.LargestAt, r.LargestIndex = p, n
		}
		n++
		p = next
	}
	r.Elements, r.Sum, r.Largest, r.Longest = n, sum, largest, longest
	return p
}

// otherEntry returns the length of the text of the listpack entry at p, of those
// kinds that are not short, and where the next begins, beyond any buffer if the
// entry is large, undefined or too near the end of b.
func otherEntry(b []byte, p int) (text, next int) {
	if len(b)-p < wideEntry {
		return 0, SkipMore
	}
	b = b[p : p+wideEntry : p+wideEntry]
	switch c := b[0]; {
	case c < 0x80:
		return int(listpackTables.short[c] >> 8), p + 2
	case c < 0xe0: // a number of 13 bits
		return DecimalLen((int64(c&0x1f)<<8 | int64(b[1])) << 51 >> 51), p + 3
	case c < 0xf0:
		n := int(c&0x0f)<<8 | int(b[1])
		return n, p + 2 + n + int(backLen(int64(n+2)))
	case c >= 0xf1 && c <= 0xf4:
		shift := numberShift[c-0xf1]
		v := int64(binary.LittleEndian.Uint64(b[1:])<<shift) >> shift
		return DecimalLen(v), p + int(listpackTables.numbers[c])
	}
	return 0, SkipMore
}

// PassZiplist does the same for a ziplist.
func (r *Run) PassZiplist(buf []byte, p, stride int, pair bool) int {
	wide := withSlack(buf)
	end := len(buf) - 1
	for uint(p) < uint(end) {
		size, next, delta := ziplistSizes(wide, p)
		most := size
		if stride == 2 && next < end {
			second, behind, d := ziplistSizes(wide, next)
			if pair {
				most = max(most, second)
				size += second
			}
			next, delta = behind, delta+d
		} else if stride == 2 {
			break
		}
		if next > end || size >= LargeElement {
			break
		}
		r.Sum += int64(size)
		r.Longest = max(r.Longest, int64(most))
		if int64(size) > r.Largest {
			r.Largest = int64(size)
			r.LargestAt, r.LargestIndex = p, r.Elements
		}
		r.ListpackDelta += int64(delta)
		r.Elements++
		p = next
	}
	return p
}

// ziplistSizes returns the length of the text of the ziplist entry at p, where
// the next begins, beyond any buffer if the entry is large, undefined or too near
// the end of b, and by how much it is longer in a listpack.
func ziplistSizes(b []byte, p int) (text, next, delta int) {
	if len(b)-p < wideEntry {
		return 0, SkipMore, 0
	}
	b = b[p : p+wideEntry : p+wideEntry]
	c := b[1]
	if t := int(ziplistTables.short[c]); t != 0 && b[0] < 254 {
		return t >> 8, p + t&0xff, 0
	}
	n := int(ziplistTables.heads[c])
	switch {
	case b[0] >= 254 || n == 0 || c == 0x80:
		return 0, SkipMore, 0
	case c < 0x80:
		n := int(c&0x3f)<<8 | int(b[2])
		return n, p + 3 + n, int(ListpackText(int64(n))) - 3 - n
	}
	shift := 72 - 8*uint(n)
	v := int64(binary.LittleEndian.Uint64(b[2:])<<shift) >> shift
	return DecimalLen(v), p + 1 + n, int(ListpackInt(v)) - 1 - n
}
