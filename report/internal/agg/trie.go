package agg

import (
	"bytes"
	"hash/maphash"

	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// patternTrie is the trie of the segments of patterns; see the package
// documentation. Node 0, the root, is no segment.
type patternTrie struct {
	namer     *naming.Namer
	separator int16 // if there is only one, else -1
	nodes     []trieNode
	texts     []byte
	index     hashindex.Index // of nodes, by parent and text
	unused    int             // nodes out of use

	// prefix has all segments but the last of the pattern that was inserted last,
	// and prefixNode the node at which they end: the next one often begins alike.
	prefix      []byte
	prefixNode  int32
	prefixDepth int
}

// trieNode is a segment after all those above it. Its children are the values
// that follow.
type trieNode struct {
	parent, first, next int32 // nodes: first child and next sibling, 0 none
	text, textEnd       int32 // segment with the separator that ends it, in patternTrie.texts
	group               int32 // 1 + index into Groups.list of the pattern that ends here, 0 none
	literals            int32 // children that are not *
	plainStar           int32 // the child that is * without a separator, 0 none
	star                bool  // the segment is *
	folded              bool  // the children are folded
	unused              bool
	keys                int64 // of all patterns through this node; set while folding
}

// maxDepth is the number of segments of a pattern that are distinguished. The
// last one has the rest of the pattern.
const maxDepth = 12

func newPatternTrie(namer *naming.Namer) *patternTrie {
	t := &patternTrie{namer: namer, separator: -1, nodes: make([]trieNode, 1, 64), index: hashindex.New(64)}
	if s := namer.Separators(); len(s) == 1 {
		t.separator = int16(s[0])
	}
	return t
}

// reset empties the trie and keeps its memory.
func (t *patternTrie) reset() {
	t.nodes = append(t.nodes[:0], trieNode{})
	t.texts = t.texts[:0]
	t.index.Reset()
	t.unused = 0
	t.forgetPrefix()
}

// forgetPrefix must be called when nodes move.
func (t *patternTrie) forgetPrefix() { t.prefix, t.prefixNode, t.prefixDepth = t.prefix[:0], 0, 0 }

func (t *patternTrie) text(node int32) []byte {
	n := &t.nodes[node]
	return t.texts[n.text:n.textEnd]
}

// segment returns the end of the segment of text that begins at from, with its
// separator, and whether it is a * alone.
func (t *patternTrie) segment(text []byte, from, depth int) (end int, star bool) {
	end = len(text)
	if depth < maxDepth-1 {
		if t.separator >= 0 {
			if i := bytes.IndexByte(text[from:], byte(t.separator)); i >= 0 {
				end = from + i + 1
			}
		} else {
			for i, b := range text[from:] {
				if t.namer.IsSeparator(b) {
					end = from + i + 1
					break
				}
			}
		}
	}
	return end, text[from] == '*' && end-from == 1+len(t.separatorOf(text[from:end]))
}

// separatorOf returns the separator at the end of a segment, empty if there is
// none.
func (t *patternTrie) separatorOf(segment []byte) []byte {
	if n := len(segment); n > 0 && t.namer.IsSeparator(segment[n-1]) {
		return segment[n-1:]
	}
	return nil
}

var hashSeed = maphash.MakeSeed()

func hashChild(parent int32, text []byte) uint64 {
	return maphash.Bytes(hashSeed, text) ^ uint64(parent)
}

// child returns the child of a node with a text, 0 if there is none.
func (t *patternTrie) child(parent int32, text []byte) int32 {
	for slot := t.index.First(hashChild(parent, text)); ; slot = t.index.Next(slot) {
		i := t.index.Position(slot)
		if i < 0 {
			return 0
		}
		// A node that moved or is out of use stays in its earlier slot.
		if n := &t.nodes[i]; n.parent == parent && !n.unused && bytes.Equal(t.texts[n.text:n.textEnd], text) {
			return int32(i)
		}
	}
}

// enter makes a node findable under its parent.
func (t *patternTrie) enter(node int32) {
	if t.index.Full() {
		t.index.Grow(len(t.nodes), func(i int) (uint64, bool) { // node is one of them
			return hashChild(t.nodes[i].parent, t.text(int32(i))), i > 0 && !t.nodes[i].unused
		})
		return
	}
	t.index.Insert(hashChild(t.nodes[node].parent, t.text(node)), int(node))
}

// attach makes a node the first child of a parent.
func (t *patternTrie) attach(node, parent int32) {
	t.link(node, parent)
	if n := &t.nodes[node]; n.star && n.textEnd-n.text == 1 {
		t.nodes[parent].plainStar = node
	}
	t.enter(node)
}

// link puts a node at the head of a parent's list of children.
func (t *patternTrie) link(node, parent int32) {
	n, to := &t.nodes[node], &t.nodes[parent]
	n.parent, n.next, to.first = parent, to.first, node
	if !n.star {
		to.literals++
	}
}

// ensureChild returns the child of a node with a text, a new one if there is
// none.
func (t *patternTrie) ensureChild(parent int32, text []byte, star bool) int32 {
	if c := t.child(parent, text); c != 0 {
		return c
	}
	from := int32(len(t.texts))
	t.texts = append(t.texts, text...)
	t.nodes = append(t.nodes, trieNode{text: from, textEnd: int32(len(t.texts)), star: star})
	node := int32(len(t.nodes) - 1)
	t.attach(node, parent)
	return node
}

// starChild returns the child of a node that takes a folded segment: * with the
// segment's separator.
func (t *patternTrie) starChild(parent int32, segment []byte) int32 {
	sep := t.separatorOf(segment)
	if n := t.nodes[parent].plainStar; n != 0 && len(sep) == 0 {
		return n
	}
	var buf [2]byte
	return t.ensureChild(parent, append(append(buf[:0], '*'), sep...), true)
}

// insert returns the node at which a pattern ends, and makes the nodes that are
// missing. No node on its path may fold a segment of it.
func (t *patternTrie) insert(pattern []byte) int32 {
	if !bytes.HasPrefix(pattern, t.prefix) {
		t.forgetPrefix()
	}
	node := t.prefixNode
	for from, depth := len(t.prefix), t.prefixDepth; from < len(pattern); depth++ {
		end, star := t.segment(pattern, from, depth)
		if end == len(pattern) {
			t.prefix, t.prefixNode, t.prefixDepth = append(t.prefix[:0], pattern[:from]...), node, depth
		}
		node = t.ensureChild(node, pattern[from:end], star)
		from = end
	}
	return node
}

// appendFolded appends a pattern with folds applied. It returns the node at which
// the result ends, 0 if there is none yet, and whether a segment was folded.
func (t *patternTrie) appendFolded(dst, pattern []byte) (out []byte, node int32, folded bool) {
	inTrie := true
	for from, depth := 0, 0; from < len(pattern); depth++ {
		if !inTrie {
			return append(dst, pattern[from:]...), 0, folded
		}
		end, star := t.segment(pattern, from, depth)
		segment := pattern[from:end]
		n := &t.nodes[node]
		folds := n.folded && !star
		child := int32(0)
		if !folds || n.literals > 0 {
			child = t.child(node, segment)
		}
		if folds && child == 0 {
			at := len(dst)
			dst = append(append(dst, '*'), t.separatorOf(segment)...)
			if child = n.plainStar; len(dst) > at+1 {
				child = t.child(node, dst[at:])
			}
			folded = true
		} else {
			dst = append(dst, segment...)
		}
		node, inTrie = child, child != 0
		from = end
	}
	if !inTrie {
		node = 0
	}
	return dst, node, folded
}

// appendPath appends the pattern that ends at a node.
func (t *patternTrie) appendPath(dst []byte, node int32) []byte {
	var path [maxDepth]int32
	n := 0
	for ; node != 0; node = t.nodes[node].parent {
		path[n] = node
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, t.text(path[n])...)
	}
	return dst
}

