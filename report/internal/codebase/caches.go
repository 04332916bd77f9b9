package codebase

import (
	"cmp"
	"fmt"
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
	locksOnServer                         // those of Medallion
	cachesDecided                         // the file counts more than others: config/environments/production.rb
)

// A store says where a framework keeps what it caches, as the configuration of an application tells.
type store struct {
	kind   cacheKind
	needs  string // what keeps it on the server, if something else does not: "CACHE_STORE=redis"
	chosen string // file:line that keeps it elsewhere, "" the default of the framework does
}

// join adds what another file says. What is said first stays.
func (s *store) join(o store) {
	switch decided := s.kind & cachesDecided; {
	case decided < o.kind&cachesDecided:
		*s = o
		return
	case decided > o.kind&cachesDecided:
		return
	}
	s.kind |= o.kind
	if s.needs == "" || s.chosen == "" && o.chosen != "" {
		s.needs, s.chosen = o.needs, o.chosen
	}
}

// elsewhere returns a store that is not on the server, as the line with a text tells.
func elsewhere(src, name, text, needs string) store {
	at := max(strings.Index(src, text), 0)
	return store{cachesElsewhere, needs, fmt.Sprintf("%s:%d", name, strings.Count(src[:at], "\n")+1)}
}

// springCaches are words of sources about caches of Spring.
var springCaches = map[string]cacheKind{"CaffeineCacheManager": cachesElsewhere, "EhCacheCacheManager": cachesElsewhere,
	"ConcurrentMapCacheManager": cachesElsewhere, "SimpleCacheManager": cachesElsewhere, "JCacheCacheManager": cachesElsewhere,
	"RedisCacheManager": cachesOnServer, "RedisCacheConfiguration": cachesOnServer, "RedisCacheWriter": cachesOnServer,
	"RedissonSpringCacheManager": cachesAreHashes}

// cacheOfRedis matches the class or the method that puts distributed caches of .NET on the server,
// and fusedOnServer that which puts FusionCache on a distributed one.
var (
	cacheOfRedis = regexp.MustCompile(`(?i)((redis|valkey|garnet)\w*cach|cach\w*(redis|valkey)|\busec?s?redis)\w*>?\(|` +
		`typeof\(\w*cach\w*(redis|valkey)`)
	fusedOnServer = regexp.MustCompile(`With(Registered)?DistributedCache\(|AddStackExchangeRedisCache\(`)
)

// inOtherStore matches the name of a store of Django or Flask-Caching that is not on the server.
var inOtherStore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(locmem|database|filebased|filesystem|dummy|memcache\w*|simple|null)(cache)?['"]`)
})

// cachesInPython matches a setting that puts the caches of Django or Flask-Caching on the server.
var cachesInPython = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)redis|valkey|['"]cache_url|env\.cache|django_cache_url`)
})

// cacheDriver matches what chooses the driver of a cache of CodeIgniter, or of Laravel and ThinkPHP: 'default', in
// ThinkPHP before 6 'type', behind 'complex' that of the default.
var cacheDriver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:driver\('cache',[^)]*'adapter'|['"](?:default|driver|type)['"])\s*=>\s*([^\n\[]+)|` +
		`\$handler\s*=\s*([^\n]+)`)
})

// quoted matches a text of PHP, and whether it is the name of a variable of the environment.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\benv\(|\bEnv::get\()?\s*['"]([\w.]*)['"]`)
})

// otherStores are drivers of caches of PHP that are not on the server.
var otherStores = wordSet(`file files filesystem database array apc apcu
	memcached memcache dynamodb null octane dummy sqlite`)

// phpCaches are words of the imports of caches of PHP that may be on the server.
var phpCaches = strings.Fields("Illuminate Facades think Cake Hyperf yii SimpleCache ItemInterface")

