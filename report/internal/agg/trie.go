package agg

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// patternTrie is the trie of the segments of patterns; see the package
// documentation. The children of node 0, the root, are databases, and the
// children of those are first segments.
type patternTrie struct {
	namer     *naming.Namer
	separator int16 // if there is only one, else -1
	nodes     trieNodes
	texts     []byte
	folds     []foldedValues
	index     hashindex.Index // of nodes, by parent and text
	unused    int             // nodes out of use
	seen      *sightings      // nil: every new value is distinct
	db        int32           // whose node was looked up last
	dbNode    int32           // 0 none
	joined    bool            // all databases are one
	depth     int             // segments that are distinguished, at most maxDepth

	// prefix has all segments but the last of the pattern that was inserted last,
	// and prefixNode the node at which they end: the next one often begins alike.
	prefix      []byte
	prefixNode  int32 // 0 none
	prefixDepth int
}

// The kinds of values of a segment: those that end a name, and those that a
// separator follows.
const (
	ending     = 0
	continuing = 1
)

// weight is what values are compared by: keys, and bytes of memory (of values
// where memory is unknown).
type weight struct{ keys, size int64 }

func (w *weight) add(o weight) { w.keys, w.size = w.keys+o.keys, w.size+o.size }

// raise makes w at least as large as o.
func (w *weight) raise(o weight) { w.keys, w.size = max(w.keys, o.keys), max(w.size, o.size) }

// within reports whether w has at most 1/share of the keys and of the memory of
// another weight.
func (w weight) within(all weight, share int64) bool {
	return w.keys <= all.keys/share && w.size <= all.size/share
}

// foldedValues has what is known of the values of one kind below a node that were
// folded.
type foldedValues struct {
	missed weight // the most that one of them may have had
	keys   int64  // of all values of this kind so far; only if there are sightings
	unit   int64  // bytes of memory that one sighting stands for
	base   int64  // the most sightings that were folded of one of them
}

// maxDepth is the number of segments of a pattern that are distinguished. The
// last one has the rest of the pattern.
const maxDepth = 12

func newPatternTrie(namer *naming.Namer, seen *sightings) *patternTrie {
	t := &patternTrie{namer: namer, separator: -1, index: hashindex.New(64), seen: seen}
	if s := namer.Separators(); len(s) == 1 {
		t.separator = int16(s[0])
	}
	t.reset()
	return t
}

// reset empties the trie and keeps its memory.
func (t *patternTrie) reset() {
	t.nodes.n = 0
	t.nodes.add(trieNode{})
	t.texts, t.folds, t.unused = t.texts[:0], t.folds[:0], 0
	t.index.Reset()
	t.dbNode, t.joined, t.depth = 0, false, maxDepth
	t.forgetPrefix()
	if t.seen != nil {
		clear(t.seen[:])
	}
}

// forgetPrefix must be called when nodes move.
func (t *patternTrie) forgetPrefix() { t.prefix, t.prefixNode, t.prefixDepth = t.prefix[:0], 0, 0 }

func (t *patternTrie) text(node int32) []byte {
	n := t.nodes.at(node)
	return t.texts[n.text:n.textEnd]
}

// segment returns the end of the segment of text that begins at from, with its
// separator.
func (t *patternTrie) segment(text []byte, from, depth int) int {
	if depth < t.depth-1 {
		if t.separator >= 0 {
			if i := bytes.IndexByte(text[from:], byte(t.separator)); i >= 0 {
				return from + i + 1
			}
		} else {
			for i, b := range text[from:] {
				if t.namer.IsSeparator(b) {
					return from + i + 1
				}
			}
		}
	}
	return len(text)
}

// appendStar appends what a segment is folded into: * and its separator.
func (t *patternTrie) appendStar(dst, segment []byte) []byte {
	dst = append(dst, '*')
	if last := segment[len(segment)-1]; t.namer.IsSeparator(last) {
		dst = append(dst, last)
	}
	return dst
}

