package parser

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
)

type strKind uint8

const (
	strPlain strKind = iota
	strInt
	strLZF
)

// smallString is the size up to which a string lies in the window whole, with the
// element that it is part of.
const smallString = 4 << 10

type str struct {
	n    int64 // length of its text in bytes
	kind strKind
	val  int64 // strInt
	off  int   // strPlain: where its first bytes lie in the window's buffer
	clen int   // strLZF: so many compressed bytes lie there
	// head holds its first bytes where they do not lie in the buffer whole.
	head []byte
}

// string passes a string. A plain one of up to smallString bytes stays in the
// buffer until the next element; of others the head is copied to slot.
func (w *walker) string(s *str, slot int) {
	if p := w.Pos; len(w.Buf)-p > 66 {
		if c := w.Buf[p]; c < 64 {
			s.n, s.kind, s.off, s.head = int64(c), strPlain, w.Pos+1, nil
			w.Pos += 1 + int(c)
			return
		}
	}
	n, special := w.LengthOrForm()
	if !special {
		w.plain(s, n, slot)
		return
	}
	if n == rdb.FormLZF {
		clen := w.Length()
		ulen := w.Length()
		s.kind, s.head = strLZF, nil
		w.lzfString(s, clen, ulen, slot)
		return
	}
	s.kind, s.head, s.val = strInt, nil, w.Number(n)
	s.n = int64(rdb.DecimalLen(s.val))
}

func (w *walker) plain(s *str, n uint64, slot int) {
	s.kind = strPlain
	if n <= smallString {
		w.Need(int(n))
		s.n, s.off, s.head = int64(n), w.Pos, nil // Need may set head
		w.Pos += int(n)
		return
	}
	s.n, s.head = w.CheckLen(n), nil
	if w.Refill == nil {
		s.off = w.Pos
		w.Skip(n)
		return
	}
	w.spill(slot)
	kept := min(n, uint64(w.block.MaxHead))
	w.heads[slot] = w.AppendNext(w.heads[slot][:0], kept)
	s.head = w.heads[slot]
	w.Skip(n - kept)
}

// spill copies the head of the first string of the current pair, if it still
// lies in the buffer, before a long second one drives it out.
func (w *walker) spill(slot int) {
	if slot != 1 || w.first.head != nil || w.first.kind == strInt {
		return
	}
	w.heads[0] = append(w.heads[0][:0], w.text(&w.first, MaxElementName)...)
	w.first.head = w.heads[0]
}

// text returns the first bytes, at most limit, of a string that was just read.
// They are valid until the next element.
func (w *walker) text(s *str, limit int) []byte {
	switch {
	case s.kind == strInt:
		w.digits = appendInt(w.digits[:0], s.val)
		return w.digits
	case s.head != nil:
		return s.head[:min(len(s.head), limit)]
	case s.kind == strLZF:
		w.heads[2] = grown(w.heads[2], max(limit, MaxElementName))
		return rdb.HeadLZF(w.heads[2][:0:limit], w.Buf[s.off:s.off+s.clen])
	}
	return w.Buf[s.off : s.off+int(min(s.n, int64(limit)))]
}

// lzfString passes a compressed string whose lengths were just read.
func (w *walker) lzfString(s *str, clen, ulen uint64, slot int) {
	s.n, s.clen = w.CheckLen(ulen), int(w.CheckLen(clen))
	w.rare = true
	w.key.LZFIn += int64(clen)
	w.key.LZFOut += s.n
	if clen < ulen/rdb.MaxRatioLZF {
		w.Failf("a compressed string of %d bytes claims to hold %d, more than LZF can", clen, ulen)
	}
	if clen <= smallString || w.Refill == nil {
		if uint64(len(w.Buf)-w.Pos) < clen {
			if clen > smallString {
				w.Skip(clen) // fails
			}
			w.Need(int(clen))
		}
		src := w.Buf[w.Pos : w.Pos+int(clen)]
		if !rdb.CheckLZF(src, s.n) {
			w.Failf(rdb.BadLZF)
		}
		s.head, s.off, s.clen = nil, w.Pos, int(clen)
		w.Pos += int(clen)
		return
	}
	if w.block.MaxHead > MaxElementName {
		w.spill(slot)
		w.heads[slot] = w.block.AppendLZF(&w.Cursor, w.heads[slot][:0], clen, ulen, w.block.MaxHead)
		s.head = w.heads[slot]
		return
	}
	w.Need(smallString)
	if cap(w.heads[slot]) < MaxElementName {
		w.heads[slot] = make([]byte, 0, MaxElementName)
	}
	w.heads[slot] = rdb.HeadLZF(w.heads[slot][:0:MaxElementName], w.Buf[w.Pos:w.Pos+smallString])
	s.head = w.heads[slot]
	w.spill(slot)
	w.SkipLZF(clen, s.n)
}

// stringValue reads a string, and computes what the key takes in memory, which
// needs less than for other values.
func (w *walker) stringValue() {
	k, s := &w.key, &w.first
	w.string(s, 0)
	if w.visiting {
		w.visit.element.Value = w.keepText(s, 0)
		w.visitElement()
	}
	k.Type, k.Elements = String, 1
	k.ValueBytes, k.Largest, k.Longest = s.n, s.n, s.n
	switch {
	case s.kind == strInt:
	case s.kind == strPlain && w.Refill == nil:
		k.Head = w.Buf[s.off : s.off+int(min(s.n, MaxHead))]
	default:
		k.Head = append(w.headBuf[:0], w.text(s, MaxHead)...)
	}
	if v, ok := s.int(k.Head); ok {
		w.numberSize(v)
	} else {
		w.textSize(s.n)
	}
}

