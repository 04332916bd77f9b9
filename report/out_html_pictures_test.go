package report

import (
	"bytes"
	"context"
	"flag"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/rdblens/rdblens/thresholds/config"
)

var readmePictures = flag.String("readme-pictures", "", "the directory of the README's pictures, to be made again")

// TestReadmePictures makes the pictures of the README: the report on shop.rdb in a
// terminal and as a page. It checks the size of those that there are.
func TestReadmePictures(t *testing.T) {
	if *readmePictures != "" {
		makeReadmePictures(t, *readmePictures)
	}
	for _, name := range []string{"terminal.png", "page.png"} {
		info, err := os.Stat(filepath.Join("html", name))
		if err != nil || info.Size() > 60<<10 {
			t.Errorf("%s: %v, %v; make pictures", name, info, err)
		}
	}
}

func makeReadmePictures(t *testing.T, dir string) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shop, err := os.Stat("../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	source := FileSource("../testdata/shop.rdb")
	source.Name = shop.Name()
	r, err := Scan(t.Context(), []Source{source}, policy, Options{Tool: Tool{Name: "rdblens"}, Top: 20})
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	if err := Write("table", &screen, r, WriteOptions{Width: 100, Color: true, Now: time.Unix(int64(r.Inputs[0].Created)+3600, 0)}); err != nil {
		t.Fatal(err)
	}
	colors := strings.NewReplacer(bold, "<b>", dim, "<b class=dim>", red, "<b class=red>", yellow, "<b class=yellow>", plain, "</b>")
	terminal := "<!doctype html><meta charset=utf-8><style>body{margin:0;background:#16181d;color:#d5d9e0}pre{font:13px/1.3 monospace;padding:12px;margin:0;display:inline-block}" +
		"b{color:#fff}.red{color:#ff7b72}.yellow{color:#e3b341;font-weight:normal}.dim{color:#8b949e;font-weight:normal}</style><pre>$ rdblens scan shop.rdb\n" + colors.Replace(html.EscapeString(screen.String())) + "</pre><footer></footer>"
	path := filepath.Join(t.TempDir(), "terminal.html")
	if err := os.WriteFile(path, []byte(terminal), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := browser(t)
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	var size []float64
	shoot := func(tab context.Context, name string, width, height float64) {
		var shot []byte
		if err := chromedp.Run(tab, chromedp.ActionFunc(func(ctx context.Context) (err error) {
			shot, err = cdppage.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(&cdppage.Viewport{Width: width, Height: height, Scale: 1}).Do(ctx)
			return err
		})); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), fewColors(t, shot), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := chromedp.Run(tab, chromedp.Navigate("file://"+path), chromedp.WaitReady("footer"),
		chromedp.Evaluate(`(() => { const b = document.querySelector("pre").getBoundingClientRect(); return [b.width, b.height]; })()`, &size)); err != nil {
		t.Fatal(err)
	}
	shoot(tab, "terminal.png", size[0], size[1])
	shoot(openPage(t, ctx, r, emulation.SetDeviceMetricsOverride(1280, 820, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}), chromedp.Reload(), chromedp.WaitReady("footer")), "page.png", 1280, 820)
}

// fewColors returns a PNG with the 48 most used colours of another.
func fewColors(t *testing.T, data []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	bounds := from.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			count[from.At(x, y)]++
		}
	}
	var list color.Palette
	for c := range count {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b color.Color) int {
		r1, g1, b1, _ := a.RGBA()
		r2, g2, b2, _ := b.RGBA()
		return slices.Compare([]int{-count[a], int(r1), int(g1), int(b1)}, []int{-count[b], int(r2), int(g2), int(b2)})
	})
	// Colours beside one that was taken serve no purpose.
	var palette color.Palette
	for _, c := range list {
		r1, g1, b1, _ := c.RGBA()
		near := slices.ContainsFunc(palette, func(p color.Color) bool {
			r2, g2, b2, _ := p.RGBA()
			return max(max(r1, r2)-min(r1, r2), max(g1, g2)-min(g1, g2), max(b1, b2)-min(b1, b2)) < 24<<8
		})
		if !near && len(palette) < 48 {
			palette = append(palette, c)
		}
	}
	to := image.NewPaletted(bounds, palette)
	nearest := map[color.Color]uint8{}
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			c := from.At(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
