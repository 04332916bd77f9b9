package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// TestHTMLFigures checks bars and slots of a page by hand.
func TestHTMLFigures(t *testing.T) {
	r := &Report{Complete: true, By: ByMemory, Inputs: []Input{{Name: "a.rdb", UsedMem: 3000, Memory: &Memory{Predicted: 2500, Difference: p(500)}}},
		Totals: Totals{Keys: 8, MemoryBytes: 2000, ValueBytes: 900, WithoutTTL: 2, WithoutTTLMemory: 500}, Findings: Counts{Error: 3, Warning: 4}, GroupsFolded: 7}
	r.Totals.MemoryBytes = Unknown
	r.Inputs = append(r.Inputs, Input{Name: "b.rdb"})
	if v := newHTMLView(r, WriteOptions{}); english(v.Title) != "2 snapshots" || v.SizeLabel != "value bytes" {
		t.Errorf("%q", english(v.Title))
	}
	r.Inputs = []Input{{Name: "a/b.rdb"}}
	if v := newHTMLView(r, WriteOptions{}); english(v.Title) != "b.rdb" {
		t.Errorf("%q", english(v.Title))
	}
	// Bars of a histogram are in thousandths of the most keys.
	r.Expiry = []Bucket{{Label: "a", Keys: 1000, ValueBytes: 5}, {Label: "b", Keys: 1}, {Label: "c"}, {Label: "d", Keys: 500}, {Label: "e", Keys: 5}}
	var widths []string
	for _, row := range sectionOf(t, newHTMLView(r, WriteOptions{}), "ttls").Blocks[0].Table.Rows {
		widths = append(widths, regexp.MustCompile(`width="(\d+)"`).FindStringSubmatch(string(row))[1])
	}
	if !slices.Equal(widths, []string{"1000", "4", "0", "500", "5"}) {
		t.Errorf("bars %q", widths)
	}
	slots := func(list ...thresholds.SlotRange) *htmlSection {
		v := &htmlView{htmlPage: newHTMLPage(WriteOptions{}), SizeLabel: "memory"}
		if v.slots(&Report{Slots: list}); len(v.Sections) == 0 {
			return nil
		}
		return v.last()
	}
	if slots() != nil || slots(thresholds.SlotRange{Last: 63}) != nil {
		t.Error("slots without keys")
	}
	s := slots(thresholds.SlotRange{First: 0, Last: 63, Keys: 5, Bytes: 1000}, thresholds.SlotRange{First: 64, Last: 127},
		thresholds.SlotRange{First: 128, Last: 191, Keys: 1, Bytes: 1}, thresholds.SlotRange{First: 192, Last: 255, Keys: 1, Bytes: 499})
	if got := fmt.Sprint(s.Blocks[0].Strip); got != "[{0 0 100  0-63: 1,000 B, 5} {1 100 0  64-127: 0 B, 0} {2 98 2  128-191: 1 B, 1} {3 51 49  192-255: 499 B, 1}]" {
		t.Error(got)
	}
	if got := tableText(s.Blocks[1].Table); english(s.Note) != "Each bar is 64 of the 16,384 slots. 3 of 4 bars have keys, on average 500 B." ||
		!slices.Equal(got, []string{"slots|memory|share|keys", "0-63|1,000 B|66.7%|5", "192-255|499 B|33.3%|1", "128-191|1 B|&lt;0.1%|1"}) {
		t.Errorf("%q, %q", english(s.Note), got)
	}
}

// sectionOf returns a section of a page.
func sectionOf(t *testing.T, v *htmlView, id string) *htmlSection {
	t.Helper()
	i := slices.IndexFunc(v.Sections, func(s htmlSection) bool { return s.ID == id })
	if i < 0 {
		t.Fatalf("no section %s", id)
	}
	return &v.Sections[i]
}

var cellTags = regexp.MustCompile(`<[^>]*>`)

// tableText returns the titles of a table and the texts of its rows.
func tableText(h *htmlTable) []string {
	var titles []string
	for _, c := range h.Columns {
		titles = append(titles, c.Title)
	}
	rows := []string{strings.Join(titles, "|")}
	for _, row := range h.Rows {
		rows = append(rows, cellTags.ReplaceAllString(strings.ReplaceAll(strings.TrimSuffix(string(row), "</td>"), "</td>", "|"), ""))
	}
	return rows
}

