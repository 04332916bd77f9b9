package parser

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
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

func run(ctx context.Context, src io.Reader, opt Options, newSink func() Sink, size int) (*Info, error) {
	jobs := opt.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	r := &runner{
		reader:  newReader(src, opt, jobs+2, size),
		ctx:     ctx,
		newSink: newSink,
		budget:  opt.SinkMemory,
		slots:   make(chan struct{}, jobs+1),
	}
	if r.budget <= 0 {
		r.budget = DefaultSinkMemory
	}
	r.usual = r.budget / 2 // a guess
	r.src = &interruptible{ctx, src}
	r.changed.L = &r.mu
	r.w.inOrder = func() { r.wait(r.inline) }
	fail, err := r.begin()
	if err != nil {
		return r.info, err
	}
	if opt.Allocators && r.w.model != nil {
		fillLogs()
		r.models = r.w.model.Allocators()
		r.info.Sampled, r.info.SampledLogs = make([]int64, len(r.models)), make([]int64, len(r.models))
	}
	if opt.Header != nil {
		opt.Header(r.info)
	}
	if fail != nil {
		r.openInline()
		r.closeInline(fail)
	} else {
		r.walkAll(jobs)
	}
	r.stopTagged()
	r.info.Bytes = r.w.Offset()
	switch {
	case r.flushErr != nil:
		err = r.flushErr
	case r.failed != nil:
		err = r.damage(r.failed, r.lastKey, r.failedKey)
		r.info.Bytes = r.failed.Offset
	case !r.ended:
		err = r.damage(&rdb.Failure{Offset: r.w.Offset(), Reason: interrupted, Err: ctx.Err()}, r.lastKey, nil)
	default:
		err = r.end(r.checksum)
		if d, ok := err.(*DamageError); ok {
			d.LastKey = r.lastKey
		}
	}
	r.finish()
	r.close()
	return r.info, err
}

func (r *runner) walkAll(jobs int) {
	// The header was walked as a stream: its bytes are the first unit.
	header := r.newUnit()
	r.addSum()
	header.crc, header.size, header.counters = r.sum, r.summed, r.counters
	r.counters = newCounters()
	r.summing = false
	r.db = r.w.db
	r.done(header)
	work := func() {
		w := newWalker(r.w.src)
		w.model = w.src.model
		var u *unit
		w.inOrder = func() { r.wait(u) }
		for {
			r.turn.Lock()
			u = r.next()
			r.turn.Unlock()
			if u == nil {
				return
			}
			r.walk(w, u)
		}
	}
	var workers sync.WaitGroup
	for range jobs - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
}

// A unit is a part of the snapshot that is walked in one go: whole records of a
// block, a piece of a large key, or what is walked in the turn.
type unit struct {
	blk  *block // nil: walked in the turn
	n    int    // of all units
	data []byte // of blk
	base int64  // offset of data
	db   int    // selected database at its beginning

	sink      Sink    // nil before the first key
	ordered   Ordered // the same, nil if it is none
	sinkSize  int64   // bytes that are reserved for the sink
	sinkLeast int64   // of these, what it got at the beginning
	growth    int     // what keys may have added to the sink since it was asked
	counters  *counters
	fail      *rdb.Failure
	failedKey []byte
	lastKey   []byte // name of the last whole key; nil: none in this unit
	crc       uint64
	size      int64 // bytes that crc covers
	unpacked  bool  // they stand in a compressed block, which crc is not for

	sampled      int      // a sample is to be taken of the keys that begin in so many of its bytes, 0: of none
	sampledBytes int64    // that these keys have
	sample       []sample // with every allocator, nil: none was taken

	piece piece // of a key larger than a block

	walked bool // guarded by runner.mu
}

type runner struct {
	ctx     context.Context
	newSink func() Sink
	budget  int64         // of all sinks together, in bytes
	slots   chan struct{} // bounds the units that are not completed

	turn    sync.Mutex      // guards what follows
	*reader                 // with its walker
	models  []*memory.Model // of all allocators; nil: no sample is taken
	units   int             // that were made
	inline  *unit           // what is being walked in the turn, nil if nothing
	large   *largeKey       // what is being split, nil if nothing
	db      int             // selected database where the next unit begins
	over    bool            // nothing more can be cut
	ended   bool            // the end mark was reached

	sinkMemory atomic.Int64 // reserved for all sinks, in bytes
	stopped    atomic.Bool  // nothing more is completed

	mu       sync.Mutex // guards what follows, and newSink and Sink.Flush
	changed  sync.Cond  // units were completed
	order    []*unit    // not completed, in the order of the file
	flushed  int        // of these, those that are completed
	spare    []*unit
	sinks    []Sink // not in use
	usual    int64  // what a sink will need by the last ones, in bytes
	checksum uint64 // of what is completed
	lastKey  []byte
	big      *bigKey // whose pieces are being joined

	failed    *rdb.Failure
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
		*u = unit{counters: u.counters}
	} else {
		u = &unit{counters: newCounters()}
	}
	u.n = r.units
	r.units++
	r.order = append(r.order, u)
	return u
}

// wait returns when all units before u are completed.
func (r *runner) wait(u *unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.order[0] != u {
		r.changed.Wait()
	}
}

// next cuts the next unit off the snapshot. It returns nil when no worker has
// anything left to walk.
func (r *runner) next() *unit {
	for !r.over && !r.stopped.Load() {
		var u *unit
		switch {
		case r.ctx.Err() != nil && r.err == nil:
			r.over = true // what a source delivered before it stopped is still walked
		case r.w.src.templates.byID != nil: // records may depend on those before them: on templates of Redis 8.10
			r.walkInline()
		case r.large != nil:
			u = r.nextPiece()
		default:
			u = r.nextRecords()
		}
		if u != nil {
			return u
		}
	}
	r.closeInline(nil)
	return nil
}

