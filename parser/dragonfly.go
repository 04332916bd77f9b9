package parser

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"

	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/source"
)

// Dragonfly saves records in compressed blocks, each of whole records, and cuts
// large values into tagged chunks, between which other records stand.
//
// A compressed block is read through the window of the stream, as if what it
// unpacks to stood in its place: offsets count that. A value in chunks has a walker
// of its own, which waits for the next chunk as a coroutine. Sources: rdb_save.cc
// and rdb_load.cc of Dragonfly 1.40.

// blob is the compressed block that is being read.
type blob struct {
	open, seen bool
	at         int64       // offset of its opcode
	in         int64       // its place in the file
	shift      int64       // bytes that blocks before unpacked to, less what they take in the file
	left       uint64      // compressed bytes that were not read yet
	outer      blockReader // what it stands in,
	pos        int         // from there on in outer.data
	inner      blockReader // what has the buffers, while none is open
	from       source.BlobReader

	// Of a runner: how many blocks with each opcode were read on to in the same
	// buffer, which has whole records up to there, and the database selected there.
	lz4, zstd int64
	whole, db int
}

// opcode reads what stands around the records of Dragonfly.
func (r *reader) opcode(op byte) (how stepped, read bool) {
	if !r.w.src.dragonfly {
		return steppedOp, false
	}
	switch op {
	case rdb.OpDFZstd, rdb.OpDFLZ4:
		r.openBlob(op)
		how = steppedOp
	case rdb.OpDFTaggedChunk:
		how = r.chunk()
	default:
		return steppedOp, false
	}
	r.w.counters.opcodes[op]++
	return how, true
}

// dragonflyOp reads an opcode that stands where records do.
func (w *walker) dragonflyOp(op byte) {
	switch op {
	case rdb.OpDFFullSyncEnd, rdb.OpDFJournal:
		w.Take(8)
	case rdb.OpDFJournalBlob:
		w.Length()
		w.string(&w.first, 0)
	case rdb.OpDFMask:
		if flags := w.Uint32(); flags&2 != 0 {
			w.Take(4)
		}
		w.pend.any = true
	case rdb.OpDFShardIndex:
		w.Length()
		w.string(&w.first, 0)
		n := w.Length()
		for range n {
			w.Ahead()
			w.string(&w.first, 0)
			w.Length()
		}
	case rdb.OpDFVectorIndex:
		w.string(&w.first, 0)
		w.Length()
		n := w.Length()
		for range n {
			w.Take(12)
			levels := w.Uint32()
			for range int64(levels) + 1 {
				w.Skip(4 * uint64(w.Uint32()))
			}
		}
	case rdb.OpDFBlobEnd:
		w.FailAt(w.Offset()-1, "opcode 203 ends a compressed block in Dragonfly's memory: no file has it")
	default:
		w.failUnknown(op)
	}
}

// openBlob begins the compressed block whose opcode was read.
func (r *reader) openBlob(op byte) {
	w, b := r.w, &r.blob
	at := w.Offset() - 1
	if b.open {
		w.FailAt(at, "a compressed block stands in a compressed block")
	}
	n := w.Length()
	w.CheckLen(n)
	r.addSum()
	b.open, b.seen = true, true
	b.outer, b.pos = r.blockReader, w.Pos
	if b.inner.pool == nil {
		b.inner = *newBlockReader(nil, cap(r.pool), r.size)
	}
	r.blockReader = b.inner
	r.src, r.base, r.data, r.cur, r.err = b, at, nil, nil, nil
	if r.record = b.outer.record; r.record != nil {
		r.record.cut(at)
		b.outer.record = nil
	}
	b.begin(op, n, at)
	r.advance(0)
	w.Buf, w.Base, w.Pos, r.sumFrom = r.data, r.base, 0, 0
}

// begin begins a compressed block of n bytes. at is the offset of its opcode.
func (b *blob) begin(op byte, n uint64, at int64) {
	b.at, b.in, b.left = at, at-b.shift, n
	kind := "lz4"
	if op == rdb.OpDFZstd {
		kind = "zstd"
	}
	b.from.Reset(kind, (*compressed)(b))
}

// nextBlob reads on to the compressed block that follows the one that was read, in
// the same buffer, so that a unit of work is not as small as one block. All until end
// is whole records. It reports false if another thing follows, or the buffer is full.
func (r *reader) nextBlob(end, db int) bool {
	w, b := r.w, &r.blob
	if r.err != io.EOF || w.Pos == end || r.cur.n > r.size/2 || b.pos == len(b.outer.data) {
		return false
	}
	op := b.outer.data[b.pos]
	n, next := rdb.CountAt(b.outer.data, b.pos+1)
	if op != rdb.OpDFLZ4 && op != rdb.OpDFZstd || next < 0 || next > len(b.outer.data) || n > rdb.MaxLen {
		return false
	}
	if b.whole, b.db = end, db; op == rdb.OpDFLZ4 {
		b.lz4++
	} else {
		b.zstd++
	}
	at := r.base + int64(len(r.data))
	shift := at - (b.outer.base + int64(b.pos))
	b.shift += shift
	b.outer.base += shift
	b.pos = next
	b.begin(op, n, at)
	from := r.headroom + r.cur.n - len(r.data)
	r.fill(r.cur)
	r.data, r.err = r.cur.data[from:r.headroom+r.cur.n], r.cur.err
	w.Buf = r.data
	return true
}

