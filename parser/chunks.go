package parser

import (
	"io"
	"iter"
	"runtime"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/spool"
	"github.com/rdblens/rdblens/parser/message"
)

// maxTagged bounds the values that are in chunks at the same time. Dragonfly has
// one for each fiber that saves a large value of a shard.
const maxTagged = 64

// A taggedValues has the values of which chunks are still to come, by their tags.
type taggedValues struct {
	open   map[uint32]*taggedValue
	spare  []*walker
	copied *spool.Spool // of the last one that was read whole
}

func (v *taggedValues) stop() {
	for id, t := range v.open {
		t.stop()
		t.copied.Close()
		delete(v.open, id)
	}
	v.copied.Close()
}

type taggedValue struct {
	w     *walker
	part  []byte // what was read of a chunk and is still to be walked
	carry []byte // what was left of chunks before
	// carrying reports whether that is the walker's buffer.
	carrying bool
	base     int64 // offset of the end of the part, as if the chunks followed each other
	fail     *rdb.Failure
	// copied has its chunks, to be read again; nil: nobody wants it.
	copied *spool.Spool
	// next walks the part, and reports whether the value needs more.
	next func() (struct{}, bool)
	stop func()
	wait func(struct{}) bool // returns when there is another part; false: there is none
}

// newTagged returns a value whose first chunk begins.
func (r *reader) newTagged() *taggedValue {
	if r.tagged == nil {
		r.tagged = &taggedValues{open: make(map[uint32]*taggedValue)}
		// A Scanner may be left before the end of the snapshot.
		runtime.AddCleanup(r, (*taggedValues).stop, r.tagged)
	}
	v := r.tagged
	if len(v.open) == maxTagged {
		r.w.Failf("more than %d values are in tagged chunks at the same time", maxTagged)
	}
	t := &taggedValue{base: r.w.Offset()}
	if n := len(v.spare); n > 0 {
		t.w, v.spare = v.spare[n-1], v.spare[:n-1]
	} else {
		t.w = newWalker(r.w.src)
		t.w.counters = newCounters()
	}
	w := t.w
	w.counters.reset()
	w.Cursor = rdb.Cursor{Base: t.base, Refill: t.refill, Lazy: true}
	w.model, w.db = r.w.model, r.w.db
	if to := r.w.visit.to; to != nil {
		// It is visited when it is whole.
		later := &Visitor{MaxName: to.MaxName, keep: to.keep}
		if to.keep == nil {
			later.keep = func(*Key) bool { return true }
		}
		w.setVisitor(later)
		t.copied = &spool.Spool{}
	}
	w.resetRun()
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.wait = yield
		t.fail = w.guard(t.record)
	})
	return t
}

func (t *taggedValue) record() {
	w := t.w
	for {
		w.Need(1)
		switch op := w.Buf[w.Pos]; {
		case op == rdb.OpExpireMS, op == rdb.OpDFMask, w.src.IsType[op]:
			if w.step() == steppedKey {
				return
			}
		default:
			w.Failf("a tagged chunk begins with opcode %d", op)
		}
	}
}

// carried is how many bytes of a chunk are added to what was left of those before.
const carried = 64 << 10

func (t *taggedValue) refill(keep int) bool {
	w := t.w
	w.keepFirst()
	if keep > 0 || !t.carrying {
		t.carry = append(t.carry[:0], w.Buf[keep:]...)
	}
	w.Base += int64(keep)
	w.Pos -= keep
	w.Buf, t.carrying = t.carry, true
	for len(t.part) == 0 {
		if !t.wait(struct{}{}) {
			return false
		}
	}
	if len(t.carry) == 0 {
		w.Buf, t.part, t.carrying = t.part, nil, false
		return true
	}
	n := min(len(t.part), carried)
	t.carry = append(t.carry, t.part[:n]...)
	t.part = t.part[n:]
	w.Buf = t.carry
	return true
}

// keepFirst copies the beginning of the first string of the current element, which
// may be needed when the buffer has other contents. Of large ones it is kept already.
func (w *walker) keepFirst() {
	s := &w.first
	n := int(s.n)
	if s.kind == strLZF {
		n = s.clen
	}
	if s.kind != strInt && s.head == nil && n <= smallString && s.off+n <= w.Pos {
		w.heads[0] = append(w.heads[0][:0], w.text(s, MaxElementName)...)
		s.head = w.heads[0]
	}
}

