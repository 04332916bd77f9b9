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

// TestLines checks the lines of figures that a terminal and a page show.
func TestLines(t *testing.T) {
	many := make([]Figure, 61)
	for i := range many {
		many[i] = Figure(i)
	}
	for _, c := range []struct {
		values      []Figure
		spark, cell string
	}{
		{[]Figure{5}, "▄", "M100 10h0"},
		{[]Figure{Unknown}, " ", ""},
		{[]Figure{5, 5}, "▄▄", "M0 10L200 10h0"},
		{[]Figure{0, 7}, "▁█", "M0 20L200 0h0"},
		{[]Figure{10, 11, 12, 13, 14, 15, 16, 17, 18}, "▁▁▂▃▄▅▆▇█", ""},
		{[]Figure{0, Unknown, 4, 2}, "▁ █▄", "M0 20M133 0L200 10h0"},
		{many[:30], strings.Repeat("▁", 4) + strings.Repeat("▂", 4) + strings.Repeat("▃", 3) + strings.Repeat("▄", 4) + strings.Repeat("▅", 4) + strings.Repeat("▆", 3) + strings.Repeat("▇", 4) + strings.Repeat("█", 4), ""},
	} {
		if got := sparkline(c.values); got != c.spark && len(c.values) < 30 {
			t.Errorf("%v: %q, want %q", c.values, got, c.spark)
		}
		if got := cellLine(c.values); c.cell+c.spark != c.spark && got != c.cell || c.spark == " " && got != "" {
			t.Errorf("%v: path %q, want %q", c.values, got, c.cell)
		}
	}
	for _, c := range []struct {
		n, most    int
		first, len int
	}{{1, 30, 0, 1}, {29, 30, 0, 29}, {30, 30, 0, 30}, {31, 30, 0, 16}, {32, 30, 1, 16}, {60, 30, 1, 30}, {61, 30, 0, 21}, {0, 30, 0, 0}} {
		if c.n == 0 {
			continue
		}
		list := slices.Collect(everyNth(c.n, c.most))
		if list[0] != c.first || len(list) != c.len || list[len(list)-1] != c.n-1 {
			t.Errorf("%d of at most %d: %v", c.n, c.most, list)
		}
	}
	if n := len([]rune(sparkline(many))); n != 21 {
		t.Errorf("61 figures are %d bars", n)
	}
}

// TestChart checks the lines, the limit and what is expected in a chart, by hand: 1000
// wide for the time that was observed and as much again at most, 200 high.
func TestChart(t *testing.T) {
	const day = 86400
	trend := &Trend{Reports: []TrendReport{{Time: 0}, {Time: 2 * day}, {Time: 4 * day}}}
	total := &TrendSeries{Kind: "total", Name: "keys", Measure: "memory", Values: []Figure{100, Unknown, 300}}
	style := newHTMLStyle(WriteOptions{})
	line := func(from, to int64) []TrendPoint { return []TrendPoint{{0, from}, {4 * day, to}} }
	for name, c := range map[string]struct {
		forecast *TrendForecast
		full     *TrendFull
		want     string
	}{
		"nothing known": {nil, nil, `300 B 1970-01-01 1970-01-05 0 "" M0 134M1000 0h0 [0 134 1000 0]`},
		"soon": {&TrendForecast{MaxMemory: 400, PerDay: 50, Line: line(100, 300)}, &TrendFull{MaxMemory: 400, Now: 300, Days: 2, Time: 6 * day},
			`400 B 1970-01-01 1970-01-07 1 "M0 150L1000 0" M0 150M666 50h0 [0 150 666 50]`},
		"late": {&TrendForecast{MaxMemory: 1500, PerDay: 50, Line: line(100, 300)}, &TrendFull{MaxMemory: 1500, Now: 300, Days: 24, Time: 28 * day},
			`1.5 KB 1970-01-01 1970-01-09 1 "M0 187L1000 134" M0 187M500 160h0 [0 187 500 160]`},
		"passed": {&TrendForecast{MaxMemory: 150, PerDay: 50, Line: line(100, 300)}, &TrendFull{MaxMemory: 150, Now: 300, Time: 4 * day},
			`300 B 1970-01-01 1970-01-05 100 "M0 134L1000 0" M0 134M1000 0h0 [0 134 1000 0]`},
		"flat": {&TrendForecast{MaxMemory: 600, Line: line(200, 200)}, nil, `600 B 1970-01-01 1970-01-05 1 "M0 134L1000 134" M0 167M1000 100h0 [0 167 1000 100]`},
		"one":  {&TrendForecast{MaxMemory: 600}, nil, `600 B 1970-01-01 1970-01-05 1 "" M0 167M1000 100h0 [0 167 1000 100]`},
	} {
		trend.Forecast, trend.Full = c.forecast, c.full
		chart := trend.chart("Totals", []*TrendSeries{total}, style)
		if len(chart.Lines) != 1 || chart.Lines[0].Number != 1 || english(chart.Lines[0].Name) != "memory of the keys" || chart.Title != "Totals" {
			t.Fatalf("%s: %+v", name, chart)
		}
		var points []int
		for _, p := range chart.Lines[0].Points {
			points = append(points, p.X, p.Y)
		}
		if got := fmt.Sprintf("%s %s %s %d %q %s %v", english(chart.Top), chart.From, chart.To, chart.Limit, chart.Ahead, chart.Lines[0].Path, points); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if title := trend.chart("", []*TrendSeries{total}, style).Lines[0].Points[1].Title; title != "1970-01-05 00:00:00 UTC: 300 B" {
		t.Error(title)
	}
	// Of findings, errors are red, warnings yellow and hints blue; what may be full is not theirs.
	var rows []*TrendSeries
	for range 3 {
		rows = append(rows, &TrendSeries{Kind: "findings", Measure: "count", Values: []Figure{0, 0, 0}})
	}
	chart := trend.chart("Findings", rows, style)
	var numbers []int
	for _, l := range chart.Lines {
		numbers = append(numbers, l.Number)
	}
	if !slices.Equal(numbers, []int{6, 3, 1}) || chart.Limit != 0 || chart.Ahead != "" || chart.Lines[0].Path != "M0 200L500 200L1000 200h0" {
		t.Errorf("%v, %+v", numbers, chart)
	}
	var many []*TrendSeries
	for range chartLines + 1 {
		many = append(many, &TrendSeries{Kind: "group", Measure: "memory", Values: []Figure{1, 2, 3}})
	}
	if chart := trend.chart("Groups", many, style); len(chart.Lines) != chartLines || chart.Lines[5].Number != 6 {
		t.Errorf("%d lines", len(chart.Lines))
	}
}
