package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// TestHTMLFigures checks bars, slots and sentences of a page by hand.
func TestHTMLFigures(t *testing.T) {
	r := &Report{Complete: true, By: ByMemory, Inputs: []Input{{Name: "a.rdb", UsedMem: 3000, Memory: &Memory{Predicted: 2500, Difference: p(500)}}},
		Totals: Totals{Keys: 8, MemoryBytes: 2000, ValueBytes: 900, WithoutTTL: 2, WithoutTTLMemory: 500}, Findings: Counts{Error: 3, Warning: 4}, GroupsFolded: 7}
	v := newHTMLView(r, WriteOptions{})
	const exact, offline = "Numbers of keys, elements, bytes and findings are exact: every key was read.", "This page needs no network: everything is in it."
	want := []string{exact, "Memory is computed from the server's own structures", "Names have more patterns than groups are kept of: 7 patterns", "The predicted used_memory is 2.4 KB, 16.7% from what the snapshot states.", offline}
	if !slices.EqualFunc(englishLines(v.Exact), want, strings.HasPrefix) {
		t.Errorf("%q", englishLines(v.Exact))
	}
	r.Complete, r.Totals.MemoryBytes, r.Totals.MemoryBound, r.GroupsFolded = false, Unknown, true, 0
	r.Inputs = append(r.Inputs, Input{Name: "b.rdb"})
	v = newHTMLView(r, WriteOptions{})
	want = []string{"Numbers of keys, elements, bytes and findings are those of what was read", "The server that wrote the snapshot is not known well enough", "Some keys have types whose memory is known as a lower bound only.", offline}
	if !slices.EqualFunc(englishLines(v.Exact), want, strings.HasPrefix) || english(v.Title) != "2 snapshots" || v.SizeLabel != "value bytes" {
		t.Errorf("%q, %q", english(v.Title), englishLines(v.Exact))
	}
	b := v.bars("t", "l", []Bucket{{Label: "a", Keys: 1000, ValueBytes: 5, MemoryBytes: Unknown}, {Label: "b", Keys: 1}, {Label: "c"}, {Label: "d", Keys: 500}, {Label: "e", Keys: 5}})
	var widths []int
	for _, row := range b.Rows {
		widths = append(widths, row.Width)
	}
	if !slices.Equal(widths, []int{1000, 4, 0, 500, 5}) || english(b.Rows[0].Keys) != "1,000" || english(b.Rows[0].Size) != "5 B" || v.bars("t", "l", make([]Bucket, 3)) != nil {
		t.Errorf("%+v", b)
	}
	for _, c := range []struct {
		keys []int64
		want string
	}{{[]int64{0, 1, 0, 2, 0}, "[1 0 2]"}, {[]int64{1}, "[1]"}, {[]int64{0, 0}, "[]"}, {[]int64{1, 0}, "[1]"}, {[]int64{0, 1}, "[1]"}} {
		var list []Bucket
		for _, n := range c.keys {
			list = append(list, Bucket{Keys: n})
		}
		var got []int64
		for _, b := range withoutEmptyEnds(list) {
			got = append(got, b.Keys)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v", c.keys, got)
		}
	}
	budget := 1 << 20
	slots := func(list ...thresholds.SlotRange) *htmlSlots {
		v.Slots = nil
		v.slots(&Report{Slots: list}, &budget)
		return v.Slots
	}
	if slots() != nil || slots(thresholds.SlotRange{Last: 63}) != nil {
		t.Error("slots without keys")
	}
	s := slots(thresholds.SlotRange{First: 0, Last: 63, Keys: 5, Bytes: 1000}, thresholds.SlotRange{First: 64, Last: 127}, thresholds.SlotRange{First: 128, Last: 191, Keys: 1, Bytes: 1}, thresholds.SlotRange{First: 192, Last: 255, Keys: 1, Bytes: 499})
	if got := fmt.Sprint(s.Bars); got != "[{0 0 100  0-63: 1,000 B, 5} {1 100 0  64-127: 0 B, 0} {2 98 2  128-191: 1 B, 1} {3 51 49  192-255: 499 B, 1}]" {
		t.Error(got)
	}
	if english(s.Note) != "Each bar is 64 of the 16,384 slots. 3 of 4 bars have keys, on average 500 B." || fmt.Sprint(s.Fullest.Rows) != "[[0-63 1,000 B 66.7% 5] [192-255 499 B 33.3% 1] [128-191 1 B &lt;0.1% 1]]" {
		t.Errorf("%q, %v", english(s.Note), s.Fullest.Rows)
	}
}

