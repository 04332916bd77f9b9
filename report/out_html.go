package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"sync"
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
	a.page = template.Must(template.New("page").Funcs(newHTMLStyle(WriteOptions{}).functions()).Parse(htmlFile("page.tmpl")))
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
	return page.Funcs(v.functions()).Execute(w, v)
}
