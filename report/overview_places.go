package report

import (
	"strings"

	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds/units"
)

// everythingElse is what the keys that are in no row of a cut are called together.
const everythingElse = "everything else"

// places returns at most n rows that say most about where the memory is, of prefixes or,
// if no prefix stands out, of groups. The sums of rows of prefixes are those of all keys.
func (v *overview) places(n int) []Group {
	if !v.cut {
		return v.groups[:min(n, len(v.groups))]
	}
	return cutRows(v.r.Tree, n)
}

// cutRows returns a cut of a tree as rows, nil if no prefix stands out.
func cutRows(root *TreeNode, n int) (list []Group) {
	nodes := map[*tree.Part]*TreeNode{}
	rows, rest := tree.Cut(partOf(root, nodes), max(n-1, 1))
	if rows == nil {
		return nil
	}
	row := func(r *tree.Row) (g Group) {
		if r.Others == nil {
			g.addNode(nodes[r.Part])
			g.Group = nodes[r.Part].Prefix
			if nodes[r.Part].Children != nil {
				g.Group += restOfPrefix
			}
			return g
		}
		for _, c := range r.Others {
			g.addNode(nodes[c])
		}
		g.Group = nodes[r.Part].Prefix + restOfPrefix
		if more := len(r.Others); more > 1 {
			g.Group += Name(" (" + units.FormatCount(int64(more)) + " more)")
		}
		return g
	}
	for i := range rows {
		list = append(list, row(&rows[i]))
	}
	if other := row(&rest); other.Keys > 0 {
		other.Group = everythingElse
		list = append(list, other)
	}
	return list
}

// partOf returns the parts of a tree, and notes the nodes that they are of.
func partOf(n *TreeNode, nodes map[*tree.Part]*TreeNode) *tree.Part {
	p := &tree.Part{Prefix: string(n.Prefix), Keys: n.Keys, Size: int64(sizeOf(n.MemoryBytes, n.ValueBytes))}
	if strings.HasSuffix(p.Prefix, restOfPrefix) {
		p.Prefix = strings.TrimSuffix(p.Prefix, restOfPrefix) + tree.Rest
	}
	nodes[p] = n
	for _, c := range n.Children {
		p.Children = append(p.Children, partOf(c, nodes))
	}
	return p
}

// addNode adds the keys of a node to a row.
func (g *Group) addNode(n *TreeNode) {
	if n == nil {
		return
	}
	g.Keys += n.Keys
	g.Elements += n.Elements
	g.ValueBytes += n.ValueBytes
	g.MemoryBytes += max(n.MemoryBytes, 0)
	g.WithoutTTL += n.WithoutTTL.Keys
	g.MemoryWithoutTTL += max(n.WithoutTTL.MemoryBytes, 0)
	g.Findings += n.Findings.Error + n.Findings.Warning + n.Findings.Info
	g.Errors += n.Findings.Error
	if n.TTLMin != nil && (g.TTLMin == nil || *n.TTLMin < *g.TTLMin) {
		g.TTLMin = n.TTLMin
	}
	if n.TTLMax != nil && (g.TTLMax == nil || *n.TTLMax > *g.TTLMax) {
		g.TTLMax = n.TTLMax
	}
}

// placesNote says what the rows are.
func (v *overview) placesNote() string {
	switch {
	case v.cut:
		return "prefixes of names; … is what begins so, * what varies"
	case v.r.Tree != nil:
		return "no prefix stands out; these are the largest groups"
	}
	return v.groupsNote()
}
