package agg

import (
	"bytes"
	"unsafe"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Shard takes the keys of one block at a time. A Shard is used by one goroutine;
// several Shards of a Builder may take keys at the same time, and are flushed one
// after the other in the order of the snapshot.
type Shard struct {
	builder *Builder
	block   *block // nil until the first key: a block that only waits needs no memory
}

// Bounds of the groups of one block. At earlyAggregates, places with so many
// values that they are folded in any case are folded, which is enough for random
// names; else there may be maxAggregates before Groups.foldTo is called.
const (
	earlyAggregates = 1024
	maxBlockGroups  = 2 * maxAggregates
	fewBlockGroups  = maxAggregates / 2
)

// block has the sums of the keys of one block.
type block struct {
	names      *naming.Cache
	found      []thresholds.Finding // scratch
	pattern    []byte               // scratch
	aggregates aggregates
	histograms Histograms
	top        TopLists
	instance   *thresholds.Instance
	limit      int // aggregates before they are flushed to tables
	flushed    bool
	tables     *Tables // aggregates that were flushed; nil until there were any
	shortcuts  [8]shortcut
	keys       int64
	dropped    int64
	measured   int64 // keys when size was measured last
	size       int64 // see Shard.Size
}

func (b *block) reset() {
	b.aggregates.reset()
	b.histograms.reset()
	b.top.reset()
	b.instance.Reset()
	if b.flushed {
		b.tables.reset()
		b.dropShortcuts()
	}
	b.limit, b.flushed, b.keys, b.dropped, b.measured = earlyAggregates, false, 0, 0, 0
}

// Key adds a key. It allocates nothing once the Builder has seen a few blocks.
func (s *Shard) Key(k *parser.Key) {
	if s.block == nil {
		s.block = s.builder.newBlock()
	}
	b, builder := s.block, s.builder
	f := b.names.Facts(k.Name)
	owner := builder.engine.Owner(k, f)
	if builder.opt.Keep != nil && !builder.opt.Keep(k, owner) {
		b.dropped++
		return
	}
	found := builder.engine.Check(k, f, b.found[:0])
	if cap(found) > cap(b.found) {
		b.found = found
	}
	b.instance.Add(k, f)
	b.add(builder, k, f, found, owner)
}

// measureEvery is the number of keys after which the size of a block is measured
// again.
const measureEvery = 512

// Size returns the memory that the Shard holds until it is flushed, in bytes, as
// last measured.
func (s *Shard) Size() int {
	b := s.block
	if b == nil {
		return 0
	}
	if b.keys+b.dropped-b.measured >= measureEvery {
		b.measure()
	}
	return int(b.size)
}

// measure sets the size of the block. Buffers are used again, so it never shrinks.
func (b *block) measure() {
	b.measured = b.keys + b.dropped
	n := b.aggregates.bytes() + b.top.keys.bytes() + b.instance.Bytes()
	if b.tables != nil {
		n += b.tables.Groups.bytes()
	}
	b.size = max(b.size, n)
}

// flushToTables makes room for aggregates.
func (b *block) flushToTables(builder *Builder) {
	if b.tables == nil {
		b.tables = &Tables{}
		b.tables.init(builder.engine, maxBlockGroups)
	}
	b.flushed = true
	b.dropShortcuts()
	b.tables.flush(&b.aggregates, builder.opt.Input)
	b.aggregates.reset()
	g := &b.tables.Groups
	if b.limit == earlyAggregates {
		g.foldEarly()
		if len(g.list) > earlyAggregates/2 {
			b.limit = maxAggregates
		}
	}
	if len(g.list) > fewBlockGroups {
		g.foldTo(fewBlockGroups)
	}
}

// aggregate returns the position of the aggregate of a key.
func (b *block) aggregate(builder *Builder, k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) int {
	key, findings := aggregateKey(k, owner), findingsHash(found)
	group := f.Group
	i, slot := b.aggregates.find(group, key, findings)
	if i >= 0 {
		return i
	}
	// The pattern may have been folded.
	prefix := k.Name[:f.LastStart]
	s := &b.shortcuts[(len(prefix)*31+int(f.First))%len(b.shortcuts)]
	if s.valid && bytes.Equal(s.prefix, prefix) {
		if i, slot = b.aggregates.find(s.group, key, findings); i >= 0 {
			b.tables.Groups.folded.Add(group)
			return i
		}
	}
	text := builder.namer.AppendPattern(b.pattern[:0], k.Name)
	b.pattern = text
	if b.flushed {
		trie := b.tables.Groups.trie
		pattern, node, folded := trie.appendFolded(text, text)
		b.pattern = pattern[:0]
		if folded {
			b.tables.Groups.folded.Add(group)
			raw := text
			text = pattern[len(text):]
			group = b.tables.Groups.hashAt(node, text)
			s.set(trie, prefix, raw, text, node, group)
			if i, slot = b.aggregates.find(group, key, findings); i >= 0 {
				return i
			}
		}
	}
	if len(b.aggregates.list) >= b.limit {
		b.flushToTables(builder)
		_, slot = b.aggregates.find(group, key, findings)
	}
	return b.aggregates.insert(slot, group, key, findings, text, found)
}

// shortcut has the pattern of names whose last segment is folded whatever it is,
// which random names mostly are. It is valid until aggregates are flushed to
// tables again.
type shortcut struct {
	valid  bool
	prefix []byte // all segments but the last
	group  uint64 // hash of the pattern
}

// set notes the pattern of a name, raw before it was folded and text after, if
// all names with this prefix have it: no value of the last segment is kept, and
// nothing in the prefix can be folded together with what follows.
func (s *shortcut) set(t *patternTrie, prefix, raw, text []byte, node int32, group uint64) {
	n := len(prefix)
	if node == 0 || len(text) != n+1 || !bytes.HasPrefix(raw, prefix) || !bytes.HasPrefix(text, prefix) ||
		bytes.IndexByte(prefix, '{') >= 0 || t.namer.IsSeparator('-') {
		return
	}
	if parent := &t.nodes[t.nodes[node].parent]; parent.folded && parent.literals == 0 && parent.plainStar == node {
		s.valid, s.prefix, s.group = true, append(s.prefix[:0], prefix...), group
	}
}

func (b *block) dropShortcuts() {
	for i := range b.shortcuts {
		b.shortcuts[i].valid = false
	}
}

// add adds a key with its findings.
func (b *block) add(builder *Builder, k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) {
	b.keys++
	elements, valueBytes, memory := orZero(k.Elements), orZero(k.ValueBytes), orZero(k.Memory)
	size := sizeOf(k)
	i := b.aggregate(builder, k, f, found, owner)
	a := &b.aggregates.list[i]
	a.Keys++
	a.Elements += elements
	a.ValueBytes += valueBytes
	a.Memory += memory
	a.MemoryUsage += orZero(k.MemoryUsage)
	a.Serialized += k.Serialized
	a.NameBytes += k.NameLen
	if k.Type == parser.Hash {
		a.fieldsWithTTL += k.FieldsWithTTL
	} else if k.Type == parser.Stream {
		a.streamGroups += k.Groups
		a.pending += k.Pending
	}
	if size > a.largest {
		a.largest = size
		b.aggregates.largest[i].set(k, maxGroupName, size, int32(builder.opt.Input), int32(owner))
	}

	h := &b.histograms
	if k.HasExpire {
		if builder.timed {
			ttl := remaining(k.ExpireAt, builder.created)
			b.aggregates.addTTL(a, ttl)
			h.expiry[expiryBucket(ttl)].addKey(valueBytes, memory)
		} else {
			h.expiry[unknownExpiry].addKey(valueBytes, memory)
		}
	}
	if uint64(k.NameLen) < uint64(len(lengthBucket)) {
		h.lengths[lengthBucket[k.NameLen]].addKey(valueBytes, memory)
	} else {
		h.lengths[lengthScale.bucket(k.NameLen)].addKey(valueBytes, memory)
	}
	if k.Type != parser.String && k.Elements >= 0 {
		if k.Elements < int64(len(elementsBucket)) {
			h.elements[elementsBucket[k.Elements]].addKey(valueBytes, memory)
		} else {
			h.elements[elementsScale.bucket(k.Elements)].addKey(valueBytes, memory)
		}
	}
	if k.Idle >= 0 {
		h.idle[idleScale.bucket(k.Idle)].addKey(valueBytes, memory)
	}
	if k.Freq >= 0 {
		h.hasFreq = true
		h.freq[k.Freq&255].addKey(valueBytes, memory)
	}

	// The lists of keys. Nearly every key is below all cutoffs.
	c := &b.top.cutoffs.types[k.Type&15]
	passes := k.Memory > c[ByMemory] || k.MemoryUsage > c[ByMemoryUsage] || k.ValueBytes > c[ByValueBytes] || k.Elements > c[ByElements] ||
		k.Serialized > c[BySerialized] || k.Largest > c[ByLargest] || int64(k.Freq) > b.top.cutoffs.freq
	for n := range found {
		f := &found[n]
		passes = passes || b.top.cutoffs.examples[RuleSeverity(f.Rule, f.Severity)].passes(f.Rank(k), size)
	}
	if passes {
		b.top.rank(&candidate{key: k, input: int32(builder.opt.Input), owner: int32(owner), retained: -1}, found)
	}
}

// retainedNameBytes is an estimate of the bytes of a retained key's names beyond
// those of its pattern.
const retainedNameBytes = 64

func capBytes[T any](s []T) int64 {
	var t T
	return int64(cap(s)) * int64(unsafe.Sizeof(t))
}
