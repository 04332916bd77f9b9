package parser

import (
	"context"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

// Run reads a snapshot with several goroutines. What it folds, and in which
// pieces, depends on the bytes of the snapshot alone, never on Jobs or timing.
//
// All goroutines do the same: one after the other reads a block and finds where
// its records end, then, beside the others, walks their values while the block
// is in the cache. What is rare, damaged or larger than a block is walked while
// it is read, as a stream.
//
// The Info is never nil. The error is a *FormatError where the input is no
// snapshot, a *DamageError where it is damaged (all before the damage was
// folded) or the pass was interrupted (it wraps the context's error; the rest
// of a key that is being read is not waited for), or that of Fold.
func Run[P any](ctx context.Context, src io.Reader, opt Options, pass Pass[P]) (*Info, error) {
	return run(ctx, src, opt, pass, blockSize)
}

func run[P any](ctx context.Context, src io.Reader, opt Options, pass Pass[P], size int) (*Info, error) {
	jobs := pass.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	r := &runner[P]{
		reader:  newReader(src, opt, jobs+min(jobs, mostAhead)+2, size),
		size:    size,
		pass:    pass,
		slots:   make(chan struct{}, 4*jobs),
		waiting: make(map[int]*unit[P]),
	}
	r.turned.L = &r.mu
	r.feeder.src = &interruptible{ctx, src}
	fail, err := r.begin()
	if err != nil {
		return r.info, err
	}
	if pass.Start != nil {
		pass.Start(r.info)
	}
	ended := false
	if fail != nil {
		r.open()
		r.close(fail)
	} else {
		ended = r.walkAll(ctx, jobs)
	}
	r.info.Bytes = r.w.offset()
	switch {
	case r.foldErr != nil:
		err = r.foldErr
	case r.failed != nil:
		err = r.damage(r.failed, r.last, r.failedKey)
		r.info.Bytes = r.failed.offset
	case !ended:
		err = r.damage(&failure{offset: r.w.offset(), reason: "interrupted", err: ctx.Err()}, r.last, nil)
	default:
		err = r.end(r.total)
		if d, ok := err.(*DamageError); ok {
			d.LastKey = r.last
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

// mostAhead is how many blocks are read before they are wanted.
const mostAhead = 4

// walkAll goes through the snapshot with several goroutines, and reports whether
// it came to its end.
func (r *runner[P]) walkAll(ctx context.Context, jobs int) (ended bool) {
	next, stop := iter.Pull(func(yield func(*unit[P]) bool) {
		r.hand = func(u *unit[P]) { yield(u) }
		ended = r.coordinate(ctx)
	})
	defer stop()
	var token sync.Mutex // who holds it is the coordinator
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			w := newWalker(r.w.src)
			w.model = w.src.model
			for {
				r.readAhead(min(jobs, mostAhead))
				token.Lock()
				u, ok := next()
				token.Unlock()
				if !ok {
					return
				}
				r.walk(w, u)
			}
		})
	}
	workers.Wait()
	return ended
}

// A unit is a part of the snapshot that is walked in one go: a block of whole
// records, or what the coordinator walks itself.
type unit[P any] struct {
	seq  int
	blk  *block // nil: walked by the coordinator
	data []byte
	base int64
	db   int

	part      P
	tally     *tally
	fail      *failure
	failedKey []byte
	last      []byte // name of the last whole key; nil: none in this unit
	crc       uint64
	size      int64

	piece piece[P] // what the unit has of a key larger than a block
}

type runner[P any] struct {
	*reader
	pass  Pass[P]
	size  int            // of a block
	hand  func(*unit[P]) // gives a block to the goroutine that asked for it
	slots chan struct{}  // bounds the units that are not folded yet
	seq   int
	own   *unit[P] // the coordinator's, while it walks itself
	db    int      // where the next block begins
	spare sync.Pool

	mu      sync.Mutex // guards all below, and Begin and Fold
	next    int
	waiting map[int]*unit[P]
	total   uint64 // checksum of all that is folded
	last    []byte
	big     *bigKey   // the key whose pieces are being joined
	turned  sync.Cond // next has moved on, or stop is set
	stop    atomic.Bool

	failed    *failure
	failedKey []byte
	foldErr   error
}

func (r *runner[P]) newUnit() *unit[P] {
	r.slots <- struct{}{}
	u, _ := r.spare.Get().(*unit[P])
	if u == nil {
		u = &unit[P]{tally: newTally()}
	}
	t, last := u.tally, u.last
	t.reset()
	*u = unit[P]{seq: r.seq, tally: t, last: last[:0]}
	r.seq++
	r.mu.Lock()
	u.part = r.pass.Begin()
	r.mu.Unlock()
	return u
}

// coordinate goes through the snapshot and reports whether it came to its end.
func (r *runner[P]) coordinate(ctx context.Context) bool {
	w := r.w
	// The header was walked as a stream: its bytes are the first unit.
	header := r.newUnit()
	r.addSum()
	header.crc, header.size, header.tally = r.sum, r.summed, r.tally
	r.tally = newTally()
	r.summing = false
	r.db = w.db
	r.done(header)
	for !r.stop.Load() {
		if ctx.Err() != nil {
			r.close(nil)
			return false
		}
		if r.alone() {
			if end, ok := r.walkOwn(); end || !ok {
				return end && ok
			}
			continue
		}
		from, db := w.pos, r.db
		next := db // where the records that are skimmed end
		at, why := skim(w.src, w.buf, from, &next)
		if at > from {
			r.close(nil)
			r.dispatch(from, at, db)
			w.pos, r.db = at, next
		}
		if why == skimShort && r.canKeep() {
			if r.own != nil {
				r.close(nil)
			}
			if r.refill(w.pos) {
				continue
			}
		}
		// Damage, the end, what is rare, or a record larger than a block.
		if why == skimShort && r.err == nil {
			if cut, ok := r.cutKey(); cut || !ok {
				if !ok {
					return false
				}
				continue
			}
		}
		if end, ok := r.walkOwn(); end || !ok {
			return end && ok
		}
	}
	r.close(nil)
	return false
}

// canKeep reports whether what is left of the block fits in front of the next.
func (r *runner[P]) canKeep() bool { return len(r.w.buf)-r.w.pos <= r.feeder.room }

// alone says that blocks of this snapshot do not stand for themselves.
func (r *runner[P]) alone() bool {
	return r.w.src.dragonfly || r.w.src.templates.byID != nil
}

// dispatch hands the records in the current block from a to b to the workers.
func (r *runner[P]) dispatch(a, b, db int) {
	u := r.newUnit()
	u.blk, u.data, u.base, u.db = r.cur, r.data[a:b:min(b+lzfSlack, cap(r.data))], r.base+int64(a), db
	u.blk.refs.Add(1)
	r.hand(u)
}

func (r *runner[P]) open() {
	if r.own == nil {
		r.own = r.newUnit()
		r.w.t, r.w.db = r.own.tally, r.db
		r.w.newRun()
		r.startSum()
	}
}

// close ends the coordinator's own unit, if there is one.
func (r *runner[P]) close(fail *failure) {
	u := r.own
	if u == nil {
		return
	}
	r.own = nil
	r.addSum()
	r.summing = false
	r.db = r.w.db
	u.crc, u.size = r.sum, r.summed
	u.take(r.w, fail)
	r.done(u)
}

// walkOwn walks the next record, opcodes before it included, as a stream. ok is
// false after a failure.
func (r *runner[P]) walkOwn() (end, ok bool) {
	r.open()
	w, u := r.w, r.own
	fail := w.guard(func() {
		for {
			switch w.step() {
			case steppedEnd:
				end = true
				return
			case steppedKey:
				w.outside = true
				r.pass.Key(u.part, &w.key)
				r.room(u)
				w.outside = false
				return
			}
			if !w.pend.any {
				return
			}
		}
	})
	if fail != nil || end || r.summed+int64(w.pos-r.sumFrom) >= int64(r.size) {
		r.close(fail)
	} else {
		r.db = w.db
	}
	return end, fail == nil
}

// walk is what a worker does with a block.
func (r *runner[P]) walk(w *walker, u *unit[P]) {
	if !r.stop.Load() {
		w.window = window{buf: u.data, base: u.base}
		w.db, w.t = u.db, u.tally
		w.newRun()
		if !r.opt.NoChecksum {
			u.crc = crc64.Update(0, u.data)
		}
		u.size = int64(len(u.data))
		u.take(w, w.guard(func() {
			if u.piece.role == pieceElements {
				u.piece.walk(w)
				return
			}
			for n := 1; w.pos < len(w.buf); {
				if w.shortKey() || w.step() == steppedKey {
					w.outside = true
					r.pass.Key(u.part, &w.key)
					if n++; n%roomKeys == 0 && !r.room(u) {
						return
					}
					w.outside = false
				}
			}
		}))
	}
	blk := u.blk
	u.blk, u.data = nil, nil
	r.done(u)
	blk.release()
}

// roomKeys is after how many keys a part is asked whether it is full.
const roomKeys = 16

// room waits until all units before are folded, if the unit's part is full, and
// gives the part its turn. It reports whether the pass goes on.
//
// Nothing waits for ever: units are begun in the order of the file, so those
// before this one are done, or walked, by a worker or the coordinator, and the
// first of them never waits.
func (r *runner[P]) room(u *unit[P]) bool {
	if r.pass.Full == nil || !r.pass.Full(u.part) {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.next != u.seq && !r.stop.Load() {
		r.turned.Wait()
	}
	if r.stop.Load() {
		return false
	}
	if err := r.pass.Turn(u.part); err != nil {
		r.foldErr = err
		r.stop.Store(true)
		r.turned.Broadcast()
		return false
	}
	return true
}

// newRun forgets what the walker knew of keys before.
func (w *walker) newRun() {
	w.pend, w.whole, w.inKey, w.outside = nothingPending, nil, false, false
	w.key.Name = nil
}

// take notes how the walk of a unit went.
func (u *unit[P]) take(w *walker, fail *failure) {
	u.fail = fail
	if w.whole != nil {
		u.last = append(u.last[:0], w.whole...)
		if len(u.last) == 0 {
			u.last = []byte{} // the empty name
		}
	} else {
		u.last = nil
	}
	if fail != nil && w.inKey {
		u.failedKey = append([]byte{}, w.key.Name...)
	}
}

// done folds the unit when all before it are.
func (r *runner[P]) done(u *unit[P]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[u.seq] = u
	defer r.turned.Broadcast()
	for {
		u := r.waiting[r.next]
		if u == nil {
			return
		}
		delete(r.waiting, r.next)
		r.next++
		r.fold(u)
		<-r.slots
		var none P
		u.part, u.fail, u.failedKey = none, nil, nil
		r.spare.Put(u)
	}
}

func (r *runner[P]) fold(u *unit[P]) {
	if r.stop.Load() {
		return // after the damage, nothing counts
	}
	r.joinPiece(u)
	r.tally.add(u.tally)
	r.total = crc64.Combine(r.total, u.crc, u.size)
	if u.last != nil {
		r.last = append(r.last[:0], u.last...)
		if len(r.last) == 0 {
			r.last = []byte{}
		}
	}
	if err := r.pass.Fold(u.part); err != nil {
		r.foldErr = err
		r.stop.Store(true)
	}
	if u.fail != nil {
		r.failed, r.failedKey = u.fail, u.failedKey
		if r.big != nil {
			r.failedKey = r.big.key.Name
		}
		r.stop.Store(true)
	}
}
