package parser

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A spool keeps what was read since a given offset, so that a record can be read
// twice: a little in memory, the rest of a larger record in a temporary file.
type spool struct {
	ahead int    // bytes that may be read beyond a record that is needed
	from  int64  // bytes before this offset are not needed again
	skip  bool   // nor are those up to the next call of release, but for the last
	buf   []byte // the bytes from base on
	base  int64
	err   error // of the temporary file

	file  *os.File
	named bool  // the file has a name still
	start int64 // offset of the file's first byte; the last one is before base
}

const (
	// scannerAhead is more than a Scanner reads beyond the key that it returns.
	scannerAhead = 4 * scanBlock
	spoolStep    = 16 << 10 // bytes that are added at a time
)

// most is how many bytes are kept in memory.
func (s *spool) most() int { return 2*s.ahead + 4*spoolStep }

// end returns the offset behind the last byte.
func (s *spool) end() int64 { return s.base + int64(len(s.buf)) }

// add appends what was read. An error is in s.err.
func (s *spool) add(p []byte) {
	for len(p) > 0 && s.err == nil {
		n := min(len(p), spoolStep)
		if len(s.buf)+n > s.most() {
			s.drop(s.from)
		}
		if len(s.buf)+n > s.most() {
			s.spill(s.ahead)
		}
		s.buf = append(s.buf, p[:n]...)
		p = p[n:]
	}
}

// cut drops what lies behind an offset, at most ahead bytes.
func (s *spool) cut(offset int64) { s.buf = s.buf[:offset-s.base] }

// drop drops what lies before an offset from memory.
func (s *spool) drop(offset int64) {
	if gone := min(offset-s.base, int64(len(s.buf))); gone > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[gone:])]
		s.base += gone
	}
}

// spill makes room in memory: it writes what is there to the temporary file, or
// drops it where nobody needs it. The last bytes, stay of them, remain in memory:
// they may belong to the next record.
func (s *spool) spill(stay int) {
	n := len(s.buf) - stay
	if n <= 0 {
		return
	}
	if !s.skip {
		if s.file == nil {
			s.err = s.create()
		}
		if s.start < s.from {
			s.start = s.base // nothing in the file is needed
		}
		if s.err == nil {
			_, s.err = s.file.WriteAt(s.buf[:n], s.base-s.start)
		}
		if s.err != nil {
			s.err = fmt.Errorf("the temporary file that a large value needs cannot be written: %w", s.err)
			return
		}
	}
	s.drop(s.base + int64(n))
}

// create makes the temporary file. Where the system can, it has no name from the
// beginning, so that nothing is left of it however the process ends.
func (s *spool) create() (err error) {
	if s.file, err = os.CreateTemp("", "rdblens-"); err != nil {
		return err
	}
	s.named = os.Remove(s.file.Name()) != nil
	s.start = s.base
	return nil
}

// release drops the bytes before an offset, at most scannerAhead bytes back; those
// after it are still needed.
func (s *spool) release(offset int64) {
	s.from, s.skip = offset, false
	if s.file != nil && offset >= s.base {
		s.file.Truncate(0)
	}
}

// ReadAt reads again what was read since the offset of the last release.
func (s *spool) ReadAt(p []byte, offset int64) (n int, err error) {
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

// Close removes the temporary file.
func (s *spool) Close() error {
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
