package parser

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// value copies the elements of a value of type t.
func (c *copier) value(t byte) {
	x := c.x
	switch {
	case x.Key.Type == JSON, t == 0:
		if !c.full() {
			c.give(Element{Value: c.text()})
		}
	case x.dragonfly && t == 31:
		c.each(func() (Element, bool) { return c.field(expirySeconds, 0) })
	case x.dragonfly && t == 32:
		c.each(func() (Element, bool) {
			e := Element{Value: c.text()}
			if c.short {
				return e, true
			}
			c.textUpTo(0) // seconds from a base that the file does not give
			return e, true
		})
	case t == 1, t == 2:
		c.each(func() (Element, bool) { return Element{Value: c.text()}, true })
	case t == 3, t == 5:
		c.each(func() (Element, bool) { return c.scored(t == 5) })
	case t == 4:
		c.each(func() (Element, bool) { return c.field(besideNothing, 0) })
	case t == 22 && x.valkey:
		c.each(func() (Element, bool) { return c.field(expiryBinary, 0) })
	case t == 22:
		c.each(func() (Element, bool) { return c.field(expiryAbsolute, 0) })
	case t == 24:
		base := int64(c.u64le())
		c.each(func() (Element, bool) { return c.field(expiryRelative, base) })
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
	}
}

// each copies the elements of a value that begins with their number. One that
// is not at hand as far as it is wanted is left out.
func (c *copier) each(element func() (Element, bool)) {
	for n := c.length(); n > 0 && !c.full(); n-- {
		if e, ok := element(); ok {
			c.give(e)
		}
	}
}

