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
	s.checkout.Skipped = w.skipped
	s.checkout.sort()
	return s.checkout, nil
}

type scanner struct {
	*walker
	checkout *Checkout
	program  program
	found    map[string]int // index of the pattern of a line
	sources  map[string]*source
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
	for _, word := range [...]string{"redis", "Redis", "REDIS", "jedis", "Jedis", "valkey", "Valkey", "rdb."} {
		if file.redis = strings.Contains(src, word); file.redis {
			break
		}
	}
	for _, word := range [...]string{"'bull'", `"bull"`, "'bullmq'", `"bullmq"`, "nestjs/bull"} {
		file.bull = file.bull || strings.Contains(src, word)
	}
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
	for _, site := range sites {
		if f := site.function; f != nil && site.command != nil && len(f.passes) < 8 && hasParameter(site.key, 0) {
			f.passes = append(f.passes, passed{site.key, site.command, site.sure, site.list})
		}
	}
	for _, site := range alternatives(sites) {
		if site.callee != "" && s.own(site) {
			continue // a key that a function of the checkout may change
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

// hasParameter reports whether a value depends on a parameter of the function around.
func hasParameter(n *node, depth int) bool {
	if n == nil || depth > 8 {
		return false
	}
	return n.kind == paramNode || slices.ContainsFunc(n.args, func(a *node) bool { return hasParameter(a, depth+1) })
}

// calls adds the patterns of the calls of functions that pass a key on.
func (s *scanner) calls() {
	callees := map[string]bool{}
	for name, list := range s.program.functions {
		for _, f := range list {
			if len(f.passes) > 0 && len(name) > 2 {
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
			f := s.callee(site)
			if f == nil {
				continue
			}
			for _, pass := range f.passes {
				s.program.steps = 0
				site.command, site.sure = pass.command, pass.sure
				if i := int(pass.key.index); pass.list && i < len(site.args) && site.args[i].kind == listNode {
					for _, key := range site.args[i].args {
						s.add(site, s.program.eval(key, site.frame()))
					}
					continue
				}
				values := s.program.values(site.args, site.frame())
				if !slices.ContainsFunc(values, literal) && len(f.passes) > 0 && len(values) > 0 {
					continue
				}
				s.add(site, s.program.eval(pass.key, frame{source: f.source, container: f.container, arguments: values}))
			}
		}
	})
}

// callee returns the function that a site calls, nil if that is not certain.
func (s *scanner) callee(c *site) *function {
	n := &node{kind: wordNode, text: c.callee}
	if c.receiver == "" {
		if f, _ := s.program.function(n, c.frame()); f != nil && len(f.passes) > 0 {
			return f
		}
		return nil
	}
	last := c.receiver[strings.LastIndexByte(c.receiver, '.')+1:]
	common := commandOf(c.callee) != nil || fetchers[strings.ToLower(c.callee)] || len(c.callee) < 6
	var found *function
	for _, f := range s.program.functions[c.callee] {
		if len(f.passes) == 0 || !f.source.syntax.shares(c.source.syntax) {
			continue
		}
		switch class := strings.ToLower(f.container); {
		case (last == "this" || last == "self" || last == "$this") && c.function != nil && f.container == c.function.container:
		case class != "" && similar(class, last):
		case strings.EqualFold(f.source.base, last):
		case !common && class != "" && len(s.program.functions[c.callee]) == 1:
		case !common && ofServer(c.receiver):
		case !common && clients[last] && f.source.redis:
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

// own reports whether the checkout has the method that a site calls.
func (s *scanner) own(c *site) bool {
	last := c.receiver[strings.LastIndexByte(c.receiver, '.')+1:]
	for _, f := range s.program.functions[c.callee] {
		if class := strings.ToLower(f.container); class != "" && f.source.syntax.shares(c.source.syntax) && (ofServer(class) || strings.Contains(class, "cache")) && f != c.function &&
			(similar(class, last) || len(f.params) > 0 && len(c.args) == len(f.params) && !clients[last] && ofServer(last)) {
			return true
		}
	}
	return false
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
	slices.Sort(c.Prefixes)
}
