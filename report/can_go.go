package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// Removable is a row of Report.CanGo: keys that can be deleted, under Condition. SavesBytes has
// what is freed, with an estimate of the data of jobs that other keys have.
type Removable struct {
	Step
	// IdleMin and IdleMax are the shortest and the longest time for which the keys were not used,
	// in seconds; nil if that is not known, and for work that is done.
	IdleMin *int64 `json:"idle_min,omitempty"`
	IdleMax *int64 `json:"idle_max,omitempty"`
	// Prefix has all these keys, and no others that are not being used; "" if Group says as much.
	Prefix Name   `json:"prefix,omitempty"`
	Owner  string `json:"owner,omitempty" redact:"text"` // "" nobody, or several
}

func (f *finisher) canGo(groups []thresholds.GroupSums, listing *thresholds.Listing) {
	at := map[Name]int{}
	for i := range groups {
		at[Name(groups[i].Group)] = i
	}
	for _, s := range stepsOf(f.Engine(0).CanGo(groups, listing, maxSteps)) {
		i := at[s.Group]
		g := &groups[i]
		row := Removable{Step: s, Owner: f.r.Groups[i].Owner, Prefix: Name(g.ColdUnder)}
		if n := f.r.Tree.named(row.Prefix); n != nil && row.Prefix != "" {
			row.Owner = n.Owner
		}
		if g.IdleLeast >= 0 && g.Cold > 0 && s.Keys == g.Cold {
			row.IdleMin, row.IdleMax = &g.IdleLeast, &g.IdleMost
		}
		f.r.CanGo = append(f.r.CanGo, row)
	}
}

// coldUnder sets the prefix that has the cold keys of a group, where it says more than the group:
// the shallowest one that has no other keys, or else the deepest one that has all of them.
func (r *Report) coldUnder(g *thresholds.GroupSums) {
	below := func(n *TreeNode) (next *TreeNode) {
		for _, c := range n.Children {
			if c.cold() == g.Cold && c.Children != nil && !strings.Contains(string(c.Prefix), "*") {
				next = c
			}
		}
		return next
	}
	literal, _, _ := strings.Cut(g.Group, "*")
	var found *TreeNode
	for n := r.Tree; n != nil && (found == nil || found.Keys > g.Cold); n = below(n) {
		if n != r.Tree && n.cold() == g.Cold && n.MayLackKeys == 0 && strings.HasPrefix(string(n.Prefix), literal) {
			found = n
		}
	}
	if found != nil && strings.Contains(g.Group, "*") && found.Keys < g.Keys {
		g.ColdUnder, g.ColdOf = string(found.Prefix), found.Keys
	}
}

// cold returns the number of keys of a node that are not being used.
func (n *TreeNode) cold() (keys int64) {
	for i := range n.Rules {
		if n.Rules[i].Rule == "cold-key" {
			keys += n.Rules[i].Count
		}
	}
	return keys
}

// named returns the node of a prefix, nil if there is none.
func (n *TreeNode) named(prefix Name) *TreeNode {
	for n != nil && n.Prefix != prefix {
		at := slices.IndexFunc(n.Children, func(c *TreeNode) bool {
			return c.Prefix == prefix || c.Children != nil && strings.HasPrefix(string(prefix), string(c.Prefix))
		})
		if at < 0 || prefix == "" {
			return nil
		}
		n = n.Children[at]
	}
	return n
}

// Expiring has the keys that expire in a time after the snapshot was taken.
type Expiring struct {
	// Window is "1h", "midnight", "24h" or "hour".
	Window string `json:"window"`
	// From and Until are when it begins and ends, in seconds since the epoch; of several snapshots,
	// those of the first.
	From        int64  `json:"from"`
	Until       int64  `json:"until"`
	Keys        int64  `json:"keys"`
	MemoryBytes Figure `json:"memory_bytes"`
	// Prefixes have most of the keys, those with most keys first.
	Prefixes []ExpiringPrefix `json:"prefixes"`
	// List is the command line that prints exactly these keys, program first; empty if there is
	// none, or if names were replaced.
	List []string `json:"list,omitempty" redact:"drop"`
}

// ExpiringPrefix has the keys of one prefix that expire in a time.
type ExpiringPrefix struct {
	Prefix      Name   `json:"prefix"` // as that of a TreeNode
	Keys        int64  `json:"keys"`
	Of          int64  `json:"of_keys"` // all keys of the prefix
	MemoryBytes Figure `json:"memory_bytes"`
	Owner       string `json:"owner,omitempty" redact:"text"` // "" nobody, or several
}

