package parser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool is a reader over a source without random access. It keeps what was read
// since a given offset, so that a record can be read twice: a little in memory,
// the rest of a larger record in a temporary file.
type spool struct {
	src  io.Reader
	off  bool   // nothing that is read from now on is needed again
	from int64  // bytes before this offset are not needed again
	skip bool   // nor are those up to the next call of release, but for the last
	buf  []byte // the bytes from base on
	base int64
	err  error

	file  *os.File
	named bool  // the file has a name still
	start int64 // offset of the file's first byte; the last one is before base
}

const (
	// scannerAhead is more than a Scanner reads beyond the key that it returns.
	scannerAhead = 4 * scanBlock
	spoolMemory  = 2 * scannerAhead // bytes kept in memory
)

// Read reads from the source. An error of the temporary file is final.
func (s *spool) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.src.Read(p)
	if s.off {
		return n, err
	}
	if len(s.buf)+n > spoolMemory {
		s.drop(s.from)
		if len(s.buf)+n > spoolMemory {
			s.spill(scannerAhead)
		}
	}
	if s.err != nil {
		return 0, s.err
	}
	s.buf = append(s.buf, p[:n]...)
	return n, err
}

// write appends bytes, of which few stay in memory. An error is in s.err.
func (s *spool) write(p []byte) {
	const memory, step = 64 << 10, 16 << 10
	for len(p) > 0 && s.err == nil {
		if len(s.buf) >= memory {
			s.spill(0)
		}
		n := min(len(p), step)
		s.buf = append(s.buf, p[:n]...)
		p = p[n:]
	}
}

// reset drops everything.
func (s *spool) reset() {
	s.buf, s.base, s.from, s.start = s.buf[:0], 0, 0, 0
	if s.file != nil {
		s.file.Truncate(0)
	}
}

// End passes the end of the snapshot on to the source.
func (s *spool) End(read int64, rest []byte) (int64, error) {
	if e, ok := s.src.(Ender); ok {
		return e.End(read, rest)
	}
	return int64(len(rest)), nil
}

// diagnose is that of the source.
func (s *spool) diagnose(ctx context.Context, offset int64, cause error) string {
	if d, ok := s.src.(diagnoser); ok {
		return d.diagnose(ctx, offset, cause)
	}
	return ""
}

// Frames returns the frames around the source.
func (s *spool) Frames() []string {
	if f, ok := s.src.(interface{ Frames() []string }); ok {
		return f.Frames()
	}
	return nil
}

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
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}
