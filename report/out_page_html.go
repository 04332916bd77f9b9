package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// htmlStyle renders messages for the page, which has a button for the other language:
// where they differ, a text stands in both, and the style sheet shows one. Attributes
// have one, and the other beside it for the script.
type htmlStyle struct {
	Lang         string
	languages    [2]*style // HTML in English and Chinese
	own, another *style    // text, for attributes
	english      *style    // own or another
	chinese      *style
}

func newHTMLStyle(o WriteOptions) *htmlStyle {
	l, other := cmp.Or(o.Language, language.English), language.Chinese
	if l == language.Chinese {
		other = language.English
	}
	s := &htmlStyle{Lang: string(l), own: textStyle(l.Catalogue()), another: textStyle(other.Catalogue())}
	if s.english, s.chinese = s.own, s.another; l == language.Chinese {
		s.english, s.chinese = s.another, s.own
	}
	for i, l := range []language.Language{language.English, language.Chinese} {
		s.languages[i] = &style{catalogue: l.Catalogue(), text: template.HTMLEscapeString,
			name:    func(s string) string { return `<code class="name">` + template.HTMLEscapeString(s) + `</code>` },
			code:    func(s string) string { return `<code>` + template.HTMLEscapeString(s) + `</code>` },
			foreign: func(s string) string { return `<bdi>` + template.HTMLEscapeString(s) + `</bdi>` },
			link: func(marked, url string) string {
				return `<a href="` + template.HTMLEscapeString(url) + `">` + marked + `</a>`
			}}
	}
	return s
}

// OtherLanguage returns the other language in its own words.
func (s *htmlStyle) OtherLanguage() string {
	if s.Lang == string(language.Chinese) {
		return "English"
	}
	return "中文"
}

// functions are those of the template: t is a message as HTML, own and other are a
// message as text, in the language of the page and in the other one. Each takes an
// identifier, too.
func (s *htmlStyle) functions() template.FuncMap {
	of := func(v any) message.Message {
		if id, ok := v.(string); ok {
			return word(id)
		}
		return v.(message.Message)
	}
	return template.FuncMap{
		"t":     func(v any) template.HTML { return both(s.languages[0].sentence(of(v)), s.languages[1].sentence(of(v))) },
		"own":   func(v any) string { return s.own.line(of(v)) },
		"other": func(v any) string { return s.another.line(of(v)) },
	}
}

func (s *htmlStyle) cell(m message.Message) template.HTML {
	return both(s.languages[0].cell(m), s.languages[1].cell(m))
}

func both(english, chinese string) template.HTML {
	if english == chinese {
		return template.HTML(english)
	}
	return template.HTML(`<span class="en" lang="en">` + english + `</span>` +
		`<span class="zh" lang="zh">` + chinese + `</span>`)
}

// The bytes that all sections of the page may have, and one of them, so that it stays below
// 2 MB whatever the snapshot.
const (
	htmlBytes        = 1200 << 10
	htmlSectionBytes = 350 << 10
)

// htmlRows is the most rows of a table of the page.
const htmlRows = 300

// htmlPage gathers the parts of a report for the template.
type htmlPage struct {
	*htmlStyle
	Sections []htmlSection
	left     int // bytes of later sections
	room     int // bytes of this one
}

func newHTMLPage(o WriteOptions) *htmlPage {
	return &htmlPage{htmlStyle: newHTMLStyle(o), left: htmlBytes}
}

// htmlSection has an identifier, which is its place in the URL.
type htmlSection struct {
	ID          string
	Title, Note message.Message
	Blocks      []htmlBlock
}

// Short is the title in the contents, zero if the section is not there.
func (s *htmlSection) Short() message.Message {
	if len(s.Title.Args) > 0 {
		return message.Message{}
	}
	return word(cmp.Or(htmlShort[s.Title.ID], s.Title.ID))
}

// place returns the identifier of a section with a place in the contents, else "".
func (s *htmlSection) place() string {
	return strings.ReplaceAll(strings.ToLower(s.Short().ID), " ", "-")
}

// htmlShort are the titles in the contents that are not those of the sections.
var htmlShort = map[string]string{"What could be saved": "Savings", "Biggest keys": "Keys", "By type": "Types",
	"TTL": "TTLs", "By encoding": "Encodings", "Distribution of keys": "Distributions", "By database": "Databases",
	"By owner": "Owners"}

// htmlBlock is a part of a section: the first of its fields that is not empty.
type htmlBlock struct {
	Table    *htmlTable
	Cards    []htmlFix
	Strip    []htmlBar
	Fold     *htmlFold
	Source   *thresholds.Source
	Figure   string            // the identifier of what the script draws
	Heading  []message.Message // one
	Items    []message.Message
	Commands []string
	Label    string
	Text     message.Message
}

// htmlBar is a bar of a strip. Y and Height are of 100.
type htmlBar struct {
	X, Y, Height int
	Class, Title string
}

// htmlFold is a part that is folded: what a rule found, or a list.
type htmlFold struct {
	ID, Severity, Rule string // the latter two may be ""
	Title, Count       message.Message
	Open               bool
	Blocks             []htmlBlock
}

type htmlTable struct {
	ID      string
	Label   message.Message
	Columns []htmlColumn
	Rows    []template.HTML // their cells
}

type htmlColumn struct{ Title, Class string }

func (p *htmlPage) last() *htmlSection { return &p.Sections[len(p.Sections)-1] }

