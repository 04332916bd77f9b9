package codebase

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// A layer is what lies between a command and the server. Its configuration may give it a prefix of keys.
type layer byte

const (
	connectionLayer  layer = iota + 1 // connections of PHP
	cacheLayer                        // the cache of a framework of PHP
	namespaceLayer                    // clients of Ruby and Python
	railsLayer                        // the cache of Rails
	djangoLayer                       // the cache of Django: PREFIX:VERSION:KEY
	flaskLayer                        // Flask-Caching
	otherLayer                        // a library whose prefix another program sets
	keyspaceLayer                     // databases of StackExchange.Redis, see WithKeyPrefix
	distributedLayer                  // distributed caches of .NET, see InstanceName
	redissonLayer                     // objects of Redisson, see setNameMapper
	springLayer                       // caches of Spring
	sidekiqLayer                      // queues of Sidekiq
	clientLayer                       // clients of JavaScript
)

// layerOf returns the layer that the method of a site is called on, 0 if there is none.
func (c *collector) layerOf(s *site) layer {
	receiver, command := s.receiver, s.command
	last := lastWord(receiver)
	cache := command.isCache() || strings.Contains(last, "cache")
	switch {
	case c.syntax == csharp && command.isCache() && (c.file.imports["Distributed"] || c.file.imports["Hybrid"] ||
		c.file.imports["ZiggyCreatures"]):
		return distributedLayer
	case command == cacheableCommand, command == queueCommand:
		return springLayer
	case command == sidekiqCommand, command == jobCommand:
		return sidekiqLayer
	case command != nil && command.jvm:
		return redissonLayer
	case c.syntax == csharp && command != nil && !command.isCache():
		return keyspaceLayer
	case command == nil:
	case strings.HasSuffix(receiver, "resque.redis"), strings.HasPrefix(receiver, "frappe.cache"),
		c.syntax == ruby && !cache && strings.Contains(c.file.path, "resque"): // of a plugin
		return otherLayer
	case c.syntax == php && c.file.holds["redis"]&holdsServer != 0 && strings.Contains(c.src, "new \\Redis("):
		return 0 // of phpredis
	case c.syntax == php && (strings.Contains(receiver, "handler") || last == "redis" ||
		command.unusual && !command.isCache()): // the client below the cache, or one of that name
		return connectionLayer
	case c.syntax == php && (cache || strings.Contains(receiver, "cache")):
		return cacheLayer
	case c.syntax == php:
		return connectionLayer
	case c.syntax == ruby && strings.HasSuffix(receiver, "rails.cache"):
		return railsLayer
	case c.syntax == ruby && !cache, c.syntax == python && command != nil && !cache:
		return namespaceLayer
	case c.syntax != python || !cache || c.file.holds[last]&holdsServer != 0:
	case c.file.imports["django"] && s.callee == "lock": // its name depends on the library
		return otherLayer
	case c.file.imports["django"]:
		return djangoLayer
	default:
		return flaskLayer
	}
	return 0
}

// prefixOf notes the prefix of a layer, as token i tells.
func (c *collector) prefixOf(i int, of layer, n *node) {
	if n = c.bound(n); c.callees == nil && !(n.kind == textNode && n.text == "") {
		c.prefix(i, of, fixedPrefix(n))
	}
}

// prefixText notes the prefix of a layer that follows a text or a word of a configuration.
func (c *collector) prefixText(i int, name string) {
	value := i + 1
	for c.is(value, "]") || c.is(value, ":") || c.is(value, "=") || c.is(value, "=>") {
		value++
	}
	n, _ := c.expression(value)
	switch {
	case value == i+1, nothing[c.textOf(value)], n.isNumber(): // array_intersect_key($options, ['prefix' => 1])
	case c.syntax == python && (name == "KEY_PREFIX" || name == "KEY_FUNCTION"):
		if c.is(i+1, ":") && c.settingOf(c.dictAround(i), "BACKEND") > 0 {
			return // see backend
		}
		if name == "KEY_FUNCTION" {
			n = anyKey
		}
		c.keysOfCache(i, "", n, &node{kind: textNode, text: "1"})
	case c.syntax == python && name == "CACHE_KEY_PREFIX":
		c.prefixOf(i, flaskLayer, n)
	case c.syntax == ruby && name == "namespace" && c.file.store.kind != 0 && c.ofSessions(i):
	case c.syntax == ruby && name == "namespace" && c.file.store.kind != 0:
		c.prefixOf(i, railsLayer, &node{kind: joinNode, args: []*node{n, {kind: textNode, text: ":"}}})
	case c.syntax == ruby && name == "namespace" && c.says("Sidekiq.configure_", strings.Contains):
		c.prefixOf(i, sidekiqLayer, hole)
	case c.syntax == php && name == "prefix" && strings.Contains(c.src, "Predis\\Client"):
		c.prefixOf(i, connectionLayer, n)
	case c.syntax == php:
		c.layerPrefix(i, name, c.bound(n))
	}
}

