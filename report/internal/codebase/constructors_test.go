package codebase

import "testing"

// TestConstructors has classes whose constructors get keys, or what begins them, which their methods give to commands.
func TestConstructors(t *testing.T) {
	checkLines(t, map[string]string{
		"Lock.kt": "import org.springframework.data.redis.core.StringRedisTemplate\n" +
			"open class RedisLock(private val redisTemplate: StringRedisTemplate, private val lockKey: String) {\n" +
			"  fun take() = redisTemplate.opsForValue().setIfAbsent(named(lockKey), \"1\")\n" +
			"  open fun named(key: String) = \"lock:\" + key\n}\n" +
			"class GroupLock(\n  redisTemplate: StringRedisTemplate,\n  id: String\n) :\n" +
			"  RedisLock(redisTemplate = redisTemplate, lockKey = \"group.$id\")\n" +
			"class User(val redisTemplate: StringRedisTemplate) {\n  fun f() { RedisLock(redisTemplate, \"user:all\") }\n}\n",
	}, "Lock.kt:3 lock:* certain SET\nLock.kt:10 lock:group.* certain SET\nLock.kt:12 lock:user:all certain SET\n")
	checkLines(t, map[string]string{
		"Base.cs": "using StackExchange.Redis;\npublic class BaseCache {\n  private readonly IDatabase _db;\n" +
			"  private readonly string _prefix;\n" +
			"  public BaseCache(IDatabase db, string prefix) { _db = db; _prefix = prefix + \":\"; }\n" +
			"  protected string Key(string id) => _prefix + id;\n" +
			"  public Task Put(string id, string v) => _db.StringSetAsync(Key(id), v);\n}\n" +
			"\n\n\n" +
			"public class Carts(IDatabase db, string prefix) {\n" +
			"  public Task Put(string id, string v) => db.StringSetAsync($\"{prefix}-{id}\", v);\n}\n",
		"Use.cs": "using StackExchange.Redis;\npublic class Use {\n  void F(IDatabase db) { var x = new Carts(db, \"carts\"); }\n}\n",
	}, "Use.cs:3 carts-* certain SET\n")
	checkLines(t, map[string]string{
		"Store.java": "import redis.clients.jedis.Jedis;\nabstract class Store {\n  private final String prefix;\n  private final String other;\n" +
			"  Store(Jedis jedis, String prefix, String other) {\n    this.prefix = prefix;\n" +
			"    this.other = other == null ? \"a\" : other;\n  }\n" +
			"  private String keyOf(String id) { return prefix + \"#\" + id; }\n" +
			"  void put(String id) { jedis.set(keyOf(id), \"\"); }\n  void drop(String id) { jedis.hset(other + id, \"\", \"\"); }\n}\n",
		"Users.java": "class Users {\n  void f(Jedis jedis) { new Store(jedis, \"user\", \"none\"); }\n}\n",
	}, "Users.java:2 user#* certain SET\n")
}

// TestBodies has functions whose body is an expression, which pass keys on or make them.
func TestBodies(t *testing.T) {
	checkLines(t, map[string]string{
		"Store.kt": "import org.springframework.data.redis.core.StringRedisTemplate\n" +
			"class RedisStore(private val redisTemplate: StringRedisTemplate) {\n" +
			"  fun save(key: String, value: String) = redisTemplate.opsForValue().set(key, value)\n}\n" +
			"class Users(private val redisStore: RedisStore, private val window: Window) {\n" +
			"  fun f(id: Long) =\n    redisStore\n      .save(\n        \"user:$id\", \"\")\n" +
			"  fun toRedisKey(id: Long): String = when (window) {\n    Window.DAY -> \"rank:$id:day\"\n\n    Window.HOUR -> \"rank:$id:hour\"\n  }\n" +
			"  fun g(id: Long) = redisStore.save(toRedisKey(id), \"\")\n  val h = redisStore.save(\"all:users\", \"\")\n}\n",
		"Store.cs": "using StackExchange.Redis;\npublic class CartStore {\n  private readonly IDatabase _db;\n" +
			"  public Task<bool> SaveIt(string key, string v) => _db.StringSetAsync(key, v);\n}\n" +
			"public class Carts {\n  private readonly CartStore _cartStore;\n" +
			"  public void F(long id) { _cartStore.SaveIt($\"cart:{id}\", \"\"); }\n}\n",
	}, "Store.cs:8 cart:* certain SET\nStore.kt:8 user:* certain SET\nStore.kt:11 rank:*:day likely\n"+
		"Store.kt:13 rank:*:hour likely\nStore.kt:15 rank:*:day certain SET\nStore.kt:15 rank:*:hour certain SET\n"+
		"Store.kt:16 all:users certain SET\n")
}

