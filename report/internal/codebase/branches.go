package codebase

import "slices"

// set assigns a value to a variable of the function around. If the variable has one of
// another block already, or gets this one only perhaps, either may be in force, unless that block has ended
// and this declares another variable.
func (c *collector) set(name string, value *node, declared, perhaps bool, g guard) {
	here := perhaps // in one block
	for n := len(c.scopes) - 1; n >= 0; n-- {
		s := &c.scopes[n]
		if s.function == nil {
			continue
		}
		old, known := s.locals[name]
		declared = declared && !slices.Contains(c.blocks, s.blocks[name])
		if known {
			perhaps = perhaps || s.blocks[name] < c.section() // not behind a block in the same one
		} else if known = (c.syntax.loose || c.syntax.typeFirst) && slices.Contains(s.function.params, name); known {
			old = c.bound(&node{kind: wordNode, text: name})
			perhaps = perhaps || c.inner(s)
		} else if known = c.syntax == golang && !declared && c.inner(s); known {
			perhaps = true
			if old = c.bound(&node{kind: wordNode, text: name}); old.kind == wordNode {
				old = &node{kind: textNode} // it has the zero value
			}
		}
		unknown := known && !c.syntax.loose && old.kind == holeNode
		if known && !declared && perhaps && !unknown && value.kind != holeNode {
			list := []*node{old}
			if old.kind == eitherNode {
				if list = old.args; !old.rest && slices.Contains(c.blocks, s.blocks[name]) {
					list = list[len(list)-1:] // the value from around the branch
				}
			}
			if len(list) > 1 && c.exhausts(len(list)-1, s.blocks[name]) {
				list = list[1:] // each branch gives it another value
			}
			if len(list) < maxChoices {
				value = &node{kind: eitherNode, args: append(list[:len(list):len(list)], value), rest: here}
				if len(list) == 1 {
					value.index = int16(g)
				}
			} else {
				value = old
			}
		}
		if last := len(s.locals[name].alternatives()) - 1; last > 0 && !perhaps && !declared &&
			s.blocks[name] == c.section() {
			value = &node{kind: eitherNode, args: append(slices.Clone(old.args[:last]), value)} // see inForce
		}
		delete(s.kinds, name)
		s.locals[name], s.blocks[name] = value, c.section()
		return
	}
}

// maxChoices is the number of values of a variable.
const maxChoices = 8

// inForce returns the value of a variable that may have several: the last one in the block that gave it, and in the
// other branches of a condition, those from before.
func (c *collector) inForce(v *node, name string) *node {
	n := len(c.scopes) - 1
	for n >= 0 && c.scopes[n].function == nil {
		n--
	}
	last := len(v.alternatives()) - 1
	if last < 0 || n < 0 || v.rest || len(c.blocks) > 64 {
		return v
	}
	block := c.scopes[n].blocks[name]
	if block < 0 || slices.Contains(c.blocks, block) || block == c.section() {
		return v.args[last]
	}
	for _, e := range c.blocks {
		branches := 0
		for e > block && branches < maxChoices {
			e, branches = c.priorBranch(e), branches+1
		}
		if e == block {
			for e = c.priorBranch(e); e >= 0 && branches < last; e = c.priorBranch(e) {
				branches++
			}
			if branches < last {
				other := *v
				other.args, other.index = v.args[:last+1-branches], 0
				return &other
			}
			return v.args[0]
		}
	}
	return v
}

// priorBranch returns the block of the branch before that of a block, of the same condition, -1 if there is none.
func (c *collector) priorBranch(block int) int {
	n := block - 1
	if !c.indent {
		if c.is(n, ")") {
			if n = c.opening(n) - 1; c.textOf(n) == "if" {
				n--
			}
		}
		if word := c.textOf(n); (word == "else" || word == "elseif") && c.is(n-1, "}") && c.opening(n-1) > 0 {
			return c.opening(n - 1)
		}
		return -1
	}
	if word := c.textOf(block); word != "else" && word != "elif" && word != "elsif" {
		return -1
	}
	for ; n > max(0, block-2000); n-- {
		if t := &c.tokens[n]; t.first && t.column <= c.tokens[block].column {
			if word := c.textOf(n); t.column == c.tokens[block].column && (word == "if" || word == "unless" ||
				word == "elif" || word == "elsif") {
				return n
			}
			return -1
		}
	}
	return -1
}

// exhausts reports whether the statement around is in the else of a condition with so many other branches, of which the
// last has a block.
func (c *collector) exhausts(others, block int) bool {
	at := c.block()
	if at < 0 || c.textOf(at) != "else" && (c.indent || c.textOf(at-1) != "else") || c.priorBranch(at) != block {
		return false
	}
	for ; others > 0 && at >= 0; others-- {
		at = c.priorBranch(at)
	}
	return at >= 0 && c.priorBranch(at) < 0
}

// alternatives returns the values of a variable that has several, nil if it has one.
func (n *node) alternatives() []*node {
	if n == nil || n.kind != eitherNode || n.text != "" {
		return nil
	}
	return n.args
}
