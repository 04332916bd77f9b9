package thresholds

import (
	"bytes"
	"slices"
	"unsafe"
)

// counters count keys and bytes by a part of names, such as a hash tag, in the
// order in which the parts first appear.
type counters struct {
	slots []uint32 // hash table with linear probing, at most half full: index into list + 1, 0 free
	list  []counter
	parts []byte // of all in list, one after the other
	// Of a Fleet: for each in list, the snapshot with the largest part of it. Else nil.
	largest []NodeSums
}

type counter struct {
	hash        uint64
	start, end  uint32 // of the part, as far as it is kept, in counters.parts
	length      uint32 // bytes of the whole part
	keys, bytes int64
}

func (c *counters) part(n *counter) []byte { return c.parts[n.start:n.end] }

// find returns the index of the counter of a part, -1 if there is none, of which
// kept are the first bytes.
func (c *counters) find(hash uint64, kept []byte, length int) int {
	if len(c.slots) == 0 {
		return -1
	}
	mask := uint32(len(c.slots) - 1)
	for at := uint32(hash>>32) & mask; ; at = (at + 1) & mask {
		i := int(c.slots[at]) - 1
		if i < 0 {
			return -1
		}
		if n := &c.list[i]; n.hash == hash && n.length == uint32(length) && bytes.Equal(c.part(n), kept) {
			return i
		}
	}
}

// get returns the index of the counter of a part, of which kept are the first bytes,
// and adds it unless there are limit counters: it then returns -1.
func (c *counters) get(hash uint64, kept []byte, length, limit int) int {
	i := c.find(hash, kept, length)
	if i < 0 && len(c.list) < limit {
		i = c.insert(hash, kept, length)
	}
	return i
}

// addLargest notes what a snapshot has of the counter of an index.
func (c *counters) addLargest(i int, of NodeSums) {
	for len(c.largest) < len(c.list) {
		c.largest = append(c.largest, NodeSums{})
	}
	c.largest[i].larger(of, true)
}

// largestOf returns what addLargest noted of the counter of an index.
func (c *counters) largestOf(i int) NodeSums {
	if i >= len(c.largest) {
		return NodeSums{}
	}
	return c.largest[i]
}

// nth returns the n-th largest figure of the counters, from 0.
func (c *counters) nth(n int, figure func(*counter) int64) int64 {
	list := make([]int64, len(c.list))
	for i := range c.list {
		list[i] = figure(&c.list[i])
	}
	slices.Sort(list)
	return list[len(list)-1-n]
}

// insert adds a counter for a part that find does not know, and returns its index.
func (c *counters) insert(hash uint64, kept []byte, length int) int {
	if len(c.list)*2 >= len(c.slots) {
		c.slots = make([]uint32, max(64, len(c.slots)*2))
		c.list = slices.Grow(c.list, len(c.slots)/2-len(c.list))
		for i := range c.list {
			c.place(i)
		}
	}
	start := len(c.parts)
	if start+len(kept) > cap(c.parts) { // append adds a quarter only
		c.parts = slices.Grow(c.parts, start+len(kept))
	}
	c.parts = append(c.parts, kept...)
	c.list = append(c.list, counter{hash: hash, start: uint32(start), end: uint32(len(c.parts)), length: uint32(length)})
	c.place(len(c.list) - 1)
	return len(c.list) - 1
}

// place enters the counter of an index into the table.
func (c *counters) place(i int) {
	mask := uint32(len(c.slots) - 1)
	at := uint32(c.list[i].hash>>32) & mask
	for c.slots[at] != 0 {
		at = (at + 1) & mask
	}
	c.slots[at] = uint32(i) + 1
}

// keep drops the counters that a function does not keep. The function may change
// those that it keeps.
func (c *counters) keep(keep func(*counter) bool) {
	clear(c.slots)
	kept, end := 0, 0 // both lists move towards their beginning, in place
	for i := range c.list {
		if !keep(&c.list[i]) {
			continue
		}
		n := c.list[i]
		if i < len(c.largest) {
			c.largest[kept] = c.largest[i]
		}
		start := end
		end += copy(c.parts[end:], c.part(&n))
		n.start, n.end = uint32(start), uint32(end)
		c.list[kept] = n
		c.place(kept)
		kept++
	}
	c.list, c.parts, c.largest = c.list[:kept], c.parts[:end], c.largest[:min(kept, len(c.largest))]
}

func (c *counters) reset() {
	clear(c.slots)
	c.list, c.parts, c.largest = c.list[:0], c.parts[:0], c.largest[:0]
}

// size estimates the memory behind the counters in bytes.
func (c *counters) size() int64 {
	return sliceSize(c.list) + sliceSize(c.parts) + sliceSize(c.slots) + sliceSize(c.largest)
}

// sliceSize returns the memory behind a slice in bytes.
func sliceSize[T any](s []T) int64 {
	var element T
	return int64(cap(s)) * int64(unsafe.Sizeof(element))
}

// hashBytes is FNV-1a with a final step that mixes the upper bits.
func hashBytes(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 29
	return h * 0x9e3779b97f4a7c15
}
