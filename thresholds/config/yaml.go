package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// Bounds of a configuration. They are far above what a team needs, and keep a
// hostile file from exhausting memory or stack.
const (
	MaxBytes    = 256 << 10
	maxBaseline = 4 << 20 // bytes
	maxDepth    = 64
	maxProblems = 20    // reported for one file
	maxEntries  = 10000 // of each list
	// maxNames bounds each mapping. To parse one, the YAML library takes time in
	// proportion to the square of its names.
	maxNames = 2000
)

// Error is a problem at one place of a configuration.
type Error struct {
	Path    string
	Line    int // from 1, 0 if unknown
	Column  int // in characters, from 1
	Problem message.Message
	Hint    message.Message // what to write instead, zero if unknown
	Excerpt string          // the line and the one before, with a mark; control characters are replaced
}

func (e *Error) Error() string { return e.AsMessage().String() }

// AsMessage returns place and problem.
func (e *Error) AsMessage() message.Message {
	path, problem := message.Path("file", e.Path), message.Phrase("problem", e.Problem)
	if e.Line == 0 {
		return message.New("{file}: {problem}", path, problem)
	}
	return message.New("{file}:{line}:{column}: {problem}", path,
		message.Figure("line", int64(e.Line), message.FormNumber),
		message.Figure("column", int64(e.Column), message.FormNumber), problem)
}

// Errors are the problems of a configuration, in the order of its lines: at least
// one, and only the first 20.
type Errors []*Error

// Error returns one line for each problem.
func (e Errors) Error() string {
	return e.AsMessage().String()
}

// AsMessage returns one line for each problem.
func (e Errors) AsMessage() message.Message {
	lines := make([]message.Message, len(e))
	for i, x := range e {
		lines[i] = x.AsMessage()
	}
	return message.New("{problems}", message.List("problems", "\n", lines))
}

type reader struct {
	path  string
	text  []byte
	limit int // of the bytes
	kind  thresholds.OriginKind
	errs  Errors
}

// parse returns the value of the whole file, nil if the file is empty or not valid
// YAML; then errs has the reason.
func (r *reader) parse() ast.Node {
	switch {
	case len(r.text) > r.limit:
		r.problem(0, 0, noHint, "larger than {limit}", message.Size("limit", int64(r.limit)))
		return nil
	case !utf8.Valid(r.text):
		r.problem(0, 0, noHint, "not UTF-8 text")
		return nil
	}
	tokens := lexer.Tokenize(string(r.text))
	if at, problem := tooLarge(tokens); at != nil {
		r.refuseAt(at, noHint, problem.ID, problem.Args...)
		return nil
	}
	file, err := parseYAML(tokens)
	if err != nil {
		var at yaml.Error
		if !errors.As(err, &at) || at.GetToken() == nil {
			r.problem(0, 0, noHint, "{reason}", message.Reason("reason", err))
			return nil
		}
		reason := at.GetMessage()
		hint := message.New("indent with as many spaces as the names beside it, and quote what has : # { [ or *")
		switch {
		case strings.Contains(reason, "\t"):
			hint, reason = message.New("indent with spaces: YAML does not allow tabs"), strings.ReplaceAll(reason, "\t", `\t`)
		case strings.Contains(reason, "already defined"):
			hint = message.New("write the name once, with all that it has")
		case strings.Contains(reason, "end token"):
			hint = message.New("close what is opened here with } or ]")
		}
		r.refuseAt(at.GetToken(), hint, "{reason}", message.Foreign("reason", reason))
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if _, directive := doc.Body.(*ast.DirectiveNode); directive || doc.Body == nil {
			continue
		}
		if body != nil {
			r.refuse(doc.Body, message.New("remove the line ---"), "more than one document")
			return nil
		}
		body = doc.Body
	}
	return body
}

// parseYAML turns a panic of the YAML library into an error.
func parseYAML(tokens token.Tokens) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = message.Errorf("not valid YAML")
		}
	}()
	return yamlparser.Parse(tokens, 0)
}

