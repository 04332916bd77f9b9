package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/report/text"
)

// One page for a browser that needs nothing but itself: style, scripts and data
// are in it, and its policy allows no request. Names are escaped for display first
// and by html/template then, so that they are text wherever they stand.
//
// d3-hierarchy lays out the map of the groups. Its file is that of the package in
// the npm registry.
//
//go:generate sh html/fetch.sh

func init() {
	register(&Format{Name: "html", Doc: "a page for browsers, in one file", Extension: ".html", rank: 4, write: writeHTML})
}

//go:embed html/page.tmpl html/page.css html/page.js html/d3-hierarchy.min.js
var htmlFiles embed.FS

func htmlFile(name string) string {
	b, err := htmlFiles.ReadFile("html/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

// htmlAssets are the parts of the page that are the same in every report.
var htmlAssets = sync.OnceValue(func() (a struct {
	css    template.CSS
	script template.JS
	policy string
	page   *template.Template
}) {
	css, script := htmlFile("page.css"), htmlFile("d3-hierarchy.min.js")+"\n"+htmlFile("page.js")
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	a.css, a.script = template.CSS(css), template.JS(script)
	a.policy = "default-src 'none'; img-src data:; style-src " + hash(css) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
	a.page = template.Must(template.New("page").Funcs(template.FuncMap{"t": translator(language.English)}).Parse(htmlFile("page.tmpl")))
	return a
})

func writeHTML(w *bufio.Writer, r *Report, o WriteOptions) error {
	return newHTMLView(r, o).write(w, o)
}

// write writes the page.
func (v *htmlView) write(w *bufio.Writer, o WriteOptions) error {
	a := htmlAssets()
	v.CSS, v.Script, v.Policy = a.css, a.script, a.policy
	page, err := a.page.Clone()
	if err != nil {
		return err
	}
	return page.Funcs(template.FuncMap{"t": v.translate}).Execute(w, v)
}

// htmlPage gathers the parts of a report for the template.
type htmlPage struct {
	sections  []htmlSection
	budget    *int // bytes of text that are left
	translate func(string) string
}

type htmlSection struct {
	Title, Note string
	Blocks      []htmlBlock
}

// htmlBlock is a part of a section: the first of its fields that is not empty.
type htmlBlock struct {
	Table       *htmlTable
	Chart       *htmlChart
	Heading     string
	Items       []string
	Commands    []string
	Label, Text string
}

type htmlTable struct {
	ID       string
	Label    string
	Sortable bool
	Columns  []htmlColumn
	Rows     [][]string
}

type htmlColumn struct {
	Title                                 string
	Right, Name, Sentence, Word, Severity bool
	Line                                  bool // cells are paths of an SVG
}

func (p *htmlPage) add(b htmlBlock) {
	if len(p.sections) == 0 {
		p.section("", "")
	}
	s := &p.sections[len(p.sections)-1]
	s.Blocks = append(s.Blocks, b)
}

func (p *htmlPage) section(title, note string) {
	p.sections = append(p.sections, htmlSection{Title: title, Note: note})
}

func (p *htmlPage) heading(s string)       { p.add(htmlBlock{Heading: s}) }
func (p *htmlPage) alert(s string)         { p.add(htmlBlock{Text: s}) }
func (p *htmlPage) sentence(s string)      { p.add(htmlBlock{Text: plainSpaces(s)}) }
func (p *htmlPage) foot(s string)          { p.sentence(s) }
func (p *htmlPage) field(label, s string)  { p.add(htmlBlock{Label: label, Text: plainSpaces(s)}) }
func (p *htmlPage) list(items []string)    { p.add(htmlBlock{Items: items}) }
func (p *htmlPage) commands(list []string) { p.add(htmlBlock{Commands: list}) }

func (p *htmlPage) table(t table) {
	h := newHTMLTable(t, p.translate, p.budget)
	h.Sortable = len(h.Rows) > 1
	p.add(htmlBlock{Table: h})
}

// newHTMLTable returns a table without the columns that are empty. Rows end where
// the budget does.
func newHTMLTable(t table, translate func(string) string, budget *int) *htmlTable {
	h := &htmlTable{}
	whole := t.translated(translate)
	grid := whole.grid()
	used := make([]bool, len(t.columns))
	for _, row := range grid.Rows {
		for i, cell := range row {
			used[i] = used[i] || cell != ""
		}
	}
	for i, c := range grid.Columns {
		if used[i] {
			h.Columns = append(h.Columns, htmlColumn{Title: c.Title, Right: c.Right, Name: c.Shrink == text.ShrinkMiddle, Sentence: c.Shrink == text.ShrinkEnd,
				Word: slices.Contains(typedWords, t.columns[i].Title), Severity: t.columns[i].Title == "severity"})
		}
	}
	for _, row := range grid.Rows {
		var cells []string
		for i, cell := range row {
			if used[i] {
				cells = append(cells, cell)
				*budget -= len(template.HTMLEscapeString(cell)) + len("<td class=n></td>")
			}
		}
		if *budget < 0 {
			break
		}
		h.Rows = append(h.Rows, cells)
	}
	return h
}

func plainSpaces(s string) string { return strings.ReplaceAll(s, text.NBSP, " ") }
