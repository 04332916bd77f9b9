package memory

import "github.com/rdblens/rdblens/parser/version"

// An objectLayout is how a server keeps a key with its value's head.
type objectLayout uint8

const (
	// objEntry: a dictEntry, the name and the object are three blocks, and a
	// text of up to 44 bytes is in the object's. A key with an expiry has a
	// second dictEntry. Redis to 8.0.
	objEntry objectLayout = iota
	// objEntryName: the name is inside the dictEntry. Valkey 8.0.
	objEntryName
	// objKV: name, expiry and a small text are inside the object, which takes
	// spare room of its block for an expiry to come. Redis 8.2 and 8.4, Valkey 8.1.
	objKV
	// objKVBefore: the expiry and other metadata stand before the object, and
	// only where there are some. Redis 8.6 on.
	objKVBefore
	// objKVOver: an embedded value lies over the pointer to it. Valkey 9.
	objKVOver
)

// An entryLayout is how the fields of a hash's table are kept.
type entryLayout uint8

const (
	entryPair     entryLayout = iota // a dictEntry, a string for the field, one for the value
	entryEmbedded                    // field and value in one block up to 128 bytes, else the field with a pointer to the value
)

// A usageRule is what a version's MEMORY USAGE makes of a key's parts.
type usageRule uint8

const (
	usageBlocks usageRule = iota // blocks as allocated
	usageExact                   // bytes of packed values, unrounded
	// usageNoName: as usageBlocks, but a key whose value is not inside the
	// object counts as 16 bytes, without its name. Valkey 8.1.
	usageNoName
)

// A hashLoad is how a loader makes the table of a hash that it began as a listpack.
type hashLoad uint8

const (
	loadRest  hashLoad = iota // for the fields to come, even if that makes it smaller
	loadLarge                 // for the fields to come, if that makes it larger
	loadWhole                 // for all fields
)

// A family is the servers that keep keys in the same way. Sizes are those of
// the structures on 64 bits, in bytes, from the sources of each (object.c,
// dict.c, quicklist.h, server.h, stream.h, hashtable.c).
type family struct {
	name   string
	valkey bool
	since  version.Version // first release

	object objectLayout
	usage  usageRule
	sds    stringKind

	dict        int64 // structure of a hash table without its metadata
	dictSize    int64 // metadata of a set's or hash's table: its elements' bytes
	hashExtra   int64 // further metadata of a hash's table
	dictExpiry  int64 // metadata of a hash's table when fields have an expiry
	buckets     bool  // Valkey's table of buckets with 7 entries instead of a dict
	setInline   bool  // a set's table has an entry only where two members meet
	zsetInline  bool  // the same of a sorted set's table
	field       stringKind
	fieldExpiry int64 // bytes that an expiry adds to a field
	entry       entryLayout
	joined      bool // a skiplist node holds its member

	quicklist int64
	node      int64 // quicklist node
	zskiplist int64 // skiplist, and its head with 32 levels
	zslHead   int64

	stream     int64
	group      int64
	consumer   int64
	nack       int64
	rax        int64
	streamRefs bool // an index takes every pending entry to its groups
	timeIndex  bool // each group has an index of its pending entries by time

	ziplists    bool // packed values are ziplists
	setListpack bool // small sets of text are listpacks
	listPacked  bool // a list of one small node is a bare listpack
	plainItems  bool // an item over the node limit has a node of its own, unpacked
	listpackEx  int64

	load hashLoad
	// What an empty server with one client uses, and in cluster mode; what a
	// slot with keys costs there beside its tables, and one with expiries.
	startup, startupCluster int64
	slot, slotExpires       int64
	slotPairs               bool // a loader makes the one for expiries too, where there are none
}

// fudge is what MEMORY USAGE of Redis takes for a node of a radix tree
// (streamRadixTreeMemoryUsage in object.c), and raxID for every ID in it.
const (
	fudge = 4 + 30*8
	raxID = 16
)