// stopTagged ends the coroutines of values in chunks.
func (r *reader) stopTagged() {
	if r.tagged != nil {
		r.tagged.stop()
	}
}

// chunk reads a tagged chunk, whose opcode was read.
func (r *reader) chunk() stepped {
	w := r.w
	at := w.Offset() - 1
	id, size := w.Uint32(), w.Uint32()
	if id == 0 || size == 0 {
		w.FailAt(at, "a tagged chunk has the tag %d and %d bytes: neither is ever 0", id, size)
	}
	var t *taggedValue
	if r.tagged != nil {
		t = r.tagged.open[id]
	}
	if t == nil {
		t = r.newTagged()
		r.tagged.open[id] = t
	}
	more := true
	for left := int(size); left > 0; {
		if !more {
			w.Failf("%d bytes of a tagged chunk follow its value", left)
		}
		w.Need(1)
		n := min(left, len(w.Buf)-w.Pos)
		t.part = w.Buf[w.Pos : w.Pos+n]
		if t.copied != nil {
			if t.copied.Add(t.part); t.copied.Err != nil {
				panic(&rdb.Failure{Offset: w.Offset(), Reason: message.Of(t.copied.Err), Err: t.copied.Err})
			}
		}
		if _, more = t.next(); t.w.inKey && !t.w.kept {
			t.copied.Close()
			t.copied = nil
		}
		if t.fail != nil {
			// Its offset does not count what stands between the chunks.
			t.fail.Offset += w.Offset() - t.base
			w.inKey, w.key.Name = t.w.inKey, t.w.key.Name
			panic(t.fail)
		}
		if !more {
			n -= len(t.part) + len(t.w.Buf) - t.w.Pos
		}
		t.base += int64(n)
		w.Pos += n
		left -= n
	}
	if more {
		return steppedOp
	}
	w.counters.add(t.w.counters)
	delete(r.tagged.open, id)
	r.tagged.spare = append(r.tagged.spare, t.w)
	w.nameBuf, w.lastBuf = w.lastBuf, w.nameBuf
	w.key, w.key.peek = t.w.key, peek{}
	w.nameBuf = append(w.nameBuf[:0], w.key.Name...)
	w.key.Name, w.lastKey, w.rare = w.nameBuf, w.nameBuf, true
	r.tagged.copied.Close()
	r.tagged.copied, w.key.copied, w.kept = t.copied, t.copied, t.w.kept
	if v := w.visit.to; v != nil && v.keep == nil && w.wants() {
		w.visitCopied(v)
	}
	return steppedKey
}

// endMark checks what is open where the snapshot ends.
func (r *reader) endMark() {
	w := r.w
	switch {
	case r.blob.open:
		w.FailAt(w.Offset()-1, "the end mark stands in a compressed block")
	case r.tagged != nil && len(r.tagged.open) > 0:
		w.FailAt(w.Offset()-1, "the snapshot ends, but %d of its values in tagged chunks do not", len(r.tagged.open))
	}
}

func (w *walker) visitCopied(v *Visitor) {
	elements := *v
	elements.Key = nil
	n := w.key.Serialized
	r := newReader(io.NewSectionReader(w.key.copied, w.key.copied.End()-n, n), Options{NoChecksum: true}, 2, scanBlock)
	r.w.src = w.src
	r.advance(0)
	r.w.Buf, r.w.Base = r.data, 0
	if fail := r.w.valueAgain(&w.key, &elements); fail != nil {
		panic(fail)
	}
}

// valueAgain walks the value of a key that was walked before.
func (w *walker) valueAgain(k *Key, v *Visitor) *rdb.Failure {
	from := w.Offset()
	w.setVisitor(v)
	return w.guard(func() {
		w.begin(k.RDBType)
		w.key.Name, w.key.NameLen = k.Name, k.NameLen
		w.rest(k.RDBType)
		if w.Offset()-from != k.Serialized {
			w.FailAt(from, "there is another value now")
		}
	})
}
