package tree

import "slices"

// Table is what the tree of a snapshot has folded at one time, for Blocks that are read
// later. It is immutable.
type Table struct {
	spots  []tableSpot
	spotOf map[uint64]int32 // by the hash of the node and kindSalt of the children's kind
	// pinned has the hashes of the nodes at folded places: their values have many keys
	// or much memory.
	pinned map[uint64]struct{}
}

// tableSpot is a place of which values were folded.
type tableSpot struct {
	rate
	values  int32 // that have nodes
	shapes  int32 // that have nodes
	words   bool  // words without nodes are folded, too
	closed  bool
	lengths // words of these lengths without nodes are folded, too
}

// folds reports whether a value is counted at another one if it has no node.
func (s *tableSpot) folds(word bool, length int) bool { return !word || s.words || s.has(length) }

// one reports whether all values that are folded and have no brace are counted at one node.
func (s *tableSpot) one() bool { return (s.words || s.most > 0) && s.values == 0 && s.shapes == 0 }

// Publish returns what is folded now: the Table that it returned last if that has not
// changed.
func (t *Tree) Publish() *Table {
	t.refold()
	if !t.dirty {
		return t.table
	}
	t.dirty = false
	p := &Table{spotOf: map[uint64]int32{}, pinned: map[uint64]struct{}{}}
	for i := range t.places { // most trees have no other places, and far more nodes
		if s := t.places[i].spot; s.node >= 0 {
			t.publish(p, s)
		}
	}
	for i := int32(0); t.anyClosed && int(i) < t.nodes.Len(); i++ {
		for kind := range uint8(2) {
			if n := t.Node(i); n.closed && n.place[kind] == 0 {
				t.publish(p, spot{i, kind})
			}
		}
	}
	if len(p.spots) == 0 {
		p = nil
	}
	t.table = p
	return p
}

// publish adds the children of a node of one kind to a Table.
func (t *Tree) publish(p *Table, of spot) {
	n := t.Node(of.node)
	s := tableSpot{closed: n.closed}
	var at *place
	if n.place[of.kind] != 0 {
		at = &t.places[n.place[of.kind]-1]
		if s.words = at.words; at.letters {
			s.lengths = at.lengths
		}
	}
	var keys, size int64
	for c := n.first; c != 0; c = t.Node(c).next {
		child := t.Node(c)
		if child.kind != of.kind || child.rest {
			continue
		}
		keys, size = keys+child.Keys, size+child.Size
		switch {
		case !child.wide && s.folds(child.word, len(child.label)):
			s.values++
		case !child.wide:
		case !child.isStar():
			s.shapes++
		}
		p.pinned[child.hash] = struct{}{}
	}
	if s.rate = rateOf(keys, size, t.Node(0).Keys); at != nil {
		at.weight = max(at.weight, s.every)
	}
	p.spotOf[n.hash^kindSalt[of.kind]] = int32(len(p.spots))
	p.spots = append(p.spots, s)
}

// refold folds places again that have twice the keys or bytes: values that had many are light by now, and
// fewer keys are sampled.
func (t *Tree) refold() {
	for i := range t.places {
		p := &t.places[i]
		if p.node < 0 {
			continue
		}
		n := t.Node(p.node)
		if n.Keys < 2*p.keys && n.Size < 2*p.bytes {
			continue
		}
		if all, _ := t.rank(p.spot, p); all.keys > 2*p.keys || all.size > 2*p.bytes {
			t.fold(p.spot, limitOf(p.node)/4)
			t.dirty = true
		}
	}
}

// Known returns how many blocks must be merged before the Table is published that a
// block of a number reads. The Tables that blocks read depend on nothing else, so the
// tree does not depend on how many blocks are read side by side. The first Table follows
// the first block that can have keys: block 0 is the header of a snapshot.
func Known(block int) int { return published(max(block-16, 2*block/3)) }

// published returns after how many blocks the last Table was published when some were
// merged. The first ones follow each other closely: names that are not known to be folded
// cost most.
func published(merged int) (blocks int) {
	if merged < 16 {
		return min(merged, 8)
	}
	return merged &^ 15
}

// Versions has the Tables that blocks which are not merged yet may read.
type Versions struct {
	list []version
}

type version struct {
	blocks int // that were merged
	table  *Table
}

// Before must be called before a block is merged.
func (v *Versions) Before(t *Tree, block int) {
	blocks := published(block)
	for len(v.list) > 0 && v.list[0].blocks < Known(block) { // no later block reads it
		v.list = slices.Delete(v.list, 0, 1)
	}
	if n := len(v.list); blocks > 0 && (n == 0 || v.list[n-1].blocks < blocks) {
		v.list = append(v.list, version{blocks, t.Publish()})
	}
}

// For returns the Table that a block reads. As many blocks as Known says must be merged,
// and this one must not be.
func (v *Versions) For(t *Tree, block int) *Table {
	blocks := Known(block)
	if blocks == 0 {
		return nil
	}
	if n := len(v.list); n == 0 || v.list[n-1].blocks < blocks {
		v.list = append(v.list, version{blocks, t.Publish()})
	}
	for len(v.list) > 8 { // blocks are at most 31 ahead
		v.list = v.list[1:]
	}
	for i := range v.list {
		if v.list[i].blocks >= blocks {
			return v.list[i].table
		}
	}
	return nil
}
