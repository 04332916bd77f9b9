package tree

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unsafe"

	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Bounds of a tree.
const (
	// MaxLeaves is the largest number of leaves of a tree, and MaxNodes that of its
	// nodes, leaves included. Names of many nodes may allow fewer.
	MaxLeaves = 12_288
	MaxNodes  = 32_768
	// maxLabels is the largest number of bytes of the labels of all nodes.
	maxLabels = 4 << 20
	// Values is the number of values that a finished tree distinguishes at a place. The
	// first segment, which names a module, may have FirstValues. Until the tree is
	// finished, a place keeps twice as many.
	Values      = 256
	FirstValues = 1000
	// GroupValues is the number of values that the patterns of groups distinguish at a
	// place but the first.
	GroupValues = 100
	// share is the share of the keys or of the memory of its place that a value needs
	// to keep its node when the place is folded, finalShare when the tree is finished.
	share      = 512
	finalShare = 64
)

// Leaves has what a user of a Tree keeps of the keys of each leaf, under numbers from 1
// on.
type Leaves interface {
	// Join adds what is kept under one number to another one, and frees it.
	Join(to, from int32)
	// Folded is called with the pattern of a leaf whose keys are counted under another
	// pattern from now on.
	Folded(pattern []byte)
}

// Tree is the tree of the names of a snapshot, or of several; see the package
// documentation. Node 0 is the root.
type Tree struct {
	cut       cutter
	leaves    Leaves
	nodes     hashindex.List[Node]
	index     hashindex.Index // of nodes, by hash
	free      int32           // list by Node.next, 0 none
	used      int             // nodes in use
	places    []place         // by number - 1
	unused    []int32         // numbers of places that are out of use
	labels    int             // bytes
	ends      int             // leaves
	full      []spot          // places with more values than the limit
	table     *Table          // published last
	dirty     bool            // places were folded, or values found, since then
	anyClosed bool            // a node was closed
	merges    int             // counts merges
	sealed    bool            // see seal
	scratch
}

type scratch struct {
	values []ranked
	heavy  []ranked // of values
	text   []byte
	names  [2][]byte
	nodeOf []int32
	folded []bool
}

// Node is a value after those of the nodes above it.
type Node struct {
	Keys, Size          int64 // of all names that begin with the path of the node
	hash                uint64
	missed              int64 // the most keys of this value that were counted at another node
	sampledKeys         int32 // and keys, as samples say, that were
	sampledSize         int64 // their bytes
	parent, first, next int32
	Leaf                int32    // the number under which Leaves has the keys that end here, 0 none
	values, words       [2]int32 // children by kind: words, and all others
	place               [2]int32 // number of the place of the children of a kind if it is folded, else 0
	kind                uint8
	flags
	label string
}

type flags struct {
	wide    bool // stands for several values: *, or a shape
	word    bool // has nothing that a pattern replaces
	rest    bool // has what a closed node does not distinguish
	closed  bool // all names below are counted in a child that is rest
	late    bool // found when its place was folded already, and blocks knew
	removed bool
}

// spot is the children of a node of one kind.
type spot struct {
	node int32
	kind uint8
}

// place is a spot of which values were folded. The node of one that is out of use is -1.
type place struct {
	spot
	missed int64 // the most keys of a value without a node that were counted at others
	words  bool  // words were folded, too, not only values that a pattern replaces
	// letters reports whether words of the lengths of identifiers were folded, too.
	letters bool
	lengths
	// blind reports whether blocks knew the place to be folded: of values without a node
	// they counted what they sampled.
	blind   bool
	sampled candidates
	weight  int32 // the largest of a sample
	stars   int   // nodes of values that are folded and have no shape: one a separator, with and without braces
	// Of the place when it was folded last.
	keys, bytes int64

	// Of the block that is being merged, if merged is its number: the sums of the place
	// before, and missed.
	merged            int
	before, all, size int64
}

// Rest is the label of the child that has what a node does not distinguish.
const Rest = "…"

func New(n *naming.Namer, leaves Leaves) *Tree {
	t := &Tree{cut: newCutter(n), leaves: leaves, index: hashindex.New(256), used: 1, dirty: true, merges: 1}
	*t.nodes.Add() = Node{hash: rootHash}
	return t
}

func (t *Tree) Nodes() int { return t.used }

