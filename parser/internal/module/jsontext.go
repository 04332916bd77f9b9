package module

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// isScalar reports of what bytes numbers, true, false and null consist.
var isScalar = func() (of [256]bool) {
	for _, c := range []byte("-+.0123456789eEtrufalsn") {
		of[c] = true
	}
	return of
}()

// What may follow in JSON text (RFC 8259).
const (
	nextValue  = iota
	nextMember // a name, or the end of the object
	nextComma  // a comma, or the end of an array or object
)

// jsonText walks the JSON text in r.block by its tokens. It checks no more of the
// grammar than it needs: that brackets match and that there is one root.
func (r *Reader) jsonText() {
	b, d := &r.block, &r.doc
	buf, p := b.Buf, b.Pos
	base := r.textBase()
	next := nextValue
	var top *level // d.levels[d.level-1], nil outside of all levels
	for {
		if p == len(buf) {
			if b.Pos = p; r.failed || !r.more() {
				break
			}
			buf, p, base = b.Buf, b.Pos, r.textBase()
		}
		c := buf[p]
		switch {
		case next == nextComma && c == ',' && top != nil:
			if next = nextValue; top.object {
				next = nextMember
			}
			if d.level == 1 {
				r.ended(base + int64(p))
			}
			p++
		case c == '"' && next != nextComma:
			at := p
			end := p + 1
			if end+8 > len(buf) {
				end = stringEnd(buf, end)
			} else if m := specials(buf[end:]); m != 0 { // most strings are short
				end += bits.TrailingZeros64(m) >> 3
			} else {
				end = stringEnd(buf, end+8)
			}
			n := end - p - 1
			p = end + 1
			if end == len(buf) || buf[end] != '"' {
				b.Pos = at + 1
				from := base + int64(at)
				text, size := r.longString()
				buf, p, base = b.Buf, b.Pos, r.textBase()
				if next == nextMember {
					r.memberName(text, size, from)
					r.keepName()
				} else {
					r.value(from)
					r.stringValue(size)
				}
			} else if next == nextMember {
				r.memberName(buf[at+1:end], int64(n), base+int64(at))
			} else {
				if top != nil && d.level > 1 {
					top.n++
				} else {
					r.value(base + int64(at))
				}
				r.stringValue(int64(n))
			}
			if next == nextValue {
				next = nextComma
				break
			}
			if next = nextValue; p < len(buf) && buf[p] == ':' {
				p++
			}
		case isScalar[c] && next == nextValue:
			end := p + 1
			for end < len(buf) && buf[end]-'0' <= 9 {
				end++
			}
			integer := c <= '9'
			for end < len(buf) && isScalar[buf[end]] {
				end++
				integer = false
			}
			if end == len(buf) && end-p < maxHashed && b.Left > 0 {
				b.Pos = p
				r.more()
				buf, p, base = b.Buf, b.Pos, r.textBase()
				continue
			}
			if top != nil && d.level > 1 {
				top.n++
			} else {
				r.value(base + int64(p))
			}
			if c <= '9' && (!integer || end-p >= longInteger) {
				r.Sizes.Number(buf[p:end], integer)
			}
			p, next = end, nextComma
		case (c == '{' || c == '[') && next == nextValue:
			r.value(base + int64(p))
			if !r.push(c == '{', -1) {
				return
			}
			if top = &d.levels[d.level-1]; c == '{' {
				next = nextMember
			}
			p++
		case (c == '}' || c == ']') && top != nil && top.object == (c == '}'):
			if d.level == 1 {
				r.ended(base + int64(p))
			}
			if r.pop(); d.level == 0 {
				top = nil
			} else {
				top = &d.levels[d.level-1]
			}
			p++
			next = nextComma
		case c == ' ' || c == ':' || c == '\t' || c == '\n' || c == '\r':
			p++
		default:
			r.reject()
			return
		}
	}
	b.Pos = p
	if d.level > 0 || d.roots == 0 {
		r.reject()
	}
	if r.Depth == 0 {
		r.largest(b.Size)
	}
}

// textBase returns the offset of the buffer in the text.
func (r *Reader) textBase() int64 { return r.block.Size - r.block.Left - int64(len(r.block.Buf)) }

// longInteger is the length from which on the text of an integer may be one of more
// than 64 bits: shorter ones take no memory but that of their place.
const longInteger = 19

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// specials returns a word whose lowest bit is in the first of the next 8 bytes that
// is a quote or a backslash, 0 if none is.
func specials(b []byte) uint64 {
	x := binary.LittleEndian.Uint64(b)
	q, e := x^'"'*low, x^'\\'*low
	return ((q-low)&^q | (e-low)&^e) & high
}

// stringEnd returns the position of the next quote or backslash from p on, or the
// end of the buffer.
func stringEnd(buf []byte, p int) int {
	for near := p + 32; p+8 <= len(buf); p += 8 {
		if m := specials(buf[p:]); m != 0 {
			return p + bits.TrailingZeros64(m)>>3
		}
		for p >= near { // a long text
			part := buf[p:min(p+256, len(buf))]
			if i := bytes.IndexByte(part, '"'); i >= 0 {
				part = part[:i]
			}
			if i := bytes.IndexByte(part, '\\'); i >= 0 {
				part = part[:i]
			}
			if p += len(part); len(part) < 256 {
				return p
			}
		}
	}
	for p < len(buf) && buf[p] != '"' && buf[p] != '\\' {
		p++
	}
	return p
}

// longString passes a string with escapes, or that does not lie in the buffer
// whole, and returns its first bytes as they are written, and its length in UTF-8.
func (r *Reader) longString() (text []byte, n int64) {
	b, d := &r.block, &r.doc
	d.long = d.long[:0]
	for {
		part := b.Buf[b.Pos:]
		end := stringEnd(part, 0)
		d.long = append(d.long, part[:min(end, maxHashed-len(d.long))]...)
		n += int64(end)
		b.Pos += end
		switch {
		case end == len(part):
			if !r.more() {
				r.reject()
				return nil, 0
			}
		case part[end] == '"':
			b.Pos++
			return d.long, n
		default:
			size, ok := r.escape()
			if !ok {
				r.reject()
				return nil, 0
			}
			n += size
		}
	}
}

// escape passes an escape and returns the length of its character in UTF-8. Each
// half of a surrogate pair counts for two bytes.
func (r *Reader) escape() (size int64, ok bool) {
	b, d := &r.block, &r.doc
	for len(b.Buf)-b.Pos < 6 && r.more() {
	}
	e := b.Buf[b.Pos:]
	length, size := 2, int64(1)
	if len(e) >= 6 && e[1] == 'u' {
		length = 6
		switch hi := e[2:4]; {
		case hi[0] == '0' && hi[1] == '0' && e[4] < '8':
		case hi[0] == '0' && hi[1] < '8':
			size = 2
		case hi[0]|0x20 == 'd' && hi[1] >= '8':
			size = 2
		default:
			size = 3
		}
	}
	if len(e) < length {
		return 0, false
	}
	d.long = append(d.long, e[:min(length, maxHashed-len(d.long))]...)
	b.Pos += length
	return size, true
}
