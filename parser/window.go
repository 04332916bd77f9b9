package parser

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A window is the part of the snapshot that is in memory. Reading past its end
// fills it again, or, where it holds a whole block, is an error.
//
// Everything that reads from it fails by panicking with a *failure, which
// step's callers recover: the loops over millions of elements stay free of
// error values, and nothing after a failure can run by mistake.
type window struct {
	buf  []byte
	pos  int
	base int64 // offset of buf[0] in the snapshot
	// refill drops what precedes keep and reads more after what is left. It
	// changes buf, pos and base; false at the end of the source. nil in a block.
	refill func(keep int) bool
}

// failure is how the walk stops.
type failure struct {
	offset int64
	reason string
	err    error
}

func (w *window) failf(format string, args ...any) { w.failAt(w.offset(), format, args...) }

// failAt fails for what begins at an offset of the snapshot.
func (w *window) failAt(offset int64, format string, args ...any) {
	panic(&failure{offset: offset, reason: fmt.Sprintf(format, args...)})
}

// offset is that of the next byte.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// need makes the next n bytes contiguous. n is at most half a block.
func (w *window) need(n int) {
	if len(w.buf)-w.pos < n {
		w.grow(n)
	}
}

func (w *window) grow(n int) {
	for len(w.buf)-w.pos < n {
		if w.refill == nil || !w.refill(w.pos) {
			w.pos = len(w.buf)
			w.failf("the file ends in the middle of a value")
		}
	}
}

// ahead makes sure that an element of ordinary size lies in the buffer whole,
// so that what was read of it stays where it is until the element ends.
func (w *window) ahead() {
	if len(w.buf)-w.pos < elementAhead && w.refill != nil {
		w.refill(w.pos)
	}
}

const (
	elementAhead = 16 << 10 // bytes kept ready before an element is read
	smallString  = 4 << 10  // a string up to this size lies in them whole
)

// skip passes n bytes, which need not be in memory.
func (w *window) skip(n uint64) {
	for {
		have := uint64(len(w.buf) - w.pos)
		if n <= have {
			w.pos += int(n)
			return
		}
		n -= have
		w.pos = len(w.buf)
		if w.refill == nil || !w.refill(w.pos) {
			w.failf("the file ends in the middle of a value: %d bytes are missing", n)
		}
	}
}

// appendNext passes n bytes and appends them to dst.
func (w *window) appendNext(dst []byte, n uint64) []byte {
	for n > 0 {
		w.need(1)
		part := w.buf[w.pos : w.pos+int(min(n, uint64(len(w.buf)-w.pos)))]
		dst = append(dst, part...)
		w.pos += len(part)
		n -= uint64(len(part))
	}
	return dst
}

func (w *window) byte() byte {
	w.need(1)
	b := w.buf[w.pos]
	w.pos++
	return b
}

func (w *window) take(n int) []byte {
	w.need(n)
	b := w.buf[w.pos : w.pos+n]
	w.pos += n
	return b
}

func (w *window) u16le() uint16 { return binary.LittleEndian.Uint16(w.take(2)) }
func (w *window) u32le() uint32 { return binary.LittleEndian.Uint32(w.take(4)) }
func (w *window) u64le() uint64 { return binary.LittleEndian.Uint64(w.take(8)) }

// The special string forms behind a length byte of 11xxxxxx.
const (
	formInt8  = 0
	formInt16 = 1
	formInt32 = 2
	formLZF   = 3
)

// lengthOrForm reads a length, or the number of a special string form.
func (w *window) lengthOrForm() (n uint64, special bool) {
	if p := w.pos; len(w.buf)-p > 1 {
		switch c := w.buf[p]; c >> 6 {
		case 0:
			w.pos++
			return uint64(c), false
		case 1:
			w.pos += 2
			return uint64(c&0x3f)<<8 | uint64(w.buf[p+1]), false
		case 3:
			w.pos++
			return uint64(c & 0x3f), true
		}
	}
	c := w.byte()
	switch c >> 6 {
	case 0:
		return uint64(c & 0x3f), false
	case 1:
		return uint64(c&0x3f)<<8 | uint64(w.byte()), false
	case 3:
		return uint64(c & 0x3f), true
	}
	switch c {
	case 0x80:
		return uint64(binary.BigEndian.Uint32(w.take(4))), false
	case 0x81:
		return binary.BigEndian.Uint64(w.take(8)), false
	}
	w.pos--
	w.failf("length byte 0x%02x is not defined", c)
	return 0, false
}