// kindOf returns the kind of a segment, and whether it is * alone.
func (t *patternTrie) kindOf(segment []byte) (kind uint8, star bool) {
	n := len(segment)
	if t.namer.IsSeparator(segment[n-1]) {
		kind = continuing
	}
	return kind, segment[0] == '*' && n == 1+int(kind)
}

var hashSeed = maphash.MakeSeed()

func hashChild(parent int32, text []byte) uint64 {
	return maphash.Bytes(hashSeed, text) ^ uint64(parent)
}

// child returns the child of a node with a text, 0 if there is none.
func (t *patternTrie) child(parent int32, text []byte) int32 {
	return t.find(parent, text, hashChild(parent, text))
}

func (t *patternTrie) find(parent int32, text []byte, hash uint64) int32 {
	for slot := t.index.First(hash); ; slot = t.index.Next(slot) {
		i := t.index.Position(slot)
		if i < 0 {
			return 0
		}
		// A node that moved or is out of use stays in its earlier slot.
		if n := t.nodes.at(int32(i)); n.parent == parent && !n.unused && bytes.Equal(t.texts[n.text:n.textEnd], text) {
			return int32(i)
		}
	}
}

// attach makes a node the first child of a parent. Hash is that of hashChild.
func (t *patternTrie) attach(node, parent int32, hash uint64) {
	t.link(node, parent)
	if t.index.Full() {
		t.index.Grow(int(t.nodes.n), func(i int) (uint64, bool) { // node is one of them
			n := t.nodes.at(int32(i))
			return hashChild(n.parent, t.texts[n.text:n.textEnd]), i > 0 && !n.unused
		})
		return
	}
	t.index.Insert(hash, int(node))
}

// link puts a node at the head of a parent's list of children.
func (t *patternTrie) link(node, parent int32) {
	n, to := t.nodes.at(node), t.nodes.at(parent)
	n.parent, n.next, to.first = parent, to.first, node
	if !n.star {
		to.values[n.kind]++
	}
}

// missedAt returns the most that was counted under * of a value below a node that
// is not distinct.
func (t *patternTrie) missedAt(node int32, kind uint8) weight {
	if f := t.nodes.at(node).folded[kind]; f != 0 {
		return t.folds[f-1].missed
	}
	return weight{}
}

// ensureChild returns the child of a node with a text, a new one if there is
// none.
func (t *patternTrie) ensureChild(parent int32, text []byte) int32 {
	hash := hashChild(parent, text)
	if c := t.find(parent, text, hash); c != 0 {
		return c
	}
	n := trieNode{text: int32(len(t.texts)), textEnd: int32(len(t.texts) + len(text))}
	if parent != 0 {
		n.kind, n.star = t.kindOf(text)
		n.missed = t.missedAt(parent, n.kind)
	}
	t.texts = append(t.texts, text...)
	node := t.nodes.add(n)
	t.attach(node, parent, hash)
	return node
}

// database returns the node of a database.
func (t *patternTrie) database(db int32) int32 {
	if t.joined {
		db = 0
	}
	if t.dbNode == 0 || t.db != db {
		t.forgetPrefix()
		var text [4]byte
		binary.BigEndian.PutUint32(text[:], uint32(db))
		t.db, t.dbNode = db, t.ensureChild(0, text[:])
	}
	return t.dbNode
}

// lead returns the node at which all segments of a pattern but the last end, and
// where the last one begins. It makes the nodes that are missing.
func (t *patternTrie) lead(db int32, pattern []byte) (node int32, start int) {
	if t.db != db && !t.joined || t.prefixNode == 0 || !bytes.HasPrefix(pattern, t.prefix) {
		t.forgetPrefix()
		t.prefixNode = t.database(db)
	}
	node, start = t.prefixNode, len(t.prefix)
	for depth := t.prefixDepth; start < len(pattern); depth++ {
		end := t.segment(pattern, start, depth)
		if end == len(pattern) {
			t.prefix, t.prefixNode, t.prefixDepth = append(t.prefix[:0], pattern[:start]...), node, depth
			break
		}
		node = t.ensureChild(node, pattern[start:end])
		start = end
	}
	return node, start
}