// storeURL notes the namespace that redis-store takes from the URL of a cache at a token: redis://host/0/NAMESPACE.
func (c *collector) storeURL(i int) {
	_, place, ok := strings.Cut(c.src[c.tokens[i].body:c.tokens[i].tail], "redis://")
	path := strings.Split(place, "/")
	if !ok || len(path) != 3 || path[2] == "" || strings.ContainsAny(path[2], "?#") || c.function() != nil ||
		strings.Contains(c.file.path, "/environments/") && c.file.base != "production" {
		return
	}
	before, _, _ := strings.Cut(strings.ToLower(c.lineOf(&c.tokens[i])), "redis://")
	if strings.Contains(before, "config.cache_store") && !strings.Contains(before, ":redis_cache_store") ||
		strings.Contains(before, "env[") && strings.Contains(before, "cache") {
		c.prefixOf(i, railsLayer, &node{kind: textNode, text: path[2] + ":"})
	}
}

// ofSessions reports whether an option of Ruby is one of what keeps the sessions, not of the cache.
func (c *collector) ofSessions(i int) bool {
	for n := i - 1; n > max(0, i-80); n-- {
		if word := c.textOf(n); c.isWord(n) && !c.is(n-1, ":") && (word == "session_store" || word == "cache_store") {
			return word == "session_store"
		}
	}
	return false
}

// storeOptions notes that the cache of Rails may have any namespace: cache_store = :redis_cache_store, OPTIONS. So may
// a class of the checkout that has the cache on the server below it.
func (c *collector) storeOptions(i int) {
	if name := c.textOf(i + 2); c.is(i+1, "=") && name != "" && name[0] >= 'A' && name[0] <= 'Z' &&
		name != "ActiveSupport" && !ofServer(strings.ToLower(name)) {
		c.prefixOf(i, railsLayer, hole)
	}
	for n := i + 1; c.tokens[n].kind != endToken && c.tokens[n].line == c.tokens[i].line; n++ {
		if c.is(n, ",") {
			if c.isWord(n+1) && !c.is(n+2, ":") && c.textOf(n+1) != "ENV" {
				c.prefixOf(i, railsLayer, hole)
			}
			return
		}
	}
}

