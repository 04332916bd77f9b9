package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report"
)

// TestFindingsOfNodes checks that a prefix has no finding of the keys of another one that
// are in the same group.
func TestFindingsOfNodes(t *testing.T) {
	script := "aux redis-ver 7.0.15\ndb 0\n"
	for i := range 40 {
		script += fmt.Sprintf("string cache:v1:product:%d x\nttl 1895243721684\nstring cache:v2:product:%d x\n", i, i)
	}
	snapshot, err := snapshotOf(script)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, path)
	shown := map[string]string{}
	var visit func(n *report.TreeNode)
	visit = func(n *report.TreeNode) {
		for _, line := range b.details(&browseRow{node: n}, 80) {
			shown[string(n.Prefix)] += line.text + "\n"
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	b.tree = newNameTree(b.report.Tree, b.report.Config.Separators)
	visit(b.report.Tree)
	if !strings.Contains(shown["cache:v1:"], "no-ttl") || strings.Contains(shown["cache:v2:"], "no-ttl") || shown["cache:v2:"] == "" {
		t.Errorf("cache:v1:\n%s\ncache:v2:\n%s", shown["cache:v1:"], shown["cache:v2:"])
	}
}
