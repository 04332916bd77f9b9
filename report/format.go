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

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/output"
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
	// Height is that of the terminal, in lines, in which the most important parts of a report
	// fit; 0 means that there is none.
	Height int
	// Rows is the most rows of each part of an overview, whatever the height; 0 is as many as fit.
	Rows  int
	Color bool // colour what is severe, with the escape sequences of terminals
	// Now is when the scan ended, from which the age of a snapshot is counted, and
	// Elapsed how long it took. Zero: metrics state the present time, and no age and
	// no duration is shown.
	Now      time.Time
	Elapsed  time.Duration
	Sections []string          // of format details, see Sections; nil is all
	Language language.Language // of sentences; "" is English
	Advice   bool              // show commands that change data, too, each with its condition
	// Depth is the number of segments of the prefixes that say where the memory is, behind what all
	// names have in common; 0 is as many as say most.
	Depth      int
	LimitBytes int    // that a ticket may have; 0 is DefaultLimitBytes
	Command    string // the command line, for the foot of a ticket
	// Since is an older report of the same servers: the page, tickets and details say what has changed
	// since then. nil: none.
	Since *Report
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
	return message.Errorf("unknown format {name}: the formats are {names}", message.Element("name", name),
		message.Text("names", strings.Join(FormatNames(), ", ")))
}

// Target is where a report goes in one format.
type Target struct {
	Format string
	Path   string // "" is standard output
}

// ParseTargets reads the values of --format. A value is FORMAT for standard
// output, FORMAT=PATH, with PATH "-" for standard output, or the name of a file
// whose extension stands for a format. Only one format can go to standard output.
// A format that is named like a file (findings.csv) goes to the file of that name
// if there are other values.
func ParseTargets(values []string) ([]Target, error) {
	var targets []Target
	onStdout := ""
	for _, v := range values {
		t, err := parseTarget(v, len(values) > 1)
		if err != nil {
			return nil, err
		}
		if t.Path == "" {
			if onStdout != "" {
				return nil, fmt.Errorf("formats %s and %s both go to standard output: name a file for one of them, as in "+
					"%s=report.%[2]s", onStdout, t.Format, t.Format)
			}
			onStdout = t.Format
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// parseTarget reads one value; others says whether there are more.
func parseTarget(value string, others bool) (Target, error) {
	format, path, toFile := strings.Cut(value, "=")
	f, ok := Lookup(format)
	if !ok && !toFile {
		f, ok = formatOfFile(value)
		path = value
	} else if ok && !toFile && others && filepath.Ext(format) != "" {
		path = value
	}
	switch {
	case !ok:
		return Target{}, unknownFormat(format)
	case toFile && path == "":
		return Target{}, fmt.Errorf("no file name after %q", format+"=")
	case path == "-":
		path = ""
	}
	return Target{Format: f.Name, Path: path}, nil
}

// CheckTargets checks targets before a scan as output.Check does.
func CheckTargets(targets []Target, inputs []string) error {
	paths := make([]string, len(targets))
	for i, t := range targets {
		paths[i] = t.Path
	}
	return output.Check(paths, inputs)
}

// WriteAll writes a document to all targets. Files appear complete or not at all:
// each is written beside its target, and all are renamed when all are complete.
// Standard output comes last. Inputs are the paths of the snapshots, which are
// never written to. The error is an *output.Error.
func WriteAll(targets []Target, stdout io.Writer, inputs []string, d Document, o WriteOptions) error {
	if err := CheckTargets(targets, inputs); err != nil {
		return err
	}
	var files []*output.File
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	for _, t := range targets {
		if t.Path == "" {
			continue
		}
		f, err := output.Create(t.Path, inputs)
		if err != nil {
			return err
		}
		files = append(files, f)
		file := o
		file.Width, file.Height, file.Color = 0, 0, false
		if err := Write(t.Format, f, d, file); err != nil {
			return output.NewError(t.Path, err)
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if t.Path == "" {
			if err := Write(t.Format, stdout, d, o); err != nil {
				return output.NewError("", err)
			}
		}
	}
	return nil
}
