package memory

const (
	// maxTail is what XADD allocates for a stream's newest listpack
	// (STREAM_LISTPACK_MAX_PRE_ALLOCATE in t_stream.c), unless stream-node-max-bytes is less.
	maxTail = 4096

	// MEMORY USAGE of Redis counts 16 bytes for every ID in a radix tree, and a
	// fixed estimate for every node (streamRadixTreeMemoryUsage in object.c).
	usageOfID      = 16
	usageOfRaxNode = 4 + 30*8

	// timeIndexEntry is what a pending entry takes in its group's index by time,
	// whose keys of 24 bytes differ early: a leaf and a chain of bytes. Measured.
	timeIndexEntry = 48

	// Sizes of a list and of its node (adlist.h).
	adlist     = 48
	adlistNode = 24
)

// A streamState is what an Accumulator knows of a stream. IDs come in the order
// of the file: nodes of the stream, then for each group its pending entries, and
// those of each of its consumers.
type streamState struct {
	used      bool
	lastNode  int64 // bytes of the last node's listpack
	entries   int64 // that were added to it
	maxBytes  int64 // about stream-node-max-bytes, 0 unknown; see AddStreamNode
	fullNode  int64 // bytes of the largest full node, 0 none
	inGroup   bool
	consumers int64 // of the current group
	producers int64
	indexed   raxSize      // index of pending entries to groups
	radix     *streamTrees // nil before the first stream
}

// streamTrees are the radix trees that are being read: the IDs of the stream's nodes
// or of the current pending list, and the names of its groups, of the current group's
// consumers, and of its producers.
type streamTrees struct {
	ids                          idTree
	groups, consumers, producers nameTree
}

func (s *streamState) trees() *streamTrees {
	if s.radix == nil {
		s.radix = new(streamTrees)
	}
	return s.radix
}

func (s *streamState) reset() {
	t := s.trees()
	t.ids.reset()
	t.groups.reset()
	t.consumers.reset()
	t.producers.reset()
	*s = streamState{radix: t}
}

// AddStreamNode adds a node of a stream: the ID that it begins with, the bytes of its
// listpack, and how many entries it was given, those that were deleted included.
//
// XADD begins a node if the last one has stream-node-max-entries, which is a round number,
// or if the next entry would make it larger than stream-node-max-bytes.
func (a *Accumulator) AddStreamNode(hi, lo uint64, n, entries int64) {
	m := a.model
	if full := a.stream.entries; full%10 != 0 {
		entry := a.stream.lastNode / full
		if next := n / max(1, entries); next > 2*entry { // the next one may have been a large one
			entry = next
		}
		a.stream.maxBytes = max(a.stream.maxBytes, a.stream.lastNode+entry)
		if full > 1 { // one entry may be larger than a node
			a.stream.fullNode = max(a.stream.fullNode, a.stream.lastNode)
		}
	}
	a.extended, a.stream.used = true, true
	a.stream.trees().ids.add(&m.allocator, hi, lo)
	a.stream.lastNode, a.stream.entries = n, entries
	a.addSizes(m.usable(n), m.packedUsage(n))
}

// StreamNode returns the bytes of the stream's largest node that is full, 0 if none is:
// stream-node-max-bytes is about that of the largest of all streams.
func (a *Accumulator) StreamNode() int64 { return a.stream.fullNode }

// tailOf returns what XADD reserves, by stream-node-max-bytes, 0 unknown.
func tailOf(maxBytes int64) int64 {
	if maxBytes > 0 {
		return min(maxTail, maxBytes)
	}
	return maxTail
}

// BeginGroup begins a consumer group whose name has n bytes, of which name has
// the first MaxStreamName.
func (a *Accumulator) BeginGroup(name []byte, n int64) {
	m := a.model
	a.closeIDs()
	a.closeGroup()
	a.extended, a.stream.used = true, true
	a.stream.inGroup = true
	a.stream.trees().groups.add(&m.allocator, name, n)
	a.addSizes(m.usable(m.group), m.structUsage(m.group))
	// The structure of its tree of consumers; closeIDs adds that of its pending
	// entries.
	trees := m.usable(m.rax)
	if m.timeIndex {
		trees *= 2
	}
	a.addSizes(trees, m.groupUsage(trees))
}

// AddPending adds an entry of the group's pending list.
func (a *Accumulator) AddPending(hi, lo uint64) {
	m := a.model
	a.stream.trees().ids.add(&m.allocator, hi, lo)
	a.addSizes(m.usable(m.nack), m.structUsage(m.nack))
	if m.timeIndex {
		a.addSizes(timeIndexEntry, timeIndexEntry)
	}
}

// BeginConsumer begins a consumer of the group whose name has n bytes, of which
// name has the first MaxStreamName.
func (a *Accumulator) BeginConsumer(name []byte, n int64) {
	m := a.model
	a.closeIDs()
	a.stream.consumers++
	a.stream.trees().consumers.add(&m.allocator, name, n)
	sds := m.usable(m.sds.separate(n))
	usage := n
	if m.usage == usageExact {
		_, usage = m.stringSizes(n)
	}
	a.addSizes(m.usable(m.consumer)+sds, m.structUsage(m.consumer)+usage)
}

