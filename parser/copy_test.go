package parser

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hdt3213/rdb/model"
	decoder "github.com/hdt3213/rdb/parser"
)

var extractAll = ExtractOptions{Limit: 1 << 20, MaxText: 1 << 20}

func extract(t *testing.T, snapshot []byte, db int, name string, want ExtractOptions) *Excerpt {
	t.Helper()
	x, err := Extract(bytes.NewReader(snapshot), Options{}, db, []byte(name), want)
	if err != nil {
		t.Fatalf("%.60q: %v", name, err)
	}
	if x == nil {
		t.Fatalf("%.60q: not found", name)
	}
	return x
}

// TestExtractEncodings has every element of every encoding of the standard
// types, written by hand.
func TestExtractEncodings(t *testing.T) {
	long := strings.Repeat("x", 300)
	streamNode := listpack(2, 1, 2, "temp", "hum", 0,
		2, 0, 0, 21, "60%", 5, // same fields
		3, 1, 0, 22, 70, 5, // deleted
		0, 2, 7, 1, "only", long, 6) // fields of its own
	for _, c := range []struct {
		what  string
		magic string
		write func(r *rdb)
		want  []string
	}{
		{"string", "REDIS0011", func(r *rdb) { r.key(0, "k").str("hello") }, []string{"hello"}},
		{"integer", "REDIS0011", func(r *rdb) { r.key(0, "k").raw(0xc1, 0x39, 0x30) }, []string{"12345"}},
		{"lzf", "REDIS0011", func(r *rdb) { r.key(0, "k").raw(0xc3, 5, 10, 0, "a", 0xe0, 0, 0) }, []string{"aaaaaaaaaa"}},
		{"list", "REDIS0003", func(r *rdb) { r.key(1, "k").len(2).str("a", long) }, []string{"a", long}},
		{"set", "REDIS0011", func(r *rdb) { r.key(2, "k").len(2).str("a").raw(0xc0, 0xff) }, []string{"a", "-1"}},
		{"old zset", "REDIS0004", func(r *rdb) {
			r.key(3, "k").len(4).str("a").raw(3, "1.5").str("b").raw(253).str("c").raw(254).str("d").raw(255)
		}, []string{"a 1.5", "b NaN", "c +Inf", "d -Inf"}},
		{"zset", "REDIS0011", func(r *rdb) { r.key(5, "k").len(1).str("a").le64(int64(math.Float64bits(-2.5))) }, []string{"a -2.5"}},
		{"hash", "REDIS0011", func(r *rdb) { r.key(4, "k").len(2).str("f", "v").str("g", "") }, []string{"f=v", "g="}},
		{"zipmap", "REDIS0002", func(r *rdb) { r.key(9, "k").str(zipmap(3, "f", "v", "g", long)) }, []string{"f=v", "g=" + long}},
		{"ziplist list", "REDIS0009", func(r *rdb) { r.key(10, "k").str(ziplist("a", 7, -3, 300, long, 1<<40)) },
			[]string{"a", "7", "-3", "300", long, "1099511627776"}},
		{"intset", "REDIS0009", func(r *rdb) { r.key(11, "k").str(intset(4, -70000, 5)) }, []string{"-70000", "5"}},
		{"ziplist zset", "REDIS0009", func(r *rdb) { r.key(12, "k").str(ziplist("a", 3, "b", "1.5")) }, []string{"a 3", "b 1.5"}},
		{"ziplist hash", "REDIS0009", func(r *rdb) { r.key(13, "k").str(ziplist("f", 3)) }, []string{"f=3"}},
		{"ziplist quicklist", "REDIS0009", func(r *rdb) { r.key(14, "k").len(2).str(ziplist("a"), ziplist(long, "c")) }, []string{"a", long, "c"}},
		{"listpack hash", "REDIS0011", func(r *rdb) { r.key(16, "k").str(listpack("f", long, "g", -5000)) }, []string{"f=" + long, "g=-5000"}},
		{"listpack zset", "REDIS0011", func(r *rdb) { r.key(17, "k").str(listpack("a", "inf", 12, -1)) }, []string{"a +Inf", "12 -1"}},
		{"quicklist", "REDIS0011", func(r *rdb) { r.key(18, "k").len(2).len(1).str(long).len(2).str(listpack("b", 1<<20)) }, []string{long, "b", "1048576"}},
		{"listpack set", "REDIS0011", func(r *rdb) { r.key(20, "k").str(listpack("a", "b")) }, []string{"a", "b"}},
		{"hash of 7.4 candidates", "REDIS0012", func(r *rdb) { r.key(22, "k").len(2).len(0).str("f", "v").len(9999).str("g", "w") }, []string{"f=v", "g=w@9999"}},
		{"listpackex of 7.4 candidates", "REDIS0012", func(r *rdb) { r.key(23, "k").str(listpack("f", "v", 9999, "g", "w", 0)) }, []string{"f=v@9999", "g=w"}},
		{"hash with TTL", "REDIS0012", func(r *rdb) { r.key(24, "k").le64(5000).len(2).len(0).str("f", "v").len(1).str("g", "w") }, []string{"f=v", "g=w@5000"}},
		{"listpackex", "REDIS0012", func(r *rdb) { r.key(25, "k").le64(9999).str(listpack("f", "v", 9999, "g", "w", 0)) }, []string{"f=v@9999", "g=w"}},
		{"Valkey hash with TTL", "VALKEY080", func(r *rdb) { r.key(22, "k").len(2).str("f", "v").le64(-1).str("g", "w").le64(77) }, []string{"f=v", "g=w@77"}},
		{"stream", "REDIS0009", func(r *rdb) {
			r.key(15, "k").len(1).len(16).id(100, 5).str(streamNode).len(2).len(102).len(12).len(0)
		}, []string{"100-5 temp:21 hum:60%", "102-12 only:" + long}},
		{"array", "REDIS0014", func(r *rdb) {
			r.key(28, "k").len(3).len(0).len(4).len(0).str("a").len(9).len(1).le64(-8).len(70).len(2).le64(int64(math.Float64bits(0.5)))
		}, []string{"4=a", "9=-8", "70=0.5"}},
		{"template listpack", "REDIS0015", func(r *rdb) {
			r.raw(242).len(3).len(2).str("f", "gg").key(30, "k").str(listpack(3, "v", "w"))
		}, []string{"v", "w"}},
		{"template array", "REDIS0015", func(r *rdb) { r.raw(242).len(3).len(2).str("f", "gg").key(32, "k").len(3).str("v", "w") }, []string{"v", "w"}},
		{"template with its names", "REDIS0015", func(r *rdb) { r.key(31, "k").len(1).len(2).str("f", "gg").str("v", "w") }, []string{"f=v", "gg=w"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := newRDB(c.magic)
			c.write(r)
			b := r.end()
			if r.b[5] == '0' && r.b[8] < '5' && c.magic[0] == 'R' && c.magic[7] == '0' {
				b = b[:len(b)-8] // no checksum before version 5
			}
			x := extract(t, b, -1, "k", extractAll)
			got := elementTexts(x)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			for n := range c.want {
				x := extract(t, b, 0, "k", ExtractOptions{Limit: n, MaxText: 10})
				if len(x.Elements) != n {
					t.Errorf("limit %d: %d elements", n, len(x.Elements))
				}
				for _, e := range x.Elements {
					if len(e.Value) > 10 || len(e.Name) > 10 && x.Key.Type != Stream {
						t.Errorf("%q=%q is longer than asked for", e.Name, e.Value)
					}
				}
			}
			nameless := x.Key.Type == Hash && x.Elements[0].Name == nil
			if x.Key.Type != Array && !nameless && x.Key.ValueBytes != lengths(x) {
				t.Errorf("the lengths of the elements add up to %d, value bytes are %d", lengths(x), x.Key.ValueBytes)
			}
		})
	}
}

