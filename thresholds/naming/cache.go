package naming

import (
	"encoding/binary"
	"unsafe"
)

// Cache returns the facts about names faster than a Namer where many names differ
// only in the values of their digits, as most do: such names share their facts,
// and recognizing one takes a tenth of the time of computing them. A Cache must
// be used by one goroutine only.
type Cache struct {
	namer   *Namer
	entries []cacheEntry
	facts   Facts // of the last name that no entry matched
	// credit rises with each hit and falls with each miss. When it is used up,
	// as with random names, the next bypass names are not looked up.
	credit int
	bypass int
}

// cacheEntry matches names of one length, 1 to 64 bytes, that differ only in
// digits, and holds the facts that they share. Words of 8 bytes are compared: of a
// name under 8 bytes the one that it fits into; of 8 to 15 bytes the first and the
// last, which may overlap; of 16 to 32 the first two and the last two; of a longer
// name every full word and the last 8 bytes.
type cacheEntry struct {
	length int
	base   [oneWord / 8]uint64 // the bytes of the name, '0' in place of every digit
	room   [oneWord / 8]uint64 // for each byte 0x7f minus the largest difference from base: 0, or 9 for a digit
	facts  Facts
}

const (
	cacheBits   = 9
	cacheSize   = 1 << cacheBits // entries; each name has two places
	fullCredit  = 256
	bypassCount = 64 // names that bypass the cache when credit is used up
	hashMix     = 0x9e3779b97f4a7c15
)

// NewCache returns an empty cache.
func (n *Namer) NewCache() *Cache {
	return &Cache{namer: n, entries: make([]cacheEntry, cacheSize), credit: fullCredit}
}

// Bytes returns the memory of the cache in bytes.
func (c *Cache) Bytes() int64 { return int64(cacheSize * unsafe.Sizeof(cacheEntry{})) }

// Facts returns the facts about a name. They are valid until the next call.
func (c *Cache) Facts(name []byte) *Facts {
	if c.bypass > 0 || len(name) == 0 || len(name) > oneWord {
		c.bypass = max(c.bypass-1, 0)
		c.namer.Facts(name, &c.facts)
		return &c.facts
	}
	var at int
	switch n := uint(len(name)); {
	case n >= 16 && n <= 32: // the usual lengths, without loops
		w := fourWords{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[8:]),
			binary.LittleEndian.Uint64(name[n-16:]), binary.LittleEndian.Uint64(name[n-8:])}
		at = int((uint64(n)*hashSeed + w.hash()) >> (64 - cacheBits))
		if e := &c.entries[at]; e.length == int(n) && w.match(e) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.length == int(n) && w.match(e) {
			return c.hit(e, name)
		}
	case n > 32 && n <= 40:
		w := fourWords{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[8:]),
			binary.LittleEndian.Uint64(name[16:]), binary.LittleEndian.Uint64(name[24:])}
		last := binary.LittleEndian.Uint64(name[n-8:])
		at = int((uint64(n)*hashSeed + w.hash() + letters(last)*hashMix) >> (64 - cacheBits))
		if e := &c.entries[at]; e.length == int(n) && w.match(e) && exceed(last^e.base[7], e.room[7])&highs == 0 {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.length == int(n) && w.match(e) && exceed(last^e.base[7], e.room[7])&highs == 0 {
			return c.hit(e, name)
		}
	case n > 40:
		at = placeLong(name)
		if e := &c.entries[at]; e.matchLong(name) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.matchLong(name) {
			return c.hit(e, name)
		}
	default:
		at = place(name)
		if e := &c.entries[at]; e.match(name) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.match(name) {
			return c.hit(e, name)
		}
	}
	if c.credit--; c.credit < 0 {
		c.bypass, c.credit = bypassCount, bypassCount/8
	}
	digits := c.namer.shortFacts(name, &c.facts)
	if dates(digits) == 0 { // whether digits are a date depends on their values
		c.entries[at^1] = c.entries[at]
		c.entries[at].set(name, &c.facts)
	}
	return &c.facts
}

func (c *Cache) hit(e *cacheEntry, name []byte) *Facts {
	c.credit = min(c.credit+2, fullCredit)
	e.facts.First = name[0] // it may be a digit
	return &e.facts
}

