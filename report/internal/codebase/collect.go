package codebase

import (
	"slices"
	"strings"
)

// A source is what is known of one file.
type source struct {
	path    string
	order   int    // of the file among all
	dir     string // path of its directory
	base    string // its name without extension
	syntax  *syntax
	pack    string               // that of its package of npm, in the other languages ""
	redis   bool                 // it speaks of Redis
	client  bool                 // it imports a client
	clients []string             // roots of the packages of Python that it imports one from
	library bool                 // of JavaScript, from a library
	store   store                // of its caches, as the file says
	adapter string               // of Active Job, see queueAdapter
	aliases map[string]cacheKind // where the caches of Django are, by name
	traits  bool                 // of PHP: its classes use some
	typed   bool                 // it has a cache of ABP, which writes c:NAME,k:KEY
	imports map[string]bool      // words of its import statements
	supers  map[string]bool      // words behind the names of its classes: what they extend
	holds   map[string]holder    // what variables and members of the file hold, also by their lower-case names
	types   map[string]string    // classes of variables and members, by lower-case names; "" it has several
	calls   [32]uint64           // hashes of the names of the functions that it calls
	scopes  map[string]*node     // what clients put before each key, by their names
	classes map[string]class     // of the checkout, by name
	goTypes map[string]*goType   // of Go, by name
	bodies  map[string]*body     // of its classes, by name, until what runs is known
	vars    map[string]*node     // of Go: the types or the values of variables of the package
	modules map[string]string    // of Go: the paths of the packages that the file imports; of Rust: its modules
}

// A declaration gives a value a name.
type declaration struct {
	name, container string
	value           *node
	line            int32
	text            string // of the line, if the name says that it is a key
	enum            bool   // it is a constant of an enum, with the arguments of its constructor
	source          *source
	in              *function // around it, nil none
	of              string    // package of the container, in Go, if that is another one: see pack
	use             use
}

// A function is what can build a key, or pass one on.
type function struct {
	name, container string
	params          []string
	defaults        []*node  // of the parameters, nil none
	groups          []int    // see parameters
	unknown         bool     // it may have a value that is not in returns
	tested          bool     // what follows is only for tests
	beyond          guard    // of the statements behind the last return
	rest            bool     // the last parameter stands for any number of arguments
	command         bool     // it is a command of a script that clients have
	stored          *node    // what a constructor makes of its parameters and keeps, nil several values or none
	several         bool     // it keeps one
	self            string   // what the function calls the object around, in Go
	extends         bool     // it is called on an object of any class, in Kotlin
	result          string   // type of its first value, in Go
	types           []string // of the parameters, in Go
	returns         []returned
	source          *source
	passes          []passed
	done, due       int // of passes, that were added to the calls of the function, and that will be
	use             use
	conditions      []*condition // of its annotations
	external        caller       // 0 nobody is known
	asked, entry    bool         // see isEntry
	outer           *function    // around it, nil none
	marked          []uint32     // annotations that parameters of it may have, in Java, by #NAME
	words           []uint32     // that it has, by their hashes, until they are reached
	live            bool         // see reach
}

// returned is a value of a function, with its line.
type returned struct {
	value *node
	line  int32
	text  string
	guard guard
	only  *choice // with which the function has this value, nil any
}

// A site is an expression that is a key.
type site struct {
	key      *node
	command  *command // nil: only a name says that it is a key
	sure     Sure
	expiry   expiry // of a command that writes
	line     int32
	text     string
	function *function // around it, nil none
	source   *source
	// Of a call of a function of the checkout: its name, arguments, and what it is
	// called on.
	callee, receiver string
	byName           bool   // only the name of the callee says which function it is
	needs            *store // what keeps the cache on the server, nil it is there
	args             []*node
	prefix           bool       // it is an option of a client
	list             bool       // the key is a parameter that is a list of keys
	layer            layer      // that the command or the prefix belongs to
	before           string     // what is known to precede the key
	rest             bool       // only what its client puts before the key is known, not the key
	elsewhere        bool       // only what the file imports can say that its cache is on the server
	alias            *node      // the cache of Django that the command is called on, or its name, nil unknown
	field            bool       // of a client: its options are made elsewhere
	entity           string     // of a repository of Spring, "" none
	on               *node      // what it is called on, in Go
	guard            guard      // of the call
	setup            *setupWord // it sets up a library, nil none; key is a name, nil none
}

