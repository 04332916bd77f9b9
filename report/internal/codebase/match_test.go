package codebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report/internal/identity"
)

// shop is a checkout whose lines the tests of matching name.
func shop(t *testing.T) *Checkout {
	return checkout(t, map[string]string{"api/shop.js": `const redis = require('redis');
async function saveJobs(id) { await redis.sadd('crawl:' + id + ':jobs', 1); }
async function save(id) { await redis.set('crawl:' + id, '{}'); }
async function readJobs(id) { return redis.smembers('crawl:' + id + ':jobs'); }
async function done(id) { await redis.hset('crawl:' + id + ':jobs_done', 'a', 1); }
async function tag(q, n) { await redis.lpush('queue:{' + q + ':' + n + '}:pending', 1); }
async function push(name) { await redis.rpush('mail:queue:' + name, 1); }
async function all() { await redis.sadd('mail:queues', 1); }
async function version(id) { await redis.set('v2:page:' + id, 1); }
async function tail(p) { await redis.zadd(p + ':scores', 1, 'a'); }
`, ".github/CODEOWNERS": "* @all\n/api/ @shop @team/api # the shop\n"})
}

// TestMatch finds the lines of groups as a report has them. Where the names differ by a
// word, it finds none.
func TestMatch(t *testing.T) {
	groups := []Group{
		{Pattern: "crawl:*:jobs", Type: "set"}, {Pattern: "crawl:*:jobs", Type: "list"}, {Pattern: "crawl:*", Type: "string"},
		{Pattern: "crawl:*:jobs_done", Type: "hash"}, {Pattern: "crawl:*:jobs_failed", Type: "hash"},
		{Pattern: "crawl:*:kickoff:jobs", Type: "set"}, {Pattern: "queue:{*:*}:pending", Type: "list"}, {Pattern: "mail:queue:billing", Type: "list"},
		{Pattern: "app:mail:queues", Type: "set"}, {Pattern: "app:mail:queue:*", Type: "list"},
		{Pattern: "v*:page:*", Type: "string"}, {Pattern: "game:*:scores", Type: "zset"}, {Pattern: "scrawl:*:jobs", Type: "set"},
		{Pattern: "jobs", Type: "set"}, {Pattern: "crawl:6f7f5061-f11b-44a7-a28b-b0502276e3bf:jobs", Type: "set"},
		{Pattern: "crawl:*:*", Type: "set"}, {Pattern: "*", Type: "string"}, {Pattern: "", Type: "string"},
	}
	want := []string{
		"2 certain", "", "3 certain", "5 certain", "", "", "6 certain", "7 likely", "8 certain", "7 certain",
		"9 certain", "10 likely", "", "", "2 certain", "2 likely", "", "",
	}
	for i, list := range shop(t).Match(groups) {
		var got []string
		for _, c := range list {
			got = append(got, fmt.Sprintf("%d %v", c.Line, c.Sure))
		}
		if s := strings.Join(got, ", "); s != want[i] {
			t.Errorf("%v: lines %q, want %q", groups[i], s, want[i])
		}
	}
}

// TestOwnText finds the lines of groups whose variable parts are addresses, hosts, digests or words
// with spaces, and names that Java has serialized.
func TestOwnText(t *testing.T) {
	c := checkout(t, map[string]string{"a.js": `const redis = require('redis');
async function limit(email) { await redis.set('limit:' + email, 1); }
async function code(mail) { await redis.set('Code.' + mail + '.Count', 1); }
async function pull(id, d) { await redis.set('pull:' + id + ':digest:' + d, 1); }
async function tags(n, q) { await redis.set('posts:' + n + ':' + q, 1); }
async function token(scope) { await redis.set('token-' + scope, 1); }
async function like(id) { await redis.sadd('like:' + id, 1); }
`})
	for group, want := range map[string]string{
		"limit:user*@x.org": "2", "limit:user*@mail.example.org": "2", "limit:user:*@x.org": "", "limit:mail:user*": "",
		"Code.u*@x.org.Count": "3", "Code.a.b.Count": "", "pull:*:digest:sha256:*": "4", "pull:*:digest:other:*": "",
		"posts:*:sky fav:me": "5", "posts:*:a:b": "", "token-dev.team.app*": "6", "token-dev:app*": "",
		"\xac\xed\x00\x05t\x00\x08like:*": "7", "\xac\xed\x00\x05t\x00": "", "\xac\xed\x00\x05sr\x00like:*": "",
	} {
		var got []string
		for _, candidate := range c.Match([]Group{{Pattern: group}})[0] {
			got = append(got, fmt.Sprint(candidate.Line))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: lines %q, want %q", group, s, want)
		}
	}
}

