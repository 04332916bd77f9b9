package codebase

import (
	"strings"
	"testing"
)

// TestKeysOfRuby has keys that are lists, methods that join one, locks of Redlock and queues of Sidekiq.
func TestKeysOfRuby(t *testing.T) {
	checkLines(t, map[string]string{
		"config/environments/production.rb": "Rails.application.configure do\n  config.cache_store = :redis_cache_store\nend\n",
		"app/models/post.rb": "class Post\n  def html\n    Rails.cache.fetch([\"markdown\", \"v1\", digest(body)]) { render }\n" +
			"    key = [\"search\", term]\n    Rails.cache.fetch(key) { find }\n    Rails.cache.fetch([self, \"tags\"]) { load_tags }\n  end\n\n" +
			"  def _limit_key\n    @k ||= \"users:#{id}:limit\"\n  end\n\n  def limit\n    Rails.cache.write(_limit_key, 1)\n  end\nend\n",
	}, "app/models/post.rb:3 markdown/v1/* likely cache\napp/models/post.rb:5 search/* likely cache\n"+
		"app/models/post.rb:6 */tags likely cache\napp/models/post.rb:10 users:*:limit likely\napp/models/post.rb:14 users:*:limit likely cache\n")
	checkLines(t, map[string]string{
		"services.rb": "module Services\n  def self.cache\n    @cache ||= ActiveSupport::Cache.lookup_store(:memory_store)\n  end\nend\n",
		"user.rb":     "class User\n  def self.locate(token)\n    Services.cache.fetch([\"users\", token]) { find(token) }\n  end\nend\n",
		"redis.rb":    "require 'redis'\nREDIS = Redis.new\n",
	}, "")
	checkLines(t, map[string]string{
		"build.rb": "require 'redis'\n\nclass Build\n  def add(worker)\n    redis.sadd(key('workers'), worker)\n" +
			"    redis.rpush(key('worker', worker, 'queue'), 1)\n  end\n\n  def key(*parts)\n    ['build', config.id, *parts].join(':')\n  end\nend\n",
		"worker.rb": "class Worker < Build\n  def leave\n    redis.srem(key('workers'), id)\n  end\nend\n",
		"lock.rb":   "class Lock\n  def run\n    Redlock::Client.new([url]).lock(\"lock-#{id}\", 2000) { work }\n    record.lock!(\"x-#{id}\")\n  end\nend\n",
		"job.rb":    "class MailJob\n  include Sidekiq::Job\n  sidekiq_options retry: 2, queue: :mail\nend\n",
	}, "build.rb:5 build:*:workers certain SADD\nbuild.rb:6 build:*:worker:*:queue certain RPUSH\n"+
		"build.rb:10 build:* likely unwritten\n"+
		"job.rb:3 queue:mail certain LPUSH\nlock.rb:3 lock-* certain SET\nworker.rb:3 build:*:workers certain SREM\n")
}

// TestKeyv has a cache of Keyv, which puts a namespace before each key by default.
func TestKeyv(t *testing.T) {
	checkLines(t, map[string]string{"usage.ts": "import { Keyv } from 'keyv'\nimport KeyvRedis from '@keyv/redis'\n\n" +
		"export class Usage {\n  private cache: Cache\n\n  put(id: string) {\n    this.cache.set(`storage:${id}`, 1)\n  }\n}\n",
	}, "usage.ts:8 *storage:* likely SET\n")
}

// TestStoreOfInitializer has a cache store that an initializer sets, when Rails.cache has that of the framework.
func TestStoreOfInitializer(t *testing.T) {
	const use = "class Pages\n  def f(id)\n    Rails.cache.write(\"pages:#{id}\", 1)\n  end\nend\n"
	for name, want := range map[string]string{
		"config/initializers/cache_store.rb": "app/a.rb:3 pages:* possible cache if " + railsSetting +
			" config/initializers/cache_store.rb:1\n",
		"config/application.rb":          "app/a.rb:3 pages:* likely cache\n",
		"config/environments/staging.rb": "app/a.rb:3 pages:* possible cache if " + railsSetting + "\n",
	} {
		checkLines(t, map[string]string{"app/a.rb": use,
			name: "Rails.application.config.cache_store = :redis_cache_store, { url: ENV['REDIS_URL'] }\n"}, want)
	}
}