// TestHTMLFindings checks the findings of a page: the first is open, each says how many
// more there are, and commands that change data are shown where they were asked for.
func TestHTMLFindings(t *testing.T) {
	advice := []Advice{{Kind: "inspect", Text: "look", Commands: []string{"TYPE k"}}, {Kind: "delete", Text: "delete", Condition: "if so", Commands: []string{"DEL k", "DEL l"}, ChangesData: true}}
	r := &Report{Config: Config{Profile: "aliyun"}, Rules: []Finding{
		{Rule: "big-string", Severity: "error", Title: "large", Count: 3, Groups: []FindingGroup{{Group: "g", Count: 3}}, Examples: []Example{{KeyRow: &KeyRow{Key: "k"}, Text: "over", Advice: advice}, {KeyRow: &KeyRow{Key: "l"}, Text: "over"}}},
		{Rule: "big-stream", Severity: "warning", Count: 1, Examples: []Example{{KeyRow: &KeyRow{Key: "m"}, Text: "over"}}}, {Rule: "no-ttl", Severity: "info", Count: 5}}}
	for _, all := range []bool{false, true} {
		v := newHTMLView(r, WriteOptions{Advice: all})
		var got []string
		var sources []*thresholds.Source
		for _, b := range sectionOf(t, v, "findings").Blocks {
			f := b.Fold
			var texts []string
			rows := 0
			for _, b := range f.Blocks {
				switch {
				case b.Table != nil:
					rows = len(b.Table.Rows)
				case b.Source != nil:
					sources = append(sources, b.Source)
				case b.Label != "":
					texts = append(texts, b.Label+": "+english(b.Text))
				}
				texts = append(texts, b.Commands...)
			}
			got = append(got, fmt.Sprintf("%s %s %s %s %t %d %q", f.ID, f.Severity, f.Rule, english(f.Count), f.Open, rows, texts))
		}
		more := ""
		if all {
			more = ` "delete: (if so) delete" "DEL k" "DEL l"`
		}
		want := []string{`rule-big-string-error error big-string 3 true 2 ["groups: g (3)" "inspect: look" "TYPE k"` + more + `]`,
			`rule-big-stream-warning warning big-stream 1 false 1 []`, `rule-no-ttl-info info no-ttl 5 false 0 []`}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// The sources of a rule are those of the profile.
		for _, s := range sources {
			if !slices.Contains(s.Profiles, "aliyun") {
				t.Errorf("%+v", s)
			}
		}
		if len(sources) == 0 {
			t.Error("no sources")
		}
	}
}

// TestHTMLTable checks that a table ends where its bytes do, and has no empty column.
func TestHTMLTable(t *testing.T) {
	tbl := table{3, []column{wordColumn("a", func(i int) string { return fmt.Sprint(i) }), wordColumn("b", func(int) string { return "" }), nameColumn("c", func(i int) message.Message { return verbatim(strings.Repeat("<", i)) })}}
	write := func(room int) (*htmlPage, *htmlTable) {
		p := &htmlPage{htmlStyle: newHTMLStyle(WriteOptions{}), Sections: make([]htmlSection, 1), room: room}
		p.table(tbl)
		return p, p.last().Blocks[0].Table
	}
	const all = 1 << 20
	p, h := write(all)
	if got := tableText(h); !slices.Equal(got, []string{"a|c", "0|", "1|&lt;", "2|&lt;&lt;"}) || h.Columns[1].Class != "name" {
		t.Errorf("%q, %+v", got, h.Columns)
	}
	bytes := 0
	for _, row := range h.Rows {
		bytes += len(row)
	}
	for room, rows := range map[int]int{bytes: 3, bytes - 1: 2, len(h.Rows[0]): 1, len(h.Rows[0]) - 1: 0} {
		if p, h := write(room); len(h.Rows) != rows || (p.room < 0) != (rows < 3) {
			t.Errorf("%d bytes: %d rows, %d bytes left", room, len(h.Rows), p.room)
		}
	}
	if p.room != all-bytes {
		t.Errorf("%d bytes left", p.room)
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
	want := []string{"average B, serialized, largest key", "memory without TTL, value", "value, elements", "value, ", "written at, found", "elements, written at, db", "growth, by, keys, keys by, written at, before",
		"findings, share, serialized, encoding, usage, largest element, owner, largest, snapshot, db, value, TTL", "share, no TTL, warnings, used_memory, node", "largest key, max, min TTL, elements, what it is, value, share, median, written at, owner", "snapshot, memory"}
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
