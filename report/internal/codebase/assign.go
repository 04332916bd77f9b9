package codebase

import (
	"slices"
	"strings"
)

// assignment reads a declaration or an assignment, whose operator is token i.
func (c *collector) assignment(i int) {
	if n := len(c.open); i < max(1, c.header) || n > 0 && c.open[n-1] != '{' && !(c.open[n-1] == '(' &&
		(c.syntax == golang || c.syntax == php)) {
		return // a default, or an argument with a name
	}
	at := c.assigned(i)
	if at < 0 {
		if c.is(i-1, "]") {
			c.forget(c.opening(i-1) - 1) // list[0] = value
		}
		return
	}
	name := c.textOf(at)
	base := c.baseOf(at)
	t := &c.tokens[at]
	value := i + 1
	if c.functionValue(at, value, name) {
		return
	}
	if c.is(value, "{") && c.match[value] > 0 && !c.indent {
		c.push(i, value, scope{class: c.words.keep(name)})
		return
	}
	if c.isWord(value) && c.tokens[value].first && c.indent {
		return
	}
	n, end := c.expression(value)
	if c.is(end, "{") && c.syntax == golang { // &Type{...}
		if kinds := c.kinds(); kinds != nil && base == "" && len(kinds) < 1000 {
			kinds[c.words.keep(name)] = typeNode(n)
		}
		return
	}
	if c.syntax == ruby && c.lastOf(end) { // @key ||= value
		c.returned(value)
	}
	if n = c.bound(n); c.counts(at) || c.defaulted(at) {
		n = hole
	}
	if c.is(i, "+=") || c.is(i, ".=") {
		old := c.bound(&node{kind: wordNode, text: name})
		if old.kind == wordNode && old.of == nil && old.text == name { // nothing is known of it
			return
		}
		n = &node{kind: joinNode, args: []*node{old, n}}
		c.sites = slices.DeleteFunc(c.sites, func(s *site) bool { return s.key == old && s.command == nil && s.function == c.function() })
	}
	locals := c.locals()
	if first := at; at > 1 && c.is(at-1, ",") && c.isWord(at-2) {
		for ; first > 1 && c.is(first-1, ",") && c.isWord(first-2); first -= 2 {
			c.forget(first - 2)
		}
		if v := n; locals != nil && v.kind == callNode && len(locals) < 1000 { // key, err := keyOf(id)
			c.set(c.words.keep(c.textOf(first)), v, c.is(i, ":="), false, 0)
		}
		n = hole
	}
	own := base == "this" || base == "self" || base == "cls" || base == "Self" || strings.HasPrefix(name, "@") || base == "$this"
	switch {
	case locals != nil && base == "" && !own && !c.inClass():
		if len(locals) < 1000 && !(n.kind == textNode && c.replacesEmpty(at, name)) {
			perhaps := at < i-1 && c.syntax.loose || c.conditional(at) ||
				c.syntax == ruby && (c.textOf(end) == "if" || c.textOf(end) == "unless")
			c.set(c.words.keep(name), n, c.is(i, ":=") || c.declares(at), perhaps,
				c.guardOf(c.function(), at, end))
		}
		if keyLike(name) {
			c.named(n, t)
		}
		if c.syntax.members && c.inConstructor() && !c.declares(at) {
			c.declare(name, c.class(), n, t)
		}
	case own && n.kind == paramNode && strings.HasPrefix(strings.ToLower(c.function().name), "set"):
		// programs that call the setter have another value
	case own:
		c.declare(strings.TrimLeft(name, "@"), c.class(), n, t)
	case base == "" || base == "exports" || base == "module":
		c.declare(name, c.class(), n, t)
	case base[0] >= 'A' && base[0] <= 'Z':
		c.declare(name, base, n, t)
	}
	constant := c.syntax.loose && name == strings.ToUpper(name) // of the keys of a class, not of a client
	if c.syntax != csharp && !constant && !c.declares(at) || strings.EqualFold(name, "instancename") ||
		c.syntax == csharp && name == "KeyPrefix" && c.says("StackExchangeRedisExtensions", strings.Contains) {
		c.option(name, n, t)
	}
}

// conditional reports whether the statement at a token is that of an if or an else without braces.
func (c *collector) conditional(at int) bool {
	if c.indent || at < 2 {
		return false
	}
	return c.textOf(at-1) == "else" || c.is(at-1, ")") && c.textOf(c.opening(at-1)-1) == "if"
}

// replacesEmpty reports whether the assignment at a token gives a variable of C# a value only if it has an empty one:
// if (string.IsNullOrEmpty(name)) name = "none".
func (c *collector) replacesEmpty(at int, name string) bool {
	if c.is(at-1, "{") {
		at--
	}
	open := c.opening(at - 1)
	return c.syntax == csharp && c.is(at-1, ")") && c.textOf(open-1) == "if" && c.textOf(open+5) == name &&
		strings.HasPrefix(c.textOf(open+3), "IsNullOr")
}

