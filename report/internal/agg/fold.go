package agg

import (
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Bounds of the table of groups; see the package documentation.
const (
	// MaxGroups is the largest number of groups of a report. A snapshot with more
	// patterns is folded before its end, to spareGroups fewer.
	MaxGroups   = 12288
	spareGroups = 1024
	// maxBlockGroups is the number of groups of the tables of a block.
	maxBlockGroups = 4096
	// MaxValues is the largest number of distinct values that may follow the same
	// segments of a pattern. The first segment, which names a module, may have
	// maxFirstValues.
	MaxValues      = 100
	maxFirstValues = 1000
	// A value stays distinct if it has at least minKeys keys and 1/minShare of
	// the keys at its place.
	minKeys  = 16
	minShare = 128
	// A block folds values with at most 1/blockShare of the keys at their place.
	blockShare = 512
)

// buildTrie makes the trie of the patterns of all groups.
func (g *Groups) buildTrie() {
	if g.trie != nil {
		return
	}
	if g.trie = g.spare.trie; g.trie == nil {
		g.trie = newPatternTrie(g.namer, g.sightings)
		g.spare.trie = g.trie
	} else {
		g.trie.reset()
	}
	for i := range g.list {
		g.trie.nodes.at(g.trie.insert(g.list[i].db, g.pattern(i))).group = int32(i) + 1
	}
}

// joinPositions joins two groups of this table, by 1 + position.
func (g *Groups) joinPositions(to, from int32) {
	t, f := &g.list[to-1], &g.list[from-1]
	if t.hash != f.hash {
		g.folded.Add(f.hash)
	}
	f.removed = true
	g.removed++
	g.join(t, f, g)
	if f.ttlHistogram != 0 {
		g.freeTTLs = append(g.freeTTLs, f.ttlHistogram)
	}
	for i := f.findings; i != 0; {
		next := g.findings[i-1].next
		g.findings[i-1].next, g.freeFindings = g.freeFindings, i
		g.freed++
		i = next
	}
}

// rebalance brings the table in line with the trie after folds: some groups have
// another pattern now, and some were removed.
func (g *Groups) rebalance() {
	if 2*g.trie.unused > int(g.trie.nodes.n) {
		g.trie.compact()
	}
	positions := g.spare.index[:0] // new, by old
	n := 0
	for i := range g.list {
		positions = append(positions, int32(n))
		if !g.list[i].removed {
			if i != n {
				g.list[n], g.list[i] = g.list[i], g.list[n] // the removed one's buffer is used again
			}
			n++
		}
	}
	g.list, g.removed = g.list[:n], 0
	texts := g.spare.texts[:0]
	for i := range g.trie.nodes.n {
		node := g.trie.nodes.at(i)
		if node.unused || node.group == 0 {
			continue
		}
		node.group = positions[node.group-1] + 1
		to := &g.list[node.group-1]
		to.text = int32(len(texts))
		texts = g.trie.appendPath(texts, i)
		to.textEnd = int32(len(texts))
		if hash := naming.HashPattern(texts[to.text:]); hash != to.hash {
			g.folded.Add(to.hash)
			to.hash = hash
		}
	}
	g.texts, g.spare.texts, g.spare.index = texts, g.texts, positions
	g.index.Reset()
	for i := range g.list {
		g.index.Insert(g.list[i].id(), i)
	}
}

// The share of a table's memory that is meant for one group. A table with more
// segments, findings or bytes of names is as large as one of more groups.
const (
	nodesOfGroup    = 2
	findingsOfGroup = 6
	bytesOfGroup    = 384
)

// size returns how many groups would take the memory that the table needs. It
// depends on the contents alone.
func (g *Groups) size() int {
	n := len(g.list) - g.removed
	if g.trie != nil {
		n = max(n, (int(g.trie.nodes.n)-g.trie.unused)/nodesOfGroup)
	}
	if n < maxAggregates {
		return n
	}
	names := 0
	for i := range g.list {
		if o := &g.list[i]; !o.removed {
			names += int(o.textEnd-o.text) + len(o.largest.buf)
		}
	}
	return max(n, names/bytesOfGroup, (len(g.findings)-g.freed)/findingsOfGroup)
}

// keeper returns a function that reports whether a value stays distinct among
// values of one kind that follow the same segments.
type keeper func(list []weight) func(value *trieNode) bool

// more returns a keeper of values that may have more than 1/share of the keys or
// of the memory.
func more(share int64) keeper {
	return func(list []weight) func(value *trieNode) bool {
		var all weight
		for _, w := range list {
			all.add(w)
		}
		return func(v *trieNode) bool {
			w := v.total
			w.add(v.missed)
			return !w.within(all, share)
		}
	}
}

// frequent is the keeper of what a report distinguishes.
func frequent(list []weight) func(value *trieNode) bool {
	var all, small weight
	for _, w := range list {
		all.add(w)
	}
	for _, w := range list {
		if w.size < all.size/minShare {
			small.add(w)
		}
	}
	if small.keys == 0 {
		small = all
	}
	many := max(minKeys, (all.keys+minShare-1)/minShare)
	large := max(1, all.size/minShare, small.size/max(small.keys, 1)*minKeys)
	return func(v *trieNode) bool {
		// A value that may have enough keys with what was counted under * must have
		// half of them by itself.
		return v.total.keys+v.missed.keys >= many && v.total.keys >= many/2 || v.total.size >= large
	}
}

// foldAt folds the values that follow a node if there are more of a kind than the
// limit, or some were folded before, but those that the keeper wants.
func (g *Groups) foldAt(node int32, limit int, keep keeper) {
	t := g.trie
	for kind := range uint8(2) {
		if n := t.nodes.at(node); n.values[kind] == 0 || n.folded[kind] == 0 && int(n.values[kind]) <= limit {
			continue
		}
		list := g.spare.weights[:0]
		for c := t.nodes.at(node).first; c != 0; c = t.nodes.at(c).next {
			if n := t.nodes.at(c); n.kind == kind {
				list = append(list, n.total)
			}
		}
		g.spare.weights = list
		if t.fold(node, kind, keep(list), g.joinPositions) {
			g.changed = true
		}
	}
}

// fold folds segments that have too many values, from the first on.
func (g *Groups) fold(keep keeper) {
	g.buildTrie()
	g.trie.weigh(g.list)
	g.trie.atDepth(0, 1, func(db int32) { g.foldBelow(db, maxFirstValues, keep) })
	g.endFold()
}

// foldBelow folds the values that follow a node, and then those below them.
func (g *Groups) foldBelow(node int32, limit int, keep keeper) {
	g.foldAt(node, limit, keep)
	for c := g.trie.nodes.at(node).first; c != 0; c = g.trie.nodes.at(c).next {
		if g.trie.nodes.at(c).first != 0 {
			g.foldBelow(c, MaxValues, keep)
		}
	}
}

// foldRare folds values that may have few keys, those of the last segments first,
// until at most enough groups are left: all values that a summary of Misra and
// Gries with as many counters would drop.
func (g *Groups) foldRare(enough int) {
	var all weight
	for i := range g.list {
		all.add(g.list[i].weight())
	}
	for step := int64(1); g.size() > enough && step > 0; step *= 2 {
		few := g.rare + step
		rare := func([]weight) func(value *trieNode) bool {
			return func(v *trieNode) bool {
				w := v.total
				w.add(v.missed)
				return w.keys > few || w.size/4/few > all.size/all.keys
			}
		}
		g.trie.weigh(g.list)
		for depth := g.trie.depth; depth > 0 && g.size() > enough; depth-- {
			g.trie.atDepth(0, depth, func(node int32) { g.foldAt(node, 0, rare) })
		}
		if step > 32*all.keys/int64(enough) && g.size() > enough && g.trie.depth > 1 {
			// So many values have no more keys: these are combinations of separators.
			g.trie.cut(g.trie.depth/2, g.joinPositions)
			g.changed = true
		}
		g.endFold()
		if g.size() <= enough {
			g.rare = few
		}
	}
}

func (g *Groups) endFold() {
	if g.changed {
		g.rebalance()
		g.changed = false
	}
}

// foldMany folds values as far as need be while there are too many groups.
func (g *Groups) foldMany() {
	const enough = MaxGroups - spareGroups
	if g.size() <= MaxGroups {
		return
	}
	for share := int64(4096); share > minShare && g.size() > enough; share /= 4 {
		g.fold(more(share))
	}
	if g.size() > enough && !g.joined {
		g.joinAll()
	}
	g.foldRare(enough)
}

// joinAll joins the groups of all databases, and the tries of their patterns.
func (g *Groups) joinAll() {
	g.buildTrie()
	g.trie.joinDatabases(g.joinPositions)
	g.joined = true
	for i := range g.list {
		g.list[i].db = 0
	}
	g.rebalance()
}

// foldBlock folds what a block need not distinguish.
func (g *Groups) foldBlock() {
	g.fold(more(blockShare))
	if g.size() > maxBlockGroups {
		g.foldRare(maxBlockGroups - maxAggregates)
	}
}

// finish folds what a report does not distinguish.
func (g *Groups) finish() {
	g.fold(frequent)
	g.foldRare(MaxGroups)
}
