package codebase

import (
	"slices"
	"strings"
)

// A scope is a function, a class or an object, to the bracket or the column that
// ends it.
type scope struct {
	end      int   // token, of languages with braces
	column   int32 // of its first line, of the others
	line     int32
	function *function
	class    string
	enum     bool
	locals   map[string]*node
	kinds    map[string]*node // of variables of Go: values of their types
	blocks   map[string]int   // where a variable was given its value, see collector.blocks
	// Of the annotations of a class.
	conditions []*condition
}

// leave ends the scopes that end before a token.
func (c *collector) leave(i int, t *token) {
	for n := len(c.scopes); n > 0; n = len(c.scopes) {
		s := &c.scopes[n-1]
		if s.end > 0 && i < s.end || s.end == 0 && (!t.first || t.line <= s.line || t.column > s.column) {
			return
		}
		c.scopes = c.scopes[:n-1]
	}
}

// implicit reports whether the last expression of a function is its value.
func (c *collector) implicit() bool {
	return (c.syntax == ruby || c.syntax == rust) && c.function() != nil
}

func (c *collector) function() *function {
	for n := len(c.scopes) - 1; n >= 0; n-- {
		if f := c.scopes[n].function; f != nil {
			return f
		}
	}
	return nil
}

// locals returns the variables of the function around, nil outside of any.
func (c *collector) locals() map[string]*node {
	for n := len(c.scopes) - 1; n >= 0; n-- {
		if c.scopes[n].function != nil {
			return c.scopes[n].locals
		}
	}
	return nil
}

// closed returns the value of a variable of a function around another one, nil if none has the name.
func (c *collector) closed(name string, inner *function) *node {
	for n := len(c.scopes) - 1; n >= 0; n-- {
		s := &c.scopes[n]
		if s.function == nil || s.function == inner {
			continue
		}
		if v, known := s.locals[name]; known {
			return detached(v)
		}
		if slices.Contains(s.function.params, name) {
			return hole
		}
	}
	return nil
}

// detached returns a value in which the parameters of its function vary.
func detached(n *node) *node {
	return n.rewrite(func(n *node, _ rewriter) *node {
		if n.kind == paramNode {
			return hole
		}
		return nil
	})
}

func (c *collector) block() int {
	n := len(c.blocks) - 1
	if c.indent {
		n-- // the last is the statement
	}
	if n < 0 {
		return -1
	}
	return c.blocks[n]
}

// section returns the token that begins the statements around: the brace of their block, or the case of a switch.
func (c *collector) section() int {
	if label, switches := c.cases[c.block()]; switches {
		return label
	}
	return c.block()
}

// inner reports whether the statement around is in a block of a function.
func (c *collector) inner(s *scope) bool {
	b := c.block()
	if b < 0 || c.indent {
		return b >= 0 && c.tokens[b].column > s.column
	}
	return int(c.match[b]) != s.end
}

// class returns the name of the class or object around.
func (c *collector) class() string {
	for n := len(c.scopes) - 1; n >= 0; n-- {
		if s := &c.scopes[n]; s.class != "" {
			return s.class
		} else if s.function != nil && s.function.container != "" {
			return s.function.container
		}
	}
	return ""
}

// push opens a scope whose body begins at or behind a token.
func (c *collector) push(i, body int, s scope) {
	if c.indent {
		first := i
		for first > 0 && !c.tokens[first].first {
			first--
		}
		s.column, s.line = c.tokens[first].column, c.tokens[body].line
	} else {
		if s.end = int(c.match[body]); s.end <= body {
			return
		}
	}
	c.enter(s)
}

// enter opens a scope whose end is known.
func (c *collector) enter(s scope) {
	if s.function != nil {
		s.locals, s.blocks, s.kinds = map[string]*node{}, map[string]int{}, map[string]*node{}
	}
	if len(c.scopes) < 64 {
		c.scopes = append(c.scopes, s)
	}
}

// maxBody is the number of tokens, without those in brackets, of a body that is an expression.
const maxBody = 1000

// endOf returns the token behind the expression that begins at a token and is the whole body of a function.
func (c *collector) endOf(i int) int {
	n := i
	for range maxBody {
		t := &c.tokens[n]
		if t.kind == endToken || c.is(n, ";") || c.is(n, "}") || c.is(n, ")") || t.first && n > i && c.syntax == kotlin &&
			(t.kind != markToken || t.mark == '@') && (c.tokens[n-1].kind != markToken || c.match[n-1] > 0 ||
			strings.IndexByte(")]}", c.tokens[n-1].mark) >= 0) && c.textOf(n) != "else" {
			return n
		}
		if c.match[n] > int32(n) {
			n = int(c.match[n])
		}
		n++
	}
	return n
}

