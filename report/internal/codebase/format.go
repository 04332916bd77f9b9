package codebase

import "strings"

// formatCall returns the value of a format function whose arguments are a format
// and values. The format is either that of printf or one with braces.
func (p *program) formatCall(args []*node, at frame) []string {
	if len(args) == 0 {
		return vary()
	}
	format := p.eval(args[0], at)
	switch at.source.syntax {
	case rust, csharp:
		return p.formatNamed(format, args[1:], at)
	case java, kotlin:
		if len(args) > 1 && len(format) == 1 && format[0] == "" { // String.format(locale, format, ...)
			return p.format(p.eval(args[1], at), p.values(args[2:], at), 0)
		}
	}
	if len(args) == 2 && args[1].kind == listNode { // vsprintf
		args = append(args[:1:1], args[1].args...)
	}
	return p.format(format, p.values(args[1:], at), 0)
}

// formatWith returns the value of a format of the JVM, which has either verbs of printf or braces.
func (p *program) formatWith(n *node, args []*node, at frame) []string {
	format := p.eval(n, at)
	if strings.Contains(Join(format), "%") {
		return p.format(format, p.values(args, at), 0)
	}
	return p.formatNamed(format, args, at)
}

// format replaces the verbs of printf in the texts of a format.
func (p *program) format(format []string, values [][]string, used int) (list []string) {
	for _, s := range format {
		if s == "" {
			list = add(list, "")
		}
		for s != "" {
			i := strings.IndexByte(s, '%')
			if i < 0 || i+1 == len(s) {
				list = add(list, s)
				break
			}
			if i > 0 {
				list = add(list, s[:i])
			}
			s = s[i+1:]
			if s[0] == '%' {
				list, s = add(list, "%"), s[1:]
				continue
			}
			named := false
			if end := strings.IndexAny(s, ")>}"); end > 0 && strings.IndexByte("(<{", s[0]) >= 0 { // %(name)s, %<name>s, %{name}
				if s[0] == '{' {
					list, s = add(list, ""), s[end+1:]
					continue
				}
				named, s = true, s[end+1:]
			}
			n := 0
			for n < len(s) && strings.IndexByte("0123456789.+-# $*l", s[n]) >= 0 {
				n++
			}
			index := used
			if d := strings.IndexByte(s[:n], '$'); d == 1 {
				index = int(s[0] - '1')
			} else {
				used++
			}
			s = s[min(n+1, len(s)):]
			if !named && index < len(values) && index >= 0 {
				list = add(list, orVary(values[index])...)
			} else {
				list = add(list, "")
			}
		}
	}
	return list
}

// orVary returns parts, or one that varies if they are an empty text.
func orVary(parts []string) []string {
	if len(parts) == 0 {
		return vary()
	}
	return parts
}

// formatNamed replaces {}, {0} and {name} in the texts of a format.
func (p *program) formatNamed(format []string, args []*node, at frame) (list []string) {
	used := 0
	for _, s := range format {
		if s == "" {
			list = add(list, "")
		}
		for s != "" {
			i := strings.IndexAny(s, "{}")
			if i < 0 {
				list = add(list, s)
				break
			}
			if i+1 < len(s) && s[i+1] == s[i] || s[i] == '}' {
				list, s = add(list, s[:i+1]), s[min(i+2, len(s)):]
				continue
			}
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				list = add(list, s)
				break
			}
			if i > 0 {
				list = add(list, s[:i])
			}
			name, _, _ := strings.Cut(s[i+1:i+end], ":")
			name, _, _ = strings.Cut(name, "!")
			s = s[i+end+1:]
			list = add(list, orVary(p.named(name, &used, args, at))...)
		}
	}
	return list
}

func (p *program) named(name string, used *int, args []*node, at frame) []string {
	index := -1
	switch {
	case name == "":
		index = *used
		*used++
	case len(name) == 1 && isDigit(name[0]):
		index = int(name[0] - '0')
	default:
		for _, a := range args {
			if a.label == name {
				return p.eval(a, at)
			}
		}
		if at.source.syntax == rust && isWordStart(name[0]) {
			return p.name(&node{kind: wordNode, text: name}, at)
		}
	}
	if index >= 0 && index < len(args) {
		return p.eval(args[index], at)
	}
	return vary()
}

// joinCall returns the value of ":".join(list), list.join(":"), join(":", list) and
// join(list, ":").
func (p *program) joinCall(n *node, at frame) []string {
	of, args := n.of, n.args
	if list := p.elements(of, at); list != nil && len(args) <= 1 {
		return joined(list, p.join(args, nil, at))
	}
	if of != nil && of.kind != wordNode && len(args) == 1 && !at.source.syntax.jvm {
		if list := p.elements(args[0], at); list != nil {
			return joined(list, p.eval(of, at))
		}
	}
	if len(args) == 2 {
		for i, a := range args {
			if list := p.elements(a, at); list != nil {
				return joined(list, p.eval(args[1-i], at))
			}
		}
	}
	if on := p.joiner(of, at); on != nil && len(args) > 0 {
		if list := p.elements(args[0], at); list != nil && len(args) == 1 {
			return joined(list, p.eval(on, at))
		} else if len(args) > 1 {
			return p.join(args, p.eval(on, at), at)
		}
	}
	if len(args) > 2 && of != nil && of.kind == wordNode && joiningClasses[strings.ToLower(of.text)+" "+strings.ToLower(n.text)] {
		return p.join(args[1:], p.eval(args[0], at), at) // String.join(":", a, b)
	}
	return vary()
}

// joiner returns the separator of a Joiner of Guava, nil if an expression is none: Joiner.on(":").skipNulls().
func (p *program) joiner(n *node, at frame) *node {
	if n != nil && n.kind == wordNode && at.source.syntax.jvm {
		if d, _ := p.declaration(n, at); d != nil {
			n = d.value
		}
	}
	for depth := 0; n != nil && n.kind == callNode && depth < 4; n, depth = n.of, depth+1 {
		if n.text == "on" && len(n.args) == 1 && n.of != nil && n.of.text == "Joiner" {
			return n.args[0]
		}
	}
	return nil
}

// joiningClasses are classes with static methods that take a separator and what it joins: of the languages, of Hutool
// and of Apache Commons.
var joiningClasses = map[string]bool{"string join": true, "strutil join": true, "charsequenceutil join": true,
	"stringutils joinwith": true}

// elements returns the values of a list, or of the last parameters of a function that takes any
// number of them; nil if they are not known.
func (p *program) elements(n *node, at frame) [][]string {
	for n != nil && n.of != nil && (n.text == "compact" || n.text == "freeze") {
		n = n.of
	}
	if n != nil && n.kind == callNode && n.of == nil && len(n.args) > 0 && listCalls[n.text] {
		if n = n.args[len(n.args)-1]; n.kind != listNode {
			return nil
		}
	}
	switch {
	case n != nil && n.kind == listNode:
		if last := len(n.args) - 1; last >= 0 && n.args[last].rest && int(n.args[last].index) <= len(at.arguments) {
			return append(p.values(n.args[:last], at), at.arguments[n.args[last].index:]...) // [a, *rest]
		}
		return p.values(n.args, at)
	case n != nil && n.kind == paramNode && n.rest && int(n.index) < len(at.arguments):
		return at.arguments[n.index:]
	}
	return nil
}

// listCalls are functions that give the elements of their last argument.
var listCalls = wordSet("array_map array_values map")

// joined returns values one after the other, with a separator.
func joined(values [][]string, separator []string) (list []string) {
	for i, v := range values {
		if i > 0 {
			list = add(list, separator...)
		}
		list = add(list, v...)
	}
	return list
}
