package parser

import (
	"math"
	"strconv"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/release"
)

// value walks the value of type t, no string.
func (w *walker) value(t byte) {
	r := &w.src.types[t]
	w.of(r)
	switch r.Kind {
	case rdb.Counted:
		var base int64
		if r.MinExpire {
			base = int64(w.Uint64())
		}
		w.elements(r, base, w.Length())
		if r.Beside == rdb.ExpiryBinary && w.src.version >= release.ValkeyTrees &&
			memory.FitsListpack(uint8(Hash), w.key.Elements, w.key.Longest) {
			w.key.Encoding = EncListpack
		}
	case rdb.Packed:
		if r.MinExpire {
			w.Take(8)
		}
		w.packedValue(r)
	case rdb.Quicklist:
		w.quicklist(r)
	case rdb.Stream:
		w.stream(r.Variant)
	case rdb.Module:
		w.moduleValue()
	case rdb.Text, rdb.Filter, rdb.CountMin, rdb.TopK, rdb.Cuckoo:
		w.dragonflyValue(r)
	case rdb.Array:
		w.array()
	case rdb.Template:
		w.templateHash(r.Variant)
	case rdb.Number:
		w.Length()
		k := &w.key
		k.Elements, k.ValueBytes, k.Largest, k.Longest = 1, 8, 8, 8
	case rdb.Cron:
		w.cron()
	case rdb.Paths:
		w.paths()
	case rdb.Refused:
		w.Failf(refusedModule)
	default:
		w.failUnknown(t)
	}
}

// refusedModule says why type 6 is not read.
const refusedModule = "a module wrote this key in the format of 4.0 release candidates (type 6), " +
	"which nothing but the module itself can read"

func (w *walker) of(r *typeRow) {
	w.key.Type, w.key.Encoding = r.typ, r.encoding
	w.facts.Shape = r.shape
}

// elements walks n elements of a type that is split, or of any counted one.
// base is the earliest field expiry, if it precedes the value.
func (w *walker) elements(r *typeRow, base int64, n uint64) {
	switch {
	case r.Kind == rdb.Quicklist:
		w.nodes(r, n)
	case r.Strings == 2:
		w.fields(n, r.Beside, base)
	default:
		w.members(n, r.Beside)
	}
}

func (w *walker) failUnknown(t byte) {
	w.Pos--
	what := "type or opcode"
	if w.src.dragonfly {
		w.Failf("unknown %s %d of Dragonfly %s: save the data with SAVE RDB, which any version of rdblens can read",
			what, t, w.src.server)
	}
	if w.src.version > release.Newest(release.Of(w.src.valkey)) {
		w.Failf("unknown %s %d: this snapshot (RDB version %d) is newer than this rdblens", what, t, w.src.version)
	}
	w.Failf("unknown %s %d", what, t)
}

func (w *walker) packedValue(r *typeRow) {
	b := &w.block
	w.open(b)
	w.key.Largest = -1
	switch r.Block {
	case rdb.BlockZipmap:
		w.zipmap(b)
	case rdb.BlockIntset:
		w.intset(b)
		w.key.Integers, w.rare = true, true
		w.facts.Intset = true
	default:
		w.packed(b, r.Block.Format(), int(r.Strings))
	}
	w.key.Largest = max(w.key.Largest, 0)
	w.facts.PackedBytes = b.Size
	w.facts.Ziplist = r.Block == rdb.BlockZiplist || r.Block == rdb.BlockZipmap
}

// quicklist walks a list of packed nodes; of ziplists before Redis 7.0.
func (w *walker) quicklist(r *typeRow) {
	n := w.Length()
	packed := w.nodes(r, n)
	// From Redis 7.2 on a list of one small node is kept as that listpack.
	if r.Block == rdb.BlockListpack && n == 1 && packed > 0 && packed <= 8<<10 && w.src.version >= 11 {
		w.key.Encoding = EncListpack
		w.facts.Shape, w.facts.PackedBytes = memory.Packed, packed
	}
}

// nodes walks n nodes of a quicklist and returns the bytes of the packed ones.
func (w *walker) nodes(r *typeRow, nodes uint64) (packed int64) {
	zl := r.Block == rdb.BlockZiplist
	k, b := &w.key, &w.block
	w.manyBlocks, w.rare = true, true
	k.Nodes = w.CheckCount(nodes, "nodes")
	k.Largest = -1
	for range nodes {
		container := uint64(2)
		if r.Variant == 2 {
			container = w.Length()
		}
		switch container {
		case 1: // one plain element
			w.Ahead()
			s := &w.first
			w.string(s, 0)
			if w.visiting {
				w.visit.element.Value = w.keepText(s, 0)
				w.visitElement()
			}
			k.ValueBytes += s.n
			if s.n > k.Largest {
				k.Largest = s.n
				w.newLargest(s, s, s.n, k.Elements)
			}
			k.Longest = max(k.Longest, s.n)
			k.Elements++
			if w.model != nil {
				w.acc.AddListNode(true, s.n)
			}
		case 2:
			w.open(b)
			w.packed(b, r.Block.Format(), 1)
			packed += b.Size
			switch {
			case w.model == nil:
			case zl:
				w.acc.AddZiplistNode(b.Size, w.facts.ListpackBytes)
			default:
				w.acc.AddListNode(false, b.Size)
			}
		default:
			w.Pos--
			w.Failf("a list's node has container kind %d; only 1 and 2 exist", container)
		}
	}
	k.Largest = max(k.Largest, 0)
	w.facts.Ziplist = zl
	return packed
}

