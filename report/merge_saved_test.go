package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
)

// TestMergeSaved compares sums of saved reports with the report of one scan.
func TestMergeSaved(t *testing.T) {
	policy, opt := testPolicy(t), Options{Top: 7}
	var names []string
	var saved []*Report
	var sources []Source
	singles := map[Name]*Report{}
	for i := range 3 {
		source := bytesSource(fmt.Sprintf("node-%d", 2-i), nodeSnapshot(uint64(i), []int{40, 300, 1200}[i]))
		r, err := Scan(t.Context(), []Source{source}, policy, opt)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Read(strings.NewReader(writtenJSON(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		singles[Name(source.Name)] = r
		names, saved, sources = append(names, source.Name), append(saved, back), append(sources, source)
	}
	want, err := Scan(t.Context(), sources, policy, opt)
	if err != nil {
		t.Fatal(err)
	}
	got, err := MergeSaved(names, saved, Tool{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Totals != want.Totals || !slices.Equal(got.Encodings, want.Encodings) || !slices.Equal(got.Databases, want.Databases) || !slices.Equal(got.Owners, want.Owners) {
		t.Errorf("totals %+v, want %+v\n%+v\n%+v", got.Totals, want.Totals, got.Databases, want.Databases)
	}
	for i, row := range got.Types {
		w := want.Types[i]
		row.LargestKey, w.LargestKey = nil, nil
		if row != w {
			t.Errorf("%+v, want %+v", row, w)
		}
	}
	for _, m := range Measures() {
		for i, row := range got.Top[m] {
			if w := want.Top[m][i]; row.Key != w.Key || row.Input != w.Input || len(got.Top[m]) != len(want.Top[m]) {
				t.Errorf("%s: %q of input %d, want %q of %d", m, row.Key, row.Input, w.Key, w.Input)
			}
		}
	}
	for i, b := range got.Expiry {
		if w := want.Expiry[i]; b.Keys != w.Keys || b.MemoryBytes != w.MemoryBytes {
			t.Errorf("expiry %+v, want %+v", b, w)
		}
	}
	count := func(r *Report) (keys, memory int64) {
		for _, g := range r.Groups {
			keys += g.Keys
			memory += int64(g.MemoryBytes)
		}
		return keys, memory
	}
	gotKeys, gotMemory := count(got)
	if wantKeys, wantMemory := count(want); gotKeys != wantKeys || gotMemory != wantMemory {
		t.Errorf("groups of %d keys, %d bytes, want %d, %d", gotKeys, gotMemory, wantKeys, wantMemory)
	}
	for _, f := range want.Rules {
		rule, _ := thresholds.Lookup(f.Rule)
		at := slices.IndexFunc(got.Rules, func(g Finding) bool { return g.Rule == f.Rule && g.Severity == f.Severity })
		if !rule.Instance && (at < 0 || got.Rules[at].Count != f.Count || got.Rules[at].MemoryBytes != f.MemoryBytes) {
			t.Errorf("rule %s %s differs", f.Rule, f.Severity)
		}
	}
	for i, n := range want.Nodes {
		own := singles[want.Inputs[n.Input].Name].Findings
		n.Findings = Counts{Error: own.Error, Warning: own.Warning, Info: own.Info}
		if got.Nodes[i] != n || len(got.Nodes) != len(want.Nodes) {
			t.Errorf("node %+v, want %+v", got.Nodes[i], n)
		}
	}
	if got.Bounds == nil || got.Bounds.SavedReports != 3 || !got.Complete || got.Inputs[0].Name != "node-0" {
		t.Errorf("%+v, %q", got.Bounds, got.Inputs[0].Name)
	}
	for _, format := range realFormats() {
		if err := Write(format, io.Discard, got, WriteOptions{}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	saved[1].Config.Profile = "baidu"
	var mismatch *MismatchError
	if _, err := MergeSaved(names, saved, Tool{}); !errors.As(err, &mismatch) {
		t.Errorf("%v", err)
	}
}

// TestMergeSavedAgain merges a merged report with others: with one that is new, with one
// that it has already, and with a report of several snapshots that does not have its
// nodes, as those of older versions.
func TestMergeSavedAgain(t *testing.T) {
	policy := testPolicy(t)
	scanned := func(nodes ...int) *Report {
		var sources []Source
		for _, n := range nodes {
			sources = append(sources, bytesSource(fmt.Sprintf("node-%d", n), nodeSnapshot(uint64(n), 20+30*n)))
		}
		sources = append(sources, FileSource("missing.rdb"))
		r, _ := Scan(t.Context(), sources, policy, Options{Top: 3})
		return r
	}
	merged := func(reports ...*Report) *Report {
		var names []string
		var saved []*Report
		for i, r := range reports {
			back, err := Read(strings.NewReader(writtenJSON(t, r)))
			if err != nil {
				t.Fatal(err)
			}
			names, saved = append(names, fmt.Sprintf("report %d", i)), append(saved, back)
		}
		r, err := MergeSaved(names, saved, Tool{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	nodes := func(r *Report) (list []string) {
		for _, n := range r.Nodes {
			list = append(list, fmt.Sprintf("%s %d %.4f", r.Inputs[n.Input].Name, n.Keys, n.Skew))
		}
		return list
	}
	all, pair := scanned(1, 2, 3), merged(scanned(3), scanned(1))
	for what, r := range map[string]*Report{
		"three":           merged(scanned(2), scanned(1), scanned(3)),
		"pair and one":    merged(pair, scanned(2)),
		"one and pair":    merged(scanned(2), pair),
		"one and scan":    merged(scanned(2), scanned(3, 1)),
		"nothing further": merged(pair, scanned(2), scanned()),
	} {
		if got, want := nodes(r), nodes(all); !slices.Equal(got, want) || len(got) != 3 {
			t.Errorf("%s: nodes\n%q, want\n%q", what, got, want)
		}
		if r.Bounds.Repeated != 0 || r.Complete {
			t.Errorf("%s: %+v", what, r.Bounds)
		}
	}
	if r := merged(scanned(2), scanned()); r.Nodes != nil {
		t.Errorf("one node: %+v", r.Nodes)
	}
	older := scanned(1, 3)
	older.Nodes = nil
	if r := merged(older, scanned(2)); r.Nodes != nil {
		t.Errorf("nodes, although those of two snapshots are not known: %+v", r.Nodes)
	}
	again := merged(pair, scanned(2), scanned(3))
	if b := again.Bounds; b.Repeated != 1 || !slices.Equal(b.RepeatedIn, []Name{"report 0", "report 2"}) || b.SavedReports != 4 {
		t.Errorf("%+v", b)
	}
	if b := merged(again, scanned(1), scanned(5)).Bounds; b.Repeated != 2 || b.SavedReports != 6 {
		t.Errorf("%+v", b)
	}
}
