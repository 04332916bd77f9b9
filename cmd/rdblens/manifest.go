package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Redis and Valkey from 7.0 on keep an append-only file in several files, which a
// manifest lists: a base, which is a snapshot, and the commands that were written
// after it. BACKUP of Redis 8.10 makes a directory of the same kind. Source:
// aofManifest in aof.c.

const manifestEnd = ".manifest"

// manifest is what a manifest lists, as paths.
type manifest struct {
	base  string // "" none
	later []string
	old   []string // of a rewrite before, which the server deletes
}

// readManifest reads the manifest of an append-only file.
func readManifest(path string) (*manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &manifest{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, kind, ok := manifestLine(line)
		if !ok {
			return nil, message.Errorf("this is no manifest of an append-only file: {line}", message.Element("line", line))
		}
		file := filepath.Join(filepath.Dir(path), name)
		switch kind {
		case "b":
			m.base = file
		case "i":
			m.later = append(m.later, file)
		default:
			m.old = append(m.old, file)
		}
	}
	return m, lines.Err()
}

// manifestLine returns the name and the type of a line such as
// "file NAME seq 1 type b". A name with special characters is quoted.
func manifestLine(line string) (name, kind string, ok bool) {
	rest, ok := strings.CutPrefix(line, "file ")
	if !ok {
		return "", "", false
	}
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", "", false
		}
		name, _ = strconv.Unquote(quoted)
		rest = rest[len(quoted):]
	} else {
		name, rest, _ = strings.Cut(rest, " ")
	}
	words := strings.Fields(rest)
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "type" {
			kind = words[i+1]
		}
	}
	// A server refuses names with a directory.
	return name, kind, kind != "" && name != "" && name != ".." && name == filepath.Base(name)
}

func manifestsIn(dir string) (list []*manifest) {
	paths, _ := filepath.Glob(filepath.Join(naming.EscapeGlob(dir), "*"+manifestEnd))
	for _, path := range paths {
		if m, err := readManifest(path); err == nil {
			list = append(list, m)
		}
	}
	return list
}

// laterOf returns what was written after a base of an append-only file, nil if the
// path is that of no base.
func laterOf(path string) *report.Later {
	if !strings.Contains(filepath.Base(path), ".base.") {
		return nil
	}
	for _, m := range manifestsIn(filepath.Dir(path)) {
		if filepath.Clean(m.base) != filepath.Clean(path) {
			continue
		}
		later := &report.Later{}
		for _, file := range m.later {
			later.Files++
			if st, err := os.Stat(file); err != nil {
				later.Missing++
			} else {
				later.Bytes += st.Size()
			}
		}
		return later
	}
	return nil
}
