package parser

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// A listpack or ziplist is walked in two ways. Run.PassListpack and PassZiplist add
// up runs of elements whose entries are of frequent kinds and small, without
// looking at them one by one. All others, and all elements that somebody wants to
// see, are decoded by Block.Decode.

// packed walks a listpack or ziplist whose elements are groups of stride
// entries: 1 items and members, 2 pairs (of a sorted set only the member is
// measured), 3 field, value and expiry.
func (w *walker) packed(b *rdb.Block, f *rdb.Format, stride int) {
	k := &w.key
	claimed := b.OpenPacked(f)
	var r rdb.Run // set field by field: a literal would be copied
	r.Sum, r.Largest, r.Longest, r.LargestAt, r.LargestIndex = k.ValueBytes, k.Largest, k.Longest, -1, -1
	// A server that loads the value may make a table of it: then the memory
	// model wants to know every element.
	unpacks := claimed > leastUnpacked && w.unpacks(claimed, stride)
	fast := stride < 3 && !unpacks && !w.visiting
	whole := b.Left == 0
	for {
		if fast {
			if f == rdb.Listpack {
				b.Pos = r.PassListpack(b.Buf, b.Pos, stride, k.Type == Hash)
			} else {
				b.Pos = r.PassZiplist(b.Buf, b.Pos, stride, k.Type == Hash)
			}
			if !whole && r.LargestAt >= 0 && k.Type != List {
				w.refToPassed(b, f, &r) // before it is moved
			}
		}
		if b.Left > 0 {
			b.Ready()
		}
		if b.Pos+f.Lead >= len(b.Buf) || b.Buf[b.Pos] == rdb.PackedEnd {
			break
		}
		w.packedElement(b, f, &r, stride, unpacks)
	}
	b.ClosePacked(f, claimed, r.Elements*int64(stride))
	if f == rdb.Ziplist {
		w.facts.ListpackBytes = b.Size + r.ListpackDelta + int64(rdb.Listpack.Header-f.Header)
	}
	switch {
	case k.Type == List:
		if r.LargestIndex >= 0 {
			w.refToIndex(k.Elements + r.LargestIndex)
		}
	case r.LargestAt < 0:
	case b.Stable && f == rdb.Listpack:
		k.ref.kind, k.ref.text = refToListpack, b.Buf[r.LargestAt:]
	default:
		w.refToPassed(b, f, &r)
	}
	k.Elements += r.Elements
	k.ValueBytes, k.Largest, k.Longest = r.Sum, r.Largest, r.Longest
}

func (w *walker) packedElement(b *rdb.Block, f *rdb.Format, r *rdb.Run, stride int, unpacks bool) {
	k := &w.key
	e1, e2, e3 := &w.entries[0], &w.entries[1], &w.entries[2]
	*e2 = rdb.Entry{}
	from := b.Offset()
	b.Decode(f, e1, 0)
	size, longest, value := e1.Len, e1.Len, e1
	if stride > 1 {
		b.Decode(f, e2, 1)
		if k.Type == Hash {
			size += e2.Len
			longest = max(longest, e2.Len)
			if size >= rdb.LargeElement {
				k.LongestValue = max(k.LongestValue, e2.Len)
			}
			value = e2
		}
	}
	ttl := false
	if stride == 3 {
		b.Decode(f, e3, 2)
		if !e3.IsInt {
			b.Failf("a field's expiry is not a number")
		}
		ttl = e3.Value != 0
		w.fieldExpiry(e3.Value)
	}
	if f == rdb.Ziplist {
		r.ListpackDelta += e1.ListpackSize() - (b.Offset() - from)
		if stride > 1 {
			r.ListpackDelta += e2.ListpackSize()
		}
	}
	if w.visiting {
		w.visitPacked(e1, e2, e3, stride)
	}
	if unpacks {
		w.addElement(e1.Len, e2.Len, ttl)
	}
	r.Sum += size
	r.Longest = max(r.Longest, longest)
	if size > r.Largest {
		r.Largest, r.LargestAt, r.LargestIndex = size, -1, r.Elements
		if k.Type != List {
			w.refToEntry(b, e1)
		}
		if size >= rdb.LargeElement {
			k.Head = append(w.headBuf[:0], cut(w.entryText(value), MaxHead)...)
		}
	}
	r.Elements++
}

// refToPassed names the largest element of a run, which lies in the buffer whole.
func (w *walker) refToPassed(b *rdb.Block, f *rdb.Format, r *rdb.Run) {
	e := rdb.DecodeAt(f, b.Buf, r.LargestAt)
	w.refToEntry(b, &e)
	r.LargestAt = -1
}

// leastUnpacked is under every limit of a compact encoding, in entries.
const leastUnpacked = 100

