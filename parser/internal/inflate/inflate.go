// Package inflate decompresses gzip files: RFC 1952 around RFC 1951.
//
// It is made for large files that are read from one end to the other. Memory is
// fixed, whatever the input. What precedes damage or a cut is returned first,
// to the last whole symbol.
package inflate

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	inSize   = 64 << 10  // bytes of input that are buffered, a power of two
	outSize  = 128 << 10 // bytes of output that are buffered, a power of two
	window   = 32 << 10  // largest distance of a match
	maxMatch = 258       // longest match

	// outRoom is what one round of the fast loop may write: four literals, or three
	// and a match, whose copy overruns its end.
	outRoom = 3 + maxMatch + 16
	outFull = outSize - outRoom // the buffer is full from here on

	// inRoom is what one round of the fast loop may load: twice 8 bytes, the second time
	// at most 7 bytes further on.
	inRoom = 16
)

// Reader decompresses a file of one or more gzip members. What follows the last
// member and does not begin as a member does is ignored, as gzip does.
//
// Tables and buffers are arrays in one struct, and each index is masked by a
// constant, so that the loop in fast.go needs no bounds check.
type Reader struct {
	in   [inSize + 8]byte
	out  [outSize + 16]byte
	lit  [litSize]uint32
	dist [distSize]uint32
	lens [maxLit + maxDist]uint8 // lengths of the codes of a block
	state
}

// state is all of a Reader but tables and buffers.
type state struct {
	r       io.Reader
	readErr error  // of r, behind in[:inEnd]
	hold    uint64 // bits that were taken from in; the lowest is the next
	bits    uint   // number of bits in hold
	inPos   uint   // in[inPos:inEnd] was not taken
	inEnd   uint
	base    int64 // offset of in[0] in the file

	given  uint // out[given:outPos] was not returned
	summed uint // out[summed:outPos] is not in sum and length
	start  uint // of the member, or of its last bytes: no match reaches back further
	outPos uint
	sum    uint32
	length uint32 // modulo 2^32

	stage  func(*Reader) // what comes next in the file
	last   bool          // the block is the last one of its member
	stored uint          // bytes of a stored block that are still to come
	begun  bool          // the first member has begun
	err    error         // behind out[given:outPos]
}

// Error is damage in compressed data. Bytes that were returned before it may be
// wrong, too: only a checksum shows that.
type Error struct {
	Offset int64 // in the compressed data, where it was noticed
	Reason string
}

// ErrChecksum is what an Error is, too, if all data could be decompressed but does not
// have the checksum or the length that its member states.
var ErrChecksum = errors.New("the checksum or length of a gzip member is wrong")

// Is reports whether target is ErrChecksum and e is of that kind.
func (e *Error) Is(target error) bool {
	return target == ErrChecksum && (e.Reason == badSum || e.Reason == badLength)
}

func (e *Error) Error() string { return fmt.Sprintf("%s, at byte %d", e.Reason, e.Offset) }

// Reasons that stand in several places.
const (
	badCode     = "an invalid code"
	badDistance = "an invalid code of a distance"
	badSum      = "the checksum is wrong"
	badLength   = "the length is wrong"
	farMatch    = "a match reaches back before the beginning"
)

// NewReader returns a Reader of r, from which it reads more than it needs.
func NewReader(r io.Reader) *Reader { return &Reader{state: state{r: r, stage: (*Reader).header}} }

// Read returns decompressed bytes. The error is io.EOF behind the last member,
// io.ErrUnexpectedEOF if r ends within one, an *Error, or that of r.
func (z *Reader) Read(p []byte) (int, error) {
	for z.given == z.outPos && len(p) > 0 {
		if z.err != nil {
			return 0, z.err
		}
		z.decode()
	}
	n := copy(p, z.out[z.given:z.outPos])
	z.given += uint(n)
	return n, nil
}

// decode decompresses until the output is full, or until it would have to wait for
// input although there is output. All output was returned.
func (z *Reader) decode() {
	if z.outPos >= outFull {
		z.addSum()
		copy(z.out[:window], z.out[z.outPos-window:z.outPos])
		gone := z.outPos - window
		z.start -= min(z.start, gone)
		z.outPos, z.given, z.summed = window, window, window
	}
	for z.err == nil && z.outPos < outFull {
		if z.inEnd-z.inPos < inRoom && z.readErr == nil {
			if z.given < z.outPos {
				return
			}
			z.fill()
		}
		z.stage(z)
	}
}

// fill reads more input: until one round of the fast loop has enough in any case, or
// all that there is.
func (z *Reader) fill() {
	z.unread()
	copy(z.in[:], z.in[z.inPos:z.inEnd])
	z.base += int64(z.inPos)
	z.inEnd -= z.inPos
	z.inPos = 0
	for idle := 0; z.readErr == nil; {
		n, err := z.r.Read(z.in[z.inEnd:inSize])
		z.inEnd += uint(n)
		z.readErr = err
		if idle++; n > 0 {
			idle = 0
			if z.inEnd >= inRoom+8 { // unread may add 7 bytes to those that are too few
				return
			}
		} else if idle == 100 && err == nil {
			z.readErr = io.ErrNoProgress
		}
	}
}

