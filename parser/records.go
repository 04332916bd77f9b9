package parser

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
	"github.com/rdblens/rdblens/parser/internal/spool"
	"github.com/rdblens/rdblens/parser/message"
)

// Records reads the keys of a snapshot one after the other, as a Scanner does,
// and then the value of a key a second time: as the payload of a RESTORE command
// (Payload), or element by element (Visit). Names of keys are whole, however long.
// The second reading uses random access to the source where that has a ReaderAt
// method (see Source), else a temporary file that holds one value at a time.
type Records struct {
	opt   RecordOptions
	s     *Scanner
	file  io.ReaderAt  // the snapshot, nil without random access
	spool *spool.Spool // what was read of it, which Dragonfly's files compress; nil: the file is read again
	meta  span         // the record of metadata before the key
	from  io.ReaderAt  // what buf was read from,
	buf   []byte       // from bufAt on
	bufAt int64
	small *walker // of values that fit in buf
	err   error   // of Library
}

// RecordOptions say what Records reads.
type RecordOptions struct {
	Options
	// Keep reports whether a key is wanted; nil wants all. It is called when the
	// name was read, before the value.
	Keep func(k *Key) bool
	// Library, if not nil, is called for each library of functions, with the
	// payload that FUNCTION RESTORE takes. Its error ends the reading.
	Library func(p *Payload) error
}

// scannerAhead is more than a Scanner reads beyond the key that it returns.
const scannerAhead = 4 * scanBlock

// span is a run of bytes of the snapshot.
type span struct{ from, n int64 }

// NewRecords returns Records of a snapshot that is neither compressed nor framed.
// Reading ends when ctx does. Close must be called.
func NewRecords(ctx context.Context, src io.Reader, opt RecordOptions) *Records {
	r := &Records{opt: opt, buf: make([]byte, 0, 64<<10)}
	if f, ok := src.(interface{ ReaderAt() io.ReaderAt }); ok {
		r.file = f.ReaderAt()
	}
	r.spool = &spool.Spool{Ahead: scannerAhead, Skip: r.file != nil}
	r.s = NewScanner(src, opt.Options)
	r.s.r.src, r.s.r.record = &interruptible{ctx, src}, r.spool
	r.s.r.w.passed = r.passed
	r.s.Visit(&Visitor{MaxText: -1, MaxName: -1, keep: r.named})
	return r
}

// passed notes what an opcode says that a payload needs.
func (r *Records) passed(op byte, from, to int64) {
	valkey := r.s.r.w.src.valkey
	switch {
	case op == rdb.OpFunction && r.opt.Library != nil && r.err == nil:
		r.err = r.opt.Library(&Payload{r, release.RDB(release.Redis, "7.0"), []part{{span: span{from, to - from}}}})
	case op == rdb.OpKeyMeta && !valkey:
		r.meta = span{from, to - from}
	}
	if r.spool != nil && r.meta.n == 0 {
		r.spool.Release(to)
	}
}

// named is called when the name of a key was read. What is not wanted need not be
// kept for a second reading.
func (r *Records) named(k *Key) (kept bool) {
	kept = r.err == nil && (r.opt.Keep == nil || r.opt.Keep(k))
	if r.spool != nil {
		r.spool.Skip = !kept
	}
	return kept
}

// Next goes to the next key that Keep wants. It returns false at the end of the
// snapshot and at the first error.
func (r *Records) Next() bool {
	if r.s.Info(); r.file != nil && !r.s.r.w.src.dragonfly {
		r.spool, r.s.r.record = nil, nil
	}
	for r.err == nil {
		r.meta = span{}
		if r.spool != nil {
			r.spool.Release(r.s.offset())
		}
		if !r.s.Scan() || r.err != nil {
			return false
		}
		if r.s.r.w.kept {
			return true
		}
	}
	return false
}

// Key is the key that Next found, or nil. Next overwrites it.
func (r *Records) Key() *Key { return r.s.Key() }

// Info is Scanner.Info.
func (r *Records) Info() *Info { return r.s.Info() }

