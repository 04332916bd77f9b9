package main

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// rows are the lines of one run of keys, and what is used to judge them. A
// megabyte of small keys makes ten of rows, and one of empty or compressed names
// hundreds, so the text is kept in pieces, which are used again and again:
// nothing grows, and nothing is left to collect. Where all runs together hold
// maxHeld bytes, only the first one goes on, and writes as it goes.
type rows struct {
	full     [][]byte
	last     []byte
	names    *naming.Cache
	findings []thresholds.Finding
}

const (
	rowPiece = 384 << 10 // more than the longest row
	rowRoom  = 8 << 10   // what a row may take besides the key's name
	nameRoom = 5         // what each byte of that takes: JSON writes \\xNN
	maxHeld  = 48 << 20
)

// rowOf appends the row of a key, with what was found of it where that was asked.
type rowOf func(dst []byte, k *parser.Key, found []thresholds.Finding) []byte

// rowWriter gives out rows and writes them in the order of the file.
type rowWriter struct {
	out io.Writer
	row rowOf

	mu     sync.Mutex // guards what follows
	spare  []*rows
	pieces [][]byte

	held atomic.Int64 // bytes of the pieces that wait to be written
}

func (w *rowWriter) begin() *rows {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.spare); n > 0 {
		r := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return r
	}
	return new(rows)
}

func (w *rowWriter) add(r *rows, k *parser.Key, found []thresholds.Finding) {
	if cap(r.last)-len(r.last) < rowRoom+nameRoom*len(k.Name) {
		w.piece(r)
	}
	r.last = w.row(r.last, k, found)
}

// piece begins the next piece.
func (w *rowWriter) piece(r *rows) {
	if len(r.last) > 0 {
		r.full = append(r.full, r.last)
		w.held.Add(rowPiece)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.pieces); n > 0 {
		r.last = w.pieces[n-1]
		w.pieces = w.pieces[:n-1]
		return
	}
	r.last = make([]byte, 0, rowPiece)
}

// isFull reports whether a run must wait for its turn.
func (w *rowWriter) isFull(r *rows) bool { return w.held.Load() >= maxHeld && len(r.full) > 1 }

// turn writes what there is of a run. The error is a *writingError.
func (w *rowWriter) turn(r *rows) error {
	for _, piece := range r.full {
		if _, err := w.out.Write(piece); err != nil {
			return &writingError{err}
		}
		w.held.Add(-rowPiece)
		w.mu.Lock()
		w.pieces = append(w.pieces, piece[:0])
		w.mu.Unlock()
	}
	r.full = r.full[:0]
	if len(r.last) > 0 {
		if _, err := w.out.Write(r.last); err != nil {
			return &writingError{err}
		}
		r.last = r.last[:0]
	}
	return nil
}

// fold writes a run, which ends. The error is a *writingError.
func (w *rowWriter) fold(r *rows) error {
	if err := w.turn(r); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = append(w.spare, r)
	return nil
}

// writingError tells an error of our output from one of the input.
type writingError struct{ err error }

func (w *writingError) Error() string { return w.err.Error() }
func (w *writingError) Unwrap() error { return w.err }
