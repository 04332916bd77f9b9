package memory

import (
	"math/bits"
	"slices"
)

// A raxSize is the size of a radix tree (rax.c).
type raxSize struct {
	keys  int64
	nodes int64
	bytes int64 // of the nodes, as allocated; without the structure of the tree
}

// raxLeaf is the size of a node that holds a pointer to a key's value and
// nothing else.
const raxLeaf = 16

// branchNode returns the size of a node with so many children: a header, a byte
// for each, padding to 8, a pointer for each (raxNodeCurrentLength in rax.c).
func branchNode(children int64) int64 { return (4+children+7)&^7 + pointerSize*children }

// chainNode returns the size of a node for n bytes without a branch.
func chainNode(n int64) int64 { return (4+n+7)&^7 + pointerSize }

// An idTree measures a radix tree of stream IDs, 16 bytes each, while they come
// in ascending order, as they do in a file. It keeps the branches of the
// right-most path only, at most one for each byte of an ID.
//
// A node is a leaf, one for every ID; or a branch; or the chain of bytes between
// two of these, or before the first branch.
type idTree struct {
	raxSize
	hi, lo   uint64     // the last ID
	depth    [16]uint8  // of each branch of the path
	children [16]uint16 // of each branch of the path
	top      int8       // number of branches on the path
}

func (t *idTree) reset() {
	t.raxSize = raxSize{}
	t.top = 0
}

// add adds the next ID. IDs out of order, which no server writes, give a wrong
// size and do no other harm; an ID that repeats the last one is not counted.
func (t *idTree) add(a *allocator, hi, lo uint64) {
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
		t.children[t.top-1]++
	} else {
		t.depth[t.top], t.children[t.top] = common, 2
		t.top++
	}
	t.chain(a, below-common-1)
}

// pop adds the branches below a depth and returns the depth of the uppermost
// one; that of the last ID's leaf if there was none.
func (t *idTree) pop(a *allocator, depth uint8) uint8 {
	below := uint8(16)
	for t.top > 0 && t.depth[t.top-1] > depth {
		at := t.depth[t.top-1]
		t.chain(a, below-at-1)
		t.branch(a, int64(t.children[t.top-1]))
		below = at
		t.top--
	}
	return below
}

func (t *idTree) branch(a *allocator, children int64) {
	t.nodes++
	t.bytes += a.usable(branchNode(children))
}

func (t *idTree) chain(a *allocator, n uint8) {
	if n > 0 {
		t.nodes++
		t.bytes += a.usable(chainNode(int64(n)))
	}
}

// finish returns the size of the tree and resets it.
func (t *idTree) finish(a *allocator) raxSize {
	if t.keys == 0 {
		return raxSize{nodes: 1, bytes: a.usable(8)}
	}
	below := uint8(16)
	if t.top > 0 {
		below = t.pop(a, t.depth[0])
		at := t.depth[0]
		t.chain(a, below-at-1)
		t.branch(a, int64(t.children[0]))
		below = at
	}
	t.chain(a, below)
	t.nodes += t.keys
	t.bytes += t.keys * a.usable(raxLeaf)
	size := t.raxSize
	t.reset()
	return size
}

// MaxStreamName is the length, in bytes, up to which names of groups and
// consumers are compared: the radix tree of names with a longer one is estimated.
const MaxStreamName = 4 << 10

// A nameTree measures a radix tree of names (rax.c) while they come in ascending
// order of their bytes, as they do in a file. Like idTree it keeps the
// right-most path only.
//
// A node at which a name ends has 8 bytes more than those of an idTree: the
// pointer to what is stored under the name. Such a node may have children, since
// a name may begin with another one.
type nameTree struct {
	names, length, bytes int64
	nodes                int64
	last                 []byte     // the last name
	path                 []nameNode // nodes above its leaf, by depth
	estimated            bool       // the names are unsorted or too long
}

// A nameNode is a node of the right-most path that has several children, or at
// which a name ends.
type nameNode struct {
	depth, children int32
	ends            bool // a name ends here
}

func (t *nameTree) reset() {
	t.names, t.length, t.bytes, t.nodes = 0, 0, 0, 0
	t.last, t.path = t.last[:0], t.path[:0]
	t.estimated = false
}

