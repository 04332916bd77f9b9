package parser

import (
	"context"
	"errors"
	"io"

	"github.com/rdblens/rdblens/parser/internal/source"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/parser/message"
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

	// Allocators has Run compute what a sample of the keys takes with every allocator:
	// see Info.Sampled. It needs a model.
	Allocators bool

	// Details are what is computed of values besides.
	Details Details

	// Jobs is how many goroutines of Run walk keys, 0 one per CPU.
	Jobs int
	// Wait, if not nil, returns how many blocks must have been flushed before a sink gets
	// keys of the block with a number, which is at least as many. Blocks without keys count.
	Wait func(block int) int
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

// An Ordered sink knows which block it gets, and can ask to be flushed.
type Ordered interface {
	Sink
	// Begin is called before the first key of a block. Blocks are numbered from 0, in the
	// order of the file. Calls are made one at a time, as those of Flush are.
	Begin(block int)
	// Full reports whether the sink must be flushed before it gets many more keys. Run
	// asks after every few hundred keys of a block, at the same ones whatever Jobs is.
	Full() bool
}

const (
	// DefaultSinkMemory is how many bytes the sinks of one Run may hold together
	// before some of them wait.
	DefaultSinkMemory = 8 << 20

	minWaitSize = 256 << 10 // bytes of a sink that has to wait
	sizeStep    = 16 << 10  // bytes that keys may add to a sink before it is asked for its size
	keySize     = 128       // of these, what a key counts besides its name
)

// deliver passes a key to the unit's sink. It reports whether the run goes on.
func (r *runner) deliver(u *unit, k *Key) bool {
	u.sink.Key(k)
	if u.growth += keySize + len(k.Name); u.growth < sizeStep {
		return true
	}
	u.growth = 0
	if u.ordered != nil && u.ordered.Full() {
		return r.flush(u)
	}
	// If all sinks hold too much together, those that hold much wait until their unit is first
	// in order, and are flushed.
	return r.account(u) <= r.budget || u.sinkSize < minWaitSize || r.flush(u)
}

// flush waits until a unit is first in order, and flushes what its sink has. It reports
// whether the run goes on.
func (r *runner) flush(u *unit) bool {
	r.wait(u)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped.Load() {
		return false
	}
	if err := u.sink.Flush(false); err != nil {
		r.flushErr = err
		r.stopped.Store(true)
		return false
	}
	r.account(u)
	return true
}

// account asks a unit's sink for its size and returns what is reserved for all sinks.
func (r *runner) account(u *unit) int64 {
	size := max(int64(u.sink.Size()), u.sinkLeast)
	grown := size - u.sinkSize
	u.sinkSize = size
	return r.sinkMemory.Add(grown)
}

// takeSink assigns a sink to a unit. It waits until there is memory for it, or until
// the unit is first in order.
func (r *runner) takeSink(u *unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	least := 0
	if r.opt.Wait != nil {
		least = min(r.opt.Wait(u.n), u.n)
	}
	for r.flushed < least || r.order[0] != u && !r.canTakeSink() {
		r.changed.Wait()
	}
	r.takeSinkLocked(u)
}

func (r *runner) canTakeSink() bool {
	more := r.usual
	if n := len(r.sinks); n > 0 {
		more -= int64(r.sinks[n-1].Size())
	}
	return more <= 0 || r.sinkMemory.Load()+more <= r.budget
}

func (r *runner) takeSinkLocked(u *unit) {
	u.sinkLeast = r.usual
	if n := len(r.sinks); n > 0 {
		u.sink = r.sinks[n-1]
		r.sinks = r.sinks[:n-1]
		u.sinkSize = int64(u.sink.Size())
	} else {
		u.sink = r.newSink()
	}
	if u.ordered, _ = u.sink.(Ordered); u.ordered != nil {
		u.ordered.Begin(u.n)
	}
	r.account(u)
}

// keepSink makes the sink of a completed unit available to others, unless sinks
// have too much memory.
func (r *runner) keepSink(u *unit) {
	u.sinkLeast = 0
	total := r.account(u)
	r.usual = max(r.usual-r.usual/8, u.sinkSize)
	if total <= r.budget || u.sinkSize < minWaitSize {
		r.sinks = append(r.sinks, u.sink)
	} else {
		r.sinkMemory.Add(-u.sinkSize)
	}
}

// A Source reads the bytes of a snapshot, from its magic on, out of whatever
// surrounds it: gzip, zstd and LZ4 files, Valkey's compressed envelope, and
// captures of a replication stream. These are detected by magic bytes, not by
// file name, and decompressed as they stream. A plain file is read straight into
// the caller's buffer.
//
// Run and NewScanner call End where the snapshot ends. They do not read a compressed
// Source by its Read, but have it decompressed ahead in a goroutine, until Close. A
// caller that reads a Source itself should call End, too: only then are the checksums
// of compressed frames verified.
type Source struct {
	r *source.Reader
}

// An Ender is a source that checks what must follow a snapshot. Run and
// NewScanner call End once if their source has it, after they have read the
// whole snapshot; see Source.End.
type Ender interface {
	End(read int64, rest []byte) (trailing int64, err error)
}

// MaxTrailing is how many bytes after a snapshot Info.Trailing counts at most
// if the snapshot is compressed or of unknown length.
const MaxTrailing = source.MaxTrailing

// Open opens a snapshot file, or standard input if path is "-". The error is a
// *FormatError if the file can be read but is no snapshot. The caller must close
// the Source.
func Open(path string) (*Source, error) { return newSource(source.Open(path)) }

// Wrap is like Open for any reader. Close does not close r.
func Wrap(r io.Reader) (*Source, error) { return newSource(source.Wrap(r)) }

func newSource(r *source.Reader, err error) (*Source, error) {
	if err != nil {
		if refused, ok := errors.AsType[*source.Error](err); ok {
			err = &FormatError{Reason: refused.Reason, Hint: refused.Hint}
		}
		return nil, err
	}
	return &Source{r}, nil
}

// Read reads the next bytes of the snapshot and of what follows it. An error
// matters only if the snapshot needs the bytes after it: the checksum of a
// compressed frame may be wrong after a whole snapshot.
func (s *Source) Read(p []byte) (int, error) { return s.r.Read(p) }

// End checks what must follow the snapshot: the closing mark of a replication
// stream and the checksums of compressed frames. read is the length of the
// snapshot in bytes (up to its checksum, or its end mark before version 5), rest
// holds the bytes after it that the caller has read already. End returns the
// number of bytes that follow and belong to no frame, such as an append-only
// file's commands or padding; see MaxTrailing. An error says that a frame is
// damaged although the snapshot is whole. End must be called at most once.
func (s *Source) End(read int64, rest []byte) (trailing int64, err error) {
	return s.r.End(read, rest)
}

func (s *Source) ahead() *source.Reader {
	if s.r.Compressed() {
		return s.r
	}
	return nil
}

func (s *Source) diagnose(ctx context.Context, offset int64, cause error) message.Message {
	return s.r.Diagnose(ctx, offset, cause)
}

// Size returns the length of the file on disk in bytes, or -1 if it is unknown.
func (s *Source) Size() int64 { return s.r.Size() }

// Progress returns how many bytes of the file have been read, to be compared
// with Size. It may be called while another goroutine reads.
func (s *Source) Progress() int64 { return s.r.Progress() }

// ReaderAt returns random access to the bytes that Read returns, the first byte
// of the snapshot being at 0, or nil where a regular file does not hold them as
// they are: in compressed data and pipes.
func (s *Source) ReaderAt() io.ReaderAt { return s.r.ReaderAt() }

// Frames returns the names of the layers around the snapshot, as Info.Frames
// has them.
func (s *Source) Frames() []string { return s.r.Frames() }

// Close closes the file and frees the decompressors.
func (s *Source) Close() error { return s.r.Close() }
