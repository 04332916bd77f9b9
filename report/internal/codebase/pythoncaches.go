package codebase

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// backend notes where a cache of Django is, and what begins its keys, if it is on the server: KEY_PREFIX:VERSION:. The
// text "BACKEND" of its settings is token i.
func (c *collector) backend(i int) {
	if !c.is(i+1, ":") || len(c.open) == 0 {
		return
	}
	open := c.dictAround(i)
	name := open - 2 // "name": { or CACHES["name"] = {
	if c.is(open-1, "=") && c.is(open-2, "]") {
		name = open - 3
	}
	t := &c.tokens[max(name, 0)]
	if t.kind != textToken || !c.is(open, "{") {
		return
	}
	alias := c.words.keep(c.src[t.body:t.tail])
	kind := cachesOnServer // or the environment says
	if value := c.tokens[i+2]; value.kind == textToken {
		if backend := strings.ToLower(c.src[value.body:value.tail]); !ofServer(backend) && strings.HasPrefix(backend, "django.") {
			kind = cachesElsewhere
		}
	}
	if c.file.aliases == nil {
		c.file.aliases = map[string]cacheKind{}
	}
	if c.file.aliases[alias] |= kind; kind == cachesElsewhere {
		return
	}
	prefix, version := &node{kind: textNode}, &node{kind: textNode, text: "1"}
	if n := c.settingOf(open, "KEY_PREFIX"); n > 0 {
		prefix, _ = c.expression(n)
	}
	if n := c.settingOf(open, "VERSION"); n > 0 {
		version, _ = c.expression(n)
	}
	if c.settingOf(open, "KEY_FUNCTION") > 0 {
		prefix = anyKey
	}
	c.keysOfCache(i, alias, prefix, version)
}

// settingOf returns the token of the value of a setting in the dictionary that a token opens, 0 if it has none.
func (c *collector) settingOf(open int, name string) int {
	for n := open + 1; n < int(c.match[open]); n++ {
		if t := &c.tokens[n]; t.kind == textToken && c.src[t.body:t.tail] == name && c.is(n+1, ":") {
			return n + 2
		}
		n = max(n, int(c.match[n]))
	}
	return 0
}

// anyKey is the prefix of a cache whose keys a function of the project makes.
var anyKey = &node{kind: holeNode}

// keysOfCache notes what begins the keys of a cache of Django, "" any.
func (c *collector) keysOfCache(i int, alias string, prefix, version *node) {
	colon := &node{kind: textNode, text: ":"}
	key := &node{kind: joinNode, args: []*node{fixedPrefix(c.bound(prefix)), colon, fixedPrefix(c.bound(version)), colon}}
	if prefix == anyKey {
		key = hole
	}
	if c.callees == nil {
		c.prefix(i, djangoLayer, key).alias = &node{kind: textNode, text: alias}
	}
}

// dictAround returns the token that opens the innermost bracket around a token, 0 none.
func (c *collector) dictAround(i int) (open int) {
	for open = i - 1; open > 0 && int(c.match[open]) < i; open-- {
	}
	return open
}

// alias returns the cache of Django that a method is called on: caches["name"], what has that value, or the
// cache that Django has as default; nil none.
func (c *collector) alias(i int) *node {
	if c.syntax != python || !c.is(i-1, ".") {
		return nil
	}
	if c.is(i-2, "]") {
		if open := c.opening(i - 2); c.textOf(open-1) == "caches" {
			n, _ := c.expression(open + 1)
			return c.ofDefault(n)
		}
		return nil
	}
	n := c.bound(&node{kind: wordNode, text: c.kept(i - 2)})
	switch {
	case c.is(i-3, ".") && c.textOf(i-4) == "self":
		return &node{kind: wordNode, text: c.kept(i - 2), of: self}
	case c.is(i-3, "."):
		return nil
	case n.kind == wordNode && n.of == nil && n.text == "cache" &&
		c.says("from django.core.cache import", strings.Contains):
		return &node{kind: textNode, text: "default"}
	}
	return n
}

// ofDefault returns an expression in which the default of a parameter stands for it, also for that of a function
// around the innermost one.
func (c *collector) ofDefault(n *node) *node {
	for n.kind == callNode && passThrough[strings.ToLower(n.text)] && n.of == nil && len(n.args) == 1 {
		n = n.args[0] // str(name)
	}
	for _, s := range slices.Backward(c.scopes) {
		if s.function == nil || n.kind != wordNode || n.of != nil {
			continue
		}
		if i := slices.Index(s.function.params, n.text); i >= 0 && s.function.defaults[i] != nil {
			return s.function.defaults[i]
		}
	}
	return c.bound(n)
}