// numberSize ends a string that is kept as a number.
func (w *walker) numberSize(v int64) {
	k := &w.key
	k.Encoding = EncInt
	if w.model != nil {
		k.Memory, k.MemoryUsage = w.model.IntegerSizes(k.NameLen, v, k.HasExpire, k.Idle >= 0 || k.Freq >= 0)
	}
}

// textSize ends a string that is kept as a text of n bytes.
func (w *walker) textSize(n int64) {
	k := &w.key
	k.Encoding = EncRaw
	if w.embedded(n) {
		k.Encoding = EncEmbstr
	}
	if w.model != nil {
		k.Memory, k.MemoryUsage = w.model.TextSizes(k.NameLen, n, k.HasExpire)
	}
}

// int returns the number that a string is, if it is the canonical text of one.
func (s *str) int(text []byte) (int64, bool) {
	if s.kind == strInt {
		return s.val, true
	}
	if s.kind != strPlain || s.n > 20 || s.n == 0 || text[0] > '9' {
		return 0, false
	}
	return rdb.CanonicalInt(text)
}

// embedded reports whether a text of n bytes is kept so.
func (w *walker) embedded(n int64) bool {
	if w.src.embed == release.Embed44 { // most servers; this much is inlined
		return n <= 44
	}
	return w.embeddedOtherwise(n)
}

func (w *walker) embeddedOtherwise(n int64) bool {
	switch w.src.embed {
	case release.Embed39:
		return n <= 39
	case release.EmbedNever:
		return false
	}
	ttl := int64(0)
	if w.key.HasExpire {
		ttl = 8
	}
	name := w.key.NameLen
	if w.src.embed == release.EmbedIn128 {
		header := int64(1)
		if name >= 32 {
			header = 3
		}
		return 8+header+name+1+1+ttl+3+n+1 <= 128
	}
	if ttl > 0 && name >= 32 && (name+n == 40 || name+n == 41) {
		// Embedded before it got its expiry, in a block that rounding up
		// to 80 bytes left room for one in.
		return true
	}
	return 16+name+3+ttl+4+n <= 64
}

// fastRecordAhead is more than what fastRecord reads without looking for the block's
// end: an expiry, a type, a name of up to 63 bytes and the first of a value. Where details
// are asked for, walker.ahead is so large that it is not used.
const fastRecordAhead = 96

// fastRecord is step for what most records in a block are: at most an expiry, then
// a key with a name of up to 63 bytes. It reads nothing and reports false where
// the next record is another, or the block nearly ends.
func (w *walker) fastRecord() bool {
	b := w.Buf[w.Pos:]
	if len(b) < fastRecordAhead || len(b) < w.ahead || w.pend.any { // a constant spares checks of bounds
		return false
	}
	k := &w.key
	t, p := b[0], 0
	expires, at := t == rdb.OpExpireMS, int64(0)
	if expires {
		t, p, at = b[9], 9, int64(binary.LittleEndian.Uint64(b[1:9]))
	}
	n := int(b[p+1])
	if n > 63 || t != 0 && !w.src.IsType[t] {
		return false
	}
	if expires {
		w.counters.opcodes[rdb.OpExpireMS]++
	}
	w.Pos += p + 1 // behind the type, as begin wants it
	w.begin(t)
	k.HasExpire, k.ExpireAt = expires, at
	p += 2
	w.Pos += 1 + n
	k.Name, k.NameLen = b[p:p+n], int64(n)
	w.inKey = true
	if t != 0 {
		w.rest(t)
		return true
	}
	b = b[p+n:]
	c, from := int(b[0]), 1
	switch {
	case c < 64:
	case c < 128:
		c, from = c&0x3f<<8|int(b[1]), 2
	case c >= 0xc0|rdb.FormInt8 && c <= 0xc0|rdb.FormInt32:
		shift := numberForm[c&3]
		v := int64(int32(binary.LittleEndian.Uint32(b[1:])<<shift) >> shift)
		from = 5 - int(shift)/8
		w.Pos += from
		n := int64(rdb.DecimalLen(v))
		k.Type, k.Elements, k.Serialized = String, 1, int64(from)
		k.ValueBytes, k.Largest, k.Longest = n, n, n
		w.numberSize(v)
		w.endKey()
		return true
	default:
		w.rest(t)
		return true
	}
	if from+c > len(b) {
		w.rest(t) // fails
	}
	w.Pos += from + c
	text := b[from : from+c]
	k.Type, k.Elements, k.Serialized = String, 1, int64(from+c)
	k.ValueBytes, k.Largest, k.Longest = int64(c), int64(c), int64(c)
	k.Head = text[:min(c, MaxHead)]
	if c > 0 && c <= 20 && text[0] <= '9' {
		if v, ok := rdb.CanonicalInt(text); ok {
			w.numberSize(v)
			w.endKey()
			return true
		}
	}
	w.textSize(int64(c))
	w.endKey()
	return true
}

// numberForm is by how much four bytes are shifted to leave those of the number
// that a special string form has.
var numberForm = [4]uint8{rdb.FormInt8: 24, rdb.FormInt16: 16, rdb.FormInt32: 0}
