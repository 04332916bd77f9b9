package report

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds/config"
)

var unit = regexp.MustCompile(`^ *([KMGT]?B|UTC)\b`)

// TestScreenHeight checks that a report fits a terminal with a line for the prompt, and that on
// 24 lines it has the verdict and three rows of each of its four parts.
func TestScreenHeight(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shop, err := Scan(context.Background(), []Source{FileSource("../testdata/shop.rdb")}, policy, Options{Top: 20, By: ByMemory})
	if err != nil {
		t.Fatal(err)
	}
	write := func(r *Report, o WriteOptions) []string {
		var b bytes.Buffer
		o.Now = time.Unix(1795300000, 0)
		if err := Write("table", &b, r, o); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	for _, c := range append(cannedReports(), cannedReport{"extreme", extremeReport()}, cannedReport{"shop", shop}) {
		for _, height := range []int{24, 30, 33, 45, 60, 100} {
			for _, width := range []int{80, 200} {
				for _, l := range []language.Language{language.English, language.Chinese} {
					lines := write(c.report, WriteOptions{Width: width, Height: height, Language: l})
					if len(lines) > min(height-1, screenLines) {
						t.Errorf("%s: %d lines on %d:\n%s", c.name, len(lines), height, strings.Join(lines, "\n"))
					}
					for _, line := range lines {
						if c.name != "hostile" && text.Width(line) > width {
							t.Errorf("%s: %d columns in %d: %s", c.name, text.Width(line), width, line)
						}
					}
				}
			}
		}
	}
	lines := write(shop, WriteOptions{Width: 80, Height: 24})
	if !strings.HasPrefix(lines[0], "3 things to fix today, 3 later. 12 keys can stall the server.") {
		t.Errorf("the first line is %q", lines[0])
	}
	for title, heads := range map[string]int{"BIGGEST KEYS": 1, "WHERE THE MEMORY IS": 1, "PROBLEMS": 1, "FIX FIRST": 0} {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, title) })
		if at < 0 || at+heads+3 >= len(lines)+heads {
			t.Errorf("no %s in\n%s", title, strings.Join(lines, "\n"))
			continue
		}
		for i := range 3 {
			if line := lines[at+1+heads+i]; !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: row %d is %q", title, i, line)
			}
		}
	}
	// --top shows so many rows, whatever the height.
	all := strings.Join(write(shop, WriteOptions{Width: 80, Height: 24, Rows: 15}), "\n")
	keys, _, _ := strings.Cut(all[strings.Index(all, "BIGGEST KEYS"):], "\n\n")
	if n := strings.Count(keys, "\n"); n != 16 {
		t.Errorf("%d rows, want 15 and a head:\n%s", n, keys)
	}
	// A figure stays beside its unit where a line breaks.
	for width := 40; width < 140; width++ {
		for _, line := range write(shop, WriteOptions{Width: width}) {
			if unit.MatchString(line) {
				t.Errorf("%d columns: %q begins with the unit of a figure", width, line)
			}
		}
	}
	// Units are dim where there are colours, and tables are aligned as without.
	without := write(shop, WriteOptions{Width: 100})
	for i, line := range write(shop, WriteOptions{Width: 100, Color: true}) {
		plain := strings.NewReplacer(bold, "", dim, "", red, "", yellow, "", "\x1b[0m", "").Replace(line)
		if want := without[i]; plain != want {
			t.Errorf("with colours %q, without %q", plain, want)
		}
		if strings.HasPrefix(plain, "  1.3 MB") && !strings.HasPrefix(line, "  1.3 "+dim+"MB") {
			t.Errorf("%q", line)
		}
	}
}

// TestTicketOrder checks that a ticket begins with what is wrong and how bad it is, that what is
// to be done begins by line 15, that the evidence is folded, and that names which are cut stand
// whole once.
func TestTicketOrder(t *testing.T) {
	for _, c := range []cannedReport{{"ordinary", ordinaryReport()}, {"extreme", extremeReport()}} {
		r := *c.report
		r.FixFirst = []Step{{Advice: Advice{Text: "Do this."}}, {Advice: Advice{Text: "Do that."}}}
		name := strings.Repeat("very:long:name:", 20) + "end"
		r.Top = map[string][]KeyRow{ByMemory: {{Key: Name(name), Type: "string", Elements: 1, Memory: 5000}}}
		r.By = ByMemory
		var b bytes.Buffer
		if err := Write("markdown", &b, &r, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		lines := strings.Split(out, "\n")
		first := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "- [ ] ") })
		verdict := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "to fix today") })
		if first < 0 || first >= 15 || verdict < 0 || verdict > first || strings.Count(out, "\n- [ ] ") != 2 {
			t.Errorf("%s: the verdict is on line %d, the first task on line %d:\n%.1500s", c.name, verdict+1, first+1, out)
		}
		for i, line := range lines {
			if strings.HasPrefix(line, "| ---") && strings.Count(strings.Join(lines[:i], "\n"), "<details>") == strings.Count(strings.Join(lines[:i], "\n"), "</details>") {
				t.Errorf("%s: a table on line %d is not folded", c.name, i+1)
			}
		}
		if strings.Count(out, name) != 1 || !strings.Contains(out, "\n- `"+name+"`\n") || !strings.Contains(out, "| `"+text.ShortenMiddle(name, nameWidth)+"` |") {
			t.Errorf("%s: the name stands whole %d times:\n%s", c.name, strings.Count(out, name), out)
		}
	}
}
