package parser

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Source gives the bytes of a snapshot, from its magic on, whatever stands
// around it: gzip, zstd and LZ4 files, Valkey's compressed envelope, and
// captures of a replication stream. All are known by their first bytes, never
// by a name, and undone as they stream. A plain file is read straight into the
// caller's buffer.
//
// What a Source asks of its reader: an error of Read counts only where the
// snapshot needs the bytes behind it, as the checksum of a frame may be wrong
// behind a whole snapshot. And after the snapshot's last byte (its checksum,
// or the end mark before version 5), however far it has read ahead, the reader
// calls End once:
//
//	End(read int64, rest []byte) (trailing int64, err error)
//
// with the length of the snapshot in bytes and those bytes that it has read
// behind it. End checks what the frames demand there, and says how many bytes
// followed that belong to none of them, as far as it looked (an append-only
// file's commands, padding). Its error says that a frame is damaged although
// the snapshot is whole.
type Source struct {
	raw     *rawReader
	top     *stream
	closers []func() error
	frames  []string
	size    int64

	packed bool      // something was decompressed
	mark   []byte    // what must follow the snapshot, nil nothing
	behind io.Reader // where mark stands if not in the Source itself
	length int64     // announced length of the snapshot, -1 none
}

// Ender is what a reader of a snapshot does where the snapshot ends; see
// Source.
type Ender interface {
	End(read int64, rest []byte) (trailing int64, err error)
}

// The limits of what stands around a snapshot.
const (
	maxPacked     = 2       // compressed frames within one another
	maxKeepAlives = 1 << 20 // empty lines before a replication stream's snapshot
	peekSize      = 4 << 10 // bytes looked at to say what an input is
	// MaxTrailing is as far as Info.Trailing counts, in bytes, behind a snapshot
	// that is compressed or of unknown length.
	MaxTrailing = 1 << 20
)

// Open opens a snapshot file, "-" for standard input. The error is a
// *FormatError where the file can be read and is no snapshot.
func Open(path string) (*Source, error) {
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

func open(f *os.File, closer func() error) (*Source, error) {
	size := int64(-1)
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, directoryError(f.Name())
	case info.Mode().IsRegular():
		size = info.Size()
	}
	s, err := wrap(f, size)
	if s != nil && closer != nil {
		s.closers = append(s.closers, closer)
	}
	return s, err
}

func directoryError(path string) error {
	e := &FormatError{Reason: "this is a directory", Hint: "name the snapshot in it, such as dump.rdb or appendonlydir/appendonly.aof.1.base.rdb"}
	if _, err := os.Stat(filepath.Join(path, "dump.rdb")); err == nil {
		e.Hint = "name the snapshot in it: dump.rdb"
	}
	return e
}

// Wrap is Open for any reader. Close does not close it.
func Wrap(r io.Reader) (*Source, error) { return wrap(r, -1) }

