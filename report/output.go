package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// OutputError is a failure to write an output.
type OutputError struct {
	Path string // "" is standard output
	Err  error
	Hint string // what to do, "" if unknown
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("cannot write %s: %v", outputName(e.Path), e.Err)
}

// Unwrap returns the cause.
func (e *OutputError) Unwrap() error { return e.Err }

func outputName(path string) string {
	if path == "" {
		return "standard output"
	}
	return strconv.Quote(path)
}

// StdoutError returns the *OutputError of a failure to write to standard output,
// nil for nil. An error that is an *OutputError already is returned unchanged.
func StdoutError(err error) error { return outputError("", err) }

// outputError is like StdoutError for an output that is named by its path, in
// place of the temporary file or descriptor that the system's error names.
func outputError(path string, err error) error {
	if err == nil {
		return nil
	}
	var known *OutputError
	if errors.As(err, &known) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		err = l.Err
	}
	e := &OutputError{Path: path, Err: err}
	switch {
	case isDiskFull(err):
		e.Hint = "free space on the disk, or write elsewhere"
	case errors.Is(err, fs.ErrNotExist):
		e.Hint = "create the directory first"
	}
	return e
}

// ErrOwnInput is the cause of an OutputError for an output that would replace an
// input.
var ErrOwnInput = errors.New("it is the snapshot that is being read")

// CheckTargets checks, before a scan, that no target is an input (also under
// another name, through a link or a redirection) or a directory, that the directory of
// each exists, that existing files are writable, and that no two targets are the
// same file. It changes nothing. Inputs are paths, "-" for standard input. The
// error is an *OutputError.
func CheckTargets(targets []Target, inputs []string) error {
	var seen []fs.FileInfo
	var names []string
	for _, t := range targets {
		info, err := checkTarget(t.Path, inputs)
		if err != nil {
			return err
		}
		if t.Path == "" || info != nil && !info.Mode().IsRegular() {
			continue
		}
		place, err := canonicalPath(t.Path)
		if err != nil {
			return outputError(t.Path, err)
		}
		for i, s := range seen {
			if info != nil && s != nil && os.SameFile(info, s) || place == names[i] {
				return &OutputError{Path: t.Path, Err: errors.New("another format is written to the same file")}
			}
		}
		seen, names = append(seen, info), append(names, place)
	}
	return nil
}

// checkTarget checks one target and returns its present file, nil if there is none.
func checkTarget(path string, inputs []string) (fs.FileInfo, error) {
	var info fs.FileInfo
	var err error
	if path == "" {
		info, err = os.Stdout.Stat()
		if err != nil {
			return nil, nil // closed: writing will fail
		}
	} else if info, err = os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, outputError(path, err)
	}
	if info == nil {
		place, err := resolve(path)
		if err != nil {
			return nil, outputError(path, err)
		}
		dir, file := filepath.Split(place)
		if file == "" {
			return nil, &OutputError{Path: path, Err: errors.New("it is the name of a directory")}
		}
		if dir == "" {
			dir = "."
		}
		if _, err := os.Stat(dir); err != nil {
			return nil, outputError(path, err)
		}
		return nil, nil
	}
	if info.IsDir() {
		return nil, &OutputError{Path: path, Err: errors.New("it is a directory")}
	}
	if info.Mode().IsRegular() {
		for _, input := range inputs {
			var in fs.FileInfo
			if input == "-" {
				in, err = os.Stdin.Stat()
			} else {
				in, err = os.Stat(input)
			}
			if err == nil && os.SameFile(in, info) {
				return nil, &OutputError{Path: path, Err: ErrOwnInput, Hint: "write to another file"}
			}
		}
		if path != "" && descriptor(path) < 0 {
			// The file is replaced, not opened, so its permissions would not count.
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return nil, outputError(path, err)
			}
			f.Close()
		}
	}
	return info, nil
}

// canonicalPath returns the same path for all ways to write the path of a file,
// which need not exist.
func canonicalPath(path string) (string, error) {
	path, err := resolve(path)
	if err != nil {
		return "", err
	}
	dir, file := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	return filepath.Join(dir, file), err
}

// resolve follows a path that is a symbolic link to the file at its end, which
// need not exist.
func resolve(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(link) {
			// Not filepath.Join: it would remove "x/..", and x may be a link.
			dir, _ := filepath.Split(path)
			link = dir + link
		}
		path = link
	}
	return "", errors.New("too many symbolic links")
}

// descriptor returns the number of the open file that a path such as /dev/stdout
// or /dev/fd/3 names, -1 for any other path.
func descriptor(path string) int {
	switch path {
	case "/dev/stdout":
		return 1
	case "/dev/stderr":
		return 2
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if n, ok := strings.CutPrefix(path, dir); ok {
			if fd, err := strconv.ParseUint(n, 10, 16); err == nil {
				return int(fd)
			}
		}
	}
	return -1
}

// WriteAll writes a document to all targets. Files appear complete or not at all:
// each is written beside its target, and all are renamed when all are complete.
// Standard output comes last. Inputs are the paths of the snapshots, which are
// never written to. The error is an *OutputError.
func WriteAll(targets []Target, stdout io.Writer, inputs []string, d Document, o WriteOptions) error {
	if err := CheckTargets(targets, inputs); err != nil {
		return err
	}
	var files []*File
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	for _, t := range targets {
		if t.Path == "" {
			continue
		}
		f, err := Create(t.Path, inputs)
		if err != nil {
			return err
		}
		files = append(files, f)
		file := o
		file.Width, file.Color = 0, false
		if err := Write(t.Format, f, d, file); err != nil {
			return outputError(t.Path, err)
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
				return outputError("", err)
			}
		}
	}
	return nil
}
