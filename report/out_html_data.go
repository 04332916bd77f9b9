package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/thresholds"
)

type htmlData struct {
	Chinese map[string]string `json:"zh"`             // texts of the script by the English ones
	Size    string            `json:"size,omitempty"` // "memory" or "value bytes"
	Types   []string          `json:"types,omitempty"`
	Tree    *htmlNode         `json:"tree,omitempty"`
	// Groups are arrays: name, keys, and what the keys are in English and Chinese, if that is known.
	Groups [][]any                  `json:"groups,omitempty"`
	Rules  [][2]string              `json:"rules,omitempty"`  // rule and severity
	Owners []string                 `json:"owners,omitempty"` // nil: the configuration names none
	Times  []thresholds.ExpiryTimes `json:"times,omitempty"`
	Hours  []Expiring               `json:"hours,omitempty"`
	Since  string                   `json:"since,omitempty"` // the older report's name, "" none
	Files  string                   `json:"files,omitempty"` // of the inputs, for a command line
	Taken  int64                    `json:"taken,omitempty"` // when the first snapshot was taken, in seconds since the epoch
	Charts []htmlChart              `json:"charts,omitempty"`
}

// The bytes that the tree and the names of groups may have.
const (
	htmlMapBytes    = 500 << 10
	htmlGroupsBytes = 150 << 10
)

// htmlNode is a node of the tree of names. It is written as an array: what its name adds to
// that of its parent, or \0 and the name, keys, size, keys and size without TTL, elements,
// types as bits, errors, warnings and infos, least, median and greatest TTL, keys that may be
// lacking, the largest key and its size, findings (index into htmlData.Rules and number, by turns),
// groups (indexes into htmlData.Groups; empty: that of its name), the owner (index into
// htmlData.Owners, -1 several, -2 nobody), keys and bytes of each of TreeNode.Expiring, size and keys
// in an older report, and children if there are any.
type htmlNode struct {
	*TreeNode
	label         string
	types, owner  int
	rules, groups []int64
	was           []int64 // empty: not known
	children      []*htmlNode
}

func (n *htmlNode) MarshalJSON() ([]byte, error) {
	f := &n.Findings
	size := func(memory Figure, value int64) int64 { return int64(max(0, sizeOf(memory, value))) }
	list := []any{n.label, n.Keys, size(n.MemoryBytes, n.ValueBytes), n.WithoutTTL.Keys, max(0, n.WithoutTTL.MemoryBytes), n.Elements, n.types,
		f.Error, f.Warning, f.Info, n.TTLMin, n.TTLMedian, n.TTLMax, n.MayLackKeys}
	if k := n.LargestKey; k != nil {
		list = append(list, k.Key.Display(), size(k.MemoryBytes, int64(k.ValueBytes)))
	} else {
		list = append(list, "", 0)
	}
	soon := []int64{}
	for i := range n.Expiring {
		soon = append(soon, n.Expiring[i].Keys, int64(max(0, n.Expiring[i].MemoryBytes)))
	}
	list = append(list, n.rules, n.groups, n.owner, soon, n.was)
	if n.children != nil {
		list = append(list, n.children)
	}
	return json.Marshal(list)
}

// data fills in what the script reads.
func (v *htmlView) data(r, since *Report) {
	v.Data.Size, v.Data.Times = v.SizeLabel, r.ExpiryTimes
	for _, t := range r.Types {
		v.Data.Types = append(v.Data.Types, t.Type)
	}
	for i := range r.Rules {
		v.Data.Rules = append(v.Data.Rules, [2]string{r.Rules[i].Rule, r.Rules[i].Severity})
	}
	if v.Data.Hours = r.ExpiresHourly; r.hasOwners() {
		v.Data.Owners = []string{}
		for i := range r.Owners {
			if r.Owners[i].Owner != "" {
				v.Data.Owners = append(v.Data.Owners, r.Owners[i].Owner)
			}
		}
	}
	if len(r.Inputs) > 0 {
		v.Data.Taken = int64(max(0, r.Inputs[0].Created))
	}
	if files := shellLine(inputNames(r.Inputs)); len(r.Inputs) < 10 {
		v.Data.Files = files
	}
	if r.Tree != nil {
		var before map[*TreeNode]*TreeNode
		if since != nil {
			before, _ = r.NodesBefore(since)
		}
		v.Data.Tree = v.tree(r.Tree, v.groups(r), before)
	}
}

