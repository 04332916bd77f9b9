package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A phrase is a line of testdata/language/phrases.txt.
type phrase struct {
	pattern *regexp.Regexp
	better  string
}

// TestLanguage looks for the phrases of testdata/language/phrases.txt in
// comments, string literals, Markdown and YAML files, and for its names in
// identifiers.
func TestLanguage(t *testing.T) {
	const root = "../.."
	phrases, names := readPhrases(t, filepath.Join(root, "testdata/language/phrases.txt"))
	if len(phrases) < 20 || len(names) < 5 {
		t.Fatalf("only %d phrases and %d names", len(phrases), len(names))
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
				return fs.SkipDir
			}
			return err
		}
		check := func(line int, text string, phrases []phrase) {
			text = strings.Join(strings.Fields(text), " ")
			for _, p := range phrases {
				if found := p.pattern.FindString(text); found != "" {
					t.Errorf("%s:%d: %q: write %s", strings.TrimPrefix(filepath.ToSlash(path), root+"/"), line, found, p.better)
				}
			}
		}
		switch filepath.Ext(path) {
		case ".go":
			files++
			return eachText(path, func(line int, text string, name bool) {
				list := phrases
				if name {
					list = names
				}
				check(line, text, list)
			})
		case ".md", ".yaml":
			files++
			return eachParagraph(path, func(line int, text string) {
				check(line, text, phrases)
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files found", files)
	}
}

// readPhrases reads the phrases and names of a file.
func readPhrases(t *testing.T, path string) (phrases, names []phrase) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := &phrases
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case line == "[names]":
			list = &names
			continue
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		}
		pattern, better, ok := strings.Cut(line, " => ")
		if !ok {
			t.Errorf("%s:%d: no better wording", path, i+1)
			continue
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			t.Errorf("%s:%d: %v", path, i+1, err)
			continue
		}
		*list = append(*list, phrase{re, better})
	}
	return phrases, names
}

// eachText calls f for each comment, string literal and declared name of a Go
// file.
func eachText(path string, f func(line int, text string, name bool)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	line := func(n ast.Node) int { return set.Position(n.Pos()).Line }
	for _, group := range file.Comments {
		f(line(group), group.Text(), false)
	}
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				if text, err := strconv.Unquote(n.Value); err == nil {
					f(line(n), text, false)
				}
			}
		case *ast.Ident:
			if !seen[n.Name] {
				seen[n.Name] = true
				f(line(n), n.Name, true)
			}
		}
		return true
	})
	return nil
}

// eachParagraph calls f for each paragraph of a text file.
func eachParagraph(path string, f func(line int, text string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	var text strings.Builder
	start := 1
	for line := 1; in.Scan(); line++ {
		if strings.TrimSpace(in.Text()) == "" {
			f(start, text.String())
			text.Reset()
			start = line + 1
			continue
		}
		text.WriteString(in.Text() + "\n")
	}
	f(start, text.String())
	return in.Err()
}
