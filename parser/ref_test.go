package parser

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// The walks of this file are what the fuzz targets compare the parser with: each
// takes a whole block in memory and follows the format's description step by
// step, without regard to speed.

// reference is what a value has to amount to.
type reference struct {
	n, sum, largest, longest int64
	name                     string
	live                     int64 // of a stream
}

// element counts one element; parts are the strings that it consists of.
func (r *reference) element(name string, parts ...int) {
	size := int64(0)
	for _, p := range parts {
		size += int64(p)
		r.longest = max(r.longest, int64(p))
	}
	if size > r.largest || r.n == 0 {
		r.largest, r.name = size, name[:min(len(name), MaxElementName)]
	}
	r.n++
	r.sum += size
}

// refEntry is an entry of a listpack or ziplist: its text, and its value if it
// is a number.
type refEntry struct {
	text  string
	isInt bool
	v     int64
}

func number(v int64) refEntry { return refEntry{strconv.FormatInt(v, 10), true, v} }

// cutter takes bytes from a block; bad is set when it is out of them.
type cutter struct {
	b   []byte
	bad bool
}

func (c *cutter) take(n int) []byte {
	if n < 0 || n > len(c.b) || c.bad {
		c.bad = true
		return make([]byte, min(max(n, 0), 8))
	}
	p := c.b[:n]
	c.b = c.b[n:]
	return p
}

func (c *cutter) byte() byte { return c.take(1)[0] }

// little takes a signed little-endian number of n bytes.
func (c *cutter) little(n int) int64 {
	var v int64
	for i, b := range c.take(n) {
		v |= int64(b) << (8 * i)
	}
	return v << (64 - 8*n) >> (64 - 8*n)
}

func (c *cutter) u32() int { return int(uint32(c.little(4))) }

// refListpack returns the entries of a listpack; ok reports whether it is valid.
func refListpack(b []byte) (entries []refEntry, ok bool) {
	if len(b) < 7 || int(binary.LittleEndian.Uint32(b)) != len(b) || b[len(b)-1] != 0xff {
		return nil, false
	}
	claimed := int(binary.LittleEndian.Uint16(b[4:]))
	c := &cutter{b: b[6 : len(b)-1]}
	for len(c.b) > 0 && !c.bad {
		before := len(c.b)
		e := refEntry{}
		text := -1
		switch t := c.byte(); {
		case t < 0x80:
			e = number(int64(t))
		case t < 0xc0:
			text = int(t & 63)
		case t < 0xe0:
			v := int64(t&31)<<8 | int64(c.byte())
			if v >= 1<<12 {
				v -= 1 << 13
			}
			e = number(v)
		case t < 0xf0:
			text = int(t&15)<<8 | int(c.byte())
		case t == 0xf0:
			text = c.u32()
		case t == 0xf1:
			e = number(c.little(2))
		case t == 0xf2:
			e = number(c.little(3))
		case t == 0xf3:
			e = number(c.little(4))
		case t == 0xf4:
			e = number(c.little(8))
		default:
			return nil, false
		}
		if text >= 0 {
			e.text = string(c.take(text))
		}
		size := before - len(c.b)
		back := 1
		for _, limit := range []int{127, 16382, 2097150, 268435454} {
			if size > limit {
				back++
			}
		}
		if (size == 16383 || size == 2097151) && len(c.b) > 0 && c.b[0] == 0x7f {
			back-- // as Valkey 9.1 writes it
		}
		c.take(back)
		entries = append(entries, e)
	}
	return entries, !c.bad && (claimed == 65535 || claimed == len(entries))
}

// refZiplist does the same for a ziplist.
func refZiplist(b []byte) (entries []refEntry, ok bool) {
	if len(b) < 11 || int(binary.LittleEndian.Uint32(b)) != len(b) || b[len(b)-1] != 0xff {
		return nil, false
	}
	claimed := int(binary.LittleEndian.Uint16(b[8:]))
	c := &cutter{b: b[10 : len(b)-1]}
	for len(c.b) > 0 && !c.bad {
		switch c.byte() {
		case 254:
			c.take(4)
		case 255:
			return nil, false // the end, and not at the end
		}
		e := refEntry{}
		text := -1
		switch t := c.byte(); {
		case t < 0x40:
			text = int(t)
		case t < 0x80:
			text = int(t&63)<<8 | int(c.byte())
		case t == 0x80:
			text = int(binary.BigEndian.Uint32(c.take(4)))
		case t == 0xc0:
			e = number(c.little(2))
		case t == 0xd0:
			e = number(c.little(4))
		case t == 0xe0:
			e = number(c.little(8))
		case t == 0xf0:
			e = number(c.little(3))
		case t == 0xfe:
			e = number(c.little(1))
		case t >= 0xf1 && t <= 0xfd:
			e = number(int64(t) - 0xf1)
		default:
			return nil, false
		}
		if text >= 0 {
			e.text = string(c.take(text))
		}
		entries = append(entries, e)
	}
	return entries, !c.bad && (claimed == 65535 || claimed == len(entries))
}

