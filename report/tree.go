package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// TreeNode has the keys whose names begin with a prefix. A prefix without * that ends in a
// separator stands for exactly the keys that begin with it, apart from MayLackKeys; one that
// does not is a name, or the pattern of names. A * stands for values that are too many. The
// sums of the children are those of the node.
type TreeNode struct {
	Prefix      Name    `json:"prefix"` // "" of all keys; ends in … if it has what its parent does not list
	Keys        int64   `json:"keys"`
	Elements    int64   `json:"elements"`
	ValueBytes  int64   `json:"value_bytes"`
	MemoryBytes Figure  `json:"memory_bytes"`
	WithoutTTL  TreeTTL `json:"without_ttl"`
	TTLMin      *int64  `json:"ttl_min,omitempty"` // as in Group, in seconds
	TTLMedian   *int64  `json:"ttl_median,omitempty"`
	TTLMax      *int64  `json:"ttl_max,omitempty"`
	// Findings are those of Report.Rules about single keys: without the explained ones.
	Findings Counts `json:"findings"`
	DB       *int   `json:"db,omitempty"` // of all keys, nil if they are in several
	// Rules has these findings by rule and severity. Reports of older versions do not have it.
	Rules []TreeRule `json:"rules,omitempty"`
	Owner string     `json:"owner,omitempty" redact:"text"` // of all keys, "" nobody or several
	// SeveralOwners is true if keys have different owners, or some have none.
	SeveralOwners bool     `json:"several_owners,omitempty"`
	Types         []string `json:"types"`
	LargestKey    *TreeKey `json:"largest_key,omitempty"`
	// Identity says what the keys are, as far as all of them have it in common; nil if that is
	// not known.
	Identity *Identity `json:"identity,omitempty"`
	// Groups are the groups that have keys of a node without children, where that is not the one
	// group that is called like the prefix, at most 64. Reports of older versions do not have them.
	Groups []Name `json:"groups,omitempty"`
	// Expiring has the keys that expire next, nil if none expires within 24 hours.
	Expiring []TreeExpiry `json:"expiring,omitempty"`
	// MayLackKeys is the most keys of the prefix that count in another one, with * in place
	// of a segment, because its values were too many before this one had many keys.
	MayLackKeys int64       `json:"may_lack_keys,omitempty"`
	Children    []*TreeNode `json:"children,omitempty"` // heaviest first, … last
}

// TreeRule has the findings of one rule at one severity in a TreeNode.
type TreeRule struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Count    int64  `json:"count"`
}

// TreeTTL has the keys of a TreeNode without an expiry.
type TreeTTL struct {
	Keys        int64  `json:"keys"`
	MemoryBytes Figure `json:"memory_bytes"`
}

// TreeKey is the largest key of a TreeNode.
type TreeKey struct {
	Input       int    `json:"input"` // index into inputs
	DB          int    `json:"db"`
	Key         Name   `json:"key"`
	NameBytes   int64  `json:"key_bytes,omitempty"` // as in KeyRow, if Key is cut
	NameHash    string `json:"key_hash,omitempty"`
	Type        string `json:"type"`
	MemoryBytes Figure `json:"memory_bytes"`
	ValueBytes  Figure `json:"value_bytes"`
}

// DefaultTreeNodes is the number of nodes of Report.Tree unless Options.TreeNodes says otherwise.
const DefaultTreeNodes = 2000

func (f *finisher) tree() {
	most := cmp.Or(f.opt.TreeNodes, DefaultTreeNodes)
	if most < 0 || f.r.Totals.Keys == 0 {
		return
	}
	marks := &treeMarks{f: f, number: map[treeMark]int32{}}
	root, of := f.Tables.Groups.Tree(most, func(pattern string,
		ruleSeverity int) bool {
		return f.explains(f.known[pattern], ruleSeverity)
	}, f.backlogIn, marks.mark)
	f.r.Tree = f.treeNode(root, of, marks)
	f.expiring(root, of, marks)
}

// treeMarks numbers what is known of groups.
type treeMarks struct {
	f      *finisher
	list   []treeMark
	number map[treeMark]int32
}

type treeMark struct {
	identity   Identity
	identified bool
	owner      string // of the source, see finisher.sourceOwner
}