// The hash of a node is made of that of its parent and of its label. The seed differs
// from process to process: nobody can prepare names that collide.
var seed = maphash.MakeSeed()

const (
	rootHash = 0x243f6a8885a308d3
	restSalt = 0x13198a2e03707344
)

var kindSalt = [2]uint64{inner: 0xa4093822299f31d0, end: 0x082efa98ec4e6c89}

func hashOf(parent uint64, label []byte, kind uint8) uint64 {
	h := (parent ^ kindSalt[kind&1]) * 0x9e3779b97f4a7c15
	return maphash.Bytes(seed, label) ^ h ^ h>>29
}

func restHash(parent uint64) uint64 { return hashOf(parent^restSalt, nil, end) }

func (n *Node) hashBelow(parent uint64) uint64 {
	if n.rest {
		return restHash(parent)
	}
	return hashOf(parent, unsafe.Slice(unsafe.StringData(n.label), len(n.label)), n.kind)
}

// find returns the node with a hash, 0 if there is none.
func (t *Tree) find(hash uint64) int32 {
	for slot := t.index.First(hash); ; slot = t.index.Next(slot) {
		i := t.index.Position(slot)
		if i < 0 {
			return 0
		}
		// A node that moved or was removed stays in its earlier slot.
		if n := t.nodes.At(i); n.hash == hash && !n.removed {
			return int32(i)
		}
	}
}

// add adds a node below a parent. Its sums are 0.
func (t *Tree) add(parent int32, hash uint64, label string, kind uint8, f flags) int32 {
	n := Node{hash: hash, label: label, kind: kind, flags: f}
	n.word = !f.wide && !f.rest && !varies([]byte(label))
	if p := t.Node(parent).place[kind]; p != 0 && !f.wide && !f.rest && t.places[p-1].folds(&n) {
		n.missed, n.late = t.places[p-1].missed, t.places[p-1].blind
	}
	i := t.free
	if i != 0 {
		t.free = t.Node(i).next
		*t.Node(i) = n
	} else {
		i = int32(t.nodes.Len())
		*t.nodes.Add() = n
	}
	t.used++
	t.labels += len(label)
	if kind == end {
		t.ends++
	}
	if p := t.Node(parent).place[kind]; p != 0 && n.isStar() {
		t.places[p-1].stars++
	}
	t.dirty = t.dirty || n.late || f.wide
	t.enter(i)
	t.link(i, parent)
	return i
}

func (t *Tree) enter(i int32) {
	if t.index.Full() {
		live := func(n int) (uint64, bool) {
			at := t.nodes.At(n)
			return at.hash, n > 0 && n != int(i) && !at.removed
		}
		if 4*int64(t.used) > t.index.Bytes()/4 {
			t.index.Grow(t.nodes.Len(), live)
		} else { // most slots are those of nodes that are gone
			t.index.Reset()
			for n := range t.nodes.Len() {
				if hash, ok := live(n); ok {
					t.index.Insert(hash, n)
				}
			}
		}
	}
	t.index.Insert(t.Node(i).hash, int(i))
}

func (t *Tree) link(i, parent int32) {
	n, to := t.Node(i), t.Node(parent)
	n.parent, n.next, to.first = parent, to.first, i
	if n.rest {
		return
	}
	number := &to.values[n.kind]
	if n.word {
		number = &to.words[n.kind]
	}
	if *number++; int(*number) == limitOf(parent)+1 {
		t.full = append(t.full, spot{parent, n.kind})
	}
}

// limitOf returns the number of values below a node beyond which they are folded.
func limitOf(parent int32) int {
	if parent == 0 {
		return 2 * FirstValues
	}
	return 2 * Values
}

// remove removes a node that no list has any more. Its children stay as they are.
func (t *Tree) remove(i int32) {
	n := t.Node(i)
	for _, p := range n.place {
		if p != 0 {
			t.places[p-1] = place{spot: spot{node: -1}}
			t.unused = append(t.unused, p)
		}
	}
	t.used--
	t.labels -= len(n.label)
	if n.kind == end {
		t.ends--
	}
	*n = Node{next: t.free, flags: flags{removed: true}}
	t.free = i
}

// detach takes all children of a node, as a list by Node.next.
func (t *Tree) detach(i int32) (list int32) {
	n := t.Node(i)
	list, n.first, n.values, n.words = n.first, 0, [2]int32{}, [2]int32{}
	return list
}

