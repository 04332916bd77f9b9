package message_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// templateCalls are the functions and methods that take templates: the index of the
// first, how many, and the arguments that they add.
var templateCalls = map[string]struct {
	first, count int
	adds         []string
}{
	"message.New": {0, 1, nil}, "message.Errorf": {0, 1, nil}, "message.Plural": {1, 2, []string{"n"}}, "message.Number": {2, 2, []string{"n"}},
	"message.Word": {1, 1, nil}, "WithHint": {0, 1, nil},
	"x.found": {0, 1, []string{"measured", "limit"}}, "x.counted": {0, 2, []string{"measured", "limit"}},
	"x.advise": {2, 1, nil}, "x.change": {3, 1, nil}, "x.command": {0, 1, []string{"key"}}, "r.refuse": {2, 1, nil}, "r.refuseAt": {2, 1, nil}, "r.problem": {3, 1, nil},
}

var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9]*)\}`)

// TestTemplates checks all templates in the source: each {name} in one is that of an
// argument. Arguments that come from elsewhere, such as a list, may have any name; an
// argument of a call with a literal name has that.
func TestTemplates(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "packaging" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			found += checkTemplates(t, set, decl)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 300 {
		t.Errorf("only %d templates", found)
	}
}

// checkTemplates checks the templates of a declaration, and returns their number.
func checkTemplates(t *testing.T, set *token.FileSet, decl ast.Node) (found int) {
	variables := assignedTexts(decl)
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		c, ok := templateCalls[calledName(call)]
		if !ok || len(call.Args) < c.first+c.count {
			return true
		}
		given, open := givenNames(call, c.first+c.count)
		for _, name := range c.adds {
			given[name] = true
		}
		for _, arg := range call.Args[c.first : c.first+c.count] {
			for _, text := range texts(arg, variables) {
				found++
				for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
					if !given[m[1]] && !open {
						t.Errorf("%s: nothing replaces {%s} in %q", set.Position(arg.Pos()), m[1], text)
					}
				}
			}
		}
		return true
	})
	return found
}

// calledName returns package and function, receiver and method, or the method of any
// other expression.
func calledName(call *ast.CallExpr) string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := method.X.(*ast.Ident); ok {
		if name := x.Name + "." + method.Sel.Name; templateCalls[name].count > 0 {
			return name
		}
	}
	return method.Sel.Name
}

// givenNames returns the names of the arguments after the templates. open is true if
// others may be among them.
func givenNames(call *ast.CallExpr, from int) (given map[string]bool, open bool) {
	given, open = map[string]bool{}, call.Ellipsis.IsValid()
	for _, arg := range call.Args[from:] {
		made, ok := arg.(*ast.CallExpr)
		if !ok || len(made.Args) == 0 {
			open = true
			continue
		}
		if name := literal(made.Args[0]); name != "" {
			given[name] = true
		} else {
			open = true
		}
	}
	return given, open
}

// assignedTexts returns the texts that are assigned to each variable.
func assignedTexts(decl ast.Node) map[string][]string {
	variables := map[string][]string{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for i, to := range s.Lhs {
				if name, ok := to.(*ast.Ident); ok && len(s.Rhs) == len(s.Lhs) {
					variables[name.Name] = append(variables[name.Name], texts(s.Rhs[i], nil)...)
				}
			}
		}
		return true
	})
	return variables
}

// texts returns the texts that an expression may be.
func texts(e ast.Expr, variables map[string][]string) []string {
	if text := literal(e); text != "" {
		return []string{text}
	}
	switch e := e.(type) {
	case *ast.Ident:
		return variables[e.Name]
	case *ast.IndexExpr:
		return texts(e.X, variables)
	case *ast.CompositeLit:
		var list []string
		for _, element := range e.Elts {
			list = append(list, literal(element))
		}
		return list
	}
	return nil
}

// literal returns the value of a string literal or of literals that are added, ""
// for anything else.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if a, b := literal(e.X), literal(e.Y); a != "" && b != "" {
			return a + b
		}
	}
	return ""
}
