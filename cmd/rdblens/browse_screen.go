package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
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

// put writes a text in at most width columns.
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
	name := ""
	if len(r.Inputs) == 1 {
		name = report.Name(filepath.Base(string(r.Inputs[0].Name))).Display() + "  "
	} else if len(r.Inputs) > 1 {
		name = b.env.line(message.New("{n} snapshots", message.Int("n", int64(len(r.Inputs))))) + "  "
	}
	s := name + b.sums(&browseRow{node: r.Tree})
	if r.Filter != nil {
		s += "  " + b.t("FILTERED")
	}
	if !r.Complete {
		s += "  " + b.t("NOT COMPLETE")
	}
	return s
}

func (b *browser) sums(r *browseRow) string {
	return b.env.line(message.New("{keys}, {size}", countOfKeys(r.count()), message.Size("size", r.memory())))
}

// heading says where the view is, and how it is sorted.
func (b *browser) heading(v *browseView) {
	left, right := v.title, b.t("by "+orderTitles[b.sort])
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
		share := message.FormatPercent(float64(r.memory()) / float64(whole))
		number, unit, _ := strings.Cut(b.size(r.memory()), " ")
		cell(style, mark+fmt.Sprintf("%6s ", number))
		cell(dim, padded(unit, 5))
		cell(style, fmt.Sprintf("%6s ", share))
		bar := int((r.memory()*browseBar + most/2) / most)
		if r.memory() > 0 {
			bar = max(bar, 1)
		}
		barStyle := style
		if b.color && i != v.at {
			barStyle = style.Foreground(tcell.ColorTeal)
		}
		if r.key == nil || width >= 100 { // a name has more to say
			cell(barStyle, padded(strings.Repeat("#", bar), browseBar+1))
		}
		if width >= 60 {
			count := message.FormatCount(r.count())
			if r.count() < 0 {
				count = ""
			}
			cell(style, fmt.Sprintf("%11s ", count))
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
		b.put(x, 2+y, max(width-x-1, 0), style, r.name())
	}
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
	b.line(y, styleDim, b.t("Enter open  h back  Tab details  / search  b keys  Space mark  q quit"), "")
}

type panelText struct {
	width int
	lines []panelLine
}

type panelLine struct {
	text  string
	style tcell.Style
}

// sizeUnit is a size, whose unit stays beside its number.
var sizeUnit = regexp.MustCompile(`([0-9]) ([KMGTP]?B)\b`)

func (p *panelText) add(style tcell.Style, first, next, s string) {
	if s == "" {
		return
	}
	s = sizeUnit.ReplaceAllString(s, "$1"+text.NBSP+"$2")
	for line := range strings.Lines(strings.ReplaceAll(text.Wrap(first, next, s, p.width), text.NBSP, " ")) {
		for _, part := range shownLines([]string{strings.TrimRight(line, "\n")}, p.width) {
			p.lines = append(p.lines, panelLine{part, style})
		}
	}
}

func (b *browser) panel(r *browseRow, x, y, width, height int) {
	lines := b.details(r, width-1)
	for i, line := range lines {
		if i == height-1 && len(lines) > height {
			b.put(x, y+i, width, styleDim, "... "+b.t("Tab shows all"))
			return
		}
		b.screen.PutStrStyled(x, y+i, line.text, line.style)
	}
}

func (b *browser) details(r *browseRow, width int) []panelLine {
	p := &panelText{width: width}
	p.add(styleBold, "", "", r.name())
	if r.key != nil {
		b.aboutKey(p, r.key)
	} else {
		b.aboutNode(p, r.node)
	}
	return p.lines
}

// aboutNode says what is known of a prefix.
func (b *browser) aboutNode(p *panelText, n *report.TreeNode) {
	noTTL := message.New("without TTL: {keys} ({share})", countOfKeys(n.WithoutTTL.Keys),
		message.Share("share", float64(n.WithoutTTL.Keys)/float64(max(n.Keys, 1))))
	parts := []message.Message{message.New("{keys}", countOfKeys(n.Keys)),
		message.New("{n}", message.Number("n", n.Elements, "1 element", "{n} elements")),
		message.New("types: {types}", message.Text("types", strings.Join(n.Types, ", "))), noTTL}
	if n.TTLMin != nil && n.TTLMax != nil {
		parts = append(parts, message.New("TTL {from} to {to}", message.Duration("from", *n.TTLMin),
			message.Duration("to", *n.TTLMax)))
	}
	if n.MayLackKeys > 0 {
		parts = append(parts, message.New("up to {n} more keys count elsewhere", message.Int("n", n.MayLackKeys)))
	}
	p.add(styleText, "", "", b.env.line(message.New("{list}", message.List("list", "; ", parts))))
	b.identity(p, n)
	b.source(p, n)
	for i := range b.report.Rules {
		f := &b.report.Rules[i]
		count := int64(0)
		for _, g := range f.Groups {
			if b.tree.holds(n, g.Group) {
				count += g.Count
			}
		}
		if count > 0 && n != b.report.Tree {
			b.finding(p, f.Severity, f.Rule,
				message.New("{n}: {title}", message.Int("n", min(count, f.Count)), message.Word("title", f.Title)))
		}
	}
	written := map[string]bool{} // a saving can also be one of the first things to do
	for _, steps := range [][]report.Step{b.report.FixFirst, b.report.Savings} {
		for i := range steps {
			s := &steps[i]
			of := s.Group != "" && b.tree.holds(n, s.Group)
			if s.Key != "" {
				of = b.tree.has(n, []byte(s.Key))
			}
			if of && (b.advice || !s.ChangesData) && !written[s.Text] {
				written[s.Text] = true
				b.adviceOf(p, s.Message, s.Text, s.Commands)
			}
		}
	}
	if k := n.LargestKey; k != nil {
		p.add(styleText, "", "  ", b.env.line(message.New("largest key: {key}, {type}, {size}",
			message.Name("key", string(k.Key)), message.Text("type", k.Type),
			message.Size("size", figureOr(k.MemoryBytes, k.ValueBytes)))))
	}
}

