package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/testdata/testtool"
)

var pictures = flag.String("pictures", "", "a directory for screenshots of pages, also of those that are in it")

// TestPage checks the page in a browser.
func TestPage(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	for _, test := range []struct {
		name  string
		front bool // only one tab has the keyboard and all frames
		run   func(*testing.T, context.Context)
	}{{"sticks", true, testPageSticks}, {"zooms", true, testPageZooms}, {"controls", true, testPageControls}, {"walks", true, testPageWalks},
		{"addresses", true, testPageAddresses}, {"searches", true, testPageSearches}, {"asks", true, testPageAsks}, {"opens", false, testPageOpens}, {"prints", false, testPagePrints},
		{"slots", false, testPageSlots}, {"compares", false, testPageCompares}, {"trends", false, testPageTrends}} {
		t.Run(test.name, func(t *testing.T) {
			if !test.front {
				t.Parallel()
			}
			test.run(t, ctx)
		})
	}
	if *pictures != "" {
		t.Run("pictures", func(t *testing.T) { takePictures(t, ctx) })
	}
}

// browser starts chromium.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := testtool.Need(t, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil { // or each tab would be a browser
		t.Fatal(err)
	}
	return ctx
}

// pagesOfTests are pages by their documents.
var pagesOfTests sync.Map

// openPage opens the page of a document in a tab of its own, from a file. Any message
// on the console, any error and any request fails the test.
func openPage(t *testing.T, ctx context.Context, d Document, actions ...chromedp.Action) context.Context {
	t.Helper()
	return openPageOf(t, ctx, d, WriteOptions{}, actions...)
}

// openPageOf is openPage with options; a document has one page.
func openPageOf(t *testing.T, ctx context.Context, d Document, o WriteOptions, actions ...chromedp.Action) context.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	page, known := pagesOfTests.Load(d)
	if !known {
		var b bytes.Buffer
		o.Advice = true
		if err := Write("html", &b, d, o); err != nil {
			t.Fatal(err)
		}
		page, _ = pagesOfTests.LoadOrStore(d, b.Bytes())
	}
	if err := os.WriteFile(path, page.([]byte), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	tab, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel) // closes the tab
	chromedp.ListenTarget(tab, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			t.Errorf("console: %s", consoleText(e))
		case *runtime.EventExceptionThrown:
			t.Errorf("exception: %s", e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			t.Errorf("log: %s %s", e.Entry.Level, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address && !strings.HasPrefix(e.Request.URL, "data:") {
				t.Errorf("request: %s", e.Request.URL)
			}
		case *cdppage.EventJavascriptDialogOpening:
			t.Errorf("dialog: %s", e.Message)
		}
	})
	actions = append([]chromedp.Action{network.Enable(), log.Enable(), chromedp.Navigate(address), chromedp.WaitReady("footer")}, actions...)
	if err := chromedp.Run(tab, actions...); err != nil {
		t.Fatal(err)
	}
	return tab
}

func consoleText(e *runtime.EventConsoleAPICalled) string {
	var parts []string
	for _, a := range e.Args {
		parts = append(parts, string(a.Value))
	}
	return strings.Join(parts, " ")
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	var v T
	if err := chromedp.Run(tab, chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true).WithUserGesture(true)
	})); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// testPageOpens checks that the page of every report opens from a file without an error and
// without a request, with script and without, that no name leaves its cell, and that nothing is
// wider than the window, down to a phone.
func testPageOpens(t *testing.T, ctx context.Context) {
	for _, c := range append(treeReports(), cannedReport{"big", bigPage()}) {
		tab := openPage(t, ctx, c.report)
		if got := evaluate[string](t, tab, `document.documentElement.className`); got != "js" {
			t.Errorf("%s: the script did not run", c.name)
		}
		checkNames(t, tab, c.name)
		for _, width := range []int64{1280, 768, 360} {
			checkWidth(t, tab, c.name, width)
		}
		if c.name == "big" {
			continue
		}
		names, _ := json.Marshal(evaluate[[]string](t, tab, `[...document.querySelectorAll("#keys-table td.name")].map((c) => c.textContent)`))
		for _, k := range c.report.Top[c.report.By] {
			// The name is the text of a cell, exactly.
			if quoted, _ := json.Marshal(k.Key.Display()); len(k.Key) <= 512 && !bytes.Contains(names, quoted) {
				t.Errorf("%s: no cell has the key %q", c.name, k.Key)
			}
		}
		if err := chromedp.Run(tab, emulation.SetScriptExecutionDisabled(true), chromedp.Reload(), chromedp.WaitReady("footer")); err != nil {
			t.Fatal(err)
		}
	}
}

