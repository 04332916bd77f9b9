package codebase

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxParts = 40
	maxText  = 300
	maxEval  = 3000 // nodes that are read to know one key
)

// A program is what is known of all files.
type program struct {
	constants map[string][]*declaration // by name
	functions map[string][]*function    // by name
	settings  map[string]setting        // of the application, by path
	steps     int
	reached   []reach // constants and functions whose values the last key has
	several   any     // the variable or the function of the last key that has several values
	choice    int     // which of them is taken
	choices   int
}

// A frame is the place of an expression, and the values of the parameters there.
type frame struct {
	source    *source
	container string
	arguments [][]string
	depth     int
	part      bool // of a text, which the defaults of parameters would make too narrow
}

// place returns the frame of a site.
func (s *site) frame() frame {
	f := frame{source: s.source}
	if s.function != nil {
		f.container = s.function.container
	}
	return f
}

// vary is the value of what is not known. The values of expressions are parts of names: a text, or
// "" for what varies.
func vary() []string { return []string{""} }

// constant reports whether parts are one text.
func constant(parts []string) (string, bool) {
	if len(parts) == 1 && parts[0] != "" {
		return parts[0], true
	}
	return "", len(parts) == 0
}

// literal reports whether any part is a text.
func literal(parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return p != "" })
}

// add appends parts, and joins texts that meet.
func add(list []string, more ...string) []string {
	for _, p := range more {
		n := len(list)
		switch {
		case n > 0 && (p == "") == (list[n-1] == ""):
			list[n-1] += p
		case n < maxParts:
			list = append(list, p)
		}
	}
	return list
}

// eval returns what is known of the value of an expression.
func (p *program) eval(n *node, at frame) []string {
	if p.steps++; n == nil || p.steps > maxEval || at.depth > maxNesting {
		return vary()
	}
	switch n.kind {
	case textNode:
		if n.text == "" {
			return nil
		}
		return []string{n.text}
	case joinNode:
		return p.join(n.args, nil, at)
	case orNode:
		if v := p.eval(n.args[0], at); literal(v) {
			return v
		}
		if isSetting(n.args[0]) {
			return p.eval(n.args[1], at)
		}
		return vary()
	case eitherNode:
		unknown := func(a *node) bool { return a.kind == paramNode || a.kind == holeNode }
		if at.part && at.source.syntax.loose && slices.ContainsFunc(n.args, unknown) {
			return vary()
		}
		if i := p.pick(n, len(n.args)); i >= 0 {
			return p.eval(n.args[i], at)
		}
	case paramNode:
		if i := int(n.index); i < len(at.arguments) {
			return at.arguments[i]
		}
		if n.of != nil && !at.part { // the default is likely in force
			return p.eval(n.of, at)
		}
		return vary()
	case wordNode:
		return p.name(n, at)
	case callNode:
		return p.call(n, at)
	case settingNode:
		if v := p.settings[n.text]; v.value != "" && !v.ambiguous && !strings.Contains(v.value, "${") {
			return []string{v.value}
		} else if v.value == "" && n.label != "" {
			return []string{n.label}
		}
	}
	return vary()
}

// isSetting reports whether a value comes from the environment or the configuration, so
// that a default for it is likely in force.
func isSetting(n *node) bool {
	for depth := 0; n != nil && depth < 6; n, depth = n.of, depth+1 {
		name := strings.ToLower(n.text)
		for _, word := range [...]string{"env", "config", "option", "opts", "setting", "prefix", "param"} {
			if strings.Contains(name, word) {
				return true
			}
		}
	}
	return false
}

// join returns the values of expressions one after the other, with a separator.
func (p *program) join(args []*node, separator []string, at frame) []string {
	return joined(p.values(args, at), separator)
}

// name returns the value of a constant or a member.
func (p *program) name(n *node, at frame) []string {
	if at.source.syntax == kotlin && n.text == "name" && n.of != nil && n.of.kind == wordNode && n.of.of != nil &&
		len(n.of.text) > 2 && n.of.text == strings.ToUpper(n.of.text) {
		return []string{n.of.text} // of a member of an enum
	}
	if n.of != nil && (n.text == "value" || n.text == "key" && n.of.kind == wordNode && n.of.text != "self" || n.text == "Value" || n.text == "name" || n.text == "prefix") && n.of.of != nil {
		if v := p.name(n.of, at); literal(v) { // a member of an enum
			return v
		}
	}
	if n.of != nil && n.of.kind == textNode {
		return p.eval(n.of, at) // "text".freeze
	}
	if passThrough[strings.ToLower(n.text)] && n.of != nil {
		return p.eval(n.of, at)
	}
	d, rank := p.declaration(n, at)
	f, other := p.function(n, at)
	if !at.source.syntax.getters {
		f = nil
	}
	if d != nil && rank >= other {
		v := p.eval(d.value, frame{source: d.source, container: d.container, depth: at.depth + 1, part: at.part})
		p.reach(&d.use, v)
		return v
	}
	if f != nil { // a property, or a method without arguments
		return p.result(f, nil, at)
	}
	return vary()
}

