package parser

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// zstdWindow bounds the memory that a zstd frame may ask for. zstd needs that
// much up to level 20; 21, 22 and --long go beyond it.
const zstdWindow = 32 << 20

// frameKind names the compressed frame that begins in s, "" for none.
func frameKind(s *stream) string {
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
		return "vcs-lz4"
	case magic&^0xf == lz4Skip:
		return skippedKind(s)
	}
	return ""
}

// skippedKind looks behind a frame to be skipped, which zstd and LZ4 have in
// common.
func skippedKind(s *stream) string {
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

// unpack puts a decompressor on top.
func (s *Source) unpack(kind string) error {
	below := s.top
	in := bufio.NewReaderSize(below, 64<<10)
	layer := &layer{kind: kind, raw: s.raw}
	switch kind {
	case "gzip":
		// The header was looked at: that it fits is not known yet.
		z, err := gzip.NewReader(in)
		if err != nil {
			return s.broken(layer.wrap(err))
		}
		layer.r = z
	case "zstd":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(zstdWindow), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return s.broken(layer.wrap(err))
		}
		s.closers = append(s.closers, func() error { z.Close(); return nil })
		layer.r = z
	case "lz4":
		layer.r = &lz4Reader{r: in}
	case "vcs-lz4":
		if err := openVCS(in); err != nil {
			return err
		}
		if s.mark != nil {
			s.behind = in
		}
		layer.r = &lz4Reader{r: in, single: true}
	}
	s.frames = append(s.frames, kind)
	s.packed = true
	s.top = newStream(layer)
	if head := s.top.peek(1); len(head) == 0 {
		if s.top.err == io.EOF {
			return &FormatError{Reason: fmt.Sprintf("the %s data is empty", kind), Hint: "what was compressed was empty, or the compression failed: fetch the snapshot again"}
		}
		return s.broken(s.top.err)
	}
	return nil
}

// broken gives the error of a frame from which nothing could be read.
func (s *Source) broken(err error) error {
	if s.raw.err != nil {
		return s.raw.err
	}
	e := &FormatError{Reason: err.Error(), Hint: "the file was cut short or damaged: fetch it again"}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		e.Reason = fmt.Sprintf("the zstd data needs a window of more than %d MB", zstdWindow>>20)
		e.Hint = "it was written with --long or --ultra: zstd -dc --long=31 FILE | rdblens scan -"
	}
	return e
}

// openVCS reads the head of Valkey's compressed snapshot: "VCS", version 1,
// codec 1 (an LZ4 frame), a zero, kind 1 (RDB).
func openVCS(r *bufio.Reader) error {
	var head [7]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return &FormatError{Reason: "the file ends within the head of a Valkey compressed snapshot", Hint: emptyHint}
	}
	const hint = "convert it with the Valkey server that wrote it: CONFIG SET rdbcompression yes, then BGSAVE"
	switch {
	case head[3] != 1:
		return &FormatError{Reason: fmt.Sprintf("a Valkey compressed snapshot of version %d, which is not known", head[3]), Hint: hint}
	case head[4] != 1:
		return &FormatError{Reason: fmt.Sprintf("a Valkey compressed snapshot with codec %d, which is not known", head[4]), Hint: hint}
	case head[6] != 1:
		return &FormatError{Reason: fmt.Sprintf("a Valkey compressed file of kind %d, which is no snapshot", head[6]), Hint: snapshotHint}
	}
	return nil
}

// layer is a decompressor with its errors put into words. A decompressor that
// panics on hostile bytes has found damage, too.
type layer struct {
	kind string
	r    io.Reader
	raw  *rawReader
	got  bool // a byte was given
	err  error
}

// layerError is damage within a frame.
type layerError struct {
	kind string
	err  error
}

func (e *layerError) Error() string {
	if e.err == io.ErrUnexpectedEOF || e.err == io.EOF {
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
	case l.got && (err == gzip.ErrHeader || err == zstd.ErrMagicMismatch):
		// Something else follows the compressed data, as gzip -d and zstd -d
		// see it, too.
		return io.EOF
	case l.raw.err != nil:
		return l.raw.err
	case errors.As(err, &below):
		return err
	}
	return &layerError{l.kind, err}
}
