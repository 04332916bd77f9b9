package parser

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
)

// Excerpt is a key and the beginning of its record, from which Elements copies.
type Excerpt struct {
	Key *Key
	// Opaque says that the value is of a type whose elements cannot be told
	// (modules, sketches): there are none to copy.
	Opaque bool
	// Cut says, when Elements has ended, why elements or fields of them are
	// missing although they were asked for. "" none is.
	Cut string

	record            []byte
	valkey, dragonfly bool
	version           int
}

// ElementOptions bound what Elements copies.
type ElementOptions struct {
	Limit   int // elements; 0 none
	Fields  int // of one entry of a stream; 0 none
	MaxText int // bytes of one text
}

// What an excerpt looks at, whatever it is asked for, so that its memory does
// not depend on the snapshot.
const (
	captureMax = 16 << 20 // bytes of a record in the file
	inflateMax = 16 << 20 // bytes of a packed block that is compressed
	copyMax    = 8 << 20  // bytes of all texts that are copied
	findMax    = captureMax / 2
	// textCost is what a text takes besides its bytes, while it is kept beside
	// others of the same element.
	textCost = 64
	// scannerAhead is more than a Scanner reads beyond the key that it gives.
	scannerAhead = 4 * scanBlock
)

// The values of Excerpt.Cut.
var (
	cutRecord = fmt.Sprintf("only the first %d MiB of a value are looked at", captureMax>>20)
	cutBlock  = fmt.Sprintf("only the first %d MiB of a compressed block are looked at", inflateMax>>20)
	cutCopied = fmt.Sprintf("no more than %d MiB of texts are copied", copyMax>>20)
)

// Extract reads a snapshot up to the first key of that name, in database db or
// in any if db is negative. It gives nil where there is no such key. Its memory
// does not depend on the size of the value. The error is that of a Scanner, the
// context's where that has ended, or says that the name has more than 8 MiB.
func Extract(ctx context.Context, r io.Reader, opt Options, db int, name []byte) (*Excerpt, error) {
	if len(name) > findMax {
		return nil, fmt.Errorf("a name of %d bytes cannot be looked for: %d are the most", len(name), findMax)
	}
	rec := &recorder{r: r, head: make([]byte, 0, captureMax+scannerAhead)}
	s := NewScanner(rec, opt)
	s.r.src = &interruptible{ctx, rec}
	s.passed = rec.forget // what stands between keys is not copied, however large
	s.Info()
	rec.forget(s.offset())
	for s.Scan() {
		k := s.Key()
		if (db < 0 || k.DB == db) && k.NameLen == int64(len(name)) && bytes.Equal(k.Name, name[:len(k.Name)]) {
			x := &Excerpt{Key: k, record: cut(rec.since(k.Offset), captureMax)}
			if len(k.Name) == len(name) || x.named(name) {
				x.Key = k.Clone()
				in := s.Info()
				x.valkey, x.dragonfly, x.version = in.Magic == "VALKEY", in.Server == "dragonfly", in.Version
				x.Opaque = k.Type == Module || k.Type == GCRA || k.Type == Cron || k.Type == Sketch
				return x, nil
			}
		}
		rec.forget(s.offset())
	}
	return nil, s.Err()
}

// named compares the whole name, of which a Key holds the first MaxName bytes. A
// record of which nothing was kept has another name.
func (x *Excerpt) named(name []byte) (same bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(*failure); !ok {
				panic(p)
			}
			same = false
		}
	}()
	c := &copier{window: window{buf: x.record, pos: 1}, left: copyMax}
	return bytes.Equal(c.textUpTo(len(name)).Bytes, name)
}

// Elements copies the first elements of the value, in the order of the file,
// each when its turn has come.
func (x *Excerpt) Elements(want ElementOptions) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		x.Cut = ""
		if x.Opaque {
			return
		}
		c := &copier{window: window{buf: x.record}, x: x, want: want, left: copyMax, yield: yield}
		c.record()
		there := max(x.Key.Elements, x.Key.Live)
		if c.ended != "" && (c.partly || int64(c.given) < min(int64(want.Limit), there)) {
			x.Cut = c.ended
		}
	}
}

