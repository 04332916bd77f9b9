package codebase

import (
	"cmp"
	"slices"
	"strings"
)

// maxRounds is the number of functions between a command and the key that it is given.
const maxRounds = 3

// passed is a key that a function builds from its parameters for a command.
type passed struct {
	key     *node
	command *command
	sure    Sure
	expiry  expiry
	list    bool   // the key is a parameter that is a list of keys
	before  string // what precedes the key
	needs   *store // what keeps the cache on the server
	guard   guard  // of the call that has the key
	// Of a function that calls another one which passes the key on: that one, what it passes,
	// and the arguments of the call.
	via  *function
	next *passed
	args []*node
}

// calls adds the patterns of the calls of functions that pass a key on, and then of those of
// functions that call these.
func (s *scanner) calls() {
	for range maxRounds {
		callees := map[string]bool{}
		for name, list := range s.program.functions {
			for _, f := range list {
				if f.done, f.due = f.due, len(f.passes); f.due > f.done && len(name) > 2 {
					callees[name] = true
				}
			}
		}
		if len(callees) == 0 {
			return
		}
		s.each(callees, func(r *reading) {
			for _, site := range r.sites {
				if f := s.callee(site); f != nil {
					s.passOn(site, f)
				}
			}
		})
	}
}

// passOn adds the keys that a call gives to a function which passes them on.
func (s *scanner) passOn(c *site, f *function) {
	c.args = f.order(c.args)
	needs := s.chosen(c, f)
	if needs == nil && s.uncalled(f) { // of an interface with another implementation
		needs = uncalled
	}
	for n := f.done; n < f.due; n++ {
		pass := &f.passes[n]
		s.program.steps = 0
		c.command, c.sure, c.expiry = pass.command, pass.sure, pass.expiry
		if c.byName {
			c.sure = Likely
		}
		if c.before, c.needs = pass.before, cmp.Or(pass.needs, needs, s.uncompiled(c.source)); f.command {
			c.before = s.before(c)
		}
		var of []*node // arguments that the key depends on
		for _, i := range pass.parameters() {
			if i < len(c.args) {
				of = append(of, c.args[i])
			}
		}
		if around := s.known(c.function); around != nil && around != f && len(around.passes) < 8 &&
			slices.ContainsFunc(of, func(a *node) bool { return len(parametersOf(nil, a, 0)) > 0 }) {
			around.passes = append(around.passes, passed{command: pass.command, sure: Likely, expiry: pass.expiry,
				list: pass.list, before: pass.before, needs: c.needs, guard: c.guard, via: f, next: pass, args: c.args})
		}
		if key := pass.key; pass.via == nil && key.kind == paramNode && (pass.list || key.rest) {
			if i := int(key.index); i < len(c.args) && (key.rest || c.args[i].kind == listNode) {
				keys := c.args[i:]
				if !key.rest {
					keys = keys[0].args
				}
				for _, key := range keys {
					for parts := range s.program.alternatives(func() []string { return s.program.eval(key, c.frame()) }) {
						s.add(c, parts)
					}
				}
				continue
			}
		}
		var given [][]string
		for parts := range s.program.alternatives(func() []string {
			values := s.program.arguments(f, c.args, c.frame())
			given = given[:0]
			for _, i := range pass.parameters() {
				if i < len(values) {
					given = append(given, values[i])
				}
			}
			return s.program.passed(pass, f, values)
		}) {
			if f.called() != f.name && len(parts) == 3 && parts[0] == "" && !strings.ContainsAny(parts[1], ":_-./") {
				continue // one word in a key of which nothing else is known
			}
			if key := strings.ToLower(Join(parts)); len(c.args) == 0 || slices.ContainsFunc(given, func(v []string) bool {
				return slices.ContainsFunc(v, func(p string) bool { return p != "" && strings.Contains(key, strings.ToLower(p)) })
			}) {
				s.add(c, parts)
			}
		}
	}
}

// passesAs forgets that a function gives the key of a site to a command: it calls a function of the checkout, which may
// change the key.
func (f *function) passesAs(c *site) {
	if f != nil {
		f.passes = slices.DeleteFunc(f.passes, func(p passed) bool { return p.key == c.key && p.command == c.command })
	}
}

// parameters returns the numbers of the parameters that a key depends on.
func (p *passed) parameters() []int {
	if p.via == nil {
		return parametersOf(nil, p.key, 0)
	}
	var list []int
	for _, i := range p.next.parameters() {
		if i < len(p.args) {
			list = parametersOf(list, p.args[i], 0)
		}
	}
	return list
}

// parametersOf appends the numbers of the parameters of the function around in a value.
func parametersOf(list []int, n *node, depth int) []int {
	if n == nil || depth > 8 || n.kind == holeNode {
		return list
	}
	if n.kind == paramNode {
		list = append(list, int(n.index))
	}
	list = parametersOf(list, n.of, depth+1)
	for _, a := range n.args {
		list = parametersOf(list, a, depth+1)
	}
	return list
}

