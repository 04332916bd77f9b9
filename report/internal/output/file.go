package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// File is an output file that appears complete or not at all: it is written as
// ".rdblens-" and random digits in the directory of its target, and renamed by Commit.
//
// An existing file is replaced. Its permissions stay, and its owner if the system
// allows it. A file without write permission is not replaced. Of a symbolic link
// the file at its end is replaced or created, and the link stays. Anything but a
// regular file (/dev/null, a FIFO, /dev/stdout) is written to directly.
//
// google/renameio does the middle part of this: it replaces links, does not keep
// owners, cannot remove temporary files when a signal ends the process, and does
// not build for Windows.
type File struct {
	path   string // as given
	target string // of the rename: path with links resolved
	temp   string // "" if it is written directly
	file   *os.File
	std    bool // an open file of the process, which stays open
}

// unfinished has the names of the temporary files that exist now.
var unfinished struct {
	sync.Mutex
	names map[string]bool
}

// RemoveUnfinished removes the temporary files of all outputs that are being
// written. A process that ends on a signal calls it last.
func RemoveUnfinished() {
	unfinished.Lock()
	defer unfinished.Unlock()
	for name := range unfinished.names {
		os.Remove(name)
	}
	clear(unfinished.names)
}

// Create opens an output file. It is an error if it is one of the inputs, which are
// paths. A File cannot be used after Commit or Abort, but Abort after Commit does
// nothing. The error is an *Error.
func Create(path string, inputs []string) (*File, error) {
	info, err := checkPath(path, inputs)
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
		return f, NewError(path, err)
	}
	if f.target, err = resolve(path); err != nil {
		return nil, NewError(path, err)
	}
	if err := f.createTemp(); err != nil {
		return nil, NewError(path, err)
	}
	if info != nil {
		// The owner first, because a change of it may clear bits of the mode. A user
		// who may not change the owner becomes it.
		keepOwner(f.file, info)
		if err := f.file.Chmod(info.Mode().Perm()); err != nil {
			f.Abort()
			return nil, NewError(path, err)
		}
	}
	return f, nil
}

func (f *File) createTemp() error {
	dir, _ := filepath.Split(f.target)
	unfinished.Lock()
	defer unfinished.Unlock()
	for {
		temp := fmt.Sprintf("%s.rdblens-%016x", dir, rand.Uint64())
		// Not os.CreateTemp, whose files only the owner can read: the umask decides.
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

// Write writes to the file. The error is an *Error.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, NewError(f.path, err)
}

// Commit closes the file and renames it to its target. If that fails, the file is
// removed, and the error is an *Error.
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
			err = os.Rename(f.temp, f.target)
		}
		if err != nil {
			os.Remove(f.temp)
		}
		delete(unfinished.names, f.temp)
		unfinished.Unlock()
	}
	f.file = nil
	return NewError(f.path, err)
}

// Abort closes and removes the file. Its target stays as it was.
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
