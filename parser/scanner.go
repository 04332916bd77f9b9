package parser

import (
	"io"
	"iter"

	"github.com/rdblens/rdblens/parser/internal/rdb"
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