// chooses reports whether a function returns one of several constants, which its arguments are no part of.
func (f *function) chooses() bool {
	return f != nil && len(f.returns) > 0 && !slices.ContainsFunc(f.returns, func(r returned) bool {
		return r.value.kind != textNode && (r.value.kind != wordNode || !isConstant(r.value.text))
	})
}

// passed returns the key that a function passes on which is called with some values, nil if these do not reach the
// call.
func (p *program) passed(pass *passed, f *function, values [][]string) []string {
	at := frame{source: f.source, container: f.container, arguments: values}
	for ; f.allows(pass.guard, values); pass = pass.next {
		if pass.via == nil {
			return p.eval(pass.key, at)
		}
		f = pass.via
		values = p.arguments(f, pass.args, at)
		at = frame{source: f.source, container: f.container, arguments: values}
	}
	return nil
}

// known returns the function of the first pass that a later one has read again, nil if there
// is none.
func (s *scanner) known(f *function) *function {
	if f == nil {
		return nil
	}
	for _, k := range nearby(s.program.functions[f.called()], f.source) {
		if k.source == f.source && k.container == f.container && slices.Equal(k.params, f.params) {
			return k
		}
	}
	return nil
}

// callee returns the function that a site calls, nil if that is not certain.
func (s *scanner) callee(c *site) *function {
	if f, known := s.typedCallee(c); known {
		return f
	}
	n := &node{kind: callNode, text: c.callee, args: c.args}
	lower := strings.ToLower(c.callee)
	common := commandOf(c.callee) != nil || fetchers[lower] || collections[lower] || len(c.callee) < 6 ||
		strings.HasSuffix(lower, "publish") || strings.HasSuffix(lower, "subscribe") ||
		c.source.syntax == ruby && queries[lower]
	if c.receiver == "" {
		f, _ := s.program.function(n, c.frame())
		if f == nil || len(f.passes) == 0 || common && f.container != "" && f.container != f.called() &&
			(c.function == nil || f.container != c.function.container) {
			return nil
		}
		return f
	}
	last := lastWord(c.receiver)
	if kind := s.statics[last]; kind != "" && c.source.types[last] == "" {
		c.source.types[last] = kind
	}
	if c.receiver == "rails.cache" || c.receiver == "yii.$app.cache" {
		return nil
	}
	if common && c.source.holds[last] == holdsMemory || operations[last] != "" || c.source.syntax == golang && common && strings.HasSuffix(c.receiver, ".redis") {
		return nil // of a template of Spring, or of a client
	}
	// A class of PHP that is named may be a facade, and is no other one of the checkout whose name is similar.
	static := c.source.syntax == php && !strings.ContainsAny(c.receiver, "$.") && !selfWords[c.receiver]
	var found *function
	list := nearby(s.program.functions[c.callee], c.source)
	if class, known := s.frameworkCache(c); known {
		list = slices.DeleteFunc(slices.Clone(list), func(f *function) bool { return class == "" || f.container != class })
	}
	typed := slices.DeleteFunc(slices.Clone(list), func(f *function) bool {
		return len(f.passes) == 0 || !c.source.instance(last, f.source, f.container)
	})
	if len(typed) > 0 {
		list = typed
	} else if i := slices.IndexFunc(list, func(f *function) bool { return strings.EqualFold(f.container, last) }); i >= 0 {
		class := list[i].container
		list = slices.DeleteFunc(slices.Clone(list), func(f *function) bool {
			return !strings.EqualFold(f.container, last) && !f.source.supers[class]
		})
	}
	kind := c.source.types[last]
	foreign := kind != "" && c.source.syntax == csharp && s.program.classes[kind] == 0 && !aboutCache(kind)
	for _, f := range list {
		if len(f.passes) == 0 || !f.source.syntax.shares(c.source.syntax) || foreign && !f.source.supers[kind] ||
			clientMakers[f.container] && c.source.library && f.source != c.source ||
			f.source.syntax.exact && len(f.params) != len(c.args) && !f.rest ||
			common && f.source.pack != c.source.pack && !c.source.imports[f.container] {
			continue
		}
		switch class := strings.ToLower(f.container); {
		case len(typed) > 0, f.command && clients[last], !common && f.command && ofServer(c.receiver):
		case f.command:
			continue
		case c.onItself() && f.container == c.function.container &&
			(f.source == c.source || c.source.syntax != php && c.source.syntax != python) && (!common ||
			f.source.syntax != golang || aboutCache(class)):
		case static && class != last:
			continue
		case class != "" && similar(class, last) && (!common || joiners.Replace(class) == joiners.Replace(last) ||
			(ofServer(class) || strings.Contains(class, "cache")) && c.source.knows(f.source, f.container)):
		case strings.EqualFold(f.source.base, last) && !(common && f.container != "" && f.source.syntax.loose):
		case !common && class != "" && len(s.program.functions[c.callee]) == 1 && c.source.knows(f.source, f.container):
			c.byName = !ofServer(c.receiver)
		case !common && ofServer(c.receiver):
		case !common && aboutCache(class) && aboutCache(last) && len(s.program.functions[c.callee]) == 1 &&
			c.source.syntax == javaScript:
		case !common && clients[last] && f.source.redis && len(s.program.functions[c.callee]) == 1:
		case f.source.syntax == golang && lastWord(f.source.dir) == c.source.aliasOf(last):
		default:
			continue
		}
		switch {
		case found == nil || len(found.params) != len(c.args) && len(f.params) == len(c.args),
			found.due == 0 && f.due > 0: // which passed keys on before this round
			found = f
		case found.due > 0 && f.due == 0:
		case len(f.params) == len(c.args) && f.container != found.container:
			return nil
		}
	}
	return found
}

