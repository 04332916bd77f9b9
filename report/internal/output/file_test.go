package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDescriptors checks which paths are files that are open already: those of proc(5)
// and of the device files that name them.
func TestDescriptors(t *testing.T) {
	for path, want := range map[string]int{"/dev/stdout": 1, "/dev/stderr": 2, "/dev/stdin": -1, "/dev/fd/0": 0, "/dev/fd/1": 1, "/dev/fd/2": 2, "/dev/fd/17": 17,
		"/proc/self/fd/3": 3, "/proc/self/fd/x": -1, "/dev/fd/": -1, "/dev/fd/-1": -1, "/dev/fd/65535": 65535, "/dev/fd/65536": -1, "/dev/null": -1, "": -1, "x/dev/fd/1": -1} {
		if got := descriptor(path); got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
	// Standard output and error are those of the process, which nobody closes.
	for path, want := range map[string]*os.File{"": os.Stdout, "/dev/stdout": os.Stdout, "/dev/fd/1": os.Stdout, "/dev/stderr": os.Stderr, "/proc/self/fd/2": os.Stderr} {
		f, err := Create(path, nil)
		if err != nil || f.file != want || !f.std || f.temp != "" {
			t.Errorf("%q: %+v, %v", path, f, err)
			continue
		}
		f.Abort()
		if _, err := want.Stat(); err != nil || f.file != nil {
			t.Errorf("%q: %v", path, err)
		}
		f.Abort() // does nothing
		if err := f.Commit(); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// TestUnfinished checks which temporary files exist, and that none stays.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	count := func() (hidden int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".rdblens-") && len(e.Name()) == len(".rdblens-")+16 {
				hidden++
			}
		}
		return hidden
	}
	known := func() int {
		unfinished.Lock()
		defer unfinished.Unlock()
		return len(unfinished.names)
	}
	create := func(name string) *File {
		f, err := Create(filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := create("a"), create("b")
	if count() != 2 || known() != 2 {
		t.Errorf("%d files, %d known", count(), known())
	}
	if err := a.Commit(); err != nil || count() != 1 || known() != 1 {
		t.Errorf("%v, %d files, %d known", err, count(), known())
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
	b.Abort()
	if count() != 0 || known() != 0 {
		t.Errorf("%d files, %d known", count(), known())
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	create("c")
	RemoveUnfinished()
	if count() != 0 || known() != 0 {
		t.Errorf("%d files, %d known", count(), known())
	}
	// A target that has become a directory: the error has its path, not that of the
	// temporary file, which goes.
	d := create("d")
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := d.Commit(); !errors.As(err, &e) || e.Path != filepath.Join(dir, "d") || count() != 0 || known() != 0 {
		t.Errorf("%v, %d files, %d known", err, count(), known())
	}
	// The permissions of a file that is replaced stay.
	path := filepath.Join(dir, "e")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := create("e").Commit(); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 || st.Size() != 1 {
		t.Errorf("%v, %v", st, err)
	}
}
