package codebase

import (
	"cmp"
	"slices"
	"strings"
)

// call notes the keys of a call whose method is token i.
func (c *collector) call(i int, word string) {
	if c.callees == nil {
		c.client(i)
	}
	args, ok := c.callArguments(i)
	if i > 0 && c.is(i-1, "@") && c.syntax.jvm && (ok || bareOnes[word]) {
		c.annotation(i, word, args)
		return
	}
	if ok && c.syntax == python && (word == "cached" || word == "memoize") && c.decorates(i) {
		c.decorator(i, word, args)
		return
	}
	if ok && c.callees == nil && c.syntax == csharp && strings.HasPrefix(word, "Add") && c.is(i-1, ".") {
		c.adds = append(c.adds, c.words.keep(word))
	}
	if !ok || len(args) == 0 {
		return
	}
	if c.syntax == ruby && c.is(i-2, ")") {
		if open := c.opening(i - 2); open > 0 && open < i-3 && c.textOf(open-1) == "cache" {
			return // of a client of HTTP whose answers are cached: http.cache(1.minute).get(url)
		}
	}
	if (c.syntax == rust || c.syntax == golang) && c.appended(i, args) {
		return
	}
	t := &c.tokens[i]
	if c.callees == nil {
		n, bit := callHash(word)
		c.file.calls[n] |= bit
	} else {
		if c.callees[word] {
			c.site(&site{callee: c.words.keep(word), receiver: c.receiver(i), args: c.boundAll(args), on: c.on(i),
				alias: c.alias(i)}, t)
		}
		return
	}
	if c.syntax == csharp && word == "CacheName" {
		c.itemName = args[0]
	}
	if c.syntax == csharp && c.is(i-1, "[") && c.tokens[i-1].first { // an attribute
		return
	}
	if i > 0 && c.is(i-1, "@") {
		return
	}
	receiver := c.receiver(i)
	if f := c.function(); c.jvm && word == "getCache" && f != nil && f.name == word && c.file.supers["CacheManager"] &&
		c.bound(args[0]).kind != paramNode { // a manager that gives the caches of another one other names
		c.prefix(i, springLayer, &node{kind: joinNode, args: []*node{hole, cacheName, hole}})
	}
	lower := strings.ToLower(word)
	switch {
	case c.syntax == ruby && word == "new" && strings.HasSuffix(receiver, "redis.namespace"):
		c.scope(i, args[0])
		return
	case c.syntax == csharp && word == "Lock" && lastWord(receiver) == "redishelper": // of CSRedis
		key := &node{kind: joinNode, args: []*node{{kind: textNode, text: "CSRedisClientLock:"}, args[0]}}
		c.site(&site{key: c.bound(key), command: commandOf("set"), sure: Certain, expiry: expirySet, callee: word,
			receiver: receiver, args: c.boundAll(args)}, t)
		return
	case raw[lower] && receiver != "$this", c.jvm && strings.HasPrefix(lower, "execute") && strings.HasSuffix(receiver, "script"):
		if !c.rawCall(i, lower, receiver, args, t) && c.jvm && strings.HasPrefix(lower, "execute") {
			c.scriptCall(args, receiver, t)
		}
		return
	case c.syntax == csharp && c.libraryCall(word, receiver, args, t):
		return
	case locks[lower] && c.lock(i, lower, receiver, args):
		return
	case c.syntax == rust && lower == "key" && c.file.redis && strings.Contains(receiver, "script"):
		c.site(&site{key: c.bound(args[0]), command: scriptCommand, sure: Certain}, t)
		return
	case scripts[lower] && (c.syntax == golang || !strings.HasPrefix(lower, "run")):
		if c.file.redis || ofServer(receiver) {
			for _, k := range keysOfScript(args) { // eval(script, 2, key, key, value)
				c.site(&site{key: c.bound(k), command: scriptCommand, sure: Certain}, t)
			}
		}
		if at := c.mentions(i+1, "keys"); at > 0 && c.is(at+1, ":") && c.syntax == javaScript { // of node-redis
			keys, _ := c.expression(at + 2)
			args = []*node{keys}
		}
		c.scriptCall(args, receiver, t)
		return
	}
	if c.syntax == golang && (c.cachedRow(i, receiver, args) || c.keyed(i, args)) {
		return
	}
	command := operation(receiver, word)
	if c.syntax == golang && c.isContext(args[0]) {
		word = strings.TrimSuffix(word, "Ctx") // of go-zero
	}
	if command == nil && (c.syntax == csharp || !strings.HasPrefix(lower, "key")) { // others have methods like keyExists
		if command = commandOf(word); command != nil && command.jvm && !c.jvm || c.syntax == golang && word == lower {
			command = nil // of Redisson, or not exported
		} else if c.jvm && lower == "getset" && len(args) == 1 {
			command = commands()["getset!"] // of Redisson, not GETSET
		}
		command = c.ofObject(i, command)
		if of := commandOf(lastWord(receiver)); (command == nil || !command.jvm) && of != nil && of.jvm && c.jvm {
			return // of an object of Redisson: the first argument is a value
		}
	}
	if command == nil && c.syntax == csharp && c.file.imports["Extensions"] && ofServer(lastWord(receiver)) {
		command = extensions[lower] // of StackExchange.Redis.Extensions
	}
	if word == "Key" && c.syntax == golang && c.file.client && strings.Contains(receiver, ".b.") { // of rueidis
		if command = commandOf(lastWord(receiver)); command != nil {
			for _, a := range args {
				c.site(&site{key: c.bound(a), command: command, sure: Certain}, t)
			}
		}
		return
	}
	if c.file.holds[lastWord(receiver)] == holdsMemory && (command == nil || !command.unusual) {
		return
	}
	if receiver == "" && c.syntax == kotlin && command != nil && command.unusual && c.file.redis {
		receiver = "redis" // with(redis) { hset(...) }
	}
	if command == nil || receiver == "" {
		if receiver != "" {
			c.fetch(i, receiver, args)
		}
		return
	}
	sure, key := c.sureOf(command, receiver), 0
	if v := c.locals()[c.textOf(i-2)]; sure == Likely && c.syntax.loose && v != nil && v.kind == callNode && v.of == nil &&
		isUpper(v.text) && !makesClient(v.text) && !strings.Contains(v.text, "Client") {
		return // it is made of another class there
	}
	if last := lastWord(receiver); word != c.textOf(i) && sure == 0 && last != "ssdb" && (command.unusual || last == "kv") {
		sure = Certain
	}
	if c.isContext(args[0]) {
		key, args = 1, args[1:]
	} else if c.syntax == golang && sure == Likely && !command.unusual {
		sure = 0 // clients take a context
	}
	if (c.syntax == golang || c.syntax == rust) && sure == Likely && !command.unusual && lastWord(receiver) == "cache" {
		sure = 0 // whose name does not say what it is
	}
	on := c.on(i)
	if sure == 0 && on == nil || len(args) == 0 {
		c.fetch(i, receiver, args)
		return
	}
	// With the call, because the checkout may have such a method itself.
	own := site{command: command, sure: sure, expiry: c.expiryOf(i, key, receiver, command), callee: c.words.keep(word),
		receiver: receiver, alias: c.alias(i), args: c.boundAll(args), on: on}
	for n, a := range args {
		if n > 0 && (!command.all && (n > 1 || !pairs[command.name]) || isOption(command, a)) {
			break
		}
		a = c.bound(a)
		keys := []*node{a}
		if a.kind == listNode {
			if keys = a.args; c.syntax == python && !command.all { // one key of a cache
				break
			} else if !command.all && len(keys) > 0 { // what follows are other arguments
				keys = keys[:1]
			}
		}
		for at, k := range keys {
			one := own
			one.key, one.list = k, k.kind == paramNode && strings.HasSuffix(strings.ToLower(k.text), "keys")
			if n == 0 && pairs[command.name] || command.all && strings.HasSuffix(command.name, "STORE") {
				other := *command // the first key of a pair loses what it has, that of STORE gets the others
				other.writes = n == 0 && at == 0 && command.all
				one.command = &other
			}
			c.site(&one, t)
		}
	}
}

