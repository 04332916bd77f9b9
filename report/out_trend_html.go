package report

import (
	"bufio"
	"math"
	"slices"
	"strconv"

	"github.com/rdblens/rdblens/parser/message"
)

const chartLines = 6

// htmlChart has figures over time, which the script draws as lines.
type htmlChart struct {
	Times  []int64      `json:"times"`
	Memory bool         `json:"memory"` // the figures are bytes
	Names  [][2]string  `json:"names"`  // of the lines, in English and Chinese
	Values [][]Figure   `json:"values"`
	Limit  int64        `json:"limit,omitempty"` // maxmemory, 0 none
	Ahead  []TrendPoint `json:"ahead,omitempty"` // a line that was fitted, up to where it reaches the limit
}

// writeTrendHTML writes the page of reports with charts over time and the tables of the
// other formats.
func writeTrendHTML(w *bufio.Writer, t *Trend, o WriteOptions) error {
	v := &htmlView{htmlPage: newHTMLPage(o), Title: word("Trend"), Wrong: t.wrong(), About: t.about()}
	for _, s := range t.rows("total") {
		if s.Measure == "memory" && v.Verdict.IsZero() && !s.growth().IsZero() {
			v.Verdict = message.New("{what}: {change} ({growth}).", message.Phrase("what", s.label()),
				message.Phrase("growth", s.growth()), message.Phrase("change", s.change()))
		}
	}
	if f := t.Full; f != nil && f.Days > 0 && (t.Forecast.DaysMost != nil || t.Forecast.DaysLeast == nil) {
		v.Verdict = parts(" ", v.Verdict, message.New("Most likely on {day}, maxmemory {size} is reached.",
			message.Text("day", day(f.Time)), message.Size("size", f.MaxMemory)))
	}
	t.sections(v.htmlPage, math.MaxInt, func(rows []*TrendSeries) {
		var figures []htmlBlock
		for rest := rows; len(rest) > 0; { // a chart for each measure
			same := slices.DeleteFunc(slices.Clone(rest), func(s *TrendSeries) bool { return s.Measure != rest[0].Measure })
			rest = slices.DeleteFunc(slices.Clone(rest), func(s *TrendSeries) bool { return s.Measure == same[0].Measure })
			figures = append(figures, htmlBlock{Figure: "chart-" + strconv.Itoa(len(v.Data.Charts))})
			v.Data.Charts = append(v.Data.Charts, t.chart(same[:min(len(same), chartLines)], v.htmlStyle))
		}
		v.last().Blocks = append(figures, v.last().Blocks...)
	})
	return v.write(w)
}

// growth returns the change as a percentage, zero if it is unknown.
func (s *TrendSeries) growth() message.Message {
	if !s.first().Known() || !s.last().Known() {
		return message.Message{}
	}
	return growthText(int64(s.first()), int64(s.last()))
}

func (t *Trend) chart(rows []*TrendSeries, style *htmlStyle) (c htmlChart) {
	for _, r := range t.Reports {
		c.Times = append(c.Times, r.Time)
	}
	c.Memory = rows[0].Measure == "memory"
	for _, s := range rows {
		c.Names = append(c.Names, [2]string{style.english.line(s.label()), style.chinese.line(s.label())})
		c.Values = append(c.Values, s.Values)
	}
	if f := t.Forecast; f != nil && rows[0].Kind == "total" && c.Memory {
		c.Limit, c.Ahead = f.MaxMemory, f.Line
	}
	return c
}
