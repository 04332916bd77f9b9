package report

import (
	"math/bits"
	"math/rand/v2"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// A cohort are the keys of a block that are alike in all that tables tell apart:
// pattern, type, encoding, database, owner, whether there is an expiry, and what
// was found. Its sums are all that is added to for a key; the tables (types,
// databases, groups, rules, owners) are made from them when the block is folded.
type cohort struct {
	group uint64 // hash of the pattern
	alike uint64 // see alikeOf
	marks uint64 // hash of the findings

	sums
	fieldsTTL             int64 // fields of hashes that have an expiry of their own
	biggest               int64 // size of the biggest key; it stands in cohorts.keys
	left                  lifeRange
	life                  int32 // 1 + index into cohorts.lives, 0 none
	text, textEnd         int32 // the pattern, in cohorts.texts
	found, foundEnd       int32 // in cohorts.found
	streamGroups, pending int64
}

// sums are added up over keys. A figure that is not known adds nothing.
type sums struct {
	keys, elements, values, serialized, memory, usage, names int64
}

func (s *sums) add(o *sums) {
	s.keys += o.keys
	s.elements += o.elements
	s.values += o.values
	s.serialized += o.serialized
	s.memory += o.memory
	s.usage += o.usage
	s.names += o.names
}

// lifeRange are the least and the most time left in milliseconds; none where
// least is more than most.
type lifeRange struct{ least, most int64 }

var noLife = lifeRange{1<<63 - 1, -1 << 63}

func (l *lifeRange) add(o lifeRange) {
	l.least, l.most = min(l.least, o.least), max(l.most, o.most)
}

// mark is what was found of a cohort's keys by one rule.
type mark struct {
	rule     thresholds.RuleID
	severity thresholds.Severity
	ignored  uint16 // as in thresholds.Finding
}

// maxCohorts bounds the cohorts of a block; more are put into tables before the
// block ends.
const (
	maxCohorts     = 2048
	cohortSlotBits = 12
)

// cohorts is the table of a block's cohorts.
type cohorts struct {
	slots [1 << cohortSlotBits]uint16 // 1 + index into list, 0 none; the hash says where to begin
	list  []cohort
	keys  []bigKey // of each
	texts []byte
	found []mark
	lives []lifetimes
}

func (c *cohorts) reset() {
	if len(c.list) > 0 {
		clear(c.slots[:])
	}
	c.list, c.texts, c.found, c.lives = c.list[:0], c.texts[:0], c.found[:0], c.lives[:0]
}

// The bits of cohort.alike.
const (
	alikeEncoding = 4  // type below
	alikeExpire   = 9  // encoding below
	alikeBound    = 10 // memory is a lower bound
	alikeOwner    = 11
	alikeDB       = 27
)

func alikeOf(k *parser.Key, owner int) uint64 {
	a := uint64(k.Type) | uint64(k.Encoding)<<alikeEncoding | uint64(uint16(owner))<<alikeOwner | uint64(k.DB)<<alikeDB
	if k.HasExpire {
		a |= 1 << alikeExpire
	}
	if k.MemoryBound {
		a |= 1 << alikeBound
	}
	return a
}

func (c *cohort) typ() parser.Type { return parser.Type(c.alike & 15) }
func (c *cohort) encoding() parser.Encoding {
	return parser.Encoding(c.alike >> alikeEncoding & 31)
}
func (c *cohort) expires() bool { return c.alike>>alikeExpire&1 != 0 }
func (c *cohort) bound() bool   { return c.alike>>alikeBound&1 != 0 }
func (c *cohort) owner() int    { return int(c.alike >> alikeOwner & 0xffff) }
func (c *cohort) db() int       { return int(c.alike >> alikeDB) }

// marksOf gives the hash of what was found.
func marksOf(found []thresholds.Finding) uint64 {
	var h uint64
	for i := range found {
		f := &found[i]
		h = (h ^ uint64(f.Rule) ^ uint64(f.Severity)<<8 ^ uint64(f.Ignored)<<16 ^ 1<<32) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// placing says where a hash begins to look for its place. It differs from run
// to run, so that no file can be made whose patterns all begin at one place; no
// result depends on it.
var placing = rand.Uint64() | 1

// find gives the index of a cohort, -1 where there is none yet, and where it
// stands or would stand in slots.
func (c *cohorts) find(group, alike, marks uint64) (index int, at uint) {
	at = uint((group ^ bits.RotateLeft64(alike, 32) ^ marks) * placing >> (64 - cohortSlotBits))
	for {
		i := int(c.slots[at]) - 1
		if i < 0 {
			return -1, at
		}
		if h := &c.list[i]; h.group == group && h.alike == alike && h.marks == marks {
			return i, at
		}
		at = (at + 1) % uint(len(c.slots))
	}
}

// insert makes a cohort in the place that find gave, and gives its index. The
// table must not be full.
func (c *cohorts) insert(at uint, group, alike, marks uint64, text []byte, found []thresholds.Finding) int {
	h := cohort{group: group, alike: alike, marks: marks, biggest: -1, left: noLife,
		text: int32(len(c.texts)), textEnd: int32(len(c.texts) + len(text)), found: int32(len(c.found))}
	c.texts = append(c.texts, text...)
	for i := range found {
		c.found = append(c.found, mark{found[i].Rule, found[i].Severity, found[i].Ignored})
	}
	h.foundEnd = int32(len(c.found))
	c.list = append(c.list, h)
	if len(c.keys) < len(c.list) {
		c.keys = append(c.keys, bigKey{})
	}
	c.slots[at] = uint16(len(c.list))
	return len(c.list) - 1
}

// known gives a figure, 0 where it is not known.
func known(v int64) int64 { return v &^ (v >> 63) }

// expires notes the milliseconds that a key which was added to h has left.
func (c *cohorts) expires(h *cohort, left int64) {
	if h.keys > 1 {
		if h.life == 0 {
			h.life = c.newLife()
			first := h.left.least
			c.lives[h.life-1].count(max(first, left)) // the longest first: there is nothing to extend then
			c.lives[h.life-1].count(min(first, left))
		} else {
			c.lives[h.life-1].count(left)
		}
	}
	h.left.add(lifeRange{left, left})
}

// newLife gives 1 + the index of an empty histogram.
func (c *cohorts) newLife() int32 {
	if len(c.lives) < cap(c.lives) {
		c.lives = c.lives[:len(c.lives)+1]
		c.lives[len(c.lives)-1] = lifetimes{}
	} else {
		c.lives = append(c.lives, lifetimes{})
	}
	return int32(len(c.lives))
}
