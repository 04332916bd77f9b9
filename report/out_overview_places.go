package report

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/tree"
)

// places returns at most n rows that say most about where the memory is, of prefixes or,
// if no prefix stands out, of groups. The sums of rows of prefixes are those of all keys.
func (v *overview) places(n int) []memoryPlace {
	if v.cut {
		rows := v.cutRows()
		if len(rows) > n {
			rows = cutRows(v.r.Tree, n, v.depth)
		}
		for i := range rows {
			rows[i].addSource(v.r.Groups)
		}
		return rows
	}
	return placesOf(v.groups[:min(n, len(v.groups))])
}

func (v *overview) cutRows() []memoryPlace {
	if v.depth > 0 {
		return cutRows(v.r.Tree, overviewDeepPlaces, v.depth)
	}
	return cutRows(v.r.Tree, max(v.rows, overviewPlaces), 0)
}

// memoryPlace is a row of a table of groups: a group, or what a label calls it.
type memoryPlace struct {
	Group
	label message.Message // zero: the group's name
	// share is that of all memory, 0 to 1. Those of a cut are rounded to 0.1 % so that they add up
	// to 100 %. 0: it is computed.
	share float64
}

// addSource sets the source code of a row that stands for one group or a part of it, or for a
// prefix below which one group has at least half of the memory.
func (p *memoryPlace) addSource(groups []Group) {
	if !p.label.IsZero() {
		return
	}
	prefix, folded := strings.CutSuffix(string(p.Group.Group), restOfPrefix)
	if g := groupOfPlace(groups, Name(prefix), folded, sizeOf(p.MemoryBytes, p.ValueBytes)); g != nil {
		p.Source = g.Source
	}
}

// groupOfPlace returns the group that a row stands for, of which it is a part, or that has at least half of
// the size of a prefix; nil if there is none.
func groupOfPlace(groups []Group, name Name, prefix bool, size Figure) (place *Group) {
	for i := range groups {
		g := &groups[i]
		if g.Group == name && !prefix {
			return g
		}
		heavy := prefix && strings.HasPrefix(string(g.Group), string(name)) && 2*sizeOf(g.MemoryBytes, g.ValueBytes) >= size
		of, _ := path.Match(string(g.Group), string(name)) // a part of a group with * in its place
		if (heavy || of && !prefix) && (place == nil || len(g.Group) > len(place.Group)) {
			place = g
		}
	}
	return place
}

func placesOf(groups []Group) []memoryPlace {
	list := make([]memoryPlace, len(groups))
	for i := range groups {
		list[i].Group = groups[i]
	}
	return list
}

func (p *memoryPlace) called() message.Message {
	if !p.label.IsZero() {
		return p.label
	}
	return named(p.name())
}

// cutRows returns a cut of a tree as rows, nil if no prefix stands out. Of a depth over 0, it has
// the prefixes with so many segments behind what all names have in common.
func cutRows(root *TreeNode, n, depth int) (list []memoryPlace) {
	nodes := map[*tree.Part]*TreeNode{}
	rows, rest := tree.Cut(partOf(root, nodes), max(n-1, 1), depth)
	if rows == nil {
		return nil
	}
	row := func(r *tree.Row) (g memoryPlace) {
		if r.Others == nil {
			n := nodes[r.Part]
			g.addNode(n)
			g.Group.Group, g.Owner, g.Identity = n.Prefix, n.Owner, n.Identity
			if n.Children != nil {
				g.Group.Group += restOfPrefix
			}
			return g
		}
		var identities []*Identity
		for _, c := range r.Others {
			g.addNode(nodes[c])
			identities = append(identities, nodes[c].Identity)
		}
		if len(identities) > 0 {
			g.Identity = commonIdentity(identities)
		}
		g.Group.Group = nodes[r.Part].Prefix + restOfPrefix
		if more := len(r.Others); more > 1 {
			g.label = message.New("{group} ({n} more)", message.Name("group", string(g.Group.Group)),
				message.Int("n", int64(more)))
		}
		return g
	}
	for i := range rows {
		list = append(list, row(&rows[i]))
	}
	if other := row(&rest); other.Keys > 0 {
		other.label = message.New("everything else")
		known := !slices.ContainsFunc(rest.Others, func(p *tree.Part) bool { return nodes[p].isRest() })
		if n := len(rest.Others); known && n > 1 {
			other.label = message.New("everything else ({n} more)", message.Int("n", int64(n)))
		}
		list = append(list, other)
	}
	roundShares(list)
	return list
}

// roundShares sets the shares of rows that are all keys together, in steps of 0.1 % that add up to
// 100 %: each is rounded as in other tables, and the last has the rest.
func roundShares(rows []memoryPlace) {
	const steps = 1000
	var whole int64
	for i := range rows {
		whole += int64(sizeOf(rows[i].MemoryBytes, rows[i].ValueBytes))
	}
	if whole == 0 {
		return
	}
	left := float64(steps)
	for i := range rows {
		part := math.Round(steps * ratio(int64(sizeOf(rows[i].MemoryBytes, rows[i].ValueBytes)), whole))
		if i == len(rows)-1 || part > left {
			part = left
		}
		rows[i].share, left = part/steps, left-part
	}
}

func partOf(n *TreeNode, nodes map[*tree.Part]*TreeNode) *tree.Part {
	p := &tree.Part{Prefix: string(n.Prefix), Keys: n.Keys, Size: int64(sizeOf(n.MemoryBytes, n.ValueBytes))}
	nodes[p] = n
	for _, c := range n.Children {
		p.Children = append(p.Children, partOf(c, nodes))
	}
	return p
}

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

func (v *overview) placesNote() message.Message {
	switch {
	case v.cut && v.depth > 0:
		return message.New("prefixes of {segments}; … is what begins so, * what varies",
			message.Number("segments", int64(v.depth), "1 segment", "{n} segments"))
	case v.cut:
		return message.New("prefixes of names; … is what begins so, * what varies")
	case v.r.Tree != nil:
		return message.New("no prefix stands out; these are the largest groups")
	}
	return v.groupsNote()
}
