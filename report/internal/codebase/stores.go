package codebase

import (
	"path"
	"strings"
)

// A libraryStore is a class or a method of a library of JavaScript that writes keys of its own: a prefix, which an
// option may change, and what follows. Those of a queue have its name, too.
type libraryStore struct {
	module, option, prefix, after string
	queue                         bool
}

var libraryStores = map[string][]libraryStore{
	"RedisStore": {{module: "connect-redis", option: "prefix", prefix: "sess:"},
		{module: "rate-limit-redis", option: "prefix", prefix: "rl:"}},
	"Ratelimit":        {{module: "@upstash/ratelimit", option: "prefix", prefix: "@upstash/ratelimit", after: ":"}},
	"RateLimiterRedis": {{module: "rate-limiter-flexible", option: "keyPrefix", prefix: "rlflx", after: ":"}},
	"Queue": {{module: "bullmq", option: "prefix", prefix: "bull", after: ":", queue: true},
		{module: "bull", option: "prefix", prefix: "bull", after: ":", queue: true},
		{module: "bee-queue", option: "prefix", prefix: "bq", after: ":", queue: true}},
	"Bull":          {{module: "bull", option: "prefix", prefix: "bull", after: ":", queue: true}},
	"registerQueue": nestQueues, "registerQueueAsync": nestQueues,
}

// nestQueues are those of NestJS. The prefix of all queues is often set elsewhere.
var nestQueues = []libraryStore{{module: "@nestjs/bullmq", option: "prefix", after: ":", queue: true},
	{module: "@nestjs/bull", option: "prefix", after: ":", queue: true}}

// queueCommand is what the libraries of queues do. No option of a client precedes their keys.
var queueCommand = &command{name: "EVAL", writes: true, unusual: true}

// sidekiqCommand is what Sidekiq does with the list of a queue.
var sidekiqCommand = &command{name: "LPUSH", kind: "list", writes: true, unusual: true}

// jobCommand is that for the queue of a job of Active Job, which may have another library below it.
var jobCommand = &command{name: "LPUSH", kind: "list", writes: true, unusual: true}

// jobQueue notes the key of the queue that queue_as at a token names.
func (c *collector) jobQueue(i int) {
	if c.is(i+1, "(") {
		i++
	}
	if name, _ := c.expression(i + 1); name.kind == textNode {
		key := &node{kind: joinNode, args: []*node{{kind: textNode, text: "queue:"}, name}}
		c.site(&site{key: c.bound(key), command: jobCommand, sure: Certain}, &c.tokens[i])
	}
}

// jobsInSidekiq reports whether Sidekiq is below Active Job: production.rb counts more than other files.
func (s *scanner) jobsInSidekiq() bool {
	says := map[string]bool{}
	for name, file := range s.sources {
		says[file.adapter] = true
		if path.Base(name) == "production.rb" {
			says["production "+file.adapter] = true
		}
	}
	return !says["prefixed"] && (says["production sidekiq"] || !says["production others"] && says["sidekiq"])
}

// queueAdapter returns what a configuration of Rails puts below Active Job: "sidekiq", "others", or "" nothing;
// "prefixed" if the names of queues have something before them.
func queueAdapter(src, name string) (adapter string) {
	if strings.Contains("/"+name, "/environments/") && path.Base(name) != "production.rb" {
		return ""
	}
	for line := range strings.Lines(src) {
		setting, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case !ok || strings.HasPrefix(setting, "#"):
		case strings.HasSuffix(strings.TrimSpace(setting), "queue_name_prefix"):
			return "prefixed"
		case strings.HasSuffix(strings.TrimSpace(setting), "queue_adapter") && strings.Contains(value, "sidekiq"):
			adapter = "sidekiq"
		case strings.HasSuffix(strings.TrimSpace(setting), "queue_adapter"):
			adapter = "others"
		}
	}
	return adapter
}

// sidekiqQueue notes the list of the queue that sidekiq_options names.
func (c *collector) sidekiqQueue(i int) {
	for n := i + 1; n < i+30 && c.tokens[n].kind != endToken && (!c.tokens[n].first || c.is(n-1, ",")); n++ {
		if c.textOf(n) == "queue" && (c.is(n+1, ":") || c.is(n+1, "=>")) {
			name, _ := c.expression(n + 2)
			c.site(&site{key: c.bound(&node{kind: joinNode, args: []*node{{kind: textNode, text: "queue:"}, name}}),
				command: sidekiqCommand, sure: Certain}, &c.tokens[i])
			return
		}
	}
}

// importsModule reports whether a source of JavaScript imports a module.
func (c *collector) importsModule(name string) bool {
	for _, how := range [...]string{"from '%'", `from "%"`, "require('%')", `require("%")`} {
		if c.says(strings.Replace(how, "%", name, 1), strings.Contains) {
			return true
		}
	}
	return false
}

// libraryStore notes the keys of a library whose class or method is token i.
func (c *collector) libraryStore(i, open int) {
	for _, s := range libraryStores[c.textOf(i)] {
		if !c.importsModule(s.module) || s.prefix != "" && c.textOf(i-1) != "new" {
			continue
		}
		args := c.arguments(open)
		prefix, elsewhere := &node{kind: textNode, text: s.prefix}, len(args) > 0 && args[len(args)-1].kind == wordNode
		if s.prefix == "" || elsewhere && (!s.queue || len(args) > 1) {
			prefix = hole
		}
		var names []*node
		if len(args) > 0 && args[0].kind != holeNode {
			names = args[:1]
		}
		for n := open + 1; n < min(int(c.match[open]), open+400); n++ {
			switch word := c.textOf(n); {
			case c.is(n, ".") && c.is(n+1, ".") && (c.is(n-1, "{") || c.is(n-1, ",")):
				prefix = hole // which other options may have
			case !c.isWord(n) || word != s.option && word != "name":
			case c.is(n+1, ":"):
				value, _ := c.expression(n + 2)
				if word == s.option {
					prefix = value
				} else if len(args) > 0 && args[0].kind == holeNode {
					names = append(names, value)
				}
			case word == s.option && (c.is(n+1, ",") || c.is(n+1, "}")):
				prefix = &node{kind: wordNode, text: word}
			}
		}
		list := []*node{prefix, {kind: textNode, text: s.after}, hole}
		if !s.queue {
			key := c.bound(&node{kind: joinNode, args: list})
			c.site(&site{key: key, command: commands()["set"], sure: Certain}, &c.tokens[i])
			return
		}
		for _, name := range names {
			key := &node{kind: joinNode, args: []*node{prefix, list[1], name, list[1], hole}}
			c.site(&site{key: c.bound(key), command: queueCommand, sure: Certain}, &c.tokens[i])
		}
		return
	}
}

// ofLibrary reports whether the object around is an argument of a class that is no client.
func (c *collector) ofLibrary() bool {
	n := len(c.blocks)
	if n == 0 || !c.is(c.blocks[n-1]-1, "(") {
		return false
	}
	word := c.textOf(max(c.blocks[n-1]-2, 0))
	return word[0] >= 'A' && word[0] <= 'Z' && !clientMakers[word]
}
