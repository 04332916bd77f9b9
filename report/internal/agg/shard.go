package agg

import (
	"slices"

	"math/bits"
	"unsafe"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Shard has the sums of the keys of one block of a snapshot: a parser.Sink. A
// Shard is used by one goroutine; several Shards of a Builder may take keys at the
// same time, and are flushed one after the other in the order of the snapshot.
type Shard struct {
	builder    *Builder
	names      *naming.Cache
	found      []thresholds.Finding // scratch
	aggregates aggregates
	shortcuts  [1 << shortcutBits]shortcut
	histograms Histograms
	top        TopLists
	instance   *thresholds.Instance
	tree       *tree.Block
	cleared    uint32 // Block.Cleared of the leaves that aggregates and shortcuts have
	number     int    // of the block
	keys       int64
	dropped    int64
	listed     keyBatch
	samples    *identity.Sampler
	compact    thresholds.CompactSums
	sketch     NameSketch // of Options.Names
}

func (sh *Shard) reset() {
	sh.resetTree()
	sh.histograms.reset()
	sh.top.reset(&sh.builder.Top.cutoffs)
	sh.instance.Reset()
	sh.samples.Reset()
	sh.keys, sh.dropped = 0, 0
	sh.compact = thresholds.CompactSums{}
	sh.sketch.reset()
}

// Key adds a key. It allocates nothing once the Shard has been through a few
// blocks.
func (sh *Shard) Key(k *parser.Key) {
	f := sh.names.Facts(k.Name)
	owner := sh.builder.engine.Owner(k, f)
	if sh.builder.opt.Keep != nil && !sh.builder.opt.Keep(k, owner) {
		sh.dropped++
		return
	}
	found := sh.builder.engine.Found(k, f, sh.found[:0])
	if cap(found) > cap(sh.found) {
		sh.found = found
	}
	if over := sh.builder.opt.Over; over != 0 &&
		!slices.ContainsFunc(found, func(f thresholds.Finding) bool { return f.Ignored == 0 && over.Has(f.Rule) }) {
		sh.dropped++
		return
	}
	sh.instance.Add(k, f)
	sh.add(k, f, found, owner)
	if l := sh.builder.opt.List; l != nil {
		sh.listed.lookUp(l, k, sh.builder.opt.Input)
		sh.listed.add(k, sizeOf(k), found, sh.builder.opt.Input)
	}
}

// Size returns about how many bytes of memory the Shard holds. Buffers are used
// again, so it never shrinks.
func (sh *Shard) Size() int {
	n := sh.names.Bytes() + sh.aggregates.bytes() + sh.top.keys.bytes() + sh.instance.Bytes() + sh.tree.Bytes() +
		int64(sh.listed.size()) + sh.samples.Bytes()
	return int(n)
}

func (sh *Shard) Begin(block int) {
	g := &sh.builder.Tables.Groups
	sh.number = block
	sh.tree.Begin(g.versions.For(g.tree, block), block)
	sh.resetAggregates()
}

// Full reports whether the Shard should be flushed in the middle of a block.
func (sh *Shard) Full() bool { return sh.tree.Full(len(sh.aggregates.used)) }

// Flush adds the keys of the Shard to its Builder and empties the Shard. In the
// middle of a block it does so only if the Shard is full.
func (sh *Shard) Flush(end bool) error {
	if !end && !sh.Full() {
		return nil
	}
	b := sh.builder
	b.Keys += sh.keys
	b.Dropped += sh.dropped
	sh.keys, sh.dropped = 0, 0
	b.Tables.Compact.Add(&sh.compact)
	sh.compact = thresholds.CompactSums{}
	b.Tables.Groups.versions.Before(b.Tables.Groups.tree, sh.number)
	b.Tables.flush(&sh.aggregates, sh.tree, b.opt.Input)
	if !end {
		sh.resetTree()
		return nil
	}
	sh.histograms.addNoExpiry()
	b.Histograms.merge(&sh.histograms)
	b.Top.merge(&sh.top)
	b.Samples.Add(sh.samples)
	b.instance.Merge(sh.instance)
	b.names.merge(&sh.sketch)
	if b.opt.List != nil {
		b.opt.List.flush(&sh.listed)
	}
	sh.reset()
	return nil
}

// shortcut has the aggregate of keys that agree in the pattern of their names and in all
// that aggregates distinguish besides the leaf.
type shortcut struct {
	pattern, key, findings uint64
	to                     *aggregate
	generation             uint32
	rate                   int32 // for Block.Skip
	segments, position     int32
}

const shortcutBits = 8

func (sh *Shard) aggregate(
	k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int, size int64,
) (*aggregate, int32) {
	key, findings := aggregateKey(k, owner), findingsHash(found)
	s := &sh.shortcuts[(f.Group^bits.RotateLeft64(key, 32)^findings)*0x9e3779b97f4a7c15>>(64-shortcutBits)]
	if s.to != nil && s.pattern == f.Group && s.key == key && s.findings == findings && s.segments == int32(f.Segments) &&
		s.generation == sh.tree.Generation() && sh.tree.Skip(s.rate, size) {
		return s.to, s.position
	}
	id := aggregateID{sh.tree.Leaf(k.Name, f, size), key, findings}
	i, slot := sh.aggregates.find(id)
	if i < 0 {
		i = sh.aggregates.insert(slot, id, found)
	}
	a := sh.aggregates.list.At(i)
	if rate, generation, ok := sh.tree.Shared(id.leaf, f); ok {
		*s = shortcut{f.Group, key, findings, a, generation, rate, int32(f.Segments), int32(i)}
	}
	return a, int32(i)
}

func (sh *Shard) resetTree() {
	sh.tree.Reset()
	sh.resetAggregates()
}

// resetAggregates removes the keys of all aggregates. Those whose leaves the tree of the block
// still has, and shortcuts to them, stay.
func (sh *Shard) resetAggregates() {
	stay := sh.tree.Cleared() == sh.cleared && sh.aggregates.list.Len() <= keptAggregates
	if sh.aggregates.reset(stay); !stay {
		clear(sh.shortcuts[:])
		sh.cleared = sh.tree.Cleared()
	}
}

func (sh *Shard) add(k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) {
	sh.keys++
	if sh.builder.opt.Names {
		sh.sketch.add(k.Name, k.DB)
	}
	elements, valueBytes, memory := orZero(k.Elements), orZero(k.ValueBytes), orZero(k.Memory)
	size := sizeOf(k)
	a, i := sh.aggregate(k, f, found, owner, size)
	a.Keys++
	if a.Keys <= identity.PerClass {
		if a.Keys == 1 {
			sh.aggregates.used = append(sh.aggregates.used, i)
			sh.tree.Use(a.leaf)
		}
		sh.samples.Key(k, f.Group)
	}
	a.Elements += elements
	a.ValueBytes += valueBytes
	a.Memory += memory
	a.MemoryUsage += orZero(k.MemoryUsage)
	a.Serialized += k.Serialized
	a.NameBytes += k.NameLen
	if k.CompactMemory >= 0 && k.CompactMemory < k.Memory {
		a.compact += k.Memory - k.CompactMemory
		sh.builder.engine.CountCompact(k, &sh.compact)
	}
	if k.Type == parser.Hash {
		a.fieldsWithTTL += k.FieldsWithTTL
	} else if k.Type == parser.Stream {
		a.streamGroups += k.Groups
		a.pending += k.Pending
	}
	if size > a.largest {
		a.largest = size
		largest := sh.aggregates.largest.At(int(i))
		sh.aggregates.names -= int64(cap(largest.buf))
		largest.set(k, maxGroupName, size, int32(sh.builder.opt.Input), int32(owner))
		sh.aggregates.names += int64(cap(largest.buf))
	}

	h := &sh.histograms
	if k.HasExpire {
		if sh.builder.timed {
			ttl := remaining(k.ExpireAt, sh.builder.created)
			sh.aggregates.addTTL(a, ttl)
			if uint64(ttl) < soonMillis {
				sh.aggregates.addSoon(a, ttl, sh.builder.midnight, memory)
			}
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
		idle := uint32(min(k.Idle, longestIdle))
		a.idle.add(idleRange{idle, idle})
		h.idle[idleScale.bucket(k.Idle)].addKey(valueBytes, memory)
	}
	if k.Freq >= 0 {
		h.hasFreq = true
		h.freq[k.Freq&255].addKey(valueBytes, memory)
	}

	// The lists of keys. Nearly every key is below all cutoffs.
	top := &sh.top
	c := (*[Measures]cutoff)(top.cutoffs[typeList(k.Type%parser.NumTypes, 0):])
	enters := k.Memory > c[ByMemory].value || k.MemoryUsage > c[ByMemoryUsage].value ||
		k.ValueBytes > c[ByValueBytes].value ||
		k.Elements > c[ByElements].value || k.Serialized > c[BySerialized].value || k.Largest > c[ByLargest].value ||
		int64(k.Freq) > top.cutoffs[hotList].value
	for n := range found {
		f := &found[n]
		enters = enters || top.cutoffs[exampleLists+RuleSeverity(f.Rule, f.Severity)].passes(f.Rank(k), size)
	}
	if enters {
		top.add(k, size, found, int32(sh.builder.opt.Input), int32(owner))
	}
}

func capBytes[T any](s []T) int64 {
	var t T
	return int64(cap(s)) * int64(unsafe.Sizeof(t))
}
