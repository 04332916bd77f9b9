package thresholds

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a configuration: no team's needs more, and a reader without bounds
// could be made to run out of stack.
const (
	maxConfigBytes = 256 << 10
	maxConfigDepth = 64
	maxProblems    = 20 // that are reported of one file
)

// ConfigError is what is wrong with one place of a configuration.
type ConfigError struct {
	Path    string
	Line    int // from 1, 0 unknown
	Column  int // in characters, from 1
	Problem string
	Advice  string // what to write instead, "" if nothing comes to mind
	Excerpt string // the line and its neighbours, marked; control characters replaced
}

// Error gives place and problem in one line.
func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Problem)
}

// Hint says what to write instead.
func (e *ConfigError) Hint() string { return e.Advice }

// ConfigErrors are what is wrong with a configuration, in the order of its
// lines: at least one, and no more than the first 20.
type ConfigErrors []*ConfigError

// Error gives one line a problem.
func (e ConfigErrors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// Hint gives the first problem's lines and what to write instead.
func (e ConfigErrors) Hint() string {
	if e[0].Advice == "" {
		return e[0].Excerpt
	}
	return strings.TrimSuffix(e[0].Advice+"\n"+e[0].Excerpt, "\n")
}

// yamlFile is a configuration that is being read.
type yamlFile struct {
	path string
	text []byte
	kind OriginKind
	errs ConfigErrors
}

// parse gives the mapping that is the whole file, nil where the file is empty
// or no YAML: then errs say why.
func (y *yamlFile) parse() *ast.MappingNode {
	if len(y.text) > maxConfigBytes {
		y.errs = append(y.errs, &ConfigError{Path: y.path, Problem: "larger than 256 KB"})
		return nil
	}
	if !utf8.Valid(y.text) {
		y.errs = append(y.errs, &ConfigError{Path: y.path, Problem: "not UTF-8 text"})
		return nil
	}
	if line := tooDeep(y.text); line > 0 {
		y.problem(line, 1, "", "nested deeper than %d levels", maxConfigDepth)
		return nil
	}
	file, err := parseYAML(y.text)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			advice, message := "", at.GetMessage()
			if strings.Contains(message, "\t") {
				advice, message = "indent with spaces: YAML takes no tabs", strings.ReplaceAll(message, "\t", `\t`)
			}
			y.at(at.GetToken(), advice, "%s", message)
		} else {
			y.errs = append(y.errs, &ConfigError{Path: y.path, Problem: printable(err.Error())})
		}
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.DirectiveNode); ok {
			continue
		}
		if body != nil {
			y.at(doc.Body.GetToken(), "", "more than one document")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		return nil
	}
	return y.mapping(body, "the configuration")
}

// parseYAML turns what the YAML library cannot deal with into an error.
func parseYAML(text []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("not YAML that can be read")
		}
	}()
	return yamlparser.ParseBytes(text, 0)
}

// tooDeep gives the first line that nests deeper than a configuration may, 0
// if none does.
func tooDeep(text []byte) int {
	depth := 0
	for i, line := range bytes.Split(text, []byte("\n")) {
		marks := 0
		for _, c := range line {
			if c != '-' && c != '?' && c != ' ' {
				break
			}
			if c != ' ' {
				marks++
			}
		}
		depth += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		depth = max(0, depth-bytes.Count(line, []byte("]"))-bytes.Count(line, []byte("}")))
		if marks > maxConfigDepth || depth > maxConfigDepth {
			return i + 1
		}
	}
	return 0
}

func (y *yamlFile) at(t *token.Token, advice, format string, args ...any) {
	line, column := 0, 0
	if t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	y.problem(line, column, advice, format, args...)
}

func (y *yamlFile) problem(line, column int, advice, format string, args ...any) {
	if len(y.errs) >= maxProblems {
		return
	}
	y.errs = append(y.errs, &ConfigError{Path: y.path, Line: line, Column: column, Advice: advice,
		Problem: printable(fmt.Sprintf(format, args...)), Excerpt: excerpt(y.text, line, column)})
}

