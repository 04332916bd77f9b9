package codebase

import (
	"cmp"
	"slices"
	"strings"
)

// A guard says for which arguments of the function around a statement runs: if it is positive, those that give
// parameter guard-1 a value, if negative, those that give parameter -guard-1 none, if 0, all or unknown ones.
type guard int8

// absent is the value of a parameter to which a call gives no argument and whose default is nothing.
var absent = vary()

func isAbsent(v []string) bool { return len(v) == 1 && &v[0] == &absent[0] }

func (n *node) isNothing() bool {
	return n != nil && n.kind == wordNode && n.of == nil && nothing[n.text]
}

// isNumber reports whether a value is a number, or a text of digits.
func (n *node) isNumber() bool {
	return n != nil && n.kind == textNode && n.text != "" && strings.Trim(n.text, "0123456789") == ""
}

// hasOptional reports whether a value has a parameter whose default is nothing: a call that gives it one means it.
func (n *node) hasOptional(param int16, depth int) bool {
	if n == nil || depth > 8 {
		return false
	}
	return n.kind == paramNode && n.index == param && n.of.isNothing() && n.of.text != "false" ||
		n.of.hasOptional(param, depth+1) ||
		slices.ContainsFunc(n.args, func(a *node) bool { return a.hasOptional(param, depth+1) })
}

// allows reports whether a statement of a function can run with the values of some arguments.
func (f *function) allows(g guard, arguments [][]string) bool {
	if i := int(max(g, -g)) - 1; i >= len(arguments) && arguments != nil && i >= 0 && i < len(f.defaults) &&
		f.defaults[i] != nil && !f.defaults[i].isNothing() {
		return g > 0 || f.defaults[i].text != "true" // the default is in force
	}
	return g.allows(arguments)
}

// allows reports whether a statement can run with the values of some arguments.
func (g guard) allows(arguments [][]string) bool {
	if g == 0 || arguments == nil {
		return true
	}
	i := int(max(g, -g)) - 1
	if i >= len(arguments) || isAbsent(arguments[i]) {
		return g < 0
	}
	return g > 0 || !literal(arguments[i])
}

// guardOf returns the guard of the statement from a token to another one: that of a condition behind it or of an if
// around it, which the body of the function has.
func (c *collector) guardOf(f *function, first, end int) (g guard) {
	if len(f.params) > 100 || len(c.scopes) == 0 || c.scopes[len(c.scopes)-1].function != f {
		return 0
	}
	s, n := &c.scopes[len(c.scopes)-1], len(c.blocks)
	body := func(n int) bool { // block n is the body
		return n >= 0 && n < len(c.blocks) && (c.indent && c.tokens[c.blocks[n]].column == s.column ||
			!c.indent && int(c.match[c.blocks[n]]) == s.end)
	}
	switch {
	case c.indent && body(n-2) && c.syntax == ruby && !c.tokens[end].first:
		return c.branch(f, end)
	case c.indent && body(n-3):
		return c.branch(f, c.blocks[n-2])
	case !c.indent && body(n-2):
		return c.branchBefore(f, c.blocks[n-1])
	case !c.indent && body(n-1) && c.is(first-1, ")"): // without braces
		return c.branchBefore(f, first)
	}
	return 0
}

// guardAt returns the guard of the call at a token, also in blocks of a branch.
func (c *collector) guardAt(i int) (g guard) {
	f, n := c.function(), len(c.scopes)-1
	if f == nil || len(f.params) == 0 || c.scopes[n].function != f || len(c.blocks) > 64 {
		return 0
	}
	first := i
	if !c.indent {
		first, _ = c.begin(i)
	}
	g = c.guardOf(f, first, i)
	for k := 0; !c.indent && g == 0 && k < len(c.blocks)-2; k++ {
		if int(c.match[c.blocks[k]]) == c.scopes[n].end {
			g = c.branchBefore(f, c.blocks[k+1])
			break
		}
	}
	c.equals = nil
	return cmp.Or(g, f.beyond)
}

// branchBefore returns the guard of a branch of a language with braces that begins at a token.
func (c *collector) branchBefore(f *function, begin int) guard {
	if c.is(begin-1, ")") {
		return c.branch(f, c.opening(begin-1)-1)
	}
	if prior := c.priorBranch(begin); prior >= 0 && c.textOf(prior-1) != "else" {
		return -c.branchBefore(f, prior)
	}
	return 0
}

