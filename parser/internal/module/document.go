package module

import (
	"encoding/binary"
)

// document walks a JSON document of RedisJSON or valkey-json. Its elements are the
// items or members of the root, 1 for a root that has none. Encoding versions: 0
// and 1 are a tree of nodes (RedisJSON 1.0), 2 and 3 JSON text (2.0 to 8.6, and
// valkey-json), 4 CBOR (since 8.8).
func (r *Reader) document(version int) {
	r.newDocument()
	r.Sizes.Document(version)
	if version <= 1 {
		r.jsonTree()
		return
	}
	if !r.open() {
		return
	}
	r.openDocument()
	if version == 4 {
		r.cbor()
	} else {
		r.jsonText()
	}
	r.close()
	if version == 2 && r.uint() > 0 { // the document is in an index
		r.length()
		r.length()
	}
}

func (r *Reader) newDocument() {
	d := &r.doc
	d.level, d.top, d.roots, d.root, d.name = 0, &d.outside, 0, 0, nil
}

// openDocument takes the length and the first bytes of the document in r.block.
func (r *Reader) openDocument() {
	b, d := &r.block, &r.doc
	r.Bytes, r.TextLen = b.Size, b.Size
	d.head = append(d.head[:0], b.Buf[b.Pos:min(len(b.Buf), b.Pos+MaxHead)]...)
	r.Head = d.head
	if r.Keep > 0 {
		d.text = append(d.text[:0], b.Buf[b.Pos:][:min(len(b.Buf)-b.Pos, r.Keep)]...)
		r.Text = d.text
	}
}

type document struct {
	head, text []byte
	level      int    // open arrays and objects
	top        *level // the innermost, outside if none is open
	outside    level
	levels     [maxLevels]level
	roots      int // values outside of all levels
	escape     int // where the next backslash is in the buffer of a text; its end if none is there
	// root is where the current member of the root begins, name its name as far
	// as it is kept.
	root    int64
	name    []byte // may lie in the buffer
	nameLen int64
	nameBuf []byte
	long    []byte // a string that does not lie in the buffer whole
}

// level is an array or object that is not complete.
type level struct {
	n      int64 // items or members that have begun
	left   int64 // those that are still to come, where that is known
	object bool
	counts bool // all that a value in it does is to increase n, if it is no level
}

// maxLevels bounds the depth of documents: modules refuse more than 128 levels by
// default.
const maxLevels = 1024

// more reads more of a document whose content is in a string. It returns false at
// its end.
func (r *Reader) more() bool {
	b, d := &r.block, &r.doc
	if b.Left == 0 {
		return false
	}
	left := b.Left
	r.keepName()
	b.More()
	if want := r.Keep - len(d.text); want > 0 {
		fresh := b.Buf[len(b.Buf)-int(left-b.Left):]
		d.text = append(d.text, fresh[:min(len(fresh), want)]...)
		r.Text = d.text
	}
	return true
}

// keepName copies the name of the root's current member, which lies where
// something else will be read to.
func (r *Reader) keepName() {
	d := &r.doc
	d.nameBuf = append(d.nameBuf[:0], d.name...)
	d.name = d.nameBuf
}

// push begins an array or object of n members or items, -1 not known.
func (r *Reader) push(object bool, n int64) bool {
	d := &r.doc
	if d.level == maxLevels {
		r.reject()
		return false
	}
	d.top = &d.levels[d.level]
	*d.top = level{left: n, object: object, counts: object || d.level > 0}
	d.level++
	r.Depth = max(r.Depth, int64(d.level))
	return true
}

// pop ends an array or object.
func (r *Reader) pop() {
	d := &r.doc
	l := d.top
	if d.level--; d.level > 0 {
		d.top = &d.levels[d.level-1]
	} else {
		d.top = &d.outside
	}
	if l.object {
		r.Sizes.Object(l.n)
	} else {
		r.Sizes.Array(l.n)
	}
	if d.level == 0 {
		r.Elements = l.n
	}
}

func (r *Reader) value(at int64) {
	d := &r.doc
	if d.level == 0 {
		r.Elements = 1
		if d.roots++; d.roots > 1 {
			r.reject()
		}
		return
	}
	l := &d.levels[d.level-1]
	l.n++
	if d.level == 1 && !l.object {
		d.root = at
	}
}

// ended ends the current member of the root before an offset.
func (r *Reader) ended(end int64) {
	d := &r.doc
	l := &d.levels[0]
	if l.n > 0 && r.largest(end-d.root) {
		if l.object {
			r.named(d.name, d.nameLen)
		} else {
			r.Index = l.n - 1
		}
	}
}

// memberName takes the name of a member, of n bytes, which begins at an offset.
// text is the name, or its first maxHashed bytes.
func (r *Reader) memberName(text []byte, n, at int64) {
	d := &r.doc
	if d.level == 1 {
		d.root = at
		d.name, d.nameLen = text[:min(len(text), MaxName)], n
	}
	r.Longest = max(r.Longest, n)
	var key uint64
	if len(text) < 8 && cap(text) >= 8 {
		key = nameKey(binary.LittleEndian.Uint64(text[:8]), len(text))
		if *r.known(key) == key {
			return
		}
	}
	r.shareName(text, n, key)
}

// shareName takes a name of n bytes that documents share. key is its nameKey, 0 if
// it has none.
func (r *Reader) shareName(text []byte, n int64, key uint64) {
	switch {
	case !r.Sizes.SharesNames():
	case r.Names.add(hashName(text, n), r.InOrder):
		r.Sizes.Name(n)
	case key != 0:
		*r.known(key) = key
	}
}

// nameKey returns what known has of a name of n bytes, the first of a word: up to 7.
func nameKey(word uint64, n int) uint64 { return word&(1<<(8*n)-1) | uint64(n+1)<<56 }

// known returns the place of a name of up to 7 bytes among those that were found in
// Names: its bytes, and its length plus 1.
func (r *Reader) known(key uint64) *uint64 { return &r.found[key*0x9e3779b97f4a7c15>>(64-6)] }

// stringValue takes a string of n bytes that is a value.
func (r *Reader) stringValue(n int64) {
	r.Longest = max(r.Longest, n)
	r.Sizes.Text(n)
}

// maxHashed is how many bytes of a name decide whether it is the same as another
// one of its length.
const maxHashed = 4 << 10

func hashName(b []byte, n int64) uint64 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(n) * k
	switch {
	case len(b) >= 8:
		b = b[:min(len(b), maxHashed)]
		last := binary.LittleEndian.Uint64(b[len(b)-8:])
		for ; len(b) > 8; b = b[8:] {
			h = (h ^ binary.LittleEndian.Uint64(b)) * k
			h ^= h >> 29
		}
		h ^= last
	case len(b) >= 4:
		h ^= uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))<<32
	case len(b) > 0:
		h ^= uint64(b[0]) | uint64(b[len(b)/2])<<8 | uint64(b[len(b)-1])<<16
	}
	h *= k
	return h ^ h>>32
}
