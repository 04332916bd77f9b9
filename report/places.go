package report

import (
	"bytes"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// places is the tree of the segments of patterns: a place is what stands before
// a segment. Where too many different values stand at one place (user names),
// they are folded into *, but for those that carry much, and the place stays
// folded for all that comes later. A value that is kept was never folded at its
// place, so its figures are exact.
type places struct {
	namer   *naming.Namer
	only    int16 // the separator, where there is one alone, else -1
	nodes   []place
	texts   []byte
	slots   []int32 // open addressing on parent and text: 1 + node, 0 none
	entered int     // slots in use
	unused  int     // nodes out of use
}

// place is a node: one segment after all those above it. The root, node 0, is
// no segment.
type place struct {
	parent, first, next int32 // nodes: first child and next sibling, 0 none
	text, textEnd       int32 // segment with the separator that ends it, in places.texts
	group               int32 // 1 + index into groups.list of the pattern that ends here, 0 none
	literals            int32 // children that are not *
	plain               int32 // the child that is * without a separator, 0 none
	star                bool  // the segment is *
	folded              bool  // the children are folded
	unused              bool
	keys                int64 // of all patterns that come through here; set while folding
}

// maxDepth is how many segments of a pattern are told apart. The last one has
// all that is left.
const maxDepth = 12

func newPlaces(namer *naming.Namer) *places {
	p := &places{namer: namer, only: -1, nodes: make([]place, 1, 64), slots: make([]int32, 128)}
	if s := namer.Separators(); len(s) == 1 {
		p.only = int16(s[0])
	}
	return p
}

// reset empties the tree and keeps its memory.
func (p *places) reset() {
	p.nodes = append(p.nodes[:0], place{})
	p.texts = p.texts[:0]
	clear(p.slots)
	p.entered, p.unused = 0, 0
}

func (p *places) text(node int32) []byte {
	n := &p.nodes[node]
	return p.texts[n.text:n.textEnd]
}

// segment gives the end of the segment of text that begins at from, with its
// separator, and whether it is a * alone.
func (p *places) segment(text []byte, from, depth int) (end int, star bool) {
	end = len(text)
	if depth < maxDepth-1 {
		if p.only >= 0 {
			if i := bytes.IndexByte(text[from:], byte(p.only)); i >= 0 {
				end = from + i + 1
			}
		} else {
			for i, b := range text[from:] {
				if p.namer.IsSeparator(b) {
					end = from + i + 1
					break
				}
			}
		}
	}
	return end, text[from] == '*' && end-from == 1+len(p.separator(text[from:end]))
}

// separator gives the separator at the end of a segment, empty where there is
// none.
func (p *places) separator(segment []byte) []byte {
	if n := len(segment); n > 0 && p.namer.IsSeparator(segment[n-1]) {
		return segment[n-1:]
	}
	return nil
}

func (p *places) slot(parent int32, text []byte) uint {
	return uint((naming.HashPattern(text)^uint64(parent))*placing>>24) & uint(len(p.slots)-1)
}

// child gives the child of a node with a text, 0 none.
func (p *places) child(parent int32, text []byte) int32 {
	for at := p.slot(parent, text); ; at = (at + 1) & uint(len(p.slots)-1) {
		i := p.slots[at] - 1
		if i < 0 {
			return 0
		}
		// A node that moved or is out of use left its slot as it was.
		if n := &p.nodes[i]; n.parent == parent && !n.unused && bytes.Equal(p.texts[n.text:n.textEnd], text) {
			return i
		}
	}
}

// enter makes a node findable under its parent.
func (p *places) enter(node int32) {
	if 2*p.entered >= len(p.slots) {
		p.slots, p.entered = make([]int32, 2*len(p.slots)), 0
		for i := int32(1); i < int32(len(p.nodes)); i++ {
			if !p.nodes[i].unused {
				p.enter(i) // node among them
			}
		}
		return
	}
	at := p.slot(p.nodes[node].parent, p.text(node))
	for p.slots[at] != 0 {
		at = (at + 1) & uint(len(p.slots)-1)
	}
	p.slots[at] = node + 1
	p.entered++
}

// hang makes a node the first child of a parent.
func (p *places) hang(node, parent int32) {
	n, to := &p.nodes[node], &p.nodes[parent]
	n.parent, n.next, to.first = parent, to.first, node
	switch {
	case !n.star:
		to.literals++
	case n.textEnd-n.text == 1:
		to.plain = node
	}
	p.enter(node)
}

// make gives the child of a node with a text, a new one where there is none.
func (p *places) make(parent int32, text []byte, star bool) int32 {
	if c := p.child(parent, text); c != 0 {
		return c
	}
	from := int32(len(p.texts))
	p.texts = append(p.texts, text...)
	p.nodes = append(p.nodes, place{text: from, textEnd: int32(len(p.texts)), star: star})
	node := int32(len(p.nodes) - 1)
	p.hang(node, parent)
	return node
}

// starOf gives the child of a node that takes a folded segment.
func (p *places) starOf(parent int32, segment []byte) int32 {
	sep := p.separator(segment)
	if n := p.nodes[parent].plain; n != 0 && len(sep) == 0 {
		return n
	}
	var buf [2]byte
	return p.make(parent, append(append(buf[:0], '*'), sep...), true)
}

// insert gives the node at which a pattern ends, which is new where need be.
// No segment of it is one that its place folds.
func (p *places) insert(text []byte) int32 {
	node := int32(0)
	for from, depth := 0, 0; from < len(text); depth++ {
		end, star := p.segment(text, from, depth)
		node = p.make(node, text[from:end], star)
		from = end
	}
	return node
}

// appendFolded appends a pattern as the places fold it. It gives the node at
// which the result ends, 0 where there is none yet, and whether it differs.
func (p *places) appendFolded(dst, text []byte) (out []byte, node int32, differs bool) {
	known := true
	for from, depth := 0, 0; from < len(text); depth++ {
		if !known {
			return append(dst, text[from:]...), 0, differs
		}
		end, star := p.segment(text, from, depth)
		segment := text[from:end]
		n := &p.nodes[node]
		folds := n.folded && !star
		child := int32(0)
		if !folds || n.literals > 0 {
			child = p.child(node, segment)
		}
		if folds && child == 0 {
			at := len(dst)
			dst = append(append(dst, '*'), p.separator(segment)...)
			if child = n.plain; len(dst) > at+1 {
				child = p.child(node, dst[at:])
			}
			differs = true
		} else {
			dst = append(dst, segment...)
		}
		node, known = child, child != 0
		from = end
	}
	if !known {
		node = 0
	}
	return dst, node, differs
}

// appendPath appends the pattern that ends at a node.
func (p *places) appendPath(dst []byte, node int32) []byte {
	var path [maxDepth]int32
	n := 0
	for ; node != 0; node = p.nodes[node].parent {
		path[n] = node
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, p.text(path[n])...)
	}
	return dst
}

