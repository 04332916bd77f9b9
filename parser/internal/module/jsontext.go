package module

import (
	"encoding/binary"
	"math/bits"
)

// The classes of bytes outside of strings in JSON text (RFC 8259). Spaces and
// structural characters are their own.
const (
	classBad = iota
	classSpace
	classScalar // of a number, true, false or null
	classQuote
	classOpen
	classClose
	classComma
	classColon
)

var jsonClasses = func() (of [256]uint8) {
	for class, chars := range []string{classSpace: " \t\n\r", classScalar: "-+.0123456789eEtrufalsn", classQuote: `"`,
		classOpen: "[{", classClose: "]}", classComma: ",", classColon: ":"} {
		for _, c := range []byte(chars) {
			of[c] = uint8(class)
		}
	}
	return of
}()

// jsonText walks the JSON text in r.block by its tokens. It checks no more of the
// grammar than it needs: that brackets match and that there is one root.
func (r *Reader) jsonText() {
	b, d := &r.block, &r.doc
	buf, p := b.Buf, b.Pos
	base := b.Size - b.Left - int64(len(buf)) // offset of buf[0] in the text
	isName := false                           // a string that follows is a name
	for !r.failed {
		if p == len(buf) {
			b.Pos = p
			if !r.more() {
				break
			}
			buf, p = b.Buf, b.Pos
			base = b.Size - b.Left - int64(len(buf))
			continue
		}
		c := buf[p]
		switch jsonClasses[c] {
		case classSpace:
			p++
		case classQuote:
			at := base + int64(p)
			end := plainString(buf, p+1)
			text, n := []byte(nil), int64(0)
			if end >= 0 {
				text = buf[p+1 : end]
				n, p = int64(len(text)), end+1
			} else {
				b.Pos = p + 1
				text, n = r.longString()
				buf, p = b.Buf, b.Pos
				base = b.Size - b.Left - int64(len(buf))
			}
			if isName {
				isName = false
				r.memberName(text, n, at)
				break
			}
			r.value(at)
			r.stringValue(n)
		case classColon:
			p++
		case classComma:
			if d.level == 0 {
				r.reject()
				break
			}
			if d.level == 1 {
				r.ended(base + int64(p))
			}
			isName = d.levels[d.level-1].object
			p++
		case classOpen:
			r.value(base + int64(p))
			if !r.push(c == '{', -1) {
				break
			}
			isName = c == '{'
			p++
		case classClose:
			if d.level == 0 || d.levels[d.level-1].object != (c == '}') {
				r.reject()
				break
			}
			if d.level == 1 {
				r.ended(base + int64(p))
			}
			p++
			r.pop()
			isName = false
		case classScalar:
			end, integer := p+1, c <= '9' && c != '.'
			for ; end < len(buf) && jsonClasses[buf[end]] == classScalar; end++ {
				integer = integer && buf[end]-'0' <= 9
			}
			if end == len(buf) && b.Left > 0 && end-p < maxHashed {
				b.Pos = p
				r.more()
				buf, p = b.Buf, b.Pos
				base = b.Size - b.Left - int64(len(buf))
				continue
			}
			r.value(base + int64(p))
			if c <= '9' {
				r.Sizes.Number(buf[p:end], integer)
			} else {
				r.Sizes.Literal()
			}
			p = end
		default:
			r.reject()
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

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// plainString returns where the string ends that begins at p, at its quote, or -1
// if it has an escape or does not end in the buffer.
func plainString(buf []byte, p int) int {
	for ; p+8 <= len(buf); p += 8 {
		x := binary.LittleEndian.Uint64(buf[p:])
		q, e := x^'"'*low, x^'\\'*low
		// The lowest bit set is that of the first quote or backslash.
		if m := ((q-low)&^q | (e-low)&^e) & high; m != 0 {
			p += bits.TrailingZeros64(m) >> 3
			if buf[p] == '"' {
				return p
			}
			return -1
		}
	}
	for ; p < len(buf); p++ {
		switch buf[p] {
		case '"':
			return p
		case '\\':
			return -1
		}
	}
	return -1
}

// longString passes a string with escapes, or that does not lie in the buffer
// whole, and returns its first bytes as they are written, and its length in UTF-8.
func (r *Reader) longString() (text []byte, n int64) {
	b, d := &r.block, &r.doc
	d.long = d.long[:0]
	for {
		part := b.Buf[b.Pos:]
		end := 0
		for end < len(part) && part[end] != '"' && part[end] != '\\' {
			end++
		}
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