// nextRecords cuts off whole records. It returns nil if it has read on, or has
// walked a record itself.
func (r *runner) nextRecords() *unit {
	w := r.w
	db := r.db // selected where the records end
	end, why := w.src.RecordsEnd(w.Buf, r.blob.framed(w.Pos, &db), &db)
	if r.blob.open && end == len(w.Buf) && r.nextBlob(end, db) {
		return nil
	}
	if end > w.Pos {
		r.closeInline(nil)
		u := r.cut(end)
		r.db = db
		r.blob.cut(u)
		return u
	}
	if why == rdb.StopShort && r.canKeep() {
		r.closeInline(nil)
		if r.refill(w.Pos) {
			return nil
		}
	}
	// Damage, the end, what is rare, or a record larger than a block.
	if why != rdb.StopShort || r.err != nil || !r.splitKey() {
		r.walkInline()
	}
	return nil
}

// canKeep reports whether what is left of the block fits in front of the next.
func (r *runner) canKeep() bool { return len(r.w.Buf)-r.w.Pos <= r.headroom }

// cut makes a unit of the bytes of the current block up to end.
func (r *runner) cut(end int) *unit {
	from := r.w.Pos
	u := r.newUnit()
	u.blk, u.data, u.base, u.db = r.cur, r.data[from:end:min(end+rdb.SlackLZF, r.readable())], r.base+int64(from), r.db
	u.blk.refs.Add(1)
	u.unpacked = r.blob.seen
	r.w.Pos = end
	return u
}

// openInline begins a unit that is walked in the turn, if there is none.
func (r *runner) openInline() {
	if r.inline == nil {
		r.inline = r.newUnit()
		r.w.counters, r.w.db = r.inline.counters, r.db
		r.w.resetRun()
		r.startSum()
	}
}

func (r *runner) closeInline(fail *rdb.Failure) {
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

// walkInline walks the next record, with opcodes before it, as a stream.
func (r *runner) walkInline() {
	r.openInline()
	w, u := r.w, r.inline
	fail := w.guard(func() {
		for {
			switch w.step() {
			case steppedEnd:
				r.over, r.ended = true, true
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
	if fail != nil {
		r.over = true
	}
	if r.over || r.summed+int64(w.Pos-r.sumFrom) >= int64(r.size) {
		r.closeInline(fail)
	} else {
		r.db = w.db
	}
}

// walk walks a unit that was cut off.
func (r *runner) walk(w *walker, u *unit) {
	var own sample // by the model of the snapshot, if one is taken, and the memory of the largest key
	largest := int64(0)
	if !r.stopped.Load() {
		w.Cursor = rdb.Cursor{Buf: u.data, Base: u.base}
		w.db, w.counters = u.db, u.counters
		w.resetRun()
		if !r.opt.NoChecksum && !u.unpacked {
			u.crc = crc64.Update(0, u.data)
		}
		u.size = int64(len(u.data))
		if r.models != nil {
			u.sampled = u.sampledPart()
		}
		u.noteEnd(w, w.guard(func() {
			if u.piece.role == pieceElements {
				u.piece.walk(w)
				if u.sampled > 0 {
					w.measure()
					largest = w.key.Memory
					own.memory, u.sampledBytes = max(largest, 0), u.size
				}
				return
			}
			r.takeSink(u)
			for w.Pos < len(w.Buf) {
				from := w.Pos
				if w.fastRecord() || w.step() == steppedKey {
					if from < u.sampled {
						largest = max(largest, w.key.Memory)
						own.add(&w.key)
						u.sampledBytes = int64(w.Pos)
					}
					w.inCallback = true
					if !r.deliver(u, &w.key) {
						return
					}
					w.inCallback = false
				}
			}
		}))
	}
	if u.sampled > 0 && u.fail == nil && !r.stopped.Load() {
		r.takeSample(w, u, own, largest)
	}
	blk := u.blk
	u.blk, u.data = nil, nil
	r.done(u)
	blk.release()
}

func (u *unit) noteEnd(w *walker, fail *rdb.Failure) {
	u.fail = fail
	u.lastKey = bytes.Clone(w.lastKey)
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
		u.sink, u.ordered, u.fail, u.failedKey = nil, nil, nil, nil
		r.spare = append(r.spare, u)
	}
	r.flushed += n
	if n > 0 {
		r.order = append(r.order[:0], r.order[n:]...)
		r.changed.Broadcast()
	}
}

// complete adds what was found in a unit to the result. It is called in the
// order of the file.
func (r *runner) complete(u *unit) {
	if r.stopped.Load() {
		return
	}
	r.joinPiece(u)
	r.counters.add(u.counters)
	r.checksum = crc64.Combine(r.checksum, u.crc, u.size)
	if u.sample != nil {
		for i, s := range u.sample {
			r.info.Sampled[i] += s.memory
			r.info.SampledLogs[i] += s.logs
		}
		r.info.SampledBytes += u.sampledBytes
		r.info.SampledKeys += u.sample[0].keys
	}
	if u.lastKey != nil {
		r.lastKey = u.lastKey
	}
	if u.sink != nil {
		if err := u.sink.Flush(true); err != nil {
			r.flushErr = err
			r.stopped.Store(true)
		} else {
			r.keepSink(u)
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
