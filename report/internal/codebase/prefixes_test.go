package codebase

import (
	"slices"
	"strings"
	"testing"
)

// TestConnectionPrefixes has prefixes that clients and configurations put before each key, and one
// that belongs to another client of the class.
func TestConnectionPrefixes(t *testing.T) {
	c := checkout(t, map[string]string{
		"laravel/config/database.php": "<?php\n$before = 'shop:';\nreturn [\n  'mysql' => ['prefix' => 'db_'],\n" +
			"  'redis' => [\n    'default' => ['host' => env('HOST')],\n    'cache' => ['prefix' => $before],\n  ],\n];\n",
		"laravel/config/cache.php": "<?php\nreturn [\n  'stores' => ['redis' => ['driver' => 'redis']],\n  'prefix' => null,\n];\n",
		"laravel/app/Cart.php": "<?php\nclass Cart {\n  const TOTAL_KEY = 'cart:total';\n  function f($id) {\n    Cache::put(\"cart:$id\", 1, 60);\n" +
			"    Cache::get(self::TOTAL_KEY);\n    Redis::sadd('carts:all', $id);\n  }\n}\n",
		"Jobs.php": "<?php\nclass Jobs {\n  function connect($settings) {\n    $redis = new Redis();\n" +
			"    $redis->setOption(Redis::OPT_PREFIX, $settings['name'] . ':');\n    $this->redis = $redis;\n  }\n" +
			"  function enqueue($queue, $job) {\n    $this->redis->rPush($queue, $job);\n  }\n}\n",
		"Use.php": "<?php\nfunction f(Jobs $jobs) {\n  $jobs->enqueue('jobs:late', 1);\n  $redis->get('plain:a');\n}\n",
		"Fixed.php": "<?php\nclass Fixed {\n  function f() {\n    $redis->setOption(Redis::OPT_PREFIX, 'fixed:');\n" +
			"    $redis->sAdd('all', 1);\n  }\n}\n",
		"licences.rb": "class Licences\n  def redis_names\n    @names ||= Redis::Namespace.new(:licences, redis: $redis)\n  end\n" +
			"  def f(id)\n    redis_names.incr(\"skip:#{id}\")\n    $redis.incr(\"since:#{id}\")\n" +
			"    taxes = Redis::Namespace.new(:taxes, redis: $redis)\n" +
			"    taxes.incr(\"rate:#{id}\")\n    $redis.incr(Names.last)\n    $redis.incr(Names.of(id))\n  end\nend\n",
		"names.rb": "module Names\n  def self.last = \"last:all\"\n  def self.of(id) = \"of:#{id}\"\n  def self.at=(v)\n    @at = v\n  end\nend\n",
	})
	const want = "Fixed.php:5 fixed:all certain SADD\nUse.php:3 *:jobs:late certain RPUSH\n" +
		"Use.php:4 plain:a certain GET unwritten\n" +
		"laravel/app/Cart.php:3 shop:cart:total likely unwritten\nlaravel/app/Cart.php:5 shop:cart:* likely cache\n" +
		"laravel/app/Cart.php:6 shop:cart:total likely GET unwritten\nlaravel/app/Cart.php:7 carts:all certain SADD\n" +
		"licences.rb:6 licences:skip:* certain INCR\nlicences.rb:7 since:* certain INCR\n" +
		"licences.rb:9 taxes:rate:* certain INCR\n" +
		"licences.rb:10 last:all certain INCR\nlicences.rb:11 of:* certain INCR\n"
	if got := lines(c); got != want || !slices.Equal(c.Prefixes, []string{"shop:"}) {
		t.Errorf("prefixes %q\ngot\n%s\nwant\n%s", c.Prefixes, got, want)
	}
	c = checkout(t, map[string]string{
		"config/cache.php": "<?php\nreturn ['stores' => [\n  'file' => ['prefix' => 'f:'],\n  'redis' => ['type' => 'redis', 'prefix' => Env::get('prefix', 'c:')],\n]];\n",
		"app/Sms.php": "<?php\nuse think\\facade\\Cache;\nclass Sms {\n  function f($id) {\n    Cache::set('sms_' . $id, 1);\n" +
			"    Cache::store('redis')->handler()->setnx('lock:' . $id, 1);\n  }\n}\n",
	})
	const varies = "app/Sms.php:5 *sms_* likely SET\napp/Sms.php:6 lock:* certain SETNX\n"
	if got := lines(c); got != varies {
		t.Errorf("got\n%s\nwant\n%s", got, varies)
	}
}

