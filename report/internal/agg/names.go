package agg

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/tree"
)

// TreeNode has the keys whose names begin with a prefix.
type TreeNode struct {
	Prefix    []byte
	Rest      bool  // the keys of its parent that no other child has
	Lacks     int64 // the most keys that it may lack: they are counted in a wider prefix
	Group     Group
	Marks     []int32     // what mark returns of the groups of its keys, at most MaxMarks
	Groups    []int32     // numbers of the groups of its keys for Groups.Pattern, at most MaxMarks
	Explained int64       // findings that are explained, which Group does not have
	Children  []*TreeNode // heaviest first, Rest last
}

// MaxMarks is the number of marks that a TreeNode has at most.
const MaxMarks = 64

// Tree returns the heaviest nodes of the tree of names, at most so many, once the groups
// are ended. What they have besides sums is kept in a Groups, for TTL and Findings. explained
// reports whether findings in a group are explained: nodes count them in Explained alone.
// more returns findings that groups do not have, by the largest key of a leaf of a group. mark
// returns a number of a group.
func (g *Groups) Tree(most int, explained func(pattern string, ruleSeverity int) bool,
	more func(pattern string, largest *RetainedKey) (ruleSeverity int, count Count, ok bool),
	mark func(pattern string) int32) (root *TreeNode, of *Groups) {
	list := g.appendNodes(make([]heavyNode, 0, g.tree.Nodes()), 0, 0)
	slices.SortFunc(list, heavyNode.compare)
	n := min(len(list), max(most-2, 0))
	end := n
	for end < len(list) && list[end].compare(list[max(n-1, 0)]) == 0 {
		end++
	}
	var x, y []byte
	slices.SortFunc(list[:end], func(a, b heavyNode) int { // paths are made of these alone
		if c := a.compare(b); c != 0 {
			return c
		}
		x, y = g.tree.AppendPath(x[:0], a.node), g.tree.AppendPath(y[:0], b.node)
		return bytes.Compare(x, y)
	})
	for {
		b := treeBuilder{g: g, of: &Groups{}, listed: map[int32]bool{}, explained: explained, more: more, mark: mark}
		for _, h := range list[:n] {
			b.listed[h.node] = true
		}
		root = b.node(0, nil)
		if b.nodes <= most || n == 0 {
			return root, b.of
		}
		n = max(n-(b.nodes-most), 0)
	}
}

type heavyNode struct {
	node, depth int32
	size, keys  int64
}

func (n heavyNode) compare(o heavyNode) int {
	return cmp.Or(cmp.Compare(o.size, n.size), cmp.Compare(o.keys, n.keys), cmp.Compare(n.depth, o.depth))
}

// appendNodes appends the nodes below one that can be listed: a leaf whose names end with a
// separator cannot, because its path would be that of all names that begin like it.
func (g *Groups) appendNodes(list []heavyNode, node, depth int32) []heavyNode {
	for c := range g.tree.Children(node) {
		n := g.tree.Node(c)
		label := n.Label()
		if n.Rest() || n.Keys == 0 || n.End() && (label == "" || g.namer.IsSeparator(label[len(label)-1])) {
			continue
		}
		list = g.appendNodes(append(list, heavyNode{c, depth, n.Size, n.Keys}), c, depth+1)
	}
	return list
}

// treeBuilder makes TreeNodes of the nodes that are listed.
type treeBuilder struct {
	g, of  *Groups
	listed map[int32]bool
	nodes  int // that were made

	explained func(pattern string, ruleSeverity int) bool
	more      func(pattern string, largest *RetainedKey) (ruleSeverity int, count Count, ok bool)
	mark      func(pattern string) int32
}

func (b *treeBuilder) addLeaf(to *TreeNode, leaf int32) {
	from := b.g.group(leaf)
	b.of.joinKeys(&to.Group, from, b.g)
	pattern := b.g.final[from.group].pattern
	mark(&to.Marks, b.mark(pattern))
	mark(&to.Groups, from.group)
	for ruleSeverity, count := range b.g.Findings(from) {
		if b.explained(pattern, ruleSeverity) {
			to.Explained += count.Keys
		} else {
			b.of.addFindings(&to.Group, int32(ruleSeverity), count)
		}
	}
	if ruleSeverity, count, ok := b.more(pattern, from.Largest()); ok {
		b.of.addFindings(&to.Group, int32(ruleSeverity), count)
	}
}

func mark(list *[]int32, m int32) {
	if len(*list) < MaxMarks && !slices.Contains(*list, m) {
		*list = append(*list, m)
	}
}

func (b *treeBuilder) add(to, from *TreeNode) {
	b.of.join(&to.Group, &from.Group, b.of)
	to.Explained += from.Explained
	for _, m := range from.Marks {
		mark(&to.Marks, m)
	}
}

// node returns a node, and those below it that are listed. One is listed only if those
// above it are.
func (b *treeBuilder) node(i int32, prefix []byte) *TreeNode {
	b.nodes++
	n := b.g.tree.Node(i)
	to := &TreeNode{Prefix: prefix, Group: newGroup(nil), Lacks: b.g.tree.Lacks(i)}
	if leaf := n.Leaf; leaf != 0 {
		g := b.g.group(leaf)
		b.addLeaf(to, leaf)
		// The name of the only key says more than its pattern.
		if name := g.largest.buf[:max(g.largest.nameEnd, 0)]; g.Keys == 1 && g.largest.size >= 0 &&
			g.largest.NameLen == int64(len(name)) && !n.Rest() {
			above := b.g.tree.AppendPath(nil, n.Parent())
			if bytes.HasPrefix(name, above) && len(name) > len(above) && !b.g.namer.IsSeparator(name[len(name)-1]) {
				to.Prefix = slices.Clone(name)
			}
		}
		return to
	}
	var rest *TreeNode
	for c := range b.g.tree.Children(i) {
		if b.listed[c] {
			child := b.node(c, append(prefix[:len(prefix):len(prefix)], b.g.tree.Node(c).Label()...))
			to.Children = append(to.Children, child)
		} else {
			if rest == nil {
				rest = &TreeNode{Prefix: append(slices.Clone(prefix), tree.Rest...), Rest: true, Group: newGroup(nil)}
			}
			b.g.tree.EachLeaf(c, func(leaf int32) { b.addLeaf(rest, b.g.tree.Node(leaf).Leaf) })
		}
	}
	slices.SortFunc(to.Children, func(x, y *TreeNode) int {
		return cmp.Or(cmp.Compare(y.Group.Sums.size(), x.Group.Sums.size()), cmp.Compare(y.Group.Keys, x.Group.Keys),
			slices.Compare(x.Prefix, y.Prefix))
	})
	switch {
	case rest == nil || rest.Group.Keys == 0:
	case len(to.Children) > 0:
		b.nodes++
		to.Children = append(to.Children, rest)
	default:
		b.add(to, rest)
		to.Groups = rest.Groups
	}
	for _, c := range to.Children {
		b.add(to, c)
	}
	return to
}

// Types returns the types that the keys of a group have.
func (g *Group) Types() (list []parser.Type) {
	for t := range parser.NumTypes {
		if g.types>>t&1 != 0 {
			list = append(list, t)
		}
	}
	return list
}
