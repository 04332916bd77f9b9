//go:build unix

package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rdblens/rdblens/report/internal/output"
)

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	err := WriteAll([]Target{{"zz-test", "/dev/full"}}, nil, nil, reportOf(1), WriteOptions{})
	var e *output.Error
	if !errors.As(err, &e) || e.Path != "/dev/full" || e.Hint == "" || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("file: %v", err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	err = WriteAll([]Target{{"zz-test", ""}}, full, nil, reportOf(1), WriteOptions{})
	if !errors.As(err, &e) || e.Path != "" || !strings.Contains(err.Error(), "standard output") {
		t.Errorf("standard output: %v", err)
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	err = WriteAll([]Target{{"zz-test", ""}}, w, nil, reportOf(1), WriteOptions{})
	if !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v", err)
	}
}

func TestFIFOAndDevice(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(fifo)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		got <- string(b)
	}()
	targets := []Target{{"zz-test", fifo}, {"zz-test", "/dev/null"}, {"zz-test", "/dev/null"}}
	if err := WriteAll(targets, nil, nil, reportOf(1), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "begin\nend\n" {
		t.Errorf("read %q", s)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the FIFO became %v, %v", info, err)
	}
	onlyFiles(t, dir, "fifo")
}

// TestUmask checks that the umask decides who can read a new report.
func TestUmask(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "x")
	if err := WriteAll([]Target{{"zz-test", path}}, nil, nil, reportOf(1), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
}
