package codebase

import (
	"slices"
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
			"  def f(id)\n    redis_names.get(\"skip:#{id}\")\n    $redis.get(\"since:#{id}\")\n    taxes = Redis::Namespace.new(:taxes, redis: $redis)\n" +
			"    taxes.get(\"rate:#{id}\")\n    $redis.get(Names.last)\n    $redis.get(Names.of(id))\n  end\nend\n",
		"names.rb": "module Names\n  def self.last = \"last:all\"\n  def self.of(id) = \"of:#{id}\"\n  def self.at=(v)\n    @at = v\n  end\nend\n",
	})
	const want = "Fixed.php:5 fixed:all certain SADD\nUse.php:3 *:jobs:late certain RPUSH\nUse.php:4 plain:a certain GET\n" +
		"laravel/app/Cart.php:3 shop:cart:total likely\nlaravel/app/Cart.php:5 shop:cart:* likely cache\n" +
		"laravel/app/Cart.php:6 shop:cart:total likely GET\nlaravel/app/Cart.php:7 carts:all certain SADD\n" +
		"licences.rb:6 licences:skip:* certain GET\nlicences.rb:7 since:* certain GET\nlicences.rb:9 taxes:rate:* certain GET\n" +
		"licences.rb:10 last:all certain GET\nlicences.rb:11 of:* certain GET\n"
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
