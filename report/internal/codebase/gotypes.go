package codebase

import (
	"path"
	"slices"
	"strings"
)

// A goType is a type of Go: a struct, an interface, or another name of a type.
type goType struct {
	source  *source
	open    bool              // it is an interface
	members map[string]string // types of fields, and of what methods of an interface give, as the file writes them
	arity   map[string]int    // numbers of the parameters of methods of an interface
	embeds  []string          // types whose members it has, too
}

// A goKind is a type of Go: the directory of its package, or the path of the package if that is not in the checkout,
// and its name. The name is * for what a client of the server gives.
type goKind struct{ pack, name string }

// A goMember is a function of a package, or a member of a type.
type goMember struct {
	of   goKind
	name string
}

// A goVar is a variable of a package: its type or its value.
type goVar struct {
	value  *node
	source *source
}

// maxKinds is the number of types that are looked up for all calls.
const maxKinds = 10_000_000

// tired counts a type that is looked up, and reports whether there were too many.
func (p *program) tired() bool {
	p.kinds++
	return p.kinds > maxKinds
}

// addTypes notes the types and the variables of a file.
func (p *program) addTypes(file *source) {
	p.packs[file.dir] = p.packs[file.dir] || file.syntax == golang
	for name, t := range file.goTypes {
		p.goTypes[goKind{file.dir, name}] = t
	}
	for name, v := range file.vars {
		p.vars[goKind{file.dir, name}] = goVar{v, file}
	}
}

