package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestHTMLFleet checks what a page shows of several snapshots: a bar for each node, marked if
// it is much larger than the mean or damaged, one row for a key of one name, and a row of
// memory for each input.
func TestHTMLFleet(t *testing.T) {
	r := &Report{By: ByMemory, Totals: Totals{Keys: 9, MemoryBytes: 900}, Passed: []string{"big-string"},
		Rules: []Finding{{Rule: "no-ttl", Severity: "warning", Count: 1}},
		Inputs: []Input{{Name: "d/a.rdb", Memory: &Memory{Model: "redis-7.0", Predicted: 500, Difference: p(-20)}}, {Name: "d/b.rdb", Memory: &Memory{Model: "redis-7.2"}},
			{Name: "d/c.rdb", Error: &Damage{}}},
		Nodes: []Node{{Input: 1, MemoryBytes: 600, Keys: 4, Skew: 2}, {Input: 0, MemoryBytes: 300, Keys: 3, Skew: 1}, {Input: 2, MemoryBytes: 0, Keys: 2}},
		Top:   map[string][]KeyRow{ByMemory: {{Key: "same", Input: 1, Memory: 70}, {Key: "same", Input: 0, Memory: 60}, {Key: "one", Input: 2, Memory: 50}, {Key: "same", DB: 1, Memory: 40}}}}
	v := newHTMLView(r, WriteOptions{})
	nodes := sectionOf(t, v, "nodes").Blocks
	if got, want := fmt.Sprint(nodes[0].Strip), "[{0 50 50  d/a.rdb: 300 B, 3} {1 0 100 s-warning d/b.rdb: 600 B, 4} {2 98 2 s-error d/c.rdb: 0 B, 2}]"; got != want || len(nodes[1].Table.Rows) != 3 {
		t.Errorf("%s, want %s", got, want)
	}
	keys := sectionOf(t, v, "keys").Blocks
	var rows []string
	for _, row := range tableText(keys[1].Table) {
		cells := strings.Split(row, "|")
		rows = append(rows, cells[0]+" "+cells[2])
	}
	if keys[0].Figure != "scatter" || !slices.Equal(rows, []string{"key listed on nodes", "same 2", "one 1", "same 1"}) {
		t.Errorf("%q", rows)
	}
	if got := tableText(sectionOf(t, v, "memory").Blocks[0].Table); len(got) != 3 || !strings.HasPrefix(got[0], "snapshot|model|") {
		t.Errorf("%q", got)
	}
	findings := sectionOf(t, v, "findings").Blocks
	if f := findings[len(findings)-1].Fold; f.ID != "passed" || len(f.Blocks[0].Items) != 1 || !strings.HasPrefix(english(f.Blocks[0].Items[0]), "big-string: ") {
		t.Errorf("%+v", f)
	}
	r.Inputs, r.Nodes = r.Inputs[:1], nil
	for _, s := range newHTMLView(r, WriteOptions{}).Sections {
		if s.ID == "nodes" {
			t.Error("a strip of one node")
		}
	}
}

// TestExpiryTimes checks the steps in which keys expire against a count of the keys of a
// snapshot, one by one.
func TestExpiryTimes(t *testing.T) {
	var expiries []int64
	opt := Options{Keep: func(k *parser.Key, _ string, _ int64) bool {
		if k.HasExpire {
			expiries = append(expiries, k.ExpireAt)
		}
		return true
	}, Jobs: 1}
	r, err := Scan(t.Context(), []Source{FileSource("../testdata/shop.rdb")}, testPolicy(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.ExpiryTimes) != 3 || r.ExpiryTimes[0].Step != 600 || r.ExpiryTimes[0].From != int64(r.Inputs[0].Created)/60*60 {
		t.Fatalf("%d spans", len(r.ExpiryTimes))
	}
	created := int64(r.Inputs[0].Created) * 1000
	for _, span := range r.ExpiryTimes[:2] { // beyond 90 days keys are counted by the hour
		want := make([]int64, len(span.Keys))
		for _, ms := range expiries {
			if at := (ms/60_000*60 - span.From) / span.Step; ms >= created && at < int64(len(want)) {
				want[at]++
			}
		}
		if !slices.Equal(span.Keys, want) {
			t.Errorf("steps of %d seconds: %d, want %d", span.Step, span.Keys, want)
		}
	}
	if len(r.Config.Checked) < 10 || !slices.Contains(r.Config.Checked, "big-string") || slices.Contains(r.Config.Checked, "key-words") {
		t.Errorf("rules in force: %q", r.Config.Checked)
	}
}

// TestWaterfall checks the way from the size before to that now.
func TestWaterfall(t *testing.T) {
	d := compareSaved(t, groupsReport("a:*=1000", "b:*=500", "gone:*=100"), groupsReport("a:*=2000", "b:*=400", "new:*=50"), CompareOptions{})
	before, after := d.Size(&d.Totals)
	p := newHTMLPage(WriteOptions{})
	d.waterfall(p)
	var got []string
	end := 0
	for _, row := range p.last().Blocks[0].Table.Rows {
		bar := regexp.MustCompile(`<rect class="(\w+)" x="(\d+)" width="(\d+)"`).FindStringSubmatch(string(row))
		label, _, _ := strings.Cut(cellTags.ReplaceAllString(strings.ReplaceAll(string(row), "</td>", "|"), ""), "|")
		got = append(got, label+" "+bar[1])
		x, _ := strconv.Atoi(bar[2])
		width, _ := strconv.Atoi(bar[3])
		if width == 0 {
			t.Errorf("no bar for %s", label)
		}
		if bar[1] == "whole" && len(got) > 1 && max(end-width, width-end) > 8 {
			t.Errorf("the way ends at %d, not at %d", end, width)
		}
		if end = x + width; bar[1] == "fewer" {
			end = x
		}
	}
	want := []string{"before whole", "a:* more", "b:* fewer", "gone:* fewer", "new:* more", "now whole"}
	for i := range got {
		if !strings.HasPrefix(got[i], strings.Fields(want[i])[0]) || !strings.HasSuffix(got[i], strings.Fields(want[i])[1]) {
			t.Errorf("%q of %d to %d bytes", got, before, after)
		}
	}
	if got := english(d.headline()); got != "166 KB more (+53.1%), +850 keys. No new findings. 1 group is gone." {
		t.Error(got)
	}
}
