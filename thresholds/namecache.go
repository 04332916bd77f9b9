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

// likeness matches names of one length, 1 to 64 bytes, that differ only in digits,
// and has the facts that they share. Words of 8 bytes are compared: of a name under
// 8 bytes the one that it fits into; of 8–15 bytes the first and the last, which may
// overlap; of 16–32 the first two and the last two; of a longer name every full word
// and the last 8 bytes.
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
	hashMix      = 0x9e3779b97f4a7c15
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
	switch n := uint(len(name)); {
	case n >= 16 && n <= 32: // the usual lengths, without loops
		w := fourWords{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[8:]),
			binary.LittleEndian.Uint64(name[n-16:]), binary.LittleEndian.Uint64(name[n-8:])}
		at = int((uint64(n)*hashSeed + w.hash()) >> (64 - likenessBits))
		if e := &c.entries[at]; e.length == int(n) && w.like(e) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.length == int(n) && w.like(e) {
			return c.hit(e, name)
		}
	case n > 32 && n <= 40:
		w := fourWords{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[8:]),
			binary.LittleEndian.Uint64(name[16:]), binary.LittleEndian.Uint64(name[24:])}
		last := binary.LittleEndian.Uint64(name[n-8:])
		at = int((uint64(n)*hashSeed + w.hash() + lettersOf(last)*hashMix) >> (64 - likenessBits))
		if e := &c.entries[at]; e.length == int(n) && w.like(e) && differs(last^e.same[7], e.most[7])&highs == 0 {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.length == int(n) && w.like(e) && differs(last^e.same[7], e.most[7])&highs == 0 {
			return c.hit(e, name)
		}
	case n > 40:
		at = placeLong(name)
		if e := &c.entries[at]; e.likeLong(name) {
			return c.hit(e, name)
		}
		if e := &c.entries[at^1]; e.likeLong(name) {
			return c.hit(e, name)
		}
	default:
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

// place gives where a name of up to 15 bytes may be, by its length and letters.
// The other place is this one with the lowest bit changed.
func place(name []byte) int {
	n := len(name)
	h := uint64(n) * hashSeed
	if n < 8 {
		h += lettersOf(loadShort(name)) * hashWord
	} else {
		h += lettersOf(binary.LittleEndian.Uint64(name)) * hashWord
		h += lettersOf(binary.LittleEndian.Uint64(name[n-8:])) * hashStar
	}
	return int(h >> (64 - likenessBits)) // the upper bits depend on all others
}

// placeLong is place for a name of more than 40 bytes.
func placeLong(name []byte) int {
	n := len(name)
	h := uint64(n) * hashSeed
	h += lettersOf(binary.LittleEndian.Uint64(name)) * hashWord
	h += lettersOf(binary.LittleEndian.Uint64(name[n/2-4:])) * hashRest
	h += lettersOf(binary.LittleEndian.Uint64(name[n-8:])) * hashStar
	return int(h >> (64 - likenessBits))
}

// fourWords are words of a name.
type fourWords [4]uint64

func (w *fourWords) hash() uint64 {
	return lettersOf(w[0])*hashWord + lettersOf(w[1])*hashSeed + lettersOf(w[2])*hashRest + lettersOf(w[3])*hashStar
}

// like reports whether the words are like those of an entry.
func (w *fourWords) like(e *likeness) bool {
	same, most := (*fourWords)(e.same[:4]), (*fourWords)(e.most[:4])
	d := differs(w[0]^same[0], most[0]) | differs(w[1]^same[1], most[1]) |
		differs(w[2]^same[2], most[2]) | differs(w[3]^same[3], most[3])
	return d&highs == 0
}

// lettersOf gives a word without the bytes that have no bit 6: digits and most
// punctuation.
func lettersOf(w uint64) uint64 {
	m := w >> 6 & ones
	return w & (m<<8 - m)
}

// like reports whether a name of up to 15 bytes is one of those that the entry
// stands for.
func (e *likeness) like(name []byte) bool {
	n := len(name)
	if e.length != n {
		return false
	}
	if n < 8 {
		return differs(loadShort(name)^e.same[0], e.most[0])&highs == 0
	}
	d := differs(binary.LittleEndian.Uint64(name)^e.same[0], e.most[0]) |
		differs(binary.LittleEndian.Uint64(name[n-8:])^e.same[1], e.most[1])
	return d&highs == 0
}

// likeLong is like for a name of more than 40 bytes.
func (e *likeness) likeLong(name []byte) bool {
	if e.length != len(name) {
		return false
	}
	d := differs(binary.LittleEndian.Uint64(name[len(name)-8:])^e.same[7], e.most[7])
	for i := 0; i+8 < len(name); i += 8 {
		d |= differs(binary.LittleEndian.Uint64(name[i:])^e.same[i/8&7], e.most[i/8&7])
	}
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
