package memory

// The types as Facts.Type has them.
const (
	typeList = 1
	typeSet  = 2
	typeZSet = 3
	typeHash = 4
)

// The limits of the compact encodings by default (redis.conf).
const (
	maxPackedFields  = 512 // hash-max-listpack-entries
	maxPackedMembers = 128 // zset-max-listpack-entries, set-max-listpack-entries
	maxIntsetMembers = 512 // set-max-intset-entries
	maxPackedString  = 64  // hash-, zset- and set-max-listpack-value
)

// moduleValueSize is the size of the structure between an object and what its
// module has allocated (moduleValue in server.h).
const moduleValueSize = 16

// maxPacked returns the most elements that a value of a type has in a compact
// encoding by default.
func maxPacked(typ uint8, intset bool) int64 {
	switch {
	case typ == typeHash:
		return maxPackedFields
	case intset:
		return maxIntsetMembers
	}
	return maxPackedMembers
}

// FitsListpack reports whether a server loads a value of a type (as Facts.Type) as
// a listpack, by the number of its elements and the bytes of its longest string:
// the default limits.
func FitsListpack(typ uint8, n, longest int64) bool {
	return n <= maxPacked(typ, false) && longest <= maxPackedString
}

// listpackInteger returns the bytes of a listpack entry for a number from 0 to 4095
// (lpEncodeIntegerGetType in listpack.c).
func listpackInteger(n int64) int64 {
	if n < 128 {
		return 2
	}
	return 3
}

// Sizes returns what the key takes whose value has been walked since Reset.
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
		if m.ConvertsOnLoad(f.Type, f.Intset, f.Elements) {
			alloc, usage = m.tabledSizes(a, f, f.Elements)
			break
		}
		alloc, usage = m.packedSizes(f)
	case Quicklist:
		alloc, usage = m.listSizes(a, f)
	case LinkedList:
		a.closeListNode()
		alloc, usage = m.listSizes(a, f)
		compact = alloc
		if m.live && m.ziplists {
			alloc = adlist + a.list.linked
			usage = alloc
		}
	case SetTable, HashTable, Skiplist:
		size, fits := m.compactSize(f)
		if size > 0 {
			compact, _ = m.packedBlockSizes(f, size)
		}
		if fits && (!m.live || m.listpackExpiry && f.FieldsWithTTL > 0) {
			alloc, usage = m.packedBlockSizes(f, size)
			if f.Shape == SetTable && !f.Integers {
				// The loader reserves the listpack for the leading integers
				// (setTypeConvertAndExpand in t_set.c).
				reserved := m.usable(emptyListpack + f.LeadingIntegers*f.IntEntry)
				alloc = max(alloc, reserved)
				if m.usage != usageExact {
					usage = alloc
				}
			}
			break
		}
		had := f.Elements
		if fits { // its table was made for more
			had = maxPacked(f.Type, f.Integers) + 1
		}
		alloc, usage = m.tabledSizes(a, f, had)
	case StreamTree:
		alloc, usage = m.streamSizes(a)
	case SlicedArray:
		alloc = m.arraySizes(a)
		usage = alloc
	case Template:
		alloc, usage = m.templateSizes(a, f)
	case PathTree:
		alloc = m.pathSizes(a)
		usage = alloc
	case ModuleValue:
		alloc, usage = m.keySizes(f.NameLen, f.TTL)
		if m.key <= keyInEntry || m.usage == usageWithoutName { // objectComputeSize counts neither object nor moduleValue
			usage -= objectSize
		} else {
			usage = alloc
		}
		return Sizes{Allocated: alloc + m.usable(moduleValueSize) + f.Allocated, Usage: usage + f.Usage,
			Compact: -1, Doubt: Doubt{Approximate: f.Approximate}}
	default:
		alloc, usage = m.keySizes(f.NameLen, f.TTL)
		return Sizes{Allocated: alloc + f.Serialized, Usage: usage + f.Serialized, Compact: -1,
			Doubt: Doubt{LowerBound: true}}
	}
	ka, ku := m.keySizes(f.NameLen, f.TTL)
	if compact >= 0 {
		compact += ka
	}
	return Sizes{Allocated: ka + alloc, Usage: ku + usage, Compact: compact, Doubt: Doubt{Approximate: m.approximates(f)}}
}

