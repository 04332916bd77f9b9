package parser

import (
	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/parser/internal/rdb"
	"github.com/rdblens/rdblens/parser/message"
)

// Checksum is what became of the CRC-64 at the end of a snapshot.
type Checksum uint8

// The outcomes. ChecksumUnread is that of a snapshot whose end was not reached
// or whose checksum was not asked for.
const (
	ChecksumUnread   Checksum = iota
	ChecksumOK                // stored and right
	ChecksumOff               // stored as zero: the server is configured not to compute it
	ChecksumMismatch          // stored and wrong: the file is damaged
	ChecksumMissing           // version 5 or later, and the file ends without it
	ChecksumNone              // version under 5 has none
)

var checksumNames = [...]string{"not checked", "ok", "off", "mismatch", "missing", "none"}

// String returns the report's word for the outcome.
func (c Checksum) String() string { return checksumNames[c] }

// ModuleInfo is what a snapshot holds of one module type.
type ModuleInfo struct {
	Name string // nine characters at most
	Keys int64
	Aux  int64 // records outside of any key
	// Version is the newest encoding version of the keys. Skipped counts the keys
	// of an encoding version, or with contents, that this package does not know:
	// they have no elements.
	Version int
	Skipped int64
}

// AuxField is a field of the snapshot's header, both texts cut to 128 bytes.
type AuxField struct{ Name, Value string }

// Info is what a snapshot states about itself. During a scan it has what was read
// so far.
type Info struct {
	Magic   string // "REDIS" or "VALKEY"
	Version int    // RDB version
	// Server is the family that wrote the file: "redis", "valkey", "keydb",
	// "dragonfly" or "redis-enterprise"; "" unknown (before Redis 3.2).
	Server        string
	ServerVersion string
	Bits          int   // 32 or 64, 0 unknown
	Created       int64 // seconds since the epoch, -1 unknown
	UsedMem       int64 // used_memory when the file was written, in bytes, -1 unknown
	Cluster       bool  // the file shows cluster mode (slot information)
	// Slots is what the file says of the cluster slots that have keys, in each
	// database; none where it says nothing, or something of more than 65,536.
	Slots   []memory.Slot
	AOFBase bool // the file is the base of an append-only file
	// Frames names what stood around the snapshot, outermost first: "gzip",
	// "zstd", "lz4", "vcs-lz4", "vcs-zstd", "replication-eof", "replication-length".
	Frames []string

	Keys int64 // whole keys read
	// AnnouncedKeys is how many keys the file says it has, AnnouncedExpires how many
	// of them with an expiry: in RESIZEDB, or in the sizes of cluster slots. -1 if
	// it says nothing. See Missing.
	AnnouncedKeys, AnnouncedExpires int64
	Databases                       int   // databases that have keys, at most MaxDatabases
	Bytes                           int64 // bytes of the (decompressed) snapshot that were read
	// Ended reports whether the end mark was read, and all keys are here that the file
	// announces; something else may be wrong.
	Ended    bool
	Trailing int64 // bytes after its end; at most MaxTrailing where it is compressed or comes from a pipe
	Checksum Checksum

	Functions     int64 // function libraries
	FunctionBytes int64
	Scripts       int64 // Lua scripts in the header (before Redis 7.0)
	ScriptBytes   int64
	Subexpires    int64        // members and fields that expire, of KeyDB, which keeps this beside the keys
	Modules       []ModuleInfo // by name
	// TemplateMemory is what the field names that hashes share (Redis 8.10) take in
	// memory, in bytes; 0 without a memory model.
	TemplateMemory int64

	// Sampled has the memory of the same keys with every allocator, in the order of
	// memory.Allocators, and SampledBytes is what they take in the snapshot; nil if
	// Options.Allocators did not ask for it. The sample is the first two megabytes, and then a
	// part of 64 KB at each power of two and in each 32 MB. Keys that are larger and cannot
	// be split are not in it. SampledLogs has the sums of the binary logarithms of what each key takes, in
	// 1/65536, and SampledKeys their number: small keys differ by more than large ones.
	Sampled, SampledLogs      []int64
	SampledBytes, SampledKeys int64
	// StreamNode has the bytes of the largest node of a stream that is full, which is about
	// stream-node-max-bytes; 0 if none is, or without a memory model.
	StreamNode int64

	Aux      []AuxField // the first 64
	AuxCount int64

	Types   [256]int64 // keys by RDB type byte
	Opcodes [256]int64 // how often each opcode came

	// StreamMismatch counts streams whose length field differs from the live
	// entries in their nodes: old servers wrote that, it is not damage.
	StreamMismatch int64
	EmptyKeys      int64 // collections without an element: servers drop them on load
	Warnings       []message.Message
}

