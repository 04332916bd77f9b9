package main

import (
	"io"
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// rows are the lines of one run of keys, and what is used to judge them. A
// megabyte of small keys makes ten of rows, so the text is kept in pieces, which
// are used again and again: nothing grows, and nothing is left to collect.
type rows struct {
	full     [][]byte
	last     []byte
	names    *thresholds.NameCache
	findings []thresholds.Finding
}

const (
	rowPiece = 256 << 10
	rowRoom  = 4 << 10 // room left in a piece under which the next one is begun
)

// rowWriter gives out rows and writes them in the order of the file.
type rowWriter struct {
	out io.Writer
	row func(dst []byte, k *parser.Key) []byte

	mu     sync.Mutex // guards what follows
	spare  []*rows
	pieces [][]byte
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

func (w *rowWriter) add(r *rows, k *parser.Key) {
	if cap(r.last)-len(r.last) < rowRoom {
		w.piece(r)
	}
	r.last = w.row(r.last, k)
}

// piece begins the next piece.
func (w *rowWriter) piece(r *rows) {
	if len(r.last) > 0 {
		r.full = append(r.full, r.last)
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

// fold writes a run. The error is a *writingError.
func (w *rowWriter) fold(r *rows) error {
	for i, piece := range append(r.full, r.last) {
		if len(piece) == 0 {
			continue
		}
		if _, err := w.out.Write(piece); err != nil {
			return &writingError{err}
		}
		if i < len(r.full) {
			w.mu.Lock()
			w.pieces = append(w.pieces, piece[:0])
			w.mu.Unlock()
		}
	}
	r.full, r.last = r.full[:0], r.last[:0]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = append(w.spare, r)
	return nil
}

// writingError tells an error of our output from one of the input.
type writingError struct{ err error }

func (w *writingError) Error() string { return w.err.Error() }
func (w *writingError) Unwrap() error { return w.err }
