//go:build unix

package codebase

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes checks that no pipe is opened, which would wait for its writer, and that what
// cannot be read is counted.
func TestPipes(t *testing.T) {
	dir := write(t, map[string]string{"a.js": "redis.set('read:' + id, 1)\n", "docs/b.js": ""})
	for _, name := range []string{"c.js", "CODEOWNERS", ".gitignore", "application.yml", "docs/CODEOWNERS"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(c); got != "a.js:1 read:* certain SET\n" {
		t.Error(got)
	}
}
