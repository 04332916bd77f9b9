package parser

import "github.com/rdblens/rdblens/parser/internal/rdb"

// maxPeek is how many bytes are kept of the first elements of a key that is walked in
// pieces.
const maxPeek = 16 << 10

// peek is where the value of a key stands while the key is with a Sink: before Pos of
// a walker or, of a key that was walked in pieces, in a copy of its first elements.
type peek struct {
	in    *walker
	row   *typeRow // of a key in pieces, else nil
	base  int64    // see walker.elements
	count uint64   // elements, or nodes of a list, in the first piece
	head  []byte
}

// Peek passes the first elements of the key's value to v, until one of its functions
// returns false: of a string the string itself. It is for a Sink, which may call it
// while it has the key; v.Key and v.MaxName do not count, and MaxText must not be
// negative. The value is walked again, so Peek is for a few keys of a snapshot.
//
// It reports whether the elements were at hand. They are not for opaque types, for hashes
// whose field names stand in templates, and for parts of values larger than a block.
func (k *Key) Peek(v *Visitor) bool {
	p := &k.peek
	if p.in == nil || k.Type.Opaque() || p.in.src.types[k.RDBType].Kind == rdb.Template || p.in.chunked {
		return false
	}
	w := p.in.peeker()
	w.Cursor = rdb.Cursor{Buf: p.head, Base: k.Offset}
	if p.row == nil {
		from := p.in.Pos - int(k.Serialized)
		if from < 0 {
			return false
		}
		w.Cursor = rdb.Cursor{Buf: p.in.Buf, Pos: from, Base: p.in.Base}
	}
	visitor := *v
	visitor.Element = func(e *Element) bool {
		if v.Element != nil && !v.Element(e) {
			panic(&rdb.Failure{Err: errEnough})
		}
		return true
	}
	if v.Field != nil {
		visitor.Field = func(name, value Text) bool {
			if !v.Field(name, value) {
				panic(&rdb.Failure{Err: errEnough})
			}
			return true
		}
	}
	seen := false
	fail := w.guard(func() {
		w.begin(k.RDBType)
		w.key.Type = k.Type
		w.visit = visit{to: &visitor, keep: v.MaxText}
		w.visiting = true
		w.keepMore()
		if p.row != nil {
			w.of(p.row)
			w.elements(p.row, p.base, p.count)
		} else if k.RDBType == 0 {
			w.stringValue()
		} else {
			w.value(k.RDBType)
		}
		seen = true
	})
	w.leave()
	return seen || fail.Err == errEnough || p.row != nil
}

// peeker returns the walker that walks values of w again.
func (w *walker) peeker() *walker {
	if w.again == nil {
		w.again = newWalker(w.src)
		w.again.counters = newCounters()
	}
	return w.again
}
