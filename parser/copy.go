package parser

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strconv"
)

// Element is one element of a value, as Extract copies it.
type Element struct {
	// Name is the field of a hash, the ID of a stream's entry, the index in an
	// array; nil where the value alone is the element.
	Name, Value []byte
	// NameLen and ValueLen are the lengths in bytes of the whole texts, of which
	// Name and Value may be the beginning.
	NameLen, ValueLen int64
	Score             float64  // of a sorted set's member
	Pairs             [][]byte // of a stream's entry: fields and values by turns, each cut as Value is
	ExpireAt          int64    // ms since the epoch; 0 none
}

// Excerpt is a key with the first elements of its value.
type Excerpt struct {
	Key      *Key
	Elements []Element // in the order of the file
	// Opaque says that the value is of a type whose elements cannot be told
	// (modules, sketches): Elements is empty.
	Opaque bool
}

// ExtractOptions bound what Extract copies.
type ExtractOptions struct {
	Limit   int // elements; 0 none
	MaxText int // bytes of one text
}

// captureMax bounds how much of a record in the file is looked at for its
// elements, and inflateMax how much of a packed block.
const (
	captureMax = 16 << 20
	inflateMax = 16 << 20
	// scannerAhead is more than a Scanner reads beyond the key that it gives.
	scannerAhead = 4 * scanBlock
)

// Extract reads a snapshot up to the first key of that name, in database db or
// in any if db is negative, and copies the first elements of its value. It
// gives nil where there is no such key. Its memory does not depend on the size
// of the value. The error is that of a Scanner.
func Extract(r io.Reader, opt Options, db int, name []byte, want ExtractOptions) (*Excerpt, error) {
	rec := &recorder{r: r, head: make([]byte, 0, captureMax)}
	s := NewScanner(rec, opt)
	for s.Scan() {
		k := s.Key()
		if (db < 0 || k.DB == db) && k.NameLen == int64(len(name)) && bytes.Equal(k.Name, name[:len(k.Name)]) {
			c := &copier{x: &Excerpt{Key: k.Clone()}, want: want}
			c.valkey, c.dragonfly = s.Info().Magic == "VALKEY", s.Info().Server == "dragonfly"
			c.version = s.Info().Version
			c.buf = rec.since(k.Offset)
			c.copyRecord()
			return c.x, nil
		}
		rec.forget(s.offset())
	}
	return nil, s.Err()
}

// copier copies the elements of one record. The walk has found the record
// whole and right, but the bytes at hand may be only its beginning.
type copier struct {
	window
	valkey, dragonfly bool
	version           int
	x                 *Excerpt
	want              ExtractOptions
	short             bool // the bytes at hand ended
}

// copyRecord copies what there is to copy.
func (c *copier) copyRecord() {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(*failure); !ok {
				panic(p)
			}
		}
	}()
	t := c.byte()
	c.text()
	if c.x.Opaque = !c.value(t); c.x.Opaque {
		c.x.Elements = nil
	}
}

// full reports whether no more elements are wanted or to be had.
func (c *copier) full() bool { return c.short || len(c.x.Elements) >= c.want.Limit }

func (c *copier) add(e Element) { c.x.Elements = append(c.x.Elements, e) }

// value copies the elements of a value of type t; false if they cannot be told.
func (c *copier) value(t byte) bool {
	switch {
	case c.x.Key.Type == JSON:
		c.single()
	case c.dragonfly && t == 31:
		c.each(func() Element { return c.field(expiryText, 0) })
	case c.dragonfly && t == 32:
		c.each(func() Element {
			e := c.item()
			c.text()
			return e
		})
	case c.dragonfly && t >= 30:
		return false
	case t == 0:
		c.single()
	case t == 1, t == 2:
		c.each(c.item)
	case t == 3, t == 5:
		c.each(func() Element { return c.scored(t == 5) })
	case t == 4:
		c.each(func() Element { return c.field(expiryNone, 0) })
	case t == 22 && c.valkey:
		c.each(func() Element { return c.field(expiryBehind, 0) })
	case t == 22:
		c.each(func() Element { return c.field(expiryBefore, 0) })
	case t == 24:
		base := int64(c.u64le())
		c.each(func() Element { return c.field(expiryRelative, base) })
	case t == 9:
		c.zipmap(c.block())
	case t == 11:
		c.intset(c.block())
	case t == 10, t == 20:
		c.packed(c.block(), t == 10, 1)
	case t == 12, t == 13, t == 16, t == 17:
		c.packed(c.block(), t < 16, 2)
	case t == 25:
		c.take(8)
		c.packed(c.block(), false, 3)
	case t == 23:
		c.packed(c.block(), false, 3)
	case t == 14, t == 18:
		c.quicklist(t == 14)
	case t == 15, t == 19, t == 21, t == 26, t == 27:
		c.stream()
	case t == 28:
		c.array()
	case t >= 29 && t <= 32:
		c.template(t)
	default:
		return false
	}
	return true
}

