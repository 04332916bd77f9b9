package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/internal/target"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestTranslated checks that every sentence of the formats for people has a
// translation (testtool.Untranslated lists those without), and that formats for programs do not
// change with the language.
func TestTranslated(t *testing.T) {
	missing := map[string]bool{}
	rendered = func(m message.Message) {
		m.Missing(language.Chinese.Catalogue(), func(id string) { missing[id] = true })
	}
	defer func() { rendered = nil }()
	write := func(name, format string, d Document, o WriteOptions) {
		var english, chinese bytes.Buffer
		if err := Write(format, &english, d, o); err != nil {
			t.Fatal(err)
		}
		o.Language = language.Chinese
		if err := Write(format, &chinese, d, o); err != nil {
			t.Fatal(err)
		}
		people := format == "html" || format == "findings.csv" && bytes.Count(english.Bytes(), []byte("\n")) > 1 || slices.Contains(peopleFormats, format)
		if english.Len() > 0 && bytes.Equal(english.Bytes(), chinese.Bytes()) == people {
			t.Errorf("%s, %s: the same in both languages: %v", name, format, !people)
		}
	}
	nights := translatedReports(t)
	for i, c := range nights {
		for _, format := range realFormats() {
			write(c.name, format, c.report, WriteOptions{Now: time.Unix(1772330000, 0), Elapsed: 1, Advice: i%2 == 0})
		}
	}
	var trend TrendBuilder
	for i := range nights[1:20] {
		c := cannedReport{"from " + nights[i].name + " to " + nights[i+1].name, nights[i+1].report}
		d := compareSaved(t, nights[i].report, c.report, CompareOptions{})
		for _, format := range DiffFormatNames() {
			write("diff "+c.name, format, d, WriteOptions{})
		}
		if c.report.Inputs[0].Created.Known() {
			if err := trend.Add(c.name, c.report); err != nil {
				t.Fatal(err)
			}
		}
	}
	trends := append(cannedTrends(t), cannedTrend{"nights", trend.Trend(1<<30, 10)})
	for _, c := range trends {
		for _, format := range TrendFormatNames() {
			write("trend "+c.name, format, c.trend, WriteOptions{})
		}
	}
	list := make([]string, 0, len(missing))
	for s := range missing {
		list = append(list, s)
	}
	slices.Sort(list)
	for _, s := range list {
		testtool.Untranslated(t, "a report", s)
	}
}

// translatedReports returns the reports of all fixtures that keys break rules in: the
// first few under every profile, and the others under the default one.
func translatedReports(t *testing.T) []cannedReport {
	t.Helper()
	var list []cannedReport
	paths, err := filepath.Glob("../testdata/rules/*.rdb*")
	if err != nil {
		t.Fatal(err)
	}
	paths = append([]string{"../testdata/shop.rdb"}, paths...)
	for _, profile := range config.Profiles() {
		policy, err := config.Load(config.Options{Profile: profile, Rules: "all"})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if profile != thresholds.DefaultProfile && path != paths[0] && !strings.Contains(path, "names") && !strings.Contains(path, "sizes") {
				continue
			}
			r, err := Scan(context.Background(), []Source{FileSource(path)}, policy, Options{Top: 5, MaxMemory: 1 << 20})
			if r == nil {
				t.Fatal(err)
			}
			list = append(list, cannedReport{profile + " " + path, r})
		}
	}
	policy, err := config.Load(config.Options{Rules: "all,-*"})
	if err != nil {
		t.Fatal(err)
	}
	// What stops one server or another: types, versions, modules, opcodes, databases.
	snapshots, err := filepath.Glob("../testdata/truth/*/*a*.rdb")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"redis-4.0", "redis-7.0", "valkey-9.2", "keydb"} {
		server, err := target.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range snapshots {
			r, err := Scan(context.Background(), []Source{FileSource(path)}, policy, Options{Target: server})
			if r == nil {
				t.Fatal(err)
			}
			in := &r.Inputs[0]
			list = append(list, cannedReport{name + " " + path, &Report{Schema: SchemaVersion, Complete: true, By: ByMemory,
				Inputs: []Input{{Name: in.Name, Created: Unknown, UsedMem: Unknown, FileBytes: Unknown, Checksum: "ok", Server: in.Server, ServerVersion: in.ServerVersion, Complete: true, Ended: true, Target: in.Target}}}})
		}
	}
	return list
}

