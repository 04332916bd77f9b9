package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// All mutants of functions are compiled at once, for to compile takes longer than most
// tests. Each is a copy of its function under another name, at the end of the file.
// The function itself begins with a switch that calls the copy that is to run.

// switchSource is added to each package that has mutants. The number stands in a file,
// not in the environment, which tests of the command replace.
const switchSource = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// mutantNo is the number of the mutant that runs, 0 for none. With -1 none runs, but
// the numbers of those that would have run are written to a file.
var mutantNo = func() int {
	text, _ := os.ReadFile(%q)
	n, _ := strconv.Atoi(string(text))
	return n
}()

var mutantReached [%d]atomic.Bool

func mutantReach(n int) {
	if mutantReached[n].Load() || mutantReached[n].Swap(true) {
		return
	}
	if f, err := os.OpenFile(%q, os.O_APPEND|os.O_WRONLY, 0); err == nil {
		fmt.Fprintln(f, n)
		f.Close()
	}
}
`

// A function is one that has mutants. Positions are bytes of its file.
type function struct {
	start, end         int
	nameStart, nameEnd int
	body               int    // behind the opening brace
	parameters         []edit // that give a name to each parameter that has none
	call               string // of a copy, %s is its name
}

// An edit replaces the bytes from start to end of a file.
type edit struct {
	start, end int
	text       string
}

// apply returns the bytes of source from start to end with edits in them.
func apply(source []byte, start, end int, edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	for _, e := range edits {
		out = append(append(out, source[start:e.start]...), e.text...)
		start = e.end
	}
	return append(out, source[start:end]...)
}

// functionOf returns what the copies of a function need.
func (f *finder) functionOf(d *ast.FuncDecl) *function {
	fn := &function{start: f.offset(d.Pos()), end: f.offset(d.End()), nameStart: f.offset(d.Name.Pos()), nameEnd: f.offset(d.Name.End()), body: f.offset(d.Body.Lbrace) + 1}
	named := 0
	// names returns the names of parameters.
	names := func(fields *ast.FieldList) (list []string) {
		for _, p := range fields.List {
			suffix := ""
			if _, ok := p.Type.(*ast.Ellipsis); ok {
				suffix = "..."
			}
			add := func(e edit) {
				named++
				name := fmt.Sprintf("mutant%d", named)
				e.text = name + e.text
				fn.parameters = append(fn.parameters, e)
				list = append(list, name+suffix)
			}
			if p.Names == nil {
				at := f.offset(p.Type.Pos())
				add(edit{at, at, " "})
			}
			for _, n := range p.Names {
				if n.Name == "_" {
					add(edit{start: f.offset(n.Pos()), end: f.offset(n.End())})
				} else {
					list = append(list, n.Name+suffix)
				}
			}
		}
		return list
	}
	call := "%s"
	if d.Recv != nil {
		call = names(d.Recv)[0] + ".%s"
	}
	if d.Type.TypeParams != nil {
		call += "[" + strings.Join(names(d.Type.TypeParams), ", ") + "]"
	}
	call += "(" + strings.Join(names(d.Type.Params), ", ") + ")"
	if fn.call = call + "; return"; d.Type.Results != nil {
		fn.call = "return " + call
	}
	return fn
}

// A copied is the lines of a file that are the copy of a mutant.
type copied struct {
	file        string
	first, last int
	number      int
}

// withCopies returns a file with the copies of its mutants, and which lines they are.
func withCopies(source []byte, mutants []*mutant) ([]byte, []copied) {
	var edits []edit
	var copies bytes.Buffer
	var lines []copied
	cases, reaches := map[*function]string{}, map[*function]string{}
	line := bytes.Count(source, []byte("\n")) + 1
	for _, m := range mutants {
		fn := m.in
		name := fmt.Sprintf("%s__%d", m.function, m.number)
		text := apply(source, fn.start, fn.end, edit{fn.nameStart, fn.nameEnd, name}, edit{m.start, m.end, m.text})
		first := line + 1
		line += bytes.Count(text, []byte("\n")) + 1
		lines = append(lines, copied{m.file, first, line, m.number})
		fmt.Fprintf(&copies, "\n%s", text)
		if cases[fn] == "" {
			edits = append(edits, fn.parameters...)
		}
		cases[fn] += fmt.Sprintf("case %d: "+fn.call+"; ", m.number, name)
		reaches[fn] += fmt.Sprintf("mutantReach(%d); ", m.number)
	}
	for fn, text := range cases {
		edits = append(edits, edit{fn.body, fn.body, "if mutantNo != 0 { switch mutantNo { " + text + "case -1: " + reaches[fn] + "} }; "})
	}
	return append(apply(source, 0, len(source), edits...), copies.Bytes()...), lines
}
