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
	group uint64 // hash of its pattern
	owner int32
	input int32
}

// set copies a key, its name cut to most bytes. It allocates nothing once buf
// is large enough.
func (r *kept) set(k *parser.Key, most int, group uint64, owner int) {
	r.key = *k
	r.key.Head = nil
	r.group, r.owner = group, int32(owner)
	name := k.Name[:min(len(k.Name), most)]
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
