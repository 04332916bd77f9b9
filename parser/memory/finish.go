package memory

// Sizes gives what the key takes whose value has been walked since Begin.
func (a *Accumulator) Sizes(f *Facts) Sizes {
	m := a.model
	var alloc, usage int64
	compact := int64(-1)
	switch f.Shape {
	case StringText:
		alloc, usage = m.TextSizes(f.NameLen, f.TextLen, f.TTL)
		return Sizes{Allocated: alloc, Usage: usage, Compact: -1}
	case StringInt:
		alloc, usage = m.IntegerSizes(f.NameLen, f.IntValue, f.TTL, f.Eviction)
		return Sizes{Allocated: alloc, Usage: usage, Compact: -1}
	case Packed, PackedEx:
		if a.elements > 0 {
			alloc, usage = m.unpacked(a, f)
			break
		}
		alloc, usage = m.packedValue(f)
	case Quicklist:
		alloc, usage = m.listValue(a, f)
	case LinkedList:
		a.closeNode()
		alloc, usage = m.listValue(a, f)
		compact = alloc
		if m.live && m.ziplists {
			const list = 48 // structure of a linked list (adlist.h)
			alloc = list + a.list.linked
			usage = alloc
		}
	case SetTable, HashTable, Skiplist:
		size, fits := m.compactSize(f)
		if size > 0 {
			compact, _ = m.packedBlock(f, size)
		}
		if fits && !m.live {
			alloc, usage = m.packedBlock(f, size)
			break
		}
		switch f.Shape {
		case SetTable:
			alloc, usage = m.setValue(a, f)
		case HashTable:
			alloc, usage = m.hashValue(a, f)
		default:
			alloc, usage = m.sortedSetValue(a, f)
		}
	case StreamTree:
		alloc, usage = m.streamValue(a, f)
	default:
		alloc, usage = m.key(f.NameLen, f.TTL)
		return Sizes{Allocated: alloc + f.Serialized, Usage: usage + f.Serialized, Compact: -1, LowerBound: true}
	}
	ka, ku := m.key(f.NameLen, f.TTL)
	if compact >= 0 {
		compact += ka
	}
	return Sizes{Allocated: ka + alloc, Usage: ku + usage, Compact: compact}
}

// SetListpacks reports whether the server has listpacks for sets: if not, it
// makes no difference what Facts.ListpackBytes says of one.
func (m *Model) HasSetListpacks() bool { return m.setListpack }

// Unpacks reports whether a server that loads a packed value of a type (as
// Facts.Type) and n elements makes a table of it, because it is over the
// default limits: its elements are then to be told one by one, as those of a
// table are. A server that is still running keeps it as it is.
func (m *Model) ConvertsOnLoad(typ uint8, intset bool, n int64) bool {
	if m.live {
		return false
	}
	switch typ {
	case typeHash:
		return n > packedFields
	case typeZSet:
		return n > packedMembers
	case typeSet:
		return intset && n > intsetMembers || !intset && n > packedMembers
	}
	return false
}

// unpacked gives what a packed value takes when it has become a table.
func (m *Model) unpacked(a *Accumulator, f *Facts) (alloc, usage int64) {
	switch f.Type {
	case typeHash:
		return m.hashValue(a, f)
	case typeZSet:
		return m.sortedSetValue(a, f)
	}
	return m.setValue(a, f)
}

// Limits of the compact encodings by default (redis.conf).
const (
	packedFields  = 512 // hash-max-listpack-entries
	packedString  = 64  // -value of all three
	packedMembers = 128 // zset-max-listpack-entries, set-max-listpack-entries
	intsetMembers = 512 // set-max-intset-entries
)

// Types as Facts.Type has them.
const (
	typeList = 1
	typeSet  = 2
	typeZSet = 3
	typeHash = 4
)

// packedValue gives what a value of one packed block takes.
func (m *Model) packedValue(f *Facts) (alloc, usage int64) {
	size := f.PackedBytes
	if !f.Intset && f.Ziplist != m.ziplists {
		// A server from 7.0 on turns a ziplist into a listpack when it loads
		// it. The head is 4 bytes shorter there, and so are long texts by their
		// length in front of the next entry; most numbers are not.
		switch {
		case f.ListpackBytes > 0 && f.Ziplist:
			size = f.ListpackBytes
		case f.Ziplist:
			size = max(size-4, 7)
		default:
			size += 4
		}
	}
	if f.Type == typeList && f.Ziplist && !m.live {
		return m.pushedList(size)
	}
	if f.Type == typeList && !m.listPacked {
		return m.quicklistOf(1, m.mem.block(size), m.packedUsage(size))
	}
	return m.packedBlock(f, size)
}

// packedUsage gives what MEMORY USAGE says of a packed block of size bytes.
func (m *Model) packedUsage(size int64) int64 {
	if m.usage == usageExact || m.ziplists {
		return size
	}
	return m.mem.block(size)
}

