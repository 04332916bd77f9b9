// Package source reads the bytes of a snapshot out of whatever surrounds it:
// gzip, zstd and LZ4 files, Valkey's compressed envelope, and captures of a
// replication stream. Formats are detected by magic bytes, not by file name,
// and decompressed as they stream.
//
// An input that is no snapshot is refused with an *Error that says what it
// looks like and what to do.
package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser/message"
)

// A Reader reads the bytes of a snapshot, from its magic on. A plain file is
// read straight into the caller's buffer.
//
// An error of Read matters only if the snapshot needs the bytes after it: the
// checksum of a compressed frame may be wrong after a whole snapshot.
type Reader struct {
	raw     *countingReader
	top     *peekReader // the innermost layer
	layer   *layer      // that of top, nil if it is not compressed
	outer   []*layer    // those below it, from the file on
	ahead   *ahead      // fills buffers from top, nil before the first Begin
	closers []func() error
	frames  []string
	size    int64 // of the file in bytes, -1 unknown
	random  io.ReaderAt

	compressed bool // a layer is
	stopped    bool // ahead
	closed     bool
	mark       []byte    // must follow the snapshot; nil: nothing must
	markIn     io.Reader // where mark is read from, nil: the Reader itself
	length     int64     // announced length of the snapshot in bytes, -1 none
}

// Error is the reason why an input is no snapshot. Nothing of it was read.
type Error struct {
	Reason message.Message
	Hint   message.Message // what to do about it
}

func (e *Error) Error() string { return e.Reason.Quoted() }

func (e *Error) AsMessage() message.Message { return e.Reason }

const (
	maxNested     = 2       // compressed frames within one another
	maxKeepAlives = 1 << 20 // empty lines before a replication stream's snapshot
	peekSize      = 4 << 10 // bytes looked at to recognize an input

	// MaxTrailing is how many bytes after a compressed snapshot, or one of
	// unknown length, End counts at most.
	MaxTrailing = 1 << 20
)

