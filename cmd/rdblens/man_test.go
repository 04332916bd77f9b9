package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var man = flag.String("man", "", "directory to write the man pages into, which must exist")

// TestMan makes the man pages: one for every command, with all of its flags. With
// -man DIR they stay there. A test makes them because package doc is for tests alone:
// it would make the program larger.
func TestMan(t *testing.T) {
	dir := *man
	if dir == "" {
		dir = t.TempDir()
	}
	date := time.Now()
	if seconds, err := time.ParseDuration(os.Getenv("SOURCE_DATE_EPOCH") + "s"); err == nil {
		date = time.Unix(0, 0).Add(seconds).UTC()
	}
	root := newRoot(&env{stdout: io.Discard, stderr: io.Discard})
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "rdblens " + toolVersion(), Manual: "rdblens", Date: &date}
	if err := doc.GenManTree(root, header, dir); err != nil {
		t.Fatal(err)
	}
	pages := 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		pages++
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{".TH", ".SH NAME", ".SH SYNOPSIS", c.Short} {
			if !strings.Contains(strings.ReplaceAll(string(text), `\`, ""), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				check(sub)
			}
		}
	}
	check(root)
	if files, _ := filepath.Glob(filepath.Join(dir, "*.1")); len(files) != pages {
		t.Errorf("%d pages for %d commands", len(files), pages)
	}
}
