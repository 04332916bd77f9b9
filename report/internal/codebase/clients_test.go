package codebase

import (
	"slices"
	"testing"
)

// checkLines compares the patterns of a checkout with those expected.
func checkLines(t *testing.T, files map[string]string, want string, prefixes ...string) {
	t.Helper()
	c := checkout(t, files)
	if got := lines(c); got != want || !slices.Equal(c.Prefixes, prefixes) {
		t.Errorf("prefixes %q\ngot\n%s\nwant\n%s", c.Prefixes, got, want)
	}
}

// TestClientPrefixes has what clients and caches put before each key.
func TestClientPrefixes(t *testing.T) {
	checkLines(t, map[string]string{ // one client
		"client.ts": "import Redis from 'ioredis';\nexport const redis = new Redis(process.env.URL, { keyPrefix: 'shop:' });\n",
		"use.ts":    "import { redis } from './client';\nexport const f = (id: string) => redis.get(`cart:${id}`);\n",
	}, "use.ts:2 shop:cart:* certain GET unwritten\n", "shop:")
	checkLines(t, map[string]string{ // several, and one from elsewhere
		"client.ts": "import Redis from 'ioredis';\nexport const jobs = new Redis();\nexport const near = new Redis({ keyPrefix: 'near:' });\n" +
			"export const far = new Redis({ keyPrefix: process.env.NAME });\n",
		"use.ts": "import { jobs, near, far } from './client';\nexport const f = (id: string, redis) => {\n  jobs.hset(`job:${id}`, 'a', 1);\n" +
			"  near.hset(`cart:${id}`, 'a', 1);\n  far.hset(`user:${id}`, 'a', 1);\n  redis.hset(`other:${id}`, 'a', 1);\n};\n",
	}, "use.ts:3 job:* certain HSET\nuse.ts:4 near:cart:* certain HSET\nuse.ts:5 *user:* certain HSET\n"+
		"use.ts:6 *other:* certain HSET\n", "near:")
	use := "using Microsoft.Extensions.Caching.Distributed;\nclass Use {\n  private readonly IDistributedCache _cache;\n" +
		"  void F(string id) { _cache.SetStringAsync($\"cart:{id}\", \"1\"); }\n}\n"
	for start, want := range map[string]string{
		"services.AddStackExchangeRedisCache(o => { o.InstanceName = \"Shop_\"; });":                 "Shop_",
		"services.AddStackExchangeRedisCache(o => { o.InstanceName = configuration[\"Name\"]; });":   "*",
		"services.AddStackExchangeRedisCache(o => configuration.GetSection(\"Redis\").Bind(o));":     "*",
		"services.AddStackExchangeRedisCache(o => { o.Configuration = configuration[\"Redis\"]; });": "",
	} {
		prefixes := []string{}
		if len(want) > 1 {
			prefixes = append(prefixes, want)
		}
		checkLines(t, map[string]string{"Use.cs": use, "Start.cs": "class Start {\n  void F() {\n    " + start + "\n  }\n}\n"},
			"Use.cs:4 "+want+"cart:* likely cache\n", prefixes...)
	}
	checkLines(t, map[string]string{
		"Db.cs": "using StackExchange.Redis;\nclass Db {\n  private readonly IDatabase _db;\n" +
			"  Db(IConnectionMultiplexer m) { _db = m.GetDatabase().WithKeyPrefix(\"shop:\"); }\n" +
			"  void F(string id) { _db.StringSet($\"cart:{id}\", 1); }\n}\n",
	}, "Db.cs:5 shop:cart:* certain SET\n", "shop:")
}