// fold folds the children of a node that keep does not want, and all that come
// later. join takes the group (1 + index) of a pattern that falls together
// with another one's.
func (p *places) fold(node int32, keep func(child int32) bool, join func(to, from int32)) {
	p.nodes[node].folded = true
	child := p.nodes[node].first
	p.nodes[node].first, p.nodes[node].literals = 0, 0
	// Those that stay are hung up again, the others one by one put into a *.
	var folded int32 // list of the latter
	for child != 0 {
		next := p.nodes[child].next
		if p.nodes[child].star || keep(child) {
			n := &p.nodes[node]
			p.nodes[child].next, n.first = n.first, child
			if !p.nodes[child].star {
				n.literals++
			}
		} else {
			p.nodes[child].next, folded = folded, child
		}
		child = next
	}
	for folded != 0 {
		next := p.nodes[folded].next
		p.merge(p.starOf(node, p.text(folded)), folded, join)
		folded = next
	}
}

// merge moves the node from and all below it into to. The result is folded if
// either was; a value keeps its place only if neither tree can already have
// counted some of its keys under *.
func (p *places) merge(to, from int32, join func(to, from int32)) {
	t, f := &p.nodes[to], &p.nodes[from]
	t.keys += f.keys
	switch {
	case t.group == 0:
		t.group = f.group
	case f.group != 0:
		join(t.group, f.group)
	}
	f.unused = true
	p.unused++
	strict := t.folded
	if f.folded {
		p.fold(to, func(c int32) bool { return p.child(from, p.text(c)) != 0 }, join)
	}
	for c := p.nodes[from].first; c != 0; {
		next := p.nodes[c].next
		if strict && !p.nodes[c].star && p.child(to, p.text(c)) == 0 {
			p.merge(p.starOf(to, p.text(c)), c, join)
		} else {
			p.moveInto(to, c, join)
		}
		c = next
	}
}

