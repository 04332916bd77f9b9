package parser

import "encoding/binary"

// entry is one entry of a listpack or ziplist, passed over.
type entry struct {
	n     int64 // length of its text in bytes
	isInt bool
	val   int64
	at    int    // where its text lies in the blob's buffer; -1: only head is left of it
	head  []byte // its first bytes, where at is -1
}

// fastEntry gives, for the first byte of an entry of the two shortest kinds,
// the length of its text (upper byte) and its own (lower byte), 0 for others:
// small numbers, and strings under 64 bytes. The ziplist's counts the byte
// with the previous entry's length in.
var fastListpack, fastZiplist = fastEntries()

func fastEntries() (lp, zl [256]uint16) {
	for c := range 128 {
		lp[c] = uint16(decimalLen(int64(c)))<<8 | 2
	}
	for n := range 64 {
		lp[0x80+n] = uint16(n)<<8 | uint16(n+2)
		zl[n] = uint16(n)<<8 | uint16(n+2)
	}
	for c := 0xf1; c <= 0xfd; c++ {
		zl[c] = uint16(decimalLen(int64(c&15-1)))<<8 | 2
	}
	return lp, zl
}

var slowOnly [256]uint16

const (
	packedEnd    = 0xff
	countUnknown = 65535 // a listpack or ziplist of this count must be walked
)

// Bytes in front of the entries of a listpack and of a ziplist.
const (
	listpackHead = 6
	ziplistHead  = 10
)

// openPacked reads the header of a listpack or ziplist and gives the number of
// entries that it claims.
func (b *blob) openPacked(zl bool) int64 {
	head, what := listpackHead, "listpack"
	if zl {
		head, what = ziplistHead, "ziplist"
	}
	if b.size < int64(head)+1 {
		b.failf("a %s of %d bytes is shorter than its header", what, b.size)
	}
	if total := b.u32("a header"); int64(total) != b.size {
		b.failf("a %s says it has %d bytes, but its block has %d", what, total, b.size)
	}
	if zl {
		b.u32("a header")
	}
	return int64(b.u16("a header"))
}

// closePacked checks that the walk ended where the block does.
func (b *blob) closePacked(zl bool, claimed, entries int64) {
	what := "listpack"
	if zl {
		what = "ziplist"
	}
	if b.rest() == 0 || b.buf[b.pos] != packedEnd {
		b.failf("a %s has no end byte", what)
	}
	if b.rest() != 1 {
		b.failf("a %s ends %d bytes before its block does", what, b.rest()-1)
	}
	if claimed != countUnknown && claimed != entries {
		b.failf("a %s says it has %d entries, but %d are there", what, claimed, entries)
	}
}

