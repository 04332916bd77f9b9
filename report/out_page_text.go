package report

import (
	"bufio"
	"fmt"
	"math"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// proseWidth is the width of sentences, in columns, where there is no terminal.
const proseWidth = 100

// textPage is the page of terminals and text files. In English it is ASCII except for
// names.
type textPage struct {
	*style
	w     *bufio.Writer
	width int // of the terminal in columns, 0 none
	color bool
	small bool  // the terminal has few lines: one for each item of a list
	dense bool  // no empty lines
	begun bool  // something was written
	err   error // the first of a table
	// measures: a table has empty lines, as many as there would be.
	measures bool
}

func newTextPage(w *bufio.Writer, o WriteOptions) *textPage {
	return &textPage{style: textStyle(o.Language.Catalogue()), w: w, width: o.Width, color: o.Color}
}

// textStyle is that of terminals: names with spaces are quoted, and no line breaks in
// them.
func textStyle(c *message.Catalogue) *style {
	asIs := func(s string) string { return s }
	whole := func(s string) string { return strings.ReplaceAll(s, " ", text.NBSP) }
	return &style{catalogue: c, text: asIs, code: asIs, foreign: asIs, figure: whole, name: func(s string) string {
		if strings.Contains(s, " ") {
			s = `"` + strings.NewReplacer(" ", text.NBSP, `"`, `\x22`).Replace(s) + `"`
		}
		return s
	}}
}

func (s *style) line(m message.Message) string {
	return strings.ReplaceAll(s.sentence(m), text.NBSP, " ")
}

// Escape sequences of terminals.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
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

// title returns a title in capitals. Names in it, and Chinese, stay as they are.
func (p *textPage) title(m message.Message) string {
	if p.catalogue != nil {
		return p.line(m)
	}
	capitals := *p.style
	capitals.text = strings.ToUpper
	return capitals.line(m)
}

func (p *textPage) section(title, note message.Message) {
	head := p.title(title)
	line := head
	if !note.IsZero() {
		line += p.style.sentence(message.New(" ({note})", message.Phrase("note", note)))
	}
	if p.small && p.width > 0 {
		line = text.ShortenEnd(line, p.width)
	}
	line = p.wrapped("", "  ", line)
	if note, ok := strings.CutPrefix(line, head); ok {
		line = p.paint(bold, head) + note
	}
	if p.begun && !p.dense {
		line = "\n" + line
	}
	p.begun = true
	p.w.WriteString(line)
}

func (p *textPage) heading(m message.Message) {
	p.w.WriteByte('\n')
	p.wrap("  ", "    ", p.style.sentence(m))
}

func (p *textPage) alert(m message.Message)  { p.painted(red, m) }
func (p *textPage) strong(m message.Message) { p.painted(bold, m) }

func (p *textPage) painted(color string, m message.Message) {
	p.begun = true
	for line := range strings.Lines(p.wrapped("", "  ", p.style.sentence(m))) {
		p.w.WriteString(p.paint(color, strings.TrimSuffix(line, "\n")) + "\n")
	}
}

func (p *textPage) sentence(m message.Message) { p.wrap("", "  ", p.style.sentence(m)) }

// sentenceIn writes a sentence in one line: names in it are cut before its end is.
func (p *textPage) sentenceIn(first string, m message.Message) {
	p.begun = true
	line := first + p.line(m)
	for names := nameWidth; names >= nameWidth/3 && text.Width(line) > p.width; names -= 2 {
		if s := first + strings.ReplaceAll(p.marked(shown(m, p.catalogue, names)), text.NBSP, " "); text.Width(s) <= p.width {
			line = s
		}
	}
	p.w.WriteString(text.ShortenEnd(line, p.width) + "\n")
}

func (p *textPage) foot(m message.Message) {
	if !p.dense {
		p.w.WriteByte('\n')
	}
	p.sentence(m)
}

func (p *textPage) field(label string, m message.Message) {
	const indent = 18
	label = p.line(word(label))
	p.wrap("  "+label+strings.Repeat(" ", max(0, indent-2-text.Width(label))), strings.Repeat(" ", indent),
		p.style.sentence(m))
}

func (p *textPage) list(items []message.Message) {
	for i, m := range items {
		first := fmt.Sprintf("  %d. ", i+1)
		if p.small && p.width > 0 {
			p.sentenceIn(first, m)
			continue
		}
		p.wrap(first, "     ", p.style.sentence(m))
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
	g := t.grid(func(id string) string { return p.line(word(id)) }, func(m message.Message, _ column) string {
		return strings.ReplaceAll(p.cell(m), text.NBSP, " ")
	})
	if p.measures {
		p.w.WriteString(strings.Repeat("\n", g.Lines(p.width)))
		return
	}
	const longest = 10 // columns of a bar
	for c := range t.columns {
		if t.columns[c].bar == nil || p.width == 0 && t.columns[c].Drop == dropBar {
			continue
		}
		for i := range g.Rows {
			if share := t.columns[c].bar(i).to; share > 0 {
				g.Rows[i][c] = strings.Repeat("#", max(1, min(longest, int(math.Round(share*longest)))))
			}
		}
	}
	if p.color {
		g.Dim = func(unit string) string { return p.paint(dim, unit) }
		g.Paint = func(cell string) string {
			return p.paint(map[string]string{"error": red, "warning": yellow}[cell], cell)
		}
	}
	if err := g.Write(p.w, p.width); err != nil && p.err == nil {
		p.err = err
	}
}

// wrapped returns a sentence in lines of the width of the terminal. An NBSP becomes a
// space.
func (p *textPage) wrapped(first, next, s string) string {
	columns := p.width
	if columns <= 0 {
		columns = proseWidth
	}
	return strings.ReplaceAll(text.Wrap(first, next, s, columns), text.NBSP, " ")
}

func (p *textPage) wrap(first, next, s string) {
	p.begun = true
	p.w.WriteString(p.wrapped(first, next, s))
}
