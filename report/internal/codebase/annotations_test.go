package codebase

import "testing"

// TestAnnotations has entities of Spring Data, caches that a class names, placeholders of settings, and names in
// another case.
func TestAnnotations(t *testing.T) {
	checkLines(t, map[string]string{
		"build.gradle": "implementation 'org.springframework.boot:spring-boot-starter-data-redis'\n",
		"Mail.kt": "import org.springframework.data.redis.core.RedisHash\n" +
			"@RedisHash(value = \"mailAuth\", timeToLive = 60)\nclass Mail(@Id val email: String)\n",
		"Token.java": "package shop.auth;\nimport org.springframework.data.redis.core.RedisHash;\n@RedisHash\n" +
			"public class Token {\n}\n",
		"Tokens.java": "interface Tokens extends CrudRepository<Token, Long> {}\n",
		"Mails.kt":    "interface Mails : CrudRepository<Mail, String>\n",
		"Unsaved.java": "import org.springframework.data.redis.core.RedisHash;\n@RedisHash(\"unsaved\")\n" +
			"public class Unsaved {\n}\n",
		"Caches.java": "@EnableCaching\nclass Caches {}\n",
		"Dicts.java": "import org.springframework.cache.annotation.*;\n@CacheConfig(cacheNames = \"dict\")\nclass Dicts {\n" +
			"  @Cacheable\n  Dict get(String id) { return null; }\n  @CacheEvict(key = \"#p0\")\n  void drop(String id) {}\n" +
			"  @Cacheable(key = \"'all'\")\n  Dict all() { return null; }\n" +
			"  @CachePut(key = \"'of:' + #f.g('a' + #b) + ':' + #p0\")\n  Dict of(String id) { return null; }\n" +
			"  @Cacheable(key = \"#p0 == null ? 'none' : #p0\")\n  Dict either(String id) { return null; }\n}\n",
	}, "Dicts.java:4 dict::* likely @Cacheable\nDicts.java:8 dict::all likely @Cacheable\n"+
		"Dicts.java:10 dict::of:*:* likely @Cacheable\nDicts.java:12 dict::* likely @Cacheable\n"+
		"Mail.kt:2 mailAuth certain SADD\nMail.kt:2 mailAuth:* certain HSET\n"+
		"Token.java:3 shop.auth.Token certain SADD\nToken.java:3 shop.auth.Token:* certain HSET\n")
	checkLines(t, map[string]string{
		"application.yml": "app:\n  name: shop\n",
		"Kind.java": "import redis.clients.jedis.Jedis;\nenum Kind {\n  ONE, TWO_X;\n" +
			"  String prefix() { return \"k:\" + name().toLowerCase(java.util.Locale.ENGLISH); }\n}\n" +
			"class Use {\n  void f(Jedis jedis, String id) {\n    jedis.set(Kind.TWO_X.prefix() + \":\" + id, \"\");\n" +
			"    jedis.set(\"q:\" + \"AbC\".toUpperCase() + \":\" + id, \"\");\n" +
			"    jedis.set(resolve(\"${app.name:}:${app.kind:cart}:\" + id), \"\");\n    jedis.set(\"${app.name:}:x:\" + id, \"\");\n" +
			"    jedis.set(Optional.ofNullable(config.getPrefix()).orElse(\"token:\") + id, \"\");\n  }\n}\n",
		"Lock.cs": "using CSRedis;\nclass Locks {\n  void F(string id) {\n    using (var held = RedisHelper.Lock($\"user:{id}\", 10)) {}\n" +
			"    RedisHelper.Set($\"u:{id.ToLower()}:{\"Ab\".ToLowerInvariant()}\", 1);\n  }\n}\n",
	}, "Kind.java:8 k:two_x:* certain SET\nKind.java:9 q:ABC:* certain SET\nKind.java:11 shop:x:* certain SET\n"+
		"Kind.java:12 token:* certain SET\nLock.cs:4 CSRedisClientLock:user:* certain SET\nLock.cs:5 u:*:ab certain SET\n")
}

// TestEnumsWithoutText has a constant of an enum with several texts, which no command is known to use.
func TestEnumsWithoutText(t *testing.T) {
	checkLines(t, map[string]string{
		"RedisKey.java": "import redis.clients.jedis.Jedis;\nenum RedisKey {\n  CART(\"cart:\", \"other:\");\n" +
			"  RedisKey(String a, String b) {}\n}\n",
	}, "")
}