func (p *htmlPage) add(b htmlBlock) {
	if len(p.Sections) == 0 {
		p.section(message.Message{}, message.Message{})
	}
	p.last().Blocks = append(p.last().Blocks, b)
}

// above adds a block before the others of a section.
func (p *htmlPage) above(b htmlBlock) { p.last().Blocks = slices.Insert(p.last().Blocks, 0, b) }

func (p *htmlPage) section(title, note message.Message) {
	s := htmlSection{Title: title, Note: note}
	s.ID = cmp.Or(s.place(), fmt.Sprint("part-", len(p.Sections)))
	p.Sections = append(p.Sections, s)
	p.left += max(0, p.room)
	p.room = min(p.left, htmlSectionBytes)
	p.left -= p.room
}

// fold adds a part that is folded; write writes what is in it.
func (p *htmlPage) fold(f htmlFold, write func(in *htmlPage)) {
	in := &htmlPage{htmlStyle: p.htmlStyle, Sections: []htmlSection{{ID: f.ID, Title: f.Title}}, room: p.room}
	write(in)
	p.room, f.Blocks = in.room, in.Sections[0].Blocks
	p.add(htmlBlock{Fold: &f})
}

func (p *htmlPage) heading(m message.Message)    { p.add(htmlBlock{Heading: []message.Message{m}}) }
func (p *htmlPage) alert(m message.Message)      { p.sentence(m) }
func (p *htmlPage) strong(m message.Message)     { p.sentence(m) }
func (p *htmlPage) sentence(m message.Message)   { p.field("", m) }
func (p *htmlPage) foot(m message.Message)       { p.sentence(m) }
func (p *htmlPage) list(items []message.Message) { p.add(htmlBlock{Items: items}) }

func (p *htmlPage) field(label string, m message.Message) {
	if !m.IsZero() {
		p.add(htmlBlock{Label: label, Text: m})
	}
}

func (p *htmlPage) commands(list []string) {
	for i, c := range list {
		if p.room -= 2 * len(c); p.room < 0 {
			list = list[:i]
			break
		}
	}
	p.add(htmlBlock{Commands: list})
}

// namedColumns are the titles of columns that say what the rows of a table are about: the
// first of these that a table has is its first column.
var namedColumns = []string{"key", "group", "group or key", "expires", "file", "snapshot", "type"}

// htmlPaperColumns is the rank from which columns are dropped on paper, where room is short.
const htmlPaperColumns = 4

// typedWords are the titles of columns whose cells are short words that users type.
var typedWords = []string{"severity", "rule", "type", "encoding", "policy", "what if", "allocator"}

func (c column) class() (class string) {
	switch {
	case c.bar != nil:
		return "b"
	case c.Right:
		class = "n"
	case c.Shrink == text.ShrinkMiddle:
		class = "name"
	case c.Shrink == text.ShrinkEnd:
		class = "s"
	case slices.Contains(typedWords, c.Title):
		class = "w"
	}
	if c.Drop > htmlPaperColumns {
		class += " less"
	}
	return class
}

// htmlCell returns what a cell shows. A bar is in thousandths of its cell.
func (p *htmlPage) htmlCell(c column, i int) template.HTML {
	if c.bar != nil {
		s := c.bar(i)
		from, to := int(s.from*1000), int(s.to*1000)
		if to > from || s.to > s.from {
			to = max(to, from+4)
		}
		return template.HTML(fmt.Sprintf(`<svg class="bar" viewBox="0 0 1000 12" preserveAspectRatio="none" `+
			`aria-hidden="true"><rect class="%s" x="%d" width="%d" height="12"/></svg>`, s.class, from, to-from))
	}
	cell := p.cell(c.cell(i))
	if c.Title == "severity" {
		cell = `<span class="severity ` + cell + `">` + cell + `</span>`
	}
	return cell
}

// table adds a table without the columns that are empty. Its rows end where the room of the
// section does.
func (p *htmlPage) table(t table) {
	columns := slices.Clone(t.columns)
	for _, title := range namedColumns { // on a phone what is behind it may be off the screen
		if i := slices.IndexFunc(columns, func(c column) bool { return c.Title == title }); i >= 0 {
			c := columns[i]
			columns = slices.Insert(slices.Delete(columns, i, i+1), 0, c)
			break
		}
	}
	h := &htmlTable{}
	rows := make([]template.HTML, t.rows)
	for _, c := range columns {
		cells, filled := make([]template.HTML, t.rows), false
		for i := range cells {
			cells[i] = p.htmlCell(c, i)
			filled = filled || cells[i] != ""
		}
		if !filled {
			continue
		}
		start := template.HTML(`<td class="` + c.class() + `">`)
		if c.Shrink == text.ShrinkMiddle {
			start = template.HTML(`<td class="` + c.class() + `" dir="auto">`)
		}
		for i, cell := range cells {
			rows[i] += start + cell + `</td>`
		}
		h.Columns = append(h.Columns, htmlColumn{c.Title, c.class()})
	}
	for _, row := range rows {
		if p.room -= len(row); p.room < 0 {
			break
		}
		h.Rows = append(h.Rows, row)
	}
	p.add(htmlBlock{Table: h})
	s := p.last()
	h.Label, h.ID = s.Title, s.ID+"-table"
	if len(s.Blocks) > 1 {
		h.ID += fmt.Sprint(len(s.Blocks))
	}
}
