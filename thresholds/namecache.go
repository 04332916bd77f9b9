package thresholds

import "encoding/binary"

// NameCache finds the facts of names faster than a Namer where many names
// differ in nothing but the values of their digits, as most do: their facts are
// the same, and to see that a name is like an earlier one takes a tenth of the
// time. It is for one goroutine.
type NameCache struct {
	namer   *Namer
	entries []likeness
	facts   Facts // of a name that is in no entry
	// credit says how well the cache does: when it is used up, as it is by
	// random names, the next names go past the cache.
	credit int
	past   int
}

// likeness are the facts of all names of one length with the same bytes, digits
// apart. Word i is made of the bytes from 8*i on, and the last
// one of the last eight bytes; names of 16 to 32 bytes have four, two from each
// end.
type likeness struct {
	length int
	same   [oneWord / 8]uint64 // the bytes, 0 in the place of every digit
	most   [oneWord / 8]uint64 // 0x7f less by how much a byte may differ: not at all, or 9
	facts  Facts
}

const (
	likenessBits = 9
	likenesses   = 1 << likenessBits // entries, two in which a name may be
	fullCredit   = 256
	pastCache    = 64 // names that go past the cache when credit is used up
)

// NewNameCache gives an empty cache.
func (n *Namer) NewNameCache() *NameCache {
	return &NameCache{namer: n, entries: make([]likeness, likenesses), credit: fullCredit}
}

// Facts gives the facts of a name, which are valid until the next call.
func (c *NameCache) Facts(name []byte) *Facts {
	if c.past > 0 || len(name) == 0 || len(name) > oneWord {
		c.past = max(c.past-1, 0)
		c.namer.Facts(name, &c.facts)
		return &c.facts
	}
	var at int
	if n := uint(len(name)); n >= 16 && n <= 32 {
		// The usual length, without loops.
		w := [4]uint64{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[8:]),
			binary.LittleEndian.Uint64(name[n-16:]), binary.LittleEndian.Uint64(name[n-8:])}
		h := uint64(n)*hashSeed + lettersOf(w[0])*hashWord + lettersOf(w[1])*hashSeed + lettersOf(w[2])*hashRest + lettersOf(w[3])*hashStar
		at = int(h >> (64 - likenessBits))
		if e := &c.entries[at]; e.length == int(n) && e.likeFour(&w) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.length == int(n) && e.likeFour(&w) {
			return c.hit(e, name)
		}
	} else {
		at = place(name)
		if e := &c.entries[at]; e.like(name) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.like(name) {
			return c.hit(e, name)
		}
	}
	if c.credit--; c.credit < 0 {
		c.past, c.credit = pastCache, pastCache/8
	}
	digits := c.namer.shortFacts(name, &c.facts)
	if dates(digits) == 0 { // whether digits write a date is in their values
		c.entries[at^1] = c.entries[at]
		c.entries[at].set(name, &c.facts)
	}
	return &c.facts
}

func (c *NameCache) hit(e *likeness, name []byte) *Facts {
	c.credit = min(c.credit+2, fullCredit)
	e.facts.First = name[0] // it may be a digit
	return &e.facts
}

// place gives where a name may be, by its length and the letters in its first,
// middle and last eight bytes. The other place is this one with the lowest bit
// changed.
func place(name []byte) int {
	n := len(name)
	h := uint64(n) * hashSeed
	if n < 8 {
		h += lettersOf(loadShort(name)) * hashWord
	} else {
		h += lettersOf(binary.LittleEndian.Uint64(name)) * hashWord
		h += lettersOf(binary.LittleEndian.Uint64(name[n/2-4:])) * hashRest
		h += lettersOf(binary.LittleEndian.Uint64(name[n-8:])) * hashStar
	}
	return int(h >> (64 - likenessBits)) // the upper bits depend on all others
}

// lettersOf gives a word without the bytes that have no bit 6: digits and most
// punctuation.
func lettersOf(w uint64) uint64 {
	m := w >> 6 & ones
	return w & (m<<8 - m)
}

// like reports whether a name is one of those that the entry stands for.
func (e *likeness) like(name []byte) bool {
	if e.length != len(name) {
		return false
	}
	if len(name) < 8 {
		return differs(loadShort(name)^e.same[0], e.most[0])&highs == 0
	}
	var d uint64
	i := 0
	for ; i+8 <= len(name); i += 8 {
		d |= differs(binary.LittleEndian.Uint64(name[i:])^e.same[i/8%len(e.same)], e.most[i/8%len(e.most)])
	}
	if i < len(name) {
		d |= differs(binary.LittleEndian.Uint64(name[len(name)-8:])^e.same[i/8%len(e.same)], e.most[i/8%len(e.most)])
	}
	return d&highs == 0
}

// likeFour is like for a name of 16 to 32 bytes, which four words have all of.
func (e *likeness) likeFour(w *[4]uint64) bool {
	d := differs(w[0]^e.same[0], e.most[0]) | differs(w[1]^e.same[1], e.most[1]) |
		differs(w[2]^e.same[2], e.most[2]) | differs(w[3]^e.same[3], e.most[3])
	return d&highs == 0
}

// differs has the top bit of each byte of x set that is more than what most
// allows.
func differs(x, most uint64) uint64 { return (x&lows + most) | x }

// set makes the entry stand for a name of 1 to 64 bytes.
func (e *likeness) set(name []byte, f *Facts) {
	e.length, e.facts = len(name), *f
	put := func(i int, w uint64) {
		t := w ^ '0'*ones
		digit := ^(t&lows + (0x80-10)*ones | t) & highs >> 7
		e.same[i] = w &^ (digit * 0x0f)
		e.most[i] = lows - digit*9
	}
	n := len(name)
	switch {
	case n < 8:
		put(0, loadShort(name))
	case n >= 16 && n <= 32:
		for i, from := range [4]int{0, 8, n - 16, n - 8} {
			put(i, binary.LittleEndian.Uint64(name[from:]))
		}
	default:
		for i := 0; i < n; i += 8 {
			put(i/8, binary.LittleEndian.Uint64(name[min(i, n-8):]))
		}
	}
}
