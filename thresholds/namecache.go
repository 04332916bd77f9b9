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
// apart. Word i is made of the bytes from 8*i on, and the last one of the last
// eight bytes.
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
	at := place(name)
	if e := &c.entries[at]; e.like(name) {
		return c.hit(e, name)
	}
	if e := &c.entries[at^1]; e.like(name) {
		return c.hit(e, name)
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

// differs has the top bit of each byte of x set that is more than what most
// allows.
func differs(x, most uint64) uint64 { return (x&lows + most) | x }

// set makes the entry stand for a name of 1 to 64 bytes.
func (e *likeness) set(name []byte, f *Facts) {
	e.length, e.facts = len(name), *f
	for i := 0; i < len(name); i += 8 {
		var w uint64
		switch {
		case len(name) < 8:
			w = loadShort(name)
		case i+8 <= len(name):
			w = binary.LittleEndian.Uint64(name[i:])
		default:
			w = binary.LittleEndian.Uint64(name[len(name)-8:])
		}
		t := w ^ '0'*ones
		digit := ^(t&lows + (0x80-10)*ones | t) & highs >> 7
		e.same[i/8] = w &^ (digit * 0x0f)
		e.most[i/8] = lows - digit*9
	}
}
