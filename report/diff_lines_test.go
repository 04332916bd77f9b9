package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// TestDiffPage checks the sections of a comparison, by hand: full, on a screen, which leaves out the types
// where it has no room for all that changed, and where nothing changed.
func TestDiffPage(t *testing.T) {
	group := func(name Name, change, ttl string, keys [2]int64, bytes [2]int64, without [2]int64) DiffRow {
		return DiffRow{Group: &name, Change: change, TTL: ttl, KeysBefore: keys[0], KeysAfter: keys[1], MemoryBytesBefore: Figure(bytes[0]), MemoryBytesAfter: Figure(bytes[1]), WithoutTTLBefore: without[0], WithoutTTLAfter: without[1]}
	}
	to := Name("c:*")
	renamed := group("b:*", ChangeRenamed, "", [2]int64{5, 5}, [2]int64{500, 500}, [2]int64{5, 5})
	renamed.RenamedTo = &to
	explained := group("e:*", ChangeGrown, "", [2]int64{2, 2}, [2]int64{100, 900}, [2]int64{})
	explained.Explained = true
	key := func(name Name, before, after Figure) DiffKey {
		return DiffKey{Key: name, Type: "hash", ElementsBefore: 3, ElementsAfter: 5, ValueBytesBefore: Unknown, ValueBytesAfter: Unknown, MemoryBytesBefore: before, MemoryBytesAfter: after, Limit: Unknown, Shown: true}
	}
	entered, hidden := key("listed", Unknown, 900), key("hidden", 10, 20)
	entered.Limit, entered.ElementsBefore, hidden.Shown, hidden.DB = 80, Unknown, false, 1
	d := &Diff{Changed: true, Measure: ByMemory, MinShare: 0.05, MinBytes: 1 << 10, Old: DiffSide{Name: "a.rdb", Server: "redis", ServerVersion: "7.0", Created: 1000, Predicted: 5000}, New: DiffSide{Name: "b.rdb", Server: "redis", ServerVersion: "7.2", Created: 4600, Predicted: 6000},
		Alerts: []string{"an alert"}, Notes: []string{"n1", "n2", "n3", "n4"},
		Totals:   DiffRow{KeysBefore: 100, KeysAfter: 150, MemoryBytesBefore: 1000, MemoryBytesAfter: 3000, WithoutTTLBefore: 50, WithoutTTLAfter: 30, Change: ChangeGrown},
		Types:    []DiffRow{{Type: "hash", Change: ChangeGrown, KeysAfter: 1, MemoryBytesAfter: 7}, {Type: "set", KeysBefore: 4, KeysAfter: 4, MemoryBytesBefore: 9, MemoryBytesAfter: 9}},
		Groups:   []DiffRow{group("a:*", ChangeGrown, ChangeTTLLost, [2]int64{10, 12}, [2]int64{1000, 2000}, [2]int64{1, 6}), renamed, explained, group("t:*", "", ChangeTTLGained, [2]int64{4, 4}, [2]int64{100, 100}, [2]int64{4, 0}), group("same:*", "", "", [2]int64{1, 1}, [2]int64{1, 1}, [2]int64{})},
		Findings: DiffFindings{New: []DiffFinding{{Rule: "no-ttl", Severity: "warning", Group: "a:*", CountAfter: 1234, Text: "none", Owner: "team", Fix: message.New("Write a:* with a TTL.")}, {Rule: "big-string", Severity: "error", SeverityBefore: "warning", Group: "g", Subject: "k", CountBefore: 1, CountAfter: 1}}, Resolved: []DiffFinding{{Rule: "slot-skew", Severity: "info", SeverityBefore: "info", Subject: "slot 7", CountBefore: 2}}, Persisting: []DiffFinding{{Rule: "key-length", Severity: "info", Group: "p", CountBefore: 1, CountAfter: 1}}},
		Keys:     DiffKeys{Compared: 77, New: []DiffKey{key("new", Unknown, 300)}, Grown: []DiffKey{key("grown", 1000, 1500), hidden}, Entered: []DiffKey{entered}}}
	const head = `! an alert
a.rdb -> b.rdb: redis 7.2, taken 1970-01-01 01:16:40 UTC, 1h later
100 -> 150 keys (+50.0%), 1,000 B -> 2.9 KB of memory (+200.0%); no TTL: 50.0% -> 20.0% of keys
predicted used_memory 4.9 KB -> 5.9 KB (+20.0%)
# Fix first (what is new)
1. Write a:* with a TTL. Owned by team.
# Findings (2 new, 1 resolved, 1 still there, by rule and group)
`
	const found = `| new | warning | no-ttl | 1,234 | a:* | team
| worse | error | big-string | 1 | k |
| resolved | info | slot-skew | 2 -> 0 | slot 7 |
`
	for name, c := range map[string]struct {
		rows int
		full bool
		want string
	}{
		"full": {1 << 30, true, head + `| change | severity | rule | found | group or key | why | owner
| new | warning | no-ttl | 1,234 | a:* | none | team
| worse | error | big-string | 1 | k |  |
| resolved | info | slot-skew | 2 -> 0 | slot 7 |  |
| still there | info | key-length | 1 | p |  |
# Keys (4 of 77 compared one by one)
| change | type | before | now | growth | elements | db | key
| now listed | hash | at most 80 B | 900 B |  | 5 | 0 | listed
| grown | hash | 1,000 B | 1.5 KB | +50.0% | +2 | 0 | grown
| new | hash |  | 300 B |  | +2 | 0 | new
| grown | hash | 10 B | 20 B | +100.0% | +2 | 1 | hidden
# Groups (4 of 5, by 5.0% and 1 KB or more)
| change | before | now | by | growth | keys | keys by | no TTL | group
| grown, ` + ChangeTTLLost + ` | 1,000 B | 2 KB | +1,000 B | +100.0% | 12 | +2 | 10% -> 50% | a:*
| renamed? | 500 B | 500 B |  |  | 5 |  | 100% | b:* -> c:*
| grown | 100 B | 900 B | +800 B | +800.0% | 2 |  | 0% | e:*
| ` + ChangeTTLGained + ` | 100 B | 100 B |  |  | 4 |  | 100% -> 0% | t:*
# Types
| before | now | by | growth | keys | keys by | no TTL | type
| 0 B | 7 B | +7 B | new | 1 | +1 | 0% | hash
| 9 B | 9 B |  |  | 4 |  | 0% | set
# All keys
| before | now | by | growth | keys | keys by | no TTL
| 1,000 B | 2.9 KB | +2 KB | +200.0% | 150 | +50 | 50% -> 20%
# How this was compared
n1
n2
n3
n4`},
		"on a screen": {2, false, head + `| change | severity | rule | found | group or key | owner
` + strings.Join(strings.SplitAfter(found, "\n")[:2], "") + `  and 1 more row (--details)
# Keys (3 of 77 compared one by one)
| change | type | before | now | growth | elements | key
| now listed | hash | at most 80 B | 900 B |  | 5 | listed
| grown | hash | 1,000 B | 1.5 KB | +50.0% | +2 | grown
  and 1 more row (--details)
# Groups (3 of 5, by 5.0% and 1 KB or more)
| change | before | now | by | growth | keys | keys by | no TTL | group
| grown, ` + ChangeTTLLost + ` | 1,000 B | 2 KB | +1,000 B | +100.0% | 12 | +2 | 10% -> 50% | a:*
| renamed? | 500 B | 500 B |  |  | 5 |  | 100% | b:* -> c:*
  and 1 more row (--details)
-- n1
n2
n3
-- More: --details, -f diff.html (a page), -f json`},
	} {
		p := &recordedPage{}
		d.write(p, c.rows, c.full)
		var got []string
		for _, line := range p.lines {
			got = append(got, strings.TrimSpace(line))
		}
		var want []string
		for line := range strings.Lines(c.want) {
			want = append(want, strings.TrimSpace(line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	none := &Diff{Measure: ByValueBytes, MinShare: 0.05, MinBytes: 2048, Old: DiffSide{Name: "-", Created: Unknown, Predicted: Unknown}, New: DiffSide{Name: "b", Created: 5, Predicted: 5}, Totals: DiffRow{KeysBefore: 3, KeysAfter: 3, ValueBytesBefore: 9, ValueBytesAfter: 9}}
	p := &recordedPage{}
	none.write(p, 9, false)
	if got := strings.Join(p.lines, "\n"); got != "standard input -> b: unknown, taken 1970-01-01 00:00:05 UTC\n3 keys (the same), 9 B of values (the same); no TTL: 0.0% of keys\nNothing changed by 5.0% and 2 KB or more, and no finding is new or resolved.\n-- More: --details, -f diff.html (a page), -f json" {
		t.Error(got)
	}
	for _, c := range []struct {
		old, new Figure
		want     string
	}{{5, Unknown, "at an unknown time"}, {Unknown, 5, "1970-01-01 00:00:05 UTC"}, {5, 5, "1970-01-01 00:00:05 UTC, 0s later"}, {6, 5, "1970-01-01 00:00:05 UTC"}} {
		none.Old.Created, none.New.Created = c.old, c.new
		if got := english(none.about()[0]); !strings.HasSuffix(got, "taken "+c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
	for n, want := range map[int64]string{0: "0", 1: "+1", -1: "-1", 1000: "+1,000"} {
		if got := english(signedCount(n)); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for n, want := range map[int64]string{0: "+0 B", 1: "+1 B", -1: "-1 B", -2048: "-2 KB"} {
		if got := english(signedSize(n)); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	// The summary of a mail: three of each list.
	d.Alerts = []string{"1", "2", "3", "4"}
	lines := strings.Split(strings.TrimSpace(string(renderDiff(t, "summary", d))), "\n")
	if len(lines) != 3+1+4 || !strings.Contains(lines[4], "new findings (2): ") || !strings.Contains(lines[6], "keys (3): now listed listed +900 B; grown grown +500 B; new new +300 B") || !strings.Contains(lines[7], "groups (3): ") {
		t.Errorf("%q", lines)
	}
}

func renderDiff(t *testing.T, format string, d *Diff) []byte {
	t.Helper()
	var b strings.Builder
	if err := Write(format, &b, d, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return []byte(b.String())
}

// TestTicketOmits checks what a ticket says that it leaves out, one by one.
func TestTicketOmits(t *testing.T) {
	v := &overview{r: &Report{}, keys: make([]bigKey, 3), groups: make([]Group, 3), problems: make([]problem, 3), fixes: make([]message.Message, 3), savings: make([]Step, 3), nodes: make([]Node, 3), wrong: make([]message.Message, 2), about: make([]message.Message, 5), lead: 2}
	all := v.all()
	if all != (screenRows{3, 3, 3, 3, 3, 3, 3, 0, 0}) || v.omitted(all) != nil {
		t.Errorf("%+v: %q", all, v.omitted(all))
	}
	if got := strings.Join(englishLines(v.omitted(screenRows{2, 2, 2, 2, 2, 2, 2, 0, 0})), "; "); got != "1 of the biggest keys; 1 of the groups; 1 problem; 1 thing to fix; 1 saving; 1 of the nodes; 1 remark on the files" {
		t.Error(got)
	}
	if got := strings.Join(englishLines(v.omitted(screenRows{})), "; "); got != "3 of the biggest keys; 3 of the groups; 3 problems; 3 things to fix; 3 savings; 3 of the nodes; 3 remarks on the files" {
		t.Error(got)
	}
	// Rows go one by one, problems first, down to the least of each step, and none is left.
	rows, n := screenRows{20, 20, 20, 20, 20, 20, 20, 20, 20}, 0
	for n = 0; rows.less(); n++ {
		switch {
		case n < 10 && rows.problems != 19-n, n == 10+16-1 && (rows.savings != 4 || rows.fixes != 20):
			t.Errorf("after %d: %+v", n+1, rows)
		}
	}
	if rows != (screenRows{}) || n != 180 {
		t.Errorf("%d rows went, %+v are left", n, rows)
	}
	// A table of a ticket: titles, alignment, names as code that is cut, no empty column.
	p := newMarkdownPage(new(bytes.Buffer), WriteOptions{}, 12, 0)
	p.table(table{2, []column{nameColumn("key", func(i int) message.Message { return named(Name(strings.Repeat("k", 8*i+8))) }), countColumn("n", func(i int) Figure { return Figure(i) }), wordColumn("none", func(int) string { return "" }), wordColumn("late", func(i int) string { return strings.Repeat("x ", i*20) })}})
	want := fmt.Sprintf("\n| key | n | late |\n| --- | ---: | --- |\n| `kkkkkkkk` | 0 |  |\n| `%s` | 1 | %s |\n", text.ShortenMiddle(strings.Repeat("k", 16), 12), text.ShortenEnd(strings.Repeat("x ", 20), 24))
	if got := p.w.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.w.Reset()
	if p.table(table{1, []column{wordColumn("a", func(int) string { return "" })}}); p.w.Len() != 0 {
		t.Errorf("an empty table: %q", p.w.String())
	}
}
