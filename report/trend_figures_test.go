package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTrendFigures checks the series of two reports, of which each has what the other
// does not, against figures that are in none of the others.
func TestTrendFigures(t *testing.T) {
	first := &Report{Complete: true, Inputs: []Input{{Created: 1000, UsedMem: 100, Memory: &Memory{Predicted: 700}}, {Created: 900, UsedMem: 200, Memory: &Memory{Predicted: 77}}},
		Totals: Totals{Keys: 31, WithoutTTL: 13, MemoryBytes: 600}, Findings: Counts{Error: 3, Warning: 5, Info: 7},
		Types:  []TypeRow{{Type: "hash", MemoryBytes: 400}, {Type: "set", MemoryBytes: 200}},
		Owners: []Owner{{Owner: "", MemoryBytes: 150}, {Owner: "shop", MemoryBytes: 450}},
		Groups: []Group{{Group: "a:*", Keys: 20, MemoryBytes: 100}, {Group: "b:*", Keys: 11, MemoryBytes: 500}}}
	second := &Report{Inputs: []Input{{Created: 2000, Memory: &Memory{Predicted: 800, Fit: &Fit{MaxMemory: 4096}}}, {Created: 1500}},
		Totals: Totals{Keys: 41, WithoutTTL: 17, MemoryBytes: 650}, Findings: Counts{Error: 4, Warning: 6, Info: 8},
		Types:  []TypeRow{{Type: "hash", MemoryBytes: 650}},
		Groups: []Group{{Group: "c:*", Keys: 1, MemoryBytes: 90}, {Group: "b:*", Keys: 40, MemoryBytes: 560}}}
	var b TrendBuilder
	for path, r := range map[string]*Report{"one.json": first, "two.json": second} { // in any order
		if err := b.Add(path, r); err != nil {
			t.Fatal(err)
		}
	}
	trend := b.Trend(0, 2)
	var got strings.Builder
	for _, s := range trend.Series {
		fmt.Fprintf(&got, "%s/%s/%s%v\n", s.Kind, s.Name, s.Measure, s.Values)
	}
	// Predicted: the sum of the inputs, unknown if that of one is.
	want := `total/used_memory/memory[300 -1]
total/predicted used_memory/memory[777 -1]
total/keys/memory[600 650]
total/keys/keys[31 41]
total/keys without a TTL/keys[13 17]
findings/error/count[3 4]
findings/warning/count[5 6]
findings/info/count[7 8]
type/hash/memory[400 650]
type/set/memory[200 -1]
owner/(no owner)/memory[150 -1]
owner/shop/memory[450 -1]
group/b:*/memory[500 560]
group/c:*/memory[-1 90]
group/a:*/memory[100 -1]
group/b:*/keys[11 40]
group/c:*/keys[-1 1]
group/a:*/keys[20 -1]
`
	if got.String() != want {
		t.Errorf("series\n%swant\n%s", got.String(), want)
	}
	if reports := fmt.Sprint(trend.Reports); reports != "[{one.json 1000 true} {two.json 2000 false}]" {
		t.Error(reports)
	}
	// Where nothing is predicted, the memory of the keys counts: 600, then 650.
	if f := trend.Forecast; f == nil || f.Of != "keys" || f.Now != 650 || f.MaxMemory != 4096 || trend.Full == nil {
		t.Errorf("%+v", f)
	}
	if full := b.Trend(650, 2).Full; full == nil || full.Now != 650 || full.Time != 2000 || full.Days != 0 {
		t.Errorf("%+v", full)
	}
	var csv bytes.Buffer
	if err := Write("csv", &csv, trend, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(csv.String(), "\n")
	for _, line := range []string{"time,report,kind,name,measure,value", "1000,one.json,total,predicted used_memory,memory,777", "2000,two.json,group,c:*,keys,1",
		"1000,one.json,type,set,memory,200"} {
		if !slices.Contains(lines, line) {
			t.Errorf("the CSV lacks %q:\n%s", line, csv.String())
		}
	}
	known := 0
	for _, s := range trend.Series {
		for _, v := range s.Values {
			if v.Known() {
				known++
			}
		}
	}
	if len(lines) != known+2+len(trend.Forecast.Line)+1 { // the header, what is behind the last line feed, the forecast
		t.Errorf("%d lines for %d figures", len(lines), known)
	}
	var rows []string
	for _, kind := range []string{"total", "group"} {
		for _, s := range trend.rows(kind) {
			rows = append(rows, english(s.label())+" "+english(s.figure(s.first()))+" "+english(s.figure(s.last()))+" "+english(s.change()))
		}
	}
	if got := strings.Join(rows, "; "); got != "used_memory 300 B - ; predicted used_memory 777 B - ; memory of the keys 600 B 650 B +50 B; keys 31 41 +10; keys without a TTL 13 17 +4; b:* 500 B 560 B +60 B; c:* - 90 B " {
		t.Error(got)
	}
	for at, want := range map[Figure]bool{0: true, 1: false, Unknown: true} {
		if err := new(TrendBuilder).Add("x", &Report{Inputs: []Input{{Created: at}}}); (err != nil) != want {
			t.Errorf("a report of the second %d: %v", at, err)
		}
	}
}

// TestTrendGroups checks that the groups of a report with most memory are in its trend,
// and how much of them a table shows.
func TestTrendGroups(t *testing.T) {
	r := &Report{Inputs: []Input{{Created: 1}}}
	for i := range MaxTrendGroups + 1 {
		r.Groups = append(r.Groups, Group{Group: Name(fmt.Sprint(i)), Keys: 1, MemoryBytes: Figure(i)})
	}
	var b TrendBuilder
	if err := b.Add("x", r); err != nil {
		t.Fatal(err)
	}
	trend := b.Trend(0, 7)
	var names []Name
	for _, s := range trend.Series {
		if s.Kind == "group" && s.Measure == "memory" {
			names = append(names, s.Name)
		}
	}
	if len(names) != MaxTrendGroups || names[0] != "200" || slices.Contains(names, "0") || len(trend.rows("group")) != 7 {
		t.Errorf("%d groups, %d rows: %q", len(names), len(trend.rows("group")), names)
	}
}

// TestSparkline checks the bars of figures that a cell has.
func TestSparkline(t *testing.T) {
	many := make([]Figure, 61)
	for i := range many {
		many[i] = Figure(i)
	}
	for _, c := range []struct {
		values []Figure
		spark  string
	}{
		{[]Figure{5}, "▄"},
		{[]Figure{Unknown}, " "},
		{[]Figure{5, 5}, "▄▄"},
		{[]Figure{0, 7}, "▁█"},
		{[]Figure{10, 11, 12, 13, 14, 15, 16, 17, 18}, "▁▁▂▃▄▅▆▇█"},
		{[]Figure{0, Unknown, 4, 2}, "▁ █▄"},
		{many[:30], strings.Repeat("▁", 4) + strings.Repeat("▂", 4) + strings.Repeat("▃", 3) + strings.Repeat("▄", 4) + strings.Repeat("▅", 4) + strings.Repeat("▆", 3) + strings.Repeat("▇", 4) + strings.Repeat("█", 4)},
	} {
		if got := sparkline(c.values); got != c.spark && len(c.values) < 30 {
			t.Errorf("%v: %q, want %q", c.values, got, c.spark)
		}
	}
	for n, want := range map[int]int{1: 1, 29: 29, 30: 30, 31: 16, 32: 16, 60: 30, 61: 21} { // the last figure always
		bars := []rune(sparkline(append(make([]Figure, n-1), 1)))
		if len(bars) != want || n > 1 && bars[len(bars)-1] != '█' {
			t.Errorf("%d figures: %q", n, string(bars))
		}
	}
	if n := len([]rune(sparkline(many))); n != 21 {
		t.Errorf("61 figures are %d bars", n)
	}
}