// TestIdioms has ways in which programs of the JVM and of C# name a client or a key.
func TestIdioms(t *testing.T) {
	checkLines(t, map[string]string{
		"Store.kt": "import org.springframework.data.redis.core.*\nimport redis.clients.jedis.JedisPool\n" +
			"class Store(private val template: RedisTemplate<String, String>, private val values: ValueOperations<String, String>,\n" +
			"  private val jedisPool: JedisPool) {\n  fun f(id: Long) {\n    val x = 1\n" +
			"\n    values.increment(\"count:$id\")\n" +
			"    jedisPool.resource.use { it.set(\"pool:$id\", \"\") }\n    it.let { it.let { it.set(\"none:$id\", \"\") } }\n" +
			"    template.execute { conn -> conn.stringCommands().set(\"bytes:$id\".toByteArray(), x) }\n" +
			"    values.set(listOf(\"list\", id).joinToString(\":\"), \"\")\n    values.set(id.toKey(), \"\")\n  }\n" +
			"  private fun Long.toKey() = \"ext:$this\"\n}\n",
		"Lock.kt": "import org.springframework.data.redis.core.*\n" +
			"class Lock(private val redisTemplate: RedisTemplate<String, String>, private val lockKey: String) {\n" +
			"  fun f() { redisTemplate.opsForValue().get(lockKey) }\n}\n",
		"Other.kt": "class Other {\n  fun lockKey(id: Long) = \"other:lock:$id\"\n}\n",
		"Kinds.java": "import redis.clients.jedis.UnifiedJedis;\nenum Kind {\n  CART(\"cart\");\n  private final String text;\n" +
			"  Kind(String text) { this.text = text; }\n  String with(long id) { return text + \":\" + id; }\n}\n" +
			"class Use {\n  private UnifiedJedis client;\n  void f(long id) {\n    client.set(Kind.CART.with(id), \"\");\n" +
			"    client.set(Kind.CART.of(id), \"\");\n  }\n}\n",
		"Use.cs": "using StackExchange.Redis;\nusing StackExchange.Redis.Extensions.Core.Abstractions;\nclass Use {\n" +
			"  private readonly IRedisDatabase _redisDatabase;\n  void F(IDatabase db, int id) {\n" +
			"    _redisDatabase.AddAsync($\"added:{id}\", 1);\n    db.LockTake($\"held:{id}\", \"t\", x);\n  }\n}\n",
	}, "Kinds.java:11 cart:* certain SET\n"+
		"Store.kt:8 count:* certain INCR\n"+
		"Store.kt:9 pool:* certain SET\nStore.kt:11 bytes:* likely SET\nStore.kt:12 list:* certain SET\n"+
		"Store.kt:13 ext:* certain SET\nStore.kt:15 ext:* likely\nUse.cs:6 added:* certain SET\nUse.cs:7 held:* certain SET\n")
}

// TestModules has a cache and a setting of one module of Spring that another one has, too.
func TestModules(t *testing.T) {
	const field = "class Carts {\n  @Value(\"${app.prefix}\")\n  private String prefix;\n" +
		"  @Cacheable(\"carts\")\n  void f(Jedis jedis, String id) {\n" +
		"    jedis.set(prefix + \":cart:\" + id, \"\");\n  }\n}\n"
	checkLines(t, map[string]string{
		"build.gradle": "implementation 'org.springframework.boot:spring-boot-starter-data-redis'\n",
		"a/src/main/resources/application.properties": "app.prefix=demo\n",
		"b/src/main/resources/bootstrap.properties":   "server.port=80\n",
		"a/src/main/java/Carts.java":                  "import redis.clients.jedis.Jedis;\n" + field,
		"b/src/main/java/Carts.java":                  "import redis.clients.jedis.Jedis;\n" + field,
		"a/src/main/java/Caches.java": "class Caches {\n  CacheManager m() {\n" +
			"    return RedisCacheManager.builder(f).build();\n  }\n}\n",
		"b/src/main/java/Caches.java": "class Caches {\n  CacheManager m() {\n" +
			"    return new CaffeineCacheManager() { };\n  }\n}\n",
	}, "a/src/main/java/Carts.java:5 carts::* likely @Cacheable\na/src/main/java/Carts.java:7 demo:cart:* certain SET\n"+
		"b/src/main/java/Carts.java:5 carts::* possible @Cacheable if RedisCacheManager b/src/main/java/Caches.java:3\n"+
		"b/src/main/java/Carts.java:7 *:cart:* certain SET\n")
}

// TestCachesAreOff has a cache of Spring that nothing turns on.
func TestCachesAreOff(t *testing.T) {
	const users = "import org.springframework.cache.annotation.Cacheable;\nclass Users {\n" +
		"  @Cacheable(\"users\")\n  User f(long id) { return null; }\n}\n"
	for config, want := range map[string]string{
		"@EnableCaching\nclass Caches {}\n": "likely @Cacheable",
		"class Caches {}\n":                 "possible @Cacheable if @EnableCaching",
	} {
		checkLines(t, map[string]string{"Users.java": users, "Caches.java": config,
			"Main.java": "import redis.clients.jedis.Jedis;\nclass Main {}\n"}, "Users.java:3 users::* "+want+"\n")
	}
}
