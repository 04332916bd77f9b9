package memory

// A Shape is the representation of a value in memory on the server that wrote
// the file, as far as the file shows it.
type Shape uint8

// Other is a value that no model covers, such as those of modules that are not
// known.
const (
	Other       Shape = iota
	StringInt         // the canonical decimal form of an int64
	StringText        // any other string: embstr or raw, depending on its length
	Packed            // one listpack, ziplist, zipmap or intset of Facts.PackedBytes bytes
	PackedEx          // a listpack with an expiry for each field (listpackex)
	Quicklist         // nodes, added by AddListNode or AddZiplistNode
	LinkedList        // items, added by AddListItem (before Redis 3.2)
	SetTable          // members, added by AddMember
	HashTable         // fields, added by AddField
	Skiplist          // members, added by AddScoredMember
	StreamTree        // nodes and groups, added by AddStreamNode, BeginGroup and what follows it
	SlicedArray       // elements, added by AddArrayElement
	Template          // values of a hash whose names stand in a template: PackedBytes, or AddTemplateValue
	PathTree          // paths, added by BeginPath and EndPath
	ModuleValue       // a module's value that takes Facts.Allocated and Facts.Usage bytes
)

// Facts is what the parser knows of a key once it has walked the value. Lengths
// and sizes are in bytes.
type Facts struct {
	Shape    Shape
	Type     uint8 // as parser.Type: 0 string, 1 list, 2 set, 3 sorted set, 4 hash, 5 stream
	Intset   bool  // Packed: an intset
	Ziplist  bool  // Packed, Quicklist: ziplists or a zipmap, which servers convert from 7.0 on
	NameLen  int64 // length of the key's name
	TTL      bool  // the key has an expiry
	Eviction bool  // the file has an idle time or LFU counter: the server shares no integers
	Elements int64
	TextLen  int64 // StringText: its length
	IntValue int64 // StringInt: its value
	// PackedBytes is the size of a Packed value's block in memory.
	PackedBytes int64
	// ListpackBytes is what the entries of a table, skiplist, list or ziplist
	// would take in one listpack, with its header and end byte; 0 if the parser
	// has not computed it.
	ListpackBytes int64
	Longest       int64 // longest element, field or value
	FieldsWithTTL int64
	Integers      bool // all members of a set are integers
	// LeadingIntegers is the number of a set's members that precede the first
	// one which is not an integer; it has no meaning if all are integers.
	LeadingIntegers int64
	// IntEntry is the most bytes that one of these integers takes as a listpack
	// entry.
	IntEntry   int64
	Serialized int64 // bytes of the value in the file
	// Allocated and Usage are what a ModuleValue takes, as package memory/modules
	// computes it; Approximate reports whether they are not exact.
	Allocated, Usage int64
	Approximate      bool
}

// Sizes is what a key takes, in bytes.
type Sizes struct {
	Allocated int64 // allocated blocks; adds up to used_memory
	Usage     int64 // what MEMORY USAGE with SAMPLES 0 says
	// Compact is Allocated if the value had the compact encoding of its type,
	// -1 if there is none or if its size is unknown.
	Compact int64
	Doubt   // in a struct of its own: the compiler keeps no more than four fields in registers
}

// Doubt says how far the sizes of a key can be wrong.
type Doubt struct {
	LowerBound bool // Allocated and Usage are lower bounds
	// Approximate reports that Allocated and Usage may differ from the truth to
	// either side.
	Approximate bool
}

// An Accumulator sums what the elements of one value take while the parser walks
// it. Reset prepares it for a key. It must not be used by several goroutines at
// once. All sizes are in bytes.
type Accumulator struct {
	model        *Model
	alloc, usage uint64 // of the elements; of skiplist nodes in 1/65536 bytes

	// fields counts calls of AddField; firstLong is the number, from 1 on, of
	// the first field that no listpack takes, 0 if there is none.
	fields, firstLong int64

	// extended reports whether any of the following is not zero.
	extended bool
	list     listState
	stream   streamState
	windows  windows
	array    arrayState
	paths    *pathState // nil before the first path hash
}

// Reset prepares the Accumulator for the next key, which model m is to measure.
func (a *Accumulator) Reset(m *Model) {
	a.model = m
	a.alloc, a.usage = 0, 0
	a.fields, a.firstLong = 0, 0
	if a.extended {
		a.resetExtended()
	}
}

func (a *Accumulator) resetExtended() {
	a.extended = false
	a.list = listState{}
	if a.stream.used {
		a.stream.reset()
	}
	a.windows.reset()
	a.array = arrayState{}
	if a.paths != nil {
		a.paths.names.reset()
	}
}

// Merge adds the elements of b behind those of a: members, fields, scored
// members or list nodes of the same value. It cannot merge the items of a
// LinkedList, nor parts of a stream, since these depend on what precedes them.
func (a *Accumulator) Merge(b *Accumulator) {
	a.alloc += b.alloc
	a.usage += b.usage
	if a.firstLong == 0 && b.firstLong != 0 {
		a.firstLong = a.fields + b.firstLong
	}
	a.fields += b.fields
	if b.extended {
		a.extended = true
		a.windows.merge(&b.windows)
		a.list.merge(&b.list)
	}
}

func (a *Accumulator) add(p pair) {
	a.alloc += uint64(p) & (1<<32 - 1)
	a.usage += uint64(p) >> 32
}

