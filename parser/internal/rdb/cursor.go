// Package rdb reads the bytes of RDB files: lengths and strings, LZF, packed
// blocks and their entries, and where records end. It knows nothing of keys and
// their figures, which package parser makes of them.
package rdb

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/message"
)

// A Cursor reads from the part of the snapshot that is in memory. Reading past its
// end refills it, or, if it holds a whole block of records, is an error.
//
// Everything that reads from it fails by panicking with a *Failure, which the
// callers in package parser recover: the loops over millions of elements stay
// free of error values, and nothing after a failure can run by mistake.
type Cursor struct {
	Buf  []byte
	Pos  int
	Base int64 // offset of Buf[0] in the snapshot
	// Refill drops what precedes keep and reads more after what is left. It
	// changes Buf, Pos and Base; false at the end of the source. nil in a block.
	Refill func(keep int) bool
	// Lazy reports whether Refill may wait for bytes that never come, and so is
	// called only where there must be more.
	Lazy bool
}

// Failure says where and why the walk stopped.
type Failure struct {
	Offset int64
	Reason message.Message
	Err    error
}

// Failf fails at the next byte.
func (w *Cursor) Failf(format string, args ...any) { w.FailAt(w.Offset(), format, args...) }

// FailAt fails for what begins at an offset of the snapshot.
func (w *Cursor) FailAt(offset int64, format string, args ...any) {
	panic(&Failure{Offset: offset, Reason: message.Format(format, args...)})
}

// Offset is that of the next byte.
func (w *Cursor) Offset() int64 { return w.Base + int64(w.Pos) }

// Need makes the next n bytes contiguous. n is at most half a block.
func (w *Cursor) Need(n int) {
	if len(w.Buf)-w.Pos < n {
		w.grow(n)
	}
}

func (w *Cursor) grow(n int) {
	for len(w.Buf)-w.Pos < n {
		if w.Refill == nil || !w.Refill(w.Pos) {
			w.Pos = len(w.Buf)
			w.Failf("the file ends in the middle of a value")
		}
	}
}

// Ahead makes sure that an element of ordinary size lies in the buffer whole,
// so that what was read of it stays where it is until the element ends.
func (w *Cursor) Ahead() {
	if len(w.Buf)-w.Pos < elementAhead && w.Refill != nil && !w.Lazy {
		w.Refill(w.Pos)
	}
}

// elementAhead is how many bytes are kept ready before an element is read.
const elementAhead = 16 << 10

// Skip passes n bytes, which need not be in memory.
func (w *Cursor) Skip(n uint64) {
	for {
		have := uint64(len(w.Buf) - w.Pos)
		if n <= have {
			w.Pos += int(n)
			return
		}
		n -= have
		w.Pos = len(w.Buf)
		if w.Refill == nil || !w.Refill(w.Pos) {
			w.Failf("the file ends in the middle of a value: %d bytes are missing", n)
		}
	}
}

func (w *Cursor) AppendNext(dst []byte, n uint64) []byte {
	for n > 0 {
		w.Need(1)
		part := w.Buf[w.Pos : w.Pos+int(min(n, uint64(len(w.Buf)-w.Pos)))]
		dst = append(dst, part...)
		w.Pos += len(part)
		n -= uint64(len(part))
	}
	return dst
}

func (w *Cursor) Byte() byte {
	w.Need(1)
	b := w.Buf[w.Pos]
	w.Pos++
	return b
}

// Take reads n bytes, which are valid until the next read.
func (w *Cursor) Take(n int) []byte {
	w.Need(n)
	b := w.Buf[w.Pos : w.Pos+n]
	w.Pos += n
	return b
}

// Uint32 reads a number of 4 bytes, little endian.
func (w *Cursor) Uint32() uint32 { return binary.LittleEndian.Uint32(w.Take(4)) }

// Uint64 reads a number of 8 bytes, little endian.
func (w *Cursor) Uint64() uint64 { return binary.LittleEndian.Uint64(w.Take(8)) }

// The special string forms after a length byte of 11xxxxxx.
const (
	FormInt8  = 0
	FormInt16 = 1
	FormInt32 = 2
	FormLZF   = 3
)

// LengthOrForm reads a length, or the number of a special string form.
func (w *Cursor) LengthOrForm() (n uint64, special bool) {
	if p := w.Pos; len(w.Buf)-p > 1 {
		switch c := w.Buf[p]; c >> 6 {
		case 0:
			w.Pos++
			return uint64(c), false
		case 1:
			w.Pos += 2
			return uint64(c&0x3f)<<8 | uint64(w.Buf[p+1]), false
		case 3:
			w.Pos++
			return uint64(c & 0x3f), true
		}
	}
	c := w.Byte()
	switch c >> 6 {
	case 0:
		return uint64(c & 0x3f), false
	case 1:
		return uint64(c&0x3f)<<8 | uint64(w.Byte()), false
	case 3:
		return uint64(c & 0x3f), true
	}
	switch c {
	case 0x80:
		return uint64(binary.BigEndian.Uint32(w.Take(4))), false
	case 0x81:
		return binary.BigEndian.Uint64(w.Take(8)), false
	}
	w.Pos--
	w.Failf("length byte 0x%02x is not defined", c)
	return 0, false
}

// Number reads the number of a string that is coded as one, in a form of these.
func (w *Cursor) Number(form uint64) int64 {
	switch form {
	case FormInt8:
		return int64(int8(w.Byte()))
	case FormInt16:
		return int64(int16(binary.LittleEndian.Uint16(w.Take(2))))
	case FormInt32:
		return int64(int32(w.Uint32()))
	}
	w.Pos--
	w.Failf("string form %d is not defined", form)
	return 0
}

// Length reads a length, where no string form may stand.
func (w *Cursor) Length() uint64 {
	n, special := w.LengthOrForm()
	if special {
		w.Pos--
		w.Failf("a string form stands where a plain length must be")
	}
	return n
}

// Lengths passes n lengths.
func (w *Cursor) Lengths(n int) {
	for range n {
		w.Length()
	}
}

// CheckLen refuses a length that no file can have, so that sums stay in an int64.
func (w *Cursor) CheckLen(n uint64) int64 {
	if n > MaxLen {
		w.Failf("a length of %d bytes is claimed, more than any file holds", n)
	}
	return int64(n)
}

// CheckCount is checkLen for a number of elements, nodes or whatever is counted.
func (w *Cursor) CheckCount(n uint64, of string) int64 {
	if n > MaxLen {
		w.Failf("a count of %d %s is claimed, more than any file holds", n, of)
	}
	return int64(n)
}

// MaxLen bounds every length and count that is added up: 256 TiB.
const MaxLen = 1 << 48
