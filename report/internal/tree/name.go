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
// that is distinguished. tagEnd is the end of the hash tag's content, 0 without one:
// separators in it do not separate.
func (c *cutter) next(name []byte, from, depth, tagStart, tagEnd int) int {
	if depth >= maxSegments-1 {
		return len(name)
	}
	for at := from; ; {
		i := -1
		if c.separator >= 0 {
			i = bytes.IndexByte(name[at:], byte(c.separator))
		} else {
			for n, b := range name[at:] {
				if c.namer.IsSeparator(b) {
					i = n
					break
				}
			}
		}
		if i < 0 {
			return len(name)
		}
		if at += i; at < tagStart || at >= tagEnd {
			return at + 1
		}
		at++
	}
}

// segment is next with the kind of the segment.
func (c *cutter) segment(name []byte, from, depth, tagStart, tagEnd int) (to int, kind uint8) {
	to = c.next(name, from, depth, tagStart, tagEnd)
	if to == len(name) && (to == from || depth >= maxSegments-1 || !c.namer.IsSeparator(name[to-1]) ||
		to-1 >= tagStart && to-1 < tagEnd) {
		return to, end
	}
	return to, inner
}

// tagOf returns the bounds of the content of a name's hash tag, both 0 if it has none:
// what is between the first { and the next }, unless that is empty.
func tagOf(name []byte) (from, to int) {
	if from = bytes.IndexByte(name, '{') + 1; from > 0 {
		if n := bytes.IndexByte(name[from:], '}'); n > 0 {
			return from, from + n
		}
	}
	return 0, 0
}

// separatorOf returns the separator that ends the label of an inner node.
func separatorOf(label []byte) []byte { return label[len(label)-1:] }

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
		dst = cutPattern(append(dst, segment[:maxValue]...))
		return append(dst, separatorOf(segment)...)
	}
	return append(dst, segment...)
}

func (c *cutter) appendPattern(dst, value []byte, kind uint8) []byte {
	if kind == end {
		return append(dst, value...)
	}
	return append(c.namer.AppendPattern(dst, value[:len(value)-1]), separatorOf(value)...)
}

// cutPattern makes a pattern stand for all names that begin like it.
func cutPattern(p []byte) []byte {
	if p[len(p)-1] == '*' {
		return p
	}
	return append(p, '*')
}

// appendStar appends what any value of a place is folded into: *, and the separator of
// the value if one follows.
func appendStar(dst, value []byte, kind uint8) []byte {
	dst = append(dst, '*')
	if kind == inner {
		dst = append(dst, separatorOf(value)...)
	}
	return dst
}

// appendShape appends the shape of a value, which values of a folded place are joined by
// if they have two letters in common: the pattern of a value with digits or a hash tag,
// or the first word of another one. It appends nothing if there is none.
func (c *cutter) appendShape(dst, value []byte, kind uint8) []byte {
	from, body := len(dst), value
	if kind == inner {
		body = value[:len(value)-1]
		dst = c.namer.AppendPattern(dst, body)
		if p := dst[from:]; !bytes.Equal(p, body) {
			if lettersOf(p) < 2 && bytes.IndexByte(p, '{') < 0 { // {*} says that there is a hash tag
				return dst[:from]
			}
			return append(dst, separatorOf(value)...)
		}
		dst = dst[:from]
	}
	for i, b := range body {
		if isLetter(b) {
			continue
		}
		if i < 2 || i == len(body)-1 {
			return dst
		}
		if dst = append(dst, body[:i]...); b != '*' {
			dst = append(dst, b)
		}
		if dst = append(dst, '*'); bytes.Equal(dst[from:], body) {
			return dst[:from]
		}
		if kind == inner {
			dst = append(dst, separatorOf(value)...)
		}
		return dst
	}
	return dst
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

func lettersOf(text []byte) (n int) {
	for _, b := range text {
		if isLetter(b) {
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
