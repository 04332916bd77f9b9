package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// prefixes compares the trees of names. A row is the prefix that says most about a change: all that
// is new or gone has one row, and a node that grew or shrank has one unless nodes below it explain
// half of that.
//
// A tree does not list all prefixes, and folds values of places that have too many. Nodes that only
// one side has are compared together with what the other side does not distinguish there, if the
// sums of keys come nearer by that.
func (c *comparison) prefixes(namer *naming.Namer) {
	var roots [2]*TreeNode
	for side, r := range c.sides {
		if roots[side] = r.Tree; r.Tree == nil && r.Totals.Keys > 0 {
			return // a report without one
		}
	}
	if roots[0] == nil && roots[1] == nil {
		return
	}
	x := prefixComparison{comparison: c, namer: namer}
	d := c.d
	d.MinKeys = max(leastKeys, min(DefaultMinKeys, max(d.Totals.KeysBefore, d.Totals.KeysAfter)/100))
	d.Prefixes = x.below(roots, true).rows
	allBefore, allAfter := d.Size(&d.Totals)
	weight := func(r *DiffRow) float64 {
		before, after := d.Size(r)
		return max(float64(distance(before, after))/float64(max(allBefore, allAfter, 1)),
			float64(distance(r.KeysBefore, r.KeysAfter))/float64(max(d.Totals.KeysBefore, d.Totals.KeysAfter, 1)))
	}
	slices.SortFunc(d.Prefixes, func(a, b DiffRow) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), cmp.Compare(nameOf(a.Group), nameOf(b.Group)))
	})
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// The least number of keys by which a prefix must change to be a row, apart from its bytes:
// DefaultMinKeys, or 1 % of the larger side if that is less, but never below leastKeys.
const (
	DefaultMinKeys = 10_000
	leastKeys      = 100
)

type prefixComparison struct {
	*comparison
	namer *naming.Namer
}

// prefixChanges are the rows of a node and those below it.
type prefixChanges struct {
	rows []DiffRow
	// bytes and keys are the changes that the rows explain. lost and gained report whether one of
	// them has another share of keys without a TTL.
	bytes, keys  int64
	lost, gained bool
}

// add adds the row of a node that is not below one of the others.
func (p *prefixChanges) add(c *comparison, r DiffRow) {
	before, after := c.size(&r)
	p.bytes, p.keys = p.bytes+after-before, p.keys+r.KeysAfter-r.KeysBefore
	p.lost, p.gained = p.lost || r.TTL == ChangeTTLLost, p.gained || r.TTL == ChangeTTLGained
	p.rows = append(p.rows, r)
}

// NodesBefore returns what each node of the report's tree was in the tree of an older report of the
// same servers: a node without keys if it is new. A node has none if the trees do not distinguish the
// same names there. gone has the nodes of the older tree that are no more, below their parents; nodes
// below one of them are not in it.
func (r *Report) NodesBefore(old *Report) (before map[*TreeNode]*TreeNode, gone map[*TreeNode][]*TreeNode) {
	before, gone = map[*TreeNode]*TreeNode{}, map[*TreeNode][]*TreeNode{}
	x := prefixComparison{newComparison(old, r, CompareOptions{}),
		naming.NewNamer(cmp.Or(r.Config.Separators, old.Config.Separators, ":"))}
	var visit func(n [2]*TreeNode)
	visit = func(n [2]*TreeNode) {
		if before[n[1]] = n[0]; n[0] == nil {
			before[n[1]] = &TreeNode{}
		}
		pairs, _ := x.pair(n)
		for _, pair := range pairs {
			if pair[1] == nil {
				gone[n[1]] = append(gone[n[1]], pair[0])
			} else {
				visit(pair)
			}
		}
	}
	if r.Tree != nil && (old.Tree != nil || old.Totals.Keys == 0) {
		visit([2]*TreeNode{old.Tree, r.Tree})
	}
	return before, gone
}

