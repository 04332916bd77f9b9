package source

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// blobWindow bounds the window of a zstd frame in a compressed block, in bytes:
// Dragonfly compresses at most 1 MiB at a time.
const blobWindow = 8 << 20

// A BlobReader decompresses the compressed blocks of Dragonfly's snapshots, each of
// which is one LZ4 or zstd frame that states the length of its content. Source:
// detail/decompress.cc.
type BlobReader struct {
	in    *bufio.Reader
	layer layer
	lz4   lz4Reader
	zstd  *zstd.Decoder
	left  uint64 // bytes of content still to come, of a zstd frame
	sized bool   // its header was read
}

// Reset begins a block: kind is "lz4" or "zstd", and src has the block alone.
func (b *BlobReader) Reset(kind string, src io.Reader) {
	b.layer = layer{kind: kind, raw: &countingReader{r: src}}
	if b.in == nil {
		b.in = bufio.NewReaderSize(b.layer.raw, 64<<10)
	}
	b.in.Reset(b.layer.raw)
	if kind == "lz4" {
		b.lz4.reset(b.in)
		b.layer.r = &b.lz4
		return
	}
	b.sized = false
	b.layer.r = (*zstdBlob)(b)
}

// Read reads what the block unpacks to. The error is io.EOF only if it is sound:
// nothing follows its frame, which has the length that it states.
func (b *BlobReader) Read(p []byte) (int, error) {
	n, err := b.layer.Read(p)
	if err == io.EOF {
		if _, more := b.in.Peek(1); more == nil {
			err = b.layer.wrap(errBlobRest)
		} else if more != io.EOF {
			err = b.layer.wrap(more)
		}
	}
	return n, err
}

var (
	errBlobUnsized = errors.New("its frame does not say how long the content is, which Dragonfly demands")
	errBlobRest    = errors.New("bytes follow its frame")
)

// zstdBlob is a BlobReader whose block is a zstd frame.
type zstdBlob BlobReader

func (b *zstdBlob) Read(p []byte) (n int, err error) {
	if !b.sized {
		if err := b.begin(); err != nil {
			return 0, err
		}
	}
	n, err = b.zstd.Read(p)
	if err == zstd.ErrMagicMismatch {
		return n, errBlobRest
	}
	if uint64(n) > b.left || err == io.EOF && uint64(n) < b.left {
		return 0, errLZ4Size
	}
	b.left -= uint64(n)
	return n, err
}

func (b *zstdBlob) begin() (err error) {
	b.sized = true
	head, _ := b.in.Peek(zstd.HeaderMaxSize)
	var h zstd.Header
	switch err := h.Decode(head); {
	case err != nil:
		return err
	case h.Skippable || !h.HasFCS || h.FrameContentSize == 0:
		return errBlobUnsized
	}
	b.left = h.FrameContentSize
	if b.zstd == nil {
		if b.zstd, err = newZstd(blobWindow); err != nil {
			return err
		}
	}
	return b.zstd.Reset(b.in)
}
