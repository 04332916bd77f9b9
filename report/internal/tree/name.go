package tree

import (
	"bytes"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// maxSegments is the number of segments of a name that are distinguished. The last one
// has the rest of the name.
const maxSegments = 12

// maxValue is the largest length of a value in bytes. A longer one is cut, and ends in
// a * that stands for the rest.
const maxValue = 128

// inner and end are the kinds of the children of a node: a separator follows the value,
// or the value ends the name.
const (
	inner = 0
	end   = 1
)

// cutter cuts names into segments. It is immutable.
type cutter struct {
	namer     *naming.Namer
	separator int16 // if there is only one, else -1
	spans     bool  // a date or a UUID may contain a separator
}

func newCutter(n *naming.Namer) cutter {
	c := cutter{namer: n, separator: -1}
	if s := n.Separators(); len(s) == 1 {
		c.separator = int16(s[0])
	}
	for _, b := range []byte("-/._") {
		c.spans = c.spans || n.IsSeparator(b)
	}
	return c
}

// next returns the end of the segment of a name that begins at from, with its separator.
// It is the length of the name if no separator follows, or if this is the last segment
// that is distinguished.
func (c *cutter) next(name []byte, from, depth int) int {
	if depth >= maxSegments-1 {
		return len(name)
	}
	if c.separator >= 0 {
		if i := bytes.IndexByte(name[from:], byte(c.separator)); i >= 0 {
			return from + i + 1
		}
		return len(name)
	}
	for i, b := range name[from:] {
		if c.namer.IsSeparator(b) {
			return from + i + 1
		}
	}
	return len(name)
}

// segment is next with the kind of the segment.
func (c *cutter) segment(name []byte, from, depth int) (to int, kind uint8) {
	to = c.next(name, from, depth)
	if to == len(name) && (to == from || depth >= maxSegments-1 || !c.namer.IsSeparator(name[to-1])) {
		return to, end
	}
	return to, inner
}

// appendValue appends a segment as the value that a node stands for: the pattern of one
// that ends a name, any other as it is.
func (c *cutter) appendValue(dst, segment []byte, kind uint8) []byte {
	long := len(segment) > maxValue
	switch {
	case kind == end && long:
		return cutPattern(c.namer.AppendPattern(dst, segment[:maxValue]))
	case kind == end:
		return c.namer.AppendPattern(dst, segment)
	case long:
		_, to := varying(segment, inner)
		return append(cutPattern(append(dst, segment[:maxValue]...)), segment[to:]...)
	}
	return append(dst, segment...)
}

func (c *cutter) appendPattern(dst, value []byte, kind uint8) []byte {
	if kind == end {
		return append(dst, value...)
	}
	return append(c.namer.AppendPattern(dst, value[:len(value)-1]), value[len(value)-1])
}

// cutPattern makes a pattern stand for all names that begin like it.
func cutPattern(p []byte) []byte {
	if p[len(p)-1] == '*' {
		return p
	}
	return append(p, '*')
}

// varying returns the bounds of what * stands for when a value is folded: all but a brace of a hash
// tag at either end, and the separator.
func varying[T string | []byte](value T, kind uint8) (from, to int) {
	if to = len(value) - int(1-kind); to > 0 && value[to-1] == '}' {
		to--
	}
	if to > 0 && value[0] == '{' {
		from = 1
	}
	return from, to
}

// appendStar appends what any value of a place is folded into.
func appendStar(dst, value []byte, kind uint8) []byte {
	from, to := varying(value, kind)
	dst = append(append(dst, value[:from]...), '*')
	return append(dst, value[to:]...)
}

// isStar reports whether a value is what others are folded into.
func isStar[T string | []byte](value T, kind uint8) bool {
	from, to := varying(value, kind)
	return to == from+1 && value[from] == '*'
}

// appendShape appends the shape of a value, which values of a folded place are joined by
// if they have two letters in common: the pattern of a value that varies, or the first word of
// another one. It appends nothing if there is none.
func (c *cutter) appendShape(dst, value []byte, kind uint8) []byte {
	start := len(dst)
	if lettersOf(value) < 2 {
		return dst
	}
	if kind == inner {
		if dst = c.appendPattern(dst, value, inner); !bytes.Equal(dst[start:], value) {
			if lettersOf(dst[start:]) < 2 {
				return dst[:start]
			}
			return dst
		}
		dst = dst[:start]
	}
	from, to := varying(value, kind)
	for i, b := range value[from:to] {
		if isLetter(b) {
			continue
		}
		if i < 2 || from+i == to-1 {
			return dst
		}
		if dst = append(dst, value[:from+i]...); b != '*' {
			dst = append(dst, b)
		}
		if dst = append(append(dst, '*'), value[to:]...); bytes.Equal(dst[start:], value) {
			return dst[:start]
		}
		return dst
	}
	return dst
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// lettersOf returns the number of letters, but no more than 2.
func lettersOf[T string | []byte](text T) (n int) {
	for i := 0; i < len(text) && n < 2; i++ {
		if isLetter(text[i]) {
			n++
		}
	}
	return n
}

// varies reports whether a pattern may replace something in a segment, apart from what
// crosses its borders.
func varies(segment []byte) bool {
	for _, b := range segment {
		if b-'0' <= 9 || b == '*' || b == '{' || b == '}' {
			return true
		}
	}
	return false
}
