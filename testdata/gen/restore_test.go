package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestRestore puts keys back on a server and compares them with what a server
// loads from the same snapshot: every type and encoding, hostile names and
// elements, large values.
func TestRestore(t *testing.T) {
	server := testtool.Need(t, "redis-server")
	rdblens := filepath.Join(t.TempDir(), "rdblens")
	if out, err := exec.Command("go", "build", "-o", rdblens, "../../cmd/rdblens").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	snapshots := "../truth/redis-7.0.*/*.rdb"
	if !testtool.Nightly() {
		snapshots = "../truth/redis-7.0.*/[ln]*.rdb"
	}
	var out strings.Builder
	if err := checkRestores(&out, []string{server}, rdblens, snapshots, 50_000); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	t.Log(out.String())
}
