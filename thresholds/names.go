package thresholds

import (
	"encoding/binary"
	"math/bits"
)

// MaxPattern is how many bytes of a name decide about its group: what comes
// after them is folded into one *.
const MaxPattern = 255

// oneWord is the longest name, in bytes, whose bytes have a bit each in one
// word. Longer names take a slower way to the same facts.
const oneWord = 64

// Namer finds the facts of names for one set of separators. It is immutable
// and may be used by several goroutines.
type Namer struct {
	separators string
	isSep      [256]bool
	first      uint64 // the first separator in all bytes of a word, 0 none
}

// NewNamer gives a Namer for a set of separators, each one ASCII character.
// Other bytes, NUL, letters and digits are left out; without a separator every
// name is one segment.
func NewNamer(separators string) *Namer {
	n := &Namer{}
	for i := range len(separators) {
		b := separators[i]
		if n.isSep[b] || b == 0 || kindOf(b)&(ClassHigh|ClassLower|ClassUpper|ClassDigit) != 0 {
			continue
		}
		n.isSep[b] = true
		n.separators += string(rune(b))
	}
	if n.separators != "" {
		n.first = uint64(n.separators[0]) * ones
	}
	return n
}

// Separators gives the set that the Namer was made for.
func (n *Namer) Separators() string { return n.separators }

// IsSeparator says whether a byte ends a segment.
func (n *Namer) IsSeparator(b byte) bool { return n.isSep[b] }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// load gives eight bytes of name from i on, the first one lowest. Where the
// name has no more, zeros follow. i is less than the length of the name.
func load(name []byte, i int) uint64 {
	n := len(name)
	switch {
	case n >= i+8:
		return binary.LittleEndian.Uint64(name[i:])
	case n >= 8:
		return binary.LittleEndian.Uint64(name[n-8:]) >> uint(8*(i+8-n)&63)
	}
	return loadShort(name) >> uint(8*i&63)
}

// loadShort is load from the start of a name of 1 to 7 bytes.
func loadShort(name []byte) uint64 {
	n := len(name)
	if n >= 4 {
		return uint64(binary.LittleEndian.Uint32(name)) | uint64(binary.LittleEndian.Uint32(name[n-4:]))<<uint(8*(n-4)&63)
	}
	return uint64(name[0]) | uint64(name[n/2])<<uint(8*(n/2)&63) | uint64(name[n-1])<<uint(8*(n-1)&63)
}

// gather moves the top bits of the eight bytes of w, which has no others, into
// the lowest eight.
func gather(w uint64) uint64 { return w >> 7 * 0x0102040810204080 >> 56 }

// Facts fills f with the facts of a name. It allocates nothing and takes time
// in proportion to the name's length.
func (n *Namer) Facts(name []byte, f *Facts) {
	if len(name) > oneWord || len(name) == 0 {
		n.longFacts(name, f)
		return
	}
	n.shortFacts(name, f)
}

// shortFacts is Facts for a name of 1 to 64 bytes. It gives the digits, a bit
// for each byte.
func (n *Namer) shortFacts(name []byte, f *Facts) (digits uint64) {
	c, digits, letters, seps := scan(name, n.first)
	if len(n.separators) != 1 {
		seps = n.seps(name)
	}

	f.Group = hashFolded(name, foldedBytes(name, c, digits, letters))
	c &^= classStar
	f.Class = c
	f.named, f.calm = 0, 0
	f.First = name[0]
	f.TagStart, f.TagEnd = 0, 0
	if c&ClassBrace != 0 {
		f.TagStart, f.TagEnd = hashTag(name)
	}
	if seps == 0 {
		f.Segments, f.EmptySegment, f.FirstEnd, f.LastStart = 1, false, len(name), 0
		return digits
	}
	last := bits.Len64(seps)
	f.Segments = bits.OnesCount64(seps) + 1
	f.EmptySegment = seps&(seps<<1|1) != 0 || last == len(name)
	f.FirstEnd = bits.TrailingZeros64(seps)
	f.LastStart = last
	return digits
}