// approximates reports whether the sizes of a value follow sources alone, or depend
// on what the file does not show.
func (m *Model) approximates(f *Facts) bool {
	switch f.Shape {
	case Template, PathTree:
		return true
	case SlicedArray:
		return m.live // what it takes depends on the order in which it was filled
	case Skiplist:
		return m.btree
	case HashTable:
		return m.listpackExpiry && f.FieldsWithTTL > 0
	}
	return false
}

// HasSetListpacks reports whether the server has listpacks for sets. If not,
// Facts.ListpackBytes of a set has no effect.
func (m *Model) HasSetListpacks() bool { return m.setListpack }

// ConvertsOnLoad reports whether a server makes a table of a packed value of a
// type (as Facts.Type) and n elements when it loads it, because the value is
// over the default limits: its elements must then be added one by one, as those
// of a table. A server that is still running keeps the value as it is.
func (m *Model) ConvertsOnLoad(typ uint8, intset bool, n int64) bool {
	return !m.live && typ >= typeSet && typ <= typeHash && n > maxPacked(typ, intset)
}

// tabledSizes returns what a set, hash or sorted set takes as a table that once had a number of
// elements, or has more by now.
func (m *Model) tabledSizes(a *Accumulator, f *Facts, had int64) (alloc, usage int64) {
	switch f.Type {
	case typeHash:
		return m.hashSizes(a, f, had)
	case typeZSet:
		return m.sortedSetSizes(a, f, had)
	}
	return m.setSizes(a, f, had)
}

// packedSizes returns what a value of one packed block takes.
func (m *Model) packedSizes(f *Facts) (alloc, usage int64) {
	size := f.PackedBytes
	if !f.Intset && f.Ziplist != m.ziplists {
		// Servers from 7.0 on convert a ziplist to a listpack when they load it.
		// The listpack's header is 4 bytes shorter; so are long texts, because of
		// their length in front of the next entry, but few integers are.
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
		return m.pushedListSizes(size)
	}
	if f.Type == typeList && !m.bareListpack {
		return m.quicklistSizes(1, m.usable(size), m.packedUsage(size))
	}
	return m.packedBlockSizes(f, size)
}

// PackedKey returns what a key without a TTL takes, whose name has name bytes and whose value
// is one packed block of n bytes.
func (m *Model) PackedKey(name, n int64) int64 {
	alloc, _ := m.keySizes(name, false)
	return alloc + m.usable(n)
}

// packedUsage returns what MEMORY USAGE counts for a packed block of size bytes.
func (m *Model) packedUsage(size int64) int64 {
	if m.usage == usageExact || m.ziplists {
		return size
	}
	return m.usable(size)
}

// packedBlockSizes returns what a packed block of size bytes takes with the
// structure that holds its expiries, if it has any.
func (m *Model) packedBlockSizes(f *Facts, size int64) (alloc, usage int64) {
	alloc, usage = m.usable(size), m.packedUsage(size)
	if f.Type == typeHash && m.listpackEx > 0 && (f.Shape == PackedEx || f.FieldsWithTTL > 0) {
		alloc += m.usable(m.listpackEx)
		usage += m.packedUsage(m.listpackEx)
	}
	return alloc, usage
}

// compactSize returns the bytes of a table's or skiplist's elements in the
// compact encoding of its type, 0 if there is none or if they are not known, and
// whether a server that loads the value chooses that encoding.
func (m *Model) compactSize(f *Facts) (size int64, fits bool) {
	n := f.Elements
	if f.Shape == SetTable && f.Integers {
		return 8 + n*intsetWidth(f.IntEntry), n <= maxIntsetMembers // intset.h
	}
	if f.Shape == SetTable && !m.setListpack || f.ListpackBytes == 0 {
		return 0, false
	}
	size, fits = f.ListpackBytes, FitsListpack(f.Type, n, f.Longest)
	switch {
	case f.Shape == HashTable && f.FieldsWithTTL > 0 && m.listpackExpiry:
		// Each of these fields has an entry of 11 bytes after its value, and an
		// entry before all of them has their number.
		return size + 11*f.FieldsWithTTL + listpackInteger(f.FieldsWithTTL) + 1, fits
	case f.Shape == HashTable && f.FieldsWithTTL > 0:
		if m.listpackEx == 0 {
			return 0, false
		}
		// Each field has an entry for its expiry, milliseconds or 0.
		return size + 10*f.FieldsWithTTL + 2*(n-f.FieldsWithTTL), fits
	case m.ziplists:
		return size + 4, fits
	}
	return size, fits
}

