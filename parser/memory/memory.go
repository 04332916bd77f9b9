// Package memory says what a key takes in a server's memory, from lengths and
// counts alone: one model a server family. It knows nothing of the snapshot's
// format; package parser feeds it while it walks a value.
package memory

// Shape is the form that a value has in memory (live), as far as the file shows it.
type Shape uint8

// The shapes. Other is a value that no model covers (modules, arrays).
const (
	Other      Shape = iota
	StringInt        // canonical decimal that fits an int64
	StringText       // any other string: embstr or raw, by its length
	Packed           // one listpack, ziplist, zipmap or intset of Facts.Blob bytes
	PackedEx         // a listpack with an expiry for each field
	Quicklist        // nodes, told by Model.Node
	Linked           // plain list of items, told by Model.Item (before Redis 3.2)
	SetTable         // members, told by Model.Member
	HashTable        // fields, told by Model.Field
	Skiplist         // members, told by Model.Scored
	StreamTree       // told by Model.StreamNode and the calls for groups
)

// Facts is what is known of a key when its value has been walked.
type Facts struct {
	Shape    Shape
	Type     uint8 // 0 string, 1 list, 2 set, 3 sorted set, 4 hash, 5 stream, as parser.Type
	Intset   bool  // Packed: an intset
	Ziplist  bool  // Packed or Quicklist: ziplists (or a zipmap), which servers from 7.0 on convert
	KeyLen   int64 // bytes of the name
	TTL      bool  // the key has an expiry
	Clock    bool  // the key has an idle time or LFU counter: the server shares no integers
	Elements int64
	Text     int64 // length of a string
	Int      int64 // the value of a StringInt
	Blob     int64 // bytes of a Packed value's block in memory
	// Listpack is what the entries of a table, skiplist, list or ziplist would
	// take in one listpack, in bytes with its header and end; 0 where that was
	// not worked out.
	Listpack      int64
	Longest       int64 // longest single string
	Nodes         int64 // quicklist or stream nodes
	FieldsWithTTL int64
	Integers      bool // every member of a set is an integer
	// LeadingIntegers is how many members of a set stand in the file before the
	// first one that is no integer; it does not count where all are integers.
	LeadingIntegers int64
	// IntWidth is the bytes of the widest of these in an intset: 2, 4 or 8; 0
	// has it told from the longest one's digits.
	IntWidth   int64
	Serialized int64 // bytes of the value in the file
}

// Result is what a key takes, in bytes; -1 where it is not known.
type Result struct {
	Alloc   int64 // really allocated: adds up to used_memory
	Usage   int64 // what MEMORY USAGE with SAMPLES 0 says
	Compact int64 // Alloc if the value were in the compact encoding of its type, -1 where there is none
	Bound   bool  // both are a lower bound
}
