package codebase

import (
	"strings"
	"testing"
)

// TestLibrariesOfDotNet has typed caches of ABP, locks of Medallion and ABP, and the key ring of ASP.NET Core.
func TestLibrariesOfDotNet(t *testing.T) {
	const module = "using Volo.Abp.Caching.StackExchangeRedis;\n[DependsOn(typeof(AbpCachingStackExchangeRedisModule))]\n" +
		"class M { }\n"
	const item = `using Volo.Abp.MultiTenancy;
namespace Acme.Shop.Editions;
public class EditionCacheItem {
  private const string CacheKeyFormat = "t:{0}";
  public static string CalculateCacheKey(Guid id) { return string.Format(CacheKeyFormat, id.ToString()); }
}
`
	const store = `using Volo.Abp.Caching;
public class EditionStore {
  protected IDistributedCache<EditionCacheItem> Cache { get; }
  public async Task Set(Guid id, EditionCacheItem value) {
    var cacheKey = EditionCacheItem.CalculateCacheKey(id);
    await Cache.SetAsync(cacheKey, value);
  }
  public async Task Other(object id) { await Unknown.SetAsync(id, value); }
  protected IDistributedCache<Other> Unknown { get; }
}
`
	const locks = `using Medallion.Threading;
class A {
  IDistributedLockProvider provider;
  IAbpDistributedLock abp;
  void F(string id) { using var l = provider.TryAcquireLock("run:" + id); abp.TryAcquireAsync("save"); }
}
`
	const setup = "using Medallion.Threading.Redis;\nclass S { void F() { services.AddSingleton<IDistributedLockProvider>(" +
		"new RedisDistributedSynchronizationProvider(db)); } }\n"
	for _, test := range [...]struct {
		name, want string
		files      map[string]string
	}{
		{"typed", "*c:Acme.Shop.Editions.Edition,k:*t:* certain, *c:Acme.Shop.Editions.Edition,k:*t:* likely",
			map[string]string{"EditionCacheItem.cs": item, "EditionStore.cs": store, "m.cs": module}},
		{"named", "*c:Editions,k:*t:* certain, *c:Editions,k:*t:* likely", map[string]string{"EditionCacheItem.cs": "using Volo.Abp.Caching;\n" +
			"[CacheName(\"Editions\")]\n" + item[len("using Volo.Abp.MultiTenancy;\nnamespace Acme.Shop.Editions;\n"):],
			"EditionStore.cs": store, "m.cs": module}},
		{"locks", "*save certain, run:* certain", map[string]string{"a.cs": locks, "s.cs": setup}},
		{"locks elsewhere", "", map[string]string{"a.cs": locks}},
		{"key ring", "keys:ring certain", map[string]string{"a.cs": "using StackExchange.Redis;\nclass A { void F() {\n" +
			"  services.AddDataProtection().PersistKeysToStackExchangeRedis(redis, \"keys:ring\"); } }\n"}},
	} {
		if got := found(t, test.files); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestDistributedStores has distributed caches of .NET that are in the process or on the server.
func TestDistributedStores(t *testing.T) {
	const use = "using Microsoft.Extensions.Caching.Distributed;\nclass A { IDistributedCache cache;\n" +
		"  void F(string id) { cache.SetString($\"user:{id}\", \"1\"); } }\n"
	const branches = `class S { void F() {
  var connection = configuration.GetConnectionString("Redis");
  if (!string.IsNullOrEmpty(connection)) {
    services.AddStackExchangeRedisCache(o => { o.Configuration = connection; });
  } else {
    services.AddDistributedMemoryCache();
  }
} }
`
	const methods = `static class S {
  public static void AddMemory(this IServiceCollection services) { services.AddDistributedMemoryCache(); }
  public static void AddServer(this IServiceCollection services) { services.AddStackExchangeRedisCache(o => { }); }
}
`
	for _, test := range [...]struct{ setup, settings, want string }{
		{branches, `"localhost:6379"`, "user:* likely"},
		{branches, `""`, "user:* possible Redis"},
		{methods + "class P { void F() { services.AddServer(); } }\n", "1", "user:* likely"},
		{methods + "class P { void F() { services.AddMemory(); } }\n", "1", "user:* possible AddStackExchangeRedisCache"},
		{"class P { void F() { services.AddDistributedMemoryCache(); services.AddStackExchangeRedisCache(o => { }); } }\n",
			"1", "user:* likely"},
		{"using StackExchange.Redis;\nclass P { bool UseRedisDistributedCache { get; set; } }\n", "1",
			"user:* possible AddStackExchangeRedisCache"},
	} {
		got := found(t, map[string]string{"a.cs": use, "s.cs": test.setup,
			"appsettings.json": "{\n  \"ConnectionStrings\": {\n    \"Redis\": " + test.settings + "\n  }\n}\n"})
		if got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.setup, test.settings, got, test.want)
		}
	}
}

