package parser

import "encoding/binary"

// A listpack or ziplist is walked in two ways. packedRun.pass adds up runs of
// elements whose entries are of frequent kinds and small, without looking at
// them one by one. All others, and all elements that somebody wants to see, are
// decoded by blob.entry.

const (
	packedEnd    = 0xff
	countUnknown = 65535 // a listpack or ziplist of this count must be walked
	// headFrom is the size from which on the head of a collection's largest
	// element is kept.
	headFrom = 1 << 10
)

// entry is one entry of a listpack or ziplist that was decoded.
type entry struct {
	n     int64 // length of its text in bytes
	isInt bool
	val   int64  // of a number
	head  []byte // its text, or the first bytes of it
}

// openPacked passes the header of a listpack or ziplist and returns the number
// of entries that it claims.
func (b *blob) openPacked(f *packedFormat) (claimed int64) {
	head := b.buf
	if len(head) <= f.header || int64(binary.LittleEndian.Uint32(head)) != b.size {
		b.failOpen(f)
	}
	b.pos = f.header
	return int64(binary.LittleEndian.Uint16(head[f.header-2:]))
}

// failOpen says what is wrong with the header.
func (b *blob) failOpen(f *packedFormat) {
	if b.size <= int64(f.header) {
		b.failf("a %s of %d bytes is shorter than its header", f.name, b.size)
	}
	b.pos = 4
	b.failf("a %s says it has %d bytes, but its block has %d", f.name, binary.LittleEndian.Uint32(b.buf), b.size)
}

// closePacked checks that the walk ended where the block does.
func (b *blob) closePacked(f *packedFormat, claimed, entries int64) {
	if b.pos != len(b.buf)-1 || b.left > 0 || b.buf[b.pos] != packedEnd || claimed != entries {
		b.failClose(f, claimed, entries)
	}
}

// failClose says what is wrong with the end, if anything is.
func (b *blob) failClose(f *packedFormat, claimed, entries int64) {
	if b.rest() == 0 || b.buf[b.pos] != packedEnd {
		b.failf("a %s has no end byte", f.name)
	}
	if b.rest() != 1 {
		b.failf("a %s ends %d bytes before its block does", f.name, b.rest()-1)
	}
	if claimed != countUnknown && claimed != entries {
		b.failf("a %s says it has %d entries, but %d are there", f.name, claimed, entries)
	}
}

// packed walks a listpack or ziplist whose elements are groups of stride
// entries: 1 items and members, 2 pairs (of a sorted set only the member is
// measured), 3 field, value and expiry.
func (w *walker) packed(b *blob, f *packedFormat, stride int) {
	k := &w.key
	claimed := b.openPacked(f)
	r := packedRun{sum: k.ValueBytes, largest: k.Largest, longest: k.Longest, bestAt: -1, bestIndex: -1}
	// A server that loads the value may make a table of it: then the memory
	// model wants to know every element.
	unpacks := claimed > leastUnpacked && w.unpacks(claimed, stride)
	fast := stride < 3 && !unpacks && !w.visiting
	whole := b.left == 0
	for {
		if fast {
			if f == listpackFormat {
				b.pos = r.passListpack(b.buf, b.pos, stride, k.Type == Hash)
			} else {
				b.pos = r.passZiplist(b.buf, b.pos, stride, k.Type == Hash)
			}
			if !whole && r.bestAt >= 0 && k.Type != List {
				w.nameBest(b, f, &r) // before it is moved
			}
		}
		if b.left > 0 {
			b.ready()
		}
		if b.pos+f.lead >= len(b.buf) || b.buf[b.pos] == packedEnd {
			break
		}
		w.packedElement(b, f, &r, stride, unpacks)
	}
	b.closePacked(f, claimed, r.n*int64(stride))
	if f == ziplistFormat {
		w.facts.ListpackBytes = b.size + r.delta + int64(listpackFormat.header-f.header)
	}
	switch {
	case k.Type == List:
		if r.bestIndex >= 0 {
			w.bestIndex(k.Elements + r.bestIndex)
		}
	case r.bestAt < 0:
	case b.firm && f == listpackFormat:
		k.best.kind, k.best.text = bestListpack, b.buf[r.bestAt:]
	default:
		w.nameBest(b, f, &r)
	}
	k.Elements += r.n
	k.ValueBytes, k.Largest, k.Longest = r.sum, r.largest, r.longest
}

