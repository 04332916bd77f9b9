package codebase

import "strings"

// The kinds of nodes.
const (
	holeNode    = iota // a value that no source tells
	textNode           // a text
	wordNode           // a variable, a constant or a member of of
	callNode           // a call of a function or a method of of
	joinNode           // args one after the other
	listNode           // a list
	orNode             // the first of args that has a text
	paramNode          // parameter number index of the function around
	eitherNode         // one of args, depending on what was done before, or on a condition: its text is ?
	settingNode        // a setting of the application, by its path; label is its default
)

// A node is an expression, as far as the text of a key can depend on it.
type node struct {
	kind  byte
	rest  bool   // of a parameter: it stands for any number of arguments; of two values: either may be in force at once
	index int16  // of a parameter; of two values: the guard of the second
	text  string // of a text; else a name
	label string // of an argument with a name
	of    *node
	args  []*node
}

var (
	hole = &node{kind: holeNode}
	self = &node{kind: wordNode, text: "self"} // the object around
)

const (
	maxSteps = 400 // nodes of one expression
	maxDepth = 24  // of nodes in nodes
	maxArgs  = 24
)

type parser struct {
	*syntax
	src          string
	words        words // texts of nodes, so that none keeps the source
	tokens       []token
	match        []int32 // index of the bracket that closes that of a token, 0 none
	steps, depth int
	until        int // token that members end at, 0 none
}

// words has one copy of each text of nodes.
type words map[string]string

// keep returns a copy of s that does not share the memory of a source.
func (w words) keep(s string) string {
	if kept, ok := w[s]; ok {
		return kept
	}
	s = strings.Clone(s)
	if len(w) < 200_000 {
		w[s] = s
	}
	return s
}

func newParser(s *syntax, src string, words words, tokens []token, match []int32) *parser {
	p := &parser{syntax: s, src: src, words: words, tokens: tokens, match: match[:0]}
	var open []int32
	for i := range tokens {
		p.match = append(p.match, 0)
		if t := &tokens[i]; t.kind == markToken && t.end == t.start+1 {
			switch t.mark {
			case '(', '[', '{':
				open = append(open, int32(i))
			case ')', ']', '}':
				want := t.mark - 2
				if t.mark == ')' {
					want = '('
				}
				for n := len(open) - 1; n >= 0 && n >= len(open)-4; n-- {
					if tokens[open[n]].mark == want {
						p.match[open[n]] = int32(i)
						open = open[:n]
						break
					}
				}
			}
		}
	}
	return p
}

// textOf returns the text of a token, "" before the first and behind the last.
func (p *parser) textOf(i int) string {
	if uint(i) >= uint(len(p.tokens)) {
		return ""
	}
	t := &p.tokens[i]
	return p.src[t.start:t.end]
}

func (p *parser) kept(i int) string { return p.words.keep(p.textOf(i)) }

// A token before the first or behind the last is no word and no mark.

func (p *parser) isWord(i int) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].kind == wordToken
}

func (p *parser) is(i int, mark string) bool {
	if i < 0 || i >= len(p.tokens) {
		return false
	}
	t := &p.tokens[i]
	return t.kind == markToken && t.mark == mark[0] && int(t.end-t.start) == len(mark) && p.src[t.start:t.end] == mark
}

// expression reads the expression that begins at a token, and returns the token
// behind it.
func (p *parser) expression(i int) (*node, int) {
	p.steps, p.depth = 0, 0
	return p.sum(i)
}

func (p *parser) sum(i int) (*node, int) {
	if p.depth++; p.depth > maxDepth {
		p.depth--
		return hole, i
	}
	defer func() { p.depth-- }()
	number := p.tokens[i].kind == numberToken
	first, i := p.operand(i)
	parts := []*node{first}
	for p.is(i, p.concat) && len(parts) < maxArgs {
		if p.concat == "+" && p.is(i+1, "+") && p.tokens[i+1].start == p.tokens[i].end { // a counter
			return hole, i + 2
		}
		var n *node
		number = number || p.tokens[i+1].kind == numberToken
		n, i = p.operand(i + 1)
		parts = append(parts, n)
	}
	n := first
	if len(parts) > 1 {
		if n = (&node{kind: joinNode, args: parts}); number && p.arithmetic(parts) {
			n = hole
		}
	}
	if p.syntax == javaScript {
		i = p.question(i)
	}
	switch t := &p.tokens[i]; {
	case t.kind == markToken && (p.is(i, "||") || p.is(i, "??") || p.is(i, "?:")),
		t.kind == wordToken && !t.first && p.syntax == python && p.textOf(i) == "or":
		other, next := p.sum(i + 1)
		return &node{kind: orNode, args: []*node{n, other}}, next
	case p.is(i, "?") && p.syntax != rust && p.syntax != kotlin && p.syntax != golang:
		n, i = p.sum(i + 1)
		other := hole
		if p.is(i, ":") {
			other, i = p.sum(i + 1)
		}
		if (n.kind != textNode || other.kind != textNode) && p.syntax != javaScript {
			return hole, i
		}
		return &node{kind: eitherNode, text: "?", args: []*node{n, other}}, i
	case t.kind == wordToken && !t.first && p.syntax == python && p.textOf(i) == "if":
		return hole, i
	case t.kind == markToken && !t.first && strings.IndexByte("-*/%<>=&|^!", t.mark) >= 0 && !p.is(i, "=") &&
		!p.is(i, "=>"):
		return hole, i
	}
	return n, i
}

