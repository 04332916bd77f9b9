package codebase

import "testing"

// TestAnnotations has entities of Spring Data, caches that a class names, placeholders of settings, and names in
// another case.
func TestAnnotations(t *testing.T) {
	checkLines(t, map[string]string{
		"build.gradle": "implementation 'org.springframework.boot:spring-boot-starter-data-redis'\n",
		"Mail.kt": "import org.springframework.data.redis.core.RedisHash\n" +
			"@RedisHash(value = \"mailAuth\", timeToLive = 60)\nclass Mail(@Id val email: String)\n",
		"Token.java": "import org.springframework.data.redis.core.RedisHash;\n@RedisHash\npublic class Token {\n}\n",
		"Dicts.java": "import org.springframework.cache.annotation.*;\n@CacheConfig(cacheNames = \"dict\")\nclass Dicts {\n" +
			"  @Cacheable\n  Dict get(String id) { return null; }\n  @CacheEvict(key = \"#p0\")\n  void drop(String id) {}\n}\n",
	}, "Dicts.java:4 dict::* likely @Cacheable\nDicts.java:6 dict::* likely @Cacheable\n"+
		"Mail.kt:2 mailAuth certain SADD\nMail.kt:2 mailAuth:* certain HSET\n"+
		"Token.java:2 *.Token certain SADD\nToken.java:2 *.Token:* certain HSET\n")
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
