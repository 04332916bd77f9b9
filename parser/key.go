package parser

import (
	"strconv"

	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/internal/spool"
)

// Type is what TYPE says of a key: its data type, whatever its encoding.
type Type uint8

// The types of the servers that this package reads. String to Stream have the
// order in which reports list them.
const (
	String Type = iota
	List
	Set
	ZSet
	Hash
	Stream
	Module // a module type that this package does not read; Key.ModuleName is what TYPE says
	Array
	GCRA     // Redis rate limiter state
	Cron     // KeyDB cron job
	PathHash // tree of hashes by path, of Valkey 9.2
	JSON     // JSON document
	// The other types of modules that this package reads, and of Dragonfly's
	// values that are the same.
	Bloom         // Bloom filter of RedisBloom
	Cuckoo        // cuckoo filter
	CountMin      // count-min sketch
	TopK          // top-k
	TDigest       // t-digest
	TimeSeries    // time series
	VectorSet     // vector set of Redis 8.0 or later
	ValkeyBloom   // Bloom filter of valkey-bloom
	SearchIndex   // index of RediSearch before 2.0
	InvertedIndex // its keys for terms, ...
	NumericIndex  // ... for numbers,
	TagIndex      // ... for tags
	Suggestions   // dictionary of suggestions of RediSearch
	NumTypes
)

var typeNames = [NumTypes]string{"string", "list", "set", "zset", "hash", "stream", "module", "array", "gcra", "cron",
	"pathhash", "ReJSON-RL", "MBbloom--", "MBbloomCF", "CMSk-TYPE", "TopK-TYPE", "TDIS-TYPE", "TSDB-TYPE", "vectorset",
	"bloomfltr", "ft_index0", "ft_invidx", "numericdx", "ft_tagidx", "trietype0"}

// String returns the server's word for the type.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

// OfModule reports whether a module, and vector sets, have values of the type.
func (t Type) OfModule() bool { return t == Module || t >= JSON && t < NumTypes }

// ParseType returns the type of a name that String returns.
func ParseType(s string) (Type, bool) {
	for i, n := range typeNames {
		if n == s {
			return Type(i), true
		}
	}
	return 0, false
}

func typeOfModule(id uint64) Type {
	id >>= 10
	for t := JSON; t < NumTypes; t++ {
		if moduleIDs[t] == id {
			return t
		}
	}
	return Module
}

// moduleIDs are the IDs of the types' names, without encoding versions.
var moduleIDs = func() (ids [NumTypes]uint64) {
	for t := JSON; t < NumTypes; t++ {
		ids[t] = rdb.ModuleID(t.String())
	}
	return ids
}()

// Encoding is OBJECT ENCODING's word for the form of a value, as far as the
// file shows it: the loading server may choose another one.
type Encoding uint8

// The encodings. EncUnknown is that of a value whose form no file shows.
const (
	EncUnknown Encoding = iota
	EncRaw
	EncEmbstr
	EncInt
	EncListpack
	EncListpackEx
	EncZiplist
	EncZipmap
	EncIntset
	EncHashtable
	EncSkiplist
	EncQuicklist
	EncLinkedlist
	EncStream
	EncSliced // array
	// A hash whose field names stand in a shared template: its values are one
	// listpack, or strings of their own.
	EncTemplateListpack
	EncTemplateArray
	EncBTree // sorted set of Valkey 9.2
	EncPathHash
	NumEncodings
)

var encodingNames = [NumEncodings]string{"", "raw", "embstr", "int", "listpack", "listpackex", "ziplist", "zipmap",
	"intset", "hashtable", "skiplist", "quicklist", "linkedlist", "stream", "sliced-array", "template-listpack",
	"template-array", "btree", "pathhash"}

// String returns the server's word for the encoding, "" for EncUnknown.
func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return ""
}

// Compact reports whether the encoding keeps the whole value in one block of
// memory (listpack, ziplist, zipmap, intset).
func (e Encoding) Compact() bool { return e >= EncListpack && e <= EncIntset }

// Limits on what a Key holds of a name, in bytes. Longer names are legal and
// are cut; NameLen and LargestNameLen say how long they are.
const (
	MaxName        = 32 << 10
	MaxElementName = 256
	MaxHead        = 32
)