// checkNames checks that no name of a page is more than text.
func checkNames(t *testing.T, tab context.Context, name string) {
	t.Helper()
	if n := evaluate[int](t, tab, `document.querySelectorAll("td script, td img, a:not([href^='#']), li script, li img, .cell script, .cell img, pre *, code *, svg a, iframe, object").length`); n > 0 {
		t.Errorf("%s: %d elements came out of names", name, n)
	}
}

// testPageCompares checks the page of a comparison: that it opens and fits as that of
// a report, that groups have the colour of their growth, and that its tables sort.
func testPageCompares(t *testing.T, ctx context.Context) {
	for _, c := range cannedDiffs(t) {
		tab := openPage(t, ctx, c.diff)
		checkNames(t, tab, c.name)
		checkWidth(t, tab, c.name, 360)
	}
	before, after := groupsReport("doubled:*=10000", "more:*=10000", "same:*=10000", "less:*=10000", "halved:*=10000", "gone:*=11000"),
		groupsReport("doubled:*=20000", "more:*=12500", "same:*=10000", "less:*=9000", "halved:*=5000", "new:*=9000")
	tab := openPage(t, ctx, compareSaved(t, before, after, CompareOptions{}))
	// By growth in bytes, downwards: what shrank is last.
	column := func() []string {
		return evaluate[[]string](t, tab, `(() => { const table = [...document.querySelectorAll("table")].find((t) => t.innerText.includes("doubled") && [...t.tHead.rows[0].cells].some((h) => h.innerText === "by"));
			const heads = [...table.tHead.rows[0].cells]; const by = heads.findIndex((h) => h.innerText === "by"); heads[by].querySelector("button").click();
			return new Promise((done) => setTimeout(done, 100)).then(() => [...table.tBodies[0].rows].map((r) => r.cells[by].textContent)); })()`)
	}
	if got := column(); len(got) != 5 || got[0] != "+1.9 MB" || got[len(got)-1] != "-977 KB" {
		t.Errorf("sorted by growth: %q", got)
	}
}

// testPageTrends checks the page of a trend: that it opens and fits, and that lines
// are where the figures are.
func testPageTrends(t *testing.T, ctx context.Context) {
	for _, c := range cannedTrends(t) {
		tab := openPage(t, ctx, c.trend)
		checkNames(t, tab, c.name)
		for _, width := range []int64{1280, 360} {
			checkWidth(t, tab, c.name, width)
		}
	}
	var b TrendBuilder
	for i, keys := range []int64{0, 50, 100} {
		r := &Report{Complete: true, Inputs: []Input{{Created: Figure(1_772_323_200 + 86400*i)}}, Totals: Totals{Keys: keys, MemoryBytes: Figure(keys << 20)}}
		if err := b.Add(fmt.Sprint(i), r); err != nil {
			t.Fatal(err)
		}
	}
	tab := openPage(t, ctx, b.Trend(200<<20, 10))
	// Three figures that grow steadily are on a line, which goes on to the limit as far as the
	// chart has time for it: as much again as was observed.
	points := evaluate[[][2]float64](t, tab, `[...document.querySelectorAll("#chart-0 circle")].map((c) => [c.cx.baseVal.value, c.cy.baseVal.value])`)
	ends := evaluate[[][2]float64](t, tab, `[".ahead", ".limit"].map((s) => { const p = document.querySelector("#chart-0 " + s); const e = p.getPointAtLength(p.getTotalLength()); return [e.x, e.y]; })`)
	if len(points) != 3 || len(ends) != 2 {
		t.Fatalf("points %v, ends %v", points, ends)
	}
	step := [2]float64{points[1][0] - points[0][0], points[1][1] - points[0][1]}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1 }
	for i, p := range [][2]float64{points[0], points[1], points[2], points[0], ends[0]} {
		if at := []float64{0, 1, 2, 0, 4}[i]; !near(p[0], points[0][0]+at*step[0]) || !near(p[1], points[0][1]+at*step[1]) {
			t.Errorf("point %d is at %v, the first at %v, a day is %v", i, p, points[0], step)
		}
	}
	if step[0] < 50 || step[1] > -20 || !near(ends[0][1], ends[1][1]) {
		t.Errorf("a day is %v, and the line ends at %v, the limit at %v", step, ends[0], ends[1])
	}
	if got := evaluate[string](t, tab, `document.querySelector("#chart-0 .legend").innerText + document.querySelectorAll("figure svg.drawn").length`); got != "predicted used_memory\nmemory of the keys3" {
		t.Errorf("the first chart has %q", got)
	}
}

