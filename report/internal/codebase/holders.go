package codebase

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// scope notes what the client that Redis::Namespace.new makes at a token puts before each key: the
// client is what the function around and the line name. Which one is not known where another call or a
// pool gets it.
func (c *collector) scope(i int, name *node) {
	if name = c.bound(name); name.kind != textNode && !(name.kind == wordNode && isConstant(name.text)) {
		name = hole
	}
	before := &node{kind: joinNode, args: []*node{name, {kind: textNode, text: ":"}}}
	n := len(c.scopes) - 1
	inner := n >= 0 && c.inner(&c.scopes[n])
	if inner && name == hole {
		before = hole // only perhaps
	}
	first := i - 4 // Redis
	if c.is(first-1, "::") {
		first--
	}
	if c.inTests(first) {
		return
	}
	held := c.is(first-1, "=")
	if held && c.function() == nil && c.textOf(first-2) == "current" && c.textOf(first-4) == "Redis" {
		c.prefixOf(i, namespaceLayer, before) // that of all files
	}
	if f := c.function(); f != nil && (held || c.tokens[first].first) {
		held = true
		c.file.scopes[strings.ToLower(f.name)] = before
		c.file.scopes[strings.ToLower(f.container+"."+f.name)] = before
	}
	for n := first - 1; held && n >= 0 && c.tokens[n].line == c.tokens[i].line; n-- {
		word := c.textOf(n)
		if !c.isWord(n) {
			continue // Objects.redis =
		}
		c.file.scopes[strings.ToLower(strings.TrimLeft(word, "@"))] = before
		if isConstant(word) {
			c.file.scopes["::"+strings.ToLower(word)] = before
		}
	}
	if variable := c.textOf(first - 2); !held || inner && variable != "" && variable[0] >= 'a' { // of a block
		c.prefixOf(i, namespaceLayer, hole)
	}
}

// inTests reports whether a statement of Ruby is in the branch of a condition that is for tests.
func (c *collector) inTests(i int) bool {
	b := c.block()
	if b < 0 || c.tokens[b].column >= c.tokens[i].column {
		return false
	}
	want := "if"
	if c.textOf(b) == "else" {
		for n := b - 1; n >= max(0, b-500) && want == "if"; n-- {
			if c.tokens[n].first && c.tokens[n].column == c.tokens[b].column {
				b, want = n, "unless"
			}
		}
	}
	return c.textOf(b) == want && c.forTests(b+1)
}

// forTests reports whether Rails.env.test? is at a token.
func (c *collector) forTests(i int) bool {
	return c.textOf(i) == "Rails" && c.textOf(i+2) == "env" && c.textOf(i+4) == "test?"
}

// scope puts before the key of a site what its client does. Clients with global names may be those of other
// files.
func (s *site) scope(global map[string]*node) {
	path := strings.ReplaceAll(s.receiver, "@", "")
	last := lastWord(path)
	rest := strings.TrimSuffix(strings.TrimSuffix(path, last), ".") // last may be what the variable rest holds
	scopes := s.source.scopes
	before := cmp.Or(scopes[last], scopes[lastWord(rest)], global[last], global["::"+last],
		global[lastWord(rest)+"."+last], global[lastWord(rest)])
	if before == nil && s.source.holds[last]&holdsScoped != 0 {
		before = hole
	}
	if before == nil && s.command != nil {
		before = scopes[optPrefix]
	}
	if before != nil && s.key != nil && !s.list {
		s.rest, s.layer = s.key.kind == paramNode && s.function != nil, 0
		s.key = &node{kind: joinNode, args: []*node{before, s.key}}
	}
}

// optPrefix is the option of phpredis whose value begins every key of a client. In scopes, it is of all
// clients of a file.
const optPrefix = "OPT_PREFIX"

// A holder says what a variable or a member holds.
type holder byte

const (
	holdsMemory holder = iota + 1 // a map or a cache of the process, or what belongs to a request
	holdsServer                   // a client of the server; with holdsMemory, one of both
	holdsScoped holder = 4        // one that puts something before each key
	holdsRails  holder = 8        // Rails.cache
)

// memoryWords are parts of the names of types that keep values in the process, or of clients of other servers.
var memoryWords = []string{"lru", "memorycache", "inmemory", "hashmap", "localcache", "ttlcache", "weakmap", "ristretto", "bigcache",
	"freecache", "caffeine", "dictionary", "go-cache", "gocache", "node-cache", "nodecache", "cachetools", "defaultdict", "ordereddict",
	"cachebuilder", "loadingcache", "diskcache", "memory-cache", "dashmap", "concurrentmap", "ehcache", "timedcache",
	"async_nats", "jetstream", "etcd", "moka", "quick_cache", "otter", "expiringdict", "localstorage", "sessionstorage", "hazelcast", "infinispan",
	"axios", "httpservice", "httpclient", "restclient", "webclient", "resttemplate", "configservice"}

