package parser

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/internal/module"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
	"github.com/rdblens/rdblens/parser/message"
)

// A Scanner reads the keys of a snapshot one after the other, in one goroutine
// and in constant memory. Run is faster.
type Scanner struct {
	r     *reader
	begun bool
	done  bool
	key   *Key
	err   error
}

// scanBlock is the buffer of a Scanner, of which it has two.
const scanBlock = 256 << 10

// NewScanner returns a Scanner of a plain snapshot. See Open and Wrap for one
// that is compressed or part of a replication stream.
func NewScanner(src io.Reader, opt Options) *Scanner {
	return newScanner(src, opt, scanBlock)
}

func newScanner(src io.Reader, opt Options, block int) *Scanner {
	return &Scanner{r: newReader(src, opt, 2, block)}
}

// Visit has v receive the values of the keys that follow, nil nobody. Call it
// before the header is read, that is before Scan and Info.
func (s *Scanner) Visit(v *Visitor) { s.r.w.setVisitor(v) }

// Scan reads the next key, which Key then returns. It returns false at the end
// of the snapshot and at the first error.
func (s *Scanner) Scan() bool {
	if s.done {
		return false
	}
	if !s.begun && !s.begin() {
		return false
	}
	w := s.r.w
	var how stepped
	fail := w.guard(func() {
		for how = w.step(); how == steppedOp; how = w.step() {
		}
	})
	switch {
	case fail != nil:
		s.fail(fail)
		return false
	case how == steppedEnd:
		s.r.addSum()
		s.finish(s.r.end(s.r.sum))
		if d, ok := s.err.(*DamageError); ok {
			d.LastKey = w.lastKey
		}
		return false
	}
	s.key = &w.key
	return true
}

func (s *Scanner) begin() bool {
	s.begun = true
	fail, err := s.r.begin()
	switch {
	case err != nil:
		s.finish(err)
	case fail != nil:
		s.fail(fail)
	}
	return !s.done
}

func (s *Scanner) fail(f *rdb.Failure) {
	w := s.r.w
	var key []byte
	if w.inKey {
		key = append([]byte{}, w.key.Name...)
	}
	s.r.info.Bytes = f.Offset
	s.finish(s.r.damage(f, w.lastKey, key))
}

func (s *Scanner) finish(err error) {
	s.done, s.key, s.err = true, nil, err
	s.r.stopTagged()
	s.r.finish()
}

// Key returns the key that Scan read last, or nil. It is overwritten by the next
// call of Scan; Clone keeps it.
func (s *Scanner) Key() *Key { return s.key }

// Err returns the error that ended the scan: nil at the end of a sound snapshot,
// else a *FormatError, a *DamageError, or that of the source.
func (s *Scanner) Err() error { return s.err }

// Info returns what the snapshot states about itself as far as it was read: the header
// from the first call on, all of it when Scan has returned false.
func (s *Scanner) Info() *Info {
	if !s.begun && !s.done {
		s.begin()
	}
	return s.r.info
}

// All returns an iterator over the keys. An error comes last, with a nil key.
func (s *Scanner) All() iter.Seq2[*Key, error] {
	return func(yield func(*Key, error) bool) {
		for s.Scan() {
			if !yield(s.key, nil) {
				return
			}
		}
		if s.err != nil {
			yield(nil, s.err)
		}
	}
}

// offset is where the next key, or the opcodes before it, begin.
func (s *Scanner) offset() int64 { return s.r.w.Offset() }

// reader is what Scanner and Run share: the source, the walker that reads it as a
// stream, the header and the end.
type reader struct {
	blockReader
	opt      Options
	w        *walker
	info     *Info
	counters *counters
	closer   Ender
	blob     blob
	tagged   *taggedValues // nil: none was read
	// sum is the checksum of the bytes that the walker has passed as a stream
	// since startSum, summed is their number. sumFrom is the place in the current
	// block up to which they are in sum.
	sum     uint64
	summing bool
	sumFrom int
	summed  int64
}

func newReader(src io.Reader, opt Options, blocks, size int) *reader {
	r := &reader{opt: opt, info: &Info{Created: -1, UsedMem: -1, AnnouncedKeys: -1, AnnouncedExpires: -1},
		counters: newCounters()}
	r.blockReader = *newBlockReader(src, blocks, size)
	r.closer, _ = src.(Ender)
	if f, ok := src.(interface{ Frames() []string }); ok {
		r.info.Frames = f.Frames()
	}
	r.w = newWalker(&dialect{details: opt.Details})
	r.w.counters = r.counters
	r.w.Refill, r.w.around = r.refill, r
	return r
}

// refill is that of the walker's window.
func (r *reader) refill(keep int) bool {
	w := r.w
	r.addSum()
	before := r.base
	ok := r.advance(keep)
	w.Buf, w.Base = r.data, r.base
	w.Pos -= int(r.base - before)
	r.sumFrom = w.Pos
	return ok
}