func (c *copier) scored(binary64 bool) (e Element, ok bool) {
	e.Value = c.text()
	if c.short {
		return e, false
	}
	if binary64 {
		e.Score = math.Float64frombits(c.u64le())
		return e, true
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
	return e, true
}

func (c *copier) field(expiry beside, base int64) (e Element, ok bool) {
	switch expiry {
	case expiryAbsolute:
		e.ExpireAt = int64(c.length())
	case expiryRelative:
		if d := c.length(); d != 0 {
			e.ExpireAt = int64(uint64(base) + d - 1)
		}
	}
	e.Name = c.text()
	if c.short {
		return e, false
	}
	e.Value = c.text()
	switch {
	case c.short:
		return e, expiry != expiryBinary
	case expiry == expiryBinary:
		e.ExpireAt = max(int64(c.u64le()), 0)
	case expiry == expirySeconds:
		c.textUpTo(0) // seconds from a base that the file does not give
	}
	return e, true
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
	text := func(n int) Text {
		t := Text{bytes.Clone(cut(in.take(n), c.want.MaxText)), int64(n)}
		c.spend(len(t.Bytes))
		return t
	}
	for !c.full() {
		if in.need(1); in.buf[in.pos] == packedEnd {
			return
		}
		e := Element{Name: text(length())}
		n := length()
		free := int(in.byte())
		e.Value = text(n)
		in.take(free)
		c.give(e)
	}
}

func (c *copier) intset(b []byte) {
	in := &window{buf: b}
	width := in.u32le()
	for n := in.u32le(); n > 0 && !c.full(); n-- {
		var v int64
		switch width {
		case 2:
			v = int64(int16(in.u16le()))
		case 4:
			v = int64(int32(in.u32le()))
		default:
			v = int64(in.u64le())
		}
		c.give(Element{Value: c.decimal(v)})
	}
}

func (c *copier) decimal(v int64) Text {
	t := decimalText(v)
	c.spend(len(t.Bytes))
	return t
}

// packed copies the elements of a listpack or ziplist: stride entries each.
func (c *copier) packed(b []byte, zl bool, stride int) {
	for p := openPackedReader(b, zl); !c.full(); {
		e, ok := c.packedElement(p, stride)
		if !ok {
			break
		}
		c.give(e)
	}
	c.blockEnded()
}

// packedElement reads the next element; false where it is not at hand as far as
// it is wanted.
func (c *copier) packedElement(p *packedReader, stride int) (e Element, ok bool) {
	first, ok := p.next()
	if !ok {
		return e, false
	}
	e.Value = c.entry(&first)
	if stride > 1 {
		second, ok := p.next()
		switch {
		case !ok:
			return e, false
		case c.x.Key.Type == ZSet && second.cut():
			return e, false
		case c.x.Key.Type == ZSet:
			e.Score = second.number()
		default:
			e.Name, e.Value = e.Value, c.entry(&second)
		}
	}
	if stride > 2 {
		expiry, ok := p.next()
		if !ok {
			return e, false
		}
		e.ExpireAt = expiry.val
	}
	return e, true
}

// entry copies the beginning of a packed entry.
func (c *copier) entry(e *packedEntry) Text {
	if e.isInt {
		return c.decimal(e.val)
	}
	t := Text{bytes.Clone(cut(e.bytes, c.want.MaxText)), e.n}
	c.spend(len(t.Bytes))
	return t
}

func (c *copier) quicklist(zl bool) {
	for n := c.length(); n > 0 && !c.full(); n-- {
		if !zl && c.length() == 1 {
			c.give(Element{Value: c.text()})
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
		index := strconv.AppendUint(nil, c.length(), 10)
		e.Name = Text{index, int64(len(index))}
		switch c.length() {
		case 1:
			e.Value = c.decimal(int64(c.u64le()))
		case 2:
			b := strconv.AppendFloat(nil, math.Float64frombits(c.u64le()), 'g', 17, 64)
			e.Value = Text{b, int64(len(b))}
		default:
			e.Value = c.text()
		}
		c.give(e)
	}
}

// template copies a hash whose names stand elsewhere in the snapshot (types 30
// and 32: its values alone) or in front (29 and 31).
func (c *copier) template(t byte) {
	var names []Text
	floor := c.left / 2 // the values come behind all names
	wanted := func() bool { return c.left > floor && len(names) < c.want.Limit }
	keep := func(name Text) {
		c.spend(textCost)
		names = append(names, name)
	}
	why := cutCopied // names are missing
	switch {
	case t == 30 || t == 32:
	case c.length() == 0:
		p := openPackedReader(c.block(), false)
		for e, ok := p.next(); ok && wanted(); e, ok = p.next() {
			keep(c.entry(&e))
		}
		if wanted() {
			why = c.part
		}
	default:
		for n := c.length(); n > 0; n-- {
			if wanted() {
				keep(c.text())
			} else {
				c.textUpTo(0)
			}
		}
	}
	full := func() bool {
		if t != 30 && t != 32 && c.given == len(names) && c.given < c.want.Limit && int64(c.given) < c.x.Key.Elements {
			c.end(why)
		}
		return c.full()
	}
	give := func(value Text) {
		e := Element{Value: value}
		if c.given < len(names) {
			e.Name = names[c.given]
		}
		c.give(e)
	}
	if t == 29 || t == 30 {
		p := openPackedReader(c.block(), false)
		p.next() // the template's number
		for !full() {
			e, ok := p.next()
			if !ok {
				break
			}
			give(c.entry(&e))
		}
		c.blockEnded()
		return
	}
	if t == 32 {
		c.length()
	}
	for n := c.x.Key.Elements; n > 0 && !full(); n-- {
		give(c.text())
	}
}

// stream copies live entries.
func (c *copier) stream() {
	for n := c.length(); n > 0 && !c.full(); n-- {
		id := c.textUpTo(16).Bytes
		if len(id) != 16 {
			return
		}
		c.streamNode(binary.BigEndian.Uint64(id), binary.BigEndian.Uint64(id[8:]), openPackedReader(c.block(), false))
		c.blockEnded()
	}
}

// streamNode copies the live entries of a node, and of an entry that is not at
// hand whole those fields that are.
func (c *copier) streamNode(ms, seq uint64, p *packedReader) {
	number := func() int64 {
		e, _ := p.next()
		return e.val
	}
	most := int64(c.want.Fields)
	left := number() + number()
	shared := number()
	var names []Text    // of fields that entries share
	floor := c.left / 2 // something must be left for the values
	for i := int64(0); i < shared && !p.ended; i++ {
		if e, ok := p.next(); ok && i < most && c.left > floor {
			c.spend(textCost)
			names = append(names, c.entry(&e))
		}
	}
	number()
	for ; left > 0 && !p.ended && !c.full(); left-- {
		flags, dms, dseq := number(), number(), number()
		same, live := flags&entrySameFields != 0, flags&entryDeleted == 0
		e := Element{Fields: shared}
		if !same {
			e.Fields = number()
		}
		if p.ended {
			return
		}
		id := strconv.AppendUint(nil, ms+uint64(dms), 10)
		id = strconv.AppendUint(append(id, '-'), seq+uint64(dseq), 10)
		e.Name = Text{id, int64(len(id))}
		for i := int64(0); i < e.Fields && !p.ended; i++ {
			var name packedEntry
			ok := true
			if !same {
				name, ok = p.next()
			}
			value, there := p.next()
			if !ok || !there || !live || i >= most || c.ended != "" {
				continue
			}
			if same && i >= int64(len(names)) {
				c.end(cutCopied)
				continue
			}
			c.spend(2 * textCost)
			if same {
				e.Pairs = append(e.Pairs, names[i])
				c.spend(len(names[i].Bytes))
			} else {
				e.Pairs = append(e.Pairs, c.entry(&name))
			}
			e.Pairs = append(e.Pairs, c.entry(&value))
		}
		number()
		if live {
			c.partly = int64(len(e.Pairs)) < 2*min(e.Fields, most)
			c.give(e)
		}
	}
}
