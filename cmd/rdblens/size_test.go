package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSizes checks that no Go file has more than 500 lines, and that the
// packages which a reader meets first have at most 20 files; those of report's
// formats and their parts, which are named out_*, are beside these.
func TestSizes(t *testing.T) {
	const root, mostLines, mostFiles = "../..", 500, 28
	files := map[string]int{"parser": 0, "parser/memory": 0, "report": 0}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != root:
			return fs.SkipDir
		case filepath.Ext(file) != ".go":
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, filepath.FromSlash(root+"/")))
		if n := bytes.Count(source, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, over %d", name, n, mostLines)
		}
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(d.Name(), "out_") {
			files[filepath.ToSlash(filepath.Dir(name))]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"parser", "parser/memory", "report"} {
		if n := files[pkg]; n == 0 || n > mostFiles {
			t.Errorf("%s has %d files besides tests, want 1 to %d", pkg, n, mostFiles)
		}
	}
}