// packedBlock gives what a packed block of size bytes takes with what holds it.
func (m *Model) packedBlock(f *Facts, size int64) (alloc, usage int64) {
	alloc, usage = m.mem.block(size), m.packedUsage(size)
	if f.Type == typeHash && m.listpackEx > 0 && (f.Shape == PackedEx || f.FieldsWithTTL > 0) {
		alloc += m.mem.block(m.listpackEx)
		if m.usage == usageExact {
			usage += m.listpackEx
		} else {
			usage += m.mem.block(m.listpackEx)
		}
	}
	return alloc, usage
}

// compactSize gives the bytes of a table's or skiplist's elements in the
// compact encoding of its type, 0 where there is none or they are not known,
// and whether a server that loads the value would choose it.
func (m *Model) compactSize(f *Facts) (size int64, fits bool) {
	n := f.Elements
	switch f.Shape {
	case SetTable:
		if f.Integers {
			return 8 + n*m.intWidth(f), n <= intsetMembers
		}
		if !m.setListpack {
			return 0, false
		}
		fits = n <= packedMembers && f.Longest <= packedString
	case Skiplist:
		fits = n <= packedMembers && f.Longest <= packedString
	case HashTable:
		if f.FieldsWithTTL > 0 {
			if m.listpackEx == 0 || f.ListpackBytes == 0 {
				return 0, false
			}
			// Every field has an entry for its expiry: milliseconds, or 0.
			return f.ListpackBytes + 10*f.FieldsWithTTL + 2*(n-f.FieldsWithTTL), n <= packedFields && f.Longest <= packedString
		}
		fits = n <= packedFields && f.Longest <= packedString
	}
	if f.ListpackBytes == 0 {
		return 0, false
	}
	if m.ziplists {
		return f.ListpackBytes + 4, fits
	}
	return f.ListpackBytes, fits
}

// intWidth gives the bytes that a member of an intset takes: 2, 4 or 8, by the
// largest one.
func (m *Model) intWidth(f *Facts) int64 {
	switch {
	case f.IntWidth > 0:
		return f.IntWidth
	case f.Longest <= 4:
		return 2
	case f.Longest <= 9:
		return 4
	}
	return 8
}

// listValue gives what the nodes of a list take with what holds them.
func (m *Model) listValue(a *Accumulator, f *Facts) (alloc, usage int64) {
	single := a.list.nodes == 1 && !a.list.plain && a.list.filled <= nodeLimit
	if single && m.listPacked && (!m.live || f.Shape == LinkedList) {
		return int64(a.alloc), int64(a.usage)
	}
	return m.quicklistOf(a.list.nodes, int64(a.alloc), int64(a.usage))
}

// pushedList gives what a list takes that the file has as one ziplist (before
// Redis 3.2), and that would have so many bytes as one packed value: servers
// push its items into a new quicklist one by one, of which they make no listpack
// (RDB_TYPE_LIST_ZIPLIST in rdb.c). A node is full when it has no room for an
// entry and 8 bytes (quicklistNodeAllowInsert).
func (m *Model) pushedList(size int64) (alloc, usage int64) {
	head := m.packedHead()
	const full = nodeLimit - 8
	nodes := 1 + max(size-head-1, 0)/(full-head)
	rest := size - (nodes-1)*(full-head)
	alloc = (nodes-1)*m.mem.block(full) + m.mem.block(rest)
	usage = (nodes-1)*m.packedUsage(full) + m.packedUsage(rest)
	return m.quicklistOf(nodes, alloc, usage)
}

func (m *Model) quicklistOf(nodes, alloc, usage int64) (int64, int64) {
	node := m.node
	head := m.quicklist
	if m.usage == usageExact {
		node, head = m.mem.block(node), m.mem.block(head)
	}
	return alloc + m.mem.block(m.quicklist) + nodes*m.mem.block(m.node), usage + head + nodes*node
}

func (m *Model) setValue(a *Accumulator, f *Facts) (alloc, usage int64) {
	n := f.Elements
	t := m.tableFor(n)
	if !m.live && !m.setListpack && n <= intsetMembers {
		t.old = intsetTable(f.LeadingIntegers, n)
	}
	alloc, usage = m.sizes(t, m.dictSize)
	ea, eu := m.entries(n, t, m.setInline)
	if m.object == objEntryName {
		eu = ea
	}
	return alloc + ea + int64(a.alloc), usage + eu + int64(a.usage)
}

func (m *Model) hashValue(a *Accumulator, f *Facts) (alloc, usage int64) {
	n := f.Elements
	expiring := f.FieldsWithTTL > 0
	t := m.hashTable(n, a.firstLong, expiring)
	meta := m.dictSize + m.hashExtra
	if expiring {
		meta += m.dictExpiry
	}
	alloc, usage = m.sizes(t, meta)
	ea, eu := m.entries(n, t, m.entry == entryEmbedded)
	alloc += ea + int64(a.alloc)
	usage += eu + int64(a.usage)
	if expiring {
		xa, xu := m.fieldExpiries(a, f.FieldsWithTTL)
		alloc += xa
		usage += xu
	}
	return alloc, usage
}

