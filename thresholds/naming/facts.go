package naming

import (
	"encoding/binary"
	"math/bits"
)

// MaxPattern is the number of leading bytes of a name that its pattern depends
// on. What follows is replaced by one star.
const MaxPattern = 255

// oneWord is the largest length of a name whose bytes have a bit each in one word.
// Longer names take a slower path to the same facts.
const oneWord = 64

// Class is a set of kinds of bytes.
type Class uint32

// The kinds of bytes. Each byte is of one kind, except tab, newline, vertical
// tab, form feed and carriage return, which are both white space and control
// characters.
const (
	ClassLower      Class = 1 << iota // a-z
	ClassUpper                        // A-Z
	ClassDigit                        // 0-9
	ClassDot                          // .
	ClassColon                        // :
	ClassUnderscore                   // _
	ClassHash                         // #
	ClassOperator                     // - + =
	ClassBrace                        // { }
	ClassSpace                        // space, tab, newline, vertical tab, form feed, carriage return
	ClassQuote                        // ' " `
	ClassBackslash                    // \
	ClassControl                      // below 0x20, and 0x7f
	ClassHigh                         // 0x80 and above: UTF-8, or not text
	ClassOther                        // the rest of ASCII: ! $ % & ( ) * , / ; < > ? @ [ ] ^ | ~
)

// Facts describes a name. Positions are byte offsets into it.
type Facts struct {
	Class Class // the kinds of bytes in the name
	First byte  // the first byte, 0 in an empty name
	// Segments is the number of parts between separators: 1 in a name without
	// separators, also in the empty name.
	Segments     int
	EmptySegment bool // two adjacent separators, one at either end, or an empty name
	FirstEnd     int  // end of the first segment
	LastStart    int  // start of the last segment
	// TagStart and TagEnd enclose the content of the hash tag as Redis Cluster
	// defines it: what is between the first { and the next }, unless empty.
	// Both are 0 in a name without a tag.
	TagStart, TagEnd int
	// Group is the hash of the name's pattern, see HashPattern.
	Group uint64

	// Checked and Passed are bit sets for the caller's use; they are 0 in new
	// facts. A Cache returns them unchanged with the facts, to all names that
	// share these, so that a caller can keep what it derives from facts alone.
	Checked, Passed uint32
}

// Namer computes facts about names for one set of separators. It is immutable
// and may be used by several goroutines at once.
type Namer struct {
	separators string
	isSep      [256]bool
	first      uint64 // the first separator in each byte of a word, 0 none
	others     Class  // the kinds of bytes that the further separators are of
}

// NewNamer returns a Namer for a set of separators, each an ASCII character.
// Bytes of 0x80 and above, NUL, letters and digits are ignored. Without
// separators every name is one segment.
func NewNamer(separators string) *Namer {
	n := &Namer{}
	for i := range len(separators) {
		b := separators[i]
		if n.isSep[b] || b == 0 || ClassOf(b)&(ClassHigh|ClassLower|ClassUpper|ClassDigit) != 0 {
			continue
		}
		n.isSep[b] = true
		if n.separators != "" {
			n.others |= ClassOf(b)
		}
		n.separators += string(rune(b))
	}
	if n.separators != "" {
		n.first = uint64(n.separators[0]) * ones
	} else {
		n.others = ^Class(0) // a first separator of 0 would be found in names
	}
	return n
}

// Separators returns the separators that the Namer was made for.
func (n *Namer) Separators() string { return n.separators }

// IsSeparator reports whether b separates segments.
func (n *Namer) IsSeparator(b byte) bool { return n.isSep[b] }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// load returns eight bytes of name from i on, the first one lowest, padded with
// zeros at the end of the name. i must be less than len(name).
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

// loadShort is load(name, 0) for a name of 1 to 7 bytes.
func loadShort(name []byte) uint64 {
	n := len(name)
	if n >= 4 {
		return uint64(binary.LittleEndian.Uint32(name)) | uint64(binary.LittleEndian.Uint32(name[n-4:]))<<uint(8*(n-4)&63)
	}
	return uint64(name[0]) | uint64(name[n/2])<<uint(8*(n/2)&63) | uint64(name[n-1])<<uint(8*(n-1)&63)
}

// gather collects the top bits of the eight bytes of w in the lowest eight bits.
// All other bits of w must be 0.
func gather(w uint64) uint64 { return w >> 7 * 0x0102040810204080 >> 56 }

// Facts fills f with the facts about name. It does not allocate and takes time
// proportional to the length of the name.
func (n *Namer) Facts(name []byte, f *Facts) {
	if len(name) > oneWord || len(name) == 0 {
		n.longFacts(name, f)
		return
	}
	n.shortFacts(name, f)
}

// shortFacts is Facts for a name of 1 to 64 bytes. It returns a mask of the
// digits, one bit a byte.
func (n *Namer) shortFacts(name []byte, f *Facts) (digits uint64) {
	c, digits, letters, seps := scan(name, n.first)
	if c&n.others != 0 {
		seps = n.seps(name)
	}

	f.Group = hashFolded(name, foldedBytes(name, c, digits, letters))
	c &^= classStar
	f.Class = c
	f.Checked, f.Passed = 0, 0
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

// scan examines a name of at most 64 bytes, eight at a time. It returns the kinds
// of its bytes and, with one bit a byte, masks of the digits, of the letters a-f
// and A-F, and of the separator that sep holds in each of its bytes.
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

// seps returns a mask of the separators in a name of at most 64 bytes.
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
		if c&n.others != 0 {
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
		before := uint64(0) // 1 where a separator, or the start of the name, is just before
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

// hashTag returns the bounds of the content of a name's hash tag, 0 and 0 where
// it has none. The rule is that of keyHashSlot in the server's cluster.c.
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

// classStar marks a * in a name. It is used inside this package only and is
// never part of Facts.Class.
const classStar Class = 1 << 31

var classOfByte = func() (t [256]Class) {
	for class, chars := range map[Class]string{ClassLower: "abcdefghijklmnopqrstuvwxyz",
		ClassUpper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		ClassDigit: "0123456789", ClassDot: ".", ClassColon: ":", ClassUnderscore: "_", ClassHash: "#", ClassOperator: "-+=",
		ClassBrace: "{}",
		ClassSpace: " \t\n\v\f\r", ClassQuote: "'\"`", ClassBackslash: `\`, classStar: "*"} {
		for _, c := range []byte(chars) {
			t[c] = class
		}
	}
	for b := range t {
		switch {
		case b >= 0x80:
			t[b] = ClassHigh
		case b < ' ' || b == 0x7f:
			t[b] |= ClassControl
		case t[b] == 0 || t[b] == classStar:
			t[b] |= ClassOther
		}
	}
	return t
}()

// ClassOf returns the kinds of one byte.
func ClassOf(b byte) Class { return classOfByte[b] &^ classStar }