// lastCall reports whether a call is the last expression of a function that makes a key.
func (c *collector) lastCall(i int) bool {
	_, end := c.expression(i)
	return c.lastOf(end)
}

// lastOf reports whether a token ends a function that makes a key.
func (c *collector) lastOf(end int) bool {
	if len(c.scopes) == 0 {
		return false
	}
	s := &c.scopes[len(c.scopes)-1]
	return s.function != nil && keyLike(s.function.name) &&
		(c.isWord(end) && c.textOf(end) == "end" || s.end > 0 && end == s.end)
}

// endless reports whether a token is the = of a method of Ruby without an end, not that of a setter.
func (c *collector) endless(i int) bool { return c.is(i, "=") && c.tokens[i].start > c.tokens[i-1].end }

// newFunction notes a function with the parameters between two brackets.
func (c *collector) newFunction(name, container string, open int) *function {
	f := &function{name: c.words.keep(name), container: container, source: c.file, conditions: c.pending,
		external: c.external(open), outer: c.function()}
	c.pending = nil
	if open > 0 {
		f.params, f.defaults, f.groups = c.parameters(open)
		for n := open + 1; n < int(c.match[open]) && c.syntax == java; n++ {
			if c.isWord(n) && c.isWord(n+1) && isUpper(c.textOf(n)) && !c.is(n-1, "@") {
				f.marked = append(f.marked, wordHash("#"+c.textOf(n)))
			}
		}
		for n := open + 1; n < int(c.match[open]) && !f.rest; n++ {
			if c.is(n, "{") && c.match[n] > 0 {
				n = int(c.match[n])
			}
			f.rest = c.is(n, ".") && c.is(n+1, ".") || c.isWord(n) && (c.textOf(n) == "vararg" || c.textOf(n) == "params") ||
				c.is(n, "*") && (c.syntax == python || c.syntax == ruby)
		}
	}
	c.functions = append(c.functions, f)
	return f
}

// parameters returns the names of parameters, and their defaults. For an object of JavaScript whose members are named,
// these are parameters, and groups has their number at its place.
func (c *collector) parameters(open int) (list []string, defaults []*node, groups []int) {
	end := int(c.match[open])
	var words []string
	var value *node
	done := false
	flush := func() {
		if n := len(words); n > 0 {
			w := words[0]
			if c.typeFirst {
				w = words[n-1]
			}
			list, defaults, groups = append(list, c.words.keep(w)), append(defaults, value), append(groups, 0)
		}
		words, done, value = nil, false, nil
	}
	objects := false
	for n := open + 1; n < end && len(list) < maxArgs; n++ {
		switch w := c.textOf(n); {
		case c.is(n, ","):
			flush()
		case c.is(n, "{") && c.syntax == javaScript && len(words) == 0 && !done && c.match[n] > 0:
			names, values := c.membersNamed(n)
			list, defaults, groups = append(list, names...), append(defaults, values...), append(groups, len(names))
			n, done, objects = int(c.match[n]), true, true
		case c.is(n, "=") && c.syntax != golang:
			value, _ = c.expression(n + 1)
			done = true
		case c.is(n, ":"):
			done = true
		case c.isWord(n) && !done && !(c.syntax == php && w[0] != '$') && !(c.syntax == ruby && c.is(n-1, "&")):
			switch w {
			case "mut", "public", "private", "protected", "readonly", "final", "val", "var", "vararg", "params", "this", "ref", "out", "in":
			default:
				words = append(words, w)
			}
		case c.is(n, "<") && c.generic(n) > 0:
			n = c.generic(n)
		case c.match[n] > int32(n):
			n = int(c.match[n])
		}
	}
	flush()
	if len(list) > 0 && (list[0] == "self" || list[0] == "cls") {
		list, defaults = list[1:], defaults[1:]
	}
	if !objects {
		groups = nil
	}
	return list, defaults, groups
}

