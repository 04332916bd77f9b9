package inflate

import "math/bits"

const (
	maxLit  = 288 // literals, the end of a block, and lengths
	maxDist = 32

	litBits  = 12 // of a code, with which the first table is indexed
	distBits = 8

	// Further tables for the three bits behind litBits have at most two entries for each
	// symbol, so all tables at most 1<<12 + 2*maxLit; those of distances at most 402
	// entries. The next powers of two make masks.
	litSize  = 1 << 13
	distSize = 1 << 9
)

// An entry of a table has, from its lowest bit:
//
//	8 bits  length of the code and of the extra bits behind it
//	4 bits  length of the code alone
//	flags
//	16 bits the literal; what a length or distance begins with, to which the
//	        extra bits are added; or the index of a further table
//
// The lengths are those of the whole code in further tables, too.
const (
	isLiteral = 1 << 31
	isSpecial = 1 << 15 // what follows, or isTable, or isEnd
	isTable   = 1 << 14 // the code goes on; bits 8 to 11 are the bits of the further table's index
	isEnd     = 1 << 13 // of the block
)

// litEntries and distEntries are the entries of symbols whose codes have no bit
// (RFC 1951, section 3.2.5).
var (
	litEntries  [maxLit]uint32
	distEntries [maxDist]uint32
)

func init() {
	for i := range uint32(256) {
		litEntries[i] = isLiteral | i<<16
	}
	litEntries[256] = isSpecial | isEnd
	length := uint32(3)
	for i := 257; i < 285; i++ {
		extra := uint32(max(0, (i-261)/4))
		litEntries[i] = length<<16 | extra
		length += 1 << extra
	}
	litEntries[285] = maxMatch << 16
	litEntries[286], litEntries[287] = isSpecial, isSpecial
	distance := uint32(1)
	for i := range 30 {
		extra := uint32(max(0, (i-2)/2))
		distEntries[i] = distance<<16 | extra
		distance += 1 << extra
	}
	distEntries[30], distEntries[31] = isSpecial, isSpecial
}

// build fills the tables of a code: the first has 1<<first entries, others follow
// where codes are longer. lens are the lengths of the codes by symbol, entries the
// entries of the symbols.
//
// It reports whether the code is complete. As in zlib, a code with one symbol of one
// bit is accepted, and one without symbols, which is wrong only where it is used.
func build(table []uint32, first uint, lens []uint8, entries []uint32) bool {
	// Several counts, added at the end: one would wait for itself where lengths repeat.
	var counts [4][16]int
	for i, n := range lens {
		counts[i&3][n&15]++
	}
	var count [16]int
	for n := 1; n < len(count); n++ {
		count[n] = counts[0][n] + counts[1][n] + counts[2][n] + counts[3][n]
	}
	longest := uint(15)
	for longest > 0 && count[longest] == 0 {
		longest--
	}
	var from [17]int // where symbols with codes of that length begin in sorted
	code := 0
	for n := uint(1); n <= longest; n++ {
		from[n+1] = from[n] + count[n]
		code = code<<1 + count[n]
	}
	switch {
	case longest == 0:
		table[0], longest = isSpecial, 1
		table[1] = isSpecial
	case code == 1 && longest == 1:
		table[1] = isSpecial | 1
	case code != 1<<longest:
		return false
	}
	var sorted [maxLit]uint16
	place := from
	for symbol, n := range lens {
		if n &= 15; n > 0 {
			sorted[place[n]] = uint16(symbol)
			place[n]++
		}
	}
	code = 0
	// The codes of n bits fill a table of 1<<n entries, which is doubled for the next.
	for n := uint(1); n <= first; n++ {
		if n > 1 {
			copy(table[1<<(n-1):1<<n], table[:1<<(n-1)])
		}
		if code <<= 1; n > longest {
			continue
		}
		for _, symbol := range sorted[from[n]:from[n+1]] {
			table[reverse(code, n)] = entries[symbol] + uint32(n<<8|n)
			code++
		}
	}
	// The codes that begin with the same bits are next to one another.
	next, prefix := 1<<first, -1
	var further []uint32
	var index uint
	for n := first + 1; n <= longest; n++ {
		code <<= 1
		for i, symbol := range sorted[from[n]:from[n+1]] {
			if code>>(n-first) != prefix {
				prefix = code >> (n - first)
				index = n - first
				for room := 1<<index - (count[n] - i); room > 0; room = room<<1 - count[first+index] {
					index++
				}
				further = table[next : next+1<<index]
				table[reverse(prefix, first)] = uint32(next)<<16 | isSpecial | isTable | uint32(index)<<8
				next += 1 << index
			}
			for at := reverse(code, n) >> first; at < len(further); at += 1 << (n - first) {
				further[at] = entries[symbol] + uint32(n<<8|n)
			}
			code++
		}
	}
	return true
}

