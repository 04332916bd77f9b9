package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"github.com/pierrec/lz4/v4"
)

// lz4Reader reads LZ4 frames. Package lz4 decompresses the blocks. Its own frame
// reader is not for hostile input: it continues with any frame that follows, even
// a legacy one, and recurses once for each empty one.
//
// The format is lz4_Frame_format.md of the lz4 project, version 1.6.
type lz4Reader struct {
	r      *bufio.Reader
	single bool // stop behind the first frame
	sized  bool // its length must be stated

	begun  bool // the first frame has begun
	flags  byte
	limit  int    // largest block of the frame
	left   uint64 // bytes still to come, where flags has lz4Size
	sum    xxh32
	out    []byte // 64 KiB of history, a decompressed block, and lz4Slack bytes
	dict   int    // bytes of history
	pos    int    // out[pos:end] is still to be read
	end    int
	inside bool // a frame
	err    error
}

const (
	lz4Magic   = 0x184d2204
	lz4Skip    = 0x184d2a50 // to 0x184d2a5f
	lz4History = 64 << 10

	// lz4Slack is what a compressed block may be longer than what it unpacks to, in
	// bytes: 1 for each 255 literals, and the most that package lz4 writes beyond
	// what it has unpacked, with the block's checksum. So a block at the end of out
	// can be unpacked to the bytes in front of it.
	lz4Slack = 32 << 10

	lz4Dict        = 1 << 0 // the flags of a frame
	lz4Sum         = 1 << 2
	lz4Size        = 1 << 3
	lz4BlockSum    = 1 << 4
	lz4Independent = 1 << 5
)

var (
	errLZ4Header   = errors.New("the frame's header is wrong")
	errLZ4Dict     = errors.New("it needs a dictionary")
	errLZ4Block    = errors.New("a block is larger than its frame allows")
	errLZ4Checksum = errors.New("a checksum differs")
	errLZ4Size     = errors.New("its length is not the one it announces")
)

// reset begins a single frame with its length, and keeps the buffers.
func (z *lz4Reader) reset(r *bufio.Reader) {
	*z = lz4Reader{r: r, single: true, sized: true, out: z.out}
}

func (z *lz4Reader) Read(p []byte) (n int, err error) {
	for z.pos == z.end {
		if z.err == nil {
			n, z.err = z.next(p)
		}
		if n > 0 {
			return n, nil
		}
		if z.err != nil {
			return 0, z.err
		}
	}
	n = copy(p, z.out[z.pos:z.end])
	z.pos += n
	z.add(p[:n])
	return n, nil
}

// add adds what was read to the checksum of the content, while it is in the cache.
func (z *lz4Reader) add(p []byte) {
	if z.flags&lz4Sum != 0 {
		z.sum.write(p)
	}
}

// next decompresses a block, or begins or ends a frame. n is the length of the block
// if p has room for the largest one, so that it is there.
func (z *lz4Reader) next(p []byte) (n int, err error) {
	if !z.inside {
		return 0, z.begin()
	}
	size, err := z.u32()
	if err != nil {
		return 0, err
	}
	if size == 0 {
		return 0, z.finish()
	}
	plain := size>>31 != 0
	size &= 1<<31 - 1
	if size > uint32(z.limit) {
		return 0, errLZ4Block
	}
	sums := 0
	if z.flags&lz4BlockSum != 0 {
		sums = 4
	}
	block, err := z.take(int(size) + sums)
	if err != nil {
		return 0, noEOF(err)
	}
	if block, sums := block[:size], block[size:]; len(sums) > 0 {
		var sum xxh32
		sum.reset()
		sum.write(block)
		if binary.LittleEndian.Uint32(sums) != sum.sum() {
			return 0, errLZ4Checksum
		}
	}
	out := z.out[lz4History : lz4History+z.limit]
	if len(p) >= z.limit {
		out = p[:z.limit]
	}
	if n, err = z.decompress(out, block[:size], plain); err != nil {
		return 0, err
	}
	if len(p) >= z.limit {
		z.add(p[:n])
		return n, nil
	}
	z.pos, z.end = lz4History, lz4History+n
	return 0, nil
}

// take returns the next n bytes of r, until the next read.
func (z *lz4Reader) take(n int) (b []byte, err error) {
	if n <= z.r.Size() {
		b, err = z.r.Peek(n)
		z.r.Discard(len(b))
		return b, err
	}
	b = z.out[len(z.out)-n:]
	_, err = io.ReadFull(z.r, b)
	return b, err
}

func (z *lz4Reader) decompress(out, block []byte, plain bool) (n int, err error) {
	if plain {
		n = copy(out, block)
	} else if n, err = lz4.UncompressBlockWithDict(block, out, z.out[lz4History-z.dict:lz4History]); err != nil {
		return 0, errors.New("a block is invalid")
	}
	if z.flags&lz4Size != 0 {
		if uint64(n) > z.left {
			return 0, errLZ4Size
		}
		z.left -= uint64(n)
	}
	if z.flags&lz4Independent == 0 && (z.flags&lz4Size == 0 || z.left > 0) { // what follows refers to it
		recent := out[max(0, n-lz4History):n]
		z.dict = min(z.dict, lz4History-len(recent))
		copy(z.out[lz4History-len(recent)-z.dict:], z.out[lz4History-z.dict:lz4History])
		z.dict += copy(z.out[lz4History-len(recent):lz4History], recent)
	}
	return n, nil
}

