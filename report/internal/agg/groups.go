package agg

import (
	"bytes"
	"iter"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/report/internal/hyperloglog"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Group has the sums of the keys of a leaf of the tree, or of all leaves whose names have
// one pattern.
type Group struct {
	Sums
	WithoutTTL int64 // keys without an expiry
	// MemoryWithoutTTL is the memory of these keys, in bytes.
	MemoryWithoutTTL int64
	ttl              ttlRange
	ttlHistogram     int32     // 1 + index into Groups.ttls; 0: at most one key, see ttl
	soon             int32     // 1 + index into Groups.soon, 0 none
	idle             idleRange // of the keys that are cold
	findings         int32     // 1 + index into Groups.findings, 0 none
	common           common
	types            uint32 // a bit for each parser.Type
	group            int32  // of a leaf, once the tree is finished: index into Groups.final
	largest          RetainedKey
}

// common is what the keys of a group have in common: each is mixed if they differ,
// and undefined if there are none.
type common struct {
	owner, typ, db int32
}

const (
	undefined = -2
	mixed     = -1
)

func (c *common) add(o common) {
	for _, x := range []struct {
		to   *int32
		from int32
	}{{&c.owner, o.owner}, {&c.typ, o.typ}, {&c.db, o.db}} {
		if *x.to == undefined {
			*x.to = x.from
		} else if x.from != undefined && *x.to != x.from {
			*x.to = mixed
		}
	}
}

func newGroup(buf []byte) Group {
	return Group{ttl: noTTL, idle: neverIdle, common: common{undefined, undefined, undefined},
		largest: RetainedKey{size: -1, buf: buf}}
}

// Owner returns the index of the group's owner in thresholds.Engine.Owners, -1
// if its keys have several.
func (g *Group) Owner() int { return int(g.common.owner) }

// Type returns the type of the group's keys; ok is false if they have several.
func (g *Group) Type() (t parser.Type, ok bool) { return parser.Type(g.common.typ), g.common.typ >= 0 }

// DB returns the database of the group's keys, -1 if they are in several.
func (g *Group) DB() int { return int(g.common.db) }

// Largest returns the largest key by memory, or by value bytes if memory is
// unknown; nil if there is none.
func (g *Group) Largest() *RetainedKey {
	if g.largest.size < 0 {
		return nil
	}
	return &g.largest
}

// groupFindings are the findings of one rule at one severity among the keys of a
// group.
type groupFindings struct {
	ruleSeverity int32
	next         int32 // 1 + index, 0 none
	Count
}

// Groups has the tree of the names of a snapshot, or of several, and the sums of the keys
// of its leaves.
type Groups struct {
	namer    *naming.Namer
	tree     *tree.Tree
	versions tree.Versions
	list     hashindex.List[Group] // of leaves, by their number - 1
	free     []int32               // numbers of leaves that are out of use
	names    int                   // bytes of the names of their largest keys
	ttls     []ttlHistogram
	soon     []soonSums
	findings []groupFindings
	// Histograms and findings of groups that were joined with others are used
	// again.
	freeTTLs     []int32 // 1 + indices into ttls
	freeSoon     []int32 // 1 + indices into soon
	freeFindings int32   // list: 1 + index into findings, 0 none
	freed        int     // length of that list
	folded       hyperloglog.Sketch

	finished bool
	final    []finalGroup
	byName   map[string]int32 // index into final, by pattern
}

// finalGroup is a group as the report shows it.
type finalGroup struct {
	pattern string
	name    string // see Groups.Name, "" if that is not known yet
	*Group
}

func (g *Groups) init(namer *naming.Namer) {
	g.namer = namer
	g.tree = tree.New(namer, (*leaves)(g))
}

// leaves is Groups as the tree sees it.
type leaves Groups

// Join adds a leaf to another one.
func (l *leaves) Join(to, from int32) {
	g := (*Groups)(l)
	f := g.group(from)
	g.join(g.group(to), f, g)
	if f.ttlHistogram != 0 {
		g.freeTTLs = append(g.freeTTLs, f.ttlHistogram)
	}
	if f.soon != 0 {
		g.freeSoon = append(g.freeSoon, f.soon)
	}
	for i := f.findings; i != 0; {
		next := g.findings[i-1].next
		g.findings[i-1].next, g.freeFindings = g.freeFindings, i
		g.freed++
		i = next
	}
	g.names -= len(f.largest.buf)
	*f = newGroup(f.largest.buf[:0])
	g.free = append(g.free, from)
}

// Folded counts a pattern that has no group of its own.
func (l *leaves) Folded(pattern []byte) { l.folded.Add(naming.HashPattern(pattern)) }

func (g *Groups) leaf(node int32) *Group {
	n := g.tree.Node(node)
	i := n.Leaf
	switch {
	case i != 0:
	case len(g.free) > 0:
		i, g.free = g.free[len(g.free)-1], g.free[:len(g.free)-1]
		n.Leaf = i
	default:
		to := g.list.Add()
		*to = newGroup(to.largest.buf[:0])
		i = int32(g.list.Len())
		n.Leaf = i
	}
	return g.group(i)
}

func (g *Groups) group(leaf int32) *Group { return g.list.At(int(leaf - 1)) }

func (g *Groups) addTTL(to *Group, ttl int64) {
	if to.ttl == noTTL {
		to.ttl = ttlRange{ttl, ttl} // the first needs no histogram
		return
	}
	g.histogram(to).count(ttl)
	to.ttl.add(ttlRange{ttl, ttl})
}

func (g *Groups) addTTLs(to *Group, h *ttlHistogram, ttl ttlRange) {
	g.histogram(to).add(h)
	to.ttl.add(ttl)
}

// histogram returns the histogram of a group, a new one if need be.
func (g *Groups) histogram(to *Group) *ttlHistogram {
	if to.ttlHistogram == 0 {
		if n := len(g.freeTTLs); n > 0 {
			to.ttlHistogram = g.freeTTLs[n-1]
			g.freeTTLs = g.freeTTLs[:n-1]
			g.ttls[to.ttlHistogram-1] = ttlHistogram{}
		} else {
			g.ttls = append(g.ttls, ttlHistogram{})
			to.ttlHistogram = int32(len(g.ttls))
		}
		if to.ttl != noTTL {
			g.ttls[to.ttlHistogram-1].count(to.ttl.least)
		}
	}
	return &g.ttls[to.ttlHistogram-1]
}

func (g *Groups) addFindings(to *Group, ruleSeverity int32, count Count) {
	for i := to.findings; i != 0; i = g.findings[i-1].next {
		if f := &g.findings[i-1]; f.ruleSeverity == ruleSeverity {
			f.add(&count)
			return
		}
	}
	f := groupFindings{ruleSeverity, to.findings, count}
	if i := g.freeFindings; i != 0 {
		g.freeFindings, to.findings = g.findings[i-1].next, i
		g.freed--
		g.findings[i-1] = f
		return
	}
	g.findings = append(g.findings, f)
	to.findings = int32(len(g.findings))
}

func (g *Groups) addSums(to *Group, s *Sums, c common, largest *RetainedKey) {
	to.Sums.add(s)
	to.common.add(c)
	if largest.size >= 0 && largest.before(&to.largest) {
		g.names -= len(to.largest.buf)
		to.largest.copy(largest)
		g.names += len(to.largest.buf)
	}
}

// join adds a group of a table, which may be this one, to a group of this table.
func (g *Groups) join(to *Group, from *Group, o *Groups) {
	g.joinKeys(to, from, o)
	for i := from.findings; i != 0; i = o.findings[i-1].next {
		f := o.findings[i-1]
		g.addFindings(to, f.ruleSeverity, f.Count)
	}
}

// joinKeys is join without the findings.
func (g *Groups) joinKeys(to *Group, from *Group, o *Groups) {
	g.addSums(to, &from.Sums, from.common, &from.largest)
	to.WithoutTTL += from.WithoutTTL
	to.MemoryWithoutTTL += from.MemoryWithoutTTL
	to.types |= from.types
	to.idle.add(from.idle)
	if from.soon != 0 {
		soon := o.soon[from.soon-1] // a copy: g.soon, which may be o.soon, may grow
		g.addSoon(to, &soon)
	}
	if from.ttlHistogram != 0 {
		h := o.ttls[from.ttlHistogram-1] // a copy: g.ttls, which may be o.ttls, may grow
		g.addTTLs(to, &h, from.ttl)
	} else if from.ttl != noTTL {
		g.addTTL(to, from.ttl.least)
	}
}

func (g *Groups) merge(o *Groups) {
	g.tree.MergeTree(o.tree, func(to int32, from *tree.Node) {
		g.join(g.leaf(to), o.group(from.Leaf), o)
	})
	g.foldExcess()
	g.folded.Merge(&o.folded)
}

// The share of a table's memory that is meant for one leaf. A table with more findings or
// bytes of names holds fewer leaves.
const (
	findingsOfLeaf = 6
	bytesOfLeaf    = 384
)

func (g *Groups) leaves() int { return g.list.Len() - len(g.free) }

// foldExcess folds what is too much for the table.
func (g *Groups) foldExcess() {
	most := tree.MaxLeaves
	if (len(g.findings)-g.freed)/findingsOfLeaf > most || g.names/bytesOfLeaf > most {
		most = g.leaves() * 3 / 4
	}
	g.tree.Settle(most)
}

// end folds what a report does not distinguish, and joins the leaves whose names have one
// pattern to groups.
func (g *Groups) end() {
	g.versions = tree.Versions{}
	g.tree.Finish()
	g.finished = true
	g.byName = map[string]int32{}
	g.endBelow([]tree.Grouped{{}}, nil)
}

// endBelow makes the groups of the leaves below nodes, whose names have patterns that begin like
// prefix.
func (g *Groups) endBelow(nodes []tree.Grouped, prefix []byte) {
	for _, p := range g.tree.Patterns(nodes, bytes.IndexByte(prefix, '*') >= 0) {
		pattern := append(prefix[:len(prefix):len(prefix)], p.Text...)
		for _, n := range p.Nodes {
			if i := g.tree.Node(n.Node).Leaf; i != 0 {
				g.addFinal(string(pattern), i)
				if n.Folded {
					g.folded.Add(naming.HashPattern(g.namer.AppendPattern(nil, g.tree.AppendPath(nil, n.Node))))
				}
			}
		}
		g.endBelow(p.Nodes, pattern)
	}
}

func (g *Groups) addFinal(pattern string, leaf int32) {
	at, known := g.byName[pattern]
	switch {
	case !known:
		at = int32(len(g.final))
		g.byName[pattern] = at
		g.final = append(g.final, finalGroup{pattern: pattern, Group: g.group(leaf)})
	case g.final[at].group >= 0: // a leaf, which stays as it is
		sum := newGroup(nil)
		sum.group = -1
		g.join(&sum, g.final[at].Group, g)
		g.final[at].Group = &sum
		fallthrough
	default:
		g.join(g.final[at].Group, g.group(leaf), g)
	}
	g.group(leaf).group = at
}

// Missing returns the most keys that a group or a node of the tree may lack, because they
// were counted before its values were known to have many: they are in that of a wider
// pattern.
func (g *Groups) Missing() (most int64) {
	if !g.finished {
		return 0
	}
	for i := range g.tree.Exact(0) {
		most = max(most, g.tree.Lacks(i))
	}
	return most
}

func (g *Groups) Len() int { return len(g.final) }

// DropTree frees the tree. After that, only All, Name, TTL and Findings may be called.
func (g *Groups) DropTree() { g.tree = nil }

// All calls yield for every group, with its pattern, in no order that a report may show.
func (g *Groups) All(yield func(pattern string, group *Group) bool) {
	for i := range g.final {
		if !yield(g.final[i].pattern, g.final[i].Group) {
			return
		}
	}
}

// TTL returns the shortest, the estimated median and the longest TTL of a group
// in milliseconds; ok is false if no key has a known one.
func (g *Groups) TTL(group *Group) (least, median, most int64, ok bool) {
	r := group.ttl
	median = r.least
	if group.ttlHistogram != 0 {
		median = g.ttls[group.ttlHistogram-1].median(r.least, r.most)
	}
	return r.least, median, r.most, r != noTTL
}

// Findings returns the findings among a group's keys, by RuleSeverity.
func (g *Groups) Findings(group *Group) iter.Seq2[int, Count] {
	return func(yield func(int, Count) bool) {
		for i := group.findings; i != 0; i = g.findings[i-1].next {
			if f := &g.findings[i-1]; !yield(int(f.ruleSeverity), f.Count) {
				return
			}
		}
	}
}

// PatternOf returns the pattern of the group that counts the keys of a name, once the groups are
// ended.
func (g *Groups) PatternOf(name []byte) string { return g.patternsOf(name)[0] }

// patternsOf returns the patterns of the groups that count the keys of a name, or of names with a
// pattern.
func (g *Groups) patternsOf(name []byte) (list []string) {
	if g.finished {
		for _, node := range g.tree.Find(name) {
			if leaf := g.tree.Node(node).Leaf; leaf != 0 {
				if pattern := g.final[g.group(leaf).group].pattern; !slices.Contains(list, pattern) {
					list = append(list, pattern)
				}
			}
		}
	}
	if list == nil {
		list = []string{string(g.namer.AppendPattern(nil, name))}
	}
	return list
}

// Name returns what a report calls the group of a pattern: the name of its key if
// it has only one. A name that is too long, or the pattern of another group, does
// not do.
func (g *Groups) Name(pattern string) string {
	i, known := g.byName[pattern]
	if !known {
		return pattern
	}
	f := &g.final[i]
	if f.name != "" {
		return f.name
	}
	f.name = f.pattern
	if f.Keys != 1 || f.largest.size < 0 || f.largest.NameLen > naming.MaxPattern {
		return f.name
	}
	name := f.largest.buf[:f.largest.nameEnd]
	if same, known := g.byName[string(name)]; !known || same == i {
		f.name = string(name)
	}
	return f.name
}

// Pattern returns the pattern of a group of TreeNode.Groups.
func (g *Groups) Pattern(number int32) string { return g.final[number].pattern }

// Folded estimates the number of patterns that have no group of their own.
func (g *Groups) Folded() int64 { return g.folded.Count() }