// moveInto puts a node under another parent, into the child of the same text
// where there is one.
func (p *places) moveInto(parent, node int32, join func(to, from int32)) {
	if c := p.child(parent, p.text(node)); c != 0 {
		p.merge(c, node, join)
		return
	}
	p.hang(node, parent)
}

// adopt folds what another tree has folded, so that no pattern is told apart
// that the other one may not have told apart.
func (p *places) adopt(o *places, join func(to, from int32)) {
	p.adoptAt(0, o, 0, join)
}

func (p *places) adoptAt(node int32, o *places, other int32, join func(to, from int32)) {
	if o.nodes[other].folded {
		strict := p.nodes[node].folded
		p.fold(node, func(c int32) bool { return o.child(other, p.text(c)) != 0 }, join)
		for c := o.nodes[other].first; c != 0 && !strict; c = o.nodes[c].next {
			p.make(node, o.text(c), o.nodes[c].star)
		}
	}
	for c := o.nodes[other].first; c != 0; c = o.nodes[c].next {
		if !o.foldsBelow(c) {
			continue
		}
		to := p.child(node, o.text(c))
		if to == 0 && p.nodes[node].folded {
			to = p.starOf(node, o.text(c))
		} else if to == 0 {
			to = p.make(node, o.text(c), o.nodes[c].star)
		}
		p.adoptAt(to, o, c, join)
	}
}

// foldsBelow reports whether a node or one below it is folded.
func (p *places) foldsBelow(node int32) bool {
	if p.nodes[node].folded {
		return true
	}
	for c := p.nodes[node].first; c != 0; c = p.nodes[c].next {
		if p.foldsBelow(c) {
			return true
		}
	}
	return false
}

// compact gives the same tree without the nodes that are out of use.
func (p *places) compact() *places {
	c := &places{namer: p.namer, only: p.only, nodes: make([]place, 1, len(p.nodes)-p.unused+64), slots: make([]int32, len(p.slots))}
	c.copyBelow(0, p, 0)
	return c
}

func (p *places) copyBelow(node int32, o *places, other int32) {
	p.nodes[node].group, p.nodes[node].folded, p.nodes[node].keys = o.nodes[other].group, o.nodes[other].folded, o.nodes[other].keys
	for c := o.nodes[other].first; c != 0; c = o.nodes[c].next {
		p.copyBelow(p.make(node, o.text(c), o.nodes[c].star), o, c)
	}
}

// count sets the keys of all places.
func (p *places) count(g *groups) {
	for i := range p.nodes {
		p.nodes[i].keys = 0
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.group == 0 || n.unused {
			continue
		}
		keys := g.list[n.group-1].keys
		for at := int32(i); ; at = p.nodes[at].parent {
			p.nodes[at].keys += keys
			if at == 0 {
				break
			}
		}
	}
}

// order gives all places, each before those under it, the deepest last.
func (p *places) order() []int32 {
	list := make([]int32, 1, len(p.nodes)-p.unused)
	for i := 0; i < len(list); i++ {
		for c := p.nodes[list[i]].first; c != 0; c = p.nodes[c].next {
			list = append(list, c)
		}
	}
	return list
}