// begin reads the header of a frame, or passes a skippable frame.
func (z *lz4Reader) begin() error {
	first := !z.begun
	z.begun = true
	magic, err := z.r.Peek(4)
	switch {
	case len(magic) < 4 && (first || err != io.EOF):
		return noEOF(err)
	case len(magic) < 4 || z.single && !first:
		return io.EOF
	}
	switch m := binary.LittleEndian.Uint32(magic); {
	case z.sized && m != lz4Magic:
		return errLZ4Header
	case m&^0xf == lz4Skip:
		z.r.Discard(4)
		n, err := z.u32()
		if err != nil {
			return err
		}
		_, err = io.CopyN(io.Discard, z.r, int64(n))
		return noEOF(err)
	case m != lz4Magic && first:
		return errLZ4Header
	case m != lz4Magic:
		return io.EOF // something else follows; lz4 -d ends here, too
	}
	z.r.Discard(4)
	return z.header()
}

func (z *lz4Reader) header() error {
	var head [15]byte // flags, block size, length, dictionary, checksum
	if _, err := io.ReadFull(z.r, head[:3]); err != nil {
		return noEOF(err)
	}
	n := 3
	if head[0]&lz4Size != 0 {
		n += 8
	}
	if head[0]&lz4Dict != 0 {
		n += 4
	}
	if _, err := io.ReadFull(z.r, head[3:n]); err != nil {
		return noEOF(err)
	}
	var sum xxh32
	sum.reset()
	sum.write(head[:n-1])
	size := head[1] >> 4
	switch {
	case byte(sum.sum()>>8) != head[n-1], head[0]>>6 != 1, head[0]&2 != 0, head[1]&0x8f != 0, size < 4:
		return errLZ4Header
	case head[0]&lz4Dict != 0:
		return errLZ4Dict
	case z.sized && (head[0]&lz4Size == 0 || binary.LittleEndian.Uint64(head[2:]) == 0):
		return errBlobUnsized
	}
	z.flags, z.limit, z.left = head[0], 1<<(8+2*size), binary.LittleEndian.Uint64(head[2:])
	z.sum.reset()
	if need := lz4History + z.limit + lz4Slack; len(z.out) < need {
		z.out = make([]byte, need)
	}
	z.dict, z.pos, z.end, z.inside = 0, lz4History, lz4History, true
	return nil
}

// finish reads what follows the last block of a frame.
func (z *lz4Reader) finish() error {
	z.inside = false
	if z.flags&lz4Size != 0 && z.left != 0 {
		return errLZ4Size
	}
	if z.flags&lz4Sum != 0 {
		if want, err := z.u32(); err != nil {
			return err
		} else if want != z.sum.sum() {
			return errLZ4Checksum
		}
	}
	return nil
}

func (z *lz4Reader) u32() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(z.r, b[:]); err != nil {
		return 0, noEOF(err)
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// xxh32 is the checksum of LZ4 frames: xxHash of 32 bits, seed 0.
type xxh32 struct {
	acc  [4]uint32
	n    uint64   // bytes written
	rest [16]byte // n%16 bytes that wait for more
}

const (
	xxPrime1 = 2654435761
	xxPrime2 = 2246822519
	xxPrime3 = 3266489917
	xxPrime4 = 668265263
	xxPrime5 = 374761393
)

func (x *xxh32) reset() {
	var p1, p2 uint32 = xxPrime1, xxPrime2
	*x = xxh32{acc: [4]uint32{p1 + p2, p2, 0, -p1}}
}

func (x *xxh32) write(p []byte) {
	have := int(x.n % 16)
	x.n += uint64(len(p))
	if have > 0 {
		k := copy(x.rest[have:], p)
		if p = p[k:]; have+k < 16 {
			return
		}
		x.stripes(x.rest[:])
	}
	x.stripes(p)
	copy(x.rest[:], p[len(p)&^15:])
}

func (x *xxh32) stripes(p []byte) {
	a, b, c, d := x.acc[0], x.acc[1], x.acc[2], x.acc[3]
	for ; len(p) >= 16; p = p[16:] {
		a = xxRound(a, binary.LittleEndian.Uint32(p))
		b = xxRound(b, binary.LittleEndian.Uint32(p[4:8]))
		c = xxRound(c, binary.LittleEndian.Uint32(p[8:12]))
		d = xxRound(d, binary.LittleEndian.Uint32(p[12:16]))
	}
	x.acc = [4]uint32{a, b, c, d}
}

func xxRound(acc, v uint32) uint32 {
	return bits.RotateLeft32(acc+v*xxPrime2, 13) * xxPrime1
}

func (x *xxh32) sum() uint32 {
	h := x.acc[2] + xxPrime5
	if x.n >= 16 {
		h = bits.RotateLeft32(x.acc[0], 1) + bits.RotateLeft32(x.acc[1], 7) +
			bits.RotateLeft32(x.acc[2], 12) + bits.RotateLeft32(x.acc[3], 18)
	}
	h += uint32(x.n)
	p := x.rest[:x.n%16]
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(p)*xxPrime3, 17) * xxPrime4
	}
	for _, b := range p {
		h = bits.RotateLeft32(h+uint32(b)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>15) * xxPrime2
	h = (h ^ h>>13) * xxPrime3
	return h ^ h>>16
}
