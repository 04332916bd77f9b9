package codebase

import (
	"maps"
	"slices"
	"strings"
)

var (
	cacheableCommand = &command{name: "@Cacheable", writes: true}
	hashCommand      = &command{name: "HSET", kind: "hash", writes: true, unusual: true} // of a repository of Spring
	indexCommand     = &command{name: "SADD", kind: "set", writes: true, unusual: true}  // of the names of its entities
)

// caches are annotations of Spring whose names of caches may be those of the class, and bare annotations of it that
// need no argument.
var (
	caches   = wordSet("Cacheable CachePut CacheEvict")
	bareOnes = wordSet("Cacheable CachePut CacheEvict RedisHash")
)

// annotation notes the keys of a cache or a repository of Spring that an annotation declares.
func (c *collector) annotation(i int, word string, args []*node) {
	var names []*node
	key := hole
	apart := false // in a cache of the process
	for _, a := range args {
		if a.label == "key" && a.kind == textNode {
			key = spring(a.text)
		}
		apart = apart || a.label == "cacheManager" && c.syntax.holderOf(a.text, false) == holdsMemory
		if a.label != "" && a.label != "value" && a.label != "cacheNames" {
			continue
		}
		for _, name := range append(a.args, a) {
			if name.kind != listNode && name.kind != holeNode {
				names = append(names, name)
			}
		}
	}
	switch {
	case word == "Value" && len(names) > 0 && names[0].kind == textNode:
		c.setting(names[0].text, i)
	case word == "CacheConfig":
		c.cacheNames = names
	case word == "RedisHash":
		c.redisHash(i, names, args)
	case caches[word] && !apart && word != "CacheEvict": // that names what others write
		if len(names) == 0 {
			names = c.cacheNames
		}
		for _, name := range names {
			of := &node{kind: joinNode, args: []*node{name, {kind: textNode, text: "::"}, key}}
			c.site(&site{key: c.bound(of), command: cacheableCommand, sure: Likely}, &c.tokens[i])
		}
	}
}

// spring returns the value of an expression of Spring that is a text or joins texts with what varies: 'user:' + #id.
func spring(text string) *node {
	list := &node{kind: joinNode}
	quoted, depth, begin := false, 0, 0
	flush := func(end int) {
		part := strings.TrimSpace(text[begin:end])
		if n := len(part); n > 1 && part[0] == '\'' && strings.IndexByte(part[1:], '\'') == n-2 {
			list.args = append(list.args, &node{kind: textNode, text: part[1 : n-1]})
		} else {
			list.args = append(list.args, hole)
		}
		begin = end + 1
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.IndexByte("?<>=!:", c) >= 0:
			return hole // it chooses
		case c == '+' && depth == 0 && len(list.args) < maxArgs:
			flush(i)
		}
	}
	flush(len(text))
	return list
}

// redisHash notes the keys of the entities of a class with the annotation RedisHash of Spring Data, NAME:ID, and the
// set NAME of all. The name is that of the class, with its package, if the annotation has none.
func (c *collector) redisHash(i int, names, args []*node) {
	name, class := &node{kind: joinNode}, ""
	for n := i + 1; n < i+60 && c.tokens[n].kind != endToken && class == ""; n++ {
		if (c.textOf(n) == "class" || c.textOf(n) == "record") && c.isWord(n+1) {
			class = c.kept(n + 1)
		}
	}
	if len(names) > 0 {
		name.args = names[:1]
	} else if class != "" {
		name.args = []*node{c.packageName(), {kind: textNode, text: "." + class}}
	} else {
		return
	}
	expires := expiryUnknown
	if slices.ContainsFunc(args, func(a *node) bool { return a.label == "timeToLive" }) {
		expires = expirySet
	}
	key := &node{kind: joinNode, args: []*node{name, {kind: textNode, text: ":"}, hole}}
	c.site(&site{key: c.bound(key), command: hashCommand, sure: Certain, expiry: expires, entity: class},
		&c.tokens[i])
	c.site(&site{key: c.bound(name), command: indexCommand, sure: Certain, expiry: expiryNone, entity: class},
		&c.tokens[i])
}

// packageName returns the package of a file of the JVM, for a class that is in no other one.
func (c *collector) packageName() *node {
	for n := 0; n < 40 && c.class() == "" && c.tokens[n].kind != endToken; n++ {
		if c.tokens[n].first && c.textOf(n) == "package" {
			line, _, _ := strings.Cut(c.src[c.tokens[n].end:], "\n")
			line, _, _ = strings.Cut(line, ";")
			return &node{kind: textNode, text: c.words.keep(strings.TrimSpace(line))}
		}
	}
	return hole
}

// repositories returns the words of the headers of files that declare a repository, and whether a template of Spring
// Data may write any entity.
func (s *scanner) repositories() (words map[string]bool, any bool) {
	words = map[string]bool{}
	for _, file := range s.sources {
		any = any || file.imports["RedisKeyValueTemplate"] || file.imports["KeyValueOperations"]
		for name := range file.supers {
			if strings.HasSuffix(name, "Repository") {
				maps.Copy(words, file.supers)
				break
			}
		}
	}
	return words, any
}

// placeholders returns the parts of a text of Spring in which ${NAME:DEFAULT} stands for a setting. What follows
// a placeholder that does not end varies.
func (p *program) placeholders(text string, at frame) (list []string) {
	for {
		before, rest, ok := strings.Cut(text, "${")
		if before != "" {
			list = add(list, before)
		}
		name, after, closed := strings.Cut(rest, "}")
		switch {
		case !ok:
			return list
		case !closed:
			return add(list, "")
		}
		name, value, _ := strings.Cut(name, ":")
		list = add(list, p.eval(&node{kind: settingNode, text: name, label: value}, at)...)
		text = after
	}
}

// upperCase and lowerCase are functions and methods that change the case of a text.
var (
	upperCase = wordSet("upper toupper touppercase to_uppercase uppercase upcase toupperinvariant strtoupper")
	lowerCase = wordSet("lower tolower tolowercase to_lowercase lowercase downcase tolowerinvariant strtolower")
)

// cased returns parts in the case that a function or method gives them.
func cased(name string, parts []string) []string {
	change := strings.ToLower
	if upperCase[name] {
		change = strings.ToUpper
	}
	list := slices.Clone(parts)
	for i := range list {
		list[i] = change(list[i])
	}
	return list
}
