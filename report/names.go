package report

import (
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
)

// DefaultTreeNodes is the number of nodes of Report.Tree unless Options.TreeNodes says
// otherwise.
const DefaultTreeNodes = 2000

// tree sets the tree of names.
func (f *finisher) tree() {
	most := f.opt.TreeNodes
	if most == 0 {
		most = DefaultTreeNodes
	}
	if most < 0 || f.r.Totals.Keys == 0 {
		return
	}
	root, of := f.Tables.Groups.Tree(most)
	f.r.Tree = f.treeNode(root, of)
}

func (f *finisher) treeNode(from *agg.TreeNode, of *agg.Groups) *TreeNode {
	g := &from.Group
	prefix := Name(from.Prefix)
	if from.Rest {
		prefix = prefix[:len(prefix)-len(restOfPrefix)]
	}
	if from.Rest {
		prefix += restOfPrefix
	}
	n := &TreeNode{Prefix: prefix, Keys: g.Keys, Elements: g.Elements, ValueBytes: g.ValueBytes, MemoryBytes: memoryFigure(g.Memory, g.Keys),
		WithoutTTL: TreeTTL{Keys: g.WithoutTTL, MemoryBytes: memoryFigure(g.MemoryWithoutTTL, g.WithoutTTL)}, MayLackKeys: from.Lacks}
	if least, median, most, ok := of.TTL(g); ok {
		n.TTLMin, n.TTLMedian, n.TTLMax = new(floorSeconds(least)), new(floorSeconds(median)), new(floorSeconds(most))
	}
	for ruleSeverity, count := range of.Findings(g) {
		switch agg.SeverityOf(ruleSeverity) {
		case thresholds.Error:
			n.Findings.Error += count.Keys
		case thresholds.Warning:
			n.Findings.Warning += count.Keys
		case thresholds.Info:
			n.Findings.Info += count.Keys
		}
	}
	for _, t := range g.Types() {
		n.Types = append(n.Types, t.String())
	}
	if largest := g.Largest(); largest != nil {
		key := largest.Key()
		row := f.rowOf(&key, largest)
		n.LargestKey = &TreeKey{Input: row.Input, DB: row.DB, Key: row.Key, Type: row.Type, MemoryBytes: row.Memory, ValueBytes: row.ValueBytes}
	}
	for _, c := range from.Children {
		n.Children = append(n.Children, f.treeNode(c, of))
	}
	return n
}

// restOfPrefix ends the prefix of the node that has what its parent does not list.
const restOfPrefix = "…"