// open begins the packed block that the next string of the snapshot is.
func (w *walker) open(b *rdb.Block) {
	b.Open(&w.Cursor, w.manyBlocks)
	if b.Compressed > 0 {
		w.rare = true
		w.key.LZFIn += b.Compressed
		w.key.LZFOut += b.Size
	}
}

// smallTable bounds the collections whose size as a listpack is worked out:
// no compact limit is near it.
const smallTable = 2048

// members walks n items of a list, or members of a set or sorted set.
func (w *walker) members(n uint64, beside rdb.Beside) {
	k, m, s := &w.key, w.model, &w.first
	k.Elements = w.CheckCount(n, "elements")
	integers := k.Type == Set && beside == rdb.BesideNothing
	small := m != nil && n <= smallTable && (k.Type != Set || m.HasSetListpacks())
	var sum, largest, lp int64
	largest = -1
	// In a block names stay where they are: that of the largest is read once,
	// at the end.
	var best str
	bestIndex := int64(-1)
	plain := !small && k.Type != List && (beside == rdb.BesideNothing || beside == rdb.ScoreBinary)
	tail := 0
	if beside == rdb.ScoreBinary {
		tail = 8
	}
	for i := uint64(0); i < n; i++ {
		if plain && !integers && !w.visiting {
			// Most of a large collection are short texts that are not the
			// longest: only their lengths count.
			i += w.shortMembers(n-i, tail, largest, &sum)
			if i == n {
				break
			}
		}
		w.Ahead()
		w.string(s, 0)
		if w.visiting {
			w.visit.element.Value = w.keepText(s, 0)
		}
		size := s.n
		sum += size
		if size > largest {
			largest = size
			if w.Refill == nil && !w.visiting && size < rdb.LargeElement {
				best, bestIndex = *s, int64(i)
			} else {
				bestIndex = -1
				w.newLargest(s, s, size, int64(i))
			}
		}
		if m != nil {
			switch k.Type {
			case Set:
				w.acc.AddMember(size)
			case ZSet:
				w.acc.AddScoredMember(size)
			default:
				w.acc.AddListItem(size, w.asEntry(s))
			}
		}
		if integers {
			v := s.val
			if s.kind != strInt {
				integers = size <= 20
				if integers {
					v, integers = rdb.CanonicalInt(w.text(s, 20))
				}
				if !integers {
					w.facts.LeadingIntegers = int64(i)
				}
			}
			if integers {
				w.facts.IntEntry = max(w.facts.IntEntry, rdb.ListpackInt(v))
			}
		}
		if small {
			if s.kind == strPlain && s.n > 0 && s.n < 64 && w.Buf[s.off] > '9' {
				lp += s.n + 2
			} else {
				lp += w.asEntry(s)
			}
		}
		switch beside {
		case rdb.ScoreBinary:
			bits := w.Uint64()
			if small {
				lp += w.scoreEntry(math.Float64frombits(bits))
			}
			w.visit.element.Score = math.Float64frombits(bits)
		case rdb.ScoreText:
			c := w.Byte()
			w.visit.element.Score = asciiScores[c&3]
			if c < 253 {
				text := w.Take(int(c))
				if w.visiting || small {
					w.visit.element.Score, _ = strconv.ParseFloat(string(text), 64)
				}
			}
			if small {
				lp += w.scoreEntry(w.visit.element.Score)
			}
		case rdb.ExpirySeconds:
			w.expirySeconds()
		}
		if w.visiting {
			w.visitElement()
		}
	}
	if bestIndex >= 0 {
		w.newLargest(&best, &best, largest, bestIndex)
	}
	k.ValueBytes = sum
	k.Largest, k.Longest = max(largest, 0), max(largest, 0)
	k.Integers = integers && n > 0
	w.rare = w.rare || k.Integers
	w.facts.ListpackBytes = lp + 7
	if !small {
		w.facts.ListpackBytes = 0
	}
}

// asciiScores are the scores that stand for themselves in type 3, by the lower
// bits of 253, 254 and 255.
var asciiScores = [4]float64{1: math.NaN(), 2: math.Inf(1), 3: math.Inf(-1)}