// bigReport has as many groups as a report can have, and as many keys on its lists.
func bigReport() *Report {
	r := ordinaryReport()
	r.Groups = nil
	for i := range 16384 {
		n := int64(10 + i%1000)
		r.Groups = append(r.Groups, Group{Group: Name(fmt.Sprintf("tenant%d:service%d:*:object%d", i%61, i%17, i)), Keys: n, ValueBytes: n * 100, MemoryBytes: Figure(n * 200),
			MemoryWithoutTTL: Figure(n * 50), Findings: int64(i % 3), Type: []string{"string", "hash", "list", "set", "zset", "stream", ""}[i%7]})
	}
	for i := range 1000 {
		k := row(fmt.Sprintf("tenant%d:service%d:%d:object%d", i%61, i%17, i, i), "string", "raw", 1, int64(1e6-i), int64(2e6-i), nil)
		k.Group = r.Groups[i].Group
		r.Top[ByMemory] = append(r.Top[ByMemory], k)
	}
	r.Tree = bigTree()
	return r
}

// bigPage is a bigReport that the tests of pages share.
var bigPage = sync.OnceValue(bigReport)

// bigTree has 2,000 nodes: 61 tenants with 31 services each, and a database's worth of keys.
func bigTree() *TreeNode {
	root := &TreeNode{Types: []string{"hash", "string"}}
	for i := range 61 {
		tenant := &TreeNode{Prefix: Name(fmt.Sprintf("tenant%d:", i)), Types: []string{"hash", "string"}}
		for j := range 31 {
			keys := int64(100 + i*j)
			service := &TreeNode{Prefix: tenant.Prefix + Name(fmt.Sprintf("service%d:*", j)), Keys: keys, MemoryBytes: Figure(keys * 1000), Types: []string{[]string{"hash", "string"}[j%2]},
				WithoutTTL: TreeTTL{Keys: keys / 2, MemoryBytes: Figure(keys * 500)}, Findings: Counts{Error: int64(j % 7 / 6), Warning: int64(j % 3)}}
			tenant.Children = append(tenant.Children, service)
		}
		root.Children = append(root.Children, sumNodes(tenant))
	}
	return sumNodes(root)
}

// sumNodes sets the sums of a node to those of its children, the largest of which is first.
func sumNodes(n *TreeNode) *TreeNode {
	for _, c := range n.Children {
		n.Keys += c.Keys
		n.MemoryBytes += c.MemoryBytes
		n.WithoutTTL.Keys += c.WithoutTTL.Keys
		n.WithoutTTL.MemoryBytes += c.WithoutTTL.MemoryBytes
		n.Findings.Error += c.Findings.Error
		n.Findings.Warning += c.Findings.Warning
	}
	sortBySize(n.Children, func(c **TreeNode) Figure { return (*c).MemoryBytes })
	return n
}