// add adds the next name, of n bytes. If it is longer than MaxStreamName, only
// its length matters, and that of all names after it.
func (t *nameTree) add(a *allocator, name []byte, n int64) {
	t.names++
	t.length += n
	if t.estimated {
		return
	}
	if n > MaxStreamName || n != int64(len(name)) || t.names > 1 && slices.Compare(name, t.last) <= 0 {
		t.estimated = true
		return
	}
	if t.names > 1 {
		t.branch(a, name)
	}
	t.last = append(t.last[:0], name...)
}

// branch adds the last name's leaf, beside or above which the next one is.
func (t *nameTree) branch(a *allocator, next []byte) {
	common := 0
	for common < len(t.last) && t.last[common] == next[common] {
		common++
	}
	if common == len(t.last) {
		t.path = append(t.path, nameNode{depth: int32(common), children: 1, ends: true})
		return
	}
	t.node(a, raxLeaf)
	below := t.pop(a, int32(common))
	if top := len(t.path) - 1; top >= 0 && t.path[top].depth == int32(common) {
		t.path[top].children++
	} else {
		t.path = append(t.path, nameNode{depth: int32(common), children: 2})
	}
	t.chain(a, below-int32(common)-1)
}

// pop adds the nodes below a depth and returns the depth of the uppermost one;
// that of the last name's leaf if there was none.
func (t *nameTree) pop(a *allocator, depth int32) int32 {
	below := int32(len(t.last))
	for len(t.path) > 0 {
		node := t.path[len(t.path)-1]
		if node.depth <= depth {
			break
		}
		t.path = t.path[:len(t.path)-1]
		value := int64(0)
		if node.ends {
			value = pointerSize
		}
		if node.children == 1 {
			t.node(a, chainNode(int64(below-node.depth))+value)
		} else {
			t.chain(a, below-node.depth-1)
			t.node(a, branchNode(int64(node.children))+value)
		}
		below = node.depth
	}
	return below
}

func (t *nameTree) node(a *allocator, size int64) {
	t.nodes++
	t.bytes += a.usable(size)
}

func (t *nameTree) chain(a *allocator, n int32) {
	if n > 0 {
		t.node(a, chainNode(int64(n)))
	}
}

// finish returns the allocated bytes of the tree's nodes and resets it.
func (t *nameTree) finish(a *allocator) int64 {
	_, size := t.measure(a)
	return size
}

// measure is finish that returns the number of nodes as well, of an estimated tree
// two for each name.
func (t *nameTree) measure(a *allocator) (nodes, bytes int64) {
	defer t.reset()
	switch {
	case t.names == 0:
		return 1, a.usable(8)
	case t.estimated:
		return 2 * t.names, estimatedNames(a, t.names, t.length)
	}
	t.node(a, raxLeaf)
	t.chain(a, t.pop(a, -1))
	return t.nodes, t.bytes
}

// estimatedNames returns the bytes of a radix tree of names of which only the
// number and the sum of lengths are known. It assumes that they differ in their
// last bytes alone, as worker-1 and worker-2 do. For one name that is exact.
func estimatedNames(a *allocator, names, length int64) int64 {
	size := names * a.usable(raxLeaf)
	if names == 1 {
		if length > 0 {
			size += a.usable(chainNode(length))
		}
		return size
	}
	if prefix := length/names - 1; prefix > 0 {
		size += a.usable(chainNode(prefix))
	}
	// Ten children to a branch, as with decimal digits.
	for left := names; left > 1; left = (left + 9) / 10 {
		size += left / 10 * a.usable(branchNode(10))
		if rest := left % 10; rest > 0 {
			size += a.usable(branchNode(rest))
		}
	}
	return size
}

// A NameTree measures a radix tree of byte strings that are added in ascending
// order (rax.c).
type NameTree struct{ tree nameTree }

// Add adds the next string, of n bytes, of which name has at least MaxStreamName.
func (t *NameTree) Add(m *Model, name []byte, n int64) { t.tree.add(&m.allocator, name, n) }

// Finish returns the number of nodes and the allocated bytes of the tree, its
// structure included, and resets it.
func (t *NameTree) Finish(m *Model) (nodes, bytes int64) {
	nodes, bytes = t.tree.measure(&m.allocator)
	return nodes, bytes + m.usable(8) + m.usable(24)
}
