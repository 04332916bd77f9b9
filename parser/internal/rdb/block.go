package rdb

import "encoding/binary"

// A Block is the content of a string that holds a packed encoding (listpack,
// ziplist, zipmap, intset). Small ones lie in Buf whole; of large ones Buf is
// the part being walked, and LZF is undone as it streams.
type Block struct {
	c    *Cursor
	Buf  []byte
	Pos  int
	Left int64 // bytes of the block behind Buf
	Size int64 // bytes of the whole block
	at   int64 // offset in the snapshot of its first byte, or of its compressed form
	// Compressed is the length of the LZF in the snapshot, 0 it is none.
	Compressed int64
	// Stable reports whether Buf does not change until the key has been
	// delivered: names of elements need no copy.
	Stable bool

	// MaxHead is how many bytes of an entry's text are kept, and heads where, in
	// a large block; small ones keep them all where they lie.
	MaxHead int
	heads   [3][]byte

	scratch []byte // a small LZF block, decompressed
	part    []byte // buffer for parts of a large block
	lzf     bool
	clen    int64 // compressed bytes still to read
	lit     int   // literals still to copy
	match   int   // bytes still to copy from dist back
	dist    int
}

const (
	WholeBlock = 64 << 10  // larger blocks are walked in parts
	BlockPart  = 128 << 10 // size of such a part, history included
	blobAhead  = 4<<10 + 64
)

// Open begins the block that the next string of the snapshot is. several says
// that others follow before the key is delivered.
func (b *Block) Open(c *Cursor, several bool) {
	n, special := c.LengthOrForm()
	b.c, b.Pos, b.Left, b.lzf = c, 0, 0, false
	switch {
	case !special:
		b.Size, b.at, b.Compressed = c.CheckLen(n), c.Offset(), 0
		if b.Size <= WholeBlock || c.Refill == nil {
			if uint64(len(c.Buf)-c.Pos) < n {
				if c.Refill == nil {
					c.Skip(n) // fails
				}
				c.Need(int(n))
			}
			b.Buf = c.Buf[c.Pos : c.Pos+int(n)]
			c.Pos += int(n)
			b.Stable = c.Refill == nil
			return
		}
		b.Stable = false
		b.start()
	case n == FormLZF:
		clen, ulen := c.Length(), c.Length()
		b.openLZF(c, clen, ulen)
		if ulen <= WholeBlock && clen <= WholeBlock {
			c.Need(int(clen))
			if b.scratch == nil {
				b.scratch = make([]byte, WholeBlock+SlackLZF)
			}
			if !DecodeLZF(b.scratch, c.Buf[c.Pos:c.Pos+int(clen)], int(ulen)) {
				c.Failf(BadLZF)
			}
			c.Pos += int(clen)
			b.Buf = b.scratch[:ulen]
			b.Stable = !several
			return
		}
		b.start()
	default:
		// An integer is no packed encoding, but a listpack may not be one byte
		// long either: let the walk say so.
		c.Pos--
		c.Failf("a number stands where a packed encoding must be")
	}
}

// openLZF begins a compressed block whose lengths were read.
func (b *Block) openLZF(c *Cursor, clen, ulen uint64) {
	b.c, b.Pos, b.Size, b.at = c, 0, c.CheckLen(ulen), c.Offset()
	b.Compressed = c.CheckLen(clen)
	if clen < ulen/MaxRatioLZF {
		c.Failf("a compressed string of %d bytes claims to hold %d, more than LZF can", clen, ulen)
	}
	b.Stable, b.lzf, b.clen, b.lit, b.match = false, true, int64(clen), 0, 0
}

// AppendLZF passes a compressed string whose lengths were read, and appends
// what it decompresses to, at most limit bytes.
func (b *Block) AppendLZF(c *Cursor, dst []byte, clen, ulen uint64, limit int) []byte {
	b.openLZF(c, clen, ulen)
	for b.start(); ; b.More() {
		part := b.Buf[b.Pos:]
		dst = append(dst, part[:min(len(part), limit-len(dst))]...)
		b.Pos = len(b.Buf)
		if b.Left == 0 {
			return dst
		}
	}
}

// start begins a block that is walked in parts.
func (b *Block) start() {
	if b.part == nil {
		b.part = make([]byte, BlockPart)
	}
	b.Buf, b.Left = b.part[:0], b.Size
	b.More()
}

