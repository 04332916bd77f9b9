package parser

import "encoding/binary"

// shortRecord is more than what shortKey reads without looking for the block's
// end: an expiry, a type, a name of up to 63 bytes and the first of a value.
const shortRecord = 96

// shortKey is step for what most records in a block are: at most an expiry, then
// a key with a name of up to 63 bytes. It reads nothing and reports false where
// the next record is another, or the block nearly ends.
func (w *walker) shortKey() bool {
	b := w.buf[w.pos:]
	if len(b) < shortRecord || w.pend.any {
		return false
	}
	k := &w.key
	t, p := b[0], 0
	expires, at := t == opExpireMS, int64(0)
	if expires {
		t, p, at = b[9], 9, int64(binary.LittleEndian.Uint64(b[1:9]))
	}
	n := int(b[p+1])
	if n > 63 || t != 0 && !w.src.isType[t] {
		return false
	}
	if expires {
		w.t.opcodes[opExpireMS]++
	}
	w.pos += p + 1 // behind the type, as begin wants it
	w.begin(t)
	k.HasExpire, k.ExpireAt = expires, at
	p += 2
	w.pos += 1 + n
	k.Name, k.NameLen = b[p:p+n], int64(n)
	w.inKey = true
	if t != 0 {
		w.rest(t)
		return true
	}
	b = b[p+n:]
	c, from := int(b[0]), 1
	switch {
	case c < 64:
	case c < 128:
		c, from = c&0x3f<<8|int(b[1]), 2
	case c >= 0xc0|formInt8 && c <= 0xc0|formInt32:
		shift := numberForm[c&3]
		v := int64(int32(binary.LittleEndian.Uint32(b[1:])<<shift) >> shift)
		from = 5 - int(shift)/8
		w.pos += from
		n := int64(decimalLen(v))
		k.Type, k.Elements, k.Serialized = String, 1, int64(from)
		k.ValueBytes, k.Largest, k.Longest = n, n, n
		w.numberSize(v)
		w.endKey()
		return true
	default:
		w.rest(t)
		return true
	}
	if from+c > len(b) {
		w.rest(t) // fails
	}
	w.pos += from + c
	text := b[from : from+c]
	k.Type, k.Elements, k.Serialized = String, 1, int64(from+c)
	k.ValueBytes, k.Largest, k.Longest = int64(c), int64(c), int64(c)
	k.Head = text[:min(c, MaxHead)]
	if c > 0 && c <= 20 && text[0] <= '9' {
		if v, ok := canonicalInt(text); ok {
			w.numberSize(v)
			w.endKey()
			return true
		}
	}
	w.textSize(int64(c))
	w.endKey()
	return true
}

// numberForm is by how much four bytes are shifted to leave those of the number
// that a special string form has.
var numberForm = [4]uint8{formInt8: 24, formInt16: 16, formInt32: 0}