// identity says which libraries wrote the keys below a node, or what they look like.
func (b *browser) identity(p *panelText, n *report.TreeNode) {
	const most = 4
	var seen []report.Identity
	for i := range b.report.Groups {
		g := &b.report.Groups[i]
		if g.Identity == nil || !b.tree.holds(n, g.Group) || len(seen) == most {
			continue
		}
		id := report.Identity{Library: g.Identity.Library, Role: g.Identity.Role, Setting: g.Identity.Setting,
			ByDesign: g.Identity.ByDesign,
			Deletion: g.Identity.Deletion, Sure: g.Identity.Sure}
		if slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		what := []message.Message{message.New(string(id.Role))}
		if id.ByDesign {
			what = append(what, message.New("TTL: {text}", message.Word("text", "none by design")))
		}
		if id.Setting != "" {
			what = append(what, message.New("bounded by {setting}", message.Text("setting", id.Setting)))
		}
		if id.Deletion != "" {
			what = append(what, message.New("delete: {text}", message.Text("text", id.Deletion)))
		}
		library := message.Text("library", id.Library)
		if id.Library == "" {
			library = message.Word("library", "looks like")
		}
		p.add(styleText, "", "  ", b.env.line(message.New("{library}: {role}", library, message.List("role", "; ", what))))
	}
}

func (b *browser) finding(p *panelText, severity, rule string, m message.Message) {
	p.add(b.severity(styleText, severity, false), severity+" ", "  ", rule+" "+b.env.line(m))
}

func (b *browser) adviceOf(p *panelText, m message.Message, english string, commands []string) {
	s := b.env.line(m)
	if m.IsZero() {
		s = text.Sanitize(english)
	}
	p.add(styleText, "> ", "  ", s)
	for _, c := range commands {
		p.add(styleDim, "  ", "    ", text.Sanitize(c))
	}
}

func (b *browser) aboutKey(p *panelText, k *report.KeyRow) {
	kind := k.Type
	if k.Encoding != "" && k.Encoding != k.Type {
		kind += ", " + k.Encoding
	}
	facts := []message.Message{message.New("{type}", message.Text("type", kind))}
	add := func(id string, n report.Figure, arg func(string, int64) message.Arg) {
		if n.Known() {
			facts = append(facts, message.New(id, arg("n", int64(n))))
		}
	}
	if k.Type != "string" {
		add("{n}", k.Elements, func(name string,
			n int64) message.Arg {
			return message.Number(name, n, "1 element", "{n} elements")
		})
	}
	add("value {n}", k.ValueBytes, message.Size)
	add("memory {n}", k.Memory, message.Size)
	if k.LargestElement != nil {
		facts = append(facts, message.New("largest element {name}, {n}", message.Element("name", string(*k.LargestElement)),
			message.Size("n", int64(k.Largest))))
	}
	switch {
	case k.ExpireAt == nil:
		facts = append(facts, message.New("never expires"))
	case k.TTL != nil:
		facts = append(facts, message.New("TTL {n}", message.Duration("n", *k.TTL)))
	}
	add("idle {n}", k.Idle, message.Duration)
	add("LFU counter {n}", k.Freq, message.Int)
	facts = append(facts, message.New("database {n}", message.Int("n", int64(k.DB))))
	p.add(styleText, "", "", b.env.line(message.New("{list}", message.List("list", "; ", facts))))
	if k.Owner != "" {
		p.add(styleText, "", "  ", b.env.line(message.New("owner: {name}", message.Element("name", k.Owner))))
	}
	n := b.tree.find([]byte(k.Key))
	b.identity(p, n)
	b.source(p, n)
	rules := b.report.Rules
	if v := b.view(); v.report != nil {
		rules = v.report.Rules
	}
	for i := range k.Findings {
		f := &k.Findings[i]
		e := exampleOf(rules, f.Rule, k)
		if e == nil {
			e = exampleOf(b.report.Rules, f.Rule, k)
		}
		if e == nil {
			title := message.Message{}
			if rule, known := thresholds.Lookup(f.Rule); known {
				title = message.New(rule.Title)
			}
			b.finding(p, f.Severity, f.Rule, title)
			continue
		}
		what := e.Message
		if what.IsZero() {
			what = message.New("{text}", message.Foreign("text", e.Text))
		}
		b.finding(p, f.Severity, f.Rule, what)
		for j := range e.Advice {
			if a := &e.Advice[j]; b.advice || !a.ChangesData {
				b.adviceOf(p, a.Message, a.Text, a.Commands)
			}
		}
	}
}

// exampleOf returns the example of a rule that is a key, nil if there is none.
func exampleOf(rules []report.Finding, rule string, k *report.KeyRow) *report.Example {
	for i := range rules {
		for j := range rules[i].Examples {
			e := &rules[i].Examples[j]
			if rules[i].Rule == rule && e.KeyRow != nil && e.Key == k.Key && e.DB == k.DB {
				return e
			}
		}
	}
	return nil
}
