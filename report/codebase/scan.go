package codebase

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Sure says how sure it is that a pattern is one of keys.
type Sure int

// How sure it is, least first.
const (
	Likely  Sure = iota + 1 // a name, or a method that other classes have, too, says so
	Certain                 // it is the key of a command of the server
)

func (s Sure) String() string {
	switch s {
	case Likely:
		return "likely"
	case Certain:
		return "certain"
	}
	return "unknown"
}

const maxLine = 200 // bytes of a line of source that are kept

// A Pattern is a pattern of the names of keys, at one line of source.
type Pattern struct {
	Key      string   // the pattern, * for what varies: crawl:*:jobs
	Parts    []Part   // the same
	File     string   // relative to the directory, with slashes
	Line     int      // from 1
	Function string   // around the line, with its class: "Cache.get"; "" none
	Text     string   // the line, without spaces around it, at most 200 bytes
	Sure     Sure     //
	Commands []string // what the line does with the keys: "SADD"; none where it only names them
	Type     string   // of the keys, as the commands tell; "" any
	Writes   bool     // a command writes the keys
}

// A Checkout is what Scan found in a directory.
type Checkout struct {
	Dir      string
	Patterns []Pattern // by file and line
	Prefixes []string  // that options of clients put before every key
	Files    int       // that were read
	Lines    int
	Skipped  Skipped
	Cut      bool // there are more files than are read
	owners   owners
	setups   []setup // lines that set up a library, by file and line
}

// Scan finds the patterns of keys in the sources below a directory. It runs nothing and
// follows no link out of it. An error is that of opening the directory; what cannot
// be read in it is counted.
func Scan(dir string) (*Checkout, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &walker{root: root}
	w.folder(".", nil, 0)
	s := &scanner{walker: w, checkout: &Checkout{Dir: dir, Cut: len(w.files) >= maxFiles, owners: w.ownersOf()}}
	s.declarations()
	s.calls()
	for _, w := range s.wrapped {
		if len(w.by.passes) == 0 { // what it does with the key is not known
			s.program.steps = 0
			w.sure = Likely
			s.add(w.site, s.program.eval(w.key, w.frame()))
		}
	}
	s.checkout.Skipped = w.skipped
	s.checkout.sort()
	return s.checkout, nil
}

type scanner struct {
	*walker
	checkout *Checkout
	program  program
	found    map[string]int // index of the pattern of a line
	wrapped  []wrapped
	sources  map[string]*source
}

// wrapped is a key that is given to a function of the checkout which has the name of a command.
type wrapped struct {
	*site
	by *function
}

// A reading is what one pass over one file found.
type reading struct {
	*collector
	lines int
	skip  func(*Skipped)
}

// each collects from every file, and calls yield for them in the order of their names.
func (s *scanner) each(callees map[string]bool, yield func(*reading)) {
	results := make([]chan *reading, len(s.files))
	for i := range results {
		results[i] = make(chan *reading, 1)
	}
	var next sync.Mutex
	at, ahead := 0, make(chan struct{}, 256)
	take := func() int {
		ahead <- struct{}{}
		next.Lock()
		defer next.Unlock()
		at++
		return at - 1
	}
	for range min(runtime.GOMAXPROCS(0), len(s.files)) {
		go func() {
			w := worker{words: words{}}
			for i := take(); i < len(s.files); i = take() {
				results[i] <- s.readFile(s.files[i], callees, &w)
			}
			<-ahead
		}()
	}
	for _, c := range results {
		yield(<-c)
		<-ahead
	}
}

// A worker has what reading files can use again.
type worker struct {
	words  words
	tokens []token
	match  []int32
}

