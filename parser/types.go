package parser

import "github.com/rdblens/rdblens/parser/memory"

// A typeRow is all that is known of a type byte before the value is read. Type
// tables (commonTypes and those of the dialects) are lists of them. Framing,
// walking, splitting, visiting and Info.LoadableBy go by the rows: a new type is
// one row and, if its layout is new, a case in walker.value.
type typeRow struct {
	number   byte
	typ      Type
	encoding Encoding
	shape    memory.Shape
	layout   layout
	// Of a counted layout: the strings of an element, and what else it
	// has. Of a packed block: the entries of an element.
	strings uint8
	beside  beside
	block   blockFormat
	// minExpire reports whether the eight bytes of a hash's earliest field
	// expiry precede the value.
	minExpire bool
	variant   uint8  // of the layout, where it says so
	split     bool   // a large key is split between elements and walked in parallel
	why       string // the value is refused
	// since is the first release of Redis (of Valkey, in its table) that loads
	// the type; "" none does.
	since string
}

// layout is how a value stands in the file.
type layout uint8

const (
	layoutNone      layout = iota // no type of the dialect
	layoutText                    // one string, the value
	layoutBlock                   // one string that holds a packed block
	layoutCounted                 // a count, and as many elements
	layoutQuicklist               // a count, and as many nodes; variant 2: each with its kind before it
	layoutStream                  // variants 1 to 5, as the constants below say
	layoutModule                  // an ID, and values each with its kind, up to an end mark
	layoutArray
	layoutTemplate // values of a hash; variant: templateOwn, templatePacked
	layoutNumber   // one length
	layoutCron
	layoutFilter // of Dragonfly: variant 2 has its bits in chunks
	layoutCountMin
	layoutTopK
	layoutCuckoo
	layoutRefused // not read: typeRow.why says why
)

// Variants of streams, and what each adds.
const (
	streamPlain    = 1 + iota
	streamCounters // entries added and read, first and greatest deleted ID
	streamActive   // active time of consumers
	streamIdempotent
	streamNacked // IDs that consumers returned (XNACK)
)

// Variants of hashes with a template.
const (
	templateOwn    = 1 << iota // the names precede the values
	templatePacked             // the values are a listpack
)

// beside is what an element of a counted layout has beside its strings.
type beside uint8

const (
	besideNothing  beside = iota
	scoreText             // behind: a length byte and so many characters, or 253 to 255
	scoreBinary           // behind: eight bytes
	expiryAbsolute        // before: a length, ms since the epoch, 0 none
	expiryRelative        // before: a length, 0 none, else ms since the earliest expiry, plus 1
	expiryBinary          // behind: eight bytes, ms since the epoch, -1 none
	expirySeconds         // behind: a string, seconds since an epoch of Dragonfly's, -1 none
)

// besides says for each how it stands in the file.
var besides = [...]struct {
	led     bool  // a length precedes the strings
	strings uint8 // strings more
	tail    uint8 // bytes after the strings
	unknown bool  // only the walker knows where it ends
}{
	scoreText:      {unknown: true},
	scoreBinary:    {tail: 8},
	expiryAbsolute: {led: true},
	expiryRelative: {led: true},
	expiryBinary:   {tail: 8},
	expirySeconds:  {strings: 1},
}

// blockFormat is the format of a packed block.
type blockFormat uint8

const (
	blockListpack blockFormat = iota
	blockZiplist
	blockZipmap
	blockIntset
)

// format returns how the entries of a listpack or ziplist are written.
func (b blockFormat) format() *packedFormat {
	if b == blockZiplist {
		return ziplistFormat
	}
	return listpackFormat
}

