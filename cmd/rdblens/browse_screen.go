package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
)

// The panel is beside the list from browseWide columns on, below it elsewhere.
const (
	browseWide  = 120
	browseBar   = 10 // columns of a bar
	leastScreen = 5  // lines
)

var (
	styleText = tcell.StyleDefault
	styleDim  = styleText.Dim(true)
	styleBold = styleText.Bold(true)
	styleHead = styleText.Reverse(true)
)

func (b *browser) put(x, y, width int, style tcell.Style, s string) {
	b.screen.PutStrStyled(x, y, text.ShortenMiddle(s, width), style)
}

// line fills a line and writes a text at its left and another at its right.
func (b *browser) line(y int, style tcell.Style, left, right string) {
	width, _ := b.screen.Size()
	room := width
	if right != "" {
		room -= text.Width(right) + 2
	}
	left = text.ShortenMiddle(left, max(room-1, 0))
	b.screen.PutStrStyled(0, y, " "+padded(left, width-1), style)
	if right != "" && room > 0 {
		b.screen.PutStrStyled(width-text.Width(right)-1, y, right, style)
	}
}

func (b *browser) draw() {
	width, height := b.screen.Size()
	b.screen.Clear()
	b.screen.HideCursor()
	if height < leastScreen || width < 20 {
		b.put(0, 0, width, styleText, b.t("too small"))
		b.screen.Show()
		return
	}
	v := b.view()
	b.line(0, styleHead, "rdblens browse  "+b.about(), b.t("? help"))
	b.heading(v)
	listWidth, listHeight := width, height-3
	panel := len(v.rows) > 0 && !b.noPanel
	switch {
	case panel && width >= browseWide:
		listWidth = width * 11 / 20
		b.panel(v.row(), listWidth+1, 2, width-listWidth-1, listHeight)
	case panel && height >= 14:
		n := min(height/3, 12)
		listHeight -= n
		b.put(0, 2+listHeight, width, styleDim, strings.Repeat("-", width))
		b.panel(v.row(), 1, 3+listHeight, width-1, n-1)
	}
	b.height = listHeight
	v.top = max(0, min(v.top, v.at, v.last()))
	if v.at >= v.top+listHeight {
		v.top = v.at - listHeight + 1
	}
	if len(v.rows) > 0 {
		b.rows(v, listWidth, listHeight)
	} else {
		if v.about != nil {
			v.lines = nil
			for _, line := range b.details(v.about, width-2) {
				v.lines = append(v.lines, line.text)
			}
		}
		b.text(v, listWidth, listHeight)
	}
	b.foot(height - 1)
	b.screen.Show()
}

func (b *browser) about() string {
	r := b.report
	s := b.inputsName(r) + "  " + b.sums(&browseRow{node: r.Tree})
	if r.Filter != nil {
		s += "  " + b.t("FILTERED")
	}
	if !r.Complete {
		s += "  " + b.t("NOT COMPLETE")
	}
	if b.old != nil {
		root := b.nodeRow(r.Tree)
		size, keys := b.signs(&root)
		s += " (" + keys + ", " + size + ")"
	}
	return s
}

// inputsName returns the name of the snapshot of a report, or how many it has.
func (b *browser) inputsName(r *report.Report) string {
	if len(r.Inputs) == 1 {
		return report.Name(filepath.Base(string(r.Inputs[0].Name))).Display()
	}
	return b.env.line(message.New("{n} snapshots added up", message.Int("n", int64(len(r.Inputs)))))
}

// signs returns the growth of a row in bytes and keys, or elements, with signs.
func (b *browser) signs(r *browseRow) (size, keys string) {
	if r.was == nil {
		return "", ""
	}
	sign := func(n int64, text func(int64) string) string {
		switch {
		case n < 0:
			return "-" + text(-n)
		case n > 0:
			return "+" + text(n)
		}
		return "="
	}
	n, more := r.growth()
	return sign(n, b.size), sign(more, message.FormatCount)
}