// A collector finds declarations, functions and sites in a file.
type collector struct {
	*parser
	file       *source
	scopes     []scope
	open       []byte          // brackets around the token
	blocks     []int           // tokens of the braces, or lines that are less indented, around it
	cases      map[int]int     // the last case or default of switches, by their braces
	features   map[string]bool // see cargoFeatures
	skip       int             // token that ends what is not read: tests in a file of Rust, and what it does not compile
	header     int             // token that ends the parameters of the last function
	imports    int             // token behind the last statement that only makes names known
	made       int             // token that ends the call which makes a client
	callees    map[string]bool
	decls      []*declaration
	functions  []*function
	sites      []*site
	classes    map[string]class // by name
	cacheNames []*node          // of the caches of Spring of the class
	known      map[string]bool  // see says
	choices    []registration
	adds       []string     // methods Add... that are called
	bodiless   string       // name of the last method without a body
	declared   int          // token of that, or before it
	reached    *wordCounts  // see scanner
	itemName   *node        // see cacheItem
	pending    []*condition // of annotations before what they are about
	component  bool         // one of them says that a container makes the class
	equals     *choice      // of the condition that was read last
}

// says reports whether the source has a text, or a word that mentions finds.
func (c *collector) says(text string, find func(src, text string) bool) bool {
	has, known := c.known[text]
	if !known {
		if has = find(c.src, text); c.known == nil {
			c.known = map[string]bool{}
		}
		c.known[text] = has
	}
	return has
}

func (c *collector) run() {
	if c.callees == nil {
		c.hold()
	}
	for i := 0; c.tokens[i].kind != endToken; i++ {
		if i < c.skip {
			continue
		}
		t := &c.tokens[i]
		c.leave(i, t)
		if c.indent && t.first {
			for n := len(c.blocks); n > 0 && c.tokens[c.blocks[n-1]].column >= t.column; n = len(c.blocks) {
				c.blocks = c.blocks[:n-1]
			}
			c.blocks = append(c.blocks, i)
		}
		before := len(c.functions)
		switch t.kind {
		case markToken:
			c.mark(i, t)
		case wordToken:
			c.word(i, t)
		case textToken:
			if n := len(c.open); t.first && c.implicit() && (n == 0 || c.open[n-1] != '(') && !c.is(i+1, ",") &&
				!(c.syntax == rust && (c.is(i+1, "=>") || c.is(i+1, "|") || c.is(i-1, "|"))) { // no pattern of match
				c.returned(i)
			}
			if list := setupWords()["'"+c.src[t.body:t.tail]+"'"]; list != nil {
				c.setUp(i, list)
			}
			if c.syntax == ruby && c.callees == nil {
				c.storeURL(i)
			}
			if c.syntax == python && c.src[t.body:t.tail] == "BACKEND" && c.callees == nil {
				c.backend(i)
			}
			if c.syntax == python && strings.Contains(c.src[t.body:t.tail], "KEY_") {
				c.prefixText(i, c.src[t.body:t.tail])
			}
		}
		c.mention(i, before)
	}
	if imports := c.file.imports; imports["Symfony"] && imports["Contracts"] &&
		(imports["CacheInterface"] || imports["TagAwareCacheInterface"]) {
		imports["ItemInterface"] = true // of the same cache
	}
	before, uses := c.file.scopes[optPrefix], func(s *site) bool { return s.command != nil }
	if before != nil && (!slices.ContainsFunc(c.sites, uses) || ofServer(strings.ToLower(c.file.base))) {
		c.prefixOf(0, connectionLayer, before) // it makes clients for others
	}
}

func (c *collector) mark(i int, t *token) {
	switch t.mark {
	case '(', '[', '{':
		if t.end == t.start+1 {
			c.open = append(c.open, t.mark)
			if t.mark == '{' && !c.indent {
				c.blocks = append(c.blocks, i)
			}
		}
	case ')', ']', '}':
		if n := len(c.open); n > 0 {
			if c.open = c.open[:n-1]; t.mark == '}' && !c.indent && len(c.blocks) > 0 {
				c.blocks = c.blocks[:len(c.blocks)-1]
			}
		}
	}
	if f := c.function(); f != nil && c.arm(i) && (keyLike(f.name) || keyLike(f.container)) {
		c.result(f, i+1)
	}
	if c.syntax == ruby && t.first && c.is(i, "[") && c.lastCall(i) { // [a, b].join(":")
		c.returned(i)
	}
	switch {
	case c.is(i, "=") || c.is(i, ":=") || c.is(i, "+=") || c.is(i, ".="):
		c.assignment(i)
	case c.is(i, "=>") && i > 0:
		c.arrow(i)
	case t.mark == '|' && t.end == t.start+1 && (c.syntax == ruby || c.syntax == rust) && c.beginsBlock(i):
		for n := i + 1; n < i+8 && !c.is(n, "|") && c.tokens[n].kind != endToken; n++ {
			c.forget(n)
		}
	}
}

