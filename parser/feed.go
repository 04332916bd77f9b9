package parser

import (
	"io"
	"sync"
	"sync/atomic"
)

// blockSize is what is read at a time, and so the unit of parallel work. It is
// no option: where blocks end decides how bounded tables fill, and a report
// must not depend on the machine.
const blockSize = 512 << 10

// A block is a buffer that several readers may look into. It returns to its
// pool when the last lets go.
//
// What is read lies behind free room, into which the end of the block before is
// copied: so a block can be read before it is known how much of that is left.
type block struct {
	data []byte // room, blockSize, and slack that may be overwritten behind it
	n    int    // bytes that were read
	err  error  // how the source ended behind them, io.EOF included
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
	pool chan *block
	size int
	room int    // bytes of a block that can be kept for the next: at least MaxName
	data []byte // of the current block, with what was kept of the one before
	cur  *block
	base int64 // offset of data in the snapshot
	err  error // how the source ended, io.EOF included

	reading sync.Mutex // guards what follows
	src     io.Reader
	made    int      // blocks there are; the rest are made when they are needed
	read    []*block // ahead of the current one
	ended   bool     // the source is
}

func newFeeder(r io.Reader, blocks, size int) *feeder {
	return &feeder{src: r, pool: make(chan *block, blocks), size: size, room: max(size/2, MaxName)}
}

// take gives a free block. When all are in use it waits for one, or gives nil.
// f.reading is held.
func (f *feeder) take(wait bool) *block {
	select {
	case b := <-f.pool:
		return b
	default:
	}
	if f.made < cap(f.pool) {
		f.made++
		return &block{data: make([]byte, f.room+f.size+lzfSlack), pool: f.pool}
	}
	if !wait {
		return nil
	}
	return <-f.pool
}

// fill reads the next block into b. f.reading is held.
func (f *feeder) fill(b *block) {
	b.refs.Store(1)
	b.n, b.err = 0, nil
	to := b.data[f.room : f.room+f.size]
	for idle := 0; b.n < len(to) && b.err == nil; {
		var k int
		k, b.err = f.src.Read(to[b.n:])
		b.n += k
		if k > 0 {
			idle = 0
		} else if idle++; idle > 100 && b.err == nil {
			b.err = io.ErrNoProgress
		}
	}
	f.ended = b.err != nil
}

// readAhead reads a block if fewer than most lie ready and nobody else reads.
// Any goroutine may call it, beside the one that calls advance.
func (f *feeder) readAhead(most int) {
	if !f.reading.TryLock() {
		return
	}
	defer f.reading.Unlock()
	if len(f.read) >= most || f.ended {
		return
	}
	if b := f.take(false); b != nil {
		f.fill(b)
		f.read = append(f.read, b)
	}
}

// unread gives the bytes that were read ahead and that nobody has come to.
func (f *feeder) unread() (all []byte) {
	f.reading.Lock()
	defer f.reading.Unlock()
	for _, b := range f.read {
		all = append(all, b.data[f.room:f.room+b.n]...)
	}
	return all
}

// next gives the next block, nil at the source's end.
func (f *feeder) next() *block {
	f.reading.Lock()
	defer f.reading.Unlock()
	if len(f.read) > 0 {
		b := f.read[0]
		f.read = append(f.read[:0], f.read[1:]...)
		return b
	}
	if f.ended {
		return nil
	}
	b := f.take(true)
	f.fill(b)
	return b
}

// advance goes to a new block, with the bytes from keep on of the old one in
// front, of which there are at most room. It reports whether there is more.
func (f *feeder) advance(keep int) bool {
	b := f.next()
	if b == nil {
		f.base += int64(keep)
		f.data = f.data[keep:]
		return false
	}
	kept := f.data[keep:]
	from := f.room - len(kept)
	copy(b.data[from:], kept)
	if f.cur != nil {
		f.base += int64(keep)
		f.cur.release()
	}
	f.cur, f.err = b, b.err
	f.data = b.data[from : f.room+b.n]
	return b.n > 0
}
