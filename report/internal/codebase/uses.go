package codebase

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A use says which keys commands make of the value of a constant or a function.
type use struct {
	key     []string // the only one, or the first
	several bool     // there are others
	before  string   // what precedes them
	needs   *store   // what keeps all of them on the server
	begins  bool     // the value begins some of them
	whole   bool     // it is all of some of them
}

// A reach is a constant or a function that has a value in a key.
type reach struct {
	use   *use
	value []string
}

// alternatives yields the values of an expression: several where one variable or one function of it
// has several. A value that another one covers is left out: often no call takes its branch.
func (p *program) alternatives(eval func() []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		p.several, p.choices = nil, 1
		var all []string
		for p.choice = 0; p.choice < p.choices; p.choice++ {
			p.steps, p.reached = 0, p.reached[:0]
			value := eval()
			if p.choices == 1 {
				yield(value)
				return
			}
			all = append(all, strings.ReplaceAll(Join(value), "/", ":")) // which no * of matchName has
		}
		for p.choice = range all {
			covered := slices.ContainsFunc(all, func(other string) bool {
				return other != all[p.choice] && strings.ContainsFunc(other, unicode.IsLetter) && matchName(other, all[p.choice])
			})
			p.steps, p.reached = 0, p.reached[:0]
			if !covered && !yield(eval()) {
				break
			}
		}
		p.choice = 0
	}
}

// pick returns which of n values of a variable or a function is taken, -1 if another one of the
// expression has several, too.
func (p *program) pick(of any, n int) int {
	if p.several == nil && p.choice == 0 {
		p.several, p.choices = of, n
	}
	if p.several != of {
		return -1
	}
	return p.choice % n
}

// reach notes that the value of a constant or a function may be part of a key.
func (p *program) reach(u *use, value []string) {
	if literal(value) && len(p.reached) < 64 {
		p.reached = append(p.reached, reach{u, value})
	}
}

// uses notes that the command of a site has the last key.
func (p *program) uses(key []string, c *site) {
	joined := Join(key)
	for _, r := range p.reached {
		value := verbs(r.value, c.source.syntax)
		text := value[0]
		if text == "" && len(value) > 1 {
			text = value[1]
		}
		at := strings.Index(joined, text)
		if at < 0 {
			continue
		}
		last := value[len(value)-1]
		whole := joined == text || len(value) > 1 && last != "" && strings.HasSuffix(joined, last)
		first := at == 0 || value[0] == ""
		r.use.begins, r.use.whole = r.use.begins || first && !whole, r.use.whole || first && whole
		if r.use.key == nil {
			r.use.key, r.use.before = slices.Clone(key), c.before
			r.use.needs = c.needs
		} else if r.use.before != c.before {
			r.use.before = "*"
		}
		if c.needs == nil {
			r.use.needs = nil
		}
		r.use.several = r.use.several || Join(r.use.key) != joined
	}
}

// keys yields the values that the key of a site may have.
func (s *scanner) keys(c *site) func(yield func([]string) bool) {
	return s.program.alternatives(func() []string { return s.program.eval(c.key, c.frame()) })
}

// Unwritten is the condition of keys that no command is known to write.
const Unwritten = "a command writes them"

var (
	unwritten = &store{needs: Unwritten}
	unused    = &store{needs: Unwritten} // of a constant that nothing reads
)