// packed walks a listpack or ziplist whose elements are groups of stride
// entries: 1 items and members, 2 pairs (of a sorted set only the member is
// measured), 3 field, value and expiry.
func (w *walker) packed(b *blob, zl bool, stride int) {
	if !zl && stride <= 2 && b.left == 0 && !w.visiting && w.wholeListpack(b, stride) {
		return
	}
	claimed := b.openPacked(zl)
	var n, entries int64
	sum, largest, longest := w.key.ValueBytes, w.key.Largest, w.key.Longest
	pair := w.key.Type == Hash
	// A server that loads the value may make a table of it: then the model
	// wants to know every element.
	told := w.unpacks(claimed, stride)
	e1, e2, e3 := &w.entries[0], &w.entries[1], &w.entries[2]
	table := &fastListpack
	lead := 0
	// Where the largest element of a blob that lies in memory whole begins:
	// its name is read once, at the end.
	bestAt, bestIndex := -1, int64(-1)
	if zl {
		table, lead = &fastZiplist, 1
		w.converted = listpackHead - ziplistHead
	}
	if w.visiting {
		table = &slowOnly
	}
	for {
		if b.left > 0 {
			b.ready()
		}
		buf, p := b.buf, b.pos
		if p+lead >= len(buf) || buf[p] == packedEnd {
			break
		}
		from := p
		t := int(table[buf[p+lead]])
		if zl && buf[p] >= 254 {
			t = 0
		}
		if next := p + t&0xff; t != 0 && next < len(buf) {
			e1.n, e1.at = int64(t>>8), p
			b.pos = next
		} else if zl || !b.middleEntry(e1) {
			b.slowEntry(e1, zl, 0)
		}
		size, most := e1.n, e1.n
		if stride > 1 {
			buf, p = b.buf, b.pos
			t = 0
			if p+lead < len(buf) && (!zl || buf[p] < 254) {
				t = int(table[buf[p+lead]])
			}
			if next := p + t&0xff; t != 0 && next < len(buf) {
				e2.n, e2.at = int64(t>>8), p
				b.pos = next
			} else if zl || !b.middleEntry(e2) {
				if b.left > 0 {
					b.hold(e1, zl)
				}
				b.slowEntry(e2, zl, 1)
			}
			if pair {
				size += e2.n
				most = max(most, e2.n)
			}
			if stride == 3 {
				if b.left > 0 {
					b.hold(e1, zl)
					b.hold(e2, zl)
				}
				b.slowEntry(e3, zl, 2)
				if !e3.isInt {
					b.failf("a field's expiry is not a number")
				}
				w.fieldExpiry(e3.val)
			}
		}
		if w.visiting {
			w.visitPacked(e1, e2, e3, stride)
		}
		if told {
			w.tell(e1.n, e2.n, stride == 3 && e3.val != 0)
		}
		entries += int64(stride)
		sum += size
		longest = max(longest, most)
		if size > largest {
			largest = size
			switch {
			case w.key.Type == List:
				bestIndex = n
			case b.size <= int64(len(b.buf)):
				bestAt = from
			default:
				w.bestEntry(b, e1, zl)
			}
			if size >= headFrom {
				v := e1
				if pair {
					v = e2
				}
				w.key.Head = append(w.headBuf[:0], cut(b.entryText(v, zl), MaxHead)...)
			}
		}
		n++
	}
	b.closePacked(zl, claimed, entries)
	if zl {
		w.facts.ListpackBytes = b.size + w.converted
	}
	if bestIndex >= 0 {
		w.bestIndex(w.key.Elements + bestIndex)
	}
	switch {
	case bestAt >= 0 && b.firm && !zl:
		w.key.best.kind, w.key.best.text = bestListpack, b.buf[bestAt:]
	case bestAt >= 0:
		b.pos = bestAt
		b.slowEntry(e1, zl, 0)
		w.bestEntry(b, e1, zl)
	}
	w.key.Elements += n
	w.key.ValueBytes, w.key.Largest, w.key.Longest = sum, largest, longest
}

// leastUnpacked is under every limit of a compact encoding, in entries.
const leastUnpacked = 100

// unpacks reports whether the memory model is to be told the elements of a
// packed value of so many entries.
func (w *walker) unpacks(entries int64, stride int) bool {
	k := &w.key
	return entries > leastUnpacked && w.model != nil && k.Type != List && w.model.ConvertsOnLoad(uint8(k.Type), k.Encoding == EncIntset, entries/int64(max(stride, 1)))
}

// tell gives the memory model one element of a packed value.
func (w *walker) tell(first, second int64, ttl bool) {
	switch w.key.Type {
	case Hash:
		w.acc.AddField(first, second, ttl)
	case ZSet:
		w.acc.AddScoredMember(first)
	case Set:
		w.acc.AddMember(first)
	}
}

// headFrom is the size from which on the head of a collection's largest element is kept.
const headFrom = 1 << 10

// hold copies the head of an entry that was passed quickly, before reading on
// may move it.
func (b *blob) hold(e *entry, zl bool) {
	if e.at < 0 {
		return
	}
	text := cut(b.entryText(e, zl), MaxElementName)
	slot := 0
	if e == &b.w.entries[1] {
		slot = 1
	}
	b.w.heads[slot] = append(b.w.heads[slot][:0], text...)
	e.head, e.at = b.w.heads[slot], -1
}

