package parser

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

// Run reads a snapshot with several goroutines and passes its keys to sinks that
// newSink makes. Calls of newSink and of Sink.Flush are made one at a time.
//
// The Info is never nil. The error is a *FormatError if the input is no
// snapshot, a *DamageError if it is damaged (all keys before the damage were
// flushed) or if ctx ended (it wraps the context's error; a key that is being
// read is abandoned), or the error of Sink.Flush.
func Run(ctx context.Context, src io.Reader, opt Options, newSink func() Sink) (*Info, error) {
	return run(ctx, src, opt, newSink, blockSize)
}

// How a snapshot is read in parallel
//
// The goroutine that calls Run is the coordinator. It reads the source block by
// block and finds where the last whole record of each block ends, by a grammar
// that passes over values (framing). What precedes that end is a unit of
// work; it goes to a channel, from which the workers receive. What follows it is
// copied in front of the next block.
//
// A worker computes the checksum of its unit's bytes and walks its records while
// they are in the cache: it decodes each value as far as the key's figures need,
// and passes the key to the unit's sink.
//
// Three kinds of records are not walked this way:
//
//   - What framing does not know, what is damaged, and records that are larger
//     than a block and cannot be split, are walked by the coordinator itself, as
//     a stream whose window is refilled (walkInline). Such records follow one
//     another in one unit, which ends when it is as large as a block.
//   - A hash, set, sorted set or list that is larger than a block is split
//     between its elements (split.go). Each piece is a unit, and the sums of the
//     pieces are joined.
//   - Where a record can only be understood after those before it
//     (sequentialOnly), the coordinator walks all.
//
// Units are numbered by their order in the file and completed in that order,
// whichever worker is done first: counters are added, checksums are combined,
// pieces are joined, and sinks are flushed. So what a caller sees depends on the
// bytes of the snapshot alone. After damage nothing more is completed.
//
// Memory is bounded by the number of blocks, by the number of units in flight,
// and by Options.SinkMemory: where all sinks together hold more, those of at
// least minWaitSize wait until they are first in order. No worker waits for
// ever, because units are sent in order, so those before a waiting one are with
// a worker or done, and the first one never waits.

func run(ctx context.Context, src io.Reader, opt Options, newSink func() Sink, size int) (*Info, error) {
	jobs := opt.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	ahead := min(jobs, maxQueued)
	r := &runner{
		reader:  newReader(src, opt, jobs+ahead+2, size),
		newSink: newSink,
		budget:  opt.SinkMemory,
		units:   make(chan *unit, ahead),
		slots:   make(chan struct{}, 4*jobs),
	}
	if r.budget <= 0 {
		r.budget = DefaultSinkMemory
	}
	r.src = &interruptible{ctx, src}
	fail, err := r.begin()
	if err != nil {
		return r.info, err
	}
	if opt.Header != nil {
		opt.Header(r.info)
	}
	ended := false
	if fail != nil {
		r.openInline()
		r.closeInline(fail)
	} else {
		ended = r.walkAll(ctx, jobs)
	}
	r.info.Bytes = r.w.offset()
	switch {
	case r.flushErr != nil:
		err = r.flushErr
	case r.failed != nil:
		err = r.damage(r.failed, r.lastKey, r.failedKey)
		r.info.Bytes = r.failed.offset
	case !ended:
		err = r.damage(&failure{offset: r.w.offset(), reason: "interrupted", err: ctx.Err()}, r.lastKey, nil)
	default:
		err = r.end(r.checksum)
		if d, ok := err.(*DamageError); ok {
			d.LastKey = r.lastKey
		}
	}
	r.finish()
	return r.info, err
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

// maxQueued is how many units are ready at most before a worker receives them.
const maxQueued = 4

// walkAll reads the snapshot with several goroutines and reports whether it came
// to the end mark.
func (r *runner) walkAll(ctx context.Context, jobs int) (ended bool) {
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			w := newWalker(r.w.src)
			w.model = w.src.model
			for u := range r.units {
				r.walk(w, u)
			}
		})
	}
	ended = r.coordinate(ctx)
	close(r.units)
	workers.Wait()
	return ended
}

// A unit is a part of the snapshot that is walked in one go: whole records of a
// block, a piece of a large key, or what the coordinator walks itself.
type unit struct {
	blk  *block // nil: walked by the coordinator
	data []byte // of blk
	base int64  // offset of data
	db   int    // selected database at its beginning

	sink      Sink // nil before the first key
	sinkSize  int64
	growth    int // what keys may have added to the sink since it was asked
	counters  *tally
	fail      *failure
	failedKey []byte
	lastKey   []byte // name of the last whole key; nil: none in this unit
	crc       uint64
	size      int64 // bytes that crc covers

	piece piece // of a key larger than a block

	walked bool          // guarded by runner.mu
	first  chan struct{} // receives when all units before are completed
}

