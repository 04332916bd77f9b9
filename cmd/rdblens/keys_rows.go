package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type rowWriter struct {
	*keysFlags
	fixed    int                    // bytes that a row takes at most besides the key's name
	engine   *thresholds.Engine     // nil unless owners, groups or findings are asked for
	inGroups []*naming.GroupPattern // that are asked for, nil any
	wide     []widePattern          // of identities
	created  int64                  // Info.Created
	file     []byte                 // name of the input
	out      io.Writer
	spare    chan []byte  // chunks not in use
	memory   atomic.Int64 // of all keys, also those that are not wanted
}

func (w *rowWriter) newSink() parser.Sink { return w.newRows() }

func (w *rowWriter) newRows() *rowSink {
	s := &rowSink{rowWriter: w}
	if w.engine != nil {
		s.names, s.findings = w.engine.Namer().NewCache(), make([]thresholds.Finding, 0, 16)
	}
	return s
}

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
	db       int // of the last key in last
	names    *naming.Cache
	pattern  []byte // of the last key
	findings []thresholds.Finding
	memory   int64 // of the keys since the last Flush
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
	s.memory += max(k.Memory, 0)
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
	if s.format.selects && (len(s.last) == 0 || k.DB != s.db) { // a chunk may follow any other
		s.db = k.DB
		db := strconv.Itoa(k.DB)
		s.last = fmt.Appendf(s.last, "*2\r\n$6\r\nSELECT\r\n$%d\r\n%s\r\n", len(db), db)
	}
	s.last = s.format.row(s.last, shown, s.findings)
	if s.columns != nil {
		s.addColumns(k)
	}
}

// A column can be added to the rows. It has numbers or text.
type column struct {
	name    string
	number  func(s *rowSink, k *parser.Key) (n int64, known bool)
	text    func(s *rowSink, k *parser.Key) (value []byte, known bool)
	ofGroup bool // it needs the compiled rules
}

var columns = []column{
	{name: "ttl_seconds", number: func(s *rowSink, k *parser.Key) (int64, bool) { return report.TTL(k, s.created) }},
	{name: "file", text: func(s *rowSink, _ *parser.Key) ([]byte, bool) { return s.file, true }},
	{name: "group", ofGroup: true, text: func(s *rowSink, k *parser.Key) ([]byte, bool) {
		s.pattern = s.engine.Namer().AppendPattern(s.pattern[:0], k.Name)
		if s.redact != nil {
			return s.redact.Name(s.pattern), true
		}
		return s.pattern, true
	}},
	{name: "owner", ofGroup: true, text: func(s *rowSink, k *parser.Key) ([]byte, bool) {
		owner := s.engine.Owners()[s.engine.Owner(k, s.names.Facts(k.Name))]
		return []byte(owner), owner != ""
	}},
	{name: "key_bytes", number: func(_ *rowSink, k *parser.Key) (int64, bool) { return k.NameLen, true }},
	{name: "longest_string_bytes",
		number: func(_ *rowSink, k *parser.Key) (int64, bool) { return k.Longest, k.Longest >= 0 }},
}

// addColumn adds a column to the rows, once.
func (p *keysFlags) addColumn(name string) {
	for i := range columns {
		if c := &columns[i]; c.name == name && !slices.Contains(p.columns, c) {
			p.columns = append(p.columns, c)
		}
	}
}

// A keysFormat is how rows are written. number and text append a cell of a column
// that was added, with what is before it.
type keysFormat struct {
	columns []string // that are always added
	row     appendRow
	number  func(dst []byte, column string, n int64, known bool) []byte
	text    func(dst []byte, column string, value []byte, known bool) []byte
	end     string // of a row
	selects bool   // before the keys of a database comes SELECT
	begin   func(out io.Writer, more []string, sorted bool) (io.Writer, error)
}

