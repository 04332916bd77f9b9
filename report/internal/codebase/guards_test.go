package codebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestGuards has functions with several values, of which the arguments of a call decide.
func TestGuards(t *testing.T) {
	const php = "<?php\nclass Keys {\n  function added($id, $kind = null) {\n    $key = 'a:' . $id;\n" +
		"    if ($kind !== null) {\n      $key .= ':' . $kind;\n    }\n    return $key;\n  }\n" +
		"  function either($id, $kind = null) {\n" +
		"    if ($kind) { $key = \"e:$id:$kind\"; } else { $key = \"e:$id\"; }\n" +
		"    return $key;\n  }\n  function early($id, $kind = null) {\n" +
		"    if (is_null($kind)) return \"r:$id\";\n" +
		"    return \"r:$id:$kind\";\n  }\n  function f($id, $by, $kind) {\n"
	const python = "import redis\nr = redis.Redis()\n\ndef added(id, kind=None):\n" +
		"    k = f\"a:{id}\"\n    if kind:\n" +
		"        k += f\":{kind}\"\n    return k\n\ndef either(id, kind=None):\n" +
		"    if kind is None:\n        k = f\"e:{id}\"\n" +
		"    else:\n        k = f\"e:{id}:{kind}\"\n    return k\n\ndef early(id, kind=None):\n    if not kind:\n" +
		"        return f\"r:{id}\"\n    return f\"r:{id}:{kind}\"\n\n" +
		"def whole(k, kind=None):\n    if kind is not None:\n        k = f\"{k}:{kind}\"\n    r.set(k, 1)\n\n" +
		"def spare(id, kind=None):\n    k = \"n/a\"\n    if kind:\n        k = str(id)\n    return f\"s:{k}\"\n\n" +
		"def f(id, kind):\n"
	const ruby = "class Keys\n  def early(id, kind = nil)\n" +
		"    return \"r:#{id}\" unless kind\n\n    \"r:#{id}:#{kind}\"\n  end\n" +
		"  def either(id, kind = nil)\n    if kind.nil?\n      \"e:#{id}\"\n    else\n" +
		"      \"e:#{id}:#{kind}\"\n    end\n  end\n" +
		"  def f(id, kind)\n"
	for _, test := range [...]struct{ name, before, call, want string }{
		{"a.php", php, "$this->redis->set($this->added($id), 1);", "a:*"},
		{"a.php", php, "$this->redis->set($this->added($id, 'x'), 1);", "a:*:x"},
		{"a.php", php, "$this->redis->set($this->either($id), 1);", "e:*"},
		{"a.php", php, "$this->redis->set($this->either($id, 'x'), 1);", "e:*:x"},
		{"a.php", php, "$this->redis->set($this->early($id), 1);", "r:*"},
		{"a.php", php, "$this->redis->set($this->early($id, 'x'), 1);", "r:*:x"},
		{"a.py", python, "    r.set(added(id), 1)", "a:*"},
		{"a.py", python, "    r.set(added(id, kind='x'), 1)", "a:*:x"},
		{"a.py", python, "    r.set(either(id, None), 1)", "e:*"},
		{"a.py", python, "    r.set(either(id, 'x'), 1)", "e:*:x"},
		{"a.py", python, "    r.set(early(id), 1)", "r:*"},
		{"a.py", python, "    r.set(early(id, 'x'), 1)", "r:*:x"},
		{"a.py", python, "    r.set(early(id, kind), 1)", "r:*"},
		{"a.py", python, "    whole('w:x')", "w:x"},
		{"a.py", python, "    whole('w:x', kind)", "w:x:*"},
		{"a.py", python, "    r.set(spare(id, kind), 1)", "s:*"},
		{"a.rb", ruby, "    $redis.set(early(id), 1)", "r:*"},
		{"a.rb", ruby, "    $redis.set(early(id, :x), 1)", "r:*:x"},
		{"a.rb", ruby, "    $redis.set(either(id), 1)", "e:*"},
		{"a.rb", ruby, "    $redis.set(either(id, :x), 1)", "e:*:x"},
	} {
		end := "\n"
		if test.name == "a.php" {
			end = "\n  }\n}\n"
		}
		c := checkout(t, map[string]string{test.name: test.before + test.call + end})
		got := ""
		for _, p := range c.Patterns {
			if p.Writes {
				got += fmt.Sprintf(" %s", p.Key)
			}
		}
		if got != " "+test.want {
			t.Errorf("%s: %s has%s, want %s", test.name, test.call, got, test.want)
		}
	}
}