// TestWriters finds the lines that write keys, not those that read, delete or move them away, and of
// several with the same pattern those that have a word of the group.
func TestWriters(t *testing.T) {
	c := checkout(t, map[string]string{"a.py": `import redis
r = redis.Redis()
def save_sources(day): r.sadd(f'{day}|sources', 1)
def sources(day):
    key = f'{day}|sources'
    return r.smembers(key)
def rank(day, source):
    all_key = f'{day}|asns|v4'
    source_key = f'{day}|{source}|asns|v4'
    r.zincrby(all_key, 1, 'a')
    r.zadd(source_key, {'a': 1})
def stale(day): return r.exists(f'{day}|stale')
`, "a.js": `const redis = require('redis');
async function take() { return redis.brpoplpush('mail:waiting', 'mail:active', 1); }
async function put() { await redis.lpush('mail:waiting', 1); }
async function destroy() { return runner._evalScript('gone', 1, 'mail:gone'); }
async function check() { return runner._evalScript('check', 2, 'mail:checked', 'mail:waiting'); }
const metric = (kind, name) => 'metric:' + kind + ':' + name;
async function addCounter(data) { await redis.hset(metric(data.kind, data.name), 'a', 1); }
async function addGauge(data) { await redis.hset(metric(data.kind, data.name), 'a', 1); }
class Store {
  prefix = 'store:';
  setPrefix(prefix) { this.prefix = prefix; }
  async add(id) { await redis.set(this.prefix + 'item:' + id, 1); }
}
`, "b.rb": `class Log
  def add(name)
    @storage.zadd("events:#{name}", 1, 'a')
  end
end
`, "c.rb": "require 'redis'\nRedis.new.set('a:b', 1)\n"})
	for group, want := range map[string]string{
		"2026-01-01|sources": "a.py:3", "2026-01-01|asns|v4": "a.py:10", "2026-01-01|ripe.net|asns|v4": "a.py:11", "2026-01-01|stale": "",
		"mail:waiting": "a.js:3", "mail:active": "a.js:2", "mail:gone": "", "mail:checked": "a.js:5",
		"metric:counter:a*": "a.js:7", "metric:gauge:a*": "a.js:8", "store:item:*": "a.js:12", "events:*": "b.rb:3",
	} {
		var got []string
		for _, candidate := range c.Match([]Group{{Pattern: group}})[0] {
			got = append(got, fmt.Sprintf("%s:%d", candidate.File, candidate.Line))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: lines %q, want %q", group, s, want)
		}
	}
}

// TestPrefixesOfOne tells keys of one prefix from those of a prefix and a word.
func TestPrefixesOfOne(t *testing.T) {
	c := checkout(t, map[string]string{"a.js": `const redis = require('redis');
async function meta(p, id) { await redis.set(p + ':meta:' + id, 1); }
`})
	groups := []Group{{Pattern: "app:meta:*"}, {Pattern: "app:state:meta:*"}, {Pattern: "eu:shop:meta:*"}}
	var got []int
	for _, list := range c.Match(groups) {
		got = append(got, len(list))
	}
	if want := []int{1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("%v lines, want %v", got, want)
	}
}