// holderOf returns what a value of a type holds, 0 if its name does not say.
func (s *syntax) holderOf(name string, server bool) holder {
	switch name {
	case "map", "dict":
		if (name == "map") == (s == golang) {
			return holdsMemory
		}
		return 0
	case "Map":
		return holdsMemory
	}
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, "scopedcache") || lower == "withkeyprefix" {
		return holdsScoped
	}
	if server && ofServer(lower) && !notClient(lower) {
		return holdsServer
	}
	if strings.HasSuffix(name, "Context") || name == "Ctx" { // of a request
		return holdsMemory
	}
	if slices.ContainsFunc(memoryWords, func(w string) bool { return strings.Contains(lower, w) }) {
		return holdsMemory
	}
	return 0
}

// hold notes what the variables and members of the file hold, as their types and the
// functions that make them tell.
func (c *collector) hold() {
	holds := c.file.holds
	known := map[string]holder{} // of the names in the file
	classes := map[string]bool{}
	for i := range c.tokens {
		t := &c.tokens[i]
		if text := c.src[t.body:t.tail]; t.kind == textToken && c.syntax == python && pythonClients[text] &&
			c.textOf(i-2) == "import_module" {
			c.file.clients = append(c.file.clients, text)
		}
		if t.kind == textToken && t.tail > t.body && t.tail-t.body < 100 && c.importLine(i) {
			c.imported(i, c.src[t.body:t.tail])
			continue
		}
		if c.is(i, "{") && (c.syntax == ruby || c.syntax == python) {
			equals := i - 1
			if c.is(equals, "||") || c.isWord(equals) && c.textOf(equals) == "or" { // = cache || {}
				equals -= 2
			}
			if at := c.assigned(equals); c.is(equals, "=") && at >= 0 && c.isWord(at) {
				c.holds(at, holdsMemory)
			}
		}
		if t.kind != wordToken {
			continue
		}
		word := c.textOf(i)
		if c.syntax.loose && !c.file.redis && c.methodBefore(i) && clients[strings.TrimLeft(c.textOf(i-2), "$@_")] {
			command := commandOf(word)
			c.file.redis = command != nil && command.unusual && len(command.name) > 3
		}
		if c.syntax == python && c.methodBefore(i) && c.methodBefore(i-2) && clientOwners[c.textOf(i-4)] &&
			clients[c.textOf(i-2)] && commandOf(word) != nil {
			c.holds(i-4, holdsMemory) // backend.cache.set(): the backend is no client
		}
		if word == optPrefix && (c.is(i+1, ",") && c.is(i-3, "(") || c.is(i+1, "=>")) {
			n, _ := c.expression(i + 2)
			c.file.scopes[optPrefix] = fixedPrefix(n)
		}
		kind, ok := known[word]
		if !ok {
			if kind = c.syntax.holderOf(word, c.file.redis); c.file.redis && pipelines[strings.ToLower(word)] {
				kind = holdsServer
			}
			known[word], classes[word] = kind, namesClass(word)
		}
		if classes[word] && (word[0] < 'a' || c.syntax == golang && (c.is(i-1, "*") || c.is(i-1, "&"))) {
			c.typed(i)
		}
		if word == "RedisCache" && c.syntax == python && strings.Contains(c.src, "async_rediscache") {
			kind = holdsMemory // a hash; its methods take fields
		}
		if held := holds[word]; held != 0 {
			kind = held
		}
		if word == "cache" && c.syntax == ruby && c.textOf(i-2) == "Rails" {
			if kind = holdsRails; c.textOf(i-4) == "def" { // def cache = Rails.cache
				c.holds(i-3, kind)
			}
		}
		if kind == 0 {
			continue
		}
		if name := c.held(i, kind); name >= 0 {
			c.holds(name, kind)
		}
	}
}

// clientOwners are names of clients that may as well have one as a member.
var clientOwners = wordSet("backend broker driver storage store")

// classWords are parts of the names of classes that may pass keys on or make them.
var classWords = []string{"cache", "redis", "stor", "key", "lock", "client", "queue", "session", "token",
	"limit", "repo", "dao",
	"service", "manager", "helper", "util", "provider", "operations"}