type runner struct {
	*reader
	newSink func() Sink
	budget  int64         // of all sinks together, in bytes
	units   chan *unit    // from the coordinator to the workers
	slots   chan struct{} // bounds the units that are not completed

	// What only the coordinator uses.
	inline *unit // what it walks itself, nil if nothing
	db     int   // selected database where the next unit begins

	sinkMemory atomic.Int64 // held by all sinks, as last asked, in bytes
	stopped    atomic.Bool  // nothing more is completed

	mu       sync.Mutex // guards what follows, and newSink and Sink.Flush
	order    []*unit    // not completed, in the order of the file
	spare    []*unit
	sinks    []Sink // not in use
	checksum uint64 // of what is completed
	lastKey  []byte
	big      *bigKey // whose pieces are being joined

	failed    *failure
	failedKey []byte
	flushErr  error
}

func (r *runner) newUnit() *unit {
	r.slots <- struct{}{}
	r.mu.Lock()
	defer r.mu.Unlock()
	var u *unit
	if n := len(r.spare); n > 0 {
		u = r.spare[n-1]
		r.spare = r.spare[:n-1]
		u.counters.reset()
		select {
		case <-u.first:
		default:
		}
		*u = unit{counters: u.counters, first: u.first, lastKey: u.lastKey[:0]}
	} else {
		u = &unit{counters: newTally(), first: make(chan struct{}, 1)}
	}
	if r.order = append(r.order, u); len(r.order) == 1 {
		u.first <- struct{}{}
	}
	return u
}

// coordinate goes through the snapshot and reports whether it came to the end
// mark.
func (r *runner) coordinate(ctx context.Context) bool {
	w := r.w
	// The header was walked as a stream: its bytes are the first unit.
	header := r.newUnit()
	r.addSum()
	header.crc, header.size, header.counters = r.sum, r.summed, r.tally
	r.tally = newTally()
	r.summing = false
	r.db = w.db
	r.done(header)
	for !r.stopped.Load() {
		if ctx.Err() != nil {
			r.closeInline(nil)
			return false
		}
		if r.sequentialOnly() {
			if end, ok := r.walkInline(); end || !ok {
				return end && ok
			}
			continue
		}
		from, db := w.pos, r.db
		next := db // selected where the framed records end
		at, why := skim(w.src, w.buf, from, &next)
		if at > from {
			r.closeInline(nil)
			u := r.newUnit()
			u.db = db
			r.emit(u, at)
			r.db = next
		}
		if why == skimShort && r.canKeep() {
			if r.inline != nil {
				r.closeInline(nil)
			}
			if r.refill(w.pos) {
				continue
			}
		}
		// Damage, the end, what is rare, or a record larger than a block.
		if why == skimShort && r.err == nil {
			if split, ok := r.splitKey(); split || !ok {
				if !ok {
					return false
				}
				continue
			}
		}
		if end, ok := r.walkInline(); end || !ok {
			return end && ok
		}
	}
	r.closeInline(nil)
	return false
}

// canKeep reports whether what is left of the block fits in front of the next.
func (r *runner) canKeep() bool { return len(r.w.buf)-r.w.pos <= r.headroom }

// sequentialOnly reports whether records depend on those before them: on
// compressed blobs of Dragonfly, on templates of Redis 8.10.
func (r *runner) sequentialOnly() bool {
	return r.w.src.dragonfly || r.w.src.templates.byID != nil
}

// emit sends the bytes of the current block up to end to the workers.
func (r *runner) emit(u *unit, end int) {
	from := r.w.pos
	u.blk, u.data, u.base = r.cur, r.data[from:end:min(end+lzfSlack, cap(r.data))], r.base+int64(from)
	u.blk.refs.Add(1)
	r.w.pos = end
	r.units <- u
}

// openInline begins a unit that the coordinator walks itself, if there is none.
func (r *runner) openInline() {
	if r.inline == nil {
		r.inline = r.newUnit()
		r.w.t, r.w.db = r.inline.counters, r.db
		r.w.resetRun()
		r.startSum()
	}
}

// closeInline ends that unit, if there is one.
func (r *runner) closeInline(fail *failure) {
	u := r.inline
	if u == nil {
		return
	}
	r.inline = nil
	r.addSum()
	r.summing = false
	r.db = r.w.db
	u.crc, u.size = r.sum, r.summed
	u.noteEnd(r.w, fail)
	r.done(u)
}

// walkInline walks the next record, with opcodes before it, as a stream. ok is
// false after a failure.
func (r *runner) walkInline() (end, ok bool) {
	r.openInline()
	w, u := r.w, r.inline
	fail := w.guard(func() {
		for {
			switch w.step() {
			case steppedEnd:
				end = true
				return
			case steppedKey:
				w.inCallback = true
				if u.sink == nil {
					r.takeSink(u)
				}
				r.deliver(u, &w.key)
				w.inCallback = false
				return
			}
			if !w.pend.any {
				return
			}
		}
	})
	if fail != nil || end || r.summed+int64(w.pos-r.sumFrom) >= int64(r.size) {
		r.closeInline(fail)
	} else {
		r.db = w.db
	}
	return end, fail == nil
}

