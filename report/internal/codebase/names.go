package codebase

import (
	"cmp"
	"slices"
	"strings"
)

// isSelf reports whether an expression is the object around.
func isSelf(n *node, in *syntax) bool {
	if n != nil && (n.text == "class" || n.text == "__class__") {
		n = n.of // self.class.key
	}
	if n == nil || n.kind != wordNode || n.of != nil {
		return false
	}
	switch n.text {
	case "this", "self", "cls", "$this", "static", "Self", "super", "parent":
		return true
	case "base":
		return in == csharp
	}
	return false
}

// qualifier returns the name before a name, "" if there is none.
func qualifier(n *node, in *syntax) string {
	if n.of != nil && (n.of.kind == wordNode || n.of.kind == paramNode) && !isSelf(n.of, in) {
		return n.of.text
	}
	return ""
}

// declaration returns the constant that a name means, nil if that is not certain.
func (p *program) declaration(n *node, at frame) (*declaration, int) {
	if n.of != nil && n.of.kind != wordNode && n.of.kind != paramNode && at.source.syntax != rust {
		return nil, 0
	}
	d, rank := choose(p.constants[strings.TrimLeft(n.text, "@$")], n, at)
	if class := qualifier(n, at.source.syntax); d != nil && class != d.container && (d.enum ||
		p.classes[class] == enumClass) {
		return nil, 0 // an enum inherits nothing
	}
	if d != nil && rank < 8 && (n.of == nil || isSelf(n.of, at.source.syntax)) && at.container != "" &&
		slices.ContainsFunc(p.functions[at.container], func(f *function) bool {
			return f.source == at.source && f.container == at.container && slices.Contains(f.params, n.text)
		}) {
		return nil, 0 // it stores what the constructor gets
	}
	return d, rank
}

// function returns the function that a name means, nil if that is not certain.
func (p *program) function(n *node, at frame) (*function, int) {
	list := p.functions[n.text]
	if (n.kind == callNode || at.source.syntax == ruby) && len(list) > 1 && len(list) <= maxSame {
		if fitting := slices.DeleteFunc(slices.Clone(list), func(f *function) bool { return !f.takes(len(n.args)) }); len(fitting) > 0 {
			list = fitting
		}
	}
	return choose(list, n, at)
}

// takes reports whether a function can be called with a number of arguments.
func (f *function) takes(n int) bool {
	if f.groups != nil {
		return n <= len(f.groups)
	}
	return f.rest || n == len(f.params) || n < len(f.defaults) && f.defaults[n] != nil
}

// choose returns what a name means at a place: a member of the class around, of the
// file, of the directory, or of what is imported, and how near that is; nil if several
// are as near.
func choose[T placed](list []T, n *node, at frame) (best T, score int) {
	if len(list) == 0 {
		return best, 0
	}
	qualified, self := qualifier(n, at.source.syntax), isSelf(n.of, at.source.syntax) || strings.HasPrefix(n.text, "@")
	imported, constant, ties := at.source.imports[n.text], isConstant(n.text) && (n.of != nil || len(n.text) > 3), 0
	list = nearby(list, at.source)
	configured := at.source.syntax == javaScript && strings.HasSuffix(n.text, "Prefix") &&
		mentionsAny(n.of, settingWords[1:5])
	overridden := false // by a class that extends the one around
	single := 0         // definitions of the language
	for _, d := range list {
		if source, _ := d.place(); source.syntax.shares(at.source.syntax) {
			single++
		}
	}
	for _, d := range list {
		source, container := d.place()
		if !source.syntax.shares(at.source.syntax) {
			continue
		}
		if n.of == nil && !self && container != "" && !source.syntax.members &&
			!(n.kind == callNode && container == n.text) && !(at.body && source == at.source &&
			container == at.container) {
			continue // a member is not named alone
		}
		if n.of != nil && !self && n.kind == callNode && source.syntax.loose && !called(d, len(n.args)) {
			continue
		}
		same, rank := source == at.source, 0
		constant := (constant || n.kind == callNode && container == n.text) && // its constructor
			!(source.syntax == ruby && !same && !method(d) && !isUpper(n.text) && n.text[0] != '$')
		switch {
		case qualified != "":
			switch {
			case at.source.instance(qualified, source, container) && method(d):
				rank = 4
			case extends(d) && (same || imported || single == 1):
				rank = 4
			case source.syntax == javaScript && n.of.kind == paramNode && !namesKey(n.text):
			case container == qualified && (same || at.source.imports[container] || container != "" &&
				container[0] >= 'A' && container[0] <= 'Z'):
				rank = 4
			case container == qualified && source.syntax == javaScript && mentionsAny(n.of, keyWords):
				rank = 4 // of keys.user.name(id)
			case strings.EqualFold(container, qualified) && namesKey(n.text): // a variable with the name of its class
				rank = 4
			case source.syntax == golang && lastWord(source.dir) == at.source.aliasOf(qualified) && container == "":
				rank = 4
			case strings.EqualFold(source.base, qualified), lastWord(source.dir) == qualified:
				rank = 3
			case single == 1 && (imported && source.syntax != javaScript || configured || constant && (!source.syntax.members ||
				n.text == strings.ToUpper(n.text))), single == 1 && n.kind == callNode && namesKey(n.text) &&
				at.source.types[strings.ToLower(qualified)] != "":
				rank = 1
			}
			if rank > 0 && same {
				rank++
			}
		case n.of != nil && !self && single == 1 && namesKey(n.text):
			rank = 1
		case n.of != nil && !self:
		case (self || container != "" && container == at.container) && source.syntax == golang && d.pack() != at.source.dir &&
			d.pack() != lastWord(at.source.dir):
		case self || container != "" && container == at.container:
			switch {
			case container != "" && container == at.container && same:
				rank = 9
			case container != "" && container == at.container:
				rank = 6
			case at.source.supers[container]:
				rank = 2 // of a class that it extends
			case single == 1 && method(d) && mixedIn(n, source, at.source.imports[container]):
				rank = 1
			}
		case same:
			rank = 8
		case source.syntax == ruby && n.of == nil && container != "" && at.source.supers[container]:
			rank = 2
		case source.dir == at.source.dir && (source.syntax == golang || imported || constant):
			rank = 5
		case imported:
			rank = 4
		case constant && single == 1 || source.syntax == python && imported:
			rank = 3
		case single == 1 && method(d) && mixedIn(n, source, false):
			rank = 1
		}
		overridden = overridden || rank == 0 && self && (source.syntax.loose || source.syntax == javaScript) && container != "" && source.supers[at.container]
		if rank == 0 {
			continue
		}
		if rank > score {
			best, score, ties = d, rank, 0
		} else if rank == score && !sameText(best, d) {
			ties++
		}
	}
	if ties > 0 || overridden {
		best = *new(T)
	}
	return best, score
}

