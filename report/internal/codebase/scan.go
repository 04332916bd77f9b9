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
	"sync/atomic"
)

// Sure says how sure it is that a pattern is one of keys.
type Sure int

// How sure it is, least first.
const (
	Possible Sure = iota + 1 // something that the source does not say decides: see Condition of Pattern
	Likely                   // a name, or a method that other classes have, too, says so
	Certain                  // it is the key of a command of the server
)

func (s Sure) String() string {
	return [...]string{"unknown", "possible", "likely", "certain"}[s]
}

const (
	maxLine  = 200 // bytes of a line of source that are kept
	maxWords = 100 // of a text that is no comment
)

// MarshalText returns the word of s.
func (s Sure) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Pattern is a pattern of the names of keys, at one line of source.
type Pattern struct {
	Key      string   `json:"pattern"`            // * for what varies: crawl:*:jobs
	Parts    []string `json:"-"`                  // the same, without a prefix of the configuration
	File     string   `json:"file"`               // relative to the directory, with slashes
	Line     int      `json:"line"`               // from 1
	Function string   `json:"function,omitempty"` // around the line, with its class: "Cache.get"; "" none
	Text     string   `json:"text"`               // the line, without spaces around it, at most 200 bytes
	Sure     Sure     `json:"sure"`
	Commands []string `json:"commands"`       // what the line does with the keys: "SADD"; none where it only names them
	Type     string   `json:"type,omitempty"` // of the keys, as the commands tell; "" any
	Writes   bool     `json:"writes"`         // a command writes the keys
	// Condition is what must be so for the keys to be on the server, if Sure is Possible: "CACHE_STORE=redis".
	// Chosen is the line that decides it otherwise, as file:line, "" none.
	Condition string `json:"condition,omitempty"`
	Chosen    string `json:"chosen,omitempty"`
	before    string // what a prefix of the configuration adds to the parts
	needs     *store // what keeps the keys on the server, nil they are there
	expiry    expiry // that its commands which write set
	otherwise Sure   // how sure it would be, if its function were called, or its keys written
	makes     bool   // a command of it can make the keys
}

// A Checkout is what Scan found in a directory.
type Checkout struct {
	Dir      string
	Patterns []Pattern // by file and line
	Prefixes []string  // that options of clients put before every key
	Files    int       // that were read
	Lines    int
	Skipped  Skipped
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
	w := &walker{root: root, packs: map[string]bool{}, modules: map[string]string{}}
	w.folder(".", nil, 0)
	s := &scanner{walker: w, checkout: &Checkout{Dir: dir, owners: w.ownersOf()}}
	s.docker = w.composed()
	s.readOthers()
	s.declarations()
	s.calls()
	s.builders()
	s.checkout.restore()
	s.checkout.judgeUnwritten()
	s.checkout.expires()
	s.checkout.Skipped = w.skipped
	s.checkout.sort()
	return s.checkout, nil
}

type scanner struct {
	*walker
	checkout   *Checkout
	program    program
	found      map[string]int // index of the pattern of a line
	names      []*site        // values of variables whose names say that they are keys
	decls      []*declaration // of constants with such names
	sources    map[string]*source
	lacks      map[*syntax]bool          // languages without a client
	stores     map[*syntax]store         // of frameworks
	modular    map[string]store          // of Spring, by modules
	aliases    map[string]cacheKind      // where the caches of Django are, by name
	django     map[string]string         // what begins the keys of the caches of Django, by name
	connection map[string]string         // and of those of the connections of PHP; cacheName is that which the cache uses
	scopes     map[string]*node          // what clients with global names put before each key
	layers     [clientLayer + 1]string   // prefixes
	clients    map[string]string         // prefixes, see clientPrefixes
	keyv       bool                      // caches may be those of Keyv, which puts a namespace before each key
	laravel    bool                      // a file imports Laravel
	routed     map[string]bool           // directories of applications of PHP that have files of routes
	choices    map[string][]registration // by class
	adds       map[string]bool           // methods Add... that are called, of C#
	statics    map[string]string         // types of the members Instance of classes of C#, by lower-case names
	docker     bool                      // see composed
	plain      map[string]setting        // see plainSetting
	mentions   wordCounts
	reached    wordCounts       // words of what may run are not 0
	apps       map[*syntax]bool // see applies
	unsure     bool             // see readOthers
	containers map[string]bool  // of functions
	features   map[string]bool  // see cargoFeatures
}