// commonTypes are the types that mean the same under every magic. Sources:
// rdb.h and rdbLoadObject in rdb.c of each release of Redis.
var commonTypes = []typeRow{
	{number: 0, typ: String, layout: layoutText, since: "1.0"},
	{number: 1, typ: List, encoding: EncLinkedlist, shape: memory.LinkedList, layout: layoutCounted, strings: 1, since: "1.0"},
	{number: 2, typ: Set, encoding: EncHashtable, shape: memory.SetTable, layout: layoutCounted, strings: 1, split: true, since: "1.0"},
	{number: 3, typ: ZSet, encoding: EncSkiplist, shape: memory.Skiplist, layout: layoutCounted, strings: 1, beside: scoreText, since: "1.0"},
	{number: 4, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, layout: layoutCounted, strings: 2, split: true, since: "1.0"},
	{number: 5, typ: ZSet, encoding: EncSkiplist, shape: memory.Skiplist, layout: layoutCounted, strings: 1, beside: scoreBinary, split: true, since: "4.0"},
	{number: 6, typ: Module, layout: layoutRefused, why: "a module wrote this key in the format of 4.0 release candidates (type 6), which nothing but the module itself can read"},
	{number: 7, typ: Module, shape: memory.Other, layout: layoutModule, since: "4.0"},
	{number: 9, typ: Hash, encoding: EncZipmap, shape: memory.Packed, layout: layoutBlock, block: blockZipmap, since: "2.2"},
	{number: 10, typ: List, encoding: EncZiplist, shape: memory.Packed, layout: layoutBlock, block: blockZiplist, strings: 1, since: "2.2"},
	{number: 11, typ: Set, encoding: EncIntset, shape: memory.Packed, layout: layoutBlock, block: blockIntset, since: "2.2"},
	{number: 12, typ: ZSet, encoding: EncZiplist, shape: memory.Packed, layout: layoutBlock, block: blockZiplist, strings: 2, since: "2.4"},
	{number: 13, typ: Hash, encoding: EncZiplist, shape: memory.Packed, layout: layoutBlock, block: blockZiplist, strings: 2, since: "2.6"},
	{number: 14, typ: List, encoding: EncQuicklist, shape: memory.Quicklist, layout: layoutQuicklist, block: blockZiplist, strings: 1, split: true, since: "3.2"},
	{number: 15, typ: Stream, encoding: EncStream, shape: memory.StreamTree, layout: layoutStream, variant: streamPlain, since: "5.0"},
	{number: 16, typ: Hash, encoding: EncListpack, shape: memory.Packed, layout: layoutBlock, strings: 2, since: "7.0"},
	{number: 17, typ: ZSet, encoding: EncListpack, shape: memory.Packed, layout: layoutBlock, strings: 2, since: "7.0"},
	{number: 18, typ: List, encoding: EncQuicklist, shape: memory.Quicklist, layout: layoutQuicklist, strings: 1, variant: 2, split: true, since: "7.0"},
	{number: 19, typ: Stream, encoding: EncStream, shape: memory.StreamTree, layout: layoutStream, variant: streamCounters, since: "7.0"},
	{number: 20, typ: Set, encoding: EncListpack, shape: memory.Packed, layout: layoutBlock, strings: 1, since: "7.2"},
	{number: 21, typ: Stream, encoding: EncStream, shape: memory.StreamTree, layout: layoutStream, variant: streamActive, since: "7.2"},
}