// TestRuby has keys that a checkout only reads, methods of a class and of its objects with one name, lines that go on,
// clients of pools and caches of the process. Each row is the body of a method, from line 4.
func TestRuby(t *testing.T) {
	const head, end = "require 'redis'\nclass Visits\n  def f(id)\n", "\n  end\nend\n"
	for _, row := range [][2]string{
		{"key = \"price:#{id}\"\nredis.get(key)\nredis.zrem(\"ranks:all\", id)\nredis.lpop('jobs:late')",
			"a.rb:4 price:* likely unwritten\na.rb:5 price:* certain GET unwritten\n" +
				"a.rb:6 ranks:all certain ZREM unwritten\na.rb:7 jobs:late certain LPOP unwritten\n"},
		{"redis.get(\"price:#{id}\")\nredis.set(\"price:#{id + 1}\", 1)",
			"a.rb:4 price:* certain GET\na.rb:5 price:* certain SET\n"},
		{"redis.smembers('carts:open')\nredis.sadd(\"carts:#{id}\", 1)",
			"a.rb:4 carts:open certain SMEMBERS unwritten\na.rb:5 carts:* certain SADD\n"},
		{"redis.setex \\\n  \"codes:#{id}\",\n  60, 1", "a.rb:4 codes:* certain SETEX\n"},
		{"redis.mapped_hmset(\"user:#{id}\", name: 1)", "a.rb:4 user:* certain HMSET\n"},
		{"CACHE.set(:all, 1)\ncache.get(:all)", ""},
		{"redis.lrange('carts:open', 0, -1)\nredis.set(\"carts:#{id}\", 1)",
			"a.rb:4 carts:open certain LRANGE unwritten\na.rb:5 carts:* certain SET\n"},
		{"day = date.to_s('%Y-%m-%d')\nredis.incr(\"day:#{day}\")", "a.rb:5 day:* certain INCR\n"},
		{"keys = redis.keys('ranks*')\nredis.del(*keys)\nredis.set(\"ranks:#{id}\", 1)", "a.rb:6 ranks:* certain SET\n"},
		{"last = id ? ':a' : ''\n\"lock:#{id}\" \\\n  \":by:#{id}\"\nredis.incr \"lock:#{id}\" ':by:' \"#{id}\"",
			"a.rb:7 lock:*:by:* certain INCR\n"},
	} {
		body := "    " + strings.ReplaceAll(row[0], "\n", "\n    ")
		checkLines(t, map[string]string{"a.rb": head + body + end}, row[1])
	}
	checkLines(t, map[string]string{"a.rb": head + "    at = key\n    redis.hset(at, 'a', 1)\n  end\n\n" +
		"  def self.key(id)\n    \"room:#{id}\"\n  end\n\n  def key\n    self.class.key(id)" + end,
	}, "a.rb:5 room:* certain HSET\na.rb:9 room:* likely\na.rb:13 room:* likely\n")
	checkLines(t, map[string]string{
		"a.rb": head + "    Pool.with { |redis| redis.set(\"seats:#{id}\", 1) }" + end,
		"pool.rb": "module Pool\n  def self.pool\n    Made.new(size: 5) do\n      redis = Redis.new\n" +
			"      redis = Redis::Namespace.new('shop', redis: redis) if ENV['NAMED']\n      redis\n    end\n  end\nend\n",
	}, "a.rb:4 *seats:* certain SET\n")
	checkLines(t, map[string]string{
		"config/application.rb": "config.cache_store = :redis_cache_store\n",
		"a.rb": "require 'redis'\nclass Pages\n  def initialize(cache = Rails.cache)\n    @cache = cache\n  end\n" +
			"  def pages\n    Rails.cache\n  end\n  def f(id, &made)\n    @cache.write(\"page:#{id}\", 1)\n" +
			"    pages.fetch(\"text:#{id}\", &made)\n" +
			"    page = Rails.cache.fetch(\"read:#{id}\")\n    page.fetch(:title)\n  end\nend\n",
	}, "a.rb:10 page:* likely cache\na.rb:11 text:* likely cache\na.rb:12 read:* likely cache unwritten\n")
	checkLines(t, map[string]string{
		"config/application.rb":          "config.cache_store = :redis_cache_store, {\n  namespace: 'pages'\n}\n",
		"config/initializers/objects.rb": "Redis::Objects.redis = Redis::Namespace.new('objects', redis: Redis.new)\n",
		"a.rb":                           head + "    Rails.cache.write(\"page:#{id}\", 1)" + end,
	}, "a.rb:4 pages:page:* likely cache\n", "pages:")
	checkLines(t, map[string]string{
		"jobs/expiry.rb": head + "    find(id)\n  rescue Expired\n    redis.set(status_key, 1)" + end,
		"jobs/import.rb": "class Import\n  def f\n    @status_key = \"import:#{id}\"\n" +
			"    redis.set(@status_key, 1)\n  end\nend\n",
	}, "jobs/import.rb:3 import:* likely\njobs/import.rb:4 import:* certain SET\n")
}