// unread returns whole bytes from hold to the input.
func (z *Reader) unread() {
	z.inPos -= z.bits >> 3
	z.bits &= 7
	z.hold &= 1<<z.bits - 1
}

// align drops the bits up to the next byte.
func (z *Reader) align() {
	z.unread()
	z.bits, z.hold = 0, 0
}

// take returns the next n bits, at most 56, or 0 and an error in z.err.
func (z *Reader) take(n uint) uint64 {
	if z.ahead(n); z.bits < n {
		z.short()
		return 0
	}
	v := z.hold & (1<<n - 1)
	z.hold >>= n
	z.bits -= n
	return v
}

// short ends with the error of an input that has no more bytes.
func (z *Reader) short() {
	if z.err = z.readErr; z.err == io.EOF {
		z.err = io.ErrUnexpectedEOF
	}
}

// fail ends with damage at the next bit.
func (z *Reader) fail(reason string) {
	if z.err == nil {
		z.err = &Error{Offset: z.base + int64(z.inPos) - int64(z.bits>>3), Reason: reason}
	}
}

// addSum adds new output to checksum and length.
func (z *Reader) addSum() {
	p := z.out[z.summed:z.outPos]
	z.sum = crc32.Update(z.sum, crc32.IEEETable, p)
	z.length += uint32(len(p))
	z.summed = z.outPos
}

// The flags of a member (RFC 1952, section 2.3.1).
const (
	flagHeaderSum = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
)

// header reads the header of a member, or ends where none follows.
func (z *Reader) header() {
	for i, want := range []byte{0x1f, 0x8b, 8} {
		if z.begun && i == 0 && z.bits == 0 && z.inPos == z.inEnd && z.readErr == io.EOF {
			z.err = io.EOF
			return
		}
		if got := z.take(8); z.err != nil {
			return
		} else if byte(got) != want {
			if z.err = io.EOF; !z.begun {
				z.err = nil
				z.fail("the header is wrong")
			}
			return
		}
	}
	z.begun = true
	sum := crc32.ChecksumIEEE([]byte{0x1f, 0x8b, 8})
	next := func() byte {
		b := byte(z.take(8))
		sum = ^(crc32.IEEETable[byte(^sum)^b] ^ ^sum>>8)
		return b
	}
	flags := next()
	for range 6 { // time, hints
		next()
	}
	if flags&flagExtra != 0 {
		n := int(next())
		for n |= int(next()) << 8; n > 0 && z.err == nil; n-- {
			next()
		}
	}
	for _, text := range []byte{flagName, flagComment} {
		for flags&text != 0 && next() != 0 {
		}
	}
	if want := uint16(sum); flags&flagHeaderSum != 0 && uint16(z.take(16)) != want {
		z.fail("the checksum of the header is wrong")
	}
	z.start, z.summed, z.sum, z.length = z.outPos, z.outPos, 0, 0
	z.stage = (*Reader).block
}

// trailer compares checksum and length of a member.
func (z *Reader) trailer() {
	z.align()
	z.addSum()
	sum, length := uint32(z.take(32)), uint32(z.take(32))
	switch {
	case sum != z.sum:
		z.fail(badSum)
	case length != z.length:
		z.fail(badLength)
	}
	z.stage = (*Reader).header
}

// block reads the header of a block (RFC 1951, section 3.2.3).
func (z *Reader) block() {
	if z.last {
		z.last = false
		z.stage = (*Reader).trailer
		return
	}
	head := z.take(3)
	if z.err != nil {
		return
	}
	z.last = head&1 != 0
	switch head >> 1 {
	case 0:
		z.align()
		size := z.take(32)
		if uint16(size) != ^uint16(size>>16) {
			z.fail("the length of a stored block is wrong")
		}
		z.stored = uint(size & 0xffff)
		z.unread()
		z.stage = (*Reader).copyStored
	case 1:
		z.fixedCodes()
		z.stage = (*Reader).symbols
	case 2:
		z.dynamicCodes()
		z.stage = (*Reader).symbols
	default:
		z.fail("a block of unknown type")
	}
}

func (z *Reader) copyStored() {
	if z.inPos == z.inEnd && z.stored > 0 && z.readErr != nil {
		z.short()
		return
	}
	n := min(z.stored, z.inEnd-z.inPos, outSize-z.outPos)
	copy(z.out[z.outPos:], z.in[z.inPos:z.inPos+n])
	z.inPos += n
	z.outPos += n
	if z.stored -= n; z.stored == 0 {
		z.stage = (*Reader).block
	}
}
