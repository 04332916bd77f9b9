package tree

import (
	"bytes"
	"slices"
	"strings"
)

// Find returns the nodes that count the keys of a name, or of names with a pattern, once the tree
// is finished.
func (t *Tree) Find(name []byte) (found []int32) {
	nodes, from := []int32{0}, 0
	var value []byte
	for depth := 0; len(nodes) > 0; depth++ {
		to, kind := t.cut.segment(name, from, depth)
		value = t.cut.appendValue(value[:0], name[from:to], kind)
		var below []int32
		for _, parent := range nodes {
			for _, c := range t.lookUp(parent, value, kind) {
				if kind == end || t.Node(c).rest {
					found = append(found, c)
				} else {
					below = append(below, c)
				}
			}
		}
		if kind == end {
			break
		}
		nodes, from = below, to
	}
	return found
}

// lookUp returns the child that counts the keys of a value, or those that a pattern stands for. A
// place that only a merged tree had closed has a rest beside its other children.
func (t *Tree) lookUp(parent int32, value []byte, kind uint8) (list []int32) {
	hash := t.Node(parent).hash
	if c := t.find(hashOf(hash, value, kind)); c != 0 {
		return []int32{c}
	}
	if bytes.IndexByte(value, '*') >= 0 && kind == inner {
		for _, c := range t.Sorted(parent) {
			if n := t.Node(c); n.kind == kind && bytes.Equal(t.cut.namer.AppendPattern(nil, []byte(n.label)), value) {
				list = append(list, c)
			}
		}
		if list != nil {
			return list
		}
	}
	c := int32(0)
	if p := t.Node(parent).place[kind]; p != 0 && t.places[p-1].foldsValue(!varies(value), len(value)) {
		c = t.findStar(parent, value, kind)
	}
	if c == 0 {
		c = t.find(restHash(hash))
	}
	if c != 0 {
		list = append(list, c)
	}
	return list
}

// Grouped is a node of which the names are in a group.
type Grouped struct {
	Node int32
	// Folded reports whether others with other patterns are in the group.
	Folded bool
}

// Pattern is what the patterns of groups have for some values.
type Pattern struct {
	Text  []byte
	Nodes []Grouped
}

// Values with one pattern that differ in a number (v1 and v2) are parts of an application, not
// identifiers, if nothing varies before them, and there are at most maxNumbered, with numbers of at
// most numberDigits digits, and on average keysOfNumber keys.
const (
	maxNumbered  = 4
	numberDigits = 3
	keysOfNumber = 32
)

// Patterns returns the children of nodes whose names are alike for groups, by what the patterns of
// groups have for their values, once the tree is finished. That is a word as it is, also one with
// digits (i18n, v2) if there are no others with the same pattern, or few that are numbered, and
// else the pattern of the value. Of more than GroupValues values, those with little are *. vary
// reports whether something varies in the names of the nodes.
func (t *Tree) Patterns(of []Grouped, vary bool) (list []Pattern) {
	var all [2]ranked
	var children []Grouped
	limit := GroupValues
	for _, g := range of {
		if g.Node == 0 {
			limit = FirstValues
		}
		for c := range t.Children(g.Node) {
			children = append(children, Grouped{c, g.Folded})
		}
	}
	slices.SortFunc(children, func(a, b Grouped) int { return t.compare(a.Node, b.Node) })
	type value struct {
		ranked
		pattern string
		nodes   []Grouped
	}
	var values []value
	patterns := map[string]ranked{} // of inner values; node is how many have it
	var number [2]int
	for i, c := range children {
		n := t.Node(c.Node)
		if i == 0 || t.compare(children[i-1].Node, c.Node) != 0 {
			v := value{pattern: n.label}
			v.node = c.Node
			if n.rest {
				v.pattern = "*"
			} else if n.kind == inner {
				if !n.wide {
					v.pattern = string(t.cut.appendPattern(nil, []byte(n.label), inner))
				}
				p := patterns[v.pattern]
				if p.node++; n.wide { // it stands for others
					p.node = 2 * maxNumbered
				}
				patterns[v.pattern] = p
			}
			if !n.rest && (n.kind == end || n.wide || patterns[v.pattern].node == 1) {
				number[n.kind]++
			}
			values = append(values, v)
		}
		v := &values[len(values)-1]
		v.keys, v.size, v.nodes = v.keys+n.Keys, v.size+n.Size, append(v.nodes, c)
		if !n.rest {
			all[n.kind].keys, all[n.kind].size = all[n.kind].keys+n.Keys, all[n.kind].size+n.Size
		}
		if p, ok := patterns[v.pattern]; ok && n.kind == inner && !n.wide {
			p.keys += n.Keys
			patterns[v.pattern] = p
		}
	}
	position := map[string]int{}
	for i := range values {
		v := &values[i]
		n := t.Node(v.node)
		text := v.pattern
		a := &all[n.kind]
		switch p := patterns[v.pattern]; {
		case n.rest || n.wide:
		case number[n.kind] > limit && v.keys <= a.keys/finalShare && v.size <= a.size/finalShare:
			if text = string(appendStar(nil, []byte(n.label), n.kind)); text != v.pattern {
				for k := range v.nodes {
					v.nodes[k].Folded = true
				}
			}
		case n.kind == inner && lettersOf([]byte(v.pattern)) > 0 && (p.node == 1 || !vary && p.numbered(v.pattern, n.label)):
			text = n.label
		}
		at, known := position[text]
		if !known {
			at = len(list)
			position[text] = at
			list = append(list, Pattern{Text: []byte(text)})
		}
		list[at].Nodes = append(list[at].Nodes, v.nodes...)
	}
	return list
}

// numbered reports whether a value, of so many with one pattern, is a part of an application.
func (p *ranked) numbered(pattern, value string) bool {
	return p.node <= maxNumbered && p.keys >= keysOfNumber*int64(p.node) && strings.Count(pattern, "*") == 1 &&
		len(value)-len(pattern) < numberDigits
}

// Exact calls yield for the nodes below one that stand for one value, as those above them
// do: all but those that are folded.
func (t *Tree) Exact(i int32) func(yield func(node int32) bool) {
	return func(yield func(int32) bool) { t.exactBelow(i, yield) }
}

func (t *Tree) exactBelow(i int32, yield func(int32) bool) bool {
	for c := t.Node(i).first; c != 0; c = t.Node(c).next {
		if n := t.Node(c); !n.wide && !n.rest && (!yield(c) || !t.exactBelow(c, yield)) {
			return false
		}
	}
	return true
}
