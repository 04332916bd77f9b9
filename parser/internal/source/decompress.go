package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/parser/internal/inflate"
	"github.com/rdblens/rdblens/parser/message"
)

// zstdWindow bounds the window that a zstd frame may ask for, in bytes. Levels up
// to 20 fit; 21, 22 and --long need more.
const zstdWindow = 32 << 20

// frameKind returns the kind of compressed frame that s begins with, "" if none.
func frameKind(s *peekReader) string {
	head := s.peek(4)
	if len(head) < 4 {
		return ""
	}
	switch magic := binary.LittleEndian.Uint32(head); {
	case magic&0xffffff == 0x088b1f:
		return "gzip"
	case magic == 0xfd2fb528:
		return "zstd"
	case magic == lz4Magic:
		return "lz4"
	case string(head[:3]) == "VCS" && head[3] < ' ':
		if head = s.peek(5); len(head) == 5 && head[4] == vcsZstd {
			return "vcs-zstd"
		}
		return "vcs-lz4"
	case magic&^0xf == lz4Skip:
		return skippedKind(s)
	}
	return ""
}

// skippedKind returns the kind of the frame behind a skippable frame, which
// zstd and LZ4 share.
func skippedKind(s *peekReader) string {
	head := s.peek(8)
	if len(head) == 8 {
		if n := binary.LittleEndian.Uint32(head[4:]); n < peekSize-12 {
			head = s.peek(12 + int(n))
			if len(head) == 12+int(n) && binary.LittleEndian.Uint32(head[8+n:]) == lz4Magic {
				return "lz4"
			}
		}
	}
	return "zstd"
}

// decompress puts a decompressor on top.
func (s *Reader) decompress(kind string) error {
	layer := &layer{kind: kind, raw: s.raw}
	var in *bufio.Reader
	if kind != "gzip" {
		in = bufio.NewReaderSize(s.top, 64<<10)
	}
	switch kind {
	case "gzip":
		layer.r = inflate.NewReader(s.top)
	case "zstd", "vcs-zstd":
		var frames io.Reader = in
		if kind == "vcs-zstd" {
			if err := s.openVCS(in); err != nil {
				return err
			}
			frames = &zstdFrame{r: in}
		}
		var head zstd.Header
		first, _ := in.Peek(zstd.HeaderMaxSize)
		layer.summed = head.Decode(first) == nil && head.HasCheckSum
		z, _ := spareZstd.Get().(*zstd.Decoder)
		var err error
		if z == nil {
			z, err = newZstd(zstdWindow)
		}
		if err == nil {
			err = z.Reset(frames)
		}
		if err != nil {
			return s.broken(layer.wrap(err))
		}
		s.closers = append(s.closers, func() error {
			if err := z.Reset(nil); err != nil || layer.err != nil && layer.err != io.EOF { // it may have panicked
				return err
			}
			spareZstd.Put(z)
			return nil
		})
		layer.r = z
	case "lz4", "vcs-lz4":
		if kind == "vcs-lz4" {
			if err := s.openVCS(in); err != nil {
				return err
			}
		}
		z, _ := spareLZ4.Get().(*lz4Reader)
		if z == nil {
			z = new(lz4Reader)
		}
		*z = lz4Reader{r: in, single: kind == "vcs-lz4", out: z.out}
		s.closers = append(s.closers, func() error {
			z.r = nil
			spareLZ4.Put(z)
			return nil
		})
		layer.r = z
	}
	s.frames = append(s.frames, kind)
	s.compressed = true
	if s.layer != nil {
		s.outer = append(s.outer, s.layer)
	}
	s.layer = layer
	s.top = &peekReader{r: layer}
	if head := s.top.peek(1); len(head) == 0 {
		if s.top.err == io.EOF {
			return &Error{Reason: message.Format("the %s data is empty", kind),
				Hint: message.New("an empty file was compressed, or the compression failed: copy the snapshot again")}
		}
		return s.broken(s.top.err)
	}
	return nil
}