func (a *Accumulator) addSizes(alloc, usage int64) {
	a.alloc += uint64(alloc)
	a.usage += uint64(usage)
}

// AddMember adds a member of n bytes of a set in a hash table.
func (a *Accumulator) AddMember(n int64) {
	if uint64(n) < tabled {
		a.add(a.model.strings[n])
		return
	}
	a.addSizes(a.model.stringSizes(n))
}

// AddScoredMember adds a member of n bytes of a sorted set in a skiplist.
func (a *Accumulator) AddScoredMember(n int64) {
	if uint64(n) < tabled {
		a.add(a.model.scored[n])
		return
	}
	a.addSizes(a.model.scoredSizes(n))
}

// AddField adds a field of f bytes with a value of v bytes of a hash in a hash
// table. ttl reports whether the field has an expiry, which AddFieldExpiry adds.
func (a *Accumulator) AddField(f, v int64, ttl bool) {
	m := a.model
	a.fields++
	if (f > maxPackedString || v > maxPackedString) && a.firstLong == 0 {
		a.firstLong = a.fields
	}
	if uint64(f) >= tabled || uint64(v) >= tabled || ttl {
		a.addLongField(f, v, ttl)
		return
	}
	if !m.embedsValue {
		a.add(m.fields[f])
		a.add(m.strings[v])
		return
	}
	if n := m.field.size(f) + valueHeader + v; n <= embedLimit {
		a.add(m.entries[n])
		return
	}
	a.add(m.refFields[f])
	a.add(m.strings[v])
}

// addLongField is AddField without the tables.
func (a *Accumulator) addLongField(f, v int64, ttl bool) {
	m := a.model
	if !m.embedsValue {
		a.addSizes(m.fieldSizes(f, ttl))
		a.addSizes(m.stringSizes(v))
		return
	}
	n := m.field.size(f)
	if ttl {
		n = m.field.flagged(f) + m.fieldExpiry
	}
	if n += valueHeader + v; n <= embedLimit {
		a.add(m.entries[n])
		return
	}
	a.addSizes(m.refFieldSizes(f, ttl))
	a.addSizes(m.stringSizes(v))
}

// AddFieldExpiry adds the expiry of a field, in milliseconds since the epoch.
func (a *Accumulator) AddFieldExpiry(at int64) {
	a.extended = true
	a.windows.add(at)
}

// valueHeader is the header and the final zero byte of a value that is embedded
// in an object or an entry (sdshdr8).
const valueHeader = 3 + 1

// stringSizes returns what a string of n bytes in a block of its own takes.
func (m *Model) stringSizes(n int64) (alloc, usage int64) {
	alloc = m.usable(m.sds.separate(n))
	if m.usage == usageExact && n > 0 && n < 32 {
		return alloc, n + 2 // the shortest header does not record the block's size
	}
	return alloc, alloc
}

// fieldSizes returns what a field of n bytes takes in a block of its own, which
// its dictEntry points to.
func (m *Model) fieldSizes(n int64, ttl bool) (alloc, usage int64) {
	if m.field != mstr {
		return m.stringSizes(n)
	}
	size := m.field.size(n)
	if ttl {
		size += m.fieldExpiry
	}
	alloc = m.usable(size)
	return alloc, alloc
}

// entrySizes returns what an entry of a hash takes whose field and value need n
// bytes (entryMemUsage in entry.c).
func (m *Model) entrySizes(n int64) (alloc, usage int64) {
	alloc = m.usable(n)
	if m.usage == usageExact {
		return alloc, n
	}
	return alloc, alloc
}

// refFieldSizes returns what an entry of a hash takes that has a field of n bytes
// and a pointer to its value.
func (m *Model) refFieldSizes(n int64, ttl bool) (alloc, usage int64) {
	size := 8 + m.field.flagged(n)
	if ttl {
		size += m.fieldExpiry
	}
	return m.entrySizes(size)
}

// scoredSizes returns what a skiplist node and its member of n bytes take, in
// 1/65536 bytes.
func (m *Model) scoredSizes(n int64) (alloc, usage int64) {
	if m.btree { // the score precedes the member
		alloc, usage = m.stringSizes(8 + n)
		return alloc * fraction, usage * fraction
	}
	if m.memberInNode {
		alloc = m.expectedSkiplistNode(m.sds.size(n))
		return alloc, alloc
	}
	alloc, usage = m.stringSizes(n)
	return alloc*fraction + m.bareSkiplistNode, usage*fraction + m.bareSkiplistNode
}

// expectedSkiplistNode returns the expected size of a skiplist node, in 1/65536
// bytes: a quarter of the nodes on one level reaches the next (ZSKIPLIST_P and
// zslRandomLevel in t_zset.c). member is the size of the member inside the node;
// it has no effect where nodes contain none.
func (m *Model) expectedSkiplistNode(member int64) int64 {
	base := int64(24) // member, score, backward; 16 for each level
	if m.memberInNode {
		base = 16 + member
		if m.valkey {
			base++ // the size of the member's header precedes it
		}
	}
	const scale = 40
	var sum int64
	for level := int64(1); level < 13; level++ { // higher ones add less than 1/65536
		sum += m.usable(base+16*level) * (3 << (scale - 2*level) >> 16)
	}
	return sum >> (scale - 32)
}