// storeOf returns what a source says of the caches of Spring, .NET, Rails, Django or of frameworks of PHP.
func (s *scanner) storeOf(in *syntax, src, name string) (found store) {
	base := path.Base(name)
	switch {
	case in.jvm && strings.Contains(src, "Cache"):
		for word, kind := range springCaches {
			if !strings.Contains(src, word) {
				continue
			}
			if found.kind |= kind; kind == cachesElsewhere {
				found.join(elsewhere(src, name, word, "RedisCacheManager"))
			}
		}
	case in == ruby && strings.Contains(src, "cache_store") && (base == "production.rb" ||
		!strings.Contains("/"+name, "/environments/")):
		return s.railsStore(src, name)
	case in == csharp:
		has := func(part string) bool { return strings.Contains(src, part) } // expressions are slow
		if has("Cach") && (has("edis") || has("EDIS") || has("alkey") || has("arnet")) && cacheOfRedis.MatchString(src) {
			found.kind = cachesOnServer
		}
		if has("RedisDistributedSynchronizationProvider") {
			found.kind |= locksOnServer
		}
		if has("Cache(") && fusedOnServer.MatchString(src) {
			found.kind |= cachesFused
		}
		for _, text := range [...]string{".UseInMemory(", ".UseSQLite(", ".UseDisk("} { // of EasyCaching
			if strings.Contains(src, text) {
				found.join(elsewhere(src, name, text, "UseRedis"))
			}
		}
		if text := "AddDistributedMemoryCache("; strings.Contains(src, text) {
			found.needs, found.chosen = "AddStackExchangeRedisCache", elsewhere(src, name, text, "").chosen
		}
	case in == php:
		return s.phpStore(src, name)
	case in == python && strings.Contains(src, "CACHES"):
		text := src
		if _, setting, ok := strings.Cut(src, "\nCACHES = {"); ok {
			if setting, _, _ = strings.Cut(setting, "\n}"); inOtherStore().MatchString(setting) {
				text = setting // what follows is not about caches
			}
		}
		if cachesInPython().MatchString(text) {
			return store{kind: cachesOnServer}
		}
		return elsewhere(src, name, "CACHES", djangoBackend)
	case in == python && strings.Contains(src, "CACHE_TYPE"):
		return flaskStore(src, name)
	}
	return found
}

// railsStore returns where the configuration of an application of Rails has its cache: in files by default, as
// the Rails guide Caching tells. What production.rb sets counts more than other files, and a setting that
// depends on a variable of the environment counts if an example of the environment has the variable. Initializers run
// when Rails.cache has its store.
func (s *scanner) railsStore(src, name string) (found store) {
	var decided cacheKind
	if path.Base(name) == "production.rb" {
		decided = cachesDecided
	}
	lines := strings.Split(src, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		for n := i + 1; n < min(i+4, len(lines)) && strings.LastIndexAny(line, "(,") == len(line)-1; n++ {
			line += strings.TrimSpace(lines[n])
		}
		if !strings.Contains(line, "cache_store =") || line[0] == '#' {
			continue
		}
		server := ofServer(strings.ToLower(line)) || strings.Contains(line, ":readthis_store")
		if !server || strings.Contains("/"+name, "/config/initializers/") {
			found.join(store{cachesElsewhere | decided, railsSetting, fmt.Sprintf("%s:%d", name, i+1)})
			continue
		}
		condition := rubyCondition().FindStringSubmatch(lines[max(i-1, 0)] + "\n" + line)
		if condition == nil || condition[1] == "REDIS_URL" || s.program.settings[condition[1]].value != "" {
			return store{kind: cachesOnServer | decided}
		}
		found.join(store{cachesElsewhere | decided, condition[1], fmt.Sprintf("%s:%d", name, i+1)})
	}
	return found
}

