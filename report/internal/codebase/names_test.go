package codebase

import (
	"fmt"
	"strings"
	"testing"
)

// TestNumbers has numbers that are added up, and one that a text gets.
func TestNumbers(t *testing.T) {
	checkLines(t, map[string]string{"a.js": "import { createClient } from 'redis'\nconst client = createClient()\n" +
		"export function count(id) {\n  const month = Number(moment().month()) + 1\n  client.incr(`month:${month}`)\n" +
		"  client.incr(`week:${1 + weekOf(id)}`)\n  client.incr('day:' + 1)\n}\n",
		"a.rb": "require 'redis'\n\ndef pick(redis, top)\n  random = 1 + rand(top.to_i)\n" +
			"  redis.incr(\"news:#{random}\")\nend\n",
	}, "a.js:5 month:* likely INCR\na.js:6 week:* likely INCR\na.js:7 day:1 likely INCR\na.rb:5 news:* certain INCR\n")
}

// TestNamesOfClasses has members that a class which extends another one sets again, methods with one name in two
// classes, and properties of values that are not known.
func TestNamesOfClasses(t *testing.T) {
	checkLines(t, map[string]string{
		"base.js": "export default class Base {\n  constructor(e) {\n    this.model = 'base'\n  }\n\n" +
			"  get prefix() {\n    return `app:${this.model}:`\n  }\n}\n",
		"draw.js": "import Base from './base.js'\nimport redis from './redis.js'\n\nexport default class Draw extends Base {\n" +
			"  constructor(e) {\n    super(e)\n    this.model = 'draw'\n  }\n\n" +
			"  async save(id) {\n    await redis.setEx(`${this.prefix}user:${id}`, 60, '1')\n  }\n}\n",
	}, "draw.js:11 app:*:user:* certain SETEX\n")
	checkLines(t, map[string]string{
		"clicks.ts": "import { redis } from './redis'\n\nexport class ClickCache {\n  async set(domain: string, id: string) {\n" +
			"    await redis.set(this._createKey({ domain, id }), 1)\n  }\n\n" +
			"  _createKey({ domain, id }: { domain: string; id: string }) {\n    return `click:${domain}:${id}`\n  }\n}\n",
		"tokens.ts": "import { redis } from './redis'\n\nexport class TokenCache {\n  async set(hash: string) {\n" +
			"    await redis.set(this._createKey({ hash }), 1)\n  }\n\n" +
			"  _createKey({ hash }: { hash: string }) {\n    return `token:${hash}`\n  }\n}\n",
	}, "clicks.ts:5 click:*:* certain SET\nclicks.ts:9 click:*:* likely\n"+
		"tokens.ts:5 token:* certain SET\ntokens.ts:9 token:* likely\n")
	checkLines(t, map[string]string{
		"queues.ts": "import { redis } from './redis'\n\nexport class MailQueue {\n  static getInstance({ shard }: { shard: string }) {\n" +
			"    redis.sadd(`queues:mail:${shard}`, 1)\n  }\n}\n\nexport class SlowMailQueue {\n" +
			"  static getInstance({ shard }: { shard: string }) {\n    redis.sadd(`queues:slow-mail:${shard}`, 1)\n  }\n}\n",
		"use.ts": "import { SlowMailQueue } from './queues'\n\nSlowMailQueue.getInstance({ shard: 'a' + id })\n",
	}, "queues.ts:5 queues:mail:* certain SADD\nqueues.ts:11 queues:slow-mail:* certain SADD\nuse.ts:3 queues:slow-mail:a* certain SADD\n")
	checkLines(t, map[string]string{
		"jobs.ts": "import { type Job } from 'bullmq'\nimport { redis } from './redis'\n\nexport async function seen(job: Job, owner) {\n" +
			"  await redis.set(`seen:${job.data.type}:${owner.slug}`, 1)\n}\n\nconst mail = { owner: { slug: 'ada' } }\n",
		"event.ts": "export class FailedEvent {\n  get type() {\n    return 'error'\n  }\n}\n",
	}, "jobs.ts:5 seen:*:* certain SET\n")
}