// empties are functions that make an empty text.
var empties = wordSet("new with_capacity NewBuffer Builder")

// builtText is the text of a join that calls add to.
const builtText = "builder"

// appended notes what a call adds to a text that a variable has: key.push_str(text) and write!(key, "{text}") of Rust,
// builder.WriteString(text) and fmt.Fprintf(&builder, format) of Go. In a block of its own, the call adds perhaps.
func (c *collector) appended(i int, args []*node) bool {
	name, text := c.textOf(i-2), hole
	switch word := c.textOf(i); {
	case word == "push_str" || word == "push" || word == "WriteString" || word == "WriteByte" || word == "WriteRune":
		text = args[0]
	case (word == "write" && c.is(i+1, "!") || word == "Fprintf" || word == "Fprint") && args[0].kind == wordNode:
		name = args[0].text
	case args[0].kind == wordNode && c.syntax == golang && c.locals()[args[0].text] != nil &&
		c.locals()[args[0].text].text == builtText:
		name = args[0].text // which another function may add to
	default:
		return false
	}
	locals := c.locals()
	old, known := locals[name]
	if locals == nil || !known && (c.syntax != golang || slices.Contains(c.function().params, name)) {
		return false
	}
	n := len(c.scopes) - 1
	for c.scopes[n].function == nil {
		n--
	}
	value := &node{kind: joinNode, text: builtText}
	if old != nil && old.text == builtText {
		value.index = old.index
	}
	if c.inner(&c.scopes[n]) && int(value.index) != len(c.blocks) {
		text = hole
	}
	switch {
	case old != nil && old.kind == joinNode && len(old.args) < maxArgs:
		value.args = slices.Clone(old.args)
	case old != nil && !(old.kind == callNode && empties[old.text]):
		value.args = []*node{old}
	}
	value.args = append(value.args, c.bound(text))
	locals[c.words.keep(name)] = value
	return len(args) == 1 || c.syntax == rust
}

// newBuilder reads var NAME strings.Builder of Go: an empty text. Its index is the number of blocks around it.
func (c *collector) newBuilder(name int) {
	if locals := c.locals(); locals != nil && c.is(name+2, ".") && len(locals) < 1000 &&
		(c.textOf(name+3) == "Builder" || c.textOf(name+3) == "Buffer") {
		locals[c.words.keep(c.textOf(name))] = &node{kind: joinNode, text: builtText, index: int16(len(c.blocks))}
	}
}

// declares reports whether the variable at a token is a new one.
func (c *collector) declares(at int) bool {
	if at == 0 || c.tokens[at].first || !c.isWord(at-1) {
		return false
	}
	word := c.textOf(at - 1)
	return strings.Contains(" let const val var mut ", " "+word+" ") || (c.syntax == java || c.syntax == csharp) && word != "else"
}

// inConstructor reports whether the function around has the name of its class.
func (c *collector) inConstructor() bool {
	f := c.function()
	return f != nil && f.name == f.container
}

func (c *collector) inClass() bool {
	n := len(c.scopes)
	return n > 0 && c.scopes[n-1].function == nil
}

// assigned returns the token of the name that is given a value, -1 if there is none.
func (c *collector) assigned(i int) int {
	at := i - 1
	if c.is(at, "|") || c.is(at, "||") || c.is(at, "?") || c.is(at, "??") {
		at-- // ||=
	}
	if c.syntax == golang {
		if at > 0 && c.isWord(at) && c.isWord(at-1) && !c.tokens[at].first {
			switch c.textOf(at - 1) {
			case "var", "const", "case", "if", "for", "else", "range", "return", "go":
			default:
				return at - 1 // name Type =
			}
		}
		if c.isWord(at) {
			return at
		}
		return -1
	}
	if c.syntax != java && c.syntax != csharp && c.syntax != php && c.syntax != ruby { // name: Type =
		for n := at; n > at-14 && n > 1; n-- {
			if c.tokens[n].line != c.tokens[at].line {
				break
			}
			if c.is(n, ":") {
				if c.isWord(n - 1) {
					return n - 1
				}
				return -1
			}
			if k := c.tokens[n].kind; k != wordToken && !(k == markToken && strings.IndexByte("<>[],.&|'?", c.tokens[n].mark) >= 0) {
				break
			}
		}
	}
	if at < 0 || !c.isWord(at) {
		return -1
	}
	return at
}

// baseOf returns what a name is a member of, "" nothing.
func (c *collector) baseOf(at int) string {
	if at < 2 || !c.isWord(at-2) {
		return ""
	}
	if c.is(at-1, ".") && c.concat != "." || c.is(at-1, "->") || c.is(at-1, "::") {
		return c.words.keep(c.textOf(at - 2))
	}
	return ""
}

