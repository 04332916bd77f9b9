package parser

import (
	"encoding/binary"
	"math"
	"strconv"
)

// packedReader gives the entries of a listpack or ziplist that the walk has
// found to be right, of which the end may be missing.
type packedReader struct {
	buf   []byte
	pos   int
	zl    bool
	ended bool
}

// packedEntry is one entry: a text, of which bytes may be the beginning, or a number.
type packedEntry struct {
	bytes []byte
	n     int64 // length of the whole text
	isInt bool
	val   int64
}

// cut reports whether the end of a text is missing.
func (e *packedEntry) cut() bool { return !e.isInt && int64(len(e.bytes)) < e.n }

// number gives the score that an entry holds.
func (e *packedEntry) number() float64 {
	if e.isInt {
		return float64(e.val)
	}
	f, err := strconv.ParseFloat(string(e.bytes), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

func openPackedReader(b []byte, zl bool) *packedReader {
	head := 6
	if zl {
		head = 10
	}
	return &packedReader{buf: b, pos: min(head, len(b)), zl: zl}
}

// fixed passes n bytes; nil if they are not there.
func (p *packedReader) fixed(n int) []byte {
	if len(p.buf)-p.pos < n {
		p.ended = true
		return nil
	}
	p.pos += n
	return p.buf[p.pos-n : p.pos]
}

func (p *packedReader) uint(n int) uint64 {
	b := p.fixed(n)
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// signed reads n bytes as a number, least byte first.
func (p *packedReader) signed(n int) int64 {
	shift := 64 - 8*n
	return int64(p.uint(n)<<shift) >> shift
}

// next gives the next entry; false at the end, or where the bytes end within an entry's head.
func (p *packedReader) next() (packedEntry, bool) {
	if p.ended || p.pos >= len(p.buf) || p.buf[p.pos] == packedEnd {
		p.ended = true
		return packedEntry{}, false
	}
	start := p.pos
	if p.zl && p.uint(1) == 254 {
		p.fixed(4)
	}
	size, e := int64(-1), packedEntry{}
	if c := int64(p.uint(1)); p.zl {
		switch {
		case c < 0x40:
			size = c
		case c < 0x80:
			size = c&0x3f<<8 | int64(p.uint(1))
		case c == 0x80:
			if b := p.fixed(4); b != nil {
				size = int64(binary.BigEndian.Uint32(b))
			}
		case c == 0xc0:
			e.val = p.signed(2)
		case c == 0xd0:
			e.val = p.signed(4)
		case c == 0xe0:
			e.val = p.signed(8)
		case c == 0xf0:
			e.val = p.signed(3)
		case c == 0xfe:
			e.val = p.signed(1)
		default:
			e.val = c&15 - 1
		}
	} else {
		switch {
		case c < 0x80:
			e.val = c
		case c < 0xc0:
			size = c & 0x3f
		case c < 0xe0:
			e.val = (c&0x1f<<8 | int64(p.uint(1))) << 51 >> 51
		case c < 0xf0:
			size = c&0x0f<<8 | int64(p.uint(1))
		case c == 0xf0:
			size = int64(p.uint(4))
		case c == 0xf1:
			e.val = p.signed(2)
		case c == 0xf2:
			e.val = p.signed(3)
		case c == 0xf3:
			e.val = p.signed(4)
		default:
			e.val = p.signed(8)
		}
	}
	if p.ended {
		return packedEntry{}, false
	}
	if size < 0 {
		e.isInt, e.n = true, int64(decimalLen(e.val))
	} else {
		have := min(size, int64(len(p.buf)-p.pos))
		e.bytes, e.n = p.buf[p.pos:p.pos+int(have)], size
		p.pos += int(have)
	}
	if !p.zl {
		size := int64(p.pos - start)
		n := backLen(size)
		if shortBackLen(size) && p.pos < len(p.buf) && p.buf[p.pos] == 0x7f {
			n--
		}
		p.pos = min(p.pos+int(n), len(p.buf))
	}
	return e, true
}

// shortBackLen says of which entries Valkey 9.1 writes the backward length with
// a byte less: its first byte then is 0x7f.
func shortBackLen(size int64) bool { return size == 16383 || size == 2097151 || size == 268435455 }