// layerPrefix notes the prefix n that the text before => in a configuration of PHP gives a layer or a connection, or
// the connection n that the cache uses.
func (c *collector) layerPrefix(i int, name string, n *node) {
	dir, file := path.Split(strings.ToLower(c.file.path))
	sections := c.sections(i)
	redis := slices.Contains(sections, "redis")
	switch dir = path.Base(dir); {
	case name == "connection":
		if file == "cache.php" && redis {
			c.prefix(i, connectionLayer, fixedPrefix(n)).alias = cacheName
		}
	case (dir == "config" || dir == "autoload") && file == "redis.php" && len(sections) > 0:
		c.prefix(i, connectionLayer, fixedPrefix(n)).alias = &node{kind: textNode, text: sections[len(sections)-1]}
	case dir == "autoload" && file == "cache.php",
		dir == "config" && file == "cache.php" && (redis || len(sections) == 0),
		dir == "config" && file == "database.php" && redis && sections[0] == "cache":
		c.prefixOf(i, cacheLayer, n)
	case dir == "config" && file == "database.php" && redis && sections[0] == "options":
		c.prefixOf(i, connectionLayer, n)
	}
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
// is *. So is that of a framework whose configuration is in another checkout.
func (s *scanner) layerPrefixes(sites []*site) {
	s.wrapped(sites)
	s.clients = s.clientPrefixes(sites)
	for _, c := range sites {
		if c.layer == 0 || c.layer == clientLayer || !c.prefix {
			continue
		}
		s.program.steps = 0
		prefix := Join(s.program.eval(c.key, c.frame()))
		if name := c.alias; name != nil {
			named := s.django
			if c.layer == connectionLayer {
				named = s.connection
			}
			if old, known := named[name.text]; known && old != prefix {
				prefix = "*"
			}
			if named[name.text] = prefix; c.layer == connectionLayer {
				continue
			}
		}
		if old := s.layers[c.layer]; old != "" && old != prefix {
			if prefix = "*"; c.layer == springLayer {
				prefix = "*" + cacheName.text + "*"
			}
		}
		s.layers[c.layer] = prefix
	}
	has := map[string]bool{}
	for name, file := range s.sources {
		has[strings.ToLower(path.Base(file.dir))+"/"+path.Base(name)] = true
		for _, word := range [...]string{"Illuminate", "ItemInterface", "yii", "Yii", "think", "flask_caching", "django",
			"Keyv", "Hyperf", "RedisAdapter"} {
			has[word] = has[word] || file.imports[word]
		}
	}
	s.keyv = has["Keyv"]
	if has["Illuminate"] && !has["config/database.php"] || has["RedisAdapter"] { // of Symfony: a namespace
		s.layers[connectionLayer] = "*"
	}
	if (has["Illuminate"] || has["think"]) && !has["config/cache.php"] || has["ItemInterface"] || has["yii"] ||
		has["Yii"] {
		s.layers[cacheLayer] = "*"
	}
	if p := s.layers[cacheLayer]; p != "" && isWord(p[len(p)-1]) && has["Illuminate"] {
		s.layers[cacheLayer] += "*" // releases before 11 put a colon behind it
	}
	before := s.program.settings["spring.cache.redis.key-prefix"].value
	if before != "" && !strings.Contains(before, "$") && s.layers[springLayer] == "" {
		s.layers[springLayer] = before + cacheName.text + "::"
	}
	s.layers[cacheLayer] = prefixed(s.connectionPrefixes(has["Hyperf"]), s.layers[cacheLayer])
	if s.stores[python].kind == 0 || !has["django"] {
		s.layers[djangoLayer] = "*"
	} else if s.layers[djangoLayer] == "" {
		s.layers[djangoLayer] = ":1:"
	}
	if has["flask_caching"] && s.layers[flaskLayer] == "" {
		s.layers[flaskLayer] = "flask_cache_"
	}
	s.layers[flaskLayer] = prefixed(s.layers[namespaceLayer], s.layers[flaskLayer])
	s.layers[otherLayer] = "*"
	layers := s.layers
	if s.stores[python].kind&cachesOnServer == 0 {
		layers[djangoLayer] = ""
	}
	named := append(slices.Sorted(maps.Values(s.clients)), slices.Sorted(maps.Values(s.connection))...)
	for _, prefix := range append(named, layers[:springLayer]...) {
		if prefix != "" && !strings.Contains(prefix, "*") && !slices.Contains(s.checkout.Prefixes, prefix) {
			s.checkout.Prefixes = append(s.checkout.Prefixes, prefix)
		}
	}
}

// connectionPrefixes sets what begins the keys of connections of PHP that are not known, and returns that of the cache.
func (s *scanner) connectionPrefixes(hyperf bool) string {
	of, known := s.connection[cacheName.text]
	if delete(s.connection, cacheName.text); len(s.connection) == 0 {
		return s.layers[connectionLayer]
	}
	if s.layers[connectionLayer] = "*"; hyperf && len(s.connection) == 1 {
		s.layers[connectionLayer] = cmp.Or(s.connection["default"], "*")
	}
	if s.connection[""], s.connection["*"] = "*", "*"; !known && hyperf {
		of = "default"
	}
	return s.connection[of]
}

// connectionOf returns the name of the connection of a facade of PHP that a method is called on, nil if it is not
// known: Redis::connection("name")->set(), Redis::set().
func (c *collector) connectionOf(i int) *node {
	n := c.bound(&node{kind: wordNode, text: c.kept(i - 2)})
	if open := c.opening(i - 2); c.is(i-2, ")") && c.textOf(open-1) == "connection" {
		n, _ = c.expression(open - 1)
	}
	for ; n != nil; n = n.of {
		if n.kind == callNode && n.text == "connection" && len(n.args) > 0 {
			return n.args[0]
		}
		if n.text == "Redis" && n.of == nil && (c.file.imports["support"] || c.file.imports["Facades"]) {
			return &node{kind: textNode, text: "default"}
		}
	}
	return nil
}

// prefixed returns a pattern behind what precedes it.
func prefixed(before, pattern string) string {
	if strings.HasSuffix(before, "*") {
		pattern = strings.TrimPrefix(pattern, "*")
	}
	return before + pattern
}

// wrapped notes the classes of languages without types whose methods have the names of five or more commands and
// put before the key what is not known: any client may be one of them.
func (s *scanner) wrapped(sites []*site) {
	const key = "\x01key"
	methods := map[string]map[string][]*site{} // by class and name
	for _, c := range sites {
		f := c.function
		if f == nil || !c.source.syntax.loose || c.layer != connectionLayer && c.layer != namespaceLayer {
			continue
		}
		if named := commandOf(f.name); f.container == "" || c.command == nil || named == nil || named.name != c.command.name {
			continue
		}
		s.program.steps = 0
		at := c.frame()
		at.arguments = slices.Repeat([][]string{{key}}, len(f.params))
		if name := Join(s.program.eval(c.key, at)); strings.HasPrefix(name, "*") && strings.Contains(name, key) {
			class := c.source.path + ":" + f.container
			if methods[class] == nil {
				methods[class] = map[string][]*site{}
			}
			methods[class][f.name] = append(methods[class][f.name], c)
		}
	}
	for _, class := range methods {
		for _, list := range class {
			for _, c := range list {
				if len(class) > 4 {
					s.layers[c.layer], c.key = "*", hole
				}
			}
		}
	}
}

// delegates are methods that get the calls of methods which a class does not have.
var delegates = map[string]layer{"__call": connectionLayer, "method_missing": namespaceLayer,
	"__getattr__": namespaceLayer, "__getattribute__": namespaceLayer}

// ofYii reports whether a site calls the cache of Yii.
func (c *site) ofYii() bool {
	return c.layer == cacheLayer && (c.source.imports["yii"] || c.source.imports["Yii"])
}

// hashed reports whether Yii takes a digest of the name of a cached value.
func hashed(parts []string) bool {
	text, ok := constant(parts)
	plain := func(r rune) bool { return r < 0x80 && isWord(byte(r)) && r != '_' }
	return !ok || len(text) > 32 || strings.TrimFunc(text, plain) != ""
}
