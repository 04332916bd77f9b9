package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// treeReports returns the canned reports, and one of a thousand levels with a group of
// one key.
func treeReports() []cannedReport {
	deep := ordinaryReport()
	deep.Groups[0].Group = Name(strings.Repeat("a:", 1000))
	deep.Groups[1].Group = ""
	deep.Groups = append(deep.Groups, Group{Group: "flag:maintenance", Keys: 1, ValueBytes: 9, MemoryBytes: 72})
	deep.Tree = treeOfGroups(deep)
	return append(cannedReports(), cannedReport{"deep", deep})
}

// sums returns keys, memory and memory without TTL of all groups.
func sums(r *Report) (keys, memory, withoutTTL int64) {
	for i := range r.Groups {
		g := &r.Groups[i]
		keys += g.Keys
		memory += int64(sizeOf(g.MemoryBytes, g.ValueBytes))
		withoutTTL += max(0, int64(g.MemoryWithoutTTL))
	}
	return keys, memory, withoutTTL
}

// writeFile writes a report to a file of the test and returns its path.
func writeFile(t *testing.T, format string, r *Report) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(path, render(t, format, r, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNcduImports checks that ncdu reads the export, and that what it exports again
// has all bytes and keys.
func TestNcduImports(t *testing.T) {
	testtool.Need(t, "ncdu")
	for _, c := range treeReports() {
		out, err := exec.Command("ncdu", "-0", "-f", writeFile(t, "ncdu", c.report), "-o", "-").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.500s", c.name, err, out)
			continue
		}
		var export []any
		if err := json.Unmarshal(out, &export); err != nil {
			t.Errorf("%s: %v\n%.500s", c.name, err, out)
			continue
		}
		keys, disk, value := countNcdu(t, export[3])
		wantKeys, want, _ := sums(c.report)
		wantValue := int64(0)
		for i := range c.report.Groups {
			wantValue += c.report.Groups[i].ValueBytes
		}
		if keys != wantKeys || disk != want || value != wantValue {
			t.Errorf("%s: ncdu has %d keys, %d bytes, values of %d, want %d, %d, %d", c.name, keys, disk, value, wantKeys, want, wantValue)
		}
	}
}

var moreKeys = regexp.MustCompile(`^\(([0-9,]+) more keys\)$`)

// countNcdu returns the keys, the disk usage and the apparent size below an item of an
// export.
func countNcdu(t *testing.T, item any) (keys, disk, apparent int64) {
	if folder, ok := item.([]any); ok {
		for _, child := range folder[1:] {
			k, d, a := countNcdu(t, child)
			keys, disk, apparent = keys+k, disk+d, apparent+a
		}
		return keys, disk, apparent
	}
	file := item.(map[string]any)
	keys = 1
	if m := moreKeys.FindStringSubmatch(file["name"].(string)); m != nil {
		n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		keys = n
	}
	size, _ := file["dsize"].(float64)
	value, _ := file["asize"].(float64)
	return keys, int64(size), int64(value)
}

// TestGduReads checks that gdu lists the first level of the export.
func TestGduReads(t *testing.T) {
	testtool.Need(t, "gdu")
	for _, c := range treeReports() {
		out, err := exec.Command("gdu", "--no-color", "-n", "-p", "-f", writeFile(t, "ncdu", c.report)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.500s", c.name, err, out)
		}
		root := exportTree(c.report)
		for _, n := range root.Children {
			if name := ncduName(n.segment(root).Display()); !bytes.Contains(out, []byte(name)) {
				t.Errorf("%s: gdu does not list %q:\n%s", c.name, name, out)
			}
		}
	}
}

// TestPprofReads checks that go tool pprof reads the profile with all values, and
// that the difference of a report from itself is nothing.
func TestPprofReads(t *testing.T) {
	for _, c := range treeReports() {
		path := writeFile(t, "pprof", c.report)
		keys, memory, withoutTTL := sums(c.report)
		for index, want := range map[string]int64{"keys": keys, "memory": memory, "memory_without_ttl": withoutTTL} {
			if want == 0 {
				continue
			}
			unit := map[bool]string{true: "count", false: "B"}[index == "keys"]
			out := pprof(t, "-top", "-unit="+unit, "-sample_index="+index, path)
			total := regexp.MustCompile(`% of ([0-9.]+)`).FindStringSubmatch(out)
			if total == nil || total[1] != strconv.FormatInt(want, 10) {
				t.Errorf("%s: pprof shows another total of %s than %d:\n%.800s", c.name, index, want, out)
			}
		}
		if len(c.report.Groups) > 0 {
			if out := pprof(t, "-top", "-diff_base="+path, path); !strings.Contains(out, "of 3") && !strings.Contains(out, " 0, 0% of ") {
				t.Errorf("%s: differs from itself:\n%s", c.name, out)
			}
		}
	}
}

func pprof(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"tool", "pprof"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("pprof %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestPprofLabels checks the labels of the samples of a scan.
func TestPprofLabels(t *testing.T) {
	r := ordinaryReport()
	r.Groups = []Group{{Group: "a:*", Keys: 2, ValueBytes: 10, MemoryBytes: 100, MemoryWithoutTTL: 60, Type: "hash", DB: new(3), Owner: "shop"},
		{Group: "a:b:*", Keys: 1, ValueBytes: 1, MemoryBytes: 50}}
	r.Tree = treeOfGroups(r)
	p, err := profile.ParseData(render(t, "pprof", r, 0))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		var stack []string
		for _, l := range s.Location {
			stack = append(stack, l.Line[0].Function.Name)
		}
		var labels []string
		for _, k := range slices.Sorted(maps.Keys(s.Label)) {
			labels = append(labels, k+"="+s.Label[k][0])
		}
		got = append(got, fmt.Sprint(stack, s.Value, labels))
	}
	want := []string{"[a:* a:] [2 100 60] [db=3 owner=shop type=hash]", "[a:b:* a:b: a:] [1 50 0] []"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFlameGraph checks that flamegraph.pl draws a frame for each prefix whose bytes
// are enough for one, and all bytes.
func TestFlameGraph(t *testing.T) {
	script := "/usr/share/perl5/Devel/NYTProf/flamegraph.pl" // of Debian's libdevel-nytprof-perl
	if path, err := exec.LookPath("flamegraph.pl"); err == nil {
		script = path
	} else if _, err := os.Stat(script); err != nil {
		testtool.Missing(t, "no flamegraph.pl: apt-get install libdevel-nytprof-perl")
	}
	title := regexp.MustCompile(`<title>(.*) \(([0-9,]+) bytes, `)
	for _, c := range treeReports() {
		_, want, _ := sums(c.report)
		if want == 0 {
			continue // it draws nothing of nothing
		}
		out, err := exec.Command("perl", script, "--countname=bytes", "--minwidth=0", writeFile(t, "folded", c.report)).Output()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		frames := map[string]string{}
		for _, m := range title.FindAllStringSubmatch(string(out), -1) {
			frames[html.UnescapeString(m[1])] = strings.ReplaceAll(m[2], ",", "")
		}
		if frames["all"] != strconv.FormatInt(want, 10) {
			t.Errorf("%s: %s bytes are drawn, want %d", c.name, frames["all"], want)
		}
		root := exportTree(c.report)
		root.leaves(func(path []*TreeNode) {
			parent := root
			for _, n := range path {
				if name := strings.ReplaceAll(n.segment(parent).Display(), ";", `\x3b`); frames[name] == "" && path[len(path)-1].size() > 0 {
					t.Errorf("%s: no frame is %q", c.name, name)
				}
				parent = n
			}
		})
	}
}

// TestFoldedStacks checks the form that flame graph programs read: frames with
// semicolons between them, a space, and a number.
func TestFoldedStacks(t *testing.T) {
	for _, c := range treeReports() {
		var total int64
		lines := 0
		for line := range strings.Lines(string(render(t, "folded", c.report, 0))) {
			i := strings.LastIndexByte(line, ' ')
			n, err := strconv.ParseInt(strings.TrimSuffix(line[i+1:], "\n"), 10, 64)
			if err != nil || i <= 0 {
				t.Fatalf("%s: %q: %v", c.name, line, err)
			}
			if frames := strings.Count(line[:i], ";") + 1; frames > 13 {
				t.Errorf("%s: %d frames", c.name, frames)
			}
			total += n
			lines++
		}
		leaves := 0
		exportTree(c.report).leaves(func([]*TreeNode) { leaves++ })
		if c.report.Tree == nil {
			leaves = 0
		}
		if _, want, _ := sums(c.report); total != want || lines != leaves {
			t.Errorf("%s: %d lines, %d bytes, want %d, %d", c.name, lines, total, leaves, want)
		}
	}
}

// TestTreeExports scans a snapshot and checks that exports have all nodes of its tree, with sums
// that add up, that the listed keys are below the node with their names, and what a report without
// a tree has.
func TestTreeExports(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, nodes := range []int{0, 40, -1} {
		r, err := Scan(t.Context(), []Source{FileSource("../testdata/shop.rdb")}, policy, Options{Top: 20, TreeNodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		root := exportTree(r)
		if r.Tree != nil { // nodes count findings as the table of rules does
			var want Counts
			for i := range r.Rules {
				if rule, _ := thresholds.Lookup(r.Rules[i].Rule); !rule.Instance {
					want.add(severityOf(r.Rules[i].Severity), r.Rules[i].Count)
				}
			}
			want.Explained = r.Findings.Explained
			if r.Tree.Findings != want {
				t.Errorf("%d nodes: the root has findings %+v, the rules %+v", nodes, r.Tree.Findings, want)
			}
		}
		leaves := map[string]int64{}
		var keys, size int64
		root.leaves(func(path []*TreeNode) {
			leaf, name := root, "(all keys)"
			if len(path) > 0 {
				leaf = path[len(path)-1]
				name = leaf.Prefix.Display()
			}
			leaves[name] = leaf.Keys
			keys, size = keys+leaf.Keys, size+leaf.size()
		})
		if keys != r.Totals.Keys || size != int64(r.Totals.MemoryBytes) {
			t.Errorf("%d nodes: leaves have %d keys and %d bytes of %d and %d", nodes, keys, size, r.Totals.Keys, r.Totals.MemoryBytes)
		}
		p, err := profile.ParseData(render(t, "pprof", r, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			name := s.Location[0].Line[0].Function.Name
			if s.Value[0] != leaves[name] {
				t.Errorf("%d nodes: %s has %d keys, want %d", nodes, name, s.Value[0], leaves[name])
			}
			delete(leaves, name)
		}
		if len(leaves) > 0 {
			t.Errorf("%d nodes: no sample of %v", nodes, leaves)
		}
		listed := 0
		for leaf, rows := range keysByLeaf(r, root) {
			parent := strings.SplitN(string(leaf.Prefix), "*", 2)[0]
			for _, k := range rows {
				listed++
				if !strings.HasPrefix(string(k.Key), strings.TrimSuffix(parent, restOfPrefix)) {
					t.Errorf("%d nodes: %s is below %s", nodes, k.Key, leaf.Prefix)
				}
			}
		}
		all := 0
		for _, rows := range keysByGroup(r) {
			all += len(rows)
		}
		if listed != all {
			t.Errorf("%d nodes: %d of %d keys are below a node", nodes, listed, all)
		}
		var export []any
		if err := json.Unmarshal(render(t, "ncdu", r, 0), &export); err != nil {
			t.Fatal(err)
		}
		if keys, disk, _ := countNcdu(t, export[3]); keys != r.Totals.Keys || disk != int64(r.Totals.MemoryBytes) {
			t.Errorf("%d nodes: ncdu has %d keys and %d bytes", nodes, keys, disk)
		}
	}
}