// Err returns the error that ended the reading: that of Library, or of the
// Scanner; nil at the end of the snapshot.
func (r *Records) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.s.Err()
}

// Close removes the temporary file. The source stays open.
func (r *Records) Close() error {
	return r.spool.Close()
}

// Payload is a value in the form that DUMP returns and RESTORE takes: the type
// byte and the value as in the snapshot, the RDB version (2 bytes,
// little endian), and the CRC-64 of all before (8 bytes, little endian). Source:
// createDumpPayload in Redis' cluster.c.
type Payload struct {
	r       *Records
	version int
	parts   []part
}

// part is a part of a payload: some bytes, and then bytes of the snapshot.
type part struct {
	bytes []byte
	span
}

// footerSize is the length of a payload's version and checksum in bytes.
const footerSize = 10

// Payload returns the payload of the current key, which is valid until Next is
// called. The version is the oldest that has the type, so that the oldest server
// takes it that can load the value.
//
// A hash that refers to a template of the snapshot becomes one with its own
// names, as DUMP writes it. The error is a *RereadError, or says that the template
// is too large to be kept.
func (r *Records) Payload() (*Payload, error) {
	k, w := r.s.key, r.s.r.w
	value := r.value()
	p := &Payload{r: r, version: w.src.payloadVersion(k.RDBType)}
	if r.meta.n > 0 {
		p.version = max(p.version, release.RDB(release.Redis, "8.6"))
		p.parts = append(p.parts, part{span: r.meta})
	}
	row := &w.src.types[k.RDBType]
	if row.Kind != rdb.Template || row.Variant&rdb.TemplateOwn != 0 {
		p.parts = append(p.parts, part{[]byte{k.RDBType}, value})
		return p, nil
	}
	names, ok := w.src.templates.inline()
	if !ok {
		return nil, fmt.Errorf("the hash templates of the snapshot have more than %d MiB", maxWholeNames>>20)
	}
	if row.Variant&rdb.TemplatePacked == 0 { // the value begins with the template's number
		b, err := r.read(value.from, min(9, value.n))
		if err != nil {
			return nil, err
		}
		number := rdb.Cursor{Buf: b}
		number.Length()
		value = span{value.from + int64(number.Pos), value.n - int64(number.Pos)}
	}
	const oneByOne = 1 // how the names stand
	p.parts = append(p.parts, part{append([]byte{k.RDBType - 1, oneByOne}, names...), value})
	return p, nil
}

// Size is the length of the payload in bytes.
func (p *Payload) Size() int64 {
	n := int64(footerSize)
	for _, part := range p.parts {
		n += int64(len(part.bytes)) + part.n
	}
	return n
}

// WriteTo writes the payload. An error of the snapshot is a *RereadError.
func (p *Payload) WriteTo(out io.Writer) (written int64, err error) {
	crc := uint64(0)
	write := func(b []byte) {
		if err == nil {
			crc = crc64.Update(crc, b)
			_, err = out.Write(b)
			written += int64(len(b))
		}
	}
	for _, part := range p.parts {
		write(part.bytes)
		for at, end := part.from, part.from+part.n; at < end && err == nil; {
			b, readErr := p.r.read(at, min(int64(cap(p.r.buf)), end-at))
			if readErr != nil {
				return written, readErr
			}
			write(b)
			at += int64(len(b))
		}
	}
	write(binary.LittleEndian.AppendUint16(nil, uint16(p.version)))
	write(binary.LittleEndian.AppendUint64(nil, crc))
	return written, err
}

// RereadError reports that bytes which were read once cannot be read again.
type RereadError struct {
	Offset int64
	Err    error
}

func (e *RereadError) Error() string {
	return fmt.Sprintf("offset %d: the value cannot be read a second time: %v", e.Offset, e.Err)
}

func (e *RereadError) Unwrap() error { return e.Err }

