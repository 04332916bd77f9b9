package report

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
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
		"t":     func(v any) template.HTML { return s.html(of(v)) },
		"own":   func(v any) string { return s.own.line(of(v)) },
		"other": func(v any) string { return s.another.line(of(v)) },
	}
}

func (s *htmlStyle) html(m message.Message) template.HTML {
	return both(s.languages[0].sentence(m), s.languages[1].sentence(m))
}

func (s *htmlStyle) cell(m message.Message) template.HTML {
	return both(s.languages[0].cell(m), s.languages[1].cell(m))
}

func both(english, chinese string) template.HTML {
	if english == chinese {
		return template.HTML(english)
	}
	return template.HTML(`<span class="en" lang="en">` + english + `</span><span class="zh" lang="zh">` + chinese + `</span>`)
}

// htmlPage gathers the parts of a report for the template.
type htmlPage struct {
	*htmlStyle
	sections []htmlSection
	budget   *int // bytes of text that are left
}

type htmlSection struct {
	ID          string // "" is not in the contents
	Title, Note message.Message
	Blocks      []htmlBlock
}

// htmlBlock is a part of a section: the first of its fields that is not empty.
type htmlBlock struct {
	Table    *htmlTable
	Chart    *htmlChart
	Steps    []htmlStep // of a waterfall
	Heading  []message.Message
	Items    []message.Message
	Commands []string
	Label    string
	Text     message.Message
}

type htmlTable struct {
	ID       string
	Label    message.Message // "" is an empty ID
	Sortable bool
	Columns  []*htmlColumn
	Rows     [][]template.HTML
}

type htmlColumn struct {
	Title                                 string
	Right, Name, Sentence, Word, Severity bool
	Less                                  bool // not on paper
	Line                                  bool // cells are paths of an SVG
}

// Class returns the classes of the cells of a column.
func (c *htmlColumn) Class() string {
	var list []string
	for _, f := range []struct {
		is   bool
		name string
	}{{c.Right, "n"}, {c.Name, "name"}, {c.Sentence, "s"}, {c.Word, "w"}, {c.Less, "less"}} {
		if f.is {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, " ")
}

func (p *htmlPage) add(b htmlBlock) {
	if len(p.sections) == 0 {
		p.section(message.Message{}, message.Message{})
	}
	s := &p.sections[len(p.sections)-1]
	s.Blocks = append(s.Blocks, b)
}

func (p *htmlPage) section(title, note message.Message) {
	s := htmlSection{Title: title, Note: note}
	if len(title.Args) == 0 && title.ID != "" {
		s.ID = "part-" + strings.ReplaceAll(strings.ToLower(title.ID), " ", "-")
	}
	p.sections = append(p.sections, s)
}

func (p *htmlPage) heading(m message.Message)             { p.add(htmlBlock{Heading: []message.Message{m}}) }
func (p *htmlPage) alert(m message.Message)               { p.add(htmlBlock{Text: m}) }
func (p *htmlPage) strong(m message.Message)              { p.sentence(m) }
func (p *htmlPage) sentence(m message.Message)            { p.add(htmlBlock{Text: m}) }
func (p *htmlPage) foot(m message.Message)                { p.sentence(m) }
func (p *htmlPage) field(label string, m message.Message) { p.add(htmlBlock{Label: label, Text: m}) }
func (p *htmlPage) list(items []message.Message)          { p.add(htmlBlock{Items: items}) }
func (p *htmlPage) commands(list []string)                { p.add(htmlBlock{Commands: list}) }

func (p *htmlPage) table(t table) {
	h := p.newTable(t, p.budget)
	h.Sortable = len(h.Rows) > 1
	p.add(htmlBlock{Table: h})
}

// named reports whether a column says what the rows of a table are about.
func (c column) named() bool {
	return c.Shrink == text.ShrinkMiddle && slices.Contains([]string{"key", "group", "node", "file"}, c.Title)
}

// htmlPaperColumns is the rank from which columns are dropped on paper, where room is short.
const htmlPaperColumns = 4

// typedWords are the titles of columns whose cells are short words that users type.
var typedWords = []string{"severity", "rule", "type", "encoding", "policy", "what if", "allocator"}

// newTable returns a table without the columns that are empty. Rows end where the budget
// does.
func (s *htmlStyle) newTable(t table, budget *int) *htmlTable {
	h := &htmlTable{}
	rows := make([][]template.HTML, t.rows)
	columns := slices.Clone(t.columns)
	if i := slices.IndexFunc(columns, column.named); i > 0 { // on a phone what is behind it may be off the screen
		c := columns[i]
		columns = slices.Insert(slices.Delete(columns, i, i+1), 0, c)
	}
	for _, c := range columns {
		filled := false
		cells := make([]template.HTML, t.rows)
		for i := range cells {
			cells[i] = s.cell(c.cell(i))
			filled = filled || cells[i] != ""
		}
		if !filled {
			continue
		}
		for i, cell := range cells {
			rows[i] = append(rows[i], cell)
		}
		h.Columns = append(h.Columns, &htmlColumn{Title: c.Title, Right: c.Right, Name: c.Shrink == text.ShrinkMiddle, Sentence: c.Shrink == text.ShrinkEnd,
			Word: slices.Contains(typedWords, c.Title), Severity: c.Title == "severity", Less: c.Drop > htmlPaperColumns})
	}
	for _, row := range rows {
		for _, cell := range row {
			*budget -= len(cell) + len("<td class=n></td>")
		}
		if *budget < 0 {
			break
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}