func elementTexts(x *Excerpt) (list []string) {
	for _, e := range x.Elements {
		s := string(e.Value)
		switch {
		case x.Key.Type == Stream:
			s = string(e.Name)
			for i := 0; i+1 < len(e.Pairs); i += 2 {
				s += fmt.Sprintf(" %s:%s", e.Pairs[i], e.Pairs[i+1])
			}
		case x.Key.Type == ZSet:
			s = fmt.Sprintf("%s %v", e.Value, e.Score)
		case e.Name != nil:
			s = fmt.Sprintf("%s=%s", e.Name, e.Value)
		}
		if math.IsInf(e.Score, 1) {
			s = string(e.Value) + " +Inf"
		}
		if e.ExpireAt != 0 {
			s += fmt.Sprintf("@%d", e.ExpireAt)
		}
		list = append(list, s)
	}
	return list
}

// lengths adds up what Key.ValueBytes does.
func lengths(x *Excerpt) (n int64) {
	for _, e := range x.Elements {
		n += e.ValueLen
		if x.Key.Type == Hash {
			n += e.NameLen
		}
		for _, p := range e.Pairs {
			n += int64(len(p))
		}
	}
	return n
}

// TestExtractFixtures finds all keys of every small fixture that a real server
// wrote, and adds up their elements: the sums are the value bytes.
func TestExtractFixtures(t *testing.T) {
	files := fixtures(t)
	keys := 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var all []*Key
		for k, err := range NewScanner(bytes.NewReader(b), Options{}).All() {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, k.Clone())
		}
		for _, k := range all[:min(len(all), 300)] {
			if k.NameLen > MaxName {
				continue // a Key does not hold all of its name
			}
			x := extract(t, b, k.DB, string(k.Name), extractAll)
			keys++
			if x.Opaque || k.Type == Array || k.ValueBytes < 0 {
				continue
			}
			if n := int64(len(x.Elements)); n != k.Elements && n < 1000 {
				t.Errorf("%s: %.60q has %d elements, %d copied", path, k.Name, k.Elements, n)
			} else if n == k.Elements && lengths(x) != k.ValueBytes {
				t.Errorf("%s: %.60q has %d value bytes, %d copied", path, k.Name, k.ValueBytes, lengths(x))
			}
		}
	}
	t.Logf("%d keys of %d fixtures", keys, len(files))
}