// walk is what a worker does with a unit.
func (r *runner) walk(w *walker, u *unit) {
	if !r.stopped.Load() {
		w.window = window{buf: u.data, base: u.base}
		w.db, w.t = u.db, u.counters
		w.resetRun()
		if !r.opt.NoChecksum {
			u.crc = crc64.Update(0, u.data)
		}
		u.size = int64(len(u.data))
		u.noteEnd(w, w.guard(func() {
			if u.piece.role == pieceElements {
				u.piece.walk(w)
				return
			}
			r.takeSink(u)
			for w.pos < len(w.buf) {
				if w.shortKey() || w.step() == steppedKey {
					w.inCallback = true
					if !r.deliver(u, &w.key) {
						return
					}
					w.inCallback = false
				}
			}
		}))
	}
	blk := u.blk
	u.blk, u.data = nil, nil
	r.done(u)
	blk.release()
}

// deliver passes a key to the unit's sink. It reports whether the run goes on.
func (r *runner) deliver(u *unit, k *Key) bool {
	u.sink.Key(k)
	if u.growth += keySize + len(k.Name); u.growth < sizeStep {
		return true
	}
	u.growth = 0
	return r.reserve(u)
}

// reserve accounts for the size of the unit's sink. If all sinks hold too much
// together and this one holds much, it waits until the unit is first in order,
// and flushes. It reports whether the run goes on.
func (r *runner) reserve(u *unit) bool {
	if r.account(u) <= r.budget || u.sinkSize < minWaitSize {
		return true
	}
	<-u.first
	u.first <- struct{}{} // it stays the first
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped.Load() {
		return false
	}
	if err := u.sink.Flush(false); err != nil {
		r.flushErr = err
		r.stopped.Store(true)
		return false
	}
	r.account(u)
	return true
}

// account asks a unit's sink for its size and returns that of all sinks.
func (r *runner) account(u *unit) int64 {
	size := int64(u.sink.Size())
	grown := size - u.sinkSize
	u.sinkSize = size
	return r.sinkMemory.Add(grown)
}

// takeSink assigns a sink to a unit.
func (r *runner) takeSink(u *unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.takeSinkLocked(u)
}

func (r *runner) takeSinkLocked(u *unit) {
	if n := len(r.sinks); n > 0 {
		u.sink = r.sinks[n-1]
		r.sinks = r.sinks[:n-1]
		u.sinkSize = int64(u.sink.Size())
		return
	}
	u.sink = r.newSink()
	r.account(u)
}

// resetRun forgets what the walker knew of keys before.
func (w *walker) resetRun() {
	w.pend, w.lastKey, w.inKey, w.inCallback = nothingPending, nil, false, false
	w.key.Name = nil
}

// noteEnd notes how the walk of a unit ended.
func (u *unit) noteEnd(w *walker, fail *failure) {
	u.fail = fail
	if w.lastKey != nil {
		u.lastKey = append(u.lastKey[:0], w.lastKey...)
		if len(u.lastKey) == 0 {
			u.lastKey = []byte{} // the empty name
		}
	} else {
		u.lastKey = nil
	}
	if fail != nil && w.inKey {
		u.failedKey = append([]byte{}, w.key.Name...)
	}
}

// done completes a unit that was walked, and those behind it that only waited
// for it.
func (r *runner) done(u *unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.walked = true
	n := 0
	for ; n < len(r.order) && r.order[n].walked; n++ {
		u := r.order[n]
		r.complete(u)
		<-r.slots
		u.sink, u.fail, u.failedKey = nil, nil, nil
		r.spare = append(r.spare, u)
	}
	if n > 0 {
		r.order = append(r.order[:0], r.order[n:]...)
		if len(r.order) > 0 {
			r.order[0].first <- struct{}{}
		}
	}
}

// complete adds what was found in a unit to the result. It is called in the
// order of the file.
func (r *runner) complete(u *unit) {
	if r.stopped.Load() {
		return
	}
	r.joinPiece(u)
	r.tally.add(u.counters)
	r.checksum = crc64.Combine(r.checksum, u.crc, u.size)
	if u.lastKey != nil {
		r.lastKey = append(r.lastKey[:0], u.lastKey...)
		if len(r.lastKey) == 0 {
			r.lastKey = []byte{}
		}
	}
	if u.sink != nil {
		if err := u.sink.Flush(true); err != nil {
			r.flushErr = err
			r.stopped.Store(true)
		} else if total := r.account(u); total <= r.budget || u.sinkSize < minWaitSize {
			r.sinks = append(r.sinks, u.sink)
		} else {
			r.sinkMemory.Add(-u.sinkSize) // dropped
		}
	}
	if u.fail != nil {
		r.failed, r.failedKey = u.fail, u.failedKey
		if r.big != nil {
			r.failedKey = r.big.key.Name
		}
		r.stopped.Store(true)
	}
}