// mark returns the number of what is known of a group.
func (m *treeMarks) mark(pattern string) int32 {
	mark := treeMark{owner: m.f.sourceOwner[pattern]}
	if id := m.f.known[pattern]; id != nil {
		mark.identity, mark.identified = *id, true
	}
	n, known := m.number[mark]
	if !known {
		n = int32(len(m.list))
		m.number[mark] = n
		m.list = append(m.list, mark)
	}
	return n
}

// common returns what the identities have in common, nil if that is neither a library nor a
// role, and the owner of the source that all have.
func (m *treeMarks) common(marks []int32) (id *Identity, owner string, several bool) {
	if len(marks) == 0 || len(marks) == agg.MaxMarks {
		return nil, "", len(m.f.sourceOwner) > 0
	}
	list, owner := make([]*Identity, len(marks)), m.list[marks[0]].owner
	for i, n := range marks {
		mark := m.list[n]
		if mark.identified {
			list[i] = &mark.identity
		}
		several = several || mark.owner != owner
	}
	if several {
		owner = ""
	}
	return commonIdentity(list), owner, several
}

// commonIdentity returns what identities have in common, nil if that is neither a library
// nor a role.
func commonIdentity(list []*Identity) *Identity {
	if list[0] == nil {
		return nil
	}
	id := *list[0]
	for _, o := range list[1:] {
		if o == nil {
			return nil
		}
		same := func(a *string, b string) {
			if *a != b {
				*a = ""
			}
		}
		if id.Library != o.Library && (id.Library == "" || o.Library == "") || id.Library == "" && id.Role != o.Role {
			return nil
		}
		same(&id.Library, o.Library)
		same((*string)(&id.Role), string(o.Role))
		same(&id.Queue, o.Queue)
		same(&id.Setting, o.Setting)
		same(&id.Deletion, o.Deletion)
		same(&id.DeletesAlso, o.DeletesAlso)
		id.DeletesEach = id.DeletesEach && o.DeletesEach
		same(&id.Tried, o.Tried)
		same(&id.Source, o.Source)
		id.ByDesign = id.ByDesign && o.ByDesign
		id.EmptySegments, id.WhiteSpace = id.EmptySegments && o.EmptySegments, id.WhiteSpace && o.WhiteSpace
		id.Sure = thresholds.LessSure(id.Sure, o.Sure)
	}
	if id.Library == "" && (id.Role == "" || id.Sure == thresholds.Sure || id.Sure == thresholds.Likely) {
		return nil
	}
	return &id
}

func (f *finisher) treeNode(from *agg.TreeNode, of *agg.Groups, marks *treeMarks) *TreeNode {
	g := &from.Group
	n := &TreeNode{Prefix: Name(from.Prefix), Keys: g.Keys, Elements: g.Elements, ValueBytes: g.ValueBytes,
		MemoryBytes: memoryFigure(g.Memory, g.Keys),
		WithoutTTL:  TreeTTL{Keys: g.WithoutTTL, MemoryBytes: memoryFigure(g.MemoryWithoutTTL, g.WithoutTTL)},
		MayLackKeys: from.Lacks}
	n.Identity, n.Owner, n.SeveralOwners = marks.common(from.Marks)
	if least, median, most, ok := of.TTL(g); ok {
		n.TTLMin, n.TTLMedian, n.TTLMax = new(floorSeconds(least)), new(floorSeconds(median)), new(floorSeconds(most))
	}
	for ruleSeverity, count := range of.Findings(g) {
		n.Findings.add(agg.SeverityOf(ruleSeverity), count.Keys)
		n.Rules = append(n.Rules, TreeRule{agg.RuleOf(ruleSeverity).Name(), agg.SeverityOf(ruleSeverity).String(), count.Keys})
	}
	slices.SortFunc(n.Rules, func(a, b TreeRule) int {
		return cmp.Or(cmp.Compare(severityOf(b.Severity), severityOf(a.Severity)), cmp.Compare(b.Count, a.Count),
			strings.Compare(a.Rule, b.Rule))
	})
	if windows[2].of(of, g).Keys > 0 {
		n.Expiring = make([]TreeExpiry, len(windows))
		for i := range windows {
			sum := windows[i].of(of, g)
			n.Expiring[i] = TreeExpiry{windows[i].name, sum.Keys, memoryFigure(sum.Memory, sum.Keys)}
		}
	}
	for _, at := range from.Groups {
		n.Groups = append(n.Groups, f.pattern(f.Tables.Groups.Pattern(at)))
	}
	slices.Sort(n.Groups)
	if from.Children != nil || len(n.Groups) == 1 && n.Groups[0] == n.Prefix {
		n.Groups = nil
	}
	n.Findings.Explained = from.Explained
	if db := g.DB(); db >= 0 {
		n.DB = &db
	}
	if owner := g.Owner(); owner < 0 || f.owner[owner] != "" {
		n.Owner, n.SeveralOwners = f.ownerOf(g), owner < 0
	}
	for _, t := range g.Types() {
		n.Types = append(n.Types, t.String())
	}
	if largest := g.Largest(); largest != nil {
		key := largest.Key()
		row := newKeyRow(&key)
		n.LargestKey = &TreeKey{Input: int(largest.Input), DB: row.DB, Key: row.Key, NameBytes: row.NameBytes,
			NameHash: row.NameHash, Type: row.Type, MemoryBytes: row.Memory, ValueBytes: row.ValueBytes}
	}
	for _, c := range from.Children {
		n.Children = append(n.Children, f.treeNode(c, of, marks))
	}
	return n
}

