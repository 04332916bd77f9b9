package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds"
)

// slotsReport is of a cluster: two thirds of its slots are used.
func slotsReport() *Report {
	r := ordinaryReport()
	for i := range 256 {
		s := thresholds.SlotRange{First: i * 64, Last: i*64 + 63}
		if i%3 > 0 {
			s.Keys, s.Bytes = int64(i), int64(i)<<20
		}
		r.Slots = append(r.Slots, s)
	}
	return r
}

// TestPageIsAccessible checks contrast, labels, names, order of headings and what else
// axe-core knows: light in English with a prefix in the pane, and dark in Chinese with a key in
// it; at night all pages, in all four combinations.
func TestPageIsAccessible(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	axe, err := os.ReadFile(filepath.Join("..", "bin", "axe.min.js"))
	if err != nil {
		testtool.Missing(t, "no bin/axe.min.js: make axe")
	}
	pages := map[string]Document{"slots": slotsReport(), "big": bigPage()}
	for _, c := range treeReports() {
		pages[c.name] = c.report
	}
	for _, c := range cannedDiffs(t) {
		pages["diff "+c.name] = c.diff
	}
	for _, c := range cannedTrends(t) {
		if c.name != "full" {
			pages["trend "+c.name] = c.trend
		}
	}
	views := []struct{ scheme, language, hash string }{{"light", "en", "#at=tenant5:"}, {"dark", "zh", "#key=tenant7:service7:7:object7&color=severity"}}
	if testtool.Nightly() {
		views = append(views, views...)
		views[2].language, views[3].language = "zh", "en"
		views[2].hash, views[3].hash = "#time=1772323200-1772326800", "#q=session&color=severity"
	}
	for name, d := range pages {
		if !testtool.Nightly() && !slices.Contains([]string{"ordinary", "diff next", "trend four"}, name) {
			continue
		}
		tab := openPage(t, ctx, d, chromedp.Evaluate(string(axe)+"\n;0", nil))
		for _, v := range views {
			evaluate[any](t, tab, fmt.Sprintf(`(() => { document.documentElement.dataset.theme = %q; if (document.documentElement.lang !== %q) document.querySelector("#language").click(); location.hash = %q;
				for (const d of document.querySelectorAll("details")) d.open = true; })()`, v.scheme, v.language, v.hash))
			for _, found := range evaluate[[]string](t, tab, `new Promise((done) => setTimeout(done, 400)).then(() => axe.run(document, {resultTypes: ["violations"]})).then((r) =>
				r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 300) + " " + n.any.map((a) => a.message)).join("\n    ")))`) {
				t.Errorf("%s, %+v: %s", name, v, found)
			}
		}
	}
	// It finds what is wrong.
	tab := openPage(t, ctx, bigPage(), chromedp.Evaluate(string(axe)+"\n;0", nil))
	evaluate[any](t, tab, `document.querySelector("select").labels[0].replaceWith(document.querySelector("select"))`)
	if ids := evaluate[[]string](t, tab, `axe.run(document).then((r) => r.violations.map((v) => v.id))`); !strings.Contains(strings.Join(ids, " "), "select-name") {
		t.Errorf("a select without a label is not found: %q", ids)
	}
}

// testPageSlots checks the strip of slots.
func testPageSlots(t *testing.T, ctx context.Context) {
	tab := openPage(t, ctx, slotsReport())
	if n := evaluate[int](t, tab, `document.querySelectorAll("#slots svg.strip rect").length`); n != 256 {
		t.Errorf("%d bars", n)
	}
	heights := evaluate[[]int](t, tab, `[...document.querySelectorAll("#slots svg.strip rect")].map((r) => r.height.baseVal.value)`)
	if heights[0] != 0 || heights[1] != 2 || heights[254] != 100 || heights[127] != 50 {
		t.Errorf("heights %v", heights)
	}
	if got := evaluate[string](t, tab, `document.querySelectorAll("#slots svg.strip title")[128].textContent`); got != "8192-8255: 128 MB, 128" {
		t.Errorf("title %q", got)
	}
	if got := evaluate[string](t, tab, `document.querySelector("#slots tbody td").textContent`); got != "16256-16319" {
		t.Errorf("the fullest are %q", got)
	}
	tab = openPage(t, ctx, ordinaryReport())
	if evaluate[bool](t, tab, `document.querySelector("#slots") !== null`) {
		t.Error("a strip where there are no slots")
	}
}
