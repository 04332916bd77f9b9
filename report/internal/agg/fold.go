package agg

import (
	"slices"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// Bounds of the table of groups; see the package documentation.
const (
	// MaxGroups is the largest number of groups of a report, FoldedGroup aside.
	MaxGroups = 16384
	// manyGroups is the number of groups above which the limits on values shrink.
	manyGroups = MaxGroups * 3 / 4
	// MaxValues is the largest number of distinct values that may follow the same
	// segments of a pattern. The first segment, which names a module, may have
	// maxFirstValues.
	MaxValues      = 100
	maxFirstValues = 1000
	// A value stays distinct if it has at least minKeys keys and 1/minShare of
	// the keys at its place; it is folded later below half of either.
	minKeys  = 16
	minShare = 128
)

// buildTrie makes the trie of the patterns of all groups.
func (g *Groups) buildTrie() {
	if g.trie != nil {
		return
	}
	if g.trie = g.spare.trie; g.trie == nil {
		g.trie = newPatternTrie(g.namer)
		g.spare.trie = g.trie
	}
	g.trie.reset()
	for i := range g.list {
		g.trie.nodes[g.trie.insert(g.pattern(i))].group = int32(i) + 1
	}
}

// joinPositions joins two groups of this table, by 1 + position.
func (g *Groups) joinPositions(to, from int32) {
	t, f := &g.list[to-1], &g.list[from-1]
	g.folded.Add(f.hash)
	f.removed = true
	g.join(t, f, g)
	if f.ttlHistogram != 0 {
		g.freeTTLs = append(g.freeTTLs, f.ttlHistogram)
	}
	for i := f.findings; i != 0; {
		next := g.findings[i-1].next
		g.findings[i-1].next, g.freeFindings = g.freeFindings, i
		i = next
	}
}

// rebalance brings the table in line with the trie after folds: some groups have
// another pattern now, and some were removed.
func (g *Groups) rebalance() {
	if 2*g.trie.unused > len(g.trie.nodes) {
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
	g.list = g.list[:n]
	texts := g.spare.texts[:0]
	for i := range g.trie.nodes {
		node := &g.trie.nodes[i]
		if node.unused || node.group == 0 {
			continue
		}
		node.group = positions[node.group-1] + 1
		to := &g.list[node.group-1]
		to.text = int32(len(texts))
		texts = g.trie.appendPath(texts, int32(i))
		to.textEnd = int32(len(texts))
		if hash := naming.HashPattern(texts[to.text:]); hash != to.hash {
			g.folded.Add(to.hash)
			to.hash = hash
		}
	}
	g.texts, g.spare.texts, g.spare.index = texts, g.texts, positions
	g.index.Reset()
	for i := range g.list {
		g.index.Insert(g.list[i].hash, i)
	}
}

// foldLimits say what is folded.
type foldLimits struct {
	values, firstValues int // more distinct values than these are folded; firstValues at the root
	// A value with fewer keys, or less than 1/share of the keys at its place, is
	// folded.
	keys, share int64
	// enough, if not 0, is a number of groups: the deepest places are folded
	// first, and only while there are more groups.
	enough int
}

// foldPending folds places with too many values, once enough groups were added
// since the trie was last checked, or before a report.
func (g *Groups) foldPending(last bool) {
	enough := max(MaxValues, len(g.list)/8)
	if len(g.list) > manyGroups {
		enough = MaxValues
	}
	if g.pending == 0 || g.pending < enough && !last {
		return
	}
	g.fold(foldLimits{values: MaxValues, firstValues: maxFirstValues, keys: minKeys, share: minShare})
	for values := MaxValues / 2; len(g.list) > manyGroups && values > 10; values /= 2 {
		g.fold(foldLimits{values: values, firstValues: 10 * values, keys: minKeys, share: minShare, enough: manyGroups / 2})
	}
	g.pending = 0
}

// foldTo folds until at most n groups are left, places with most values first.
// It makes room in the tables of a block.
func (g *Groups) foldTo(n int) {
	for values := 8 * MaxValues; len(g.list) > n && values > 0; {
		g.fold(foldLimits{values: values, firstValues: 10 * values, keys: minKeys / 4, share: 2 * minShare, enough: n})
		if values > 2*MaxValues {
			values /= 2
		} else {
			values = values * 3 / 4
		}
	}
	if len(g.list) > n {
		g.fold(foldLimits{keys: 1 << 62, share: 1})
	}
	g.pending = 0
}

// foldEarly folds, in the tables of a block, places that have far more values
// than stay distinct in the end.
func (g *Groups) foldEarly() {
	g.fold(foldLimits{values: 4 * MaxValues, firstValues: 4 * maxFirstValues, keys: 2, share: 4 * minShare})
}

// fold folds places with too many values.
func (g *Groups) fold(f foldLimits) {
	g.buildTrie()
	t := g.trie
	t.countKeys(g.list)
	left, changed := len(g.list), false
	join := func(to, from int32) {
		g.joinPositions(to, from)
		left--
	}
	foldAt := func(node int32) {
		n := &t.nodes[node]
		limit := f.values
		if node == 0 {
			limit = f.firstValues
		}
		if n.literals == 0 || n.unused || !n.folded && int(n.literals) <= limit {
			return
		}
		all, keys, share, before := n.keys, f.keys, f.share, n.literals
		if n.folded {
			keys, share = keys/2, share*2
		} else {
			changed = true
		}
		t.fold(node, func(c int32) bool { return t.nodes[c].keys >= keys && t.nodes[c].keys*share >= all }, join)
		changed = changed || t.nodes[node].literals != before
	}
	if f.enough == 0 {
		g.foldDown(0, foldAt)
	} else {
		for _, node := range slices.Backward(t.breadthFirst()) {
			if left <= f.enough {
				break
			}
			foldAt(node)
		}
	}
	if changed {
		g.rebalance()
	}
}

// foldDown calls foldAt for a node and then for all below it: folding a node
// merges the tries below it, whose nodes may then exceed the limit.
func (g *Groups) foldDown(node int32, foldAt func(int32)) {
	foldAt(node)
	for c := g.trie.nodes[node].first; c != 0; c = g.trie.nodes[c].next {
		g.foldDown(c, foldAt)
	}
}
