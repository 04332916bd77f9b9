package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// treeReport is a report of a tree of names alone, with leaves "name=keys" of 100 bytes a key.
func treeReport(leaves ...string) *Report {
	r := &Report{Schema: SchemaVersion, Complete: true, By: ByMemory, Config: Config{Separators: ":"}}
	var groups []Group
	for _, l := range leaves {
		name, keys, _ := strings.Cut(l, "=")
		g := Group{Group: Name(name)}
		fmt.Sscan(keys, &g.Keys)
		g.ValueBytes, g.MemoryBytes = 50*g.Keys, Figure(100*g.Keys)
		groups = append(groups, g)
		r.Totals.Keys += g.Keys
		r.Totals.ValueBytes += g.ValueBytes
		r.Totals.MemoryBytes += g.MemoryBytes
	}
	r.Groups = groups
	r.Tree = treeOfGroups(r)
	r.Groups = nil
	return r
}

// TestDiffPrefixes checks which prefixes say where keys came and went.
func TestDiffPrefixes(t *testing.T) {
	list := func(format string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	for _, c := range []struct {
		name     string
		old, new []string
		want     string
	}{
		{"the same", []string{"a:*=5000", "b=1"}, []string{"a:*=5000", "b=1"}, ""},
		{"a family of small keys of a large snapshot", []string{"a:*=2000000", "coupon:x:*=12000", "coupon:y=1"}, []string{"a:*=2000000", "coupon:y=1"}, "gone coupon:x:* 12000 -> 0"},
		{"traffic", []string{"a:*=2000000", "coupon:x:*=12000"}, []string{"a:*=2010000", "coupon:x:*=11700"}, ""},
		{"several groups of a prefix", append(list("a:%d:*=300", 40), "b:*=50000"), []string{"b:*=50000"}, "gone a: 12000 -> 0"},
		{"new below a prefix that stays", []string{"a:x:*=10000"}, []string{"a:x:*=10000", "a:y:1:*=4000", "a:y:2:*=4000"}, "new a:y: 0 -> 8000"},
		{"grown in many places", append(list("a:%d:*=5000", 40), "b:*=1000000"), append(list("a:%d:*=5400", 40), "b:*=1000000"), "grown a: 200000 -> 216000"},
		{"one of many", append(list("a:%d:*=5000", 40), "b:*=1000000"), append(list("a:%d:*=5000", 40), "b:*=1000000", "a:7:x:*=20000"), "new a:7:x:* 0 -> 20000"},
		{"one came, one went", []string{"a:x:*=20000", "b:*=100000"}, []string{"a:y:*=20000", "b:*=100000"}, "gone a:x:* 20000 -> 0; new a:y:* 0 -> 20000"},
		{"values folded tonight", append(list("u:w%d:*=100", 300), "b:*=1000"), []string{"u:*:*=30100", "b:*=1000"}, ""},
		{"folded, and half of them gone", append(list("u:w%d:*=100", 300), "b:*=1000"), []string{"u:*:*=15000", "b:*=1000"}, "shrunk u:… 30000 -> 15000"},
		{"folded already, one gone", []string{"u:*:*=30000", "u:big:*=9000"}, []string{"u:*:*=30000"}, "gone u:big:* 9000 -> 0"},
		{"not listed any more", append(list("u:w%d:*=1000", 30), "u:…=500"), append(list("u:w%d:*=1000", 20), "u:…=10400"), ""},
		{"listed last night, and gone", append(list("u:w%d:*=1000", 30), "u:…=500"), append(list("u:w%d:*=1000", 20), "u:…=500"),
			"gone u:w20:* 1000 -> 0; gone u:w21:* 1000 -> 0; gone u:w22:* 1000 -> 0; gone u:w23:* 1000 -> 0; " +
				"gone u:w24:* 1000 -> 0; gone u:w25:* 1000 -> 0; gone u:w26:* 1000 -> 0; gone u:w27:* 1000 -> 0; gone u:w28:* 1000 -> 0; gone u:w29:* 1000 -> 0"},
		{"one key, then several", []string{"r:d:2024-05-01=1", "a:*=1000"}, []string{"r:d:*=400", "a:*=1000"}, "grown r:d:* 1 -> 400"},
		{"all gone", []string{"a:*=1000", "b:c:*=500"}, nil, "gone a:* 1000 -> 0; gone b:c:* 500 -> 0"},
	} {
		d := compareSaved(t, treeReport(c.old...), treeReport(c.new...), CompareOptions{})
		if got := rowsText(d.Prefixes); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if (c.want != "") != slices.ContainsFunc(d.Prefixes, func(r DiffRow) bool { return r.changed() }) {
			t.Errorf("%s: %+v", c.name, d.Prefixes)
		}
	}
}

func rowsText(rows []DiffRow) string {
	var list []string
	for i := range rows {
		r := &rows[i]
		list = append(list, fmt.Sprintf("%s %s %d -> %d", r.Change, *r.Group, r.KeysBefore, r.KeysAfter))
	}
	return strings.Join(list, "; ")
}

// TestDiffPlaces checks that a prefix stands for the groups below it that came and went with it, and
// that a group which says the same, or was renamed, is shown in place of a prefix.
func TestDiffPlaces(t *testing.T) {
	row := func(change, name string, before, after int64) DiffRow {
		n := Name(name)
		return DiffRow{Change: change, Group: &n, KeysBefore: before, KeysAfter: after, MemoryBytesBefore: Figure(100 * before), MemoryBytesAfter: Figure(100 * after)}
	}
	to := Name("new:import:*")
	renamed := row(ChangeRenamed, "temp:import:*", 70, 70)
	renamed.RenamedTo = &to
	d := &Diff{Measure: ByMemory,
		Prefixes: []DiffRow{row(ChangeGone, "a:", 90, 0), row(ChangeGrown, "b:*", 5, 9), row(ChangeGrown, "c:*", 4, 9), row(ChangeGone, "temp:", 70, 0), row(ChangeNew, "new:", 0, 70), row(ChangeGrown, "e:", 1, 8)},
		Groups:   []DiffRow{row(ChangeGone, "a:x:*", 60, 0), row(ChangeGone, "a:y:*", 30, 0), row(ChangeGrown, "b:*", 5, 9), row(ChangeGrown, "c:*", 5, 11), renamed, row(ChangeGrown, "e:x", 1, 4)}}
	var got []string
	for _, r := range d.changedPlaces() {
		got = append(got, r.Change+" "+string(*r.Group))
	}
	if want := []string{"gone a:", "grown e:", "grown b:*", "grown c:*", "renamed temp:import:*", "grown e:x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
