package report

import (
	"github.com/rdblens/rdblens/thresholds/naming"
)

// plant makes the tree of places from the patterns of all groups.
func (g *groups) plant() {
	if g.places != nil {
		return
	}
	if g.places = g.tree; g.places == nil {
		g.places = newPlaces(g.namer)
		g.tree = g.places
	}
	g.places.reset()
	for i := range g.list {
		g.places.nodes[g.places.insert(g.pattern(i))].group = int32(i) + 1
	}
}

// joinOwn joins two groups of this table, by 1 + index.
func (g *groups) joinOwn(to, from int32) {
	t, f := &g.list[to-1], &g.list[from-1]
	g.folded.add(f.hash)
	f.gone = true
	g.join(t, f, g)
}

// tidy gives groups their places anew after the tree was folded: some have
// another pattern now, and some are gone.
func (g *groups) tidy() {
	if 2*g.places.unused > len(g.places.nodes) {
		g.places = g.places.compact()
		g.tree = g.places
	}
	index := g.spare.index[:0] // new, by old
	n := 0
	for i := range g.list {
		index = append(index, int32(n))
		if !g.list[i].gone {
			if i != n {
				g.list[n], g.list[i] = g.list[i], g.list[n] // the buffer of the other one stays of use
			}
			n++
		}
	}
	g.list = g.list[:n]
	texts := g.spare.texts[:0]
	for i := range g.places.nodes {
		node := &g.places.nodes[i]
		if node.unused || node.group == 0 {
			continue
		}
		node.group = index[node.group-1] + 1
		to := &g.list[node.group-1]
		to.text = int32(len(texts))
		texts = g.places.appendPath(texts, int32(i))
		to.textEnd = int32(len(texts))
		if hash := naming.HashPattern(texts[to.text:]); hash != to.hash {
			g.folded.add(to.hash)
			to.hash = hash
		}
	}
	g.texts, g.spare.texts, g.spare.index = texts, g.texts, index
	clear(g.slots)
	for i := range g.list {
		_, at := g.find(g.list[i].hash)
		g.slots[at] = int32(i) + 1
	}
	g.tidyLists()
}

// tidyLists drops the histograms and marks of groups that are gone.
func (g *groups) tidyLists() {
	lives, marks := g.spare.lives[:0], g.spare.marks[:0]
	move := func(to *group) {
		if to.life != 0 {
			lives = append(lives, g.lives[to.life-1])
			to.life = int32(len(lives))
		}
		head := int32(0)
		for m := to.marks; m != 0; m = g.marks[m-1].next {
			mark := g.marks[m-1]
			mark.next, head = head, int32(len(marks)+1)
			marks = append(marks, mark)
		}
		to.marks = head
	}
	for i := range g.list {
		move(&g.list[i])
	}
	move(&g.rest)
	g.lives, g.spare.lives = lives, g.lives
	g.marks, g.spare.marks = marks, g.marks
}

// settle folds the places that have too many values, once enough patterns have
// come since they were last looked at.
func (g *groups) settle(last bool) {
	enough := max(MaxValues, len(g.list)/8)
	if len(g.list) > manyGroups {
		enough = MaxValues
	}
	if g.fresh == 0 || g.fresh < enough && !last {
		return
	}
	g.plant()
	g.foldPlaces(folding{most: MaxValues, first: maxFirstValues, keys: keptKeys, share: keptShare})
	for values := MaxValues / 2; len(g.list) > manyGroups && values > 10; values /= 2 {
		g.foldPlaces(folding{most: values, first: 10 * values, keys: keptKeys, share: keptShare, few: manyGroups / 2})
	}
	g.fresh = 0
}

// shrink folds places until few groups are left, those with most values first.
// It makes room in the table of a block.
func (g *groups) shrink(few int) {
	g.plant()
	for values := 8 * MaxValues; len(g.list) > few && values > 0; {
		g.foldPlaces(folding{most: values, first: 10 * values, keys: keptKeys / 4, share: 2 * keptShare, few: few})
		if values > 2*MaxValues {
			values /= 2
		} else {
			values = values * 3 / 4
		}
	}
	if len(g.list) > few {
		g.foldPlaces(folding{keys: 1 << 62, share: 1})
	}
	g.fresh = 0
}

// shrinkEarly folds the places of a block's table that have far more values
// than are told apart in the end.
func (g *groups) shrinkEarly() {
	g.plant()
	g.foldPlaces(folding{most: 4 * MaxValues, first: 4 * maxFirstValues, keys: 2, share: 4 * keptShare})
}

// folding says which places are folded.
type folding struct {
	most, first int // more values than these are folded, at the first place first
	// keys and share of the keys at the place are what a value must have to be kept.
	keys, share int64
	// few, where it is not 0, is how many groups are enough: the deepest places
	// are folded first, and only as long as there are more.
	few int
}

// foldPlaces folds places with too many values.
func (g *groups) foldPlaces(f folding) {
	p := g.places
	p.count(g)
	left, changed := len(g.list), false
	join := func(to, from int32) {
		g.joinOwn(to, from)
		left--
	}
	at := func(node int32) {
		n := &p.nodes[node]
		most := f.most
		if node == 0 {
			most = f.first
		}
		if n.literals == 0 || n.unused || !n.folded && int(n.literals) <= most {
			return
		}
		all, keys, share, before := n.keys, f.keys, f.share, n.literals
		if n.folded {
			keys, share = keys/2, share*2
		} else {
			changed = true
		}
		p.fold(node, func(c int32) bool { return p.nodes[c].keys >= keys && p.nodes[c].keys*share >= all }, join)
		changed = changed || p.nodes[node].literals != before
	}
	if f.few == 0 {
		// From the top: folding a place merges the trees below it, which may
		// then pass the limit themselves.
		g.foldDown(0, at)
	} else {
		order := p.order()
		for i := len(order) - 1; i >= 0 && left > f.few; i-- {
			at(order[i])
		}
	}
	if changed {
		g.tidy()
	}
}

// foldDown calls at for a place and then for all under it.
func (g *groups) foldDown(node int32, at func(int32)) {
	at(node)
	for c := g.places.nodes[node].first; c != 0; c = g.places.nodes[c].next {
		g.foldDown(c, at)
	}
}