// selfWords are names of the class around, and _ for what has no name.
var selfWords = wordSet("self static parent _")

// queries are methods of relations of ActiveRecord, and of every collection of Ruby.
var queries = wordSet("average minimum maximum select reject filter_map each_with_index update create destroy reload includes " +
	"pluck group_by order limit where distinct calculate find_by find_each")

// onItself reports whether a site calls a method of the object around.
func (c *site) onItself() bool {
	return c.function != nil && (c.receiver == "this" || c.receiver == "self" || c.receiver == "$this" ||
		c.receiver != "" && c.receiver == c.function.self)
}

// maxSame is the number of definitions of one name that a place may mean.
const maxSame = 200

// placed is a definition, with its file and its class.
type placed interface {
	place() (*source, string)
	pack() string
}

func (d *declaration) place() (*source, string) { return d.source, d.container }
func (f *function) place() (*source, string)    { return f.source, f.container }

// pack returns the directory of the class of a definition, or the name of its package if a literal says it: in Go, two
// packages have two types of one name.
func (d *declaration) pack() string { return cmp.Or(d.of, d.source.dir) }
func (f *function) pack() string    { return f.source.dir }

// nearby returns the definitions of a name, in the order of their files, that a place in a file
// may mean: those of the file if there are more than maxSame.
func nearby[T placed](list []T, at *source) []T {
	if len(list) <= maxSame {
		return list
	}
	compare := func(d T, order int) int {
		in, _ := d.place()
		return cmp.Compare(in.order, order)
	}
	begin, _ := slices.BinarySearchFunc(list, at.order, compare)
	end, _ := slices.BinarySearchFunc(list, at.order+1, compare)
	return list[begin:min(end, begin+maxSame)]
}

// knows reports whether a file can name a class of another one, or what that extends.
func (s *source) knows(other *source, class string) bool {
	if s == other || s.dir == other.dir || s.imports[class] || s.syntax == ruby || s.syntax == golang ||
		s.syntax == javaScript && s.imports[other.base] {
		return true
	}
	for name := range other.supers {
		if len(name) > 2 && s.imports[name] { // no parameter of a type
			return true
		}
	}
	return false
}

var joiners = strings.NewReplacer("_", "", "$", "", "*", "")

// similar reports whether a variable has the name of a class.
func similar(class, variable string) bool {
	class, variable = joiners.Replace(class), joiners.Replace(variable)
	return len(variable) > 2 && (strings.HasSuffix(class, variable) || class == variable ||
		len(class) > 4 && strings.HasSuffix(variable, class) || strings.TrimSuffix(class, "impl") == variable)
}

// callHash is the place of a name in source.calls.
func callHash(name string) (word int, bit uint64) {
	h := hash(name)
	return int(h >> 6 & 31), 1 << (h & 63)
}

func hash(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// callsAny reports whether a file may call one of some functions.
func (s *source) callsAny(names map[string]bool) bool {
	for name := range names {
		if word, bit := callHash(name); s.calls[word]&bit != 0 {
			return true
		}
	}
	return false
}

// ungrouped returns arguments with the members of an object for the parameters that name them.
func (f *function) ungrouped(args []*node) (list []*node) {
	if f.groups == nil || len(args) > len(f.groups) {
		return args
	}
	for i, a := range args {
		if f.groups[i] == 0 {
			list = append(list, a)
			continue
		}
		for _, name := range f.params[len(list):min(len(list)+f.groups[i], len(f.params))] {
			value := hole
			if at := slices.IndexFunc(a.args, func(m *node) bool { return m.label == name }); at >= 0 && a.kind == holeNode {
				plain := *a.args[at]
				plain.label = ""
				value = &plain
			}
			list = append(list, value)
		}
	}
	return list
}

// order returns the arguments of a call of a function in the order of its parameters.
func (f *function) order(args []*node) []*node {
	args = f.ungrouped(args)
	if !slices.ContainsFunc(args, func(a *node) bool { return a.label != "" }) {
		return args
	}
	count := len(f.params)
	if f.rest {
		count = max(count, len(args))
		for count > len(f.params) && args[count-1].label != "" {
			count--
		}
	}
	list := slices.Repeat([]*node{hole}, count)
	for i, n := range f.defaults {
		if n.isNothing() {
			list[i] = n
		}
	}
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