// TestSpringPrefixes has the ways in which Spring makes the keys of a cache.
func TestSpringPrefixes(t *testing.T) {
	for config, want := range map[string]string{
		".entryTtl(ttl)":                                         "carts::*",
		".prefixCacheNameWith(\"shop:\")":                        "shop:carts::*",
		".prefixCacheNameWith(settings.getPrefix())":             "*carts::*",
		".computePrefixWith(name -> name + \":\")":               "carts:*",
		".computePrefixWith((name) -> \"shop:\" + name + \"/\")": "shop:carts/*",
		".computePrefixWith(Names.of(\"x\"))":                    "*carts*",
		".prefixKeysWith(\"shop:\")":                             "shop:*",
	} {
		checkLines(t, map[string]string{
			"A.java": "class A {\n  @Cacheable(\"carts\")\n  Cart f(String id) { return null; }\n}\n",
			"Config.java": "import org.springframework.data.redis.cache.RedisCacheConfiguration;\nclass Config {\n" +
				"  void f() { RedisCacheConfiguration.defaultCacheConfig()" + config + "; }\n}\n",
		}, "A.java:2 "+want+" likely @Cacheable\n")
	}
	checkLines(t, map[string]string{
		"application.yml": "spring:\n  cache:\n    redis:\n      key-prefix: 'shop:'\n",
		"A.kt":            "class A {\n  @Cacheable(cacheNames = [\"carts\"])\n  fun f() {}\n}\n",
	}, "A.kt:2 shop:carts::* likely @Cacheable\n")
	checkLines(t, map[string]string{
		"Config.kt": "import org.springframework.data.redis.cache.RedisCacheConfiguration\nclass Config {\n" +
			"  fun f() = RedisCacheConfiguration.defaultCacheConfig().computePrefixWith { \"v1:$it:\" }\n}\n",
		"A.kt": "class A {\n  @Cacheable(cacheNames = [\"carts\"])\n  fun f() {}\n}\n",
	}, "A.kt:2 v1:carts:* likely @Cacheable\n")
}

// TestMethodsOfObjects has methods that make keys or pass them on, of objects whose class the file tells.
func TestMethodsOfObjects(t *testing.T) {
	checkLines(t, map[string]string{
		"Storage.cs": "using StackExchange.Redis;\nclass JobStorage {\n  private readonly JobOptions _options;\n" +
			"  internal string GetRedisKey(string key) {\n    return _options.Prefix + key;\n  }\n}\n",
		"Conn.cs": "using StackExchange.Redis;\nclass Conn {\n  private readonly JobStorage _storage;\n  void F(IDatabase db, string id) {\n" +
			"    db.SetAdd(_storage.GetRedisKey(\"servers\"), id);\n    db.HashSet(_other.GetRedisKey($\"job:{id}\"), \"a\", 1);\n" +
			"    db.StringSet(new RedisKey($\"plain:{id}\"), 1);\n  }\n}\n",
	}, "Conn.cs:5 *servers certain SADD\nConn.cs:6 *job:* certain HSET\nConn.cs:7 plain:* certain SET\n"+
		"Storage.cs:5 *servers likely\n")
	checkLines(t, map[string]string{
		"cache.ts": "import { createClient } from 'redis';\nexport class CacheService {\n  private client = createClient();\n" +
			"  private key(k: string) { return `v1:${k}`; }\n  async get(k: string) { return this.client.get(this.key(k)); }\n}\n",
		"use.ts": "import { CacheService } from './cache';\nexport class Users {\n" +
			"  constructor(private readonly store: CacheService, private readonly rows: HttpService) {}\n" +
			"  f(id: string) { return this.store.get(`user:${id}`); }\n  g(id: string) { return this.rows.get(`row:${id}`); }\n}\n",
		"Wrapper.java": "import redis.clients.jedis.Jedis;\nclass Wrapper implements Store {\n  private JedisPool pool;\n" +
			"  public void save(String key) { try (Jedis jedis = pool.getResource()) { jedis.set(\"w:\" + key, \"\"); } }\n}\n",
		"Store.java": "interface Store {\n  void save(String key);\n}\n",
		"Use.java": "class Use {\n  private Store kept;\n  private Other other;\n" +
			"  void f(String id) { kept.save(\"cart:\" + id); other.save(\"none:\" + id); }\n}\n",
	}, "Use.java:4 w:cart:* certain SET\nWrapper.java:4 w:* certain SET\ncache.ts:4 v1:user:* likely unwritten\n"+
		"use.ts:4 v1:user:* likely GET unwritten\n")
}

