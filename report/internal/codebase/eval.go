package codebase

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	maxParts = 40
	maxText  = 300
	maxEval  = 3000 // nodes that are read to know one key
	// maxReads is the number of nodes that are read for all keys before no more than fewEval are read for each.
	// A project of a million lines has 0.2 million.
	maxReads = 5_000_000
	fewEval  = 30
)

// A program is what is known of all files.
type program struct {
	constants  map[string][]*declaration // by name
	functions  map[string][]*function    // by name
	settings   map[string]setting        // of the application, by path
	configured map[string]bool           // modules with settings
	classes    map[string]class          // by name
	goTypes    map[goKind]*goType
	vars       map[goKind]goVar  // of packages of Go
	packs      map[string]bool   // directories with sources of Go
	modules    map[string]string // directories of modules of Go, by their paths
	goFuncs    map[goMember]*function
	interfaces map[goKind]map[string]int // see methodsOf
	kinds      int                       // types that were looked up
	backed     map[goMember][]*function  // see implementations
	steps      int                       // nodes that were read for the last key
	work       int                       // nodes that were read for all
	reached    []reach                   // constants and functions whose values the last key has
	several    any                       // the variable or the function of the last key that has several values
	choice     int                       // which of them is taken
	choices    int
}

// A frame is the place of an expression, and the values of the parameters there.
type frame struct {
	source    *source
	container string
	arguments [][]string
	depth     int
	body      bool // of a class, in which members are named alone
	part      bool // of a text, which the defaults of parameters would make too narrow
	// Of a method of an enum: the constant that it is called on, and its arguments, nil unknown.
	constant string
	member   *declaration
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
	p.steps++
	p.work++
	if n == nil || p.steps > maxEval || p.work > maxReads && p.steps > fewEval || at.depth > maxNesting {
		return vary()
	}
	switch n.kind {
	case textNode:
		if n.text == "" {
			return nil
		} else if strings.HasPrefix(n.text, "0x") { // a number, whose text has other digits
			return vary()
		}
		if at.source != nil && at.source.syntax.jvm && strings.Contains(n.text, "${") {
			return p.placeholders(n.text, at)
		}
		return []string{n.text}
	case joinNode:
		return p.join(n.args, nil, at)
	case orNode:
		if v := p.eval(n.args[0], at); literal(v) {
			return v
		}
		in := at.source.syntax // in the others the environment may have another one
		if mentionsAny(n.args[0], settingWords) && (in == php || in == python || in == ruby ||
			!mentionsAny(n.args[0], settingWords[:1])) {
			return p.eval(n.args[1], at)
		}
		return vary()
	case eitherNode:
		if g := guard(n.index); g != 0 && at.arguments != nil {
			if !(-g).allows(at.arguments) || g.allows(at.arguments) && n.args[1].hasOptional(int16(g)-1, 0) {
				return p.eval(n.args[1], at)
			} else if !g.allows(at.arguments) {
				return p.eval(n.args[0], at)
			}
		}
		unknown := func(a *node) bool { return a.kind == paramNode || a.kind == holeNode }
		if n.text != "" && (at.arguments != nil || n.args[0].kind != textNode || n.args[1].kind != textNode) {
			return common(Join(p.eval(n.args[0], at)), Join(p.eval(n.args[1], at))) // the arguments may decide
		}
		if at.part && at.source.syntax.loose && slices.ContainsFunc(n.args, unknown) {
			return vary()
		}
		several, choices := p.several, p.choices
		known := slices.ContainsFunc(n.args, func(a *node) bool { return literal(p.eval(a, at)) })
		if p.several, p.choices = several, choices; !known {
			return vary()
		}
		if i := p.pick(n, len(n.args)); i >= 0 {
			return p.eval(n.args[i], at)
		}
	case paramNode:
		if i := int(n.index); i < len(at.arguments) {
			return at.arguments[i]
		}
		switch {
		case at.arguments != nil && n.of.isNothing():
			return absent
		case n.of != nil && !at.part: // the default is likely in force
			return p.eval(n.of, at)
		}
		return vary()
	case wordNode:
		if n.isNothing() {
			return absent
		}
		return p.name(n, at)
	case callNode:
		return p.call(n, at)
	case settingNode:
		if v := p.settings[n.text]; p.foreign(v, at.source) {
			return vary()
		} else if v.value != "" && !v.ambiguous && !strings.Contains(v.value, "${") {
			return []string{v.value}
		} else if v.value == "" && n.label != "" {
			return []string{n.label}
		}
	}
	return vary()
}

