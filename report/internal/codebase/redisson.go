package codebase

import "strings"

// readsObject are methods of objects of Redisson that write nothing.
var readsObject = wordSet(`get getall isexists size isempty contains containskey containsvalue containsall readall
	readallmap readallkeyset readallvalues readallentryset entryset keyset values range valuerange entryrange getscore
	rank remaintimetolive getcardinality count peek`)

// ofObject returns what a call of Redisson does that gives an object for a key: no write if the methods that are called
// on the object, or on the variable that has it, only read or remove.
func (c *collector) ofObject(i int, command *command) *command {
	if command == nil || !command.jvm {
		return command
	}
	removes, read := false, "" // the last method that reads
	other := func(method int) bool {
		name := strings.TrimSuffix(strings.ToLower(c.textOf(method)), "async")
		removed := name == "delete" || name == "unlink"
		if removes = removes || removed; readsObject[name] {
			read = c.textOf(method)
		}
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
	case read == "get" && command.kind == "string":
		only.name, only.writes = "GET", false
	case read != "":
		only.name, only.writes = c.words.keep(read), false
	case removes:
		only.name = "DEL"
	}
	return &only
}
