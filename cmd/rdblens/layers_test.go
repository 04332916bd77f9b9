package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestLayers holds the order of the packages: parser, thresholds, report,
// cmd/rdblens, each of which knows only those before it. Tests may look the
// other way.
func TestLayers(t *testing.T) {
	const module = "github.com/rdblens/rdblens/"
	layer := func(pkg string) int {
		top, rest, _ := strings.Cut(strings.TrimPrefix(pkg, module), "/")
		switch {
		case top == "parser" && rest != "", top == "internal":
			return 0 // what the parser and all others are built of
		case top == "parser":
			return 1
		case top == "thresholds":
			return 2
		case top == "report":
			return 3
		case top == "cmd" || top == "testdata":
			return 4
		}
		return -1
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types"}, path.Base(pkg.ImportPath)) {
			t.Errorf("a package is named %s", path.Base(pkg.ImportPath))
		}
		own := layer(pkg.ImportPath)
		if own < 0 {
			t.Errorf("%s is in no layer", pkg.ImportPath)
		}
		for _, i := range pkg.Imports {
			if strings.HasPrefix(i, module) && layer(i) > own {
				t.Errorf("%s knows %s, which is above it", pkg.ImportPath, i)
			}
			if strings.HasPrefix(i, "github.com/hdt3213/rdb/helper") {
				t.Errorf("%s imports %s", pkg.ImportPath, i)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d packages found", seen)
	}
}
