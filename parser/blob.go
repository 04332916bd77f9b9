package parser

import "encoding/binary"

// A blob is the content of a string that holds a packed encoding (listpack,
// ziplist, zipmap, intset). Small ones lie in buf whole; of large ones buf is
// the part being walked, and LZF is undone as it streams.
type blob struct {
	c    *window
	buf  []byte
	pos  int
	left int64 // bytes of the blob behind buf
	size int64 // bytes of the whole blob
	at   int64 // offset in the snapshot of its first byte, or of its compressed form
	// compressed is the length of the LZF in the snapshot, 0 it is none.
	compressed int64
	// firm reports whether buf does not change until the key has been
	// delivered: names of elements need no copy.
	firm bool

	// maxHead is how many bytes of an entry's text are kept, and heads where, in
	// a large blob; small ones keep them all where they lie.
	maxHead int
	heads   [3][]byte

	scratch []byte // a small LZF blob, decompressed
	part    []byte // buffer for parts of a large blob
	lzf     bool
	clen    int64 // compressed bytes still to read
	lit     int   // literals still to copy
	match   int   // bytes still to copy from dist back
	dist    int
}

const (
	wholeBlob = 64 << 10  // larger blobs are walked in parts
	blobPart  = 128 << 10 // size of such a part, history included
	blobAhead = 4<<10 + 64
)

// open begins the blob that the next string of the snapshot is. several says
// that others follow before the key is delivered.
func (b *blob) open(c *window, several bool) {
	n, special := c.lengthOrForm()
	b.c, b.pos, b.left, b.lzf = c, 0, 0, false
	switch {
	case !special:
		b.size, b.at, b.compressed = c.checkLen(n), c.offset(), 0
		if b.size <= wholeBlob || c.refill == nil {
			if uint64(len(c.buf)-c.pos) < n {
				if c.refill == nil {
					c.skip(n) // fails
				}
				c.need(int(n))
			}
			b.buf = c.buf[c.pos : c.pos+int(n)]
			c.pos += int(n)
			b.firm = c.refill == nil
			return
		}
		b.firm = false
		b.start()
	case n == formLZF:
		clen, ulen := c.length(), c.length()
		b.openLZF(c, clen, ulen)
		if ulen <= wholeBlob && clen <= wholeBlob {
			c.need(int(clen))
			if b.scratch == nil {
				b.scratch = make([]byte, wholeBlob+lzfSlack)
			}
			if !lzfDecode(b.scratch, c.buf[c.pos:c.pos+int(clen)], int(ulen)) {
				c.failf(lzfBad)
			}
			c.pos += int(clen)
			b.buf = b.scratch[:ulen]
			b.firm = !several
			return
		}
		b.start()
	default:
		// An integer is no packed encoding, but a listpack may not be one byte
		// long either: let the walk say so.
		c.pos--
		c.failf("a number stands where a packed encoding must be")
	}
}

// openLZF begins a compressed blob whose lengths were read.
func (b *blob) openLZF(c *window, clen, ulen uint64) {
	b.c, b.pos, b.size, b.at = c, 0, c.checkLen(ulen), c.offset()
	b.compressed = c.checkLen(clen)
	if ulen > 0 && clen < ulen/lzfBest {
		c.failf("a compressed string of %d bytes claims to hold %d, more than LZF can", clen, ulen)
	}
	b.firm, b.lzf, b.clen, b.lit, b.match = false, true, int64(clen), 0, 0
}

// inflateText passes a compressed string whose lengths were read, and appends
// what it decompresses to, at most limit bytes.
func (b *blob) inflateText(c *window, dst []byte, clen, ulen uint64, limit int) []byte {
	b.openLZF(c, clen, ulen)
	for b.start(); ; b.more() {
		part := b.buf[b.pos:]
		dst = append(dst, part[:min(len(part), limit-len(dst))]...)
		b.pos = len(b.buf)
		if b.left == 0 {
			return dst
		}
	}
}