// Decoders and buffers of sources that were closed: a snapshot may be read more than once,
// and those of the pass before would be garbage beside those of the next.
var spareZstd, spareLZ4 sync.Pool

// newZstd returns a decoder of frames with windows of up to window bytes, in one goroutine.
// Of its other buffers, each is made once for the largest block: with little memory they
// would grow step by step, and leave more garbage than they save.
func newZstd(window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(false),
		zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(window))
}

// broken returns the error of a frame from which nothing could be read.
func (s *Reader) broken(err error) error {
	if s.raw.err != nil {
		return s.raw.err
	}
	e := &Error{Reason: message.Of(err), Hint: message.New("the file is truncated or damaged: copy it again")}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		e.Reason = message.Format("the zstd data needs a window of more than %d MB", zstdWindow>>20)
		e.Hint = message.New("it was written with --long or --ultra: zstd -dc --long=31 FILE | rdblens scan -")
	}
	return e
}

// The codecs of Valkey's compressed snapshots, each one frame.
const (
	vcsLZ4  = 1
	vcsZstd = 2
)

// openVCS reads the header of Valkey's compressed snapshot: "VCS", version 1,
// codec, flags of which the lowest says that the frame has checksums, kind 1 (RDB)
// (compression_stream.c). The closing mark of a replication stream follows the
// frame.
func (s *Reader) openVCS(r *bufio.Reader) error {
	if s.mark != nil {
		s.markIn = r
	}
	var head [7]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return &Error{Reason: message.New("the file ends within the header of a Valkey compressed snapshot"),
			Hint: message.New(emptyHint)}
	}
	const hint = "save it again with the server that wrote it: CONFIG SET rdbcompression yes, then BGSAVE"
	switch {
	case head[3] != 1:
		return &Error{Reason: message.Format("a Valkey compressed snapshot of unknown version %d", head[3]),
			Hint: message.New(hint)}
	case head[4] != vcsLZ4 && head[4] != vcsZstd:
		return &Error{Reason: message.Format("a Valkey compressed snapshot with unknown codec %d", head[4]),
			Hint: message.New(hint)}
	case head[5] > 1:
		return &Error{Reason: message.Format("a Valkey compressed snapshot with unknown flags %#x", head[5]),
			Hint: message.New(hint)}
	case head[6] != 1:
		return &Error{Reason: message.Format("a Valkey compressed file of kind %d, which is not a snapshot", head[6]),
			Hint: message.New(snapshotHint)}
	}
	return nil
}

// layer is a decompressor whose errors name it. If it panics on hostile bytes,
// that is an error like any other damage.
type layer struct {
	kind string
	r    io.Reader
	raw  *countingReader
	got  bool // at least one byte was read
	// summed: a zstd frame, the first one, ends with a checksum.
	summed bool
	err    error
}

// layerError is damage within a compressed frame.
type layerError struct {
	kind string
	err  error
}

func (e *layerError) Error() string {
	if e.isCut() {
		return fmt.Sprintf("the %s data ends early", e.kind)
	}
	return fmt.Sprintf("the %s data is damaged: %v", e.kind, e.err)
}

func (e *layerError) Unwrap() error { return e.err }

func (l *layer) Read(p []byte) (n int, err error) {
	if l.err != nil {
		return 0, l.err
	}
	defer func() {
		if v := recover(); v != nil {
			n, err = 0, fmt.Errorf("%v", v)
		}
		l.got = l.got || n > 0
		if err != nil {
			l.err = l.wrap(err)
			err = l.err
		}
	}()
	return l.r.Read(p)
}

func (l *layer) wrap(err error) error {
	var below *layerError
	switch {
	case err == io.EOF && l.r != nil:
		return io.EOF
	case l.got && err == zstd.ErrMagicMismatch:
		// Something else follows the compressed data. zstd -d ends there, too.
		return io.EOF
	case l.raw.err != nil:
		return l.raw.err
	case errors.As(err, &below):
		return err
	}
	return &layerError{l.kind, err}
}
