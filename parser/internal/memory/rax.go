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

// A raxPath measures the inner nodes of a radix tree (rax.c) while its keys come in
// ascending order, as they do in a file: it has the nodes of the right-most path only.
// They are branches, or nodes at which a key ends; between two of them, and before the
// first, is a chain of bytes. Leaves are counted by those who add keys.
type raxPath struct {
	nodes, bytes int64      // of the nodes that are complete
	path         []pathNode // nodes above the leaf of the last key, by depth
}

// A pathNode is a node of the right-most path that has several children, or at
// which a key ends.
type pathNode struct {
	depth, children int32
	ends            bool // a key ends here
}

func (t *raxPath) reset() { *t = raxPath{path: t.path[:0]} }

// branch adds a branch at a depth, or a child to the one that is there. length is that of
// the last key in bytes.
func (t *raxPath) branch(a *allocator, length, depth int32) {
	below := t.pop(a, length, depth)
	if top := len(t.path) - 1; top >= 0 && t.path[top].depth == depth {
		t.path[top].children++
	} else {
		t.path = append(t.path, pathNode{depth: depth, children: 2})
	}
	t.chain(a, below-depth-1)
}

// pop adds the nodes below a depth and returns the depth of the uppermost one, which
// is that of the last key's leaf if there was none.
func (t *raxPath) pop(a *allocator, length, depth int32) int32 {
	below := length
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

func (t *raxPath) close(a *allocator, length int32) { t.chain(a, t.pop(a, length, -1)) }

func (t *raxPath) node(a *allocator, size int64) {
	t.nodes++
	t.bytes += a.usable(size)
}

func (t *raxPath) chain(a *allocator, n int32) {
	if n > 0 {
		t.node(a, chainNode(int64(n)))
	}
}

// An idTree measures a radix tree of stream IDs.
type idTree struct {
	raxPath
	keys   int64
	hi, lo uint64 // the last ID
}

const idBytes = 16

func (t *idTree) reset() {
	t.raxPath.reset()
	t.keys = 0
}

// add adds the next ID. IDs out of order, which no server writes, give a wrong
// size and do no other harm; an ID that repeats the last one is not counted.
func (t *idTree) add(a *allocator, hi, lo uint64) {
	if t.keys > 0 {
		common := bits.LeadingZeros64(hi^t.hi) / 8
		if hi == t.hi {
			common += bits.LeadingZeros64(lo^t.lo) / 8
		}
		if common == idBytes {
			return
		}
		t.branch(a, idBytes, int32(common))
	}
	t.keys++
	t.hi, t.lo = hi, lo
}

func (t *idTree) finish(a *allocator) raxSize {
	if t.keys == 0 {
		return raxSize{nodes: 1, bytes: a.usable(8)}
	}
	t.close(a, idBytes)
	size := raxSize{keys: t.keys, nodes: t.nodes + t.keys, bytes: t.bytes + t.keys*a.usable(raxLeaf)}
	t.reset()
	return size
}

// MaxStreamName is the length, in bytes, up to which names of groups and
// consumers are compared: the radix tree of names with a longer one is estimated.
const MaxStreamName = 4 << 10

// A nameTree measures a radix tree of names. A node at which a name ends has a pointer
// to what is stored under the name. It may have children, since a name may begin with
// another one.
type nameTree struct {
	raxPath
	names, length int64
	last          []byte // the last name
	estimated     bool   // the names are unsorted or too long
}

func (t *nameTree) reset() {
	t.raxPath.reset()
	*t = nameTree{raxPath: t.raxPath, last: t.last[:0]}
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
		t.next(a, name)
	}
	t.last = append(t.last[:0], name...)
}

// next adds the last name's leaf, beside or above which the next one is.
func (t *nameTree) next(a *allocator, name []byte) {
	common := 0
	for common < len(t.last) && t.last[common] == name[common] {
		common++
	}
	if common == len(t.last) {
		t.path = append(t.path, pathNode{depth: int32(common), children: 1, ends: true})
		return
	}
	t.node(a, raxLeaf)
	t.branch(a, int32(len(t.last)), int32(common))
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
	t.close(a, int32(len(t.last)))
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

func (t *nameTree) finishTree(m *Model) (nodes, bytes int64) {
	nodes, bytes = t.measure(&m.allocator)
	return nodes, bytes + m.usable(8) + m.usable(24)
}