// fold folds the children of a node, but those that keep wants, and all that
// come later. join joins the group (1 + index) of a pattern with that of the
// pattern that takes it in.
func (t *patternTrie) fold(node int32, keep func(child int32) bool, join func(to, from int32)) {
	t.forgetPrefix()
	t.nodes[node].folded = true
	child := t.nodes[node].first
	t.nodes[node].first, t.nodes[node].literals = 0, 0
	var folded int32 // list of those that are not kept
	for child != 0 {
		next := t.nodes[child].next
		if t.nodes[child].star || keep(child) {
			t.link(child, node)
		} else {
			t.nodes[child].next, folded = folded, child
		}
		child = next
	}
	for folded != 0 {
		next := t.nodes[folded].next
		t.merge(t.starChild(node, t.text(folded)), folded, join)
		folded = next
	}
}

// merge moves the node from and all below it into to. The result is folded if
// either was; a value stays distinct only if neither trie can have counted some
// of its keys under * before.
func (t *patternTrie) merge(to, from int32, join func(to, from int32)) {
	tn, fn := &t.nodes[to], &t.nodes[from]
	tn.keys += fn.keys
	switch {
	case tn.group == 0:
		tn.group = fn.group
	case fn.group != 0:
		join(tn.group, fn.group)
	}
	fn.unused = true
	t.unused++
	wasFolded := tn.folded
	if fn.folded {
		t.fold(to, func(c int32) bool { return t.child(from, t.text(c)) != 0 }, join)
	}
	for c := t.nodes[from].first; c != 0; {
		next := t.nodes[c].next
		into := t.child(to, t.text(c))
		if into == 0 && wasFolded && !t.nodes[c].star {
			into = t.starChild(to, t.text(c))
		}
		if into != 0 {
			t.merge(into, c, join)
		} else {
			t.attach(c, to)
		}
		c = next
	}
}

