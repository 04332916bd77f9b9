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
	broadcast  []uint64 // each separator in all bytes of a word
}

// NewNamer gives a Namer for a set of separators, each one ASCII character.
// Other bytes, NUL, letters and digits are left out; without a separator every
// name is one segment.
func NewNamer(separators string) *Namer {
	n := &Namer{}
	for i := range len(separators) {
		b := separators[i]
		if n.isSep[b] || b == 0 || bytesOf[b].class()&(ClassHigh|ClassLower|ClassUpper|ClassDigit) != 0 {
			continue
		}
		n.isSep[b] = true
		n.separators += string(rune(b))
		n.broadcast = append(n.broadcast, uint64(b)*ones)
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

// load gives the bytes of name from i on, at most eight, the first one lowest,
// and zero where there are none.
func load(name []byte, i int) uint64 {
	n := len(name)
	switch {
	case n >= i+8:
		return binary.LittleEndian.Uint64(name[i:])
	case n >= 8:
		return binary.LittleEndian.Uint64(name[n-8:]) >> uint(8*(i+8-n)&63)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(name)) | uint64(binary.LittleEndian.Uint32(name[n-4:]))<<uint(8*(n-4)&63)
	case n > 0:
		return uint64(name[0]) | uint64(name[n/2])<<uint(8*(n/2)&63) | uint64(name[n-1])<<uint(8*(n-1)&63)
	}
	return 0
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
	// A bit for each byte: digits, letters a to f, separators.
	var digits, letters, seps uint64
	for i := 0; i < len(name); i += 8 {
		w := load(name, i)
		t := w ^ '0'*ones
		digits |= gather(^(t&lows+(0x80-10)*ones|t)&highs) << uint(i&63)
		t = (w|0x20*ones)&lows ^ 0x60*ones
		letters |= gather((t+0x7f*ones)&^(t+(0x80-7)*ones)&^w&highs) << uint(i&63)
		for _, s := range n.broadcast {
			t = w ^ s
			seps |= gather(^(t&lows+lows|t)&highs) << uint(i&63)
		}
	}

	// A folded run keeps its first byte, which stands for the *. Digits are
	// told by the table, so only other folded bytes need the second loop.
	folded := digits
	var class uint64
	var h uint64
	all := ^uint64(0) >> uint((oneWord-len(name))&63)
	special := specials(digits, letters)
	if !special {
		j := uint8(0)
		for keep := all &^ (folded & (folded << 1)); keep != 0; keep &= keep - 1 {
			b := &bytesOf[name[bits.TrailingZeros64(keep)&63]]
			class |= uint64(*b)
			h += uint64(*b>>32) * places[j]
			j++
		}
	}
	c := Class(class)
	if special || c&ClassBrace != 0 {
		folded |= foldWord(name, digits, letters)
		c, h = classOf(name), 0
		j := uint8(0)
		for keep := all &^ (folded & (folded << 1)); keep != 0; keep &= keep - 1 {
			i := bits.TrailingZeros64(keep) & 63
			b := name[i]
			if folded>>i&1 != 0 {
				b = '*'
			}
			h += bytesOf[b].value() * places[j]
			j++
		}
	}

	f.Class = c
	f.First = name[0]
	f.Group = finish(h)
	f.TagStart, f.TagEnd = 0, 0
	if c&ClassBrace != 0 {
		f.TagStart, f.TagEnd = hashTag(name)
	}
	if seps == 0 {
		f.Segments, f.EmptySegment, f.FirstEnd, f.LastStart = 1, false, len(name), 0
		return
	}
	last := bits.Len64(seps)
	f.Segments = bits.OnesCount64(seps) + 1
	f.EmptySegment = seps&(seps<<1|1) != 0 || last == len(name)
	f.FirstEnd = bits.TrailingZeros64(seps)
	f.LastStart = last
}

// longFacts is Facts for a name of any length.
func (n *Namer) longFacts(name []byte, f *Facts) {
	*f = Facts{Class: classOf(name), Segments: 1}
	if len(name) == 0 {
		f.EmptySegment = true
		f.Group = finish(0)
		return
	}
	f.First = name[0]
	start := 0
	for i, b := range name {
		if !n.isSep[b] {
			continue
		}
		if f.Segments == 1 {
			f.FirstEnd = i
		}
		if i == start {
			f.EmptySegment = true
		}
		f.Segments++
		start = i + 1
	}
	f.LastStart = start
	if f.Segments == 1 {
		f.FirstEnd = len(name)
	} else if start == len(name) {
		f.EmptySegment = true
	}
	if f.Class&ClassBrace != 0 {
		f.TagStart, f.TagEnd = hashTag(name)
	}
	var buf [MaxPattern + 1]byte
	f.Group = HashPattern(n.AppendPattern(buf[:0], name))
}

// classOf gives the kinds of bytes in a name.
func classOf(name []byte) Class {
	var c byteFacts
	for _, b := range name {
		c |= bytesOf[b]
	}
	return c.class()
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

// byteFacts has a byte's Class in its lower half, and in its upper half the
// number that stands for it in a pattern's hash; digits have that of *.
type byteFacts uint64

func (b byteFacts) class() Class  { return Class(b) }
func (b byteFacts) value() uint64 { return uint64(b >> 32) }

var (
	bytesOf [256]byteFacts
	places  [256]uint64 // multiplier of each place in a pattern's hash
)

// next gives the numbers of SplitMix64 (Steele, Lea and Flood, 2014).
func next(seed *uint64) uint64 {
	*seed += 0x9e3779b97f4a7c15
	z := *seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func init() {
	// The hash is the same in every run, so the seed is a constant.
	seed := uint64(0x7264626c656e73)
	for i := range bytesOf {
		bytesOf[i] = byteFacts(next(&seed)>>32<<32 | uint64(classOfByte(byte(i))))
		places[i] = next(&seed) | 1
	}
	star := bytesOf['*'] >> 32 << 32
	for b := '0'; b <= '9'; b++ {
		bytesOf[b] = star | byteFacts(ClassDigit)
	}
}

func classOfByte(b byte) Class {
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

// HashPattern gives the hash of a pattern's text as Facts.Group has it: a sum
// of a number for each byte times one for its place, mixed at the end.
func HashPattern(text []byte) uint64 {
	var h uint64
	for i, b := range text {
		h += bytesOf[b].value() * places[uint8(i)]
	}
	return finish(h)
}

// finish spreads the upper bits of a sum, which are its good ones, over all.
func finish(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