// byDefault returns the constant DEFAULT_NAME of the file for a member called name, nil if there is none.
func (p *program) byDefault(n *node, at frame) *declaration {
	name := strings.ToUpper(strings.TrimLeft(n.text, "@$_"))
	if i := slices.IndexFunc(p.constants["DEFAULT_"+name], func(d *declaration) bool { return d.source == at.source }); i >= 0 {
		return p.constants["DEFAULT_"+name][i]
	}
	return nil
}

// join returns the values of expressions one after the other, with a separator.
func (p *program) join(args []*node, separator []string, at frame) []string {
	values := p.values(args, at)
	for i, a := range args {
		if p.isEnum(a, at) {
			values[i] = []string{a.text}
		}
	}
	return joined(values, separator)
}

// name returns the value of a constant or a member.
func (p *program) name(n *node, at frame) []string {
	if v := p.ofConstant(n, at); literal(v) {
		return v
	}
	if n.of != nil && (n.text == "value" || n.text == "key" && n.of.kind == wordNode && n.of.text != "self" || n.text == "Value" || n.text == "name" || n.text == "prefix") && n.of.of != nil {
		if v := p.name(n.of, at); literal(v) { // a member of an enum
			return v
		}
	}
	if n.of != nil && at.source.syntax == ruby && (upperCase[n.text] || lowerCase[n.text]) {
		return cased(n.text, p.eval(n.of, at))
	}
	if n.of != nil && (n.of.kind == textNode || passThrough[strings.ToLower(n.text)]) {
		return p.eval(n.of, at) // "text".freeze
	}
	d, rank := p.declaration(n, at)
	f, other := p.function(n, at)
	variant := at.source.syntax == rust && n.of != nil && isUpper(n.text)
	if !variant && (!at.source.syntax.getters || f != nil && len(f.params) > 0 && !at.source.syntax.loose) {
		f = nil
	}
	if class := qualifier(n, at.source.syntax); (d == nil || d.enum || at.source.syntax == csharp) &&
		n.of != nil && (n.of.of == nil || at.source.syntax == csharp && isUpper(n.of.of.text)) &&
		p.classes[class+"."+n.text] == enumClass {
		if p.hasText(class) || slices.ContainsFunc(p.functions[class], func(f *function) bool { return slices.ContainsFunc(f.params, namesKey) }) {
			return orVary(p.field(d, ""))
		}
		return []string{n.text} // its text is its name
	}
	unknown := d == nil && f == nil || d != nil && (d.value.kind == holeNode || d.value.kind == paramNode)
	if at.member != nil && unknown && (n.of == nil || isSelf(n.of, at.source.syntax)) {
		return orVary(p.field(at.member, n.text))
	}
	if unknown {
		d = cmp.Or(p.byDefault(n, at), d)
	}
	if d != nil && rank >= other {
		if at.source.syntax.loose && d.value.kind == textNode && d.value.text != "" && isDigit(d.value.text[0]) &&
			n.text != strings.ToUpper(n.text) {
			return vary() // what a number begins with
		}
		var v []string
		if d.value.kind == eitherNode && d.value.text != "" && d.value.args[0].kind == textNode { // one of two texts, in the whole run of the program
			v = common(d.value.args[0].text, d.value.args[1].text)
		} else {
			v = p.eval(d.value, frame{source: d.source, container: d.container, body: d.source.syntax == python, depth: at.depth + 1,
				part: at.part})
		}
		p.reach(&d.use, v)
		return v
	}
	if f != nil { // a property, or a method without arguments
		return p.result(f, nil, at)
	}
	return vary()
}

