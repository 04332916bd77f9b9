package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
)

// A page takes the parts of a report for people, one after the other. A form of
// text has one implementation, which knows how it marks a title, a table and a
// name.
//
// All text is ours, with the names in it escaped for display (Name.Display,
// text.Sanitize). Titles are in lower case but for the first letter.
type page interface {
	section(title, note string) // begins a part; the note may be ""
	heading(s string)           // begins a part of a section
	alert(s string)             // a sentence that nobody must miss
	sentence(s string)
	field(label, s string) // a fact; the label may be ""
	list(items []string)   // numbered
	commands(list []string)
	table(t table)
	foot(s string) // where more is
}

// table is a table whose cells are functions of a row's index.
type table struct {
	rows    int
	columns []column
}

type column struct {
	text.Column
	cell func(i int) string
}

func leftColumn(title string, cell func(i int) string) column {
	return column{text.Column{Title: title}, cell}
}

func rightColumn(title string, cell func(i int) string) column {
	return column{text.Column{Title: title, Right: true}, cell}
}

// nameColumn has names, which are cut in the middle where room is short.
func nameColumn(title string, cell func(i int) string) column {
	return column{text.Column{Title: title, Shrink: text.ShrinkMiddle}, cell}
}

// sentenceColumn has sentences, which are cut at the end where room is short.
func sentenceColumn(title string, cell func(i int) string) column {
	return column{text.Column{Title: title, Shrink: text.ShrinkEnd}, cell}
}

func countColumn(title string, count func(i int) Figure) column {
	return rightColumn(title, func(i int) string { return countText(count(i)) })
}

func sizeColumn(title string, size func(i int) Figure) column {
	return rightColumn(title, func(i int) string { return sizeText(size(i)) })
}

// drop sets the rank of a column in the order in which columns are dropped where
// room is short, the highest first.
func (c column) drop(rank int) column {
	c.Drop = rank
	return c
}

// only returns the column, without content unless shown is true.
func (c column) only(shown bool) column {
	if !shown {
		c.cell = func(int) string { return "" }
	}
	return c
}

// grid returns the table with its cells.
func (t *table) grid() *text.Grid {
	g := &text.Grid{Rows: make([][]string, t.rows)}
	for _, c := range t.columns {
		g.Columns = append(g.Columns, c.Column)
		for i := range g.Rows {
			g.Rows[i] = append(g.Rows[i], c.cell(i))
		}
	}
	return g
}

// countText returns a count, "" if it is unknown.
func countText(n Figure) string {
	if !n.Known() {
		return ""
	}
	return message.FormatCount(int64(n))
}

// sizeText returns a size with its unit, "" if it is unknown.
func sizeText(n Figure) string {
	if !n.Known() {
		return ""
	}
	return message.FormatBytes(int64(n))
}

// shareText returns a share as a percentage, "" of nothing.
func shareText(part, whole int64) string { return message.FormatPercent(ratio(part, whole)) }

// ratio returns a share of 0 to 1, NaN of nothing.
func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// proseWidth is the width of sentences, in columns, where there is no terminal.
const proseWidth = 100

// textPage is the page of terminals and text files. In English it is ASCII except for
// names.
type textPage struct {
	w     *bufio.Writer
	width int // of the terminal in columns, 0 none
	color bool
	begun bool  // something was written
	err   error // the first of a table
}

// Escape sequences of terminals.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

func (p *textPage) paint(color, s string) string {
	if !p.color || color == "" {
		return s
	}
	return color + s + plain
}

func (p *textPage) section(title, note string) {
	title = text.Heading(title)
	line := title
	if note != "" {
		line += " (" + note + ")"
	}
	line = text.Wrap("", "  ", line, p.proseColumns())
	if note, ok := strings.CutPrefix(line, title); ok {
		line = p.paint(bold, title) + note
	}
	if p.begun {
		line = "\n" + line
	}
	p.begun = true
	p.w.WriteString(line)
}

