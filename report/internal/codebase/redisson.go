package codebase

import "strings"

// readsObject are methods of objects of Redisson that write nothing.
var readsObject = wordSet(`get getall isexists size isempty contains containskey containsvalue containsall readall
	readallmap readallkeyset readallvalues readallentryset entryset keyset values range valuerange entryrange getscore
	rank remaintimetolive getcardinality count peek`)

// readsOf are commands that read keys, by their types.
var readsOf = map[string]string{"string": "GET", "hash": "HGETALL", "list": "LRANGE", "set": "SMEMBERS",
	"zset": "ZRANGE", "stream": "XRANGE"}

// ofObject returns what a call of Redisson does that gives an object for a key: no write if the methods that are called
// on the object, or on the variable that has it, only read or remove.
func (c *collector) ofObject(i int, command *command) *command {
	if command == nil || !command.jvm {
		return command
	}
	removes, reads := false, false
	other := func(method int) bool {
		name := strings.TrimSuffix(strings.ToLower(c.textOf(method)), "async")
		removed := name == "delete" || name == "unlink"
		removes, reads = removes || removed, reads || readsObject[name]
		return !removed && !readsObject[name]
	}
	begin, end := i, c.behind(i+1)
	for begin > 1 && c.methodBefore(begin) && c.isWord(begin-2) {
		begin -= 2
	}
	switch {
	case c.is(end, "."):
		if other(end + 1) {
			return command
		}
	case c.is(begin-1, "=") && c.isWord(begin-2) && c.is(end, ";") && len(c.scopes) > 0:
		for n := end; n < min(c.scopes[len(c.scopes)-1].end, end+3000); n++ {
			if c.textOf(n) == c.textOf(begin-2) && !c.methodBefore(n) && (!c.is(n+1, ".") || other(n+2)) {
				return command
			}
		}
	}
	only := *command
	switch {
	case reads:
		only.name, only.writes = readsOf[command.kind], false
	case removes:
		only.name = "DEL"
	}
	return &only
}