// insert returns the node at which a pattern ends, and makes the nodes that are
// missing.
func (t *patternTrie) insert(db int32, pattern []byte) int32 {
	node, start := t.lead(db, pattern)
	if start < len(pattern) {
		node = t.ensureChild(node, pattern[start:])
	}
	return node
}

// appendFolded appends a pattern with folds applied. It returns the node at which
// the result ends, 0 if there is none yet, and whether a segment was folded. If
// there are sightings and w is not 0, a key of that weight is counted at each
// folded place, and a value that has many becomes distinct.
func (t *patternTrie) appendFolded(dst []byte, db int32, pattern []byte, w weight) (out []byte, node int32, folded bool) {
	start := len(dst)
	node = t.database(db)
	for from, depth := 0, 0; from < len(pattern); depth++ {
		end := t.segment(pattern, from, depth)
		segment := pattern[from:end]
		kind, star := t.kindOf(segment)
		at, child := len(dst), t.child(node, segment)
		dst = append(dst, segment...)
		if f := t.nodes.at(node).folded[kind]; f != 0 {
			if t.seen != nil && w.keys > 0 {
				t.folds[f-1].keys++
			}
			if child == 0 && !star {
				if before, many := t.sight(&t.folds[f-1], naming.HashPattern(dst[start:])^hashDatabase(db), w); many {
					child = t.ensureChild(node, segment)
					t.nodes.at(child).missed = before
				} else {
					folded = true
					dst = t.appendStar(dst[:at], segment)
					child = t.child(node, dst[at:])
				}
			}
		}
		if from, node = end, child; node == 0 {
			return append(dst, pattern[from:]...), 0, folded
		}
	}
	return dst, node, folded
}

// appendPath appends the pattern that ends at a node.
func (t *patternTrie) appendPath(dst []byte, node int32) []byte {
	var path [maxDepth]int32
	n := 0
	for ; t.nodes.at(node).parent != 0; node = t.nodes.at(node).parent {
		path[n] = node
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, t.text(path[n])...)
	}
	return dst
}

// databaseOf returns the database of a pattern that ends at a node.
func (t *patternTrie) databaseOf(node int32) int32 {
	for t.nodes.at(node).parent != 0 {
		node = t.nodes.at(node).parent
	}
	return int32(binary.BigEndian.Uint32(t.text(node)))
}

// databaseWith returns the first database with a group for a pattern, 0 if there
// is none.
func (t *patternTrie) databaseWith(pattern []byte) int {
	first := -1
	for c := t.nodes.at(0).first; c != 0; c = t.nodes.at(c).next {
		db := t.databaseOf(c)
		if _, node, _ := t.appendFolded(nil, db, pattern, weight{}); node != 0 && t.nodes.at(node).group != 0 && uint(db) < uint(first) {
			first = int(db)
		}
	}
	return max(first, 0)
}

// markFolded notes that values below a node were folded.
func (t *patternTrie) markFolded(node int32, kind uint8) *foldedValues {
	f := &t.nodes.at(node).folded[kind]
	if *f == 0 {
		t.folds = append(t.folds, foldedValues{unit: 1})
		*f = int32(len(t.folds))
	}
	return &t.folds[*f-1]
}

// hashOf returns the hash of a value for sightings.
func (t *patternTrie) hashOf(node int32) uint64 {
	var buf [maxPattern]byte
	return naming.HashPattern(t.appendPath(buf[:0], node)) ^ hashDatabase(t.databaseOf(node))
}