// TestNamespacesOfRuby has what precedes the keys of Redis.current and of the cache of Rails, and what does not.
func TestNamespacesOfRuby(t *testing.T) {
	const use = "require 'redis'\nclass Seats\n  def f(id)\n    Redis.current.set(\"seats:#{id}\", 1)\n" +
		"    Rails.cache.write(\"page:#{id}\", 1)\n  end\nend\n"
	for _, row := range [][3]string{
		{"unless Rails.env.test?\n  Redis.current = Redis::Namespace.new('hall', redis: Redis.new)\nelse\n" +
			"  Redis.current = Redis::Namespace.new('test', redis: Fake.new)\nend\n", "hall:seats:*"},
		{"if Rails.env.test?\n  Redis.current = Redis::Namespace.new('test', redis: Fake.new)\nend\n", "seats:*"},
		{"config.cache_store = :redis_cache_store, { url: url }\n" +
			"config.session_store = :cache_store, { key: '_s', namespace: 'sessions' }\n", "seats:*", "page:*"},
		{"config.cache_store = :redis_store, 'redis://localhost:6379/1/views'\n", "seats:*", "views:page:*"},
		{"config.cache_store = :redis_cache_store, { url: 'redis://localhost:6379/1/views' }\n", "seats:*", "page:*"},
		{"ENV['CACHE_URL'] ||= \"redis://#{host}/1/views\"\nconfig.cache_store = :redis_store, ENV['CACHE_URL']\n", "seats:*",
			"views:page:*"},
	} {
		want := "a.rb:4 " + row[1] + " certain SET\n"
		if row[2] != "" {
			want += "a.rb:5 " + row[2] + " likely cache\n"
		} else {
			want += "a.rb:5 page:* possible cache if " + railsSetting + "\n"
		}
		var prefixes []string
		for _, name := range row[1:] {
			if prefix, _, _ := strings.Cut(name, ":"); strings.Count(name, ":") > 1 {
				prefixes = append(prefixes, prefix+":")
			}
		}
		checkLines(t, map[string]string{"a.rb": use, "config/application.rb": row[0]}, want, prefixes...)
	}
}

// TestSplat has a method that passes any number of arguments on, and a method of a class that has the name of one of a
// module.
func TestSplat(t *testing.T) {
	checkLines(t, map[string]string{
		"stored.rb": "require 'redis'\nmodule Stored\n  def from_store(*args, &block)\n    at = key(*args)\n" +
			"    redis.set(at, yield)\n  end\n\n  def key(*args)\n    \"#{self.class}:#{args.join(':')}\"\n  end\nend\n",
		"rooms.rb": "class Rooms\n  include Stored\n  def f(id)\n    from_store(:room, id, expire: 30) do\n" +
			"      find(id)\n    end\n  end\nend\n",
		"texts.rb": "require 'redis'\nclass Texts\n  def f(id)\n    from_store(\"text:#{id}\") do\n" +
			"      find(id)\n    end\n  end\n\n" +
			"  def from_store(key, &block)\n    redis.set(key, yield)\n  end\nend\n",
	}, "rooms.rb:4 *:room:* certain SET\nstored.rb:9 *:room:* likely\ntexts.rb:4 text:* certain SET\n")
}

