package memory

// A Shape is the representation of a value in memory on the server that wrote
// the file, as far as the file shows it.
type Shape uint8

// Other is a value that no model covers, such as those of modules.
const (
	Other      Shape = iota
	StringInt        // the canonical decimal form of an int64
	StringText       // any other string: embstr or raw, depending on its length
	Packed           // one listpack, ziplist, zipmap or intset of Facts.PackedBytes bytes
	PackedEx         // a listpack with an expiry for each field (listpackex)
	Quicklist        // nodes, added by AddListNode or AddZiplistNode
	LinkedList       // items, added by AddListItem (before Redis 3.2)
	SetTable         // members, added by AddMember
	HashTable        // fields, added by AddField
	Skiplist         // members, added by AddScoredMember
	StreamTree       // nodes and groups, added by AddStreamNode, BeginGroup and what follows it
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
	Nodes         int64 // nodes of a quicklist or stream
	FieldsWithTTL int64
	Integers      bool // all members of a set are integers
	// LeadingIntegers is the number of a set's members that precede the first
	// one which is not an integer; it has no meaning if all are integers.
	LeadingIntegers int64
	// IntWidth is the bytes of each member if these are put into an intset: 2, 4
	// or 8. 0 means unknown: it is then derived from Longest.
	IntWidth   int64
	Serialized int64 // bytes of the value in the file
}

// Sizes is what a key takes, in bytes.
type Sizes struct {
	Allocated int64 // allocated blocks; adds up to used_memory
	Usage     int64 // what MEMORY USAGE with SAMPLES 0 says
	// Compact is Allocated if the value had the compact encoding of its type,
	// -1 if there is none or if its size is unknown.
	Compact    int64
	LowerBound bool // Allocated and Usage are lower bounds
}
