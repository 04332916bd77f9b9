package agg

import (
	"math/bits"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/thresholds"
)

// aggregate has the sums of the keys of one block that agree in everything the
// tables distinguish: leaf, type, encoding, database, owner, whether there is
// an expiry, and findings. A key is added to its aggregate only. The tables
// (types, databases, groups, rules, owners) are computed from the aggregates
// when the block is flushed.
type aggregate struct {
	aggregateID
	Sums
	fieldsWithTTL         int64 // fields of hashes that have an expiry of their own
	compact               int64 // memory that the compact encodings of the keys would save
	largest               int64 // size of the largest key, which is in aggregates.largest
	ttl                   ttlRange
	idle                  idleRange
	ttlHistogram          int32 // 1 + index into aggregates.ttls, 0 none
	soon                  int32 // 1 + index into aggregates.soon, 0 none
	found, foundEnd       int32 // in aggregates.found
	streamGroups, pending int64
}

type aggregateID struct {
	leaf     int32  // of the block's tree
	key      uint64 // see aggregateKey
	findings uint64 // see findingsHash
}

func (id *aggregateID) hash() uint64 {
	return uint64(id.leaf)*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(id.key, 32) ^ id.findings
}

// Sums are totals over keys. Unknown figures add nothing.
type Sums struct {
	Keys, Elements, ValueBytes, Serialized, Memory, MemoryUsage, NameBytes int64
}

func (s *Sums) add(o *Sums) {
	s.Keys += o.Keys
	s.Elements += o.Elements
	s.ValueBytes += o.ValueBytes
	s.Serialized += o.Serialized
	s.Memory += o.Memory
	s.MemoryUsage += o.MemoryUsage
	s.NameBytes += o.NameBytes
}

// size returns the memory, the bytes of values if that is unknown.
func (s *Sums) size() int64 {
	if s.Memory > 0 {
		return s.Memory
	}
	return s.ValueBytes
}

// findingKind identifies the findings of one rule that have the same severity
// and are ignored by the same entry of the configuration.
type findingKind struct {
	rule     thresholds.RuleID
	severity thresholds.Severity
	ignored  uint16 // as in thresholds.Finding
}

// aggregates is the table of a block's aggregates. Those of earlier blocks stay in it, without
// keys, as long as the leaves of the block's tree do.
type aggregates struct {
	index   hashindex.Index
	list    hashindex.List[aggregate]
	used    []int32                     // those that have keys, in the order of their first keys
	largest hashindex.List[RetainedKey] // the largest key of each
	names   int64                       // bytes of the names of largest
	found   []findingKind
	ttls    []ttlHistogram
	soon    []soonSums
}

func newAggregates() aggregates { return aggregates{index: hashindex.New(512)} }

func newAggregate(id aggregateID) aggregate {
	return aggregate{aggregateID: id, largest: -1, ttl: noTTL, idle: neverIdle}
}

// keptAggregates is the largest number of aggregates that stay for the next block.
const keptAggregates = 512

// reset removes all keys, and the aggregates as well unless they are to stay.
func (t *aggregates) reset(stay bool) {
	if stay {
		for _, i := range t.used {
			a := t.list.At(int(i))
			found, end := a.found, a.foundEnd
			*a = newAggregate(a.aggregateID)
			a.found, a.foundEnd = found, end
		}
	} else if t.list.Len() > 0 {
		t.index.Reset()
		t.list.Reset()
		t.largest.Reset()
		t.found = t.found[:0]
	}
	t.used, t.ttls, t.soon = t.used[:0], t.ttls[:0], t.soon[:0]
}

// The bits of aggregateID.key. The type is in the lowest five.
const (
	encodingShift    = 5
	expireShift      = 10
	boundShift       = 11 // memory is a lower bound
	approximateShift = 12 // memory is approximate
	ownerShift       = 13
	dbShift          = 29
)

