package codebase

import "testing"

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
	} {
		got := found(t, map[string]string{"a.cs": use, "s.cs": test.setup,
			"appsettings.json": "{\n  \"ConnectionStrings\": {\n    \"Redis\": " + test.settings + "\n  }\n}\n"})
		if got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.setup, test.settings, got, test.want)
		}
	}
}