// place returns an index of the entry for a name of up to 15 bytes, computed from
// its length and letters. Its other place is that index with the lowest bit
// flipped.
func place(name []byte) int {
	n := len(name)
	h := uint64(n) * hashSeed
	if n < 8 {
		h += letters(loadShort(name)) * hashWord
	} else {
		h += letters(binary.LittleEndian.Uint64(name)) * hashWord
		h += letters(binary.LittleEndian.Uint64(name[n-8:])) * hashStar
	}
	return int(h >> (64 - cacheBits)) // the upper bits depend on all others
}

// placeLong is place for a name of more than 40 bytes.
func placeLong(name []byte) int {
	n := len(name)
	h := uint64(n) * hashSeed
	h += letters(binary.LittleEndian.Uint64(name)) * hashWord
	h += letters(binary.LittleEndian.Uint64(name[n/2-4:])) * hashRest
	h += letters(binary.LittleEndian.Uint64(name[n-8:])) * hashStar
	return int(h >> (64 - cacheBits))
}

type fourWords [4]uint64

func (w *fourWords) hash() uint64 {
	return letters(w[0])*hashWord + letters(w[1])*hashSeed + letters(w[2])*hashRest + letters(w[3])*hashStar
}

func (w *fourWords) match(e *cacheEntry) bool {
	base, room := (*fourWords)(e.base[:4]), (*fourWords)(e.room[:4])
	d := exceed(w[0]^base[0], room[0]) | exceed(w[1]^base[1], room[1]) |
		exceed(w[2]^base[2], room[2]) | exceed(w[3]^base[3], room[3])
	return d&highs == 0
}

// letters returns a word in which all bytes without bit 6, digits and most
// punctuation, are set to 0.
func letters(w uint64) uint64 {
	m := w >> 6 & ones
	return w & (m<<8 - m)
}

// match reports whether a name of up to 15 bytes differs from the entry's only in
// digits.
func (e *cacheEntry) match(name []byte) bool {
	n := len(name)
	if e.length != n {
		return false
	}
	if n < 8 {
		return exceed(loadShort(name)^e.base[0], e.room[0])&highs == 0
	}
	d := exceed(binary.LittleEndian.Uint64(name)^e.base[0], e.room[0]) |
		exceed(binary.LittleEndian.Uint64(name[n-8:])^e.base[1], e.room[1])
	return d&highs == 0
}

// matchLong is match for a name of more than 40 bytes.
func (e *cacheEntry) matchLong(name []byte) bool {
	if e.length != len(name) {
		return false
	}
	d := exceed(binary.LittleEndian.Uint64(name[len(name)-8:])^e.base[7], e.room[7])
	for i := 0; i+8 < len(name); i += 8 {
		d |= exceed(binary.LittleEndian.Uint64(name[i:])^e.base[i/8&7], e.room[i/8&7])
	}
	return d&highs == 0
}

// exceed returns a word with the top bit set of each byte of the difference x that
// is larger than room allows. Other bits are undefined. For a digit the difference
// from '0' by exclusive or is its value, 0 to 9; for any other byte it is more.
func exceed(x, room uint64) uint64 { return (x&lows + room) | x }

// set makes the entry match names that differ from this one, of 1 to 64 bytes,
// only in digits.
func (e *cacheEntry) set(name []byte, f *Facts) {
	e.length, e.facts = len(name), *f
	put := func(i int, w uint64) {
		t := w ^ '0'*ones
		digit := ^(t&lows + (0x80-10)*ones | t) & highs >> 7
		e.base[i] = w &^ (digit * 0x0f)
		e.room[i] = lows - digit*9
	}
	n := len(name)
	var from []int
	switch {
	case n < 8:
		put(0, loadShort(name))
	case n < 16:
		from = []int{0, n - 8}
	case n <= 32:
		from = []int{0, 8, n - 16, n - 8}
	default:
		put(7, binary.LittleEndian.Uint64(name[n-8:]))
		for i := 0; i+8 < n; i += 8 {
			from = append(from, i)
		}
	}
	for i, at := range from {
		put(i, binary.LittleEndian.Uint64(name[at:]))
	}
}