// TestObjectsOfRedisson has objects that methods get by their names.
func TestObjectsOfRedisson(t *testing.T) {
	checkLines(t, map[string]string{
		"RedisUtils.java": "import org.redisson.api.RedissonClient;\nclass RedisUtils {\n  private static final RedissonClient CLIENT = Beans.get(RedissonClient.class);\n  static <T> T load(String key) {\n" +
			"    RBucket<T> bucket = CLIENT.getBucket(key);\n    return bucket.get();\n  }\n" +
			"  static <T> void save(String key, T value) {\n    RBucket<T> bucket = CLIENT.getBucket(key);\n" +
			"    if (bucket.get() == null) {\n      bucket.set(value);\n    }\n  }\n" +
			"  static boolean drop(String key) {\n    return CLIENT.getBucket(key).delete();\n  }\n" +
			"  static <T> Map<String, T> all(String key) {\n    RMap<String, T> map = CLIENT.getMap(key);\n    return map.readAllMap();\n  }\n" +
			"  static <T> Set<T> members(String key) {\n    return CLIENT.getSet(key).readAll();\n  }\n" +
			"  static <T> RBucket<T> bucketOf(String key) {\n    RBucket<T> bucket = CLIENT.getBucket(key);\n    return bucket;\n  }\n}\n",
		"Use.java": "class Use {\n  @Cacheable(\"users#30d\")\n  void f(String id) {\n    RedisUtils.load(\"a:\" + id);\n    RedisUtils.save(\"b:\" + id, 1);\n" +
			"    RedisUtils.drop(\"c:\" + id); RedisUtils.save(\"c:\" + id, 2);\n    RedisUtils.bucketOf(\"d:\" + id);\n    RedisUtils.all(\"e:\" + id);\n" +
			"    RedisUtils.members(\"f:\" + id);\n  }\n}\n",
	}, "Use.java:2 users::* likely @Cacheable\nUse.java:4 a:* certain GET unwritten\n"+
		"Use.java:5 b:* certain SET\nUse.java:6 c:* certain DEL SET\nUse.java:7 d:* certain SET\n"+
		"Use.java:8 e:* certain readAllMap unwritten\nUse.java:9 f:* certain readAll unwritten\n")
}

// TestConstantsOfEnums has keys that methods and getters of constants make.
func TestConstantsOfEnums(t *testing.T) {
	checkLines(t, map[string]string{
		"Use.java": "class Use {\n  void f(String id) {\n    jedis.incr(Name.CART.getPrefix() + id);\n" +
			"    jedis.incr(Kind.CART.getText() + id);\n" +
			"    jedis.incr(Two.CART.getKey() + id);\n    jedis.incr(\"kind:\" + Two.USER.name());\n" +
			"    jedis.incr(\"kind:\" + Two.CART.title);\n" +
			"    jedis.incr(\"of:\" + Name.USER.getPrefix(\"x\"));\n    jedis.incr(\"login:\" + Mode.LOGIN);\n  }\n}\n",
		"Name.java": "enum Name {\n  CART, USER;\n  String getPrefix() {\n    return \"{\" + this.name() + \"}_\";\n  }\n" +
			"  String getPrefix(String more) {\n    return name() + \":\" + more;\n  }\n}\n",
		"Kind.java": "enum Kind {\n  CART(\"cart_\");\n  private String text;\n  Kind(String text) { this.text = text; }\n}\n",
		"Two.java": "enum Two {\n  CART(\"a title\", \"cart:\"), USER(\"b\", \"user:\");\n  private String title;\n  private String key;\n" +
			"  Two(String title, String key) {\n    this.title = title;\n    this.key = key;\n  }\n  String getKey() { return key; }\n}\n",
		"Mode.java":  "enum Mode {\n  LOGIN, LOGOUT\n}\n",
		"Other.java": "class Other {\n  String LOGIN = \"no\";\n}\n",
		"keys.ts":    "export enum Keys {\n  Cart = 'cart:',\n  /** of a day */\n  Seen = 'seen:',\n}\nexport const a = 'one:',\n  b = 'two:'\n",
		"use.ts": "import { Redis } from 'ioredis'\nimport { Keys, b } from './keys'\nclass Use {\n  constructor(private redis: Redis) {}\n" +
			"  f(id: string) {\n    this.redis.get(`${Keys.Seen}${id}`)\n    this.redis.get(b + id)\n  }\n}\n",
		"Use.kt": "fun f(id: String) = jedis.incr(Place.HOME.path + id)\n" +
			"enum class Place(val title: String, val path: String) {\n  HOME(\"Home\", \"home:\")\n}\n",
	}, "Use.java:3 {CART}_* certain INCR\nUse.java:4 cart_* certain INCR\nUse.java:5 cart:* certain INCR\n"+
		"Use.java:6 kind:USER certain INCR\nUse.java:7 kind:a title certain INCR\nUse.java:8 of:USER:x certain INCR\n"+
		"Use.java:9 login:LOGIN certain INCR\nUse.kt:1 home:* certain INCR\nkeys.ts:4 seen:* likely unwritten\n"+
		"use.ts:6 seen:* certain GET unwritten\nuse.ts:7 two:* certain GET unwritten\n")
}