// TestFrameworkPrefixes has what caches and clients of frameworks put before each key, from their settings or
// by default. Where it is not known, the pattern begins with *.
func TestFrameworkPrefixes(t *testing.T) {
	const view = "from django.core.cache import cache\n\ndef f(id):\n    cache.set('cart:%d' % id, 1)\n"
	const settings = "CACHES = {'default': {'BACKEND': 'django_redis.cache.RedisCache'%s}}\n"
	const facade = "<?php\nuse Illuminate\\Support\\Facades\\Cache;\nclass A {\n  function f($id) {\n    Cache::put('cart:' . $id, 1, 60);\n" +
		"    Redis::sadd('carts', $id);\n  }\n}\n"
	const rails = "class A\n  def f(id)\n    Rails.cache.fetch(\"cart:#{id}\") { 1 }\n  end\nend\n"
	const list = "class Carts\n  def add(id)\n    $redis.sadd(:carts, id)\n    Shop.redis.sadd(:shops, id)\n  end\nend\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"Django": {map[string]string{"settings.py": strings.Replace(settings, "%s", "", 1), "a.py": view},
			"a.py:4 :1:cart:* likely cache\n"},
		"Django with a prefix": {map[string]string{"settings.py": strings.Replace(settings, "%s", ", 'KEY_PREFIX': 'shop'", 1), "a.py": view},
			"a.py:4 shop:1:cart:* likely cache\n"},
		"Django with a prefix of the environment": {
			map[string]string{"settings.py": strings.Replace(settings, "%s", ", 'KEY_PREFIX': os.environ['P']", 1), "a.py": view},
			"a.py:4 *:1:cart:* likely cache\n"},
		"Django with a version": {
			map[string]string{"settings.py": strings.Replace(settings, "%s", ", 'VERSION': 3", 1), "a.py": view},
			"a.py:4 :3:cart:* likely cache\n"},
		"Django with a function": {
			map[string]string{"settings.py": strings.Replace(settings, "%s", ", 'KEY_FUNCTION': 'shop.make'", 1), "a.py": view},
			"a.py:4 *cart:* likely cache\n"},
		"package for Django": {map[string]string{"a.py": view, "b.py": "import redis\n"},
			"a.py:4 *cart:* possible cache if BACKEND=django.core.cache.backends.redis.RedisCache\n"},
		"client below Django's cache": {map[string]string{"settings.py": strings.Replace(settings, "%s", "", 1),
			"a.py": "from django_redis import get_redis_connection\n\ndef f(id):\n    redis = get_redis_connection()\n    redis.sadd('carts', id)\n"},
			"a.py:5 carts certain SADD\n"},
		"Flask-Caching": {map[string]string{"caches.py": "from flask_caching import Cache\n\ncache = Cache()\n",
			"a.py": "import redis\nfrom caches import cache\n\ndef f(id):\n    cache.set('cart:' + id, 1)\n"},
			"a.py:5 flask_cache_cart:* likely SET\n"},
		"Flask-Caching with a prefix": {
			map[string]string{"caches.py": "from flask_caching import Cache\n\nCACHE_KEY_PREFIX = 'shop:'\ncache = Cache()\n",
				"a.py": "import redis\nfrom caches import cache\n\ndef f(id):\n    cache.set('cart:' + id, 1)\n"},
			"a.py:5 shop:cart:* likely SET\n"},
		"package for Laravel": {map[string]string{"src/A.php": facade},
			"src/A.php:5 *cart:* possible cache if CACHE_STORE=redis\nsrc/A.php:6 *carts certain SADD\n"},
		"Laravel": {map[string]string{"app/A.php": facade,
			"app/Config/database.php": "<?php\nreturn ['redis' => ['default' => []]];\n",
			"app/Config/cache.php":    "<?php\nreturn ['stores' => ['redis' => []], 'prefix' => env('CACHE_PREFIX', 'shop')];\n"},
			"app/A.php:5 *cart:* likely cache\napp/A.php:6 carts certain SADD\n"},
		"Laravel without the server": {map[string]string{"app/A.php": strings.ReplaceAll(facade, "Redis::sadd", "Other::add"),
			"config/cache.php": "<?php\nreturn ['default' => 'file', 'stores' => ['redis' => [], 'file' => []]];\n"},
			"app/A.php:5 *cart:* possible cache if 'default' => 'redis' config/cache.php:2\n"},
		"Laravel with a table": {map[string]string{"app/A.php": facade,
			"app/config/database.php": "<?php\nreturn ['redis' => []];\n",
			"app/config/queue.php":    "<?php\nreturn ['default' => 'redis'];\n",
			"app/config/cache.php":    "<?php\nreturn ['driver' => 'database', 'prefix' => 'shop'];\n"},
			"app/A.php:5 shop*cart:* possible cache if 'driver' => 'redis' app/config/cache.php:2\napp/A.php:6 carts certain SADD\n"},
		"class that delegates": {map[string]string{
			"RedisClient.php": "<?php\nclass RedisClient {\n  function __call($name, $args) {\n    $args[0] = self::$namespace . $args[0];\n" +
				"    return $this->driver->__call($name, $args);\n  }\n}\n",
			"A.php": "<?php\nclass A {\n  function f() { Jobs::redis()->sadd('queues', 1); }\n}\n"}, "A.php:3 *queues certain SADD\n"},
		"client of a factory": {map[string]string{
			"Factory.php": "<?php\n$redis = new Redis();\n$redis->setOption(Redis::OPT_PREFIX, 'shop:');\n",
			"A.php":       "<?php\nclass A {\n  function f() { $this->redis->sadd('carts', 1); }\n}\n"}, "A.php:3 shop:carts certain SADD\n"},
		"a helper with commands": {map[string]string{
			"RedisHelper.php": "<?php\nclass RedisHelper {\n  static function connect($prefix) {\n    $redis = new Redis();\n" +
				"    $redis->setOption(Redis::OPT_PREFIX, $prefix);\n    $redis->set('up', 1);\n    return $redis;\n  }\n}\n",
			"A.php": "<?php\nclass A {\n  function f() { $this->redis->sadd('carts', 1); }\n}\n"},
			"A.php:3 *carts certain SADD\nRedisHelper.php:6 *up certain SET\n"},
		"Predis": {map[string]string{
			"Factory.php": "<?php\nreturn new Predis\\Client($url, ['prefix' => 'shop:']);\n",
			"A.php":       "<?php\nclass A {\n  function f() { $this->redis->sadd('carts', 1); }\n}\n"}, "A.php:3 shop:carts certain SADD\n"},
		"Yii takes a digest of most names": {map[string]string{
			"config.php": "<?php\nreturn ['cache' => ['class' => 'yii\\redis\\Cache']];\n",
			"A.php": "<?php\nuse Yii;\nclass A extends Model {\n  function f($id) {\n    Yii::$app->cache->set('cart_' . $id, 1);\n" +
				"    Yii::$app->cache->set('carts', 1);\n  }\n}\n"}, "A.php:6 *carts likely cache\n"},
		"Yii's cache in files": {map[string]string{
			"A.php": "<?php\nuse yii\\base\\Model;\nclass A extends Model {\n  function f($id) { Yii::$app->cache->set('carts', 1); }\n}\n"},
			"A.php:4 *carts possible cache if yii\\redis\\Cache\n"},
		"CodeIgniter's cache in files": {map[string]string{
			"A.php": "<?php\nclass A {\n  function f($id) {\n    $this->load->driver('cache', ['adapter' => 'file']);\n    $this->cache->get('cart_' . $id);\n  }\n}\n"},
			""},
		"Symfony": {map[string]string{"config/packages/cache.yaml": "framework:\n  cache:\n    app: cache.adapter.redis\n",
			"A.php": "<?php\nuse Symfony\\Contracts\\Cache\\ItemInterface;\nclass A {\n  function f($id) {\n" +
				"    return $this->cache->get('cart_' . $id, function (ItemInterface $item) { return 1; });\n  }\n" +
				"}\n"}, "A.php:5 *cart_* likely cache\n"},
		"Symfony's cache in files": {map[string]string{
			"A.php": "<?php\nuse Symfony\\Contracts\\Cache\\ItemInterface;\nclass A {\n  function f($id) {\n" +
				"    return $this->cache->get('cart_' . $id, function (ItemInterface $item) { return 1; });\n  }\n}\n"},
			"A.php:5 *cart_* possible cache if framework.cache.app=cache.adapter.redis\n"},
		"no server at all": {map[string]string{"src/A.php": strings.ReplaceAll(facade, "Redis::sadd", "Other::add")},
			"src/A.php:5 *cart:* possible cache if CACHE_STORE=redis\n"},
		"plugin for Resque": {map[string]string{
			"lib/resque/late.rb": "module Late\n  def late(at)\n    redis.zadd(:late, at, at)\n  end\nend\n"},
			"lib/resque/late.rb:3 *late certain ZADD\n"},
		"options by their names": {map[string]string{
			"Options.php": "<?php\nreturn ['prefix' => Redis::OPT_PREFIX, 'timeout' => Redis::OPT_TIMEOUT];\n",
			"A.php":       "<?php\nclass A {\n  function f() { $this->redis->sadd('carts', 1); }\n}\n"}, "A.php:3 carts certain SADD\n"},
		"Rails": {map[string]string{"a.rb": rails,
			"config/environments/production.rb": "config.cache_store = :redis_cache_store, {\n  namespace: 'shop',\n}\n"},
			"a.rb:3 shop:cart:* likely cache\n"},
		"Rails with options": {map[string]string{"a.rb": rails,
			"config/environments/production.rb": "config.cache_store = :redis_cache_store, STORE.options\n"}, "a.rb:3 *cart:* likely cache\n"},
		"class in a module": {map[string]string{
			"a.rb": "class Redis::Setting\n  def self.set(id, v)\n    redis.set(\"setting:#{id}\", v)\n  end\nend\n",
			"b.rb": "class B\n  def f(id)\n    redis.set(\"page:#{id}\", 1)\n    Redis::Setting.set(\"x\", 1)\n  end\nend\n"},
			"a.rb:3 setting:* certain SET\nb.rb:3 page:* certain SET\nb.rb:4 setting:x certain SET\n"},
		"Django with a table": {map[string]string{"settings.py": "CACHES = {'default': {'BACKEND': 'django_redis.cache.RedisCache'},\n" +
			"    'table': {'BACKEND': 'django.core.cache.backends.db.DatabaseCache'}}\n",
			"a.py": "from django.core.cache import caches\n\ndef f(id):\n    caches['table'].set('map:%d' % id, 1)\n" +
				"    cache = caches['table']\n    cache.set('map:%d' % id, 1)\n    caches['default'].set('cart:%d' % id, 1)\n"},
			"a.py:4 :1:map:* possible cache if " + djangoBackend + "\na.py:6 :1:map:* possible cache if " + djangoBackend +
				"\na.py:7 :1:cart:* likely cache\n"},
		"Rails with files": {map[string]string{"a.rb": rails, "config/environments/production.rb": "# config.cache_store = :redis_cache_store\n"},
			"a.rb:3 cart:* possible cache if config.cache_store = :redis_cache_store\n"},
		"namespace of a global variable and a method": {map[string]string{"a.rb": list,
			"init.rb": "$redis = Redis::Namespace.new('shop', redis: Redis.new)\n",
			"shop.rb": "module Shop\n  def self.redis\n    @redis ||= Redis::Namespace.new('inner', redis: Redis.new)\n  end\nend\n"},
			"a.rb:3 shop:carts certain SADD\na.rb:4 inner:shops certain SADD\n"},
		"namespace of an unknown client": {map[string]string{"a.rb": list,
			"init.rb": "Jobs.connect(Redis::Namespace.new('jobs', redis: Redis.new))\n"},
			"a.rb:3 *carts certain SADD\na.rb:4 *shops certain SADD\n"},
		"scoped cache": {map[string]string{
			"a.ts": "import { createClient } from 'redis';\nconst redisUsers = store.withKeyPrefix(prefix);\nredisUsers.set('user:' + id, 1);\n"},
			"a.ts:3 *user:* certain SET\n"},
	} {
		if got := lines(checkout(t, test.files)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// TestVaries has values that a key need not have: defaults of parameters, and what a variable gets under a
// condition.
func TestVaries(t *testing.T) {
	c := checkout(t, map[string]string{
		"a.php": "<?php\nclass A {\n  function f($id, $kind = 'day', $at = null) {\n    $at ??= 'now';\n    if (!$id) {\n      $id = 'guest';\n    }\n" +
			"    $this->redis->set(\"a:$id:$kind:$at\", 1);\n  }\n}\n",
		"b.rb": "class B\n  def self.top(name, count = 5)\n    name = 'all' if name.nil?\n    $redis.set(\"b:#{name}:#{count}\", 1)\n  end\n" +
			"  def parts_key(id)\n    key = [\n      \"one:all\",\n      id\n    ].compact.join(':')\n    $redis.set(key, 1)\n  end\nend\n",
		"c.py": "import redis\n\ndef f(r, kind=None):\n    if kind is None:\n        kind = 'day'\n    r.set('cc:%s' % kind, 1)\n",
	})
	const want = "a.php:8 a:*:*:* certain SET\nb.rb:4 b:*:* certain SET\nb.rb:7 one:all:* likely\nb.rb:11 one:all:* certain SET\nc.py:6 cc:* likely SET\n"
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOtherMethods has methods with the names of commands that are none: of a factory, of a cache of the
// checkout's own in the process, of what a cache returned, and of a view.
func TestOtherMethods(t *testing.T) {
	c := checkout(t, map[string]string{
		"pool.php": "<?php\nclass Pool {\n  function f(RedisFactory $redis) { return $redis->get('default'); }\n}\n",
		"own.rb":   "class Cache\n  def self.fetch(name)\n    @values[name] ||= yield\n  end\nend\n",
		"use.rb":   "class Use\n  def f\n    Cache.fetch('own:all') { $redis.incr('used:all') }\n  end\nend\n",
		"views.py": "from django.core.cache import cache\nimport redis\n\ndef f(id):\n    cached_cart = cache.get('cart:%d' % id)\n" +
			"    cache_entry = cache.get('entry:%d' % id)\n    return cache_entry.get('name:first')\n",
		"profile.py": "import redis\nfrom django.core.cache import cache\n\ndef f(cacheprofile):\n    return cacheprofile.get('on:save')\n",
		"Pool.php":   "<?php\nclass Connection {\n  function set($key, $value) { $this->redis->set($key, $value); }\n}\n",
		"Tcp.php":    "<?php\nclass Connection {\n  function f() { $this->set('meta:tcp', 1); }\n}\n",
		"keys.py":    "import redis\nfrom environs import env\n\nKEY = env.str('POOL_KEY', 'pool:all')\n\ndef f():\n    redis.sadd(KEY, 1)\n",
		"Hits.php":   "<?php\nclass Hits {\n  public $user = 0;\n  function f() { $this->redis->incr('hits:' . $this->user); }\n}\n",
		"base.py": "import redis\n\nclass Registry:\n    kind = 'base:'\n\n    def f(self, id):\n        redis.sadd(self.kind + id, 1)\n\n" +
			"class Done(Registry):\n    kind = 'done:'\n",
		"pairs.py": "import redis\nfrom django.core.cache import cache\n\ndef f(id):\n    return cache.get(('pair:first', id))\n",
		"msg.py":   "import redis\nfrom django.core.cache import cache\n\nclass Message:\n    def get(self, code):\n        return cache.get('msg:' + code)\n",
		"set.py": "import redis\nfrom django.core.cache import cache\n\ndef f():\n    cache.set('msg:1', 1)\n" +
			"    cache.set('cart:1', 1)\n    cache.set('entry:1', 1)\n",
		"read.py":  "import redis\n\ndef f(msg):\n    return msg.get('kind')\n",
		"Times.rb": "class Times\n  def average(t)\n    $redis.zadd(\"times:#{t}\", 0, 1)\n  end\nend\n",
		"posts.rb": "class Posts\n  def f\n    Post.where(a: 1).average('price')\n    cache_control.delete('max-age')\n  end\nend\n",
		"src/Config/CachedLoader.php": "<?php\nnamespace Shop\\Core\\Config;\nclass CachedLoader {\n  function load($id) {\n" +
			"    return $this->redis->get('config-' . $id);\n  }\n}\n",
		"src/Shop.php": "<?php\nnamespace Shop\\Core;\nuse Shop\\Core\\Files\\XmlLoader;\nclass Shop {\n  function f() {\n" +
			"    $loader = new XmlLoader();\n    $loader->load('cart.xml');\n  }\n}\n",
	})
	const want = "Hits.php:4 hits:* certain INCR\nTimes.rb:3 times:* certain ZADD\n" +
		"keys.py:4 pool:all likely\nkeys.py:7 pool:all certain SADD\n" +
		"msg.py:6 *msg:* possible GET if " + djangoBackend + "\n" +
		"set.py:5 *msg:1 possible SET if " + djangoBackend + "\n" +
		"set.py:6 *cart:1 possible SET if " + djangoBackend + "\n" +
		"set.py:7 *entry:1 possible SET if " + djangoBackend + "\n" +
		"src/Config/CachedLoader.php:5 config-* certain GET unwritten\n" +
		"use.rb:3 used:all certain INCR\n" +
		"views.py:5 *cart:* possible GET if " + djangoBackend + "\nviews.py:6 *entry:* possible GET if " + djangoBackend + "\n"
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWrappers has a class that puts what is not known before each key, and a client that may be one. A class
// with few methods is none, nor is one whose keys begin with a text.
func TestWrappers(t *testing.T) {
	const use = "\ndef f(r, id):\n    redis_client.set(f\"cart:{id}\", 1)\n    redis_client.hset(f\"carts:{id}\", \"a\", 1)\n"
	method := func(name, key string) string {
		return "    def " + name + "(self, name, *args):\n        return self._r." + name + "(" + key + ", *args)\n"
	}
	class := "import redis\n\ndef _key(prefix, key):\n    full = prefix.encode()\n    return full + key\n\nclass Client:\n" +
		"    def __init__(self, prefix, client: redis.Redis):\n        self._prefix = prefix\n        self._r = client\n"
	for _, test := range [...]struct{ key, want string }{
		{"_key(self._prefix, name)", "*cart:* *carts:*"}, {"name", "cart:* carts:*"},
	} {
		wrapper := class
		for _, name := range [...]string{"set", "incr", "hset", "sadd", "expire"} {
			wrapper += method(name, test.key)
		}
		c := checkout(t, map[string]string{"client.py": wrapper, "use.py": "from client import Client\n" + use})
		var got []string
		for _, p := range c.Patterns {
			got = append(got, p.Key)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %s", test.key, got, test.want)
		}
	}
}

// TestNamedConnections has connections of PHP with own prefixes, those that the cache uses, and commands on clients
// that are below a cache, or have its name.
func TestNamedConnections(t *testing.T) {
	const connections = "<?php\nreturn [\n" +
		"  'default' => ['port' => 6379, 'prefix' => 'shop:', 'pool' => ['size' => 5]],\n" +
		"  'pages' => ['prefix' => 'pages:'],\n  'jobs' => ['prefix' => env('NAME', '')],\n" +
		"  'plain' => ['port' => 6380],\n];\n"
	const users = "<?php\nuse support\\Redis;\nuse support\\Cache;\nclass Carts {\n  function f($id, $where) {\n" +
		"    Redis::set(\"cart:$id\", 1);\n    Redis::connection('pages')->set(\"page:$id\", 1);\n" +
		"    Redis::connection('jobs')->set(\"job:$id\", 1);\n    Redis::connection('plain')->sAdd('plain', $id);\n" +
		"    $redis = Redis::connection('pages');\n    $redis->sAdd('seen', $id);\n" +
		"    Redis::connection($where)->sAdd('where', $id);\n    $this->redis->sAdd('any', $id);\n" +
		"    Cache::set(\"view:$id\", 1);\n  }\n}\n"
	const want = "Carts.php:6 shop:cart:* certain SET\nCarts.php:7 pages:page:* certain SET\n" +
		"Carts.php:8 *job:* certain SET\n" +
		"Carts.php:9 plain certain SADD\nCarts.php:11 pages:seen certain SADD\nCarts.php:12 *where certain SADD\n" +
		"Carts.php:13 *any certain SADD\n"
	const stores = "<?php\nreturn ['default' => 'redis', 'stores' => ['redis' => ['driver' => 'redis'%s]]];\n"
	for connection, prefix := range map[string]string{", 'connection' => 'pages'": "pages:", "": "*",
		", 'connection' => 'plain'": "", ", 'connection' => env('STORE')": "*"} {
		checkLines(t, map[string]string{"config/redis.php": connections, "Carts.php": users,
			"config/cache.php": strings.Replace(stores, "%s", connection, 1),
		}, want+"Carts.php:14 "+prefix+"view:* likely SET\n", "pages:", "shop:")
	}
	checkLines(t, map[string]string{
		"config/autoload/redis.php": "<?php\n" +
			"return ['default' => ['host' => 'redis', 'options' => ['prefix' => 'shop:']]];\n",
		"config/autoload/cache.php": "<?php\n" +
			"return ['default' => ['driver' => Hyperf\\Cache\\Driver\\RedisDriver::class, 'prefix' => 'c:']];\n",
		"Views.php": "<?php\nuse Hyperf\\Redis\\Redis;\nuse Psr\\SimpleCache\\CacheInterface;\nclass Views {\n" +
			"  function f($id) {\n    $cache = Pools::redis('views');\n" +
			"    $cache->set(\"view:$id\", 1);\n    $cache->hMSet(\"all:$id\", []);\n" +
			"    $this->redis->sAdd('ids', $id);\n    $this->cache->set(\"page:$id\", 1);\n" +
			"    $this->cache->rPush('late', 1);\n  }\n}\n",
	}, "Views.php:7 shop:view:* certain SET\nViews.php:8 shop:all:* certain HMSET\n"+
		"Views.php:9 shop:ids certain SADD\n"+
		"Views.php:10 shop:c:page:* likely SET\nViews.php:11 shop:late certain RPUSH\n", "shop:", "shop:c:")
	checkLines(t, map[string]string{
		"Store.php": "<?php\nuse Symfony\\Component\\Cache\\Adapter\\RedisAdapter;\nclass RedisStore {\n" +
			"  function __construct(private RedisAdapter $pool) {}\n" +
			"  function set($key, $value) {\n    $item = $this->pool->getItem($key);\n" +
			"    $this->pool->save($item->set($value));\n  }\n}\n",
		"Rates.php": "<?php\nclass Rates {\n  function __construct(private RedisStore $redis) {}\n" +
			"  function f($code) { $this->redis->set(\"rate_$code\", 1); }\n}\n",
	}, "Rates.php:4 *rate_* certain SET\n")
}