// packedElement decodes the next element.
func (w *walker) packedElement(b *blob, f *packedFormat, r *packedRun, stride int, unpacks bool) {
	k := &w.key
	e1, e2, e3 := &w.entries[0], &w.entries[1], &w.entries[2]
	*e2 = entry{}
	from := b.offset()
	b.entry(f, e1, 0)
	size, longest, value := e1.n, e1.n, e1
	if stride > 1 {
		b.entry(f, e2, 1)
		if k.Type == Hash {
			size += e2.n
			longest = max(longest, e2.n)
			value = e2
		}
	}
	ttl := false
	if stride == 3 {
		b.entry(f, e3, 2)
		if !e3.isInt {
			b.failf("a field's expiry is not a number")
		}
		ttl = e3.val != 0
		w.fieldExpiry(e3.val)
	}
	if f == ziplistFormat {
		r.delta += e1.asListpack() - (b.offset() - from)
		if stride > 1 {
			r.delta += e2.asListpack()
		}
	}
	if w.visiting {
		w.visitPacked(e1, e2, e3, stride)
	}
	if unpacks {
		w.addElement(e1.n, e2.n, ttl)
	}
	r.sum += size
	r.longest = max(r.longest, longest)
	if size > r.largest {
		r.largest, r.bestAt, r.bestIndex = size, -1, r.n
		if k.Type != List {
			w.bestEntry(b, e1)
		}
		if size >= headFrom {
			k.Head = append(w.headBuf[:0], cut(w.entryText(value), MaxHead)...)
		}
	}
	r.n++
}

// nameBest names the largest element of a run, which lies in the buffer whole.
func (w *walker) nameBest(b *blob, f *packedFormat, r *packedRun) {
	from := blob{buf: b.buf, pos: r.bestAt, size: int64(len(b.buf))}
	from.entry(f, &w.entries[0], 0)
	w.bestEntry(b, &w.entries[0])
	r.bestAt = -1
}

// leastUnpacked is under every limit of a compact encoding, in entries.
const leastUnpacked = 100

// unpacks reports whether the elements of a packed value of entries entries must
// be added to the memory accumulator.
func (w *walker) unpacks(entries int64, stride int) bool {
	k := &w.key
	return entries > leastUnpacked && w.model != nil && k.Type != List && w.model.ConvertsOnLoad(uint8(k.Type), k.Encoding == EncIntset, entries/int64(max(stride, 1)))
}

// addElement tells the memory model of one element of a packed value.
func (w *walker) addElement(first, second int64, ttl bool) {
	switch w.key.Type {
	case Hash:
		w.acc.AddField(first, second, ttl)
	case ZSet:
		w.acc.AddScoredMember(first)
	case Set:
		w.acc.AddMember(first)
	}
}

// entryText returns the text of an entry, or its first bytes.
func (w *walker) entryText(e *entry) []byte {
	if e.isInt {
		w.digits = appendInt(w.digits[:0], e.val)
		return w.digits
	}
	return e.head
}

// entry decodes the next entry. Its text is kept where it lies, of a large block
// in the slot of that number.
func (b *blob) entry(f *packedFormat, e *entry, slot int) {
	if f == ziplistFormat {
		b.ziplistEntry(e, slot)
		return
	}
	if p := b.pos; b.left == 0 && p < len(b.buf) {
		c := b.buf[p]
		if t := int(listpackTables.short[c]); t != 0 && p+t&0xff < len(b.buf) {
			e.n, e.isInt, e.val = int64(t>>8), c < 0x80, int64(c)
			e.head = b.buf[p+1 : p-1+t&0xff]
			b.pos = p + t&0xff
			return
		}
	}
	b.listpackEntry(e, slot)
}

