package text

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
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
}

// Shrink states how the cells of a column are cut until the table fits.
type Shrink uint8

const (
	ShrinkNot    Shrink = iota // cells are never cut
	ShrinkMiddle               // for names, which differ at both ends
	ShrinkEnd                  // for sentences
)

const (
	shrinkFirst = 24 // columns shrink to this width before others are dropped
	shrinkLeast = 12 // and to this width afterwards

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
	widths := g.widths()
	room := width - len(gridIndent)
	if width <= 0 {
		room = math.MaxInt
		for i, c := range g.Columns {
			if c.Shrink != ShrinkNot {
				widths[i] = min(widths[i], MaxCell)
			}
		}
	}
	var shown []int // indexes of columns
	for i := range g.Columns {
		if widths[i] > 0 {
			shown = append(shown, i)
		}
	}
	for {
		need, spare, last := -gridGap, 0, -1
		for at, i := range shown {
			need += gridGap + widths[i]
			if g.Columns[i].Shrink != ShrinkNot {
				spare += max(0, widths[i]-cmp.Or(g.Columns[i].First, shrinkFirst))
			}
			if d := g.Columns[i].Drop; d > 0 && (last < 0 || d > g.Columns[shown[last]].Drop) {
				last = at
			}
		}
		if need-spare <= room || last < 0 {
			g.shrink(shown, widths, need-room)
			break
		}
		shown = append(shown[:last:last], shown[last+1:]...)
	}
	if len(shown) == 0 || len(g.Rows) == 0 {
		return nil
	}
	return g.render(w, shown, widths)
}

// Lines returns how many lines Write writes where no column is dropped.
func (g *Grid) Lines() int {
	if widths := g.widths(); len(widths) == 0 || slices.Max(widths) == 0 {
		return 0
	}
	if slices.ContainsFunc(g.Columns, func(c Column) bool { return c.Title != "" }) {
		return len(g.Rows) + 1
	}
	return len(g.Rows)
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
	for ; excess > 0; excess-- {
		widest := -1
		for _, i := range shown {
			if g.Columns[i].Shrink != ShrinkNot && widths[i] > shrinkLeast && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

var units = map[string]bool{"B": true, "KB": true, "MB": true, "GB": true, "TB": true, "PB": true, "EB": true}

func (g *Grid) render(w io.Writer, shown, widths []int) error {
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
	var out strings.Builder
	table := tablewriter.NewTable(&out,
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
	if strings.Join(titles, "") != "" {
		table.Header(titles)
	}
	for _, row := range g.Rows {
		cut := make([]string, len(shown))
		for at, i := range shown {
			if g.Columns[i].Shrink == ShrinkEnd {
				cut[at] = ShortenEnd(row[i], widths[i])
			} else {
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
		if _, err := io.WriteString(w, gridIndent+line+"\n"); err != nil {
			return err
		}
		row++
	}
	return nil
}
