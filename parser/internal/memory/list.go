package memory

// maxNode is the largest packed node of a list, in bytes: list-max-listpack-size
// -2, the default. A larger item has a node of its own.
const maxNode = 8 << 10

// emptyListpack is the size of a listpack's header and end byte.
const emptyListpack = 7

type listState struct {
	nodes  int64
	plain  bool  // any node is a plain item
	filled int64 // bytes of the last node
	linked int64 // bytes of the items as those of a linked list
}

func (l *listState) merge(o *listState) {
	l.nodes += o.nodes
	l.plain = l.plain || o.plain
	l.filled = max(l.filled, o.filled)
}

// AddListNode adds a node of a list: a packed one of n bytes in memory, or a
// plain item of n bytes.
func (a *Accumulator) AddListNode(plain bool, n int64) {
	m := a.model
	a.addSizes(m.usable(n), m.packedUsage(n))
	a.extended = true
	l := &a.list
	l.nodes++
	l.plain = l.plain || plain
	l.filled = n
}

// AddZiplistNode adds a packed node of a list that is a ziplist of n bytes in
// the file, and would be a listpack of listpack bytes: servers convert each node
// from 7.0 on when they load it.
func (a *Accumulator) AddZiplistNode(n, listpack int64) {
	if !a.model.ziplists {
		n = listpack
	}
	a.AddListNode(false, n)
}

// AddListItem adds an item of n bytes of a list that the file has item by item
// (before Redis 3.2). entry is what it takes as an entry of a listpack. Servers
// with a model put such items into nodes when they load them
// (quicklistPushTail in quicklist.c); the one that wrote the file had a node and
// an object for each.
func (a *Accumulator) AddListItem(n, entry int64) {
	m, l := a.model, &a.list
	a.extended = true
	text, _ := m.textBesideObject(n)
	l.linked += m.usable(adlistNode) + objectSize + text
	if n > maxNode && m.plainNodes {
		a.closeListNode()
		a.AddListNode(true, n)
		l.filled = 0
		return
	}
	if l.filled > 0 && l.filled+n+8 <= maxNode {
		l.filled += entry
		return
	}
	a.closeListNode()
	l.nodes++
	l.filled = m.emptyPacked() + entry
}

// closeListNode adds the node that AddListItem has filled and counted.
func (a *Accumulator) closeListNode() {
	if a.list.filled > 0 {
		a.AddListNode(false, a.list.filled)
		a.list.nodes--
	}
}

// emptyPacked returns the size of an empty ziplist or listpack.
func (m *Model) emptyPacked() int64 {
	if m.ziplists {
		return 11
	}
	return emptyListpack
}

// listSizes returns what a list of nodes takes without its key.
func (m *Model) listSizes(a *Accumulator, f *Facts) (alloc, usage int64) {
	single := a.list.nodes == 1 && !a.list.plain && a.list.filled <= maxNode
	if single && m.bareListpack && (!m.live || f.Shape == LinkedList) {
		return int64(a.alloc), int64(a.usage)
	}
	return m.quicklistSizes(a.list.nodes, int64(a.alloc), int64(a.usage))
}

// pushedListSizes returns what a list takes that the file has as one ziplist
// (before Redis 3.2), and whose items would take size bytes in one packed value.
// Servers push the items one by one into a new quicklist, which they do not turn
// into a listpack (RDB_TYPE_LIST_ZIPLIST in rdb.c). A node is full if it has no
// room for an entry and 8 bytes (quicklistNodeAllowInsert).
func (m *Model) pushedListSizes(size int64) (alloc, usage int64) {
	const full = maxNode - 8
	head := m.emptyPacked()
	nodes := 1 + max(size-head-1, 0)/(full-head)
	rest := size - (nodes-1)*(full-head)
	alloc = (nodes-1)*m.usable(full) + m.usable(rest)
	usage = (nodes-1)*m.packedUsage(full) + m.packedUsage(rest)
	return m.quicklistSizes(nodes, alloc, usage)
}

// quicklistSizes adds a quicklist and its node structures to what the packed
// values and plain items of the nodes take.
func (m *Model) quicklistSizes(nodes, alloc, usage int64) (int64, int64) {
	alloc += m.usable(m.quicklist) + nodes*m.usable(m.quicklistNode)
	usage += m.structUsage(m.quicklist) + nodes*m.structUsage(m.quicklistNode)
	return alloc, usage
}

// structUsage returns what MEMORY USAGE counts for a structure of n bytes.
func (m *Model) structUsage(n int64) int64 {
	if m.usage == usageExact {
		return m.usable(n)
	}
	return n
}

// Arrays of Redis 8.8 (sparsearray.c), as measured on a build shortly after it.
const (
	arraySize       = 80
	sliceIndexes    = 4096 // array-slice-size
	sliceHeader     = 32
	sparseMost      = 10 // elements of a sparse slice: array-sparse-kmax
	directoryMost   = 2048
	directoryBlock  = 8 * directoryMost
	superEntry      = 24
	arrayTextHeader = 2
)

// An arrayState is what an Accumulator knows of an array, whose elements come by
// ascending index.
type arrayState struct {
	used   bool
	slice  int64 // the current slice
	n      int64 // its elements
	first  int64 // offset of its first element
	begin  int64 // offset at which its window begins
	window int64 // elements for which it has memory, once it is dense
	tenth  int64 // offset of its tenth element
	blocks int64 // blocks of the directory that have slices
}

// AddArrayElement adds an element of an array. text is the length in bytes of one
// that has a block of its own, -1 of one that is kept in the place of the pointer
// to it.
func (a *Accumulator) AddArrayElement(index uint64, text int64) {
	s, m := &a.array, a.model
	slice, at := int64(index/sliceIndexes), int64(index%sliceIndexes)
	if !s.used || slice != s.slice {
		if !s.used || slice/directoryMost != s.slice/directoryMost {
			s.blocks++
		}
		a.closeSlice()
		a.extended = true
		*s = arrayState{used: true, slice: slice, first: at, blocks: s.blocks}
	}
	switch s.n++; {
	case s.n <= sparseMost:
		s.tenth = at
	case s.window == 0:
		s.window = max(8, powerOfTwo(s.tenth-s.first+1))
		s.begin = s.first
		fallthrough
	default:
		for s.window < sliceIndexes && at >= s.begin+s.window {
			s.window *= 2
		}
		s.window = min(s.window, sliceIndexes)
		s.begin = min(s.begin, sliceIndexes-s.window)
	}
	if text >= 0 {
		header := int64(arrayTextHeader)
		if text >= 1<<15 {
			header = 8
		}
		size := m.usable(header + text)
		a.addSizes(size, size)
	}
}

func (a *Accumulator) closeSlice() {
	s := &a.array
	if s.n == 0 {
		return
	}
	size := int64(sliceHeader) + 8*s.window
	if s.window == 0 {
		capacity := int64(sparseMost)
		switch {
		case s.n <= 4:
			capacity = 4
		case s.n <= 8:
			capacity = 8
		}
		size = sliceHeader + (2*capacity+7)&^7 + 8*capacity
	}
	size = a.model.usable(size)
	a.addSizes(size, size)
	s.n = 0
}

// arraySizes returns what an array takes without its key.
func (m *Model) arraySizes(a *Accumulator) int64 {
	a.closeSlice()
	s := &a.array
	size := m.usable(arraySize) + int64(a.alloc)
	if s.slice < directoryMost {
		return size + m.usable(8*powerOfTwo(s.slice+1))
	}
	return size + m.usable(superEntry*powerOfTwo(max(s.blocks, 4))) + s.blocks*m.usable(directoryBlock)
}
