package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// otherOperator has the operator that replaces each one.
var otherOperator = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.LAND: "||", token.LOR: "&&",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<",
}

// matchesPlatform reports whether a file is built on this machine.
func matchesPlatform(path string) (bool, error) {
	return build.Default.MatchFile(filepath.Split(path))
}

// mutantsIn returns the mutants of a file.
func mutantsIn(path string) ([]mutant, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &finder{set: set, source: source, path: path, pkg: file.Name.Name}
	for _, d := range file.Decls {
		f.function, f.in = "", nil
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.function, f.in = fn.Name.Name, f.functionOf(fn)
		}
		ast.Inspect(d, f.visit)
	}
	return f.list, nil
}

// finder collects the mutants of a file.
type finder struct {
	set      *token.FileSet
	source   []byte
	path     string
	pkg      string
	function string
	in       *function
	list     []mutant
}

func (f *finder) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(f.source[f.offset(n.Pos()):f.offset(n.End())])), " ")
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

// add adds a mutant that replaces the source between two positions. The
// description shows the node around it.
func (f *finder) add(from, to token.Pos, text string, around ast.Node, what string) {
	shown := f.text(around)
	if len(shown) > 80 {
		shown = shown[:80] + "..."
	}
	m := mutant{file: f.path, start: f.offset(from), end: f.offset(to), text: text, line: f.set.Position(from).Line, pkg: f.pkg, function: f.function, in: f.in, what: shown + ": " + what}
	for i := range f.list { // the same text twice in one function
		if f.list[i].id() == m.id() {
			m.what += "'"
		}
	}
	f.list = append(f.list, m)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.ArrayType:
		ast.Inspect(n.Elt, f.visit) // the length of an array is a matter of types
		return false
	case *ast.CallExpr:
		if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "make" { // a capacity changes no behaviour
			for _, arg := range n.Args[:min(len(n.Args), 2)] {
				ast.Inspect(arg, f.visit)
			}
			return false
		}
		if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "panic" {
			return false
		}
	case *ast.BinaryExpr:
		if other, ok := otherOperator[n.Op]; ok {
			f.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other, n, other+" for "+n.Op.String())
		}
	case *ast.IfStmt:
		f.add(n.Cond.Pos(), n.Cond.End(), "!("+string(f.source[f.offset(n.Cond.Pos()):f.offset(n.Cond.End())])+")", n.Cond, "negated")
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 0, 62); n.Kind == token.INT && err == nil {
			f.add(n.Pos(), n.End(), strconv.FormatInt(v+1, 10), n, "one more")
		}
	case *ast.BlockStmt:
		f.removals(n.List)
	case *ast.CaseClause:
		f.removals(n.Body)
	}
	return true
}

// removals adds mutants without a statement.
func (f *finder) removals(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "panic" {
					continue
				}
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		f.add(s.Pos(), s.End(), "{}", s, "removed")
	}
}
