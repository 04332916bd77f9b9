package parser

import "encoding/binary"

// shortRecord is more than what shortKey reads without looking for the block's
// end: an expiry, a type, a name and a text of up to 63 bytes each.
const shortRecord = 160

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
	if n > 63 || t != 0 && !w.src.types[t] {
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
	c := int(b[0])
	if c > 63 {
		w.rest(t)
		return true
	}
	w.pos += 1 + c
	text := b[1 : 1+c]
	k.Type, k.Elements, k.Serialized = String, 1, int64(1+c)
	k.ValueBytes, k.Largest, k.Longest = int64(c), int64(c), int64(c)
	k.Head = text[:min(c, MaxHead)]
	if v, ok := int64(0), false; c > 0 && c <= 20 && text[0] <= '9' {
		if v, ok = canonicalInt(text); ok {
			w.numberSize(v)
			w.endKey()
			return true
		}
	}
	w.textSize(int64(c))
	w.endKey()
	return true
}
