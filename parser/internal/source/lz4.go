package source

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// lz4Reader reads LZ4 frames. Blocks, of up to 4 MiB, are unpacked piece by piece, so that
// memory is fixed whatever the size of a block.
//
// The formats are lz4_Frame_format.md, version 1.6, and lz4_Block_format.md of the lz4
// project.
type lz4Reader struct {
	r      *bufio.Reader // of at least lz4Longest bytes
	single bool          // stop behind the first frame
	sized  bool          // its length must be stated

	begun  bool // the first frame has begun
	inside bool // a frame
	flags  byte
	limit  int    // largest block of the frame
	left   uint64 // bytes still to come, where flags has lz4Size
	sum    xxh32

	open     bool  // within a block
	block    int   // bytes of it that were not taken from r
	room     int   // bytes that it may still unpack to
	blockSum xxh32 // of what was taken, where flags has lz4BlockSum

	// What is left of a sequence: literals, then a match.
	literals int
	token    int // length and distance of its match follow the literals; -1: they were read
	match    int // bytes
	distance int

	out   *lz4Buffer
	start int // no match reaches back further
	pos   int // out[pos:end] is still to be read
	end   int
	err   error // behind out[pos:end]
}

const (
	lz4Magic   = 0x184d2204
	lz4Skip    = 0x184d2a50 // to 0x184d2a5f
	lz4Legacy  = 0x184c2102
	lz4History = 64 << 10  // largest distance of a match, and one more
	lz4Out     = 256 << 10 // bytes of output that are buffered, a power of two
	lz4Short   = 1024      // bytes that may be loaded for a short sequence, a power of two
	lz4Room    = 640       // bytes that a short sequence may write
	lz4Longest = 32 << 10  // bytes of a token or a match with a length of 4 MiB, at most

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
	errLZ4Invalid  = errors.New("a block is invalid")
	errLZ4Checksum = errors.New("a checksum differs")
	errLZ4Size     = errors.New("its length is not the one it announces")
)

// reset begins a single frame with its length, and keeps the buffer.
func (z *lz4Reader) reset(r *bufio.Reader) {
	*z = lz4Reader{r: r, single: true, sized: true, out: z.out}
}

func (z *lz4Reader) Read(p []byte) (n int, err error) {
	for z.pos == z.end {
		if z.err != nil {
			return 0, z.err
		}
		z.err = z.next()
	}
	n = copy(p, z.out[z.pos:z.end])
	z.pos += n
	return n, nil
}

// next unpacks a part of a block, or begins or ends a block or a frame. All output was
// returned.
func (z *lz4Reader) next() error {
	if !z.inside {
		return z.begin()
	}
	if z.open {
		return z.unpack()
	}
	size, err := z.u32()
	if err != nil {
		return err
	}
	if size == 0 {
		return z.finish()
	}
	z.open, z.block, z.room = true, int(size&(1<<31-1)), z.limit
	z.literals, z.match, z.token = 0, 0, -1
	if z.block > z.limit {
		return errLZ4Block
	}
	if size>>31 != 0 { // not compressed
		z.literals, z.token = z.block, 0
	}
	if z.flags&lz4Independent != 0 {
		z.start = z.end
	}
	z.blockSum.reset()
	return nil
}

// unpack unpacks what is at hand of the block, as far as there is room.
func (z *lz4Reader) unpack() error {
	if gone := z.end - lz4History; z.end >= lz4Out-lz4Room {
		copy(z.out[:], z.out[gone:z.end])
		z.start = max(0, z.start-gone)
		z.pos, z.end = lz4History, lz4History
	}
	in, cut := z.r.Peek(min(z.block, z.r.Size()))
	from := z.end
	used, err := z.sequences(in)
	if z.flags&lz4BlockSum != 0 {
		z.blockSum.write(in[:used])
	}
	z.r.Discard(used)
	z.block -= used
	out := z.out[from:z.end]
	if z.flags&lz4Size != 0 {
		if uint64(len(out)) > z.left {
			z.end = from
			return errLZ4Size
		}
		z.left -= uint64(len(out))
	}
	if z.flags&lz4Sum != 0 {
		z.sum.write(out)
	}
	switch {
	case err != nil:
		return err
	case z.block == 0 && z.literals == 0 && z.match == 0:
		if z.open = false; z.token&15 != 0 { // literals are last
			return errLZ4Invalid
		}
		return z.checkSum(lz4BlockSum, &z.blockSum)
	case used > 0 || len(out) > 0:
		return nil
	case cut != nil:
		return noEOF(cut)
	}
	return errLZ4Invalid
}

