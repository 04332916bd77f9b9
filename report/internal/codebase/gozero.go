package codebase

import "strings"

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