// shortMembers passes texts of under 64 bytes that are no longer than largest,
// up to n of them and as far as they are in the buffer, each with tail bytes after
// it. It is slower inlined, as SkipElements is.
//
//go:noinline
func (w *walker) shortMembers(n uint64, tail int, largest int64, sum *int64) (passed uint64) {
	buf, p, m, t := w.Buf, w.Pos, w.model, w.key.Type
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
		if t == Set {
			w.acc.AddMember(c)
		} else {
			w.acc.AddScoredMember(c)
		}
	}
	w.Pos, *sum = p, total
	return passed
}

// shortFields does for pairs what shortMembers does for single texts.
func (w *walker) shortFields(n uint64, largest, longest int64, sum *int64) (passed uint64) {
	buf, p, m := w.Buf, w.Pos, w.model
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
			w.acc.AddField(f, v, false)
		}
	}
	w.Pos, *sum = p, total
	return passed
}

// newLargest notes the largest element until now: name is the string that
// names it, value the one whose first bytes are kept.
func (w *walker) newLargest(name, value *str, size, index int64) {
	if w.key.Type == List {
		w.refToIndex(index)
	} else {
		w.refToString(name)
	}
	if size >= rdb.LargeElement {
		w.key.Head = append(w.headBuf[:0], w.text(value, MaxHead)...)
	}
}

// asEntry is what a string would take as a listpack entry, in bytes.
func (w *walker) asEntry(s *str) int64 {
	if s.kind == strInt {
		return rdb.ListpackInt(s.val)
	}
	if s.n > 0 && s.n <= 20 && s.kind == strPlain {
		if t := w.text(s, 20); t[0] <= '9' {
			if v, ok := rdb.CanonicalInt(t); ok {
				return rdb.ListpackInt(v)
			}
		}
	}
	return rdb.ListpackText(s.n)
}

// scoreEntry returns what a score takes as a listpack entry, in bytes.
func (w *walker) scoreEntry(f float64) int64 {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return rdb.ListpackInt(int64(f))
	}
	var buf [32]byte
	text := w.model.AppendScore(buf[:0], f)
	return rdb.ListpackString(int64(len(text)), text)
}

func (w *walker) fields(n uint64, beside rdb.Beside, base int64) {
	k, m := &w.key, w.model
	f, v := &w.first, &w.second
	k.Elements = w.CheckCount(n, "elements")
	small := m != nil && n <= smallTable
	var sum, longest, lp int64
	largest := int64(-1)
	var best str // the field of the largest pair, named at the end in a block
	later := false
	for i := uint64(0); i < n; i++ {
		if !small && !w.visiting && beside == rdb.BesideNothing {
			i += w.shortFields(n-i, largest, longest, &sum)
			if i == n {
				break
			}
		}
		w.Ahead()
		ttl := false
		switch beside {
		case rdb.ExpiryAbsolute:
			at := w.Length()
			ttl = at != 0
			w.fieldExpiry(int64(min(at, math.MaxInt64)))
			w.visit.element.ExpireAt = int64(at)
		case rdb.ExpiryRelative:
			if d := w.Length(); d != 0 {
				ttl = true
				w.fieldExpiry(int64(uint64(base) + d - 1))
				w.visit.element.ExpireAt = int64(uint64(base) + d - 1)
			}
		}
		w.string(f, 0)
		if w.visiting {
			w.visit.element.Name = w.keepText(f, 0)
		}
		w.string(v, 1)
		if w.visiting {
			w.visit.element.Value = w.keepText(v, 1)
		}
		size := f.n + v.n
		sum += size
		longest = max(longest, f.n, v.n)
		if size >= rdb.LargeElement {
			k.LongestValue = max(k.LongestValue, v.n)
		}
		if size > largest {
			largest = size
			if w.Refill == nil && !w.visiting && size < rdb.LargeElement {
				best, later = *f, true
			} else {
				later = false
				w.newLargest(f, v, size, 0)
			}
		}
		if small {
			lp += w.asEntry(f) + w.asEntry(v)
		}
		switch beside {
		case rdb.ExpiryBinary:
			if at := int64(w.Uint64()); at != -1 {
				ttl = true
				w.fieldExpiry(at)
				w.visit.element.ExpireAt = max(at, 0)
			}
		case rdb.ExpirySeconds:
			ttl = w.expirySeconds()
		}
		if w.visiting {
			w.visitElement()
		}
		if m != nil {
			w.acc.AddField(f.n, size-f.n, ttl)
		}
	}
	if later {
		w.newLargest(&best, &best, largest, 0)
	}
	k.ValueBytes, k.Largest, k.Longest = sum, max(largest, 0), longest
	if small {
		w.facts.ListpackBytes = lp + 7
	}
}