// tooLarge returns the first token that is nested deeper than maxDepth or begins the
// name beyond maxNames of a block mapping, and says so; nil if there is none. The
// YAML parser needs memory in proportion to the square of the depth, so this is
// found out before. Flow collections, [a] and {a: b}, are counted by their brackets.
// Block collections begin at the columns of their dashes, question marks and names;
// each is inside those around it that begin further left. Anchors and tags before
// one value are a level each.
func tooLarge(tokens token.Tokens) (at *token.Token, problem message.Message) {
	type block struct{ column, names int }
	var blocks []block // the block collections around
	flow, properties := 0, 0
	for i, t := range tokens {
		begin := t // of an entry of a block collection
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		case token.MappingValueType:
			if i > 0 {
				begin = tokens[i-1]
			}
			fallthrough
		case token.SequenceEntryType, token.MappingKeyType:
			if flow > 0 {
				break
			}
			column := begin.Position.Column
			for len(blocks) > 0 && blocks[len(blocks)-1].column > column {
				blocks = blocks[:len(blocks)-1]
			}
			if len(blocks) == 0 || blocks[len(blocks)-1].column < column {
				blocks = append(blocks, block{column: column})
			}
			if in := &blocks[len(blocks)-1]; t.Type != token.SequenceEntryType {
				if in.names++; in.names > maxNames {
					return begin, message.New("more than {n} names in a mapping", message.Int("n", maxNames))
				}
			}
		}
		switch {
		case t.Type == token.AnchorType || t.Type == token.TagType:
			properties++
		case i == 0 || tokens[i-1].Type != token.AnchorType: // else the anchor's name
			properties = 0
		}
		if flow+len(blocks)+properties > maxDepth {
			return t, message.New("nested deeper than {n} levels", message.Int("n", maxDepth))
		}
	}
	return nil, message.Message{}
}

// noHint is the hint for a problem whose message says all.
var noHint message.Message

func (r *reader) refuse(n ast.Node, hint message.Message, id string, args ...message.Arg) bool {
	r.refuseAt(n.GetToken(), hint, id, args...)
	return false
}

func (r *reader) refuseAt(t *token.Token, hint message.Message, id string, args ...message.Arg) {
	line, column := 0, 0
	if t != nil && t.Position != nil {
		line, column = t.Position.Line, t.Position.Column
	}
	r.problem(line, column, hint, id, args...)
}

func (r *reader) problem(line, column int, hint message.Message, id string, args ...message.Arg) {
	if len(r.errs) < maxProblems {
		r.errs = append(r.errs, &Error{Path: r.path, Line: line, Column: column, Hint: hint,
			Problem: message.New(id, args...), Excerpt: excerpt(r.text, line, column)})
	}
}

// problems returns what was reported, in the order of the lines; nil if nothing was.
func (r *reader) problems() error {
	if r.errs == nil {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return r.errs
}

// excerpt returns a line and the one before it, with a mark under a column.
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
		shown := []rune(printable(strings.ReplaceAll(lines[n-1], "\t", " ")))
		fmt.Fprintf(&b, "%c %4d | %s\n", mark, n, string(shown[:min(len(shown), 120)]))
	}
	if column <= 120 {
		b.WriteString(strings.Repeat(" ", 9+max(0, column-1)) + "^")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printable replaces control and direction characters, which could affect a
// terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 || r == 0xfeff) {
			return '\ufffd'
		}
		return r
	}, strings.TrimSuffix(s, "\r"))
}

func (r *reader) origin(n ast.Node) thresholds.Origin {
	o := thresholds.Origin{Kind: r.kind, Name: r.path}
	if t := n.GetToken(); t != nil && t.Position != nil {
		o.Line, o.Column = t.Position.Line, t.Position.Column
	}
	return o
}

// plain removes tags and anchors from a node.
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

// mapping returns the entries of a mapping; null is an empty one. It reports
// anything else.
func (r *reader) mapping(n ast.Node, what string, hint message.Message) []*ast.MappingValueNode {
	switch x := plain(n).(type) {
	case *ast.MappingNode:
		return x.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{x}
	case *ast.NullNode:
		return nil
	}
	r.refuse(n, hint, "{what} must be a mapping of names to values", message.Word("what", what))
	return nil
}

// isMapping reports whether a node is a mapping, and not null.
func isMapping(n ast.Node) bool {
	_, ok := plain(n).(*ast.MappingNode)
	return ok
}

// list returns the entries of a sequence. A single value is a list of one, null an
// empty one.
func list(n ast.Node) []ast.Node {
	switch x := plain(n).(type) {
	case *ast.SequenceNode:
		return x.Values
	case *ast.NullNode:
		return nil
	}
	return []ast.Node{n}
}

// scalar returns the text of a single value. Aliases are not followed: a
// configuration does not need them, and they can make a small file very large.
func (r *reader) scalar(n ast.Node, what string) (string, bool) {
	switch x := plain(n).(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.LiteralNode:
		return x.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return x.GetToken().Value, true
	}
	return "", r.refuse(n, message.New("write one value, without brackets or braces"), "{what} must be a single value",
		message.Word("what", what))
}

// number returns the text of a number with or without a unit. 0x10 is 16 and 10.0
// is 10.
func (r *reader) number(n ast.Node, what string) (string, bool) {
	text, ok := r.scalar(n, what)
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

// firstKey returns the first name of a mapping, the node itself if it has none.
func firstKey(n ast.Node) ast.Node {
	if m, ok := plain(n).(*ast.MappingNode); ok && len(m.Values) > 0 {
		return m.Values[0].Key
	}
	return n
}
