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
	buf, p := r.block.Buf, r.block.Pos
	next := nextValue
	var top *level // the innermost array or object, nil outside of all
	for {
		if p == len(buf) {
			if r.block.Pos = p; r.failed || !r.more() {
				break
			}
			buf, p = r.block.Buf, r.block.Pos
		}
		c := buf[p]
		if next != nextComma && c == '"' {
			at := p + 1
			var key uint64 // of a short name
			if p = at; p+8 > len(buf) {
				p = stringEnd(buf, p)
			} else if word := binary.LittleEndian.Uint64(buf[p:]); specials(word) != 0 { // most strings are short
				m := specials(word)
				n := bits.TrailingZeros64(m) >> 3
				p += n
				key = word&(m&-m>>7-1) | uint64(n+1)<<56
			} else {
				p = stringEnd(buf, p+8)
			}
			n := int64(p - at)
			if p == len(buf) || buf[p] != '"' {
				from := r.textAt(at - 1)
				r.block.Pos = at
				r.doc.long, n = r.longString()
				buf, p = r.block.Buf, r.block.Pos
				if next == nextMember {
					r.memberName(r.doc.long, n, from)
					r.keepName()
				} else {
					r.value(from)
					r.stringValue(n)
				}
			} else {
				p++
				switch {
				case next == nextMember && r.doc.level > 1 && *r.known(key) == key && key != 0:
					r.Longest = max(r.Longest, n)
				case next == nextMember:
					r.memberName(buf[at:p-1], n, r.textAt(at-1))
				case r.doc.level > 1:
					top.n++
					r.stringValue(n)
				default:
					r.value(r.textAt(at - 1))
					r.stringValue(n)
				}
			}
			if next == nextMember {
				if next = nextValue; p < len(buf) && buf[p] == ':' {
					p++
				}
				continue
			}
			if next = nextComma; p == len(buf) {
				continue
			}
			c = buf[p]
		} else if next == nextValue && isScalar[c] {
			end := p + 1
			for end < len(buf) && buf[end]-'0' <= 9 {
				end++
			}
			integer := c <= '9'
			for end < len(buf) && isScalar[buf[end]] {
				end++
				integer = false
			}
			if end == len(buf) && end-p < maxHashed && r.block.Left > 0 {
				r.block.Pos = p
				r.more()
				buf, p = r.block.Buf, r.block.Pos
				continue
			}
			if r.doc.level > 1 {
				top.n++
			} else {
				r.value(r.textAt(p))
			}
			if c <= '9' && (!integer || end-p >= longInteger) {
				r.Sizes.Number(buf[p:end], integer)
			}
			if p, next = end, nextComma; p == len(buf) {
				continue
			}
			c = buf[p]
		}
		switch c {
		case ',':
			if next != nextComma || top == nil {
				r.reject()
				return
			}
			if next = nextValue; top.object {
				next = nextMember
			}
			if r.doc.level == 1 {
				r.ended(r.textAt(p))
			}
		case '{', '[':
			if next != nextValue {
				r.reject()
				return
			}
			r.value(r.textAt(p))
			if !r.push(c == '{', -1) {
				return
			}
			if top = &r.doc.levels[r.doc.level-1]; c == '{' {
				next = nextMember
			}
		case '}', ']':
			if top == nil || top.object != (c == '}') {
				r.reject()
				return
			}
			if r.doc.level == 1 {
				r.ended(r.textAt(p))
			}
			if r.pop(); r.doc.level == 0 {
				top = nil
			} else {
				top = &r.doc.levels[r.doc.level-1]
			}
			next = nextComma
		case ' ', ':', '\t', '\n', '\r':
		default:
			r.reject()
			return
		}
		p++
	}
	r.block.Pos = p
	if r.doc.level > 0 || r.doc.roots == 0 {
		r.reject()
	}
	if r.Depth == 0 {
		r.largest(r.block.Size)
	}
}

// textAt returns the offset in the text of a position in the buffer.
func (r *Reader) textAt(p int) int64 {
	return r.block.Size - r.block.Left - int64(len(r.block.Buf)-p)
}

// longInteger is the length from which on the text of an integer may be one of more
// than 64 bits: shorter ones take no memory but that of their place.
const longInteger = 19

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// specials returns a word whose lowest bit is in the first byte of x that is a quote
// or a backslash, 0 if none is.
func specials(x uint64) uint64 {
	q, e := x^'"'*low, x^'\\'*low
	return ((q-low)&^q | (e-low)&^e) & high
}

// stringEnd returns the position of the next quote or backslash from p on, or the
// end of the buffer.
func stringEnd(buf []byte, p int) int {
	for near := p + 64; p+16 <= len(buf); p += 16 {
		first, second := specials(binary.LittleEndian.Uint64(buf[p:])), specials(binary.LittleEndian.Uint64(buf[p+8:]))
		if first|second != 0 {
			n := bits.TrailingZeros64(first) >> 3
			if first == 0 {
				n += bits.TrailingZeros64(second) >> 3
			}
			return p + n
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