// counters count what a walker met. Those of parts of a snapshot add up.
type counters struct {
	keys           int64
	types          [256]int64
	opcodes        [256]int64
	streamMismatch int64
	streamNode     int64
	emptyKeys      int64
	cluster        bool
	slots          []memory.Slot
	slotCount      int64
	auxCount       int64
	resized        sizes
	slotSizes      sizes
	functions      int64
	functionBytes  int64
	scripts        int64
	scriptBytes    int64
	subexpires     int64
	modules        map[string]*ModuleInfo
	lastDB         int
	dbs            map[int]struct{}
}

// sizes are keys, and keys with an expiry, that a file announces.
type sizes struct {
	keys, expires int64
	stated        bool // anything was said
	capped        bool // a number stands for any larger one, too
}

func (s *sizes) add(o sizes) {
	s.keys += o.keys
	s.expires += o.expires
	s.stated = s.stated || o.stated
	s.capped = s.capped || o.capped
}

func newCounters() *counters { return &counters{lastDB: -1} }

// Bounds on what a hostile file can make counters hold.
const (
	maxModules = 1024
	maxSlots   = 1 << 16
	// MaxDatabases is as far as Info.Databases counts.
	MaxDatabases = 1 << 16
)

func (t *counters) reset() {
	m, d, s := t.modules, t.dbs, t.slots
	clear(m)
	clear(d)
	*t = counters{modules: m, dbs: d, slots: s[:0], lastDB: -1}
}

// addSlots counts what the file says of cluster slots, as far as there is room.
func (t *counters) addSlots(slots ...memory.Slot) {
	t.cluster = true
	t.slotCount += int64(len(slots))
	t.slots = append(t.slots, slots[:min(len(slots), maxSlots-len(t.slots))]...)
}

func (t *counters) addDB(db int) {
	if db == t.lastDB {
		return
	}
	t.lastDB = db
	if t.dbs == nil {
		t.dbs = make(map[int]struct{})
	}
	if len(t.dbs) < MaxDatabases {
		t.dbs[db] = struct{}{}
	}
}

// module counts for the module of an ID; those beyond maxModules share a name.
func (t *counters) module(id uint64) *ModuleInfo {
	raw := rdb.ModuleName(id)
	if m, ok := t.modules[string(raw[:])]; ok {
		return m
	}
	return t.moduleNamed(string(raw[:]))
}

func (t *counters) moduleNamed(name string) *ModuleInfo {
	if m, ok := t.modules[name]; ok {
		return m
	}
	if t.modules == nil {
		t.modules = make(map[string]*ModuleInfo)
	}
	if len(t.modules) >= maxModules {
		name = "(other)"
		if m, ok := t.modules[name]; ok {
			return m
		}
	}
	m := &ModuleInfo{Name: name}
	t.modules[name] = m
	return m
}

func (t *counters) add(o *counters) {
	t.keys += o.keys
	for i := range t.types {
		t.types[i] += o.types[i]
		t.opcodes[i] += o.opcodes[i]
	}
	t.streamMismatch += o.streamMismatch
	t.streamNode = max(t.streamNode, o.streamNode)
	t.emptyKeys += o.emptyKeys
	if o.cluster {
		t.addSlots(o.slots...)
		t.slotCount += o.slotCount - int64(len(o.slots))
	}
	t.auxCount += o.auxCount
	t.resized.add(o.resized)
	t.slotSizes.add(o.slotSizes)
	t.functions += o.functions
	t.functionBytes += o.functionBytes
	t.scripts += o.scripts
	t.scriptBytes += o.scriptBytes
	t.subexpires += o.subexpires
	for name, m := range o.modules {
		into := t.moduleNamed(name)
		into.Keys += m.Keys
		into.Aux += m.Aux
		into.Skipped += m.Skipped
		into.Version = max(into.Version, m.Version)
	}
	for db := range o.dbs {
		t.addDB(db)
	}
}

