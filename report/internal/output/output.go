// Package output writes files that appear complete or not at all, and never over an
// input.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Error is a failure to write an output.
type Error struct {
	Path string // "" is standard output
	Err  error
	Hint string // what to do, "" if unknown
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot write %s: %v", displayName(e.Path), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func displayName(path string) string {
	if path == "" {
		return "standard output"
	}
	return strconv.Quote(path)
}

// NewError returns the *Error of a failure to write to a path, nil for nil. The path
// stands in place of the temporary file or descriptor that the system's error names.
// An error that is an *Error already is returned unchanged.
func NewError(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	e := &Error{Path: path, Err: err}
	switch {
	case isDiskFull(err):
		e.Hint = "free space on the disk, or write elsewhere"
	case errors.Is(err, fs.ErrNotExist):
		e.Hint = "create the directory first"
	}
	return e
}

// ErrOwnInput is the cause of an Error for an output that would replace an
// input.
var ErrOwnInput = errors.New("it is the snapshot that is being read")

// Check checks, before anything is written, that no output is an input (also under
// another name, through a link or a redirection) or a directory, that the directory of
// each exists, that existing files are writable, and that no two outputs are the
// same file. It changes nothing. The path "" is standard output, the input "-"
// standard input. The error is an *Error.
func Check(paths, inputs []string) error {
	var seen []fs.FileInfo
	var names []string
	for _, path := range paths {
		info, err := checkPath(path, inputs)
		if err != nil {
			return err
		}
		if path == "" || info != nil && !info.Mode().IsRegular() {
			continue
		}
		place, err := canonicalPath(path)
		if err != nil {
			return NewError(path, err)
		}
		for i, s := range seen {
			if info != nil && s != nil && os.SameFile(info, s) || place == names[i] {
				return &Error{Path: path, Err: errors.New("another format is written to the same file")}
			}
		}
		seen, names = append(seen, info), append(names, place)
	}
	return nil
}

// checkPath checks one output and returns its present file, nil if there is none.
func checkPath(path string, inputs []string) (fs.FileInfo, error) {
	var info fs.FileInfo
	var err error
	if path == "" {
		info, err = os.Stdout.Stat()
		if err != nil {
			return nil, nil // closed: writing will fail
		}
	} else if info, err = os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, NewError(path, err)
	}
	if info == nil {
		place, err := resolve(path)
		if err != nil {
			return nil, NewError(path, err)
		}
		dir, file := filepath.Split(place)
		if file == "" {
			return nil, &Error{Path: path, Err: errors.New("it is the name of a directory")}
		}
		if dir == "" {
			dir = "."
		}
		if _, err := os.Stat(dir); err != nil {
			return nil, NewError(path, err)
		}
		return nil, nil
	}
	if info.IsDir() {
		return nil, &Error{Path: path, Err: errors.New("it is a directory")}
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
				return nil, &Error{Path: path, Err: ErrOwnInput, Hint: "write to another file"}
			}
		}
		if path != "" && descriptor(path) < 0 {
			// The file is replaced, not opened, so its permissions would not count.
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return nil, NewError(path, err)
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