// operand reads an expression without operators.
func (p *parser) operand(i int) (*node, int) {
	if p.steps++; p.steps > maxSteps || p.depth > maxDepth {
		return hole, i
	}
	t := &p.tokens[i]
	var n *node
	switch t.kind {
	case textToken:
		n, i = p.string(i)
		for (p.syntax == python && p.depth > 1 || p.syntax.indent && !p.tokens[i].first) &&
			p.tokens[i].kind == textToken && p.steps < maxSteps {
			more, end := p.string(i)
			n, i = &node{kind: joinNode, args: []*node{n, more}}, end
		}
	case numberToken:
		n, i = &node{kind: textNode, text: strings.TrimSuffix(p.kept(i), "L")}, i+1
	case wordToken:
		switch word := p.textOf(i); word {
		case "await", "new", "mut", "ref", "out", "move", "typeof", "const", "async", "not", "throw":
			if p.tokens[i+1].kind != markToken || !p.is(i+1, "=") {
				return p.operand(i + 1)
			}
			n, i = hole, i+1
		case "function", "lambda", "fn", "func", "if", "match", "switch", "when", "case", "proc":
			return hole, i + 1
		default:
			n, i = &node{kind: wordNode, text: p.words.keep(word)}, i+1
			if p.syntax == rust && p.is(i, "!") && (p.is(i+1, "(") || p.is(i+1, "[")) {
				i++
			}
		}
	case markToken:
		switch {
		case t.mark == '&' || t.mark == '*' && p.syntax != python || t.mark == '*':
			p.depth++
			n, i = p.operand(i + 1)
			p.depth--
			return n, i
		case p.is(i, ":") && p.syntax == ruby && p.isWord(i+1):
			return &node{kind: textNode, text: p.kept(i + 1)}, i + 2
		case p.is(i, "::") && p.isWord(i+1): // ::Module::NAME
			return p.operand(i + 1)
		case p.is(i, ".") && p.is(i+1, ".") && p.is(i+2, "."):
			return p.operand(i + 3)
		case p.is(i, "("):
			return p.parenthesis(i)
		case p.is(i, "["):
			if p.is(i+1, "]") && p.isWord(i+2) && p.syntax == golang {
				if p.is(i+3, "{") {
					return &node{kind: listNode, args: p.arguments(i + 3)}, p.behind(i + 3)
				}
				n, i = &node{kind: wordNode, text: p.kept(i + 2)}, i+3
				break
			}
			n, i = &node{kind: listNode, args: p.arguments(i)}, p.behind(i)
		case p.is(i, "{") && p.match[i] > 0:
			return p.object(i), p.behind(i)
		default:
			if strings.IndexByte(")]},;", t.mark) >= 0 {
				return hole, i
			}
			return hole, i + 1
		}
	default:
		return hole, i
	}
	return p.members(n, i)
}

// parenthesis reads (expression), a cast before an operand, or a tuple.
func (p *parser) parenthesis(i int) (*node, int) {
	args, end := p.arguments(i), p.behind(i)
	if len(args) == 1 && !(p.syntax == python && p.is(end-2, ",")) {
		if next := &p.tokens[end]; (p.syntax == java || p.syntax == csharp || p.syntax == php) && !next.first &&
			(next.kind == wordToken || next.kind == textToken) {
			n, i := p.operand(end) // a cast
			if p.syntax == csharp && args[0].kind == wordNode && numbers[args[0].text] {
				return hole, i
			}
			return n, i
		}
		return p.members(args[0], end)
	}
	return p.members(&node{kind: listNode, args: args}, end)
}

