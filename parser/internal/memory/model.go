package memory

// A Model computes what keys take in the memory of one server family with one
// allocator, in one state. It is immutable and may be shared by goroutines.
type Model struct {
	*family
	allocator
	live        bool
	cluster     bool
	approximate bool

	streamTail       int64 // bytes that XADD reserves for the newest node of a stream
	maxEmbedded      int64 // longest text that may be inside its object
	dictEntry        int64 // allocated size of a dictEntry
	bareSkiplistNode int64 // expected size of a skiplist node without its member, in 1/65536 bytes

	// What parts take by their length in bytes, for lengths under tabled; what
	// is longer is computed. See pair.

	key0, key1 [tabled]pair         // a key without its value, by its name: without and with an expiry
	texts      [tabled]pair         // a text beside an empty object
	strings    [tabled]pair         // a set's member, a list's item or a value in a block of its own
	fields     [tabled]pair         // a hash's field in a block of its own
	refFields  [tabled]pair         // a field in a block with a pointer to its value
	entries    [embedLimit + 1]pair // field and value in one block, by its size
	scored     [tabled]pair         // a skiplist node and its member, in 1/65536 bytes

	children []uint32 // expected child buckets of a hashtable by its entries, in 1/65536
}

// tabled is the length from which on sizes are computed and not looked up.
const tabled = 256

// embedLimit is the largest block that a field and its value share: two cache
// lines (EMBED_VALUE_MAX_ALLOC_SIZE in t_hash.c and entry.c).
const embedLimit = 128

// A pair has the allocated bytes of an element in its lower half and those that
// MEMORY USAGE counts in the upper one.
type pair uint64

func newPair(alloc, usage int64) pair { return pair(uint64(alloc)&(1<<32-1) | uint64(usage)<<32) }

func (p pair) alloc() int64 { return int64(p & (1<<32 - 1)) }
func (p pair) usage() int64 { return int64(p >> 32) }

// fraction is the unit of expected sizes: they are kept in 1/65536 bytes.
const fraction = 1 << 16

func newModel(f *family, a allocator, live, cluster, approximate bool) *Model {
	m := &Model{family: f, allocator: a, live: live, cluster: cluster, approximate: approximate}
	m.dictEntry = m.usable(dictEntrySize)
	m.maxEmbedded = maxEmbstr
	if f.key == keyOverlay {
		m.maxEmbedded = maxOverlay
	}
	m.bareSkiplistNode, m.streamTail = m.expectedSkiplistNode(0), tailOf(0)
	for n := range int64(tabled) {
		m.key0[n] = newPair(m.computeKey(n, false))
		m.key1[n] = newPair(m.computeKey(n, true))
		m.texts[n] = newPair(m.textBesideObject(n))
		m.strings[n] = newPair(m.stringSizes(n))
		m.fields[n] = newPair(m.fieldSizes(n, false))
		m.refFields[n] = newPair(m.refFieldSizes(n, false))
		m.scored[n] = newPair(m.scoredSizes(n))
	}
	for n := range int64(embedLimit + 1) {
		m.entries[n] = newPair(m.entrySizes(n))
	}
	if f.hashtable {
		m.children = make([]uint32, tabledChildren)
		for n := range int64(tabledChildren) {
			m.children[n] = uint32(childBuckets(n, m.hashtableBuckets(n)))
		}
	}
	return m
}

// Name returns the name of the server family, such as "redis-7.0".
func (m *Model) Name() string { return m.family.name }

// Allocator returns the name of the allocator, one of Allocators.
func (m *Model) Allocator() string { return m.allocator.name }

// Allocators returns the same model with each allocator, in the order of Allocators.
func (m *Model) Allocators() (list []*Model) {
	for _, a := range allocators {
		if a == m.allocator {
			list = append(list, m)
		} else {
			o := newModel(m.family, a, m.live, m.cluster, m.approximate)
			o.streamTail = m.streamTail
			list = append(list, o)
		}
	}
	return list
}

// Agrees reports whether another model, which differs in the allocator at most, has the
// same figures for keys of at most largest bytes of memory.
func (m *Model) Agrees(o *Model, largest int64) bool {
	return m.quantum == o.quantum && (m.pages == o.pages || largest <= largestClass)
}

// State returns "live" or "reloaded".
func (m *Model) State() string {
	if m.live {
		return "live"
	}
	return "reloaded"
}

// Approximate reports whether the snapshot comes from a server that the model
// was not made for.
func (m *Model) Approximate() bool { return m.approximate }

// stringObject returns the bytes that a string of n bytes takes with an object of
// its own, as strings of modules have (createStringObject in object.c).
func (m *Model) stringObject(n int64) int64 {
	if n <= maxEmbstr {
		return m.usable(objectSize + valueHeader + n)
	}
	return objectSize + m.usable(m.sds.separate(n))
}
