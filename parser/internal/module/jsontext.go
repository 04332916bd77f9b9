package module

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// scalarBytes has the kinds of the bytes of which numbers, true, false and null
// consist, 0 for all others.
var scalarBytes = func() (of [256]uint8) {
	for _, c := range []byte("-+.eEtrufalsn") {
		of[c] = otherByte
	}
	for c := '0'; c <= '9'; c++ {
		of[c] = digitByte
	}
	return of
}()

const (
	digitByte = 1 << iota
	otherByte
)

// What may follow in JSON text (RFC 8259).
const (
	nextValue  = iota
	nextMember // a name, or the end of the object
	nextComma  // a comma, or the end of an array or object
)

// jsonText walks the JSON text in r.block by its tokens. It checks no more of the
// grammar than it needs: that brackets match and that there is one root.
//
// What most tokens need is done without a call, which would drive the variables out
// of their registers. A string that ends before the next backslash, which a search
// for one byte finds fast, ends at the next quote.
func (r *Reader) jsonText() {
	d := &r.doc
	buf, p := r.jsonBuffer()
	next := nextValue
	for {
		if uint(p) >= uint(len(buf)) {
			if r.block.Pos = p; r.failed || !r.more() {
				break
			}
			buf, p = r.jsonBuffer()
			continue
		}
		c := buf[p]
		if c == '"' && next != nextComma {
			at := p + 1
			n, key := -1, uint64(0) // the string's length; nameKey of a short one
			if len(buf)-at >= 8 {
				word := binary.LittleEndian.Uint64(buf[at:])
				if m := quotes(word); m != 0 { // most strings are short
					n = bits.TrailingZeros64(m) >> 3
					key = word&(m&-m>>7-1) | uint64(n+1)<<56
				}
			}
			if n < 0 {
				n = bytes.IndexByte(buf[at:], '"')
			}
			end := at + n
			if n < 0 || end > d.escape {
				r.block.Pos = p
				r.longToken(next == nextMember)
				buf, p = r.jsonBuffer()
			} else {
				r.Longest = max(r.Longest, int64(n))
				if next == nextMember {
					if d.level == 1 {
						d.root, d.name, d.nameLen = r.textAt(p), buf[at:min(end, at+MaxName)], int64(n)
					}
					if key == 0 || *r.known(key) != key {
						r.shareName(buf[at:end], int64(n), key)
					}
				} else {
					if d.top.counts {
						d.top.n++
					} else {
						r.value(r.textAt(p))
					}
					if n < memory.ShortTexts {
						r.Sizes.ShortText(int64(n))
					} else {
						r.Sizes.Text(int64(n))
					}
				}
				p = end + 1
			}
			if next == nextMember {
				if next = nextValue; p < len(buf) && buf[p] == ':' {
					p++
				}
				continue
			}
			if next = nextComma; p >= len(buf) {
				continue
			}
			c = buf[p]
		} else if next == nextValue && scalarBytes[c] != 0 {
			end, kinds := p+1, uint8(0)
			for end < len(buf) {
				kind := scalarBytes[buf[end]]
				if kind == 0 {
					break
				}
				kinds |= kind
				end++
			}
			if end == len(buf) && end-p < maxHashed && r.block.Left > 0 {
				r.block.Pos = p
				r.more()
				buf, p = r.jsonBuffer()
				continue
			}
			if d.top.counts {
				d.top.n++
			} else {
				r.value(r.textAt(p))
			}
			if c <= '9' && (kinds > digitByte || end-p >= longInteger) {
				r.Sizes.Number(buf[p:end], kinds <= digitByte)
			}
			next = nextComma
			if p = end; p >= len(buf) {
				continue
			}
			c = buf[p]
		}
		switch c {
		case ',':
			if next != nextComma || d.level == 0 {
				r.reject()
				return
			}
			if next = nextValue; d.top.object {
				next = nextMember
			}
			if d.level == 1 {
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
			if c == '{' {
				next = nextMember
			}
		case '}', ']':
			if d.level == 0 || d.top.object != (c == '}') {
				r.reject()
				return
			}
			if d.level == 1 {
				r.ended(r.textAt(p))
			}
			r.pop()
			next = nextComma
		case ' ', ':', '\t', '\n', '\r':
		default:
			r.reject()
			return
		}
		p++
	}
	r.block.Pos = p
	if d.level > 0 || d.roots == 0 {
		r.reject()
	}
	if r.Depth == 0 {
		r.largest(r.block.Size)
	}
}

// jsonBuffer returns the text that is in memory, and the position in it, and notes
// where the next backslash is.
func (r *Reader) jsonBuffer() (buf []byte, p int) {
	buf, p = r.block.Buf, r.block.Pos
	r.doc.escape = len(buf)
	if i := bytes.IndexByte(buf[p:], '\\'); i >= 0 {
		r.doc.escape = p + i
	}
	return buf[:len(buf):len(buf)], p
}

// longToken passes a string that begins at r.block.Pos, of any length: the name of a
// member or a value.
func (r *Reader) longToken(name bool) {
	from := r.textAt(r.block.Pos)
	r.block.Pos++
	text, n := r.longString()
	if name {
		r.memberName(text, n, from)
		r.keepName()
	} else {
		r.value(from)
		r.stringValue(n)
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
// or a backslash, 0 if none is. Bytes from 128 on are neither.
func specials(x uint64) uint64 {
	quotes, backslashes := (x^'"'*low)-low, (x^'\\'*low)-low
	return (quotes | backslashes) &^ x & high
}

// quotes returns such a word for quotes alone.
func quotes(x uint64) uint64 { return ((x ^ '"'*low) - low) &^ x & high }

// stringEnd returns the position of the next quote or backslash from p on, or the
// end of the buffer.
func stringEnd(buf []byte, p int) int {
	for ; p+8 <= len(buf); p += 8 {
		if m := specials(binary.LittleEndian.Uint64(buf[p:])); m != 0 {
			return p + bits.TrailingZeros64(m)>>3
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
