package codebase

import (
	"strings"
	"testing"
	"time"
)

// TestTextsOfBlocks has a builder of Go in each of two blocks, names of Ruby from the top, a number that is no prefix,
// and a method of the class around that is named as one of clients.
func TestTextsOfBlocks(t *testing.T) {
	checkLines(t, map[string]string{
		"a.go": "package a\n\nimport (\n\t\"strings\"\n\n\t\"github.com/redis/go-redis/v9\"\n)\n\n" +
			"func (e *B) buildKey(s *Shard, ch, infix string) string {\n\tif !s.isCluster {\n\t\tvar b strings.Builder\n" +
			"\t\tb.WriteString(infix)\n\t\tb.WriteString(ch)\n\t\treturn b.String()\n\t}\n\tvar b strings.Builder\n" +
			"\tb.WriteString(\"cluster\")\n\tb.WriteString(infix)\n\tb.WriteString(ch)\n\treturn b.String()\n}\n\n" +
			"func (e *B) put(s *Shard, ch string) {\n\te.rdb.Set(ctx, e.buildKey(s, ch, \":meta:\"), 1, 0)\n}\n",
	}, "a.go:24 :meta:* certain SET\na.go:24 cluster:meta:* certain SET\n")
	checkLines(t, map[string]string{
		"keys.rb": "module Shop::Keys\n  CART = 'CART::%<id>d::%<token>s'.freeze\nend\n",
		"cart.rb": "require 'redis'\n\nclass Cart\n  def save(token)\n    redis.setex(cart_key(token), 60, 1)\n  end\n\n" +
			"  def cart_key(token)\n    format(::Shop::Keys::CART, id: id, token: token)\n  end\nend\n",
	}, "cart.rb:5 CART::*::* certain SETEX\ncart.rb:9 CART::*::* likely\n")
	checkLines(t, map[string]string{
		"a.php": "<?php\nclass Factory {\n  function make($options) {\n    return new Handler(new Predis\\Client(), " +
			"array_intersect_key($options, ['prefix' => 1, 'ttl' => 1]));\n  }\n" +
			"  function add($id) { $this->rawCommand('ZADD', 'NX', $id); }\n" +
			"  private function rawCommand($command, ...$rest) { return $this->redis->rawCommand($command, $this->queue, ...$rest); }\n" +
			"  function put($id) { $this->redis->set('cart:' . $id, 1); }\n}\n",
	}, "a.php:8 cart:* certain SET\n")
}

// TestStoredExpressions bounds the copies that a key of methods which call each other many times is made of.
func TestStoredExpressions(t *testing.T) {
	const wide = 40
	var b strings.Builder
	b.WriteString("import redis.clients.jedis.Jedis;\nclass A {\n  private final String name;\n  A(String name) { this.name = name; }\n")
	for i := range 10 {
		call := "key" + string(rune('a'+i+1)) + "(p)"
		b.WriteString("  String key" + string(rune('a'+i)) + "(String p) { return " + strings.Repeat(call+"\n+", wide) + call + "; }\n")
	}
	b.WriteString("  String keyk(String p) { return p + \":x\"; }\n  void f() { jedis.set(keya(name), 1); }\n}\n" +
		"class B { void g() { new A(\"user\"); } }\n")
	begun := time.Now()
	checkout(t, map[string]string{"A.java": b.String()})
	if d := time.Since(begun); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestBodiesWithoutEnd has bodies that are expressions and do not end.
func TestBodiesWithoutEnd(t *testing.T) {
	begun := time.Now()
	checkout(t, map[string]string{
		"A.cs": "using StackExchange.Redis;\nclass A {\n" + strings.Repeat("string K() => a\n", 60_000) + "}\n",
		"A.kt": "import redis.clients.jedis.Jedis\nclass A {\n" + strings.Repeat("fun key() = a +\n", 60_000) + "}\n",
	})
	if d := time.Since(begun); d > 15*time.Second {
		t.Errorf("took %v", d)
	}
}