var keysFormats = map[string]*keysFormat{
	"csv": {
		row: func(dst []byte, k *parser.Key, _ []thresholds.Finding) []byte { return report.AppendKeyCSV(dst, k) },
		number: func(dst []byte, _ string, n int64, known bool) []byte {
			if dst = append(dst, ','); known {
				dst = text.AppendInt(dst, n)
			}
			return dst
		},
		text: func(dst []byte, _ string, value []byte, _ bool) []byte {
			return text.AppendCSV(append(dst, ','), value)
		},
		end: "\n",
		begin: func(out io.Writer, more []string, _ bool) (io.Writer, error) {
			names := append([]string{strings.TrimSuffix(report.KeysHeader, "\n")}, more...)
			_, err := io.WriteString(out, strings.Join(names, ",")+"\n")
			return out, err
		},
	},
	"jsonl": {
		row: report.AppendKeyJSON,
		number: func(dst []byte, column string, n int64, known bool) []byte {
			if dst = appendField(dst, column); known {
				return text.AppendInt(dst, n)
			}
			return append(dst, "null"...)
		},
		text: func(dst []byte, column string, value []byte, known bool) []byte {
			if dst = appendField(dst, column); known {
				return text.AppendJSON(dst, value)
			}
			return append(dst, "null"...)
		},
		end:   "}\n",
		begin: func(out io.Writer, _ []string, _ bool) (io.Writer, error) { return out, nil },
	},
	"unlink": {
		row: func(dst []byte, k *parser.Key, _ []thresholds.Finding) []byte {
			dst = fmt.Appendf(dst, "*2\r\n$6\r\nUNLINK\r\n$%d\r\n", len(k.Name))
			return append(append(dst, k.Name...), "\r\n"...)
		},
		selects: true,
		begin:   func(out io.Writer, _ []string, _ bool) (io.Writer, error) { return out, nil },
	},
	"parquet": {
		columns: []string{"file", "group", "owner", "ttl_seconds"},
		row:     func(dst []byte, k *parser.Key, _ []thresholds.Finding) []byte { return report.AppendKeyParquet(dst, k) },
		number: func(dst []byte, _ string, n int64, known bool) []byte {
			return report.AppendParquetNumber(dst, n, known)
		},
		text: func(dst []byte, _ string, value []byte, known bool) []byte {
			return report.AppendParquetText(dst, value, known)
		},
		begin: func(out io.Writer, more []string, sorted bool) (io.Writer, error) {
			return report.NewKeysParquet(out, more, sorted), nil
		},
	},
}

func appendField(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

// addColumns adds the columns of --columns and of the format to the last row.
func (s *rowSink) addColumns(k *parser.Key) {
	row := s.last[:len(s.last)-len(s.format.end)]
	for _, c := range s.columns {
		if c.text != nil {
			value, known := c.text(s, k)
			row = s.format.text(row, c.name, value, known)
		} else {
			n, known := c.number(s, k)
			row = s.format.number(row, c.name, n, known)
		}
	}
	s.last = append(row, s.format.end...)
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
	if s.inGroups != nil {
		s.pattern = s.engine.Namer().AppendPattern(s.pattern[:0], k.Name)
		if !slices.ContainsFunc(s.inGroups, func(g *naming.GroupPattern) bool { return g.Has(k.Name, s.pattern) }) {
			return false
		}
	}
	if s.only == 0 {
		return true
	}
	s.findings = slices.DeleteFunc(s.engine.Check(k, name, s.findings[:0]), func(f thresholds.Finding) bool {
		return f.Ignored != 0 || !s.only.Has(f.Rule)
	})
	if id := s.identity(k); id != nil {
		s.findings = slices.DeleteFunc(s.findings, func(f thresholds.Finding) bool { return id.Explains(f.Rule.Name()) })
		if found, ok := s.engine.Backlog(k, id); ok && s.only.Has(found.Rule) {
			s.findings = append(s.findings, found)
		}
	}
	return len(s.findings) > 0
}

// identity returns what the report says of the group of a key: that of its pattern, or of the
// wider pattern that this one was folded into; nil if that is not known.
func (s *rowSink) identity(k *parser.Key) *report.Identity {
	if s.identities == nil {
		return nil
	}
	s.pattern = s.engine.Namer().AppendPattern(s.pattern[:0], k.Name)
	if id := s.identities[string(s.pattern)]; id != nil {
		return id
	}
	for i := range s.wide {
		if w := &s.wide[i]; w.pattern.Has(k.Name, s.pattern) {
			return w.identity
		}
	}
	return nil
}

type widePattern struct {
	pattern  *naming.GroupPattern
	identity *report.Identity
}

func (s *rowSink) Size() int { return len(s.full)*rowChunk + cap(s.last) }

// Flush writes the rows, also in the middle of a block. The error is a
// *writingError.
func (s *rowSink) Flush(bool) error {
	s.rowWriter.memory.Add(s.memory)
	s.memory = 0
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