// addSum adds the bytes passed since the last call to the checksum.
func (r *reader) addSum() {
	if !r.summing || r.cur == nil {
		return
	}
	part := r.data[r.sumFrom:r.w.Pos]
	if !r.opt.NoChecksum && !r.blob.seen {
		r.sum = crc64.Update(r.sum, part)
	}
	r.summed += int64(len(part))
	r.sumFrom = r.w.Pos
}

// startSum begins a new checksum at the current position.
func (r *reader) startSum() {
	r.sum, r.summed, r.summing, r.sumFrom = 0, 0, true, r.w.Pos
}

// guard runs f and returns the failure that ended it, nil if none did.
func (w *walker) guard(f func()) (fail *rdb.Failure) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *rdb.Failure:
			fail = p
		case runtime.Error:
			if w.inCallback {
				panic(p)
			}
			// An invalid length or count that no check caught.
			fail = &rdb.Failure{Offset: w.Offset(), Reason: message.Format("the data is invalid here (internal error: %v)", p)}
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

// begin reads the magic and the header, up to the first key. The error is a
// *FormatError.
func (r *reader) begin() (*rdb.Failure, error) {
	r.advance(0)
	r.w.Buf, r.w.Base = r.data, 0
	r.startSum()
	if err := r.magic(); err != nil {
		return nil, err
	}
	w := r.w
	w.info = r.info
	fail := w.guard(func() {
		for {
			w.Ahead()
			w.opcodeAhead()
			switch op := w.Buf[w.Pos]; {
			case op == rdb.OpEOF, op == rdb.OpExpire, op == rdb.OpExpireMS, op == rdb.OpIdle, op == rdb.OpFreq,
				op == rdb.OpKeyMeta && !w.src.valkey, op == rdb.OpEnterpriseLRU, op == rdb.OpEnterpriseSlot,
				op == rdb.OpDFMask, op == rdb.OpDFLZ4, op == rdb.OpDFZstd, op == rdb.OpDFTaggedChunk, w.src.IsType[op]:
				return
			}
			w.step()
		}
	})
	w.info = nil
	r.info.Cluster = r.counters.cluster
	if v := release.Newest(release.Of(w.src.valkey)); r.info.Version > v {
		r.warn("RDB version %d is newer than the newest that rdblens knows (%d): reading continues as long as every "+
			"type is known",
			r.info.Version, v)
	}
	if r.opt.Memory != nil {
		w.src.model = r.opt.Memory(r.info)
		w.model = w.src.model
	}
	return fail, nil
}

func (r *reader) warn(format string, args ...any) {
	r.info.Warnings = append(r.info.Warnings, message.Format(format, args...))
}

// interrupted is the reason of damage where a context ended.
var interrupted = message.New("interrupted")

const magicHint = "an RDB file begins with REDIS and four digits, or VALKEY and three"

func (r *reader) magic() error {
	b := r.w.Buf
	if len(b) < 9 && r.err != nil && r.err != io.EOF {
		return r.err
	}
	if len(b) == 0 {
		return &FormatError{message.New("the file is empty"),
			message.New("a server that is still saving writes to temp-<pid>.rdb: look for that, or for a full disk")}
	}
	digits := 0
	switch {
	case len(b) >= 9 && string(b[:5]) == "REDIS":
		digits, r.info.Magic = 5, "REDIS"
	case len(b) >= 9 && string(b[:6]) == "VALKEY":
		digits, r.info.Magic = 6, "VALKEY"
		r.w.src.valkey = true
		r.info.Server = "valkey"
	default:
		return &FormatError{message.Format("not a snapshot: it begins with %q", cut(b, 9)), message.New(magicHint)}
	}
	v, err := strconv.ParseUint(string(b[digits:9]), 10, 16)
	if err != nil || v == 0 {
		return &FormatError{message.Format("not a snapshot: %q has no version", b[:9]), message.New(magicHint)}
	}
	r.info.Version = int(v)
	r.w.src.version = int(v)
	r.w.src.compile()
	r.w.Pos = 9
	return nil
}

