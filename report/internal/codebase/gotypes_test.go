package codebase

import (
	"strings"
	"testing"
)

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
	const want = `topo/key.go:5 *:list:* likely unwritten
topo/key.go:8 *:list:* certain LRANGE unwritten
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

// TestGoTypes follows calls by the types of what they are called on, whatever its name is: fields, parameters, results
// and variables whose type is an interface that a type on the server implements, or a type that has a client.
func TestGoTypes(t *testing.T) {
	files := map[string]string{
		"go.mod": "module example.com/shop\n",
		"infra/kv/kv.go": `package kv
type Reader interface { Get(ctx context.Context, key string) (string, error) }
type Driver interface {
	Reader
	Set(ctx context.Context, key string, value any) error
	Del(ctx context.Context, keys ...string) error
}
`,
		"infra/kv/impl/impl.go": `package impl
import (
	goredis "github.com/redis/go-redis/v9"
	"example.com/shop/infra/kv"
)
type driver struct { c *goredis.Client }
func New() kv.Driver { return &driver{} }
func (d *driver) Get(ctx context.Context, key string) (string, error) { return d.c.Get(ctx, "shop:"+key).Result() }
func (d *driver) Set(ctx context.Context, key string, value any) error { return d.c.Set(ctx, "shop:"+key, value, 0).Err() }
func (d *driver) Del(ctx context.Context, keys ...string) error { return d.c.Del(ctx, keys...).Err() }
`,
		"app/app.go": `package app
import (
	"sync"
	"example.com/shop/infra/kv"
	"example.com/shop/infra/kv/impl"
	other "github.com/redis/go-redis/v9"
)
type Base struct { storage kv.Driver }
type App struct {
	Base
	seen *sync.Map
	own Wrapped
}
type Wrapped struct { *other.Client }
type Commands interface { LPush(ctx context.Context, key string, values ...any) *other.IntCmd }
var global = impl.New()
func (a *App) open() kv.Driver { return a.storage }
const first = 0x10
func (a *App) Save(ctx context.Context, id string, given kv.Driver, w *Wrapped, methods Commands) {
	methods.LPush(ctx, fmt.Sprintf("list:%d", first), 1)
	a.storage.Set(ctx, "field:"+id, 1)
	given.Set(ctx, "param:"+id, 1)
	a.open().Set(ctx, "result:"+id, 1)
	local := a.open()
	local.Set(ctx, "local:"+id, 1)
	global.Del(ctx, "global:"+id, "more:"+id)
	w.Set(ctx, "embedded:"+id, 1, 0)
	a.own.Client.Set(ctx, "client:"+id, 1, 0)
	lazy(func(inner kv.Driver) { inner.Set(ctx, "closure:"+id, 1) })
	a.seen.Set(ctx, "memory:"+id, 1)
	w.Client.MSet(ctx, "global:"+id, 1)
	w.Client.SetNX(ctx, "more:"+id, 1, 0)
}
`}
	const want = `app/app.go:20 list:* certain LPUSH
app/app.go:21 shop:field:* certain SET
app/app.go:22 shop:param:* certain SET
app/app.go:23 shop:result:* certain SET
app/app.go:25 shop:local:* certain SET
app/app.go:26 global:* certain DEL
app/app.go:26 more:* certain DEL
app/app.go:27 embedded:* certain SET
app/app.go:28 client:* certain SET
app/app.go:29 shop:closure:* certain SET
app/app.go:31 global:* certain MSET
app/app.go:32 more:* certain SETNX
infra/kv/impl/impl.go:8 shop:* certain GET
infra/kv/impl/impl.go:9 shop:* certain SET
`
	if got := lines(checkout(t, files)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	files["infra/kv/memory.go"] = `package kv
type Memory struct { m map[string]any }
func (d *Memory) Get(ctx context.Context, key string) (string, error) { return "", nil }
func (d *Memory) Set(ctx context.Context, key string, value any) error { return nil }
func (d *Memory) Del(ctx context.Context, keys ...string) error { return nil }
`
	if got := lines(checkout(t, files)); !strings.Contains(got, "app/app.go:21 shop:field:* likely SET\n") {
		t.Errorf("with another implementation: got\n%s", got)
	}
}

// TestDefaultsOfRust reads the keys of a configuration from its default, with the cache of a framework.
func TestDefaultsOfRust(t *testing.T) {
	c := checkout(t, map[string]string{"src/config.rs": `
pub struct Conf { pub cache_key_token: String, pub other: String }
impl Default for Conf {
    fn default() -> Self {
        Conf { cache_key_token: "iam:token:".to_string(), other: "x".to_string() }
    }
}
`, "src/serv.rs": `use redis::AsyncCommands; use tardis::TardisFunsInst;
pub async fn add(token: &str, funs: &TardisFunsInst) {
    funs.cache().set_ex(&format!("{}{}", funs.conf::<Conf>().cache_key_token, token), "1", 60).await
}
pub async fn local(conf: Conf, con: &mut redis::Connection, id: &str) {
    con.set_ex(format!("{}{}:x", conf.cache_key_token, id), 1, 60).await
}
`})
	const want = `src/config.rs:5 iam:token:* likely
src/serv.rs:3 iam:token:* certain SETEX
src/serv.rs:6 iam:token:*:x certain SETEX
`
	if got := lines(c); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