// A reading is what one pass over one file found.
type reading struct {
	*collector
	lines int
	skip  func(*Skipped)
}

// each collects from every file, and calls yield for them in the order of their names.
func (s *scanner) each(callees map[string]bool, yield func(*reading)) {
	results := make([]*reading, len(s.files))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			w := worker{words: words{}}
			for i := int(next.Add(1)) - 1; i < len(s.files); i = int(next.Add(1)) - 1 {
				results[i] = s.readFile(s.files[i], callees, &w)
			}
		})
	}
	all.Wait()
	for _, r := range results {
		if r.skip != nil {
			r.skip(&s.skipped)
		} else {
			yield(r)
		}
	}
}

// A worker has what reading files can use again.
type worker struct {
	words  words
	tokens []token
	match  []int32
}

func newFile(s *syntax) *source {
	return &source{syntax: s, imports: map[string]bool{}, supers: map[string]bool{}, holds: map[string]holder{},
		types: map[string]string{}, scopes: map[string]*node{}, modules: map[string]string{},
		goTypes: map[string]*goType{}, vars: map[string]*node{}, bodies: map[string]*body{}}
}

func (s *scanner) readFile(name string, callees map[string]bool, w *worker) *reading {
	if known := s.sources[name]; callees != nil && (known == nil || !known.callsAny(callees)) {
		return &reading{skip: func(*Skipped) {}}
	}
	src, ok := s.read(name)
	src = strings.TrimPrefix(src, "\ufeff") // byte order mark
	switch {
	case !ok:
		return &reading{skip: func(s *Skipped) { s.Unreadable++ }}
	case src == "":
		return &reading{skip: func(s *Skipped) { s.Large++ }}
	case isGenerated(src):
		s.mentions.text(src)
		s.reached.text(src)
		return &reading{skip: func(s *Skipped) { s.Generated++ }}
	}
	syntax := syntaxOf(name)
	base := path.Base(name)
	file := newFile(syntax)
	file.path, file.dir, file.base = name, path.Dir(name), strings.TrimSuffix(base, path.Ext(base))
	if file.redis = aboutServer(src); syntax == javaScript {
		file.pack = s.packOf(file.dir)
	}
	file.typed = syntax == csharp && strings.Contains(src, "Volo.Abp") &&
		(strings.Contains(src, "IDistributedCache<") || strings.HasSuffix(file.base, "CacheItem"))
	file.store = s.storeOf(syntax, src, name)
	if syntax == ruby && strings.Contains(src, "queue_") {
		file.adapter = queueAdapter(src, name)
	}
	if known := s.sources[name]; known != nil {
		file = known // expressions of both passes are compared by it
	}
	if w.tokens = syntax.lex(src, w.tokens[:0]); callees == nil {
		s.mentions.read(src, w.tokens)
	}
	file.redis = file.redis && (syntax != php && syntax != ruby || slices.ContainsFunc(w.tokens, func(t token) bool {
		return t.end-t.start <= maxWords && aboutServer(src[t.start:t.end])
	}))
	p := newParser(syntax, src, w.words, w.tokens, w.match)
	c := &collector{parser: p, file: file, callees: callees, reached: &s.reached, features: s.features}
	c.run()
	w.match = p.match
	c.parser = nil // and the tokens and the source with it, but for names
	return &reading{collector: c, lines: strings.Count(strings.TrimSuffix(src, "\n"), "\n") + 1}
}

// aboutServer reports whether a source speaks of Redis, other than by "redistribute" and "redisplay".
func aboutServer(src string) bool {
	return slices.ContainsFunc([]string{"redis", "Redis", "REDIS", "jedis", "Jedis", "valkey", "Valkey", "rdb.",
		"ConnectionMultiplexer"}, func(word string) bool {
		return strings.Count(src, word) > strings.Count(src, word+"t")+strings.Count(src, word+"play")
	})
}

