package codebase

import (
	"fmt"
	"strings"
	"testing"
)

// TestExpiry checks which calls of clients write with an expiry, as their documentation has it: the
// comment of each line of source is what is expected.
func TestExpiry(t *testing.T) {
	files := map[string]string{
		"a.go": `package a
import ("context"; "github.com/redis/go-redis/v9"; "time")
const TTL = time.Hour
func a(ctx context.Context, rdb *redis.Client, ttl time.Duration) {
rdb.Set(ctx, "k:a1:"+id, v, 0) // none
rdb.Set(ctx, "k:a2:"+id, v, 30*24*time.Hour) // set
rdb.Set(ctx, "k:a3:"+id, v, redis.KeepTTL) // set
rdb.Set(ctx, "k:a4:"+id, v, ttl) // unknown
rdb.SetNX(ctx, "k:a5:"+id, v, TTL) // set
rdb.SetNX(ctx, "k:a6:"+id, v, 0) // none
rdb.SetEx(ctx, "k:a7:"+id, v, ttl) // set
rdb.HSet(ctx, "k:a8:"+id, "f", v) // none
rdb.SAdd(ctx, "k:a9:"+id, f(x, 1), v) // set
rdb.Expire(ctx, "k:a9:"+id, ttl) // unknown
rdb.SetArgs(ctx, "k:a10:"+id, v, redis.SetArgs{TTL: ttl}) // unknown
rdb.Do(ctx, "SET", "k:a11:"+id, v, "EX", 10) // set
rdb.Incr(ctx, "k:a12:"+id) // none
}
`,
		"b.py": `import redis
TTL = 60
def b(r: redis.Redis, ttl):
    r.set(f"k:b1:{i}", v) # none
    r.set(f"k:b2:{i}", v, ex=60) # set
    r.set(f"k:b3:{i}", v, px=TTL) # set
    r.set(f"k:b4:{i}", v, ex=None) # none
    r.set(f"k:b5:{i}", v, ex=ttl) # unknown
    r.set(f"k:b6:{i}", v, nx=True) # none
    r.set(f"k:b7:{i}", v, keepttl=True) # set
    r.set(f"k:b8:{i}", v, 3600) # set
    r.set(f"k:b9:{i}", v, **options) # unknown
    r.setex(f"k:b10:{i}", ttl, v) # set
    r.hset(f"k:b11:{i}", mapping=v) # none
    r.set(f"k:b12:{i}", v, exat=until() + 5) # set
`,
		"c.js": `const redis = new (require('ioredis'))();
async function c(i, ttl, o) {
redis.set('k:c1:' + i, v); // none
redis.set('k:c2:' + i, v, 'EX', ttl); // set
redis.set('k:c3:' + i, JSON.stringify({ a, b }), { EX: 10 }); // set
redis.set('k:c4:' + i, v, o); // unknown
redis.set('k:c5:' + i, v, 'NX'); // none
redis.set('k:c6:' + i, v, { NX: true }); // none
redis.set('k:c7:' + i, v, { KEEPTTL: true }); // set
redis.set('k:c8:' + i, v, ...o); // unknown
redis.setEx('k:c9:' + i, ttl, v); // set
redis.set('k:c10:' + i, v, { expiration: { type: 'EX', value: 3 } }); // set
redis.multi().set('k:c11:' + i, v).expire('k:c11:' + i, 10).exec(); // set
redisCache.set('k:c12:' + i, v); // unknown
}
`,
		"d.java": `import redis.clients.jedis.*;
class D { void d(Jedis jedis, long ttl, SetParams params) {
jedis.set("k:d1:" + i, v); // none
jedis.set("k:d2:" + i, v, SetParams.setParams().ex(10)); // set
jedis.set("k:d3:" + i, v, new SetParams().nx()); // none
jedis.set("k:d4:" + i, v, params); // unknown
jedis.setex("k:d5:" + i, ttl, v); // set
redisTemplate.opsForValue().set("k:d6:" + i, v); // none
redisTemplate.opsForValue().set("k:d7:" + i, v, ttl, TimeUnit.SECONDS); // set
redisTemplate.opsForValue().set("k:d8:" + i, v, Duration.ofMinutes(ttl)); // set
redisTemplate.opsForValue().setIfAbsent("k:d9:" + i, v); // none
redisTemplate.opsForHash().put("k:d10:" + i, "f", v); // none
commands.set("k:d11:" + i, v, SetArgs.Builder.px(10)); // set
} }
`,
		"e.cs": `using StackExchange.Redis;
class E { void F(IDatabase redis, TimeSpan? ttl) {
redis.StringSet("k:e1:" + i, v); // none
redis.StringSet("k:e2:" + i, v, TimeSpan.FromHours(n)); // set
redis.StringSetAsync("k:e3:" + i, v, expiry: TimeSpan.FromHours(1)); // set
redis.StringSet("k:e4:" + i, v, ttl); // unknown
redis.StringSet("k:e5:" + i, v, null, When.NotExists); // none
redis.StringSet("k:e6:" + i, v, when: When.NotExists); // none
redis.StringSet("k:e7:" + i, v, keepTtl: true); // set
} }
`,
		"f.php": `<?php
use Illuminate\Support\Facades\Redis;
use Illuminate\Support\Facades\Cache;
Redis::set('k:f1:' . $i, $v); // none
Redis::set('k:f2:' . $i, $v, 'EX', 10); // set
$redis->set('k:f3:' . $i, $v, ['nx', 'ex' => $ttl]); // set
$redis->set('k:f4:' . $i, $v, ['nx']); // none
$redis->set('k:f5:' . $i, $v, 60); // set
$redis->setex('k:f6:' . $i, 60, $v); // set
Cache::forever('k:f7:' . $i, $v); // none
Cache::put('k:f8:' . $i, $v, 600); // set
Cache::put('k:f9:' . $i, $v); // none
Cache::remember('k:f10:' . $i, $ttl, $f); // set
`,
		"g.rb": `require 'redis'
def g(redis, ttl)
  redis.set("k:g1:#{i}", v) # none
  redis.set("k:g2:#{i}", v, ex: 60) # set
  redis.set("k:g3:#{i}", v, nx: true) # none
  redis.set("k:g4:#{i}", v, **options) # unknown
  redis.set "k:g5:#{i}", v, ex: 60 # set
  redis.set "k:g6:#{i}", v # none
  Rails.cache.write("k:g7:#{i}", v, expires_in: 5.minutes) # set
  Rails.cache.write("k:g8:#{i}", v) # unknown
end
`,
	}
	words := map[expiry]string{expiryNone: "none", expirySet: "set"}
	c := checkout(t, files)
	got := map[string]string{}
	for _, p := range c.Patterns {
		place, word := fmt.Sprintf("%s:%d", p.File, p.Line), words[p.expiry]
		if word == "" {
			word = "unknown"
		}
		got[place] = word
	}
	n := 0
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			if at := strings.LastIndexAny(line, "#/"); strings.Contains(line, "k:") && at > 0 {
				n++
				if place, want := fmt.Sprintf("%s:%d", name, i+1), strings.TrimSpace(line[at+1:]); got[place] != want {
					t.Errorf("%s: %q, want %q: %s", place, got[place], want, line)
				}
			}
		}
	}
	if n < 70 {
		t.Errorf("%d lines", n)
	}
}

