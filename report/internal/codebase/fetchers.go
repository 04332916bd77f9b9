package codebase

import (
	"slices"
	"strings"
)

// fetchers are methods of caches that take a key first.
var fetchers = wordSet(`get set inc dec fetch read write remember rememberforever put forever forget pull has
	add delete lock exist? increment decrement incr get_or_set getorset getorsetasync getasync setasync removeasync
	getstring setstring getstringasync setstringasync refreshasync getorcreate getorcreateasync trygetvalue touch
	addasync incrementasync listaddasync listremoveasync getlistasync removeallasync existsasync replaceasync
	getunixtimemillisecondsasync setifhigherasync setiflowerasync getallasync fetch_multi write_multi set_many
	putmany setmultiple`)

// several are the fetchers that take many keys: those of a map, fetch_multi each of its arguments.
var several = wordSet("fetch_multi write_multi set_many putmany setmultiple")

// limits are methods of the limiter of Laravel, which counts in the cache.
var limits = wordSet("hit attempt toomanyattempts remaining availablein")

// Methods of caches, which may be on the server.
var (
	cacheWrite = &command{name: "cache", writes: true, cache: true}
	cacheRead  = &command{name: "cache", cache: true} // it writes nothing
	// cacheDelete deletes a value, or changes its expiry.
	cacheDelete = &command{name: "cache", cache: true}
)

// cacheReads are the fetchers that write no value.
var cacheReads = wordSet(`get read pull has exist? getasync getstring getstringasync trygetvalue refreshasync
	getlistasync existsasync getallasync toomanyattempts remaining availablein`)

// cacheDeletes are those that only delete a value, or change its expiry.
var cacheDeletes = wordSet("forget delete removeasync removeallasync touch")

// fetch notes the key of a call of a cache whose method is token i.
func (c *collector) fetch(i int, receiver string, args []*node) {
	word, t, last := c.textOf(i), &c.tokens[i], lastWord(receiver)
	named := strings.Contains(last, "cache") && !strings.Contains(last, "cached") &&
		(c.syntax != python || strings.HasSuffix(last, "cache") || last == "caches") ||
		strings.HasSuffix(receiver, "cache.store._") || c.syntax == php && strings.HasSuffix(receiver, "cache.tags")
	methods := fetchers
	if receiver == "ratelimiter" && c.file.imports["Facades"] { // of Laravel
		named, methods = true, limits
	}
	if len(args) == 0 || !named || !methods[strings.ToLower(word)] || notClient(last) ||
		strings.Contains(last, "prefetch") || strings.Contains(last, "profile") || strings.Contains(last, "config") ||
		strings.Contains(last, "responsecache") || strings.HasSuffix(last, "control") {
		return
	}
	if v := c.locals()[last]; v != nil && v.kind == callNode && v.of != nil && fetchers[strings.ToLower(v.text)] {
		return // what a cache returned
	}
	other := false
	switch imports := c.file.imports; c.syntax {
	case php:
	case ruby: // an application has others in memory
		if !strings.HasSuffix(receiver, "rails.cache") && !ofServer(receiver) && c.file.holds[last] != holdsServer {
			return
		}
	case python:
		other = !imports["django"] && !imports["flask_caching"]
	case csharp:
		other = !imports["Distributed"] && !imports["Hybrid"] && !imports["ZiggyCreatures"] && !imports["Foundatio"] &&
			!imports["EasyCaching"]
	default:
		return // a map in memory, more often than not
	}
	if other = other && !c.file.client; other && c.syntax != python {
		return
	}
	keys := args[:1]
	for n, a := range args {
		if a.label == "key" && c.syntax == python {
			keys = args[n : n+1]
		}
	}
	command, lower := cacheWrite, strings.ToLower(word)
	if several[lower] {
		if keys = c.keysOfMap(i + 2); word == "fetch_multi" {
			keys = slices.DeleteFunc(slices.Clone(args), func(a *node) bool { return a.label != "" }) // options
		}
	}
	if cacheReads[lower] && !c.takesFunction(i) ||
		c.syntax == ruby && strings.HasPrefix(word, "fetch") && !c.withBlock(i) {
		command = cacheRead
	} else if cacheDeletes[lower] {
		command = cacheDelete
	}
	for _, key := range keys {
		key = c.bound(key)
		if last == "tags" { // a digest of the tags precedes it
			key = &node{kind: joinNode, args: []*node{hole, {kind: textNode, text: ":"}, key}}
		}
		if c.syntax == ruby && key.kind == listNode { // ActiveSupport joins its elements
			key = &node{kind: callNode, text: "join", of: key, args: []*node{{kind: textNode, text: "/"}}}
		}
		c.site(&site{key: key, command: command, sure: Likely, elsewhere: other,
			expiry: c.expiryOf(i, 0, receiver, command), callee: c.words.keep(word), receiver: receiver, alias: c.alias(i),
			args: c.boundAll(args)}, t)
	}
}

// keysOfMap returns the keys of a literal of a map that begins at a token.
func (c *collector) keysOfMap(open int) (keys []*node) {
	if !c.is(open, "{") && !c.is(open, "[") {
		return nil
	}
	for i, end := open+1, int(c.match[open]); i < end && len(keys) < maxArgs; i++ {
		c.steps, c.depth = 0, 0
		key, next := c.expression(i)
		if c.is(next, "=>") || c.is(next, ":") && c.syntax == python {
			keys = append(keys, key)
		}
		for i = next; i < end && !c.is(i, ","); i++ {
			i = max(i, int(c.match[i]))
		}
	}
	return keys
}

// withBlock reports whether the call of a token may have a block of Ruby: without one, fetch of Rails.cache only reads.
func (c *collector) withBlock(i int) bool {
	open, end := i+1, c.behind(i+1)
	for n := open + 1; n < min(end-1, open+200); n++ {
		if c.is(n, "&") {
			return true
		}
	}
	return !c.is(open, "(") || c.is(end, "{") || c.textOf(end) == "do"
}
