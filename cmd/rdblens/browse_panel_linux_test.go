package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	b := browserOf(t, path, "")
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
	visit(b.report.Tree)
	if !strings.Contains(shown["cache:v1:"], "no-ttl") || strings.Contains(shown["cache:v2:"], "no-ttl") || shown["cache:v2:"] == "" {
		t.Errorf("cache:v1:\n%s\ncache:v2:\n%s", shown["cache:v1:"], shown["cache:v2:"])
	}
}

// TestBrowseSince checks growth, what is gone, and owners, against what two snapshots have by their scripts.
func TestBrowseSince(t *testing.T) {
	dir := t.TempDir()
	write := func(name, script string) string {
		snapshot, err := snapshotOf("aux redis-ver 7.0.15\ndb 0\n" + script)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, snapshot, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keys := func(format string, from, to int) (script string) {
		for i := from; i < to; i++ {
			script += fmt.Sprintf("string "+format+" x\n", i)
		}
		return script
	}
	old := write("old.rdb", keys("cart:%d", 0, 30)+keys("page:%d", 0, 50)+keys("temp:%d", 0, 7)+"string big:0 y*100\n")
	now := write("now.rdb", keys("cart:%d", 0, 90)+keys("page:%d", 10, 50)+keys("news:%d", 0, 5)+"string big:0 y*90000\n")
	config := filepath.Join(dir, "rdblens.yaml")
	if err := os.WriteFile(config, []byte("namespaces:\n  cart: {owner: shop}\n  page: {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := browse(t, 24, 100, nil, "--config", config, "--since", old, now)
	s.until("by growth since old.rdb")
	s.until("Enter open") // the last line that is drawn
	for _, line := range []string{`big:`, `\+60 .* 90 . cart:`, `\+5 .* 5 . news:`, `-10 .* 40 . page:`, `-7 .* 0 . temp:`} {
		if !regexp.MustCompile(line).MatchString(s.lines()) {
			t.Errorf("no %q in\n%s", line, s.lines())
		}
	}
	s.send("D")
	s.until("owner: shop") // cart: is the first
	s.until("(+60)")
	s.send("/owner:no\r")
	s.until("search: owner:no  46 keys") // page:, news:, big:
	s.send("h")
	s.until("all keys")
	s.send("D")
	s.send("/big\r")
	s.until("before: ")
	s.send("q")
	s.ends(exitDone)

	b := browserOf(t, now, old)
	was := map[report.Name]int64{"cart:": 30, "page:": 50, "temp:": 7, "big:": 1, "news:": 0}
	for _, n := range b.report.Tree.Children {
		row := b.nodeRow(n)
		if want, known := was[n.Prefix]; row.was == nil || !known || row.was.count() != want {
			t.Errorf("%q: %+v, want %d keys before", n.Prefix, row.was, want)
		}
	}
	found, err := b.keysBelow(t.Context(), b.report.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for mark, k := range b.keysBefore(t.Context(), found) {
		there := strings.Contains(keys("cart:%d", 0, 30)+keys("page:%d", 10, 50)+"string big:0 x\n", "string "+string(mark.prefix)+" x\n")
		if there != (k.Memory > 0) {
			t.Errorf("%s: %+v before", mark.prefix, k)
		}
	}
}

// TestGroupsOfKeys checks that keys --group writes as many rows as the group of a report has keys:
// also of groups whose names have numbers.
func TestGroupsOfKeys(t *testing.T) {
	script := "aux redis-ver 7.0.15\ndb 0\n"
	for i := range 1200 {
		script += fmt.Sprintf("string cache:v%d:item:%d %s\n", i%2+1, i+1000, strings.Repeat("x", 60*(i%2+1)))
	}
	snapshot, err := snapshotOf(script)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.rdb")
	if err := os.WriteFile(path, snapshot, 0o666); err != nil {
		t.Fatal(err)
	}
	groups := browserOf(t, path, "").report.Groups
	if len(groups) != 2 || groups[0].Group != "cache:v2:item:*" {
		t.Fatalf("%+v", groups)
	}
	for i := range groups {
		out, err := exec.Command("rdblens", "keys", "--group", string(groups[i].Group), path).Output()
		if rows := strings.Count(string(out), "\n") - 1; err != nil || int64(rows) != groups[i].Keys {
			t.Errorf("%s: %d rows, %d keys, %v", groups[i].Group, rows, groups[i].Keys, err)
		}
	}
}