// AddConsumerPending adds an entry of the consumer's pending list.
func (a *Accumulator) AddConsumerPending(hi, lo uint64) {
	a.stream.trees().ids.add(&a.model.allocator, hi, lo)
}

// AddProducer adds a producer of idempotent entries, of which the stream knows n,
// behind all groups. Its name has length bytes, of which name has the first
// MaxStreamName.
func (a *Accumulator) AddProducer(name []byte, length, n int64) {
	m := a.model
	if a.stream.producers == 0 {
		a.closeIDs()
		a.closeGroup()
	}
	a.extended, a.stream.used = true, true
	a.stream.producers++
	a.stream.trees().producers.add(&m.allocator, name, length)
	const idmpProducer = 24 // stream.h
	a.addSizes(m.usable(idmpProducer), m.structUsage(idmpProducer))
	t := table{buckets: dictBuckets(n)}
	size, _ := m.tableSizes(t, 0)
	a.addSizes(size+n*m.dictEntry, 0)
}

// AddIdempotent adds an entry of a producer, with an identifier of n bytes.
func (a *Accumulator) AddIdempotent(n int64) {
	const idmpEntry = 32 // stream.h
	size := a.model.usable(idmpEntry + n)
	a.addSizes(size, size)
}

// groupUsage returns what MEMORY USAGE counts for n bytes of a group's trees and
// indexes: nothing before Redis 8.4.
func (m *Model) groupUsage(n int64) int64 {
	if m.usage == usageExact {
		return n
	}
	return 0
}

// closeIDs adds the radix tree of IDs that has just ended: that of the stream's
// nodes, or of a pending list.
func (a *Accumulator) closeIDs() {
	m := a.model
	ofGroup := a.stream.inGroup && a.stream.consumers == 0
	size := a.stream.trees().ids.finish(&m.allocator)
	if m.valuesInTree {
		size.nodes -= size.keys
		size.bytes -= size.keys * m.usable(raxLeaf)
	}
	a.addSizes(m.raxSizes(size))
	if !ofGroup {
		return
	}
	if m.groupIndex && size.keys > 0 {
		a.addGroupIndex(size)
	}
	if m.timeIndex && size.keys == 0 {
		a.addSizes(size.bytes, size.bytes) // its index by time is empty, too
	}
}

// raxSizes returns what a radix tree takes.
func (m *Model) raxSizes(t raxSize) (alloc, usage int64) {
	alloc = m.usable(m.rax) + t.bytes
	switch {
	case m.usage == usageExact:
		return alloc, alloc
	case m.hashtable: // raxAllocSize, from Valkey 8.1 on
		return alloc, m.rax + t.bytes
	}
	return alloc, usageOfID*t.keys + usageOfRaxNode*t.nodes
}

// closeGroup adds the names of the consumers of the group that has just ended.
func (a *Accumulator) closeGroup() {
	m := a.model
	if !a.stream.inGroup {
		return
	}
	size := a.stream.trees().consumers.finish(&m.allocator)
	a.addSizes(size, m.groupUsage(size))
	a.stream.consumers = 0
}

// addGroupIndex adds what the index from pending entries to their groups takes
// for one more group (cgroups_ref in t_stream.c): it has a list for each entry,
// with a node for each group. It assumes that the groups have as many pending
// entries in common as possible.
func (a *Accumulator) addGroupIndex(pending raxSize) {
	m := a.model
	a.addSizes(pending.keys*m.usable(adlistNode), 0)
	if more := pending.keys - a.stream.indexed.keys; more > 0 {
		a.addSizes(more*m.usable(adlist), 0)
		before, after := int64(0), m.usable(m.rax)+pending.bytes
		if a.stream.indexed.keys > 0 {
			before = m.usable(m.rax) + a.stream.indexed.bytes
		}
		a.addSizes(after-before, m.groupUsage(after-before))
		a.stream.indexed = pending
	}
}

// streamSizes returns what a stream takes without its key.
func (m *Model) streamSizes(a *Accumulator) (alloc, usage int64) {
	last, tail := a.stream.lastNode, m.streamTail
	if a.stream.maxBytes > 0 {
		tail = min(tail, a.stream.maxBytes)
	}
	if a.stream.producers == 0 {
		a.closeIDs()
		a.closeGroup()
	}
	alloc = int64(a.alloc) + m.usable(m.stream)
	usage = int64(a.usage) + m.structUsage(m.stream)
	if m.live && last > 0 && last < tail {
		alloc += m.usable(tail) - m.usable(last)
		if m.usage != usageExact {
			usage += m.usable(tail) - m.packedUsage(last)
		}
	}
	if a.stream.inGroup {
		size := m.usable(m.rax) + a.stream.trees().groups.finish(&m.allocator)
		alloc += size
		usage += m.groupUsage(size)
	}
	if a.stream.producers > 0 {
		size := m.usable(m.rax) + a.stream.trees().producers.finish(&m.allocator)
		alloc += size
		if m.producerUsage {
			usage += size
		}
	}
	return alloc, usage
}