// Text returns the code of a library of functions.
func (p *Payload) Text() ([]byte, error) {
	part := p.parts[0]
	b := make([]byte, part.n) // as many as were read of it
	if _, err := p.r.at().ReadAt(b, part.from); err != nil {
		return nil, &RereadError{part.from, err}
	}
	var text []byte
	w := newWalker(p.r.s.r.w.src)
	w.counters = newCounters()
	w.Cursor = rdb.Cursor{Buf: b, Base: part.from, Pos: 1}
	fail := w.guard(func() {
		w.setVisitor(&Visitor{MaxText: -1})
		w.keepMore()
		w.string(&w.first, 0)
		text = w.keepText(&w.first, 0).Bytes
	})
	if fail != nil {
		return nil, &RereadError{fail.Offset, &message.Error{Message: fail.Reason}}
	}
	return text, nil
}

// Visit walks the value of the current key again and passes its elements to v.
// Its function Key is not called. When one of the others returns false for the
// key, the rest of the value is not read.
func (r *Records) Visit(v *Visitor) error {
	visitor := *v
	visitor.Key = nil
	if v.Element != nil {
		visitor.Element = func(e *Element) bool {
			if !v.Element(e) {
				panic(&rdb.Failure{Err: errEnough})
			}
			return true
		}
	}
	fail, err := r.valueAgain(&visitor)
	switch {
	case err != nil:
		return err
	case fail == nil || fail.Err == errEnough:
		return nil
	case fail.Err != nil:
		return &RereadError{fail.Offset, fail.Err}
	}
	return &RereadError{fail.Offset, &message.Error{Message: fail.Reason}}
}

// value is where the value of the current key stands in at.
func (r *Records) value() span {
	n := r.s.key.Serialized
	if copied := r.s.key.copied; copied != nil {
		return span{copied.End() - n, n}
	}
	return span{r.s.offset() - n, n}
}

func (r *Records) at() io.ReaderAt {
	switch {
	case r.s.key != nil && r.s.key.copied != nil:
		return r.s.key.copied
	case r.file != nil && !r.s.r.w.src.dragonfly:
		return r.file
	}
	return r.spool
}

// valueAgain walks the current key again, in a copy its value alone.
func (r *Records) valueAgain(v *Visitor) (*rdb.Failure, error) {
	k := r.s.key
	at, copied := r.value(), k.copied != nil
	end := at.from + at.n
	if !copied {
		at.from = k.Offset
	}
	w, err := r.again(at.from, end-at.from)
	if err != nil {
		return nil, err
	}
	if copied {
		return w.valueAgain(k, v), nil
	}
	w.setVisitor(v)
	return w.guard(func() {
		if w.step() != steppedKey || w.Offset() != end {
			w.FailAt(k.Offset, "there is another value now")
		}
	}), nil
}

// again returns a walker of n bytes of the snapshot.
func (r *Records) again(from, n int64) (*walker, error) {
	if n > int64(cap(r.buf)) {
		again := newReader(io.NewSectionReader(r.at(), from, n), Options{NoChecksum: true}, 2, scanBlock)
		again.w.src = r.s.r.w.src
		again.advance(0)
		again.base = from
		again.w.Buf, again.w.Base = again.data, from
		return again.w, nil
	}
	b, err := r.read(from, n)
	if err != nil {
		return nil, err
	}
	if r.small == nil {
		r.small = newWalker(r.s.r.w.src)
		r.small.counters = newCounters()
	}
	r.small.Cursor = rdb.Cursor{Buf: b, Base: from}
	r.small.resetRun()
	return r.small, nil
}

// read returns n bytes of the snapshot, at most the capacity of r.buf, which are
// valid until the next call. The error is a *RereadError.
func (r *Records) read(from, n int64) ([]byte, error) {
	at := r.at()
	if at != r.from || from < r.bufAt || from+n > r.bufAt+int64(len(r.buf)) {
		ahead := cap(r.buf)
		if r.s.r.w.src.dragonfly { // what follows may still be compressed
			ahead = int(n)
		}
		have, err := at.ReadAt(r.buf[:ahead], from)
		r.from, r.buf, r.bufAt = at, r.buf[:have], from
		if int64(have) < n {
			return nil, &RereadError{from, err}
		}
	}
	return r.buf[from-r.bufAt:][:n], nil
}

var errEnough = errors.New("no more elements are wanted")
