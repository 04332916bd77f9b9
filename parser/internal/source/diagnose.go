package source

import (
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/parser/internal/inflate"
	"github.com/rdblens/rdblens/parser/message"
)

// Diagnose returns what the compressed frames around a snapshot say about damage at an
// offset of the snapshot, zero if nothing. cause is the error behind the damage, nil if
// the bytes of the snapshot are wrong. Diagnose reads to the end of the frames, where
// their checksums are, or until ctx ends.
func (s *Reader) Diagnose(ctx context.Context, offset int64, cause error) (none message.Message) {
	if !s.compressed {
		return none
	}
	buf := make([]byte, 32<<10)
	var err error
	for err == nil && ctx.Err() == nil {
		_, err = s.Read(buf)
	}
	if err == io.EOF {
		if outer := s.drainOuter(); outer != nil {
			err = outer
		}
	}
	var frame *layerError
	known := errors.As(cause, &frame)
	switch {
	case err == io.EOF && s.hasChecksum():
		return message.Format("the %s checksum is right: the file has not changed since it was compressed", s.layer.kind)
	case !errors.As(err, &frame):
		return none
	case frame.isCut():
		// A changed byte can look like a cut: an end that was passed by.
		unchecked := message.Format("no checksum confirms the keys before offset %d", offset)
		if !known {
			return message.Format("%v: %v", frame, unchecked)
		}
		return unchecked
	}
	unsure := message.Format("keys before offset %d may be wrong", offset)
	if known {
		return unsure
	}
	if frame.isChecksum() {
		return message.Format("the %s checksum is wrong, too: the file was damaged after it was compressed; %v", frame.kind,
			unsure)
	}
	return message.Format("the %s data is damaged, too: the file was damaged after it was compressed; %v", frame.kind,
		unsure)
}

// hasChecksum reports whether the innermost frame has a checksum of its content.
func (s *Reader) hasChecksum() bool {
	switch z := s.layer.r.(type) {
	case *inflate.Reader:
		return true
	case *lz4Reader:
		return z.flags&lz4Sum != 0
	}
	return s.layer.summed
}

// isCut reports whether the compressed data is sound as far as it goes.
func (e *layerError) isCut() bool { return e.err == io.ErrUnexpectedEOF || e.err == io.EOF }

// isChecksum reports whether a checksum or length of the frame differs.
func (e *layerError) isChecksum() bool {
	return errors.Is(e.err, inflate.ErrChecksum) || e.err == zstd.ErrCRCMismatch || e.err == errLZ4Checksum
}
