package codebase

import (
	"slices"
	"strconv"
	"strings"
)

// clientMakers are classes and functions of JavaScript that give a client of the server.
var clientMakers = wordSet("Redis IORedis ioredis Cluster createClient createCluster")

// client notes what the call of a token puts before each key: the option keyPrefix of clients of
// JavaScript, WithKeyPrefix of StackExchange.Redis, what clients of CSRedis connect with, mappers of names of Redisson,
// the settings of distributed caches of .NET that are not in the code, and the functions that begin the keys of caches
// of Spring.
func (c *collector) client(i int) {
	open := i + 1
	if c.is(open, "<") {
		open = c.generic(open) + 1
	}
	switch word := c.textOf(i); {
	case !c.is(open, "(") && !(c.is(open, "{") && c.syntax == kotlin) || c.match[open] == 0:
		return
	case c.syntax.jvm && springPrefixes[word]:
		c.prefix(i, springLayer, c.springPrefix(open, word))
		return
	case c.jvm && word == "setNameMapper":
		c.prefix(i, redissonLayer, hole)
		return
	case c.syntax == csharp && word == "WithKeyPrefix":
		n, _ := c.expression(open + 1)
		c.prefix(i, keyspaceLayer, fixedPrefix(c.bound(n)))
		return
	case c.syntax == csharp && c.textOf(i-1) == "new" &&
		(word == "CSRedisClient" || word == "RedisClient" && c.file.imports["FreeRedis"]):
		c.connection(i, open)
		return
	case c.syntax == csharp && distributed[word]:
		if c.mentions(open, "InstanceName") < 0 && (c.mentions(open, "Bind") > 0 || c.mentions(open, "GetSection") > 0) {
			c.prefix(i, distributedLayer, hole)
		}
		return
	case c.syntax == javaScript && word == "defineCommand" && c.tokens[open+1].kind == textToken:
		c.ownCommand(open)
		return
	case c.syntax == javaScript && libraryStores[word] != nil:
		c.libraryStore(i, open)
		return
	case c.syntax != javaScript || !clientMakers[word] || !c.file.client:
		return
	}
	made := c.prefix(i, clientLayer, &node{kind: textNode})
	c.made = int(c.match[open])
	for n := open + 1; n < c.made; n++ {
		switch {
		case !c.isWord(n):
		case c.textOf(n) == "keyPrefix" && c.is(n+1, ":"):
			value, _ := c.expression(n + 2)
			made.key = c.bound(value)
		case c.textOf(n) == "keyPrefix":
			made.key = c.bound(&node{kind: wordNode, text: "keyPrefix"})
		case strings.Contains(strings.ToLower(c.textOf(n)), "opt") && !c.is(n+1, ":"):
			made.field = true
		}
	}
	if at := c.held(i, 0); at >= 0 {
		made.callee = c.words.keep(strings.ToLower(c.textOf(at)))
	}
}

// connection notes the prefix in the text that a client of CSRedis or FreeRedis connects with: host:port,prefix=PREFIX.
// Settings may have any.
func (c *collector) connection(i, open int) {
	n, _ := c.expression(open + 1)
	if n = c.bound(n); n.kind != textNode {
		c.prefix(i, keyspaceLayer, hole)
	} else if _, prefix, ok := strings.Cut(n.text, "prefix="); ok {
		prefix, _, _ = strings.Cut(prefix, ",")
		c.prefix(i, keyspaceLayer, &node{kind: textNode, text: prefix})
	}
}

// ownCommand notes the method that defineCommand of ioredis adds to its clients: it runs a script with keys.
func (c *collector) ownCommand(open int) {
	name := c.tokens[open+1]
	own := &function{name: c.words.keep(c.src[name.body:name.tail]), source: c.file, command: true}
	keys := 0
	if at := c.mentions(open, "numberOfKeys"); at > 0 {
		keys, _ = strconv.Atoi(c.textOf(at + 2))
	}
	for n := range min(keys, 8) {
		own.params = append(own.params, "key")
		own.passes = append(own.passes, passed{key: &node{kind: paramNode, index: int16(n)}, command: scriptCommand,
			sure: Certain})
	}
	c.functions = append(c.functions, own)
}