// TestUnmadeClasses has classes and a key ring on the server that a setting of a class of options turns off.
func TestUnmadeClasses(t *testing.T) {
	const quotas = `using StackExchange.Redis;
public class RedisQuotaService : IQuotaService {
  IDatabase db;
  public void Record(string tenant) { db.StringIncrement($"quota:{tenant}"); }
}
`
	const begin = "static class Setup { public static void Load(this IServiceCollection services) {\n  "
	const end = ` {
    services.AddScoped<IQuotaService, RedisQuotaService>();
    services.AddDataProtection().PersistKeysToStackExchangeRedis(redis, "ring");
  }
} }
`
	const off = "quota:* possible Redis.Enable=true, ring possible Redis.Enable=true"
	for _, test := range [...]struct{ condition, settings, want string }{
		{"var options = App.GetOptions<RedisOptions>();\n  if (options.Enable)", `"Redis": { "Enable": false`, off},
		{"var options = section.Get<RedisSettings>();\n  if (options.Value.Enable)", `"Redis": { "Enable": false`, off},
		{"var options = App.GetOptions<RedisOptions>();\n  if (options.Enable)", `"Redis": { "Enable": true`,
			"quota:* certain, ring certain"},
		{"var options = App.GetOptions<RedisOptions>();\n  if (options.Enable)", `"Other": { "Enable": false`,
			"quota:* certain, ring certain"},
	} {
		settings := strings.NewReplacer("{ ", "{\n    ").Replace("{\n  "+test.settings) + "\n  }\n}\n"
		if got := found(t, map[string]string{"q.cs": quotas, "s.cs": begin + test.condition + end,
			"appsettings.json": settings}); got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.condition, settings, got, test.want)
		}
	}
}

// TestReadsOfDotNet has keys of files of C# that nothing writes, and a client whose namespace another file imports.
func TestReadsOfDotNet(t *testing.T) {
	const head = "using StackExchange.Redis;\nclass A {\n  IDatabase db;\n  void F(string id) {\n    "
	for _, test := range [...]struct{ body, want string }{
		{"var vix = db.StringGet(\"market:vix\");\n    db.KeyExpire(\"market:vix\", day);",
			"market:vix unwritten"},
		{`var key = $"seen:{id}"; if (db.KeyExists(key)) db.KeyDelete(key);`, "seen:* unwritten"},
		{`db.StringGet($"seen:{id}:day"); db.StringSet($"seen:{id}", 1);`, "seen:* certain, seen:*:day unwritten"},
		{`db.StringGet(B.CartKey(id));`, "cart:* unwritten"},
		{`db.LockTake($"lock:{id}", "mine", day); db.LockRelease($"lock:{id}", "mine");`, "lock:* certain"},
	} {
		got := found(t, map[string]string{"A.cs": head + test.body + "\n  }\n}\n",
			"B.cs": "class B { public static string CartKey(string id) => $\"cart:{id}\"; }\n"})
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.body, got, test.want)
		}
	}
	const caches = "using Microsoft.Extensions.Caching.Distributed;\nclass A {\n" +
		"  IDistributedCache cache;\n  void F() {\n    services.AddStackExchangeRedisCache(o => { });\n" +
		"    cache.GetAsync<List<User>>(\"all-users\", () => Load());\n" +
		"    cache.GetAsync(\"no-users\");\n  }\n}\n"
	checkLines(t, map[string]string{"A.cs": caches}, "A.cs:6 all-users likely cache\n"+
		"A.cs:7 no-users likely cache unwritten\n")
	checkLines(t, map[string]string{"A.cs": "class A {\n  IConnectionMultiplexer mux;\n  void F(string id) {\n" +
		"    var db = mux.GetDatabase();\n    db.SetAdd(\"online:users\", id);\n  }\n}\n"},
		"A.cs:5 online:users certain SADD\n")
}

// TestStrangersOfDotNet has a method of a class that is not of the checkout, and functions among the arguments of a
// call in a method that makes a key.
func TestStrangersOfDotNet(t *testing.T) {
	checkLines(t, map[string]string{
		"Provider.cs": "using StackExchange.Redis;\nclass Provider : ICacheProvider {\n  IDatabase db;\n" +
			"  public void AddItem(string key, string value) { db.StringSet(key, value); }\n}\n",
		"Use.cs": "class Use {\n  ILocalStorageService local;\n  ICacheProvider provider;\n  void F(string id) {\n" +
			"    local.AddItem(\"theme:dark\", id);\n    provider.AddItem($\"user:{id}\", id);\n  }\n}\n",
		"Parties.cs": "using StackExchange.Redis;\nclass Parties {\n" +
			"  void F(IDatabase db) { db.StringSet(PartyKey(this), 1); }\n" +
			"  static string PartyKey(Parties all) {\n" +
			"    var text = string.Join(\";\", all.List.Select(p => $\"{p.Kind}:{p.Id}\"));\n" +
			"    return \"parties:\" + Hash(text);\n  }\n}\n",
	}, "Parties.cs:3 parties:* certain SET\nParties.cs:6 parties:* likely\nUse.cs:6 user:* certain SET\n")
}

// TestKeysOfExpressions has methods of C# that are one expression: of one value, and a digest.
func TestKeysOfExpressions(t *testing.T) {
	checkLines(t, map[string]string{
		"A.cs": "using StackExchange.Redis;\nclass A {\n  IDatabase db;\n" +
			"  void F(string id) {\n    db.StringSet(CartKey(id), 1);\n" +
			"    db.StringSet($\"mail:{HashKey(\"to:\" + id)}\", 1);\n  }\n" +
			"  static string CartKey(string id) => $\"cart:{id}:v1\";\n" +
			"  static string HashKey(string text) => Convert.ToHexString(Digest(text));\n}\n",
	}, "A.cs:5 cart:*:v1 certain SET\nA.cs:6 mail:* certain SET\nA.cs:8 cart:*:v1 likely\n")
}
