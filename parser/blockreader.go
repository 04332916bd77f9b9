package parser

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/source"
	"github.com/rdblens/rdblens/parser/internal/spool"
)

// blockSize is how many bytes are read at a time, and so the unit of parallel
// work. A block and what its walk touches fit into a processor's second-level
// cache, which is from 512 KB to 2 MB today.
//
// It is not an option: the ends of blocks decide how bounded tables fill, and a
// report must not depend on the machine.
const blockSize = 256 << 10

// A block is a buffer that several goroutines may read. It returns to its pool
// when the last of them releases it.
//
// The bytes read from the source follow headroom, into which the unread end of
// the previous block is copied.
type block struct {
	data []byte // headroom, size bytes, and slack that decoders may overread
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

// A blockReader reads a source block by block, each as full as the source
// allows. It has a fixed number of blocks, and waits where all are in use.
type blockReader struct {
	src      io.Reader
	size     int // of a block
	headroom int // bytes of a block that can be kept for the next: at least rdb.WholeBlock
	pool     chan *block
	made     int      // blocks allocated so far, up to the capacity of pool
	begun    []*block // are being filled in the background, in this order

	cur  *block
	data []byte // the current block, with what was kept of the one before
	base int64  // offset of data in the snapshot
	err  error  // how the source ended, io.EOF included

	record *spool.Spool // has what was read; nil: nothing is read again
}

func newBlockReader(src io.Reader, blocks, size int) *blockReader {
	return &blockReader{src: src, pool: make(chan *block, blocks), size: size, headroom: max(size/2, rdb.WholeBlock)}
}

// free returns a block that is not in use. If there is none, it waits, or returns nil.
func (r *blockReader) free(wait bool) (b *block) {
	select {
	case b = <-r.pool:
	default:
		switch {
		case r.made < cap(r.pool):
			r.made++
			b, _ = spareBlocks.Get().(*block)
			if n := r.headroom + r.size + rdb.SlackLZF; b == nil || len(b.data) != n {
				b = &block{data: make([]byte, n)}
			}
			b.pool = r.pool
		case wait:
			b = <-r.pool
		default:
			return nil
		}
	}
	b.n, b.err = 0, nil
	b.refs.Store(1)
	return b
}

// spareBlocks has blocks of sources that were read to their end: thousands of small
// snapshots would else leave a megabyte of garbage each.
var spareBlocks sync.Pool

// close returns the blocks to spareBlocks, when nobody uses them any more. The reader must
// not be used again.
func (r *blockReader) close() {
	if r.cur != nil {
		r.cur.release()
	}
	if in := r.ahead(); in != nil && r.err != nil { // else its goroutine may still fill them
		for _, b := range r.begun {
			in.Next()
			b.release()
		}
	}
	for {
		select {
		case b := <-r.pool:
			spareBlocks.Put(b)
		default:
			return
		}
	}
}

// fill reads the next bytes of the source into b, behind those that it has.
func (r *blockReader) fill(b *block) {
	n, err := source.Fill(r.src, b.data[r.headroom+b.n:r.headroom+r.size])
	b.n, b.err = b.n+n, err
}

// An aheadSource fills buffers in the background: see source.Reader.Begin.
type aheadSource interface {
	ahead() *source.Reader // nil: it does not
}

// ahead returns the source if it fills buffers in the background, else nil, as after the
// end of the context.
func (r *blockReader) ahead() *source.Reader {
	if s, ok := r.src.(aheadSource); ok {
		return s.ahead()
	}
	return nil
}

func (r *blockReader) next() (b *block) {
	in := r.ahead()
	if in != nil && len(r.begun) > 0 {
		b, r.begun = r.begun[0], r.begun[1:]
		b.n, b.err = in.Next()
		return b
	}

	r.made -= len(r.begun) // the context has ended, but the goroutine may still fill them
	r.begun = nil
	b = r.free(true)
	r.fill(b)
	return b
}

// begin has the blocks that are not in use filled while others are walked.
func (r *blockReader) begin() {
	in := r.ahead()
	for in != nil && len(r.begun) < source.MaxAhead {
		b := r.free(false)
		if b == nil {
			return
		}
		in.Begin(b.data[r.headroom : r.headroom+r.size])
		r.begun = append(r.begun, b)
	}
}

// advance moves to the next block, with the bytes from keep on of the current
// one in front, of which there must be at most headroom. It reports whether
// there is more.
func (r *blockReader) advance(keep int) bool {
	if r.err != nil {
		r.base += int64(keep)
		r.data = r.data[keep:]
		return false
	}
	b := r.next()
	if r.record != nil {
		if r.record.Add(b.data[r.headroom : r.headroom+b.n]); r.record.Err != nil {
			b.n, b.err = 0, r.record.Err
		}
	}
	kept := r.data[keep:]
	from := r.headroom - len(kept)
	copy(b.data[from:], kept)
	if r.cur != nil {
		r.base += int64(keep)
		r.cur.release()
	}
	r.cur, r.err = b, b.err
	r.data = b.data[from : r.headroom+b.n]
	if r.err == nil {
		r.begin()
	}
	return b.n > 0
}

// interruptible is a source that ends with its context, so that a key which is
// far larger than a block is not read to its end first.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

func (i *interruptible) ahead() *source.Reader {
	if s, ok := i.r.(aheadSource); ok && i.ctx.Err() == nil {
		return s.ahead()
	}
	return nil
}
