package parser

import "github.com/rdblens/rdblens/parser/memory"

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
	// "zstd", "lz4", "vcs-lz4", "replication-eof", "replication-length".
	Frames []string

	Keys      int64 // whole keys read
	Databases int   // databases that have keys, at most MaxDatabases
	Bytes     int64 // bytes of the (decompressed) snapshot that were read
	Ended     bool  // the end mark was read: all keys are here, though something else may be wrong
	Trailing  int64 // bytes after its end; at most MaxTrailing where it is compressed or comes from a pipe
	Checksum  Checksum

	Functions     int64 // function libraries
	FunctionBytes int64
	Scripts       int64 // Lua scripts in the header (before Redis 7.0)
	ScriptBytes   int64
	Modules       []ModuleInfo // by name

	Aux      []AuxField // the first 64
	AuxCount int64

	Types   [256]int64 // keys by RDB type byte
	Opcodes [256]int64 // how often each opcode came

	// StreamMismatch counts streams whose length field differs from the live
	// entries in their nodes: old servers wrote that, it is not damage.
	StreamMismatch int64
	EmptyKeys      int64 // collections without an element: servers drop them on load
	Warnings       []string
}
