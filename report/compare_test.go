package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

func compareSaved(t *testing.T, before, after *Report, o CompareOptions) *Diff {
	t.Helper()
	d, err := Compare(t.Context(), CompareInput{Saved: before}, CompareInput{Saved: after}, nil, Options{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// nextReport is ordinaryReport a day later.
func nextReport() *Report {
	r := ordinaryReport()
	r.Inputs[0].Created += 86400
	r.Totals.Keys += 200
	r.Totals.MemoryBytes += 2_500_000
	r.Groups = slices.Clone(r.Groups)
	r.Groups[0].MemoryBytes *= 2
	r.Groups = append(r.Groups[:1], append(slices.Clone(r.Groups[2:]), Group{Group: "export:*", Keys: 7, ValueBytes: 900_000, MemoryBytes: 1_000_000, WithoutTTL: 7, Type: "hash", Owner: "shop"})...)
	r.Rules = slices.Clone(r.Rules)
	r.Rules[0].Groups = append(slices.Clone(r.Rules[0].Groups), FindingGroup{Group: "export:*", Count: 7})
	r.Rules = r.Rules[:len(r.Rules)-1]
	return r
}

type cannedDiff struct {
	name string
	diff *Diff
}

func cannedDiffs(t *testing.T) []cannedDiff {
	hostile := hostileReport()
	hostile.Groups = slices.Clone(hostile.Groups)
	for i := range hostile.Groups {
		hostile.Groups[i].MemoryBytes, hostile.Groups[i].Keys = 10_000_000, 1000
	}
	empty := &Report{Schema: SchemaVersion, Complete: true, By: ByMemory}
	return []cannedDiff{{"same", compareSaved(t, ordinaryReport(), ordinaryReport(), CompareOptions{})}, {"next", compareSaved(t, ordinaryReport(), nextReport(), CompareOptions{})},
		{"hostile", compareSaved(t, empty, hostile, CompareOptions{MinBytes: 1})}, {"gone", compareSaved(t, ordinaryReport(), empty, CompareOptions{})}}
}

// TestDiffFormats checks what each format writes of a comparison: golden files, no
// character that does harm, the same twice, on one screen, and JSON that fits the schema.
func TestDiffFormats(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(DiffSchema, &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cannedDiffs(t) {
		for _, format := range DiffFormatNames() {
			write := func(width int) []byte {
				var b bytes.Buffer
				if err := Write(format, &b, c.diff, WriteOptions{Width: width}); err != nil {
					t.Fatalf("%s, %s: %v", c.name, format, err)
				}
				return b.Bytes()
			}
			got := write(80)
			if !bytes.Equal(got, write(80)) {
				t.Errorf("%s, %s: differs the second time", c.name, format)
			}
			for _, width := range []int{1, 40, 80, 200} {
				for line := range strings.Lines(string(write(width))) {
					for _, r := range strings.TrimSuffix(line, "\n") {
						if !utf8.ValidString(line) || unicode.IsControl(r) && format != "html" || format != "json" && format != "html" && r >= 0x80 && text.Invisible(r) {
							t.Fatalf("%s, %s: %U in %q", c.name, format, r, line)
						}
					}
				}
			}
			switch format {
			case "json":
				var v any
				if err := json.Unmarshal(got, &v); err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			case "table":
				if n := bytes.Count(got, []byte("\n")); n > screenLines {
					t.Errorf("%s: %d lines", c.name, n)
				}
			case "html":
				if bytes.Contains(got, []byte("<script>alert")) || !bytes.Contains(got, []byte(`class="verdict"`)) {
					t.Errorf("%s: not the page of a comparison", c.name)
				}
				continue
			}
			f, _ := Lookup(format)
			compareGolden(t, "diff-"+c.name+f.Extension, got)
		}
	}
}

// groupsReport is a report of groups alone, "name=keys".
func groupsReport(groups ...string) *Report {
	r := &Report{Schema: SchemaVersion, Complete: true, By: ByMemory, Config: Config{Separators: ":"}}
	for _, s := range groups {
		name, keys, _ := strings.Cut(s, "=")
		g := Group{Group: Name(name), Type: "string"}
		fmt.Sscan(keys, &g.Keys)
		g.Elements, g.ValueBytes, g.MemoryBytes, g.MemoryWithoutTTL = g.Keys, g.Keys*100, Figure(g.Keys*200), 0
		r.Groups = append(r.Groups, g)
		r.Totals.Keys, r.Totals.ValueBytes, r.Totals.MemoryBytes = r.Totals.Keys+g.Keys, r.Totals.ValueBytes+g.ValueBytes, r.Totals.MemoryBytes+g.MemoryBytes
	}
	return r
}

// changes lists what changed, "change group before after".
func changes(d *Diff) string {
	var list []string
	for _, r := range d.Groups {
		if r.Change+r.TTL != "" {
			list = append(list, fmt.Sprintf("%s %s %d %d", r.Change+r.TTL, d.rowName(&r), r.KeysBefore, r.KeysAfter))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// TestCompareGroups checks which groups change, by construction.
func TestCompareGroups(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new []string
		folded   int64
		want     string
	}{
		{"traffic", []string{"a:*=1000000", "b:*=1000000"}, []string{"a:*=1049000", "b:*=953000"}, 0, ""},
		{"five percent", []string{"a:*=1000000"}, []string{"a:*=1050000"}, 0, "grown a:* 1000000 1050000"},
		{"too small to count", []string{"a:*=1000000", "b:*=100"}, []string{"a:*=1000000", "b:*=5000"}, 0, ""},
		{"a megabyte", []string{"a:*=1000000", "b:*=100"}, []string{"a:*=1000000", "b:*=5400"}, 0, "grown b:* 100 5400"},
		{"new and gone", []string{"a:*=1000000", "b:*=20000"}, []string{"a:*=1000000", "c:*=40000"}, 0, "gone b:* 20000 0; new c:* 0 40000"},
		{"renamed", []string{"a:*=1000000", "b:x:*=20000"}, []string{"a:*=1000000", "c:x:*=20100"}, 0, "renamed b:x:* -> c:x:* 20000 20100"},
		{"renamed, and one percent more", []string{"a:*=1000000", "b:x:*=20000"}, []string{"a:*=1000000", "c:x:*=20202"}, 0, "renamed b:x:* -> c:x:* 20000 20202"},
		{"too many more", []string{"a:*=1000000", "b:x:*=20000"}, []string{"a:*=1000000", "c:x:*=20300"}, 0, "gone b:x:* 20000 0; new c:x:* 0 20300"},
		{"two renamed", []string{"a:x:*=20000", "a:y:*=20000"}, []string{"b:x:*=20000", "b:y:*=20000"}, 0, "renamed a:x:* -> b:x:* 20000 20000; renamed a:y:* -> b:y:* 20000 20000"},
		{"nobody knows which", []string{"a=20000", "b=20000"}, []string{"c=20000", "d=20000"}, 0, "gone a 20000 0; gone b 20000 0; new c 0 20000; new d 0 20000"},
		{"folded", []string{"a:b:c=20000", "a:x:c=30000"}, []string{"a:*:c=50000"}, 9, ""},
		{"one key of another name", []string{"a:17=1", "b:*=9"}, []string{"a:18=1", "b:*=9"}, 0, ""},
		{"one key becomes many", []string{"a:17=1", "b:*=100000"}, []string{"a:*=9000", "b:*=100000"}, 0, "grown a:* 1 9000"},
	} {
		before, after := groupsReport(c.old...), groupsReport(c.new...)
		after.GroupsFolded = c.folded
		d := compareSaved(t, before, after, CompareOptions{MinBytes: DefaultMinBytes})
		if got := changes(d); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		back := compareSaved(t, after, before, CompareOptions{MinBytes: DefaultMinBytes})
		if (changes(back) == "") != (c.want == "") && c.name != "five percent" {
			t.Errorf("%s, reversed: %s", c.name, changes(back))
		}
		keys := [2]int64{}
		for _, r := range d.Groups {
			keys[0], keys[1] = keys[0]+r.KeysBefore, keys[1]+r.KeysAfter
		}
		if keys != [2]int64{before.Totals.Keys, after.Totals.Keys} {
			t.Errorf("%s: the groups have %d keys", c.name, keys)
		}
		if c.folded > 0 && (d.GroupsMerged != 2 || len(d.Notes) == 0 || !d.Groups[0].Merged) {
			t.Errorf("%s: %d groups merged, %q", c.name, d.GroupsMerged, d.Notes)
		}
	}
}

// TestCompareFindings checks what is new, resolved and still there.
func TestCompareFindings(t *testing.T) {
	finding := func(rule, severity string, groups ...string) Finding {
		f := Finding{Rule: rule, Severity: severity}
		for i, g := range groups {
			f.Groups = append(f.Groups, FindingGroup{Group: Name(g), Count: int64(i + 1)})
		}
		return f
	}
	instance := func(rule, subject string, groups ...Name) Finding {
		return Finding{Rule: rule, Severity: "warning", Count: 1, Examples: []Example{{Subject: Name(subject), Groups: groups}}, GroupsMore: Unknown}
	}
	groups := []string{"a:*=100", "b:*=100", "c:*=100"}
	for _, c := range []struct {
		name                      string
		old, new                  []Finding
		isNew, resolved, persists string
	}{
		{"numbers wobble", []Finding{finding("no-ttl", "warning", "b:*", "a:*")}, []Finding{finding("no-ttl", "warning", "a:*", "b:*")}, "", "", "no-ttl a:*; no-ttl b:*"},
		{"another group", []Finding{finding("no-ttl", "warning", "a:*")}, []Finding{finding("no-ttl", "warning", "b:*")}, "no-ttl b:*", "no-ttl a:*", ""},
		{"another rule", []Finding{finding("no-ttl", "warning", "a:*")}, []Finding{finding("big-string", "warning", "a:*")}, "big-string a:*", "no-ttl a:*", ""},
		{"severer", []Finding{finding("big-string", "warning", "a:*")}, []Finding{finding("big-string", "error", "a:*"), finding("big-string", "warning", "a:*")}, "big-string a:*", "", ""},
		{"less severe", []Finding{finding("big-string", "error", "a:*")}, []Finding{finding("big-string", "warning", "a:*")}, "", "", "big-string a:*"},
		{"another minute", []Finding{instance("ttl-stampede", "minute 1", "a:*", "b:*")}, []Finding{instance("ttl-stampede", "minute 2", "a:*")}, "", "", "ttl-stampede a:*"},
		{"another slot", []Finding{instance("slot-skew", "slot 1")}, []Finding{instance("slot-skew", "slot 2")}, "slot-skew slot 2", "slot-skew slot 1", ""},
	} {
		before, after := groupsReport(groups...), groupsReport(groups...)
		before.Rules, after.Rules = c.old, c.new
		d := compareSaved(t, before, after, CompareOptions{})
		text := func(list []DiffFinding) string {
			var out []string
			for _, f := range list {
				name := f.Group
				if name == "" {
					name = f.Subject
				}
				out = append(out, f.Rule+" "+string(name))
			}
			slices.Sort(out)
			return strings.Join(out, "; ")
		}
		if got := [3]string{text(d.Findings.New), text(d.Findings.Resolved), text(d.Findings.Persisting)}; got != [3]string{c.isNew, c.resolved, c.persists} {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	// A report that names only some groups of a rule.
	before, after := groupsReport(groups...), groupsReport(groups...)
	before.Rules = []Finding{finding("no-ttl", "warning", "a:*")}
	before.Rules[0].GroupsMore = 1
	before.Groups[1].Findings = 3
	after.Rules = []Finding{finding("no-ttl", "warning", "a:*", "b:*", "c:*")}
	d := compareSaved(t, before, after, CompareOptions{})
	if len(d.Findings.New) != 1 || d.Findings.New[0].Group != "c:*" || d.Findings.Unknown != 1 || len(d.Findings.Persisting) != 2 {
		t.Errorf("%+v", d.Findings)
	}
}

// TestChange checks what counts as a change at its bounds: of 100 bytes and of a tenth.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		minBytes      int64
		minShare      float64
		before, after int64
		was, is       bool
		want          string
	}{
		{0, 0, 500, 500, true, true, ""}, {0, 0, 500, 501, true, true, ChangeGrown}, {0, 0, 500, 499, true, true, ChangeShrunk},
		{100, 0, 500, 599, true, true, ""}, {100, 0, 500, 600, true, true, ChangeGrown}, {100, 0, 500, 401, true, true, ""}, {100, 0, 500, 400, true, true, ChangeShrunk},
		{100, 0.1, 2000, 2199, true, true, ""}, {100, 0.1, 2000, 2200, true, true, ChangeGrown}, {100, 0.1, 2000, 1800, true, true, ChangeShrunk},
		{100, 0.1, 0, 99, false, true, ""}, {100, 0.1, 0, 100, false, true, ChangeNew}, {100, 0.1, 100, 0, true, false, ChangeGone}, {100, 0.1, 99, 0, true, false, ""},
	} {
		d := Diff{MinBytes: c.minBytes, MinShare: c.minShare}
		if got := d.change(c.before, c.after, c.was, c.is); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestTTLOfAnUnchangedGroup checks that a group whose keys got or lost their TTLs has
// no other change unless its keys or values changed, too: by a tenth and more here.
func TestTTLOfAnUnchangedGroup(t *testing.T) {
	for values, want := range map[int64]string{1000: "", 1099: "", 1100: ChangeGrown, 901: "", 900: ChangeGrown} {
		c := &comparison{d: &Diff{Measure: ByMemory, MinBytes: 1, MinShare: 0.1}}
		r := &DiffRow{}
		r.KeysBefore, r.KeysAfter, r.WithoutTTLBefore, r.WithoutTTLAfter = 100, 100, 100, 0
		r.MemoryBytesBefore, r.MemoryBytesAfter, r.ValueBytesBefore, r.ValueBytesAfter = 10_000, 13_000, 1000, values
		if c.judge(r); r.Change != want || r.TTL != ChangeTTLGained {
			t.Errorf("values of %d bytes: change %q, TTL %q, want %q", values, r.Change, r.TTL, want)
		}
	}
}

// TestAgainst checks how what was measured is written with its limit.
func TestAgainst(t *testing.T) {
	for _, c := range []struct {
		measured, limit Figure
		unit            message.Unit
		want            string
	}{
		{5200, 5000, message.Count, "5,200 > 5,000"}, {3, 5, message.Count, "3 < 5"}, {5, 5, message.Count, ""}, {5, 0, message.Count, ""}, {-1, 5, message.Count, ""},
		{20480, 10240, message.Bytes, "20 KB > 10 KB"}, {10241, 10240, message.Bytes, "10,241 > 10,240 bytes"}, {7200, 3600, message.Seconds, "2h > 1h"},
	} {
		e := &Example{Measured: c.measured, Limit: c.limit, Unit: c.unit.String()}
		if got := english(e.against()); got != c.want {
			t.Errorf("%d against %d %s: %q, want %q", c.measured, c.limit, c.unit, got, c.want)
		}
	}
}
