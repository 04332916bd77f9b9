package agg

import (
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// leafFolder folds values that end a name while they are aggregates of a block:
// those of random names would else be groups and nodes for a moment only. Its
// slices are used again.
type leafFolder struct {
	leaves []leaf // by aggregate
	places []leafPlace
	at     []int32         // 1 + index into places, by node; 0 none
	index  hashindex.Index // of the first leaf of each pattern
}

type leaf struct {
	start int32  // where the last segment begins in the pattern
	place int32  // index into places
	first int32  // the first leaf with the same pattern
	total weight // of all of them, at the first
}

// leafPlace has the leaves below one node: 0 if the last segment of a pattern does
// not end a name.
type leafPlace struct {
	node          int32
	leaves        int32
	fresh         int32 // distinct values that are not nodes, if crowded
	crowded       bool
	all           weight // of these, and of the values that are nodes
	hash          uint64 // of the pattern that values are folded into
	text, textEnd int32
}

func (f *leafFolder) bytes() int64 {
	return capBytes(f.leaves) + capBytes(f.places) + capBytes(f.at) + f.index.Bytes()
}

// foldLeaves folds values at places where nothing was folded yet, as foldBlock
// would when they are groups.
func (g *Groups) foldLeaves(from *aggregates) {
	g.buildTrie()
	f, t := &g.spare.leaves, g.trie
	f.leaves, f.places, f.at = f.leaves[:0], f.places[:0], f.at[:0]
	for i := range from.list {
		a := &from.list[i]
		text := from.texts[a.text:a.textEnd]
		parent, start := t.lead(int32(a.db()), text)
		if start == len(text) || t.namer.IsSeparator(text[len(text)-1]) {
			parent = 0
		}
		f.leaves = append(f.leaves, leaf{start: int32(start), place: f.place(parent)})
	}
	if !f.crowd(t, func(p *leafPlace) int32 { return p.leaves }) {
		return
	}
	f.sum(from, t)
	if !f.crowd(t, func(p *leafPlace) int32 { return p.fresh }) { // one value may have several leaves
		return
	}
	for i := range f.places {
		if p := &f.places[i]; p.crowded {
			for c := t.nodes.at(p.node).first; c != 0; c = t.nodes.at(c).next {
				if n := t.nodes.at(c); n.kind == ending && n.group != 0 {
					p.all.add(g.list[n.group-1].weight())
				}
			}
			v := t.markFolded(p.node, ending)
			v.keys, v.unit = p.all.keys, max(1, 2*p.all.size/max(p.all.keys, 1))
		}
	}
	for i := range f.leaves {
		l := &f.leaves[i]
		p := &f.places[l.place]
		if !p.crowded {
			continue
		}
		a := &from.list[i]
		text := from.texts[a.text:a.textEnd]
		if w := f.leaves[l.first].total; !w.within(p.all, blockShare) || t.nodes.at(p.node).values[ending] > 0 && t.child(p.node, text[l.start:]) != 0 {
			*t.seen.slot(a.group ^ hashDatabase(int32(a.db()))) |= distinct
			continue
		} else if v := &t.folds[t.nodes.at(p.node).folded[ending]-1]; int(l.first) == i {
			v.missed.raise(w)
			v.base = max(v.base, v.units(w))
			g.folded.Add(a.group)
		}
		if p.textEnd == 0 {
			p.text = int32(len(from.texts))
			from.texts = append(append(from.texts, text[:l.start]...), '*')
			p.textEnd = int32(len(from.texts))
			p.hash = naming.HashPattern(from.texts[p.text:])
		}
		a.group, a.text, a.textEnd = p.hash, p.text, p.textEnd
	}
}

// place counts a leaf below a node, and returns the index of its place.
func (f *leafFolder) place(node int32) int32 {
	if more := int(node) + 1 - len(f.at); more > 0 {
		f.at = append(f.at, make([]int32, more)...)
	}
	if f.at[node] == 0 {
		f.places = append(f.places, leafPlace{node: node})
		f.at[node] = int32(len(f.places))
	}
	i := f.at[node] - 1
	f.places[i].leaves++
	return i
}

// crowd finds the places with too many values, of which a number is no node yet. It
// reports whether there are any.
func (f *leafFolder) crowd(t *patternTrie, number func(*leafPlace) int32) (any bool) {
	for i := range f.places {
		p := &f.places[i]
		n, limit := t.nodes.at(p.node), int32(MaxValues)
		if n.parent == 0 {
			limit = maxFirstValues
		}
		p.crowded = p.node != 0 && number(p)+n.values[ending] > limit && n.folded[ending] == 0
		any = any || p.crowded
	}
	return any
}

// sum adds up the leaves of each pattern at crowded places, and counts those patterns.
func (f *leafFolder) sum(from *aggregates, t *patternTrie) {
	f.index.Reset()
	for i := range f.leaves {
		l := &f.leaves[i]
		p := &f.places[l.place]
		if !p.crowded {
			continue
		}
		a := &from.list[i]
		w := weight{a.Keys, a.size()}
		p.all.add(w)
		hash := a.group ^ hashDatabase(int32(a.db()))
		for slot := f.index.First(hash); ; slot = f.index.Next(slot) {
			first := f.index.Position(slot)
			if first < 0 {
				l.first, l.total = int32(i), w
				f.index.Put(slot, i)
				if t.child(p.node, from.texts[a.text:a.textEnd][l.start:]) == 0 {
					p.fresh++
				}
				break
			}
			if o := &from.list[first]; o.group == a.group && o.db() == a.db() {
				l.first = int32(first)
				f.leaves[first].total.add(w)
				break
			}
		}
	}
}
