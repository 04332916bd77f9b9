package codebase

import "strings"

// itemName is the member by which the name of the cache of a class is declared, see typedKey.
const itemName = "\x01cache"

// typedKey returns the key of a value in the typed cache of ABP that a variable holds, IDistributedCache<CLASS>:
// c:NAME,k:KEY, with a tenant and a prefix of the options around. It is nil if the variable holds none.
func (c *collector) typedKey(variable string, key *node) *node {
	class, ok := strings.CutPrefix(c.file.types[variable], "IDistributedCache<")
	if !ok || !c.file.typed {
		return nil
	}
	text := func(s string) *node { return &node{kind: textNode, text: s} }
	name := &node{kind: wordNode, text: itemName, of: &node{kind: wordNode, text: class}}
	return &node{kind: joinNode, args: []*node{hole, text("c:"), name, text(",k:"), hole, key}}
}

// cacheItem declares the name of the typed cache of a class: what [CacheName("name")] says, or its full name without
// CacheItem.
func (c *collector) cacheItem(class string, t *token) {
	name := c.itemName
	if c.itemName = nil; name == nil {
		short, ok := strings.CutSuffix(class, "CacheItem")
		_, space, _ := strings.Cut(c.src, "namespace ")
		if end := strings.IndexAny(space, " \r\n;{"); ok && end > 0 {
			name = &node{kind: textNode, text: c.words.keep(space[:end] + "." + short)}
		}
	}
	if name != nil && c.callees == nil && len(c.decls) < 20_000 {
		c.decls = append(c.decls, &declaration{name: itemName, container: class, value: name, line: t.line, source: c.file})
	}
}

// typedMethods are methods of typed caches of ABP whose first argument is a key.
var typedMethods = wordSet("Get Set GetOrAdd Remove Refresh")

var (
	// lockCommand is what locks of Medallion and ABP do, if the server has them.
	lockCommand = &command{name: "SET", kind: "string", writes: true, unusual: true}
	ringCommand = &command{name: "RPUSH", kind: "list", writes: true, unusual: true}
)

// libraryCall notes the key of a call of a library of .NET: of a lock, of the key ring of ASP.NET Core or of Hangfire.
// It reports whether the call is one.
func (c *collector) libraryCall(word, receiver string, args []*node, t *token) bool {
	last, word := lastWord(receiver), strings.TrimSuffix(word, "Async")
	s := &site{key: args[0], command: lockCommand, sure: Certain, expiry: expirySet, receiver: receiver}
	if key := c.typedKey(last, args[0]); key != nil {
		if s.key, s.command, s.expiry = c.bound(key), cacheWrite, expiryUnknown; word == "Get" {
			s.command = cacheRead
		} else if word == "Remove" || word == "Refresh" {
			s.command = cacheDelete
		}
		if typedMethods[word] {
			c.site(s, t)
		}
		return true
	}
	switch word {
	case "TryAcquireLock", "AcquireLock", "CreateLock":
		if !c.file.imports["Medallion"] {
			return false
		}
	case "TryAcquire":
		if c.file.types[last] != "IAbpDistributedLock" && !strings.HasSuffix(last, "distributedlock") {
			return false
		}
		s.key = &node{kind: joinNode, args: []*node{hole, args[0]}} // an option precedes the name
	case "PersistKeysToStackExchangeRedis":
		s.command, s.expiry = ringCommand, expiryNone
		if s.key = (&node{kind: textNode, text: "DataProtection-Keys"}); len(args) > 1 {
			s.key = args[1]
		}
	case "UseRedisStorage":
		if !c.file.imports["Hangfire"] || len(args) > 1 {
			return false
		}
		s.command, s.expiry = commandOf("hset"), expiryUnknown
		s.key = &node{kind: joinNode, args: []*node{{kind: textNode, text: "{hangfire}:"}, hole}}
	default:
		return false
	}
	s.key, s.args, s.callee = c.bound(s.key), c.boundAll(args), c.words.keep(word)
	c.site(s, t)
	return true
}

// takesFunction reports whether a function is among the arguments of a call of .NET or Symfony: it makes what a cache
// does not have.
func (c *collector) takesFunction(i int) bool {
	open := i + 1
	if c.is(open, "<") {
		open = c.generic(open) + 1
	}
	symfony := c.syntax == php && c.file.imports["Contracts"]
	for n := open + 1; (c.syntax == csharp || symfony) && n < min(int(c.match[open]), open+400); n++ {
		if c.is(n, "=>") || symfony && c.textOf(n) == "function" {
			return true
		}
	}
	return false
}
