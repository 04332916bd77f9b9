package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ruleFixtures have keys on both sides of every limit of a rule; the name of a
// key states its size. Large fixtures are compressed with gzip.
var ruleFixtures = []struct {
	name   string
	server string // "redis-7.0", "redis-8.0" or "valkey-8.1"
	conf   []string
	fill   func(*filler)
	gzip   bool
}{
	{"sizes", "redis-7.0", nil, (*filler).sizeLimits, true},
	{"texts", "redis-7.0", nil, (*filler).textLimits, true},
	{"groups", "redis-7.0", nil, (*filler).groupLimits, true},
	{"streams", "redis-7.0", nil, (*filler).streamLimits, true},
	{"values", "redis-7.0", nil, (*filler).values, true},
	{"compact", "redis-7.0", nil, (*filler).compactLimits, false},
	{"compact-valkey", "valkey-8.1", nil, (*filler).compactLimits, false},
	{"names", "redis-7.0", nil, (*filler).nameLimits, false},
	{"expiries", "redis-7.0", []string{"--maxmemory-policy", "allkeys-lru"}, (*filler).keyExpiries, false},
	{"lfu", "redis-7.0", []string{"--maxmemory-policy", "allkeys-lfu", "--lfu-decay-time", "0"}, (*filler).frequencies, false},
	{"fields", "redis-8.0", nil, (*filler).hashFieldExpiries, false},
	{"expiring", "redis-7.0", nil, (*filler).expiringCollections, true},
	{"expiring-valkey", "valkey-8.1", nil, (*filler).expiringCollections, true},
	{"stampede", "redis-7.0", nil, (*filler).stampede, true},
	{"databases", "redis-7.0", nil, (*filler).twoDatabases, false},
	{"businesses-10", "redis-7.0", nil, func(f *filler) { f.businesses(10) }, false},
	{"businesses-11", "redis-7.0", nil, func(f *filler) { f.businesses(11) }, false},
	{"cluster", "redis-8.0", []string{"--cluster-enabled", "yes"}, func(f *filler) { f.skew(1) }, true},
	{"cluster-skewed", "redis-8.0", []string{"--cluster-enabled", "yes"}, func(f *filler) { f.skew(4 << 20) }, true},
}