func wrap(r io.Reader, size int64) (*Source, error) {
	raw := &rawReader{r: r}
	s := &Source{raw: raw, top: newStream(raw), size: size, length: -1}
	if err := s.unwrap(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// unwrap undoes frames until a snapshot's magic comes.
func (s *Source) unwrap() error {
	for packed := 0; !isMagic(s.top.peek(9)); {
		kind := frameKind(s.top)
		framed := s.mark != nil || s.length >= 0
		var err error
		switch {
		case kind == "" && !framed && bytes.IndexAny(s.top.peek(1), "\n+$") == 0:
			err = s.replication()
		case kind == "":
			err = s.refuse()
		case framed && kind != "vcs-lz4" || s.length >= 0:
			err = &FormatError{Reason: fmt.Sprintf("the replication stream holds %s data instead of a snapshot", kind), Hint: captureHint}
		case packed == maxPacked:
			err = &FormatError{Reason: fmt.Sprintf("compressed more than %d times", maxPacked), Hint: "decompress it and give it by a pipe"}
		default:
			packed++
			err = s.unpack(kind)
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

// replication reads what a primary sends before a snapshot: status lines,
// empty lines as signs of life, and one line that says how the snapshot ends.
func (s *Source) replication() error {
	var status []byte // the last status line
	for range maxKeepAlives {
		head := s.top.peek(1)
		if len(head) == 0 {
			e := &FormatError{Reason: "the file holds nothing but empty lines", Hint: "a primary sends them until its snapshot is ready: the capture ended before that"}
			if status != nil {
				e.Reason, e.Hint = fmt.Sprintf("a replication stream without a snapshot: it ends behind %q", status), captureHint
			}
			return s.refused(e)
		}
		if head[0] == '\n' {
			s.top.skip(1)
			continue
		}
		line := s.top.line(256)
		if len(line) <= len("\r\n") {
			break
		}
		switch text := line[:len(line)-2]; {
		case text[0] == '+':
			status = bytes.Clone(text)
			s.top.skip(len(line))
			continue
		case len(text) == 45 && bytes.HasPrefix(text, []byte("$EOF:")):
			s.mark = bytes.Clone(text[5:])
			s.frames = append(s.frames, "replication-eof")
		default:
			n, ok := announced(bytes.TrimPrefix(text, []byte("$")))
			if text[0] != '$' || !ok {
				return s.refuse()
			}
			s.length = n
			s.frames = append(s.frames, "replication-length")
		}
		s.top.skip(len(line))
		return nil
	}
	return s.refuse()
}

// announced reads a number of 1 to 18 digits.
func announced(text []byte) (n int64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(text) > 0 && len(text) <= 18
}

// Read gives the next bytes of the snapshot and of what follows it.
func (s *Source) Read(p []byte) (int, error) { return s.top.Read(p) }

// End checks what has to follow the snapshot; see Source.
func (s *Source) End(read int64, rest []byte) (trailing int64, err error) {
	trailing = int64(len(rest))
	if s.mark != nil && s.behind == nil {
		trailing, err = s.endMark(s, rest)
	} else if s.length >= 0 && read != s.length {
		err = fmt.Errorf("the replication stream announces a snapshot of %d bytes and this one has %d", s.length, read)
	}
	if s.packed || s.size < 0 {
		// How far others have read ahead must not show.
		n, cause := s.drain(MaxTrailing - trailing)
		trailing = min(trailing+n, MaxTrailing)
		if err == nil && s.packed {
			err = cause
		}
	} else {
		trailing += max(0, s.size-s.raw.n.Load()) + int64(len(s.top.head))
	}
	if s.behind != nil && err == nil {
		_, err = s.endMark(s.behind, nil)
	}
	return trailing, err
}

// endMark looks for the closing mark in what was read and what in has. n is
// the number of bytes in both, less those of the mark.
func (s *Source) endMark(in io.Reader, read []byte) (n int64, err error) {
	got := make([]byte, len(s.mark))
	have := copy(got, read)
	more, _ := io.ReadFull(in, got[have:])
	n = int64(len(read) + more)
	if !bytes.Equal(got[:have+more], s.mark) {
		return n, errors.New("the closing mark of the replication stream is missing")
	}
	return n - int64(len(s.mark)), nil
}

// drain reads on, at most so many bytes, so that the checksums of frames are
// compared and what follows is counted.
func (s *Source) drain(most int64) (n int64, err error) {
	buf := make([]byte, 32<<10)
	for n < most {
		k, err := s.Read(buf[:min(int64(len(buf)), most-n)])
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

// Size is the length of the file in bytes as it lies on the disk, -1 unknown.
func (s *Source) Size() int64 { return s.size }

// Progress is how many bytes of the file were read, comparable with Size. It
// may be called while another goroutine reads.
func (s *Source) Progress() int64 { return s.raw.n.Load() }

// Frames names what stands around the snapshot, as Info.Frames has it.
func (s *Source) Frames() []string { return s.frames }

// Close closes the file and frees what the frames needed.
func (s *Source) Close() error {
	var first error
	for i := len(s.closers) - 1; i >= 0; i-- {
		if err := s.closers[i](); first == nil {
			first = err
		}
	}
	s.closers = nil
	return first
}

// rawReader counts the bytes that were read and keeps the error of the reader
// below, to tell it from one that a decompressor found in the bytes.
type rawReader struct {
	r   io.Reader
	n   atomic.Int64
	err error // not io.EOF
}

func (c *rawReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// stream is a reader whose first bytes can be looked at.
type stream struct {
	r    io.Reader
	head []byte // read and not yet given
	err  error  // of r, behind head
}

func newStream(r io.Reader) *stream { return &stream{r: r} }

// peek gives at least the next n bytes, fewer where the stream ends or fails.
// n is at most peekSize.
func (s *stream) peek(n int) []byte {
	for idle := 0; len(s.head) < n && s.err == nil; {
		if cap(s.head) < peekSize {
			s.head = append(make([]byte, 0, 2*peekSize), s.head...)
		}
		k, err := s.r.Read(s.head[len(s.head):cap(s.head)])
		s.head, s.err = s.head[:len(s.head)+k], err
		if idle++; k > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			s.err = io.ErrNoProgress
		}
	}
	return s.head[:min(n, len(s.head))]
}

// line gives the next line with its \r\n, nil where none ends within limit
// bytes.
func (s *stream) line(limit int) []byte {
	for n := 1; n <= limit; n++ {
		if head := s.peek(n); len(head) < n {
			return nil
		} else if bytes.HasSuffix(head, []byte("\r\n")) {
			return head
		}
	}
	return nil
}

func (s *stream) skip(n int) { s.head = s.head[n:] }

func (s *stream) Read(p []byte) (int, error) {
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
