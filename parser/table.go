package parser

import (
	"math"
	"strconv"
)

// smallTable bounds the collections whose size as a listpack is worked out:
// no compact limit is near it.
const smallTable = 2048

// members walks n items of a list, or members of a set or sorted set.
func (w *walker) members(n uint64, beside beside) {
	k, m, s := &w.key, w.model, &w.first
	k.Elements = w.checkCount(n, "elements")
	integers := k.Type == Set && beside == besideNothing
	small := n <= smallTable && (k.Type != Set || m == nil || m.HasSetListpacks())
	var sum, largest, lp int64
	largest = -1
	// In a block names stay where they are: that of the largest is read once,
	// at the end.
	var best str
	bestIndex := int64(-1)
	plain := !small && (beside == besideNothing || beside == scoreBinary)
	tail := 0
	if beside == scoreBinary {
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
		w.ahead()
		w.string(s, 0)
		if w.visiting {
			w.visit.element.Value = w.keepText(s, 0)
		}
		size := s.n
		sum += size
		if size > largest {
			largest = size
			if w.refill == nil && size < headFrom {
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
				w.acc.AddListItem(size, listpackText(size))
			}
		}
		if integers && s.kind != strInt {
			if size > 20 {
				integers = false
			} else {
				_, integers = canonicalInt(w.text(s, 20))
			}
			if !integers {
				w.facts.LeadingIntegers = int64(i)
			}
		}
		if small {
			if s.kind == strPlain && s.n > 0 && s.n < 64 && w.buf[s.off] > '9' {
				lp += s.n + 2
			} else {
				lp += w.asEntry(s)
			}
		}
		switch beside {
		case scoreBinary:
			bits := w.u64le()
			if small {
				lp += scoreEntry(math.Float64frombits(bits))
			}
			w.visit.element.Score = math.Float64frombits(bits)
		case scoreText:
			c := w.byte()
			w.visit.element.Score = asciiScores[c&3]
			if c < 253 {
				text := w.take(int(c))
				if small {
					lp += listpackText(int64(len(text)))
				}
				if w.visiting {
					w.visit.element.Score, _ = strconv.ParseFloat(string(text), 64)
				}
			}
		case expirySeconds:
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
// it.
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
			w.acc.AddMember(c)
		case ZSet:
			w.acc.AddScoredMember(c)
		default:
			w.acc.AddListItem(c, listpackText(c))
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
			w.acc.AddField(f, v, false)
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

// fields walks n pairs of a hash.
func (w *walker) fields(n uint64, beside beside, base int64) {
	k, m := &w.key, w.model
	f, v := &w.first, &w.second
	k.Elements = w.checkCount(n, "elements")
	small := n <= smallTable
	var sum, longest, lp int64
	largest := int64(-1)
	var best str // the field of the largest pair, named at the end in a block
	later := false
	for i := uint64(0); i < n; i++ {
		if !small && !w.visiting && beside == besideNothing {
			i += w.shortFields(n-i, largest, longest, &sum)
			if i == n {
				break
			}
		}
		w.ahead()
		ttl := false
		switch beside {
		case expiryAbsolute:
			at := w.length()
			ttl = at != 0
			w.fieldExpiry(int64(min(at, math.MaxInt64)))
			w.visit.element.ExpireAt = int64(at)
		case expiryRelative:
			if d := w.length(); d != 0 {
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
		if size > largest {
			largest = size
			if w.refill == nil && size < headFrom {
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
		case expiryBinary:
			if at := int64(w.u64le()); at != -1 {
				ttl = true
				w.fieldExpiry(at)
				w.visit.element.ExpireAt = max(at, 0)
			}
		case expirySeconds:
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

// expirySeconds reads the expiry of an element of Dragonfly's, and reports
// whether it has one.
func (w *walker) expirySeconds() bool {
	s := &w.third
	w.string(s, 2)
	at, ok := s.int(w.text(s, 20))
	if !ok || at <= 0 {
		return false
	}
	w.fieldExpiry(at)
	return true
}
