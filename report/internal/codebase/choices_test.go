package codebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// found returns the patterns of sources, each with how sure it is and its condition, sorted.
func found(t *testing.T, files map[string]string) string {
	t.Helper()
	var list []string
	for _, p := range checkout(t, files).Patterns {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", p.Key, p.Sure, p.Condition)))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// TestTextOfEnums has constants of enums in texts: there they are their names, whatever their constructor gets.
func TestTextOfEnums(t *testing.T) {
	const kinds = `enum Kind {
  FIRM("fw"), SOFT("sw");
  @Getter
  private final String keyPrefix;
  Kind(String keyPrefix) { this.keyPrefix = keyPrefix; }
`
	const store = `}
class Store {
  Jedis jedis;
  void own(String id) { jedis.set("own:" + Kind.FIRM + id, "1"); }
  void all(String id) { put(Kind.FIRM, id); }
  void put(Kind kind, String id) { jedis.set("ota:" + kind + id, "1"); }
}
`
	for methods, want := range map[string]string{
		"": "ota:* certain, ota:FIRM* certain, own:FIRM* certain",
		"  public String toString() { return keyPrefix; }\n": "ota:* certain, ota:fw* certain, own:fw* certain",
	} {
		got := found(t, map[string]string{"Kind.java": "import redis.clients.jedis.Jedis;\n" + kinds + methods + store})
		if got != want {
			t.Errorf("methods %q: %s, want %s", methods, got, want)
		}
	}
}

// TestByteOrderMark has a source whose first line follows a byte order mark.
func TestByteOrderMark(t *testing.T) {
	const text = "using Microsoft.Extensions.Caching.Distributed;\nclass A { IDistributedCache cache; void F(string id) {\n" +
		"  cache.SetString($\"user:{id}\", \"1\"); } }\n"
	const setup = "using StackExchange.Redis;\nclass S { void F() { services.AddStackExchangeRedisCache(o => {}); } }\n"
	if got := found(t, map[string]string{"a.cs": "\ufeff" + text, "s.cs": setup}); got != "user:* likely" {
		t.Errorf("found %s", got)
	}
}