func (c *collector) functionValue(at, value int, name string) bool {
	if c.isWord(value) && (c.textOf(value) == "async" || c.textOf(value) == "useCallback") {
		value++
	}
	open := 0
	if c.is(value, "<") && c.syntax == javaScript { // <T>(name) =>
		value = c.generic(value) + 1
	}
	switch {
	case c.isWord(value) && (c.textOf(value) == "function" || c.textOf(value) == "fn" || c.textOf(value) == "func"):
		for n := value + 1; n < value+4; n++ {
			if c.is(n, "(") {
				open = n
				break
			}
		}
		if open == 0 {
			return false
		}
	case c.is(value, "(") && c.syntax == javaScript:
		if open = value; !c.arrowFollows(int(c.match[value]) + 1) {
			return false
		}
	case c.isWord(value) && c.is(value+1, "=>") && c.syntax == javaScript:
		f := &function{name: c.words.keep(name), container: c.class(), params: []string{c.words.keep(c.textOf(value))}, source: c.file}
		c.functions = append(c.functions, f)
		if c.is(value+2, "{") {
			c.push(at, value+2, scope{function: f})
		} else {
			c.result(f, value+2)
		}
		return true
	default:
		return false
	}
	if c.match[open] == 0 {
		return false
	}
	return c.body(at, int(c.match[open])+1, name, c.class(), open)
}

// arrow reads => of a function without a name, or of a property of C#.
func (c *collector) arrow(i int) {
	switch {
	case c.syntax == javaScript && c.is(i+1, "{") && c.function() == nil:
		open := i - 1
		if c.is(open, ")") {
			open = c.opening(open)
		}
		c.callback(open, i+1)
	case c.syntax == csharp && i > 1 && c.isWord(i-1) && (c.isWord(i-2) || c.is(i-2, "?")) && len(c.scopes) > 0 && c.inClass():
		if c.textOf(i-1) != "get" && c.textOf(i-1) != "set" {
			c.result(c.newFunction(c.textOf(i-1), c.class(), 0), i+1)
		}
	case c.isWord(i - 1):
		c.forget(i - 1)
		if len(c.open) > 0 && c.open[len(c.open)-1] != '{' || c.syntax == php || c.syntax == ruby {
			break
		}
	case c.is(i-1, ")"):
		for n := int(c.opening(i - 1)); n > 0 && n < i; n++ {
			c.forget(n)
		}
	}
	if (c.syntax == php || c.syntax == ruby) && c.tokens[i-1].kind == textToken {
		t := &c.tokens[i-1]
		if name := c.src[t.body:t.tail]; c.syntax == php && (name == "prefix" || name == "connection") {
			c.prefixText(i-1, name)
		} else if prefixOptions[strings.ToLower(name)] {
			n, _ := c.expression(i + 1)
			c.option(name, c.bound(n), t)
		}
	}
}

// opening returns the token that opens the bracket which token i closes.
func (c *collector) opening(i int) int {
	for n := i - 1; n >= 0 && n > i-200; n-- {
		if c.match[n] == int32(i) {
			return n
		}
	}
	return 0
}

// property reads name: value of an object.
func (c *collector) property(i int, word string) {
	if n := len(c.open); n == 0 || c.open[n-1] != '{' || c.syntax != javaScript {
		c.defaultOf(i, word)
		begin := 0 // of the literal around
		if len(c.blocks) > 0 && c.syntax == golang {
			begin = c.blocks[len(c.blocks)-1]
		}
		member := begin > 0 && c.isWord(begin-1) && (namesKey(word) || c.file.redis)
		if prefixOptions[strings.ToLower(word)] || member {
			n, _ := c.expression(i + 2)
			n = c.bound(n)
			if c.option(word, n, &c.tokens[i]); member && (namesKey(word) || n.kind == joinNode || n.kind == callNode) {
				known := len(c.decls)
				c.declare(word, c.kept(begin-1), n, &c.tokens[i])
				if of := c.baseOf(begin - 1); of != "" && len(c.decls) > known {
					c.decls[known].of = c.file.aliasOf(of)
				}
			}
		}
		return
	}
	value := i + 2
	switch {
	case c.functionValue(i, value, word):
	case c.is(value, "{") && c.match[value] > 0:
		c.push(i, value, scope{class: c.words.keep(word)})
	case c.tokens[value].kind == textToken || prefixOptions[strings.ToLower(word)] ||
		c.isWord(value) && c.is(value+1, "(") && keyLike(c.class()):
		n, _ := c.expression(value)
		n = c.bound(n)
		if len(word) > 4 && strings.HasSuffix(word, "Key") && len(c.scopes) > 0 && !c.inClass() {
			c.declare(word, "", n, &c.tokens[i]) // of the object that a function returns
		} else if len(c.scopes) > 0 && c.inClass() || strings.HasSuffix(strings.ToLower(word), "prefix") {
			c.declare(word, c.class(), n, &c.tokens[i])
		}
		c.option(word, n, &c.tokens[i])
	}
}