// each copies the elements of a value that begins with their number.
func (c *copier) each(element func() Element) {
	for n := c.length(); n > 0 && !c.full(); n-- {
		c.add(element())
	}
}

func (c *copier) single() {
	if !c.full() {
		c.add(c.item())
	}
}

func (c *copier) item() Element {
	text, n := c.text()
	return Element{Value: text, ValueLen: n}
}

func (c *copier) scored(binary64 bool) Element {
	e := c.item()
	if c.short {
		return e
	}
	if binary64 {
		e.Score = math.Float64frombits(c.u64le())
		return e
	}
	switch n := c.byte(); n {
	case 253:
		e.Score = math.NaN()
	case 254:
		e.Score = math.Inf(1)
	case 255:
		e.Score = math.Inf(-1)
	default:
		e.Score, _ = strconv.ParseFloat(string(c.take(int(n))), 64)
	}
	return e
}

func (c *copier) field(expiry int, base int64) (e Element) {
	switch expiry {
	case expiryBefore:
		e.ExpireAt = int64(c.length())
	case expiryRelative:
		if d := c.length(); d != 0 {
			e.ExpireAt = int64(uint64(base) + d - 1)
		}
	}
	e.Name, e.NameLen = c.text()
	e.Value, e.ValueLen = c.text()
	if c.short {
		return e
	}
	switch expiry {
	case expiryBehind:
		e.ExpireAt = max(int64(c.u64le()), 0)
	case expiryText:
		c.text() // seconds from a base that the file does not give
	}
	return e
}

// text copies the beginning of a string and gives the length of the whole.
func (c *copier) text() ([]byte, int64) { return c.textUpTo(c.want.MaxText) }

func (c *copier) textUpTo(limit int) ([]byte, int64) {
	n, special := c.lengthOrForm()
	if !special {
		have := min(n, uint64(len(c.buf)-c.pos))
		b := c.buf[c.pos : c.pos+int(have)]
		c.pos += int(have)
		c.short = c.short || have < n
		return bytes.Clone(cut(b, limit)), int64(n)
	}
	switch n {
	case formInt8:
		return decimalText(int64(int8(c.byte())))
	case formInt16:
		return decimalText(int64(int16(binary.LittleEndian.Uint16(c.take(2)))))
	case formInt32:
		return decimalText(int64(int32(c.u32le())))
	case formLZF:
		clen, ulen := c.length(), c.length()
		return c.inflated(clen, min(ulen, uint64(limit))), int64(ulen)
	}
	c.failf("string form %d is not defined", n)
	return nil, 0
}

func decimalText(v int64) ([]byte, int64) {
	b := appendInt(nil, v)
	return b, int64(len(b))
}

// inflated passes clen compressed bytes and gives the first n that they hold.
func (c *copier) inflated(clen, n uint64) []byte {
	have := min(clen, uint64(len(c.buf)-c.pos))
	src := c.buf[c.pos : c.pos+int(have)]
	c.pos += int(have)
	c.short = c.short || have < clen
	return lzfHead(make([]byte, 0, n), src)
}

// block gives the content of a packed encoding, or its beginning.
func (c *copier) block() []byte {
	n, special := c.lengthOrForm()
	if special && n == formLZF {
		clen, ulen := c.length(), c.length()
		return c.inflated(clen, min(ulen, inflateMax))
	}
	if special {
		c.failf("a number stands where a packed encoding must be")
	}
	have := min(n, uint64(len(c.buf)-c.pos))
	b := c.buf[c.pos : c.pos+int(have)]
	c.pos += int(have)
	c.short = c.short || have < n
	return b
}

// zipmap copies the pairs of a zipmap.
func (c *copier) zipmap(b []byte) {
	in := &window{buf: b, pos: 1}
	length := func() int {
		if n := in.byte(); n != 254 {
			return int(n)
		}
		return int(in.u32le())
	}
	for !c.full() {
		if in.need(1); in.buf[in.pos] == packedEnd {
			return
		}
		n := length()
		e := Element{NameLen: int64(n), Name: bytes.Clone(cut(in.take(n), c.want.MaxText))}
		n = length()
		free := int(in.byte())
		e.ValueLen, e.Value = int64(n), bytes.Clone(cut(in.take(n), c.want.MaxText))
		in.take(free)
		c.add(e)
	}
}

func (c *copier) intset(b []byte) {
	in := &window{buf: b}
	width := in.u32le()
	for n := in.u32le(); n > 0 && len(c.x.Elements) < c.want.Limit; n-- {
		var v int64
		switch width {
		case 2:
			v = int64(int16(binary.LittleEndian.Uint16(in.take(2))))
		case 4:
			v = int64(int32(in.u32le()))
		default:
			v = int64(in.u64le())
		}
		text, n := decimalText(v)
		c.add(Element{Value: text, ValueLen: n})
	}
}

