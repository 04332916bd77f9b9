package text

import (
	"fmt"
	"strings"
	"testing"
)

// gridLines returns the lines of a Grid in a width.
func gridLines(t *testing.T, g *Grid, width int) []string {
	t.Helper()
	var b strings.Builder
	if err := g.Write(&b, width); err != nil {
		t.Fatal(err)
	}
	if b.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// TestGridFits writes a table in every width. Its columns need 2 (the indent) + 60, 2
// (the gap) + 10, and 2 + 10: the name is cut to 24 before the columns with a rank are
// dropped, that of the highest rank first, and then to 12.
func TestGridFits(t *testing.T) {
	name, first, second := strings.Repeat("n", 60), strings.Repeat("1", 10), strings.Repeat("2", 10)
	for width := 1; width <= 100; width++ {
		g := &Grid{Columns: []Column{{Title: "key", Shrink: ShrinkMiddle}, {Title: "first", Drop: 1}, {Title: "second", Drop: 2, Right: true}}}
		g.Add(name, first, second)
		beside := ""
		switch {
		case width >= 2+24+2+10+2+10:
			beside = "  " + first + "  " + second
		case width >= 2+24+2+10:
			beside = "  " + first
		}
		want := "  " + ShortenMiddle(name, max(12, min(60, width-2-len(beside)))) + beside
		lines := gridLines(t, g, width)
		if len(lines) != 2 || lines[1] != want {
			t.Errorf("width %d: %q, want %q", width, lines, want)
			continue
		}
		if got := strings.Fields(lines[0]); len(got) != 1+len(strings.Fields(beside)) || len(beside) > 20 && !strings.HasSuffix(lines[0], "      second") {
			t.Errorf("width %d: titles %q", width, lines[0])
		}
	}
}

// TestGridShrinksTheWidest has two columns that are cut, of which the second need not
// be as narrow before others are dropped.
func TestGridShrinksTheWidest(t *testing.T) {
	for width, want := range map[int][3]int{200: {40, 60, 5}, 111: {40, 60, 5}, 110: {40, 59, 5}, 91: {40, 40, 5}, 90: {39, 40, 5}, 89: {39, 39, 5},
		69: {29, 29, 5}, 65: {27, 27, 5}, 64: {30, 30, 0}, 30: {13, 13, 0}, 28: {12, 12, 0}, 5: {12, 12, 0}} {
		g := &Grid{Columns: []Column{{Shrink: ShrinkMiddle}, {Shrink: ShrinkEnd, First: 30}, {Drop: 1}}}
		g.Add(strings.Repeat("a", 40), strings.Repeat("b", 60), "ccccc")
		lines := gridLines(t, g, width)
		got := [3]int{}
		for i, cell := range strings.Fields(lines[0]) {
			got[i] = Width(cell)
		}
		if len(lines) != 1 || got != want {
			t.Errorf("width %d: columns of %d, want %d: %q", width, got, want, lines)
		}
	}
}

// TestGridWithoutTerminal cuts nothing but names that are longer than any that is read.
func TestGridWithoutTerminal(t *testing.T) {
	for n, want := range map[int]int{5: 5, 1023: 1023, 1024: 1024, 1025: 1024, 5000: 1024} {
		g := &Grid{Columns: []Column{{Title: "key", Shrink: ShrinkMiddle}, {Title: "empty"}, {Title: "value", Drop: 1}}}
		g.Add(strings.Repeat("k", n), "", strings.Repeat("v", 3000))
		lines := gridLines(t, g, 0)
		if got := strings.Fields(lines[1]); len(got) != 2 || Width(got[0]) != want || len(got[1]) != 3000 || strings.Contains(lines[0], "empty") {
			t.Errorf("a name of %d bytes: %q", n, lines)
		}
	}
	if lines := gridLines(t, &Grid{Columns: []Column{{Title: "key"}}}, 0); lines != nil {
		t.Errorf("without rows: %q", lines)
	}
	g := &Grid{Columns: []Column{{Title: "key"}}}
	if g.Add(""); gridLines(t, g, 0) != nil {
		t.Error("without content, but with lines")
	}
}

// TestGridPaints colours the first cell of each row where it is shown whole.
func TestGridPaints(t *testing.T) {
	paint := func(cell string) string { return "<" + cell + ">" }
	g := &Grid{Columns: []Column{{Title: "severity", Shrink: ShrinkEnd}, {Title: "key"}}, Paint: paint}
	for i := range 3 {
		g.Add(fmt.Sprintf("cell%d", i), "cell")
	}
	lines := gridLines(t, g, 80)
	for i := range 3 {
		if !strings.HasPrefix(lines[1+i], fmt.Sprintf("  <cell%d> ", i)) || strings.Count(strings.Join(lines, "\n"), "<") != 3 {
			t.Errorf("%q", lines)
		}
	}
	g = &Grid{Columns: []Column{{Title: "none"}, {Title: "key"}}, Paint: paint}
	if g.Add("", "name"); strings.Contains(strings.Join(gridLines(t, g, 80), ""), "<") {
		t.Error("a cell that is not the first column's is painted")
	}
}

// TestGridBelow has columns that go below their rows before columns of a low rank are dropped, and one that
// fits again when a wider one was dropped. Paths lose their first directories.
func TestGridBelow(t *testing.T) {
	for width, want := range map[int][]string{
		53: {"key   size   by  owner   written at", "a     10 MB  5%  @teams  src/shop/orders/cart.py:12", "name  1 B"},
		48: {"key   size   by  owner   written at", "a     10 MB  5%  @teams  .../orders/cart.py:12", "name  1 B"},
		47: {"key   size   by  owner   written at", "a     10 MB  5%  @teams  .../cart.py:12", "name  1 B"},
		40: {"key   size   owner   written at", "a     10 MB  @teams  .../cart.py:12", "name  1 B"},
		35: {"key   size   by", "a     10 MB  5%", "  owner @teams", "  written at src/shop/orders/cart.py:12", "name  1 B"},
	} {
		g := &Grid{Columns: []Column{{Title: "key"}, {Title: "size"}, {Title: "by", Drop: 4}, {Title: "owner", Below: true},
			{Title: "written at", Drop: 2, Below: true, Shrink: ShrinkPath}}}
		g.Add("a", "10 MB", "5%", "@teams", "src/shop/orders/cart.py:12")
		g.Add("name", "1 B", "", "", "")
		lines := gridLines(t, g, width)
		if got, want := strings.Join(lines, "\n"), "  "+strings.Join(want, "\n  "); got != want || g.Lines(width) != len(lines) {
			t.Errorf("width %d, %d lines:\n%s\nwant\n%s", width, g.Lines(width), got, want)
		}
	}
}