// TestFormats has formats and builders of texts of the JVM, and wrappers of Kotlin with names of arguments.
func TestFormats(t *testing.T) {
	checkLines(t, map[string]string{
		"A.java": "class A {\n  static final String TEXT = \"cart:{}:items:{}\";\n  void f(String id) {\n" +
			"    jedis.incr(StrUtil.format(\"a:{}\", id));\n    jedis.incr(StrUtil.format(TEXT, id, Consts.KIND));\n" +
			"    jedis.incr(MessageFormat.format(\"c:{0}:{1}\", id, 1));\n    jedis.incr(Texts.format(\"d:%s\", id));\n" +
			"    jedis.incr(new StringBuilder(\"e:\").append(id).append(\":x\").toString());\n" +
			"    jedis.incr(\"f:\" + DATES.format(id));\n  }\n}\n" +
			"class Consts {\n  static final String KIND = \"k1\";\n}\n",
		"Cache.kt": "class Cache(private val redisTemplate: StringRedisTemplate) {\n" +
			"  fun <T> cached(ttl: Long, key: String, load: () -> T): T {\n" +
			"    redisTemplate.opsForValue().increment(\"kt:$key\")\n    return load()\n  }\n}\n",
		"Use.kt": "class Use(private val cache: Cache) {\n  fun f(id: String) = cache.cached(key = \"user:$id\", ttl = 5) { 1 }\n" +
			"  fun g(id: String) = redisTemplate.opsForValue().increment(\"g:%s\".format(id))\n}\n",
	}, "A.java:4 a:* certain INCR\nA.java:5 cart:*:items:k1 certain INCR\nA.java:6 c:*:1 certain INCR\n"+
		"A.java:7 d:* certain INCR\n"+
		"A.java:8 e:*:x certain INCR\nA.java:9 f:* certain INCR\nCache.kt:3 kt:* certain INCR\n"+
		"Use.kt:2 kt:user:* certain INCR\n"+
		"Use.kt:3 g:* certain INCR\n")
}

// TestNotPinned has parts of keys whose value at a place in the source is only one of several.
func TestNotPinned(t *testing.T) {
	checkLines(t, map[string]string{
		"a.ts": "import Redis from 'ioredis';\nconst redis = new Redis();\nlet COUNT = 0;\nconst version = process.env.V ?? 'v1';\n" +
			"export const f = (id: string, kind = 'user', far: boolean) => {\n  redis.set(`n:${COUNT++}:${id}`, 1);\n" +
			"  redis.set(`d:${kind}:${id}`, 1);\n  redis.set(`v:${version}:${id}`, 1);\n  let p = 'a';\n  p = 'b';\n" +
			"  redis.set(`p:${p}:${id}`, 1);\n  redis.set(far ? 'far' : 'near', 1);\n  redis.set(key(id, true), 1);\n};\n" +
			"const key = (id: string, all: boolean) => `k:${all ? 'all' : 'some'}:${id}`;\n",
		"client.ts": "import axios, { AxiosInstance } from 'axios';\nimport Redis from 'ioredis';\nexport class Api {\n" +
			"  constructor(private client: AxiosInstance) {}\n  f(id: string) { this.client.get(`v1/users:${id}`); }\n}\n",
	}, "a.ts:6 n:*:* certain SET\na.ts:7 d:*:* certain SET\na.ts:8 v:*:* certain SET\na.ts:11 p:b:* certain SET\na.ts:12 far certain SET\na.ts:12 near certain SET\na.ts:13 k:*:* certain SET\na.ts:15 k:*:* likely\n")
}