// packed copies the elements of a listpack or ziplist: stride entries each.
func (c *copier) packed(b []byte, zl bool, stride int) {
	p := openPackedReader(b, zl)
	for len(c.x.Elements) < c.want.Limit {
		first, ok := p.next()
		if !ok {
			return
		}
		e := Element{Value: first.text(c.want.MaxText), ValueLen: first.n}
		if stride > 1 {
			second, _ := p.next()
			if c.x.Key.Type == ZSet {
				e.Score = second.number()
			} else {
				e.Name, e.NameLen = e.Value, e.ValueLen
				e.Value, e.ValueLen = second.text(c.want.MaxText), second.n
			}
		}
		if stride > 2 {
			expiry, _ := p.next()
			e.ExpireAt = expiry.val
		}
		c.add(e)
	}
}

func (c *copier) quicklist(zl bool) {
	for n := c.length(); n > 0 && !c.full(); n-- {
		if !zl && c.length() == 1 {
			c.add(c.item())
			continue
		}
		c.packed(c.block(), zl, 1)
	}
}

func (c *copier) array() {
	n := c.length()
	if c.length() != 0 {
		c.length()
	}
	for ; n > 0 && !c.full(); n-- {
		e := Element{}
		e.Name = strconv.AppendUint(nil, c.length(), 10)
		e.NameLen = int64(len(e.Name))
		switch c.length() {
		case 1:
			e.Value = appendInt(nil, int64(c.u64le()))
		case 2:
			e.Value = strconv.AppendFloat(nil, math.Float64frombits(c.u64le()), 'g', 17, 64)
		default:
			e.Value, e.ValueLen = c.text()
		}
		e.ValueLen = max(e.ValueLen, int64(len(e.Value)))
		c.add(e)
	}
}

// template copies a hash whose names stand elsewhere in the snapshot (types 30
// and 32: its values alone) or in front (29 and 31).
func (c *copier) template(t byte) {
	var names []Element
	if t == 29 || t == 31 {
		c.x.Elements = make([]Element, 0, c.want.Limit)
		if c.length() == 0 {
			c.packed(c.block(), false, 1)
		} else {
			c.each(c.item)
		}
		names, c.x.Elements = c.x.Elements, nil
	}
	switch t {
	case 29, 30:
		p := openPackedReader(c.block(), false)
		p.next() // the template's number
		for len(c.x.Elements) < c.want.Limit {
			e, ok := p.next()
			if !ok {
				break
			}
			c.add(Element{Value: e.text(c.want.MaxText), ValueLen: e.n})
		}
	default:
		if t == 32 {
			c.length()
		}
		for n := c.x.Key.Elements; n > 0 && !c.full(); n-- {
			c.add(c.item())
		}
	}
	for i := range min(len(names), len(c.x.Elements)) {
		c.x.Elements[i].Name, c.x.Elements[i].NameLen = names[i].Value, names[i].ValueLen
	}
}

// stream copies live entries.
func (c *copier) stream() {
	for n := c.length(); n > 0 && !c.full(); n-- {
		id, _ := c.textUpTo(16)
		if len(id) != 16 {
			return
		}
		c.streamNode(binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:]), openPackedReader(c.block(), false))
	}
}

func (c *copier) streamNode(ms, seq uint64, p *packedReader) {
	number := func() int64 {
		e, _ := p.next()
		return e.val
	}
	left := number() + number()
	names := [][]byte{}
	for n := number(); n > 0 && !p.ended; n-- {
		e, _ := p.next()
		names = append(names, e.text(c.want.MaxText))
	}
	number()
	for ; left > 0 && !p.ended && len(c.x.Elements) < c.want.Limit; left-- {
		flags, dms, dseq := number(), number(), number()
		e := Element{Name: strconv.AppendUint(nil, ms+uint64(dms), 10)}
		e.Name = strconv.AppendUint(append(e.Name, '-'), seq+uint64(dseq), 10)
		e.NameLen = int64(len(e.Name))
		same := flags&2 != 0
		fields := int64(len(names))
		if !same {
			fields = number()
		}
		for i := int64(0); i < fields && !p.ended; i++ {
			name := packedEntry{}
			if same {
				e.Pairs = append(e.Pairs, names[i])
			} else {
				name, _ = p.next()
				e.Pairs = append(e.Pairs, name.text(c.want.MaxText))
			}
			value, _ := p.next()
			e.Pairs = append(e.Pairs, value.text(c.want.MaxText))
		}
		number()
		if flags&1 == 0 && !p.ended {
			c.add(e)
		}
	}
}
