package report

import (
	"sync/atomic"
	"unsafe"
)

// The parts of blocks that are walked side by side are bounded each, but there
// is one for every goroutine, and a file can be made so that all reach their
// bounds. So they are weighed while they grow: where all together hold more than
// maxHeld, the heavy ones wait for those before them, and when they are folded
// they are not kept for another block. What a part gathers does not depend on it.
const (
	maxHeld    = 32 << 20 // bytes that the parts of all Builders may hold before some wait
	heavy      = 1 << 20  // bytes of a part that has to wait
	weighEvery = 512      // keys
)

// held is what the parts of all Builders hold, in bytes, as last weighed.
var held atomic.Int64

// Full is that of a parser.Pass.
func (b *Builder) Full(part *Part) bool {
	p := part.partial
	if p == nil || p.keys+p.dropped-p.weighed < weighEvery {
		return false
	}
	p.weighed = p.keys + p.dropped
	b.weigh(p)
	return p.weight > heavy && held.Load() > maxHeld
}

// Turn is that of a parser.Pass: a part that is the first may go on.
func (b *Builder) Turn(*Part) error { return nil }

// weigh adds to what is held by how much a part has grown. Buffers are reused, so
// a part never gets lighter.
func (b *Builder) weigh(p *partial) {
	if w := p.bytes(); w > p.weight {
		b.hold(w - p.weight)
		p.weight = w
	}
}

// hold adds bytes to what the parts of this Builder, and of all, hold.
func (b *Builder) hold(bytes int64) {
	b.held.Add(bytes)
	held.Add(bytes)
}

// bytes estimates the memory behind the part.
func (p *partial) bytes() int64 {
	n := p.cohorts.bytes() + p.tops.rows.bytes() + p.whole.Bytes()
	if p.tables != nil {
		n += p.tables.groups.bytes()
	}
	return n
}

// nameRoom is what stands beside a pattern for the name of a group's biggest key:
// the name is longer than its pattern, and an element may have one.
const nameRoom = 64

func (c *cohorts) bytes() int64 {
	return capBytes(c.list) + capBytes(c.keys) + 3*capBytes(c.texts) + nameRoom*int64(cap(c.keys)) + capBytes(c.found) + capBytes(c.lives)
}

func (g *groups) bytes() int64 {
	n := capBytes(g.slots) + capBytes(g.list) + 3*capBytes(g.texts) + nameRoom*int64(cap(g.list)) + capBytes(g.lives) + capBytes(g.marks)
	if g.places != nil {
		n += capBytes(g.places.nodes) + capBytes(g.places.texts) + capBytes(g.places.slots)
	}
	return n
}

func (r *rows) bytes() int64 {
	n := capBytes(r.list)
	for i := range r.list {
		n += int64(cap(r.list[i].buf))
	}
	return n
}

func capBytes[T any](s []T) int64 {
	var t T
	return int64(cap(s)) * int64(unsafe.Sizeof(t))
}
