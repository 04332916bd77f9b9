package report

import "github.com/rdblens/rdblens/parser"

// The most bytes of a name that are kept: of a key in a list of keys, and of a
// group's biggest key. KeyRow.NameBytes tells where a name was cut.
const (
	maxListName  = 8 << 10
	maxGroupName = 512
)

// kept is a key that outlives the block it stood in.
type kept struct {
	key   parser.Key // Name and LargestName are in buf, Head is nil
	buf   []byte
	owner int32
	input int32
}

// set copies a key. It allocates nothing once buf is large enough.
func (r *kept) set(k *parser.Key, input, owner int32) {
	k.NameLargest()
	r.key = *k
	r.key.Head = nil
	r.input, r.owner = input, owner
	name := k.Name[:min(len(k.Name), maxListName)]
	r.buf = append(append(r.buf[:0], name...), k.LargestName...)
	r.point(len(name), k.LargestName == nil)
}

func (r *kept) point(name int, noElement bool) {
	r.key.Name = r.buf[:name:name]
	r.key.LargestName = nil
	if !noElement {
		r.key.LargestName = r.buf[name:]
	}
}

// copy makes r the same as o.
func (r *kept) copy(o *kept) {
	buf := append(r.buf[:0], o.buf...)
	*r = *o
	r.buf = buf
	r.point(len(o.key.Name), o.key.LargestName == nil)
}

// bigKey is the biggest key of a group: what a row shows of it, in half the
// room that a kept takes, for there are many groups.
type bigKey struct {
	size int64 // -1: there is none

	offset, nameLen, elements, values, serialized int64
	memory, usage, largest, longest, expireAt     int64
	idle, fieldsTTL, pending                      int64

	db           int
	module       string
	buf          []byte // the name, cut to maxGroupName, and that of the largest element
	name         int32  // bytes of the name in buf
	input, owner int32
	freq         int16
	typ          parser.Type
	encoding     parser.Encoding
	expires      bool
	bound        bool // memory is a lower bound
	element      bool // the largest element has a name
}

// set takes a key of the size given.
func (r *bigKey) set(k *parser.Key, size int64, input, owner int32) {
	k.NameLargest()
	name := k.Name[:min(len(k.Name), maxGroupName)]
	*r = bigKey{size: size, offset: k.Offset, nameLen: k.NameLen, elements: k.Elements, values: k.ValueBytes, serialized: k.Serialized,
		memory: k.Memory, usage: k.MemoryUsage, largest: k.Largest, longest: k.Longest, expireAt: k.ExpireAt,
		idle: k.Idle, fieldsTTL: k.FieldsWithTTL, pending: k.Pending, db: k.DB, module: k.ModuleName,
		buf: append(append(r.buf[:0], name...), k.LargestName...), name: int32(len(name)), input: input, owner: owner,
		freq: k.Freq, typ: k.Type, encoding: k.Encoding, expires: k.HasExpire, bound: k.MemoryBound, element: k.LargestName != nil}
}

// copy makes r the same as o.
func (r *bigKey) copy(o *bigKey) {
	buf := append(r.buf[:0], o.buf...)
	*r = *o
	r.buf = buf
}

// before reports whether the key is bigger than another one, or as big and
// comes first.
func (r *bigKey) before(o *bigKey) bool {
	return r.size > o.size || r.size == o.size && (r.input < o.input || r.input == o.input && r.offset < o.offset)
}

// kept gives the key as it is on lists.
func (r *bigKey) kept() *kept {
	k := &kept{buf: r.buf, input: r.input, owner: r.owner}
	k.key = parser.Key{DB: r.db, NameLen: r.nameLen, Type: r.typ, Encoding: r.encoding, HasExpire: r.expires, ExpireAt: r.expireAt,
		Idle: r.idle, Freq: r.freq, Elements: r.elements, ValueBytes: r.values, Serialized: r.serialized,
		Largest: r.largest, Longest: r.longest, FieldsWithTTL: r.fieldsTTL, Pending: r.pending,
		Memory: r.memory, MemoryUsage: r.usage, MemoryBound: r.bound, ModuleName: r.module, Offset: r.offset}
	k.point(int(r.name), !r.element)
	return k
}

// size is what keys are compared by where one figure must do: memory, and value
// bytes where no memory is known.
func size(k *parser.Key) int64 {
	if k.Memory >= 0 {
		return k.Memory
	}
	return max(k.ValueBytes, 0)
}

// rows holds the keys of all lists of a builder, each once however many lists
// it is on.
type rows struct {
	list []kept
	uses []int32
	free []int32
}

// take gives a row that is used once.
func (r *rows) take() int32 {
	if n := len(r.free); n > 0 {
		i := r.free[n-1]
		r.free = r.free[:n-1]
		r.uses[i] = 1
		return i
	}
	if len(r.list) == cap(r.list) {
		r.list = append(r.list, kept{})
	} else {
		r.list = r.list[:len(r.list)+1] // keeps the buffer of an earlier row
	}
	r.uses = append(r.uses, 1)
	return int32(len(r.list) - 1)
}

// drop gives up one use of a row.
func (r *rows) drop(i int32) {
	if r.uses[i]--; r.uses[i] == 0 {
		r.free = append(r.free, i)
	}
}

// reset drops all rows and keeps their buffers.
func (r *rows) reset() {
	r.list, r.uses, r.free = r.list[:0], r.uses[:0], r.free[:0]
}
