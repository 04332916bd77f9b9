package tree

import (
	"math"
	"slices"
)

// Merge adds a Block, whose leaves have their sums. It returns the node here for each node
// there that has keys, valid until Settle is called.
func (t *Tree) Merge(b *Block) []int32 {
	nodeOf := slices.Grow(t.nodeOf[:0], len(b.nodes))[:len(b.nodes)]
	folded := slices.Grow(t.folded[:0], len(b.nodes))[:len(b.nodes)]
	for _, i := range b.used {
		n := &b.nodes[i]
		folded[i] = false
		if int(n.master) >= t.nodes.Len() || t.Node(n.master).hash != n.hash {
			parent := nodeOf[n.parent]
			if t.Node(parent).rest {
				nodeOf[i], folded[i] = parent, !n.rest && !n.wide
				t.countFolded(b, i, folded)
				continue
			}
			label := b.label(i)
			n.master = t.child(parent, label, n)
			to := t.Node(n.master)
			folded[i] = folded[n.parent] || !n.wide && to.wide && !t.sameShape(label, n.kind, to.label)
			t.countFolded(b, i, folded)
		}
		nodeOf[i] = n.master
		to := t.Node(n.master)
		to.Keys, to.Size = to.Keys+n.keys, to.Size+n.size
		for kind, at := range n.spots {
			if p := to.place[kind]; at >= 0 && p != 0 {
				t.places[p-1].blind = true
			}
		}
	}
	t.nodeOf, t.folded = nodeOf, folded
	for i := range b.found {
		s := &b.found[i]
		if to := t.Node(nodeOf[s.node]); to.wide || to.rest { // else the value has a node
			t.sampled(nodeOf[s.parent], b.values[s.from:s.from+uint32(s.length)], s)
		}
	}
	return nodeOf
}

// countFolded tells Leaves of the pattern at a leaf of a block that is counted under
// another one because of what the block did not know.
func (t *Tree) countFolded(b *Block, i int32, folded []bool) {
	if !folded[i] || b.nodes[i].kind != end || b.nodes[i].wide {
		return
	}
	t.names[0] = b.appendPath(t.names[0][:0], i)
	t.names[1] = t.cut.namer.AppendPattern(t.names[1][:0], t.names[0])
	t.leaves.Folded(t.names[1])
}

func (t *Tree) child(parent int32, label []byte, n *blockNode) int32 {
	at := t.Node(parent)
	if at.closed || n.rest {
		return t.ensureRest(parent)
	}
	hash := hashOf(at.hash, label, n.kind)
	if c := t.find(hash); c != 0 {
		return c
	}
	if p := at.place[n.kind]; p != 0 && !n.wide && t.places[p-1].foldsValue(!varies(label), len(label)) {
		// A value that the block did not know to be folded: its node would be removed when the
		// place is folded again.
		if keys, size := t.sumsOf(parent, n.kind); n.keys <= keys/share && n.size <= size/share {
			to := t.starOf(parent, label, n.kind)
			pl := &t.places[p-1]
			pl.missed = max(pl.missed, pl.before+n.keys)
			return to
		}
	}
	return t.add(parent, hash, string(label), n.kind, flags{wide: n.wide})
}

func (t *Tree) sumsOf(parent int32, kind uint8) (keys, size int64) {
	p := &t.places[t.Node(parent).place[kind]-1]
	if p.merged != t.merges { // at most once a block
		p.merged, p.before, p.all, p.size = t.merges, p.missed, 0, 0
		for c := t.Node(parent).first; c != 0; c = t.Node(c).next {
			if n := t.Node(c); n.kind == kind {
				p.all, p.size = p.all+n.Keys, p.size+n.Size
			}
		}
	}
	return p.all, p.size
}