// length reads a length, where no string form may stand.
func (w *window) length() uint64 {
	n, special := w.lengthOrForm()
	if special {
		w.pos--
		w.failf("a string form stands where a plain length must be")
	}
	return n
}

// lengths passes n lengths.
func (w *window) lengths(n int) {
	for range n {
		w.length()
	}
}

type strKind uint8

const (
	strPlain strKind = iota
	strInt
	strLZF
)

// str is one string of the file, passed over.
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
	if p := w.pos; len(w.buf)-p > 66 {
		if c := w.buf[p]; c < 64 {
			s.n, s.kind, s.off, s.head = int64(c), strPlain, w.pos+1, nil
			w.pos += 1 + int(c)
			return
		}
	}
	n, special := w.lengthOrForm()
	if !special {
		w.plain(s, n, slot)
		return
	}
	s.kind, s.head = strInt, nil
	switch n {
	case formInt8:
		s.val = int64(int8(w.byte()))
	case formInt16:
		s.val = int64(int16(binary.LittleEndian.Uint16(w.take(2))))
	case formInt32:
		s.val = int64(int32(w.u32le()))
	case formLZF:
		clen := w.length()
		ulen := w.length()
		s.kind = strLZF
		w.lzfString(s, clen, ulen, slot)
		return
	default:
		w.pos--
		w.failf("string form %d is not defined", n)
	}
	s.n = int64(decimalLen(s.val))
}

func (w *walker) plain(s *str, n uint64, slot int) {
	s.kind, s.head = strPlain, nil
	if n <= smallString {
		w.need(int(n))
		s.n, s.off = int64(n), w.pos
		w.pos += int(n)
		return
	}
	s.n = w.checkLen(n)
	if w.refill == nil {
		s.off = w.pos
		w.skip(n)
		return
	}
	w.spill(slot)
	kept := min(n, uint64(w.blob.maxHead))
	w.heads[slot] = w.appendNext(w.heads[slot][:0], kept)
	s.head = w.heads[slot]
	w.skip(n - kept)
}

// checkLen refuses a length that no file can have, so that sums stay in an int64.
func (w *window) checkLen(n uint64) int64 {
	if n > maxLen {
		w.failf("a length of %d bytes is claimed, more than any file holds", n)
	}
	return int64(n)
}

// checkCount is checkLen for a number of elements, nodes or whatever is counted.
func (w *window) checkCount(n uint64, of string) int64 {
	if n > maxLen {
		w.failf("a count of %d %s is claimed, more than any file holds", n, of)
	}
	return int64(n)
}

// maxLen bounds every length and count that is added up: 256 TiB.
const maxLen = 1 << 48

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
		return lzfHead(w.heads[2][:0:limit], w.buf[s.off:s.off+s.clen])
	}
	return w.buf[s.off : s.off+int(min(s.n, int64(limit)))]
}

// decimalLen is the number of bytes of v's decimal text.
func decimalLen(v int64) int {
	sign := v >> 63
	u := uint64((v ^ sign) - sign)
	// 1233/4096 is log10(2), near enough for 64 bits. No branch: numbers of
	// all sizes stand side by side. The difference never reaches 2^63.
	t := bits.Len64(u|1) * 1233 >> 12 & 31
	return 1 - int(sign) + t - int((u-powersOfTen[t])>>63)
}

var powersOfTen = func() (p [32]uint64) {
	// p[0] stays 0: the text of 0 has one digit, too.
	for i, v := 1, uint64(10); i < 20; i, v = i+1, v*10 {
		p[i] = v
	}
	return p
}()