// mixedIn reports whether the only method of a name is likely one that a class gets from a module of Ruby or from a
// trait of PHP, which its file names. A record has a cache_key of its own.
func mixedIn(n *node, source *source, named bool) bool {
	return n.kind == callNode && (source.syntax == php && named ||
		source.syntax == ruby && len(n.text) > 9 && strings.Contains(n.text, "_"))
}

// sameText reports whether two definitions are constants with one text.
func sameText(a, b any) bool {
	x, _ := a.(*declaration)
	y, _ := b.(*declaration)
	return x != nil && y != nil && x.value.kind == textNode && y.value.kind == textNode && x.value.text == y.value.text
}

// extends reports whether a definition is a function of Kotlin that extends a class.
func extends(d any) bool {
	f, ok := d.(*function)
	return ok && f.extends
}

// called reports whether a call of any object with a number of arguments may be that of a definition: getKey() is one
// of every model of Laravel.
func called(d any, args int) bool {
	f, ok := d.(*function)
	return !ok || f.takes(args) && !(args == 0 && f.name == "getKey" && f.source.syntax == php)
}

// method reports whether a definition is a function.
func method(d any) bool {
	_, ok := d.(*function)
	return ok
}

// instance reports whether a variable has a class of another file, or one that this extends.
func (s *source) instance(variable string, other *source, class string) bool {
	kind := s.types[strings.ToLower(variable)]
	return kind != "" && (strings.EqualFold(class, kind) ||
		class != "" && s.syntax != rust && other.supers[kind] && s.classes[kind] != 0)
}

// aliasOf returns the last word of the path of a package of Go that a file has under a name.
func (s *source) aliasOf(name string) string {
	return cmp.Or(s.types["import "+name], name)
}

var keyWords = []string{"key", "prefix"}

// namesKey reports whether a name says that its value is a key or the beginning of one.
func namesKey(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "key") || strings.Contains(lower, "prefix")
}

// arithmetic reports whether parts with a number are likely numbers that are added up: month + 1. In the languages
// that add no number to a text they are.
func (s *syntax) arithmetic(parts []*node) bool {
	return s == ruby || s == python || s == golang || s == rust || !slices.ContainsFunc(parts, func(n *node) bool {
		switch n.kind {
		case textNode:
			return n.text == "" || !isDigit(n.text[0])
		case callNode:
			return namesKey(n.text)
		case wordNode:
			return namesKey(n.text) || isUpper(n.text)
		}
		return n.kind != holeNode
	})
}

func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

func isConstant(name string) bool {
	return len(name) > 2 && name == strings.ToUpper(name) || strings.Contains(strings.ToLower(name), "key")
}

// lastWord returns the last name of a path, or of a receiver.
func lastWord(path string) string { return path[strings.LastIndexAny(path, "/.")+1:] }
