package codebase

import "testing"

// TestGoPackages reads types of one name in two packages of Go, which have nothing to do with each other, and programs
// that show the use of a library.
func TestGoPackages(t *testing.T) {
	c := checkout(t, map[string]string{
		"host/key.go": `package host
type Key struct { keySpace string }
var keys = &Key{keySpace: "cc:host:"}
`,
		"topo/key.go": `package topo
import "github.com/redis/go-redis/v9"
type Key struct { keySpace string }
func (k Key) Detail(id int64) string { return fmt.Sprintf("%s:%d", k.keySpace, id) }
func (k Key) List(id int64) string { return fmt.Sprintf("%s:list:%d", k.keySpace, id) }
func (k Key) get(ctx context.Context, rdb *redis.Client) {
	rdb.Get(ctx, k.Detail(1))
	rdb.LRange(ctx, k.List(id), 0, 1)
}
`,
		"src/dal/example/main.go":  "package main\nfunc run() {\n\trdb.Set(ctx, \"some:key\", 1, 0)\n}\n",
		"src/dal/_scratch/main.go": "package main\nfunc run() {\n\trdb.Set(ctx, \"some:key\", 1, 0)\n}\n",
	})
	const want = `topo/key.go:5 *:list:* likely
topo/key.go:8 *:list:* certain LRANGE
`
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOptionOfRust reads a key that a namespace may precede.
func TestOptionOfRust(t *testing.T) {
	c := checkout(t, map[string]string{"src/cache.rs": `use fred::prelude::*;
impl RedisStorage {
    fn make_key(&self, key: &str) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}:{key}"),
            None => key.to_string(),
        }
    }
    async fn save(&self, id: u64) {
        self.redis.set(self.make_key(&format!("apq:{id}")), 1).await
    }
}
`})
	const want = `src/cache.rs:10 *apq:* certain SET
`
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
