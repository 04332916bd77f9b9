package thresholds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sentenceCalls are the methods of explainer that fill in sentences, and the index
// of the first argument that is one. The name/word pairs follow the last sentence.
var sentenceCalls = map[string]int{"fill": 0, "found": 0, "counted": 0, "advise": 2}

// TestSentences checks all sentences in the source: each is a literal, so that it
// can be looked up in a translation, and the call fills in every {name} in it and
// no other.
func TestSentences(t *testing.T) {
	placeholder := regexp.MustCompile(`\{([a-z0-9]+)\}`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	sentences := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") || file.Name() == "explain.go" {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			first, ok := sentenceCalls[method.Sel.Name]
			if receiver, isName := method.X.(*ast.Ident); !ok || !isName || receiver.Name != "x" || len(call.Args) <= first {
				return true
			}
			count := 1
			if method.Sel.Name == "counted" {
				count = 2
			}
			given := map[string]bool{}
			for i := first + count; i+1 < len(call.Args); i += 2 {
				given[constant(call.Args[i])] = false
			}
			if method.Sel.Name == "found" || method.Sel.Name == "counted" {
				given["measured"], given["limit"] = true, true
			}
			for _, arg := range call.Args[first : first+count] {
				at := set.Position(arg.Pos())
				text := constant(arg)
				if text == "" {
					if name, ok := arg.(*ast.Ident); !ok || !slices.Contains([]string{"renameSentence", "sentence"}, name.Name) {
						t.Errorf("%s: a sentence that is no literal", at)
					}
					return true
				}
				sentences++
				for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
					if _, ok := given[m[1]]; !ok {
						t.Errorf("%s: nothing replaces {%s}", at, m[1])
					}
					given[m[1]] = true
				}
				if strings.ContainsAny(placeholder.ReplaceAllString(text, ""), "{}") {
					t.Errorf("%s: %s", at, text)
				}
			}
			for name, used := range given {
				if !used {
					t.Errorf("%s: no {%s} in the sentence", set.Position(call.Pos()), name)
				}
			}
			return true
		})
	}
	if sentences < 100 {
		t.Errorf("only %d sentences", sentences)
	}
}

// constant returns the value of a string literal or of literals that are added, ""
// for anything else.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil {
			return text
		}
	case *ast.BinaryExpr:
		if a, b := constant(e.X), constant(e.Y); a != "" && b != "" {
			return a + b
		}
	}
	return ""
}