// isOption reports whether an argument behind the keys of a command is an option, or its value.
func isOption(command *command, n *node) bool {
	return n.label != "" && n.label != "keys" || strings.HasSuffix(command.name, "STORE") && n.kind == textNode &&
		slices.Contains([]string{"WEIGHTS", "AGGREGATE", "SUM", "MIN", "MAX"}, strings.ToUpper(n.text))
}

// pairs are commands whose second argument is a key, too.
var pairs = wordSet(`RENAME RENAMENX RPOPLPUSH BRPOPLPUSH SMOVE LMOVE BLMOVE`)

// callArguments returns the arguments of a call, in Ruby also of one without
// parentheses.
func (c *collector) callArguments(i int) ([]*node, bool) {
	open := i + 1
	if c.syntax == rust && c.is(open, "!") {
		open++
	}
	if (c.is(open, "<") || c.is(open, "::")) && c.methodBefore(i) {
		if end := c.generics(open); end > 0 {
			open = end
		}
	}
	if c.is(open, "(") {
		if c.match[open] == 0 || i > 0 && c.isWord(i-1) && slices.Contains(c.syntax.functions, c.textOf(i-1)) ||
			c.syntax == ruby && c.isWord(i-3) && c.textOf(i-3) == "def" {
			return nil, false
		}
		c.steps, c.depth = 0, 0
		return c.arguments(open), true
	}
	t := &c.tokens[open]
	if c.syntax != ruby || t.first || !c.methodBefore(i) || t.start == c.tokens[i].end || t.kind != textToken &&
		t.kind != wordToken && !c.is(open, ":") {
		return nil, false
	}
	n, end := c.expression(open)
	args := []*node{n}
	for len(args) < maxArgs && c.is(end, ",") && !c.is(end+1, "&") {
		n, end = c.expression(end + 1)
		args = append(args, n)
	}
	return args, true
}