// TestMembers finds keys whose parts are members that literals of Go give a value, texts put for others,
// conversions, prefixes of a configuration, and the first of several values.
func TestMembers(t *testing.T) {
	c := checkout(t, map[string]string{"go.mod": "module example.org/hibiken/asynq/v2\n", "a.go": `package a
import ("github.com/redis/go-redis/v9"; "github.com/hibiken/asynq")
type channelID string
const heartbeat = "conn::{name}::heartbeat"
type conn struct { beatKey, queuePrefix string; rdb *redis.Client }
func open(name string, rdb *redis.Client) *conn {
	server := asynq.NewServer(name)
	return &conn{beatKey: strings.Replace(heartbeat, "{name}", name, 1), queuePrefix: "jobs:", rdb: rdb}
}
func (c *conn) beat(ctx context.Context) { c.rdb.Set(ctx, c.beatKey, 1, 0) }
func (c *conn) push(ctx context.Context, job string) { c.rdb.LPush(ctx, c.queuePrefix+job, 1) }
func presence(ch string) channelID { return channelID("presence." + ch) }
func (c *conn) join(ctx context.Context, ch string) { c.rdb.HSet(ctx, string(presence(ch)), "a", 1) }
func keyOf(id string) (string, error) { return "lease:" + id, nil }
func (c *conn) lease(ctx context.Context, id string) {
	key, err := keyOf(id)
	c.rdb.SAdd(ctx, key, 1)
}
`, "config/api.ts": `export default { general: () => { return { cachePrefix: "shop:cache:" } } }`,
		"cache.ts": `import Redis from 'ioredis';
const redisPrefix: string = config.general.cachePrefix;
export async function save(key) { await redis.set(redisPrefix + key, 1); }
export async function day(d) { await redis.sadd('day:{day}:seen'.replace('{day}', d), 1); }
`, "b.php": `<?php class B { const K = 'cart:%id%:lines';
  function add($id) { $this->redis->hSet(str_replace('%id%', $id, self::K), 'a', 1); } }
`})
	c.Patterns = append(c.Patterns, checkout(t, map[string]string{"app.rb": `class App
  class << self
    def storage_key(service, id, attribute)
      encode_key("application/#{service}:#{id}/#{attribute}")
    end
    def encode_key(key)
      key.to_s.tr(' ', '+')
    end
  end
  def storage_key(attribute)
    self.class.storage_key(service, id, attribute)
  end
  def persist(client)
    client.set(storage_key(:state), 1)
    client.sadd(storage_key(:keys), 1)
  end
end
`, "c.rb": "require 'redis'\n", "Schema.java": `import redis.clients.jedis.Jedis;
enum State {
  OPEN("open_jobs", Kind.A),
  DONE("done_jobs", Kind.B);
  private final String key;
  State(String key, Kind n) { this.key = key; }
  String getKey() { return key; }
}
class Schema {
  static final String DEFAULT_DELIMITER = ":";
  final String delimiter;
  Schema(String delimiter) { this.delimiter = delimiter; }
  String jobKey(Job job) { return "job" + delimiter + job.getGroup() + delimiter + job.getName(); }
  String stateKey(State state) { return state.getKey(); }
}
class Store {
  final Schema schema;
  void add(Job job, Jedis jedis) {
    jedis.hset(schema.jobKey(job), "a", "b");
    jedis.zadd(schema.stateKey(State.OPEN), 1, "a");
  }
}
`}).Patterns...)
	for group, want := range map[string]string{
		"application/*:*/state": "app.rb:14", "job:*:*": "Schema.java:19", "open_jobs": "Schema.java:20",
		"conn::*::heartbeat": "a.go:10", "jobs:*": "a.go:11", "presence.*": "a.go:13", "lease:*": "a.go:17",
		"shop:cache:*": "cache.ts:3", "day:*:seen": "cache.ts:4", "cart:*:lines": "b.php:2",
	} {
		list := c.Match([]Group{{Pattern: group}})[0]
		if len(list) == 0 || fmt.Sprintf("%s:%d", list[0].File, list[0].Line) != want {
			t.Errorf("%q: %v, want %q", group, list, want)
		}
	}
	if list := c.Match([]Group{{Pattern: "asynq:{default}:t:*", Library: "asynq"}})[0]; len(list) > 0 {
		t.Errorf("a library sets itself up: %+v", list)
	}
}