// end reads what follows the end opcode. sum is the checksum of all bytes before.
func (r *reader) end(sum uint64) error {
	w, in := r.w, r.info
	in.Bytes, in.Ended = w.Offset(), true
	r.counters.fill(in)
	var bad message.Message
	if in.Version < firstChecksum && !w.src.valkey {
		in.Checksum = ChecksumNone
	} else {
		for len(w.Buf)-w.Pos < 8 && r.refill(w.Pos) {
		}
		if len(w.Buf)-w.Pos < 8 {
			in.Checksum = ChecksumMissing
			bad = message.Format("the checksum is missing: %d of its 8 bytes are there", len(w.Buf)-w.Pos)
			w.Pos = len(w.Buf)
		} else {
			stored := w.Uint64()
			switch {
			case stored == 0:
				in.Checksum = ChecksumOff
				if r.opt.Strict {
					bad = message.New("the checksum is switched off (zero)")
				}
			case w.src.dragonfly && stored != sum:
				in.Checksum = ChecksumMismatch
				bad = message.New("Dragonfly writes no checksum, but the eight bytes after the end mark are not zero")
			case r.opt.NoChecksum, r.blob.seen: // it would cover compressed blocks
				in.Checksum = ChecksumUnread
			case stored == sum:
				in.Checksum = ChecksumOK
			default:
				in.Checksum = ChecksumMismatch
				bad = message.Format("the checksum is wrong: stored %016x, computed %016x", stored, sum)
			}
		}
		in.Bytes = w.Offset()
	}
	written := in.Checksum == ChecksumOK // the file is what the server wrote
	if c := w.src.contradiction(r.counters); !c.IsZero() && written {
		in.Warnings = append(in.Warnings, c)
	} else if !c.IsZero() {
		bad = c
	}
	if m := in.missing(); !m.IsZero() && written && !r.opt.Strict {
		in.Warnings = append(in.Warnings, m)
	} else if !m.IsZero() {
		bad = m
	}
	if keys, _ := in.Missing(); keys > 0 && !written {
		in.Ended = false
	}
	if bad.IsZero() {
		after := w.Buf[w.Pos:]
		in.Trailing = int64(len(after))
		if r.closer != nil {
			n, err := r.closer.End(w.Offset(), after)
			in.Trailing = n
			if err != nil {
				return r.damage(&rdb.Failure{Offset: w.Offset(), Reason: message.Of(err), Err: err}, nil, nil)
			}
		}
		// What follows may stand in the next block.
		for keep := w.Pos; r.closer == nil && in.Checksum == ChecksumNone && in.Trailing <= 8 && r.advance(keep); keep = 0 {
			in.Trailing = int64(len(r.data))
		}
		if w.src.dragonfly && in.Trailing >= dragonflyPage {
			bad = message.New("{n} bytes follow the end mark, more than the rest of a page", message.Int("n", in.Trailing))
		}
		if in.Checksum == ChecksumNone && in.Trailing == 8 {
			bad = message.Format("eight bytes follow, as many as a checksum has, "+
				"but the snapshot says RDB version %d, which has none", in.Version)
		}
	}
	if !bad.IsZero() {
		return r.damage(&rdb.Failure{Offset: w.Offset(), Reason: bad}, nil, nil)
	}
	return nil
}

// firstChecksum is the oldest RDB version under the magic REDIS that ends with a
// checksum.
const firstChecksum = 5

func (r *reader) damage(f *rdb.Failure, last, key []byte) *DamageError {
	e := &DamageError{Offset: f.Offset, Reason: f.Reason, LastKey: last, Key: key, Err: f.Err}
	atEnd := e.Err == nil && f.Offset >= r.base+int64(len(r.data))
	var block *blobError
	switch {
	case atEnd && errors.As(r.err, &block):
		e.Err, e.Reason = r.err, message.Of(block)
	case atEnd && r.blob.open && r.err == io.EOF && strings.HasPrefix(f.Reason.ID, "the file ends"):
		e.Reason = message.Format("a record reaches past the end of the compressed block at byte %d of the file", r.blob.in)
	case atEnd && r.err != nil && r.err != io.EOF:
		// The walk ran out of bytes because the source failed.
		e.Err, e.Reason = r.err, message.Format("the source cannot be read further: %v", r.err)
		if errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded) {
			e.Reason = interrupted
		}
	}
	if d, ok := r.closer.(diagnoser); ok && r.info.Checksum != ChecksumOK {
		ctx := context.Background()
		if i, ok := r.src.(*interruptible); ok {
			ctx = i.ctx
		}
		if more := d.diagnose(ctx, e.Offset, e.Err); !more.IsZero() {
			e.Reason = message.Format("%v; %v", e.Reason, more)
		}
	}
	return e
}

// A diagnoser is a source that can say more about damage, from the checksums of
// compressed frames: see source.Reader.Diagnose. Nothing is read from it afterwards.
type diagnoser interface {
	diagnose(ctx context.Context, offset int64, cause error) message.Message
}

func (r *reader) finish() {
	r.counters.fill(r.info)
	in := r.info
	in.TemplateMemory = r.w.src.templates.memory
	if in.StreamMismatch > 0 {
		r.warn("%d streams have a length that differs from the number of their live entries: "+
			"old servers counted deletions wrongly", in.StreamMismatch)
	}
	for _, m := range in.Modules {
		if m.Skipped > 0 && module.Reads(m.Name) {
			r.warn("%d keys of the module type %s have an encoding version (the newest is %d) or contents that are not known: "+
				"they have neither elements nor exact memory", m.Skipped, m.Name, m.Version)
		}
	}
	if n := in.Opcodes[rdb.OpTemplate]; n > 0 && in.Magic == "VALKEY" {
		r.warn("%d commands that came while the snapshot was saved are in it: the figures are those before them", n)
	}
	if in.EmptyKeys > 0 {
		r.warn("%d keys are collections without an element: a server drops them when it loads the file", in.EmptyKeys)
	}
}
