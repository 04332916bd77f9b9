package parser

import "encoding/binary"

// intset walks the sorted numbers of a set.
func (w *walker) intset(b *blob) {
	const what = "an intset"
	if b.size < 8 {
		b.failf("an intset of %d bytes is shorter than its header", b.size)
	}
	width, count := int64(b.u32(what)), int64(b.u32(what))
	if width != 2 && width != 4 && width != 8 {
		b.failf("an intset of numbers of %d bytes: only 2, 4 and 8 exist", width)
	}
	if b.size != 8+width*count {
		b.failf("an intset says it has %d numbers of %d bytes, but its block has %d bytes", count, width, b.size)
	}
	converted := w.unpacks(count, 1)
	sum, largest := w.key.ValueBytes, w.key.Largest
	for range count {
		if len(b.buf)-b.pos < int(width) {
			b.more()
		}
		var v int64
		switch width {
		case 2:
			v = int64(int16(binary.LittleEndian.Uint16(b.buf[b.pos:])))
		case 4:
			v = int64(int32(binary.LittleEndian.Uint32(b.buf[b.pos:])))
		default:
			v = int64(binary.LittleEndian.Uint64(b.buf[b.pos:]))
		}
		b.pos += int(width)
		n := int64(decimalLen(v))
		if w.visiting {
			w.visit.element.Value = w.keepEntry(&entry{isInt: true, val: v, n: n}, 0)
			w.visitElement()
		}
		sum += n
		if converted {
			w.addElement(n, 0, false)
		}
		if n > largest {
			largest = n
			w.bestInt(v)
		}
	}
	w.key.Elements, w.key.ValueBytes, w.key.Largest, w.key.Longest = count, sum, largest, max(largest, 0)
}