// entryHead makes the head of the next entry contiguous and returns what of the
// block follows in the buffer.
func (b *blob) entryHead() []byte {
	if b.left > 0 && len(b.buf)-b.pos < wideEntry {
		b.more()
	}
	if b.pos == len(b.buf) {
		b.entryEnds(0)
	}
	return b.buf[b.pos:]
}

// entryEnds fails: the block ends within an entry, n bytes further on.
func (b *blob) entryEnds(n int) {
	b.pos += n
	b.failf("an entry reaches past the end of its block")
}

func (e *entry) setNumber(v int64) {
	e.isInt, e.n, e.val, e.head = true, int64(decimalLen(v)), v, nil
}

func (b *blob) listpackEntry(e *entry, slot int) {
	h := b.entryHead()
	c := h[0]
	n := int(listpackTables.heads[c])
	switch {
	case n == 0 && c == packedEnd:
		b.pos++
		b.failf("a listpack ends in the middle of an element")
	case n == 0:
		b.pos++
		b.failf("listpack entry begins with 0x%02x, which is not defined", c)
	case len(h) < n:
		b.entryEnds(1)
	}
	b.pos += n
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
		e.isInt, e.n = false, size
		b.keepHead(e, size, slot)
		counted := int64(n) + size
		back = backLen(counted)
		if counted == 16383 || counted == 2097151 || counted == 268435455 {
			// Valkey 9.1 writes one byte less for entries of just these sizes:
			// the first then holds seven bits of the length instead of none.
			b.need(1, "an entry")
			if b.buf[b.pos] == 0x7f {
				back--
			}
		}
	}
	if back < int64(len(b.buf)-b.pos) {
		b.pos += int(back)
		return
	}
	b.skip(back, "an entry")
	if b.rest() < 1 {
		b.entryEnds(0)
	}
}

// ziplistEntry decodes an entry of a ziplist, which begins with the length of
// the one before.
func (b *blob) ziplistEntry(e *entry, slot int) {
	h := b.entryHead()
	lead := 1
	switch {
	case h[0] == packedEnd:
		b.pos++
		b.failf("a ziplist ends in the middle of an element")
	case h[0] == 254:
		if lead = 5; len(h) < lead {
			b.entryEnds(1)
		}
	}
	if b.pos += lead; len(h) == lead {
		b.entryEnds(0)
	}
	h = h[lead:]
	c := h[0]
	n := int(ziplistTables.heads[c])
	if n == 0 {
		b.pos++
		b.failf("ziplist entry begins with 0x%02x, which is not defined", c)
	}
	if len(h) < n {
		b.entryEnds(1)
	}
	b.pos += n
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
		e.isInt, e.n = false, size
		b.keepHead(e, size, slot)
	}
	if b.rest() < 1 {
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

// keepHead passes the size bytes of a string entry. It keeps them where they
// lie, or in a large blob the first of them.
func (b *blob) keepHead(e *entry, size int64, slot int) {
	if size > b.rest() {
		b.skip(size, "an entry") // fails
	}
	if b.left == 0 {
		e.head = b.buf[b.pos : b.pos+int(size)]
		b.pos += int(size)
		return
	}
	head := b.heads[slot][:0]
	kept := min(size, int64(b.maxHead))
	for left := kept; left > 0; {
		if b.pos == len(b.buf) {
			b.more()
		}
		part := b.buf[b.pos : b.pos+int(min(left, int64(len(b.buf)-b.pos)))]
		head = append(head, part...)
		b.pos += len(part)
		left -= int64(len(part))
	}
	b.heads[slot], e.head = head, head
	b.skip(size-kept, "an entry")
}

// asListpack is what an entry takes in a listpack, in bytes.
func (e *entry) asListpack() int64 {
	if e.isInt {
		return listpackInt(e.val)
	}
	return listpackText(e.n)
}
