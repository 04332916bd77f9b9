package agg

import (
	"iter"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/report/internal/hyperloglog"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Group has the sums of the keys of one pattern.
type Group struct {
	hash uint64
	Sums
	WithoutTTL int64 // keys without an expiry
	// MemoryWithoutTTL is the memory of these keys, in bytes.
	MemoryWithoutTTL int64
	ttl              ttlRange
	ttlHistogram     int32 // 1 + index into Groups.ttls; 0: at most one key, see ttl
	findings         int32 // 1 + index into Groups.findings, 0 none
	text, textEnd    int32 // the pattern, in Groups.texts
	db               int32 // whose trie has the group; 0 in a table of which Groups.joined
	common           common
	removed          bool // joined with another group
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

// add adds other keys.
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
	return Group{ttl: noTTL, common: common{undefined, undefined, undefined}, largest: RetainedKey{size: -1, buf: buf}}
}

// id identifies the group in the index: its pattern and its database.
func (g *Group) id() uint64 { return g.hash ^ hashDatabase(g.db) }

func (g *Group) weight() weight { return weight{g.Keys, g.Sums.size()} }

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

// Groups is the table of groups of a block, a snapshot or several snapshots.
type Groups struct {
	namer    *naming.Namer
	index    hashindex.Index // of list, by hash
	list     []Group
	names    int64 // bytes of the names of their largest keys
	texts    []byte
	ttls     []ttlHistogram
	findings []groupFindings
	// Histograms and findings of groups that were joined with others are used
	// again.
	freeTTLs     []int32      // 1 + indices into ttls
	freeFindings int32        // list: 1 + index into findings, 0 none
	freed        int          // length of that list
	trie         *patternTrie // nil while nothing had to be folded
	sightings    *sightings   // of the trie; nil in the tables of a snapshot
	removed      int          // groups of list that were joined with others
	changed      bool         // values were folded since rebalance
	joined       bool         // databases are not distinguished
	rare         int64        // the most keys of a value that foldRare folded
	folded       hyperloglog.Sketch
	final        *patternTrie // of a snapshot that ended, with its databases apart

	spare struct { // to be used again
		trie    *patternTrie
		index   []int32
		texts   []byte
		weights []weight
		leaves  leafFolder
	}
}

func (g *Groups) init(namer *naming.Namer) { g.namer, g.index = namer, hashindex.New(128) }

func (g *Groups) reset() {
	g.index.Reset()
	g.list, g.texts, g.ttls, g.findings = g.list[:0], g.texts[:0], g.ttls[:0], g.findings[:0]
	g.freeTTLs, g.freeFindings, g.freed = g.freeTTLs[:0], 0, 0
	g.trie, g.rare = nil, 0
	g.folded = hyperloglog.Sketch{}
}

// reusable reports whether reset empties the table of a snapshot: nothing was folded. A
// large table is not worth its memory.
func (g *Groups) reusable() bool {
	return g.trie == nil && g.removed == 0 && !g.joined && len(g.list) <= maxAggregates
}

func (g *Groups) pattern(i int) []byte {
	return g.texts[g.list[i].text:g.list[i].textEnd]
}

// find returns the position of the group of a pattern by its hash, -1 if there
// is none, and its slot in the index or the free slot for it.
func (g *Groups) find(db int32, hash uint64) (position int, slot uint) {
	for slot = g.index.First(hash ^ hashDatabase(db)); ; slot = g.index.Next(slot) {
		i := g.index.Position(slot)
		if i < 0 || g.list[i].hash == hash && g.list[i].db == db {
			return i, slot
		}
	}
}

// ensure returns the group of a pattern, a new one if there is none. It is valid
// until the next is added.
func (g *Groups) ensure(db int32, hash uint64, text []byte) *Group {
	if g.joined {
		db = 0
	}
	if i, _ := g.find(db, hash); i >= 0 {
		return &g.list[i]
	}
	i := g.insert(db, hash, text)
	if g.trie != nil {
		g.trie.nodes.at(g.trie.insert(db, text)).group = int32(i) + 1
	}
	return &g.list[i]
}

// hashAt returns the hash of a pattern that ends at a node of the trie.
func (g *Groups) hashAt(node int32, pattern []byte) uint64 {
	if i := g.trie.nodes.at(node).group; i != 0 && node != 0 {
		return g.list[i-1].hash
	}
	return naming.HashPattern(pattern)
}

// maxPattern is the largest length of a pattern in bytes: each segment that is
// folded may make it one longer.
const maxPattern = naming.MaxPattern + 1 + maxDepth

// insert adds a group.
func (g *Groups) insert(db int32, hash uint64, text []byte) int {
	if g.index.Full() {
		g.index.Grow(len(g.list), func(i int) (uint64, bool) { return g.list[i].id(), true })
	}
	from := int32(len(g.texts))
	g.texts = append(g.texts, text...)
	if len(g.list) < cap(g.list) {
		g.list = g.list[:len(g.list)+1]
	} else {
		g.list = append(g.list, Group{})
	}
	i := len(g.list) - 1
	to := &g.list[i]
	*to = newGroup(to.largest.buf) // the buffer of a group that was here before
	to.db, to.hash, to.text, to.textEnd = db, hash, from, int32(len(g.texts))
	g.index.Insert(to.id(), i)
	return i
}

// addTTL adds the TTL of one key.
func (g *Groups) addTTL(to *Group, ttl int64) {
	if to.ttl == noTTL {
		to.ttl = ttlRange{ttl, ttl} // the first needs no histogram
		return
	}
	g.histogram(to).count(ttl)
	to.ttl.add(ttlRange{ttl, ttl})
}

// addTTLs adds the TTLs of several keys.
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

// addFindings adds findings of a rule and severity to a group.
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

// addSums adds the sums of keys, what they have in common and the largest of them.
func (g *Groups) addSums(to *Group, s *Sums, c common, largest *RetainedKey) {
	to.Sums.add(s)
	to.common.add(c)
	if largest.size >= 0 && largest.before(&to.largest) {
		g.names -= int64(cap(to.largest.buf))
		to.largest.copy(largest)
		g.names += int64(cap(to.largest.buf))
	}
}

// join adds a group of a table, which may be this one, to a group of this table.
func (g *Groups) join(to *Group, from *Group, o *Groups) {
	g.addSums(to, &from.Sums, from.common, &from.largest)
	to.WithoutTTL += from.WithoutTTL
	to.MemoryWithoutTTL += from.MemoryWithoutTTL
	if from.ttlHistogram != 0 {
		h := o.ttls[from.ttlHistogram-1] // a copy: g.ttls, which may be o.ttls, may grow
		g.addTTLs(to, &h, from.ttl)
	} else if from.ttl != noTTL {
		g.addTTL(to, from.ttl.least)
	}
	for i := from.findings; i != 0; i = o.findings[i-1].next {
		f := o.findings[i-1]
		g.addFindings(to, f.ruleSeverity, f.Count)
	}
}

// merge adds the groups of another block or snapshot.
func (g *Groups) merge(o *Groups) {
	if o.joined && !g.joined {
		g.joinAll()
	}
	if o.trie != nil {
		g.buildTrie()
		depth := min(g.trie.depth, o.trie.depth)
		for _, x := range [...]*Groups{g, o} {
			if x.trie.depth > depth {
				x.trie.cut(depth, x.joinPositions)
				x.rebalance()
			}
		}
		for c := o.trie.nodes.at(0).first; c != 0; c = o.trie.nodes.at(c).next {
			g.trie.union(g.trie.database(o.trie.databaseOf(c)), o.trie, c)
		}
	}
	for i := range o.list {
		from := &o.list[i]
		g.join(g.ensure(from.db, from.hash, o.pattern(i)), from, o)
	}
	g.folded.Merge(&o.folded)
	g.rare += o.rare // each may have folded as many keys of a value
}

// joinDatabases joins the groups of the same pattern in several databases, which
// are not distinguished from then on.
func (g *Groups) joinDatabases() {
	g.joined = true
	g.index.Reset()
	n := 0
	for i := range g.list {
		from := &g.list[i]
		from.db = 0
		if at, slot := g.find(0, from.hash); at >= 0 {
			g.join(&g.list[at], from, g)
		} else {
			if i != n {
				g.list[n], g.list[i] = g.list[i], g.list[n]
			}
			g.index.Put(slot, n)
			n++
		}
	}
	g.list = g.list[:n]
}

// end folds what a report does not distinguish. The databases are joined
// afterwards: none folds values of another.
func (g *Groups) end() {
	g.finish()
	g.final, g.trie, g.spare.trie = g.trie, nil, nil
	if !g.joined {
		g.joinDatabases()
	}
}

// Missing returns the most keys that a group may lack, because its values were folded
// early or by a block: they are in a group of a wider pattern.
func (g *Groups) Missing() (most int64) {
	if g.final == nil {
		return 0
	}
	of := map[string]int64{} // by pattern: a group may be in several databases
	for i := range g.final.nodes.n {
		if n := g.final.nodes.at(i); n.group == 0 || n.unused {
			continue
		}
		missing := int64(0)
		for at := i; at != 0; at = g.final.nodes.at(at).parent {
			if n := g.final.nodes.at(at); !n.star {
				missing += n.missed.keys
			}
		}
		if missing > 0 {
			pattern := string(g.final.appendPath(nil, i))
			of[pattern] += missing
			most = max(most, of[pattern])
		}
	}
	return most
}

// All calls yield for every group that has keys, with its pattern,
// in no order that a report may show.
func (g *Groups) All(yield func(pattern []byte, group *Group) bool) {
	for i := range g.list {
		if g.list[i].Keys > 0 && !yield(g.pattern(i), &g.list[i]) {
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

// PatternOf returns the pattern of the group that counts the keys of a name, or
// of a pattern, in a database; if db is -1, in the first database with such a group.
func (g *Groups) PatternOf(db int, name []byte) []byte {
	text := g.namer.AppendPattern(nil, name)
	if g.final != nil {
		if db < 0 {
			db = g.final.databaseWith(text)
		}
		text, _, _ = g.final.appendFolded(nil, int32(db), text, weight{})
	}
	return text
}

// Name returns what a report calls the group of a pattern: the name of its key if
// it has only one. A name that is too long, or the pattern of another group, does
// not do.
func (g *Groups) Name(pattern []byte) []byte {
	i, _ := g.find(0, naming.HashPattern(pattern))
	if i < 0 || g.list[i].Keys != 1 || g.list[i].largest.size < 0 || g.list[i].largest.NameLen > naming.MaxPattern {
		return pattern
	}
	name := g.list[i].largest.buf[:g.list[i].largest.nameEnd]
	if same, _ := g.find(0, naming.HashPattern(name)); same >= 0 && same != i {
		return pattern
	}
	return name
}

// Folded estimates the number of patterns that have no group of their own.
func (g *Groups) Folded() int64 { return g.folded.Count() }

func (g *Groups) bytes() int64 {
	n := g.index.Bytes() + capBytes(g.list) + g.names + capBytes(g.texts) + capBytes(g.ttls) + capBytes(g.findings) +
		capBytes(g.spare.texts) + capBytes(g.spare.index) + g.spare.leaves.bytes()
	if t := g.spare.trie; t != nil {
		n += t.nodes.bytes() + capBytes(t.texts) + capBytes(t.folds) + t.index.Bytes()
	}
	return n
}