func (s *scanner) readFile(name string, callees map[string]bool, w *worker) *reading {
	if known := s.sources[name]; callees != nil && (known == nil || !known.callsAny(callees)) {
		return &reading{skip: func(*Skipped) {}}
	}
	src, ok := s.read(name)
	switch {
	case !ok:
		return &reading{skip: func(s *Skipped) { s.Unreadable++ }}
	case src == "":
		return &reading{skip: func(s *Skipped) { s.Large++ }}
	case isGenerated(src):
		return &reading{skip: func(s *Skipped) { s.Generated++ }}
	}
	syntax := syntaxOf(name)
	base := path.Base(name)
	file := &source{path: name, dir: path.Dir(name), base: strings.TrimSuffix(base, path.Ext(base)), syntax: syntax, imports: map[string]bool{}, supers: map[string]bool{}}
	file.redis = aboutServer(src)
	if known := s.sources[name]; known != nil {
		file = known // expressions of both passes are compared by it
	}
	w.tokens = syntax.lex(src, w.tokens[:0])
	p := newParser(syntax, src, w.words, w.tokens, w.match)
	c := &collector{parser: p, file: file, callees: callees}
	c.run()
	w.match = p.match
	c.parser = nil // and the tokens and the source with it, but for names
	return &reading{collector: c, lines: strings.Count(strings.TrimSuffix(src, "\n"), "\n") + 1}
}

// aboutServer reports whether a source speaks of Redis, other than by "redistribute".
func aboutServer(src string) bool {
	for _, word := range [...]string{"redis", "Redis", "REDIS", "jedis", "Jedis", "valkey", "Valkey", "rdb."} {
		for rest := src; ; {
			_, after, found := strings.Cut(rest, word)
			if !found {
				break
			}
			if !strings.HasPrefix(after, "t") {
				return true
			}
			rest = after
		}
	}
	return false
}

// declarations reads all files, and adds the patterns of their calls.
func (s *scanner) declarations() {
	s.program = program{constants: map[string][]*declaration{}, functions: map[string][]*function{}, settings: s.settings()}
	s.found = map[string]int{}
	var sites []*site
	var decls []*declaration
	sources := map[string]*source{}
	s.each(nil, func(r *reading) {
		if r.skip != nil {
			r.skip(&s.skipped)
			return
		}
		sources[r.file.path] = r.file
		s.checkout.Files++
		s.checkout.Lines += r.lines
		for _, d := range r.decls {
			s.program.constants[d.name] = append(s.program.constants[d.name], d)
		}
		for _, f := range r.functions {
			s.program.functions[f.name] = append(s.program.functions[f.name], f)
		}
		sites = append(sites, r.sites...)
		decls = append(decls, r.decls...)
	})
	s.sources = sources
	s.setups(sites)
	for _, site := range sites {
		if f := site.function; f != nil && site.command != nil && len(f.passes) < 8 && len(parametersOf(nil, site.key, 0)) > 0 {
			f.passes = append(f.passes, passed{key: site.key, command: site.command, sure: site.sure, list: site.list})
		}
	}
	for _, site := range alternatives(sites) {
		if site.setup != nil {
			continue
		}
		if site.callee != "" {
			if f := s.own(site); f != nil { // a function of the checkout, which may change the key
				s.wrapped = append(s.wrapped, wrapped{site, f})
				continue
			}
		}
		s.program.steps = 0
		parts := s.program.eval(site.key, site.frame())
		if site.prefix {
			if text, ok := constant(parts); ok && text != "" && len(s.checkout.Prefixes) < 20 && !slices.Contains(s.checkout.Prefixes, text) {
				s.checkout.Prefixes = append(s.checkout.Prefixes, text)
			}
			continue
		}
		s.add(site, parts)
	}
	s.builders(decls)
}

// setups adds the lines that set up libraries.
func (s *scanner) setups(sites []*site) {
	add := func(w *setupWord, p Pattern) {
		p.Sure = Likely
		s.checkout.setups = append(s.checkout.setups, setup{p, w.library, w.rank})
	}
	for _, c := range sites {
		if c.setup == nil {
			continue
		}
		p := Pattern{File: c.source.path, Line: int(c.line), Text: c.text}
		if c.function != nil {
			p.Function = strings.Trim(c.function.container+"."+c.function.name, ".")
		}
		if c.key != nil {
			s.program.steps = 0
			p.Key, _ = constant(s.program.eval(c.key, c.frame()))
		}
		add(c.setup, p)
	}
	for path, first := range s.firstSettings() {
		for i := range setupWords[path] {
			add(&setupWords[path][i], first)
		}
	}
}

// alternatives returns the sites with one for each value that a key may have.
func alternatives(sites []*site) (list []*site) {
	for _, s := range sites {
		if s.key == nil || s.key.kind != eitherNode {
			list = append(list, s)
			continue
		}
		for _, key := range s.key.args {
			one := *s
			one.key = key
			list = append(list, &one)
		}
	}
	return list
}