func reverse(code int, n uint) int { return int(bits.Reverse16(uint16(code)) >> (16 - n)) }

// fixedCodes has the codes of RFC 1951, section 3.2.6.
func (z *Reader) fixedCodes() {
	lens := z.lens[:maxLit]
	for i := range lens {
		lens[i] = 8
		if i >= 144 && i < 256 {
			lens[i] = 9
		} else if i >= 256 && i < 280 {
			lens[i] = 7
		}
	}
	build(z.lit[:], litBits, lens, litEntries[:])
	lens = z.lens[:maxDist]
	for i := range lens {
		lens[i] = 5
	}
	build(z.dist[:], distBits, lens, distEntries[:])
}

// lenEntries are the symbols of the code in which the lengths of codes are written:
// their bits 16 to 20 are the symbol, the extra bits as in other tables.
var lenEntries = func() (e [19]uint32) {
	for i := range e {
		e[i] = uint32(i) << 16
	}
	e[16] |= 2
	e[17] |= 3
	e[18] |= 7
	return e
}()

// lenOrder is the order in which the lengths of that code's own codes are written.
var lenOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamicCodes reads the codes of a block (RFC 1951, section 3.2.7).
func (z *Reader) dynamicCodes() {
	head := z.take(14)
	lits, dists, n := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if lits > 286 || dists > 30 {
		z.fail("a block has too many codes")
	}
	var lens [19]uint8
	for _, i := range lenOrder[:n] {
		lens[i] = uint8(z.take(3))
	}
	if z.err != nil {
		return
	}
	table := &[1 << 7]uint32{}
	if !build(table[:], 7, lens[:], lenEntries[:]) {
		z.fail("the code of the lengths of codes is incomplete")
		return
	}
	total := lits + dists
	for i := 0; i < total; {
		if z.bits < 7+7 {
			z.ahead(7 + 7)
		}
		e := table[z.hold&(1<<7-1)]
		used := uint(e & 63)
		if used > z.bits {
			z.short()
			return
		}
		if e&isSpecial != 0 {
			z.fail(badCode)
			return
		}
		extra := int(z.hold & (1<<used - 1) >> (e >> 8 & 15))
		z.hold >>= used
		z.bits -= used
		var value uint8
		repeat := 1
		switch symbol := e >> 16; symbol {
		default:
			z.lens[i] = uint8(symbol)
			i++
			continue
		case 16:
			if i == 0 {
				z.fail("the first length of a code repeats one before it")
				return
			}
			value, repeat = z.lens[i-1], 3+extra
		case 17:
			repeat = 3 + extra
		case 18:
			repeat = 11 + extra
		}
		if repeat > total-i {
			z.fail("a block has too many lengths of codes")
			return
		}
		for range repeat {
			z.lens[i] = value
			i++
		}
	}
	switch {
	case !build(z.lit[:], litBits, z.lens[:lits], litEntries[:]):
		z.fail("the code of literals and lengths is incomplete")
	case !build(z.dist[:], distBits, z.lens[lits:total], distEntries[:]):
		z.fail("the code of distances is incomplete")
	}
}
