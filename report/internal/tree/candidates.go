package tree

import (
	"bytes"
	"slices"
)

// candidates are the values of a folded place that have most of its sampled keys: a
// summary of Misra and Gries (1982). The values are known by their hashes.
type candidates struct {
	slots  []candidate // open addressing; the length is a power of two
	used   int
	keys   int32 // that were sampled at the place
	size   int64 // of these keys
	missed int32 // the most sampled keys of a value that is not listed
}

type candidate struct {
	hash uint64
	hits int32 // sampled keys, without those that were counted before it was listed; 0: free
	size int64 // of sampled keys
}

const (
	maxCandidates = 192
	// A value gets its node if it has enoughHits sampled keys and 1/hitShare of those of
	// its place, or of their size.
	enoughHits = 6
	hitShare   = 160
)

// add counts a sampled key of a size and a weight. If its value is to get a node, it returns the most
// sampled keys that this may have had, else 0.
func (c *candidates) add(hash uint64, size int64, weight int32) (hits int32) {
	size *= int64(weight)
	c.keys, c.size = c.keys+weight, c.size+size
	if 4*c.used >= 3*len(c.slots) {
		c.grow()
	}
	s := c.slot(hash)
	if s.hits == 0 {
		s.hash, s.size = hash, 0
		c.used++
	}
	s.hits, s.size = s.hits+weight, s.size+size
	if s.hits < enoughHits*weight || s.hits < c.keys/hitShare && s.size <= c.size/hitShare {
		return 0
	}
	return s.hits + c.missed // it stays listed, but is not looked up any more
}

// slot returns the slot of a hash, a free one if it is not listed.
func (c *candidates) slot(hash uint64) *candidate {
	mask := uint64(len(c.slots) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		if s := &c.slots[i]; s.hits == 0 || s.hash == hash {
			return s
		}
	}
}

// grow makes room for another value: it removes half of them if there are enough.
func (c *candidates) grow() {
	var room [maxCandidates]candidate
	list, less := room[:0], int32(0)
	for _, s := range c.slots {
		if s.hits > 0 {
			list = append(list, s)
		}
	}
	if c.used < maxCandidates {
		c.slots = make([]candidate, max(16, 2*len(c.slots)))
	} else {
		slices.SortFunc(list, func(a, b candidate) int { return int(a.hits - b.hits) })
		less = list[len(list)/2].hits
		c.missed += less
	}
	clear(c.slots) // new memory, too, is not read before it is written: see hashindex.List
	c.used = 0
	for _, s := range list {
		if s.hits > less {
			*c.slot(s.hash) = candidate{s.hash, s.hits - less, s.size}
			c.used++
		}
	}
}

// sampling is the mean number of keys from one that is sampled to the next in the first
// blocks. From block lateBlock on, once the tree has lateKeys keys, each sampled key stands for
// lateWeight of those.
const (
	sampling   = 32
	lateBlock  = 512
	lateKeys   = 1 << 20
	lateWeight = 4
)

// sample is a value of a folded place that a sampled key has.
type sample struct {
	parent int32
	kind   uint8
	wide   bool
	again  bool   // there is an earlier one with this hash
	from   uint32 // in Block.values
	length uint16
	hash   uint64
	size   int64 // of the key
}

func (b *Block) nextSample() {
	b.random ^= b.random << 13
	b.random ^= b.random >> 7
	b.random ^= b.random << 17
	b.next = 1 + int32(b.random>>32%(2*sampling*uint64(b.weight)-1))
}

func (b *Block) forgetSamples() {
	b.found, b.values = b.found[:0], b.values[:0]
	b.seen.Reset()
}

// noteFold notes that a value is folded into a label, unless that is its pattern.
func (b *Block) noteFold(value []byte, kind uint8, label []byte) {
	n := len(b.labels)
	b.labels = b.cut.appendPattern(b.labels, value, kind)
	b.folding = b.folding || !bytes.Equal(b.labels[n:], label)
	b.labels = b.labels[:n]
}

// note notes a value that a sampled key has. One that is sampled again before the Block is merged has
// its node from then on.
func (b *Block) note(node int32, hash uint64, value []byte, kind uint8, wide bool, size int64) {
	slot := b.seen.First(hash)
	for ; b.seen.Position(slot) >= 0; slot = b.seen.Next(slot) {
		if b.found[b.seen.Position(slot)].hash == hash {
			break
		}
	}
	again := b.seen.Position(slot) >= 0
	if !again {
		b.seen.Put(slot, len(b.found))
	}
	b.found = append(b.found, sample{node, kind, wide, again, uint32(len(b.values)), uint16(len(value)), hash, size})
	b.values = append(b.values, value...)
	if b.seen.Full() {
		b.seen.Grow(len(b.found), func(i int) (uint64, bool) { return b.found[i].hash, !b.found[i].again })
	}
	if again && !wide {
		b.pinned[hash] = struct{}{}
		b.forget()
	}
}
