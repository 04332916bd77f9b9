package memory

import (
	"slices"

	"github.com/rdblens/rdblens/parser/internal/release"
)

// A keyLayout is how a server lays out name, object and expiry of a key.
type keyLayout uint8

const (
	// keySeparate: dictEntry, name and object are three blocks; a text of up to
	// 44 bytes is in the object's. A key with an expiry has a second dictEntry.
	keySeparate keyLayout = iota
	// keyInEntry: the name is inside the dictEntry.
	keyInEntry
	// keyInObject: name, expiry and a short text are inside the object. Where
	// its block has 8 spare bytes they are reserved for an expiry.
	keyInObject
	// keyBehindMetadata: as keyInObject, but the expiry precedes the object
	// and is reserved for long names only.
	keyBehindMetadata
	// keyOverlay: as keyInObject, but a value inside the object takes the place
	// of the pointer to it.
	keyOverlay
)

// A usageRule is how MEMORY USAGE of a release counts the parts of a key.
type usageRule uint8

const (
	usageBlocks      usageRule = iota // packed values as allocated, structures as requested
	usageExact                        // packed values as requested, structures as allocated
	usageWithoutName                  // as usageBlocks, but a key counts as 16 bytes unless its value is inside the object
)

// A family is the releases of a server that keep keys in the same way. Sizes are
// those of structures on 64 bits, in bytes. It is immutable.
type family struct {
	name   string // such as "redis-7.0"
	valkey bool
	since  release.Version // first release

	usage usageRule
	key   keyLayout
	sds   stringKind

	// Hash tables of sets, sorted sets and hashes.
	hashtable      bool  // Valkey's hashtable, with 7 entries to a bucket, instead of a dict
	dict           int64 // structure of a table (dict.h, hashtable.c)
	shrinks        int64 // a dict shrinks when one of so many buckets would be enough (HASHTABLE_MIN_FILL)
	setMetadata    int64 // metadata of a set's or hash's table: the bytes of its elements
	hashMetadata   int64 // further metadata of a hash's table
	expiryMetadata int64 // metadata of a hash's table whose fields have an expiry
	setNoValue     bool  // entries without values: a set's member alone in its bucket has no dictEntry
	zsetNoValue    bool  // the same for a sorted set's table
	field          stringKind
	fieldExpiry    int64 // bytes that an expiry adds to a field
	embedsValue    bool  // a field and its value share a block of up to 128 bytes
	// sizesForAll: the table of a hash that began to load as a listpack, at the field
	// that no listpack takes, is made for all fields, not for the remaining ones
	// (rdbLoadObject in rdb.c).
	sizesForAll bool

	// Skiplists (server.h).
	zskiplist    int64 // structure; with its head node if skiplistHead is 0
	skiplistHead int64 // head node of 32 levels
	memberInNode bool  // a skiplist node contains its member
	shortScores  bool  // scores in listpacks have the fewest digits (fpconv_dtoa) instead of 17

	// Lists (quicklist.h).
	quicklist     int64
	quicklistNode int64
	bareListpack  bool // a list of one small node is a listpack without a quicklist
	plainNodes    bool // an item over the node limit has a node of its own, without a listpack

	// Streams (stream.h) and their radix trees (rax.h).
	stream     int64
	group      int64 // streamCG
	consumer   int64 // streamConsumer
	nack       int64 // streamNACK, one for each pending entry
	rax        int64
	groupIndex bool // an index takes each pending entry to its groups
	timeIndex  bool // each group has an index of its pending entries by time
	// MEMORY USAGE counts the tree of a stream's producers.
	producerUsage bool
	// valuesInTree: a radix tree of IDs has no leaves, since the nodes above them
	// have the pointers to the values.
	valuesInTree bool

	// Compact encodings.
	ziplists    bool  // ziplists instead of listpacks
	setListpack bool  // small sets of texts are listpacks
	listpackEx  int64 // structure of a listpack with expiries; 0: the server has none
	// listpackExpiry: a small hash is a listpack even if fields have an expiry,
	// which follows the value.
	listpackExpiry bool

	btree bool // sorted sets are B+ trees

	// The whole instance: used_memory of an empty server with one idle client
	// that has sent two different commands, and in cluster mode; what each
	// database takes beyond the 16th, and each with keys beyond the first; and
	// what each slot (database outside of a cluster) with keys, and with
	// expiries, takes beside its tables (0: one table for all slots).
	startup, startupCluster int64
	database, usedDatabase  int64
	slot, slotExpires       int64
	slotPairs               bool // a loader makes the table of a slot's expiries even if it has none
}

// families returns the models, oldest first in each line.
//
// Redis 7.0, 8.0 and 8.6 and Valkey 8.1 and 9 were checked against servers key
// by key, both MEMORY USAGE and allocated bytes; 8.4 and 8.8 against MEMORY USAGE
// of builds shortly before their release, and the streams and arrays of 8.10 on a
// build between 8.8 and it. 6.2 and Valkey 8.0 follow formulas
// that were measured on these servers; 7.2, 7.4 and 8.2 were read in the sources
// alone, 8.2 as of its first correction; so were hash templates of 8.10 and all that
// is new in Valkey 9.2, whose values are marked as approximate.
var families = append(
	successors("redis-",
		step{"6.2", redis62}, step{"7.0", redis70}, step{"7.2", redis72}, step{"7.4", redis74}, step{"8.0", redis80},
		step{"8.2", redis82}, step{"8.4", redis84}, step{"8.6", redis86}, step{"8.8", redis88}, step{"8.10", redis810}),
	successors("valkey-", step{"8.0", valkey80}, step{"8.1", valkey81}, step{"9", valkey9}, step{"9.2", valkey92})...)

type step struct {
	release string
	change  func(f *family)
}

// successors returns a family for each step, made of the one before.
func successors(line string, steps ...step) (list []*family) {
	var f family
	for _, s := range steps {
		s.change(&f)
		f.name = line + s.release
		f.since, _ = release.Parse(s.release)
		list = append(list, new(f))
	}
	return list
}

func familyNamed(name string) *family {
	return families[slices.IndexFunc(families, func(f *family) bool { return f.name == name })]
}