// Ready fills buf again when a large block has less than an ordinary element left in it.
func (b *Block) Ready() {
	if b.Left > 0 && len(b.Buf)-b.Pos < blobAhead {
		b.More()
	}
}

// More reads more bytes after what is left in buf.
func (b *Block) More() {
	keep := b.Pos
	if b.lzf {
		keep = max(0, min(keep, len(b.Buf)-WindowLZF))
	}
	n := copy(b.part, b.Buf[keep:])
	b.Pos -= keep
	if b.lzf {
		b.Buf = b.inflate(b.part[:n])
		return
	}
	c := b.c
	for n < len(b.part) && b.Left > 0 {
		c.Need(1)
		k := copy(b.part[n:], c.Buf[c.Pos:c.Pos+int(min(b.Left, int64(len(c.Buf)-c.Pos)))])
		c.Pos += k
		n += k
		b.Left -= int64(k)
	}
	b.Buf = b.part[:n]
}

// inflate decompresses behind out until the buffer is full or the block ends.
func (b *Block) inflate(out []byte) []byte {
	w, room := b.c, cap(b.part)
	produced := b.Size - b.Left
	for len(out) < room {
		switch {
		case b.lit > 0:
			w.Need(1)
			k := min(b.lit, room-len(out), len(w.Buf)-w.Pos)
			out = append(out, w.Buf[w.Pos:w.Pos+k]...)
			w.Pos += k
			b.lit -= k
			produced += int64(k)
		case b.match > 0:
			k := min(b.match, room-len(out))
			b.match -= k
			produced += int64(k)
			for ; k > 0; k-- {
				out = append(out, out[len(out)-b.dist])
			}
		case b.clen == 0:
			if produced != b.Size {
				w.FailAt(b.at, BadLZF)
			}
			b.Left = 0
			return out
		default:
			c := int(w.Byte())
			b.clen--
			if c < 32 {
				b.lit = c + 1
				b.clen -= int64(b.lit)
			} else {
				b.match = c>>5 + 2
				if b.match == 9 {
					b.match += int(w.Byte())
					b.clen--
				}
				b.dist = (c&31)<<8 + int(w.Byte()) + 1
				b.clen--
				if int64(b.dist) > produced {
					w.FailAt(b.at, BadLZF)
				}
			}
			if b.clen < 0 {
				w.FailAt(b.at, BadLZF)
			}
		}
		if produced > b.Size {
			w.FailAt(b.at, BadLZF)
		}
	}
	b.Left = b.Size - produced
	if b.Left == 0 && (b.clen > 0 || b.lit > 0 || b.match > 0) {
		w.FailAt(b.at, BadLZF)
	}
	return out
}

// Offset is that of the next byte within the block.
func (b *Block) Offset() int64 { return b.Size - b.Left - int64(len(b.Buf)-b.Pos) }

// Rest is the number of bytes not yet passed.
func (b *Block) Rest() int64 { return b.Left + int64(len(b.Buf)-b.Pos) }

// Skip passes n bytes.
func (b *Block) Skip(n int64, what string) {
	if n > b.Rest() {
		b.Failf("%s reaches %d bytes past the end of its block", what, n-b.Rest())
	}
	for n > int64(len(b.Buf)-b.Pos) {
		n -= int64(len(b.Buf) - b.Pos)
		b.Pos = len(b.Buf)
		b.More()
	}
	b.Pos += int(n)
}

// Need makes the next n bytes, a few, contiguous.
func (b *Block) Need(n int, what string) {
	if len(b.Buf)-b.Pos < n {
		if int64(n) > b.Rest() {
			b.Failf("%s reaches past the end of its block", what)
		}
		b.More()
	}
}

func (b *Block) Byte(what string) byte {
	b.Need(1, what)
	c := b.Buf[b.Pos]
	b.Pos++
	return c
}

// Uint32 reads a number of 4 bytes, little endian.
func (b *Block) Uint32(what string) uint32 {
	b.Need(4, what)
	v := binary.LittleEndian.Uint32(b.Buf[b.Pos:])
	b.Pos += 4
	return v
}

// Failf fails at the next byte, or where the compressed block begins.
func (b *Block) Failf(format string, args ...any) {
	offset := b.at
	if b.Compressed == 0 {
		offset += b.Offset()
	}
	b.c.FailAt(offset, format, args...)
}
