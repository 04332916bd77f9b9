package parser

import (
	"math"
	"strconv"

	"github.com/rdblens/rdblens/parser/memory"
)

// smallTable bounds the collections whose size as a listpack is worked out:
// no compact limit is near it.
const smallTable = 2048

// value walks the value of type t, as shared numbers mean it in this dialect.
func (w *walker) value(t byte) {
	k := &w.key
	switch t {
	case 0:
		w.stringValue()
		return
	case 1:
		w.of(List, EncLinkedlist, memory.Linked)
		w.members(w.length(), scoreNone)
		return
	case 2:
		w.of(Set, EncHashtable, memory.SetTable)
		w.members(w.length(), scoreNone)
		return
	case 3:
		w.of(ZSet, EncSkiplist, memory.Skiplist)
		w.members(w.length(), scoreText)
		return
	case 5:
		w.of(ZSet, EncSkiplist, memory.Skiplist)
		w.members(w.length(), scoreBinary)
		return
	case 4:
		w.of(Hash, EncHashtable, memory.HashTable)
		w.fields(w.length(), expiryNone, 0)
		return
	case 6:
		w.failf("a module wrote this key in the format of 4.0 release candidates (type 6), which nothing but the module itself can read")
	case 7:
		w.moduleValue()
		return
	case 9:
		w.packedValue(Hash, EncZipmap, 2)
		return
	case 10:
		w.packedValue(List, EncZiplist, 1)
		return
	case 11:
		w.packedValue(Set, EncIntset, 0)
		return
	case 12:
		w.packedValue(ZSet, EncZiplist, 2)
		return
	case 13:
		w.packedValue(Hash, EncZiplist, 2)
		return
	case 14:
		w.quicklist(true)
		return
	case 15, 19, 21:
		w.stream(t)
		return
	case 16:
		w.packedValue(Hash, EncListpack, 2)
		return
	case 17:
		w.packedValue(ZSet, EncListpack, 2)
		return
	case 18:
		w.quicklist(false)
		return
	case 20:
		if w.src.dragonfly && w.src.version <= 9 {
			w.jsonValue()
			return
		}
		w.packedValue(Set, EncListpack, 1)
		return
	}
	switch {
	case w.src.dragonfly:
		if w.dragonflyValue(t) {
			return
		}
	case w.src.valkey:
		if t == 22 {
			w.of(Hash, EncHashtable, memory.HashTable)
			w.fields(w.length(), expiryBehind, 0)
			return
		}
		if t == 23 {
			w.failf("type 23 is a hash of a Valkey release (RDB 81) that rdblens does not read yet")
		}
	default:
		switch t {
		case 22:
			w.of(Hash, EncHashtable, memory.HashTable)
			w.fields(w.length(), expiryBefore, 0)
			return
		case 23:
			w.packedValue(Hash, EncListpackEx, 3)
			return
		case 24:
			w.of(Hash, EncHashtable, memory.HashTable)
			least := int64(w.u64le())
			w.fields(w.length(), expiryRelative, least)
			return
		case 25:
			w.take(8)
			w.packedValue(Hash, EncListpackEx, 3)
			return
		case 26, 27:
			w.stream(t)
			return
		case 28:
			w.array()
			return
		case 29, 30, 31, 32:
			w.templateHash(t)
			return
		case 33:
			w.of(GCRA, EncUnknown, memory.Other)
			w.length()
			k.Elements, k.ValueBytes, k.Largest, k.Longest = 1, 8, 8, 8
			return
		case 64:
			w.cron()
			return
		}
	}
	w.failUnknown(t)
}

// known reports whether t is a type in this dialect; all others are opcodes or damage.
func (d *dialect) known(t byte) bool {
	switch {
	case t <= 7, t >= 9 && t <= 21:
		return true
	case d.dragonfly:
		return t >= 30 && t <= 37
	case d.valkey:
		return t == 22 || t == 23
	}
	return t >= 22 && t <= 33 || t == 64
}