func namesClass(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(classWords, func(w string) bool { return strings.Contains(lower, w) })
}

// typed notes the class at a token as that of the variable which is declared there.
func (c *collector) typed(i int) {
	at := c.held(i, 0)
	if at < 0 || at > i && c.is(i+1, ".") || len(c.file.types) > 500 { // behind its package
		return
	}
	name, class := c.words.keep(strings.ToLower(c.textOf(at))), c.kept(i)
	if class == "IDistributedCache" && c.is(i+1, "<") && c.isWord(i+2) { // of ABP
		n := i + 2
		for c.is(n+1, ".") && c.isWord(n+2) {
			n += 2
		}
		class = c.words.keep(class + "<" + c.textOf(n))
	}
	if old, known := c.file.types[name]; known && old != class {
		class = ""
	}
	c.file.types[name] = class
}

// importNames notes the names that a statement imports.
func (c *collector) importNames(i int) {
	errors := c.syntax == python && c.is(i+2, ".") && c.textOf(i+3) == "exceptions" // no client
	if c.textOf(i) == "export" && !c.is(i+1, "{") && !c.is(i+1, "*") && !(c.textOf(i+1) == "type" && c.is(i+2, "{")) {
		return // a definition
	}
	for n := i; n < i+80 && c.tokens[n].kind != endToken; n++ {
		if c.is(n, ";") || n > i && c.tokens[n].first && c.isWord(n) && (c.textOf(n) == "import" ||
			c.syntax == python && c.textOf(n) == "from" ||
			len(c.open) == 0 && c.syntax != javaScript && c.tokens[n].column == 0) {
			return
		}
		if c.syntax == javaScript && (c.tokens[n].kind == textToken || importWords[c.textOf(n)]) {
			if c.tokens[n].kind == textToken {
				return // the module
			}
			continue
		}
		if c.isWord(n) && len(c.file.imports) < 2000 && c.callees == nil {
			c.file.imports[c.words.keep(c.textOf(n))] = true
			if !errors && ofServer(strings.ToLower(c.textOf(n))) {
				c.file.client = true
				if c.syntax == python && c.isWord(i+1) { // no relative import
					c.file.clients = append(c.file.clients, c.kept(i+1))
				}
			}
		}
	}
}

// importLine reports whether the line of a token imports something.
func (c *collector) importLine(i int) bool {
	if c.syntax == golang {
		n := i - 1
		for n > 0 && n > i-3 && (c.isWord(n) || c.is(n, ".")) && !c.tokens[n+1].first {
			n--
		}
		return c.tokens[n+1].first && c.tokens[i+1].first || c.isWord(i-1) && c.textOf(i-1) == "import"
	}
	if c.is(i-1, "(") && c.isWord(i-2) && c.textOf(i-2) == "require" {
		return true
	}
	return c.isWord(i-1) && (c.textOf(i-1) == "from" || c.textOf(i-1) == "import")
}

// imported notes the names that the import of a module declares, if that is a library of caches.
func (c *collector) imported(i int, module string) {
	t := &c.tokens[i]
	c.file.client = c.file.client || ofServer(strings.ToLower(module))
	c.file.library = c.file.library || clientModules[module] && c.syntax == javaScript
	memory := c.syntax.holderOf(module, false) == holdsMemory
	if c.syntax == golang && len(c.file.modules) < 500 {
		name := path.Base(majorVersion.ReplaceAllString(module, ""))
		name = strings.TrimPrefix(strings.TrimSuffix(name, "-go"), "go-")
		if name, _, _ = strings.Cut(name, ".v"); c.isWord(i-1) && !t.first && c.textOf(i-1) != "import" {
			name = c.textOf(i - 1)
		}
		c.file.modules[c.words.keep(name)] = c.words.keep(module)
	}
	if c.syntax == golang && c.isWord(i-1) && !t.first && c.textOf(i-1) != "import" {
		c.file.types[c.words.keep("import "+c.textOf(i-1))] = c.words.keep(lastWord(module))
	}
	if module == "@vercel/kv" && c.syntax == javaScript {
		c.file.redis, c.file.client = true, true
		for n := i - 1; n >= 0 && c.tokens[n].line == t.line; n-- {
			if c.isWord(n) && !importWords[c.textOf(n)] {
				c.holds(n, holdsServer)
			}
		}
	}
	for _, store := range rowStores {
		if c.syntax == golang && strings.HasSuffix(module, store) {
			c.file.imports[store], c.file.client = true, true
		}
	}
	switch {
	case !memory:
	case c.syntax == golang && c.isWord(i-1) && !t.first && c.textOf(i-1) != "import":
		c.holds(i-1, holdsMemory)
	case c.syntax == golang:
		base := module[strings.LastIndexByte(module, '/')+1:]
		c.file.holds[c.words.keep(strings.TrimPrefix(base, "go-"))] |= holdsMemory
	case c.syntax == javaScript:
		for n := i - 1; n >= 0 && c.tokens[n].line == t.line; n-- {
			if c.isWord(n) && !importWords[c.textOf(n)] {
				c.holds(n, holdsMemory)
			}
		}
	}
}

