package parser

import (
	"io"
	"sync/atomic"
)

// blockSize is what is read at a time, and so the unit of parallel work. It is
// no option: where blocks end decides how bounded tables fill, and a report
// must not depend on the machine.
const blockSize = 512 << 10

// A block is a buffer that several readers may look into. It returns to its
// pool when the last lets go.
type block struct {
	data []byte // blockSize, and slack that may be overwritten behind it
	refs atomic.Int32
	pool chan *block
}

func (b *block) release() {
	if b.refs.Add(-1) == 0 {
		b.pool <- b
	}
}

// A feeder reads the source into blocks, each as full as the source allows.
type feeder struct {
	src  io.Reader
	pool chan *block
	made int // blocks there are; the rest are made when they are needed
	size int
	cur  *block
	n    int   // bytes in cur
	base int64 // offset of cur in the snapshot
	err  error // how the source ended, io.EOF included
}

func newFeeder(r io.Reader, blocks, size int) *feeder {
	return &feeder{src: r, pool: make(chan *block, blocks), size: size}
}

// take gives a free block, and waits for one when all are in use.
func (f *feeder) take() *block {
	select {
	case b := <-f.pool:
		return b
	default:
	}
	if f.made == cap(f.pool) {
		return <-f.pool
	}
	f.made++
	return &block{data: make([]byte, f.size+lzfSlack), pool: f.pool}
}

// advance takes a new block, with the bytes from keep on of the old one in
// front. It reports whether it could read more.
func (f *feeder) advance(keep int) bool {
	b := f.take()
	b.refs.Store(1)
	n := 0
	if f.cur != nil {
		n = copy(b.data, f.cur.data[keep:f.n])
		f.base += int64(keep)
		f.cur.release()
	}
	before := n
	room := len(b.data) - lzfSlack
	for idle := 0; n < room && f.err == nil; {
		var k int
		k, f.err = f.src.Read(b.data[n:room])
		n += k
		if k > 0 {
			idle = 0
		} else if idle++; idle > 100 && f.err == nil {
			f.err = io.ErrNoProgress
		}
	}
	f.cur, f.n = b, n
	return n > before
}

// bytes is what the current block holds.
func (f *feeder) bytes() []byte { return f.cur.data[:f.n] }