// entryText gives the first bytes of an entry's text.
func (b *blob) entryText(e *entry, zl bool) []byte {
	if e.at < 0 {
		if e.isInt {
			b.w.digits = appendInt(b.w.digits[:0], e.val)
			return b.w.digits
		}
		return e.head
	}
	lead, text := 0, 0x80
	if zl {
		lead, text = 1, 0
	}
	c := int(b.buf[e.at+lead])
	if c >= text && c < text+64 {
		return b.buf[e.at+lead+1 : e.at+lead+1+int(e.n)]
	}
	v := int64(c)
	if zl {
		v = int64(c&15 - 1)
	}
	b.w.digits = appendInt(b.w.digits[:0], v)
	return b.w.digits
}

// middleEntry passes a listpack entry of those kinds that are frequent, in a
// blob that lies in memory whole, where 16 bytes may be read from the entry's
// first one on, whatever they are.
func (b *blob) middleEntry(e *entry) bool {
	if b.left > 0 || cap(b.buf)-b.pos < 16 {
		return false
	}
	buf := b.buf[b.pos : b.pos+16 : b.pos+16]
	var v int64
	var size int
	switch c := buf[0]; {
	case c < 0x80:
		v, size = int64(c), 2
	case c < 0xc0:
		return false
	case c < 0xe0:
		v, size = (int64(c&0x1f)<<8|int64(buf[1]))<<51>>51, 3
	case c < 0xf0:
		n := int(c&0x0f)<<8 | int(buf[1])
		end := b.pos + 2 + n + int(backLen(int64(n+2)))
		if end >= len(b.buf) {
			return false
		}
		e.n, e.isInt, e.at, e.head = int64(n), false, -1, b.buf[b.pos+2:b.pos+2+n]
		b.pos = end
		return true
	case c == 0xf1:
		v, size = int64(int16(binary.LittleEndian.Uint16(buf[1:]))), 4
	case c == 0xf2:
		v, size = int64(buf[1])|int64(buf[2])<<8|int64(int8(buf[3]))<<16, 5
	case c == 0xf3:
		v, size = int64(int32(binary.LittleEndian.Uint32(buf[1:]))), 6
	case c == 0xf4:
		v, size = int64(binary.LittleEndian.Uint64(buf[1:])), 10
	default:
		return false
	}
	if b.pos+size >= len(b.buf) {
		return false
	}
	e.n, e.isInt, e.val, e.at = int64(decimalLen(v)), true, v, -1
	b.pos += size
	return true
}

