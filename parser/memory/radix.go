package memory

import "math/bits"

// A treeSize is the size of a radix tree (rax.c) of 16-byte keys.
type treeSize struct {
	keys  int64
	nodes int64
	bytes int64 // of the nodes, as allocated; without the tree's head
}

// A tree measures a radix tree while its keys come in ascending order, as they
// stand in a file: only the branch points of the right-most path are kept, at
// most one for each byte of a key.
//
// A node is either a leaf of 16 bytes, one for every key; or a branch with a
// byte and a pointer for every child; or a chain of the bytes between two of
// these (one for the bytes before the first branch, too).
type tree struct {
	treeSize
	hi, lo uint64 // the last key
	depth  [16]uint8
	kids   [16]uint16
	top    int8 // branch points on the path
}

func (t *tree) reset() {
	t.treeSize = treeSize{}
	t.top = 0
}

// add takes the next key. Keys out of order, which no server writes, are
// measured wrong and nothing worse; the same key again is not counted.
func (t *tree) add(a *allocator, hi, lo uint64) {
	if t.keys == 0 {
		t.keys, t.hi, t.lo = 1, hi, lo
		return
	}
	var common uint8
	switch {
	case hi != t.hi:
		common = uint8(bits.LeadingZeros64(hi^t.hi) >> 3)
	case lo != t.lo:
		common = 8 + uint8(bits.LeadingZeros64(lo^t.lo)>>3)
	default:
		return
	}
	t.hi, t.lo = hi, lo
	t.keys++
	below := t.pop(a, common)
	if t.top > 0 && t.depth[t.top-1] == common {
		t.kids[t.top-1]++
	} else {
		t.depth[t.top], t.kids[t.top] = common, 2
		t.top++
	}
	t.chain(a, below-common-1)
}

// pop finishes the branches below a depth and gives where the uppermost of
// them was: the depth of the last key's leaf if there was none.
func (t *tree) pop(a *allocator, depth uint8) uint8 {
	below := uint8(16)
	for t.top > 0 && t.depth[t.top-1] > depth {
		at := t.depth[t.top-1]
		t.chain(a, below-at-1)
		t.branch(a, int64(t.kids[t.top-1]))
		below = at
		t.top--
	}
	return below
}

func (t *tree) branch(a *allocator, kids int64) {
	t.nodes++
	t.bytes += a.block(branchNode(kids))
}

func (t *tree) chain(a *allocator, n uint8) {
	if n > 0 {
		t.nodes++
		t.bytes += a.block(chainNode(int64(n)))
	}
}

// raxLeaf is a node that holds a pointer to a key's value, and no more.
const raxLeaf = 16

// branchNode gives the bytes of a node with so many children: head, a byte
// for each, padding to 8, a pointer for each (raxNodeCurrentLength in rax.c).
func branchNode(kids int64) int64 { return (4+kids+7)&^7 + 8*kids }

// chainNode gives the bytes of a node for so many bytes without a branch.
func chainNode(n int64) int64 { return (4+n+7)&^7 + 8 }

// finish ends the tree and gives its size; the next key begins another one.
func (t *tree) finish(a *allocator) treeSize {
	if t.keys == 0 {
		return treeSize{nodes: 1, bytes: a.block(8)}
	}
	below := uint8(16)
	if t.top > 0 {
		below = t.pop(a, t.depth[0])
		at := t.depth[0]
		t.chain(a, below-at-1)
		t.branch(a, int64(t.kids[0]))
		below = at
	}
	t.chain(a, below)
	t.nodes += t.keys
	t.bytes += t.keys * a.block(raxLeaf)
	size := t.treeSize
	t.reset()
	return size
}
