package source

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A zstdFrame reads the compressed bytes of one zstd frame and leaves what follows
// it in r: package zstd has no way to stop behind a frame. The format is RFC 8878,
// section 3.1.1.
type zstdFrame struct {
	r     *bufio.Reader
	left  int64 // bytes of the current part that are still to be read
	begun bool
	sum   bool // a checksum of four bytes ends the frame
	last  bool // the current block is the last one
	done  bool
}

func (z *zstdFrame) Read(p []byte) (int, error) {
	for z.left == 0 {
		if z.done {
			return 0, io.EOF
		}
		if err := z.next(); err != nil {
			return 0, err
		}
	}
	n, err := z.r.Read(p[:min(int64(len(p)), z.left)])
	z.left -= int64(n)
	return n, noEOF(err)
}

// next begins the next part of the frame: its header, a block, or the checksum.
func (z *zstdFrame) next() error {
	switch {
	case !z.begun:
		z.begun = true
		var h zstd.Header
		head, err := z.r.Peek(zstd.HeaderMaxSize)
		if len(head) == 0 {
			return noEOF(err)
		}
		if err := h.Decode(head); err != nil {
			return err
		}
		if h.Skippable {
			return errors.New("a frame without data comes first")
		}
		z.left, z.sum = int64(h.HeaderSize), h.HasCheckSum
	case z.last:
		z.done = true
		if z.sum {
			z.left = 4
		}
	default:
		head, err := z.r.Peek(3)
		if err != nil {
			return noEOF(err)
		}
		block := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
		const rle = 1 // one byte, repeated
		size := int64(block >> 3)
		if block>>1&3 == rle {
			size = 1
		}
		z.left, z.last = 3+size, block&1 != 0
	}
	return nil
}