// behind returns the token behind the bracket that closes that of token i.
func (p *parser) behind(i int) int {
	if p.match[i] > 0 {
		return int(p.match[i]) + 1
	}
	return i + 1
}

// members reads what follows an operand: members, calls and indexes.
func (p *parser) members(n *node, i int) (*node, int) {
	for p.steps < maxSteps && (p.until == 0 || i < p.until) {
		p.steps++
		t := &p.tokens[i]
		if t.kind == wordToken && !t.first && p.textOf(i) == "as" && p.isWord(i+1) {
			i += 2
			continue
		}
		if t.kind != markToken {
			break
		}
		if p.is(i, "?") && p.is(i+1, "->") {
			i++
		}
		switch {
		case (p.is(i, ".") && p.concat != "." || p.is(i, "?.") || p.is(i, "->") || p.is(i, "::") || p.is(i, "&.")) &&
			p.isWord(i+1):
			if word := p.textOf(i + 1); word != "await" && word != "unwrap" {
				n = &node{kind: wordNode, text: p.words.keep(word), of: n}
			}
			i += 2
		case p.is(i, "(") && (!t.first || p.tokens[i].line == p.tokens[i-1].line) &&
			(n.kind == wordNode || n.kind == listNode):
			n, i = p.named(&node{kind: callNode, text: n.text, of: n.of, args: p.arguments(i)}), p.behind(i)
			if p.jvm && lists[n.text] && (n.text != "of" || n.of != nil && lists[n.of.text]) {
				n = &node{kind: listNode, args: n.args}
			}
		case p.is(i, "[") && !t.first:
			args := p.arguments(i)
			if p.syntax == rust && n.kind == wordNode && n.text == "vec" {
				return &node{kind: listNode, args: args}, p.behind(i)
			}
			if len(args) == 1 && args[0].kind == textNode && args[0].text != "" && isDigit(args[0].text[0]) {
				// one of several keys
			} else if len(args) == 1 && args[0].kind == textNode {
				n = &node{kind: wordNode, text: args[0].text, of: n}
			} else {
				n = hole
			}
			i = p.behind(i)
		case p.is(i, "{") && p.tokens[i-1].mark == ']' && p.tokens[i-1].kind == markToken &&
			(p.syntax == csharp || p.syntax == java):
			return &node{kind: listNode, args: p.arguments(i)}, p.behind(i)
		case p.is(i, "{") && p.syntax == rust && n.kind == wordNode && n.of != nil && isUpper(n.text) &&
			isUpper(n.of.text) && p.match[i] > 0: // a variant of an enum
			n, i = &node{kind: callNode, text: n.text, of: n.of}, p.behind(i)
		case p.is(i, "{") && n.kind == wordNode && n.text == "Args" && p.syntax == golang && p.match[i] > 0:
			i = p.behind(i) // of redigo, to which Add appends
		case p.is(i, "{") && !t.first && n.kind == wordNode && n.text == "string" && p.syntax == golang:
			return &node{kind: listNode, args: p.arguments(i)}, p.behind(i)
		case (p.is(i, "!") || p.is(i, "?")) && p.tokens[i].start == p.tokens[i-1].end &&
			(p.syntax == rust || p.syntax == kotlin || p.syntax == javaScript && p.is(i, "!")) && !p.is(i+1, "="):
			i++
		case p.is(i, "<") || p.is(i, "::") && p.is(i+1, "<"):
			end := p.generics(i)
			if end == 0 {
				return n, i
			}
			i = end
		case (p.syntax == python || p.syntax == ruby) && p.is(i, "%"):
			var arg *node
			arg, i = p.operand(i + 1)
			n = &node{kind: callNode, text: "%", of: n, args: []*node{arg}}
		default:
			return n, i
		}
	}
	return n, i
}

// lists are functions of Java and Kotlin that make a list of their arguments, and classes whose method of does.
var lists = wordSet(`asList singletonList singleton newArrayList listOf mutableListOf arrayListOf setOf arrayOf of List Set
	ImmutableList ImmutableSet`)

// generics returns the token behind <types>, if a call follows; else 0.
func (p *parser) generics(i int) int {
	if p.is(i, "::") {
		i++
	}
	depth, rustTypes := 0, p.syntax == rust && p.is(i-1, "::")
	for n := i; n < i+14 && n < len(p.tokens)-1; n++ {
		switch t := &p.tokens[n]; {
		case rustTypes && p.is(n, "(") && p.match[n] > 0 && p.match[n] < int32(n+8): // a tuple
			n = int(p.match[n])
		case p.is(n, "{") && p.match[n] > 0 && p.match[n] < int32(n+80) && p.syntax == javaScript: // a type of an object
			i += int(p.match[n]) - n
			n = int(p.match[n])
		case p.is(n, "<"):
			depth++
		case p.is(n, ">"):
			if depth--; depth == 0 {
				if p.is(n+1, "(") {
					return n + 1
				}
				return 0
			}
		case t.kind == wordToken, t.kind == markToken && strings.IndexByte(",.?[]&:|", t.mark) >= 0:
		default:
			return 0
		}
	}
	return 0
}

