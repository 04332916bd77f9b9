package memory

// An Accumulator sums what one key's value takes while it is walked. Reset readies
// it for a key; it is used by one goroutine at a time.
type Accumulator struct {
	model        *Model
	alloc, usage uint64 // of the elements; of skiplist nodes in 1/65536 bytes

	// elements counts what was told by Field, and firstLong is the number of
	// the first field that no listpack takes, 0 none.
	elements, firstLong int64

	// rare says that something of what follows is not zero.
	rare    bool
	list    listAcc
	stream  streamAcc
	windows windows
}

// A listAcc is the state of a list.
type listAcc struct {
	nodes  int64
	plain  bool  // any node is a plain item
	filled int64 // bytes of the last node
	linked int64 // bytes of the items in a linked list
}

// A streamAcc is the state of a stream.
type streamAcc struct {
	used      bool
	tree      tree
	lastNode  int64 // bytes of the last node's listpack
	inGroup   bool
	consumers int64        // of the current group
	refs      treeSize     // index of pending entries to groups
	names     *streamNames // nil before the first group of any stream
}

// streamNames are the names of a stream's groups, and of the current one's
// consumers.
type streamNames struct{ groups, consumers nameTree }

// trees gives names, which most streams do not need.
func (s *streamAcc) trees() *streamNames {
	if s.names == nil {
		s.names = new(streamNames)
	}
	return s.names
}

// Reset prepares the Accumulator for the next key, whose sizes m gives.
func (a *Accumulator) Reset(m *Model) {
	a.model = m
	a.alloc, a.usage = 0, 0
	a.elements, a.firstLong = 0, 0
	if a.rare {
		a.clear()
	}
}

func (a *Accumulator) clear() {
	a.rare = false
	a.list = listAcc{}
	if a.stream.used {
		a.stream.reset()
	}
	a.windows.reset()
}

func (s *streamAcc) reset() {
	s.tree.reset()
	if s.names != nil {
		s.names.groups.reset()
		s.names.consumers.reset()
	}
	*s = streamAcc{tree: s.tree, names: s.names}
}

func (a *Accumulator) add(p pair) {
	a.alloc += uint64(p) & (1<<32 - 1)
	a.usage += uint64(p) >> 32
}

func (a *Accumulator) addSizes(alloc, usage int64) {
	a.alloc += uint64(alloc)
	a.usage += uint64(usage)
}

// AddMember takes a member of n bytes of a set in a hash table.
func (a *Accumulator) AddMember(n int64) {
	m := a.model
	if uint64(n) < tabled {
		a.add(m.member[n])
		return
	}
	a.addSizes(m.stringSizes(n))
}

// AddScoredMember takes a member of n bytes of a sorted set in a skiplist.
func (a *Accumulator) AddScoredMember(n int64) {
	m := a.model
	if uint64(n) < tabled {
		a.add(m.scored[n])
		return
	}
	a.addSizes(m.scoredSizes(n))
}

// AddField takes a field of f bytes with a value of v bytes of a hash in a hash
// table; ttl says that it has an expiry of its own.
func (a *Accumulator) AddField(f, v int64, ttl bool) {
	m := a.model
	a.elements++
	if (f > packedString || v > packedString) && a.firstLong == 0 {
		a.firstLong = a.elements
	}
	if uint64(f) >= tabled || uint64(v) >= tabled || ttl {
		a.addLongField(f, v, ttl)
		return
	}
	if m.entry == entryPair {
		a.add(m.pairs[f])
		a.add(m.member[v])
		return
	}
	if n := m.field.size(f) + v + 4; n <= embedLimit {
		a.add(m.joint[n])
		return
	}
	a.add(m.apart[f])
	a.add(m.member[v])
}

func (a *Accumulator) addLongField(f, v int64, ttl bool) {
	m := a.model
	if m.entry == entryPair {
		a.addSizes(m.fieldSizes(f, ttl))
		a.addSizes(m.stringSizes(v))
		return
	}
	n := m.field.size(f)
	if ttl {
		n = m.field.flagged(f) + m.fieldExpiry
	}
	if n += v + 4; n <= embedLimit {
		a.add(m.joint[n])
		return
	}
	a.addSizes(m.apartSizes(f, ttl))
	a.addSizes(m.stringSizes(v))
}

