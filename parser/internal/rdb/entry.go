package rdb

import (
	"encoding/binary"
	"math"
	"strconv"
)

const (
	PackedEnd    = 0xff  // ends a listpack, ziplist or zipmap
	countUnknown = 65535 // a listpack or ziplist of this count must be walked
	// LargeElement is the size from which on the head of a collection's largest
	// element is kept.
	LargeElement = 1 << 10
)

// Entry is one entry of a listpack or ziplist that was decoded.
type Entry struct {
	Len   int64 // length of its text in bytes
	IsInt bool
	Value int64  // of a number
	Text  []byte // its text, or the first bytes of it
}

// OpenPacked passes the header of a listpack or ziplist and returns the number
// of entries that it claims.
func (b *Block) OpenPacked(f *Format) (claimed int64) {
	head := b.Buf
	if len(head) <= f.Header || int64(binary.LittleEndian.Uint32(head)) != b.Size {
		b.failOpen(f)
	}
	b.Pos = f.Header
	return int64(binary.LittleEndian.Uint16(head[f.Header-2:]))
}

func (b *Block) failOpen(f *Format) {
	if b.Size <= int64(f.Header) {
		b.Failf("a %s of %d bytes is shorter than its header", f.name, b.Size)
	}
	b.Pos = 4
	b.Failf("a %s says it has %d bytes, but its block has %d", f.name, binary.LittleEndian.Uint32(b.Buf), b.Size)
}

// ClosePacked checks that the walk ended where the block does.
func (b *Block) ClosePacked(f *Format, claimed, entries int64) {
	if b.Rest() == 0 || b.Buf[b.Pos] != PackedEnd {
		b.Failf("a %s has no end byte", f.name)
	}
	if b.Rest() != 1 {
		b.Failf("a %s ends %d bytes before its block does", f.name, b.Rest()-1)
	}
	if claimed != countUnknown && claimed != entries {
		b.Failf("a %s says it has %d entries, but %d are there", f.name, claimed, entries)
	}
}

// Decode decodes the next entry. Its text stays in the buffer; that of a large
// block is copied to the slot of that number.
func (b *Block) Decode(f *Format, e *Entry, slot int) {
	if f == Ziplist {
		b.ziplistEntry(e, slot)
		return
	}
	if p := b.Pos; b.Left == 0 && p < len(b.Buf) {
		c := b.Buf[p]
		if t := int(listpackTables.short[c]); t != 0 && p+t&0xff < len(b.Buf) {
			e.Len, e.IsInt, e.Value = int64(t>>8), c < 0x80, int64(c)
			e.Text = b.Buf[p+1 : p-1+t&0xff]
			b.Pos = p + t&0xff
			return
		}
	}
	b.listpackEntry(e, slot)
}

// entryHead makes the head of the next entry contiguous and returns what of the
// block follows in the buffer.
func (b *Block) entryHead() []byte {
	if b.Left > 0 && len(b.Buf)-b.Pos < wideEntry {
		b.More()
	}
	if b.Pos == len(b.Buf) {
		b.entryEnds(0)
	}
	return b.Buf[b.Pos:]
}

// entryEnds fails: the block ends within an entry, n bytes further on.
func (b *Block) entryEnds(n int) {
	b.Pos += n
	b.Failf("an entry reaches past the end of its block")
}

func (e *Entry) setNumber(v int64) {
	e.IsInt, e.Len, e.Value, e.Text = true, int64(DecimalLen(v)), v, nil
}

func (b *Block) listpackEntry(e *Entry, slot int) {
	h := b.entryHead()
	c := h[0]
	n := int(listpackTables.heads[c])
	switch {
	case n == 0 && c == PackedEnd:
		b.Pos++
		b.Failf("a listpack ends in the middle of an element")
	case n == 0:
		b.Pos++
		b.Failf("listpack entry begins with 0x%02x, which is not defined", c)
	case len(h) < n:
		b.entryEnds(1)
	}
	b.Pos += n
	var size int64
	switch {
	case c < 0x80:
		e.setNumber(int64(c))
	case c < 0xc0:
		size = int64(c & 0x3f)
	case c < 0xe0:
		e.setNumber((int64(c&0x1f)<<8 | int64(h[1])) << 51 >> 51)
	case c < 0xf0:
		size = int64(c&0x0f)<<8 | int64(h[1])
	case c == 0xf0:
		size = int64(binary.LittleEndian.Uint32(h[1:]))
	default:
		e.setNumber(numberOf(h[1:n]))
	}
	back := int64(1)
	if listpackTables.numbers[c] == 0 {
		e.IsInt, e.Len = false, size
		b.KeepText(e, size, slot)
		counted := int64(n) + size
		back = backLen(counted)
		if counted == 16383 || counted == 2097151 || counted == 268435455 {
			// Valkey 9.1 writes one byte less for entries of just these sizes:
			// the first then holds seven bits of the length instead of none.
			b.Need(1, "an entry")
			if b.Buf[b.Pos] == 0x7f {
				back--
			}
		}
	}
	if back < int64(len(b.Buf)-b.Pos) {
		b.Pos += int(back)
		return
	}
	b.Skip(back, "an entry")
	if b.Rest() < 1 {
		b.entryEnds(0)
	}
}