// TestPageIsSmall checks that the page is below 2 MB whatever the names.
func TestPageIsSmall(t *testing.T) {
	long := bigReport()
	hostile := Name(strings.Repeat("<&\"'\x00\u202e", 100))
	for i := range long.Groups {
		long.Groups[i].Group = long.Groups[i].Group[:6] + hostile + long.Groups[i].Group
	}
	for m := range long.Top {
		for i := range long.Top[m] {
			long.Top[m][i].Key = hostile + long.Top[m][i].Key
		}
	}
	for i := range long.Rules {
		for j := range long.Rules[i].Examples {
			e := &long.Rules[i].Examples[j]
			e.Text += string(hostile)
			for k := range e.Advice {
				e.Advice[k].Commands = append(e.Advice[k].Commands, strings.Repeat(string(hostile), 500))
			}
		}
	}
	for _, c := range append(treeReports(), cannedReport{"big", bigReport()}, cannedReport{"long", long}) {
		if n := len(render(t, "html", c.report, 0)); n >= 2<<20 {
			t.Errorf("%s: %d bytes", c.name, n)
		}
	}
}

// testPageControls works tables and buttons as a reader does.
func testPageControls(t *testing.T, ctx context.Context) {
	tab := openPage(t, ctx, bigPage())
	// Tables: pages of 25 rows, and sorted by a heading.
	shown := func() []string {
		return evaluate[[]string](t, tab, `[...document.querySelectorAll("#keys-table tbody tr")].filter((r) => r.offsetHeight > 0).map((r) => r.cells[0].textContent)`)
	}
	turn := func(n int) {
		evaluate[any](t, tab, fmt.Sprintf(`document.querySelector("#keys .pager").querySelectorAll("button")[%d].click()`, n))
	}
	// Each page and order has a URL; Back returns to the page and the order before.
	same := func(want []string) {
		t.Helper()
		list, _ := json.Marshal(want)
		waitFor(t, tab, fmt.Sprintf(`JSON.stringify([...document.querySelectorAll("#keys-table tbody tr")].filter((r) => r.offsetHeight > 0).map((r) => r.cells[0].textContent)) === JSON.stringify(%s)`, list))
	}
	first := shown()
	turn(1)
	waitFor(t, tab, `location.hash === "#keys-table=%2F2" && document.querySelector("#keys .pager").textContent.startsWith("‹26")`)
	second := shown()
	turn(0)
	same(first)
	if len(first) != 25 || len(second) != 25 || first[24] == second[0] {
		t.Errorf("pages of %d and %d rows: %q, %q", len(first), len(second), first, second)
	}
	column := func(n int) []string {
		return evaluate[[]string](t, tab, fmt.Sprintf(`[...document.querySelectorAll("#keys-table tbody tr")].map((r) => r.cells[%d].textContent)`, n))
	}
	memory := evaluate[int](t, tab, `[...document.querySelectorAll("#keys-table th")].findIndex((h) => h.innerText === "memory")`)
	order := func(want string) {
		evaluate[any](t, tab, fmt.Sprintf(`document.querySelectorAll("#keys-table th button")[%d].click()`, memory))
		waitFor(t, tab, fmt.Sprintf(`document.querySelectorAll("#keys-table th")[%d].getAttribute("aria-sort") === %q`, memory, want))
	}
	order("descending")
	down := column(memory)
	order("ascending")
	up := column(memory)
	if down[0] != message.FormatBytes(6553600) || up[len(up)-1] != down[0] || up[0] == down[0] {
		t.Errorf("sorted by memory: %q to %q, and back %q to %q", down[0], down[len(down)-1], up[0], up[len(up)-1])
	}
	turn(1)
	waitFor(t, tab, `location.hash === "#keys-table=memory%2F2"`)
	address, page := evaluate[string](t, tab, `location.href`), shown()
	for range 4 {
		evaluate[any](t, tab, `history.back()`)
		waitFor(t, tab, `new Promise((done) => setTimeout(() => done(true), 50))`)
	}
	same(second)
	if err := chromedp.Run(tab, chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.WaitReady("footer")); err != nil {
		t.Fatal(err)
	}
	same(page)
	// A link to a key leaves order and page as they are.
	evaluate[any](t, tab, `[...document.querySelectorAll("#keys-table tbody a")].find((a) => a.offsetHeight > 0).click()`)
	waitFor(t, tab, `location.hash.startsWith("#keys-table=memory%2F2&key=")`)
	same(page)
	// Copy.
	evaluate[any](t, tab, `(() => { window.copied = ""; navigator.clipboard.writeText = async (s) => { window.copied = s; }; })()`)
	evaluate[any](t, tab, `(async () => { const b = document.querySelector("button.copy"); b.click(); await 0; })()`)
	if got, want := evaluate[string](t, tab, `window.copied`), evaluate[string](t, tab, `document.querySelector("button.copy").parentElement.querySelector("code").textContent`); got != want || got == "" {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// checkWidth checks that nothing is wider than the window, once the page has its size.
func checkWidth(t *testing.T, tab context.Context, name string, width int64) {
	t.Helper()
	if err := chromedp.Run(tab, emulation.SetDeviceMetricsOverride(width, 800, 1, width < 500)); err != nil {
		t.Fatal(err)
	}
	got := evaluate[int64](t, tab, fmt.Sprintf(`(async () => {
		for (let i = 0; i < 20 && document.documentElement.scrollWidth > %d; i++) await new Promise((done) => setTimeout(done, 50));
		return document.documentElement.scrollWidth; })()`, width))
	if got > width {
		t.Errorf("%s: %d columns of pixels in a window of %d", name, got, width)
	}
}

// testPagePrints checks that it can be printed on A4.
func testPagePrints(t *testing.T, ctx context.Context) {
	tab := openPage(t, ctx, ordinaryReport())
	var pdf []byte
	if err := chromedp.Run(tab, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = cdppage.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
		return err
	})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(pdf), "/MediaBox [0 0 59") { // 595 points wide
		t.Error("not on A4")
	}
	// On paper, the colours of a reader with a dark system are those of a light one.
	dark := emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}})
	if err := chromedp.Run(tab, dark); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[string](t, tab, `getComputedStyle(document.querySelector(".severity.error")).backgroundColor`); got != "rgb(253, 228, 214)" {
		t.Errorf("a severity is printed on %s", got)
	}
	// Long tables end after 50 rows, and say so.
	long := openPage(t, ctx, bigPage())
	if err := chromedp.Run(long, dark); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[int](t, long, `[...document.querySelectorAll("#keys-table tbody tr")].filter((r) => getComputedStyle(r).display !== "none").length`); got != 50 {
		t.Errorf("%d keys are printed", got)
	}
	if got := evaluate[string](t, long, `getComputedStyle(document.querySelector("#keys-table").closest("section").querySelector(".paper")).display`); got != "block" {
		t.Errorf("the note about the rows that are left out: display %s", got)
	}
}