// clientModules are libraries of JavaScript whose classes are clients.
var clientModules = wordSet("redis ioredis iovalkey @upstash/redis @redis/client")

// pipelines are methods that give a client to which commands are sent together.
var pipelines = wordSet("pipeline txpipeline pipelined multi createbatch createtransaction")

var importWords = wordSet("import from require const let var type as export default")

// holds notes what a name holds. Receivers of calls have lower case.
func (c *collector) holds(name int, kind holder) {
	word := c.words.keep(strings.TrimLeft(c.textOf(name), "@"))
	c.file.holds[word] |= kind
	c.file.holds[c.words.keep(strings.ToLower(word))] |= kind
}

// makesClient reports whether a function that is called gives a client of the server.
func makesClient(name string) bool {
	lower := strings.ToLower(name)
	for _, verb := range [...]string{"get", "new", "create", "make", "connect", "build", "init", "use", "open", "with", "unified",
		"reactive", "_"} {
		lower = strings.TrimPrefix(strings.TrimPrefix(lower, verb), "_")
	}
	return slices.ContainsFunc(servers, func(word string) bool { return strings.HasPrefix(lower, word) })
}

// makes reports whether a member is a type, or a function that makes a value.
func (c *collector) makes(i int) bool {
	word := c.textOf(i)
	lower := strings.ToLower(word)
	if notClient(lower) {
		return false
	}
	if instances[lower] {
		return true
	}
	for _, verb := range [...]string{"new", "create", "make", "build", "connect", "from"} {
		if strings.HasPrefix(lower, verb) {
			return true
		}
	}
	return word != lower && (c.syntax != golang && word[0] < 'a' || c.syntax == golang && !c.is(i+1, "("))
}

// held returns the token of the name that gets a value of the type at a token, or one that the
// function there makes, -1 if there is none.
func (c *collector) held(i int, kind holder) int {
	last := i // of the words joined with dots
	for (c.is(last+1, ".") || c.is(last+1, "::")) && c.isWord(last+2) {
		last += 2
	}
	pipeline := pipelines[strings.ToLower(c.textOf(i))]
	switch {
	case pipeline:
		end := c.behind(i + 1)
		if !c.is(i+1, "(") {
			return -1
		}
		if c.isWord(end) && c.textOf(end) == "as" && c.isWord(end+1) {
			return end + 1
		}
	case last > i && !c.makes(last), kind == holdsServer && !makesClient(c.textOf(i)):
		return -1
	}
	for n := i - 1; n >= 0 && n > i-12 && c.tokens[n].line == c.tokens[i].line; n-- {
		switch t := &c.tokens[n]; {
		case c.is(n, "=") || c.is(n, ":="):
			if at := c.assigned(n); at >= 0 && c.isWord(at) {
				return at
			}
			return -1
		case c.is(n, ":"):
			if c.isWord(n - 1) {
				return n - 1
			}
			return -1
		case t.kind == wordToken && c.syntax == golang && !c.is(n+1, ".") && c.textOf(n) != "new" && c.textOf(n) != "return" && c.textOf(n) != "func" &&
			c.textOf(n) != "type" && c.textOf(n) != "range" && c.textOf(n) != "struct":
			return n // name Type
		case t.kind == wordToken, t.kind == markToken && strings.IndexByte(".*&<[]|?:", t.mark) >= 0:
		default:
			n = -1
		}
	}
	if !c.typeFirst && c.syntax != php {
		return -1
	}
	next := last + 1
	if c.is(next, "<") {
		next = c.generic(next) + 1
	}
	if c.is(next, "?") {
		next++
	}
	if next > 1 && c.isWord(next) && (c.is(next+1, ";") || c.is(next+1, "=") || c.is(next+1, ",") || c.is(next+1, ")") || c.is(next+1, "{")) {
		return next
	}
	return -1
}
