package codebase

import (
	"slices"
	"strconv"
	"strings"
)

// scriptCall notes the keys of a script: the first list of the arguments of a call.
func (c *collector) scriptCall(args []*node, receiver string, t *token) {
	for _, a := range args {
		a = c.bound(a)
		named := a.kind != textNode && strings.Contains(strings.ToLower(a.text), "keys")
		switch {
		case a.kind == paramNode && named:
			c.site(&site{key: a, command: scriptCommand, sure: Certain, list: true}, t)
		case a.kind == listNode && !scriptArguments[a.label] && (c.file.redis || ofServer(receiver)):
			for n, k := range a.args {
				c.site(&site{key: k, command: scriptCommand, sure: Certain, field: c.fieldOfScript(n+1, t)}, t)
			}
		case !named:
			continue
		}
		return
	}
}

// scriptArguments are names of the list of what a script gets besides keys.
var scriptArguments = wordSet("args argv values")

// fieldOfScript reports whether a script near a token takes KEYS[n] behind another argument only,
// as commands take the name of a field.
func (c *collector) fieldOfScript(n int, t *token) bool {
	near := c.src[max(0, int(t.start)-4000):min(len(c.src), int(t.start)+4000)]
	before := strings.Split(near, "KEYS["+strconv.Itoa(n)+"]")
	before = before[:len(before)-1]
	return n > 1 && len(before) > 0 && !slices.ContainsFunc(before, func(s string) bool {
		return !strings.HasSuffix(strings.TrimSpace(s), "],")
	})
}

// keysOfScript returns the keys of a script, whose number precedes them.
func keysOfScript(args []*node) []*node {
	if len(args) < 3 || args[1].kind != textNode {
		return nil
	}
	n, _ := strconv.Atoi(args[1].text)
	return args[2 : 2+max(0, min(n, len(args)-2))]
}

var scriptCommand = &command{name: "EVAL", writes: true, unusual: true}
