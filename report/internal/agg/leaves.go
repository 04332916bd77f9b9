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
	index  hashindex.Index // of the first leaf of each pattern
}

type leaf struct {
	parent, start int32  // node of the segments above, and where the last one begins in the pattern; parent is 0 if that is no value that ends a name
	first         int32  // the first leaf with the same pattern
	total         weight // of all of them, at the first
}

// leafPlace has the leaves below one node.
type leafPlace struct {
	leaves        int32
	crowded       bool
	all           weight // of these, and of the values that are nodes
	hash          uint64 // of the pattern that values are folded into
	text, textEnd int32
}

func (f *leafFolder) bytes() int64 {
	return capBytes(f.leaves) + capBytes(f.places) + f.index.Bytes()
}

// foldLeaves folds values at places where nothing was folded yet, as foldBlock
// would when they are groups.
func (g *Groups) foldLeaves(from *aggregates) {
	g.buildTrie()
	f, t := &g.spare.leaves, g.trie
	f.leaves = f.leaves[:0]
	for i := range from.list {
		a := &from.list[i]
		text := from.texts[a.text:a.textEnd]
		parent, start := t.lead(int32(a.db()), text)
		if start == len(text) || t.namer.IsSeparator(text[len(text)-1]) {
			parent = 0
		}
		f.leaves = append(f.leaves, leaf{parent: parent, start: int32(start)})
	}
	if !f.crowd(t) {
		return
	}
	f.sum(from)
	for node := range f.places {
		if p := &f.places[node]; p.crowded {
			for c := t.nodes[node].first; c != 0; c = t.nodes[c].next {
				if n := &t.nodes[c]; n.kind == ending && n.group != 0 {
					p.all.add(g.list[n.group-1].weight())
				}
			}
			v := t.markFolded(int32(node), ending)
			v.keys, v.unit = p.all.keys, max(1, 2*p.all.size/max(p.all.keys, 1))
		}
	}
	for i := range f.leaves {
		l := &f.leaves[i]
		p := &f.places[l.parent]
		if !p.crowded {
			continue
		}
		a := &from.list[i]
		text := from.texts[a.text:a.textEnd]
		if w := f.leaves[l.first].total; !w.within(p.all, blockShare) || t.nodes[l.parent].values[ending] > 0 && t.child(l.parent, text[l.start:]) != 0 {
			*t.seen.slot(a.group ^ hashDatabase(int32(a.db()))) |= distinct
			continue
		} else if v := &t.folds[t.nodes[l.parent].folded[ending]-1]; int(l.first) == i {
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

// crowd finds the places with too many values. It reports whether there are any.
func (f *leafFolder) crowd(t *patternTrie) (any bool) {
	f.places = append(f.places[:0], make([]leafPlace, len(t.nodes))...)
	for i := range f.leaves {
		f.places[f.leaves[i].parent].leaves++
	}
	for node := 1; node < len(f.places); node++ {
		limit := int32(MaxValues)
		n := &t.nodes[node]
		if n.parent == 0 {
			limit = maxFirstValues
		}
		if p := &f.places[node]; p.leaves > 0 && p.leaves+n.values[ending] > limit && n.folded[ending] == 0 {
			p.crowded, any = true, true
		}
	}
	return any
}

// sum adds up the leaves of each pattern at crowded places.
func (f *leafFolder) sum(from *aggregates) {
	f.index.Reset()
	for i := range f.leaves {
		l := &f.leaves[i]
		p := &f.places[l.parent]
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
