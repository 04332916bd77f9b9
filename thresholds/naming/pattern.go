package naming

import (
	"encoding/binary"
	"math/bits"
)

// AppendPattern appends the pattern of name to dst, at most MaxPattern+1 bytes.
// See the package documentation for what a pattern replaces.
func (n *Namer) AppendPattern(dst, name []byte) []byte {
	if len(name) <= oneWord {
		c, digits, letters, _ := scan(name, 0)
		return appendFolded(dst, name, foldedBytes(name, c, digits, letters))
	}
	cut := len(name) > MaxPattern
	if cut {
		name = name[:MaxPattern]
	}
	var folded longMask
	folded.mark(name)
	for from := 0; from < len(name); from += oneWord {
		part := name[from:min(from+oneWord, len(name))]
		stars := folded[from/oneWord]
		if from > 0 && stars&1 != 0 && folded.has(from-1) {
			dst = dst[:len(dst)-1] // the star continues
		}
		dst = appendFolded(dst, part, stars)
	}
	if cut && !folded.has(len(name)-1) {
		dst = append(dst, '*')
	}
	return dst
}

// appendFolded appends a name of at most 64 bytes with a star for each run of
// replaced bytes, whose bits are set in folded.
func appendFolded(dst, name []byte, folded uint64) []byte {
	for i := 0; i < len(name); {
		end := i + min(bits.TrailingZeros64(folded>>uint(i&63)), len(name)-i)
		dst = append(dst, name[i:end]...)
		if end >= len(name) {
			return dst
		}
		dst = append(dst, '*')
		i = end + bits.TrailingZeros64(^(folded >> uint(end&63)))
	}
	return dst
}

// longMask has one bit for each byte of a name of up to MaxPattern bytes.
type longMask [(MaxPattern + 63) / 64]uint64

func (s *longMask) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s *longMask) add(from, to int) {
	for i := from; i < to; i++ {
		s[i>>6] |= 1 << (i & 63)
	}
}

// mark adds the replaced bytes of a name of at most MaxPattern bytes.
func (s *longMask) mark(name []byte) {
	var class Class
	var letters longMask
	for i := range s {
		if from := i * oneWord; from < len(name) {
			var c Class
			c, s[i], letters[i], _ = scan(name[from:min(from+oneWord, len(name))], 0)
			class |= c
		}
	}
	if s.moreThanDigits(&letters, class) {
		s.markSlowly(name)
	}
}

// moreThanDigits reports whether bytes other than digits may have to be replaced
// in a name whose digits are in s and whose letters a to f are in letters.
func (s *longMask) moreThanDigits(letters *longMask, c Class) bool {
	if c&classStar != 0 {
		return true
	}
	for i := range s {
		d, l := s[i], letters[i]
		if moreThanDigits(d, l) {
			return true
		}
		if i+1 < len(s) { // across the border of two words
			d, l = d>>32|s[i+1]<<32, l>>32|letters[i+1]<<32
			if moreThanDigits(d, l) {
				return true
			}
		}
		// A UUID of digits only may be longer than what two words share.
		if hex := d | l; c&ClassOperator != 0 && hex&(hex>>1)&(hex>>2)&(hex>>3) != 0 {
			return true
		}
	}
	return false
}

// markSlowly is mark for any name, byte by byte.
func (s *longMask) markSlowly(name []byte) {
	run, digit := 0, false // start of the run of hexadecimal digits, and whether it contains a 0-9
	for i := 0; i <= len(name); i++ {
		if i < len(name) && isHex(name[i]) {
			if isDigit(name[i]) {
				digit = true
				s.add(i, i+1)
				if n := dateAt(name, i); n > 0 {
					s.add(i, i+n)
				}
			}
			continue
		}
		if i < len(name) && name[i] == '*' {
			s.add(i, i+1)
		}
		if i-run >= 8 {
			if digit {
				s.add(run, i)
			}
			if uuidAt(name, i-8) {
				s.add(i-8, i-8+36)
			}
		}
		run, digit = i+1, false
	}
}

// moreThanDigits reports whether bytes other than digits may have to be replaced
// in a name of at most 64 bytes, apart from stars.
func moreThanDigits(digits, letters uint64) bool {
	hex := digits | letters
	hex2 := hex & (hex >> 1)
	hex4 := hex2 & (hex2 >> 2)
	hex8 := hex4 & (hex4 >> 4)
	if hex8 != 0 {
		digits2 := digits & (digits >> 1)
		digits4 := digits2 & (digits2 >> 2)
		if hex8&^(digits4&(digits4>>4)) != 0 || uuids(hex4, hex8) != 0 {
			return true
		}
	}
	return dates(digits) != 0
}

// uuids returns where a UUID may begin: all its digits are present, with any byte
// between the groups.
func uuids(hex4, hex8 uint64) uint64 {
	return hex8 & (hex4 >> 9) & (hex4 >> 14) & (hex4 >> 19) & (hex8 >> 24) & (hex4 >> 32)
}

// dates returns where a date may begin: four digits, one other byte, two digits.
func dates(digits uint64) uint64 {
	two := digits & (digits >> 1)
	pair := two &^ (digits >> 2) &^ (digits << 1) // begins a run of exactly two
	four := two & (two >> 2) &^ (digits >> 4) &^ (digits << 1)
	return four & (pair >> 5)
}

