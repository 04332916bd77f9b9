package parser

import (
	"math"

	"github.com/rdblens/rdblens/parser/version"
)

// stringValue reads a string, and computes what the key takes in memory, which
// needs less than for other values.
func (w *walker) stringValue() {
	k, s := &w.key, &w.first
	w.string(s, 0)
	if w.visiting {
		w.visit.element.Value = w.keepText(s, 0)
		w.visitElement()
	}
	k.Type, k.Elements = String, 1
	k.ValueBytes, k.Largest, k.Longest = s.n, s.n, s.n
	switch {
	case s.kind == strInt:
	case s.kind == strPlain && w.refill == nil:
		k.Head = w.buf[s.off : s.off+int(min(s.n, MaxHead))]
	default:
		k.Head = append(w.headBuf[:0], w.text(s, MaxHead)...)
	}
	if v, ok := s.int(k.Head); ok {
		w.numberSize(v)
	} else {
		w.textSize(s.n)
	}
}

// numberSize ends a string that is kept as a number.
func (w *walker) numberSize(v int64) {
	k := &w.key
	k.Encoding = EncInt
	if w.model != nil {
		k.Memory, k.MemoryUsage = w.model.IntegerSizes(k.NameLen, v, k.HasExpire, k.Idle >= 0 || k.Freq >= 0)
	}
}

// textSize ends a string that is kept as a text of n bytes.
func (w *walker) textSize(n int64) {
	k := &w.key
	k.Encoding = EncRaw
	if w.embedded(n) {
		k.Encoding = EncEmbstr
	}
	if w.model != nil {
		k.Memory, k.MemoryUsage = w.model.TextSizes(k.NameLen, n, k.HasExpire)
	}
}

// int returns the number that a string is, if it is the canonical text of one.
func (s *str) int(text []byte) (int64, bool) {
	if s.kind == strInt {
		return s.val, true
	}
	if s.kind != strPlain || s.n > 20 || s.n == 0 || text[0] > '9' {
		return 0, false
	}
	return canonicalInt(text)
}

// canonicalInt returns the int64 of which text is the shortest decimal form.
func canonicalInt(text []byte) (int64, bool) {
	if len(text) == 0 || len(text) > 20 {
		return 0, false
	}
	digits := text
	if text[0] == '-' {
		digits = text[1:]
		if len(digits) == 0 || digits[0] == '0' {
			return 0, false
		}
	}
	if digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || u > (math.MaxUint64-d)/10 {
			return 0, false
		}
		u = u*10 + d
	}
	if text[0] == '-' {
		if u > 1<<63 {
			return 0, false
		}
		return -int64(u), true
	}
	return int64(u), u <= math.MaxInt64
}

// embedding is how a server line decides that a text lies in one block with
// its object: OBJECT ENCODING's embstr. Sources: object.c of each line.
type embedding uint8

const (
	embed44      embedding = iota // texts of up to 44 bytes
	embed39                       // up to 39 bytes: Redis 3.0
	embedNever                    // before Redis 3.0
	embedValkey8                  // with the name in 64 bytes: Valkey 8.1
	embedValkey9                  // with the name in 128 bytes: Valkey 9
)

func embeddingOf(server string, v version.Version) embedding {
	switch {
	case server == "valkey" && v.AtLeast(9, 0):
		return embedValkey9
	case server == "valkey" && v.AtLeast(8, 1):
		return embedValkey8
	case server != "redis" || v.Major == 0 || v.AtLeast(3, 2):
	case v.Major < 3:
		return embedNever
	default:
		return embed39
	}
	return embed44
}

// embedded reports whether a text of n bytes is kept so.
func (w *walker) embedded(n int64) bool {
	if w.src.embed == embed44 {
		return n <= 44
	}
	ttl := int64(0)
	if w.key.HasExpire {
		ttl = 8
	}
	name := w.key.NameLen
	switch w.src.embed {
	case embedValkey9:
		return 8+sdsHeader(name)+name+1+1+ttl+3+n+1 <= 128 && n <= 255
	case embedValkey8:
		if ttl > 0 && name >= 32 && (name+n == 40 || name+n == 41) {
			// Embedded before it got its expiry, in a block that rounding up
			// to 80 bytes left room for one in.
			return true
		}
		return 16+name+3+ttl+4+n <= 64
	case embed39:
		return n <= 39
	}
	return false
}

func sdsHeader(n int64) int64 {
	switch {
	case n < 32:
		return 1
	case n < 256:
		return 3
	case n < 65536:
		return 5
	}
	return 9
}