// excerpt shows a line with the one before it, and marks a column.
func excerpt(text []byte, line, column int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, line-1); n <= line; n++ {
		mark := ' '
		if n == line {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c %4d | %s\n", mark, n, cut(printable(strings.ReplaceAll(lines[n-1], "\t", " ")), 120))
	}
	if column <= 120 {
		b.WriteString(strings.Repeat(" ", 9+max(0, column-1)) + "^")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printable replaces what could steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff) {
			return '\ufffd'
		}
		return r
	}, strings.TrimSuffix(s, "\r"))
}

// cut shortens a text to a number of characters.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// origin gives the place of a node's value.
func (y *yamlFile) origin(n ast.Node) Origin {
	o := Origin{Kind: y.kind, Name: y.path}
	if t := n.GetToken(); t != nil && t.Position != nil {
		o.Line = t.Position.Line
	}
	return o
}

// plain takes tags and anchors off a node.
func plain(n ast.Node) ast.Node {
	for {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
	}
}

func (y *yamlFile) mapping(n ast.Node, what string) *ast.MappingNode {
	switch x := plain(n).(type) {
	case *ast.MappingNode:
		return x
	case *ast.MappingValueNode:
		return &ast.MappingNode{BaseNode: &ast.BaseNode{}, Start: x.Start, Values: []*ast.MappingValueNode{x}}
	case *ast.NullNode:
		return &ast.MappingNode{BaseNode: &ast.BaseNode{}, Start: x.Token}
	}
	y.at(n.GetToken(), "", "%s must be a mapping of names to values", what)
	return nil
}

// list gives the entries of a sequence; a single scalar is a list of one.
func (y *yamlFile) list(n ast.Node) []ast.Node {
	switch x := plain(n).(type) {
	case *ast.SequenceNode:
		return x.Values
	case *ast.NullNode:
		return nil
	}
	return []ast.Node{n}
}

// scalar gives a node's text. Aliases are not followed: a configuration has no
// need of them.
func (y *yamlFile) scalar(n ast.Node, what string) (string, bool) {
	switch x := plain(n).(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return x.GetToken().Value, true
	}
	y.at(n.GetToken(), "", "%s must be a single value", what)
	return "", false
}

// flag gives a node's truth value.
func (y *yamlFile) flag(n ast.Node, what string) (value, ok bool) {
	text, ok := y.scalar(n, what)
	if !ok {
		return false, false
	}
	if value, ok = switched(text); !ok {
		y.at(n.GetToken(), "write true or false", "%s must be true or false, not %q", what, text)
	}
	return value, ok
}

// The words for on and off, in capitals or not.
var (
	wordsOn  = []string{"on", "true", "yes"}
	wordsOff = []string{"off", "false", "no"}
)

// switched reads a word for on or off.
func switched(text string) (on, ok bool) {
	word := strings.ToLower(text)
	on = contains(wordsOn, word)
	return on, on || contains(wordsOff, word)
}

// isOff reports whether a text is a word for off.
func isOff(text string) bool {
	on, ok := switched(text)
	return ok && !on
}

// quantity gives the text of a number in some unit: 0x10 and 10.0 are 16 and 10.
func (y *yamlFile) quantity(n ast.Node, what string) (string, bool) {
	text, ok := y.scalar(n, what)
	switch x := plain(n).(type) {
	case *ast.IntegerNode:
		if strings.Trim(text, "0123456789") != "" {
			text = fmt.Sprint(x.Value)
		}
	case *ast.FloatNode:
		text = strconv.FormatFloat(x.Value, 'f', -1, 64)
	}
	return text, ok
}

// fields calls a function for each entry of a mapping, and reports names that
// are not among those known. With known nil every name is taken.
func (y *yamlFile) fields(m *ast.MappingNode, where string, known []string, do func(name string, key, value ast.Node)) {
	for _, v := range m.Values {
		name, ok := y.scalar(v.Key, "a name")
		if !ok {
			continue
		}
		if known != nil && !contains(known, name) {
			y.at(v.Key.GetToken(), Propose(name, known), "unknown field %q in %s", name, where)
			continue
		}
		do(name, v.Key, v.Value)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// Propose gives a hint with the known word that is nearest to a wrong one, or
// with all of them where none is near and they are few.
func Propose(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(known) <= 12:
		return "known: " + strings.Join(known, ", ")
	}
	return ""
}

// distance is the number of bytes to put in, take out or change to make one
// word of the other (Levenshtein).
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var row [65]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, change)
		}
	}
	return row[len(b)]
}