// TestLinesWithoutTTL orders the lines of a group whose keys have no TTL: what writes without an
// expiry is first, and what names the key last.
func TestLinesWithoutTTL(t *testing.T) {
	c := checkout(t, map[string]string{"s.py": `import redis
r = redis.Redis()
def session_key(i):
    return "sess:" + i
def create(i):
    r.set(session_key(i), 1, ex=60)
def touch(i):
    r.set(session_key(i), 2)
def only(i):
    r.setex("code:" + i, 60, 1)
def code_key(i):
    return "code:" + i
`, "celeryconfig.py": "broker_url = 'amqp://x'\nresult_backend = 'redis://x'\nresult_expires = None\n"})
	f := Finder{Checkouts: []*Checkout{c}}
	for _, test := range []struct {
		group Group
		want  string
	}{
		{Group{Pattern: "sess:*", Type: "string", WithoutTTL: true}, "8 none, 6 set, 4 "},
		{Group{Pattern: "sess:*", Type: "string"}, "6 , 8 , 4 "},
		{Group{Pattern: "code:*", Type: "string", WithoutTTL: true}, "10 set"},
		{Group{Pattern: "celery-task-meta-*", Type: "string", WithoutTTL: true, Library: "Celery", Setting: "result_expires"}, "3 "},
		{Group{Pattern: "_kombu.binding.*", Type: "set", WithoutTTL: true, Library: "Celery"}, "1 "},
	} {
		var got []string
		for _, r := range f.Find([]Group{test.group})[0] {
			got = append(got, fmt.Sprintf("%d %s", r.Line, r.Expiry))
		}
		if all := strings.Join(got, ", "); all != test.want {
			t.Errorf("%+v: %q, want %q", test.group, all, test.want)
		}
	}
	if r := f.Find([]Group{{Pattern: "sess:*", WithoutTTL: true}})[0][0]; r.Why != "SET with sess:*; writes without an expiry" {
		t.Error(r.Why)
	}
}
