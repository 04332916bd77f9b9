// Package spool keeps what was read of a snapshot, so that a value can be read twice.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A Spool keeps what was read since a given offset, so that a record can be read
// twice: a little in memory, the rest of a larger record in a temporary file.
type Spool struct {
	Ahead int    // bytes that may be read beyond a record that is needed
	from  int64  // bytes before this offset are not needed again
	Skip  bool   // nor are those up to the next call of Release, but for the last
	buf   []byte // the bytes from base on
	base  int64
	Err   error // of the temporary file

	file  *os.File
	named bool  // the file has a name still
	start int64 // offset of the file's first byte; the last one is before base
}

const step = 16 << 10 // bytes that are added at a time

// most is how many bytes are kept in memory.
func (s *Spool) most() int { return 2*s.Ahead + 4*step }

// End returns the offset behind the last byte.
func (s *Spool) End() int64 { return s.base + int64(len(s.buf)) }

// Add appends what was read. An error is in Err.
func (s *Spool) Add(p []byte) {
	for len(p) > 0 && s.Err == nil {
		n := min(len(p), step)
		if len(s.buf)+n > s.most() {
			s.drop(s.from)
		}
		if len(s.buf)+n > s.most() {
			s.spill(s.Ahead)
		}
		s.buf = append(s.buf, p[:n]...)
		p = p[n:]
	}
}

// Cut drops the bytes from an offset on, at most Ahead bytes.
func (s *Spool) Cut(offset int64) { s.buf = s.buf[:offset-s.base] }

// drop drops what lies before an offset from memory.
func (s *Spool) drop(offset int64) {
	if gone := min(offset-s.base, int64(len(s.buf))); gone > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[gone:])]
		s.base += gone
	}
}

// spill makes room in memory: it writes what is there to the temporary file, or
// drops it where nobody needs it. The last bytes, stay of them, remain in memory:
// they may belong to the next record.
func (s *Spool) spill(stay int) {
	n := len(s.buf) - stay
	if n <= 0 {
		return
	}
	if !s.Skip {
		if s.file == nil {
			s.Err = s.create()
		}
		if s.start < s.from {
			s.start = s.base // nothing in the file is needed
		}
		if s.Err == nil {
			_, s.Err = s.file.WriteAt(s.buf[:n], s.base-s.start)
		}
		if s.Err != nil {
			s.Err = fmt.Errorf("the temporary file that a large value needs cannot be written: %w", s.Err)
			return
		}
	}
	s.drop(s.base + int64(n))
}

// create makes the temporary file. Where the system can, it has no name from the
// beginning, so that nothing is left of it however the process ends.
func (s *Spool) create() (err error) {
	if s.file, err = os.CreateTemp("", "rdblens-"); err != nil {
		return err
	}
	s.named = os.Remove(s.file.Name()) != nil
	s.start = s.base
	return nil
}

// Release drops the bytes before an offset, at most Ahead bytes back; those
// after it are still needed.
func (s *Spool) Release(offset int64) {
	s.from, s.Skip = offset, false
	if s.file != nil && offset >= s.base {
		s.file.Truncate(0)
	}
}

// ReadAt reads again what was read since the offset of the last Release.
func (s *Spool) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < s.from {
		return 0, errors.New("internal error: bytes that were not kept are read again")
	}
	if offset < s.base {
		part := p[:min(int64(len(p)), s.base-offset)]
		if n, err = s.file.ReadAt(part, offset-s.start); err != nil || len(part) == len(p) {
			return n, err
		}
		offset = s.base
	}
	if at := offset - s.base; at < int64(len(s.buf)) {
		n += copy(p[n:], s.buf[at:])
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (s *Spool) Close() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}

// Spilled reports whether there is a temporary file.
func (s *Spool) Spilled() bool { return s.file != nil }
