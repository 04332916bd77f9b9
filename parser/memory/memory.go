// Package memory chooses the model by which package parser computes what keys take in
// a server's memory: see [parser.Options].
//
// There are two figures of each key. parser.Key.Memory is what the allocator hands
// out: the sum of the usable sizes of all its blocks, and of its entry in the key
// table. Summed over all keys it adds up to used_memory ([Model.Instance]).
// parser.Key.MemoryUsage is what MEMORY USAGE key SAMPLES 0 of that server prints,
// which leaves parts out or counts them twice.
//
// parser/memory/README.md says how exact they are.
package memory

import "github.com/rdblens/rdblens/parser/internal/memory"

// A Model computes what keys take in the memory of one server family with one
// allocator, in one state. It is immutable and may be shared by goroutines. Its
// methods:
//
//	Name() string       // name of the server family, one of Servers
//	Allocator() string  // one of Allocators
//	State() string      // one of States
//	Allocators() []*Model  // the same model with each allocator
//	Deviation(Random) float64 // by how much servers that load the same file differ, in bytes (standard deviation)
//	TextSizes(name, text int64, ttl bool) (memory, usage int64) // of a key with a text, by the bytes of both
//	PackedKey(name, n int64) int64 // memory of a key with one packed block of n bytes
//	KeyTable(n int64) int64        // memory of the table of a database with n keys
//	ShrunkKeyTable(n, all int64) int64 // the same, after all but n were deleted
//	Resizing(n int64) int64        // of the second table of n elements that were inserted one by one
//	Approximate() bool  // the snapshot comes from a server that the model was not made for
//
//	// Instance predicts used_memory of a server with these databases, whose keys
//	// take keys bytes, the sum of parser.Key.Memory. slots is parser.Info.Slots.
//	Instance(keys int64, databases []Database, slots []Slot) Instance
type Model = memory.Model

// Options choose a model where the snapshot does not determine it; the zero value
// takes the server from the snapshot. The fields are Server, Allocator and State,
// each one of the names below or "", and Cluster, RDB and StreamNode: whether the server is in
// cluster mode, the version of the file's format, 0 if unknown, and parser.Info.StreamNode.
type Options = memory.Options

// A Database is what a model needs to know of one database: its Number, its Keys, and
// how many of them have an expiry (Expires).
type Database = memory.Database

// A Slot has the number of Keys of a cluster slot in one database, and how many of
// them have an expiry (Expires).
type Slot = memory.Slot

// An Instance is the predicted memory of a server, in bytes: an empty server
// (Startup), its Keys, the Tables of its databases, and their sum, UsedMemory.
type Instance = memory.Instance

// Random are numbers of elements whose memory chance decides: see Model.Deviation.
type Random = memory.Random

// Choose returns the model for a snapshot that a server of a release has
// written: server is "redis", "valkey", "keydb", "dragonfly", "redis-enterprise",
// or "" before Redis 3.2. The note, if not "", says which model replaces a
// missing one. The model is nil if no model comes close, which the note
// explains. An error is an option that is not valid.
func Choose(server, release string, opt Options) (model *Model, note string, err error) {
	return memory.Choose(server, release, opt)
}

// Servers returns the names of the models, oldest first in each line.
func Servers() []string { return memory.Servers() }

// Allocators returns the names that Options.Allocator accepts, the default
// first: the jemalloc that is built with the servers' sources, the one of Debian
// and Ubuntu packages, and the latter from version 5.3.1 on.
func Allocators() []string { return memory.Allocators() }

// FindAllocator returns which of Allocators the server may have had, first the likeliest, by
// its used_memory and the prediction for each of them, in bytes; see parser.Info.Sampled and
// Model.Allocators. What used_memory leaves open, usual decides: UsualAllocator of the server.
func FindAllocator(used int64, predicted []int64, usual string) (fits []int) {
	return memory.FindAllocator(used, predicted, usual)
}

// UsualAllocator returns the allocator that servers of a release, such as 7.0.15, most
// often have: of one that a distribution has as a package that of the package, else the
// one that is built with the servers' sources.
func UsualAllocator(server, release string) string { return memory.UsualAllocator(server, release) }

// States returns the names that Options.State accepts, the default first.
func States() []string { return memory.States() }
