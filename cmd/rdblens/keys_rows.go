package main

import (
	"io"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// rowWriter writes the rows of one input.
type rowWriter struct {
	*keysFlags
	fixed   int                // bytes that a row takes at most besides the key's name
	engine  *thresholds.Engine // nil unless owners or findings are asked for
	created int64              // Info.Created
	file    []byte             // name of the input
	out     io.Writer
	spare   chan []byte // chunks not in use
}

func (w *rowWriter) newSink() parser.Sink {
	s := &rowSink{rowWriter: w}
	if w.engine != nil {
		s.names, s.findings = w.engine.Namer().NewCache(), make([]thresholds.Finding, 0, 16)
	}
	return s
}

// chunk returns an empty chunk.
func (w *rowWriter) chunk() []byte {
	select {
	case c := <-w.spare:
		return c[:0]
	default:
		return make([]byte, 0, rowChunk)
	}
}

func (w *rowWriter) free(chunk []byte) {
	select {
	case w.spare <- chunk:
	default:
	}
}

// rowSink makes the rows of keys and writes them when it is flushed.
//
// A megabyte of small keys makes ten of rows, and one of empty or compressed
// names hundreds, so the text is kept in chunks that all sinks share and use
// again: nothing is copied to grow, and nothing is left to collect.
type rowSink struct {
	*rowWriter
	full     [][]byte // chunks before the last
	last     []byte
	names    *naming.Cache
	findings []thresholds.Finding
}

const (
	rowChunk    = 384 << 10 // more than the longest row
	rowFixed    = 8 << 10   // bytes that a row takes at most besides the names of key and file
	rowNameByte = 5         // bytes that one of the name takes at most: JSON writes \\xNN
	spareChunks = 128
)

// appendRow appends the row of a key, with its findings if these were asked for.
type appendRow func(dst []byte, k *parser.Key, found []thresholds.Finding) []byte

func (s *rowSink) Key(k *parser.Key) {
	if !s.wanted(k) {
		return
	}
	shown := k
	if s.redact != nil {
		k.NameLargest()
		row := *k
		row.Name = s.redact.KeyName(k)
		row.NameLen = int64(len(row.Name))
		if row.LargestName != nil {
			row.LargestName = s.redact.Element(row.LargestName)
		}
		shown = &row
	}
	if cap(s.last)-len(s.last) < s.fixed+rowNameByte*len(shown.Name) {
		if len(s.last) > 0 {
			s.full = append(s.full, s.last)
		}
		s.last = s.chunk()
	}
	s.last = s.row(s.last, shown, s.findings)
	if s.columns != nil {
		s.addColumns(k)
	}
}

// A column can be added to the rows. It has numbers or text.
type column struct {
	name   string
	number func(s *rowSink, k *parser.Key) (n int64, known bool)
	text   func(s *rowSink) []byte
}

// columns are those that --columns takes.
var columns = []column{
	{name: "ttl_seconds", number: func(s *rowSink, k *parser.Key) (int64, bool) { return report.TTL(k, s.created) }},
	{name: "file", text: func(s *rowSink) []byte { return s.file }},
	{name: "key_bytes", number: func(_ *rowSink, k *parser.Key) (int64, bool) { return k.NameLen, true }},
	{name: "longest_string_bytes", number: func(_ *rowSink, k *parser.Key) (int64, bool) { return k.Longest, k.Longest >= 0 }},
}

// addColumns adds the columns of --columns to the last row.
func (s *rowSink) addColumns(k *parser.Key) {
	row, end, unknown, writeText := s.last, "}\n", "null", text.AppendJSON
	if s.header != "" {
		end, unknown, writeText = "\n", "", text.AppendCSV
	}
	row = row[:len(row)-len(end)]
	for _, c := range s.columns {
		row = append(row, ',')
		if s.header == "" {
			row = append(append(append(row, '"'), c.name...), `":`...)
		}
		if c.text != nil {
			row = writeText(row, c.text(s))
		} else if n, known := c.number(s, k); known {
			row = text.AppendInt(row, n)
		} else {
			row = append(row, unknown...)
		}
	}
	s.last = append(row, end...)
}

// wanted reports whether the filters keep a key. If findings are asked for, it
// must have one of them; these are left in findings.
func (s *rowSink) wanted(k *parser.Key) bool {
	if !s.filter.keep(k, s.created) {
		return false
	}
	if s.engine == nil {
		return true
	}
	name := s.names.Facts(k.Name)
	if !s.filter.keepOwner(s.engine.Owners()[s.engine.Owner(k, name)]) {
		return false
	}
	if s.only == 0 {
		return true
	}
	s.findings = slices.DeleteFunc(s.engine.Check(k, name, s.findings[:0]), func(f thresholds.Finding) bool {
		return f.Ignored != 0 || !s.only.Has(f.Rule)
	})
	return len(s.findings) > 0
}

func (s *rowSink) Size() int { return len(s.full)*rowChunk + cap(s.last) }

// Flush writes the rows, also in the middle of a block. The error is a
// *writingError.
func (s *rowSink) Flush(bool) error {
	for _, chunk := range s.full {
		if _, err := s.out.Write(chunk); err != nil {
			return &writingError{err}
		}
		s.free(chunk)
	}
	s.full = s.full[:0]
	if len(s.last) > 0 {
		if _, err := s.out.Write(s.last); err != nil {
			return &writingError{err}
		}
		s.last = s.last[:0]
	}
	return nil
}

// writingError tells an error of our output from one of the input.
type writingError struct{ err error }

func (w *writingError) Error() string { return w.err.Error() }
func (w *writingError) Unwrap() error { return w.err }
