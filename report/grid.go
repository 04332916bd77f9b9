package report

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid is a table for a terminal. tablewriter sets it; what it must not do to
// foreign text (format headings, wrap, trim) is switched off, and all text is
// escaped before it comes here.
type grid struct {
	columns []column
	rows    [][]string
}

type column struct {
	title string
	right bool
	// flex columns are cut until the table fits: in the middle, since names
	// differ at both ends; sentences at the end.
	flex     bool
	sentence bool
	// drop tells which columns go where there is no room, the highest first;
	// 0 never.
	drop int
}

// Narrowest that a flex column becomes before others are dropped, and then.
const (
	flexRoom = 24
	flexMin  = 12
)

const (
	gridIndent = "  "
	gridGap    = 2
)

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// write writes the table into a width. Columns that are empty in all rows are
// left out.
func (g *grid) write(w io.Writer, width int) error {
	widths := g.widths()
	room := width - len(gridIndent)
	var shown []int
	for i := range g.columns {
		if widths[i] > 0 {
			shown = append(shown, i)
		}
	}
	for {
		need, flexible, last := -gridGap, 0, -1
		for at, i := range shown {
			need += gridGap + widths[i]
			if g.columns[i].flex {
				flexible += max(0, widths[i]-flexRoom)
			}
			if d := g.columns[i].drop; d > 0 && (last < 0 || d > g.columns[shown[last]].drop) {
				last = at
			}
		}
		if need-flexible <= room || last < 0 {
			g.squeeze(shown, widths, need-room)
			break
		}
		shown = append(shown[:last:last], shown[last+1:]...)
	}
	if len(shown) == 0 || len(g.rows) == 0 {
		return nil
	}
	return g.render(w, shown, widths)
}

// widths gives the width of each column, 0 for one without content.
func (g *grid) widths() []int {
	widths := make([]int, len(g.columns))
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	for i, c := range g.columns {
		if widths[i] > 0 {
			widths[i] = max(widths[i], Width(c.title))
		}
	}
	return widths
}

// squeeze takes what is too much from the flex columns, always the widest.
func (g *grid) squeeze(shown, widths []int, excess int) {
	for ; excess > 0; excess-- {
		widest := -1
		for _, i := range shown {
			if g.columns[i].flex && widths[i] > flexMin && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (g *grid) render(w io.Writer, shown, widths []int) error {
	var titles []string
	var aligns []tw.Align
	for _, i := range shown {
		titles = append(titles, shorten(g.columns[i].title, widths[i]))
		align := tw.AlignLeft
		if g.columns[i].right {
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
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbolCustom("gap").WithColumn(strings.Repeat(" ", gridGap)).WithRow("-").WithCenter(strings.Repeat(" ", gridGap)),
			Settings: tw.Settings{Separators: tw.Separators{BetweenRows: tw.Off, BetweenColumns: tw.On}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
		})),
	)
	table.Header(titles)
	for _, row := range g.rows {
		cut := make([]string, len(shown))
		for at, i := range shown {
			if g.columns[i].sentence {
				cut[at] = cutEnd(row[i], widths[i])
			} else {
				cut[at] = shorten(row[i], widths[i])
			}
		}
		if err := table.Append(cut); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		if _, err := io.WriteString(w, gridIndent+strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

const ellipsis = "..."

// shorten cuts escaped text in the middle, so that it is at most so many
// columns wide: names differ at both ends. It cuts no \xNN apart.
func shorten(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	room := width - len(ellipsis)
	if room < 2 {
		return ellipsis[:max(0, min(width, len(ellipsis)))]
	}
	// The units that stand together: escapes, and characters with what combines
	// with them (those have no width).
	var ends []int
	for i := 0; i < len(text); {
		i += unitLen(text[i:])
		ends = append(ends, i)
	}
	head, used := 0, 0
	for at, end := range ends {
		start := 0
		if at > 0 {
			start = ends[at-1]
		}
		used += Width(text[start:end])
		if used > (room+1)/2 {
			break
		}
		head = end
	}
	room -= Width(text[:head])
	tail, used := len(text), 0
	for at := len(ends) - 1; at > 0; at-- {
		used += Width(text[ends[at-1]:ends[at]])
		if used > room {
			break
		}
		tail = ends[at-1]
	}
	return text[:head] + ellipsis + text[tail:]
}

// cutEnd cuts a sentence at its end.
func cutEnd(text string, width int) string {
	if len(text) <= width || Width(text) <= width {
		return text
	}
	head, used := 0, 0
	for head < len(text) {
		n := unitLen(text[head:])
		if used += Width(text[head : head+n]); used > width-len(ellipsis) {
			break
		}
		head += n
	}
	return strings.TrimRight(text[:head], " ,;:") + ellipsis
}

// unitLen gives the bytes of the first character or escape.
func unitLen(text string) int {
	if text[0] == '\\' && len(text) > 1 {
		if text[1] == 'x' && len(text) >= 4 {
			return 4
		}
		return 2
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}