// isSelf reports whether an expression is the object around.
func isSelf(n *node, in *syntax) bool {
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
	if n.of != nil && n.of.kind != wordNode && n.of.kind != paramNode {
		return nil, 0
	}
	return choose(p.constants[strings.TrimLeft(n.text, "@$")], n, at)
}

// function returns the function that a name means, nil if that is not certain.
func (p *program) function(n *node, at frame) (*function, int) {
	return choose(p.functions[n.text], n, at)
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
	single := 0 // definitions of the language
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
		if n.of == nil && !self && container != "" && !source.syntax.members {
			continue // a member is not named alone
		}
		same, rank := source == at.source, 0
		switch {
		case qualified != "":
			switch {
			case at.source.instance(qualified, source, container) && method(d):
				rank = 4
			case container == qualified && (same || at.source.imports[container] || container != "" && container[0] >= 'A' && container[0] <= 'Z'):
				rank = 4
			case strings.EqualFold(container, qualified) && namesKey(n.text): // a variable with the name of its class
				rank = 4
			case source.syntax == golang && lastWord(source.dir) == qualified && container == "":
				rank = 4
			case strings.EqualFold(source.base, qualified), lastWord(source.dir) == qualified:
				rank = 3
			case single == 1 && (imported || constant && (!source.syntax.members || n.text == strings.ToUpper(n.text))):
				rank = 1
			}
			if rank > 0 && same {
				rank++
			}
		case n.of != nil && !self && single == 1 && namesKey(n.text):
			rank = 1
		case n.of != nil && !self:
		case self || container != "" && container == at.container:
			switch {
			case container != "" && container == at.container && same:
				rank = 9
			case container != "" && container == at.container:
				rank = 6
			case at.source.supers[container]:
				rank = 2 // of a class that it extends
			}
		case same:
			rank = 8
		case source.dir == at.source.dir && (source.syntax == golang || imported || constant):
			rank = 5
		case imported:
			rank = 4
		case constant && single == 1 || source.syntax == python && imported:
			rank = 3
		}
		if rank == 0 {
			continue
		}
		if rank > score {
			best, score, ties = d, rank, 0
		} else if rank == score {
			ties++
		}
	}
	if ties > 0 {
		best = *new(T)
	}
	return best, score
}

// method reports whether a definition is a function.
func method(d any) bool {
	_, ok := d.(*function)
	return ok
}

// instance reports whether a variable has a class of another file, or one that this extends.
func (s *source) instance(variable string, other *source, class string) bool {
	kind := s.types[strings.ToLower(variable)]
	return kind != "" && (strings.EqualFold(class, kind) || class != "" && s.syntax != rust && other.supers[kind])
}

// namesKey reports whether a name says that its value is a key or the beginning of one.
func namesKey(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "key") || strings.Contains(lower, "prefix")
}

func isConstant(name string) bool {
	return len(name) > 2 && name == strings.ToUpper(name) || strings.Contains(strings.ToLower(name), "key")
}

// lastWord returns the last name of a path, or of a receiver.
func lastWord(path string) string { return path[strings.LastIndexAny(path, "/.")+1:] }

// result returns the value of a function of the checkout.
func (p *program) result(f *function, arguments [][]string, at frame) []string {
	if f == nil || len(f.returns) == 0 {
		return vary()
	}
	var found [][]string
	unknown := f.unknown
	for _, r := range f.returns {
		v := p.eval(r.value, frame{source: f.source, container: f.container, arguments: arguments, depth: at.depth + 1, part: at.part})
		if literal(v) {
			found = append(found, v)
		} else if v != nil {
			unknown = true
		}
	}
	i := 0
	if len(found) > 1 {
		i = p.pick(f, len(found))
	}
	if len(found) == 0 || i < 0 || unknown && at.part {
		return vary()
	}
	p.reach(&f.use, found[i])
	return found[i]
}

// passThrough are functions and methods whose value is that of their argument or of
// what they are called on.
var passThrough = wordSet(`to_string tostring string str bytes byte encode as_str as_bytes to_owned into_owned into clone freeze intern to_s
	strip trim rediskey buffer from as_ref borrow raw valueof rediskeys utf8 b toredisargs to_sym dup asref getbytes some ok
	into_bytes symbol const_get lower tolower tolowercase downcase tolowerinvariant tostr bytearray`)