func inputNames(inputs []Input) (names []string) {
	for i := range inputs {
		names = append(names, string(inputs[i].Name))
	}
	return names
}

// groups sets the groups that the script needs: those that are known to be something, and those of
// nodes. It returns their indexes.
func (v *htmlView) groups(r *Report) map[Name]int64 {
	needed := map[Name]bool{}
	var visit func(n *TreeNode)
	visit = func(n *TreeNode) {
		for _, g := range n.Groups {
			needed[g] = true
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(r.Tree)
	budget := htmlGroupsBytes
	index := map[Name]int64{}
	groups := slices.Clone(r.Groups)
	sortGroups(groups, "")
	for i := range groups {
		g := &groups[i]
		if !needed[g.Group] && g.Identity == nil {
			continue
		}
		h := []any{g.Group.Display(), g.Keys}
		budget -= len(g.Group) + 20
		if m := g.Identity.Label(); !m.IsZero() {
			english, chinese := v.english.line(m), v.chinese.line(m)
			h = append(h, english, chinese)
			budget -= len(english) + len(chinese)
		}
		if budget < 0 {
			break
		}
		index[g.Group] = int64(len(v.Data.Groups))
		v.Data.Groups = append(v.Data.Groups, h)
	}
	return index
}

// tree returns a tree for the script. Nodes beyond the bytes that it may have are left out
// level by level, all children of a node together, so that sums stay those of the children.
func (v *htmlView) tree(root *TreeNode, groups map[Name]int64, before map[*TreeNode]*TreeNode) *htmlNode {
	const each = 100 // bytes of a node besides its names
	budget := htmlMapBytes
	node := func(n *TreeNode, above string) *htmlNode {
		h := &htmlNode{TreeNode: n, owner: slices.Index(v.Data.Owners, n.Owner), rules: []int64{}, groups: []int64{},
			was: []int64{}}
		if was := before[n]; was != nil {
			h.was = append(h.was, int64(max(0, sizeOf(was.MemoryBytes, was.ValueBytes))), was.Keys, was.WithoutTTL.Keys)
		}
		if n.Owner == "" && !n.SeveralOwners {
			h.owner = -2
		}
		for i := range n.Rules {
			if at := slices.Index(v.Data.Rules, [2]string{n.Rules[i].Rule, n.Rules[i].Severity}); at >= 0 {
				h.rules = append(h.rules, int64(at), n.Rules[i].Count)
			}
		}
		for _, g := range n.Groups {
			if at, ok := groups[g]; ok {
				h.groups = append(h.groups, at)
			}
		}
		if n.Prefix != "" {
			h.label = n.Prefix.Display()
			if rest, ok := strings.CutPrefix(h.label, above); ok {
				h.label = rest
			} else {
				h.label = "\x00" + h.label
			}
		}
		for _, t := range n.Types {
			if i := slices.Index(v.Data.Types, t); i >= 0 {
				h.types |= 1 << i
			}
		}
		return h
	}
	top := node(root, "")
	for level := []*htmlNode{top}; len(level) > 0; {
		var next []*htmlNode
		for _, h := range level {
			var children []*htmlNode
			above := ""
			if h.Prefix != "" {
				above = h.Prefix.Display()
			}
			cost := 0
			for _, c := range h.Children {
				child := node(c, above)
				cost += len(child.label) + each
				if c.LargestKey != nil {
					cost += len(c.LargestKey.Key)
				}
				children = append(children, child)
			}
			if cost > budget {
				continue
			}
			budget -= cost
			h.children = children
			next = append(next, children...)
		}
		level = next
	}
	return top
}