// result returns the value of a function of the checkout.
func (p *program) result(f *function, arguments [][]string, at frame) []string {
	if f == nil || len(f.returns) == 0 {
		return vary()
	}
	var found [][]string
	unknown := f.unknown
	for _, r := range f.returns {
		chosen, other := p.chosen(r.only, f, arguments)
		if other || !f.allows(r.guard, arguments) {
			continue
		}
		inner := frame{source: f.source, container: f.container, arguments: arguments, depth: at.depth + 1, part: at.part}
		if at.member == nil || at.member.container == f.container {
			inner.constant, inner.member = at.constant, at.member
		}
		v := p.eval(r.value, inner)
		if literal(v) {
			found = append(found, v)
		} else if v != nil {
			unknown = true
		}
		if chosen {
			break
		}
	}
	i := 0
	if first := shortest(found); first != nil {
		found = [][]string{first}
	} else if len(found) > 1 {
		i = p.pick(f, len(found))
	}
	if len(found) == 0 || i < 0 || unknown && (at.part || len(found) == 1 && len(found[0]) == 1) {
		return vary()
	}
	p.reach(&f.use, found[i])
	return found[i]
}

// passThrough are functions and methods whose value is that of their argument or of
// what they are called on.
var passThrough = wordSet(`to_string tostring string str bytes byte encode as_str as_bytes to_owned into_owned into clone freeze intern to_s
	strip trim rediskey buffer from as_ref borrow raw valueof rediskeys utf8 b toredisargs to_sym dup asref getbytes some ok
	into_bytes symbol tostr bytearray tobytearray`)