func (w *walker) failUnknown(t byte) {
	w.pos--
	what := "type or opcode"
	if w.src.version > newestVersion(w.src.valkey) {
		w.failf("unknown %s %d: this snapshot (RDB version %d) is newer than this rdblens", what, t, w.src.version)
	}
	w.failf("unknown %s %d", what, t)
}

// of begins the measures of a value.
func (w *walker) of(t Type, e Encoding, s memory.Shape) {
	w.key.Type, w.key.Encoding = t, e
	w.facts.Shape = s
}

func (w *walker) stringValue() {
	k, s := &w.key, &w.first
	w.string(s, 0)
	k.Type, k.Elements = String, 1
	k.ValueBytes, k.Largest, k.Longest = s.n, s.n, s.n
	if s.kind == strPlain && w.refill == nil {
		k.Head = w.buf[s.off : s.off+int(min(s.n, MaxHead))]
	} else {
		k.Head = append(w.headBuf[:0], w.text(s, MaxHead)...)
	}
	f := &w.facts
	f.Text = s.n
	if v, ok := s.int(k.Head); ok {
		k.Encoding = EncInt
		f.Shape, f.Int = memory.StringInt, v
		return
	}
	f.Shape = memory.StringText
	k.Encoding = EncRaw
	if w.embedded(s.n) {
		k.Encoding = EncEmbstr
	}
}

// int gives the number that a string is, if it is the canonical text of one.
func (s *str) int(text []byte) (int64, bool) {
	if s.kind == strInt {
		return s.val, true
	}
	if s.kind != strPlain || s.n > 20 || s.n == 0 || text[0] > '9' {
		return 0, false
	}
	return canonicalInt(text)
}

// canonicalInt gives the int64 of which text is the shortest decimal form.
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

