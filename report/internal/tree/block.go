package tree

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unsafe"

	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/report/internal/hyperloglog"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// BlockNodes is the number of nodes from which on a Block should be merged.
const (
	BlockNodes = 2048
	firstNodes = 512 // of the first block
)

// keptNodes is the largest number of nodes that a Block keeps for the next block.
const keptNodes = 512

// Block is the tree of the names of one block of a snapshot. It folds nothing by
// itself: values that the tree of the snapshot has folded, as a Table says, are counted
// where that tree will count them. A Block is used by one goroutine.
type Block struct {
	cut    cutter
	table  *Table
	nodes  []blockNode
	used   []int32 // those that have keys of the block, in the order of their first keys
	labels []byte
	index  hashindex.Index // of nodes, by hash

	cleared    uint32 // how often all nodes were removed
	generation uint32 // of what follows
	patterns   [1 << patternBits]patternEntry
	prefixes   [1 << prefixBits]prefixEntry
	ends       [1 << endBits]endEntry

	// Folded has the patterns of names that are counted under another one.
	Folded    hyperloglog.Sketch
	AnyFolded bool

	number int // of the block
	random uint64
	next   int32 // cost of the keys up to the next one that is sampled, at least 1
	rates  []rate
	found  []sample
	values []byte          // of found
	seen   hashindex.Index // of found, by hash
	pinned map[uint64]struct{}

	value, text []byte // scratch
	path        [maxSegments + 2]int32
}

// blockNode is a node of a Block. Parents come before their children.
type blockNode struct {
	keys, size int64
	hash       uint64
	pattern    uint64   // of a leaf that is folded: the hash of the pattern of its path
	rate       int32    // of the names below, in Block.rates
	samples    [2]int32 // of the children, by kind
	master     int32    // the node of the tree that had the keys of an earlier block
	parent     int32
	label      uint32
	length     uint16
	kind       uint8
	wide, rest bool
	folded     bool     // it is wide or rest, or a node above it is
	used       bool     // it is in Block.used
	spots      [2]int32 // of the children, in Table.spots; -1 not folded
}

// patternEntry is the leaf of all names of one pattern that have so many segments.
type patternEntry struct {
	pattern    uint64
	generation uint32
	leaf       int32
	segments   int32
	// If spot is not 0, values of the place below node spot-1 vary: the segments with this
	// number, which begin at from unless that is -1.
	spot          int32
	segment, from int16
	pins          bool // some of these values may have nodes of their own
}

// prefixEntry is the node at which names with a prefix end their last but one segment.
type prefixEntry struct {
	generation uint32
	node       int32
	all        int32      // the leaf of names with the prefix, -1 if they differ
	spot       *tableSpot // says whose leaf that is; nil: of all names
	prefix     []byte
}

// endEntry is the leaf of a pattern below a node.
type endEntry struct {
	generation uint32
	node, leaf int32
	pattern    uint64
}

const (
	patternBits = 9
	prefixBits  = 9
	endBits     = 10
)

func NewBlock(n *naming.Namer) *Block {
	b := &Block{cut: newCutter(n), index: hashindex.New(64), seen: hashindex.New(64), pinned: map[uint64]struct{}{}}
	b.beginSampling(0)
	b.clear()
	return b
}

// Begin sets what the tree of the snapshot has folded, nil nothing, and the number of the
// block, on which samples depend. The Block must be empty.
func (b *Block) Begin(table *Table, number int) {
	if table != b.table || table == nil {
		b.table = table
		b.clear()
	}
	b.number = number
	b.beginSampling(number)
}

// Reset empties the Block, also in the middle of a block. Nodes and shortcuts that the
// next block needs as well stay: what is counted where, and in which order, does not depend on
// them.
func (b *Block) Reset() {
	if b.AnyFolded {
		b.Folded, b.AnyFolded = hyperloglog.Sketch{}, false
	}
	if len(b.nodes) > keptNodes || len(b.pinned) > 0 {
		b.clear()
		return
	}
	for _, i := range b.used {
		n := &b.nodes[i]
		n.keys, n.size, n.used, n.samples = 0, 0, false, [2]int32{}
	}
	b.used = b.used[:0]
	b.forgetSamples()
}

