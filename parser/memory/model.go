package memory

// A Model gives what keys take in the memory of one server family with one
// allocator, in one state. It is immutable and may be shared by goroutines;
// each has an Accumulator of its own.
type Model struct {
	*family
	mem         allocator
	live        bool
	cluster     bool
	approximate bool

	// What a key takes without its value, without and with an expiry, and what
	// a text beside it does, by their lengths.
	keys  [2][tabled]pair
	texts [tabled]pair
	// What a string of n bytes takes, for short ones, see pair: a member or a
	// value on its own, and a field. Longer ones are computed.
	member [tabled]pair
	pairs  [tabled]pair
	// joint has what a block takes that field and value share, by the bytes in it.
	joint [embedLimit + 1]pair
	// apart has a field that points to its value.
	apart [tabled]pair
	// scored is a skiplist node with its member, in 1/65536 bytes.
	scored [tabled]pair
	// chained has the expected child buckets of a table of n entries, grown by
	// inserts and sized by the loader, in 1/65536.
	chained [2][]uint32

	mostText   int64 // longest text that may be in its object
	entryBlock int64 // a dictEntry
	tower      int64 // expected skiplist node without a member, 1/65536 bytes
}

// tabled is the length from which on a string's size is computed and not looked up.
const tabled = 256

// embedLimit is the largest block that field and value share: a cache line or two
// (EMBED_VALUE_MAX_ALLOC_SIZE in t_hash.c and entry.c).
const embedLimit = 128

// A pair holds two figures of an element: allocated bytes in the lower half,
// those of MEMORY USAGE in the upper one.
type pair uint64

func pairOf(alloc, usage int64) pair { return pair(uint64(alloc)&(1<<32-1) | uint64(usage)<<32) }

func (p pair) alloc() int64 { return int64(p & (1<<32 - 1)) }
func (p pair) usage() int64 { return int64(p >> 32) }

// point is the fixed point of expected sizes: 1/65536 of a byte.
const point = 1 << 16

func newModel(fam *family, mem allocator, live, cluster, approximate bool) *Model {
	m := &Model{family: fam, mem: mem, live: live, cluster: cluster, approximate: approximate}
	m.entryBlock = mem.block(24)
	m.mostText = smallText
	if fam.object == objKVOver {
		m.mostText = 255
	}
	m.tower = m.expectedNode(0)
	for n := range int64(tabled) {
		m.keys[0][n] = pairOf(m.keySizes(&Facts{NameLen: n}))
		m.keys[1][n] = pairOf(m.keySizes(&Facts{NameLen: n, TTL: true}))
		m.texts[n] = pairOf(m.besideKey(n))
		m.member[n] = pairOf(m.stringSizes(n))
		m.pairs[n] = pairOf(m.fieldSizes(n, false))
		m.apart[n] = pairOf(m.apartSizes(n, false))
		m.scored[n] = pairOf(m.scoredSizes(n))
	}
	for n := range int64(embedLimit + 1) {
		m.joint[n] = pairOf(m.jointSizes(n))
	}
	if fam.buckets {
		m.chained[0] = chainTable(grownBuckets)
		m.chained[1] = chainTable(loadedBuckets)
	}
	return m
}

// Name is the family's name, such as "redis-7.0".
func (m *Model) Name() string { return m.name }

// Allocator is the allocator's name, one of Allocators.
func (m *Model) Allocator() string { return m.mem.name }

// State is "live" or "reloaded".
func (m *Model) State() string {
	if m.live {
		return "live"
	}
	return "reloaded"
}

// Approximate says that the model stands in for a server that it was not made for.
func (m *Model) Approximate() bool { return m.approximate }