// moduleOf returns the path of the module that a file go.mod declares, "" if it declares none.
func moduleOf(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

// ofClient reports whether a type is one of a client of the server.
func (p *program) ofClient(k goKind) bool {
	return !p.packs[k.pack] && ofServer(strings.ToLower(k.pack))
}

// typed returns the sites without those of Go that are called on what is no client, as its type tells: a call of a
// type of the checkout is one of its methods, which passes the key on.
func (s *scanner) typed(sites []*site) []*site {
	p := &s.program
	p.goFuncs, p.backed = map[goMember]*function{}, map[goMember][]*function{}
	p.interfaces = map[goKind]map[string]int{}
	for name, list := range p.functions {
		for _, f := range slices.Backward(list) {
			if f.source.syntax == golang {
				p.goFuncs[goMember{goKind{f.source.dir, f.container}, name}] = f
			}
		}
	}
	return slices.DeleteFunc(sites, func(c *site) bool {
		if c.on == nil || c.command == nil {
			return false
		}
		k := p.goKind(c.on, c.source, c.function, 0)
		if p.goTypes[k] != nil {
			_, _, k = p.goMethod(k, c.callee, 0)
		}
		switch {
		case k == goKind{}:
			return c.sure == 0
		case p.ofClient(k):
			c.sure, c.callee = Certain, "" // no method of the checkout
			return false
		}
		return c.sure == 0 || p.goTypes[k] != nil || !p.packs[k.pack] && !strings.Contains(k.pack, ".")
	})
}

// typedCallee returns the function that a site of Go calls, nil if it passes no key on, and whether the type of what
// it is called on is known.
func (s *scanner) typedCallee(c *site) (*function, bool) {
	if c.on == nil {
		return nil, false
	}
	k := s.program.goKind(c.on, c.source, c.function, 0)
	if s.program.goTypes[k] == nil {
		return nil, k != goKind{} && !s.program.packs[k.pack]
	}
	f, several, _ := s.program.goMethod(k, c.callee, 0)
	if c.byName = several; f != nil && len(f.passes) == 0 {
		f = nil
	}
	return f, true
}

// typeText returns the type at a token as the file writes it, "" if it is not the name of one.
func (c *collector) typeText(i int) string {
	for c.is(i, "*") || c.is(i, "&") {
		i++
	}
	switch word := c.textOf(i); {
	case !c.isWord(i), word == "map", word == "func", word == "struct", word == "interface", word == "chan":
		return ""
	case c.is(i+1, ".") && c.isWord(i+2):
		return c.words.keep(word + "." + c.textOf(i+2))
	}
	return c.kept(i)
}

// goType reads the struct or the interface of Go whose word is a token.
func (c *collector) goType(i int) {
	name, end := i-1, int(c.match[i+1])
	if c.is(name, "]") { // parameters of the type
		name = c.opening(name) - 1
	}
	if c.callees != nil || !c.isWord(name) || end == 0 || len(c.file.goTypes) > 1000 {
		return
	}
	if c.textOf(i) == "struct" {
		c.file.bodies[c.kept(name)] = &body{entry: strings.HasPrefix(c.file.path, "pkg/")}
	}
	t := &goType{source: c.file, open: c.textOf(i) == "interface", members: map[string]string{}, arity: map[string]int{}}
	for n := i + 2; n < end; n++ {
		if c.match[n] > int32(n) {
			n = int(c.match[n])
			continue
		}
		if !c.tokens[n].first && !c.is(n-1, "{") && !c.is(n-1, ";") || !c.isWord(n) && !c.is(n, "*") {
			continue
		}
		next := &c.tokens[n+1]
		switch {
		case c.is(n, "*"), next.first, next.kind == textToken, c.is(n+1, "."), c.is(n+1, "}"), c.is(n+1, ";"):
			t.embeds = append(t.embeds, c.typeText(n))
		case t.open && c.is(n+1, "(") && c.match[n+1] > 0:
			name, types := c.kept(n), c.goParams(n+1)
			t.members[name], t.arity[name] = c.resultText(int(c.match[n+1])+1), len(types)
		case !t.open:
			first := n
			for c.is(n+1, ",") && c.isWord(n+2) {
				n += 2
			}
			for text := c.typeText(n + 1); first <= n; first += 2 {
				t.members[c.kept(first)] = text
			}
		}
	}
	c.file.goTypes[c.kept(name)] = t
}

// goAlias reads a type of Go that is another one: type Name = other.Name.
func (c *collector) goAlias(name int) {
	of := name + 1
	if c.is(of, "=") {
		of++
	}
	if text := c.typeText(of); text != "" && c.isWord(name) && c.callees == nil && len(c.file.goTypes) < 1000 {
		c.file.goTypes[c.kept(name)] = &goType{source: c.file, embeds: []string{text}}
	}
}

// goParams returns the types of parameters of Go, "" for those that are not known.
func (c *collector) goParams(open int) (types []string) {
	end, unknown := int(c.match[open]), 0
	for n := open + 1; n < end && len(types) < maxArgs; n++ {
		switch {
		case c.isWord(n) && (c.is(n+1, ",") || n+1 == end): // it has the type of the next one
			unknown++
			types = append(types, "")
		case c.isWord(n):
			text := c.typeText(n + 1)
			types = append(types, text)
			for ; unknown > 0; unknown-- {
				types[len(types)-1-unknown] = text
			}
		default:
			types = append(types, "")
		}
		for n < end && !c.is(n, ",") {
			if c.match[n] > int32(n) {
				n = int(c.match[n])
			}
			n++
		}
	}
	return types
}

// resultText returns the type of the first value that a function gives, behind its parameters.
func (c *collector) resultText(i int) string {
	if c.is(i, "(") {
		if i++; c.isWord(i) && (c.isWord(i+1) || c.is(i+1, "*")) { // (value Type, err error)
			i++
		}
	}
	if c.tokens[i].first {
		return ""
	}
	return c.typeText(i)
}

// kinds returns the types of variables of the function around, nil outside of any.
func (c *collector) kinds() map[string]*node {
	for _, s := range slices.Backward(c.scopes) {
		if s.function != nil {
			return s.kinds
		}
	}
	return nil
}

// on returns what the method of Go at a token is called on, nil if that is not known.
func (c *collector) on(i int) *node {
	if c.syntax != golang || !c.is(i-1, ".") {
		return nil
	}
	first := i
	for c.is(first-1, ".") {
		if first -= 2; c.is(first, ")") {
			first = c.opening(first) - 1
		}
		if first < 0 || !c.isWord(first) {
			return nil
		}
	}
	c.until = i - 1
	n, _ := c.expression(first)
	c.until = 0
	return c.rooted(n)
}

// rooted returns an expression with the value of the variable that it begins with.
func (c *collector) rooted(n *node) *node {
	f := c.function()
	if n.of != nil {
		m := *n
		m.of, m.args = c.rooted(n.of), nil
		return &m
	}
	if n.kind != wordNode || f == nil {
		return n
	}
	if kind := c.kinds()[n.text]; kind != nil {
		return kind
	}
	return c.bound(n)
}

// packOf returns the directory of a package of Go with a path, or the path if it is not in the checkout.
func (p *program) packOf(module string) string {
	best := ""
	for name := range p.modules {
		if len(name) > len(best) && strings.HasPrefix(module+"/", name+"/") {
			best = name
		}
	}
	if best != "" {
		return path.Join(p.modules[best], module[len(best):])
	}
	for rest := module; len(p.modules) == 0; { // the checkout is a part of a module
		if p.packs[rest] {
			return rest
		}
		_, behind, more := strings.Cut(rest, "/")
		if rest = behind; !more {
			break
		}
	}
	return module
}

// kindOf returns the type of a text in a file.
func (p *program) kindOf(text string, in *source) goKind {
	of, name, qualified := strings.Cut(text, ".")
	switch {
	case text == "":
		return goKind{}
	case !qualified:
		return goKind{in.dir, text}
	case in.modules[of] == "":
		return goKind{}
	}
	return goKind{p.packOf(in.modules[of]), name}
}

// goKind returns the type of an expression of a function of Go, an empty one if it is not known.
func (p *program) goKind(n *node, in *source, f *function, depth int) goKind {
	if n == nil || depth > 12 || p.tired() {
		return goKind{}
	}
	pack := in.dir
	if n.of != nil {
		if module := in.modules[n.of.text]; module == "" || n.of.kind != wordNode || n.of.of != nil {
			return p.memberKind(p.goKind(n.of, in, f, depth+1), n, depth+1)
		} else if pack = p.packOf(module); p.ofClient(goKind{pack: pack}) {
			return goKind{pack, "*"}
		}
	}
	switch n.kind {
	case holeNode:
		return p.kindOf(n.text, in)
	case paramNode:
		if f != nil && int(n.index) < len(f.types) {
			return p.kindOf(f.types[n.index], in)
		}
	case wordNode:
		if n == self && f != nil {
			return goKind{pack, f.container}
		}
		if v := p.vars[goKind{pack, n.text}]; v.value != nil {
			return p.goKind(v.value, v.source, nil, depth+1)
		}
	case callNode:
		return p.resultOf(goKind{pack: pack}, n.text)
	}
	return goKind{}
}

// resultOf returns the type of the first value of a function of a package, or of a method of a type.
func (p *program) resultOf(of goKind, name string) goKind {
	if f := p.goFunction(of, name); f != nil {
		return p.kindOf(f.result, f.source)
	}
	return goKind{}
}

// goFunction returns a function of a package, or a method of a type, nil if there is none.
func (p *program) goFunction(of goKind, name string) *function { return p.goFuncs[goMember{of, name}] }

// memberKind returns the type of a member of a type: a field, or what a method gives.
func (p *program) memberKind(of goKind, member *node, depth int) goKind {
	t := p.goTypes[of]
	switch {
	case p.ofClient(of) && member.kind == callNode && commandOf(member.text) == nil:
		return goKind{of.pack, "*"}
	case t == nil || depth > 12 || p.tired():
		return goKind{}
	}
	if text, known := t.members[member.text]; known && t.open == (member.kind == callNode) {
		return p.kindOf(text, t.source)
	}
	if member.kind == callNode {
		if k := p.resultOf(of, member.text); k != (goKind{}) {
			return k
		}
	}
	for _, e := range t.embeds {
		if k := p.kindOf(e, t.source); member.kind == wordNode && lastWord(e) == member.text {
			return k
		} else if k = p.memberKind(k, member, depth+1); k != (goKind{}) {
			return k
		}
	}
	return goKind{}
}

// goMethod returns the method that a call of a type means: of an interface, the only one of a type which has all of
// its methods and passes keys on. Several says that other types have the method, too. The kind is that of the type
// which is known to have it, an empty one if none is.
func (p *program) goMethod(of goKind, name string, depth int) (f *function, several bool, at goKind) {
	t := p.goTypes[of]
	if t == nil || depth > 6 || p.tired() {
		return nil, false, of
	}
	if !t.open {
		if f = p.goFunction(of, name); f != nil {
			return f, false, of
		}
	} else if p.methodsOf(of, depth)[name] > 0 {
		list := p.implementations(of, name)
		passing := slices.DeleteFunc(slices.Clone(list), func(f *function) bool { return len(f.passes) == 0 })
		if len(passing) > 1 {
			passing = slices.DeleteFunc(passing, func(f *function) bool { return f.passes[0].via != nil })
		}
		if len(passing) > 1 && slices.ContainsFunc(passing[1:], passing[0].differs) {
			passing = slices.DeleteFunc(passing, func(f *function) bool {
				return !ofServer(strings.ToLower(path.Base(f.source.dir) + "." + f.container))
			})
		}
		if n := len(passing); n > 0 && len(list) <= 5 && !slices.ContainsFunc(passing[1:], passing[0].differs) {
			return passing[0], len(list) > n, of
		}
		if k := p.memberKind(of, &node{kind: callNode, text: name}, depth); p.ofClient(k) {
			return nil, false, k // a client has these methods, too
		} else if len(list) == 0 {
			of = goKind{}
		}
		return nil, false, of
	}
	for _, e := range t.embeds {
		if k := p.kindOf(e, t.source); p.ofClient(k) {
			return nil, false, k
		} else if f, several, at = p.goMethod(k, name, depth+1); f != nil || p.ofClient(at) {
			return f, several, at
		}
	}
	return nil, false, goKind{}
}

// differs reports whether two functions may pass on different keys.
func (f *function) differs(other *function) bool {
	a, b := f.passes[0], other.passes[0]
	return a.key.kind != paramNode || b.key.kind != paramNode || a.key.index != b.key.index || a.command != b.command
}

// methodsOf returns the methods of an interface, with the numbers of their parameters and one.
func (p *program) methodsOf(of goKind, depth int) map[string]int {
	t, all := p.goTypes[of], p.interfaces[of]
	if all != nil || t == nil || depth > 6 || p.tired() {
		return all
	}
	all = map[string]int{}
	for name, n := range t.arity {
		all[name] = n + 1
	}
	for _, e := range t.embeds {
		for name, n := range p.methodsOf(p.kindOf(e, t.source), depth+1) {
			all[name] = n
		}
	}
	p.interfaces[of] = all
	return all
}

// implementations returns the methods of a name of the types that have all methods of an interface.
func (p *program) implementations(of goKind, name string) (list []*function) {
	at := goMember{of, name}
	if list, known := p.backed[at]; known {
		return list
	}
	methods := p.methodsOf(of, 0)
	for _, f := range p.functions[name] {
		k := goKind{f.source.dir, f.container}
		if f.source.syntax != golang || f.container == "" || len(f.params) != methods[name]-1 || len(list) > 20 {
			continue
		}
		has := true
		for other, n := range methods {
			has = has && p.provides(k, other, n, 0)
		}
		if has {
			list = append(list, f)
		}
	}
	p.backed[at] = list
	return list
}

// provides reports whether a type has a method with a number of parameters less one, perhaps that of an embedded type.
func (p *program) provides(of goKind, name string, n, depth int) bool {
	if f := p.goFunction(of, name); f != nil {
		return len(f.params) == n-1
	}
	t := p.goTypes[of]
	if t == nil || depth > 6 || p.tired() {
		return false
	}
	number, known := t.arity[name]
	return known && number == n-1 || slices.ContainsFunc(t.embeds, func(e string) bool {
		k := p.kindOf(e, t.source)
		return p.ofClient(k) || p.provides(k, name, n, depth+1)
	})
}