// arm reports whether a token is the arrow of an arm of match, when or switch whose value is
// a text.
func (c *collector) arm(i int) bool {
	arrow := "->"
	if c.syntax == rust || c.syntax == csharp {
		arrow = "=>"
	}
	if !c.is(i, arrow) || i == c.header || c.callees != nil || c.syntax == php || c.syntax == javaScript ||
		len(c.open) > 0 && c.open[len(c.open)-1] == '(' { // a function that is an argument
		return false
	}
	return c.tokens[i+1].kind == textToken || c.isWord(i+1) && (c.textOf(i+1) == "format" || c.syntax == rust &&
		slices.Contains(c.function().params, c.textOf(i+1)))
}

func (c *collector) word(i int, t *token) {
	word := c.textOf(i)
	next := &c.tokens[i+1]
	if list := setupWords()[word]; list != nil {
		c.setUp(i, list)
	}
	if word == "CACHE_KEY_PREFIX" || word == "namespace" {
		c.prefixText(i, word)
	}
	if word == "cache_store" && c.syntax == ruby && c.file.store.kind != 0 {
		c.storeOptions(i)
	}
	if word == "use" && c.syntax == php && t.first && c.class() != "" {
		c.file.traits = true
	}
	c.enumMember(i, word)
	if c.callees == nil && (c.jvm || c.syntax == csharp) {
		c.choose(i, word)
	}
	switch word {
	case "import", "use", "using", "from", "require_once", "export":
		if t.first {
			c.importNames(i)
		}
		if word != "export" {
			return
		}
	case "class", "interface", "object", "enum", "struct", "trait", "impl", "module", "namespace", "record":
		if c.syntax == golang && c.is(i+1, "{") {
			c.goType(i)
		}
		if (next.kind == wordToken || c.is(i+1, "<")) && !(i > 0 && c.is(i-1, ".")) &&
			(!c.indent || word == "class" || word == "module" && c.syntax == ruby) {
			c.classHeader(i, word)
			return
		}
	case "mod":
		if c.syntax == rust && c.is(i+2, ";") {
			c.file.modules[c.kept(i+1)] = "compiled"
		}
	case "test", "feature":
		c.skip = c.leftOut(i)
	case "var", "type":
		if c.syntax == golang {
			c.goDeclaration(i)
		}
	case "case", "default":
		if b := c.block(); !c.indent && b > 0 && (word == "case" || c.is(i+1, ":") || c.is(i+1, "->")) {
			if c.cases == nil {
				c.cases = map[int]int{}
			}
			c.cases[b] = i
		}
	case "return", "yield":
		if c.function() != nil && !next.first {
			c.returned(i + 1)
		}
		return
	case "queue_as":
		if t.first {
			c.jobQueue(i)
		}
	case "sidekiq_options":
		c.sidekiqQueue(i)
	case "for", "foreach", "each":
		first := i + 1
		for n := first; c.syntax == php && n < i+10; n++ {
			if c.textOf(n) == "as" {
				first = n + 1
			}
		}
		for n := first; n < first+9 && c.tokens[n].kind != endToken && !c.is(n, ")"); n++ {
			if w := c.textOf(n); w == "in" || w == "of" || w == "range" || w == ":" || w == "do" {
				break
			}
			c.forget(n)
		}
	}
	if (i == 0 || !c.is(i-1, ".")) && slices.Contains(c.syntax.functions, word) &&
		(next.kind == wordToken || c.is(i+1, "(") || c.syntax == kotlin && c.is(i+1, "<")) {
		c.functionHeader(i)
		return
	}
	open := i + 1
	if c.methods && c.is(open, "<") {
		open = c.generic(open) + 1
	}
	if c.is(open, "(") || c.syntax == rust && c.is(i+1, "!") && c.is(i+2, "(") {
		if c.methods && !notFunctions[word] && c.methodHeader(i, open) {
			return
		}
		if c.implicit() && t.first && (word == "format" || word == "sprintf" || c.lastCall(i)) {
			c.returned(i)
		}
		if c.enumConstant(i, word) {
			return
		}
	}
	if c.implicit() && t.first && (c.is(i+1, ".") || c.is(i+1, "+") || c.syntax == rust && c.is(i+1, "}")) && c.lastCall(i) {
		c.returned(i)
	}
	c.call(i, word)
	if c.is(i+1, ":") && !c.is(i+1, "::") {
		c.property(i, word)
	}
}