// declarations reads all files, and adds the patterns of their calls.
func (s *scanner) declarations() {
	s.program = program{constants: map[string][]*declaration{}, functions: map[string][]*function{},
		settings: s.settings(), modules: s.modules,
		goTypes: map[goKind]*goType{}, vars: map[goKind]goVar{}, packs: map[string]bool{},
		classes: map[string]class{}}
	s.program.configured = map[string]bool{}
	for _, file := range s.config {
		s.program.configured[springModule(file)] = true
	}
	s.found, s.choices, s.adds = map[string]int{}, map[string][]registration{}, map[string]bool{}
	s.routed = map[string]bool{}
	s.statics, s.containers = map[string]string{}, map[string]bool{}
	s.stores, s.aliases, s.modular = map[*syntax]store{}, map[string]cacheKind{}, map[string]store{}
	s.django, s.connection = map[string]string{}, map[string]string{}
	var sites []*site
	s.sources = map[string]*source{}
	s.features = s.cargoFeatures()
	s.each(nil, func(r *reading) {
		s.sources[r.file.path], r.file.order = r.file, s.checkout.Files
		s.checkout.Files++
		s.checkout.Lines += r.lines
		if kind := r.file.types["instance"]; kind != "" && r.file.syntax == csharp {
			s.statics[strings.ToLower(r.file.base)] = kind
		}
		for _, name := range r.adds {
			s.adds[name] = true
		}
		for _, made := range r.choices {
			s.choices[made.class] = append(s.choices[made.class], made)
		}
		at := s.stores[r.file.syntax]
		at.join(s.managed(r))
		s.stores[r.file.syntax] = at
		if own := springModule(r.file.path); r.file.syntax.jvm && own != "" {
			at = s.modular[own]
			at.join(r.file.store)
			s.modular[own] = at
		}
		s.laravel = s.laravel || r.file.imports["Illuminate"]
		if r.file.syntax == php && path.Base(r.file.dir) == "routes" {
			s.routed[path.Dir(r.file.dir)] = true
		}
		for name, kind := range r.file.aliases {
			s.aliases[name] |= kind
		}
		for _, d := range r.decls {
			s.program.constants[d.name] = append(s.program.constants[d.name], d)
			if d.text != "" && d.value.kind != wordNode && d.value.kind != holeNode {
				s.decls = append(s.decls, d)
			}
		}
		for _, f := range r.functions {
			s.containers[f.container] = true
			s.program.functions[f.called()] = append(s.program.functions[f.called()], f)
		}
		sites = append(sites, r.sites...)
		s.program.addTypes(r.file)
		for name, kind := range r.classes {
			if s.program.classes[name] != plainClass {
				s.program.classes[name] = kind
			}
		}
		r.file.classes = s.program.classes
	})
	s.reach()
	s.scopes = map[string]*node{}
	for _, file := range s.sources {
		for name, before := range file.scopes {
			if strings.ContainsAny(name, "$:.") {
				if s.scopes[name] != nil {
					before = hole
				}
				s.scopes[name] = before
			}
		}
	}
	for _, site := range sites {
		site.scope(s.scopes)
	}
	sites = s.typed(sites)
	if !s.jobsInSidekiq() {
		sites = slices.DeleteFunc(sites, func(c *site) bool { return c.command == jobCommand })
	}
	s.lacks = s.lacksClient()
	s.setups(sites)
	s.layerPrefixes(sites)
	active := map[*source]bool{} // files with commands
	for _, site := range sites {
		if site.command != nil {
			active[site.source] = true
		}
	}
	for _, site := range sites {
		if site.before = s.before(site); site.setup != nil || site.prefix {
			continue
		}
		_, known := s.frameworkCache(site)
		if site.elsewhere && !known || !s.storeFor(site) ||
			site.command == ringCommand && s.program.functions[site.callee] != nil ||
			(site.command.isCache() || site.command != nil && site.source.syntax == python && !site.command.unusual &&
				site.sure < Certain) && s.inProcess(site, active) {
			site.rest = true
			continue
		}
		if f := site.function; f != nil && site.command != nil && len(f.passes) < 8 && !site.ofYii() &&
			len(parametersOf(nil, site.key, 0)) > 0 &&
			!(site.onItself() && slices.ContainsFunc(nearby(s.program.functions[site.callee], f.source), func(own *function) bool {
				return own.source == f.source && own.container == f.container && own != f
			})) { // which another method of the class does
			f.passes = append(f.passes, passed{key: site.key, command: site.command, sure: site.sure, expiry: site.expiry,
				list: site.list, before: site.before, needs: site.needs, guard: site.guard})
		}
	}
	s.constructors(sites)
	var inner []*site // calls of functions of the checkout
	repositories, anyEntity := s.repositories()
	for _, site := range sites {
		if site.setup != nil || site.rest || site.prefix && site.layer != 0 ||
			site.entity != "" && !anyEntity && !repositories[site.entity] {
			continue
		}
		if site.command == nil && !site.prefix {
			s.names = append(s.names, site)
			continue
		}
		if site.callee != "" {
			if f := s.callee(site); f != nil && f != site.function {
				inner = append(inner, site)
				continue // it may change the key
			}
			if s.wraps(site) {
				site.before = "*"
			}
		}
		for parts := range s.keys(site) {
			text, ok := constant(parts)
			switch {
			case !site.prefix:
				s.add(site, parts)
			case ok && text != "" && len(s.checkout.Prefixes) < 20 && !slices.Contains(s.checkout.Prefixes, text):
				s.checkout.Prefixes = append(s.checkout.Prefixes, text)
			}
		}
	}
	for _, site := range inner {
		site.function.passesAs(site)
	}
}