// lostTTL says how many more keys of a prefix have no TTL than in the older report, if that is a larger
// share of them; "" if not.
func (b *browser) lostTTL(r *browseRow) string {
	if r.node == nil || r.was == nil || r.was.count() <= 0 || r.count() <= 0 {
		return ""
	}
	now, was := r.node.WithoutTTL.Keys, r.was.node.WithoutTTL.Keys
	if float64(now)/float64(r.count())-float64(was)/float64(r.was.count()) < report.DefaultMinShare {
		return ""
	}
	return b.env.line(message.New("  no TTL: {was} -> {n}", message.Int("was", was), message.Int("n", now)))
}

func (b *browser) sums(r *browseRow) string {
	return b.env.line(message.New("{keys}, {size}", countOfKeys(r.count()), message.Size("size", r.memory())))
}

func (b *browser) heading(v *browseView) {
	left, right := v.title, b.t("by "+orderTitles[b.sort])
	if b.sort == byExpiry && !v.keys {
		right = b.t("TTL, keys within 1h, until midnight (UTC), within 24h")
	}
	if b.sort == byGrowth || b.sort == byMoreKeys {
		right += b.env.line(message.New(" since {file}", message.Foreign("file", b.inputsName(b.old))))
	}
	switch {
	case v.search:
		left = v.title + ": " + text.Sanitize(b.query)
		if v.total.node != nil && b.query != "" {
			left += "  " + b.sums(&v.total)
		}
	case v.rows == nil && v.lines != nil:
		right = ""
	case v.keys && v.partial:
		left += "  " + b.t("the largest keys that the report has")
	case v.keys:
		left += "  " + b.env.line(message.New("the biggest {n} of {all}", message.Int("n", int64(len(v.rows))),
			message.Number("all", v.report.Totals.Keys, "1 key", "{n} keys")))
	case v.node != nil && v.node != b.report.Tree:
		left += "  " + b.sums(&browseRow{node: v.node})
	}
	if len(b.marks) > 0 {
		all := int64(0)
		for _, r := range b.marks {
			all += r.memory()
		}
		right = b.env.line(message.New("{n} marked, {size}", message.Int("n", int64(len(b.marks))),
			message.Size("size", all))) + "  " + right
	}
	b.line(1, styleBold, left, right)
}

