package parser

import (
	"github.com/rdblens/rdblens/parser/memory"
)

// Options say how a snapshot is read.
type Options struct {
	NoChecksum bool // do not compute the CRC-64: Checksum stays "not checked"
	Strict     bool // a checksum that is switched off counts as damage
	// Memory chooses the memory model once the header is read; nil, or a nil
	// model, leaves the memory figures of every key at -1.
	Memory func(*Info) *memory.Model
}

// Pass says what to do with the keys of a snapshot while it is read in
// parallel. P is the caller's partial result of a run of keys.
//
// Begin, Key and Fold are called so that no locks are needed: Key for one P
// from one goroutine at a time, Fold for one P after the other in the order of
// the file. After Fold a P may be given out by Begin again.
type Pass[P any] struct {
	Jobs  int         // goroutines that walk keys; 0 is one a CPU
	Start func(*Info) // the header is read; called before the first Begin
	Begin func() P
	Key   func(P, *Key)
	Fold  func(P) error // an error ends the pass
	// Full, where it is not nil, is asked now and then whether a P holds too
	// much to go on beside others. If so, it gets no more keys until all before
	// it are folded; then Turn is called, as Fold is, and may empty it.
	Full func(P) bool
	Turn func(P) error
}