func (b *Block) clear() {
	b.nodes, b.used, b.labels = b.nodes[:0], b.used[:0], b.labels[:0]
	b.index.Reset()
	b.forgetSamples()
	b.cleared++
	b.forget()
	clear(b.pinned)
	b.rates = append(b.rates[:0], noRate)
	b.nodes = append(b.nodes, b.newNode(blockNode{hash: rootHash}))
}

func (b *Block) forget() {
	if b.generation++; b.generation == 0 {
		clear(b.patterns[:])
		clear(b.ends[:])
		for i := range b.prefixes {
			b.prefixes[i].generation = 0
		}
		b.generation = 1
	}
}

// Full reports whether the Block should be merged, as many nodes have keys of the block, or as it
// has so many sums.
func (b *Block) Full(sums int) bool {
	limit := BlockNodes
	if b.number < 2 {
		limit = firstNodes // it is merged alone, and what it has will mostly be folded
	}
	return max(len(b.used), sums) >= limit
}

// Bytes returns the memory of the Block in bytes.
func (b *Block) Bytes() int64 {
	return int64(unsafe.Sizeof(*b)) + int64(cap(b.nodes))*int64(unsafe.Sizeof(blockNode{})) + int64(cap(b.labels)) +
		b.index.Bytes() + b.seen.Bytes() +
		int64(cap(b.found))*int64(unsafe.Sizeof(sample{}))
}

// Use counts a leaf, and the nodes above it, among those that have keys of the block. It is
// called with a leaf when the first of its keys is counted: what the order of these calls
// decides is then the same whatever the Block had before.
func (b *Block) Use(leaf int32) {
	first := len(b.used)
	for i := leaf; !b.nodes[i].used; i = b.nodes[i].parent {
		b.nodes[i].used = true
		if b.used = append(b.used, i); i == 0 {
			break
		}
	}
	slices.Reverse(b.used[first:]) // parents come before their children
}

// Add adds keys to a leaf, and to the nodes above it. size is the sum of what Leaf was called with.
func (b *Block) Add(leaf int32, keys, size int64) {
	b.Use(leaf)
	for i := leaf; ; i = b.nodes[i].parent {
		n := &b.nodes[i]
		if n.keys, n.size = n.keys+keys, n.size+size; i == 0 {
			return
		}
	}
}

// newNode completes a node: where its children are folded.
func (b *Block) newNode(n blockNode) blockNode {
	n.spots = [2]int32{-1, -1}
	if b.table != nil {
		for kind := range n.spots {
			if i, ok := b.table.spotOf[n.hash^kindSalt[kind]]; ok {
				n.spots[kind] = i
			}
		}
	}
	return n
}

// ensure returns the child of a node with a hash, a new one if there is none.
func (b *Block) ensure(parent int32, hash uint64, label []byte, kind uint8, wide, rest bool) int32 {
	slot := b.index.First(hash)
	for ; ; slot = b.index.Next(slot) {
		i := b.index.Position(slot)
		if i < 0 {
			break
		}
		if b.nodes[i].hash == hash {
			return int32(i)
		}
	}
	n := b.newNode(blockNode{hash: hash, parent: parent, label: uint32(len(b.labels)), length: uint16(len(label)),
		kind: kind, wide: wide, rest: rest})
	n.rate = b.nodes[parent].rate
	if at := b.nodes[parent].spots[kind]; at >= 0 {
		if above, r := &b.rates[n.rate], &b.table.spots[at].rate; r.every < above.every || r.bytes < above.bytes {
			b.rates = append(b.rates, above.join(r))
			n.rate = int32(len(b.rates) - 1)
		}
	}
	n.folded = wide || rest || b.nodes[parent].folded
	b.labels = append(b.labels, label...)
	i := len(b.nodes)
	b.nodes = hashindex.Append(b.nodes, n)
	if n.folded && kind == end {
		path := b.appendPath(nil, int32(i))
		b.nodes[i].pattern = naming.HashPattern(b.cut.namer.AppendPattern(nil, path))
	}
	if b.index.Full() {
		b.index.Grow(len(b.nodes), func(i int) (uint64, bool) { return b.nodes[i].hash, i > 0 })
	} else {
		b.index.Put(slot, i)
	}
	return int32(i)
}

