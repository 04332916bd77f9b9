package text

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"
)

// Grid is a table for a terminal. All text must be escaped before it is added.
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

	gridGap = 2 // columns of the terminal before each of the table
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
	room := width - gridGap
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
	rows, head := g.Rows, make([]string, len(g.Columns))
	for _, i := range shown {
		head[i] = g.Columns[i].Title
	}
	titles := strings.Join(head, "") != ""
	if titles {
		rows = slices.Insert(slices.Clone(rows), 0, head)
	}
	lines := make([]string, len(rows))
	for _, i := range shown {
		c, cells, widest := &g.Columns[i], make([]string, len(rows)), 0
		for n, row := range rows {
			cells[n] = ShortenMiddle(row[i], widths[i])
			if c.Shrink == ShrinkEnd && !(titles && n == 0) {
				cells[n] = ShortenEnd(row[i], widths[i])
			}
			widest = max(widest, Width(cells[n]))
		}
		for n, cell := range cells {
			space := strings.Repeat(" ", widest-Width(cell))
			number, unit, ok := strings.Cut(cell, " ")
			switch {
			case titles && n == 0:
			case ok && g.Dim != nil && c.Right && units[unit]:
				cell = number + " " + g.Dim(unit)
			case g.Paint != nil && i == 0 && cell == rows[n][0]:
				cell = g.Paint(cell)
			}
			if c.Right {
				cell, space = space, cell
			}
			lines[n] += strings.Repeat(" ", gridGap) + cell + space
		}
	}
	for _, line := range lines {
		if _, err := io.WriteString(w, strings.TrimRight(line, " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