// redisTypes are those of Redis from 7.4 on, and of KeyDB.
var redisTypes = []typeRow{
	// 22 and 23 are those of the release candidates of 7.4.
	{number: 22, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, layout: layoutCounted, strings: 2, beside: expiryAbsolute, split: true, since: "7.4"},
	{number: 23, typ: Hash, encoding: EncListpackEx, shape: memory.PackedEx, layout: layoutBlock, strings: 3, since: "7.4"},
	{number: 24, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, layout: layoutCounted, strings: 2, beside: expiryRelative, minExpire: true, split: true, since: "7.4"},
	{number: 25, typ: Hash, encoding: EncListpackEx, shape: memory.PackedEx, layout: layoutBlock, strings: 3, minExpire: true, since: "7.4"},
	{number: 26, typ: Stream, encoding: EncStream, shape: memory.StreamTree, layout: layoutStream, variant: streamIdempotent, since: "8.6"},
	{number: 27, typ: Stream, encoding: EncStream, shape: memory.StreamTree, layout: layoutStream, variant: streamNacked, since: "8.8"},
	{number: 28, typ: Array, encoding: EncSliced, shape: memory.Other, layout: layoutArray, since: "8.8"},
	{number: 29, typ: Hash, encoding: EncTemplate, shape: memory.Other, layout: layoutTemplate, variant: templateOwn | templatePacked, since: "8.10"},
	{number: 30, typ: Hash, encoding: EncTemplate, shape: memory.Other, layout: layoutTemplate, variant: templatePacked, since: "8.10"},
	{number: 31, typ: Hash, encoding: EncTemplate, shape: memory.Other, layout: layoutTemplate, variant: templateOwn, since: "8.10"},
	{number: 32, typ: Hash, encoding: EncTemplate, shape: memory.Other, layout: layoutTemplate, since: "8.10"},
	{number: 33, typ: GCRA, shape: memory.Other, layout: layoutNumber}, // in builds with ENABLE_GCRA alone
	{number: 64, typ: Cron, shape: memory.Other, layout: layoutCron},   // KeyDB's
}

// valkeyTypes are those under the magic VALKEY.
var valkeyTypes = []typeRow{
	{number: 22, typ: Hash, encoding: EncHashtable, shape: memory.HashTable, layout: layoutCounted, strings: 2, beside: expiryBinary, split: true, since: "9.0"},
	{number: 23, typ: Hash, layout: layoutRefused, since: "9.2",
		why: "type 23 is a hash of a Valkey release (RDB 81) that rdblens does not read yet"},
}

// dragonflyTypes are those of Dragonfly (rdb_extensions.h and rdb_save.cc).
var dragonflyTypes = []typeRow{
	{number: 30, typ: JSON, shape: memory.Other, layout: layoutText},
	{number: 31, typ: Hash, encoding: EncHashtable, shape: memory.Other, layout: layoutCounted, strings: 2, beside: expirySeconds},
	{number: 32, typ: Set, encoding: EncHashtable, shape: memory.Other, layout: layoutCounted, strings: 1, beside: expirySeconds},
	{number: 33, typ: Sketch, shape: memory.Other, layout: layoutFilter, variant: 1},
	{number: 34, typ: Sketch, shape: memory.Other, layout: layoutFilter, variant: 2},
	{number: 35, typ: Sketch, shape: memory.Other, layout: layoutCountMin},
	{number: 36, typ: Sketch, shape: memory.Other, layout: layoutTopK},
	{number: 37, typ: Sketch, shape: memory.Other, layout: layoutCuckoo},
}

// oldDragonflyTypes are those of its releases that wrote version 9 at most and
// JSON documents under the number of a set.
var oldDragonflyTypes = []typeRow{
	{number: 20, typ: JSON, shape: memory.Other, layout: layoutText},
}

// compile sets the types of the dialect by what the header says until now.
func (d *dialect) compile() {
	d.types = [256]typeRow{}
	d.isType, d.oneString = [256]bool{}, [256]bool{}
	tables := [][]typeRow{commonTypes, redisTypes}
	switch {
	case d.dragonfly && d.version <= 9:
		tables = [][]typeRow{commonTypes, dragonflyTypes, oldDragonflyTypes}
	case d.dragonfly:
		tables = [][]typeRow{commonTypes, dragonflyTypes}
	case d.valkey:
		tables = [][]typeRow{commonTypes, valkeyTypes}
	}
	for _, rows := range tables {
		for _, r := range rows {
			d.types[r.number], d.isType[r.number] = r, true
			d.oneString[r.number] = (r.layout == layoutText || r.layout == layoutBlock) && !r.minExpire
		}
	}
}