func (b *Block) isPinned(hash uint64) bool {
	if _, ok := b.table.pinned[hash]; ok {
		return true
	}
	_, ok := b.pinned[hash]
	return ok
}

// Leaf returns the leaf that has the keys of a name. f must be the facts about the name,
// and size the bytes that the key is weighed by. Leaves are valid until Reset.
func (b *Block) Leaf(name []byte, f *naming.Facts, size int64) int32 {
	leaf := b.find(name, f)
	rate := b.nodes[leaf].rate
	if b.Skip(rate, size) {
		return leaf
	}
	return b.noteSamples(name, f, leaf, b.chosen(rate, size), size)
}

func (b *Block) find(name []byte, f *naming.Facts) int32 {
	e := &b.patterns[f.Group*0x9e3779b97f4a7c15>>(64-patternBits)]
	if e.pattern == f.Group && e.generation == b.generation && e.segments == int32(f.Segments) &&
		!(e.pins && b.isPinned(hashOf(b.nodes[e.spot-1].hash, b.segment(name, e), inner))) {
		return e.leaf
	}
	if f.Segments > maxSegments {
		return b.walk(name, f, e)
	}
	prefix := name[:f.LastStart]
	p := &b.prefixes[maphash.Bytes(seed, prefix)>>(64-prefixBits)]
	if p.generation != b.generation || !bytes.Equal(p.prefix, prefix) {
		return b.walk(name, f, e)
	}
	if last := name[f.LastStart:]; p.all < 0 || f.Class&naming.ClassBrace != 0 ||
		p.spot != nil && !p.spot.folds(!varies(last), len(last)) {
		n := &b.ends[(f.Group^uint64(p.node)*0x9e3779b97f4a7c15)*0x9fb21c651e98df25>>(64-endBits)]
		if n.generation != b.generation || n.node != p.node || n.pattern != f.Group {
			b.value = b.cut.appendValue(b.value[:0], name[f.LastStart:], end)
			*n = endEntry{b.generation, p.node, b.step(p.node, b.value, end), f.Group}
			b.countFolded(f, n.leaf)
		}
		return n.leaf
	}
	b.countFolded(f, p.all)
	return p.all
}

func (b *Block) label(i int32) []byte {
	n := &b.nodes[i]
	return b.labels[n.label : n.label+uint32(n.length)]
}

func (b *Block) appendPath(dst []byte, i int32) []byte {
	var path [maxSegments + 2]int32
	n := 0
	for ; i != 0; i = b.nodes[i].parent {
		path[n] = i
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, b.label(path[n])...)
	}
	return dst
}

func (b *Block) segment(name []byte, e *patternEntry) []byte {
	if e.from >= 0 {
		return name[e.from:b.cut.next(name, int(e.from), 0)]
	}
	from := 0
	for depth := 0; ; depth++ {
		to := b.cut.next(name, from, depth)
		if depth == int(e.segment) {
			return name[from:to]
		}
		from = to
	}
}

// countFolded counts the pattern of a name whose leaf has another one.
func (b *Block) countFolded(f *naming.Facts, leaf int32) {
	if n := &b.nodes[leaf]; n.folded && n.pattern != f.Group {
		b.Folded.Add(f.Group)
		b.AnyFolded = true
	}
}

