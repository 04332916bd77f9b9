package tree

// Record is a node as a state stores it. A Tree that reads the records that another one
// wrote is merged like that one.
type Record struct {
	Depth  uint8 // 0 the root
	Leaf   bool  `json:"-"` // is not stored: a leaf has sums
	Flags  uint8 // recordWide and so on
	Label  []byte
	Missed int64 // keys that the node may lack at its place
	// Keys and bytes that were counted at another node, as samples say.
	SampledKeys int32
	SampledSize int64
	// Lost has the most keys of a value without a node that were counted at others of its
	// place, by kind of the children, -1 if nothing was folded.
	Lost [2]int64
	// Lengths has the least and the largest length of identifiers among the children of a kind, 0
	// unknown.
	Lengths [2][2]int16
}

const (
	recordWide = 1 << iota
	recordRest
	recordClosed
	recordWords   // words that a separator follows were folded
	recordEnds    // words that end names were folded
	recordLetters // words of the lengths of identifiers were folded, by kind as above
	_
	recordFlags
)

// Records calls yield for all nodes in the order of their paths, each before those below
// it, with the number of its leaf.
func (t *Tree) Records(yield func(r Record, leaf int32)) { t.recordsBelow(0, 0, yield) }

func (t *Tree) recordsBelow(i int32, depth uint8, yield func(r Record, leaf int32)) {
	n := t.Node(i)
	if n.Keys == 0 && i != 0 {
		return // found by samples, and not seen again
	}
	r := Record{Depth: depth, Leaf: n.kind == end && i != 0, Label: []byte(n.label), Missed: t.lacks(n),
		SampledKeys: n.sampledKeys, SampledSize: n.sampledSize, Lost: [2]int64{-1, -1}}
	for f, set := range map[uint8]bool{recordWide: n.wide, recordRest: n.rest, recordClosed: n.closed} {
		if set {
			r.Flags |= f
		}
	}
	for kind, p := range n.place {
		if p != 0 {
			r.Lost[kind] = t.lostAt(&t.places[p-1])
			r.Lengths[kind] = [2]int16{t.places[p-1].least, t.places[p-1].most}
			if t.places[p-1].words {
				r.Flags |= recordWords << kind
			}
			if t.places[p-1].letters {
				r.Flags |= recordLetters << kind
			}
		}
	}
	yield(r, n.Leaf)
	for _, c := range t.Sorted(i) {
		t.recordsBelow(c, depth+1, yield)
	}
}

// Reader makes a Tree of its records, which may be hostile.
type Reader struct {
	tree *Tree
	path []int32
}

// NewReader returns a Reader that fills an empty tree.
func NewReader(t *Tree) *Reader {
	t.sealed = true
	return &Reader{tree: t}
}

// Read adds the next node. It returns false if it cannot be one of a tree.
func (r *Reader) Read(rec *Record) (node int32, ok bool) {
	t := r.tree
	if rec.Flags >= recordFlags || rec.Missed < 0 || rec.SampledKeys < 0 || rec.SampledSize < 0 ||
		min(rec.Lost[0], rec.Lost[1]) < -1 ||
		len(rec.Label) > 2*maxValue+8 || t.used >= 2*MaxNodes {
		return 0, false
	}
	kind := uint8(inner)
	if rec.Leaf {
		kind = end
	}
	if rec.Depth == 0 {
		if len(r.path) > 0 || len(rec.Label) > 0 || rec.Leaf || rec.Flags&(recordWide|recordRest) != 0 {
			return 0, false
		}
		r.path = append(r.path, 0)
	} else {
		if int(rec.Depth) > len(r.path) || rec.Depth > maxSegments+1 {
			return 0, false
		}
		r.path = r.path[:rec.Depth]
		parent := r.path[rec.Depth-1]
		p := t.Node(parent)
		isRest := rec.Flags&recordRest != 0
		label := string(rec.Label)
		last := byte(0)
		if label != "" {
			last = label[len(label)-1]
		}
		n := Node{kind: kind, label: label, flags: flags{wide: rec.Flags&recordWide != 0, rest: isRest}}
		switch {
		case p.kind == end && parent != 0, n.wide && label == "", isRest && (label != Rest || n.kind != end),
			!rec.Leaf && !t.cut.namer.IsSeparator(last), p.closed && !isRest:
			return 0, false
		}
		hash := n.hashBelow(p.hash)
		if t.find(hash) != 0 {
			return 0, false
		}
		node = t.add(parent, hash, label, kind, n.flags)
		r.path = append(r.path, node)
	}
	n := t.Node(node)
	n.missed, n.closed = rec.Missed, rec.Flags&recordClosed != 0
	t.anyClosed = t.anyClosed || n.closed
	n.sampledKeys, n.sampledSize = rec.SampledKeys, rec.SampledSize
	if n.kind == end && node != 0 && (n.closed || rec.Lost != [2]int64{-1, -1}) {
		return 0, false
	}
	for kind, lost := range rec.Lost {
		if lost >= 0 {
			p := t.placeOf(node, uint8(kind))
			p.missed = lost
			p.words, p.letters = rec.Flags&(recordWords<<kind) != 0, rec.Flags&(recordLetters<<kind) != 0
			p.lengths = lengths{rec.Lengths[kind][0], rec.Lengths[kind][1]}
		}
	}
	return node, true
}

// AppendAbove appends the path of the node above one of a depth that is to be read.
func (r *Reader) AppendAbove(dst []byte, depth uint8) []byte {
	if depth == 0 || int(depth) > len(r.path) {
		return dst
	}
	return r.tree.AppendPath(dst, r.path[depth-1])
}

// AppendEnd appends the label of a leaf that has a name, unless the leaf is wide.
func (t *Tree) AppendEnd(dst, name []byte) []byte {
	for from, depth := 0, 0; ; depth++ {
		to, kind := t.cut.segment(name, from, depth)
		if kind == end {
			return t.cut.appendValue(dst, name[from:to], end)
		}
		from = to
	}
}

// AddSums adds the sums of a leaf that was read.
func (t *Tree) AddSums(i int32, keys, size int64) {
	for ; ; i = t.Node(i).parent {
		t.Node(i).Keys += keys
		t.Node(i).Size += size
		if i == 0 {
			return
		}
	}
}