// option notes the prefix of the keys of a client.
func (c *collector) option(name string, n *node, t *token) {
	if !prefixOptions[strings.ToLower(name)] || !c.file.redis || c.callees != nil || n.isNumber() {
		return
	}
	s := &site{key: n, line: t.line, source: c.file, function: c.function(), prefix: true}
	if c.syntax == csharp && strings.EqualFold(name, "instancename") {
		s.key, s.layer = fixedPrefix(n), distributedLayer
	} else if c.syntax == csharp && name == "KeyPrefix" { // of StackExchange.Redis.Extensions
		s.key, s.layer = fixedPrefix(n), keyspaceLayer
	} else if n.kind == holeNode || c.made > 0 && t.start < c.tokens[c.made].start || c.syntax == javaScript &&
		c.ofLibrary() {
		return
	}
	c.sites = append(c.sites, s)
}

// declare notes a constant or a member.
func (c *collector) declare(name, container string, value *node, t *token) {
	if len(c.decls) > 20_000 || c.callees != nil {
		return
	}
	if !useful(value, 0) && !(value.kind == paramNode && value.of == nil) {
		value = hole // it still says that the name has more than one meaning
	}
	d := &declaration{name: c.words.keep(strings.TrimLeft(name, "$")), container: container, value: value, line: t.line,
		source: c.file, in: c.function()}
	if keyLike(name) || keyLike(container) {
		d.text = c.lineOf(t)
	}
	c.decls = append(c.decls, d)
	given := func(n *node) bool { return n.kind == paramNode }
	if d.in != nil && c.jvm && c.inConstructor() && (given(value) || slices.ContainsFunc(value.args, given)) {
		if d.in.stored = value; d.in.several {
			d.in.stored = nil
		}
		d.in.several = true
	}
}

// named notes a value that a name says is a key.
func (c *collector) named(n *node, t *token) {
	if n.kind == holeNode || n.kind == wordNode || n.kind == paramNode || c.callees != nil {
		return
	}
	c.sites = append(c.sites, &site{key: n, sure: Likely, line: t.line, text: c.lineOf(t), function: c.function(), source: c.file})
}

// lineOf returns the line of a token, without spaces around it.
func (c *collector) lineOf(t *token) string {
	begin := int(t.start - t.column)
	line, _, _ := strings.Cut(c.src[begin:min(len(c.src), begin+maxLine)], "\n")
	return cutLine(line)
}

func cutLine(line string) string {
	return strings.Clone(strings.TrimSpace(line[:min(len(line), maxLine)]))
}

// bound returns an expression in which variables of the function around stand for their values.
func (c *collector) bound(n *node) *node { return c.boundTo(n, c.function()) }

func (c *collector) boundTo(n *node, f *function) *node {
	if f == nil {
		return n
	}
	return n.rewrite(func(n *node, _ rewriter) *node {
		if n.kind != wordNode || n.of != nil {
			return nil
		}
		if f == c.function() {
			if v, known := c.locals()[n.text]; known {
				if v.kind == textNode && v.text == "" {
					v = hole // it gets its value in a way that is not known
				}
				v = c.inForce(v, n.text)
				if n.label != "" {
					labelled := *v
					labelled.label = n.label
					return &labelled
				}
				return v
			}
		}
		if n.text == f.self && n.text != "" {
			return self
		}
		if i := slices.Index(f.params, n.text); i >= 0 {
			param := &node{kind: paramNode, index: int16(i), text: n.text, label: n.label, rest: f.rest && i == len(f.params)-1}
			if i < len(f.defaults) {
				param.of = f.defaults[i]
			}
			return param
		}
		return c.closed(n.text, f)
	})
}

// useful reports whether a key can have a value: a text, or what another name may have.
func useful(n *node, depth int) bool {
	if n == nil || depth > 8 {
		return false
	}
	switch n.kind {
	case holeNode:
		return false
	case textNode:
		return len(n.text) < 200 && strings.Count(n.text, " ") < 3 && !strings.Contains(n.text, "\n")
	case settingNode:
		return true
	case paramNode:
		return n.of != nil && (n.of.kind == textNode || n.of.kind == wordNode || n.of.kind == joinNode)
	case wordNode, callNode:
		if n.text != "" && n.text[0] >= 'A' && n.text[0] <= 'Z' || namesKey(n.text) || n.text == "caches" ||
			useful(n.of, depth+1) {
			return true
		}
	}
	for _, a := range n.args {
		if useful(a, depth+1) {
			return true
		}
	}
	return false
}
