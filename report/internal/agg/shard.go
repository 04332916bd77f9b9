package agg

import (
	"bytes"
	"unsafe"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/hashindex"
	"github.com/rdblens/rdblens/report/internal/identity"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Shard has the sums of the keys of one block of a snapshot: a parser.Sink. A
// Shard is used by one goroutine; several Shards of a Builder may take keys at the
// same time, and are flushed one after the other in the order of the snapshot.
type Shard struct {
	builder    *Builder
	engine     *thresholds.Engine // that the names were checked by
	names      *naming.Cache
	found      []thresholds.Finding // scratch
	pattern    []byte               // scratch
	aggregates aggregates
	histograms Histograms
	top        TopLists
	instance   *thresholds.Instance
	flushed    bool
	tables     *Tables // aggregates that were flushed; nil until there were any
	shortcuts  [8]shortcut
	keys       int64
	dropped    int64
	listed     keyBatch
	samples    *identity.Sampler
}

func (sh *Shard) reset() {
	sh.aggregates.reset()
	sh.histograms.reset()
	sh.top.reset()
	sh.instance.Reset()
	sh.samples.Reset()
	if sh.flushed {
		sh.tables.reset()
		sh.dropShortcuts()
	}
	sh.flushed, sh.keys, sh.dropped = false, 0, 0
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
	found := sh.builder.engine.Check(k, f, sh.found[:0])
	if cap(found) > cap(sh.found) {
		sh.found = found
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
	n := sh.names.Bytes() + sh.aggregates.bytes() + sh.top.keys.bytes() + sh.instance.Bytes() + int64(sh.listed.size()) + sh.samples.Bytes()
	if sh.tables != nil {
		n += sh.tables.Groups.bytes()
	}
	return int(n)
}

// Flush adds the keys of the Shard to its Builder and empties the Shard. In the
// middle of a block it does nothing: where the tables of a block are folded
// decides the result.
func (sh *Shard) Flush(end bool) error {
	if !end {
		return nil
	}
	sh.builder.Keys += sh.keys
	sh.builder.Dropped += sh.dropped
	if sh.flushed {
		sh.flushToTables()
		sh.builder.Tables.merge(sh.tables)
	} else {
		sh.builder.Tables.flush(&sh.aggregates, sh.builder.opt.Input)
	}
	sh.builder.Tables.Groups.foldMany()
	sh.histograms.addNoExpiry()
	sh.builder.Histograms.merge(&sh.histograms)
	sh.builder.Top.merge(&sh.top)
	sh.builder.Samples.Add(sh.samples)
	sh.builder.instance.Merge(sh.instance)
	if sh.builder.opt.List != nil {
		sh.builder.opt.List.flush(&sh.listed)
	}
	sh.reset()
	sh.top.cutoffs = sh.builder.Top.cutoffs
	return nil
}

// flushToTables makes room for aggregates.
func (sh *Shard) flushToTables() {
	if sh.tables == nil {
		sh.tables = &Tables{}
		sh.tables.init(sh.builder.engine)
		sh.tables.Groups.sightings = new(sightings)
		sh.tables.Groups.spare.leaves.index = hashindex.New(maxAggregates)
	}
	sh.flushed = true
	sh.dropShortcuts()
	sh.tables.Groups.foldLeaves(&sh.aggregates)
	sh.tables.flush(&sh.aggregates, sh.builder.opt.Input)
	sh.aggregates.reset()
	sh.tables.Groups.foldBlock()
}

// aggregate returns the position of the aggregate of a key.
func (sh *Shard) aggregate(k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) int {
	id := aggregateID{f.Group, aggregateKey(k, owner), findingsHash(found)}
	if sh.flushed {
		if i := sh.shortcut(k, f, id); i >= 0 {
			return i
		}
	}
	i, slot := sh.aggregates.find(id)
	if i >= 0 {
		return i
	}
	text := sh.builder.namer.AppendPattern(sh.pattern[:0], k.Name)
	sh.pattern = text
	if sh.flushed {
		g := &sh.tables.Groups
		pattern, node, folded := g.trie.appendFolded(text, int32(k.DB), text, weight{1, sizeOf(k)})
		sh.pattern = pattern[:0]
		if folded {
			g.folded.Add(f.Group)
			raw := text
			text = pattern[len(text):]
			id.group = g.hashAt(node, text)
			sh.shortcutOf(k, f).set(g.trie, k.DB, k.Name[:f.LastStart], raw, text, node, id.group)
			if i, slot = sh.aggregates.find(id); i >= 0 {
				return i
			}
		}
	}
	if len(sh.aggregates.list) >= maxAggregates {
		sh.flushToTables()
		_, slot = sh.aggregates.find(id)
	}
	return sh.aggregates.insert(slot, id, text, found)
}

// shortcut has the pattern of names whose last segment is folded unless it is
// distinct, which random names mostly are. It is valid until aggregates are
// flushed to tables again.
type shortcut struct {
	valid  bool
	db     int
	prefix []byte // all segments but the last
	group  uint64 // hash of the pattern
	values *foldedValues
}

func (sh *Shard) shortcutOf(k *parser.Key, f *naming.Facts) *shortcut {
	return &sh.shortcuts[(f.LastStart*31+int(f.First))%len(sh.shortcuts)]
}

// shortcut returns the position of the aggregate of a key whose last segment is
// folded, -1 if it must be looked up.
func (sh *Shard) shortcut(k *parser.Key, f *naming.Facts, id aggregateID) int {
	s := sh.shortcutOf(k, f)
	if !s.valid || s.db != k.DB || !bytes.Equal(s.prefix, k.Name[:f.LastStart]) {
		return -1
	}
	id.group = s.group
	i, _ := sh.aggregates.find(id)
	if i >= 0 && !sh.tables.Groups.trie.sightKnown(s.values, f.Group^hashDatabase(int32(k.DB)), sizeOf(k)) {
		return -1
	}
	if i >= 0 {
		sh.tables.Groups.folded.Add(f.Group)
	}
	return i
}

// set notes the pattern of a name, raw before it was folded and text after, if
// all names with this prefix have it: nothing in the prefix can be folded together
// with what follows.
func (s *shortcut) set(t *patternTrie, db int, prefix, raw, text []byte, node int32, group uint64) {
	if node == 0 || len(text) != len(prefix)+1 || !bytes.HasPrefix(raw, prefix) || !bytes.HasPrefix(text, prefix) ||
		bytes.IndexByte(prefix, '{') >= 0 || t.namer.IsSeparator('-') {
		return
	}
	if f := t.nodes.at(t.nodes.at(node).parent).folded[ending]; f != 0 {
		s.valid, s.db, s.prefix, s.group, s.values = true, db, append(s.prefix[:0], prefix...), group, &t.folds[f-1]
	}
}

func (sh *Shard) dropShortcuts() {
	for i := range sh.shortcuts {
		sh.shortcuts[i].valid = false
	}
}

// add adds a key with its findings.
func (sh *Shard) add(k *parser.Key, f *naming.Facts, found []thresholds.Finding, owner int) {
	sh.keys++
	elements, valueBytes, memory := orZero(k.Elements), orZero(k.ValueBytes), orZero(k.Memory)
	size := sizeOf(k)
	i := sh.aggregate(k, f, found, owner)
	a := &sh.aggregates.list[i]
	a.Keys++
	if a.Keys <= identity.PerClass {
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
	}
	if k.Type == parser.Hash {
		a.fieldsWithTTL += k.FieldsWithTTL
	} else if k.Type == parser.Stream {
		a.streamGroups += k.Groups
		a.pending += k.Pending
	}
	if size > a.largest {
		a.largest = size
		largest := &sh.aggregates.largest[i]
		sh.aggregates.names -= int64(cap(largest.buf))
		largest.set(k, maxGroupName, size, int32(sh.builder.opt.Input), int32(owner))
		sh.aggregates.names += int64(cap(largest.buf))
	}

	h := &sh.histograms
	if k.HasExpire {
		if sh.builder.timed {
			ttl := remaining(k.ExpireAt, sh.builder.created)
			sh.aggregates.addTTL(a, ttl)
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
	top := &sh.top
	c := (*[Measures]cutoff)(top.cutoffs[typeList(k.Type%parser.NumTypes, 0):])
	enters := k.Memory > c[ByMemory].value || k.MemoryUsage > c[ByMemoryUsage].value || k.ValueBytes > c[ByValueBytes].value ||
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