func embeddingOf(server string, major, minor int) embedding {
	switch {
	case server == "valkey" && major >= 9:
		return embedValkey9
	case server == "valkey" && major == 8 && minor >= 1:
		return embedValkey8
	case server == "redis" && major > 0 && major < 3:
		return embedNever
	case server == "redis" && major == 3 && minor < 2:
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

const (
	scoreNone   = iota
	scoreText   // a length byte and so many characters, or 253 to 255
	scoreBinary // eight bytes
)

// members walks n items of a list, or members of a set or sorted set.
func (w *walker) members(n uint64, score int) {
	k, m, s := &w.key, w.model, &w.first
	k.Elements = w.checkLen(n)
	small := n <= smallTable
	integers := k.Type == Set
	var sum, largest, lp int64
	largest = -1
	plain := !small && (score == scoreNone || score == scoreBinary)
	tail := 0
	if score == scoreBinary {
		tail = 8
	}
	for i := uint64(0); i < n; i++ {
		if plain && !integers {
			// Most of a large collection are short texts that are not the
			// longest: only their lengths count.
			i += w.shortMembers(n-i, tail, largest, &sum)
			if i == n {
				break
			}
		}
		w.ahead()
		w.string(s, 0)
		size := s.n
		sum += size
		if size > largest {
			largest = size
			w.newLargest(s, s, size, int64(i))
		}
		if m != nil {
			switch k.Type {
			case Set:
				m.Member(&w.acc, size)
			case ZSet:
				m.Scored(&w.acc, size)
			default:
				m.Item(&w.acc, size)
			}
		}
		if integers && s.kind != strInt {
			if size > 20 {
				integers = false
			} else {
				_, integers = canonicalInt(w.text(s, 20))
			}
		}
		if small {
			lp += w.asEntry(s)
		}
		switch score {
		case scoreBinary:
			bits := w.u64le()
			if small {
				lp += scoreEntry(math.Float64frombits(bits))
			}
		case scoreText:
			if c := w.byte(); c < 253 {
				text := w.take(int(c))
				if small {
					lp += listpackText(int64(len(text)))
				}
			}
		}
	}
	k.ValueBytes = sum
	k.Largest, k.Longest = max(largest, 0), max(largest, 0)
	k.Integers = integers && n > 0
	w.rare = w.rare || k.Integers
	w.facts.Listpack = lp + 7
	if !small {
		w.facts.Listpack = 0
	}
}

// shortMembers passes texts of under 64 bytes that are no longer than largest,
// up to n of them and as far as they lie in the buffer, each with tail bytes
// behind it.
func (w *walker) shortMembers(n uint64, tail int, largest int64, sum *int64) (passed uint64) {
	buf, p, m, t := w.buf, w.pos, w.model, w.key.Type
	total := *sum
	for ; passed < n && p < len(buf); passed++ {
		c := int64(buf[p])
		next := p + 1 + int(c) + tail
		if c >= 64 || c > largest || next > len(buf) {
			break
		}
		p = next
		total += c
		if m == nil {
			continue
		}
		switch t {
		case Set:
			m.Member(&w.acc, c)
		case ZSet:
			m.Scored(&w.acc, c)
		default:
			m.Item(&w.acc, c)
		}
	}
	w.pos, *sum = p, total
	return passed
}

// shortFields does for pairs what shortMembers does for single texts.
func (w *walker) shortFields(n uint64, largest, longest int64, sum *int64) (passed uint64) {
	buf, p, m := w.buf, w.pos, w.model
	total := *sum
	for ; passed < n && p < len(buf); passed++ {
		f := int64(buf[p])
		q := p + 1 + int(f)
		if f >= 64 || f > longest || q >= len(buf) {
			break
		}
		v := int64(buf[q])
		q += 1 + int(v)
		if v >= 64 || v > longest || f+v > largest || q > len(buf) {
			break
		}
		p = q
		total += f + v
		if m != nil {
			m.Field(&w.acc, f, v, false)
		}
	}
	w.pos, *sum = p, total
	return passed
}

// newLargest notes the largest element until now: name is the string that
// names it, value the one whose first bytes are kept.
func (w *walker) newLargest(name, value *str, size, index int64) {
	if w.key.Type == List {
		w.bestIndex(index)
	} else {
		w.bestString(name)
	}
	if size >= headFrom {
		w.key.Head = append(w.headBuf[:0], w.text(value, MaxHead)...)
	}
}

// asEntry is what a string would take as a listpack entry, in bytes.
func (w *walker) asEntry(s *str) int64 {
	if s.kind == strInt {
		return listpackInt(s.val)
	}
	if s.n > 0 && s.n <= 20 && s.kind == strPlain {
		if t := w.text(s, 20); t[0] <= '9' {
			if v, ok := canonicalInt(t); ok {
				return listpackInt(v)
			}
		}
	}
	return listpackText(s.n)
}

// scoreEntry is what a score takes as a listpack entry: a number where it has
// no fraction, else its shortest text of 17 digits.
func scoreEntry(f float64) int64 {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return listpackInt(int64(f))
	}
	var buf [32]byte
	return listpackText(int64(len(strconv.AppendFloat(buf[:0], f, 'g', 17, 64))))
}

const (
	expiryNone     = iota
	expiryBefore   // length before the field, absolute ms, 0 none
	expiryRelative // length before the field, 0 none, else ms from a base, plus 1
	expiryBehind   // eight bytes behind the value, absolute ms, -1 none
	expiryText     // a decimal string behind the value, seconds from a base, -1 none (Dragonfly)
)

// fields walks n pairs of a hash.
func (w *walker) fields(n uint64, expiry int, base int64) {
	k, m := &w.key, w.model
	f, v := &w.first, &w.second
	k.Elements = w.checkLen(n)
	small := n <= smallTable
	var sum, longest, lp int64
	largest := int64(-1)
	for i := uint64(0); i < n; i++ {
		if !small && expiry == expiryNone {
			i += w.shortFields(n-i, largest, longest, &sum)
			if i == n {
				break
			}
		}
		w.ahead()
		ttl := false
		switch expiry {
		case expiryBefore:
			at := w.length()
			ttl = at != 0
			w.fieldExpiry(int64(min(at, math.MaxInt64)))
		case expiryRelative:
			if d := w.length(); d != 0 {
				ttl = true
				w.fieldExpiry(int64(uint64(base) + d - 1))
			}
		}
		w.string(f, 0)
		w.string(v, 1)
		size := f.n + v.n
		sum += size
		longest = max(longest, f.n, v.n)
		if size > largest {
			largest = size
			w.newLargest(f, v, size, 0)
		}
		if small {
			lp += w.asEntry(f) + w.asEntry(v)
		}
		switch expiry {
		case expiryBehind:
			if at := int64(w.u64le()); at != -1 {
				ttl = true
				w.fieldExpiry(at)
			}
		case expiryText:
			w.string(v, 1)
			if at, ok := v.int(w.text(v, 20)); ok && at > 0 {
				ttl = true
				w.fieldExpiry(at)
			}
		}
		if m != nil {
			m.Field(&w.acc, f.n, size-f.n, ttl)
		}
	}
	k.ValueBytes, k.Largest, k.Longest = sum, max(largest, 0), longest
	if small {
		w.facts.Listpack = lp + 7
	}
}

// packedValue walks a value of one packed block.
func (w *walker) packedValue(t Type, e Encoding, stride int) {
	w.of(t, e, memory.Packed)
	if e == EncListpackEx {
		w.facts.Shape = memory.PackedEx
	}
	b := &w.blob
	w.open(b)
	w.key.Largest = -1
	switch e {
	case EncZipmap:
		w.zipmap(b)
	case EncIntset:
		w.intset(b)
		w.key.Integers, w.rare = true, true
		w.facts.Intset = true
	default:
		w.packed(b, e == EncZiplist, stride)
	}
	w.key.Largest = max(w.key.Largest, 0)
	w.facts.Blob = b.size
	w.facts.Ziplist = e == EncZiplist || e == EncZipmap
}

// quicklist walks a list of packed nodes; of ziplists before Redis 7.0.
func (w *walker) quicklist(zl bool) {
	w.of(List, EncQuicklist, memory.Quicklist)
	n := w.length()
	packed := w.nodes(n, zl)
	// From Redis 7.2 on a list of one small node is kept as that listpack.
	if !zl && n == 1 && packed > 0 && packed <= 8<<10 && w.src.version >= 11 {
		w.key.Encoding = EncListpack
		w.facts.Shape, w.facts.Blob = memory.Packed, packed
	}
}

// nodes walks n nodes of a quicklist and gives the bytes of the packed ones.
func (w *walker) nodes(nodes uint64, zl bool) (packed int64) {
	k, b := &w.key, &w.blob
	w.manyBlobs, w.rare = true, true
	k.Nodes = w.checkLen(nodes)
	k.Largest = -1
	for i := uint64(0); i < nodes; i++ {
		container := uint64(2)
		if !zl {
			container = w.length()
		}
		switch container {
		case 1: // one plain element
			w.ahead()
			s := &w.first
			w.string(s, 0)
			k.ValueBytes += s.n
			if s.n > k.Largest {
				k.Largest = s.n
				w.newLargest(s, s, s.n, k.Elements)
			}
			k.Longest = max(k.Longest, s.n)
			k.Elements++
			if w.model != nil {
				w.model.Node(&w.acc, true, s.n)
			}
		case 2:
			w.open(b)
			w.packed(b, zl, 1)
			packed += b.size
			if w.model != nil {
				w.model.Node(&w.acc, false, b.size)
			}
		default:
			w.pos--
			w.failf("a list's node has container kind %d; only 1 and 2 exist", container)
		}
	}
	k.Largest = max(k.Largest, 0)
	w.facts.Ziplist = zl
	return packed
}