// branch returns the guard of the branch whose word is a token.
func (c *collector) branch(f *function, i int) guard {
	condition := i + 1
	for c.is(condition, "(") {
		condition++
	}
	switch c.textOf(i) {
	case "if", "elif", "elsif", "elseif":
		return c.condition(f, condition)
	case "unless":
		g := -c.condition(f, condition)
		c.equals = nil
		return g
	case "else":
		defer func() { c.equals = nil }()
		if n := c.priorBranch(i); c.indent && n >= 0 && (c.textOf(n) == "if" || c.textOf(n) == "unless") {
			return -c.branch(f, n)
		}
	}
	return 0
}

// condition returns the guard of what runs if the condition at a token holds.
func (c *collector) condition(f *function, i int) guard {
	negative := false
	for c.is(i, "!") || c.isWord(i) && c.textOf(i) == "not" {
		i, negative = i+1, !negative
	}
	test := c.textOf(i)
	called := c.is(i+1, "(") && c.is(i+3, ")") && (test == "is_null" || test == "empty" || test == "isset")
	if called {
		negative = negative != (test != "isset")
		i += 2
	}
	of := slices.Index(f.params, c.textOf(i))
	if _, changed := c.locals()[c.textOf(i)]; of < 0 || changed {
		return 0
	}
	switch i++; {
	case called:
		i++
	case c.is(i, ".") && c.isWord(i+1):
		switch c.textOf(i + 1) {
		case "nil?", "blank?", "empty?":
			negative = !negative
		case "present?":
		default:
			return 0
		}
		i += 2
	case c.isWord(i) && c.textOf(i) == "is" && !c.tokens[i].first:
		if i++; c.textOf(i) == "not" {
			i++
		} else {
			negative = !negative
		}
		if i++; c.textOf(i-1) != "None" {
			return 0
		}
	case c.is(i, "==") || c.is(i, "!="):
		negative = negative != c.is(i, "==")
		if i++; c.is(i, "=") { // ===
			i++
		}
		if i++; !nothing[c.textOf(i-1)] {
			if n, end := c.expression(i - 1); negative && (c.is(end, ")") || c.indent && c.is(end, ":")) {
				c.equals = &choice{of, c.bound(n)}
			}
			return 0
		}
	}
	if !c.is(i, ")") && !(c.indent && (c.is(i, ":") || c.tokens[i].first)) && c.tokens[i].kind != endToken {
		return 0 // there is more
	}
	if negative {
		return guard(-of - 1)
	}
	return guard(of + 1)
}

// A choice is a value of a parameter that a function compares it with.
type choice struct {
	param int
	value *node
}

// chosen reports whether the arguments of a call make a choice, or another one.
func (p *program) chosen(c *choice, f *function, arguments [][]string) (chosen, other bool) {
	if c == nil || c.param >= len(arguments) {
		return false, false
	}
	given, ok := constant(arguments[c.param])
	value, known := constant(p.eval(c.value, frame{source: f.source, container: f.container, depth: 1}))
	ok = ok && known && given != "" && value != ""
	return ok && given == value, ok && given != value
}

// returned reads the value of the function around.
func (c *collector) returned(i int) {
	f := c.function()
	if c.callees != nil {
		f.beyond = cmp.Or(-c.guardOf(f, i-1, i), f.beyond)
		c.equals = nil
		return
	}
	if len(f.returns) >= 4 || f.tested || c.syntax == ruby && c.inTests(i) {
		return
	}
	if c.syntax == javaScript && (c.isWord(i) && c.is(i+1, "=>") || c.is(i, "(") && c.arrowFollows(int(c.match[i])+1)) {
		return
	}
	c.result(f, i)
}

// result adds the expression at a token to the values of a function.
func (c *collector) result(f *function, i int) {
	n, end := c.expression(i)
	c.equals = nil
	if word := c.textOf(end); c.syntax == ruby && !c.tokens[end].first && c.forTests(end+1) && word != "while" {
		if f.tested = word == "unless"; word == "if" {
			return
		}
	}
	own := c.guardOf(f, i-1, end)
	g := cmp.Or(own, f.beyond)
	f.beyond = cmp.Or(-own, f.beyond)
	if c.syntax.loose {
		n = c.boundTo(n, f)
	}
	if !useful(n, 0) || c.syntax == rust && c.is(end, ";") && c.tokens[i].first {
		f.unknown = f.unknown || n.kind != holeNode && n.kind != textNode && !nothing[n.text] ||
			n.kind == holeNode && c.syntax.loose && end > i+2 // a condition, or what is not understood
		return
	}
	n = c.boundTo(n, f)
	f.returns = append(f.returns, returned{n, c.tokens[i].line, c.lineOf(&c.tokens[i]), g, c.equals})
}

// nothing has the words for no value.
var nothing = wordSet("null nil None undefined false")
