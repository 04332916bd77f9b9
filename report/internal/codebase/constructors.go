package codebase

import (
	"slices"
)

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
			key := s.stored(c.key, made, f)
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
func (s *scanner) stored(n *node, made, method *function) *node {
	at := frame{source: made.source, container: made.container}
	return n.rewrite(func(n *node, again rewriter) *node {
		switch own := n.of == nil || isSelf(n.of, made.source.syntax); {
		case n.kind == paramNode:
			return hole
		case n.kind == wordNode && own:
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
		case n.kind == callNode && own:
			if f, _ := s.program.function(n, at); f != nil && f != method && f.source == made.source &&
				f.container == made.container && len(f.returns) == 1 {
				return again(given(f.returns[0].value, f.order(n.args)))
			}
		}
		return nil
	})
}

// given returns the value of a function in which arguments stand for its parameters.
func given(n *node, args []*node) *node {
	return n.rewrite(func(n *node, _ rewriter) *node {
		switch {
		case n.kind != paramNode:
			return nil
		case int(n.index) < len(args):
			return args[n.index]
		}
		return hole
	})
}