// TestLocksAndMembers has keys of locks, members that a class names alone, values of methods that no word returns,
// and a cache that a project has itself.
func TestLocksAndMembers(t *testing.T) {
	c := checkout(t, map[string]string{
		"locks.py": "import redis\nr = redis.Redis()\nstore_lock = threading.Lock()\n\ndef f(id):\n" +
			"    with r.lock(f\"busy:{id}\", 60):\n        store_lock.lock(\"no:key\")\n",
		"fences.py": "import redis\n\nclass Fence:\n    PREFIX = \"fence\"\n    KEY = PREFIX + \"_of\"\n\n" +
			"    def f(self, id):\n        redis.set(f\"{self.KEY}_{id}\", 1)\n" +
			"        redis.set(PREFIX + \"_\" + id, 1)\n",
		"matches.rb": "class Matches\n  STATUS_KEY = \"status_of_\".freeze\n" +
			"  def self.status_key(all)\n    STATUS_KEY + all.id.to_s\n" +
			"  end\n  def f(all)\n    REDIS.set status_key(all), 1\n" +
			"    RedisLock.acquire(redis: REDIS, key: \"lock:#{all.id}\") do\n" +
			"    end\n  end\nend\n",
		"app/lockable.rb": "module Lockable\n  def with_redis_lock(name)\n" +
			"    RedisLock.acquire(key: \"mutex:#{name}\") { yield }\n  end\nend\n",
		"work.rb": "class Work\n  def f(id)\n    with_redis_lock(\"work:#{id}\") do\n    end\n  end\nend\n",
		"Counts.php": "<?php\nnamespace App;\ntrait Counts {\n" +
			"  function countOne($name) { $this->redis->incr('count:' . $name); }\n}\n",
		"shop/Visits.php": "<?php\nnamespace Shop;\nclass Visits {\n  use \\App\\Counts;\n" +
			"  function f($id) { $this->countOne(\"visits:$id\"); }\n}\n",
		"Throttle.php": "<?php\nnamespace App;\nuse Kernel\\Cache;\n// In files, without Redis.\n" +
			"class Throttle {\n" +
			"  static function hit($key) {\n    $cache = self::cache();\n    $cache->set($key, 1);\n  }\n" +
			"  static function f($ip) { self::hit(\"login:$ip\"); }\n}\n",
	})
	const want = "Counts.php:4 count:* certain INCR\napp/lockable.rb:3 mutex:* certain SET\n" +
		"fences.py:5 fence_of_* likely\nfences.py:8 fence_of_* certain SET\n" +
		"locks.py:6 busy:* certain SET\nmatches.rb:4 status_of_* likely\n" +
		"matches.rb:7 status_of_* certain SET\nmatches.rb:8 lock:* certain SET\n" +
		"shop/Visits.php:5 count:visits:* likely INCR\nwork.rb:3 mutex:work:* certain SET\n"
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOtherReceivers has receivers that are not on the server, whatever comments and names say, and a namespace that
// only a branch has.
func TestOtherReceivers(t *testing.T) {
	c := checkout(t, map[string]string{
		"Wan.php": "<?php\n// Values are in memcached or redis.\nclass Wan {\n" +
			"  function f($id) { return $this->cache->get('wan:' . $id); }\n}\n",
		"RedisForm.php": "<?php\nclass RedisForm {\n  function f($name) {\n" +
			"    $storage = new LocalFiles('redis');\n" +
			"    $storage->delete(\"$name:pem\");\n  }\n}\n",
		"memo.rb": "class Memo\n  attr_reader :cache\n  def initialize(cache = nil)\n" +
			"    @cache = cache || {}\n  end\n" +
			"  def f\n    cache.fetch(:memo_all) { 1 }\n  end\nend\n",
		"mail.rb": "class Mail\n  def client\n    @client ||= begin\n      redis = ::Redis.new\n" +
			"      namespace = options.namespace\n      if namespace\n        require 'redis/namespace'\n" +
			"        ::Redis::Namespace.new(namespace, redis: redis)\n      else\n        redis\n" +
			"      end\n    end\n  end\n" +
			"  def f(id)\n    client.set(\"sent:#{id}\", 1)\n  end\nend\n",
		"Keys.php": "<?php\nclass Keys {\n  function keyOf($name) {\n    $parts = ['all', 'jobs', $name];\n" +
			"    foreach ($parts as $part) {\n      check($part);\n    }\n" +
			"    return implode(':', array_map('lower', $parts));\n" +
			"  }\n  function f($id) { $this->redis->incr($this->keyOf('z-' . $id)); }\n}\n",
	})
	const want = "Keys.php:8 all:jobs:z-* likely\nKeys.php:10 all:jobs:z-* certain INCR\nmail.rb:15 *sent:* likely SET\n"
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBlocks has keys that blocks of Ruby use, behind the bars around their parameters, and a default that is a key.
func TestBlocks(t *testing.T) {
	c := checkout(t, map[string]string{
		"jobs.rb": "require 'redis'\nclass Jobs\n  KEY_PREFIX = \"job\"\n  attr_reader :key\n" +
			"  def initialize(left = 0, key = \"#{KEY_PREFIX}:#{SecureRandom.uuid}\")\n    @key = key\n  end\n" +
			"  def f(id)\n    name = name_of(id)\n    with { |redis| redis.set(name, 1) }\n" +
			"    with do |redis, id|\n      redis.get(name)\n      redis.sadd(\"ids:#{id}\", name)\n    end\n  end\n" +
			"  def wait\n    redis.lpush(key, 1)\n    redis.get(Jobs.const_get(\"#{key}_KEY\"))\n  end\n" +
			"  def name_of(id)\n    \"name:#{id}\"\n  end\nend\n",
	})
	const want = "jobs.rb:3 job:* likely\njobs.rb:6 job:* likely\njobs.rb:10 name:* certain SET\n" +
		"jobs.rb:12 name:* certain GET\njobs.rb:13 ids:* certain SADD\njobs.rb:17 job:* certain LPUSH\n"
	if got := lines(c); got != want || len(c.Prefixes) > 0 {
		t.Errorf("prefixes %q\ngot\n%s\nwant\n%s", c.Prefixes, got, want)
	}
}

// TestGuardsOfCalls has wrappers of which a parameter says whether a command runs.
func TestGuardsOfCalls(t *testing.T) {
	const csharp = `using StackExchange.Redis;
class RedisCache {
  IDatabase db;
  public string GetOrCreate(string key, int ttl = 0, bool isLock = false) {
    if (!isLock) {
      foreach (var n in list) { db.StringSet(key, n); }
      return key;
    }
    var lockKey = $"{key}_lock";
    db.StringSet(lockKey, 1);
    return key;
  }
  public void Both(string key, bool plain = true) {
    if (plain) { db.StringSet("plain:" + key, 1); } else { db.StringSet("other:" + key, 1); }
  }
}
class Use { RedisCache redisCache; void F() { %s } }
`
	const kotlin = `import redis.clients.jedis.Jedis
class RedisCache(val jedis: Jedis) {
  fun remember(key: String, lock: Boolean = false) {
    if (lock) { jedis.set("lock:" + key, "1") }
    jedis.set(key, "1")
  }
}
class Use(val redisCache: RedisCache) { fun f() { %s } }
`
	for _, test := range [...]struct{ name, source, call, want string }{
		{"a.cs", csharp, `redisCache.GetOrCreate("users:all");`, "users:all"},
		{"a.cs", csharp, `redisCache.GetOrCreate("users:all", isLock: false);`, "users:all"},
		{"a.cs", csharp, `redisCache.GetOrCreate("users:all", 1, flag);`, "users:all users:all_lock"},
		{"a.cs", csharp, `redisCache.Both("users:all");`, "plain:users:all"},
		{"a.cs", csharp, `redisCache.Both("users:all", false);`, "other:users:all"},
		{"a.kt", kotlin, `redisCache.remember("users:all")`, "users:all"},
		{"a.kt", kotlin, `redisCache.remember("users:all", flag)`, "lock:users:all users:all"},
	} {
		c := checkout(t, map[string]string{test.name: strings.Replace(test.source, "%s", test.call, 1)})
		var got []string
		for _, p := range c.Patterns {
			if strings.Contains(p.Key, "users:all") {
				got = append(got, p.Key)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s has %q, want %s", test.call, got, test.want)
		}
	}
}

// TestElse has variables that each branch of a condition gives another value.
func TestElse(t *testing.T) {
	const php = "<?php\nclass Keys {\n  function f($kind, $id) {\n    $key = 'a:';\n" +
		"%    $this->redis->set($key, 1);\n  }\n}\n"
	const python = "import redis\nr = redis.Redis()\n\ndef f(kind):\n    key = 'a:'\n%    r.set(key, 1)\n"
	for _, test := range [...]struct{ file, source, branches, want string }{
		{"a.php", php, "    if ($kind) {\n      $key .= 'x';\n    } else {\n      $key .= 'y';\n    }\n", "a:x a:y"},
		{"a.php", php, "    if ($kind == 1) {\n      $key .= 'x';\n    } elseif ($kind == 2) {\n      $key .= 'y';\n" +
			"    } else {\n      $key .= 'z';\n    }\n", "a:x a:y a:z"},
		{"a.php", php, "    if ($kind == 1) {\n      $key .= 'x';\n    } else if ($kind == 2) {\n      $key .= 'y';\n    }\n",
			"a: a:x a:y"},
		{"a.php", php, "    if ($kind) {\n      log();\n    } else {\n      $key = 'b:y';\n    }\n", "a: b:y"},
		{"a.py", python, "    if kind:\n        key += 'x'\n    else:\n        key = 'b:y'\n", "a:x b:y"},
		{"a.py", python, "    if kind:\n        key += 'x'\n    elif kind == 2:\n        key = 'b:y'\n", "a: a:x b:y"},
	} {
		c := checkout(t, map[string]string{test.file: strings.Replace(test.source, "%", test.branches, 1)})
		var got []string
		for _, p := range c.Patterns {
			if p.Writes && !slices.Contains(got, p.Key) {
				got = append(got, strings.TrimPrefix(p.Key, "*"))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s%s has %s, want %s", test.file, test.branches, got, test.want)
		}
	}
}