// starOf returns the node that counts the keys of a value of a folded place that has
// none of its own.
func (t *Tree) starOf(parent int32, value []byte, kind uint8) int32 {
	if c := t.findStar(parent, value, kind); c != 0 {
		return c
	}
	return t.add(parent, hashOf(t.Node(parent).hash, t.text, kind), string(t.text), kind, flags{wide: true})
}

// findStar is starOf, but returns 0 if there is no such node.
func (t *Tree) findStar(parent int32, value []byte, kind uint8) int32 {
	hash := t.Node(parent).hash
	if t.text = t.cut.appendShape(t.text[:0], value, kind); len(t.text) > 0 {
		if c := t.find(hashOf(hash, t.text, kind)); c != 0 {
			return c
		}
	}
	t.text = appendStar(t.text[:0], value, kind)
	return t.find(hashOf(hash, t.text, kind))
}

// ensureRest returns the child of a node that has what it does not distinguish.
func (t *Tree) ensureRest(parent int32) int32 {
	hash := restHash(t.Node(parent).hash)
	if c := t.find(hash); c != 0 {
		return c
	}
	return t.add(parent, hash, Rest, end, flags{rest: true})
}

// Settle folds places that have too many values, and frees nodes if the tree has too
// many. most is the number of leaves that Leaves has room for.
func (t *Tree) Settle(most int) {
	t.foldFull()
	if t.ends > most || t.used > MaxNodes || t.labels > maxLabels {
		t.shrink(most - most/4)
	}
	t.merges++
}

// MergeTree adds the tree of other snapshots. It calls join for each leaf there and its
// node here. The other tree stays as it is.
func (t *Tree) MergeTree(o *Tree, join func(to int32, from *Node)) {
	t.merges++
	t.seal()
	t.mergeNode(0, o, 0, join)
	t.Node(0).Keys += o.Node(0).Keys
	t.Node(0).Size += o.Node(0).Size
}

// mergeNode adds what is below a node, whose sums were added.
func (t *Tree) mergeNode(to int32, o *Tree, from int32, join func(to int32, from *Node)) {
	rest := o.restOf(from)
	own := t.restOf(to)
	missed := map[int32]int64{} // of nodes that are only there
	for c := range o.Children(from) {
		if n := o.Node(c); !n.rest && !n.wide && t.find(n.hashBelow(t.Node(to).hash)) == 0 {
			missed[c] = t.lost(to, n) + own
		}
	}
	for kind := range uint8(2) {
		if p := o.Node(from).place[kind]; p != 0 {
			t.placeOf(to, kind).join(&o.places[p-1])
		}
	}
	// What the other tree does not have may have been counted elsewhere there.
	for c := t.Node(to).first; c != 0; c = t.Node(c).next {
		if n := t.Node(c); !n.wide && !n.rest && o.find(n.hashBelow(o.Node(from).hash)) == 0 {
			n.missed += o.lost(from, n) + rest
		}
	}
	for c := range o.Children(from) {
		n := o.Node(c)
		into := int32(0)
		if n.rest || t.Node(to).closed {
			into = t.ensureRest(to)
		} else if into = t.find(n.hashBelow(t.Node(to).hash)); into == 0 {
			into = t.add(to, n.hashBelow(t.Node(to).hash), n.label, n.kind, flags{wide: n.wide})
			t.Node(into).missed = missed[c]
		}
		m := t.Node(into)
		m.Keys, m.Size = m.Keys+n.Keys, m.Size+n.Size
		if !n.wide && !m.rest {
			m.missed += o.lacks(n)
			m.sampledKeys, m.sampledSize = m.sampledKeys+n.sampledKeys, m.sampledSize+n.sampledSize
		}
		if m.rest {
			o.EachLeaf(c, func(leaf int32) { join(into, o.Node(leaf)) })
			continue
		}
		if n.Leaf != 0 {
			join(into, n)
		}
		t.mergeNode(into, o, c, join)
	}
	for kind := range uint8(2) {
		if p := o.Node(from).place[kind]; p != 0 {
			t.placeOf(to, kind).missed += o.lostAt(&o.places[p-1])
		}
	}
}