// rubyCondition matches a condition about a variable of the environment.
var rubyCondition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bif\s.*ENV(?:\.fetch\(|\[|\.key\?\()\s*['"](\w+)`)
})

// phpStore returns where the configuration of an application of PHP has its cache. The default of a configuration
// of Laravel or ThinkPHP is mostly a variable of the environment. What an example of the environment gives
// it counts, as an installation begins with a copy of it, and if there is none, the other value of env(NAME, VALUE).
func (s *scanner) phpStore(src, name string) store {
	config := strings.HasSuffix(strings.ToLower("/"+name), "/config/cache.php")
	var driver []string
	if config || strings.Contains(src, "driver('cache',") { // few files, and the expression is slow
		for _, driver = range cacheDriver().FindAllStringSubmatch(src, -1) {
			if value := strings.TrimSpace(driver[1] + driver[2]); value != "" && !strings.Contains(value, "'complex'") &&
				!strings.HasPrefix(value, "array") {
				break
			}
		}
	}
	switch {
	case strings.Contains(src, `redis\Cache`), config && driver == nil && ofServer(strings.ToLower(src)):
		return store{kind: cachesOnServer}
	case driver == nil && strings.Contains(src, "Yii::$app"):
		return store{kind: cachesElsewhere, needs: `yii\redis\Cache`}
	case driver == nil && config:
		return elsewhere(src, name, "return", "redis")
	case driver == nil || !config && !strings.Contains(driver[0], "adapter"):
		return store{}
	}
	value, variable := "", ""
	option, _, arrow := strings.Cut(driver[0], "=>")
	if !config {
		option = "'adapter' "
	}
	needs := option + "=> 'redis'"
	if !arrow {
		needs = "$handler = 'redis'"
	}
	at := elsewhere(src, name, driver[0], needs)
	for _, text := range quoted().FindAllStringSubmatch(driver[1]+driver[2], -1) {
		if value = text[2]; text[1] == "" {
			break
		}
		value = strings.ToUpper(strings.ReplaceAll(value, ".", "_"))
		variable = cmp.Or(variable, value)
		if set := s.program.settings[value]; set.value != "" {
			value, variable = set.value, value
			at.chosen = fmt.Sprintf("%s:%d", set.File, set.Line)
			break
		}
	}
	if variable != "" {
		at.needs = variable + "=redis"
	}
	value = strings.ToLower(value)
	if ofServer(value) || variable != "" && !otherStores[value] && ofServer(strings.ToLower(src)) {
		return store{kind: cachesOnServer}
	}
	return at
}

// environment returns how much a file with variables of the environment counts: most is 1, 0 is not at all. What
// production has precedes what an installation begins with.
func environment(name string) int {
	return 1 + slices.Index([]string{".env.production", ".env.prod", ".env.production.example", ".env.production.sample",
		".env.prod.example", ".env.docker", ".env.docker.example", ".env.example", ".example.env", ".env.dist",
		".env.sample", ".env.template", ".env"}, name)
}

// storeFor sets what keeps the cache that a site calls on the server, if that is not so by the configuration or by
// the defaults of the framework. It reports whether the cache may be there at all.
func (s *scanner) storeFor(c *site) bool {
	in, imports := c.source.syntax, c.source.imports
	at, cached := s.stores[in], c.command.isCache()
	unless := func(kind cacheKind, needs string) { // the framework has its caches elsewhere by default
		if at.kind&kind == 0 {
			at.kind, at.needs = cachesElsewhere, cmp.Or(at.needs, needs)
		}
	}
	if c.needs = s.uncompiled(c.source); in == csharp && c.command != nil {
		c.needs = s.unmade(c)
	}
	if c.needs != nil {
		return true
	}
	switch {
	case c.command == cacheableCommand:
		at = s.springStore(c)
	case c.command == lockCommand:
		return at.kind&locksOnServer != 0
	case !cached && (c.command == nil || c.command.unusual || in.jvm ||
		strings.TrimLeft(lastWord(c.receiver), "$") != "cache"):
		return true
	case imports["ItemInterface"]:
		at = s.symfonyStore()
	case in == csharp && !cached:
	case in == csharp && imports["ZiggyCreatures"]:
		unless(cachesFused, "WithDistributedCache")
	case in == csharp && imports["EasyCaching"] && at.kind&cachesElsewhere != 0:
		at.kind = cachesElsewhere // there are several, and it may be of any
	case in == csharp && !c.source.client && s.distributedStore() != nil:
		at = *s.distributedStore()
	case in == csharp && !c.source.client:
		unless(cachesOnServer, "AddStackExchangeRedisCache")
	case in == php && at.kind&cachesOnServer == 0 && (!c.source.redis || imports["Cache"] && !c.source.client) &&
		c.receiver != "cache" && !strings.HasPrefix(c.receiver, "cache.") &&
		!slices.ContainsFunc(phpCaches, func(word string) bool { return imports[word] }):
		return false
	case in == php && at.kind == 0 && (imports["Illuminate"] || imports["Facades"] || c.receiver == "cache" && s.laravel &&
		!imports["think"] && !imports["Cake"] && !imports["Cache"]): // cache() is a function of Laravel
		at = s.variableStore("CACHE_STORE", "CACHE_DRIVER")
	case in == php && (imports["think"] || imports["Cake"]) && at.kind == 0:
		at = store{kind: cachesElsewhere, needs: "'default' => 'redis'"}
	case in == php && at.kind == 0 && c.receiver == "cache" && !imports["Cache"]:
		return false // of a framework that is not known
	case c.layer == railsLayer:
		unless(^cacheKind(0), railsSetting)
	case c.layer == djangoLayer && s.lacks[python]:
		at.kind, at.needs = cachesElsewhere, cmp.Or(at.needs, djangoBackend)
	case c.layer == djangoLayer && s.aliases[s.aliasOf(c)] == cachesElsewhere:
		at = store{kind: cachesElsewhere, needs: djangoBackend}
	case c.layer == djangoLayer:
		unless(^cacheKind(0), djangoBackend)
	case c.elsewhere:
		unless(^cacheKind(0), flaskSetting)
	}
	if at.kind&cachesElsewhere != 0 && at.kind&(cachesOnServer|cachesAreHashes) == 0 {
		c.needs = &at
	}
	return true
}

// Settings that put the caches of Django and Rails on the server.
const (
	djangoBackend = "BACKEND=django.core.cache.backends.redis.RedisCache"
	flaskSetting  = "CACHE_TYPE=RedisCache"
	railsSetting  = "config.cache_store = :redis_cache_store"
)

// variableStore returns where the cache of Laravel is by an example of the environment, if no file of the checkout
// has its configuration: that of the framework asks for these variables.
func (s *scanner) variableStore(names ...string) store {
	for _, name := range names {
		if set := s.program.settings[name]; ofServer(strings.ToLower(set.value)) {
			return store{kind: cachesOnServer}
		} else if set.value != "" {
			return store{cachesElsewhere, name + "=redis", fmt.Sprintf("%s:%d", set.File, set.Line)}
		}
	}
	return store{kind: cachesElsewhere, needs: names[0] + "=redis"}
}

// symfonyStore returns where Symfony has its caches: in files unless a setting says otherwise.
func (s *scanner) symfonyStore() store {
	found := store{kind: cachesElsewhere, needs: "framework.cache.app=cache.adapter.redis"}
	for name, set := range s.program.settings {
		if strings.Contains(name, "framework.cache.") && ofServer(strings.ToLower(name+set.value)) {
			return store{kind: cachesOnServer}
		} else if strings.HasSuffix(name, "framework.cache.app") && set.value != "" {
			found.chosen = fmt.Sprintf("%s:%d", set.File, set.Line)
		}
	}
	return found
}

// springStore returns where Spring has its caches: without a manager, where spring.cache.type says, or on the server
// if there is a client (Spring Boot, Caching, Supported Cache Providers).
func (s *scanner) springStore(c *site) store {
	const server = cachesOnServer | cachesAreHashes
	if own := s.modular[springModule(c.source.path)]; own.kind&cachesElsewhere != 0 && own.kind&server == 0 {
		return own
	}
	at, typed := s.stores[java], s.program.settings["spring.cache.type"]
	at.join(s.stores[kotlin])
	const needs = "spring.cache.type=redis"
	switch {
	case c.source.imports["springframework"] && (typed.value == "" || at.kind&server != 0) &&
		s.mentions.at("EnableCaching").Load() == 0 && s.mentions.at("driven").Load() == 0: // <cache:annotation-driven/>
		return store{kind: cachesElsewhere, needs: "@EnableCaching"}
	case at.kind&(cachesOnServer|cachesAreHashes) != 0:
	case at.kind&cachesElsewhere == 0 && typed.value != "" && !ofServer(strings.ToLower(typed.value)):
		return store{cachesElsewhere, needs, fmt.Sprintf("%s:%d", typed.File, typed.Line)}
	case at.kind&cachesElsewhere == 0 && s.lacks[java]:
		return store{kind: cachesElsewhere, needs: needs}
	}
	return at
}

// inProcess reports whether a site calls a cache of the checkout itself, in a file without commands: of the class
// that the variable has, or whose name it has, if in Python no class that extends it is on the server.
func (s *scanner) inProcess(c *site, active map[*source]bool) (own bool) {
	class := cmp.Or(c.source.types[lastWord(c.receiver)], lastWord(c.receiver))
	for _, f := range nearby(s.program.functions[c.callee], c.source) {
		if f.source.syntax != c.source.syntax || !strings.EqualFold(f.container, class) &&
			(c.source.syntax != python || !f.source.supers[class]) {
			continue
		}
		if own = !active[f.source] && !f.source.redis; !own {
			return false
		}
	}
	return own && c.source.syntax.loose && !c.source.imports["Facades"]
}

// springCache returns the parts of the keys of a cache of Spring.
func (s *scanner) springCache(parts []string) []string {
	name, key, _ := strings.Cut(parts[0], "::")
	rest := parts[1:]
	if key != "" {
		rest = add([]string{key}, rest...)
	}
	if before, _, settings := strings.Cut(name, "#"); settings { // name#ttl, as own cache managers read it
		name, parts = before, add([]string{before + "::"}, rest...)
	}
	switch {
	case s.layers[springLayer] != "" && parts[0] != "":
		return starred([]string{strings.ReplaceAll(s.layers[springLayer], cacheName.text, name) + Join(rest)})
	case (s.stores[java].kind|s.stores[kotlin].kind)&cachesAreHashes != 0:
		return []string{name}
	}
	return parts
}
