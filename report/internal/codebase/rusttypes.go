package codebase

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