// aliasOf returns the name of the cache of Django that a site is about, "" if it is not known.
func (s *scanner) aliasOf(c *site) string {
	n := c.alias
	if n == nil {
		return ""
	}
	if n.kind == wordNode && n.text == "value" && n.of != nil { // of a member of an enum
		n = n.of
	}
	if n.kind == wordNode {
		if d, _ := s.program.declaration(n, c.frame()); d != nil {
			n = d.value
		}
	}
	switch {
	case n.kind == wordNode && n.of != nil && n.of.text == "caches":
		return n.text // caches["name"]
	case n.kind == wordNode && n.of == self:
		return ""
	case n.kind == callNode && isUpper(n.text) && len(n.args) > 0:
		n = n.args[0] // Field("name", label="...")
	}
	s.program.steps = 0
	name, _ := constant(s.program.eval(n, c.frame()))
	return name
}

// djangoPrefix returns what begins the keys of a cache of Django: with an argument version, that has the place of
// the setting.
func (s *scanner) djangoPrefix(c *site) string {
	prefix, known := s.django[s.aliasOf(c)]
	if _, other := s.django[""]; !known || other {
		prefix = s.layers[djangoLayer]
	}
	i := slices.IndexFunc(c.args, func(a *node) bool { return a.label == "version" })
	if i < 0 || c.args[i].isNothing() || c.args[i].kind == paramNode && c.args[i].of.isNothing() {
		return prefix
	}
	s.program.steps = 0
	version, ok := constant(s.program.eval(c.args[i], c.frame()))
	if !ok || version == "" {
		version = "*"
	}
	if at := strings.LastIndexByte(strings.TrimSuffix(prefix, ":"), ':'); at >= 0 {
		return prefix[:at+1] + version + ":"
	}
	return prefix
}

// frameworkCache returns the class of the cache that a site calls, "" of Django, and whether it is known to be one of
// Django, or of Flask-Caching, or of a class that extends that, which another file may declare.
func (s *scanner) frameworkCache(c *site) (class string, known bool) {
	if n := c.alias; n == nil || n.kind == textNode || n.of != nil {
		return "", n != nil && c.source.imports["django"] && (n.of == nil || n.of.text == "caches")
	}
	if c.alias.kind != wordNode {
		return "", false
	}
	d, _ := s.program.declaration(c.alias, c.frame())
	if d == nil || d.value.kind != callNode || !isUpper(d.value.text) || !d.source.imports["flask_caching"] {
		return "", false
	}
	return d.value.text, true
}

// decorator notes the keys of what a decorator of Flask-Caching keeps: those of views, and the versions of functions.
func (c *collector) decorator(i int, word string, args []*node) {
	key := &node{kind: joinNode, args: []*node{{kind: textNode, text: "view/"}, hole}}
	for _, a := range args {
		switch {
		case a.label == "key_prefix" && a.kind == textNode && strings.Contains(a.text, "%s"):
			key = &node{kind: callNode, text: "%", of: a, args: []*node{hole}}
		case a.label == "key_prefix" || a.label == "make_cache_key":
			key = a
		}
	}
	for n := i; word == "memoize"; n++ {
		if c.tokens[n].kind == endToken || n > i+200 {
			return
		}
		if c.textOf(n) == "def" {
			key.args = []*node{hole, {kind: textNode, text: "." + c.kept(n+1) + "_memver"}}
			break
		}
	}
	c.site(&site{key: c.bound(key), command: cacheWrite, sure: Likely, elsewhere: true, receiver: c.receiver(i),
		alias: c.alias(i)}, &c.tokens[i])
}

// flaskType matches a setting that says where Flask-Caching has its values.
var flaskType = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`CACHE_TYPE['"]?\]?\s*(?::\s*\w+\s*)?[=:]([^=\n][^\n]*)`)
})

// flaskStore returns where the settings of a source have the cache of Flask-Caching.
func flaskStore(src, name string) (found store) {
	for _, setting := range flaskType().FindAllStringSubmatch(src, 100) {
		if ofServer(strings.ToLower(setting[1])) {
			found.kind |= cachesOnServer
		} else if inOtherStore().MatchString(setting[1]) {
			found.join(elsewhere(src, name, setting[0], flaskSetting))
		}
	}
	return found
}