// copier copies the elements of one record. The walk has found the record
// whole and right, but the bytes at hand may be only its beginning.
type copier struct {
	window
	x       *Excerpt
	want    ElementOptions
	yield   func(Element) bool
	given   int    // elements
	stopped bool   // nobody wants more of them
	partly  bool   // the last one lacks fields that were asked for
	left    int64  // bytes that may still be copied
	short   bool   // the bytes at hand ended
	ended   string // why nothing more is copied: a value of Excerpt.Cut
	room    []byte // the block at hand, where it was compressed
	part    string // why the end of the block at hand is missing, "" it is not
}

// record copies what there is to copy.
func (c *copier) record() {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(*failure); !ok {
				panic(p)
			}
			c.end(c.part)
			c.end(cutRecord)
		}
	}()
	t := c.byte()
	c.textUpTo(0)
	c.value(t)
}

// full reports whether no more elements are wanted or to be had.
func (c *copier) full() bool { return c.stopped || c.ended != "" || c.given >= c.want.Limit }

// end notes the first reason why nothing more is copied; "" is none.
func (c *copier) end(why string) {
	if c.ended == "" {
		c.ended = why
	}
}

func (c *copier) give(e Element) {
	c.given++
	c.stopped = !c.yield(e)
}

// there passes n bytes and gives those that are at hand.
func (c *copier) there(n uint64) []byte {
	have := min(n, uint64(len(c.buf)-c.pos))
	c.pos += int(have)
	c.short = c.short || have < n
	return c.buf[c.pos-int(have) : c.pos]
}

// spend counts copied bytes.
func (c *copier) spend(n int) {
	if c.left -= int64(n); c.left < 0 {
		c.end(cutCopied)
	}
}

// text copies the beginning of a string.
func (c *copier) text() Text { return c.textUpTo(c.want.MaxText) }

func (c *copier) textUpTo(limit int) Text {
	n, special := c.lengthOrForm()
	var t Text
	switch {
	case !special:
		t = Text{bytes.Clone(cut(c.there(n), limit)), int64(n)}
	case n == formInt8:
		t = decimalText(int64(int8(c.byte())))
	case n == formInt16:
		t = decimalText(int64(int16(c.u16le())))
	case n == formInt32:
		t = decimalText(int64(int32(c.u32le())))
	case n == formLZF:
		clen, ulen := c.length(), c.length()
		t = Text{lzfHead(make([]byte, 0, min(ulen, uint64(limit))), c.there(clen)), int64(ulen)}
	default:
		c.failf("string form %d is not defined", n)
	}
	if c.short {
		c.end(cutRecord)
	}
	c.spend(len(t.Bytes))
	return t
}

func decimalText(v int64) Text {
	b := appendInt(nil, v)
	return Text{b, int64(len(b))}
}

// block gives the content of a packed encoding, or its beginning: part says
// which. It is good until the next block.
func (c *copier) block() []byte {
	c.part = ""
	n, special := c.lengthOrForm()
	var b []byte
	switch {
	case special && n == formLZF:
		clen, ulen := c.length(), c.length()
		size := min(ulen, inflateMax)
		if uint64(cap(c.room)) < size {
			c.room = make([]byte, 0, size)
		}
		b = lzfHead(c.room[:0:size], c.there(clen))
		if ulen > inflateMax {
			c.part = cutBlock
		}
	case special:
		c.failf("a number stands where a packed encoding must be")
	default:
		b = c.there(n)
	}
	if c.short {
		c.part = cutRecord
	}
	return b
}

// blockEnded notes that a block was copied as far as it is at hand.
func (c *copier) blockEnded() {
	if !c.full() {
		c.end(c.part)
	}
}