func save(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(*pictures, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// takePictures takes screenshots of the pages in the directory, and of two canned ones,
// for people to look at: light and dark, on a desktop and on a phone, and printed.
func takePictures(t *testing.T, ctx context.Context) {
	for name, r := range map[string]*Report{"ordinary": ordinaryReport(), "big": bigReport()} {
		save(t, name+".html", render(t, "html", r, 0))
	}
	pages, err := filepath.Glob(filepath.Join(*pictures, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1280} {
				tab, cancel := chromedp.NewContext(ctx)
				var png, pdf []byte
				if err := chromedp.Run(tab, emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
					chromedp.Navigate("file://"+page), chromedp.WaitReady("footer"), chromedp.ActionFunc(func(ctx context.Context) (err error) {
						png, err = cdppage.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(&cdppage.Viewport{Width: float64(width), Height: 3000, Scale: 1}).Do(ctx)
						if err == nil && scheme == "dark" && width > 500 { // prints light
							pdf, _, err = cdppage.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
						}
						return err
					})); err != nil {
					t.Fatal(err)
				}
				cancel()
				save(t, fmt.Sprintf("%s-%s-%d.png", name, scheme, width), png)
				if pdf != nil {
					save(t, name+".pdf", pdf)
				}
			}
		}
	}
}
