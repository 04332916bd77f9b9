package codebase

import (
	"cmp"
	"strings"
)

// rowStores matches the packages of go-zero that keep rows of a database on the server. Goctl writes the models which
// use them, so that these are read although they are generated.
var rowStores = []string{"/stores/sqlc", "/stores/monc"}

// cachedRow notes the keys of a call of token i that reads or changes rows which go-zero keeps on the server, and
// reports whether it is one: a call that reads has the key behind the value, one that changes has the keys behind the
// function that does so, and those of monc begin with the key.
func (c *collector) cachedRow(i int, receiver string, args []*node) bool {
	f, name := c.function(), strings.TrimSuffix(strings.ToLower(c.textOf(i)), "ctx")
	own := f != nil && receiver == f.self && c.file.imports["/stores/sqlc"]
	if !own && !strings.HasSuffix(receiver, "cachedconn") && !(f != nil && receiver == f.self+".conn" &&
		c.file.imports["/stores/monc"]) {
		return false
	}
	if len(args) > 0 && c.isContext(args[0]) {
		args = args[1:]
	}
	command := commands()["set"]
	switch name {
	case "queryrow", "queryrowindex", "take", "takewithexpire":
		if len(args) < 3 {
			return true
		}
		args = args[1:2]
	case "exec":
		command, args = commands()["del"], args[min(1, len(args)):]
	case "delcache":
		command = commands()["del"]
	case "getcache":
		command, args = commands()["get"], args[:min(1, len(args))]
	case "setcache", "setcachewithexpire", "findone", "insertone", "updateone", "updatebyid", "replaceone", "deleteone",
		"findoneandupdate", "findoneanddelete", "findoneandreplace":
		args = args[:min(1, len(args))]
	default:
		return false
	}
	for _, a := range c.boundAll(args) {
		keys := []*node{a}
		if a.kind == listNode {
			keys = a.args
		}
		for _, key := range keys {
			c.site(&site{key: key, command: command, sure: Certain, expiry: expirySet}, &c.tokens[i])
		}
	}
	return true
}

// lockMakers are methods of libraries of Go whose argument is the key of a lock, with the module.
var lockMakers = map[string]string{"NewMutex": "go-redsync/redsync", "Obtain": "bsm/redislock",
	"NewRedisLock": "core/stores/redis"}

// keyed notes the keys of a call of Go that its first argument does not have: that of a lock, and those in the
// structure which commands of streams and methods of go-redis/cache take.
func (c *collector) keyed(i int, args []*node) bool {
	word, open := c.textOf(i), i+1
	note := func(command *command, keys ...*node) bool {
		for _, key := range c.boundAll(keys) {
			c.site(&site{key: key, command: command, sure: Certain}, &c.tokens[i])
		}
		return true
	}
	if module := lockMakers[word]; module != "" && c.says(module, strings.Contains) {
		if word == "NewRedisLock" || c.isContext(args[0]) {
			args = args[1:]
		}
		return note(commands()["set"], args[:min(1, len(args))]...)
	}
	if (word == "Set" || word == "Once") && c.says("go-redis/cache", strings.Contains) {
		if at := c.mentions(open, "Key"); at > 0 && c.is(at+1, ":") {
			key, _ := c.expression(at + 2)
			return note(commands()["set"], key)
		}
	}
	if !strings.HasPrefix(word, "X") || !c.file.redis {
		return false
	}
	command := cmp.Or(commands()[strings.Replace(strings.ToLower(word), "xread", "streamread", 1)], commandOf(word))
	if at := c.mentions(open, "Stream"); command != nil && at > 0 && c.is(at+1, ":") {
		key, _ := c.expression(at + 2)
		return note(command, key)
	}
	if at := c.mentions(open, "Streams"); command != nil && at > 0 && c.is(at+1, ":") {
		if keys, _ := c.expression(at + 2); keys.kind == listNode { // and as many identifiers
			return note(command, keys.args[:(len(keys.args)+1)/2]...)
		}
	}
	return false
}

// closure notes the types of the parameters between two brackets of a function of Go without a name.
func (c *collector) closure(open int) {
	for n := open + 1; n < int(c.match[open]); n++ {
		c.forget(n)
	}
	names, _, _ := c.parameters(open)
	kinds, types := c.kinds(), c.goParams(open)
	for i := 0; i < min(len(names), len(types)) && kinds != nil && len(kinds) < 1000; i++ {
		kinds[names[i]] = &node{kind: holeNode, text: types[i]}
	}
}

// goDeclaration reads the declaration of Go that begins with the token var or type.
func (c *collector) goDeclaration(i int) {
	if c.textOf(i) == "var" {
		c.goVariable(i)
	} else if c.tokens[i].first && c.isWord(i+1) {
		c.goAlias(i + 1)
		if c.textOf(i+2) == "string" { // whose conversions keep the text
			f := c.newFunction(c.textOf(i+1), "", 0)
			f.params = []string{"s"}
			f.returns = []returned{{value: &node{kind: paramNode, text: "s"}, line: c.tokens[i].line}}
		}
	}
}

// goVariable notes the variables whose declaration begins at the token var.
func (c *collector) goVariable(i int) {
	c.newBuilder(i + 1)
	if c.is(i+1, "(") && c.function() == nil {
		for n := i + 2; n < int(c.match[i+1]); n++ {
			if c.match[n] > int32(n) {
				n = int(c.match[n])
			} else if c.tokens[n].first {
				c.goHolds(n)
			}
		}
	} else {
		c.goHolds(i + 1)
	}
}

// goHolds notes the type of the variable that a declaration gives at a token, or the value that has the type.
func (c *collector) goHolds(name int) {
	kind := &node{kind: holeNode, text: c.typeText(name + 1)}
	if c.is(name+1, "=") {
		n, end := c.expression(name + 2)
		if kind = n; c.is(end, "{") {
			kind = typeNode(n)
		}
	}
	if !c.isWord(name) || c.tokens[name+1].first {
		return
	}
	if locals := c.kinds(); locals != nil {
		locals[c.kept(name)] = kind
	} else if c.callees == nil && len(c.scopes) == 0 && len(c.file.vars) < 1000 {
		c.file.vars[c.kept(name)] = kind
	}
}

// typeNode returns a value of a type that an expression names.
func typeNode(n *node) *node {
	if text := n.text; n.kind == wordNode {
		if n.of != nil {
			text = n.of.text + "." + text
		}
		return &node{kind: holeNode, text: text}
	}
	return hole
}