// distributed are methods that set up the distributed cache of .NET on the server.
var distributed = wordSet("Configure AddStackExchangeRedisCache AddDistributedRedisCache")

// mentions returns a token with a word in the bracket that a token opens, -1 if there is none.
func (c *collector) mentions(open int, word string) int {
	for n := open + 1; n < min(int(c.match[open]), open+2000); n++ {
		if c.isWord(n) && c.textOf(n) == word {
			return n
		}
	}
	return -1
}

// prefix notes what begins the keys of a layer, as token i tells.
func (c *collector) prefix(i int, of layer, n *node) *site {
	s := &site{key: n, line: c.tokens[i].line, source: c.file, function: c.function(), prefix: true, layer: of}
	c.sites = append(c.sites, s)
	return s
}

// springPrefixes are methods of RedisCacheConfiguration (Spring Data Redis): what they give precedes the name of a
// cache and ::, or stands for both.
var springPrefixes = wordSet("prefixCacheNameWith prefixKeysWith computePrefixWith")

// cacheName stands for the name of a cache of Spring in the prefix of its keys.
var cacheName = &node{kind: textNode, text: "\x01"}

// springPrefix returns what precedes the keys of a cache, as the argument of a method tells.
func (c *collector) springPrefix(open int, method string) *node {
	name, value := "it", open+1
	for n := open + 1; n < open+6; n++ {
		if c.is(n, "->") {
			if name = c.textOf(n - 1); !c.isWord(n - 1) { // (name) ->
				name = c.textOf(n - 2)
			}
			value = n + 1
		}
	}
	n, end := c.expression(value)
	switch {
	case method == "prefixKeysWith":
		return n
	case method == "prefixCacheNameWith":
		return &node{kind: joinNode, args: []*node{fixedPrefix(c.bound(n)), cacheName, {kind: textNode, text: "::"}}}
	case end != int(c.match[open]) || n.kind == wordNode || n.kind == callNode && n.text != "concat":
		return &node{kind: joinNode, args: []*node{hole, cacheName, hole}}
	}
	return n.rewrite(func(n *node, _ rewriter) *node {
		if n.kind == wordNode && n.of == nil && n.text == name {
			return cacheName
		}
		return nil
	})
}

// clients evaluates what the clients of JavaScript put before each key, by the names of what holds
// them; that of "" is what others do. A prefix that varies, or is one of several, is *.
func (s *scanner) clientPrefixes(sites []*site) map[string]string {
	of := func(c *site) string {
		s.program.steps = 0
		return Join(s.program.eval(fixedPrefix(c.key), c.frame()))
	}
	var made []*site
	apart, all, named := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, c := range sites {
		switch {
		case !c.prefix || c.source.syntax != javaScript:
		case c.layer == clientLayer:
			made = append(made, c)
		default: // an option that is given to a client elsewhere
			apart[of(c)] = true
		}
	}
	for _, c := range made {
		prefix := of(c)
		if c.field && prefix == "" && len(apart) > 0 {
			if prefix = "*"; len(made) == 1 && len(apart) == 1 {
				prefix = one(apart)
			}
		}
		if old, known := named[c.callee]; known && old != prefix {
			prefix = "*"
		}
		named[c.callee], all[prefix] = prefix, true
	}
	if len(made) == 0 {
		all = apart
	}
	if named[""] = one(all); len(all) > 1 {
		named[""] = "*"
	}
	return named
}