// fixtures gives the paths of all small snapshots that the tests read.
func fixtures(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".rdb" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	return files
}

// TestExtractChoosesKey tells equal names in several databases apart.
func TestExtractChoosesKey(t *testing.T) {
	b := newRDB("REDIS0011").raw(254, 0).key(0, "a").str("0a").key(0, "b").str("0b").raw(254, 3).key(0, "b").str("3b").key(0, "").str("empty").end()
	for _, c := range []struct {
		db         int
		name, want string
	}{{-1, "a", "0a"}, {-1, "b", "0b"}, {0, "b", "0b"}, {3, "b", "3b"}, {-1, "", "empty"}} {
		if got := extract(t, b, c.db, c.name, extractAll).Elements[0].Value; string(got) != c.want {
			t.Errorf("db %d, %q: %q, want %q", c.db, c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		db   int
		name string
	}{{3, "a"}, {-1, "ab"}, {0, ""}} {
		if x, err := Extract(bytes.NewReader(b), Options{}, c.db, []byte(c.name), extractAll); x != nil || err != nil {
			t.Errorf("db %d, %q: %v, %v", c.db, c.name, x, err)
		}
	}
	if x, err := Extract(bytes.NewReader(b[:20]), Options{}, -1, []byte("nosuch"), extractAll); x != nil || err == nil {
		t.Errorf("damaged: %v, %v", x, err)
	}
}

// TestExtractBehindLargeKeys looks for keys between values far larger than
// what is kept of the file.
func TestExtractBehindLargeKeys(t *testing.T) {
	header := newRDB("REDIS0011").raw(254, 0).key(1, "list").len(40000).b
	var parts []io.Reader
	parts = append(parts, bytes.NewReader(header))
	item := newRDB("").str(strings.Repeat("i", 1000)).b
	parts = append(parts, bytes.NewReader(bytes.Repeat(item, 40000)))
	parts = append(parts, bytes.NewReader(newRDB("").key(0, "after").str("found").key(0, "big").len(60<<20).b))
	parts = append(parts, bytes.NewReader(make([]byte, 60<<20)), bytes.NewReader(newRDB("").key(2, "last").len(2).str("x", "y").endOff()))
	whole, err := io.ReadAll(io.MultiReader(parts...))
	if err != nil {
		t.Fatal(err)
	}
	if got := elementTexts(extract(t, whole, -1, "after", extractAll)); !reflect.DeepEqual(got, []string{"found"}) {
		t.Errorf("after: %.40q", got)
	}
	if got := elementTexts(extract(t, whole, -1, "last", extractAll)); !reflect.DeepEqual(got, []string{"x", "y"}) {
		t.Errorf("last: %.40q", got)
	}
	if x := extract(t, whole, -1, "big", extractAll); x.Elements[0].ValueLen != 60<<20 || len(x.Elements[0].Value) != 1<<20 {
		t.Errorf("big: %d bytes, %d copied", x.Elements[0].ValueLen, len(x.Elements[0].Value))
	}
	x := extract(t, whole, -1, "list", extractAll)
	if n := len(x.Elements); n < 16000 || x.Key.Elements != 40000 {
		t.Errorf("list: %d of %d elements", n, x.Key.Elements)
	}
	for i, e := range x.Elements[:16000] {
		if e.ValueLen != 1000 || len(e.Value) != 1000 {
			t.Fatalf("item %d: %d bytes", i, e.ValueLen)
		}
	}
}

// TestAppendSnapshot gives excerpts to an independent decoder.
func TestAppendSnapshot(t *testing.T) {
	r := newRDB("REDIS0011").raw(254).len(70)
	r.key(0, "string").str("hello")
	r.key(18, "list").len(1).len(1).str("plain node")
	r.key(20, "set").str(listpack("a", 1))
	r.key(17, "zset").str(listpack("a", "1.5", "b", "-inf"))
	r.key(16, "hash").str(listpack("f", "v", "g", strings.Repeat("w", 100)))
	r.key(15, "stream").len(1).len(16).id(1, 2).str(listpack(1, 0, 1, "f", 0, 2, 0, 0, "v", 4)).len(1).len(1).len(2).len(0)
	b := r.end()
	for name, check := range map[string]func(o model.RedisObject) bool{
		"string": func(o model.RedisObject) bool { return string(o.(*model.StringObject).Value) == "hello" },
		"list":   func(o model.RedisObject) bool { return string(o.(*model.ListObject).Values[0]) == "plain node" },
		"set":    func(o model.RedisObject) bool { return string(o.(*model.SetObject).Members[1]) == "1" },
		"zset": func(o model.RedisObject) bool {
			e := o.(*model.ZSetObject).Entries
			return len(e) == 2 && e[0].Member == "a" && e[0].Score == 1.5 && math.IsInf(e[1].Score, -1)
		},
		"hash": func(o model.RedisObject) bool {
			h := o.(*model.HashObject).Hash
			return len(h) == 2 && string(h["f"]) == "v" && len(h["g"]) == 100
		},
		"stream": func(o model.RedisObject) bool {
			l := o.(*model.ListObject)
			return l.Key == "1-2" && len(l.Values) == 2 && string(l.Values[0]) == "f" && string(l.Values[1]) == "v"
		},
	} {
		small := extract(t, b, 70, name, extractAll).AppendSnapshot(nil)
		n := 0
		err := decoder.NewDecoder(bytes.NewReader(small)).Parse(func(o model.RedisObject) bool {
			n++
			if o.GetDBIndex() != 70 || (o.GetKey() != name && name != "stream") || !check(o) {
				t.Errorf("%s: decoded as %+v", name, o)
			}
			return true
		})
		if err != nil || n != 1 {
			t.Errorf("%s: %d objects, %v", name, n, err)
		}
	}
}