// sequences unpacks sequences of a block, which in has the next bytes of, until in has
// no more or the output is full. It returns how many bytes of in it has used.
func (z *lz4Reader) sequences(in []byte) (used int, err error) {
	for out, i := z.out, 0; ; {
		n := copy(out[z.end:lz4Out], in[i:min(len(in), i+z.literals)])
		i, z.end, z.literals = i+n, z.end+n, z.literals-n
		if z.literals > 0 {
			return i, nil
		}
		if z.token >= 0 {
			if len(in)-i < 2 {
				return i, nil
			}
			length, n := lz4Length(in[i+2:], z.token&15)
			if n < 0 {
				return i, nil
			}
			z.match, z.distance, z.token = length+4, int(binary.LittleEndian.Uint16(in[i:])), -1
			i += 2 + n
			if z.room -= z.match; z.room < 0 || z.distance == 0 || z.distance > z.end-z.start {
				return i, errLZ4Invalid
			}
		}
		for from := z.end - z.distance; z.match > 0; {
			n := copy(out[z.end:min(lz4Out, z.end+z.match)], out[from:z.end])
			if z.end, z.match = z.end+n, z.match-n; n == 0 {
				return i, nil
			}
		}
		if i = z.short(in, i); i == len(in) {
			return i, nil
		}
		length, n := lz4Length(in[i+1:], int(in[i]>>4))
		if n < 0 {
			return i, nil
		}
		if z.room -= length; z.room < 0 {
			return i, errLZ4Invalid
		}
		z.token, z.literals = int(in[i]), length
		i += 1 + n
	}
}

// short unpacks sequences of in from i on as long as they are short, which most are, and
// returns where the next one begins. Indices are masked, so that nothing is checked twice.
func (z *lz4Reader) short(in []byte, i int) int {
	out, start, end := z.out, z.start, z.end
	for last, full := len(in)-lz4Short, min(lz4Out, end+z.room)-lz4Room; i <= last && end < full; {
		src := (*[lz4Short]byte)(in[i:])
		token := int(src[0])
		literals, match, at := token>>4, token&15+4, 1
		if literals < 15 {
			out.copy16(end, src[1:17])
		} else {
			if literals += int(src[1]); literals <= 48 {
				out.copy16(end, src[2:18])
				out.copy16(end+16, src[18:34])
				out.copy16(end+32, src[34:50])
			} else if literals == 15+255 {
				break
			} else {
				copy(out[end&(lz4Out-1):], src[2:2+literals])
			}
			at = 2
		}
		at += literals
		distance := int(binary.LittleEndian.Uint16(src[at&(lz4Short/2-1):]))
		at += 2
		if match == 15+4 {
			more := int(src[at&(lz4Short-1)])
			if more == 255 {
				break
			}
			match += more
			at++
		}
		to := end + literals
		from := to - distance
		if distance < 8 || from < start {
			break
		}
		i += at
		end = to + match
		for {
			out.copy8(to, from)
			out.copy8(to+8, from+8)
			if to += 16; to >= end {
				break
			}
			from += 16
		}
	}
	z.room -= end - z.end
	z.end = end
	return i
}

// lz4Buffer has what was unpacked. Its methods copy 16 or 8 bytes.
type lz4Buffer [lz4Out + 16]byte

func (b *lz4Buffer) copy16(to int, from []byte) {
	to &= lz4Out - 1
	*(*[16]byte)(b[to : to+16]) = *(*[16]byte)(from)
}

func (b *lz4Buffer) copy8(to, from int) {
	to, from = to&(lz4Out-1), from&(lz4Out-1)
	*(*[8]byte)(b[to : to+8]) = *(*[8]byte)(b[from : from+8])
}

// lz4Length returns a length whose first four bits are n, and the number of bytes of in
// that have the rest, -1 if in ends before.
func lz4Length(in []byte, n int) (length, used int) {
	if n < 15 {
		return n, 0
	}
	for i, b := range in {
		if n += int(b); b < 255 {
			return n, i + 1
		}
	}
	return 0, -1
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
	if z.out == nil {
		z.out = new(lz4Buffer)
	}
	z.start, z.pos, z.end, z.inside = 0, 0, 0, true
	return nil
}

// finish reads what follows the last block of a frame.
func (z *lz4Reader) finish() error {
	z.inside = false
	if z.flags&lz4Size != 0 && z.left != 0 {
		return errLZ4Size
	}
	return z.checkSum(lz4Sum, &z.sum)
}

// checkSum reads a checksum, where the frame's flags have that one.
func (z *lz4Reader) checkSum(flag byte, sum *xxh32) error {
	if z.flags&flag == 0 {
		return nil
	}
	want, err := z.u32()
	if err == nil && want != sum.sum() {
		err = errLZ4Checksum
	}
	return err
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