// TestTestFiles says which files are tests.
func TestTestFiles(t *testing.T) {
	for name, want := range map[string]bool{
		"src/features/cart/store.ts": false, "features/step_definitions/cart.rb": true, "features/support/env.rb": true,
		"src/features/support/chat.ts": false, "dev/test-plugins/session.ts": true, "web/src/cart.clienttest.ts": true, "test/app.e2e-spec.ts": true,
		"lib/queue/test_time.rb": false, "tools/test_time.py": true, "src/cart.test.ts": true, "src/latest.ts": false,
	} {
		if got := isTest(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	for name, want := range map[string]bool{"redis": true, "this.masterrdb": true, "s.rdb": true, "newrdb": true,
		"userdb": false, "buildrecord.buildrecord": false, "recordbuilder": false, "cache": false} {
		if got := ofServer(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestCallbacks has variables of functions of JavaScript without a name, and a command that a client gets by a name
// that other methods have.
func TestCallbacks(t *testing.T) {
	checkLines(t, map[string]string{"app.js": "const Redis = require('ioredis')\nconst redis = new Redis()\n\n" +
		"app.get('/a', async (req, res) => {\n  const key = `a:${req.id}`\n  await redis.set(key, 1)\n})\n" +
		"app.get('/b', function (req, res) {\n  const key = `b:${req.id}`\n  const user = `sso|${req.user}`\n" +
		"  redis.set(key, user)\n})\napp.get('/c', (req) => {\n  redis.set(`c:${user}`, 1)\n})\n",
	}, "app.js:5 a:* likely\napp.js:6 a:* certain SET\napp.js:9 b:* likely\napp.js:11 b:* certain SET\napp.js:14 c:* certain SET\n")
	checkLines(t, map[string]string{"queue.ts": "import Redis from 'ioredis'\n\nexport class JobQueue {\n" +
		"  constructor(private redis: Redis) {\n" +
		"    this.redis.defineCommand('getItem', { numberOfKeys: 1, lua: `return redis.call('GET', KEYS[1])` })\n  }\n\n" +
		"  async getItem(id: string) {\n    return this.redis.getItem(`items`, id)\n  }\n}\n",
		"worker.ts": "import { JobQueue } from './queue'\n\nexport class Worker {\n  constructor(private queue: JobQueue) {}\n\n" +
			"  find(id: string) {\n    return this.queue.getItem(`due:${id}`)\n  }\n}\n",
	}, "queue.ts:9 items certain EVAL\n")
}

// TestPrefixedPerhaps has a method that puts a prefix before a key only if there is one, and a class with the name of a
// client, which another file has from a library.
func TestPrefixedPerhaps(t *testing.T) {
	checkLines(t, map[string]string{"cache.ts": "import { createClient } from 'redis'\n\nexport class CacheService {\n" +
		"  constructor(private readonly prefix: string, private readonly redis: RedisClient) {}\n\n" +
		"  async remove(key: string) {\n    await this.redis.unlink(this._prefixKey(key))\n  }\n\n" +
		"  private _prefixKey(key: string): string {\n    if (this.prefix.length === 0) {\n      return key\n    }\n" +
		"    return `${this.prefix}-${key}`\n  }\n\n  chains() {\n    return this.remove('chains')\n  }\n}\n",
	}, "cache.ts:14 *chains likely unwritten\ncache.ts:18 *chains certain UNLINK unwritten\n")
	checkLines(t, map[string]string{
		"packages/a/package.json": `{"dependencies": {"ioredis": "5"}}`,
		"packages/a/redis.ts": "import { Redis as Driver } from 'ioredis'\n\nexport class Redis {\n  driver: Driver\n\n" +
			"  async set(key: string, value: string) {\n    await this.driver.set(`${this.scope}:${key}`, value)\n  }\n}\n",
		"packages/b/package.json": `{"dependencies": {"ioredis": "5"}}`,
		"packages/b/nonces.ts": "import { Redis } from 'ioredis'\n\nexport class Nonces {\n" +
			"  constructor(private redis: Redis) {}\n\n  async add(id: string) {\n    await this.redis.set(`nonce:${id}`, '1')\n  }\n}\n",
	}, "packages/b/nonces.ts:7 nonce:* certain SET\n")
}

// TestBeginsWithHTTP has a key that begins like an address, and addresses.
func TestBeginsWithHTTP(t *testing.T) {
	checkLines(t, map[string]string{"a.js": "const redis = require('redis');\n" +
		"const f = (id) => redis.set('http-api:' + id, 1);\nconst g = (id) => redis.set('http://host/' + id, 1);\n" +
		"const h = (s, id) => redis.set('http' + s + '://host/' + id, 1);\n",
	}, "a.js:2 http-api:* certain SET\n")
}

// TestMisread has calls that look like those of a client and are none, and variables of one name
// in blocks beside each other.
func TestMisread(t *testing.T) {
	c := checkout(t, map[string]string{
		"a/StateCache.java": "import redis.clients.jedis.Jedis;\nclass StateCache {\n" +
			"  boolean containsKey(String key) { return jedis.exists(key); }\n}\n",
		"a/Query.java": "class Query {\n  void f(Map parameters) { parameters.containsKey(\"sort:order\"); }\n}\n",
		"b/config.go": "package b\n\nimport \"github.com/redis/go-redis/v9\"\n\n" +
			"func (c *Config) all(ctx context.Context) {\n" +
			"\tc.Get(ctx, \"database:host\")\n}\n\nfunc (c *SessionStore) all(ctx context.Context) {\n" +
			"\tc.Get(ctx, \"session:all\")\n}\n",
		"b/Blocks.java": "class Blocks {\n  void f(String id, boolean x) {\n    if (x) {\n" +
			"      String key = \"one:\" + id;\n" +
			"      jedis.get(key);\n    } else {\n      String key = \"two:\" + id;\n      jedis.incr(key);\n    }\n  }\n}\n",
		"b/caches.go": "package b\n\nimport (\n\t\"github.com/redis/go-redis/v9\"\n" +
			"\tlru \"github.com/hashicorp/golang-lru\"\n)\n\n" +
			"type pages struct {\n\tdb    *redis.Client\n\tcache *lru.Cache\n\tstore *redis.Client\n}\n\n" +
			"func (p *pages) f(id string) {\n\tkey := \"page:local:\" + id\n\tp.cache.Get(key)\n" +
			"\tp.store.Get(ctx, \"page:\"+id)\n}\n",
		"b/Caches.cs": "using StackExchange.Redis;\nclass Caches {\n  private readonly IMemoryCache _cache;\n" +
			"  private readonly IDatabase things;\n" +
			"  void F(string id) { _cache.Set(\"near:\" + id, 1); }\n  Task Send<T>(string name, T value) => null;\n" +
			"  void G() { Send(\"topic:one\", 1); }\n}\n",
		"b/plain.py": "import redis\nrows = {}\nclient: redis.Redis = connect()\n\ndef f(id, row):\n" +
			"    rows.get('row:' + id)\n" +
			"    client.get('client:' + id)\n    for r in row:\n        r.get('cell:' + id)\n" +
			"    return named(kind='b', key='a')\n\n" +
			"def named(key, kind):\n    client.set(f'{kind}:{key}:x', 1)\n\ndef g():\n    SETTINGS_REDIS.get('HOST')\n" +
			"    client.get('news:latest')\n    client.set('news:latest', 1)\n    client.set('client:1', 1)\n",
		"c/page/package.json": "{\"dependencies\": {\"react\": \"19\"}}\n",
		"c/page/cart.ts": "const CART_CACHE_KEY = 'cart:';\n" +
			"export const f = (id) => cache.get(`${CART_CACHE_KEY}${id}`);\n",
		"c/api/package.json": "{\"dependencies\": {\"ioredis\": \"5\"}}\n",
		"c/api/cart.ts": "import { Redis } from 'ioredis';\nclass A {\n" +
			"  constructor(private readonly store: Redis) {}\n  f(id) { return this.store.get<Cart>(`cart:${id}`); }\n}\n",
		"b/blocks.ts": "const a = (x) => {\n  let key = `one:${x}`;\n  if (x) {\n    key = `two:${x}`;\n  }\n" +
			"  redis.get(key);\n};\n",
	})
	var calls []string
	for _, p := range c.Patterns {
		if len(p.Commands) > 0 || strings.HasPrefix(p.File, "c/page") || strings.HasPrefix(p.File, "b/ca") {
			call := fmt.Sprintf("%s:%d %s", p.File, p.Line, p.Key)
			if p.needs == unwritten {
				call += " unwritten"
			}
			calls = append(calls, call)
		}
	}
	want := "b/Blocks.java:5 one:* unwritten, b/Blocks.java:8 two:*, b/blocks.ts:6 one:* unwritten, " +
		"b/blocks.ts:6 two:*, " +
		"b/caches.go:17 page:* unwritten, b/config.go:10 session:all unwritten, b/plain.py:7 client:* unwritten, " +
		"b/plain.py:10 b:a:x, b/plain.py:13 *:*:x, b/plain.py:16 HOST unwritten, b/plain.py:17 news:latest, " +
		"b/plain.py:18 news:latest, b/plain.py:19 client:1, c/api/cart.ts:4 cart:* unwritten"
	if got := strings.Join(calls, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