// generic returns the token > of <types>, 0 if there is none.
func (p *parser) generic(i int) int {
	depth := 0
	for n := i; n < i+40 && p.tokens[n].kind != endToken; n++ {
		if p.is(n, "<") {
			depth++
		} else if p.is(n, ">") {
			if depth--; depth == 0 {
				return n
			}
		} else if p.match[n] > int32(n) {
			n = int(p.match[n])
		}
	}
	return 0
}

// arguments reads what is between the brackets that token i opens.
func (p *parser) arguments(i int) (args []*node) {
	end := int(p.match[i])
	if p.depth++; end == 0 || p.depth > maxDepth {
		p.depth--
		return nil
	}
	for i++; i < end && len(args) < maxArgs && !(p.syntax == ruby && p.is(i, "&")); { // a block is none
		label := ""
		if p.isWord(i) && (p.is(i+1, "=") || p.is(i+1, ":") && p.syntax != rust && p.syntax != golang) && i+2 < end {
			label = p.kept(i)
			i += 2
		}
		n, next := p.sum(i)
		if label != "" {
			labelled := *n
			labelled.label = label
			n = &labelled
		}
		// What is left of the argument is no text.
		for rest := next; ; rest++ {
			if rest >= end || p.is(rest, ",") {
				if rest > next && !(p.syntax == golang && p.is(next, ".")) && !(p.syntax == ruby && p.is(next, "=>")) &&
					!(p.syntax == python && p.isWord(next) && p.textOf(next) == "for") {
					n = &node{kind: holeNode, label: label}
				}
				i = rest + 1
				break
			}
			if p.match[rest] > int32(rest) {
				rest = int(p.match[rest])
			}
		}
		args = append(args, n)
	}
	p.depth--
	return args
}

func (p *parser) string(i int) (*node, int) {
	t := &p.tokens[i]
	if t.body == t.end { // a regular expression
		return hole, i + 1
	}
	p.steps++
	content := p.src[t.body:t.tail]
	if len(content) > maxText {
		return hole, i + 1
	}
	if t.style&(dollarText|hashText|braceText) == 0 && strings.IndexByte(content, '\\') < 0 {
		return &node{kind: textNode, text: p.words.keep(content)}, i + 1
	}
	join := &node{kind: joinNode}
	for _, piece := range p.pieces(content, t.style) {
		n := &node{kind: textNode}
		if !piece.hole {
			n.text = p.words.keep(piece.text)
		} else {
			n = p.inner(piece.text)
		}
		join.args = append(join.args, n)
	}
	if len(join.args) == 1 && join.args[0].kind == textNode {
		return join.args[0], i + 1
	}
	return join, i + 1
}

func (p *parser) inner(src string) *node {
	if p.depth+6 > maxDepth {
		return hole
	}
	x := lexer{syntax: p.syntax, src: src, line: 1, fresh: true}
	for x.pos < len(src) && len(x.tokens) < 100 {
		x.next()
	}
	if len(x.tokens) == 0 {
		return hole
	}
	q := newParser(p.syntax, src, p.words, x.end(), nil)
	q.depth, q.steps = p.depth+6, p.steps
	n, end := q.sum(0)
	p.steps = q.steps
	if t := q.tokens[end]; t.kind != endToken &&
		!(t.kind == markToken && (t.mark == ':' || t.mark == '!' || t.mark == ',')) {
		return hole
	}
	return n
}

// named adds the variables that a format of Rust names to the arguments of its macro.
func (p *parser) named(call *node) *node {
	if p.syntax != rust || call.text != "format" || len(call.args) == 0 || call.args[0].kind != textNode {
		return call
	}
	for rest := call.args[0].text; len(call.args) < maxArgs; {
		_, after, found := strings.Cut(rest, "{")
		name, behind, closed := strings.Cut(after, "}")
		if !found || !closed {
			break
		}
		rest = behind
		if name, _, _ = strings.Cut(name, ":"); name != "" && isWordStart(name[0]) {
			call.args = append(call.args, &node{kind: wordNode, text: p.words.keep(name), label: p.words.keep(name)})
		}
	}
	return call
}