// stringSizes gives what a string in a block of its own takes.
func (m *Model) stringSizes(n int64) (alloc, usage int64) {
	alloc = m.mem.block(m.sds.heap(n))
	if m.usage == usageExact && n > 0 && n < 32 {
		return alloc, n + 2 // the shortest header does not know its block
	}
	return alloc, alloc
}

// fieldSizes gives what a field takes that stands apart from its value and
// does not know it.
func (m *Model) fieldSizes(n int64, ttl bool) (alloc, usage int64) {
	if m.field != sdsField {
		return m.stringSizes(n)
	}
	size := m.field.size(n)
	if ttl {
		size += m.fieldExpiry
	}
	alloc = m.mem.block(size)
	return alloc, alloc
}

// jointSizes gives what a block of n bytes takes that holds field and value.
func (m *Model) jointSizes(n int64) (alloc, usage int64) {
	alloc = m.mem.block(n)
	if m.usage == usageExact {
		return alloc, n
	}
	return alloc, alloc
}

// apartSizes gives what a field takes that points to its value.
func (m *Model) apartSizes(n int64, ttl bool) (alloc, usage int64) {
	size := 8 + m.field.flagged(n)
	if ttl {
		size += m.fieldExpiry
	}
	return m.jointSizes(size)
}

// scoredSizes gives what a skiplist node and its member take, in 1/65536 bytes.
func (m *Model) scoredSizes(n int64) (alloc, usage int64) {
	if m.joined {
		alloc = m.expectedNode(m.sds.size(n))
		return alloc, alloc
	}
	alloc, usage = m.stringSizes(n)
	return alloc*point + m.tower, usage*point + m.tower
}

// expectedNode gives the expected size of a skiplist node, in 1/65536 bytes: one
// in four nodes of a level reaches the next (ZSKIPLIST_P), to 32 at most.
// A member of so many bytes is in the node with joined, else it is 0.
func (m *Model) expectedNode(member int64) int64 {
	base := int64(24)
	if m.joined {
		base = 16 + member
		if m.valkey {
			base++ // the header's length stands before it
		}
	}
	const scale = 40
	var sum int64
	for h := int64(1); h < 13; h++ {
		sum += m.mem.block(base+16*h) * (3 << (scale - 2*h) >> 16)
	}
	return sum >> (scale - 32)
}

// Lists in memory are made of nodes of up to 8 KiB (list-max-listpack-size -2);
// a larger item has one of its own.
const nodeLimit = 8 << 10

// AddListNode takes a node of a list: a packed one of n bytes in memory, or one plain
// item of n bytes.
func (a *Accumulator) AddListNode(plain bool, n int64) {
	m := a.model
	alloc := m.mem.block(n)
	usage := alloc
	if m.usage == usageExact || m.ziplists {
		usage = n
	}
	a.addSizes(alloc, usage)
	a.rare = true
	l := &a.list
	l.nodes++
	l.plain = l.plain || plain
	l.filled = n
}

// AddZiplistNode takes a packed node of a list that is a ziplist of n bytes in the
// file, and that as a listpack has so many bytes: servers from 7.0 on convert
// every node when they load it.
func (a *Accumulator) AddZiplistNode(n, listpack int64) {
	m := a.model
	if !m.ziplists {
		n = listpack
	}
	a.AddListNode(false, n)
}

// AddListItem takes an item of n bytes of a list that the file has item by item
// (before Redis 3.2): all servers that this package knows put it into nodes
// when they load it (quicklistPushTail in quicklist.c). The server that wrote
// it had a node and an object for each item.
func (a *Accumulator) AddListItem(n, entry int64) {
	m := a.model
	l := &a.list
	a.rare = true
	text, _ := m.besideKey(n)
	l.linked += m.entryBlock + object + text
	if n > nodeLimit && m.plainItems {
		a.closeNode()
		a.AddListNode(true, n)
		l.filled = 0
		return
	}
	if l.filled > 0 && l.filled+n+8 <= nodeLimit {
		l.filled += entry
		return
	}
	a.closeNode()
	l.nodes++
	l.filled = m.packedHead() + entry
}

// closeNode counts the node that Item has filled.
func (a *Accumulator) closeNode() {
	if a.list.filled > 0 {
		a.AddListNode(false, a.list.filled)
		a.list.nodes--
	}
}

// packedHead gives the bytes of an empty packed value.
func (m *Model) packedHead() int64 {
	if m.ziplists {
		return 11
	}
	return 7
}