// TestLibraries has the ways in which clients are given keys otherwise than as arguments of commands.
func TestLibraries(t *testing.T) {
	checkLines(t, map[string]string{
		"a.ts": "import Redis from 'ioredis';\nconst redis = new Redis();\n" +
			"redis.defineCommand('takeToken', { numberOfKeys: 2, lua: `return redis.call('incr', KEYS[1])` });\n" +
			"export const f = (id: string) => redis.takeToken(`tokens:${id}`, `limit:${id}`, 'not:one');\n",
		"rueidis.go": "package a\n\nimport \"github.com/redis/rueidis\"\n\nfunc f(ctx context.Context, client rueidis.Client, id string) {\n" +
			"\tclient.Do(ctx, client.B().Set().Key(\"cart:\"+id).Value(\"x\").Build())\n" +
			"\tclient.DoCache(ctx, client.B().Hgetall().Key(\"user:\"+id).Cache(), time.Minute)\n\tother.Key(\"none:\" + id)\n}\n",
		"redigo.go": "package a\n\nimport \"github.com/gomodule/redigo/redis\"\n\nfunc g(conn redis.Conn, id string) {\n" +
			"\tconn.Do(\"HGET\", redis.Args{}.Add(\"h:\"+id).Add(\"f\")...)\n}\n",
		"R.java": "import org.redisson.api.RedissonClient;\nclass R {\n  void f(String id) {\n    redissonClient.getSet(\"s:\" + id);\n" +
			"    redissonClient.getRateLimiter(\"rate:\" + id);\n    redissonClient.getBloomFilter(\"bloom:all\");\n" +
			"    redissonClient.getStream(\"x:\" + id);\n    redissonClient.getTopic(\"topic:\" + id);\n    redissonClient.getBucket(\"b:\" + id);\n" +
			"    redissonClient.getMap(\"m:\" + id);\n    redissonClient.getScoredSortedSet(\"z:\" + id);\n    jedis.getSet(\"old:\" + id, \"\");\n" +
			"    settings.getSet(\"none:\" + id);\n" +
			"    jedis.mget(jedis.keys(\"all:*\")); jedis.set(\"all:\" + id, \"\");\n" +
			"    jedis.incr(\"p:\" + params.valueByKey(\"count\"));\n  }\n}\n",
	}, "R.java:4 s:* certain SADD\nR.java:5 rate:* certain HSET\nR.java:6 bloom:all certain SETBIT\nR.java:7 x:* certain XADD\n"+
		"R.java:9 b:* certain SET\nR.java:10 m:* certain HSET\nR.java:11 z:* certain ZADD\nR.java:12 old:* certain GETSET\n"+
		"R.java:14 all:* certain MGET SET\nR.java:15 p:* certain INCR\na.ts:4 limit:* certain EVAL\n"+
		"a.ts:4 tokens:* certain EVAL\n"+
		"redigo.go:6 h:* certain HGET unwritten\nrueidis.go:6 cart:* certain SET\n"+
		"rueidis.go:7 user:* certain HGETALL unwritten\n")
	cached := "using EasyCaching.Core;\nclass A {\n  void F(IEasyCachingProvider cache, string id) { cache.Set($\"cart:{id}\", 1, ttl); }\n}\n"
	redis := "class Start {\n  void F() {\n    services.AddEasyCaching(o => o.UseRedis(c => { }, \"redis\")); // EasyCaching.Redis, a RedisCache\n  }\n}\n"
	checkLines(t, map[string]string{"A.cs": cached, "Start.cs": redis}, "A.cs:3 cart:* likely cache\n")
	checkLines(t, map[string]string{"A.cs": cached, "Start.cs": redis,
		"More.cs": "class More {\n  void F(Cache o) { o.UseInMemory(\"near\"); }\n}\n"}, "A.cs:3 cart:* possible cache if UseRedis More.cs:2\n")
}

// TestScopedCaches has a cache of Foundatio that puts its scope before each key.
func TestScopedCaches(t *testing.T) {
	checkLines(t, map[string]string{
		"A.cs": "using Foundatio.Caching;\nclass A {\n  private readonly ScopedCacheClient _scopedCache;\n  private readonly ICacheClient _cache;\n" +
			"  A(ICacheClient cache) { _scopedCache = new ScopedCacheClient(cache, \"shop\"); }\n" +
			"  void F(string id) { _scopedCache.SetAsync($\"cart:{id}\", 1); _cache.SetAsync($\"user:{id}\", 1); }\n}\n",
		"Start.cs": "class Start {\n  void F() { services.AddSingleton<ICacheClient>(new RedisCacheClient()); }\n}\n",
	}, "A.cs:6 *cart:* likely cache\nA.cs:6 user:* likely cache\n")
}

