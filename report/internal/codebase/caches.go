package codebase

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A cacheKind says where the caches of a framework are, and how their keys begin.
type cacheKind byte

const (
	cachesElsewhere cacheKind = 1 << iota // in the process, in files or in another server
	cachesOnServer                        // those of Spring as NAME::KEY
	cachesFused                           // FusionCache
	cachesAreHashes                       // of Redisson, named after the cache
)

// springCaches are words of sources about caches of Spring.
var springCaches = map[string]cacheKind{"CaffeineCacheManager": cachesElsewhere, "EhCacheCacheManager": cachesElsewhere,
	"ConcurrentMapCacheManager": cachesElsewhere, "SimpleCacheManager": cachesElsewhere, "JCacheCacheManager": cachesElsewhere,
	"RedisCacheManager": cachesOnServer, "RedisCacheConfiguration": cachesOnServer, "RedisCacheWriter": cachesOnServer,
	"RedissonSpringCacheManager": cachesAreHashes}

// cacheOfRedis matches the class or the method that puts distributed caches of .NET on the server,
// and fusedOnServer that which puts FusionCache on a distributed one.
var (
	cacheOfRedis  = regexp.MustCompile(`(?i)(redis|valkey|garnet)\w*cach|cach\w*(redis|valkey)|\busec?s?redis`)
	fusedOnServer = regexp.MustCompile(`With(Registered)?DistributedCache\(|AddStackExchangeRedisCache\(`)
)

var cacheOnServer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)redis|valkey|['"]cache_url|env\.cache|django_cache_url`)
})