// TestKeysOfScripts has scripts that get a list of keys, and one of other values.
func TestKeysOfScripts(t *testing.T) {
	checkLines(t, map[string]string{
		"Scripts.java": "import org.springframework.data.redis.core.StringRedisTemplate;\nclass Scripts {\n" +
			"  private StringRedisTemplate redisTemplate;\n  private LuaScript takeScript;\n  void f(String id) {\n" +
			"    List<String> keys = List.of(\"a:\" + id, \"b:\" + id);\n    redisTemplate.execute(script, keys, \"x:\" + id);\n" +
			"    redisTemplate.execute(script, Collections.singletonList(\"c:\" + id), Arrays.asList(\"d:\" + id));\n" +
			"    takeScript.executeAsync(List.of(\"e:\" + id, channelOf(id)), List.of(\"f:\" + id));\n" +
			"    redisTemplate.delete(Arrays.asList(\"a:\" + id, \"b:\" + id, \"d:\" + id));\n  }\n" +
			"  static String channelOf(String id) { return \"ch:\" + id; }\n}\n",
		"Scripts.cs": "using StackExchange.Redis;\nclass Scripts {\n  void F(IDatabase db, string id) {\n" +
			"    db.ScriptEvaluate(script, new RedisKey[] { $\"i:{id}\" }, new RedisValue[] { $\"k:{id}\" });\n  }\n}\n",
	}, "Scripts.cs:4 i:* certain EVAL\nScripts.java:7 a:* certain EVAL\nScripts.java:7 b:* certain EVAL\n"+
		"Scripts.java:8 c:* certain EVAL\nScripts.java:9 e:* certain EVAL\nScripts.java:10 a:* certain DEL\n"+
		"Scripts.java:10 b:* certain DEL\nScripts.java:10 d:* certain DEL unwritten\n")
}

// TestNamesOfObjects has objects of Redisson whose names a mapper changes, and a client that is made when it is needed.
func TestNamesOfObjects(t *testing.T) {
	checkLines(t, map[string]string{
		"Config.java": "import org.redisson.config.Config;\nclass Configs {\n" +
			"  void f(Config config) { config.useSingleServer().setNameMapper(new Names(prefix)); }\n}\n",
		"Use.java": "import org.redisson.api.RedissonClient;\nclass Use {\n  void f(RedissonClient redisson, String id) {\n" +
			"    redisson.getBucket(\"code:\" + id).set(\"\");\n  }\n}\n",
		"Use.cs": "using StackExchange.Redis;\nclass Use {\n  private readonly Lazy<IDatabase> _redis;\n" +
			"  void F(string id) { _redis.Value.StringSet($\"cart:{id}\", 1); }\n}\n",
	}, "Use.cs:4 cart:* certain SET\nUse.java:4 *code:* certain SET\n")
}

// TestNotKeys has texts that are built with the words of commands, and values of objects.
func TestNotKeys(t *testing.T) {
	checkLines(t, map[string]string{
		"Texts.java": "import redis.clients.jedis.Jedis;\nclass Texts {\n" +
			"  void f(Jedis jedis, RedissonClient redissonClient, String id) {\n" +
			"    StringBuilder redisKey = new StringBuilder(prefix);\n    redisKey.append(\":\").append(\"text\");\n" +
			"    redissonClient.getBucket(id).set(\"value\");\n    jedis.set(keyOf(Kind.CART), \"\");\n  }\n" +
			"  String keyOf(Kind kind) {\n    if (kind == Kind.USER) return USERS;\n    return CARTS;\n  }\n}\n",
	}, "")
}

// TestSums has numbers that are added up within a key.
func TestSums(t *testing.T) {
	checkLines(t, map[string]string{
		"Days.java": "import redis.clients.jedis.Jedis;\nclass Days {\n  void f(Jedis jedis, Calendar day, int n) {\n" +
			"    jedis.set(\"views:\" + day.get(Calendar.YEAR) + \"-\" + (day.get(Calendar.MONTH) + 1), \"\");\n" +
			"    jedis.set(\"page:\" + (n + 1) + \":x\", \"\");\n    jedis.set(\"part:\" + n + 1, \"\");\n  }\n}\n",
	}, "Days.java:4 views:*-* certain SET\nDays.java:5 page:*:x certain SET\nDays.java:6 part:*1 certain SET\n")
}

// TestArgumentsApart has a call whose argument is no part of the key that it leads to.
func TestArgumentsApart(t *testing.T) {
	checkLines(t, map[string]string{
		"Sender.java": "import redis.clients.jedis.Jedis;\nclass Sender {\n" +
			"  void sendNote(Note note) { jedis.set(\"sent:\" + note.getId(), \"\"); }\n" +
			"  void sendText(String text, String id) { sendNote(new Note(text, id)); }\n}\n" +
			"class Use {\n  void f(Sender sender, String id) { sender.sendText(\"hello\", id); }\n}\n",
	}, "Sender.java:3 sent:* certain SET\n")
}

// TestJoiners has constructors that keep what a joiner makes of their arguments.
func TestJoiners(t *testing.T) {
	checkLines(t, map[string]string{
		"CacheKey.java": "import com.google.common.base.Joiner;\nfinal class CacheKey {\n  private final String key;\n" +
			"  private static final Joiner COLONS = Joiner.on(\":\").skipNulls();\n" +
			"  static CacheKey app(String id) { return new CacheKey(id, \"App\"); }\n" +
			"  static CacheKey tags(String a, String b) { return new CacheKey(COLONS.join(a, b), \"Tags\", \"x\"); }\n" +
			"  private CacheKey(String... elements) { this.key = COLONS.join(elements); }\n" +
			"  public String toString() { return key; }\n}\n",
		"Store.java": "import redis.clients.jedis.Jedis;\nclass Store {\n  private Jedis jedis;\n" +
			"  void put(CacheKey cacheKey) { jedis.set(cacheKey.toString(), \"\"); }\n" +
			"  void app(String id) { put(CacheKey.app(id)); }\n" +
			"  void tags(String a, String b) { put(CacheKey.tags(a, b)); }\n}\n",
	}, "CacheKey.java:5 *:App likely\nCacheKey.java:6 *:*:Tags:x likely\n"+
		"Store.java:5 *:App certain SET\nStore.java:6 *:*:Tags:x certain SET\n")
}