// TestActiveJob has queues of Active Job, which are keys if Sidekiq is below it, and queues of a Sidekiq with a
// namespace.
func TestActiveJob(t *testing.T) {
	const job = "class MailJob < ApplicationJob\n  queue_as :mail\n  queue_as { urgent? ? :now : :later }\nend\n"
	for _, row := range [][2]string{
		{"config.active_job.queue_adapter = :sidekiq\n", "mail_job.rb:2 queue:mail certain LPUSH\n"},
		{"# config.active_job.queue_adapter = :sidekiq\n", ""},
		{"config.active_job.queue_adapter = :sidekiq\nconfig.active_job.queue_name_prefix = \"shop\"\n", ""},
		{"config.active_job.queue_adapter = :solid_queue\n", ""},
	} {
		checkLines(t, map[string]string{"config/application.rb": row[0], "mail_job.rb": job}, row[1])
	}
	checkLines(t, map[string]string{
		"config/application.rb":             "config.active_job.queue_adapter = :sidekiq\n",
		"config/environments/production.rb": "config.active_job.queue_adapter = :good_job\n",
		"config/initializers/sidekiq.rb":    "Sidekiq.configure_server { |c| c.redis = { url: url, namespace: 'shop' } }\n",
		"mail_job.rb":                       job,
		"tidy.rb":                           "class Tidy\n  include Sidekiq::Job\n  sidekiq_options queue: :low\nend\n",
	}, "tidy.rb:3 *queue:low certain LPUSH\n")
}

// TestOtherValues has values that a key function has only in tests, patterns of match, and a default for an empty text.
func TestOtherValues(t *testing.T) {
	checkLines(t, map[string]string{
		"store.rb": "require 'redis'\nclass Store\n  def save(id)\n    Redis.new.set(build_key(\"a:#{id}\"), 1)\n  end\n" +
			"  def build_key(key)\n    return key unless Rails.env.test?\n\n    \"test:#{key}\"\n  end\n" +
			"  def mark(id)\n    Redis.new.set(mark_key(id), 1)\n  end\n" +
			"  def mark_key(id)\n    return \"spec:#{id}\" if Rails.env.test?\n\n    \"mark:#{id}\"\n  end\nend\n",
		"board.rs": "use redis::Commands;\nfn board_key(id: &str, period: &str) -> String {\n    match period {\n" +
			"        \"weekly\" | \"week\" => {\n            format!(\"board:{id}:weekly\")\n        }\n" +
			"        _ => format!(\"board:{id}:all\"),\n    }\n}\n" +
			"fn save(mut c: redis::Connection, id: &str, p: &str) {\n    let _: () = c.set(board_key(id, p), 1).unwrap();\n}\n",
		"Places.cs": "using StackExchange.Redis;\nclass Places {\n  void F(IDatabase db, string name) {\n" +
			"    var slug = Regex.Replace(name, \" \", \"-\");\n    if (string.IsNullOrEmpty(slug))\n      slug = \"_\";\n" +
			"    db.StringSet($\"place:{slug}\", 1);\n  }\n}\n",
	}, "Places.cs:7 place:* certain SET\nboard.rs:5 board:*:weekly likely\nboard.rs:7 board:*:all likely\n"+
		"board.rs:11 board:*:all certain SET\nboard.rs:11 board:*:weekly certain SET\nstore.rb:4 *a:* certain SET\n"+
		"store.rb:12 mark:* certain SET\nstore.rb:17 mark:* likely\n")
}