// decorates reports whether a call is that of a decorator.
func (c *collector) decorates(i int) bool {
	for i > 0 && !c.tokens[i].first {
		i--
	}
	return c.is(i, "@")
}

// methodBefore reports whether a token is the name of a member.
func (c *collector) methodBefore(i int) bool {
	return i > 0 && (c.is(i-1, ".") || c.is(i-1, "->") || c.is(i-1, "::") || c.is(i-1, "?.") || c.is(i-1, "&."))
}

func (c *collector) boundAll(args []*node) []*node {
	list := make([]*node, len(args))
	for i, a := range args {
		list[i] = c.bound(a)
	}
	return list
}

func (c *collector) site(s *site, t *token) {
	if s.key != nil && (s.key.kind == holeNode || s.key.kind == listNode) || len(c.sites) > 50_000 {
		return
	}
	s.line, s.text, s.function, s.source = t.line, c.lineOf(t), c.function(), c.file
	if s.layer = c.layerOf(s); s.layer == connectionLayer {
		s.alias = c.connectionOf(c.place(t))
	}
	if s.command != nil || c.callees != nil {
		s.guard = c.guardAt(c.place(t))
	}
	c.sites = append(c.sites, s)
}

// place returns the index of a token.
func (c *collector) place(t *token) int {
	i, _ := slices.BinarySearchFunc(c.tokens, t.start, func(t token, start int32) int { return cmp.Compare(t.start, start) })
	return i
}

// receiver returns the words before a method in lower case, joined with dots:
// "this.redis.pipeline", "" for a function.
func (c *collector) receiver(i int) string { return c.receiverIn(i, 0) }

// receiverIn is receiver for a call so many blocks outside of the innermost.
func (c *collector) receiverIn(i, outer int) string {
	var words []string
	for n := i; len(words) < 8 && c.methodBefore(n); {
		n -= 2
		for n > 0 && (c.is(n, ")") || c.is(n, "]") || c.is(n, "!") || c.is(n, "?") || c.is(n, ">")) {
			if c.is(n, ")") || c.is(n, "]") {
				if n = c.opening(n); n == 0 {
					break
				}
			}
			if c.is(n, ">") && !(c.isWord(n-1) && c.is(n-2, "<") && aboutCache(c.textOf(n-1))) { // not service<Cache>()
				for begin := n; n > begin-14 && n > 0 && c.generic(n) != begin; {
					n--
				}
			}
			n--
		}
		if n < 0 || !c.isWord(n) {
			words = append(words, "_")
			break
		}
		w := c.textOf(n)
		if w == "getBean" && c.jvm && c.is(n+1, "(") && c.isWord(n+2) {
			w = c.textOf(n + 2) // of Spring: getBean(Cache.class)
		}
		if n := len(c.blocks) - outer - 1; w == "it" && c.syntax == kotlin && n >= 0 && outer < 3 &&
			used[c.textOf(c.blocks[n]-1)] {
			words = append(words, c.receiverIn(c.blocks[n]-1, outer+1)) // of client.use { it.get(key) }
			break
		}
		if w == "Value" && c.syntax == csharp && len(words) == 0 && c.methodBefore(n) { // of Lazy
			continue
		}
		if v := c.locals()[w]; v != nil && !c.methodBefore(n) && !notClient(strings.ToLower(w)) {
			if about := mention(v, 0); about != "" {
				words = append(words, about)
			}
		}
		words = append(words, w)
	}
	if len(words) > 1 && instances[strings.ToLower(words[0])] {
		words = words[1:] // Lock::getInstance() is as good as a variable with the name of the class
	}
	slices.Reverse(words)
	path := strings.ToLower(strings.Join(words, "."))
	if c.syntax == ruby && c.file.holds[strings.TrimLeft(lastWord(path), "@")]&holdsRails != 0 {
		return "rails.cache"
	}
	if c.jvm && path != "" { // of a variable with operations of Spring
		kind, ok := strings.CutSuffix(strings.ToLower(c.file.types[lastWord(path)]), "operations")
		if kind = "opsfor" + strings.TrimPrefix(kind, "reactive"); ok && operations[kind] != "" {
			return path + "." + kind
		}
	}
	return path
}

// used are functions of Kotlin that give a block what they are called on.
var used = wordSet("use let also")

