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
	"slices"
	"strings"
	"testing"

	"github.com/hdt3213/rdb/model"
	decoder "github.com/hdt3213/rdb/parser"
)

var extractAll = ElementOptions{Limit: 1 << 20, Fields: 1 << 20, MaxText: 1 << 20}

// extract gives the elements of a key, which must be there.
func extract(t *testing.T, snapshot []byte, db int, name string, want ElementOptions) (*Excerpt, []Element) {
	t.Helper()
	x, err := Extract(t.Context(), bytes.NewReader(snapshot), Options{}, db, []byte(name))
	if err != nil {
		t.Fatalf("%.60q: %v", name, err)
	}
	if x == nil {
		t.Fatalf("%.60q: not found", name)
	}
	return x, slices.Collect(x.Elements(want))
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
			x, all := extract(t, b, -1, "k", extractAll)
			got := elementTexts(x.Key, all)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			for n := range c.want {
				x, few := extract(t, b, 0, "k", ElementOptions{Limit: n, Fields: 10, MaxText: 10})
				if len(few) != n || x.Cut != "" {
					t.Errorf("limit %d: %d elements, cut %q", n, len(few), x.Cut)
				}
				for i, e := range few {
					cutTo10(&e, x.Key.Type == Stream)
					want := all[i]
					cutTo10(&want, x.Key.Type == Stream)
					if got, want := fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", want); got != want {
						t.Errorf("limit %d: element %d is %s, want %s", n, i, got, want)
					}
				}
			}
			nameless := x.Key.Type == Hash && all[0].Name.Bytes == nil
			if x.Key.Type != Array && !nameless && x.Key.ValueBytes != lengths(x.Key, all) {
				t.Errorf("the lengths of the elements add up to %d, value bytes are %d", lengths(x.Key, all), x.Key.ValueBytes)
			}
			for range x.Elements(extractAll) {
				break // nothing more may be given
			}
		})
	}
}

// cutTo10 cuts the texts of an element to 10 bytes, but IDs.
func cutTo10(e *Element, stream bool) {
	e.Value.Bytes = cut(e.Value.Bytes, 10)
	if !stream {
		e.Name.Bytes = cut(e.Name.Bytes, 10)
	}
	pairs := e.Pairs
	e.Pairs = nil
	for _, p := range pairs {
		e.Pairs = append(e.Pairs, Text{cut(p.Bytes, 10), p.Len})
	}
}

func elementTexts(k *Key, elements []Element) (list []string) {
	for _, e := range elements {
		s := string(e.Value.Bytes)
		switch {
		case k.Type == Stream:
			s = string(e.Name.Bytes)
			if e.Name.Bytes == nil {
				s = e.ID.String()
			}
			for i := 0; i+1 < len(e.Pairs); i += 2 {
				s += fmt.Sprintf(" %s:%s", e.Pairs[i].Bytes, e.Pairs[i+1].Bytes)
			}
		case k.Type == ZSet:
			s = fmt.Sprintf("%s %v", e.Value.Bytes, e.Score)
		case e.Name.Bytes != nil:
			s = fmt.Sprintf("%s=%s", e.Name.Bytes, e.Value.Bytes)
		}
		if math.IsInf(e.Score, 1) {
			s = string(e.Value.Bytes) + " +Inf"
		}
		if e.ExpireAt != 0 {
			s += fmt.Sprintf("@%d", e.ExpireAt)
		}
		list = append(list, s)
	}
	return list
}

// lengths adds up what Key.ValueBytes does.
func lengths(k *Key, elements []Element) (n int64) {
	for _, e := range elements {
		n += e.Value.Len
		if k.Type == Hash {
			n += e.Name.Len
		}
		for _, p := range e.Pairs {
			n += p.Len
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
				continue // a Key does not hold all of its name; see TestExtractLongNames
			}
			x, elements := extract(t, b, k.DB, string(k.Name), extractAll)
			keys++
			if x.Opaque || k.Type == Array || k.ValueBytes < 0 {
				continue
			}
			if n := int64(len(elements)); n != k.Elements || x.Cut != "" {
				t.Errorf("%s: %.60q has %d elements, %d copied, cut %q", path, k.Name, k.Elements, n, x.Cut)
			} else if lengths(k, elements) != k.ValueBytes {
				t.Errorf("%s: %.60q has %d value bytes, %d copied", path, k.Name, k.ValueBytes, lengths(k, elements))
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
		if _, got := extract(t, b, c.db, c.name, extractAll); string(got[0].Value.Bytes) != c.want {
			t.Errorf("db %d, %q: %v, want %q", c.db, c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		db   int
		name string
	}{{3, "a"}, {-1, "ab"}, {0, ""}} {
		if x, err := Extract(t.Context(), bytes.NewReader(b), Options{}, c.db, []byte(c.name)); x != nil || err != nil {
			t.Errorf("db %d, %q: %v, %v", c.db, c.name, x, err)
		}
	}
	if x, err := Extract(t.Context(), bytes.NewReader(b[:20]), Options{}, -1, []byte("nosuch")); x != nil || err == nil {
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
	for name, want := range map[string][]string{"after": {"found"}, "last": {"x", "y"}} {
		x, elements := extract(t, whole, -1, name, extractAll)
		if got := elementTexts(x.Key, elements); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %.40q", name, got)
		}
	}
	if _, big := extract(t, whole, -1, "big", extractAll); big[0].Value.Len != 60<<20 || len(big[0].Value.Bytes) != 1<<20 {
		t.Errorf("big: %d bytes, %d copied", big[0].Value.Len, len(big[0].Value.Bytes))
	}
	short := extractAll
	short.MaxText = 100
	x, elements := extract(t, whole, -1, "list", short)
	if n := len(elements); n < captureMax/1002 || n > captureMax/1002+1 || x.Key.Elements != 40000 || x.Cut != cutRecord {
		t.Errorf("list: %d of %d elements, cut %q", n, x.Key.Elements, x.Cut)
	}
	for i, e := range elements {
		if e.Value.Len != 1000 || len(e.Value.Bytes) != 100 && i < len(elements)-1 {
			t.Fatalf("item %d: %d bytes, %d copied", i, e.Value.Len, len(e.Value.Bytes))
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
			v := o.(*model.ListObject).Values
			return len(v) == 4 && string(v[0]) == "f" && string(v[1]) == "v" && string(v[2]) == "g" && len(v[3]) == 100
		},
		"stream": func(o model.RedisObject) bool {
			l := o.(*model.ListObject)
			return l.Key == "1-2" && len(l.Values) == 2 && string(l.Values[0]) == "f" && string(l.Values[1]) == "v"
		},
	} {
		x, elements := extract(t, b, 70, name, extractAll)
		small := AppendSnapshot(nil, x.Key, elements)
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
