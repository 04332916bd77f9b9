package codebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// found returns the patterns of sources, each with how sure it is and its condition, sorted.
func found(t *testing.T, files map[string]string) string {
	t.Helper()
	var list []string
	for _, p := range checkout(t, files).Patterns {
		if p.needs == unwritten {
			list = append(list, p.Key+" unwritten")
			continue
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", p.Key, p.Sure, p.Condition)))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// TestTextOfEnums has constants of enums in texts: there they are their names, whatever their constructor gets.
func TestTextOfEnums(t *testing.T) {
	const kinds = `enum Kind {
  FIRM("fw"), SOFT("sw");
  @Getter
  private final String keyPrefix;
  Kind(String keyPrefix) { this.keyPrefix = keyPrefix; }
`
	const store = `}
class Store {
  Jedis jedis;
  void own(String id) { jedis.set("own:" + Kind.FIRM + id, "1"); }
  void all(String id) { put(Kind.FIRM, id); }
  void put(Kind kind, String id) { jedis.set("ota:" + kind + id, "1"); }
}
`
	for methods, want := range map[string]string{
		"": "ota:* certain, ota:FIRM* certain, own:FIRM* certain",
		"  public String toString() { return keyPrefix; }\n": "ota:* certain, ota:fw* certain, own:fw* certain",
	} {
		got := found(t, map[string]string{"Kind.java": "import redis.clients.jedis.Jedis;\n" + kinds + methods + store})
		if got != want {
			t.Errorf("methods %q: %s, want %s", methods, got, want)
		}
	}
}

// TestByteOrderMark has a source whose first line follows a byte order mark.
func TestByteOrderMark(t *testing.T) {
	const text = "using Microsoft.Extensions.Caching.Distributed;\nclass A { IDistributedCache cache;\n" +
		"  void F(string id) {\n" +
		"  cache.SetString($\"user:{id}\", \"1\"); } }\n"
	const setup = "using StackExchange.Redis;\nclass S { void F() { services.AddStackExchangeRedisCache(o => {}); } }\n"
	if got := found(t, map[string]string{"a.cs": "\ufeff" + text, "s.cs": setup}); got != "user:* likely" {
		t.Errorf("found %s", got)
	}
}

// TestRegistrations has interfaces of which one class is on the server: settings and places that make the classes decide.
func TestRegistrations(t *testing.T) {
	const csharp = `using StackExchange.Redis;
public interface ICacheService { bool Add(string key, string value); }
public class RedisCacheService : ICacheService {
  IDatabase db;
  public bool Add(string key, string value) { return db.StringSet(key, value); }
}
`
	const memory = `public class MemoryCacheService : ICacheService {
  public bool Add(string key, string value) { entries[key] = value; return true; }
}
`
	const use = `public class Roles {
  ICacheService cacheContext;
  void Save() { cacheContext.Add("roles:all", "1"); }
}
`
	const setup = `class Setup { void Load() {
  if (AppSetting.UseRedis) {
    builder.RegisterType<RedisCacheService>().As<ICacheService>();
  } else {
    builder.RegisterType<MemoryCacheService>().As<ICacheService>();
  }
} }
`
	const only = "class Setup { void Load() { services.AddSingleton<ICacheService, RedisCacheService>(); } }\n"
	const lock = `import org.springframework.data.redis.core.RedisTemplate
interface LockOperation { fun lock(key: String): Boolean }
class RedisLockOperation(val redisTemplate: RedisTemplate<String, String>) : LockOperation {
  override fun lock(key: String): Boolean { return redisTemplate.opsForValue().setIfAbsent(key, "1") }
}
`
	const mongo = `class MongoLockOperation : LockOperation {
  override fun lock(key: String): Boolean { return dao.insert(key) }
}
`
	const beans = `class LockConfiguration {
  @Bean
  @ConditionalOnProperty(prefix = "lock", name = ["type"], havingValue = "mongodb", matchIfMissing = true)
  fun mongo(): LockOperation { return MongoLockOperation() }
  @Bean
  @ConditionalOnProperty(prefix = "lock", name = ["type"], havingValue = "redis")
  fun redis(t: RedisTemplate<String, String>): LockOperation { return RedisLockOperation(t) }
}
`
	const locks = `class Carts(private val lockOperation: LockOperation) {
  fun save(id: String) { lockOperation.lock("cart:lock:$id") }
}
`
	for _, test := range [...]struct {
		name, want string
		files      map[string]string
	}{
		{"off", "roles:all possible UseRedis=true", map[string]string{"r.cs": csharp, "m.cs": memory, "u.cs": use,
			"s.cs": setup, "appsettings.json": "{\n  \"Connection\": {\n    \"UseRedis\": \"false\", // memory\n  }\n}\n"}},
		{"on", "roles:all certain", map[string]string{"r.cs": csharp, "m.cs": memory, "u.cs": use,
			"s.cs": setup, "appsettings.json": "{\n  \"Connection\": {\n    \"UseRedis\": true,\n  }\n}\n"}},
		{"unknown", "roles:all possible AppSetting.UseRedis=true", map[string]string{"r.cs": csharp, "m.cs": memory,
			"u.cs": use, "s.cs": setup}},
		{"not made", "roles:all possible ICacheService=RedisCacheService", map[string]string{"r.cs": csharp,
			"m.cs": memory, "u.cs": use}},
		{"in production", "roles:all certain", map[string]string{"r.cs": csharp, "m.cs": memory, "u.cs": use, "s.cs": setup,
			"docker-compose.yml": "services:\n  api:\n    environment:\n      - CACHE_TYPE=Redis\n"}},
		{"only one made", "roles:all certain", map[string]string{"r.cs": csharp, "m.cs": memory, "u.cs": use, "s.cs": only}},
		{"only one", "roles:all certain", map[string]string{"r.cs": csharp, "u.cs": use}},
		{"behind an if", "roles:all possible Cache:Type=redis", map[string]string{"r.cs": csharp, "m.cs": memory, "u.cs": use,
			"s.cs": "class S { ICacheService F() { if (config[\"Cache:Type\"] == \"redis\") return new RedisCacheService(); " +
				"return new MemoryCacheService(); } }\n",
			"appsettings.json": "{\n  \"Cache\": {\n    \"Type\": \"memory\"\n  }\n}\n"}},
		{"missing", "cart:lock:* possible lock.type=redis", map[string]string{"r.kt": lock, "m.kt": mongo, "b.kt": beans,
			"c.kt": locks}},
		{"set", "cart:lock:* certain", map[string]string{"r.kt": lock, "m.kt": mongo, "b.kt": beans, "c.kt": locks,
			"application.yml": "lock:\n  type: redis\n"}},
	} {
		if got := found(t, test.files); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestSpringManagers has a manager of caches that the settings turn off.
func TestSpringManagers(t *testing.T) {
	const text = `import org.redisson.spring.cache.RedissonSpringCacheManager
@Configuration
@ConditionalOnExpression("\${app.cache.use-redis:false} and \${app.cache.enabled:true}")
class Caches {
  @Bean
  fun manager(client: RedissonClient): CacheManager { return RedissonSpringCacheManager(client) }
}
class Users {
  @Cacheable("users")
  fun user(id: String): User { return dao.find(id) }
}
`
	for setting, want := range map[string]string{"false": "users::* possible app.cache.use-redis=true",
		"true": "users likely"} {
		got := found(t, map[string]string{"a.kt": text,
			"application.yml": "app:\n  cache:\n    use-redis: " + setting + "\n"})
		if got != want {
			t.Errorf("%s: %s, want %s", setting, got, want)
		}
	}
}

// TestJoinsAndMembers has keys that libraries join, nested enums, and a cache that a static member gives.
func TestJoinsAndMembers(t *testing.T) {
	const java = "import redis.clients.jedis.Jedis;\nclass A {\n  Jedis jedis;\n" +
		"  void f(String id) { jedis.set(%s, \"1\"); }\n}\n"
	const csharp = `using StackExchange.Redis;
public interface ICacheManager { void Put(string key, string value); }
public class RedisCacheManager : ICacheManager {
  IDatabase db;
  public void Put(string key, string value) { db.StringSet(key, value); }
}
`
	const member = `public static class DataCache {
  private static ICacheManager _instance = null;
  public static ICacheManager Instance { get { return _instance; } }
}
`
	const use = `public class Menus {
  void Save() { DataCache.Instance.Put("menus:all", "1"); }
  void Token(IDatabase redis) { redis.StringSet(Vars.Tokens.Open.ToString() + ":x", "1"); }
}
public static class Vars { public enum Tokens { Open = 1, Closed = 2 } }
`
	for _, test := range [...]struct {
		want  string
		files map[string]string
	}{
		{"user:state:* certain", map[string]string{"A.java": fmt.Sprintf(java, `StrUtil.join(":", "user:state", id)`)}},
		{"user:state:* certain", map[string]string{"A.java": fmt.Sprintf(java, `Joiner.on(":").join("user:state", id)`)}},
		{"user:state:* certain", map[string]string{"A.java": fmt.Sprintf(java,
			`StringUtils.joinWith(":", "user:state", id)`)}},
		{"", map[string]string{"A.java": fmt.Sprintf(java, `StringUtils.join(":", "user:state", id)`)}},
		{"Open:x certain, menus:all certain", map[string]string{"r.cs": csharp, "DataCache.cs": member,
			"u.cs": use}},
	} {
		if got := found(t, test.files); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestRenamingManagers has a manager of caches that gives those of another one other names.
func TestRenamingManagers(t *testing.T) {
	const text = `import org.redisson.spring.cache.RedissonSpringCacheManager
class Prints(val delegate: CacheManager) : CacheManager {
  override fun getCache(name: String): Cache? = delegate.getCache(registry.physicalName(name))
}
class Caches {
  @Bean
  fun manager(client: RedissonClient): CacheManager { return Prints(RedissonSpringCacheManager(client)) }
}
class Users {
  @Cacheable("users")
  fun user(id: String): User { return dao.find(id) }
}
`
	if got := found(t, map[string]string{"a.kt": text}); got != "*users* likely" {
		t.Errorf("found %s", got)
	}
}