// slowEntry passes an entry of any kind.
func (b *blob) slowEntry(e *entry, zl bool, slot int) {
	const what = "an entry"
	if !zl && b.middleEntry(e) {
		return
	}
	*e = entry{at: -1}
	var size int64 // of a string; -1 a number
	var back int64 // bytes of the entry, that a listpack's backward length counts
	size = -1
	start := b.offset()
	if zl {
		switch b.byte(what) {
		case 254:
			b.u32(what)
		case packedEnd:
			b.failf("a ziplist ends in the middle of an element")
		}
		switch c := b.byte(what); {
		case c < 0x40:
			size = int64(c)
		case c < 0x80:
			size = int64(c&0x3f)<<8 | int64(b.byte(what))
		case c == 0x80:
			b.need(4, what)
			size = int64(binary.BigEndian.Uint32(b.buf[b.pos:]))
			b.pos += 4
		case c == 0xc0:
			e.val = int64(int16(b.u16(what)))
		case c == 0xd0:
			e.val = int64(int32(b.u32(what)))
		case c == 0xe0:
			e.val = b.i64(what)
		case c == 0xf0:
			e.val = b.i24(what)
		case c == 0xfe:
			e.val = int64(int8(b.byte(what)))
		case c >= 0xf1 && c <= 0xfd:
			e.val = int64(c&15) - 1
		default:
			b.failf("ziplist entry begins with 0x%02x, which is not defined", c)
		}
	} else {
		switch c := b.byte(what); {
		case c < 0x80:
			e.val = int64(c)
		case c < 0xc0:
			size = int64(c & 0x3f)
		case c < 0xe0:
			e.val = (int64(c&0x1f)<<8 | int64(b.byte(what))) << 51 >> 51
		case c < 0xf0:
			size = int64(c&0x0f)<<8 | int64(b.byte(what))
		case c == 0xf0:
			size = int64(b.u32(what))
		case c == 0xf1:
			e.val = int64(int16(b.u16(what)))
		case c == 0xf2:
			e.val = b.i24(what)
		case c == 0xf3:
			e.val = int64(int32(b.u32(what)))
		case c == 0xf4:
			e.val = b.i64(what)
		case c == packedEnd:
			b.failf("a listpack ends in the middle of an element")
		default:
			b.failf("listpack entry begins with 0x%02x, which is not defined", c)
		}
		back = b.offset() - start
	}
	if size < 0 {
		e.isInt, e.n = true, int64(decimalLen(e.val))
	} else {
		e.n = size
		b.keepHead(e, size, slot)
	}
	if zl {
		asListpack := listpackInt(e.val)
		if size >= 0 {
			asListpack = listpackText(size)
		}
		b.w.converted += asListpack - (b.offset() - start)
	} else {
		if size > 0 {
			back += size
		}
		n := backLen(back)
		if back == 16383 || back == 2097151 || back == 268435455 {
			// Valkey 9.1 writes one byte less for entries of just these sizes:
			// the first then holds seven bits of the length instead of none.
			b.need(1, what)
			if b.buf[b.pos] == 0x7f {
				n--
			}
		}
		b.skip(n, what)
	}
	if b.rest() < 1 {
		b.failf("an entry reaches past the end of its block")
	}
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
	head := b.w.heads[slot][:0]
	kept := min(size, int64(b.w.maxHead))
	for left := kept; left > 0; {
		if b.pos == len(b.buf) {
			b.more()
		}
		part := b.buf[b.pos : b.pos+int(min(left, int64(len(b.buf)-b.pos)))]
		head = append(head, part...)
		b.pos += len(part)
		left -= int64(len(part))
	}
	b.w.heads[slot], e.head = head, head
	b.skip(size-kept, "an entry")
}

func (b *blob) i24(what string) int64 {
	b.need(3, what)
	v := int64(b.buf[b.pos]) | int64(b.buf[b.pos+1])<<8 | int64(int8(b.buf[b.pos+2]))<<16
	b.pos += 3
	return v
}

func (b *blob) i64(what string) int64 {
	b.need(8, what)
	v := int64(binary.LittleEndian.Uint64(b.buf[b.pos:]))
	b.pos += 8
	return v
}

// backLen is the number of bytes of a listpack entry's backward length.
func backLen(size int64) int64 {
	switch {
	case size <= 127:
		return 1
	case size < 16383:
		return 2
	case size < 2097151:
		return 3
	case size < 268435455:
		return 4
	}
	return 5
}

// listpackText is what a string of n bytes takes as a listpack entry.
func listpackText(n int64) int64 {
	switch {
	case n < 64:
		return n + 2
	case n < 4096:
		return n + 2 + backLen(n+2)
	}
	return n + 5 + backLen(n+5)
}

// listpackString is what a string of n bytes takes as a listpack entry, which
// begins with head: a number where it is the text of one.
func listpackString(n int64, head []byte) int64 {
	if n <= 20 && n == int64(len(head)) {
		if v, ok := canonicalInt(head); ok {
			return listpackInt(v)
		}
	}
	return listpackText(n)
}

// listpackInt is what a number takes as a listpack entry.
func listpackInt(v int64) int64 {
	switch {
	case v >= 0 && v < 128:
		return 2
	case v >= -4096 && v < 4096:
		return 3
	case v >= -1<<15 && v < 1<<15:
		return 4
	case v >= -1<<23 && v < 1<<23:
		return 5
	case v >= -1<<31 && v < 1<<31:
		return 6
	}
	return 10
}