// intsetWidth returns the bytes of each member of an intset, of which entry is
// the largest listpack entry.
func intsetWidth(entry int64) int64 {
	switch {
	case entry <= 4:
		return 2
	case entry <= 6:
		return 4
	}
	return 8
}

// setSizes returns what a set in a table takes without its key.
func (m *Model) setSizes(a *Accumulator, f *Facts, had int64) (alloc, usage int64) {
	n := f.Elements
	t := m.shrunkTable(n, had)
	if !m.live && !m.setListpack && n <= maxIntsetMembers {
		t.old = oldIntsetTable(f.LeadingIntegers, n)
	}
	alloc, usage = m.tableSizes(t, m.setMetadata)
	ea, eu := m.dictEntries(n, t, m.setNoValue)
	if m.key == keyInEntry { // Valkey 8.0
		eu = ea
	}
	return alloc + ea + int64(a.alloc), usage + eu + int64(a.usage)
}

// hashSizes returns what a hash in a table takes without its key.
func (m *Model) hashSizes(a *Accumulator, f *Facts, had int64) (alloc, usage int64) {
	n := f.Elements
	expiring := f.FieldsWithTTL > 0
	t := m.hashTableFor(n, had, a.firstLong, expiring)
	metadata := m.setMetadata + m.hashMetadata
	if expiring {
		metadata += m.expiryMetadata
	}
	alloc, usage = m.tableSizes(t, metadata)
	ea, eu := m.dictEntries(n, t, m.embedsValue)
	alloc += ea + int64(a.alloc)
	usage += eu + int64(a.usage)
	if expiring {
		xa, xu := m.expiryIndexSizes(f.FieldsWithTTL, &a.windows)
		alloc += xa
		usage += xu
	}
	return alloc, usage
}

// sortedSetSizes returns what a sorted set in a skiplist and a table takes
// without its key (zset and zskiplist in server.h).
func (m *Model) sortedSetSizes(a *Accumulator, f *Facts, had int64) (alloc, usage int64) {
	const zset = 16
	n := f.Elements
	t := m.shrunkTable(n, had)
	if f.Shape == Packed && !m.setListpack {
		t = insertedDict(n) // not presized before Redis 7.2 (zsetConvert in t_zset.c)
	}
	alloc, usage = m.tableSizes(t, 0)
	if m.btree {
		tree, treeUsage := treeSizes(n)
		alloc += m.usable(zset) + m.usable(treeIndex) + tree
		usage += zset + treeUsage
		return alloc + rounded(int64(a.alloc)), usage + rounded(int64(a.usage))
	}
	ea, eu := m.dictEntries(n, t, m.zsetNoValue)
	if m.zsetNoValue && m.usage == usageBlocks { // Redis 8.2
		eu = noValueEntrySize * n
	}
	alloc += ea + zset + m.usable(m.zskiplist)
	usage += eu + zset + m.structUsage(m.zskiplist)
	if m.skiplistHead > 0 {
		alloc += m.usable(m.skiplistHead)
		usage += m.usable(m.skiplistHead)
	}
	return alloc + rounded(int64(a.alloc)), usage + rounded(int64(a.usage))
}

// rounded returns a number of bytes from one of 1/65536 bytes.
func rounded(n int64) int64 { return (n + fraction/2) / fraction }

// The B+ trees of sorted sets of Valkey 9.2 (fbtree.h, fbtree_internal.h), by its
// sources.
const (
	treeIndex    = 24 // structure of the index
	treeLeaf     = 512
	treeInner    = 2048
	treeItems    = 61 // items of a leaf, children of an inner node
	treeHalf     = 31 // children that are left when an inner node is split at its edge
	treeSampled  = 16 // leaves from which MEMORY USAGE takes the average fill
	treeChildren = 60 // and the children that it counts for an inner node
)

