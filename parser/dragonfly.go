package parser

import (
	"errors"
	"fmt"
	"io"

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

// dragonflyPage is what Dragonfly writes at a time to a local file, in bytes: after the
// end mark is what its buffer held, up to the end of the page.
const dragonflyPage = 4096

// blob is the compressed block that is being read.
type blob struct {
	open, seen bool
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

// opcode reads the opcodes of Dragonfly that begin a compressed block or a chunk.
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
		r.record.Cut(at)
		b.outer.record = nil
	}
	b.begin(op, n, at)
	r.advance(0)
	w.Buf, w.Base, w.Pos, r.sumFrom = r.data, r.base, 0, 0
}

// begin begins a compressed block of n bytes. at is the offset of its opcode.
func (b *blob) begin(op byte, n uint64, at int64) {
	b.in, b.left = at-b.shift, n
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
		record.Add(r.data[b.pos:])
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

func (w *walker) dragonflyValue(row *typeRow) {
	w.rare = true
	r := w.modules()
	w.ofModule(r, r.Dragonfly(row.Kind, row.Variant))
}

// dragonflyEpoch is the time from which Dragonfly counts the expiry of members and
// fields, in seconds since the epoch (kMemberExpiryBase).
const dragonflyEpoch = 1675209600

// expirySeconds reads the expiry of an element of Dragonfly's, and reports
// whether it has one.
func (w *walker) expirySeconds() bool {
	s := &w.third
	from := w.Offset()
	w.string(s, 2)
	at, ok := s.int(w.text(s, 20))
	if !ok || at > 1<<40 {
		w.FailAt(from, "the expiry of an element is no time")
	}
	if at < 0 {
		return false
	}
	at = (at + dragonflyEpoch) * 1000
	w.fieldExpiry(at)
	w.visit.element.ExpireAt = at
	return true
}