// TestTemplatesTranslated checks that the templates, titles and labels in the sources
// have a translation, and what the rules say about themselves.
func TestTemplatesTranslated(t *testing.T) {
	data, err := os.ReadFile("language/zh.json")
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]string
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	check := func(where, s string) {
		if known[s] == "" && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
			testtool.Untranslated(t, where, s)
		}
	}
	for _, r := range thresholds.Rules() {
		texts := []string{r.Title, r.Doc.What, r.Doc.Why, r.Doc.Fix, r.Doc.Example, r.Section.String()}
		for _, p := range r.Params {
			texts = append(texts, p.Doc)
		}
		for _, n := range r.Basis().Notes {
			texts = append(texts, n.Text)
		}
		for _, s := range texts {
			check(r.Name, s)
		}
	}
	files, _ := filepath.Glob("*.go")
	more, _ := filepath.Glob("../thresholds/*.go")
	templates := 0
	for _, path := range append(files, more...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := constant(e); ok {
					if isTemplate(s) && !strings.Contains(s, "redis-cli -n") { // a command has no language
						templates++
						check(path, s)
					}
					return false
				}
			}
			if call, ok := n.(*ast.CallExpr); ok {
				for i := range min(titleArguments[calledName(call)], len(call.Args)) {
					if s, ok := constant(call.Args[i]); ok {
						templates++
						check(path, s)
					}
				}
			}
			return true
		})
	}
	page, err := os.ReadFile("html/page.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\{\{(?:t|own) "([^"]*)"`).FindAllSubmatch(page, -1) {
		check("page.tmpl", string(m[1]))
	}
	if templates < 300 {
		t.Errorf("only %d templates found", templates)
	}
}

// titleArguments is the number of leading arguments of a function that are text.
var titleArguments = map[string]int{"word": 1, "field": 1, "wordColumn": 1, "leftColumn": 1, "rightColumn": 1, "nameColumn": 1, "sentenceColumn": 1, "countColumn": 1, "sizeColumn": 1}

// constant returns the value of string literals, also of several that are added.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok := constant(e.X)
		b, too := constant(e.Y)
		return a + b, ok && too
	}
	return "", false
}

// calledName returns the name of the function or method that is called.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// isTemplate reports whether a sentence has {names}.
func isTemplate(s string) bool {
	at := templateName.FindStringIndex(s)
	return at != nil && strings.ContainsFunc(templateName.ReplaceAllString(s, ""), func(r rune) bool { return r >= 'a' && r <= 'z' })
}

var templateName = regexp.MustCompile(`\{[a-z][a-z0-9]*\}`)

// TestPageInChinese checks the language of the page in a browser, and that columns of
// Chinese figures sort.
func TestPageInChinese(t *testing.T) {
	ctx := browser(t)
	r := ordinaryReport()
	for i, ttl := range []int64{30, 90061, 7200, 600} {
		if i < len(r.Top[r.By]) {
			r.Top[r.By][i].TTL = p(ttl)
		}
	}
	var b bytes.Buffer
	if err := Write("html", &b, r, WriteOptions{Language: language.Chinese}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Run(ctx, chromedp.Navigate("file://"+path), chromedp.WaitReady("footer")); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[string](t, ctx, `document.documentElement.lang + " " + document.querySelector("h2").innerText`); got != "zh 优先处理" {
		t.Errorf("the page begins with %q", got)
	}
	checkSwitchedLanguage(t, ctx, r)
	column := evaluate[int](t, ctx, `[...document.querySelectorAll("#keys-table th")].findIndex((h) => h.innerText === "TTL")`)
	evaluate[any](t, ctx, fmt.Sprintf(`document.querySelectorAll("#keys-table th button")[%d].click()`, column))
	cells := evaluate[[]string](t, ctx, fmt.Sprintf(`[...document.querySelectorAll("#keys-table tbody tr")].map((r) => r.cells[%d].innerText)`, column))
	if want := []string{"3 天 4 小时", "1 天 1 小时", "2 小时", "10 分钟", "30 秒"}; !slices.Equal(cells, want) {
		t.Errorf("sorted by TTL: %q", cells)
	}
}

// checkSwitchedLanguage checks that the page in English is the one in Chinese once its
// language was switched, and is what it was once it was switched again. What English
// readers have besides, the translation of quoted sentences, is left out.
func checkSwitchedLanguage(t *testing.T, ctx context.Context, r *Report) {
	t.Helper()
	const shown = `(() => { document.querySelectorAll("blockquote").forEach((e) => e.remove());
		return [document.documentElement.lang, document.querySelector("#language").textContent, document.querySelector("main").innerText,
			...[...document.querySelectorAll("main [aria-label]")].map((e) => e.ariaLabel), document.querySelector("[placeholder]").placeholder].join("\n"); })()`
	const toggle = `document.querySelector("#language").click()`
	open := func(l language.Language) context.Context {
		var b bytes.Buffer
		if err := Write("html", &b, r, WriteOptions{Language: l}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		tab, cancel := chromedp.NewContext(ctx)
		t.Cleanup(cancel)
		if err := chromedp.Run(tab, chromedp.Navigate("file://"+path), chromedp.WaitReady("footer")); err != nil {
			t.Fatal(err)
		}
		return tab
	}
	english := open(language.English)
	before := evaluate[string](t, english, shown)
	evaluate[any](t, english, toggle)
	want := evaluate[string](t, open(language.Chinese), shown)
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(evaluate[string](t, english, shown), "\n")); d != "" {
		t.Errorf("switched to Chinese, it is not the page in Chinese (-want +got):\n%s", d)
	}
	evaluate[any](t, english, toggle)
	if got := evaluate[string](t, english, shown); got != before {
		t.Error("the page is another one when its language was switched twice")
	}
}
