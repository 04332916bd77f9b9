package parser

import (
	"encoding/binary"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

// An rdb is a snapshot being written byte by byte, as the format has it. It is
// for what no server at hand writes, and for damage.
type rdbBuilder struct{ b []byte }

// newRDB begins a snapshot with a magic, such as "REDIS0011".
func newRDB(magic string) *rdbBuilder { return &rdbBuilder{[]byte(magic)} }

// raw appends bytes and texts as they are.
func (r *rdbBuilder) raw(parts ...any) *rdbBuilder {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			r.b = append(r.b, byte(p))
		case byte:
			r.b = append(r.b, p)
		case string:
			r.b = append(r.b, p...)
		case []byte:
			r.b = append(r.b, p...)
		default:
			panic("neither a byte nor a text")
		}
	}
	return r
}

// len appends a length in its shortest form.
func (r *rdbBuilder) len(n uint64) *rdbBuilder {
	switch {
	case n < 64:
		r.b = append(r.b, byte(n))
	case n < 1<<14:
		r.b = append(r.b, 0x40|byte(n>>8), byte(n))
	case n < 1<<32:
		r.b = binary.BigEndian.AppendUint32(append(r.b, 0x80), uint32(n))
	default:
		r.b = binary.BigEndian.AppendUint64(append(r.b, 0x81), n)
	}
	return r
}

// str appends plain strings.
func (r *rdbBuilder) str(texts ...string) *rdbBuilder {
	for _, s := range texts {
		r.len(uint64(len(s))).raw(s)
	}
	return r
}

// le32 and le64 append little-endian numbers.
func (r *rdbBuilder) le32(v uint32) *rdbBuilder {
	r.b = binary.LittleEndian.AppendUint32(r.b, v)
	return r
}
func (r *rdbBuilder) le64(v int64) *rdbBuilder {
	r.b = binary.LittleEndian.AppendUint64(r.b, uint64(v))
	return r
}

// id appends a stream ID as nodes and pending lists have it.
func (r *rdbBuilder) id(ms, seq uint64) *rdbBuilder {
	r.b = binary.BigEndian.AppendUint64(r.b, ms)
	r.b = binary.BigEndian.AppendUint64(r.b, seq)
	return r
}

// aux appends a header field.
func (r *rdbBuilder) aux(name, value string) *rdbBuilder { return r.raw(0xfa).str(name, value) }

// key appends a type byte and a name: the value has to follow.
func (r *rdbBuilder) key(t byte, name string) *rdbBuilder { return r.raw(t).str(name) }

// end closes a snapshot with its checksum.
func (r *rdbBuilder) end() []byte {
	r.raw(0xff)
	return binary.LittleEndian.AppendUint64(r.b, crc64.Update(0, r.b))
}

// endOff closes a snapshot as a server with rdbchecksum no does.
func (r *rdbBuilder) endOff() []byte { return append(r.raw(0xff).b, make([]byte, 8)...) }

// endNone closes a snapshot of a version under 5.
func (r *rdbBuilder) endNone() []byte { return r.raw(0xff).b }

// listpack packs texts and integers (int).
func listpack(entries ...any) string {
	b := make([]byte, 6)
	for _, e := range entries {
		start := len(b)
		switch e := e.(type) {
		case int:
			b = appendPackedInt(b, int64(e))
		case string:
			switch n := len(e); {
			case n < 64:
				b = append(b, 0x80|byte(n))
			case n < 4096:
				b = append(b, 0xe0|byte(n>>8), byte(n))
			default:
				b = binary.LittleEndian.AppendUint32(append(b, 0xf0), uint32(n))
			}
			b = append(b, e...)
		}
		b = appendBacklen(b, len(b)-start)
	}
	b = append(b, 0xff)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint16(b[4:], uint16(min(len(entries), 65535)))
	return string(b)
}

