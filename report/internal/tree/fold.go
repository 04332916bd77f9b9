package tree

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// ranked is a value that may keep its node.
type ranked struct {
	node       int32
	keys, size int64 // with what it may lack, but at most as much as it has, or as samples say
}

// foldFull folds the places that have more values than the limit.
func (t *Tree) foldFull() {
	for len(t.full) > 0 {
		s := t.full[len(t.full)-1]
		t.full = t.full[:len(t.full)-1]
		n, limit := t.Node(s.node), int32(limitOf(s.node))
		if n.removed || max(n.values[s.kind], n.words[s.kind]) <= limit {
			continue
		}
		if words := n.words[s.kind] > limit; words {
			p := t.placeOf(s.node, s.kind)
			t.noteLengths(p, s)
			p.letters, p.words = p.most > 0, p.words || p.most == 0
		}
		t.fold(s, int(limit)/4)
		if n.words[s.kind] > limit { // the others are too many as well
			t.placeOf(s.node, s.kind).words = true
			t.fold(s, int(limit)/4)
		}
	}
}

// fold folds the values of a place that have less than 1/share of its keys and of its
// memory: those that a pattern replaces, and if there are too many words, these as well, or only those
// that have the lengths of identifiers. At most `most` are kept by their keys, and as many by their memory.
func (t *Tree) fold(s spot, most int) {
	p := t.placeOf(s.node, s.kind)
	t.noteLengths(p, s)
	all, list := t.rank(s, p)
	p.keys, p.bytes = all.keys, all.size
	kept := t.heaviest(list, most, all.keys/share, all.size/share)
	t.absorbOthers(s, kept, share)
}

// rank returns the sums of a place, and its values that may be folded, all if p is nil.
func (t *Tree) rank(s spot, p *place) (all ranked, list []ranked) {
	list = t.scratch.values[:0]
	for c := range t.Children(s.node) {
		n := t.Node(c)
		if n.kind != s.kind || n.rest {
			continue
		}
		all.keys, all.size = all.keys+n.Keys, all.size+n.Size
		if !n.isStar() && (p == nil || p.folds(n)) {
			list = append(list, ranked{c, n.Keys + max(min(n.Keys, t.lacks(n)), int64(n.sampledKeys)), n.Size})
		}
	}
	for i := range list {
		if n := t.Node(list[i].node); n.sampledSize > 0 {
			spread := 3 * math.Sqrt(float64(n.sampledSize)*float64(all.size)/sampleShare)
			list[i].size += n.sampledSize + min(n.Size, int64(spread))
		}
	}
	t.scratch.values = list
	return all, list
}

// isStar reports whether a node has values that are folded and have no shape.
func (n *Node) isStar() bool { return isStar(n.label, n.kind) }

// heaviest returns which values have more keys than one bound or more bytes than the
// other one: at most so many of each.
func (t *Tree) heaviest(list []ranked, most int, keys, size int64) map[int32]bool {
	kept := map[int32]bool{}
	keep := func(of func(*ranked) int64, bound int64) {
		heavy := t.heavy[:0]
		for i := range list {
			if of(&list[i]) > bound {
				heavy = append(heavy, list[i])
			}
		}
		t.heavy = heavy
		slices.SortFunc(heavy, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(of(&b), of(&a)), strings.Compare(t.Node(a.node).label, t.Node(b.node).label))
		})
		for i := range heavy[:min(most, len(heavy))] {
			kept[heavy[i].node] = true
		}
	}
	keep(func(r *ranked) int64 { return r.keys }, keys)
	keep(func(r *ranked) int64 { return r.size }, size)
	return kept
}

// absorbOthers absorbs the values of a place that are not kept. Shapes that have 1/part
// of the place get nodes.
func (t *Tree) absorbOthers(s spot, kept map[int32]bool, part int64) {
	var out []int32
	p := *t.placeOf(s.node, s.kind)
	list := t.detach(s.node)
	var all ranked
	missed := int64(0)
	for list != 0 {
		n := t.Node(list)
		next := n.next
		all.keys, all.size = all.keys+n.Keys, all.size+n.Size
		if n.kind == s.kind && !n.rest && !n.isStar() && p.folds(n) && !kept[list] {
			out = append(out, list)
			if !n.wide {
				missed = max(missed, n.Keys+t.lacks(n))
			}
		} else {
			t.link(list, s.node)
		}
		list = next
	}
	// The order decides which name a place gets first, nothing else.
	slices.SortFunc(out, func(a, b int32) int { return strings.Compare(t.Node(a).label, t.Node(b).label) })
	to := t.placeOf(s.node, s.kind)
	to.missed = max(to.missed, missed)
	t.addShapes(s, out, all.keys/part, all.size/part)
	for _, c := range out {
		label := []byte(t.Node(c).label)
		to := t.starOf(s.node, label, s.kind)
		if !t.sameShape(label, s.kind, t.Node(to).label) {
			t.EachLeaf(c, t.foldedLeaf)
		}
		t.absorb(to, c)
	}
}