// treeSizes returns what the nodes of a tree of n items take, without the items,
// and what MEMORY USAGE counts for them with the structure of the index
// (objectComputeSize in object.c). The items come from one end, as they do from a
// file: all leaves but the first are full. Items that were inserted at random fill
// 70 % of them.
func treeSizes(n int64) (alloc, usage int64) {
	leaves := (n + treeItems - 1) / treeItems
	alloc = treeLeaf * leaves
	for c := leaves; c > 1; {
		if c <= treeItems {
			c = 1
		} else {
			c = 2 + (c-treeItems-1)/treeHalf
		}
		alloc += treeInner * c
	}
	counted := leaves
	if leaves > treeSampled {
		// The first leaf is the one that is not full.
		sampled := n - treeItems*(leaves-treeSampled)
		counted = n*treeSampled/sampled + 1
	}
	return alloc, treeIndex + treeLeaf*counted + treeInner*(counted/treeChildren+1)
}

// Hashes with a structure of their own: those of Redis 8.10 whose field names stand
// in a template, and path hashes of Valkey 9.2. Both follow the sources alone.

// AddTemplateValue adds a value of n bytes of a hash with a template that is not a
// listpack.
func (a *Accumulator) AddTemplateValue(n int64) {
	a.fields++
	a.addSizes(a.model.stringSizes(n))
}

// templateSizes returns what a hash with a template takes without its key. MEMORY
// USAGE adds an equal share of the template for each key that uses it, which is
// not counted here.
func (m *Model) templateSizes(a *Accumulator, f *Facts) (alloc, usage int64) {
	if f.PackedBytes > 0 {
		return m.usable(f.PackedBytes), m.packedUsage(f.PackedBytes)
	}
	array := 16 + pointerSize*a.fields // ID, count
	return m.usable(array) + int64(a.alloc), array + int64(a.usage)
}

// TemplateSize returns what a template takes, from the length of each of its
// fields in bytes, and what MEMORY USAGE divides among its keys.
func (m *Model) TemplateSize(lens []uint32) (alloc, usage int64) {
	const header = 80 // hashTemplate
	fields := pointerSize * int64(len(lens))
	alloc, usage = m.usable(header)+m.usable(fields)+m.dictEntry, header+fields
	for _, n := range lens {
		size := m.usable(m.sds.separate(int64(n)))
		alloc += size
		usage += size
	}
	return alloc, usage
}

// A pathState is what an Accumulator knows of a path hash.
type pathState struct {
	names        nameTree
	alloc, usage uint64 // of the paths before the current one
}

// BeginPath begins a path of n bytes, of which name has the first MaxStreamName.
// AddField adds the fields of its hash.
func (a *Accumulator) BeginPath(name []byte, n int64) {
	if a.paths == nil {
		a.paths = new(pathState)
	}
	a.extended = true
	p := a.paths
	p.names.add(&a.model.allocator, name, n)
	p.alloc, p.usage = a.alloc, a.usage
	a.fields, a.firstLong = 0, 0
}

// EndPath ends the path, whose hash has n fields, of which the longest string has
// longest bytes. entries is what they take as entries of a listpack.
func (a *Accumulator) EndPath(n, longest, entries int64) {
	m := a.model
	if FitsListpack(typeHash, n, longest) {
		a.alloc, a.usage = a.paths.alloc, a.paths.usage
		size := m.usable(emptyListpack + entries)
		a.addSizes(size, size)
	} else {
		t := m.hashTableFor(n, n, a.firstLong, false)
		a.addSizes(m.tableSizes(t, m.setMetadata+m.hashMetadata))
		a.addSizes(m.dictEntries(n, t, m.embedsValue))
	}
	a.addSizes(objectSize, objectSize)
}

// pathSizes returns what a path hash takes without its key: a pointer and a count,
// and a radix tree of paths.
func (m *Model) pathSizes(a *Accumulator) int64 {
	size := m.usable(16) + m.usable(m.rax) + int64(a.alloc)
	if a.paths == nil {
		return size + m.usable(8)
	}
	return size + a.paths.names.finish(&m.allocator)
}
