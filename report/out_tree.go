package report

import (
	"cmp"
	"slices"
	"strings"
)

// maxTreeDepth bounds the levels of a keyTree: the rest of a longer name is one
// segment.
const maxTreeDepth = 16

// keyTree is the keyspace as folders: a node for each segment of the groups'
// patterns, with the separator that ends it ("user:"), and the sums of all groups
// below. Formats that show a hierarchy are made from it.
type keyTree struct {
	segment  Name
	group    *Group // whose pattern ends here, nil if none does
	children []*keyTree

	// Of the node and all below it. Size is memory, or value bytes where memory is
	// unknown; both in bytes.
	keys, size, value, sizeWithoutTTL int64
}

// newKeyTree returns the root of the tree of a report's groups. Children are in
// order of size, the largest first.
func newKeyTree(r *Report) *keyTree {
	root := &keyTree{}
	byPath := map[Name]*keyTree{}
	for i := range r.Groups {
		g := &r.Groups[i]
		node, from := root, 0
		node.add(g)
		for depth := 1; from < len(g.Group) || depth == 1; depth++ {
			end := len(g.Group)
			if j := strings.IndexAny(string(g.Group[from:]), r.Config.Separators); j >= 0 && depth < maxTreeDepth {
				end = from + j + 1
			}
			child := byPath[g.Group[:end]]
			if child == nil {
				child = &keyTree{segment: g.Group[from:end]}
				byPath[g.Group[:end]] = child
				node.children = append(node.children, child)
			}
			node, from = child, end
			node.add(g)
		}
		node.group = g
	}
	for _, n := range byPath {
		slices.SortFunc(n.children, compareTrees)
	}
	slices.SortFunc(root.children, compareTrees)
	return root
}

func (n *keyTree) add(g *Group) {
	n.keys += g.Keys
	n.size += int64(sizeOf(g.MemoryBytes, g.ValueBytes))
	n.value += g.ValueBytes
	n.sizeWithoutTTL += max(0, int64(g.MemoryWithoutTTL))
}

func compareTrees(a, b *keyTree) int {
	return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.segment, b.segment))
}

// walk calls visit for the nodes with a group, with the nodes from the root's
// child down to it.
func (n *keyTree) walk(visit func(path []*keyTree)) { n.walkBelow(nil, visit) }

func (n *keyTree) walkBelow(path []*keyTree, visit func(path []*keyTree)) {
	for _, c := range n.children {
		below := append(path, c)
		if c.group != nil {
			visit(below)
		}
		c.walkBelow(below, visit)
	}
}

// keysByGroup returns the keys of a report's lists by their group, each once, the
// largest first.
func keysByGroup(r *Report) map[Name][]*KeyRow {
	type identity struct {
		input, db int
		key       Name
	}
	seen := map[identity]bool{}
	groups := map[Name][]*KeyRow{}
	add := func(k *KeyRow) {
		if id := (identity{k.Input, k.DB, k.Key}); !seen[id] {
			seen[id] = true
			groups[k.Group] = append(groups[k.Group], k)
		}
	}
	for _, m := range Measures() {
		for i := range r.Top[m] {
			add(&r.Top[m][i])
		}
		for _, t := range r.Types {
			for i := range r.TopByType[t.Type][m] {
				add(&r.TopByType[t.Type][m][i])
			}
		}
	}
	for i := range r.Groups {
		if k := r.Groups[i].LargestKey; k != nil {
			add(k)
		}
	}
	for _, keys := range groups {
		slices.SortFunc(keys, compareKeys)
	}
	return groups
}

// compareKeys orders keys by size, the largest first, and then by their place in the
// snapshots.
func compareKeys(a, b *KeyRow) int {
	return cmp.Or(cmp.Compare(sizeOf(b.Memory, int64(b.ValueBytes)), sizeOf(a.Memory, int64(a.ValueBytes))), cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Key, b.Key))
}