// unpacks reports whether the elements of a packed value of entries entries must
// be added to the memory accumulator.
func (w *walker) unpacks(entries int64, stride int) bool {
	k := &w.key
	return entries > leastUnpacked && w.model != nil && k.Type != List &&
		w.model.ConvertsOnLoad(uint8(k.Type), k.Encoding == EncIntset, entries/int64(max(stride, 1)))
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
func (w *walker) entryText(e *rdb.Entry) []byte {
	if e.IsInt {
		w.digits = appendInt(w.digits[:0], e.Value)
		return w.digits
	}
	return e.Text
}

// intset walks the sorted numbers of a set.
func (w *walker) intset(b *rdb.Block) {
	const what = "an intset"
	if b.Size < 8 {
		b.Failf("an intset of %d bytes is shorter than its header", b.Size)
	}
	width, count := int64(b.Uint32(what)), int64(b.Uint32(what))
	if width != 2 && width != 4 && width != 8 {
		b.Failf("an intset of numbers of %d bytes: only 2, 4 and 8 exist", width)
	}
	if b.Size != 8+width*count {
		b.Failf("an intset says it has %d numbers of %d bytes, but its block has %d bytes", count, width, b.Size)
	}
	converted := w.unpacks(count, 1)
	sum, largest := w.key.ValueBytes, w.key.Largest
	for range count {
		if len(b.Buf)-b.Pos < int(width) {
			b.More()
		}
		var v int64
		switch width {
		case 2:
			v = int64(int16(binary.LittleEndian.Uint16(b.Buf[b.Pos:])))
		case 4:
			v = int64(int32(binary.LittleEndian.Uint32(b.Buf[b.Pos:])))
		default:
			v = int64(binary.LittleEndian.Uint64(b.Buf[b.Pos:]))
		}
		b.Pos += int(width)
		n := int64(rdb.DecimalLen(v))
		if w.visiting {
			w.visit.element.Value = w.keepEntry(&rdb.Entry{IsInt: true, Value: v, Len: n}, 0)
			w.visitElement()
		}
		sum += n
		if converted {
			w.addElement(n, 0, false)
		}
		if n > largest {
			largest = n
			w.refToNumber(v)
		}
	}
	w.key.Elements, w.key.ValueBytes, w.key.Largest, w.key.Longest = count, sum, largest, max(largest, 0)
}

// zipmap walks the fields of a hash as Redis 2.2 to 2.4 kept it.
func (w *walker) zipmap(b *rdb.Block) {
	const what = "a zipmap entry"
	if b.Size < 2 {
		b.Failf("a zipmap of %d bytes is shorter than its header", b.Size)
	}
	claimed := int64(b.Byte(what))
	length := func() int64 {
		c := b.Byte(what)
		if c == 254 {
			return int64(b.Uint32(what))
		}
		return int64(c)
	}
	converted := claimed == 254 || w.unpacks(claimed, 1)
	var n int64
	asListpack := int64(rdb.Listpack.Header + 1)
	for {
		if b.Need(1, what); b.Buf[b.Pos] == rdb.PackedEnd {
			b.Pos++
			break
		}
		f := length()
		e1, e2 := &w.entries[0], &w.entries[1]
		*e1, *e2 = rdb.Entry{Len: f}, rdb.Entry{}
		b.KeepText(e1, f, 0)
		b.Need(1, what)
		if b.Buf[b.Pos] == rdb.PackedEnd {
			b.Failf("a zipmap ends between a field and its value")
		}
		v := length()
		free := int64(b.Byte(what))
		e2.Len = v
		b.KeepText(e2, v, 1)
		b.Skip(free, what)
		b.Need(1, what)
		if w.visiting {
			w.visitPacked(e1, e2, nil, 2)
		}
		if converted && w.model != nil {
			w.addElement(f, v, false)
		}
		n++
		asListpack += rdb.ListpackString(f, e1.Text) + rdb.ListpackString(v, e2.Text)
		w.key.ValueBytes += f + v
		w.key.Longest = max(w.key.Longest, f, v)
		if f+v >= rdb.LargeElement {
			w.key.LongestValue = max(w.key.LongestValue, v)
		}
		if f+v > w.key.Largest {
			w.key.Largest = f + v
			w.refToEntry(b, e1)
			if f+v >= rdb.LargeElement {
				w.key.Head = append(w.headBuf[:0], cut(e2.Text, MaxHead)...)
			}
		}
	}
	if b.Rest() != 0 {
		b.Failf("a zipmap ends %d bytes before its block does", b.Rest())
	}
	if claimed < 254 && claimed != n {
		b.Failf("a zipmap says it has %d fields, but %d are there", claimed, n)
	}
	w.key.Elements = n
	w.facts.ListpackBytes = asListpack
}
