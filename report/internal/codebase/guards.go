package codebase

import "strings"

// isNumber reports whether a value is a number, or a text of digits.
func (n *node) isNumber() bool {
	return n != nil && n.kind == textNode && n.text != "" && strings.Trim(n.text, "0123456789") == ""
}

// returned reads the value of the function around.
func (c *collector) returned(i int) {
	f := c.function()
	if len(f.returns) >= 4 || c.callees != nil {
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
	if c.syntax.loose {
		n = c.boundTo(n, f)
	}
	if !useful(n, 0) || c.syntax == rust && c.is(end, ";") && c.tokens[i].first {
		f.unknown = f.unknown || n.kind != holeNode && n.kind != textNode && !nothing[n.text] ||
			n.kind == holeNode && c.syntax.loose && end > i+2 // a condition, or what is not understood
		return
	}
	n = c.boundTo(n, f)
	f.returns = append(f.returns, returned{n, c.tokens[i].line, c.lineOf(&c.tokens[i])})
}

// nothing has the words for no value.
var nothing = wordSet("null nil None undefined false")
