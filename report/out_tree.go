package report

import (
	"cmp"
	"slices"
	"strings"
)

// exportTree returns the tree of names that formats of hierarchies are made from: one node with all
// keys if the report has none.
func exportTree(r *Report) *TreeNode {
	if r.Tree != nil {
		return r.Tree
	}
	t := &r.Totals
	return &TreeNode{Keys: t.Keys, ValueBytes: t.ValueBytes, MemoryBytes: t.MemoryBytes,
		WithoutTTL: TreeTTL{t.WithoutTTL, t.WithoutTTLMemory}}
}

// size returns the memory of a node, its value bytes where that is unknown.
func (n *TreeNode) size() int64 { return int64(sizeOf(n.MemoryBytes, n.ValueBytes)) }

// isRest reports whether a node has what its parent does not list.
func (n *TreeNode) isRest() bool {
	return n.Children == nil && strings.HasSuffix(string(n.Prefix), restOfPrefix)
}

func (n *TreeNode) segment(parent *TreeNode) Name {
	return Name(strings.TrimPrefix(string(n.Prefix), string(parent.Prefix)))
}

// leaves calls visit for the nodes without children, with those from the root's child down to it.
// The path of a tree of one node is empty.
func (n *TreeNode) leaves(visit func(path []*TreeNode), path ...*TreeNode) {
	if n.Children == nil {
		visit(path)
	}
	for _, c := range n.Children {
		c.leaves(visit, append(slices.Clip(path), c)...)
	}
}

// keysByLeaf returns the keys of a report's lists by the node without children that has them, the
// largest first.
func keysByLeaf(r *Report, root *TreeNode) map[*TreeNode][]*KeyRow {
	leaves, tree := map[*TreeNode][]*KeyRow{}, NewNameTree(root, r.Config.Separators)
	for _, keys := range keysByGroup(r) {
		for _, k := range keys {
			if leaf := tree.Find([]byte(k.Key)); leaf.Children == nil {
				leaves[leaf] = append(leaves[leaf], k)
			}
		}
	}
	for _, keys := range leaves {
		slices.SortFunc(keys, compareKeys)
	}
	return leaves
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
	return cmp.Or(cmp.Compare(sizeOf(b.Memory, int64(b.ValueBytes)), sizeOf(a.Memory, int64(a.ValueBytes))),
		cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Key, b.Key))
}
