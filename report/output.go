package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rdblens/rdblens/report/output"
)

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
				return nil, fmt.Errorf("formats %s and %s both go to standard output: name a file for one of them, as in %s=report.%[2]s", onStdout, t.Format, t.Format)
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
		file.Width, file.Color = 0, false
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