// scan looks at the bytes of a name of at most 64 bytes, eight at a time: their
// kinds, and with a bit for each byte the digits, the letters a-f and A-F, and
// those that are sep, which has one separator in all its bytes.
func scan(name []byte, sep uint64) (class Class, digits, letters, seps uint64) {
	i := 0
	for ; i+8 <= len(name); i += 8 {
		w := binary.LittleEndian.Uint64(name[i:])
		class |= classOfByte[uint8(w)] | classOfByte[uint8(w>>8)]
		class |= classOfByte[uint8(w>>16)] | classOfByte[uint8(w>>24)]
		class |= classOfByte[uint8(w>>32)] | classOfByte[uint8(w>>40)]
		class |= classOfByte[uint8(w>>48)] | classOfByte[w>>56]
		t := w ^ '0'*ones
		digits |= gather(^(t&lows+(0x80-10)*ones|t)&highs) << uint(i&63)
		t = (w|0x20*ones)&lows ^ 0x60*ones
		letters |= gather((t+0x7f*ones)&^(t+(0x80-7)*ones|w)&highs) << uint(i&63)
		t = w ^ sep
		seps |= gather(^(t&lows+lows|t)&highs) << uint(i&63)
	}
	for ; i < len(name); i++ {
		b := uint64(name[i])
		class |= classOfByte[b]
		if b-'0' <= 9 {
			digits |= 1 << uint(i&63)
		}
		if (b|0x20)-'a' <= 5 {
			letters |= 1 << uint(i&63)
		}
		if b == sep&0xff {
			seps |= 1 << uint(i&63)
		}
	}
	return class, digits, letters, seps
}

// seps gives the bytes of a name of at most 64 bytes that are separators.
func (n *Namer) seps(name []byte) (seps uint64) {
	for i, b := range name {
		if n.isSep[b] {
			seps |= 1 << i
		}
	}
	return seps
}

// longFacts is Facts for a name of any length.
func (n *Namer) longFacts(name []byte, f *Facts) {
	*f = Facts{Segments: 1, FirstEnd: len(name), EmptySegment: len(name) == 0}
	for from := 0; from < len(name); from += oneWord {
		part := name[from:min(from+oneWord, len(name))]
		c, _, _, seps := scan(part, n.first)
		if len(n.separators) != 1 {
			seps = n.seps(part)
		}
		f.Class |= c
		if seps == 0 {
			continue
		}
		if f.Segments == 1 {
			f.FirstEnd = from + bits.TrailingZeros64(seps)
		}
		f.Segments += bits.OnesCount64(seps)
		before := uint64(0) // a separator, or the start of the name, ends just before
		if f.LastStart == from {
			before = 1
		}
		f.EmptySegment = f.EmptySegment || seps&(seps<<1|before) != 0
		f.LastStart = from + bits.Len64(seps)
	}
	f.Class &^= classStar
	if len(name) > 0 {
		f.First = name[0]
		f.EmptySegment = f.EmptySegment || f.LastStart == len(name)
	}
	if f.Class&ClassBrace != 0 {
		f.TagStart, f.TagEnd = hashTag(name)
	}
	var buf [MaxPattern + 1]byte
	f.Group = HashPattern(n.AppendPattern(buf[:0], name))
}

// hashTag gives the bounds of the content of a name's hash tag, 0 and 0 where
// it has none.
func hashTag(name []byte) (start, end int) {
	for i, b := range name {
		if b != '{' {
			continue
		}
		for j := i + 1; j < len(name); j++ {
			if name[j] == '}' {
				if j == i+1 {
					return 0, 0
				}
				return i + 1, j
			}
		}
		return 0, 0
	}
	return 0, 0
}

// classStar marks a * in a name, which stands for itself and for what is
// folded alike. It never leaves this file.
const classStar Class = 1 << 31

// classOfByte has the kinds of each byte.
var classOfByte = func() (t [256]Class) {
	for i := range t {
		t[i] = kindOf(byte(i))
	}
	t['*'] |= classStar
	return t
}()

func kindOf(b byte) Class {
	switch {
	case b >= 'a' && b <= 'z':
		return ClassLower
	case b >= 'A' && b <= 'Z':
		return ClassUpper
	case b >= '0' && b <= '9':
		return ClassDigit
	case b >= 0x80:
		return ClassHigh
	case b >= '\t' && b <= '\r':
		return ClassSpace | ClassControl
	case b < ' ' || b == 0x7f:
		return ClassControl
	}
	switch b {
	case ' ':
		return ClassSpace
	case '.':
		return ClassDot
	case ':':
		return ClassColon
	case '_':
		return ClassUnderscore
	case '#':
		return ClassHash
	case '-', '+', '=':
		return ClassOperator
	case '{', '}':
		return ClassBrace
	case '\'', '"', '`':
		return ClassQuote
	case '\\':
		return ClassBackslash
	}
	return ClassOther
}