// restOf returns the keys that a node does not distinguish.
func (t *Tree) restOf(i int32) int64 {
	if c := t.find(restHash(t.Node(i).hash)); c != 0 {
		return t.Node(c).Keys
	}
	return 0
}

// EachLeaf calls do for all leaves below a node, and for the node if it is one.
func (t *Tree) EachLeaf(i int32, do func(leaf int32)) {
	if t.Node(i).Leaf != 0 {
		do(i)
	}
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		t.EachLeaf(c, do)
	}
}

// joinLeaf adds the keys of a leaf, 0 none, to those of a node.
func (t *Tree) joinLeaf(to *Node, leaf int32) {
	if to.Leaf == 0 {
		to.Leaf = leaf
	} else if leaf != 0 {
		t.leaves.Join(to.Leaf, leaf)
	}
}

// shrink frees leaves until there are at most enough: first patterns of names that end
// at light places are folded, then light nodes are closed.
func (t *Tree) shrink(enough int) {
	all := *t.Node(0)
	tooMany := func() bool { return t.ends > enough || t.used > MaxNodes*3/4 || t.labels > maxLabels*3/4 }
	for i := range int32(t.nodes.Len()) {
		if n := t.Node(i); !n.removed && i > 0 && n.values[end]+n.words[end] > 1 && n.Keys <= all.Keys/1024 &&
			n.Size <= all.Size/1024 {
			t.placeOf(i, end).words = true
			t.fold(spot{i, end}, 0)
		}
	}
	for s := int64(8192); tooMany(); s /= 2 {
		least := Node{Keys: all.Keys / max(s, 1), Size: all.Size / max(s, 1)}
		if s == 0 {
			least = Node{Keys: math.MaxInt64, Size: math.MaxInt64}
			for kind := range uint8(2) {
				t.placeOf(0, kind).words = true
				t.fold(spot{0, kind}, 0)
			}
		}
		if t.closeBelow(0, &least); s == 0 {
			return
		}
	}
}

// closeBelow closes the nodes below one that have neither more keys nor more bytes than
// another one.
func (t *Tree) closeBelow(i int32, least *Node) {
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		n := t.Node(c)
		if n.kind != inner || n.closed {
			continue
		}
		if n.Keys <= least.Keys && n.Size <= least.Size {
			t.close(c)
		} else {
			t.closeBelow(c, least)
		}
	}
}

// close counts all keys below a node in one leaf.
func (t *Tree) close(i int32) {
	list := t.detach(i)
	rest := int32(0)
	keys, size, leaf := int64(0), int64(0), int32(0)
	for list != 0 {
		next := t.Node(list).next
		if t.Node(list).rest {
			rest = list
			list = next
			continue
		}
		keys, size = keys+t.Node(list).Keys, size+t.Node(list).Size
		leaf = t.collapse(list, leaf)
		list = next
	}
	t.Node(i).closed, t.anyClosed, t.dirty = true, true, true
	if rest == 0 {
		rest = t.ensureRest(i)
	} else {
		t.Node(rest).next, t.Node(i).first = 0, rest
	}
	r := t.Node(rest)
	r.Keys, r.Size = r.Keys+keys, r.Size+size
	t.joinLeaf(r, leaf)
}

// collapse removes a node and all below it, and joins their leaves with another one, 0
// none yet, which it returns.
func (t *Tree) collapse(i, into int32) int32 {
	if leaf := t.Node(i).Leaf; leaf != 0 {
		t.foldedLeaf(i)
		if into == 0 {
			into = leaf
		} else {
			t.leaves.Join(into, leaf)
		}
	}
	for c := t.Node(i).first; c != 0; {
		next := t.Node(c).next
		into = t.collapse(c, into)
		c = next
	}
	t.remove(i)
	return into
}
