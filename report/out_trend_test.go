package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/rdblens/rdblens/report/text"
)

type cannedTrend struct {
	name  string
	trend *Trend
}

// cannedTrends are trends of one report, of four that grow, of hostile names with
// figures that are unknown, and of as many reports and groups as there may be.
func cannedTrends(t *testing.T) []cannedTrend {
	t.Helper()
	night := func(n int, r *Report) *Report {
		r.Inputs[0].Created = Figure(1_772_323_200 + 86400*n)
		return r
	}
	build := func(maxMemory int64, top int, reports ...*Report) *Trend {
		var b TrendBuilder
		for i, r := range reports {
			if err := b.Add("reports/"+day(int64(r.Inputs[0].Created))+".json", r); err != nil {
				t.Fatal(i, err)
			}
		}
		return b.Trend(maxMemory, top)
	}
	grown := night(3, nextReport())
	grown.Inputs[0].Memory.Predicted += 1_000_000
	grown.Inputs[0].UsedMem += 1_000_000
	partly := night(2, nextReport())
	partly.Complete = false
	var full []*Report
	for i := range 1000 {
		full = append(full, night(i, &Report{Complete: true, Inputs: []Input{{UsedMem: Unknown}}, Totals: Totals{Keys: int64(i), MemoryBytes: Figure(1000 * i)}, Groups: bigGroups}))
	}
	return []cannedTrend{{"one", build(0, 10, ordinaryReport())}, {"four", build(20<<20, 10, night(0, ordinaryReport()), night(1, ordinaryReport()), partly, grown)},
		{"reached", build(10<<20, 10, night(0, ordinaryReport()), grown)},
		{"hostile", build(1, MaxTrendGroups, night(0, hostileReport()), night(0, hostileReport()), night(1, ordinaryReport()))}, {"full", build(math.MaxInt64, MaxTrendGroups, full...)}}
}

var bigGroups = bigReport().Groups[:2*MaxTrendGroups]

// TestTrendFormats checks what each format writes of a trend: golden files, no character
// that does harm, and a page of less than 2 MB.
func TestTrendFormats(t *testing.T) {
	for _, c := range cannedTrends(t) {
		for _, format := range TrendFormatNames() {
			var b bytes.Buffer
			if err := Write(format, &b, c.trend, WriteOptions{Width: 100}); err != nil {
				t.Fatalf("%s, %s: %v", c.name, format, err)
			}
			for line := range strings.Lines(b.String()) {
				for _, r := range strings.TrimSuffix(line, "\n") {
					if unicode.IsControl(r) && format != "html" || (format == "table" || format == "markdown") && r >= 0x80 && text.Invisible(r) {
						t.Fatalf("%s, %s: %U in %q", c.name, format, r, line)
					}
				}
			}
			if format == "json" && (!json.Valid(b.Bytes()) || bytes.Contains(b.Bytes(), []byte(`s": null`))) {
				t.Errorf("%s: not JSON, or a list is null", c.name)
			}
			if n := b.Len(); format == "html" && n >= 2<<20 {
				t.Errorf("%s: a page of %d bytes", c.name, n)
			}
			if format == "html" || format == "csv" || c.name == "full" {
				continue
			}
			f, _ := Lookup(format)
			compareGolden(t, "trend-"+c.name+f.Extension, b.Bytes())
		}
	}
}