// vector is the most fields that Valkey's index by expiry keeps in one array
// (VOLATILESET_VECTOR_BUCKET_MAX_SIZE in vset.c).
const vector = 127

// fieldExpiries gives what the index of a hash's fields by expiry takes.
func (m *Model) fieldExpiries(a *Accumulator, n int64) (alloc, usage int64) {
	if !m.valkey {
		return m.expiryBuckets(n, &a.windows), 0
	}
	// A set of one is the pointer itself, of a few an array, of more a radix
	// tree of time windows (vset.c).
	if n < 2 {
		return 0, 0
	}
	if n <= vector {
		alloc, usage = m.mem.block(8+8*n), m.mem.block(8+8*n)
		if n == 2 {
			usage = 24 // the first array notes what it asked for, not what it got
		}
		return alloc, usage
	}
	wide, narrow := a.windows.counts(n)
	alloc = m.mem.block(m.rax)
	switch {
	case n/narrow > vector:
		// More than an array takes in the narrowest window: a table of them.
		first, each, last := a.windows.spread(n, narrow)
		alloc += m.narrowWindow(first) + m.narrowWindow(last) + (narrow-2)*m.narrowWindow(each)
	case n/wide > vector:
		// A full array is divided at its middle; arrays that fill at random are
		// ln 2 full on average.
		const filled = vector * 69 / 100
		arrays := max(2*wide, n/filled)
		alloc += arrays * (windowNodes + m.mem.block(8+8*((n+arrays-1)/arrays)))
	default:
		alloc += wide * windowNodes
		if n > wide {
			alloc += m.windowArrays(n, wide)
		}
	}
	return alloc, alloc
}

// narrowWindow gives what n fields take that expire in one of the narrowest
// windows.
func (m *Model) narrowWindow(n int64) int64 {
	switch {
	case n < 1:
		return 0
	case n == 1:
		return windowNodes
	case n <= vector:
		return windowNodes + m.mem.block(8+8*n)
	}
	t := m.grownTable(n)
	return windowNodes + m.dict + bucketSize*(t.buckets+t.old) + t.chained*bucketSize/point
}

// windowNodes is what a time window takes in the radix tree: a leaf, the last
// byte of its time, and a share in the nodes above.
const windowNodes = 44

// windowArrays gives what the arrays of n fields in so many time windows take,
// where a window of one field needs none.
func (m *Model) windowArrays(n, windows int64) int64 {
	return int64(float64(windows) * meanOfFilled(float64(n)/float64(windows), func(k int64) int64 {
		if k == 1 {
			return 0
		}
		return m.mem.block(8 + 8*k)
	}))
}

// expiryBuckets gives what Redis' index of n fields by expiry takes (ebuckets.c):
// up to 16 fields are a list through the fields themselves, more are segments of
// up to 16 under a radix tree of times. Fields of one millisecond are always in
// one chain of segments; of others a segment is 12 full on average.
func (m *Model) expiryBuckets(n int64, w *windows) int64 {
	const segment, first, next = 16, 16, 24 // fields; bytes of a chain's first and further heads
	if n <= segment {
		return 0
	}
	root := m.mem.block(m.rax)
	if w.equal() {
		const bytes = 6 // of a time in the tree
		return root + m.mem.block(chainNode(bytes)) + raxLeaf + first + (n-1)/segment*m.mem.block(next)
	}
	span, used := w.span(n)
	if each := float64(n) / used; each > 12 {
		// Full chains of one millisecond, whose times lie close in the tree: a
		// leaf and a tenth of a branch.
		return root + int64(used*(first+26+(each/segment-.5)*float64(m.mem.block(next))))
	}
	segments := float64((n + 11) / 12)
	// Times further apart than the last of their bytes tells have a chain of
	// bytes above the leaf. Both measured.
	const near, chain = first + 30, 18
	return root + int64(segments*(near+chain*min(1, span/segments/256)))
}

func (m *Model) sortedSetValue(a *Accumulator, f *Facts) (alloc, usage int64) {
	const head = 16 // zset
	n := f.Elements
	t := m.tableFor(n)
	alloc, usage = m.sizes(t, 0)
	ea, eu := m.entries(n, t, m.zsetInline)
	if m.zsetInline && m.usage == usageBlocks {
		eu = inlineEntry * n
	}
	alloc += ea + head + m.mem.block(m.zskiplist)
	usage += eu + head + m.zskiplist
	if m.zslHead > 0 {
		alloc += m.mem.block(m.zslHead)
		usage += m.mem.block(m.zslHead)
	}
	if m.usage == usageExact {
		usage += m.mem.block(m.zskiplist) - m.zskiplist
	}
	return alloc + int64((a.alloc+point/2)/point), usage + int64((a.usage+point/2)/point)
}