// TestHTMLFindings checks the findings of a page: the first is open, each says how many
// more there are, and commands that change data are shown where they were asked for.
func TestHTMLFindings(t *testing.T) {
	advice := []Advice{{Text: "look", Commands: []string{"TYPE k"}}, {Text: "delete", Condition: "if so", Commands: []string{"DEL k", "DEL l"}, ChangesData: true}}
	r := &Report{Config: Config{Profile: "aliyun"}, Rules: []Finding{
		{Rule: "big-string", Severity: "error", Title: "large", Count: 3, Groups: []FindingGroup{{Group: "g", Count: 3}}, Examples: []Example{{KeyRow: &KeyRow{Key: "k"}, Text: "over", Advice: advice}, {KeyRow: &KeyRow{Key: "l"}, Text: "over"}}},
		{Rule: "big-stream", Severity: "warning", Count: 1, Examples: []Example{{KeyRow: &KeyRow{Key: "m"}, Text: "over"}}}, {Rule: "no-ttl", Severity: "info", Count: 5}}}
	for _, all := range []bool{false, true} {
		v := newHTMLView(r, WriteOptions{Advice: all})
		var got []string
		for _, f := range v.Findings {
			var texts []string
			for _, a := range f.Advice {
				texts = append(texts, english(a.Text)+" "+strings.Join(a.Commands, ","))
			}
			got = append(got, fmt.Sprintf("%s %s %s %t %d %q %q", f.Severity, f.Rule, english(f.Count), f.Open, len(f.Worst.Rows), strings.Join(englishLines(f.More), ""), texts))
		}
		more := ""
		if all {
			more = ` "(if so) delete DEL k,DEL l"`
		}
		want := []string{`error big-string 3 true 2 "And 1 more. In groups: g (3)" ["look TYPE k"` + more + `]`, `warning big-stream 1 false 1 "" []`, `info no-ttl 5 false 0 "" []`}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// The sources of a rule are those of the profile.
		if len(v.Findings[0].Sources) == 0 || v.Findings[0].Why == "" || v.Findings[0].Fix == "" {
			t.Errorf("%+v", v.Findings)
		}
		for _, s := range v.Findings[0].Sources {
			if !slices.Contains(s.Profiles, "aliyun") {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestHTMLTable checks that a table ends where its bytes do, and has no empty column.
func TestHTMLTable(t *testing.T) {
	tbl := table{3, []column{wordColumn("a", func(i int) string { return fmt.Sprint(i) }), wordColumn("b", func(int) string { return "" }), nameColumn("c", func(i int) message.Message { return verbatim(strings.Repeat("<", i)) })}}
	style := newHTMLStyle(WriteOptions{})
	const cell = len("<td class=n></td>")
	const all = 6*cell + 3 + 4*3 // "<" takes four
	for budget, rows := range map[int]int{2*cell + 1: 1, 2 * cell: 0, 4*cell + 1 + 1 + 4: 2, 4*cell + 1 + 4: 1, all: 3, all - 1: 2} {
		left := budget
		if h := style.newTable(tbl, &left); len(h.Rows) != rows || len(h.Columns) != 2 || (left < 0) != (rows < 3) || rows == 3 && left != 0 {
			t.Errorf("%d bytes: %d rows, %d bytes left, %+v", budget, len(h.Rows), left, h.Columns)
		}
	}
	if h := style.newTable(tbl, new(int)); len(h.Rows) != 0 || !h.Columns[1].Name || h.Columns[0].Name {
		t.Errorf("%+v", h)
	}
}

// TestOrderOfEncodings checks that the rows of a report are by size, the largest first,
// whatever the order of the types.
func TestOrderOfEncodings(t *testing.T) {
	r, err := Scan(t.Context(), []Source{FileSource("../testdata/shop.rdb")}, testPolicy(t), Options{Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(r.Encodings, func(a, b Encoding) int { return int(b.MemoryBytes - a.MemoryBytes) }) || !slices.IsSortedFunc(r.Types, func(a, b TypeRow) int { return int(b.MemoryBytes - a.MemoryBytes) }) || len(r.Encodings) < 4 {
		t.Errorf("%+v", r.Encodings)
	}
	for typ, lists := range r.TopByType {
		for m, rows := range lists {
			if len(rows) == 0 || slices.ContainsFunc(rows, func(k KeyRow) bool { return k.Type != typ }) {
				t.Errorf("%s %s: %d rows", typ, m, len(rows))
			}
		}
	}
	for _, row := range r.Types {
		if rows := r.TopByType[row.Type][ByMemory]; int64(len(rows)) != min(3, row.Keys) || rows[0].Memory != row.MaxMemoryBytes || r.TopByType[row.Type][ByElements][0].Elements != row.MaxElements {
			t.Errorf("%s: %d rows", row.Type, len(rows))
		}
	}
}

// TestDropOrder checks which columns go first where room is short: what can be had from
// others before what cannot, and never the name.
func TestDropOrder(t *testing.T) {
	r := &Report{By: ByMemory, Inputs: []Input{{Name: "a"}, {Name: "b"}}}
	v := newOverview(r, WriteOptions{})
	p := &dropPage{}
	d := newDetails(p, ordinaryReport(), WriteOptions{})
	d.types()
	d.encodings()
	d.owners()
	d.expiry()
	diff := &Diff{}
	diff.findingsTable(p, make([]DiffFinding, 1), func(int) string { return "" }, true)
	diff.keysTable(p, []shownKey{{&DiffKey{}, ""}})
	diff.rowsTable(p, "group", []*DiffRow{{}})
	p.table(r.keysTable(nil, true))
	p.table(r.nodesTable(nil))
	p.table(r.groupsTable(nil, true))
	p.table(v.problemsTable(0))
	want := []string{"average B, serialized, largest key", "memory without TTL, value", "value, elements", "value, ", "owner, before, now", "elements, db", "owner, keys, now, before, by",
		"findings, share, serialized, encoding, usage, largest element, largest, snapshot, db, value, TTL", "share, no TTL, warnings, used_memory, node", "share, largest key, max, min TTL, elements, value, median, what it is, owner", "snapshot, groups, memory"}
	if !slices.Equal(p.orders, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(p.orders, "\n"), strings.Join(want, "\n"))
	}
}

// dropPage records the columns of tables in the order in which they are dropped.
type dropPage struct {
	recordedPage
	orders []string
}

func (p *dropPage) table(t table) {
	columns := slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c.Drop == 0 || c.Drop == dropBar })
	slices.SortStableFunc(columns, func(a, b column) int { return b.Drop - a.Drop })
	var titles []string
	for _, c := range columns {
		titles = append(titles, c.Title)
	}
	p.orders = append(p.orders, strings.Join(titles, ", "))
}