func (b *browser) rows(v *browseView, width, height int) {
	most := int64(1)
	whole := max((&browseRow{node: b.report.Tree}).memory(), 1)
	for i := range v.rows {
		most = max(most, v.rows[i].memory())
	}
	for y := range height {
		i := v.top + y
		if i >= len(v.rows) {
			break
		}
		r := &v.rows[i]
		style, dim := styleText, styleDim
		if i == v.at {
			style, dim = styleHead, styleHead
			b.put(0, 2+y, width, style, strings.Repeat(" ", width))
		}
		mark := " "
		if _, marked := b.marks[r.mark()]; marked {
			mark = "*"
		}
		x := 0
		cell := func(style tcell.Style, s string) {
			b.screen.PutStrStyled(x, 2+y, s, style)
			x += text.Width(s)
		}
		number, unit, _ := strings.Cut(b.size(r.memory()), " ")
		cell(style, mark+fmt.Sprintf("%6s ", number))
		cell(dim, padded(unit, 5))
		changes := b.old != nil && b.sort != byExpiry
		expires := b.sort == byExpiry && width < 110 // there is no room for more
		if !expires && (!changes || width >= 80) {
			cell(style, fmt.Sprintf("%6s ", message.FormatPercent(float64(r.memory())/float64(whole))))
		}
		bar := int((r.memory()*browseBar + most/2) / most)
		if r.memory() > 0 {
			bar = max(bar, 1)
		}
		if changes {
			size, keys := b.signs(r)
			cell(style.Bold(b.sort == byGrowth), fmt.Sprintf("%9s ", size))
			cell(style.Bold(b.sort == byMoreKeys), fmt.Sprintf("%10s ", keys))
		}
		barStyle := style
		if b.color && i != v.at {
			barStyle = style.Foreground(tcell.ColorTeal)
		}
		if (r.key == nil || width >= 100) && (width >= 100 || !changes && b.sort != byExpiry) { // a name has more to say
			cell(barStyle, padded(strings.Repeat("#", bar), browseBar+1))
		}
		if width >= 60 && !expires {
			count := message.FormatCount(r.count())
			if r.count() < 0 {
				count = ""
			}
			cell(style, fmt.Sprintf("%11s ", count))
		}
		if b.sort == byExpiry {
			cell(style, padded(b.ttl(r), 13)+" ")
			for _, window := range []string{"1h", "midnight", "24h"} {
				count := ""
				if n := r.expiring(window); n > 0 {
					count = message.FormatCount(n)
				}
				if r.key == nil && width >= 60 {
					cell(style, fmt.Sprintf("%9s ", count))
				}
			}
		}
		errors, warnings, infos := r.findings()
		sign, signStyle := " ", style
		switch {
		case errors > 0:
			sign, signStyle = "E", b.severity(style, "error", i == v.at)
		case warnings > 0:
			sign, signStyle = "W", b.severity(style, "warning", i == v.at)
		case infos > 0:
			sign = "i"
		}
		cell(signStyle, sign)
		cell(style, " ")
		if r.key != nil {
			cell(dim, padded(r.key.Type, 7))
		}
		name, room := r.name(), max(width-x-1, 0)
		if lost := b.lostTTL(r); text.Width(name)+text.Width(lost) <= room {
			name += lost
		}
		b.put(x, 2+y, room, style, name)
	}
}

// ttl returns the shortest and the longest TTL of a row.
func (b *browser) ttl(r *browseRow) string {
	if r.expires() == math.MaxInt64 {
		return ""
	}
	s := b.env.line(report.RoughDuration(r.expires()))
	if r.key == nil && r.node.TTLMax != nil {
		if most := b.env.line(report.RoughDuration(*r.node.TTLMax)); most != s {
			s += " - " + most
		}
	}
	return s
}

func (b *browser) severity(style tcell.Style, severity string, reversed bool) tcell.Style {
	if !b.color || reversed {
		return style.Bold(true)
	}
	switch severity {
	case "error":
		return style.Foreground(tcell.ColorRed).Bold(true)
	case "warning":
		return style.Foreground(tcell.ColorOlive)
	}
	return style
}

// text draws a text, from the line with the cursor on.
func (b *browser) text(v *browseView, width, height int) {
	lines := shownLines(v.lines, width-2)
	v.at = max(0, min(v.at, len(lines)-height))
	for y := range height {
		if v.at+y < len(lines) {
			b.screen.PutStrStyled(1, 2+y, lines[v.at+y], styleText)
		}
	}
	if len(lines) == 0 && !v.search && b.work == nil {
		b.put(1, 2, width-2, styleDim, b.t("no keys"))
	}
}

// foot draws the last line: a search, what is going on, or what the keys do.
func (b *browser) foot(y int) {
	width, _ := b.screen.Size()
	switch {
	case b.searching:
		query := "/" + text.Sanitize(b.query)
		b.put(0, y, width-1, styleText, query)
		b.screen.ShowCursor(min(text.Width(query), width-1), y)
		return
	case b.message != "":
		b.line(y, styleBold, b.message, "")
		return
	case b.work != nil:
		total := int64(0)
		for _, in := range b.inputs {
			total += max(in.size, 0)
		}
		label := b.work.label
		if n := b.read(); total > 0 && n <= total {
			label += " " + message.FormatPercent(float64(n)/float64(total))
		}
		b.line(y, styleDim, label, b.t("Esc ends it"))
		return
	}
	b.line(y, styleDim, b.t("Enter open  h back  Tab details  / search  e expires  w can go  q quit"), "")
}
