package parser

import (
	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// A key that is larger than a block is split between its elements, so that all
// workers walk it: a head, with the name and the number of elements, then pieces
// of elements, which are joined in the order of the file.

type pieceRole uint8

const (
	pieceNone     pieceRole = iota
	pieceHead               // a key begins
	pieceElements           // some of its elements
)

// piece is what a unit has of such a key.
type piece struct {
	role  pieceRole
	row   *typeRow
	base  int64   // see walker.elements
	count uint64  // elements, or nodes of a list
	first bool    // the key's first piece,
	last  bool    // and its last
	end   int64   // offset behind the piece
	big   *bigKey // pieceHead: the key
	sum   bigKey  // pieceElements: what the elements amount to
}

// bigKey is such a key, or a part of it, as far as it has been walked.
type bigKey struct {
	key   Key
	acc   memory.Accumulator
	facts memory.Facts
	ref   largestRef
	start int64 // offset of the value
	peek  peek
}

type largeKey struct {
	row  *typeRow
	base int64  // see walker.elements
	left uint64 // elements, or nodes of a list, that are in no piece yet
	cut  bool   // the first piece was cut off
}

// splitKey begins to split the next record, which is larger than a block: it walks
// the key's head. It reports false if the record cannot be split: nothing was read
// then.
func (r *runner) splitKey() bool {
	w := r.w
	t, found := r.typeAhead()
	if !found || !w.src.types[t].splits() {
		return false
	}
	r.closeInline(nil)
	r.openInline()
	large := &largeKey{row: &w.src.types[t]}
	big := &bigKey{}
	fail := w.guard(func() {
		for w.Buf[w.Pos] != t {
			w.step()
		}
		w.Pos++
		w.begin(t)
		w.name()
		big.start = w.Offset()
		if large.row.MinExpire {
			large.base = int64(w.Uint64())
		}
		large.left = w.Length()
		counted := "elements"
		if large.row.Kind == rdb.Quicklist {
			counted = "nodes"
		}
		w.CheckCount(large.left, counted)
	})
	if fail != nil {
		r.closeInline(fail)
		r.over = true
		return true
	}
	big.key = w.key.cloned()
	if big.key.Name == nil {
		big.key.Name = []byte{}
	}
	w.inKey = false
	w.pend = nothingPending
	if w.model != nil {
		big.acc.Reset(w.model)
	}
	big.key.Largest, big.key.Longest, big.key.LongestValue, big.key.Formats, big.key.LongestField = -1, 0, 0, 0, -1
	r.inline.piece = piece{role: pieceHead, big: big}
	w.rare = true
	r.closeInline(nil)
	r.large = large
	return true
}

// nextPiece cuts off elements of a large key. It returns nil if it has read on, or
// has walked an element itself.
func (r *runner) nextPiece() *unit {
	w, large := r.w, r.large
	p := piece{role: pieceElements, row: large.row, base: large.base, first: !large.cut}
	large.cut = true
	n, end := large.row.SkipElements(w.Buf, w.Pos, large.left)
	alone := n == 0 && large.left > 0
	if alone {
		if r.canKeep() && r.refill(w.Pos) {
			return nil
		}
		n = 1 // larger than a block, or damaged, or the file ends
	}
	large.left -= n
	p.count, p.last = n, large.left == 0
	if p.last {
		r.large = nil
	}
	if !alone {
		u := r.cut(end)
		p.end = u.base + int64(len(u.data))
		u.piece = p
		return u
	}
	r.openInline()
	u := r.inline
	u.piece = p
	fail := w.guard(func() { u.piece.walk(w) })
	r.closeInline(fail)
	r.over = fail != nil
	return nil
}

// typeAhead returns the type byte of the record that begins at the window's
// position, behind the opcodes that may precede it.
func (r *runner) typeAhead() (byte, bool) {
	b, p := r.w.Buf, r.w.Pos
	for p < len(b) && p >= 0 {
		switch op := b[p]; op {
		case rdb.OpExpireMS:
			p += 9
		case rdb.OpExpire:
			p += 5
		case rdb.OpFreq:
			p += 2
		case rdb.OpIdle:
			p = rdb.SkipLength(b, p+1)
		default:
			return op, r.w.src.IsType[op]
		}
	}
	return 0, false
}

func (p *piece) walk(w *walker) {
	w.begin(0)
	w.key.Name = nil
	if w.model != nil {
		w.acc.Reset(w.model)
		w.facts = memory.Facts{}
	}
	w.key.ref = largestRef{}
	w.of(p.row)
	if p.first && w.Refill == nil {
		head := append([]byte(nil), w.Buf[w.Pos:min(w.Pos+maxPeek, len(w.Buf))]...)
		p.sum.peek = peek{row: p.row, base: p.base, count: p.count, head: head}
	}
	if w.src.details != 0 {
		w.key.RDBType = p.row.number
		w.detailed(func() { w.elements(p.row, p.base, p.count) })
	} else {
		w.elements(p.row, p.base, p.count)
	}
	p.end = w.Offset()
	k := &w.key
	p.sum.acc, p.sum.facts, p.sum.ref = w.acc, w.facts, k.ref
	p.sum.ref.text = append([]byte(nil), k.ref.text...)
	k.ref.kind = refNone // its name is made when all pieces are there
	p.sum.key = k.cloned()
}

// joinPiece adds a unit's piece to its key, and passes the key to the unit's sink
// when it is whole. It is called in the order of the file.
func (r *runner) joinPiece(u *unit) {
	p := &u.piece
	if p.role == pieceNone || u.fail != nil {
		return
	}
	if p.role == pieceHead {
		r.big = p.big
		return
	}
	big, sum := r.big, &p.sum
	k, o := &big.key, &sum.key
	k.Type, k.Encoding = o.Type, o.Encoding
	first := k.Elements == 0
	if p.first {
		big.peek, k.Formats = sum.peek, o.Formats
	}
	k.LongestField = max(k.LongestField, o.LongestField)
	if o.Elements > 0 && o.Largest > k.Largest {
		k.Largest, k.Head = o.Largest, o.Head
		big.ref = sum.ref
		if big.ref.kind == refIndex {
			big.ref.val += k.Elements
		}
	}
	if (first || k.Integers) && !o.Integers {
		big.facts.LeadingIntegers = k.Elements + sum.facts.LeadingIntegers
	}
	k.Integers = o.Integers && (first || k.Integers)
	k.Elements += o.Elements
	k.ValueBytes += o.ValueBytes
	k.Longest = max(k.Longest, o.Longest)
	k.LongestValue = max(k.LongestValue, o.LongestValue)
	k.Nodes += o.Nodes
	k.LZFIn += o.LZFIn
	k.LZFOut += o.LZFOut
	if o.FieldsWithTTL > 0 && (k.FieldsWithTTL == 0 || o.MinFieldExpire < k.MinFieldExpire) {
		k.MinFieldExpire = o.MinFieldExpire
	}
	k.FieldsWithTTL += o.FieldsWithTTL
	big.acc.Merge(&sum.acc)
	big.facts.IntEntry = max(big.facts.IntEntry, sum.facts.IntEntry)
	big.facts.Shape, big.facts.Ziplist = sum.facts.Shape, sum.facts.Ziplist
	switch {
	case first:
		big.facts.ListpackBytes = sum.facts.ListpackBytes
	case sum.facts.ListpackBytes == 0 || k.Elements > smallTable:
		big.facts.ListpackBytes = 0
	default: // one header and end for all
		big.facts.ListpackBytes += sum.facts.ListpackBytes - 7
	}
	if !p.last {
		return
	}
	k.Largest = max(k.Largest, 0)
	k.Serialized = p.end - big.start
	w := &walker{src: r.w.src, model: r.w.src.model, key: *k, acc: big.acc, facts: big.facts}
	w.key.ref, w.key.peek = big.ref, big.peek
	if big.peek.row != nil {
		w.key.peek.in = w
	}
	if w.model != nil {
		w.measure()
	}
	r.big = nil
	u.counters.keys++
	u.counters.types[k.RDBType]++
	if k.Elements == 0 {
		u.counters.emptyKeys++
	}
	u.counters.addDB(k.DB)
	u.lastKey = append(u.lastKey[:0], k.Name...)
	if len(u.lastKey) == 0 {
		u.lastKey = []byte{}
	}
	r.takeSinkLocked(u)
	u.sink.Key(&w.key)
}