// Open opens a file, or standard input if path is "-". The error is an *Error
// if the file can be read but is no snapshot.
func Open(path string) (*Reader, error) {
	if path == "-" {
		return open(os.Stdin, nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := open(f, f.Close)
	if err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func open(f *os.File, closer func() error) (*Reader, error) {
	size, start := int64(-1), int64(0)
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, directoryError(f.Name())
	case info.Mode().IsRegular():
		size = info.Size()
		if start, err = f.Seek(0, io.SeekCurrent); err != nil {
			return nil, err
		}
	}
	s, err := wrap(f, size)
	if s != nil && size >= 0 && !s.compressed {
		start += s.raw.n.Load() - int64(len(s.top.head))
		s.random = io.NewSectionReader(f, start, math.MaxInt64-start)
	}
	if s != nil && closer != nil {
		s.closers = append(s.closers, closer)
	}
	return s, err
}

func directoryError(path string) error {
	e := &Error{Reason: message.New("this is a directory"),
		Hint: message.New("name the snapshot in it, such as dump.rdb or appendonlydir/appendonly.aof.1.base.rdb")}
	if _, err := os.Stat(filepath.Join(path, "dump.rdb")); err == nil {
		e.Hint = message.New("name the snapshot in it: dump.rdb")
	}
	return e
}

// Wrap is like Open for any reader. Close does not close r.
func Wrap(r io.Reader) (*Reader, error) { return wrap(r, -1) }

func wrap(r io.Reader, size int64) (*Reader, error) {
	raw := &countingReader{r: r}
	s := &Reader{raw: raw, top: &peekReader{r: raw}, size: size, length: -1}
	if err := s.unwrap(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// unwrap removes layers until a snapshot's magic comes first.
func (s *Reader) unwrap() error {
	for nested := 0; !isMagic(s.top.peek(9)); {
		kind := frameKind(s.top)
		captured := s.mark != nil || s.length >= 0
		var err error
		switch {
		case kind == "" && !captured && bytes.IndexAny(s.top.peek(1), "\n+$") == 0:
			err = s.replication()
		case kind == "":
			err = s.refuse()
		case captured && !strings.HasPrefix(kind, "vcs-") || s.length >= 0:
			err = &Error{Reason: message.Format("the replication stream holds %s data instead of a snapshot", kind),
				Hint: message.New(captureHint)}
		case nested == maxNested:
			err = &Error{Reason: message.Format("compressed more than %d times", maxNested),
				Hint: message.New("decompress it and pipe it to rdblens scan -")}
		default:
			nested++
			err = s.decompress(kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isMagic(head []byte) bool {
	return len(head) == 9 && (bytes.HasPrefix(head, []byte("REDIS")) || bytes.HasPrefix(head, []byte("VALKEY")))
}

// Read reads the next bytes of the snapshot and of what follows it, those first for which
// Begin was called and Next was not.
func (s *Reader) Read(p []byte) (int, error) {
	if s.closed && s.compressed {
		return 0, os.ErrClosed
	}
	if s.ahead != nil {
		if n, err := s.ahead.read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return s.top.Read(p)
}

// Compressed reports whether a layer is compressed, so that reading ahead saves time.
func (s *Reader) Compressed() bool { return s.compressed }

// Begin has a goroutine fill p with the bytes that come next, which Next waits for. At most
// MaxAhead buffers can be begun. The goroutine ends with Close.
func (s *Reader) Begin(p []byte) {
	if s.ahead == nil {
		s.ahead = newAhead(s.top)
	}
	s.ahead.begun++
	s.ahead.todo <- p
}

// Next returns how many bytes are in the first of the buffers that were begun. It is full
// unless there is an error behind them, io.EOF included.
func (s *Reader) Next() (n int, err error) {
	b, ok := s.ahead.take()
	if !ok {
		return 0, os.ErrClosed
	}
	return len(b.data), b.err
}

// End checks what must follow the snapshot: the closing mark of a replication
// stream and the checksums of compressed frames. read is the length of the
// snapshot in bytes, rest holds the bytes after it that the caller has read
// already. End returns the number of bytes that follow and belong to no frame,
// such as an append-only file's commands; it counts at most MaxTrailing of
// them unless the length of the file tells. It must be called at most once.
func (s *Reader) End(read int64, rest []byte) (trailing int64, err error) {
	trailing = int64(len(rest))
	if s.mark != nil && s.markIn == nil {
		trailing, err = s.endMark(s, rest)
	} else if s.length >= 0 && read != s.length {
		err = fmt.Errorf("the replication stream announces a snapshot of %d bytes and this one has %d", s.length, read)
	}
	if s.compressed || s.size < 0 {
		// The result must not depend on how far the caller has read ahead.
		n, cause := s.drain(MaxTrailing - trailing)
		trailing = min(trailing+n, MaxTrailing)
		if err == nil && s.compressed {
			err = cause
		}
	} else {
		trailing += max(0, s.size-s.raw.n.Load()) + int64(len(s.top.head))
	}
	if s.markIn != nil && err == nil {
		s.stopAhead() // it reads markIn, too
		_, err = s.endMark(s.markIn, nil)
	}
	if err == nil {
		err = s.drainOuter()
	}
	return trailing, err
}

// drainOuter reads the layers around the innermost one to their ends, where their
// checksums are, as far as MaxTrailing bytes reach: that one may end before them.
func (s *Reader) drainOuter() error {
	if len(s.outer) == 0 {
		return nil
	}
	s.stopAhead()
	for _, l := range slices.Backward(s.outer) {
		if _, err := io.CopyN(io.Discard, l, MaxTrailing); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// endMark compares what was read and what follows in r with the closing mark.
// n is the number of bytes taken from both, less those of the mark.
func (s *Reader) endMark(r io.Reader, read []byte) (n int64, err error) {
	got := make([]byte, len(s.mark))
	have := copy(got, read)
	more, _ := io.ReadFull(r, got[have:])
	n = int64(len(read) + more)
	if !bytes.Equal(got[:have+more], s.mark) {
		return n, errors.New("the closing mark of the replication stream is missing")
	}
	return n - int64(len(s.mark)), nil
}

// drain reads at most limit bytes, so that the decompressors verify their
// checksums, and counts them.
func (s *Reader) drain(limit int64) (n int64, err error) {
	buf := make([]byte, 32<<10)
	for n < limit {
		k, err := s.Read(buf[:min(int64(len(buf)), limit-n)])
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Size returns the length of the file on disk in bytes, or -1 if it is unknown.
func (s *Reader) Size() int64 { return s.size }

// Progress returns how many bytes of the file have been read, to be compared
// with Size. It may be called while another goroutine reads.
func (s *Reader) Progress() int64 { return s.raw.n.Load() }

// ReaderAt returns random access to the bytes that Read returns, the first byte
// of the snapshot being at 0, or nil where a regular file does not hold them as
// they are.
func (s *Reader) ReaderAt() io.ReaderAt { return s.random }

// Frames returns the names of the layers around the snapshot, outermost first:
// "gzip", "zstd", "lz4", "vcs-lz4", "vcs-zstd", "replication-eof", "replication-length".
func (s *Reader) Frames() []string { return s.frames }

// Close closes the file and frees the decompressors. It waits for a read of the file
// that is under way.
func (s *Reader) Close() error {
	s.stopAhead()
	s.closed = true
	var first error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); first == nil {
			first = err
		}
	}
	s.closers = nil
	return first
}

func (s *Reader) stopAhead() {
	if s.ahead != nil && !s.stopped {
		s.stopped = true
		s.ahead.stop()
	}
}

// countingReader counts the bytes that were read and keeps the error of r, to
// tell it from damage that a decompressor found.
type countingReader struct {
	r   io.Reader
	n   atomic.Int64
	err error // not io.EOF
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// peekReader is a reader whose next bytes can be looked at.
type peekReader struct {
	r    io.Reader
	head []byte // read from r and not yet returned
	err  error  // of r, behind head
}

// peek returns at least the next n bytes, fewer if r ends or fails. n must be
// at most peekSize.
func (s *peekReader) peek(n int) []byte {
	for len(s.head) < n && s.err == nil {
		if cap(s.head) < peekSize {
			s.head = append(make([]byte, 0, 2*peekSize), s.head...)
		}
		k, err := atLeast(s.r, s.head[len(s.head):cap(s.head)], n-len(s.head))
		s.head, s.err = s.head[:len(s.head)+k], err
	}
	return s.head[:min(n, len(s.head))]
}

// line returns the next line with its \r\n, or nil if none ends within limit
// bytes.
func (s *peekReader) line(limit int) []byte {
	for n := 1; n <= limit; n++ {
		if head := s.peek(n); len(head) < n {
			return nil
		} else if bytes.HasSuffix(head, []byte("\r\n")) {
			return head
		}
	}
	return nil
}

func (s *peekReader) skip(n int) { s.head = s.head[n:] }

// atLeast reads until p has at least the given number of bytes. err is that of r behind
// the n bytes that were read: io.ErrNoProgress if r returns neither bytes nor an error.
func atLeast(r io.Reader, p []byte, least int) (n int, err error) {
	for idle := 0; n < least && err == nil; {
		var k int
		k, err = r.Read(p[n:])
		n += k
		if idle++; k > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// Fill reads until p is full. err is that of r behind the n bytes that were read, and
// io.ErrNoProgress if r returns neither bytes nor an error.
func Fill(r io.Reader, p []byte) (n int, err error) { return atLeast(r, p, len(p)) }

func (s *peekReader) Read(p []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.r.Read(p)
}
