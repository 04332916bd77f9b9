package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Format is a form in which a report is written. One file, out_<name>.go,
// registers it.
type Format struct {
	Name string
	Doc  string // one line for --help
	rank int    // place in Formats
	// write need not flush or look at errors twice: w keeps the first one.
	write func(w *bufio.Writer, r *Report, o WriteOptions) error
}

// WriteOptions say how a report is shown to people; formats for machines heed
// none of them.
type WriteOptions struct {
	Width int // columns of the terminal, 0 is DefaultWidth
}

// DefaultWidth is the width of tables, in columns, where no terminal says
// another.
const DefaultWidth = 120

var formats []*Format

// register is called by the init function of a format's file.
func register(f *Format) {
	formats = append(formats, f)
	slices.SortFunc(formats, func(a, b *Format) int { return cmp.Or(a.rank-b.rank, cmp.Compare(a.Name, b.Name)) })
}

// Formats gives the names of all formats, the default first.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// Lookup gives the format of a name. A table of CSV needs not say so: findings
// is findings.csv.
func Lookup(name string) (*Format, bool) {
	for _, f := range formats {
		if f.Name == name || f.Name == name+".csv" {
			return f, true
		}
	}
	return nil, false
}

// Write writes a report in a format. It does not change the report.
func Write(format string, w io.Writer, r *Report, o WriteOptions) error {
	f, ok := Lookup(format)
	if !ok {
		return unknownFormat(format)
	}
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(b, r, o); err != nil {
		return err
	}
	return b.Flush()
}

func unknownFormat(name string) error {
	return fmt.Errorf("unknown format %q: known are %s", name, list(Formats()))
}

// list gives words as "a, b and c".
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		s := words[0]
		for _, w := range words[1 : n-1] {
			s += ", " + w
		}
		return s + " and " + words[n-1]
	}
}