// below returns the changes of a node, of which a side may have none, and below it.
func (x *prefixComparison) below(n [2]*TreeNode, root bool) (p prefixChanges) {
	if n[0] == nil || n[1] == nil { // the longest prefix of what came or went
		for side, at := range n {
			for !root && at != nil && len(at.Children) == 1 {
				at = at.Children[0]
				n[side] = at
			}
		}
	}
	row := x.rowOf(n[:1], n[1:])
	if n[0] == nil || n[1] == nil {
		if row.changed() && !root {
			p.add(x.comparison, row)
			return p
		}
		if !root {
			return p
		}
	}
	pairs, pool := x.pair(n)
	for _, pair := range pairs {
		q := x.below(pair, false)
		p.rows = append(p.rows, q.rows...)
		p.bytes, p.keys = p.bytes+q.bytes, p.keys+q.keys
		p.lost, p.gained = p.lost || q.lost, p.gained || q.gained
	}
	if pool[0] != nil || pool[1] != nil {
		r := x.rowOf(pool[0], pool[1])
		prefix := prefixOf(n) + restOfPrefix
		if r.Group, r.Prefix = &prefix, false; r.changed() {
			p.add(x.comparison, r)
		}
	}
	if root || !row.changed() {
		return p
	}
	before, after := x.size(&row)
	bytes, keys := after-before, row.KeysAfter-row.KeysBefore
	explained := func(all, part int64) bool { return part*sign(all) >= max(all, -all)/2 }
	ttl := row.TTL == "" || row.TTL == ChangeTTLLost && p.lost || row.TTL == ChangeTTLGained && p.gained
	change := row.Change == "" || x.d.counts(before, after) && explained(bytes, p.bytes) || !x.d.counts(before, after) &&
		explained(keys, p.keys)
	if len(p.rows) > 0 && ttl && change {
		return p
	}
	p.bytes, p.keys = 0, 0
	p.add(x.comparison, row)
	return p
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

// prefixOf returns the prefix of a node that one of the sides may not have.
func prefixOf(n [2]*TreeNode) Name {
	if n[1] != nil {
		return n[1].Prefix
	}
	return n[0].Prefix
}

// pair returns the children of a node that are the same on both sides, or that one side does not
// have, and those that are compared together.
func (x *prefixComparison) pair(n [2]*TreeNode) (pairs [][2]*TreeNode, pool [2][]*TreeNode) {
	byName := map[string]*[2]*TreeNode{}
	var names []string
	for side, at := range n {
		if at == nil {
			continue
		}
		for _, child := range at.Children {
			name := x.name(at, child)
			pair := byName[name]
			if pair == nil {
				pair = &[2]*TreeNode{}
				byName[name] = pair
				names = append(names, name)
			}
			if pair[side] == nil {
				pair[side] = child
			} else {
				pool[side] = append(pool[side], child)
			}
		}
	}
	var folded, alone [2]int64 // keys of nodes that stand for several values, and of those that one side has
	var folds [2]bool
	for name, pair := range byName {
		for side, child := range pair {
			if child == nil {
				continue
			}
			if x.standsForSeveral(side, name, child) {
				folded[side] += child.Keys
				folds[side] = true
			} else if pair[1-side] == nil {
				alone[side] += child.Keys
			}
		}
	}
	var joins [2]bool // the nodes that only a side has
	for side := range joins {
		other := folded[1-side]
		joins[side] = folds[1-side] && alone[side] > 0 &&
			distance(other, folded[side]+alone[side]) <= distance(other, folded[side])
	}
	for _, name := range names {
		pair := byName[name]
		wide := x.standsForSeveral(0, name, pair[0]) || x.standsForSeveral(1, name, pair[1])
		if (joins[0] || joins[1]) && wide || joins[0] && pair[1] == nil || joins[1] && pair[0] == nil {
			for side, child := range pair {
				if child != nil {
					pool[side] = append(pool[side], child)
				}
			}
			continue
		}
		pairs = append(pairs, *pair)
	}
	return pairs, pool
}

// name returns what a child is called below its parent: one of a single key by its pattern, as if
// there were others.
func (x *prefixComparison) name(parent, child *TreeNode) string {
	segment := string(child.segment(parent))
	if child.Keys == 1 && child.Children == nil && !child.isRest() {
		return string(x.namer.AppendPattern(nil, []byte(segment)))
	}
	return segment
}

// standsForSeveral reports whether a node has what the tree of a side does not distinguish below its
// parent.
func (x *prefixComparison) standsForSeveral(side int, segment string, n *TreeNode) bool {
	switch {
	case n == nil:
		return false
	case n.Children == nil:
		return n.isRest() || segment == "*" && x.sides[side].GroupsFolded > 0
	}
	return strings.Contains(segment, "*")
}

func (x *prefixComparison) rowOf(old, new []*TreeNode) (r DiffRow) {
	first := true
	for side, list := range [2][]*TreeNode{old, new} {
		for _, n := range list {
			if n == nil {
				continue
			}
			r.add(side, &Group{Keys: n.Keys, Elements: n.Elements, ValueBytes: n.ValueBytes, MemoryBytes: n.MemoryBytes,
				WithoutTTL: n.WithoutTTL.Keys, MemoryWithoutTTL: n.WithoutTTL.MemoryBytes})
			kind := ""
			if len(n.Types) == 1 {
				kind = n.Types[0]
			}
			if first {
				r.Type, r.DB, r.Owner = kind, n.DB, n.Owner
			}
			r.join(kind, n.DB, n.Owner)
			prefix := n.Prefix
			r.Group, r.Prefix, first = &prefix, n.Children != nil, false
		}
	}
	x.judge(&r)
	if r.Change == "" && r.TTL == "" {
		if by := distance(r.KeysBefore, r.KeysAfter); by >= x.d.MinKeys && float64(by) >= x.d.MinShare*float64(r.KeysBefore) {
			r.Change = kindOfChange(r.KeysBefore, r.KeysAfter, r.KeysBefore > 0, r.KeysAfter > 0)
		}
	}
	return r
}

// changedPlaces returns the rows that say where a comparison found changes: prefixes, and the groups
// that changed and are not among them.
func (d *Diff) changedPlaces() (rows []*DiffRow) {
	same := func(p, g *DiffRow) bool {
		if g.Change == ChangeRenamed {
			return strings.HasPrefix(string(nameOf(g.Group)), string(nameOf(p.Group))) && p.KeysBefore == g.KeysBefore &&
				p.KeysAfter == 0 ||
				strings.HasPrefix(string(nameOf(g.RenamedTo)), string(nameOf(p.Group))) && p.KeysAfter == g.KeysAfter &&
					p.KeysBefore == 0
		}
		if nameOf(p.Group) == nameOf(g.Group) {
			return g.changed()
		}
		before, after := d.Size(p)
		b, a := d.Size(g)
		return p.KeysBefore == g.KeysBefore && p.KeysAfter == g.KeysAfter && before == b && after == a && g.changed()
	}
	for i := range d.Prefixes {
		p := &d.Prefixes[i]
		if !slices.ContainsFunc(d.Groups, func(g DiffRow) bool { return same(p, &g) }) {
			rows = append(rows, p)
		}
	}
	prefixes := len(rows)
	for _, g := range d.changedGroups(false) {
		covered := slices.ContainsFunc(rows[:prefixes], func(p *DiffRow) bool {
			return p.Change == g.Change && (g.Change == ChangeNew || g.Change == ChangeGone) &&
				strings.HasPrefix(string(nameOf(g.Group)), string(nameOf(p.Group)))
		})
		if !covered {
			rows = append(rows, g)
		}
	}
	return rows
}