// Key is one key of a snapshot: what it is and how big, never its value.
// It belongs to the scanner until the next key is read, slices included.
//
// Where a figure is not known it is -1, never 0.
type Key struct {
	DB      int    // database number
	Name    []byte // the name's first MaxName bytes
	NameLen int64  // bytes of the whole name
	// NameHash is set where Name is cut, see CutName.
	NameHash uint64
	Type     Type
	// Encoding is the form in the file; RDBType is the type byte behind it.
	Encoding Encoding
	RDBType  uint8
	// HasExpire reports whether ExpireAt (milliseconds since the epoch, which
	// may be negative) is set.
	HasExpire bool
	ExpireAt  int64
	Idle      int64 // seconds since the last access, as the LRU clock had it; -1 unknown
	Freq      int16 // LFU counter, 0 to 255; -1 unknown

	Elements   int64 // members, fields, entries; 1 for a string; -1 unknown
	ValueBytes int64 // sum of the elements' lengths (a string's STRLEN); -1 unknown
	Serialized int64 // bytes of the value in the file, without type byte and name

	// Largest is the length in bytes of the largest element (a hash's field
	// and value, a sorted set's member, the fields and values of one stream
	// entry); -1 unknown. LargestName, which stays nil until NameLargest is
	// called, is its name where it has one (field,
	// member, index of an item, stream ID), cut to MaxElementName bytes.
	Largest        int64
	LargestName    []byte
	LargestNameLen int64
	// Longest is the longest single string of the value in bytes, a field or a
	// value alone: compact encodings are limited by it. -1 unknown.
	Longest int64
	// LongestValue is the longest value of a hash in bytes, without its field, among
	// elements of at least 1 KB; 0 if there are none.
	LongestValue int64
	// Head holds the first bytes of a string, or of the value of an element of at
	// least 1 KB that is the largest; nil of a number.
	Head []byte

	FieldsWithTTL  int64 // fields of a hash (of Dragonfly: members of a set, too) that have an expiry of their own
	MinFieldExpire int64 // the earliest of them, ms since the epoch; 0 none

	Groups    int64 // consumer groups of a stream
	Consumers int64 // consumers of all its groups
	Pending   int64 // entries in the groups' pending lists
	// Behind is the consumer group of a stream that is furthest behind or has most idle
	// consumers, each of which counts as much as 100 entries; nil if none is or has. It is
	// valid as long as the names.
	Behind *GroupState
	Live   int64 // live entries counted in a stream's nodes, -1 not a stream: Elements should be the same

	Nodes int64 // nodes of a quicklist or stream, 0 otherwise
	// Integers reports whether every member of a set is an integer.
	Integers bool

	LZFIn, LZFOut int64 // bytes of the value's LZF strings in the file, and decompressed

	// Memory is the bytes allocated for the key, MemoryUsage what MEMORY USAGE
	// with SAMPLES 0 says. -1 not known. MemoryBound says that both are a
	// lower bound (modules that are not known, arrays), MemoryApproximate that
	// they may differ from the truth to either side.
	Memory, MemoryUsage            int64
	MemoryBound, MemoryApproximate bool
	// CompactMemory is what Memory would be in the compact encoding of the
	// type; -1 where there is none or it is not known.
	CompactMemory int64

	ModuleName string // of a module's value: the module's type name, such as "ReJSON-RL"
	// Module is what a module's value has besides, nil for other values.
	Module *ModuleFacts

	// Offset is where the type byte stands: bytes from the snapshot's magic on, so
	// that of a file it is the place in the file, but behind the frame of a
	// replication stream and within compressed data it counts what is inside.
	Offset int64

	// Formats are those of a string, or of the first eight elements of a collection (of a
	// hash the values, of a stream those of its first entry): 0 unless
	// Options.Details asks for it.
	Formats format.Set
	// LongestField is the longest field name of a hash in bytes; -1 of other types, and
	// unless Options.Details asks for it.
	LongestField int64

	copied *spool.Spool // ends with the value, if the file has that in pieces
	peek   peek
	ref    largestRef
	digits [41]byte // for LargestName: two numbers of 20 digits
}