// framed returns the end of the records from pos on that were found already, and
// sets the database that is selected there.
func (b *blob) framed(pos int, db *int) int {
	if b.whole <= pos {
		return pos
	}
	*db = b.db
	return b.whole
}

// readable returns the end of the bytes in r.data that nothing is written to.
func (r *reader) readable() int {
	if r.blob.open {
		return len(r.data)
	}
	return cap(r.data)
}

// cut counts the compressed blocks that a unit goes on in.
func (b *blob) cut(u *unit) {
	u.counters.opcodes[rdb.OpDFLZ4] += b.lz4
	u.counters.opcodes[rdb.OpDFZstd] += b.zstd
	b.lz4, b.zstd, b.whole = 0, 0, 0
}

// beyond goes on behind the compressed block where all of it was read. It reports
// false if none is open, or its end was not reached.
func (r *reader) beyond() bool {
	w, b := r.w, &r.blob
	if !b.open || r.err != io.EOF || w.Pos < len(w.Buf) {
		return false
	}
	r.addSum()
	end := w.Offset()
	r.cur.release()
	record := r.record
	b.inner, r.blockReader = r.blockReader, b.outer
	b.open, b.outer = false, blockReader{}
	shift := end - (r.base + int64(b.pos))
	b.shift += shift
	r.base += shift
	w.Buf, w.Base, w.Pos, r.sumFrom = r.data, r.base, b.pos, b.pos
	if r.record = record; record != nil {
		record.add(r.data[b.pos:])
	}
	return true
}

// Read reads what the block unpacks to.
func (b *blob) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	switch {
	case err == nil || err == io.EOF:
	case b.outer.err != nil && b.outer.err != io.EOF:
		err = b.outer.err // the source failed
	default:
		err = &blobError{b.in, err}
	}
	return n, err
}

// blobError is damage within a compressed block.
type blobError struct {
	in  int64
	err error
}

func (e *blobError) Error() string {
	return fmt.Sprintf("the compressed block at byte %d of the file: %v", e.in, e.err)
}

func (e *blobError) Unwrap() error { return e.err }

// compressed reads the bytes of the block in the file.
type compressed blob

var errBlobCut = errors.New("the file ends within it")

func (b *compressed) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	o := &b.outer
	if b.pos == len(o.data) {
		if !o.advance(b.pos) {
			if o.err == io.EOF {
				return 0, errBlobCut
			}
			return 0, o.err
		}
		b.pos = 0
	}
	n := copy(p[:min(uint64(len(p)), b.left)], o.data[b.pos:])
	b.pos += n
	b.left -= uint64(n)
	return n, nil
}

// maxTagged bounds the values that are in chunks at the same time. Dragonfly has
// one for each fiber that saves a large value of a shard.
const maxTagged = 64

// A taggedValues has the values of which chunks are still to come, by their tags.
type taggedValues struct {
	open   map[uint32]*taggedValue
	spare  []*walker
	copied *spool // of the last one that was read whole
}

// stop ends their coroutines.
func (v *taggedValues) stop() {
	for id, t := range v.open {
		t.stop()
		t.copied.Close()
		delete(v.open, id)
	}
	v.copied.Close()
}

// taggedValue is a value in chunks.
type taggedValue struct {
	w     *walker
	part  []byte // what was read of a chunk and is still to be walked
	carry []byte // what was left of chunks before
	// carrying reports whether that is the walker's buffer.
	carrying bool
	base     int64 // offset of the end of the part, as if the chunks followed each other
	fail     *rdb.Failure
	// copied has its chunks, to be read again; nil: nobody wants it.
	copied *spool
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
		t.copied = &spool{}
	}
	w.resetRun()
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.wait = yield
		t.fail = w.guard(t.record)
	})
	return t
}

// record walks the record in the chunks.
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

// refill is that of the value's walker.
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
			if t.copied.add(t.part); t.copied.err != nil {
				panic(&rdb.Failure{Offset: w.Offset(), Reason: t.copied.err.Error(), Err: t.copied.err})
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
	w.key = t.w.key
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

// visitCopied passes the elements of the value in the copy to a visitor.
func (w *walker) visitCopied(v *Visitor) {
	elements := *v
	elements.Key = nil
	n := w.key.Serialized
	r := newReader(io.NewSectionReader(w.key.copied, w.key.copied.end()-n, n), Options{NoChecksum: true}, 2, scanBlock)
	if fail := r.walkAgain(w.src, &w.key, &elements); fail != nil {
		panic(fail)
	}
}

// walkAgain walks the value of a key that was walked before, which is all that the
// reader's source has.
func (r *reader) walkAgain(src *dialect, k *Key, v *Visitor) *rdb.Failure {
	r.w.src = src
	r.advance(0)
	r.w.Buf, r.w.Base = r.data, 0
	return r.w.valueAgain(k, v)
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