func (p *textPage) heading(s string) {
	p.w.WriteByte('\n')
	p.wrap("  ", "    ", s)
}

func (p *textPage) alert(s string) {
	p.begun = true
	for line := range strings.Lines(text.Wrap("", "  ", s, p.proseColumns())) {
		p.w.WriteString(p.paint(red, strings.TrimSuffix(line, "\n")) + "\n")
	}
}

func (p *textPage) sentence(s string) { p.wrap("", "  ", s) }

func (p *textPage) foot(s string) { p.wrap("\n", "  ", s) }

func (p *textPage) field(label, s string) {
	const indent = 18
	p.wrap("  "+label+strings.Repeat(" ", max(0, indent-2-text.Width(label))), strings.Repeat(" ", indent), s)
}

func (p *textPage) list(items []string) {
	for i, s := range items {
		p.wrap(fmt.Sprintf("  %d. ", i+1), "     ", s)
	}
}

// commands writes commands, which are neither wrapped nor cut, so that they can be
// pasted.
func (p *textPage) commands(list []string) {
	for _, c := range list {
		p.w.WriteString("      " + c + "\n")
	}
}

func (p *textPage) table(t table) {
	g := t.grid()
	if p.color {
		g.Paint = func(cell string) string {
			return p.paint(map[string]string{"error": red, "warning": yellow}[cell], cell)
		}
	}
	if err := g.Write(p.w, p.width); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *textPage) proseColumns() int {
	if p.width <= 0 {
		return proseWidth
	}
	return p.width
}

// wrap writes a sentence in lines of the width. An NBSP becomes a space.
func (p *textPage) wrap(first, next, s string) {
	p.begun = true
	p.w.WriteString(strings.ReplaceAll(text.Wrap(first, next, s, p.proseColumns()), text.NBSP, " "))
}

// translated is a page whose sentences are translated before they are written. Names
// and commands stay as they are.
type translated struct {
	page
	translate func(string) string
}

// inLanguage returns a page that is written in a language.
func inLanguage(p page, l language.Language) page { return translated{p, translator(l)} }

// untranslated, if not nil, is called by tests for each sentence without a
// translation.
var untranslated func(sentence string)

// translator returns the translation into a language.
func translator(l language.Language) func(string) string {
	if l != language.Chinese {
		return func(s string) string { return s }
	}
	return func(s string) string {
		to, ok := l.Translate(strings.ReplaceAll(s, text.NBSP, " "))
		if !ok && untranslated != nil {
			untranslated(s)
		}
		return to
	}
}

func (p translated) section(title, note string) {
	p.page.section(p.translate(title), p.translate(note))
}
func (p translated) heading(s string)  { p.page.heading(p.translate(s)) }
func (p translated) alert(s string)    { p.page.alert(p.translate(s)) }
func (p translated) sentence(s string) { p.page.sentence(p.translate(s)) }
func (p translated) foot(s string)     { p.page.foot(p.translate(s)) }

func (p translated) field(label, s string) {
	if label != "groups" || strings.Contains(s, " and ") { // otherwise it is a list of names
		s = p.translate(s)
	}
	p.page.field(p.translate(label), s)
}

func (p translated) list(items []string) {
	list := make([]string, len(items))
	for i, s := range items {
		list[i] = p.translate(s)
	}
	p.page.list(list)
}

func (p translated) table(t table) { p.page.table(t.translated(p.translate)) }

// typedWords are the titles of columns whose cells are words that users type.
var typedWords = []string{"severity", "rule", "type", "encoding", "policy", "what if", "allocator"}

// translated returns a table with its titles and cells translated, except names and
// words that users type.
func (t table) translated(translate func(string) string) table {
	out := table{rows: t.rows}
	for _, c := range t.columns {
		if cell := c.cell; c.Shrink != text.ShrinkMiddle && !slices.Contains(typedWords, c.Title) {
			c.cell = func(i int) string { return translate(cell(i)) }
		}
		c.Title = translate(c.Title)
		out.columns = append(out.columns, c)
	}
	return out
}