// fill puts the counts into what a caller sees.
func (t *counters) fill(in *Info) {
	in.Keys, in.Types, in.Opcodes = t.keys, t.types, t.opcodes
	in.StreamMismatch, in.StreamNode, in.EmptyKeys = t.streamMismatch, t.streamNode, t.emptyKeys
	in.Cluster = in.Cluster || t.cluster
	if in.Slots = nil; t.slotCount <= maxSlots {
		in.Slots = t.slots
	}
	in.AuxCount = t.auxCount
	in.AnnouncedKeys, in.AnnouncedExpires = -1, -1
	for _, s := range []sizes{t.resized, t.slotSizes} {
		if s.stated && !s.capped {
			in.AnnouncedKeys = max(in.AnnouncedKeys, s.keys)
			in.AnnouncedExpires = max(in.AnnouncedExpires, s.expires)
		}
	}
	in.Functions, in.FunctionBytes = t.functions, t.functionBytes
	in.Scripts, in.ScriptBytes = t.scripts, t.scriptBytes
	in.Subexpires = t.subexpires
	in.Modules = sortedModules(t.modules)
	in.Databases = len(t.dbs)
}

// Missing returns how many keys, and how many expiries of keys, the file announces
// that were not read. 0 if it announces nothing, or less than it has.
//
// Keys that had expired already are announced by servers before RDB version 9, but not
// written (rdbSaveKeyValuePair in rdb.c of Redis 4.0): these are not missing. KeyDB
// counts keys whose members expire, too.
func (i *Info) Missing() (keys, expires int64) {
	if i.AnnouncedKeys < 0 {
		return 0, 0
	}
	keys = max(0, i.AnnouncedKeys-i.Keys)
	expires = max(0, i.AnnouncedExpires-i.Opcodes[rdb.OpExpire]-i.Opcodes[rdb.OpExpireMS])
	if i.Magic == "REDIS" && i.Version < 9 && keys == expires || keys == 0 && i.Server == "keydb" {
		return 0, 0
	}
	return keys, expires
}

func (i *Info) missing() (none message.Message) {
	switch keys, expires := i.Missing(); {
	case keys > 0:
		return message.New("the end mark comes after {n} of {announced} keys that the file announces",
			message.Int("n", i.Keys), message.Int("announced", i.AnnouncedKeys))
	case expires > 0:
		return message.New("the end mark comes after {n} of {announced} expiries of keys that the file announces",
			message.Int("n", i.AnnouncedExpires-expires), message.Int("announced", i.AnnouncedExpires))
	}
	return none
}

// DamageError says where a snapshot is damaged or could not be read further. All
// keys before Offset were read whole; the key being read was not counted.
type DamageError struct {
	Offset  int64 // of the first invalid byte, counted as Key.Offset is
	Reason  message.Message
	LastKey []byte // name of the last whole key, nil where there was none
	Key     []byte // name of the key being read, nil outside of a key
	Err     error  // an error of the reader below, or nil
}

func (e *DamageError) Error() string { return e.AsMessage().Quoted() }

// AsMessage returns what Error says.
func (e *DamageError) AsMessage() message.Message {
	const most = 200 // bytes of a name in a message
	id := "offset {offset}: {reason}"
	switch {
	case len(e.Key) > most:
		id = "offset {offset}: {reason} (in key {key}...)"
	case e.Key != nil:
		id = "offset {offset}: {reason} (in key {key})"
	}
	return message.New(id, message.Figure("offset", e.Offset, message.FormNumber), message.Phrase("reason", e.Reason),
		message.Name("key", cut(e.Key, most)))
}

// Unwrap returns the error of the reader below, if that was the reason.
func (e *DamageError) Unwrap() error { return e.Err }

// FormatError is the reason why an input is no snapshot. Nothing of it was read.
type FormatError struct {
	Reason message.Message
	Hint   message.Message // what to do, zero if nothing is known
}

func (e *FormatError) Error() string { return e.Reason.Quoted() }

// AsMessage returns Reason.
func (e *FormatError) AsMessage() message.Message { return e.Reason }

// cut returns the first n bytes of p, or all if there are fewer.
func cut(p []byte, n int) []byte { return p[:min(len(p), n)] }