// TestZeroValues has a variable of Go that gets a text in a block only.
func TestZeroValues(t *testing.T) {
	checkLines(t, map[string]string{
		"a.go": "package a\n\nimport \"github.com/redis/go-redis/v9\"\n\nfunc f(ctx context.Context, rdb *redis.Client, far bool, id string) {\n" +
			"\tvar prefix, key string\n\tif far {\n\t\tprefix = \"far:\"\n\t\tkey = \"one\"\n\t} else {\n\t\tkey = \"two\"\n\t}\n" +
			"\trdb.Set(ctx, prefix+\"cart:\"+id, 1, 0)\n\trdb.Set(ctx, key, 1, 0)\n}\n",
	}, "a.go:9 one likely\na.go:11 two likely\na.go:13 cart:* certain SET\na.go:13 far:cart:* certain SET\n"+
		"a.go:14 one certain SET\na.go:14 two certain SET\n")
}

// TestNamesElsewhere has a package of Go under another name, the name of a member of C#, and overloads of a
// wrapper beside a map.
func TestNamesElsewhere(t *testing.T) {
	checkLines(t, map[string]string{
		"pkg/keys/keys.go": "package keys\n\nfunc Peers(id string) string { return \"peers:\" + id }\n",
		"a.go": "package a\n\nimport (\n\tpeerkeys \"example.com/m/pkg/keys\"\n\t\"github.com/redis/go-redis/v9\"\n)\n\n" +
			"func f(ctx context.Context, rdb *redis.Client, id string) {\n\trdb.Set(ctx, peerkeys.Peers(id), 1, 0)\n}\n",
		"A.cs": "using StackExchange.Redis;\nclass A {\n  void F(IDatabase db, string id) { db.StringSet(nameof(Guard.Crawler) + \":\" + id, 1); }\n}\n",
		"Cache.java": "import redis.clients.jedis.Jedis;\nclass RedisCache {\n  void put(String key, String v) { put(key, v, 60); }\n" +
			"  void put(String key, String v, int ttl) { jedis.setex(\"c:\" + key, ttl, v); }\n  void remove(String key) { jedis.del(\"c:\" + key); }\n}\n",
		"Use.java": "class Use {\n  private RedisCache cache;\n  void f(String id, Map<String, String> found) {\n    cache.put(\"cart:\" + id, \"\");\n" +
			"    found.remove(\"total:\" + id);\n    cache.remove(\"user:\" + id);\n  }\n}\n",
	}, "A.cs:3 Crawler:* certain SET\nCache.java:4 c:* certain SETEX\nCache.java:5 c:* certain DEL\n"+
		"Use.java:4 c:cart:* likely SETEX\nUse.java:6 c:user:* certain DEL unwritten\na.go:9 peers:* certain SET\n")
}

// TestUnknownCaches has a method that may be a wrapper's, a cache of a library that is not known, and profiles of
// caches of HTTP.
func TestUnknownCaches(t *testing.T) {
	checkLines(t, map[string]string{
		"store.ts": "import { createClient } from 'redis';\nexport class Store {\n  private client = createClient();\n" +
			"  async hSet(key: string) { await this.client.hSet(this.prefix + key, 'a', 1); }\n}\n",
		"use.ts": "import { redis, of } from './redis';\nexport const f = (id: string) => {\n  of(id).hSet(`cart:${id}`, 'a', 1);\n" +
			"  redis.hSet(`user:${id}`, 'a', 1);\n};\n",
	}, "use.ts:3 *cart:* certain HSET\nuse.ts:4 user:* certain HSET\n")
	checkLines(t, map[string]string{
		"A.cs": "using Other.Redis;\nclass A {\n  void F(ICacheClient cacheClient, string id) {\n    cacheClient.Set($\"cart:{id}\", 1);\n" +
			"    options.CacheProfiles.Add(\"default\", new CacheProfile());\n  }\n  void G() { services.AddRedisCache(); }\n}\n",
	}, "A.cs:4 *cart:* likely cache\n")
}

