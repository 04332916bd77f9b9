package text

import (
	"cmp"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twcache"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Grid is a table for a terminal. tablewriter sets it; everything that it would
// do to the text (format headings, wrap, trim) is switched off. All text must be
// escaped before it is added.
type Grid struct {
	Columns []Column
	Rows    [][]string // a cell for each column
	// Paint, if not nil, returns a cell of the first column with colours.
	Paint func(cell string) string
	// Dim, if not nil, returns the unit of a figure with colours.
	Dim func(unit string) string
}

// Column describes a column of a Grid. A Grid whose columns have no titles has no
// head.
type Column struct {
	Title  string
	Right  bool // align right
	Shrink Shrink
	// Drop ranks the columns that are dropped where the width does not suffice,
	// the highest first; 0 is never dropped.
	Drop int
	// First is the width to which a column is cut before others are dropped; 0 is that
	// of a name.
	First int
	// Below: where there is no room, the cell is below its row, before columns of a rank up to belowRank
	// are dropped.
	Below bool
}

// Shrink states how the cells of a column are cut until the table fits.
type Shrink uint8

const (
	ShrinkNot    Shrink = iota // cells are never cut
	ShrinkMiddle               // for names, which differ at both ends
	ShrinkEnd                  // for sentences
	ShrinkPath                 // for paths, whose last part says most
)

const (
	shrinkFirst = 24 // columns shrink to this width before others are dropped
	shrinkLeast = 12 // and to this width afterwards
	belowRank   = 3

	// MaxCell is the width to which a cell is cut where there is no terminal.
	MaxCell = 1024

	gridIndent = "  "
	gridGap    = 2 // columns of the terminal between two of the table
)

// Unlimited is a width in which every table fits.
const Unlimited = 1 << 30

// Add adds a row.
func (g *Grid) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

// Write writes the table in the given width, or as wide as it is if the width is
// 0. It omits columns that are empty in all rows, and writes nothing if there are
// no rows.
func (g *Grid) Write(w io.Writer, width int) error {
	shown, below, widths := g.layout(width)
	if len(shown) == 0 || len(g.Rows) == 0 {
		return nil
	}
	return g.render(w, shown, widths, func(row int) string { return g.below(row, below, width) })
}

// Lines returns how many lines Write writes in a width.
func (g *Grid) Lines(width int) (n int) {
	shown, below, _ := g.layout(width)
	if len(shown) == 0 {
		return 0
	}
	for i := range g.Rows {
		n += 1 + strings.Count(g.below(i, below, width), "\n")
	}
	if slices.ContainsFunc(g.Columns, func(c Column) bool { return c.Title != "" }) {
		n++
	}
	return n
}

// layout returns the columns that are shown beside each other in a width, those in lines below, and the
// width of each.
func (g *Grid) layout(width int) (shown, below, widths []int) {
	widths = g.widths()
	room := width - len(gridIndent)
	if width <= 0 {
		room = Unlimited
		for i, c := range g.Columns {
			if c.Shrink != ShrinkNot {
				widths[i] = min(widths[i], MaxCell)
			}
		}
	}
	for i := range g.Columns {
		if widths[i] > 0 {
			shown = append(shown, i)
		}
	}
	rank := func(i int) int { return g.Columns[i].Drop }
	isBelow := func(i int) bool { return g.Columns[i].Below }
	excess := func(shown []int) (n, spare int) {
		n = -gridGap - room
		for _, i := range shown {
			n += gridGap + widths[i]
			if g.Columns[i].Shrink != ShrinkNot {
				spare += max(0, widths[i]-g.first(i))
			}
		}
		return n, spare
	}
	fits := func(shown []int) bool { n, spare := excess(shown); return n <= spare }
	var dropped []int
	for !fits(shown) {
		last := slices.MaxFunc(shown, func(a, b int) int { return rank(a) - rank(b) }) // the first of several
		if rank(last) <= belowRank && below == nil && slices.ContainsFunc(shown, isBelow) {
			below = slices.DeleteFunc(slices.Clone(shown), func(i int) bool { return !isBelow(i) })
			shown = slices.DeleteFunc(shown, isBelow)
			continue
		}
		if rank(last) == 0 {
			break
		}
		dropped = append(dropped, last)
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == last })
	}
	for _, i := range slices.Backward(dropped) { // one may fit, since a wider one was dropped after it; bars say least
		if more := append(slices.Clone(shown), i); g.Columns[i].Title != "" && fits(more) {
			slices.Sort(more)
			shown = more
		}
	}
	n, _ := excess(shown)
	g.shrink(shown, widths, n)
	return shown, below, widths
}

// first returns the width to which a column is cut before others are dropped.
func (g *Grid) first(column int) int {
	c := &g.Columns[column]
	if c.Shrink != ShrinkPath {
		return cmp.Or(c.First, shrinkFirst)
	}
	least := Width(c.Title)
	for _, row := range g.Rows {
		least = max(least, Width(ShortenPath(row[column], 0)))
	}
	return min(least, shrinkFirst)
}

