package codebase

import (
	"strings"
	"testing"
)

// TestUnwritten has keys of Java that commands only read or remove: they are unwritten unless another line writes them.
func TestUnwritten(t *testing.T) {
	const head = "import redis.clients.jedis.Jedis;\nclass Carts {\n  static final String OLD_KEY = \"old:\";\n" +
		"  void f(String id) {\n"
	for name, test := range map[string]struct{ body, want string }{
		"read":          {`jedis.get(OLD_KEY + id);`, "3 old:* likely unwritten\n5 old:* certain GET unwritten\n"},
		"read, deleted": {`jedis.exists("old:all"); jedis.del("old:all");`, "5 old:all certain EXISTS DEL unwritten\n"},
		"taken from": {`jedis.srem(OLD_KEY + id, "a"); jedis.expire(OLD_KEY + id, 60); jedis.hdel("h:" + id, "a");`,
			"3 old:* likely unwritten\n5 h:* certain HDEL unwritten\n5 old:* certain SREM EXPIRE unwritten\n"},
		"written": {`jedis.get(OLD_KEY + id); jedis.set(OLD_KEY + id, "");`, "3 old:* likely\n" +
			"5 old:* certain GET SET\n"},
		"one of those written": {`jedis.get("old:all"); jedis.set(OLD_KEY + id, "");`,
			"3 old:* likely\n5 old:* certain SET\n5 old:all certain GET unwritten\n"},
		"another one": {`jedis.get("carts"); jedis.set("cart", "");`, "5 cart certain SET\n5 carts certain GET unwritten\n"},
		"not known what is written": {`for (String key : keys.all()) { jedis.set(key, ""); } jedis.get("all");`,
			"5 all certain GET unwritten\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(checkout(t, map[string]string{"Carts.java": head + "    " + test.body + "\n  }\n}\n"}))
			if got = strings.ReplaceAll(got, "Carts.java:", ""); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestOnlyRead has keys of Rust and Python that commands only read, and defaults of patterns of JavaScript.
func TestOnlyRead(t *testing.T) {
	checkLines(t, map[string]string{
		"modes.rs": "use redis::Commands;\nfn f(con: &mut redis::Connection, id: u32) {\n" +
			"    let key = format!(\"seen:{id}\");\n" +
			"    con.lrange(format!(\"modes:{}\", id), 0, 9);\n    con.get(&key);\n    con.get(\"cart:1\");\n}\n",
		"health.py": "import redis\nr = redis.Redis()\n\ndef f(id):\n    r.zcard('settled:all')\n" +
			"    r.set(f'cart:{id}', 1)\n",
		"a.js": "const Redis = require('ioredis');\nconst redis = new Redis();\nasync function f(req, id) {\n" +
			"  const { page = 1, limit = 10 } = req.query;\n  const key = `list:${id}:${page}:${limit}`;\n" +
			"  await redis.set(key, 1);\n}\n",
	}, "a.js:5 list:*:*:* likely\na.js:6 list:*:*:* certain SET\nhealth.py:5 settled:all certain ZCARD unwritten\n"+
		"health.py:6 cart:* certain SET\nmodes.rs:3 seen:* likely unwritten\n"+
		"modes.rs:4 modes:* certain LRANGE unwritten\nmodes.rs:5 seen:* certain GET unwritten\n"+
		"modes.rs:6 cart:1 certain GET unwritten\n")
}

// TestBranchesOfJava has variables that get their values in branches of Java: where one is in force, only that one is
// the key.
func TestBranchesOfJava(t *testing.T) {
	const head = "import redis.clients.jedis.Jedis;\nclass Codes {\n  void f(Kind kind, String id) {\n"
	for name, test := range map[string]struct{ body, want string }{
		"cases": {"String key = null;\n    switch (kind) {\n      case MAIL:\n        key = \"mail:\" + id;\n" +
			"        break;\n" +
			"      case CALL: key = \"call:\" + id; break;\n      default: key = \"text:\" + id; jedis.incr(key);\n" +
			"    }\n    jedis.set(key, \"\");",
			"7 mail:* likely\n9 call:* likely\n10 text:* certain INCR\n12 call:* certain SET\n12 mail:* certain SET\n" +
				"12 text:* certain SET\n"},
		"a parameter": {"if (kind == null) {\n      id = \"none:x\";\n    }\n" +
			"    jedis.set(\"of:\" + id, \"\");", "7 of:* certain SET\n"},
		"no braces": {"String at = \"a:\";\n    if (kind == null) at = \"b:\";\n    jedis.set(at + id, \"\");",
			"6 a:* certain SET\n6 b:* certain SET\n"},
		"one after the other": {"String key = \"a:\" + id;\n    if (kind == null) {\n      key = \"b:\" + id;\n" +
			"      jedis.del(key);\n" +
			"      key = \"c:\" + id;\n    }\n    jedis.set(key, \"\"); jedis.set(\"b:x\", \"\");",
			"4 a:* likely\n6 b:* likely unwritten\n7 b:* certain DEL unwritten\n8 c:* likely\n10 a:* certain SET\n" +
				"10 b:x certain SET\n" +
				"10 c:* certain SET\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(checkout(t, map[string]string{"Codes.java": head + "    " + test.body + "\n  }\n}\n"}))
			if got = strings.ReplaceAll(got, "Codes.java:", ""); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestSpringSettings has settings of profiles and a bean that is taken from the container.
func TestSpringSettings(t *testing.T) {
	checkLines(t, map[string]string{
		"src/main/resources/application-dev.properties": "spring.cache.redis.key-prefix=dev:\nspring.cache.type=redis\n",
		"src/main/resources/application.properties":     "spring.cache.redis.key-prefix=\n",
		"Config.java": "import org.springframework.data.redis.cache.RedisCacheManager;\nclass Config {}\n",
		"A.java":      "class A {\n  @Cacheable(\"carts\")\n  void f() {}\n}\n",
	}, "A.java:2 carts::* likely @Cacheable\n")
	checkLines(t, map[string]string{
		"RedisStore.java": "class RedisStore {\n  RedisTemplate redisTemplate;\n  void put(String key, Object value) {\n" +
			"    redisTemplate.opsForValue().set(key, value);\n  }\n}\n",
		"Words.java": "class Words {\n  void f(String id) {\n" +
			"    Beans.getBean(RedisStore.class).put(\"words:\" + id, 1);\n  }\n}\n",
	}, "Words.java:3 words:* certain SET\n")
}

// TestUnread has constants and functions that make keys which no known command has: those that nothing reads or calls
// are none.
func TestUnread(t *testing.T) {
	const keys = "class RedisKeys {\n  static final String APP = \"app:\";\n" +
		"  static final String CART = APP + \"cart:\";\n" +
		"  static final String RATE = APP + \"rate:\";\n  static final String RATE_IP = RATE + \"ip:\";\n" +
		"  static String cartOf(String id) {\n    return CART + id;\n  }\n}\n"
	for name, test := range map[string]struct{ use, want string }{
		"nothing": {"class Use {}", "2 app:* possible if a command writes them\n" +
			"3 app:cart:* possible if a command writes them\n" +
			"4 app:rate:* possible if a command writes them\n5 app:rate:ip:* possible if a command writes them\n"},
		"a call": {"class Use { Object f(String id) { return store.load(RedisKeys.cartOf(id)); } }",
			"2 app:* likely unwritten\n3 app:cart:* likely unwritten\n4 app:rate:* possible if a command writes them\n" +
				"5 app:rate:ip:* possible if a command writes them\n7 app:cart:* likely unwritten\n"},
		"a constant": {"class Use { Object f(String ip) { return store.load(RedisKeys.RATE_IP + ip); } }",
			"2 app:* likely unwritten\n3 app:cart:* possible if a command writes them\n4 app:rate:* likely unwritten\n" +
				"5 app:rate:ip:* likely unwritten\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(checkout(t, map[string]string{"RedisKeys.java": keys, "Use.java": test.use,
				"Client.java": "import redis.clients.jedis.Jedis;\nclass Client {}\n"}))
			if got = strings.ReplaceAll(got, "RedisKeys.java:", ""); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	checkLines(t, map[string]string{
		"RedisKeys.kt": "import io.lettuce.core.RedisClient\nobject RedisKeys {\n  const val APP = \"app:\"\n" +
			"  fun cartHashKey(id: String) = \"field:$id\"\n  fun cartKey(id: String) = \"${APP}cart:$id\"\n}\n",
		"Use.kt": "fun f(id: String) = store.load(RedisKeys.cartKey(id), RedisKeys.cartHashKey(id))\n",
	}, "RedisKeys.kt:3 app:* likely unwritten\nRedisKeys.kt:5 app:cart:* likely unwritten\n")
}