// families are the models, oldest first in each line.
//
// Redis 7.0, 8.0 and 8.6 and Valkey 8.1 and 9 were held against servers key by
// key, both MEMORY USAGE and what was really allocated; 8.4 and 8.8 against
// MEMORY USAGE of builds shortly before their release. 6.2 and Valkey 8.0 follow
// formulas that were measured on these servers; 7.2, 7.4 and 8.2 were read in
// the sources alone, 8.2 as of its first correction.
var families = []*family{
	{name: "redis-6.2", since: version.Version{Major: 6, Minor: 2},
		object: objEntry, sds: sdsClassic, field: sdsClassic,
		dict: 96, quicklist: 40, node: 32, zskiplist: 32, zslHead: 536,
		stream: 40, group: 32, consumer: 24, nack: 24, rax: 24, ziplists: true,
		load: loadRest, startup: 900000, startupCluster: 1620000, slot: 0, slotExpires: 0},
	{name: "redis-7.0", since: version.Version{Major: 7, Minor: 0},
		object: objEntry, sds: sdsClassic, field: sdsClassic,
		dict: 56, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 24, nack: 24, rax: 24,
		load: loadRest, startup: 951000, startupCluster: 1675000, slot: 0, slotExpires: 0},
	{name: "redis-7.2", since: version.Version{Major: 7, Minor: 2},
		object: objEntry, sds: sdsClassic, field: sdsClassic,
		dict: 56, setInline: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 24, setListpack: true, listPacked: true,
		load: loadRest, startup: 951000, startupCluster: 1675000, slot: 0, slotExpires: 0},
	{name: "redis-7.4", since: version.Version{Major: 7, Minor: 4},
		object: objEntry, sds: sdsClassic, field: sdsField, fieldExpiry: 18,
		dict: 56, dictExpiry: 32, setInline: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 24, setListpack: true, listPacked: true, plainItems: true, listpackEx: 32,
		load: loadLarge, startup: 820000, startupCluster: 1850000, slot: 64, slotExpires: 64},
	{name: "redis-8.0", since: version.Version{Major: 8, Minor: 0},
		object: objEntry, sds: sdsClassic, field: sdsField, fieldExpiry: 18,
		dict: 56, dictExpiry: 32, setInline: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 24, setListpack: true, listPacked: true, plainItems: true, listpackEx: 32,
		load: loadLarge, startup: 697000, startupCluster: 2036000, slot: 2464, slotExpires: 64},
	{name: "redis-8.2", since: version.Version{Major: 8, Minor: 2},
		object: objKV, sds: sdsClassic, field: sdsField, fieldExpiry: 18,
		dict: 56, dictExpiry: 32, setInline: true, zsetInline: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 112, group: 40, consumer: 32, nack: 32, rax: 24, streamRefs: true, setListpack: true, listPacked: true, plainItems: true, listpackEx: 24,
		load: loadLarge, startup: 715000, startupCluster: 2070000, slot: 2464, slotExpires: 64},
	{name: "redis-8.4", since: version.Version{Major: 8, Minor: 4},
		object: objKV, usage: usageExact, sds: sdsTight, field: sdsField, fieldExpiry: 18,
		dict: 56, dictSize: 8, dictExpiry: 32, setInline: true, zsetInline: true, quicklist: 48, node: 40, zskiplist: 40, zslHead: 536,
		stream: 120, group: 48, consumer: 32, nack: 32, rax: 32, streamRefs: true, timeIndex: true, setListpack: true, listPacked: true, plainItems: true, listpackEx: 24,
		load: loadLarge, startup: 730000, startupCluster: 2110000, slot: 2464, slotExpires: 64},
	{name: "redis-8.6", since: version.Version{Major: 8, Minor: 6},
		object: objKVBefore, usage: usageExact, sds: sdsTight, field: sdsTight, fieldExpiry: 16, entry: entryEmbedded,
		dict: 56, dictSize: 8, dictExpiry: 32, setInline: true, zsetInline: true, joined: true, quicklist: 48, node: 40, zskiplist: 40, zslHead: 528,
		stream: 160, group: 56, consumer: 32, nack: 64, rax: 32, streamRefs: true, setListpack: true, listPacked: true, plainItems: true, listpackEx: 24,
		load: loadWhole, startup: 743000, startupCluster: 2169000, slot: 2464, slotExpires: 64, slotPairs: true},
	{name: "redis-8.8", since: version.Version{Major: 8, Minor: 8},
		object: objKVBefore, usage: usageExact, sds: sdsTight, field: sdsTight, fieldExpiry: 16, entry: entryEmbedded,
		dict: 56, dictSize: 8, dictExpiry: 32, setInline: true, zsetInline: true, joined: true, quicklist: 48, node: 40, zskiplist: 40, zslHead: 528,
		stream: 160, group: 64, consumer: 32, nack: 64, rax: 32, streamRefs: true, setListpack: true, listPacked: true, plainItems: true, listpackEx: 24,
		load: loadWhole, startup: 743000, startupCluster: 2169000, slot: 2464, slotExpires: 64, slotPairs: true},
	{name: "valkey-8.0", valkey: true, since: version.Version{Major: 8, Minor: 0},
		object: objEntryName, sds: sdsTight, field: sdsTight,
		dict: 56, setInline: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 24, setListpack: true, listPacked: true, plainItems: true,
		load: loadRest, startup: 900000, startupCluster: 2650000, slot: 80, slotExpires: 80},
	{name: "valkey-8.1", valkey: true, since: version.Version{Major: 8, Minor: 1},
		object: objKV, usage: usageNoName, sds: sdsTight, field: sdsTight, entry: entryEmbedded,
		dict: 72, buckets: true, quicklist: 40, node: 40, zskiplist: 32, zslHead: 536,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 32, setListpack: true, listPacked: true, plainItems: true,
		load: loadRest, startup: 896000, startupCluster: 2743000, slot: 88, slotExpires: 88},
	{name: "valkey-9", valkey: true, since: version.Version{Major: 9, Minor: 0},
		object: objKVOver, sds: sdsTight, field: sdsTight, fieldExpiry: 8, entry: entryEmbedded,
		dict: 80, hashExtra: 8, buckets: true, joined: true, quicklist: 40, node: 40, zskiplist: 528,
		stream: 80, group: 40, consumer: 32, nack: 24, rax: 32, setListpack: true, listPacked: true, plainItems: true,
		load: loadRest, startup: 902000, startupCluster: 2549000, slot: 96, slotExpires: 96},
}