// TestReference checks what a report says of a line.
func TestReference(t *testing.T) {
	f := Finder{Checkouts: []*Checkout{shop(t)}, URL: "https://git.example/{path}#L{line}"}
	r := f.Find([]Group{{Pattern: "crawl:*:jobs", Type: "set"}})[0][0]
	if r.File != "api/shop.js" || r.Line != 2 || r.Function != "saveJobs" || r.Text != "async function saveJobs(id) { await redis.sadd('crawl:' + id + ':jobs', 1); }" ||
		r.Why != "SADD with crawl:*:jobs" || r.URL != "https://git.example/api/shop.js#L2" || !slices.Equal(r.Owners, []string{"@shop", "@team/api"}) || r.Dir != "" || r.Place() != "api/shop.js:2" {
		t.Errorf("%+v", r)
	}
	f.Checkouts = append(f.Checkouts, f.Checkouts[0])
	if r := f.Find([]Group{{Pattern: "crawl:*:jobs", Type: "set"}})[0]; len(r) != 2 || r[0].Dir == "" {
		t.Errorf("%+v", r)
	}
}

// TestUnmatched lists the patterns that no key of a snapshot has.
func TestUnmatched(t *testing.T) {
	var got []string
	for _, p := range shop(t).Unmatched([]Group{{Pattern: "crawl:*:jobs", Type: "set"},
		{Pattern: "crawl:*", Type: "string"}, {Pattern: "mail:queue:a", Type: "list"}, {Pattern: "v*:page:*", Type: "string"}}) {
		got = append(got, p.Key)
	}
	if want := []string{"crawl:*:jobs_done", "queue:{*:*}:pending", "mail:queues"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestIgnore compares paths with lines of .gitignore as git does.
func TestIgnore(t *testing.T) {
	for _, c := range []struct {
		line, path string
		directory  bool
		want       bool
	}{
		{"*.log", "a/b.log", false, true}, {"/a.log", "b/a.log", false, false}, {"/a.log", "a.log", false, true}, {"tmp/", "x/tmp", true, true},
		{"tmp/", "x/tmp", false, false}, {"a/b", "x/a/b", true, false}, {"**/b", "x/a/b", false, true}, {"a/**/b", "a/b", false, true}, {"a/**/b", "a/x/y/b", false, true},
		{"a/**", "a/x/y", false, true}, {"[a-c]?.js", "b1.js", false, true}, {"[!a-c].js", "b.js", false, false}, {"#x", "#x", false, false}, {`\#x`, "#x", false, true},
		{"a*b*c", "aXbYbZc", false, true}, {"[a", "[a", false, true}, {"", "a", false, false}, {"/", "a", true, false},
	} {
		if got := (ignoreList{}).with(c.line, 0).ignores(c.path, c.directory); got != c.want {
			t.Errorf("%q of %q: %v", c.line, c.path, got)
		}
	}
	if l := (ignoreList{}).with("*.js\n!keep.js\n", 0); l.ignores("keep.js", false) || !l.ignores("a.js", false) {
		t.Error("an exception is not kept")
	}
}

// TestSetups finds the lines that set up the library which wrote keys: of its queue, if they
// name one.
func TestSetups(t *testing.T) {
	c := checkout(t, map[string]string{
		"mail.ts":         "import { Queue, Worker } from 'bullmq';\nimport { NAMES } from './names';\nexport const mail = new Queue(NAMES.MAIL, {});\nnew Queue('other');\nnew Worker('mail', f);\n",
		"names.ts":        "export const NAMES = { MAIL: 'mail' };\n",
		"nest.ts":         "import { BullModule } from '@nestjs/bullmq';\nBullModule.registerQueue({ name: 'nest', connection });\n",
		"plain.ts":        "import { Queue } from './own';\nnew Queue('mail');\n",
		"settings.py":     "CACHES = {\n    'default': {'BACKEND': 'django_redis.cache.RedisCache'},\n}\n",
		"application.yml": "server:\n  port: 1\nspring:\n  session:\n    store-type: redis\n",
		"mailer.rb":       "class Mailer\n  include Sidekiq::Job\n  sidekiq_options queue: :mailers, retry: 3\nend\n",
		"queue.go":        "package q\nimport \"github.com/hibiken/asynq\"\nfunc f() { c.Enqueue(t, asynq.Queue(\"low\")) }\n",
		"queue.php":       "<?php return ['prefix' => env('HORIZON_PREFIX', 'horizon:')];\n",
	})
	for _, test := range []struct{ library, queue, want string }{
		{"BullMQ", "mail", "mail.ts:3 certain it sets up BullMQ, mail"},
		{"BullMQ", "nest", "nest.ts:2 certain it sets up BullMQ, nest"},
		{"BullMQ", "none", ""}, {"Bull", "mail", ""}, {"", "mail", ""},
		{"django-redis", "", "settings.py:1 likely it sets up django-redis"},
		{"Spring Session", "", "application.yml:4 likely it sets up Spring Session"},
		{"Sidekiq", "mailers", "mailer.rb:3 certain it sets up Sidekiq, mailers"},
		{"asynq", "low", "queue.go:3 certain it sets up asynq, low"},
		{"Laravel Horizon", "", "queue.php:1 likely it sets up Laravel Horizon"},
	} {
		f := Finder{Checkouts: []*Checkout{c}}
		got := ""
		if list := f.Find([]Group{{Pattern: "x:*", Library: test.library, Queue: test.queue}})[0]; len(list) > 0 {
			got = list[0].Place() + " " + list[0].Sure + " " + list[0].Why
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.library, test.queue, got, test.want)
		}
	}
}

// TestSetupLines checks that the libraries of setupLines are those that are recognised.
func TestSetupLines(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(setupLines)) {
		library, words, _ := strings.Cut(line, ": ")
		if r := identity.Find(library); r == nil || r.Library != library || strings.TrimSpace(words) == "" {
			t.Errorf("%q is no library with words", library)
		}
	}
}