// ziplistEntry decodes an entry of a ziplist, which begins with the length of
// the one before.
func (b *Block) ziplistEntry(e *Entry, slot int) {
	h := b.entryHead()
	lead := 1
	switch {
	case h[0] == PackedEnd:
		b.Pos++
		b.Failf("a ziplist ends in the middle of an element")
	case h[0] == 254:
		if lead = 5; len(h) < lead {
			b.entryEnds(1)
		}
	}
	if b.Pos += lead; len(h) == lead {
		b.entryEnds(0)
	}
	h = h[lead:]
	c := h[0]
	n := int(ziplistTables.heads[c])
	if n == 0 {
		b.Pos++
		b.Failf("ziplist entry begins with 0x%02x, which is not defined", c)
	}
	if len(h) < n {
		b.entryEnds(1)
	}
	b.Pos += n
	size := int64(-1)
	switch {
	case c < 0x40:
		size = int64(c)
	case c < 0x80:
		size = int64(c&0x3f)<<8 | int64(h[1])
	case c == 0x80:
		size = int64(binary.BigEndian.Uint32(h[1:]))
	case n == 1:
		e.setNumber(int64(c&15) - 1)
	default:
		e.setNumber(numberOf(h[1:n]))
	}
	if size >= 0 {
		e.IsInt, e.Len = false, size
		b.KeepText(e, size, slot)
	}
	if b.Rest() < 1 {
		b.entryEnds(0)
	}
}

// numberOf returns the number in up to 8 bytes, the least first.
func numberOf(b []byte) (v int64) {
	for i, c := range b {
		v |= int64(c) << (8 * i)
	}
	shift := 64 - 8*len(b)
	return v << shift >> shift
}

// KeepText passes the size bytes of a string entry. It keeps them where they
// lie, or in a large block the first of them.
func (b *Block) KeepText(e *Entry, size int64, slot int) {
	if size > b.Rest() {
		b.Skip(size, "an entry") // fails
	}
	if b.Left == 0 {
		e.Text = b.Buf[b.Pos : b.Pos+int(size)]
		b.Pos += int(size)
		return
	}
	head := b.heads[slot][:0]
	kept := min(size, int64(b.MaxHead))
	for left := kept; left > 0; {
		if b.Pos == len(b.Buf) {
			b.More()
		}
		part := b.Buf[b.Pos : b.Pos+int(min(left, int64(len(b.Buf)-b.Pos)))]
		head = append(head, part...)
		b.Pos += len(part)
		left -= int64(len(part))
	}
	b.heads[slot], e.Text = head, head
	b.Skip(size-kept, "an entry")
}

// ListpackSize is what an entry takes in a listpack, in bytes.
func (e *Entry) ListpackSize() int64 {
	if e.IsInt {
		return ListpackInt(e.Value)
	}
	return ListpackText(e.Len)
}

// DecodeAt decodes the entry at position p of a listpack or ziplist that was
// walked before.
func DecodeAt(f *Format, b []byte, p int) (e Entry) {
	from := Block{Buf: b, Pos: p, Size: int64(len(b))}
	from.Decode(f, &e, 0)
	return e
}

// Number decodes the next entry of a stream's node, which must be a number.
func (b *Block) Number(e *Entry, what string) int64 {
	b.Decode(Listpack, e, 0)
	if !e.IsInt {
		b.Failf("%s in a stream's node is not a number", what)
	}
	return e.Value
}

func (e *Entry) Score() float64 {
	if e.IsInt {
		return float64(e.Value)
	}
	f, err := strconv.ParseFloat(string(e.Text), 64)
	if err != nil && !math.IsInf(f, 0) || int64(len(e.Text)) < e.Len {
		return math.NaN()
	}
	return f
}
