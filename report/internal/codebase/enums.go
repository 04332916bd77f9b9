package codebase

import (
	"slices"
	"strings"
)

// enumMember notes the name of a constant of an enum.
func (c *collector) enumMember(i int, word string) {
	n := len(c.scopes)
	if n == 0 || !c.scopes[n-1].enum || !c.jvm && c.syntax != csharp || c.callees != nil || !isUpper(word) ||
		!c.tokens[i].first && !c.is(i-1, ",") && !c.is(i-1, "{") {
		return
	}
	if t := &c.tokens[i+1]; t.kind == markToken && strings.IndexByte(",=}(;", t.mark) >= 0 {
		c.classes[c.words.keep(c.class()+"."+word)] = enumClass
	}
}

// enumConstant declares the constant of an enum of Java or Kotlin at a token, with the arguments of its constructor.
func (c *collector) enumConstant(i int, name string) bool {
	n := len(c.scopes)
	if n == 0 || !c.scopes[n-1].enum || !c.jvm || !c.tokens[i].first && !c.is(i-1, ",") && !c.is(i-1, "{") {
		return false
	}
	args := c.arguments(i + 1)
	if !slices.ContainsFunc(args, func(a *node) bool { return useful(a, 0) }) {
		return false
	}
	known := len(c.decls)
	if c.declare(name, c.class(), &node{kind: listNode, args: args}, &c.tokens[i]); len(c.decls) > known {
		c.decls[known].enum = true
	}
	return true
}

// ofConstant returns the value of a method or a property of a constant of an enum, as in
// Kind.CART.getPrefix(), nil if it is not known.
func (p *program) ofConstant(n *node, at frame) []string {
	constant := n.of
	if !at.source.syntax.jvm || constant == nil || constant.kind != wordNode || constant.of == nil ||
		constant.of.kind != wordNode || len(constant.text) < 2 || constant.text != strings.ToUpper(constant.text) {
		return nil
	}
	class := constant.of
	at.constant, at.member = constant.text, nil
	if d, _ := p.declaration(constant, at); d != nil && d.enum {
		at.member = d
	} else if d != nil {
		return nil // a text
	}
	if f, _ := p.function(&node{kind: callNode, text: n.text, of: class, args: n.args}, at); f != nil &&
		f.container == class.text {
		return p.result(f, p.values(n.args, at), at)
	}
	if n.text == "name" || n.text == "toString" && n.kind == callNode {
		return []string{constant.text}
	}
	if len(n.args) > 0 {
		return nil // of a method that is not known
	}
	return p.field(at.member, n.text)
}

// field returns the value of a member of a constant of an enum, or of its getter; that of "" is its
// only text. It is nil if it is not known.
func (p *program) field(d *declaration, name string) []string {
	if d == nil {
		return nil
	}
	name = strings.ToLower(strings.TrimPrefix(name, "get"))
	value := d.only()
	for _, f := range p.functions[d.container] {
		if f.source != d.source || f.container != d.container || len(f.params) != len(d.value.args) {
			continue
		}
		for i, param := range f.params {
			if strings.ToLower(param) == name {
				value = d.value.args[i]
			}
		}
	}
	v := p.eval(value, frame{source: d.source, container: d.container})
	p.reach(&d.use, v)
	return v
}

// only returns the value of a declaration: of a constant of an enum the only argument that is a text, or
// may be one, nil if there are several.
func (d *declaration) only() (only *node) {
	if !d.enum {
		return d.value
	}
	for _, a := range d.value.args {
		switch {
		case !useful(a, 0):
		case only == nil || a.kind == textNode && only.kind != textNode:
			only = a
		case a.kind == textNode || only.kind != textNode:
			return nil
		}
	}
	return only
}

// isEnum reports whether an expression is a constant of an enum whose text is its name.
func (p *program) isEnum(n *node, at frame) bool {
	if n.kind != wordNode || n.of == nil || n.of.of != nil && (at.source.syntax != csharp || !isUpper(n.of.of.text)) {
		return false
	}
	class := qualifier(n, at.source.syntax)
	return p.classes[class+"."+n.text] == enumClass && !p.hasText(class)
}

// hasText reports whether an enum says itself what its text is.
func (p *program) hasText(class string) bool {
	return slices.ContainsFunc(p.functions["toString"], func(f *function) bool { return f.container == class })
}

// joins reports whether a value has a parameter of its function between other texts.
func joins(n *node, param, depth int) bool {
	if n == nil || depth > 8 {
		return false
	}
	return n.kind == joinNode && slices.ContainsFunc(n.args, func(a *node) bool {
		return a.kind == paramNode && int(a.index) == param
	}) || joins(n.of, param, depth+1) || slices.ContainsFunc(n.args, func(a *node) bool { return joins(a, param, depth+1) })
}

// numbers are types of C# for which a constant of an enum is a number.
var numbers = wordSet("int long short byte uint")
