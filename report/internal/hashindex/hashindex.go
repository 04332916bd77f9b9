// Package hashindex implements an open-addressing hash index: it maps 64-bit
// hashes to positions in a list that its user keeps.
//
// The index stores positions only, so the user compares the elements itself:
//
//	for slot := x.First(hash); ; slot = x.Next(slot) {
//		i := x.Position(slot)
//		if i < 0 || list[i].hash == hash {
//			return i, slot // i is -1 if the element is not there
//		}
//	}
//
// The first slot of a hash depends on a seed that differs from process to
// process, so nobody can prepare a file whose elements all collide. No result
// of a user may depend on the order of the slots.
package hashindex

import (
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// seed is odd, so multiplying by it loses no bits.
var seed = rand.Uint64() | 1

// Index maps hashes to positions. At most half of its slots are in use.
type Index struct {
	slots []int32 // position + 1, 0 if free
	shift uint    // 64 - log2(len(slots))
	used  int
}

// New returns an empty index for n elements, after which it grows.
func New(n int) Index {
	x := Index{}
	x.alloc(2 * n)
	return x
}

// alloc makes a table of at least n slots, a power of two.
func (x *Index) alloc(n int) {
	log2 := bits.Len(uint(max(n, 2) - 1))
	x.slots, x.shift, x.used = make([]int32, 1<<log2), uint(64-log2), 0
}

// First returns the slot at which the search for a hash begins.
func (x *Index) First(hash uint64) uint { return uint(hash * seed >> (x.shift & 63)) }

// Next returns the slot after slot.
func (x *Index) Next(slot uint) uint { return (slot + 1) & uint(len(x.slots)-1) }

// Position returns the position in a slot, -1 if the slot is free.
func (x *Index) Position(slot uint) int { return int(x.slots[slot]) - 1 }

// Full reports whether half of the slots are in use: the index must grow before
// the next position is put into it.
func (x *Index) Full() bool { return 2*x.used >= len(x.slots) }

// Put enters a position into a free slot, which a search for its hash found.
func (x *Index) Put(slot uint, position int) {
	x.slots[slot] = int32(position) + 1
	x.used++
}

// Insert enters a position under its hash. The index must not be full.
func (x *Index) Insert(hash uint64, position int) {
	slot := x.First(hash)
	for x.slots[slot] != 0 {
		slot = x.Next(slot)
	}
	x.Put(slot, position)
}

// Grow doubles the number of slots and enters the positions 0 to n-1 again.
// Hash returns the hash of a position, and false if it is to be left out.
func (x *Index) Grow(n int, hash func(position int) (uint64, bool)) {
	x.alloc(2 * len(x.slots))
	for i := range n {
		if h, ok := hash(i); ok {
			x.Insert(h, i)
		}
	}
}

// Reset removes all positions and keeps the slots.
func (x *Index) Reset() {
	clear(x.slots)
	x.used = 0
}

// Append appends to a list of which little is to be left as garbage: where it has no room,
// it gets twice the room. The built-in append adds a quarter to long lists, and so leaves four
// times their length. The first room is for 17 elements: a list of a few more than a power of
// two, at which its user stops, need not grow again.
func Append[T any](list []T, v T) []T {
	if len(list) == cap(list) {
		longer := make([]T, len(list), max(17, 2*len(list)))
		copy(longer, list)
		list = longer
	}
	return append(list, v)
}

// chunk is the number of elements that a List allocates at once.
const chunk = 32

// List is a list of large elements, which stay where they are when it grows: nothing is
// copied, and no garbage is left. The zero value is empty.
type List[T any] struct {
	chunks []*[chunk]T
	length int
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.length }

// At returns an element. It must be there.
func (l *List[T]) At(i int) *T { return &l.chunks[uint(i)/chunk][uint(i)%chunk] }

// Add adds an element and returns it: as it was before Reset, 0 at first.
func (l *List[T]) Add() *T {
	if l.length == chunk*len(l.chunks) {
		c := new([chunk]T)
		clear(c[:]) // new memory that is read before it is written costs the system two faults a page
		l.chunks = append(l.chunks, c)
	}
	l.length++
	return l.At(l.length - 1)
}

// Reset removes all elements and keeps their memory.
func (l *List[T]) Reset() { l.length = 0 }

// Bytes returns the memory of the slots in bytes.
func (x *Index) Bytes() int64 { return 4 * int64(len(x.slots)) }

// Bytes returns the memory of the list in bytes, without what its elements point to.
func (l *List[T]) Bytes() int64 {
	return int64(len(l.chunks)) * int64(unsafe.Sizeof([chunk]T{}))
}
