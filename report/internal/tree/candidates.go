package tree

import (
	"math"
	"slices"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// Keys of folded places are sampled: a key with a probability of 1/weight, for which it stands for so many.
// Which weight it has depends on its place and its size alone. While the keys of a place double, about
// sampleShare are sampled, but at least one of mostEvery, and about as many by their bytes: a value with
// 2 % of the keys or the bytes has 15 samples or more.
const (
	sampleShare = 768
	mostEvery   = 128
	// Places of few keys are sampled less in a tree of many: one key of the number of all keys divided by
	// keysOfTree, but at least one of leastEvery.
	keysOfTree = 1 << 16
	leastEvery = 8
)

// rate says how the keys of a place are sampled: a key with a cost of 1/interval is sampled with this
// probability.
type rate struct {
	every, cost int32 // one key of so many that are not large, each of which costs so much
	// One key of each `bytes` bytes of keys that are larger. A byte costs perByte/2^16.
	bytes, perByte int64
}

// interval is the mean cost of the keys from one that is sampled to the next. Keys that cost more than
// half of it are all sampled, for allCost, which is more than any interval.
const (
	interval = 1 << 16
	allCost  = 2 * interval
)

// noRate is that of names without folded places, which cost nothing.
var noRate = rate{every: math.MaxInt32, bytes: math.MaxInt64}

// rateOf returns the rate of a place in a tree of `all` keys.
func rateOf(keys, size, all int64) rate {
	least := max(1, min(leastEvery, all/keysOfTree))
	every := max(keys/sampleShare, least)
	return newRate(int32(min(every, mostEvery)), max(size/sampleShare, size/max(keys, 1)*least, 1))
}

func newRate(every int32, bytes int64) rate {
	r := rate{every: every, cost: interval / every, bytes: bytes, perByte: interval << 16 / bytes}
	if every == 1 {
		r.cost = allCost
	}
	return r
}

// join returns a rate at which the keys of both are sampled often enough.
func (r *rate) join(o *rate) rate { return newRate(min(r.every, o.every), min(r.bytes, o.bytes)) }

func (r *rate) costOf(size int64) int32 {
	cost := int32(min(size, r.bytes) * r.perByte >> 16) // no branch: keys of all sizes stand side by side
	if cost > interval/2 {
		return allCost
	}
	return max(cost, r.cost)
}

// candidates are the values of a folded place that have most of its samples: a summary of Misra and
// Gries (1982). The values are known by their hashes.
type candidates struct {
	slots  []candidate // open addressing; the length is a power of two
	used   int
	missed int32 // the most samples of a value that is not listed
}

type candidate struct {
	hash    uint64
	samples int32 // without those that were counted for room; 0: free
	keys    int32 // that those stand for which were counted since it was listed
	size    int64 // of these keys
}

const (
	maxCandidates = 192
	// A value gets its node if it has enoughSamples and 1/sampledShare of the keys or bytes of its place.
	enoughSamples = 3
	sampledShare  = 200
)

// add counts a sample of a value. It stands for keys of size bytes together.
func (c *candidates) add(hash uint64, keys int32, size int64) *candidate {
	if 4*c.used >= 3*len(c.slots) {
		c.grow()
	}
	s := c.slot(hash)
	if s.samples == 0 {
		*s = candidate{hash: hash}
		c.used++
	}
	s.samples, s.keys, s.size = s.samples+1, s.keys+keys, s.size+size
	return s
}

// slot returns the slot of a hash, a free one if it is not listed.
func (c *candidates) slot(hash uint64) *candidate {
	mask := uint64(len(c.slots) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		if s := &c.slots[i]; s.samples == 0 || s.hash == hash {
			return s
		}
	}
}

// grow makes room for another value: it removes half of them if there are enough.
func (c *candidates) grow() {
	var room [maxCandidates]candidate
	list, less := room[:0], int32(0)
	for _, s := range c.slots {
		if s.samples > 0 {
			list = append(list, s)
		}
	}
	if c.used < maxCandidates {
		c.slots = make([]candidate, max(16, 2*len(c.slots)))
	} else {
		slices.SortFunc(list, func(a, b candidate) int { return int(a.samples - b.samples) })
		less = list[len(list)/2].samples
		c.missed += less
	}
	clear(c.slots) // new memory, too, is not read before it is written: see hashindex.List
	c.used = 0
	for _, s := range list {
		if s.samples > less {
			s.samples -= less
			*c.slot(s.hash) = s
			c.used++
		}
	}
}

// sampled counts a value of a folded place that a sampled key of a block has, and that was counted at
// another node.
func (t *Tree) sampled(parent int32, label []byte, s *sample) {
	at := t.Node(parent)
	number := at.place[s.kind]
	if number == 0 || at.rest || at.closed {
		return
	}
	p := &t.places[number-1]
	hash := hashOf(at.hash, label, s.kind)
	size := s.size * int64(s.weight)
	if int(at.values[s.kind]+at.words[s.kind]) > p.stars {
		if c := t.find(hash); c != 0 {
			if n := t.Node(c); !n.wide {
				n.sampledKeys, n.sampledSize = n.sampledKeys+s.weight, n.sampledSize+size
			}
			return
		}
	}
	c := p.sampled.add(hash, s.weight, size)
	if c.samples < enoughSamples {
		return
	}
	if keys, size := t.sumsOf(parent, s.kind); int64(c.keys) > keys/sampledShare || c.size > size/sampledShare {
		n := t.Node(t.add(parent, hash, string(label), s.kind, flags{wide: s.wide}))
		n.sampledKeys, n.sampledSize, n.late = c.keys+p.sampled.missed*p.weight, c.size, true
		// It stays listed, but is not looked up any more.
	}
}

// unseen returns the most keys of a value whose samples stand for so many, and each for at most `weight`:
// these and three standard deviations.
func unseen(keys, weight int32) int64 {
	k, w := float64(keys), float64(weight)
	return int64(k + 3*math.Sqrt(w*k) + 9*w)
}

// sample is a value of a folded place that a sampled key has.
type sample struct {
	parent, node int32 // the node is that at which the value was counted
	kind         uint8
	wide         bool
	first        bool   // no earlier one has this hash
	samples      int32  // of the first one: with this hash
	weight       int32  // keys that it stands for
	from         uint32 // in Block.values
	length       uint16
	hash         uint64
	size         int64 // of the key
}

func (b *Block) randomBelow(n int32) int32 {
	b.random ^= b.random << 13
	b.random ^= b.random >> 7
	b.random ^= b.random << 17
	return int32(b.random >> 33 % uint64(n))
}

// beginSampling sets the cost of the keys up to the first one that is sampled: as it is distributed at
// any place of a long block. Blocks of few keys have their share of samples.
func (b *Block) beginSampling(number int) {
	b.random = uint64(number)*0x9e3779b97f4a7c15 + 1
	if b.next = 1 + b.randomBelow(interval/2); b.randomBelow(2) == 0 {
		b.next = interval/2 + 1 + min(b.randomBelow(interval), b.randomBelow(interval))
	}
}

// Skip passes a key with a rate, if it is not sampled. It reports whether it did.
func (b *Block) Skip(rate int32, size int64) bool {
	cost := b.rates[rate].costOf(size)
	if b.next <= cost {
		return false
	}
	b.next -= cost
	return true
}

// chosen returns how many keys one that Skip does not pass stands for.
func (b *Block) chosen(rate int32, size int64) (weight int32) {
	cost := b.rates[rate].costOf(size)
	if cost == allCost {
		return 1
	}
	b.next += interval/2 + b.randomBelow(interval) + 1 - cost
	return interval / cost
}

func (b *Block) forgetSamples() {
	b.found, b.values = b.found[:0], b.values[:0]
	b.seen.Reset()
}

// noteSamples notes the values of a sampled key at folded places, and their shapes, if they have no nodes
// outside of the Block. A value that is sampled twice, or with a large key, has its node from then on, until
// the Block is merged. It returns the leaf of the key.
func (b *Block) noteSamples(name []byte, f *naming.Facts, leaf, weight int32, size int64) int32 {
	folded := b.findPath(leaf)
	for depth, from := 0, 0; depth < folded; depth++ {
		above, node := &b.nodes[b.path[depth]], &b.nodes[b.path[depth+1]]
		if above.spots[node.kind] < 0 && !node.wide && node.length <= maxValue {
			from += int(node.length) // nothing is folded there: the value is the segment
			continue
		}
		to, kind := b.cut.segment(name, from, depth)
		value := name[from:to]
		from = to
		if above.spots[kind] < 0 || node.rest || !node.wide && len(b.pinned) == 0 {
			continue
		}
		if kind == end || len(value) > maxValue {
			b.value = b.cut.appendValue(b.value[:0], value, kind)
			value = b.value
		}
		hash := hashOf(above.hash, value, kind)
		if _, pinned := b.pinned[hash]; isStar(value, kind) || !node.wide && !pinned {
			continue
		}
		above.samples[kind]++
		first := b.note(sample{parent: b.path[depth], node: b.path[depth+1], kind: kind, weight: weight, hash: hash,
			size: size}, value)
		often := first.samples > 1 && sampledOften*first.samples >= above.samples[kind]
		if node.wide && (often || size > 2*b.table.spots[above.spots[kind]].bytes) {
			b.pinned[hash] = struct{}{}
			b.forget()
			leaf = b.find(name, f)
			folded = b.findPath(leaf)
			b.found[len(b.found)-1].node = b.path[depth+1]
		}
		if b.text = b.cut.appendShape(b.text[:0], value, kind); len(b.text) > 0 {
			if hash = hashOf(b.nodes[b.path[depth]].hash, b.text, kind); !b.isPinned(hash) {
				b.note(sample{parent: b.path[depth], node: b.path[depth+1], kind: kind, wide: true, weight: weight, hash: hash,
					size: size}, b.text)
			}
		}
	}
	return leaf
}

// findPath sets the path of a leaf, and returns how many of its nodes are at folded places or above one
// that is.
func (b *Block) findPath(leaf int32) (folded int) {
	depth := 0
	for i := leaf; i != 0; i = b.nodes[i].parent {
		depth++
	}
	for i := leaf; depth > 0; depth-- {
		n := &b.nodes[i]
		if b.path[depth] = i; folded == 0 && b.nodes[n.parent].spots[n.kind] >= 0 {
			folded = depth
		}
		i = n.parent
	}
	return folded
}

// sampledOften is the part of the samples of a block at a place that a value needs for a node.
const sampledOften = 64

// note returns the first sample with the hash of one that it adds.
func (b *Block) note(s sample, value []byte) (first *sample) {
	slot, i := b.seen.First(s.hash), 0
	for ; ; slot = b.seen.Next(slot) {
		if i = b.seen.Position(slot); i < 0 || b.found[i].hash == s.hash {
			break
		}
	}
	if i < 0 {
		i, s.first = len(b.found), true
		b.seen.Put(slot, i)
	}
	s.from, s.length = uint32(len(b.values)), uint16(len(value))
	b.found = append(b.found, s)
	b.values = append(b.values, value...)
	if b.seen.Full() {
		b.seen.Grow(len(b.found), func(i int) (uint64, bool) { return b.found[i].hash, b.found[i].first })
	}
	b.found[i].samples++
	return &b.found[i]
}
