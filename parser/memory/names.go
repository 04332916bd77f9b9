package memory

import "slices"

// MaxStreamName bounds the names of groups and consumers whose radix tree is
// worked out, in bytes: a tree with a longer one is estimated.
const MaxStreamName = 4 << 10

// A nameTree measures a radix tree of names (rax.c) while these come in
// ascending order of their bytes, as they stand in a file. As tree does, it
// keeps the right-most path alone; a name that others begin with ends inside
// of it.
//
// A node that a name ends at has 8 bytes more than those of tree: the pointer
// to what is stored under the name.
type nameTree struct {
	names, length, bytes int64
	last                 []byte // the last name
	path                 []fork // nodes above its leaf, by depth
	estimated            bool   // the names are unsorted or too long
}

// A fork is a node of the right-most path that has several children, or that a
// name ends at.
type fork struct {
	depth, kids int32
	ends        bool
}

func (t *nameTree) reset() {
	t.names, t.length, t.bytes = 0, 0, 0
	t.last, t.path = t.last[:0], t.path[:0]
	t.estimated = false
}

// add takes the next name, of n bytes: of a longer one than MaxStreamName, and of
// all that follow it, only the length is looked at.
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

// branch puts the leaf of the last name beside or above the one of the next.
func (t *nameTree) branch(a *allocator, next []byte) {
	common := 0
	for common < len(t.last) && t.last[common] == next[common] {
		common++
	}
	if common == len(t.last) {
		t.path = append(t.path, fork{depth: int32(common), kids: 1, ends: true})
		return
	}
	t.bytes += a.block(raxLeaf)
	below := t.pop(a, int32(common))
	if top := len(t.path) - 1; top >= 0 && t.path[top].depth == int32(common) {
		t.path[top].kids++
	} else {
		t.path = append(t.path, fork{depth: int32(common), kids: 2})
	}
	t.chain(a, below-int32(common)-1)
}

// pop finishes the nodes below a depth and gives where the uppermost of them
// was: the depth of the last name's leaf if there was none.
func (t *nameTree) pop(a *allocator, depth int32) int32 {
	below := int32(len(t.last))
	for len(t.path) > 0 {
		f := t.path[len(t.path)-1]
		if f.depth <= depth {
			break
		}
		t.path = t.path[:len(t.path)-1]
		name := int64(0)
		if f.ends {
			name = 8
		}
		if f.kids == 1 {
			t.bytes += a.block(chainNode(int64(below-f.depth)) + name)
		} else {
			t.chain(a, below-f.depth-1)
			t.bytes += a.block(branchNode(int64(f.kids)) + name)
		}
		below = f.depth
	}
	return below
}

func (t *nameTree) chain(a *allocator, n int32) {
	if n > 0 {
		t.bytes += a.block(chainNode(int64(n)))
	}
}

// finish ends the tree and gives the bytes of its nodes, as allocated; the next
// name begins another one.
func (t *nameTree) finish(a *allocator) int64 {
	defer t.reset()
	switch {
	case t.names == 0:
		return a.block(8)
	case t.estimated:
		return estimatedNames(a, t.names, t.length)
	}
	t.bytes += a.block(raxLeaf)
	t.chain(a, t.pop(a, -1))
	return t.bytes
}

// estimatedNames gives the bytes of a radix tree of names, of which only the
// number and the sum of their lengths are known: they are taken to differ in
// their last byte alone, as worker-1 and worker-2 do. That is exact for one name.
func estimatedNames(a *allocator, names, length int64) int64 {
	size := names * a.block(raxLeaf)
	if names == 1 {
		if length > 0 {
			size += a.block(chainNode(length))
		}
		return size
	}
	if prefix := length/names - 1; prefix > 0 {
		size += a.block(chainNode(prefix))
	}
	// Ten children to a branch, as decimal digits make them.
	for left := names; left > 1; left = (left + 9) / 10 {
		size += left / 10 * a.block(branchNode(10))
		if rest := left % 10; rest > 0 {
			size += a.block(branchNode(rest))
		}
	}
	return size
}