// ModuleFacts is what a value of a module has besides the figures that all types
// have. Fields that its type does not have are 0.
type ModuleFacts struct {
	Version int // encoding version
	// Filters is the number of filters that a Bloom or cuckoo filter consists of,
	// Capacity the items that they are made for; of a top-k its k.
	Filters, Capacity int64
	ErrorRate         float64 // of a Bloom filter

	// Of a time series: chunks, labels, compaction rules, the time for which
	// samples are kept (ms, 0 for ever) and the first and the last sample (ms
	// since the epoch).
	Chunks, Labels, Rules  int64
	Retention, First, Last int64

	// Of a vector set: dimensions, and the bytes that vectors and links between
	// elements take in
	Dimensions, VectorBytes, LinkBytes int64

	Depth int64 // levels of nested arrays and objects in a document
}

// CutName returns the first bytes of the name, at most limit. If that is not the
// whole name, it also returns a hash that tells names apart which begin alike: the
// CRC-64 of the whole name; of a name that the snapshot has compressed and that is
// longer than MaxName, the CRC-64 of the compressed form, as far as its first
// MaxName bytes.
func (k *Key) CutName(limit int) (name []byte, hash uint64) {
	switch {
	case k.NameLen > int64(len(k.Name)):
		return cut(k.Name, limit), k.NameHash
	case len(k.Name) > limit:
		return k.Name[:limit], crc64.Update(0, k.Name)
	}
	return k.Name, 0
}

// Clone returns a copy that the scanner does not overwrite, with LargestName set.
func (k *Key) Clone() *Key {
	c := k.cloned()
	return &c
}

func (k *Key) cloned() Key {
	k.NameLargest()
	c := *k
	c.ref, c.copied, c.peek = largestRef{}, nil, peek{}
	c.Name = append([]byte(nil), k.Name...)
	c.LargestName = append([]byte(nil), k.LargestName...)
	c.Head = append([]byte(nil), k.Head...)
	if k.Module != nil {
		facts := *k.Module
		c.Module = &facts
	}
	if c.Behind != nil {
		c.Behind = new(*c.Behind)
		c.Behind.Name = append([]byte(nil), c.Behind.Name...)
	}
	return c
}

// largestRef refers to the name of a key's largest element until now. Few keys are shown with
// it, so it is put into words for those alone.
type largestRef struct {
	kind   uint8
	text   []byte // refText, and for refToListpack the entry and what follows
	n      int64  // bytes of the whole text
	val    int64
	hi, lo uint64
}

const (
	refNone       uint8 = iota
	refText             // the first bytes of a string
	refToListpack       // an entry of a listpack
	refNumber           // a number
	refIndex            // an item's index
	refID               // a stream ID
)

// NameLargest sets LargestName and LargestNameLen.
func (k *Key) NameLargest() {
	b := &k.ref
	if k.LargestName != nil || b.kind == refNone {
		return
	}
	text := k.digits[:0]
	switch b.kind {
	case refText:
		k.LargestName, k.LargestNameLen = b.text, b.n
		return
	case refToListpack:
		// It was walked before: nothing can be wrong with it.
		e := rdb.DecodeAt(rdb.Listpack, b.text, 0)
		if !e.IsInt {
			k.LargestName, k.LargestNameLen = cut(e.Text, MaxElementName), e.Len
			return
		}
		text = strconv.AppendInt(text, e.Value, 10)
	case refNumber, refIndex:
		text = strconv.AppendInt(text, b.val, 10)
	case refID:
		text = strconv.AppendUint(text, b.hi, 10)
		text = append(text, '-')
		text = strconv.AppendUint(text, b.lo, 10)
	}
	k.LargestName, k.LargestNameLen = text, int64(len(text))
}

func (w *walker) refToIndex(i int64) { w.key.ref.kind, w.key.ref.val = refIndex, i }

func (w *walker) refToNumber(v int64) { w.key.ref.kind, w.key.ref.val = refNumber, v }

// refToString names the largest element after a string of the snapshot.
func (w *walker) refToString(s *str) {
	if s.kind == strInt {
		w.refToNumber(s.val)
		return
	}
	text := w.text(s, MaxElementName)
	if w.Refill != nil || s.kind != strPlain || s.head != nil {
		w.refBuf = append(w.refBuf[:0], text...)
		text = w.refBuf
	}
	w.refToText(text, s.n)
}