// aggregateKey packs what aggregates distinguish besides leaf and findings.
func aggregateKey(k *parser.Key, owner int) uint64 {
	a := uint64(k.Type) | uint64(k.Encoding)<<encodingShift | uint64(uint16(owner))<<ownerShift | uint64(k.DB)<<dbShift
	if k.HasExpire {
		a |= 1 << expireShift
	}
	if k.MemoryBound {
		a |= 1 << boundShift
	}
	if k.MemoryApproximate {
		a |= 1 << approximateShift
	}
	return a
}

func (a *aggregate) typ() parser.Type          { return parser.Type(a.key & 31) }
func (a *aggregate) encoding() parser.Encoding { return parser.Encoding(a.key >> encodingShift & 31) }
func (a *aggregate) hasExpire() bool           { return a.key>>expireShift&1 != 0 }
func (a *aggregate) memoryBound() bool         { return a.key>>boundShift&1 != 0 }
func (a *aggregate) memoryApproximate() bool   { return a.key>>approximateShift&1 != 0 }
func (a *aggregate) owner() int                { return int(a.key >> ownerShift & 0xffff) }
func (a *aggregate) db() int                   { return int(a.key >> dbShift) }

func findingsHash(found []thresholds.Finding) uint64 {
	var h uint64
	for i := range found {
		f := &found[i]
		h = (h ^ uint64(f.Rule) ^ uint64(f.Severity)<<8 ^ uint64(f.Ignored)<<16 ^ 1<<32) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// find returns the position of an aggregate, -1 if there is none, and its slot
// in the index or the free slot for it.
func (t *aggregates) find(id aggregateID) (position int, slot uint) {
	for slot = t.index.First(id.hash()); ; slot = t.index.Next(slot) {
		if i := t.index.Position(slot); i < 0 || t.list.At(i).aggregateID == id {
			return i, slot
		}
	}
}

// insert adds an aggregate in the free slot that find returned, and returns its
// position.
func (t *aggregates) insert(slot uint, id aggregateID, found []thresholds.Finding) int {
	position := t.list.Len()
	a := t.list.Add()
	*a = newAggregate(id)
	t.largest.Add() // it keeps its buffer
	a.found = int32(len(t.found))
	for i := range found {
		t.found = append(t.found, findingKind{found[i].Rule, found[i].Severity, found[i].Ignored})
	}
	a.foundEnd = int32(len(t.found))
	if t.index.Full() {
		t.index.Grow(position+1, func(i int) (uint64, bool) { return t.list.At(i).hash(), true })
	} else {
		t.index.Put(slot, position)
	}
	return position
}

// orZero returns a figure, 0 if it is unknown (-1).
func orZero(v int64) int64 { return v &^ (v >> 63) }

// addTTL notes the TTL in milliseconds of the key that was added to a last.
func (t *aggregates) addTTL(a *aggregate, ttl int64) {
	if a.Keys > 1 {
		if a.ttlHistogram == 0 {
			a.ttlHistogram = t.newTTLs()
			h := &t.ttls[a.ttlHistogram-1]
			first := a.ttl.least
			h.count(max(first, ttl)) // the longest first: then nothing has to be extended
			h.count(min(first, ttl))
		} else {
			t.ttls[a.ttlHistogram-1].count(ttl)
		}
	}
	a.ttl.add(ttlRange{ttl, ttl})
}

// newTTLs returns 1 + the index of an empty histogram.
func (t *aggregates) newTTLs() int32 {
	if len(t.ttls) < cap(t.ttls) {
		t.ttls = t.ttls[:len(t.ttls)+1]
		t.ttls[len(t.ttls)-1] = ttlHistogram{}
	} else {
		t.ttls = append(t.ttls, ttlHistogram{})
	}
	return int32(len(t.ttls))
}

func (t *aggregates) bytes() int64 {
	return t.index.Bytes() + t.list.Bytes() + t.largest.Bytes() + capBytes(t.used) + t.names + capBytes(t.found) +
		capBytes(t.ttls) + capBytes(t.soon)
}