// instances are members of a class that give its only object.
var instances = wordSet("getinstance get_instance instance")

// answers are commands that return fields and values, which a method with the name of a command
// reads.
var answers = wordSet("config_get configget info hgetall hmget client_info memory_stats")

// connects are words of the methods of clients and pools that give a client.
var connects = strings.Fields(`client conn resource pipe multi batch transaction database instance clone dup sync command
	acquire borrow unwrap expect ops redis checkout get_ make select await new`)

// mention returns a word of an expression that names a client of the server.
func mention(n *node, depth int) string {
	for ; n != nil && depth < 6; n, depth = n.of, depth+1 {
		if n.kind == callNode && (strings.HasPrefix(n.text, "to_") || answers[strings.ToLower(n.text)] || commandOf(n.text) != nil || notClient(strings.ToLower(n.text))) {
			return "" // what a command returned
		}
		if n.kind == callNode && n.of != nil && !slices.ContainsFunc(connects, func(word string) bool {
			return strings.Contains(strings.ToLower(n.text), word)
		}) {
			return "" // what another method returned
		}
		if (n.kind == wordNode || n.kind == callNode || n.kind == paramNode) && ofServer(strings.ToLower(n.text)) {
			return n.text
		}
		for _, a := range n.args {
			if n.kind == callNode && n.of == nil && a.kind == wordNode && a.of == nil && ofServer(strings.ToLower(a.text)) {
				return a.text
			}
		}
	}
	return ""
}

// isContext reports whether an argument is the context of Go, not a key.
func (c *collector) isContext(n *node) bool {
	if c.syntax != golang || n.kind != wordNode && n.kind != callNode && n.kind != paramNode {
		return false
	}
	name := strings.ToLower(n.text)
	return strings.Contains(name, "ctx") || strings.Contains(name, "context") || name == "background" || name == "todo" ||
		n.of != nil && n.of.text == "context"
}

// sureOf returns how sure it is that a method of a receiver is a command, 0 if that
// is not to be assumed.
func (c *collector) sureOf(command *command, receiver string) Sure {
	last := lastWord(receiver)
	for rest := receiver; c.jvm && commandOf(last) != nil && len(rest) > len(last); last = lastWord(rest) {
		// key.append(a).append(b)
		rest = strings.TrimSuffix(rest, "."+last)
	}
	switch {
	case c.syntax == csharp && cacheTypes[c.file.types[last]]:
		return 0 // which may be elsewhere
	case (notClient(last) || answers[last] || notClient(strings.ToLower(c.file.types[last]))) && !command.unusual:
		return 0
	case ofServer(receiver), c.file.holds[last] == holdsServer,
		c.syntax == rust && strings.HasSuffix(receiver, "funs.cache"): // of Tardis
		return Certain
	case command.unusual && c.file.redis:
		return Certain
	case c.file.redis && clients[receiver] && c.ofItself(receiver):
		return 0
	case len(last) < 3 && command.name == "GET" && c.syntax != ruby && c.syntax != golang && !c.file.imports[last],
		c.syntax == php && receiver == "storage", !command.unusual && c.foreign(last):
		return 0 // of a dictionary, or of files
	case (c.file.redis || command.unusual && len(command.name) > 3 && c.syntax.loose) &&
		(clients[strings.TrimLeft(last, "$@_")] || c.jvm && strings.HasSuffix(last, "commands")):
		return Likely
	}
	return 0
}

// cacheTypes are types of .NET for caches of any kind.
var cacheTypes = wordSet("IDistributedCache HybridCache IMemoryCache IFusionCache IAppCache")

// foreign reports whether the file declares a variable with a type whose name says neither that it is a client of the
// server nor that it is one of something: an ObjectStore, a StorageService, an APIClient.
func (c *collector) foreign(variable string) bool {
	class := strings.ToLower(c.file.types[variable])
	if f := c.function(); f != nil && f.self == variable {
		return false // see ofItself
	}
	return class != "" && (c.syntax == javaScript || c.syntax == golang || c.syntax == rust) && !ofServer(class) &&
		!strings.Contains(class, "cache") && class != "client" && !slices.ContainsFunc(clientTypes, func(word string) bool {
		return strings.Contains(class, word)
	})
}

// clientTypes are words of the names of types of clients that do not name the server.
var clientTypes = []string{"conn", "pool", "pipelin", "cmdable", "cluster", "commands", "universalclient", "kv"}

// ofItself reports whether the receiver of a call is that of the method around, in Go, whose type
// does not say that it is a client.
func (c *collector) ofItself(receiver string) bool {
	f := c.function()
	return f != nil && f.self == receiver && !slices.ContainsFunc([]string{"cache", "redis", "client", "store", "conn"},
		func(word string) bool { return strings.Contains(strings.ToLower(f.container), word) })
}
