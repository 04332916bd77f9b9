package codebase

import "strings"

// scriptCall notes the keys of a script: the first list of the arguments of a call.
func (c *collector) scriptCall(args []*node, receiver string, t *token) {
	for _, a := range args {
		a = c.bound(a)
		named := a.kind != textNode && strings.Contains(strings.ToLower(a.text), "keys")
		switch {
		case a.kind == paramNode && named:
			c.site(&site{key: a, command: scriptCommand, sure: Certain, list: true}, t)
		case a.kind == listNode && !scriptArguments[a.label] && (c.file.redis || ofServer(receiver)):
			for _, k := range a.args {
				if strings.Contains(strings.ToLower(k.text), "channel") {
					continue // that the script publishes on
				}
				c.site(&site{key: k, command: scriptCommand, sure: Certain}, t)
			}
		case !named:
			continue
		}
		return
	}
}

// scriptArguments are names of the list of what a script gets besides keys.
var scriptArguments = wordSet("args argv values")

var scriptCommand = &command{name: "EVAL", writes: true, unusual: true}
