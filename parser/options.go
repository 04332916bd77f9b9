package parser

import (
	"github.com/rdblens/rdblens/parser/memory"
)

// Options control how a snapshot is read.
type Options struct {
	NoChecksum bool // do not compute the CRC-64: Checksum stays ChecksumUnread
	Strict     bool // a checksum that is switched off counts as damage

	// Header, if not nil, is called once, when the header has been read and
	// before the first key.
	Header func(*Info)
	// Memory chooses the memory model once the header has been read. Without a
	// model the memory figures of every key are -1.
	Memory func(*Info) *memory.Model

	// Jobs is how many goroutines of Run walk keys, 0 one per CPU.
	Jobs int
	// SinkMemory is how many bytes the sinks of Run may hold together before
	// the large ones wait, 0 DefaultSinkMemory. Results do not depend on it.
	SinkMemory int64
}

// A Sink receives the keys of a snapshot from Run, block by block. Run has
// several sinks, each of which is used by one goroutine at a time.
//
// A sink receives all keys of one block, in the order of the file, and is then
// flushed. After that it is used for another block, or dropped. Blocks end at
// the same keys whatever Jobs is, so what a sink gathers of one block, and the
// order of Flush calls, are the same in every run.
type Sink interface {
	// Key adds a key, which is overwritten when Key returns: Key.Clone keeps it.
	Key(*Key)
	// Size returns about how many bytes of memory the sink holds. Run asks after
	// every few hundred keys, or a few long ones.
	Size() int
	// Flush passes on what the sink has gathered. Calls are made one at a time
	// and in the order of the file. An error ends the run.
	//
	// end is false in the middle of a block, where the sink was so large that it
	// had to wait until all blocks before were flushed. A sink that cannot pass
	// on a part of a block, or whose result would depend on it, does nothing
	// then.
	Flush(end bool) error
}

const (
	// DefaultSinkMemory is how many bytes the sinks of one Run may hold together
	// before some of them wait.
	DefaultSinkMemory = 32 << 20

	minWaitSize = 1 << 20  // bytes of a sink that has to wait
	sizeStep    = 64 << 10 // bytes that keys may add to a sink before it is asked for its size
	keySize     = 128      // of these, what a key counts besides its name
)