// membersNamed returns the names of the members of an object that a parameter { key, ttl = 60 } names, and their
// defaults.
func (c *collector) membersNamed(open int) (names []string, defaults []*node) {
	for n := open + 1; n < int(c.match[open]) && len(names) < maxArgs; n++ {
		if c.isWord(n) && (c.is(n-1, "{") || c.is(n-1, ",")) {
			var value *node
			if c.is(n+1, "=") {
				value, _ = c.expression(n + 2)
			}
			names, defaults = append(names, c.kept(n)), append(defaults, value)
		} else if c.match[n] > int32(n) {
			n = int(c.match[n])
		}
	}
	return names, defaults
}

// counts reports whether the variable at a token is that of a loop: for (i = 0; ...
func (c *collector) counts(at int) bool {
	if c.declares(at) {
		at--
	}
	return c.is(at-1, "(") && c.textOf(at-2) == "for" || c.syntax == golang && c.isWord(at-1) && c.textOf(at-1) == "for"
}

// defaulted reports whether the name at a token is that of a pattern of JavaScript, which gives it a value where the
// object has none: const { page = 1, limit = 10 } = query.
func (c *collector) defaulted(at int) bool {
	if c.syntax != javaScript || !c.is(at-1, "{") && !c.is(at-1, ",") ||
		strings.Contains(strings.ToLower(c.textOf(at)), "prefix") {
		return false
	}
	n := at - 1
	for end := at - 200; n > max(end, 0) && !c.is(n, "{") && !c.is(n, ";") && !c.is(n, "("); n-- {
		if c.is(n, "}") || c.is(n, ")") || c.is(n, "]") {
			n = c.opening(n)
		}
	}
	return n > 0 && c.is(n, "{") && (c.is(int(c.match[n])+1, "=") || c.is(n-1, "(") || c.is(n-1, ",") || c.is(n-1, ":"))
}

// question returns the token ? of the condition that an operator at a token belongs to, that token if there is none.
func (p *parser) question(i int) int {
	if p.tokens[i].kind != markToken || strings.IndexByte("=!<>&", p.tokens[i].mark) < 0 {
		return i
	}
	for n := i; n < i+40 && p.tokens[n].kind != endToken; n++ {
		switch {
		case p.is(n, "?"):
			return n
		case p.match[n] > int32(n):
			n = int(p.match[n])
		case p.is(n, "=>"), p.tokens[n].kind == markToken && strings.IndexByte(",;)]}", p.tokens[n].mark) >= 0:
			return i
		}
	}
	return i
}

// object returns what varies, with the members of an object of JavaScript.
func (p *parser) object(i int) *node {
	if p.syntax != javaScript || p.depth > 6 || p.match[i] > int32(i+200) {
		return hole
	}
	n := &node{kind: holeNode, args: p.arguments(i)}
	for k, a := range n.args {
		if a.kind == wordNode && a.of == nil && a.label == "" { // { key }
			labelled := *a
			labelled.label = a.text
			n.args[k] = &labelled
		}
	}
	return n
}

// callback opens the scope of a function of JavaScript without a name, outside of any other, whose parameters are in
// the bracket of a token, or are that token.
func (c *collector) callback(open, body int) {
	f := &function{container: c.class(), source: c.file}
	if c.is(open, "(") {
		f.params, f.defaults, f.groups = c.parameters(open)
	} else if c.isWord(open) {
		f.params = []string{c.kept(open)}
	}
	c.push(open, body, scope{function: f})
}

// beginsBlock reports whether a bar is the first of the two around the parameters of a block.
func (c *collector) beginsBlock(i int) bool {
	if c.isWord(i - 1) {
		word := c.textOf(i - 1)
		return word == "do" || word == "move" || word == "return"
	}
	return i > 0 && c.tokens[i-1].kind == markToken && !c.is(i-1, ")") && !c.is(i-1, "]")
}

// forget drops what is known of a variable whose name is a token.
func (c *collector) forget(i int) {
	if locals := c.locals(); locals != nil && c.isWord(i) {
		if _, known := locals[c.textOf(i)]; known {
			locals[c.textOf(i)] = hole
		}
	}
}

// arrowFollows reports whether => is at a token or behind a type there.
func (c *collector) arrowFollows(i int) bool {
	if i <= 1 {
		return false
	}
	for n := i; n < i+16 && c.tokens[n].kind != endToken; n++ {
		switch {
		case c.is(n, "=>"):
			return true
		case n == i && !c.is(n, ":"):
			return false
		case c.match[n] > int32(n):
			n = int(c.match[n])
		}
	}
	return false
}