// TreeExpiry has the keys of a TreeNode that expire in a time, see Report.ExpiresNext.
type TreeExpiry struct {
	Window      string `json:"window"`
	Keys        int64  `json:"keys"`
	MemoryBytes Figure `json:"memory_bytes"`
}

const (
	maxExpiringPrefixes = 10
	secondsOfHour       = 60 * 60
)

// window is a time after the snapshot: some parts of agg.Groups.Soon.
type window struct {
	name           string
	from, part, to int // parts from from to to, or part
}

func (w *window) of(groups *agg.Groups, g *agg.Group) (sum agg.SoonSum) {
	if w.to == 0 {
		return groups.Soon(g, w.part)
	}
	for i := w.from; i < w.to; i++ {
		n := groups.Soon(g, i)
		sum.Keys, sum.Memory = sum.Keys+n.Keys, sum.Memory+n.Memory
	}
	return sum
}

var windows = []window{{name: "1h", to: 1}, {name: "midnight", part: agg.SoonMidnight},
	{name: "24h", to: agg.SoonHours}}

// expiring sets which keys expire next. root is the tree of the report, nil if there is none, of has
// its sums.
func (f *finisher) expiring(root *agg.TreeNode, of *agg.Groups) {
	if root == nil {
		return
	}
	all := windows
	for hour := range agg.SoonHours {
		all = append(all[:len(all):len(all)], window{name: "hour", from: hour, to: hour + 1})
	}
	created := f.Snapshots[0].Env.Created
	for i := range all {
		w := &all[i]
		sum := w.of(of, &root.Group)
		if sum.Keys == 0 && (w.name == "hour" || windows[2].of(of, &root.Group).Keys == 0) {
			continue
		}
		e := Expiring{Window: w.name, From: created + int64(w.from)*secondsOfHour, Until: created + int64(w.to)*secondsOfHour, Keys: sum.Keys,
			MemoryBytes: memoryFigure(sum.Memory, sum.Keys), Prefixes: f.expiringPrefixes(root, of, w)}
		if w.to == 0 {
			e.Until = created + secondsOfDay - created%secondsOfDay
		}
		if w.name == "hour" {
			f.r.ExpiresHourly = append(f.r.ExpiresHourly, e)
			continue
		}
		if f.opt.Filter.ExpireAfter == nil && f.opt.Filter.ExpireBefore == nil && f.opt.Filter.ExpireAfterTaken == nil &&
			f.opt.Filter.ExpireBeforeTaken == nil {
			e.List = f.listing().Expiring(w.name)
		}
		f.r.ExpiresNext = append(f.r.ExpiresNext, e)
	}
	slices.SortStableFunc(f.r.ExpiresNext, func(a, b Expiring) int { return cmp.Compare(a.Until, b.Until) })
}

// expiringPrefixes returns the prefixes that say most about which keys expire in a time.
func (f *finisher) expiringPrefixes(root *agg.TreeNode, of *agg.Groups, w *window) []ExpiringPrefix {
	nodes, parents := map[*tree.Part]*agg.TreeNode{}, map[*tree.Part]*tree.Part{}
	var part func(n *agg.TreeNode) *tree.Part
	part = func(n *agg.TreeNode) *tree.Part {
		keys := w.of(of, &n.Group).Keys
		p := &tree.Part{Prefix: string(n.Prefix), Keys: keys, Size: keys}
		nodes[p] = n
		for _, c := range n.Children {
			if w.of(of, &c.Group).Keys > 0 {
				child := part(c)
				parents[child] = p
				p.Children = append(p.Children, child)
			}
		}
		return p
	}
	list := []ExpiringPrefix{}
	if w.of(of, &root.Group).Keys == 0 {
		return list
	}
	rows, _ := tree.Cut(part(root), maxExpiringPrefixes, 0)
	for i := range rows {
		r := &rows[i]
		if r.Others != nil {
			continue
		}
		n := nodes[r.Part]
		// A prefix says more than the pattern that has nearly all of its keys.
		if above := parents[r.Part]; above != nil && nodes[above] != root && r.Part.Children == nil &&
			above.Keys-above.Keys/20 <= r.Part.Keys {
			n = nodes[above]
		}
		sum := w.of(of, &n.Group)
		p := ExpiringPrefix{Prefix: Name(n.Prefix), Keys: sum.Keys, Of: n.Group.Keys,
			MemoryBytes: memoryFigure(sum.Memory, sum.Keys)}
		if owner := n.Group.Owner(); owner >= 0 {
			p.Owner = f.owner[owner]
		}
		list = append(list, p)
	}
	return list
}