func (p *program) call(n *node, at frame) []string {
	lower := strings.ToLower(n.text)
	if v := p.ofConstant(n, at); literal(v) {
		return v
	}
	switch {
	case lower == "nameof" && len(n.args) == 1 && at.source.syntax == csharp:
		return []string{n.args[0].text}
	case lower == "name" && at.constant != "" && (n.of == nil || isSelf(n.of, at.source.syntax)):
		return []string{at.constant}
	case upperCase[lower] || lowerCase[lower]:
		of := n.of
		if len(n.args) == 1 && (of == nil || at.source.syntax == golang) {
			of = n.args[0]
		}
		return cased(lower, p.eval(of, at))
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
		case at.source.syntax.jvm && n.of.kind == wordNode && isUpper(n.of.text) && len(n.args) > 0 && !isConstant(n.of.text):
			return p.formatWith(n.args[0], n.args[1:], at) // of a class such as MessageFormat
		case at.source.syntax.jvm:
			return p.formatWith(n.of, n.args, at)
		default:
			return p.formatNamed(p.eval(n.of, at), n.args, at)
		}
	case at.source.syntax.jvm && (lower == "stringbuilder" || lower == "stringbuffer"):
		return p.join(n.args, nil, at)
	case at.source.syntax.jvm && lower == "append" && n.of != nil:
		return add(slices.Clone(p.eval(n.of, at)), p.join(n.args, nil, at)...)
	case lower == "str" && len(n.args) > 0 && mentionsAny(n.of, settingWords[:2]): // env.str(name, default)
		if len(n.args) == 1 {
			return vary()
		}
		return p.eval(n.args[1], at)
	case lower == "orelse" && at.source.syntax.jvm && len(n.args) == 1 && n.of != nil && len(n.of.args) == 1: // of Optional
		return p.eval(&node{kind: orNode, args: []*node{n.of.args[0], n.args[0]}}, at)
	case lower == "formatted":
		return p.format(p.eval(n.of, at), p.values(n.args, at), 0)
	case lower == "join" || lower == "implode" || lower == "jointostring" || lower == "joinwith":
		return p.joinCall(n, at)
	case len(n.args) > 1 && replaces[lower]:
		return p.replaceCall(lower, n, at)
	case lower == "concat" || lower == "concat_ws":
		if n.of != nil && n.of.kind != wordNode || n.of != nil && !strings.EqualFold(n.of.text, "string") {
			return add(p.eval(n.of, at), p.join(n.args, nil, at)...)
		}
		return p.join(n.args, nil, at)
	}
	if (lower == "tostring" || lower == "to_s") && len(n.args) == 1 && n.of != nil && n.args[0].kind == textNode {
		return vary() // time.ToString("HH:mm"), date.to_s("%Y-%m-%d")
	}
	if passThrough[lower] && n.of != nil && len(n.args) == 0 && (n.of.kind != wordNode || at.source.syntax == rust &&
		n.of.of != nil && isUpper(n.of.text)) || lower == "getbytes" && n.of != nil && at.source.syntax.jvm {
		return p.eval(n.of, at)
	}
	f, _ := p.function(n, at)
	if f != nil {
		arguments := p.arguments(f, f.order(n.args), at)
		if v := p.result(f, arguments, at); literal(v) {
			return v
		}
		if f.stored != nil { // a constructor, whose object is the text that it stores
			v := p.eval(f.stored, frame{source: f.source, container: f.container, arguments: arguments, depth: at.depth + 1})
			if literal(v) {
				return v
			}
		}
	}
	if passThrough[lower] && !(at.source.syntax == golang && len(n.args) > 2) || strings.HasSuffix(lower, "key") &&
		len(n.args) == 1 && n.of == nil && isUpper(n.text) && !strings.HasPrefix(n.text, "Get") &&
		!strings.HasPrefix(n.text, "Hash") {
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
	if strings.TrimSuffix(lower, "async") == "keys" && len(n.args) == 1 {
		if at.source.syntax == ruby { // where they are mostly deleted
			return vary()
		}
		return p.eval(n.args[0], at) // those that match a pattern
	}
	if strings.Contains(lower, "key") && keyLike(n.text) && !strings.HasSuffix(lower, "bykey") &&
		!strings.Contains(lower, "by_key") && !strings.HasPrefix(lower, "hashkey") && !f.chooses() {
		return p.built(n.args, at)
	}
	return vary()
}

// replaces are functions and methods that put a text for another one.
var replaces = wordSet("replace replaceall replacefirst str_replace gsub sub tr")

// replaceCall returns the value of text.replace(old, new), strings.Replace(text, old, new) and
// str_replace(old, new, text).
func (p *program) replaceCall(name string, n *node, at frame) (list []string) {
	text, args := n.of, n.args
	switch {
	case name == "str_replace" && len(args) > 2:
		text = args[2]
	case at.source.syntax == golang && len(args) > 2:
		text, args = args[0], args[1:]
	}
	old, ok := constant(p.eval(args[0], at))
	if !ok || old == "" {
		return vary()
	}
	for _, s := range p.eval(text, at) {
		pieces := strings.Split(s, old)
		for i, piece := range pieces {
			if i > 0 {
				list = add(list, orVary(p.eval(args[1], at))...)
			}
			if piece != "" || s == "" {
				list = add(list, piece)
			}
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

// arguments returns the values of the arguments of a call of a function, in the order of its parameters, not nil.
func (p *program) arguments(f *function, args []*node, at frame) [][]string {
	list := append([][]string{}, p.values(args, at)...)
	if last := len(args) - 1; last >= 0 && args[last].kind == paramNode && args[last].rest &&
		int(args[last].index) < len(at.arguments) {
		list = append(list[:last], at.arguments[args[last].index:]...) // f(*args)
	}
	for i, a := range args {
		if p.isEnum(a, at) && (slices.ContainsFunc(f.returns, func(r returned) bool { return joins(r.value, i, 0) }) ||
			slices.ContainsFunc(f.passes, func(pass passed) bool { return joins(pass.key, i, 0) })) {
			list[i] = []string{a.text}
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
