package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// File is an output that appears at its place whole or not at all: it is
// written beside it (".rdblens-" and random digits, in the same folder) and
// renamed by Commit.
//
// A file that stands there is replaced; its permissions, and where the system
// allows it its owner, stay. Through a symbolic link the file that it points at
// is replaced and the link stays, also where that file does not exist yet. A
// file that may not be written to is not replaced. What is no regular file
// (/dev/null, a FIFO, /dev/stdout) is written to directly.
type File struct {
	path  string // as given
	place string // where it will stand, links followed
	temp  string // "" written directly
	file  *os.File
	std   bool // an open file of the process, not ours to close
}

// unfinished are the temporary files that stand now.
var unfinished struct {
	sync.Mutex
	names map[string]bool
}

// RemoveUnfinished removes the temporary files of all outputs that are being
// written: the last thing to do before a process ends on a signal.
func RemoveUnfinished() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for name := range unfinished.names {
		os.Remove(name)
	}
	clear(unfinished.names)
}

// Create opens an output. It refuses one that is an input. After Commit or
// Abort the file is of no more use; Abort after Commit does nothing.
func Create(path string, inputs []string) (*File, error) {
	info, err := checkTarget(path, inputs)
	if err != nil {
		return nil, err
	}
	f := &File{path: path}
	if fd := descriptor(path); path == "" || fd >= 0 {
		f.std = true
		switch {
		case path == "" || fd == 1:
			f.file = os.Stdout
		case fd == 2:
			f.file = os.Stderr
		default:
			f.file = os.NewFile(uintptr(fd), path)
		}
		return f, nil
	}
	if info != nil && !info.Mode().IsRegular() {
		f.file, err = os.OpenFile(path, os.O_WRONLY, 0)
		return f, outputError(path, err)
	}
	if f.place, err = resolve(path); err != nil {
		return nil, outputError(path, err)
	}
	if err := f.createTemp(); err != nil {
		return nil, outputError(path, err)
	}
	if info != nil {
		// The owner first: changing it may clear bits of the mode. Who may not
		// give a file away keeps it.
		keepOwner(f.file, info)
		if err := f.file.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			return nil, outputError(path, err)
		}
	}
	return f, nil
}

func (f *File) createTemp() error {
	dir, _ := filepath.Split(f.place)
	unfinished.Lock()
	defer unfinished.Unlock()
	for {
		temp := fmt.Sprintf("%s.rdblens-%016x", dir, rand.Uint64())
		// Not os.CreateTemp: a new report is as readable as the umask has it.
		file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if unfinished.names == nil {
			unfinished.names = make(map[string]bool)
		}
		unfinished.names[temp] = true
		f.temp, f.file = temp, file
		return nil
	}
}

// Write writes to the file. The error is an *OutputError.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, outputError(f.path, err)
}

// Commit closes the file and puts it in its place. The error is an
// *OutputError, and nothing is left then.
func (f *File) Commit() error {
	if f.file == nil {
		return nil
	}
	var err error
	if !f.std {
		err = f.file.Close()
	}
	if f.temp != "" {
		unfinished.Lock()
		if err == nil {
			err = os.Rename(f.temp, f.place)
		}
		if err != nil {
			os.Remove(f.temp)
		}
		delete(unfinished.names, f.temp)
		unfinished.Unlock()
	}
	f.file = nil
	return outputError(f.path, err)
}

// Abort closes the file and leaves what stood in its place.
func (f *File) Abort() {
	if f.file == nil {
		return
	}
	if !f.std {
		f.file.Close()
	}
	if f.temp != "" {
		unfinished.Lock()
		os.Remove(f.temp)
		delete(unfinished.names, f.temp)
		unfinished.Unlock()
	}
	f.file = nil
}
