package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

type markdownPage struct {
	*style
	w     *bytes.Buffer
	cell  int // columns to which names are cut
	level int // of the titles, 0 or 1
	names wholeNames
}

func newMarkdownPage(w *bytes.Buffer, o WriteOptions, cell, level int) *markdownPage {
	return &markdownPage{style: markdownStyle(o.Language.Catalogue()), w: w, cell: cell, level: level}
}

// wholeNames are names that are cut elsewhere, each once.
type wholeNames []string

func (l *wholeNames) add(name string) {
	if !slices.Contains(*l, name) && len(*l) < maxWholeNames {
		*l = append(*l, name)
	}
}

// maxWholeNames is the most names of a ticket that stand in it as they are.
const maxWholeNames = 200

// block returns the list of those names that fit into room bytes, folded.
func (l wholeNames) block(p *markdownPage, room int) string {
	const end = "\n</details>\n"
	s := p.opening(word("Whole names")) + "\n"
	begun := len(s)
	for _, name := range l {
		if item := "- " + text.MarkdownCode(text.ShortenMiddle(name, text.MaxCell)) + "\n"; len(s)+len(item)+
			len(end) <= room {
			s += item
		}
	}
	if len(s) == begun {
		return ""
	}
	return s + end
}

// whole returns a message, and notes the names in it that are cut.
func (p *markdownPage) whole(m message.Message) string {
	p.note(m)
	return p.style.sentence(m)
}

func (p *markdownPage) note(m message.Message) {
	for _, s := range m.Spans(p.catalogue) {
		if !isForeign(s.Kind) {
			continue
		}
		if name := text.Display([]byte(s.Text)); text.Width(name) > nameWidth {
			p.names.add(name)
		}
	}
}

// opening begins a part that is folded.
func (p *markdownPage) opening(title message.Message) string {
	return "\n<details>\n<summary>" + p.style.sentence(title) + "</summary>\n"
}

// markdownStyle is that of tickets: names, code and sentences of others are code.
func markdownStyle(c *message.Catalogue) *style {
	return &style{catalogue: c, text: text.MarkdownText, name: text.MarkdownCode, code: text.MarkdownCode,
		foreign: text.MarkdownCode,
		link:    func(marked, url string) string { return "[" + marked + "](" + text.MarkdownURL(url) + ")" }}
}

func (p *markdownPage) block(format string, args ...any) {
	fmt.Fprintf(p.w, "\n"+format+"\n", args...)
}

func (p *markdownPage) section(title, note message.Message) {
	p.block("%s %s", strings.Repeat("#", 3+p.level), p.style.sentence(title))
	if !note.IsZero() {
		p.block("*%s*", p.style.sentence(note))
	}
}

func (p *markdownPage) heading(m message.Message)  { p.block("##### %s", p.whole(m)) }
func (p *markdownPage) alert(m message.Message)    { p.block("> **%s**", p.whole(m)) }
func (p *markdownPage) strong(m message.Message)   { p.block("**%s**", p.whole(m)) }
func (p *markdownPage) sentence(m message.Message) { p.block("%s", p.whole(m)) }
func (p *markdownPage) foot(message.Message)       {}

func (p *markdownPage) field(label string, m message.Message) {
	if label != "" {
		label = "**" + p.style.sentence(word(label)) + "**: "
	}
	p.block("%s%s", label, p.whole(m))
}

func (p *markdownPage) list(items []message.Message) {
	p.w.WriteString("\n")
	for i, m := range items {
		fmt.Fprintf(p.w, "%d. %s\n", i+1, p.whole(m))
	}
}

// tasks writes a list of what is to be done, to be ticked off.
func (p *markdownPage) tasks(items []message.Message) {
	p.w.WriteString("\n")
	for _, m := range items {
		fmt.Fprintf(p.w, "- [ ] %s\n", p.whole(m))
	}
}

// commands are in a block of code, which ends at a line of three backticks alone.
func (p *markdownPage) commands(list []string) {
	if len(list) > 0 {
		p.block("```\n%s\n```", strings.Join(list, "\n"))
	}
}

// cellText returns a cell: a name is cut to the columns of the page, a sentence to
// twice as many.
func (p *markdownPage) cellText(m message.Message, c column) string {
	p.note(m)
	if c.Shrink == text.ShrinkMiddle {
		return p.marked(shown(m, p.catalogue, p.cell))
	}
	spans := shown(m, p.catalogue, min(p.cell, nameWidth))
	if p.cell < text.MaxCell {
		spans = cutSpans(spans, 2*p.cell)
	}
	return p.marked(spans)
}

// cutSpans cuts a sentence at its end to at most width columns.
func cutSpans(spans []message.Span, width int) []message.Span {
	for i := range spans {
		s := &spans[i]
		if s.Text = text.ShortenEnd(s.Text, width); i+1 < len(spans) && text.Width(s.Text) >= width {
			return spans[:i+1]
		}
		width -= text.Width(s.Text)
	}
	return spans
}

func (p *markdownPage) table(t table) {
	g := t.grid(func(id string) string { return p.style.sentence(word(id)) }, p.cellText)
	var filled []int // columns that are not empty
	for c := range g.Columns {
		for _, row := range g.Rows {
			if row[c] != "" {
				filled = append(filled, c)
				break
			}
		}
	}
	if filled == nil {
		return
	}
	line := func(cell func(c int) string) {
		for _, c := range filled {
			p.w.WriteString("| " + cell(c) + " ")
		}
		p.w.WriteString("|\n")
	}
	p.w.WriteString("\n")
	line(func(c int) string { return g.Columns[c].Title })
	line(func(c int) string {
		if g.Columns[c].Right {
			return "---:"
		}
		return "---"
	})
	for _, row := range g.Rows {
		line(func(c int) string { return row[c] })
	}
}