// makeRules makes the fixtures of the given server, or those of them that are
// named.
func makeRules(argv []string, dir string, names []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, x := range ruleFixtures {
		if len(names) > 0 && !contains(names, x.name) {
			continue
		}
		if err := makeRuleFixture(argv, dir, x.name, x.server, x.conf, x.fill, x.gzip); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

func makeRuleFixture(argv []string, dir, name, server string, conf []string, fill func(*filler), compress bool) error {
	s, err := newServer(argv, conf...)
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.start(); err != nil {
		return err
	}
	if !strings.HasPrefix(s.name, server) {
		return nil // of another server
	}
	f := newFiller(s)
	if fill(f); f.err != nil {
		return f.err
	}
	target := filepath.Join(dir, name+".rdb")
	if err := s.snapshot(target); err != nil || !compress {
		return err
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	if err := writeGzip(target+".gz", data); err != nil {
		return err
	}
	return os.Remove(target)
}

func writeGzip(path string, data []byte) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return file.Close()
}

// collection writes a collection of a type with n elements.
func (f *filler) collection(typ, key string, n int, element func(i int) string) {
	switch typ {
	case "hash":
		f.add(n, func(i int) []string { return []string{element(i), ""} }, "HSET", key)
	case "list":
		f.add(n, func(i int) []string { return []string{element(i)} }, "RPUSH", key)
	case "set":
		f.add(n, func(i int) []string { return []string{element(i)} }, "SADD", key)
	case "zset":
		f.add(n, func(i int) []string { return []string{strconv.Itoa(i), element(i)} }, "ZADD", key)
	case "stream":
		for i := range n {
			f.do("XADD", key, strconv.Itoa(i+1)+"-0", "", element(i))
		}
	}
}

var collections = []string{"hash", "list", "set", "zset"}

// numbered returns an element of a length that begins with its number.
func numbered(i, length int) string {
	n := fmt.Sprintf("%06d", i)
	return n + text(max(0, length-len(n)))
}

func (f *filler) sizeLimits() {
	for _, n := range []int{0, 1, 100, 101, 1024, 1025, 4096, 4097, 10240, 10241, 20000} {
		f.do("SET", "size:string:"+strconv.Itoa(n), strings.Repeat("\x01", n))
	}
	f.with(func() {
		f.add(50, func(i int) []string { return []string{strconv.Itoa(i)} }, "PFADD", "size:hyperloglog:12304")
	}, "hll-sparse-max-bytes", "10")
	for _, typ := range collections {
		for _, n := range []int{1, 2, 100, 101, 1000, 1001, 5000, 5001} {
			f.collection(typ, "elements:"+typ+":"+strconv.Itoa(n), n, strconv.Itoa)
		}
	}
	// Values of exactly 10 KB and 1 MB, made of elements of 1 and 4 KB.
	for _, typ := range append([]string{"stream"}, collections...) {
		for _, size := range []int{10 << 10, 1 << 20} {
			part := min(size/10, 4<<10)
			for _, more := range []int{0, 1} {
				f.collection(typ, fmt.Sprintf("value:%s:%d", typ, size+more), size/part, func(i int) string {
					if i == 0 {
						return numbered(i, part+more+size%part)
					}
					return numbered(i, part)
				})
			}
		}
		for _, n := range []int{4096, 4097} {
			f.collection(typ, fmt.Sprintf("element:%s:%d", typ, n), 2, func(i int) string { return numbered(i, n-i) })
		}
	}
}

// textLimits writes JSON, XML, plain text and binary values around 4, 10 and 100
// KB, as strings and as values of a hash and items of a list.
func (f *filler) textLimits() {
	makers := map[string]func(n int) string{
		"json": func(n int) string { return `{"text":"` + text(n-len(`{"text":""}`)) + `"}` },
		"xml": func(n int) string {
			return `<?xml version="1.0"?><t>` + text(n-len(`<?xml version="1.0"?><t></t>`)) + `</t>`
		},
		"plain":  text,
		"gzip":   func(n int) string { return "\x1f\x8b\x08\x00" + text(n-4) },
		"binary": func(n int) string { return "\x00\x01\x02\x03" + strings.Repeat("\xff\x00", n)[:n-4] },
	}
	for _, kind := range []string{"json", "xml", "plain", "binary", "gzip"} {
		for _, n := range []int{4096, 4097, 10240, 10241, 102400, 102401} {
			f.do("SET", fmt.Sprintf("text:%s:%d", kind, n), makers[kind](n))
			f.do("HSET", fmt.Sprintf("text:hash:%s:%d", kind, n), "f", makers[kind](n))
			f.do("RPUSH", fmt.Sprintf("text:list:%s:%d", kind, n), makers[kind](n))
		}
	}
}

func (f *filler) streamLimits() {
	for _, n := range []int{100_000, 100_001} {
		if f.err == nil {
			f.err = f.s.pipeline(func(send func(args ...string)) {
				for i := range n {
					send("XADD", "elements:stream:"+strconv.Itoa(n), strconv.Itoa(i+1)+"-0", "f", "v")
				}
			})
		}
	}
	for _, n := range []int{1000, 1001} {
		key := "pending:stream:" + strconv.Itoa(n)
		for i := range 1010 {
			f.do("XADD", key, strconv.Itoa(i+1)+"-0", "f", "v")
		}
		f.do("XGROUP", "CREATE", key, "g", "0")
		f.do("XREADGROUP", "GROUP", "g", "c1", "COUNT", "600", "STREAMS", key, ">")
		f.do("XREADGROUP", "GROUP", "g", "c2", "COUNT", strconv.Itoa(n-600), "STREAMS", key, ">")
	}
}

// compactLimits writes collections around the limits of the compact encodings,
// and around four times their count, where the rule stops.
func (f *filler) compactLimits() {
	for _, n := range []int{512, 513, 2048, 2049} {
		f.collection("hash", "compact:hash:"+strconv.Itoa(n), n, strconv.Itoa)
		f.collection("set", "compact:intset:"+strconv.Itoa(n), n, strconv.Itoa)
	}
	for _, n := range []int{128, 129, 512, 513} {
		f.collection("zset", "compact:zset:"+strconv.Itoa(n), n, strconv.Itoa)
		f.collection("set", "compact:set:"+strconv.Itoa(n), n, func(i int) string { return "m" + strconv.Itoa(i) })
	}
	for _, n := range []int{64, 65} {
		for _, typ := range []string{"hash", "set", "zset"} {
			f.collection(typ, fmt.Sprintf("compact:%s:element:%d", typ, n), 3, func(i int) string { return numbered(i, n-i) })
		}
		f.do("HSET", "compact:hash:value:"+strconv.Itoa(n), "f", text(n), "g", "1")
	}
	for _, typ := range []string{"hash", "zset"} {
		f.collection(typ, "compact:"+typ+":shrunk", 600, strconv.Itoa)
	}
	f.add(590, func(i int) []string { return []string{strconv.Itoa(i)} }, "HDEL", "compact:hash:shrunk")
	f.do("ZREMRANGEBYRANK", "compact:zset:shrunk", "0", "589")
	f.collection("list", "compact:list:5000", 5000, strconv.Itoa)
}

// nameLimits writes keys with names around the limits of the rules, with small
// values; those whose name ends in a type have values of each type.
func (f *filler) nameLimits() {
	for _, n := range []int{1, 2, 3, 4, 29, 30, 31, 127, 128, 129, 130, 300} {
		f.do("SET", strings.Repeat("a:b", n/3+1)[:n-1]+"z", "1")
	}
	for _, name := range []string{
		// white space, quotes, backslash, control characters, not UTF-8
		"special:a b", "special:tab\t", "special:line\n", "special:nbsp\u00a0x", "special:it's", `special:"x"`, "special:`x`", `special:a\b`, "special:\x00", "special:\x7f",
		"special:\x1b[0m", "special:\xff", "special:\xe4\xb8", "special:\u4e2d\u6587", "special:caf\u00e9",
		// characters outside a profile's set
		"chars:a-b", "chars:a.b", "chars:a+b", "chars:a=b", "chars:1-2", "chars:1.2", "chars:2024-05-01", "chars:v1.2.3", "chars:a_b", "chars:a#b", "chars:a@b", "chars:A", "CHARS:A:B:C",
		"chars:1-b", "chars:a-1", "1chars:x", "_chars:x", "Chars:x:y",
		// structure
		"single", "a:b", "a:b:c", "a:b:c:d", "a#b", "a_b", "a::b", ":a:b", "a:b:", "::", "a:b:c:", "SHOP:ORDER:ID:1", "shop:order.item:42",
		// hash tags
		"{tag}:x", "x:{tag}", "x:{}", "x{y", "x}y{z", "{a}{b}:c", "{{a}}:b",
		// versions and dates
		"app:v1:user", "app:v2.0:user", "report:2024-05-01:eu", "report:20240501:eu", "report:2024:05:01",
		"user 1", "user'1", `a"b`, `back\\slash`, "ctl\x01", "\u7528\u6237:1", "\u5168\u89d2\u3000\u7a7a\u683c", "a{}b", "a{b", "{tag}:1",
		"v1.2:x", "v1.x:y", "2020-08-29:x", "a-b:1", "a+b:1", "a=b:1", "a.b:1", "video_info#olympic#2020-08-29#1", "User:1", "1user:1:string", "user::1", "user",
		"PRO:USER:UID:18", "PRO:USER:18", "user:basic.info:1001:string",
		"user:123e4567-e89b-12d3-a456-426614174000:x", "user:deadbeef01:x", "user:feedcafe:x", "economic:x:y", "user:economic:y",
	} {
		f.do("SET", name, "1")
	}
	for _, typ := range append([]string{"string", "stream"}, collections...) {
		for _, suffix := range []string{"string", "hash", "list", "set", "zset", "stream", "str", "sorted"} {
			key := "suffix:" + typ + ".value:" + suffix
			if typ == "string" {
				f.do("SET", key, "1")
			} else {
				f.collection(typ, key, 2, strconv.Itoa)
			}
		}
	}
}

func (f *filler) twoDatabases() {
	f.do("SET", "a:b", "1")
	f.do("SELECT", "3")
	f.do("SET", "c:d", "1")
	f.do("SELECT", "0")
}

// businesses writes keys with n different first segments.
func (f *filler) businesses(n int) {
	for i := range n {
		f.do("SET", "business"+string(rune('a'+i))+":key:1", "1")
		f.do("SET", "business"+string(rune('a'+i))+":key:2", "1")
	}
}

// skew fills a cluster node with 1200 small keys and three of the given size
// with one hash tag, so in one slot.
func (f *filler) skew(size int) {
	f.do("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
	if f.err == nil {
		f.err = f.s.awaitCluster()
	}
	for i := range 1200 {
		f.do("SET", "user:"+strconv.Itoa(i), "1")
	}
	for i := range 3 {
		f.do("SET", "{hot}:"+strconv.Itoa(i), text(size))
	}
	f.do("SET", "{warm}:0", text(100))
}

// waitForSecond sleeps until a second of the clock begins.
func waitForSecond(at time.Time) { time.Sleep(time.Until(at.Truncate(time.Second))) }