// refPacked measures a value of type t that is one listpack or ziplist.
func refPacked(t byte, b []byte) (r reference, ok bool) {
	entries, ok := refListpack(b)
	if t == 10 || t == 12 || t == 13 {
		entries, ok = refZiplist(b)
	}
	stride := map[byte]int{10: 1, 12: 2, 13: 2, 16: 2, 17: 2, 20: 1, 23: 3, 18: 1, 14: 1}[t]
	if !ok || len(entries)%stride != 0 {
		return r, false
	}
	for i := 0; i < len(entries); i += stride {
		e := entries[i]
		switch t {
		case 10, 14, 18:
			r.element(strconv.Itoa(i), len(e.text))
		case 13, 16:
			r.element(e.text, len(e.text), len(entries[i+1].text))
		case 23:
			if !entries[i+2].isInt {
				return r, false
			}
			r.element(e.text, len(e.text), len(entries[i+1].text))
		default:
			r.element(e.text, len(e.text))
		}
	}
	return r, true
}

func refIntset(b []byte) (r reference, ok bool) {
	c := &cutter{b: b}
	width, count := c.u32(), c.u32()
	if c.bad || width != 2 && width != 4 && width != 8 || len(c.b) != width*count {
		return r, false
	}
	for range count {
		v := strconv.FormatInt(c.little(width), 10)
		r.element(v, len(v))
	}
	return r, true
}

func refZipmap(b []byte) (r reference, ok bool) {
	c := &cutter{b: b}
	claimed := int64(c.byte())
	length := func() int {
		if n := c.byte(); n != 254 {
			return int(n)
		}
		return c.u32()
	}
	for !c.bad && len(c.b) > 0 && c.b[0] != 255 {
		field := string(c.take(length()))
		if len(c.b) > 0 && c.b[0] == 255 {
			return r, false
		}
		n := length()
		free := int(c.byte())
		c.take(n)
		c.take(free)
		if !c.bad {
			r.element(field, len(field), n)
		}
	}
	return r, !c.bad && len(c.b) == 1 && (claimed >= 254 || claimed == r.n)
}

// refStreamNode measures a stream of one node, whose ID is ms-seq.
func refStreamNode(b []byte, ms, seq uint64) (r reference, ok bool) {
	entries, ok := refListpack(b)
	if !ok {
		return r, false
	}
	next := func() (e refEntry) {
		if len(entries) == 0 {
			ok = false
			return e
		}
		e, entries = entries[0], entries[1:]
		return e
	}
	integer := func() int64 {
		e := next()
		ok = ok && e.isInt
		return e.v
	}
	count, deleted, fields := integer(), integer(), integer()
	if !ok || count < 0 || deleted < 0 || fields < 0 || fields > int64(len(entries)) {
		return r, false
	}
	var names []int
	for range fields {
		names = append(names, len(next().text))
	}
	if integer() != 0 || !ok {
		return r, false
	}
	var seen uint64
	for ; len(entries) > 0 && ok; seen++ {
		flags, dms, dseq := integer(), integer(), integer()
		parts := []int{}
		whole := fields + 3
		if flags&2 != 0 {
			for _, n := range names {
				parts = append(parts, n, len(next().text))
			}
		} else {
			n := integer()
			if n < 0 || n > int64(len(entries)) {
				return r, false
			}
			for range 2 * n {
				parts = append(parts, len(next().text))
			}
			whole = 2*n + 4
		}
		if integer() != whole || !ok {
			return r, false
		}
		if flags&1 == 0 {
			r.element(fmt.Sprintf("%d-%d", ms+uint64(dms), seq+uint64(dseq)), parts...)
		}
	}
	r.live = r.n
	return r, ok && seen == uint64(count)+uint64(deleted)
}

// refLZF decompresses; ok says that src is sound and gives exactly n bytes.
func refLZF(src []byte, n int) (out []byte, ok bool) {
	c := &cutter{b: src}
	for len(c.b) > 0 && len(out) <= n && !c.bad {
		t := int(c.byte())
		if t < 32 {
			out = append(out, c.take(t+1)...)
			continue
		}
		length := t>>5 + 2
		if length == 9 {
			length += int(c.byte())
		}
		from := len(out) - (t&31<<8 | int(c.byte())) - 1
		if from < 0 {
			return out, false
		}
		for range length {
			out = append(out, out[from])
			from++
		}
	}
	return out, !c.bad && len(out) == n
}