// TestConnectionPrefix has clients of .NET whose text to connect with has a prefix, none, or comes from settings, and
// a project whose key ring has an extension of its own.
func TestConnectionPrefix(t *testing.T) {
	use := func(text string) map[string]string {
		return map[string]string{"a.cs": "using CSRedis;\nclass Carts {\n  static CSRedisClient client = new CSRedisClient(" +
			text + ");\n  void F(string id) { client.Set(\"cart:\" + id, 1); }\n}\n"}
	}
	checkLines(t, use(`"localhost,prefix=app:,poolsize=5"`), "a.cs:4 app:cart:* likely SET\n", "app:")
	checkLines(t, use(`"localhost"`), "a.cs:4 cart:* likely SET\n")
	checkLines(t, use(`Settings["Redis"]`), "a.cs:4 *cart:* likely SET\n")
	const keys = "class Keys {\n  void F(IBuilder b) { b.PersistKeysToStackExchangeRedis(connection); }\n}\n"
	checkLines(t, map[string]string{"a.cs": "using StackExchange.Redis;\n" + keys}, "a.cs:3 DataProtection-Keys certain RPUSH\n")
	checkLines(t, map[string]string{"a.cs": "using StackExchange.Redis;\n" + keys,
		"own.cs": "static class Own {\n  static IBuilder PersistKeysToStackExchangeRedis(this IBuilder b, object c) { return b; }\n}\n"}, "")
}

// TestArguments has the arguments of commands in a list, and a wrapper whose type has its namespace before it.
func TestArguments(t *testing.T) {
	checkLines(t, map[string]string{"Locks.kt": "import io.vertx.redis.client.RedisAPI\n\n" +
		"class Locks(val redis: RedisAPI) {\n  fun f(id: String) {\n" +
		"    redis.set(listOf(\"lock:$id\", \"1\", \"NX\", \"EX\"))\n" +
		"    redis.sunionstore(listOf(\"to\", \"from:a\"))\n  }\n}\n",
	}, "Locks.kt:5 lock:* certain SET\nLocks.kt:6 from:a certain SUNIONSTORE unwritten\n"+
		"Locks.kt:6 to certain SUNIONSTORE\n")
	checkLines(t, map[string]string{"RedisService.cs": "using StackExchange.Redis;\n" +
		"class RedisService : IRedisService {\n" +
		"  public void SetAsync(string key, string v) => db.StringSet(\"shop:\" + key, v);\n}\n",
		"IRedisService.cs": "interface IRedisService {\n  void SetAsync(string key, string v);\n}\n",
		"Mails.cs": "class Mails(Shop.Redis.IRedisService redis) {\n" +
			"  void F(string id) { redis.SetAsync($\"mail:{id}\", \"1\"); }\n}\n",
	}, "Mails.cs:2 shop:mail:* certain SET\nRedisService.cs:3 shop:* certain SET\n")
}

// TestExtensions has the prefix of the settings of StackExchange.Redis.Extensions.
func TestExtensions(t *testing.T) {
	checkLines(t, map[string]string{"Program.cs": "using StackExchange.Redis.Extensions.Core.Configuration;\n" +
		"class Program {\n  static void Main() {\n" +
		"    services.AddStackExchangeRedisExtensions<Json>(new RedisConfiguration\n    {\n" +
		"      KeyPrefix = \"shop__\",\n    });\n    new Carts().F(1);\n  }\n}\n",
		"Carts.cs": "using StackExchange.Redis.Extensions.Core.Abstractions;\nclass Carts {\n" +
			"  void F(string id) { redis.Database.StringSetAsync($\"cart:{id}\", 1); }\n}\n",
	}, "Carts.cs:3 shop__cart:* certain SET\n", "shop__")
}

// TestWrapperOfWrapper has a method that gives a key to a wrapper, which puts something before it.
func TestWrapperOfWrapper(t *testing.T) {
	checkLines(t, map[string]string{"RedisClient.kt": "import redis.clients.jedis.Jedis\n" +
		"class RedisClient(val jedis: Jedis) {\n" +
		"  fun set(key: String, v: String) { jedis.set(\"shop:$key\", v) }\n}\n",
		"Limits.kt": "class Limits(private val redisClient: RedisClient) {\n" +
			"  fun fails(id: String) { redisClient.set(\"fails:$id\", \"1\") }\n}\n",
		"Logins.kt": "class Logins(private val limits: Limits) {\n  fun f(id: String) { limits.fails(\"mail:$id\") }\n}\n",
	}, "Limits.kt:2 shop:fails:* certain SET\nLogins.kt:2 shop:fails:mail:* likely SET\n"+
		"RedisClient.kt:3 shop:* certain SET\n")
}
