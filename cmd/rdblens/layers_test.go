package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rdblens/rdblens/"

// layers are the packages from the lowest to the highest. Each imports only
// those of its own and of lower layers; "x/..." is what is below x, not x.
var layers = [][]string{
	{"parser/..."},
	{"parser"},
	{"thresholds/naming", "thresholds/internal/requirements"},
	{"thresholds"},
	{"thresholds/config"},
	{"report/..."},
	{"report"},
	{"cmd/rdblens", "testdata/gen", "testdata/watchdog"},
}

// layerOf returns the layer of a package of this module, -1 if it is in none.
func layerOf(pkg string) int {
	for i, layer := range layers {
		for _, pattern := range layer {
			below, found := strings.CutSuffix(pattern, "...")
			if pkg == pattern || found && strings.HasPrefix(pkg, below) {
				return i
			}
		}
	}
	return -1
}

// inUse are packages that the product was asked to use.
var inUse = []string{"github.com/hdt3213/rdb", "github.com/spf13/cobra", "github.com/olekukonko/tablewriter",
	"github.com/schollz/progressbar/v3"}

// TestLayers checks that packages import only what is below them, that no
// package has a name that says nothing, and that the product uses the packages of
// inUse. Tests may import in any direction.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...", module+"testdata/gen", module+"testdata/watchdog").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen, unused := make([]int, len(layers)), slices.Clone(inUse)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(pkg.ImportPath, module)
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "misc", "base"}, path.Base(name)) {
			t.Errorf("a package is named %s", path.Base(name))
		}
		layer := layerOf(name)
		if layer < 0 {
			t.Errorf("%s is in no layer", name)
			continue
		}
		seen[layer]++
		for _, i := range pkg.Imports {
			if !strings.HasPrefix(name, "testdata/") {
				unused = slices.DeleteFunc(unused, func(p string) bool { return i == p || strings.HasPrefix(i, p+"/") })
			}
			if of, ok := strings.CutPrefix(i, module); ok && layerOf(of) > layer {
				t.Errorf("%s imports %s, which is above it", name, of)
			}
			if strings.HasPrefix(i, "github.com/hdt3213/rdb/helper") {
				t.Errorf("%s imports %s, which adds 4 MB", name, i)
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("not in use: %s", unused)
	}
	for i, n := range seen {
		if n == 0 {
			t.Errorf("no package found in layer %v", layers[i])
		}
	}
}
