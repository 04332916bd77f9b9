package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// The size of a chart, in units of its SVG, and of the line in a cell.
const (
	chartWidth, chartHeight = 1000, 200
	cellWidth, cellHeight   = 200, 20
	chartLines              = 6
	chartPoints             = 100 // of a line: of more, every n-th
	cellPoints              = 60
)

// writeTrendHTML writes the page of reports with charts over time and the tables of the
// other formats, whose bars are lines.
func writeTrendHTML(w *bufio.Writer, t *Trend, o WriteOptions) error {
	v := emptyHTMLView(o)
	v.Sections, v.Wrong, v.About = true, t.wrong(), t.about()
	v.Title = word("Trend")
	for _, s := range t.rows("total") {
		args := []message.Arg{message.Phrase("what", s.label()), message.Phrase("size", s.figure(s.last())), message.Phrase("growth", s.growth()),
			message.Phrase("change", s.change())}
		id := "{what}, now {size}"
		if !s.growth().IsZero() {
			id = "{what}, now {size} ({growth})"
		}
		v.Cards = append(v.Cards, htmlFact{orWord(s.change(), "-"), message.New(id, args...)})
		if s.Measure == "memory" && v.Verdict.IsZero() && !s.growth().IsZero() {
			v.Verdict = message.New("{what}: {change} ({growth}).", args...)
		}
	}
	if f := t.Full; f != nil && f.Days > 0 {
		v.Cards = append(v.Cards, htmlFact{verbatim(day(f.Time)), message.New("maxmemory {size} is reached", message.Size("size", f.MaxMemory))})
		v.Verdict = parts(" ", v.Verdict, message.New("On {day}, maxmemory {size} is reached.", message.Text("day", day(f.Time)), message.Size("size", f.MaxMemory)))
	}
	budget := htmlFindingsBytes + htmlGroupsBytes + htmlKeysBytes
	p := &htmlPage{htmlStyle: v.htmlStyle, budget: &budget}
	for _, part := range trendParts {
		rows := t.rows(part.kind)
		if len(rows) == 0 {
			continue
		}
		p.section(word(part.title), message.Message{})
		for _, same := range byMeasure(rows) {
			p.add(htmlBlock{Chart: t.chart(part.title, same, v.htmlStyle)})
		}
		lines := trendTable(part.kind, rows)
		lines.columns[len(lines.columns)-1] = rightColumn("growth", func(i int) message.Message { return rows[i].growth() })
		lines.columns = append(lines.columns, wordColumn("over time", func(i int) string { return cellLine(rows[i].Values) }))
		p.table(lines)
		blocks := p.sections[len(p.sections)-1].Blocks
		made := blocks[len(blocks)-1].Table
		made.Columns[len(made.Columns)-1] = &htmlColumn{Title: "over time", Line: true}
	}
	v.Rest = p.sections
	return v.write(w, o)
}

// byMeasure returns the series of each measure, which have a chart of their own, in the order
// in which the measures come first.
func byMeasure(rows []*TrendSeries) (list [][]*TrendSeries) {
	for _, s := range rows {
		i := slices.IndexFunc(list, func(same []*TrendSeries) bool { return same[0].Measure == s.Measure })
		if i < 0 {
			i, list = len(list), append(list, nil)
		}
		list[i] = append(list[i], s)
	}
	return list
}

// growth returns the change as a percentage, zero if it is unknown.
func (s *TrendSeries) growth() message.Message {
	if !s.first().Known() || !s.last().Known() {
		return message.Message{}
	}
	return growthText(int64(s.first()), int64(s.last()))
}

// htmlChart shows figures over time as lines.
type htmlChart struct {
	Title, From, To string
	Top             message.Message // the figure at the upper edge
	Lines           []htmlLine
	Limit           int    // where maxmemory is, from the top; 0 nowhere
	Ahead           string // path of what is expected, "" if there is nothing
}

// htmlLine is one of the lines: its number, which is its colour, its path, and points
// with their figures.
type htmlLine struct {
	Number int
	Name   message.Message
	Path   string
	Points []htmlPoint
}

type htmlPoint struct {
	X, Y  int
	Title string
}

// chart returns the chart of the first series, which have one measure.
func (t *Trend) chart(title string, rows []*TrendSeries, style *htmlStyle) *htmlChart {
	rows = rows[:min(len(rows), chartLines)]
	first, last := t.Reports[0].Time, t.Reports[len(t.Reports)-1].Time
	end, most := last, Figure(1)
	for _, s := range rows {
		most = max(most, slices.Max(s.Values))
	}
	f, full := t.Forecast, t.Full
	if f != nil && rows[0].Kind == "total" && rows[0].Measure == "memory" {
		most = max(most, Figure(f.MaxMemory))
	} else {
		f, full = nil, nil
	}
	if full != nil {
		end = min(full.Time, last+max(1, last-first)) // as much as was observed at most
	}
	x := func(seconds int64) int { return int(float64(seconds-first) / float64(max(1, end-first)) * chartWidth) }
	y := func(v Figure) int { return chartHeight - int(float64(v)/float64(most)*chartHeight) }
	c := &htmlChart{Title: title, Top: rows[0].figure(most), From: day(first), To: day(end)}
	for i, s := range rows {
		line := htmlLine{Number: i + 1, Name: s.label()}
		if s.Kind == "findings" {
			line.Number = []int{6, 3, 1}[i] // red, yellow, blue
		}
		at := func(n int) (int, int) { return x(t.Reports[n].Time), y(s.Values[n]) }
		line.Path = linePath(s.Values, chartPoints, at)
		for n := range everyNth(len(s.Values), chartPoints) {
			if v := s.Values[n]; v.Known() {
				x, y := at(n)
				line.Points = append(line.Points, htmlPoint{x, y, message.FormatTime(t.Reports[n].Time) + ": " + style.own.line(s.figure(v))})
			}
		}
		c.Lines = append(c.Lines, line)
	}
	if f != nil {
		c.Limit = max(1, y(Figure(f.MaxMemory)))
	}
	if f != nil && len(f.Line) > 0 { // the fitted line, and what it expects
		from, at := f.Line[0], f.Line[1]
		expected := at.Bytes + int64(f.PerDay*float64(end-last)/secondsOfDay)
		c.Ahead = fmt.Sprintf("M%d %dL%d %d", x(from.Time), y(Figure(from.Bytes)), x(end), y(Figure(expected)))
	}
	return c
}

// cellLine returns the path of figures in a cell, from the least to the greatest.
func cellLine(values []Figure) string {
	least, most := bounds(values)
	return linePath(values, cellPoints, func(n int) (x, y int) {
		if x, y = cellWidth/2, cellHeight/2; len(values) > 1 {
			x = n * cellWidth / (len(values) - 1)
		}
		if most > least {
			y = cellHeight - int(float64(values[n]-least)/float64(most-least)*cellHeight)
		}
		return x, y
	})
}

// linePath returns the path through figures, each of which is at a point. What is
// unknown interrupts it.
func linePath(values []Figure, points int, at func(n int) (x, y int)) string {
	var b strings.Builder
	command := "M"
	for n := range everyNth(len(values), points) {
		if !values[n].Known() {
			command = "M"
			continue
		}
		x, y := at(n)
		fmt.Fprintf(&b, "%s%d %d", command, x, y)
		command = "L"
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "h0" // a single point is a dot
}