// builders adds the patterns of constants and functions whose names say that they are
// keys.
func (s *scanner) builders(decls []*declaration) {
	for _, d := range decls {
		if d.text == "" || d.value.kind == wordNode || d.value.kind == holeNode {
			continue
		}
		s.program.steps = 0
		at := frame{source: d.source, container: d.container}
		s.add(&site{sure: Likely, line: d.line, text: d.text, source: d.source, function: &function{name: d.container}}, s.program.eval(d.value, at))
	}
	for _, name := range slices.Sorted(keysOf(s.program.functions)) {
		for _, f := range s.program.functions[name] {
			if !keyLike(name) && !keyLike(f.container) {
				continue
			}
			for i, r := range f.returns {
				if r.kind != wordNode && r.kind != paramNode {
					s.program.steps = 0
					at := frame{source: f.source, container: f.container}
					s.add(&site{sure: Likely, line: f.lines[i].line, text: f.lines[i].text, source: f.source, function: f}, s.program.eval(r, at))
				}
			}
		}
	}
}

func keysOf[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// maxRounds is the number of functions between a command and the key that it is given.
const maxRounds = 3

// calls adds the patterns of the calls of functions that pass a key on, and then of those of
// functions that call these.
func (s *scanner) calls() {
	for range maxRounds {
		callees := map[string]bool{}
		for name, list := range s.program.functions {
			for _, f := range list {
				if f.due = len(f.passes); f.due > f.done && len(name) > 2 {
					callees[name] = true
				}
			}
		}
		if len(callees) == 0 {
			return
		}
		s.each(callees, func(r *reading) {
			if r.skip != nil {
				return
			}
			for _, site := range r.sites {
				if f := s.callee(site); f != nil {
					s.passOn(site, f)
				}
			}
		})
		for _, list := range s.program.functions {
			for _, f := range list {
				f.done = f.due
			}
		}
	}
}

// passOn adds the keys that a call gives to a function which passes them on.
func (s *scanner) passOn(c *site, f *function) {
	for n := f.done; n < f.due; n++ {
		pass := &f.passes[n]
		s.program.steps = 0
		c.command, c.sure = pass.command, pass.sure
		var of []*node // arguments that the key depends on
		for _, i := range pass.parameters() {
			if i < len(c.args) {
				of = append(of, c.args[i])
			}
		}
		if around := s.known(c.function); around != nil && around != f && len(around.passes) < 8 &&
			slices.ContainsFunc(of, func(a *node) bool { return len(parametersOf(nil, a, 0)) > 0 }) {
			around.passes = append(around.passes, passed{command: pass.command, sure: Likely, list: pass.list, via: f, next: pass, args: c.args})
		}
		if pass.list && pass.via == nil {
			if i := int(pass.key.index); i < len(c.args) && c.args[i].kind == listNode {
				for _, key := range c.args[i].args {
					s.add(c, s.program.eval(key, c.frame()))
				}
				continue
			}
		}
		if len(c.args) == 0 || slices.ContainsFunc(s.program.values(of, c.frame()), literal) {
			s.add(c, s.program.passed(pass, f, s.program.values(c.args, c.frame())))
		}
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
	if n == nil || depth > 8 {
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

// passed returns the key that a function passes on which is called with some values.
func (p *program) passed(pass *passed, f *function, values [][]Part) []Part {
	at := frame{source: f.source, container: f.container, arguments: values}
	for pass.via != nil {
		values = p.values(pass.args, at)
		at = frame{source: pass.via.source, container: pass.via.container, arguments: values}
		pass = pass.next
	}
	return p.eval(pass.key, at)
}

// known returns the function of the first pass that a later one has read again, nil if there
// is none.
func (s *scanner) known(f *function) *function {
	if f == nil {
		return nil
	}
	for _, k := range s.program.functions[f.name] {
		if k.source == f.source && k.container == f.container && slices.Equal(k.params, f.params) {
			return k
		}
	}
	return nil
}

// callee returns the function that a site calls, nil if that is not certain.
func (s *scanner) callee(c *site) *function {
	n := &node{kind: wordNode, text: c.callee}
	common := commandOf(c.callee) != nil || fetchers[strings.ToLower(c.callee)] || len(c.callee) < 6
	if c.receiver == "" {
		f, _ := s.program.function(n, c.frame())
		if f == nil || len(f.passes) == 0 || common && f.container != "" && (c.function == nil || f.container != c.function.container) {
			return nil
		}
		return f
	}
	last := c.receiver[strings.LastIndexByte(c.receiver, '.')+1:]
	var found *function
	for _, f := range s.program.functions[c.callee] {
		if len(f.passes) == 0 || !f.source.syntax.shares(c.source.syntax) || f.source.syntax.exact && len(f.params) != len(c.args) {
			continue
		}
		switch class := strings.ToLower(f.container); {
		case (last == "this" || last == "self" || last == "$this") && c.function != nil && f.container == c.function.container:
		case class != "" && similar(class, last) && (!common || class == last || ofServer(class) || strings.Contains(class, "cache")):
		case strings.EqualFold(f.source.base, last):
		case !common && class != "" && len(s.program.functions[c.callee]) == 1:
		case !common && ofServer(c.receiver):
		case !common && clients[last] && f.source.redis && len(s.program.functions[c.callee]) == 1:
		case f.source.syntax == golang && lastWord(f.source.dir) == last:
		default:
			continue
		}
		switch {
		case found == nil || len(found.params) != len(c.args) && len(f.params) == len(c.args):
			found = f
		case len(f.params) == len(c.args) && f.container != found.container:
			return nil
		}
	}
	return found
}

// own returns the method of the checkout that a site calls, nil if it has none.
func (s *scanner) own(c *site) *function {
	last := c.receiver[strings.LastIndexByte(c.receiver, '.')+1:]
	for _, f := range s.program.functions[c.callee] {
		if class := strings.ToLower(f.container); class != "" && f.source.syntax.shares(c.source.syntax) && (ofServer(class) || strings.Contains(class, "cache")) && f != c.function &&
			(similar(class, last) || len(f.params) > 0 && len(c.args) == len(f.params) && !clients[last] && ofServer(last)) {
			return f
		}
	}
	return nil
}

// similar reports whether a variable has the name of a class.
func similar(class, variable string) bool {
	clean := func(s string) string { return strings.NewReplacer("_", "", "$", "", "*", "").Replace(s) }
	class, variable = clean(class), clean(variable)
	return len(variable) > 2 && (strings.HasSuffix(class, variable) || strings.HasSuffix(variable, class) || strings.TrimSuffix(class, "impl") == variable)
}

// add adds the pattern of a site, if it can be one of keys.
func (s *scanner) add(c *site, parts []Part) {
	if c.command == nil {
		parts = template(c, parts)
	}
	if !acceptable(c, parts) {
		return
	}
	key := Join(parts)
	id := fmt.Sprintf("%s:%d:%s", c.source.path, c.line, key)
	at, ok := s.found[id]
	if !ok {
		at = len(s.checkout.Patterns)
		s.found[id] = at
		p := Pattern{Key: key, Parts: parts, File: c.source.path, Line: int(c.line), Text: c.text, Sure: c.sure}
		if f := c.function; f != nil {
			p.Function = strings.Trim(f.container+"."+f.name, ".")
		}
		s.checkout.Patterns = append(s.checkout.Patterns, p)
	}
	p := &s.checkout.Patterns[at]
	p.Sure = max(p.Sure, c.sure)
	if c.command != nil && !slices.Contains(p.Commands, c.command.name) {
		p.Commands = append(p.Commands, c.command.name)
		p.Writes = p.Writes || c.command.writes
		p.Type = cmp.Or(p.Type, c.command.kind)
	}
}

// Join returns the text of parts, with * for what varies.
func Join(parts []Part) string {
	var b strings.Builder
	star := false
	for _, p := range parts {
		if p.Text == "" {
			if !star {
				b.WriteByte('*')
			}
			star = true
			continue
		}
		b.WriteString(p.Text)
		star = false
	}
	return b.String()
}

func (c *Checkout) sort() {
	slices.SortStableFunc(c.Patterns, func(a, b Pattern) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Key, b.Key))
	})
	slices.SortStableFunc(c.setups, func(a, b setup) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	slices.Sort(c.Prefixes)
}