// fold merges the values of a kind below a node into *, but those that keep wants.
// join joins the group (1 + index) of a pattern with that of the pattern that
// takes it in. It reports whether there was anything to fold.
func (t *patternTrie) fold(node int32, kind uint8, keep func(value *trieNode) bool, join func(to, from int32)) bool {
	t.forgetPrefix()
	child := t.nodes.at(node).first
	t.nodes.at(node).first, t.nodes.at(node).values = 0, [2]int32{}
	var folded int32 // list of those that are not kept
	for child != 0 {
		n := t.nodes.at(child)
		next := n.next
		if n.star || n.kind != kind || keep(n) {
			t.link(child, node)
		} else {
			n.next, folded = folded, child
		}
		child = next
	}
	if folded == 0 {
		return false
	}
	f := t.markFolded(node, kind)
	if t.seen != nil {
		var all weight
		for _, list := range [...]int32{folded, t.nodes.at(node).first} {
			for c := list; c != 0; c = t.nodes.at(c).next {
				if t.nodes.at(c).kind == kind {
					all.add(t.nodes.at(c).total)
				}
			}
		}
		f.keys, f.unit = max(f.keys, all.keys), max(f.unit, 2*all.size/max(all.keys, 1))
		for c := t.nodes.at(node).first; c != 0; c = t.nodes.at(c).next {
			if n := t.nodes.at(c); n.kind == kind && !n.star {
				*t.seen.slot(t.hashOf(c)) |= distinct
			}
		}
	}
	for c := folded; c != 0; c = t.nodes.at(c).next {
		n := t.nodes.at(c)
		f.missed.raise(weight{n.total.keys + n.missed.keys, n.total.size + n.missed.size})
		f.base = max(f.base, f.units(n.total)+n.missed.keys)
	}
	var buf [2]byte
	for star := int32(0); folded != 0; {
		next := t.nodes.at(folded).next
		text := t.appendStar(buf[:0], t.text(folded))
		if star == 0 || !bytes.Equal(t.text(star), text) {
			star = t.ensureChild(node, text)
		}
		t.merge(star, folded, join)
		folded = next
	}
	return true
}

// compact removes the nodes that are out of use. The others move down in their
// order, which is also that of their texts.
func (t *patternTrie) compact() {
	t.forgetPrefix()
	t.dbNode = 0
	t.index.Reset()
	moved := make([]int32, t.nodes.n) // new positions, by old
	used := int32(0)
	for i := range t.nodes.n {
		if moved[i] = used; !t.nodes.at(i).unused {
			used++
		}
	}
	texts, folds := t.texts[:0], make([]foldedValues, 0, len(t.folds)/2)
	for i := range t.nodes.n {
		n := *t.nodes.at(i)
		if n.unused {
			continue
		}
		from := len(texts)
		texts = append(texts, t.texts[n.text:n.textEnd]...)
		n.text, n.textEnd = int32(from), int32(len(texts))
		n.parent, n.first, n.next = moved[n.parent], moved[n.first], moved[n.next]
		for kind, f := range n.folded {
			if f != 0 {
				folds = append(folds, t.folds[f-1])
				n.folded[kind] = int32(len(folds))
			}
		}
		*t.nodes.at(moved[i]) = n
	}
	t.nodes.n, t.texts, t.folds, t.unused = used, texts, folds, 0
	for i := int32(1); i < t.nodes.n; i++ {
		t.index.Insert(hashChild(t.nodes.at(i).parent, t.text(i)), int(i))
	}
}

// weigh sets the totals of all nodes.
func (t *patternTrie) weigh(groups []Group) {
	for i := range t.nodes.n {
		t.nodes.at(i).total = weight{}
	}
	for i := range t.nodes.n {
		if n := t.nodes.at(i); n.group != 0 && !n.unused {
			w := groups[n.group-1].weight()
			for at := i; at != 0; at = t.nodes.at(at).parent {
				t.nodes.at(at).total.add(w)
			}
		}
	}
}

// atDepth calls visit for all nodes of a depth: 0 the root, 1 databases, 2 first
// segments.
func (t *patternTrie) atDepth(node int32, depth int, visit func(node int32)) {
	if depth == 0 {
		visit(node)
		return
	}
	for c := t.nodes.at(node).first; c != 0; c = t.nodes.at(c).next {
		t.atDepth(c, depth-1, visit)
	}
}
