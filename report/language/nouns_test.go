package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestNouns checks what the sources fill in for the {names} of sentences where it is a
// number with its noun ("2 keys", see units.FormatCountOf): the noun has a translation,
// and the name is neither one of somebody else's text, which stays in English, nor one
// that stands for figures only, for which the sentence would not be recognized.
func TestNouns(t *testing.T) {
	nouns, names := 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && path != "../.."):
			if err == nil {
				err = fs.SkipDir
			}
			return err
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			counted := map[string][]string{} // variables of the function that have counts
			ast.Inspect(decl, func(n ast.Node) bool {
				var list []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, to := range n.Lhs {
						if ident, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
							counted[ident.Name] = append(counted[ident.Name], countsIn(n.Rhs[i], counted)...)
						}
					}
				case *ast.CallExpr:
					if _, ok := n.Fun.(*ast.FuncLit); ok {
						return true
					}
					list = n.Args
					for _, s := range ownCounts(n) {
						nouns++
						if _, ok := Chinese.Translate(s); !ok && !begins(s) {
							testtool.Untranslated(t, set.Position(n.Pos()).String(), s)
						}
					}
				case *ast.CompositeLit:
					list = n.Elts
				}
				for i := 1; i < len(list); i++ {
					name, ok := literal(list[i-1])
					if !ok || !fieldName.MatchString(name) {
						continue
					}
					for _, s := range countsIn(list[i], counted) {
						names++
						if slices.Contains(verbatim, name) || !fits(name, s) {
							t.Errorf("%s: {%s} cannot stand for %q", set.Position(list[i].Pos()), name, s)
						}
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if nouns < 50 || names < 50 {
		t.Errorf("only %d nouns and %d names found", nouns, names)
	}
}

// begins reports whether a sentence of the catalogue begins with a number and its noun.
func begins(s string) bool {
	start := `"` + strings.Replace(s, "2 ", "{n} ", 1) + " "
	return strings.Contains(string(zh), "\n"+start)
}

var fieldName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// ownCounts returns texts that a call makes, if it makes a number with its noun.
func ownCounts(call *ast.CallExpr) (list []string) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	switch {
	case name == "FormatExactBytes":
		return []string{"1 byte", "2 bytes"}
	case name == "FormatCountOf" && len(call.Args) == 3:
		for i, number := range []string{"1 ", "2 "} {
			if noun, ok := literal(call.Args[i+1]); ok {
				list = append(list, number+noun)
			}
		}
	}
	return list
}

// fillsIn reports whether a call fills in a sentence of its own: after the first argument
// there are names.
func fillsIn(call *ast.CallExpr) bool {
	for _, arg := range call.Args[min(1, len(call.Args)):] {
		if name, ok := literal(arg); ok && fieldName.MatchString(name) {
			return true
		}
	}
	return false
}

// countsIn returns the numbers with their nouns that are in an expression. counted has
// those of variables.
func countsIn(e ast.Expr, counted map[string][]string) (list []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			own := ownCounts(n)
			list = append(list, own...)
			return own == nil && !fillsIn(n)
		case *ast.Ident:
			list = append(list, counted[n.Name]...)
		}
		return true
	})
	return list
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