func (p *program) call(n *node, at frame) []string {
	lower := strings.ToLower(n.text)
	switch {
	case n.text == "%" && len(n.args) == 1:
		args := n.args
		if args[0].kind == listNode {
			args = args[0].args
		}
		return p.format(p.eval(n.of, at), p.values(args, at), 0)
	case lower == "sprintf" || lower == "vsprintf":
		return p.formatCall(n.args, at)
	case lower == "format":
		switch {
		case n.of == nil || n.of.kind == wordNode && strings.EqualFold(n.of.text, "string") || n.of.kind == wordNode && n.of.text == "util":
			return p.formatCall(n.args, at)
		default:
			return p.formatNamed(p.eval(n.of, at), n.args, at)
		}
	case lower == "formatted":
		return p.format(p.eval(n.of, at), p.values(n.args, at), 0)
	case lower == "join" || lower == "implode":
		return p.joinCall(n, at)
	case lower == "concat" || lower == "concat_ws":
		if n.of != nil && n.of.kind != wordNode || n.of != nil && !strings.EqualFold(n.of.text, "string") {
			return add(p.eval(n.of, at), p.join(n.args, nil, at)...)
		}
		return p.join(n.args, nil, at)
	}
	if lower == "tostring" && len(n.args) == 1 && n.of != nil && n.args[0].kind == textNode {
		return vary() // time.ToString("HH:mm")
	}
	if passThrough[lower] && n.of != nil && len(n.args) == 0 && n.of.kind != wordNode {
		return p.eval(n.of, at)
	}
	if f, _ := p.function(n, at); f != nil {
		if v := p.result(f, p.values(f.order(n.args), at), at); literal(v) {
			return v
		}
	}
	if passThrough[lower] && !(at.source.syntax == golang && len(n.args) > 2) || strings.HasSuffix(lower, "key") &&
		len(n.args) == 1 && n.of == nil && n.text[0] >= 'A' && n.text[0] <= 'Z' && !strings.HasPrefix(n.text, "Get") {
		if len(n.args) == 0 || n.of != nil && n.of.kind != wordNode {
			return p.eval(n.of, at)
		}
		if v := p.eval(n.args[0], at); literal(v) {
			return v
		}
		if n.of != nil {
			return p.eval(n.of, at)
		}
	}
	if strings.Contains(lower, "key") && keyLike(n.text) {
		return p.built(n.args, at)
	}
	return vary()
}

// order returns the arguments of a call of a function in the order of its parameters.
func (f *function) order(args []*node) []*node {
	if !slices.ContainsFunc(args, func(a *node) bool { return a.label != "" }) {
		return args
	}
	list := slices.Repeat([]*node{hole}, len(f.params))
	for i, a := range args {
		if a.label != "" {
			i = slices.IndexFunc(f.params, func(p string) bool { return strings.TrimLeft(p, "$") == a.label })
		}
		if i >= 0 && i < len(list) {
			list[i] = a
		}
	}
	return list
}

// built returns the value of a function that makes a key of its arguments in a way that
// is not known: what it adds between them varies.
func (p *program) built(args []*node, at frame) []string {
	list := vary()
	for _, a := range args {
		v := p.eval(a, at)
		if strings.ContainsFunc(Join(v), unicode.IsLetter) && (a.kind != textNode || !isDigit(a.text[0])) { // a number may be one of anything
			if literal(list) {
				return vary() // their order is not known
			}
			list = add(add(list, v...), "")
		}
	}
	return list
}

func (p *program) values(args []*node, at frame) (list [][]string) {
	at.part = true
	for _, a := range args {
		list = append(list, p.eval(a, at))
	}
	return list
}

// joinCall returns the value of ":".join(list), list.join(":"), join(":", list) and
// join(list, ":").
func (p *program) joinCall(n *node, at frame) []string {
	of, args := n.of, n.args
	if list := p.elements(of, at); list != nil && len(args) <= 1 {
		return joined(list, p.join(args, nil, at))
	}
	if of != nil && of.kind != wordNode && len(args) == 1 {
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
	if len(args) > 2 && of != nil && of.kind == wordNode && strings.EqualFold(of.text, "string") {
		return p.join(args[1:], p.eval(args[0], at), at) // String.join(":", a, b)
	}
	return vary()
}

// elements returns the values of a list, or of the last parameters of a function that takes any
// number of them; nil if they are not known.
func (p *program) elements(n *node, at frame) [][]string {
	for n != nil && n.of != nil && (n.text == "compact" || n.text == "freeze") {
		n = n.of
	}
	switch {
	case n != nil && n.kind == listNode:
		return p.values(n.args, at)
	case n != nil && n.kind == paramNode && n.rest && int(n.index) < len(at.arguments):
		return at.arguments[n.index:]
	}
	return nil
}

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