// placeOf returns the place of the children of a node of a kind, which is folded from
// then on. It is valid until the next call.
func (t *Tree) placeOf(i int32, kind uint8) *place {
	p := &t.Node(i).place[kind]
	if *p == 0 {
		if n := len(t.unused); n > 0 {
			*p, t.unused = t.unused[n-1], t.unused[:n-1]
		} else {
			t.places = append(t.places, place{})
			*p = int32(len(t.places))
		}
		t.places[*p-1].spot = spot{i, kind}
		t.dirty = true
	}
	return &t.places[*p-1]
}

// lost returns the most keys of a value without a node that may have been counted at
// others of its place.
func (t *Tree) lost(i int32, value *Node) int64 {
	p := t.Node(i).place[value.kind]
	if p == 0 || !t.places[p-1].folds(value) {
		return 0
	}
	return t.lostAt(&t.places[p-1])
}

// folds reports whether a value is counted at another one if it has no node.
func (p *place) folds(n *Node) bool { return p.foldsValue(n.word, len(n.label)) }

func (p *place) foldsValue(word bool, length int) bool {
	return !word || p.words || p.letters && p.has(length)
}

// join adds what was folded at a place that is merged with this one.
func (p *place) join(o *place) {
	p.words, p.letters = p.words || o.words, p.letters || o.letters
	p.lengths.join(o.lengths)
	p.weight = max(p.weight, o.weight)
}

func (t *Tree) lostAt(p *place) int64 {
	if !p.blind || t.sealed {
		return p.missed
	}
	return p.missed + unseen(p.sampled.missed*p.weight, p.weight)
}

// lacks returns the most keys of the value of a node that may have been counted at
// other nodes of its place.
func (t *Tree) lacks(n *Node) int64 {
	if n.wide || n.rest || t.sealed || !n.late && n.sampledKeys == 0 {
		return n.missed
	}
	return n.missed + unseen(n.sampledKeys, t.places[t.Node(n.parent).place[n.kind]-1].weight)
}

// seal replaces samples by the bounds that follow from them, once no Block is merged any more. What
// was sampled of values with nodes stays: folding counts it.
func (t *Tree) seal() {
	if t.sealed {
		return
	}
	for i := range int32(t.nodes.Len()) {
		t.Node(i).missed = t.lacks(t.Node(i))
	}
	for i := range t.places {
		t.places[i].missed = t.lostAt(&t.places[i])
	}
	t.sealed = true
}

// Lacks returns the most keys of a node that may have been counted at others, because
// its place, or one above, was folded before the value was known to have many.
func (t *Tree) Lacks(i int32) (keys int64) {
	for ; i != 0; i = t.Node(i).parent {
		if n := t.Node(i); !n.wide {
			keys += t.lacks(n)
		}
	}
	return keys
}

func (t *Tree) Node(i int32) *Node { return t.nodes.At(int(i)) }

// Label returns what a node adds to the path of its parent.
func (n *Node) Label() string { return n.label }

// End reports whether names end at the node. Otherwise a separator follows.
func (n *Node) End() bool { return n.kind == end }

// Rest reports whether the node has what its parent does not distinguish.
func (n *Node) Rest() bool { return n.rest }

// Parent returns the node above.
func (n *Node) Parent() int32 { return n.parent }

// Children calls yield for the children of a node, in no order.
func (t *Tree) Children(i int32) func(yield func(child int32) bool) {
	return func(yield func(int32) bool) {
		for c := t.Node(i).first; c != 0; c = t.Node(c).next {
			if !yield(c) {
				return
			}
		}
	}
}

// Sorted returns the children of a node by label.
func (t *Tree) Sorted(i int32) []int32 {
	list := slices.Collect(t.Children(i))
	slices.SortFunc(list, t.compare)
	return list
}

func (t *Tree) compare(a, b int32) int {
	x, y := t.Node(a), t.Node(b)
	return cmp.Or(strings.Compare(x.label, y.label), int(x.kind)-int(y.kind))
}

// AppendPath appends what the names at a node begin with, or are.
func (t *Tree) AppendPath(dst []byte, i int32) []byte {
	var path [maxSegments + 2]int32
	n := 0
	for ; i != 0; i = t.Node(i).parent {
		path[n] = i
		n++
	}
	for n--; n >= 0; n-- {
		dst = append(dst, t.Node(path[n]).label...)
	}
	return dst
}