// heaviest returns the nodes below one that stand for one prefix or pattern, at most so many of
// them, those with most memory first.
func (n *TreeNode) heaviest(most int) (list []*TreeNode) {
	var visit func(n *TreeNode)
	visit = func(n *TreeNode) {
		for _, c := range n.Children {
			if !c.isRest() {
				list = append(list, c)
				visit(c)
			}
		}
	}
	visit(n)
	slices.SortStableFunc(list, func(a, b *TreeNode) int { return cmp.Compare(b.size(), a.size()) })
	return list[:min(len(list), most)]
}

// Prefixes returns the prefixes of so many segments that stand for exactly the keys that begin with
// them, at most so many of them, those with most memory first.
func (r *Report) Prefixes(segments, most int) (list []string) {
	var nodes []*TreeNode
	var visit func(n *TreeNode, depth int)
	visit = func(n *TreeNode, depth int) {
		if depth == segments && n.Children != nil && !strings.Contains(string(n.Prefix), "*") {
			nodes = append(nodes, n)
		}
		for _, c := range n.Children {
			if depth < segments {
				visit(c, depth+1)
			}
		}
	}
	if r.Tree != nil {
		visit(r.Tree, 0)
	}
	slices.SortStableFunc(nodes, func(a, b *TreeNode) int { return cmp.Compare(b.size(), a.size()) })
	for _, n := range nodes[:min(len(nodes), most)] {
		list = append(list, string(n.Prefix))
	}
	return list
}

// restOfPrefix ends the prefix of the node that has what its parent does not list.
const restOfPrefix = tree.Rest

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
func (f *finisher) expiring(root *agg.TreeNode, of *agg.Groups, marks *treeMarks) {
	if root == nil {
		return
	}
	all := windows
	for hour := range agg.SoonHours {
		all = append(slices.Clip(all), window{name: "hour", from: hour, to: hour + 1})
	}
	created := f.Snapshots[0].Env.Created
	for i := range all {
		w := &all[i]
		sum := w.of(of, &root.Group)
		if sum.Keys == 0 && (w.name == "hour" || windows[2].of(of, &root.Group).Keys == 0) {
			continue
		}
		e := Expiring{Window: w.name, From: created + int64(w.from)*secondsOfHour, Until: created + int64(w.to)*secondsOfHour, Keys: sum.Keys,
			MemoryBytes: memoryFigure(sum.Memory, sum.Keys), Prefixes: f.expiringPrefixes(root, of, marks, w)}
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
func (f *finisher) expiringPrefixes(root *agg.TreeNode, of *agg.Groups, marks *treeMarks, w *window) []ExpiringPrefix {
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
	rows, _ := tree.Cut(part(root), maxExpiringPrefixes-1, 0)
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
		if p.Owner = f.ownerOf(&n.Group); p.Owner == "" && n.Group.Owner() >= 0 {
			_, p.Owner, _ = marks.common(n.Marks)
		}
		list = append(list, p)
	}
	return list
}
