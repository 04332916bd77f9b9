package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rdblens/rdblens/report/language"
)

// Format is a form in which a report is written. Its file, out_<name>.go,
// registers it; nothing else in the program names it.
type Format struct {
	Name string
	Doc  string // one line of help
	// Extension is the end of the name of a file that stands for the format
	// when no format is named, with its dot: ".json".
	Extension string

	rank   int  // place in Formats
	binary bool // not text
	// write need neither flush nor check the errors of w, which keeps the first.
	write func(w *bufio.Writer, r *Report, o WriteOptions) error
}

// Document is what formats write: a *Report, a *Diff or a *Trend.
type Document interface {
	writeAs(f *Format, w *bufio.Writer, o WriteOptions) error
}

func (r *Report) writeAs(f *Format, w *bufio.Writer, o WriteOptions) error { return f.write(w, r, o) }

func (d *Diff) writeAs(f *Format, w *bufio.Writer, o WriteOptions) error {
	return writeOne(diffFormats, f.Name, w, d, o)
}

func (t *Trend) writeAs(f *Format, w *bufio.Writer, o WriteOptions) error {
	return writeOne(trendFormats, f.Name, w, t, o)
}

// writers are the formats of a kind of document that is not a Report.
type writers[D Document] map[string]func(*bufio.Writer, D, WriteOptions) error

func writeOne[D Document](of writers[D], name string, w *bufio.Writer, d D, o WriteOptions) error {
	write := of[name]
	if write == nil {
		return fmt.Errorf("no format %s: the formats are %s", name, strings.Join(of.names(), ", "))
	}
	return write(w, d, o)
}

// names returns the names of the formats, the default first.
func (of writers[D]) names() []string {
	return slices.DeleteFunc(FormatNames(), func(name string) bool { return of[name] == nil })
}

// WriteOptions control how a report is shown to people. Formats for programs
// ignore them. The zero WriteOptions are those of a file.
type WriteOptions struct {
	// Width is that of the terminal, in columns. 0 means that there is none: tables
	// are then as wide as they need, and names are cut at 1,024 columns.
	Width int
	Color bool // colour what is severe, with the escape sequences of terminals
	// Now is when the scan ended, from which the age of a snapshot is counted, and
	// Elapsed how long it took. Zero: metrics state the present time, and no age and
	// no duration is shown.
	Now        time.Time
	Elapsed    time.Duration
	Sections   []string          // of format details, see Sections; nil is all
	Language   language.Language // of sentences; "" is English
	Advice     bool              // show commands that change data, too, each with its condition
	LimitBytes int               // that a ticket may have; 0 is DefaultLimitBytes
	Command    string            // the command line, for the foot of a ticket
}

var formats []*Format

// register is called by the init function of a format's file.
func register(f *Format) {
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b *Format) int { return cmp.Or(a.rank-b.rank, cmp.Compare(a.Name, b.Name)) })
}

// Formats returns all formats, the default first.
func Formats() []*Format { return slices.Clone(formats) }

// FormatNames returns the names of all formats, the default first.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// DiffFormatNames returns the names of the formats of a Diff, the default first.
func DiffFormatNames() []string { return diffFormats.names() }

// TrendFormatNames returns the names of the formats of a Trend, the default first.
func TrendFormatNames() []string { return trendFormats.names() }

// Lookup returns the format of a name. The ending .csv may be left out: findings
// is findings.csv.
func Lookup(name string) (*Format, bool) {
	for _, f := range formats {
		if f.Name == name || f.Name == name+".csv" {
			return f, true
		}
	}
	return nil, false
}

// formatOfFile returns the format that the name of a file stands for: by the
// whole name (findings.csv) or by its longest extension.
func formatOfFile(path string) (format *Format, ok bool) {
	base := filepath.Base(path)
	for _, f := range formats {
		if f.Name == base && filepath.Ext(base) != "" {
			return f, true
		}
		if f.Extension != "" && strings.HasSuffix(base, f.Extension) && (!ok || len(f.Extension) > len(format.Extension)) {
			format, ok = f, true
		}
	}
	return format, ok
}

// Write writes a document in a format. It does not change the document.
func Write(format string, w io.Writer, d Document, o WriteOptions) error {
	f, ok := Lookup(format)
	if !ok {
		return unknownFormat(format)
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := d.writeAs(f, b, o); err != nil {
		return err
	}
	return b.Flush()
}

func unknownFormat(name string) error {
	return fmt.Errorf("unknown format %q: the formats are %s", name, strings.Join(FormatNames(), ", "))
}
