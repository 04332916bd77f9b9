package rdb

import "encoding/binary"

// LZF, as Redis writes it: a control byte under 32 copies that many literals
// and one more; else its upper three bits give a length (7: one more byte adds
// to it), its lower five and the next byte a distance of up to 8192 bytes.

const (
	WindowLZF = 8 << 10 // the farthest a back reference reaches
	SlackLZF  = 32      // bytes that DecodeLZF may write behind its output
)

// DecodeLZF decompresses src into dst[:n] and reports whether the result has
// exactly n bytes. dst must have SlackLZF bytes after n.
//
// Most literals and references are shorter than 16 bytes, and of a length that
// cannot be predicted. So more bytes than needed are copied, and what is too much
// is overwritten by what follows.
func DecodeLZF(dst, src []byte, n int) bool {
	i, o := 0, 0
	dst = dst[: n+SlackLZF : n+SlackLZF]
	end := min(len(src)+32, cap(src))
	wide := src[:end:end] // what follows src may be read
	le := binary.LittleEndian
	for i < len(src) {
		c := int(src[i])
		i++
		if c < 32 {
			c++
			if i+c > len(src) || o+c > n {
				return false
			}
			if i+32 <= len(wide) {
				to, from := dst[o:o+32:o+32], wide[i:i+32:i+32]
				*(*[16]byte)(to) = [16]byte(from)
				if c > 16 {
					*(*[16]byte)(to[16:]) = [16]byte(from[16:])
				}
			} else {
				copy(dst[o:o+c], wide[i:i+c])
			}
			i += c
			o += c
			if i >= len(src) {
				break
			}
			// Literals are nearly always followed by a reference.
			if c = int(src[i]); c < 32 {
				continue
			}
			i++
		}
		l := c>>5 + 2
		if l == 9 {
			if i >= len(src) {
				return false
			}
			l += int(src[i])
			i++
		}
		if i >= len(src) {
			return false
		}
		distance := (c&31)<<8 + int(src[i]) + 1
		i++
		p := o - distance
		if p < 0 || o+l > n {
			return false
		}
		to := dst[o : o+16 : o+16]
		if distance >= 8 {
			from := dst[p : p+16 : p+16]
			le.PutUint64(to, le.Uint64(from))
			le.PutUint64(to[8:], le.Uint64(from[8:])) // of which to may be a part
		} else {
			from := dst[p : p+4 : p+4]
			to[0] = from[0]
			to[1] = from[1]
			to[2] = from[2]
			to[3] = from[3]
			p += int(lzfNear[distance].second)
			le.PutUint32(to[4:], le.Uint32(dst[p:]))
			p += int(lzfNear[distance].third)
			le.PutUint64(to[8:], le.Uint64(dst[p:]))
			p -= 8
		}
		for k := 16; k < l; k += 8 {
			le.PutUint64(dst[o+k:], le.Uint64(dst[p+k:]))
		}
		o += l
	}
	return o == n
}

// lzfNear says how a reference with a distance under 8 is repeated: from where,
// relative to its beginning, the second four bytes are copied, and from where,
// relative to those, the next eight, so that both continue the repetition and are
// in place already. The idea, and inc32table and dec64table, are those of
// lib/lz4.c of the lz4 project.
var lzfNear = [8]struct{ second, third int8 }{
	1: {1, 0}, 2: {2, 0}, 3: {1, 1}, 4: {0, 4}, 5: {4, -1}, 6: {4, -2}, 7: {4, -3},
}

// CheckLZF reports whether src decompresses to exactly n bytes, without doing it.
func CheckLZF(src []byte, n int64) bool {
	i, o := 0, int64(0)
	for i < len(src) {
		c := int(src[i])
		i++
		if c < 32 {
			i += c + 1
			o += int64(c) + 1
			continue
		}
		l := c>>5 + 2
		if l == 9 {
			if i >= len(src) {
				return false
			}
			l += int(src[i])
			i++
		}
		if i >= len(src) || int64((c&31)<<8|int(src[i])) >= o {
			return false
		}
		i++
		o += int64(l)
	}
	return i == len(src) && o == n
}

// HeadLZF decompresses the first bytes of src, at most cap(dst).
func HeadLZF(dst, src []byte) []byte {
	dst = dst[:0]
	for i := 0; i < len(src) && len(dst) < cap(dst); {
		c := int(src[i])
		i++
		if c < 32 {
			end := min(i+c+1, len(src))
			dst = append(dst, src[i:min(end, i+cap(dst)-len(dst))]...)
			i = end
			continue
		}
		l := c>>5 + 2
		if l == 9 && i < len(src) {
			l += int(src[i])
			i++
		}
		if i >= len(src) {
			break
		}
		p := len(dst) - (c&31)<<8 - int(src[i]) - 1
		i++
		if p < 0 {
			break
		}
		for ; l > 0 && len(dst) < cap(dst); l-- {
			dst = append(dst, dst[p])
			p++
		}
	}
	return dst
}

// BadLZF is the reason of the error for a compressed string with a false length.
const BadLZF = "a compressed string does not decompress to the length it claims"

// MaxRatioLZF is more than the best ratio that LZF reaches: 3 bytes give 264.
const MaxRatioLZF = 89

// SkipLZF checks and passes a compressed string too large to lie in memory whole.
func (w *Cursor) SkipLZF(clen uint64, n int64) {
	start := w.Offset()
	left, o := int64(clen), int64(0)
	for left > 0 {
		c := int64(w.Byte())
		left--
		if c < 32 {
			left -= c + 1
			o += c + 1
			if left < 0 {
				w.FailAt(start, BadLZF)
			}
			w.Skip(uint64(c + 1))
			continue
		}
		l := c>>5 + 2
		if l == 9 {
			l += int64(w.Byte())
			left--
		}
		d := (c&31)<<8 | int64(w.Byte())
		left--
		if left < 0 || d >= o {
			w.FailAt(start, BadLZF)
		}
		o += l
	}
	if o != n {
		w.FailAt(start, BadLZF)
	}
}
