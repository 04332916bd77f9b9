package codebase

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A layer is what lies between a command and the server. Its configuration may give it a prefix of keys.
type layer byte

const (
	connectionLayer  layer = iota + 1 // connections of Laravel
	cacheLayer                        // the cache of Laravel or ThinkPHP
	keyspaceLayer                     // databases of StackExchange.Redis, see WithKeyPrefix
	distributedLayer                  // distributed caches of .NET, see InstanceName
	springLayer                       // caches of Spring
	clientLayer                       // clients of JavaScript
)

// layerOf returns the layer that a method is called on, 0 if there is none.
func (c *collector) layerOf(receiver string, command *command) layer {
	switch {
	case c.syntax == csharp && command.isCache() && (c.file.imports["Distributed"] || c.file.imports["ZiggyCreatures"]):
		return distributedLayer
	case command == cacheableCommand:
		return springLayer
	case c.syntax == csharp && command != nil && !command.isCache():
		return keyspaceLayer
	case c.syntax != php || command == nil:
		return 0
	case strings.Contains(receiver, "handler"): // the client below the cache
		return connectionLayer
	case command.isCache(), strings.Contains(receiver, "cache"):
		return cacheLayer
	}
	return connectionLayer
}

// layerPrefix notes the prefix that the token behind => in a configuration gives a layer.
func (c *collector) layerPrefix(i int) {
	file := path.Base(c.file.path)
	if c.callees != nil || path.Base(path.Dir(c.file.path)) != "config" || c.textOf(i) == "null" {
		return
	}
	sections := c.sections(i)
	var of layer
	switch redis := slices.Contains(sections, "redis"); {
	case file == "cache.php" && (redis || len(sections) == 0),
		file == "database.php" && redis && sections[0] == "cache":
		of = cacheLayer
	case file == "database.php" && redis && sections[0] == "options":
		of = connectionLayer
	default:
		return
	}
	n, _ := c.expression(i)
	if n = c.bound(n); n.kind == textNode && n.text == "" {
		return
	}
	c.prefix(i, of, fixedPrefix(n))
}

// sections returns the names of the arrays around a token, the innermost first.
func (c *collector) sections(i int) (names []string) {
	for n := i - 1; n > 1; n-- {
		if c.is(n, ")") || c.is(n, "]") {
			if n = c.opening(n); n == 0 {
				break
			}
			continue
		}
		if !c.is(n, "[") && !c.is(n, "(") {
			continue
		}
		arrow := n - 1
		if c.is(n, "(") && c.isWord(arrow) { // array(
			arrow--
		}
		if t := &c.tokens[max(arrow-1, 0)]; c.is(arrow, "=>") && t.kind == textToken {
			names = append(names, c.src[t.body:t.tail])
		}
	}
	return names
}

// fixedPrefix returns the value of a prefix, which varies if the environment may give it.
func fixedPrefix(n *node) *node {
	if n.kind == callNode || n.kind == settingNode || n.of != nil && fixedPrefix(n.of) == hole ||
		slices.ContainsFunc(n.args, func(a *node) bool { return fixedPrefix(a) == hole }) {
		return hole
	}
	return n
}

// layerPrefixes evaluates the prefixes of the layers. One that varies, or of which there are several,
// is *.
func (s *scanner) layerPrefixes(sites []*site) {
	s.clients = s.clientPrefixes(sites)
	for _, c := range sites {
		if c.layer == 0 || c.layer == clientLayer || !c.prefix {
			continue
		}
		s.program.steps = 0
		prefix := Join(s.program.eval(c.key, c.frame()))
		if old := s.layers[c.layer]; old != "" && old != prefix {
			if prefix = "*"; c.layer == springLayer {
				prefix = "*" + cacheName.text + "*"
			}
		}
		s.layers[c.layer] = prefix
	}
	if before := s.program.settings["spring.cache.redis.key-prefix"].value; before != "" && !strings.Contains(before, "$") && s.layers[springLayer] == "" {
		s.layers[springLayer] = before + cacheName.text + "::"
	}
	s.layers[cacheLayer] = prefixed(s.layers[connectionLayer], s.layers[cacheLayer])
	for _, prefix := range append(slices.Sorted(maps.Values(s.clients)), s.layers[:springLayer]...) {
		if prefix != "" && !strings.Contains(prefix, "*") && !slices.Contains(s.checkout.Prefixes, prefix) {
			s.checkout.Prefixes = append(s.checkout.Prefixes, prefix)
		}
	}
}

// prefixed returns a pattern behind what precedes it.
func prefixed(before, pattern string) string {
	if strings.HasSuffix(before, "*") {
		pattern = strings.TrimPrefix(pattern, "*")
	}
	return before + pattern
}