// add adds the pattern of a site, if it can be one of keys.
func (s *scanner) add(c *site, parts []string) {
	parts = starred(parts) // of a pattern of SCAN
	if c.needs == nil && s.uncalled(c.function) {
		c.needs = uncalled
	}
	if c.command == scriptCommand && ends(parts, ":") {
		parts = append(parts[:len(parts):len(parts)], "") // the script adds the rest
	}
	if c.command == cacheableCommand {
		parts = s.springCache(parts)
	} else if c.command.isCache() && c.source.imports["ZiggyCreatures"] {
		parts = add([]string{"v", "", ":"}, parts...) // version of the format
	}
	typed := len(parts) > 1 && strings.HasPrefix(parts[1], "c:") // a key of a typed cache
	if typed && Join(parts) == "*c:*,k:*" {
		return
	}
	in := c.source.syntax
	lacks := s.lacks[in] && (in == python || c.sure < Certain && !(in.loose && c.command != nil && c.command.unusual))
	if lacks && (c.needs == nil || c.needs == uncalled) || c.source.typed && !typed && c.sure < Certain {
		return
	}
	if c.command != nil {
		if !acceptable(c, parts) || c.ofYii() && hashed(parts) {
			return
		}
		s.program.uses(parts, c)
	}
	key := prefixed(c.before, Join(parts))
	id := fmt.Sprintf("%s:%d:%s", c.source.path, c.line, key)
	at, ok := s.found[id]
	if !ok {
		at = len(s.checkout.Patterns)
		s.found[id] = at
		p := Pattern{Key: key, Parts: parts, File: c.source.path, Line: int(c.line), Text: c.text,
			before: c.before, Commands: []string{}}
		if f := c.function; f != nil {
			p.Function = strings.Trim(f.container+"."+f.name, ".")
		}
		s.checkout.Patterns = append(s.checkout.Patterns, p)
	}
	p := &s.checkout.Patterns[at]
	if c.needs == nil {
		p.Sure, p.needs, p.Condition, p.Chosen = max(p.Sure, c.sure), nil, "", ""
	} else if p.Sure == 0 {
		p.Sure, p.needs, p.Condition, p.Chosen = Possible, c.needs, cutLine(c.needs.needs), c.needs.chosen
	}
	if c.needs == uncalled {
		p.otherwise = max(p.otherwise, c.sure)
	}
	if c.command != nil && c.command.writes && !strings.Contains(c.command.name, "EXPIRE") {
		p.expiry |= max(c.expiry, expiryUnknown)
	}
	if c.command != nil {
		p.makes = p.makes || c.command.writes && !c.command.removes()
		if p.Writes = p.Writes || c.command.writes; !slices.Contains(p.Commands, c.command.name) {
			p.Commands = append(p.Commands, c.command.name)
		}
		p.Type = cmp.Or(p.Type, c.command.kind)
	}
}

// Prefixed reports whether something that the source does not say precedes the keys of a pattern.
func (p *Pattern) Prefixed() bool { return strings.HasPrefix(p.before, "*") }

// starred returns parts in which each * varies.
func starred(parts []string) []string {
	if !strings.Contains(strings.Join(parts, ""), "*") {
		return parts
	}
	var list []string
	for _, p := range parts {
		for i, text := range strings.Split(p, "*") {
			if i > 0 || p == "" {
				list = add(list, "")
			}
			if text != "" {
				list = add(list, text)
			}
		}
	}
	return list
}

// ends reports whether parts end in a text.
func ends(parts []string, text string) bool {
	return len(parts) > 0 && strings.HasSuffix(parts[len(parts)-1], text)
}

// Join returns the text of parts, with * for what varies.
func Join(parts []string) string {
	var b strings.Builder
	star := false
	for _, p := range parts {
		if p == "" {
			if !star {
				b.WriteByte('*')
			}
			star = true
			continue
		}
		b.WriteString(p)
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