// cacheDriver matches the driver of a cache of CodeIgniter, or of Laravel and ThinkPHP where no environment
// can change it.
var cacheDriver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:driver\('cache',[^)]*'adapter'|'default')\s*=>\s*'(\w+)'`)
})

// phpCaches are words of the imports of caches of PHP that may be on the server.
var phpCaches = strings.Fields("Illuminate Facades think Hyperf yii SimpleCache ItemInterface")

// cachesOf returns what a source says of the caches of Spring, .NET, Rails, Django or of frameworks of PHP.
func (s *syntax) cachesOf(src, name string) (kind cacheKind) {
	switch {
	case s.jvm && strings.Contains(src, "Cache"):
		for word, k := range springCaches {
			if strings.Contains(src, word) {
				kind |= k
			}
		}
	case s == ruby && strings.Contains("/"+name, "/config/") && path.Base(name) != "development.rb":
		if path.Base(name) == "production.rb" {
			kind = cachesElsewhere // in files
		}
		begin := "" // of a call
		for line := range strings.Lines(src) {
			line = begin + strings.TrimSpace(line)
			goesOn := begin == "" && strings.HasSuffix(line, "(")
			switch begin = ""; {
			case !strings.Contains(line, "cache_store") || line[0] == '#':
			case ofServer(strings.ToLower(line)):
				kind |= cachesOnServer
			case goesOn:
				begin = line
			case strings.Contains(line, ":"):
				kind |= cachesElsewhere
			}
		}
	case s == csharp && strings.Contains(src, "Cache"):
		if cacheOfRedis.MatchString(src) {
			kind = cachesOnServer
		}
		if fusedOnServer.MatchString(src) {
			kind |= cachesFused
		}
		if strings.Contains(src, ".UseInMemory(") || strings.Contains(src, ".UseSQLite(") ||
			strings.Contains(src, ".UseDisk(") {
			kind |= cachesElsewhere // of EasyCaching
		}
	case s == php:
		config := strings.HasSuffix(strings.ToLower("/"+name), "/config/cache.php")
		if config && !strings.Contains(src, "'stores'") { // of Laravel before 5
			src = strings.Replace(src, "'driver'", "'default'", 1)
		}
		switch driver := cacheDriver().FindStringSubmatch(src); {
		case strings.Contains(src, `redis\Cache`), config && driver == nil && ofServer(strings.ToLower(src)),
			driver != nil && ofServer(driver[1]) && (config || strings.Contains(driver[0], "adapter")):
			kind = cachesOnServer
		case strings.Contains(src, "Yii::$app"), config, driver != nil && strings.Contains(driver[0], "adapter"):
			kind = cachesElsewhere
		}
	case s == python && strings.Contains(src, "CACHES"):
		if kind = cachesElsewhere; cacheOnServer().MatchString(src) {
			kind = cachesOnServer
		}
	}
	return kind
}

// elsewhere reports whether the caches of the framework of a site are not on the server.
func (s *scanner) elsewhere(c *site) bool {
	if c.source.syntax == csharp && c.command.isCache() {
		if c.source.imports["ZiggyCreatures"] {
			return s.caches[csharp]&cachesFused == 0
		}
		if c.source.imports["EasyCaching"] && s.caches[csharp]&cachesElsewhere != 0 {
			return true // there are several, and it may be of any
		}
		return s.caches[csharp]&cachesOnServer == 0 && !c.source.client
	}
	if s.aliases[c.alias] == cachesElsewhere {
		return true
	}
	if c.source.imports["ItemInterface"] { // of Symfony, whose caches are in files unless a setting says otherwise
		return !s.symfonyCaches
	}
	if c.source.syntax == php && c.command.isCache() && s.caches[php]&cachesOnServer == 0 && !c.source.redis &&
		!strings.HasPrefix(c.receiver, "cache") && !slices.ContainsFunc(phpCaches, func(word string) bool {
		return c.source.imports[word]
	}) {
		return true
	}
	if kind := s.caches[c.source.syntax]; c.source.syntax.jvm || kind&cachesElsewhere == 0 || kind&cachesOnServer != 0 {
		return false
	}
	if c.command == nil {
		return !c.source.redis
	}
	return c.command.isCache() || !c.command.unusual && lastWord(c.receiver) == "cache"
}

// backend notes whether a cache of Django is on the server: the text "BACKEND" of its settings is token i.
func (c *collector) backend(i int) {
	value := c.tokens[i+2]
	if !c.is(i+1, ":") || value.kind != textToken || len(c.open) == 0 {
		return
	}
	open := i - 1
	for ; open > 0 && int(c.match[open]) < i; open-- {
	}
	name := open - 2 // "name": { or CACHES["name"] = {
	if c.is(open-1, "=") && c.is(open-2, "]") {
		name = open - 3
	}
	if t := &c.tokens[max(name, 0)]; t.kind == textToken && c.is(open, "{") {
		kind := cachesElsewhere
		if backend := strings.ToLower(c.src[value.body:value.tail]); ofServer(backend) ||
			!strings.HasPrefix(backend, "django.") {
			kind = cachesOnServer
		}
		if c.file.aliases == nil {
			c.file.aliases = map[string]cacheKind{}
		}
		c.file.aliases[c.words.keep(c.src[t.body:t.tail])] |= kind
	}
}

// alias returns the name of the cache of Django that a method is called on: caches["name"], or a variable of that
// value; "" none.
func (c *collector) alias(i int) string {
	if c.syntax != python || !c.is(i-1, ".") {
		return ""
	}
	if t := &c.tokens[max(i-3, 0)]; c.is(i-2, "]") && t.kind == textToken && c.textOf(i-5) == "caches" {
		return c.words.keep(c.src[t.body:t.tail])
	}
	if v := c.locals()[c.textOf(i-2)]; v != nil && v.kind == wordNode && v.of != nil && v.of.text == "caches" {
		return v.text
	}
	return ""
}

// inProcess reports whether a site calls a cache of the checkout itself, in a file without commands.
func (s *scanner) inProcess(c *site, active map[*source]bool) (own bool) {
	for _, f := range nearby(s.program.functions[c.callee], c.source) {
		if strings.EqualFold(f.container, lastWord(c.receiver)) && f.source.syntax == c.source.syntax {
			if own = !active[f.source] && !f.source.redis; !own {
				return false
			}
		}
	}
	return own && c.source.syntax.loose && !c.source.imports["Facades"]
}

// springCache returns the parts of the keys of a cache of Spring, nil if they are not on the server.
func (s *scanner) springCache(c *site, parts []string) []string {
	kind, typed := s.caches[java]|s.caches[kotlin], s.program.settings["spring.cache.type"].value
	if name, _, settings := strings.Cut(parts[0], "#"); settings { // name#ttl, as own cache managers read it
		parts = []string{name + "::", ""}
	}
	switch {
	case kind&cachesAreHashes != 0:
		return []string{strings.TrimSuffix(parts[0], "::")}
	case kind&cachesOnServer == 0 && (kind&cachesElsewhere != 0 || typed != "" && !ofServer(strings.ToLower(typed))):
		return nil
	case s.layers[springLayer] != "" && parts[0] != "":
		name := strings.TrimSuffix(parts[0], "::")
		return starred([]string{strings.ReplaceAll(s.layers[springLayer], cacheName.text, name) + "*"})
	}
	return parts
}