// below returns the lines below a row: the columns that have no room beside the others, with their titles.
func (g *Grid) below(row int, columns []int, width int) string {
	var list []string
	for _, i := range columns {
		if cell := g.Rows[row][i]; cell != "" {
			list = append(list, strings.ReplaceAll(g.Columns[i].Title+" "+cell, " ", NBSP))
		}
	}
	if list == nil {
		return ""
	}
	return strings.ReplaceAll(Wrap(gridIndent+"  ", gridIndent+"  ", strings.Join(list, "  "), width), NBSP, " ")
}

// widths returns the width of each column, 0 for one without content.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Columns))
	for _, row := range g.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	for i, c := range g.Columns {
		if widths[i] > 0 {
			widths[i] = max(widths[i], Width(c.Title))
		}
	}
	return widths
}

// shrink takes the excess from the columns that shrink, always from the widest.
func (g *Grid) shrink(shown, widths []int, excess int) {
	least := make([]int, len(g.Columns))
	for _, i := range shown {
		if least[i] = shrinkLeast; g.Columns[i].Shrink == ShrinkPath {
			least[i] = max(shrinkLeast, g.first(i))
		}
	}
	for ; excess > 0; excess-- {
		widest := -1
		for _, i := range shown {
			if g.Columns[i].Shrink != ShrinkNot && widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		switch {
		case widest >= 0:
			widths[widest]--
		case slices.Max(least) == shrinkLeast:
			return
		default: // now paths, too
			for i := range least {
				least[i] = shrinkLeast
			}
			excess++
		}
	}
}

var units = map[string]bool{"B": true, "KB": true, "MB": true, "GB": true, "TB": true, "PB": true, "EB": true}

// tables have those that are not in use: a new one makes 200 KB of tables of its own.
var tables = sync.Pool{New: func() any {
	t := new(gridTable)
	t.table = tablewriter.NewTable(&t.out,
		tablewriter.WithStringerCacheCustom(twcache.NewLRU[reflect.Type, reflect.Value](0))) // none
	return t
}}

type gridTable struct {
	table *tablewriter.Table
	out   strings.Builder // what it writes
}

func (g *Grid) render(w io.Writer, shown, widths []int, below func(row int) string) error {
	var titles []string
	var aligns []tw.Align
	for _, i := range shown {
		titles = append(titles, ShortenMiddle(g.Columns[i].Title, widths[i]))
		align := tw.AlignLeft
		if g.Columns[i].Right {
			align = tw.AlignRight
		}
		aligns = append(aligns, align)
	}
	padding := tw.Padding{Left: tw.Empty, Right: tw.Empty, Overwrite: true}
	cells := tw.CellConfig{
		Alignment:  tw.CellAlignment{PerColumn: aligns},
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: padding},
	}
	t := tables.Get().(*gridTable)
	defer tables.Put(t)
	t.out.Reset()
	t.table.Reset()
	t.table.Options(
		tablewriter.WithConfig(tablewriter.Config{
			Header:   cells,
			Row:      cells,
			Behavior: tw.Behavior{AutoHide: tw.Off, TrimSpace: tw.Off, TrimLine: tw.Off, TrimTab: tw.Off},
		}),
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbolCustom("gap").WithColumn(strings.Repeat(" ", gridGap)),
			Settings: tw.Settings{Separators: tw.Separators{BetweenRows: tw.Off, BetweenColumns: tw.On},
				Lines: tw.Lines{ShowHeaderLine: tw.Off}},
		})),
	)
	table, out := t.table, &t.out
	if strings.Join(titles, "") != "" {
		table.Header(titles)
	}
	for _, row := range g.Rows {
		cut := make([]string, len(shown))
		for at, i := range shown {
			switch g.Columns[i].Shrink {
			case ShrinkEnd:
				cut[at] = ShortenEnd(row[i], widths[i])
			case ShrinkPath:
				cut[at] = ShortenMiddle(ShortenPath(row[i], widths[i]), widths[i])
			default:
				cut[at] = ShortenMiddle(row[i], widths[i])
			}
			if number, unit, ok := strings.Cut(cut[at], " "); ok && g.Dim != nil && g.Columns[i].Right && units[unit] {
				cut[at] = number + " " + g.Dim(unit)
			}
		}
		if err := table.Append(cut); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	row := -1 // the titles
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, " \n")
		if g.Paint != nil && row >= 0 && shown[0] == 0 {
			if rest, ok := strings.CutPrefix(line, g.Rows[row][0]); ok {
				line = g.Paint(g.Rows[row][0]) + rest
			}
		}
		line = gridIndent + line + "\n"
		if row >= 0 {
			line += below(row)
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
		row++
	}
	return nil
}
