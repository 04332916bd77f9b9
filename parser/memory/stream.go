package memory

// streamTail is what a server allocates for a stream's newest listpack before
// it is full (STREAM_LISTPACK_MAX_PRE_ALLOCATE in t_stream.c).
const streamTail = 4096

// AddStreamNode takes a node of a stream: the ID it begins with and the bytes of
// its listpack.
func (a *Accumulator) AddStreamNode(hi, lo uint64, n int64) {
	m := a.model
	a.rare, a.stream.used = true, true
	a.stream.tree.add(&m.mem, hi, lo)
	a.stream.lastNode = n
	a.addSizes(m.listpack(n))
}

func (m *Model) listpack(n int64) (alloc, usage int64) { return m.mem.block(n), m.packedUsage(n) }

// BeginGroup begins a consumer group with a name of n bytes, of which text has the
// first MaxStreamName.
func (a *Accumulator) BeginGroup(text []byte, n int64) {
	m := a.model
	m.closeTree(a)
	m.closeGroup(a)
	a.rare, a.stream.used = true, true
	a.stream.inGroup = true
	a.stream.trees().groups.add(&m.mem, text, n)
	a.addSizes(m.mem.block(m.group), m.streamPart(m.group))
	// Its tree of consumers; that of pending entries is counted when it ends.
	trees := m.mem.block(m.rax)
	if m.timeIndex {
		trees *= 2
	}
	a.addSizes(trees, m.uncounted(trees))
}

// timeEntry is what a pending entry takes in its group's index by time, whose
// keys of 24 bytes differ early: a leaf and a chain of bytes. Measured.
const timeEntry = 48

// AddPending takes an entry of the group's pending list.
func (a *Accumulator) AddPending(hi, lo uint64) {
	m := a.model
	a.stream.tree.add(&m.mem, hi, lo)
	a.addSizes(m.mem.block(m.nack), m.streamPart(m.nack))
	if m.timeIndex {
		a.addSizes(timeEntry, timeEntry)
	}
}

// BeginConsumer begins a consumer of the group, with a name of n bytes, of which
// text has the first MaxStreamName.
func (a *Accumulator) BeginConsumer(text []byte, n int64) {
	m := a.model
	m.closeTree(a)
	a.stream.consumers++
	a.stream.trees().consumers.add(&m.mem, text, n)
	sds := m.mem.block(m.sds.heap(n))
	usage := n
	if m.usage == usageExact {
		_, usage = m.stringSizes(n)
	}
	a.addSizes(m.mem.block(m.consumer)+sds, m.streamPart(m.consumer)+usage)
}

// AddConsumerPending takes an entry of the consumer's pending list.
func (a *Accumulator) AddConsumerPending(hi, lo uint64) {
	m := a.model
	a.stream.tree.add(&m.mem, hi, lo)
}

// streamPart gives what MEMORY USAGE says of a structure of n bytes.
func (m *Model) streamPart(n int64) int64 {
	if m.usage == usageExact {
		return m.mem.block(n)
	}
	return n
}

// uncounted gives n where MEMORY USAGE counts all of a stream, else 0.
func (m *Model) uncounted(n int64) int64 {
	if m.usage == usageExact {
		return n
	}
	return 0
}

// closeTree counts the radix tree that has just ended: that of the stream's
// nodes, or of a pending list.
func (m *Model) closeTree(a *Accumulator) {
	pending := a.stream.inGroup && a.stream.consumers == 0
	size := a.stream.tree.finish(&m.mem)
	a.addSizes(m.treeSizes(size))
	if !pending {
		return
	}
	if m.streamRefs && size.keys > 0 {
		m.refer(a, size)
	}
	if m.timeIndex && size.keys == 0 {
		a.addSizes(size.bytes, size.bytes)
	}
}

// treeSizes gives what a radix tree takes.
func (m *Model) treeSizes(t treeSize) (alloc, usage int64) {
	alloc = m.mem.block(m.rax) + t.bytes
	switch {
	case m.usage == usageExact:
		return alloc, alloc
	case m.valkey && m.buckets: // raxAllocSize
		return alloc, m.rax + t.bytes
	}
	return alloc, raxID*t.keys + fudge*t.nodes
}

// closeGroup counts the names of the group that has just ended.
func (m *Model) closeGroup(a *Accumulator) {
	if !a.stream.inGroup {
		return
	}
	size := a.stream.names.consumers.finish(&m.mem)
	a.addSizes(size, m.uncounted(size))
	a.stream.consumers = 0
}

// refer counts the index that takes each pending entry to the groups in which
// it is (cgroups_ref): a list with a node for each group. The entries of
// several groups are taken to be the same as far as they can be.
func (m *Model) refer(a *Accumulator, pending treeSize) {
	const list, listNode = 48, 24
	a.addSizes(pending.keys*m.mem.block(listNode), 0)
	if more := pending.keys - a.stream.refs.keys; more > 0 {
		a.addSizes(more*m.mem.block(list), 0)
		before, after := int64(0), m.mem.block(m.rax)+pending.bytes
		if a.stream.refs.keys > 0 {
			before = m.mem.block(m.rax) + a.stream.refs.bytes
		}
		a.addSizes(after-before, m.uncounted(after-before))
		a.stream.refs = pending
	}
}

// streamValue gives what a stream takes without its key.
func (m *Model) streamValue(a *Accumulator, f *Facts) (alloc, usage int64) {
	last := a.stream.lastNode
	m.closeTree(a)
	m.closeGroup(a)
	alloc = int64(a.alloc) + m.mem.block(m.stream)
	usage = int64(a.usage) + m.streamPart(m.stream)
	if m.live && last > 0 && last < streamTail {
		la, lu := m.listpack(last)
		alloc += m.mem.block(streamTail) - la
		if m.usage != usageExact {
			usage += m.mem.block(streamTail) - lu
		}
	}
	if a.stream.inGroup {
		size := m.mem.block(m.rax) + a.stream.names.groups.finish(&m.mem)
		alloc += size
		usage += m.uncounted(size)
	}
	return alloc, usage
}
