package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/report"
)

// TestManifest reads manifests as servers write them (getAofManifestAsString in aof.c),
// and what is none.
func TestManifest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "appendonly.aof.manifest")
	for _, c := range []struct {
		text, base string
		later, old []string
		bad        bool
	}{
		{text: "file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n", base: "a.1.base.rdb", later: []string{"a.1.incr.aof"}},
		{text: "# written by hand\n\nfile a.2.base.rdb seq 2 type b\nfile a.1.base.rdb seq 1 type h\nfile a.2.incr.aof seq 2 type i startoffset 7 endoffset 9\n",
			base: "a.2.base.rdb", later: []string{"a.2.incr.aof"}, old: []string{"a.1.base.rdb"}},
		{text: "file \"a \\x41.base.rdb\" seq 1 type b\n", base: "a A.base.rdb"},
		{text: "file a.1.incr.aof seq 1 type i\n", later: []string{"a.1.incr.aof"}},
		{text: "", base: ""},
		{text: "file ../etc/passwd seq 1 type b\n", bad: true},
		{text: "file .. seq 1 type b\n", bad: true},
		{text: "file \"a seq 1 type b\n", bad: true},
		{text: "file a seq 1\n", bad: true},
		{text: "REDIS0011", bad: true},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(path)
		if (err != nil) != c.bad {
			t.Errorf("%q: %v", c.text, err)
		}
		if err != nil {
			continue
		}
		in := func(names []string) (paths []string) {
			for _, n := range names {
				paths = append(paths, filepath.Join(dir, n))
			}
			return paths
		}
		base := ""
		if c.base != "" {
			base = filepath.Join(dir, c.base)
		}
		if m.base != base || !slices.Equal(m.later, in(c.later)) || !slices.Equal(m.old, in(c.old)) {
			t.Errorf("%q: %+v", c.text, m)
		}
	}
}

// TestAppendOnlyDirectory finds the base of an append-only file by its directory, its
// manifest and its name, and what was written after it.
func TestAppendOnlyDirectory(t *testing.T) {
	snapshot, err := os.ReadFile("../../testdata/truth/redis-7.0.15/aof-base.rdb")
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "append[only]dir")
	base := filepath.Join(dir, "a.2.base.rdb")
	for name, content := range map[string][]byte{"a.2.base.rdb": snapshot, "a.1.base.rdb": snapshot, "a.2.incr.aof": make([]byte, 1000), "a.3.incr.aof": make([]byte, 24),
		"a.manifest": []byte("file a.2.base.rdb seq 2 type b\nfile a.1.base.rdb seq 1 type h\nfile a.2.incr.aof seq 2 type i\nfile a.3.incr.aof seq 3 type i\n")} {
		os.MkdirAll(dir, 0o700)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	find := func(path string) []*input {
		list, err := (&env{stdout: io.Discard, stderr: io.Discard}).inputs([]string{path}, expandFlags{recursive: true})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, path := range []string{parent, dir, base, filepath.Join(dir, "a.manifest")} {
		list := find(path)
		if len(list) != 1 || list[0].path != base || list[0].later == nil || *list[0].later != (report.Later{Files: 2, Bytes: 1024}) {
			t.Errorf("%s: %d inputs, %+v", path, len(list), list[0])
		}
	}
	os.Remove(filepath.Join(dir, "a.3.incr.aof"))
	if list := find(dir); *list[0].later != (report.Later{Files: 2, Missing: 1, Bytes: 1000}) {
		t.Errorf("a file is missing: %+v", list[0].later)
	}
	os.Remove(base)
	if list := find(dir); len(list) != 1 || list[0].path != base {
		t.Errorf("without its base: %d inputs", len(list))
	}
}