// wraps reports whether the method of a site may be one of a wrapper of the checkout that changes keys: what it is
// called on is not known as a client.
func (s *scanner) wraps(c *site) bool {
	if c.source.syntax == python && c.command.isCache() && c.alias == nil { // of a property: event.cache
		return slices.ContainsFunc(s.program.functions[lastWord(c.receiver)], func(f *function) bool {
			return f.container != "" && slices.ContainsFunc(f.returns, func(r returned) bool {
				return r.value.kind == callNode && isUpper(r.value.text) && strings.HasSuffix(r.value.text, "Cache")
			})
		})
	}
	if c.command == nil || c.callee == "" || c.source.syntax.loose || ofServer(c.receiver) ||
		c.source.holds[lastWord(c.receiver)] == holdsServer {
		return false
	}
	return slices.ContainsFunc(nearby(s.program.functions[c.callee], c.source), func(f *function) bool {
		return f != c.function && f.source.syntax == c.source.syntax && slices.ContainsFunc(f.passes, func(p passed) bool {
			return p.via == nil && p.key.kind != paramNode
		})
	})
}

// one returns an element of a set, "" if it is empty.
func one(set map[string]bool) (only string) {
	for only = range set {
	}
	return only
}

// before returns what the client or the framework puts before the key of a site.
func (s *scanner) before(c *site) string {
	switch {
	case c.layer == springLayer && (s.stores[java].kind|s.stores[kotlin].kind)&cachesAreHashes != 0:
		return s.layers[redissonLayer]
	case c.layer == djangoLayer:
		return s.djangoPrefix(c)
	case c.layer == connectionLayer && c.alias != nil && len(s.connection) > 0:
		return s.connection[s.aliasOf(c)]
	case c.layer == springLayer: // it is about the name of the cache, too
		return ""
	case c.source.syntax == csharp && c.command.isCache() && c.layer == 0 && !c.source.imports["EasyCaching"] &&
		!c.source.imports["Foundatio"]:
		return "*" // of a library that is not known
	case c.source.syntax.jvm && c.layer == 0 && !strings.Contains(c.receiver, "template") &&
		operations[lastWord(c.receiver)] == "":
		return s.layers[redissonLayer]
	case c.source.syntax != javaScript || c.command == nil:
		return s.layers[c.layer]
	}
	for _, word := range slices.Backward(strings.Split(c.receiver, ".")) {
		if prefix, known := s.clients[strings.TrimLeft(word, "#_")]; known && word != "" {
			return prefix
		}
	}
	if s.keyv && c.sure < Certain {
		return "*"
	}
	return s.clients[""]
}

// locks are methods of redlock and of clients of Python whose first argument is a key, or a list of keys.
var locks = wordSet("acquire lock lock! using")

// lockers are names of clients that hardly hold something else with a method lock.
var lockers = wordSet("r rc rd client conn connection")

// lock notes the keys of a call that makes locks, if it is one.
func (c *collector) lock(i int, method, receiver string, args []*node) bool {
	last, keys := lastWord(receiver), args[:1]
	switch {
	case strings.Contains(receiver, "redlock") && (c.syntax == javaScript || c.syntax == ruby),
		c.syntax == ruby && strings.Contains(last, "lock") && c.says("Redlock::Client", strings.Contains):
	case last == "redislock" && c.syntax == ruby && method == "acquire": // of mario-redis-lock, with an option key
		for _, a := range args {
			if a.label == "key" {
				keys[0] = a
			}
		}
	case c.syntax == python && method == "lock" && !strings.Contains(last, "cache") && !strings.HasSuffix(last, "lock") &&
		(ofServer(receiver) || c.file.holds[last] == holdsServer || c.file.client && lockers[strings.TrimLeft(last, "_")]) &&
		!notClient(last):
	case c.syntax == python && c.textOf(i) == "Lock" && len(args) > 1 && c.file.imports["lock"] && c.file.client:
		// of redis-py: Lock(client, name)
		keys = args[1:2]
	default:
		return false
	}
	if args[0].kind == listNode {
		keys = args[0].args
	}
	for _, k := range c.boundAll(keys) {
		c.site(&site{key: k, command: commands()["set"], sure: Certain, expiry: expirySet, receiver: receiver}, &c.tokens[i])
	}
	return true
}