// builders adds the lines that give keys of commands a name: constants, variables and functions
// whose names say that they are keys. A name alone is none.
func (s *scanner) builders() {
	used, near := map[string]Pattern{}, map[string][]Pattern{} // the keys of commands, of all files and by file
	for _, p := range s.checkout.Patterns {
		if key := Join(p.Parts); p.Sure >= used[key].Sure {
			used[key] = p
		}
		near[p.File] = append(near[p.File], p)
	}
	for _, c := range s.names {
		if c.inMemory() {
			continue
		}
		for parts := range s.keys(c) {
			parts = verbs(parts, c.source.syntax)
			key := Join(parts)
			if p, known := used[key]; known {
				c.before, c.needs = p.before, p.needs
				s.add(c, parts)
				continue
			}
			// Its client may put something before it.
			in := near[c.source.path]
			if i := slices.IndexFunc(in, func(p Pattern) bool {
				return len(parts) > 0 && parts[0] != "" && strings.HasSuffix(p.Key, key)
			}); i >= 0 {
				c.before, c.needs = in[i].before, in[i].needs
				s.add(c, in[i].Parts)
			}
		}
	}
	s.unread()
	builder := func(c *site, u *use, value *node) {
		if u.key != nil && !u.several {
			c.before, c.needs = u.before, u.needs
			s.add(c, u.key)
			return
		}
		s.program.steps, s.program.reached = 0, s.program.reached[:0]
		parts := verbs(s.program.eval(value, c.frame()), c.source.syntax)
		maker := slices.IndexFunc(s.program.reached, func(r reach) bool { return r.use != u && r.use.whole })
		if value == nil || value.kind != callNode { // a constant of an enum may have no text
			maker = -1
		}
		key := Join(parts)
		p, known := used[key]
		c.needs = u.needs
		if known {
			c.needs = p.needs
		} else if u.key == nil && c.source.syntax.loose { // any client may have it
			p.before = s.layers[namespaceLayer]
			if c.source.syntax == php {
				p.before = s.layers[connectionLayer]
			}
		}
		if c.before = cmp.Or(p.before, u.before); key != "" && !known && (u.begins || u.key == nil && maker < 0 ||
			strings.IndexByte(":_-.|/", key[len(key)-1]) >= 0) {
			parts = add(parts, "")
		}
		unknown := slices.ContainsFunc([]string{"prefix", "context", "channel", "hashkey"}, func(word string) bool {
			return strings.Contains(strings.ToLower(c.function.name), word)
		})
		if maker >= 0 && !known { // a function that makes keys gives it
			c.before, c.needs = s.program.reached[maker].use.before, s.program.reached[maker].use.needs
		}
		if (u.begins || u.whole || maker >= 0 || u.key == nil && !unknown && s.aboutServer(c)) &&
			acceptable(c, parts) {
			s.add(c, parts)
		}
	}
	for _, d := range s.decls {
		c := &site{sure: Likely, line: d.line, text: d.text, source: d.source, function: &function{container: d.container}}
		builder(c, &d.use, d.only())
	}
	for _, name := range slices.Sorted(maps.Keys(s.program.functions)) {
		for _, f := range s.program.functions[name] {
			if f.use.key == nil && !s.named(f) {
				continue
			}
			for _, r := range f.returns {
				if (&site{source: f.source, function: f}).inMemory() || !keyLike(name) && !keyLike(f.container) && !(r.value.kind == callNode && keyLike(r.value.text)) {
					continue
				}
				if u := f.use; len(f.returns) > 1 && u.key != nil && !u.several && r.value.kind == textNode &&
					!strings.Contains(Join(u.key), r.value.text) {
					continue // the commands have another value of the function
				}
				if r.value.kind != wordNode && r.value.kind != paramNode && (r.value.kind != textNode || r.value.text != "") {
					c := &site{sure: Likely, line: r.line, text: r.text, source: f.source, function: f}
					builder(c, &f.use, r.value)
				}
			}
		}
	}
}

// inMemory reports whether the names around a site say that it is about what the process keeps.
func (c *site) inMemory() bool {
	name := c.source.base
	if c.function != nil && c.function.container != "" {
		name = c.function.container
	}
	name = strings.ToLower(name)
	return strings.Contains(name, "memory") && !ofServer(name)
}

// aboutServer reports whether the names around a builder that no known command uses speak of the server.
func (s *scanner) aboutServer(c *site) bool {
	return ofServer(strings.ToLower(c.function.container + "." + c.function.name + "." + c.source.base))
}

// common returns the parts that two texts have: how they begin and how they end.
func common(a, b string) []string {
	begin, end := 0, 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return starred([]string{a[:begin] + "*" + a[len(a)-end:]})
}

// shortest returns the shortest of several values, and what varies behind it or before it, if the others begin with
// it, or vary before it, else nil.
func shortest(list [][]string) []string {
	if len(list) < 2 {
		return nil
	}
	first := slices.MinFunc(list, func(a, b []string) int { return cmp.Compare(len(Join(a)), len(Join(b))) })
	text := Join(first)
	all := func(like func(v []string) bool) bool {
		return !slices.ContainsFunc(list, func(v []string) bool { return !like(v) })
	}
	switch {
	case all(func(v []string) bool { return strings.HasPrefix(Join(v), text) }):
		return add(slices.Clone(first), "")
	case all(func(v []string) bool { return Join(v) == text || v[0] == "" && strings.HasSuffix(Join(v), text) }):
		return add(vary(), first...)
	}
	return nil
}
