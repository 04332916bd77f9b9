package report

import (
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Bounds of the table of groups.
const (
	// MaxGroups is how many patterns have a place of their own in a report. When
	// all are taken, the keys of further patterns are counted in FoldedGroup.
	MaxGroups = 16384
	// manyGroups is how many are told apart in peace. Over it places are folded
	// at fewer values, until half as many are left.
	manyGroups = MaxGroups * 3 / 4
	// MaxValues is how many different values may stand at one place of a
	// pattern before they are folded into *. At the first place stand names of
	// modules: it may have maxFirstValues.
	MaxValues      = 100
	maxFirstValues = 1000
	// When a place is folded, a value keeps its own group if it has at least
	// keptKeys keys and 1/keptShare of the keys of the place; it loses it later
	// below half of either.
	keptKeys  = 16
	keptShare = 128
)

// group are the keys of one pattern.
type group struct {
	hash uint64
	sums
	without, withoutValues, withoutMemory int64 // of keys without an expiry
	left                                  lifeRange
	life                                  int32 // 1 + index into groups.lives, 0: one key at most, see left
	marks                                 int32 // 1 + index into groups.marks, 0 none
	text, textEnd                         int32 // the pattern, in groups.texts
	owner                                 int32 // -1: keys of several owners
	gone                                  bool  // joined with another one
	big                                   bigKey
}

// groupMark is what one rule found at one severity among a group's keys.
type groupMark struct {
	outcome              int32
	next                 int32 // 1 + index, 0 none
	keys, values, memory int64
}

// groups is a table of groups.
type groups struct {
	namer  *naming.Namer
	most   int     // groups at most
	slots  []int32 // open addressing on the hash: 1 + index into list, 0 none
	list   []group
	texts  []byte
	lives  []lifetimes
	marks  []groupMark
	places *places // nil while nothing had to be folded
	fresh  int     // groups added since places were last looked at
	rest   group   // FoldedGroup
	closed bool    // the table is full: new patterns go to rest
	folded sketch  // patterns that have no group of their own

	tree  *places // to be used again
	spare struct {
		index []int32
		texts []byte
		lives []lifetimes
		marks []groupMark
	}
}

func (g *groups) init(namer *naming.Namer, most int) {
	g.namer, g.most = namer, most
	g.reset()
}

func (g *groups) reset() {
	if g.slots == nil {
		g.slots = make([]int32, 256)
	} else {
		clear(g.slots)
	}
	g.list, g.texts, g.lives, g.marks = g.list[:0], g.texts[:0], g.lives[:0], g.marks[:0]
	g.places, g.fresh, g.closed = nil, 0, false
	g.rest = group{big: bigKey{size: -1}, left: noLife, owner: noOwnerYet}
	g.folded = sketch{}
}

// noOwnerYet is the owner of a group without keys, mixedOwners that of one with
// keys of several.
const (
	noOwnerYet  = -2
	mixedOwners = -1
)

// atRest is the index of the group that takes what has no other.
const atRest = -1

func (g *groups) get(i int) *group {
	if i == atRest {
		return &g.rest
	}
	return &g.list[i]
}

func (g *groups) pattern(i int) []byte {
	if i == atRest {
		return []byte(FoldedGroup)
	}
	return g.texts[g.list[i].text:g.list[i].textEnd]
}

// find gives the index of a pattern's group by its hash, -1 none, and where it
// stands or would stand in slots.
func (g *groups) find(hash uint64) (index int, at uint) {
	for at = uint(hash*placing>>20) & uint(len(g.slots)-1); ; at = (at + 1) & uint(len(g.slots)-1) {
		i := int(g.slots[at]) - 1
		if i < 0 || g.list[i].hash == hash {
			return i, at
		}
	}
}

// at gives the index of the group of a pattern, a new one where there is room.
func (g *groups) at(hash uint64, text []byte) int {
	if i, _ := g.find(hash); i >= 0 {
		return i
	}
	if g.places != nil {
		var buf [maxPattern]byte
		folded, node, differs := g.places.appendFolded(buf[:0], text)
		if differs {
			g.folded.add(hash)
			text, hash = folded, g.hashAt(node, folded)
			if i, _ := g.find(hash); i >= 0 {
				return i
			}
		}
	}
	if g.closed || len(g.list) >= g.most {
		g.closed = true
		g.folded.add(hash)
		return atRest
	}
	i := g.insert(hash, text)
	if g.places != nil {
		g.places.nodes[g.places.insert(text)].group = int32(i) + 1
	}
	return i
}

// hashAt gives the hash of a pattern that ends at a node of places.
func (g *groups) hashAt(node int32, text []byte) uint64 {
	if i := g.places.nodes[node].group; i != 0 && node != 0 {
		return g.list[i-1].hash
	}
	return naming.HashPattern(text)
}

// maxPattern is the most bytes of a pattern: each place that is folded may make
// it one longer.
const maxPattern = naming.MaxPattern + 1 + maxDepth

// insert adds a group.
func (g *groups) insert(hash uint64, text []byte) int {
	if 2*len(g.list) >= len(g.slots) {
		g.slots = make([]int32, 2*len(g.slots))
		for i := range g.list {
			_, at := g.find(g.list[i].hash)
			g.slots[at] = int32(i) + 1
		}
	}
	_, at := g.find(hash)
	from := int32(len(g.texts))
	g.texts = append(g.texts, text...)
	if len(g.list) < cap(g.list) {
		g.list = g.list[:len(g.list)+1]
	} else {
		g.list = append(g.list, group{})
	}
	i := len(g.list) - 1
	buf := g.list[i].big.buf // of a group that was here before
	g.list[i] = group{hash: hash, big: bigKey{size: -1, buf: buf}, left: noLife, owner: noOwnerYet, text: from, textEnd: int32(len(g.texts))}
	g.slots[at] = int32(i) + 1
	g.fresh++
	return i
}

// addLife adds the time left of one key.
func (g *groups) addLife(to *group, left int64) {
	if to.left == noLife {
		to.left = lifeRange{left, left} // the first needs no histogram
		return
	}
	g.histogram(to).count(left)
	to.left.add(lifeRange{left, left})
}

// addLives adds the times left of several keys.
func (g *groups) addLives(to *group, l *lifetimes, left lifeRange) {
	g.histogram(to).add(l)
	to.left.add(left)
}

// histogram gives that of a group, a new one where need be.
func (g *groups) histogram(to *group) *lifetimes {
	if to.life == 0 {
		g.lives = append(g.lives, lifetimes{})
		to.life = int32(len(g.lives))
		if to.left != noLife {
			g.lives[to.life-1].count(to.left.least)
		}
	}
	return &g.lives[to.life-1]
}

// addMark adds what was found to a group.
func (g *groups) addMark(to *group, m groupMark) {
	for i := to.marks; i != 0; i = g.marks[i-1].next {
		if o := &g.marks[i-1]; o.outcome == m.outcome {
			o.keys += m.keys
			o.values += m.values
			o.memory += m.memory
			return
		}
	}
	m.next = to.marks
	g.marks = append(g.marks, m)
	to.marks = int32(len(g.marks))
}

// addSums adds the sums of keys, their owner and the biggest of them.
func (to *group) addSums(s *sums, owner int32, big *bigKey) {
	to.sums.add(s)
	switch {
	case to.owner == noOwnerYet:
		to.owner = owner
	case owner != noOwnerYet && to.owner != owner:
		to.owner = mixedOwners
	}
	if big.size >= 0 && big.before(&to.big) {
		to.big.copy(big)
	}
}

// join adds one group of a table, which may be the same one, to another.
func (g *groups) join(to *group, from *group, o *groups) {
	to.addSums(&from.sums, from.owner, &from.big)
	to.without += from.without
	to.withoutValues += from.withoutValues
	to.withoutMemory += from.withoutMemory
	if from.life != 0 {
		l := o.lives[from.life-1] // a copy: the list may be the one that grows
		g.addLives(to, &l, from.left)
	} else if from.left != noLife {
		g.addLife(to, from.left.least)
	}
	for i := from.marks; i != 0; i = o.marks[i-1].next {
		g.addMark(to, o.marks[i-1])
	}
}

// merge adds the groups of a part that comes later.
func (g *groups) merge(o *groups) {
	if o.places != nil {
		g.plant()
		g.places.adopt(o.places, g.joinOwn)
		g.tidy()
	}
	for i := range o.list {
		to := g.at(o.list[i].hash, o.pattern(i))
		g.join(g.get(to), &o.list[i], o)
	}
	if o.rest.keys > 0 {
		g.join(&g.rest, &o.rest, o)
	}
	g.closed = g.closed || o.closed
	g.folded.merge(&o.folded)
}
