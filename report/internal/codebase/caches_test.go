package codebase

import (
	"fmt"
	"testing"
)

// TestStores has what decides whether the cache of a framework is on the server: the configuration of production, an
// example of the environment, or the default of the framework.
func TestStores(t *testing.T) {
	const laravel = "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass A {\n" +
		"  function f($id) { Cache::put(self::KEY . $id, 1); }\n  const KEY = 'cart:';\n}\n"
	const config = "<?php\nreturn [\n  'default' => env('CACHE_STORE', 'file'),\n" +
		"  'stores' => ['redis' => ['driver' => 'redis']],\n  'prefix' => '',\n];\n"
	const rails = "class A\n  def f(id)\n    Rails.cache.fetch(\"cart:#{id}\") { 1 }\n  end\nend\n"
	const production = "config/environments/production.rb"
	const flask = "from flask_caching import Cache\nimport redis\n\ncache = Cache(config={'CACHE_TYPE': '%s'})\n"
	const net = "using Microsoft.Extensions.Caching.Distributed;\nclass A {\n" +
		"  void F(IDistributedCache cache, string id) { cache.SetString($\"cart:{id}\", id); }\n}\n"
	line := func(sure, condition string) string {
		return "app/A.php:4 *cart:* " + sure + " cache" + condition + "\napp/A.php:5 *cart:* " +
			map[string]string{"possible": "possible" + condition, "likely": "likely"}[sure] + "\n"
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"example of the environment before the default": {map[string]string{"app/A.php": laravel, "config/cache.php": config,
			".env.example": "CACHE_STORE=redis\n"}, line("likely", "")},
		"default": {map[string]string{"app/A.php": laravel, "config/cache.php": config, ".env.example": "DB=x\n"},
			line("possible", " if CACHE_STORE=redis config/cache.php:3")},
		"production before the example": {map[string]string{"app/A.php": laravel, "config/cache.php": config,
			".env.production": "CACHE_STORE=redis\n", ".env.example": "CACHE_STORE=file\n"}, line("likely", "")},
		"example before what is local": {map[string]string{"app/A.php": laravel, "config/cache.php": config,
			".env": "CACHE_STORE=redis\n", ".env.example": "CACHE_STORE=database # or redis\n"},
			line("possible", " if CACHE_STORE=redis .env.example:1")},
		"without a configuration": {map[string]string{"app/A.php": laravel, ".env.example": "\nCACHE_STORE=file\n"},
			line("possible", " if CACHE_STORE=redis .env.example:2")},
		"Rails by a variable": {map[string]string{"a.rb": rails,
			production: "if ENV['CACHE_URL'].present?\n  config.cache_store = :redis_cache_store, { url: ENV['CACHE_URL'] }\nend\n"},
			"a.rb:3 cart:* possible cache if CACHE_URL " + production + ":2\n"},
		"Rails by a variable of the example": {map[string]string{"a.rb": rails, ".env.sample": "CACHE_URL=redis://cache\n",
			production: "if ENV['CACHE_URL'].present?\n  config.cache_store = :redis_cache_store, { url: ENV['CACHE_URL'] }\nend\n"},
			"a.rb:3 cart:* likely cache\n"},
		"Rails: production decides": {map[string]string{"a.rb": rails, production: "config.cache_store = :mem_cache_store\n",
			"config/application.rb": "config.cache_store = :redis_cache_store\n"},
			"a.rb:3 cart:* possible cache if config.cache_store = :redis_cache_store " + production + ":1\n"},
		"Rails with a class of its own": {map[string]string{"a.rb": rails,
			production: "config.cache_store = Shop::Cache.new(\n  ActiveSupport::Cache::RedisCacheStore.new\n)\n"},
			"a.rb:3 *cart:* likely cache\n"},
		"Spring by its type": {map[string]string{"application.yml": "spring:\n  cache:\n    type: caffeine\n",
			"A.java": "import org.springframework.data.redis.core.RedisTemplate;\nclass A {\n  @Cacheable(\"carts\")\n  void f() {}\n}\n"},
			"A.java:3 carts::* possible @Cacheable if spring.cache.type=redis application.yml:3\n"},
		".NET in memory": {map[string]string{"A.cs": net,
			"Start.cs": "class Start {\n  void F() { services.AddDistributedMemoryCache(); }\n}\n"},
			"A.cs:3 cart:* possible cache if AddStackExchangeRedisCache Start.cs:2\n"},
		"Flask-Caching in the process": {map[string]string{"caches.py": fmt.Sprintf(flask, "SimpleCache"),
			"a.py": "from caches import cache\nimport redis\nfrom flask_caching import Cache\n\ndef f(id):\n    cache.set('cart:' + id, 1)\n"},
			"a.py:6 flask_cache_cart:* possible SET if CACHE_TYPE=RedisCache caches.py:4\n"},
		"certain beside possible": {map[string]string{"A.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass A {\n" +
			"  const KEY = 'carts:';\n  function f($id) { Cache::put(self::KEY . $id, 1); }\n" +
			"  function g($redis, $id) { $redis->sadd(self::KEY . $id, 1); }\n}\n"},
			"A.php:4 *carts:* likely\nA.php:5 *carts:* possible cache if CACHE_STORE=redis\nA.php:6 *carts:* certain SADD\n"},
	} {
		if got := lines(checkout(t, test.files)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// TestPossible checks that a group has lines of another store only if no other line is likely, and that patterns
// which no key matches are none of them.
func TestPossible(t *testing.T) {
	c := checkout(t, map[string]string{
		"config/cache.php": "<?php\nreturn ['default' => 'file', 'stores' => ['redis' => []], 'prefix' => ''];\n",
		"A.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nuse Illuminate\\Support\\Facades\\Redis;\nclass A {\n" +
			"  function f($id) { Cache::put('cart:' . $id, 1); }\n  function g($id) { Cache::put('user:' . $id, 1); }\n" +
			"  function h($id) { Redis::set('user:' . $id, 1); }\n  function i($id) { Cache::put('unused:' . $id, 1); }\n}\n",
	})
	for pattern, want := range map[string]int{"cart:*": 5, "user:*": 7} {
		found := c.Match([]Group{{Pattern: pattern, Type: "string"}})[0]
		if len(found) != 1 || found[0].Line != want || found[0].Sure == Possible {
			t.Errorf("%s: %+v, not line %d", pattern, found, want)
		}
	}
	for _, p := range c.Unmatched(nil) {
		if p.Line != 7 {
			t.Errorf("unmatched: %s at line %d", p.Key, p.Line)
		}
	}
}

// TestUnsure has constants that no known command has, and a call of which only the name says what it calls.
func TestUnsure(t *testing.T) {
	checkLines(t, map[string]string{
		"RedisKeys.cs": "using StackExchange.Redis;\nclass RedisKeys {\n  public const string CodeKey = \"mail:code:\";\n" +
			"  public const string CartKey = \"cart:\";\n}\n",
		"Carts.cs": "using StackExchange.Redis;\nclass Carts {\n" +
			"  void F(IDatabase db, int id) { db.StringSet(RedisKeys.CartKey + id, 1); }\n}\n",
	}, "Carts.cs:3 cart:* certain SET\nRedisKeys.cs:3 mail:code:* possible if a command writes them\n"+
		"RedisKeys.cs:4 cart:* likely\n")
	checkLines(t, map[string]string{
		"timings.rb": "class Timings\n  def self.slowest(name)\n    redis.zadd(\"timings:#{name}\", 0, 9)\n  end\nend\n",
		"graphs.rb": "class Graphs\n  def f\n    posts.visible.slowest('MAX(seconds, 1)')\n    things.slowest('week')\n    Timings.slowest('day')\n" +
			"  end\nend\n",
	}, "graphs.rb:4 timings:week likely ZADD\ngraphs.rb:5 timings:day certain ZADD\ntimings.rb:3 timings:* certain ZADD\n")
	checkLines(t, map[string]string{
		"config/environments/production.rb": "config.cache_store = :redis_cache_store\n",
		"a.rb": "class A\n  def f\n    cache_control.write('max-age', 1)\n" +
			"    Rails.cache.write('max-age', 1)\n  end\nend\n",
	}, "a.rb:4 max-age likely cache\n")
	checkLines(t, map[string]string{ // an enum whose constants have several texts
		"RedisKeys.java": "import redis.clients.jedis.Jedis;\nenum RedisKeys {\n  USER_KEY(\"user:\", \"users\"), CART_KEY(1, 2);\n}\n",
	}, "")
}

// TestSeveralKeys has calls of caches with many keys.
func TestSeveralKeys(t *testing.T) {
	checkLines(t, map[string]string{
		"config/environments/production.rb": "config.cache_store = :redis_cache_store\n",
		"a.rb": "class A\n  def f(id, all)\n    Rails.cache.write_multi(\n" +
			"      { \"offer:#{id}\" => g(1, 2), day => 2 },\n      raw: true)\n" +
			"    Rails.cache.write_multi(all)\n" +
			"    Rails.cache.fetch_multi(\"price:#{id}\", \"tax:#{id}\", namespace: \"n\") { |k| g(k) }\n  end\n\n" +
			"  def day\n    \"day:#{today}\"\n  end\nend\n",
	}, "a.rb:3 day:* likely cache\na.rb:3 offer:* likely cache\na.rb:7 price:* likely cache\na.rb:7 tax:* likely cache\n")
	checkLines(t, map[string]string{
		"settings.py": "CACHES = {'default': {'BACKEND': 'django.core.cache.backends.redis.RedisCache'}}\n",
		"a.py": "from django.core.cache import cache\n\ndef f(id, users):\n" +
			"    cache.set_many({f'cart:{id}': 1, 'total': [1, 2]}, 60)\n" +
			"    cache.set_many({f'user:{u.id}': u for u in users})\n",
	}, "a.py:4 :1:cart:* likely cache\na.py:4 :1:total likely cache\na.py:5 :1:user:* likely cache\n", ":1:")
	checkLines(t, map[string]string{
		"config/cache.php": "<?php\nreturn ['default' => 'redis', 'stores' => ['redis' => ['driver' => 'redis']]];\n",
		"A.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass A {\n  function f($id) {\n" +
			"    Cache::putMany([\"cart:$id\" => [1, 2], 'total' => 3], 60);\n  }\n}\n",
	}, "A.php:5 *cart:* likely cache\nA.php:5 *total likely cache\n")
	checkLines(t, map[string]string{
		"Carts.cs": "using StackExchange.Redis;\nclass Carts {\n" +
			"  void F(IDatabase db, int id) { db.StringGetSet($\"turn:{id}\", 1); }\n}\n",
	}, "Carts.cs:3 turn:* certain GETSET\n")
}

// TestOnlyDeleted has keys that commands only delete: no line writes them, or one writes those that they stand for.
func TestOnlyDeleted(t *testing.T) {
	checkLines(t, map[string]string{
		"Hits.php": "<?php\nclass Hits {\n  function f(\\Redis $redis, $id) {\n    $redis->set(\"hits:$id:day\", 1);\n    $redis->del(\"hits:$id\");\n" +
			"    $redis->expire(\"hits:$id:old:day\", 60);\n    $redis->del(\"views:$id\");\n    $redis->expire('views', 60);\n" +
			"    $redis->get(\"seen:$id\");\n    $redis->del(\"seen:$id\");\n  }\n}\n",
		"config/cache.php": "<?php\nreturn ['default' => 'redis', 'stores' => ['redis' => ['driver' => 'redis']]];\n",
		"Pages.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass Pages {\n  function f($id) {\n" +
			"    Cache::put(\"page_$id\", 1);\n    Cache::forget(\"page_$id\");\n    Cache::forget(\"en_page_$id\");\n    Cache::has('seen_at');\n  }\n}\n",
	}, "Hits.php:4 *hits:*:day certain SET\nHits.php:5 *hits:* certain DEL unwritten\n"+
		"Hits.php:6 *hits:*:old:day certain EXPIRE unwritten\nHits.php:7 *views:* certain DEL unwritten\n"+
		"Hits.php:8 *views certain EXPIRE unwritten\n"+
		"Hits.php:9 *seen:* certain GET unwritten\nHits.php:10 *seen:* certain DEL unwritten\n"+
		"Pages.php:5 *page_* likely cache\nPages.php:6 *page_* likely cache\n"+
		"Pages.php:7 *en_page_* likely cache unwritten\nPages.php:8 *seen_at likely cache unwritten\n")
}

// TestStoresOfPHP has configurations of frameworks of PHP.
func TestStoresOfPHP(t *testing.T) {
	for name, c := range map[string]struct{ config, env, want string }{
		"type": {"'type' => Env::get('cache.type', 'File'),\n  'host' => Env::get('cache.host', 'redis'),", "",
			"possible cache if CACHE_TYPE=redis config/cache.php:3"},
		"type by its section":  {"'type' => Env::get('cache.type', 'File'),", "[CACHE]\nTYPE = redis\n", "likely cache"},
		"type of the default":  {"'type' => 'complex',\n  'default' => [\n    'type' => 'File',\n  ],\n  'redis' => ['type' => 'redis'],", "", "possible cache if 'type' => 'redis' config/cache.php:5"},
		"redis of the default": {"'type' => 'complex',\n  'default' => [\n    'type' => 'redis',\n  ],", "", "likely cache"},
		"drivers":              {"'default' => env('cache.driver', 'file'),\n  'stores' => ['redis' => ['type' => 'redis']],", "", "possible cache if CACHE_DRIVER=redis config/cache.php:3"},
		"one of another name":  {"'default' => \"redis\", 'stores' => ['file' => ['type' => 'File']],", "", "likely cache"},
		"handler":              {"]; class Cache {\n  public string $handler = 'file';\n  public array $redis = [];\n} [", "", "possible cache if $handler = 'redis' config/cache.php:4"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"config/cache.php": "<?php\nreturn [\n  " + c.config + "\n  'prefix' => '',\n];\n", ".example.env": c.env,
				"A.php":                        "<?php\nuse think\\facade\\Cache;\nclass A {\n  function f($id) {\n    Cache::set(\"cart_$id\", 1);\n  }\n}\n",
				"redis.php":                    "<?php\n$redis = new Redis();\n",
				"thinkphp/library/think/R.php": "<?php\nclass R {\n  function f($tag) {\n    $this->redis->sAdd('tag_' . $tag, 1);\n  }\n}\n",
			}
			checkLines(t, files, "A.php:5 cart_* "+c.want+"\n")
		})
	}
}

// TestWhoseMethod has methods of PHP whose names classes of the checkout have, too: those of a facade, of a cache in
// the process and of models.
func TestWhoseMethod(t *testing.T) {
	checkLines(t, map[string]string{
		"config/cache.php": "<?php\nreturn ['default' => 'redis', 'prefix' => ''];\n", "redis.php": "<?php\n$redis = new Redis();\n",
		"LinkCache.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass LinkCache {\n  public static function forget($name) { Cache::forget(\"link_$name\"); }\n" +
			"  public function put($name) { Cache::put(\"link_$name\", 1); }\n}\n",
		"PageCache.php": "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass PageCache {\n  function f($id) {\n    Cache::put(\"page_$id\", 1);\n    Cache::forget(\"page_$id\");\n" +
			"    LinkCache::forget('home');\n  }\n}\n",
		"MemoryCache.php": "<?php\nclass ArrayBag {\n  public function set($key, $value) { $this->values[$key] = $value; }\n}\n",
		"Rights.php": "<?php\nuse Illuminate\\Support\\Facades\\Log;\nclass Rights {\n  function f($id) {\n    $cache = MemoryCache::getInstance();\n    $cache->set(\"rights_$id\", 1);\n" +
			"    $cache = ArrayBag::getInstance();\n    $cache->set(\"bag_$id\", 1);\n  }\n}\n",
		"Saved.php": "<?php\nclass Saved {\n  private static function getKey($user, $name) { return \"saved-$user-$name\"; }\n" +
			"  function f(\\Redis $redis, $user) { $redis->set(self::getKey($user, 'a'), 1); }\n}\n",
		"Use.php": "<?php\nclass Uses {\n  function f(\\Redis $redis, $model) {\n    $redis->set($model->make()->getKey(), 1);\n" +
			"    for ($n = 7; $n < 9; $n++) {\n      $redis->set('php:' . $n . ':days', 1);\n    }\n  }\n}\n",
	}, "LinkCache.php:4 *link_* likely cache\nLinkCache.php:5 *link_* likely cache\n"+
		"PageCache.php:5 *page_* likely cache\nPageCache.php:6 *page_* likely cache\n"+
		"PageCache.php:7 *link_home likely cache unwritten\n"+
		"Saved.php:3 *saved-*-a likely\nSaved.php:4 *saved-*-a certain SET\nUse.php:6 *php:*:days certain SET\n")
}

// TestTagsAndLimits has a cache of Laravel with tags, its limiter, and a cache of Symfony whose items have no type.
func TestTagsAndLimits(t *testing.T) {
	checkLines(t, map[string]string{
		"config/cache.php": "<?php\nreturn ['default' => 'redis', 'prefix' => ''];\n", "redis.php": "<?php\n$redis = new Redis();\n",
		"A.php": "<?php\nuse Illuminate\\Support\\Facades\\{Cache, RateLimiter};\nclass A {\n  function f($id) {\n" +
			"    Cache::tags(['carts'])->put(\"cart_$id\", 1);\n    RateLimiter::hit(\"login:$id\", 60);\n    RateLimiter::for('api', 1);\n  }\n}\n",
		"B.php": "<?php\nuse Symfony\\Contracts\\Cache\\CacheInterface;\nclass B {\n  function f(CacheInterface $cache, $id) {\n" +
			"    $this->cache->get(\"page_$id\", fn ($item) => 1);\n  }\n}\n",
		"config/packages/cache.yaml": "framework:\n  cache:\n    app: cache.adapter.redis\n",
	}, "A.php:5 *:cart_* likely cache\nA.php:6 *login:* likely cache\nB.php:5 *page_* likely cache\n")
}