// addShapes adds the nodes of the shapes of values that are to be absorbed, if two values
// have them, and more than the given keys or bytes.
func (t *Tree) addShapes(s spot, out []int32, keys, size int64) {
	sums := map[string]ranked{}
	var text []byte
	for _, c := range out {
		n := t.Node(c)
		if n.wide {
			continue
		}
		text = t.cut.appendShape(text[:0], []byte(n.label), s.kind)
		if len(text) > 0 {
			r := sums[string(text)]
			sums[string(text)] = ranked{r.node + 1, r.keys + n.Keys, r.size + n.Size}
		}
	}
	hash := t.Node(s.node).hash
	for shape, r := range sums {
		if r.node < 2 || r.keys <= keys && r.size <= size {
			delete(sums, shape)
		}
	}
	names := make([]string, 0, len(sums))
	for shape := range sums {
		names = append(names, shape)
	}
	slices.SortFunc(names, func(a,
		b string) int {
		return cmp.Or(cmp.Compare(sums[b].keys, sums[a].keys), strings.Compare(a, b))
	})
	for _, shape := range names[:min(len(names), limitOf(s.node)/8)] {
		if h := hashOf(hash, []byte(shape), s.kind); t.find(h) == 0 {
			t.add(s.node, h, shape, s.kind, flags{wide: true})
		}
	}
}

// absorb moves what a node has, which no list has any more, and all below it into
// another one.
func (t *Tree) absorb(to, from int32) {
	a, b := t.Node(to), t.Node(from)
	a.Keys, a.Size = a.Keys+b.Keys, a.Size+b.Size
	t.joinLeaf(a, b.Leaf)
	t.absorbChildren(to, from)
	t.remove(from)
}

func (t *Tree) absorbChildren(to, from int32) {
	var lost, before [2]place
	for kind := range uint8(2) {
		if p := t.Node(to).place[kind]; p != 0 {
			before[kind] = t.places[p-1]
		}
		p := t.Node(from).place[kind]
		if p == 0 {
			continue
		}
		lost[kind] = t.places[p-1]
		t.placeOf(to, kind).join(&lost[kind])
		for c := t.Node(to).first; c != 0; c = t.Node(c).next {
			if n := t.Node(c); n.kind == kind && !n.wide && !n.rest && lost[kind].folds(n) &&
				t.find(n.hashBelow(t.Node(from).hash)) == 0 {
				n.missed += t.lostAt(&lost[kind])
			}
		}
	}
	folds := [2]bool{t.Node(to).place[inner] != 0, t.Node(to).place[end] != 0}
	for c := t.detach(from); c != 0; {
		n := t.Node(c)
		next := n.next
		hash := n.hashBelow(t.Node(to).hash)
		switch into := t.find(hash); {
		case n.rest || t.Node(to).closed:
			into = t.ensureRest(to)
			r, n := t.Node(into), t.Node(c)
			r.Keys, r.Size = r.Keys+n.Keys, r.Size+n.Size
			t.joinLeaf(r, t.collapse(c, 0))
		case into != 0:
			m := t.Node(into)
			m.missed, m.late = m.missed+n.missed, m.late || n.late
			m.sampledKeys, m.sampledSize = m.sampledKeys+n.sampledKeys, m.sampledSize+n.sampledSize
			t.absorb(into, c)
		default:
			if b := &before[n.kind]; folds[n.kind] && !n.wide && b.folds(n) {
				n.missed, n.late = n.missed+t.lostAt(b), n.late || b.blind
			}
			t.move(c, to, hash)
		}
		c = next
	}
	for kind := range lost {
		if t.Node(from).place[kind] != 0 {
			t.places[t.Node(to).place[kind]-1].missed += t.lostAt(&lost[kind])
		}
	}
	t.dirty = true
}

// move makes a node, which no list has any more, a child of another one.
func (t *Tree) move(i, parent int32, hash uint64) {
	t.link(i, parent)
	t.Node(i).hash = hash
	t.enter(i)
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		t.rehash(c, hash)
	}
}

func (t *Tree) rehash(i int32, parent uint64) {
	t.Node(i).hash = t.Node(i).hashBelow(parent)
	t.enter(i)
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		t.rehash(c, t.Node(i).hash)
	}
}

// sameShape reports whether what a value is folded into is its pattern: the pattern of
// its names stays the same.
func (t *Tree) sameShape(value []byte, kind uint8, into string) bool {
	t.text = t.cut.appendPattern(t.text[:0], value, kind)
	return string(t.text) == into
}

// foldedLeaf tells Leaves of the pattern at a leaf that is to be absorbed.
func (t *Tree) foldedLeaf(i int32) {
	if n := t.Node(i); n.wide || n.rest {
		return // the folds of others were recorded when it was made
	}
	t.names[0] = t.AppendPath(t.names[0][:0], i)
	t.names[1] = t.cut.namer.AppendPattern(t.names[1][:0], t.names[0])
	t.leaves.Folded(t.names[1])
}

// Finish folds what a report does not distinguish: the values of places that were folded,
// or have more than Values, if they have less than 1/finalShare of the keys and of the
// memory of their place.
func (t *Tree) Finish() {
	t.table = nil // no block reads it any more
	t.seal()
	t.foldFull()
	t.finishBelow(0)
}

func (t *Tree) finishBelow(i int32) {
	for kind := range uint8(2) {
		if t.Node(i).closed {
			continue
		}
		s, limit := spot{i, kind}, int32(limitOf(i)/2)
		folded := t.Node(i).place[kind] != 0
		t.foldIdentifiers(s)
		n := t.Node(i)
		if folded || max(n.words[kind], n.values[kind]) > limit {
			p := t.placeOf(i, kind)
			p.words = p.words || n.words[kind] > limit
			all, list := t.rank(s, p)
			t.absorbOthers(s, t.heaviest(list, len(list), (all.keys-1)/finalShare, (all.size-1)/finalShare), finalShare)
		}
	}
	t.full = t.full[:0]
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		t.finishBelow(c)
	}
}