// applyFolds folds what another trie has folded, so that no value is distinct
// here that the other trie may have counted under *.
func (t *patternTrie) applyFolds(o *patternTrie, join func(to, from int32)) {
	t.applyFoldsAt(0, o, 0, join)
}

func (t *patternTrie) applyFoldsAt(node int32, o *patternTrie, other int32, join func(to, from int32)) {
	if o.nodes[other].folded {
		wasFolded := t.nodes[node].folded
		t.fold(node, func(c int32) bool { return o.child(other, t.text(c)) != 0 }, join)
		for c := o.nodes[other].first; c != 0 && !wasFolded; c = o.nodes[c].next {
			t.ensureChild(node, o.text(c), o.nodes[c].star)
		}
	}
	for c := o.nodes[other].first; c != 0; c = o.nodes[c].next {
		if !o.foldsBelow(c) {
			continue
		}
		to := t.child(node, o.text(c))
		if to == 0 && t.nodes[node].folded {
			to = t.starChild(node, o.text(c))
		} else if to == 0 {
			to = t.ensureChild(node, o.text(c), o.nodes[c].star)
		}
		t.applyFoldsAt(to, o, c, join)
	}
}

// foldsBelow reports whether a node or one below it is folded.
func (t *patternTrie) foldsBelow(node int32) bool {
	if t.nodes[node].folded {
		return true
	}
	for c := t.nodes[node].first; c != 0; c = t.nodes[c].next {
		if t.foldsBelow(c) {
			return true
		}
	}
	return false
}

// compact removes the nodes that are out of use.
func (t *patternTrie) compact() {
	old := *t
	t.nodes, t.texts, t.unused = make([]trieNode, 1, len(t.nodes)-t.unused+64), nil, 0
	t.index.Reset()
	t.forgetPrefix()
	t.copyBelow(0, &old, 0)
}

func (t *patternTrie) copyBelow(node int32, o *patternTrie, other int32) {
	t.nodes[node].group, t.nodes[node].folded, t.nodes[node].keys = o.nodes[other].group, o.nodes[other].folded, o.nodes[other].keys
	for c := o.nodes[other].first; c != 0; c = o.nodes[c].next {
		t.copyBelow(t.ensureChild(node, o.text(c), o.nodes[c].star), o, c)
	}
}

// countKeys sets the keys of all nodes.
func (t *patternTrie) countKeys(groups []Group) {
	for i := range t.nodes {
		t.nodes[i].keys = 0
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.group == 0 || n.unused {
			continue
		}
		keys := groups[n.group-1].Keys
		for at := int32(i); ; at = t.nodes[at].parent {
			t.nodes[at].keys += keys
			if at == 0 {
				break
			}
		}
	}
}

// breadthFirst returns all nodes, each before those below it, the deepest last.
func (t *patternTrie) breadthFirst() []int32 {
	list := make([]int32, 1, len(t.nodes)-t.unused)
	for i := 0; i < len(list); i++ {
		for c := t.nodes[list[i]].first; c != 0; c = t.nodes[c].next {
			list = append(list, c)
		}
	}
	return list
}
