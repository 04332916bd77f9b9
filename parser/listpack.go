package parser

import "encoding/binary"

// packedRun are the sums of a packed block's elements until now.
type packedRun struct {
	n, sum           int64 // elements, and bytes of their texts
	largest, longest int64
	// bestAt and bestIndex say where the largest element of this block begins,
	// and which it is; -1 none.
	bestAt    int
	bestIndex int64
}

// wideEntry is the most bytes that a listpack entry's head takes: where so many
// can be read, whatever they are, no shorter bound needs a look.
const wideEntry = 16

// numberShift gives for the first byte of a number of 2, 3, 4 or 8 bytes, less
// 0xf1, by how much the eight bytes behind it are shifted to leave just those.
var numberShift = [4]uint8{48, 40, 32, 0}

// numberEntry gives for the first byte of any number what its entry takes, 0 for
// the others.
var numberEntry = func() (size [256]uint8) {
	for c := range 0x80 {
		size[c] = 2
	}
	for c := 0xc0; c < 0xe0; c++ {
		size[c] = 3
	}
	size[0xf1], size[0xf2], size[0xf3], size[0xf4] = 4, 5, 6, 10
	return size
}()

// wholeListpack is packed for a listpack that lies in memory whole, of entries
// that passListpack passes. It reads nothing and reports false where there is
// anything else, damage too.
func (w *walker) wholeListpack(b *blob, stride int) bool {
	k, buf := &w.key, b.buf
	if len(buf) < 7 || int64(binary.LittleEndian.Uint32(buf)) != b.size || buf[len(buf)-1] != packedEnd {
		return false
	}
	claimed := int64(binary.LittleEndian.Uint16(buf[4:]))
	if claimed > leastUnpacked && w.unpacks(claimed, stride) {
		return false
	}
	r := packedRun{sum: k.ValueBytes, largest: k.Largest, longest: k.Longest, bestAt: -1}
	end := r.passListpack(buf, 6, stride, k.Type == Hash)
	if end != len(buf)-1 || claimed != r.n*int64(stride) && claimed != countUnknown {
		return false
	}
	if r.bestAt >= 0 {
		switch {
		case k.Type == List:
			w.bestIndex(k.Elements + r.bestIndex)
		case b.firm:
			k.best.kind, k.best.text = bestListpack, buf[r.bestAt:]
		default:
			b.pos = r.bestAt
			b.slowEntry(&w.entries[0], false, 0)
			w.bestEntry(b, &w.entries[0], false)
		}
	}
	b.pos = end
	k.Elements += r.n
	k.ValueBytes, k.Largest, k.Longest = r.sum, r.largest, r.longest
	return true
}

// passListpack passes the elements, of stride entries each, of a listpack that
// lies in buf whole, from p on: as far as they are of frequent kinds and under
// headFrom bytes. It gives where it stopped, at an element's first byte or the
// end. Of pairs both entries count, otherwise the first.
func (r *packedRun) passListpack(buf []byte, p, stride int, pair bool) int {
	// Behind a block there is slack that may be read.
	wide := buf[:min(cap(buf), len(buf)+wideEntry)]
	end := len(buf) - 1
	n, sum, largest, longest := r.n, r.sum, r.largest, r.longest
	for uint(p) < uint(end) {
		t := int(fastListpack[wide[p]])
		size, next := t>>8, p+t&0xff
		if t == 0 {
			if size, next = otherEntry(wide, p); next < 0 {
				break
			}
		}
		most := size
		if stride == 2 {
			if uint(next) >= uint(end) {
				break
			}
			c := wide[next]
			if number := int(numberEntry[c]); number != 0 && !pair { // a score
				next += number
			} else {
				t := int(fastListpack[c])
				second := t >> 8
				if t != 0 {
					next += t & 0xff
				} else if second, next = otherEntry(wide, next); next < 0 {
					break
				}
				if pair {
					most = max(most, second)
					size += second
				}
			}
		}
		if next > end || size >= headFrom {
			break
		}
		sum += int64(size)
		longest = max(longest, int64(most))
		if int64(size) > largest {
			largest = int64(size)
			r.bestAt, r.bestIndex = p, n
		}
		n++
		p = next
	}
	r.n, r.sum, r.largest, r.longest = n, sum, largest, longest
	return p
}

// otherEntry gives the length of the text of the listpack entry at p, of those
// kinds that fastListpack has not, and where the next begins; -1 where the entry
// is large, undefined or too near the end of b.
func otherEntry(b []byte, p int) (text, next int) {
	if len(b)-p < wideEntry {
		return 0, -1
	}
	b = b[p : p+wideEntry : p+wideEntry]
	switch c := b[0]; {
	case c < 0xe0: // a number of 13 bits
		return decimalLen((int64(c&0x1f)<<8 | int64(b[1])) << 51 >> 51), p + 3
	case c < 0xf0:
		n := int(c&0x0f)<<8 | int(b[1])
		return n, p + 2 + n + int(backLen(int64(n+2)))
	case c >= 0xf1 && c <= 0xf4:
		shift := numberShift[c-0xf1]
		v := int64(binary.LittleEndian.Uint64(b[1:])<<shift) >> shift
		return decimalLen(v), p + int(numberEntry[c])
	}
	return 0, -1
}
