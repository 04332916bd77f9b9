package codebase

// textMethods are methods of Rust whose value, or what they write, is the text of a value.
var textMethods = wordSet("fmt to_string as_str to_str as_ref as_bytes to_bytes write_redis_args from into")

// variant notes the text of a variant of an enum of Rust, as the arm of a match at a token => tells. It is that of a
// function with the name of the variant.
func (c *collector) variant(i int) {
	f := c.function()
	if f == nil || f.container == "" || c.callees != nil || !textMethods[f.name] && !keyLike(f.name) {
		return
	}
	name := i - 1
	if c.is(name, ")") || c.is(name, "}") {
		name = c.opening(name) - 1
	}
	if name < 2 || !c.isWord(name) || !isUpper(c.textOf(name)) || !c.is(name-1, "::") {
		return
	}
	value := i + 1
	if c.is(value, "{") {
		value++
	}
	c.textOfType(c.textOf(name), f.container, value)
}

// textOfType notes that a value of a type, or of a variant of a type, has the text of the expression at a token.
func (c *collector) textOfType(name, container string, i int) {
	n, _ := c.expression(i)
	if n.kind == callNode && len(n.args) > 0 {
		switch n.text {
		case "write":
			n = c.parser.named(&node{kind: callNode, text: "format", args: n.args[1:]})
		case "write_str", "write_arg", "write_arg_fmt":
			n = n.args[0]
		}
	}
	if !useful(n, 0) {
		return
	}
	of := &function{name: c.words.keep(name), container: container, source: c.file, rest: true}
	of.returns = []returned{{value: c.bound(n), line: c.tokens[i].line, text: c.lineOf(&c.tokens[i])}}
	c.functions = append(c.functions, of)
}

// writesText notes the text of a type of Rust which its method fmt or write_redis_args writes outside of a match.
func (c *collector) writesText(i int) {
	f := c.function()
	if c.callees != nil || f == nil || f.container == "" || f.name != "fmt" && f.name != "write_redis_args" {
		return
	}
	first := i
	for c.is(first-1, ".") && c.isWord(first-2) {
		first -= 2
	}
	if !c.is(first-1, "=>") && (first < 2 || !c.is(first-2, "=>")) {
		c.textOfType(f.container, "", i)
	}
}

// argumentOf returns the first argument of a command of Rust whose name ends before a token: that
// of .arg(), or the first format! of the argument, or of the next statement.
func (c *collector) argumentOf(i int) *node {
	from := i + 1
	if c.is(i, ";") && c.isWord(i+1) && c.is(i+2, ".") { // cmd.arg(key);
		i += 2
	}
	if c.is(i, ".") && c.isWord(i+1) && (c.textOf(i+1) == "arg" || c.textOf(i+1) == "key") && c.is(i+2, "(") {
		if list := c.arguments(i + 2); len(list) > 0 && list[0].kind != holeNode && list[0].kind != callNode {
			return list[0]
		}
		from = i + 3
	}
	end := i + 60
	if m := int(c.match[from-1]); m > 0 {
		end = m
	}
	for n := from; n < end && c.tokens[n].kind != endToken && !c.is(n, "}"); n++ {
		if c.isWord(n) && c.textOf(n) == "format" && c.is(n+1, "!") && !(c.is(n-1, "(") && n > 1 && reports[c.textOf(n-2)]) {
			key, _ := c.expression(n)
			return key
		}
	}
	if from == i+3 {
		if list := c.arguments(i + 2); len(list) > 0 {
			return list[0]
		}
	}
	return nil
}

// defaultOf notes the value that impl Default of Rust gives the field at a token.
func (c *collector) defaultOf(i int, name string) {
	f, n := c.function(), len(c.blocks)
	if c.syntax != rust || f == nil || f.name != "default" || f.container == "" || n == 0 {
		return
	}
	if of := c.textOf(c.blocks[n-1] - 1); of == f.container || of == "Self" {
		value, _ := c.expression(i + 2)
		c.declare(name, f.container, c.bound(value), &c.tokens[i])
	}
}

// reports are methods of Rust whose argument is the text of an error.
var reports = wordSet("context with_context expect map_err wrap_err")