// walk is find for names of which no prefix is known, and enters what it finds.
func (b *Block) walk(name []byte, f *naming.Facts, e *patternEntry) int32 {
	node, from := int32(0), 0
	shared := f.Segments <= maxSegments // names with this pattern share the leaf, as far as is known
	var v patternEntry
	constant := true // segments so far do not vary
	for depth := 0; ; depth++ {
		to, kind := b.cut.segment(name, from, depth)
		if kind == end {
			break
		}
		segment := name[from:to]
		if len(segment) > maxValue {
			b.value = b.cut.appendValue(b.value[:0], segment, inner)
			segment, shared = b.value, false
		}
		parent := node
		if node = b.step(parent, segment, inner); b.nodes[node].rest {
			b.countFolded(f, node)
			return node
		}
		at := b.nodes[parent].spots[inner]
		if segment[0] == '{' && len(segment) > 1 && segment[len(segment)-2] != '}' {
			shared = false // a hash tag of several segments: its pattern is not theirs
		}
		if varies(segment) && shared {
			pins := at >= 0 && (b.table.spots[at].values > 0 || len(b.pinned) > 0)
			if at < 0 || v.pins || !b.nodes[node].wide {
				shared = false
			} else if v.spot == 0 || pins {
				v = patternEntry{spot: parent + 1, segment: int16(depth), from: -1, pins: pins}
				if constant && from < 1<<15 {
					v.from = int16(from)
				}
			}
			constant = false
		}
		from = to
	}
	b.value = b.cut.appendValue(b.value[:0], name[from:], end)
	leaf := b.step(node, b.value, end)
	b.countFolded(f, leaf)
	if f.Segments > maxSegments || from != f.LastStart {
		return leaf
	}
	p := &b.prefixes[maphash.Bytes(seed, name[:from])>>(64-prefixBits)]
	p.generation, p.node, p.all, p.spot = b.generation, node, -1, nil
	p.prefix = append(p.prefix[:0], name[:from]...)
	if at := b.nodes[node].spots[end]; b.nodes[node].closed(b.table) {
		p.all = leaf
	} else if f.Class&naming.ClassBrace == 0 && b.nodes[leaf].wide && len(b.pinned) == 0 && b.table.spots[at].one() {
		if p.all = leaf; !b.table.spots[at].words {
			p.spot = &b.table.spots[at]
		}
	}
	if shared && b.sharesPattern(name) {
		v.pattern, v.generation, v.leaf, v.segments = f.Group, b.generation, leaf, int32(f.Segments)
		*e = v
	}
	return leaf
}

func (n *blockNode) closed(t *Table) bool {
	return n.spots[inner] >= 0 && t.spots[n.spots[inner]].closed
}

// step returns the node below one that has the keys of a value.
func (b *Block) step(node int32, value []byte, kind uint8) int32 {
	at := b.nodes[node].spots[kind]
	hash := hashOf(b.nodes[node].hash, value, kind)
	if at < 0 || isStar(value, kind) {
		return b.ensure(node, hash, value, kind, at >= 0, false)
	}
	s := &b.table.spots[at]
	switch {
	case s.closed:
		return b.ensure(node, restHash(b.nodes[node].hash), []byte(Rest), end, false, true)
	case !s.folds(!varies(value), len(value)), b.isPinned(hash):
		return b.ensure(node, hash, value, kind, false, false)
	}
	if s.shapes > 0 {
		b.text = b.cut.appendShape(b.text[:0], value, kind)
		if len(b.text) > 0 {
			shape := hashOf(b.nodes[node].hash, b.text, kind)
			if b.isPinned(shape) {
				return b.ensure(node, shape, b.text, kind, true, false)
			}
		}
	}
	b.text = appendStar(b.text[:0], value, kind)
	return b.ensure(node, hashOf(b.nodes[node].hash, b.text, kind), b.text, kind, true, false)
}