// functionHeader reads a function that begins with a keyword.
func (c *collector) functionHeader(i int) {
	n, container, self := i+1, c.class(), ""
	if c.syntax == golang {
		container = ""
		if c.is(n, "(") {
			if !c.isWord(c.behind(n)) || !c.is(c.behind(n)+1, "(") && !c.is(c.behind(n)+1, "[") { // it has no name
				c.closure(n)
				return
			}
			for m := n + 1; m < int(c.match[n]); m++ {
				if c.isWord(m) {
					container = c.words.keep(c.textOf(m))
				}
			}
			if c.isWord(n+1) && !c.is(n+2, ")") {
				self = c.words.keep(c.textOf(n + 1))
			}
			n = c.behind(n)
		}
	}
	name, last, open := "", 0, 0
	for m := n; m < n+40 && c.tokens[m].kind != endToken && open == 0; m++ {
		switch {
		case c.isWord(m) && (name == "" || c.is(m-1, ".")):
			name, last = c.textOf(m), m
		case c.isWord(m) && c.tokens[m].first, c.is(m, "="), c.is(m, "{"), c.is(m, ";"):
			m = n + 40
		case c.is(m, "<") && c.generic(m) > 0:
			m = c.generic(m)
		case c.is(m, "("):
			open = m
		case c.match[m] > int32(m):
			m = int(c.match[m])
		}
	}
	if c.syntax == ruby && open > 0 && c.tokens[open].line != c.tokens[i].line {
		open = 0
	}
	if name == "" {
		if end := c.behind(i + 1); c.syntax == javaScript && c.is(i+1, "(") && c.is(end, "{") && c.function() == nil {
			c.callback(i+1, end)
		}
		return
	}
	body := n
	if open > 0 && c.match[open] > 0 {
		body = int(c.match[open])
	}
	c.header = body
	if of := delegates[name]; of != 0 && ofServer(strings.ToLower(c.file.path+container)) {
		near := strings.ToLower(c.src[c.tokens[i].start:min(len(c.src), int(c.tokens[i].start)+800)])
		if strings.Contains(near, "prefix") || strings.Contains(near, "namespace") {
			c.prefixOf(i, of, hole)
		}
	}
	if c.syntax == ruby && c.endless(max(last, body)+1) {
		c.result(c.newFunction(name, container, open), max(last, body)+2)
		return
	}
	if c.indent {
		c.push(i, body, scope{function: c.newFunction(name, container, open)})
		return
	}
	if c.body(i, body+1, name, container, open) {
		f := c.functions[len(c.functions)-1]
		f.self, f.extends = self, c.syntax == kotlin && c.is(last-1, ".")
		if c.syntax == golang {
			f.result, f.types = c.resultText(body+1), c.goParams(open)
		}
	} else {
		c.bodiless, c.declared = c.words.keep(name), i
	}
}

// body finds the body of a function behind its parameters.
func (c *collector) body(i, from int, name, container string, open int) bool {
	for n := from; n < from+300 && c.tokens[n].kind != endToken; n++ {
		switch {
		case c.is(n, "{"):
			if w := c.textOf(n - 1); w == "interface" || w == "struct" {
				n = int(max(c.match[n], int32(n)))
				continue
			}
			c.push(i, n, scope{function: c.newFunction(name, container, open)})
			return true
		case c.is(n, "=>"), c.is(n, "=") && c.syntax == kotlin:
			if c.is(n+1, "{") {
				continue
			}
			f := c.newFunction(name, container, open)
			c.header = n
			c.result(f, n+1)
			if c.syntax == kotlin || c.syntax == csharp {
				c.enter(scope{function: f, end: c.endOf(n + 1)})
			}
			return true
		case c.is(n, ";"), c.is(n, "}"), c.is(n, "=") && c.syntax != rust, c.is(n, ")"), c.is(n, ",") && c.methods && c.syntax == javaScript:
			return false
		case c.match[n] > int32(n):
			n = int(c.match[n])
		}
	}
	return false
}
