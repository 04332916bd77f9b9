package codebase

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestMillion reads a million lines in nine languages that speak of keys in a process of its own:
// under 10 s of processor time and 200 MB.
func TestMillion(t *testing.T) {
	if dir := os.Getenv("RDBLENS_MILLION"); dir != "" {
		c, err := Scan(dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("lines", c.Lines, "patterns", len(c.Patterns))
		return
	}
	lines := 100_000
	if testtool.Nightly() {
		lines = 1_000_000
	}
	dir := t.TempDir()
	sources, err := filepath.Glob("testdata/languages/*")
	if err != nil || len(sources) == 0 {
		t.Fatal(err)
	}
	written := 0
	for n := 0; written < lines; n++ {
		for _, name := range sources {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			b.Write(text)
			for i := range 400 { // code is mostly about other things
				if i%8 == 0 {
					fmt.Fprintf(&b, "value%d = ", i)
				}
				fmt.Fprintf(&b, "item.total(page%d, \"rows of a page\", item.name + other.field);\n", n)
			}
			written += bytes.Count([]byte(b.String()), []byte("\n"))
			file := filepath.Join(dir, fmt.Sprintf("p%03d/%04d%s", n%200, n, filepath.Base(name)))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMillion$", "-test.v")
	cmd.Env = append(os.Environ(), "RDBLENS_MILLION="+dir, "GOMEMLIMIT=160MiB", "GOGC=100")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("patterns")) {
		t.Fatalf("%v\n%s", err, out)
	}
	used := cmd.ProcessState
	seconds := (used.UserTime() + used.SystemTime()).Seconds()
	usage, _ := used.SysUsage().(*syscall.Rusage)
	t.Logf("%d lines: %.1f s, %d MB", written, seconds, usage.Maxrss>>10)
	if seconds > 10 || usage.Maxrss>>10 > 200 {
		t.Errorf("%d lines took %.1f s of processor time and %d MB", written, seconds, usage.Maxrss>>10)
	}
}