// foldedBytes returns a mask of the replaced bytes of a name of at most 64 bytes.
func foldedBytes(name []byte, c Class, digits, letters uint64) uint64 {
	if c&classStar != 0 || moreThanDigits(digits, letters) {
		return foldWord(name, c, digits, letters)
	}
	return digits
}

// foldWord is foldedBytes for a name in which more than digits may be replaced.
func foldWord(name []byte, c Class, digits, letters uint64) uint64 {
	folded := digits
	hex := digits | letters
	hex4 := hex & (hex >> 1)
	hex4 &= hex4 >> 2
	hex8 := hex4 & (hex4 >> 4)
	for rest := hex8; rest != 0; {
		start := bits.TrailingZeros64(rest)
		end := start + bits.TrailingZeros64(^(hex >> uint(start&63)))
		run := between(start, end)
		if run&digits != 0 {
			folded |= run
		}
		rest &^= run
	}
	for at := uuids(hex4, hex8); at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(at)
		if d := name[i : i+36]; d[8] == '-' && d[13] == '-' && d[18] == '-' && d[23] == '-' {
			folded |= between(i, i+36)
		}
	}
	for at := dates(digits); at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(at)
		folded |= between(i, i+dateAt(name, i))
	}
	if c&classStar != 0 {
		for i, b := range name {
			if b == '*' {
				folded |= 1 << i
			}
		}
	}
	return folded
}

// between returns a mask of the bits from, inclusive, to to, exclusive. Both are
// at most 64.
func between(from, to int) uint64 { return 1<<to - 1<<from }

func isDigit(b byte) bool { return b-'0' <= 9 }

func isHex(b byte) bool { return isDigit(b) || (b|0x20)-'a' <= 5 }

func uuidAt(name []byte, i int) bool {
	if i < 0 || len(name)-i < 36 {
		return false
	}
	for j, b := range name[i : i+36] {
		switch j {
		case 8, 13, 18, 23:
			if b != '-' {
				return false
			}
		default:
			if !isHex(b) {
				return false
			}
		}
	}
	return true
}

// dateAt returns the length of the date that begins at byte i of a name, 0 if
// there is none.
func dateAt(name []byte, i int) int {
	if i > 0 && isDigit(name[i-1]) || len(name)-i < 7 {
		return 0
	}
	d := name[i:]
	if d[0] != '1' && d[0] != '2' || !isDigit(d[1]) || !isDigit(d[2]) || !isDigit(d[3]) {
		return 0
	}
	sep := d[4]
	if sep != '-' && sep != '/' && sep != '.' && sep != '_' {
		return 0
	}
	if m := twoDigits(d[5:]); m < 1 || m > 12 {
		return 0
	}
	if len(d) > 7 && d[7] == sep {
		if m := twoDigits(d[8:]); m >= 1 && m <= 31 {
			return 10
		}
	}
	return 7
}

// twoDigits returns the number at the start of b if it has exactly two digits,
// otherwise -1.
func twoDigits(b []byte) int {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) || len(b) > 2 && isDigit(b[2]) {
		return -1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// The hash of a pattern mixes the text between its stars eight bytes at a time.
// The constants and the mixing step are those of wyhash (Wang Yi, 2019). They are
// fixed: the hash is the same in every run, and no secret.
const (
	hashSeed = 0xa0761d6478bd642f
	hashWord = 0xe7037ed1a0b428db
	hashRest = 0x8ebc6af09c88c6e3
	hashStar = 0x589965cc75374cc3
)

// mix multiplies two words and combines the halves of the 128-bit product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashFolded returns the hash of the pattern of a name of 1 to 64 bytes. The bits
// of replaced bytes are set in folded.
func hashFolded(name []byte, folded uint64) uint64 {
	h, n := uint64(hashSeed), len(name)
	for i := 0; ; {
		end := min(i+bits.TrailingZeros64(folded>>uint(i&63)), n)
		for ; end-i >= 8; i += 8 {
			h = mix(h^binary.LittleEndian.Uint64(name[i:]), hashWord)
		}
		if rest := uint64(end - i); rest > 0 {
			var w uint64
			if i+8 <= n {
				w = binary.LittleEndian.Uint64(name[i:])
			} else {
				w = load(name, i)
			}
			h = mix(h^w<<(64-8*rest&63), hashRest+rest)
		}
		if end >= n {
			return h
		}
		h = mix(h^hashStar, hashWord)
		if i = end + bits.TrailingZeros64(^(folded >> uint(end&63))); i >= n {
			return h
		}
	}
}

// HashPattern returns the hash of a pattern: for the text that AppendPattern
// appends for a name, the Group of that name's facts.
func HashPattern(text []byte) uint64 {
	h := uint64(hashSeed)
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] != '*' {
			end++
		}
		for ; end-i >= 8; i += 8 {
			h = mix(h^binary.LittleEndian.Uint64(text[i:]), hashWord)
		}
		if rest := end - i; rest > 0 {
			h = mix(h^load(text, i)<<uint(64-8*rest&63), hashRest+uint64(rest))
			i = end
		}
		if i < len(text) {
			h = mix(h^hashStar, hashWord)
			i++
		}
	}
	return h
}