func appendPackedInt(b []byte, v int64) []byte {
	switch {
	case v >= 0 && v < 128:
		return append(b, byte(v))
	case v >= -4096 && v < 4096:
		return append(b, 0xc0|byte(v>>8)&0x1f, byte(v))
	case v == int64(int16(v)):
		return binary.LittleEndian.AppendUint16(append(b, 0xf1), uint16(v))
	case v == int64(int32(v)<<8>>8):
		return append(b, 0xf2, byte(v), byte(v>>8), byte(v>>16))
	case v == int64(int32(v)):
		return binary.LittleEndian.AppendUint32(append(b, 0xf3), uint32(v))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xf4), uint64(v))
}

// appendBacklen appends the length of an entry in the form that is read
// backwards: seven bits a byte, the last ones first.
func appendBacklen(b []byte, n int) []byte {
	size := 1
	for _, limit := range []int{127, 16382, 2097150, 268435454} {
		if n > limit {
			size++
		}
	}
	for i := size - 1; i >= 0; i-- {
		c := byte(n>>(7*i)) & 127
		if i < size-1 {
			c |= 128
		}
		b = append(b, c)
	}
	return b
}

// ziplist packs texts and integers (int).
func ziplist(entries ...any) string {
	b := make([]byte, 10)
	last, tail := 0, 10
	for _, e := range entries {
		tail = len(b)
		if last < 254 {
			b = append(b, byte(last))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, 0xfe), uint32(last))
		}
		switch e := e.(type) {
		case int:
			b = appendZipInt(b, int64(e))
		case string:
			switch n := len(e); {
			case n < 64:
				b = append(b, byte(n))
			case n < 1<<14:
				b = append(b, 0x40|byte(n>>8), byte(n))
			default:
				b = binary.BigEndian.AppendUint32(append(b, 0x80), uint32(n))
			}
			b = append(b, e...)
		}
		last = len(b) - tail
	}
	b = append(b, 0xff)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], uint32(tail))
	binary.LittleEndian.PutUint16(b[8:], uint16(min(len(entries), 65535)))
	return string(b)
}

func appendZipInt(b []byte, v int64) []byte {
	switch {
	case v >= 0 && v <= 12:
		return append(b, 0xf1+byte(v))
	case v == int64(int8(v)):
		return append(b, 0xfe, byte(v))
	case v == int64(int16(v)):
		return binary.LittleEndian.AppendUint16(append(b, 0xc0), uint16(v))
	case v == int64(int32(v)<<8>>8):
		return append(b, 0xf0, byte(v), byte(v>>8), byte(v>>16))
	case v == int64(int32(v)):
		return binary.LittleEndian.AppendUint32(append(b, 0xd0), uint32(v))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xe0), uint64(v))
}

// intset packs sorted integers with a width of 2, 4 or 8 bytes.
func intset(width int, values ...int64) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(width))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(values)))
	for _, v := range values {
		b = append(b, binary.LittleEndian.AppendUint64(nil, uint64(v))[:width]...)
	}
	return string(b)
}

// zipmap packs fields and values, with free bytes of slack behind each value.
func zipmap(free int, pairs ...string) string {
	b := []byte{byte(min(len(pairs)/2, 254))}
	length := func(n int) {
		if n < 254 {
			b = append(b, byte(n))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, 0xfe), uint32(n))
		}
	}
	for i, s := range pairs {
		length(len(s))
		if i%2 == 1 {
			b = append(b, byte(free))
		}
		b = append(b, s...)
		if i%2 == 1 {
			b = append(b, make([]byte, free)...)
		}
	}
	return string(append(b, 0xff))
}

// lzf compresses as LZF does, but only runs of one byte.
func lzf(s string) string {
	var out, plain []byte
	flush := func() {
		for len(plain) > 0 {
			n := min(len(plain), 32)
			out = append(append(out, byte(n-1)), plain[:n]...)
			plain = plain[n:]
		}
	}
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && n < 265 && s[i+n] == s[i] {
			n++
		}
		plain = append(plain, s[i])
		if i++; n < 4 {
			continue
		}
		flush()
		i += n - 1
		switch n -= 3; { // one byte was literal, and matches count from 2
		case n < 7:
			out = append(out, byte(n)<<5, 0)
		default:
			out = append(out, 7<<5, byte(n-7), 0)
		}
	}
	flush()
	return string(out)
}
