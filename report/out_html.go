package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser/message"
)

// One page for a browser that needs nothing but itself: style, scripts and data
// are in it, and its policy allows no request. Names are escaped for display first
// and by html/template then, so that they are text wherever they stand.

func init() {
	register(&Format{Name: "html", Doc: "a page for browsers, in one file", Extension: ".html", rank: 4,
		write: func(w *bufio.Writer, r *Report, o WriteOptions) error { return newHTMLView(r, o).write(w) }})
}

//go:embed html/page.tmpl html/page.css html/*.js
var htmlFiles embed.FS

var htmlScripts = []string{"page.js", "tables.js", "map.js", "pane.js", "charts.js", "start.js"}

func htmlFile(name string) string {
	b, err := htmlFiles.ReadFile("html/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

type htmlParts struct {
	css    template.CSS
	script template.JS
	texts  []string // English texts of the script
	policy string
	page   *template.Template
}

// htmlAssets are the parts of the page that are the same in every report.
var htmlAssets = sync.OnceValue(func() (a htmlParts) {
	css, script := htmlFile("page.css"), ""
	for _, name := range htmlScripts {
		script += htmlFile(name) + "\n"
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	a.css, a.script = template.CSS(css), template.JS(script)
	for _, m := range scriptText.FindAllStringSubmatch(script, -1) {
		a.texts = append(a.texts, m[1])
	}
	a.policy = strings.Join([]string{"default-src 'none'", "img-src data:", "style-src " + hash(css),
		"script-src " + hash(script), "base-uri 'none'", "form-action 'none'"}, "; ")
	a.page = template.Must(template.New("page").Funcs(newHTMLStyle(WriteOptions{}).functions()).Parse(htmlFile("page.tmpl")))
	return a
})

// scriptText matches a text of the script: say("without TTL").
var scriptText = regexp.MustCompile(`\bsay\("([^"]+)"`)

func (v *htmlView) write(w *bufio.Writer) error {
	a := htmlAssets()
	v.CSS, v.Script, v.Policy = a.css, a.script, a.policy
	v.Data.Chinese = map[string]string{}
	for _, id := range a.texts {
		v.Data.Chinese[id] = v.chinese.line(message.New(id, message.Text("n", "{n}")))
	}
	page, err := a.page.Clone()
	if err != nil {
		return err
	}
	return page.Funcs(v.functions()).Execute(w, v)
}
