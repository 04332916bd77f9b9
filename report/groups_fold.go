package report

import "github.com/rdblens/rdblens/thresholds"

// plant makes the tree of places from the patterns of all groups.
func (g *groups) plant() {
	if g.places != nil {
		return
	}
	g.places = newPlaces(g.namer)
	for i := range g.list {
		g.places.nodes[g.places.insert(g.pattern(i))].group = int32(i) + 1
	}
}

// joiner gives the function that joins two groups of this table, by 1 + index.
func (g *groups) joiner() func(to, from int32) {
	return func(to, from int32) {
		t, f := &g.list[to-1], &g.list[from-1]
		g.folded.add(f.hash)
		f.gone = true
		g.join(t, f, g)
	}
}

// tidy gives groups their places anew after the tree was folded: some have
// another pattern now, and some are gone.
func (g *groups) tidy() {
	if 2*g.places.unused > len(g.places.nodes) {
		g.places = g.places.compact()
	}
	index := make([]int32, len(g.list)) // new, by old
	n := 0
	for i := range g.list {
		if !g.list[i].gone {
			index[i] = int32(n)
			if i != n {
				g.list[n], g.list[i] = g.list[i], g.list[n] // the buffer of the other one stays of use
			}
			n++
		}
	}
	g.list = g.list[:n]
	texts := make([]byte, 0, len(g.texts))
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
		if hash := thresholds.HashPattern(texts[to.text:]); hash != to.hash {
			g.folded.add(to.hash)
			to.hash = hash
		}
	}
	g.texts = texts
	clear(g.slots)
	for i := range g.list {
		_, at := g.find(g.list[i].hash)
		g.slots[at] = int32(i) + 1
	}
	g.tidyLists()
}

// tidyLists drops the histograms and marks of groups that are gone.
func (g *groups) tidyLists() {
	lives := make([]lifetimes, 0, len(g.list))
	marks := make([]groupMark, 0, len(g.marks))
	for i := range g.list {
		to := &g.list[i]
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
	if g.rest.life != 0 {
		lives = append(lives, g.lives[g.rest.life-1])
		g.rest.life = int32(len(lives))
	}
	head := int32(0)
	for m := g.rest.marks; m != 0; m = g.marks[m-1].next {
		mark := g.marks[m-1]
		mark.next, head = head, int32(len(marks)+1)
		marks = append(marks, mark)
	}
	g.rest.marks = head
	g.lives, g.marks = lives, marks
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
	g.foldPlaces(MaxValues, maxFirstValues, keptKeys, keptShare)
	for values := MaxValues / 2; len(g.list) > manyGroups && values > 10; values /= 2 {
		g.foldPlaces(values, 10*values, keptKeys, keptShare)
	}
	g.fresh = 0
}

// shrink folds places until few groups are left: it makes room in the table of
// a block, where it matters little what is folded as long as it is what would
// be folded in the end.
func (g *groups) shrink(few int) {
	g.plant()
	for values := 8 * MaxValues; len(g.list) > few && values > 0; values /= 2 {
		g.foldPlaces(values, 4*values, keptKeys/4, 2*keptShare)
	}
	if len(g.list) > few {
		g.foldPlaces(0, 0, 1<<62, 1)
	}
	g.fresh = 0
}

// foldPlaces folds every place with more than so many values (first: the first
// place), but for the values with at least minKeys keys and one of share of
// those at the place.
func (g *groups) foldPlaces(values, first int, minKeys, share int64) {
	p := g.places
	for i := range p.nodes {
		p.nodes[i].keys = 0
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.group != 0 && !n.unused {
			keys := g.list[n.group-1].keys
			for at := int32(i); ; at = p.nodes[at].parent {
				p.nodes[at].keys += keys
				if at == 0 {
					break
				}
			}
		}
	}
	join := g.joiner()
	changed := false
	var visit func(node int32, most int)
	visit = func(node int32, most int) {
		n := &p.nodes[node]
		if n.literals > 0 && (n.folded || int(n.literals) > most) {
			all, least, of := n.keys, minKeys, share
			if n.folded {
				least, of = least/2, of*2
			}
			before := n.literals
			again := n.folded
			p.fold(node, func(c int32) bool { return p.nodes[c].keys >= least && p.nodes[c].keys*of >= all }, join)
			changed = changed || !again || p.nodes[node].literals != before
		}
		for c := p.nodes[node].first; c != 0; c = p.nodes[c].next {
			visit(c, values)
		}
	}
	visit(0, first)
	if changed {
		g.tidy()
	}
}