// start begins a blob that is walked in parts.
func (b *blob) start() {
	if b.part == nil {
		b.part = make([]byte, blobPart)
	}
	b.buf, b.left = b.part[:0], b.size
	b.more()
}

// ready fills buf again when a large blob has less than an ordinary element left in it.
func (b *blob) ready() {
	if b.left > 0 && len(b.buf)-b.pos < blobAhead {
		b.more()
	}
}

// more reads more bytes after what is left in buf.
func (b *blob) more() {
	keep := b.pos
	if b.lzf {
		keep = max(0, min(keep, len(b.buf)-lzfWindow))
	}
	n := copy(b.part, b.buf[keep:])
	b.pos -= keep
	if b.lzf {
		b.buf = b.inflate(b.part[:n])
		return
	}
	c := b.c
	for n < len(b.part) && b.left > 0 {
		c.need(1)
		k := copy(b.part[n:], c.buf[c.pos:c.pos+int(min(b.left, int64(len(c.buf)-c.pos)))])
		c.pos += k
		n += k
		b.left -= int64(k)
	}
	b.buf = b.part[:n]
}

// inflate decompresses behind out until the buffer is full or the blob ends.
func (b *blob) inflate(out []byte) []byte {
	w, room := b.c, cap(b.part)
	produced := b.size - b.left
	for len(out) < room {
		switch {
		case b.lit > 0:
			w.need(1)
			k := min(b.lit, room-len(out), len(w.buf)-w.pos)
			out = append(out, w.buf[w.pos:w.pos+k]...)
			w.pos += k
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
			if produced != b.size {
				w.failAt(b.at, lzfBad)
			}
			b.left = 0
			return out
		default:
			c := int(w.byte())
			b.clen--
			if c < 32 {
				b.lit = c + 1
				b.clen -= int64(b.lit)
			} else {
				b.match = c>>5 + 2
				if b.match == 9 {
					b.match += int(w.byte())
					b.clen--
				}
				b.dist = (c&31)<<8 + int(w.byte()) + 1
				b.clen--
				if int64(b.dist) > produced {
					w.failAt(b.at, lzfBad)
				}
			}
			if b.clen < 0 {
				w.failAt(b.at, lzfBad)
			}
		}
		if produced > b.size {
			w.failAt(b.at, lzfBad)
		}
	}
	b.left = b.size - produced
	if b.left == 0 && (b.clen > 0 || b.lit > 0 || b.match > 0) {
		w.failAt(b.at, lzfBad)
	}
	return out
}

// offset is that of the next byte within the blob.
func (b *blob) offset() int64 { return b.size - b.left - int64(len(b.buf)-b.pos) }

// rest is the number of bytes not yet passed.
func (b *blob) rest() int64 { return b.left + int64(len(b.buf)-b.pos) }

// skip passes n bytes.
func (b *blob) skip(n int64, what string) {
	if n > b.rest() {
		b.failf("%s reaches %d bytes past the end of its block", what, n-b.rest())
	}
	for n > int64(len(b.buf)-b.pos) {
		n -= int64(len(b.buf) - b.pos)
		b.pos = len(b.buf)
		b.more()
	}
	b.pos += int(n)
}

// need makes the next n bytes, a few, contiguous.
func (b *blob) need(n int, what string) {
	if len(b.buf)-b.pos < n {
		if int64(n) > b.rest() {
			b.failf("%s reaches past the end of its block", what)
		}
		b.more()
	}
}

func (b *blob) byte(what string) byte {
	b.need(1, what)
	c := b.buf[b.pos]
	b.pos++
	return c
}

func (b *blob) u32(what string) uint32 {
	b.need(4, what)
	v := binary.LittleEndian.Uint32(b.buf[b.pos:])
	b.pos += 4
	return v
}

// failf fails at the next byte, or where the compressed blob begins.
func (b *blob) failf(format string, args ...any) {
	offset := b.at
	if b.compressed == 0 {
		offset += b.offset()
	}
	b.c.failAt(offset, format, args...)
}
