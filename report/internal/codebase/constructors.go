package codebase

import (
	"maps"
	"slices"
	"strings"
)

// maxCopies is the number of nodes that are made for one key.
const maxCopies = 1000

// constructors notes that a constructor passes on what it stores in a member, if a method of the class builds the key
// of a command of it.
func (s *scanner) constructors(sites []*site) {
	for _, c := range sites {
		f := c.function
		if c.command == nil || c.setup != nil || c.prefix || f == nil || f.container == "" || f.called() == f.container ||
			c.source.syntax.loose && c.source.syntax != python {
			continue
		}
		for _, made := range nearby(s.program.functions[f.container], c.source) {
			if made.source != c.source || made.container != made.called() || len(made.passes) >= 8 {
				continue
			}
			s.copies = 0
			key := s.stored(c.key, made, f, 0)
			if len(parametersOf(nil, key, 0)) == 0 || slices.ContainsFunc(made.passes, func(p passed) bool {
				return p.command.name == c.command.name
			}) {
				continue
			}
			made.passes = append(made.passes, passed{key: key, command: c.command, sure: c.sure, expiry: c.expiry,
				before: c.before, needs: c.needs})
		}
	}
}

// called returns the name in a call of a function: that of its class for a constructor of Python.
func (f *function) called() string {
	if f.name == "__init__" && f.source.syntax == python && f.container != "" {
		return f.container
	}
	return f.name
}

// stored returns an expression of a method in which the parameters of a constructor stand for the members that store
// them.
func (s *scanner) stored(n *node, made, method *function, depth int) *node {
	at := frame{source: made.source, container: made.container}
	switch {
	case n == nil:
		return nil
	case n.kind == paramNode || depth > maxDepth/2 || s.copies > maxCopies:
		return hole
	case n.kind == wordNode && (n.of == nil || isSelf(n.of, made.source.syntax)):
		d, _ := s.program.declaration(n, at)
		if d == nil && (made.source.syntax == kotlin || made.source.syntax == csharp) {
			if i := slices.Index(made.params, n.text); i >= 0 {
				return &node{kind: paramNode, index: int16(i), text: n.text}
			}
		}
		if d == nil || d.in != made || len(parametersOf(nil, d.value, 0)) == 0 {
			return n
		}
		return d.value
	case n.kind == callNode && (n.of == nil || isSelf(n.of, made.source.syntax)):
		if f, _ := s.program.function(n, at); f != nil && f != method && f.source == made.source &&
			f.container == made.container && len(f.returns) == 1 {
			return s.stored(s.given(f.returns[0].value, f.order(n.args), 0), made, f, depth+1)
		}
	case n.of == nil && len(n.args) == 0:
		return n
	}
	m := *n
	s.copies++
	m.of, m.args = s.stored(n.of, made, method, depth+1), nil
	for _, a := range n.args {
		m.args = append(m.args, s.stored(a, made, method, depth+1))
	}
	return &m
}

// given returns the value of a function in which arguments stand for its parameters.
func (s *scanner) given(n *node, args []*node, depth int) *node {
	switch {
	case n == nil || n.kind != paramNode && n.of == nil && len(n.args) == 0:
		return n
	case depth > maxDepth || s.copies > maxCopies:
		return hole
	case n.kind == paramNode && int(n.index) < len(args):
		return args[n.index]
	case n.kind == paramNode:
		return hole
	}
	m := *n
	s.copies++
	m.of, m.args = s.given(n.of, args, depth+1), nil
	for _, a := range n.args {
		m.args = append(m.args, s.given(a, args, depth+1))
	}
	return &m
}

// objects notes members of objects that are the keys of commands: cache.set(key.text, value).
func (s *scanner) objects(sites []*site) {
	s.members = map[string]*site{}
	for _, c := range sites {
		if c.command == nil || c.key == nil || c.key.of == nil || c.key.of.of != nil || len(c.key.args) > 0 ||
			c.key.kind != wordNode && c.key.kind != callNode {
			continue
		}
		class := c.source.types[strings.ToLower(c.key.of.text)]
		if name := class + "." + c.key.text; class != "" && keyLike(name) && s.members[name] == nil {
			s.members[name] = c
		}
	}
}

// member returns a site whose key is a member of a class or of what that extends, nil if there is none.
func (s *scanner) member(in *source, class, name string) *site {
	if len(s.members) == 0 {
		return nil
	}
	for _, class := range append(slices.Sorted(maps.Keys(in.supers)), class) {
		if c := s.members[class+"."+name]; c != nil {
			return c
		}
	}
	return nil
}

// superclass returns the name of what the class around extends, if the word of a call means its constructor.
func (c *collector) superclass(word string) string {
	if word == "super" && c.syntax == java || word == "base" && c.syntax == csharp {
		for _, s := range slices.Backward(c.scopes) {
			if s.class != "" {
				return s.super
			}
		}
	}
	return ""
}