// TestOnlyPattern finds the line of the one pattern that can have the keys of a group, whose words are short, or whose
// values have separators. It finds none where another pattern begins like it.
func TestOnlyPattern(t *testing.T) {
	c := checkout(t, map[string]string{"a.js": `const redis = require('redis');
async function page(id) { await redis.hset('c:' + id + ':p', 'a', 1); }
async function list(id) { await redis.rpush('c:' + id + ':q', 1); }
async function stash(path, text) { await redis.set('stash:' + path, text); }
async function allow(object, right) { await redis.sadd('permission:' + object + ':' + right, 1); }
async function limit(path) { await redis.set('rl:' + path, 1); }
async function limitToken(token) { await redis.set('rl:tok:' + token, 1); }
`})
	groups := []Group{{Pattern: "c:*:p", Type: "hash"}, {Pattern: "c:*:q", Type: "hash"}, {Pattern: "stash:silence/i-*", Type: "string"},
		{Pattern: "stash:silence/i-*", Type: "list"}, {Pattern: "permission:/buckets/x*:read", Type: "set"},
		{Pattern: "rl:/path:*", Type: "string"}, {Pattern: "stashes:a/b", Type: "string"}}
	for i, want := range []string{"2 certain", "", "4 likely", "", "5 likely", "", ""} {
		got := ""
		for _, l := range c.Match(groups)[i] {
			got += fmt.Sprintf("%d %v", l.Line, l.Sure)
		}
		if got != want {
			t.Errorf("%v: lines %q, want %q", groups[i], got, want)
		}
	}
}