func (w *walker) refToText(text []byte, n int64) {
	b := &w.key.ref
	b.kind, b.text, b.n = refText, text, n
}

// refToEntry names the largest element after an entry of a packed encoding.
func (w *walker) refToEntry(b *rdb.Block, e *rdb.Entry) {
	if e.IsInt {
		w.refToNumber(e.Value)
		return
	}
	text := cut(e.Text, MaxElementName)
	if !b.Stable {
		w.refBuf = append(w.refBuf[:0], text...)
		text = w.refBuf
	}
	w.refToText(text, e.Len)
}

func appendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

// maxPeek is how many bytes are kept of the first elements of a key that is walked in
// pieces.
const maxPeek = 16 << 10

// peek is where the value of a key stands while the key is with a Sink: before Pos of
// a walker or, of a key that was walked in pieces, in a copy of its first elements.
type peek struct {
	in    *walker
	row   *typeRow // of a key in pieces, else nil
	base  int64    // see walker.elements
	count uint64   // elements, or nodes of a list, in the first piece
	head  []byte
}

// Peek passes the first elements of the key's value to v, until one of its functions
// returns false: of a string the string itself. It is for a Sink, which may call it
// while it has the key; v.Key and v.MaxName do not count, and MaxText must not be
// negative. The value is walked again, so Peek is for a few keys of a snapshot.
//
// It reports whether the elements were at hand. They are not for opaque types, for hashes
// whose field names stand in templates, and for parts of values larger than a block.
func (k *Key) Peek(v *Visitor) bool {
	p := &k.peek
	if p.in == nil || k.Type.Opaque() || p.in.src.types[k.RDBType].Kind == rdb.Template {
		return false
	}
	w := p.in.peeker()
	w.Cursor = rdb.Cursor{Buf: p.head, Base: k.Offset}
	if p.row == nil {
		from := p.in.Pos - int(k.Serialized)
		if from < 0 {
			return false
		}
		w.Cursor = rdb.Cursor{Buf: p.in.Buf, Pos: from, Base: p.in.Base}
	}
	visitor := *v
	visitor.Element = func(e *Element) bool {
		if v.Element != nil && !v.Element(e) {
			panic(&rdb.Failure{Err: errEnough})
		}
		return true
	}
	if v.Field != nil {
		visitor.Field = func(name, value Text) bool {
			if !v.Field(name, value) {
				panic(&rdb.Failure{Err: errEnough})
			}
			return true
		}
	}
	seen := false
	fail := w.guard(func() {
		w.begin(k.RDBType)
		w.key.Type = k.Type
		w.visit = visit{to: &visitor, keep: v.MaxText}
		w.visiting = true
		w.keepMore()
		if p.row != nil {
			w.of(p.row)
			w.elements(p.row, p.base, p.count)
		} else if k.RDBType == 0 {
			w.stringValue()
		} else {
			w.value(k.RDBType)
		}
		seen = true
	})
	w.leave()
	return seen || fail.Err == errEnough || p.row != nil
}

// peeker returns the walker that walks values of w again.
func (w *walker) peeker() *walker {
	if w.again == nil {
		w.again = newWalker(w.src)
		w.again.counters = newCounters()
	}
	return w.again
}

// GroupState is how far a consumer group of a stream has read.
type GroupState struct {
	Name []byte // at most MaxGroupName bytes of it
	// Lag is the number of entries that the group has not read, of which some may have been
	// deleted; -1 unknown.
	Lag       int64
	Pending   int64 // entries that were delivered and not acknowledged
	Oldest    int64 // when the oldest of them was added, by its ID, in ms since the epoch; -1 none
	Consumers int64
	Idle      int64 // consumers that had read nothing for a week when the snapshot was taken
	// Live is the number of consumers that asked for entries, or got some, in that week; -1 if the time of the
	// snapshot is unknown. IdlePending is the part of Pending that the others hold.
	Live, IdlePending int64
}

// MaxGroupName is how many bytes a GroupState has of a group's name.
const MaxGroupName = 128
