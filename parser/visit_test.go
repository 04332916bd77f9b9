package parser

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/rdb"
)

// visited is what a visitor received of one key.
type visited struct {
	key      *Key // as it was before the value
	elements []copied
	stream   *StreamState
	groups   []string // groups, consumers and pending entries
}

// copied is an element, and of a stream's entry its fields and values by turns.
type copied struct {
	Element
	pairs []Text
}

func cloneText(t Text) Text { return Text{bytes.Clone(t.Bytes), t.Len} }

// visitAll returns what a visitor receives of all keys of a snapshot.
func visitAll(r io.Reader, block, limit, maxText int, wants func(k *Key) bool) (all []*visited, keys []*Key, err error) {
	var now *visited
	note := func(format string, args ...any) { now.groups = append(now.groups, fmt.Sprintf(format, args...)) }
	v := &Visitor{
		MaxText: maxText,
		MaxName: -1,
		Key: func(k *Key) bool {
			if wants != nil && !wants(k) {
				return false
			}
			now = &visited{key: k.Clone()}
			all = append(all, now)
			return limit > 0
		},
		Element: func(e *Element) bool {
			c := copied{Element: *e}
			c.Name, c.Value, c.Path = cloneText(e.Name), cloneText(e.Value), cloneText(e.Path)
			now.elements = append(now.elements, c)
			return len(now.elements) < limit
		},
		Field: func(name, value Text) bool {
			e := &now.elements[len(now.elements)-1]
			e.pairs = append(e.pairs, cloneText(name), cloneText(value))
			return true
		},
		Stream: func(s *StreamState) { c := *s; now.stream = &c },
		Group: func(g *StreamGroup) {
			note("group %s last %s read %d pending %d", g.Name.Bytes, g.Last, g.Read, g.Pending)
		},
		GroupPending: func(p *PendingEntry) {
			note("pending %s at %d, %d times", p.ID, p.Delivered, p.Count)
		},
		Consumer: func(c *StreamConsumer) {
			note("consumer %s seen %d active %d pending %d", c.Name.Bytes, c.Seen, c.Active, c.Pending)
		},
		ConsumerPending: func(id StreamID) { note("its %s", id) },
	}
	s := newScanner(r, Options{}, block)
	s.Visit(v)
	for s.Scan() {
		keys = append(keys, s.Key().Clone())
	}
	return all, keys, s.Err()
}

// opaque reports whether a visitor gets no elements of a key.
func opaque(k *Key) bool {
	return k.Type.Opaque() || k.Type == JSON && k.RDBType == 7 && k.Module.Version <= 1
}

// TestVisitFixtures visits all keys of all fixtures: their figures are those
// without a visitor, and the lengths of their elements add up to the value bytes.
func TestVisitFixtures(t *testing.T) {
	n := 0
	for name, in := range allFixtures(t) {
		var plain []*Key
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		for s.Scan() {
			plain = append(plain, s.Key().Clone())
		}
		all, keys, err := visitAll(bytes.NewReader(in), smallBlock, 1<<30, 1<<20, nil)
		if len(keys) != len(plain) || fmt.Sprint(err) != fmt.Sprint(s.Err()) {
			t.Errorf("%s: %d keys, error %v; without visitor %d, %v", name, len(keys), err, len(plain), s.Err())
			continue
		}
		for i, k := range keys {
			n++
			v := all[i]
			if v.key.Type != k.Type || int64(len(v.key.Name)) != k.NameLen {
				t.Errorf("%s: type %s and %d bytes of the name before the value: %s", name, v.key.Type, len(v.key.Name), line(k))
			}
			k.Name = cut(k.Name, MaxName)
			if line(k) != line(plain[i]) {
				t.Errorf("%s:\n     got %s\nwithout %s", name, line(k), line(plain[i]))
			}
			if opaque(k) || k.Elements < 0 || k.Type == Array {
				continue
			}
			want := k.Elements
			switch k.Type {
			case Stream:
				want = k.Live
			case JSON:
				want = 1 // the document
			}
			longest := int64(0)
			for _, e := range v.elements {
				if k.Type == Hash && e.Name.Len+e.Value.Len >= rdb.LargeElement {
					longest = max(longest, e.Value.Len)
				}
			}
			if k.LongestValue != longest {
				t.Errorf("%s: longest value of %d bytes, not %d: %s", name, longest, k.LongestValue, line(k))
			}
			if visitedElements(k, v.elements) != want || lengths(k, v.elements) != k.ValueBytes {
				t.Errorf("%s: %d elements of %d bytes: %s", name, len(v.elements), lengths(k, v.elements), line(k))
			}
		}
	}
	t.Logf("%d keys", n)
}

// TestVisitStream has all that a stream has.
func TestVisitStream(t *testing.T) {
	long := strings.Repeat("x", 300)
	node := listpack(2, 1, 2, "temp", "hum", 0,
		2, 0, 0, 21, "60%", 5, // same fields
		3, 1, 0, 22, 70, 5, // deleted
		0, 2, 7, 1, "only", long, 6) // fields of its own
	in := newRDB("REDIS0011").key(21, "s").len(1).len(16).id(100, 5).str(node).len(2).len(102).len(12).
		len(100).len(5).len(101).len(5).len(3).
		len(1).str("group").len(100).len(5).len(1<<64-1).len(2).id(100, 5).le64(1700).len(3).id(102, 12).le64(1800).len(1).
		len(2).str("alice").le64(1900).le64(-1).len(1).id(100, 5).str("bob").le64(2000).le64(1950).len(1).id(102, 12).end()
	all, _, err := visitAll(bytes.NewReader(in), smallBlock, 100, 100, nil)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d keys, %v", len(all), err)
	}
	v := all[0]
	got := elementTexts(v.key, v.elements)
	if want := []string{"100-5 temp:21 hum:60%", "102-12 only:" + long[:100]}; !slices.Equal(got, want) {
		t.Errorf("entries %q, want %q", got, want)
	}
	if want := (StreamState{2, StreamID{102, 12}, true, StreamID{100, 5}, StreamID{101, 5}, 3}); v.stream == nil || *v.stream != want {
		t.Errorf("%+v, want %+v", v.stream, want)
	}
	want := []string{"group group last 100-5 read -1 pending 2", "pending 100-5 at 1700, 3 times", "pending 102-12 at 1800, 1 times",
		"consumer alice seen 1900 active -1 pending 1", "its 100-5", "consumer bob seen 2000 active 1950 pending 1", "its 102-12"}
	if !slices.Equal(v.groups, want) {
		t.Errorf("groups %q, want %q", v.groups, want)
	}
}

// TestVisitLimits has texts and names longer than any buffer.
func TestVisitLimits(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 40_000)
	r := newRDB("REDIS0011")
	compressed := func(s string) { z := lzf(s); r.raw(0xc3).len(uint64(len(z))).len(uint64(len(s))).raw(z) }
	r.key(0, long+":a").str(long)
	r.raw(0)
	compressed(long + ":b")
	compressed(long)
	r.key(4, "h").len(3).str(long, "v", "f", long)
	compressed(long + "f")
	compressed(long + "v")
	r.key(16, "p").str(listpack(long, 12, -5, long))
	r.key(17, "z").raw(0xc3)
	block := listpack(long, "1.5", "m", 2)
	z := lzf(block)
	r.len(uint64(len(z))).len(uint64(len(block))).raw(z)
	in := r.end()
	for _, limit := range []int{0, 10, 5000, 70_000, -1} {
		all, _, err := visitAll(bytes.NewReader(in), smallBlock, 100, limit, nil)
		if err != nil || len(all) != 5 {
			t.Fatalf("limit %d: %d keys, %v", limit, len(all), err)
		}
		if string(all[0].key.Name) != long+":a" || string(all[1].key.Name) != long+":b" {
			t.Errorf("limit %d: names are wrong", limit)
		}
		for i, want := range [][]string{{"", long}, {"", long}, {long, "v", "f", long, long + "f", long + "v"}, {long, "12", "-5", long}, {"", long, "", "m"}} {
			for j, e := range all[i].elements {
				for n, got := range []Text{e.Name, e.Value} {
					w := want[2*j+n]
					head := w
					if limit >= 0 && len(w) > limit {
						head = w[:limit]
					}
					if string(got.Bytes) != head || got.Len != int64(len(w)) {
						t.Errorf("limit %d, key %d, element %d: %d bytes of %d, want %d of %d", limit, i, j, len(got.Bytes), got.Len, len(head), len(w))
					}
				}
			}
			if len(all[i].elements) != len(want)/2 {
				t.Errorf("limit %d, key %d: %d elements", limit, i, len(all[i].elements))
			}
		}
	}
}

func elementTexts(k *Key, elements []copied) (list []string) {
	for _, e := range elements {
		s := string(e.Value.Bytes)
		switch {
		case k.Type == Stream:
			s = e.ID.String()
			for i := 0; i+1 < len(e.pairs); i += 2 {
				s += fmt.Sprintf(" %s:%s", e.pairs[i].Bytes, e.pairs[i+1].Bytes)
			}
		case k.Type == ZSet:
			s = fmt.Sprintf("%s %v", e.Value.Bytes, e.Score)
		case e.Path.Bytes != nil:
			s = fmt.Sprintf("%s: %s=%s", e.Path.Bytes, e.Name.Bytes, e.Value.Bytes)
		case e.Name.Bytes != nil:
			s = fmt.Sprintf("%s=%s", e.Name.Bytes, e.Value.Bytes)
		}
		if e.ExpireAt != 0 {
			s += fmt.Sprintf("@%d", e.ExpireAt)
		}
		list = append(list, s)
	}
	return list
}

// visitedElements returns the number of elements as Key.Elements has it: of a path hash,
// whose fields are visited, that of the paths.
func visitedElements(k *Key, elements []copied) (n int64) {
	for i, e := range elements {
		if k.Type != PathHash || i == 0 || !bytes.Equal(e.Path.Bytes, elements[i-1].Path.Bytes) {
			n++
		}
	}
	return n
}

// lengths adds up what Key.ValueBytes does.
func lengths(k *Key, elements []copied) (n int64) {
	for _, e := range elements {
		n += e.Value.Len
		if k.Type == Hash || k.Type == PathHash {
			n += e.Name.Len
		}
		for _, p := range e.pairs {
			n += p.Len
		}
	}
	return n
}

// TestVisitEncodings has every element of every encoding of the standard types,
// written by hand.
func TestVisitEncodings(t *testing.T) {
	long, veryLong := strings.Repeat("x", 300), strings.Repeat("y", MaxElementName+1)
	streamNode := listpack(2, 1, 2, "temp", "hum", 0,
		2, 0, 0, 21, "60%", 5, // same fields
		3, 1, 0, 22, 70, 5, // deleted
		0, 2, 7, 1, "only", long, 6) // fields of its own
	for _, c := range []struct {
		what  string
		magic string
		write func(r *rdbBuilder)
		want  []string
	}{
		{"string", "REDIS0011", func(r *rdbBuilder) { r.key(0, "k").str("hello") }, []string{"hello"}},
		{"integer", "REDIS0011", func(r *rdbBuilder) { r.key(0, "k").raw(0xc1, 0x39, 0x30) }, []string{"12345"}},
		{"lzf", "REDIS0011", func(r *rdbBuilder) { r.key(0, "k").raw(0xc3, 5, 10, 0, "a", 0xe0, 0, 0) }, []string{"aaaaaaaaaa"}},
		{"list", "REDIS0003", func(r *rdbBuilder) { r.key(1, "k").len(2).str("a", long) }, []string{"a", long}},
		{"set", "REDIS0011", func(r *rdbBuilder) { r.key(2, "k").len(2).str("a").raw(0xc0, 0xff) }, []string{"a", "-1"}},
		{"old zset", "REDIS0004", func(r *rdbBuilder) {
			r.key(3, "k").len(4).str("a").raw(3, "1.5").str("b").raw(253).str("c").raw(254).str("d").raw(255)
		}, []string{"a 1.5", "b NaN", "c +Inf", "d -Inf"}},
		{"zset", "REDIS0011", func(r *rdbBuilder) { r.key(5, "k").len(1).str("a").le64(int64(math.Float64bits(-2.5))) }, []string{"a -2.5"}},
		{"hash", "REDIS0011", func(r *rdbBuilder) { r.key(4, "k").len(2).str("f", "v").str("g", "") }, []string{"f=v", "g="}},
		{"zipmap", "REDIS0002", func(r *rdbBuilder) { r.key(9, "k").str(zipmap(3, "f", "v", "g", long)) }, []string{"f=v", "g=" + long}},
		{"ziplist list", "REDIS0009", func(r *rdbBuilder) { r.key(10, "k").str(ziplist("a", 7, -3, 300, long, 1<<40)) },
			[]string{"a", "7", "-3", "300", long, "1099511627776"}},
		{"intset", "REDIS0009", func(r *rdbBuilder) { r.key(11, "k").str(intset(4, -70000, 5)) }, []string{"-70000", "5"}},
		{"ziplist zset", "REDIS0009", func(r *rdbBuilder) { r.key(12, "k").str(ziplist("a", 3, "b", "1.5")) }, []string{"a 3", "b 1.5"}},
		{"ziplist hash", "REDIS0009", func(r *rdbBuilder) { r.key(13, "k").str(ziplist("f", 3)) }, []string{"f=3"}},
		{"ziplist quicklist", "REDIS0009", func(r *rdbBuilder) { r.key(14, "k").len(2).str(ziplist("a"), ziplist(long, "c")) }, []string{"a", long, "c"}},
		{"listpack hash", "REDIS0011", func(r *rdbBuilder) { r.key(16, "k").str(listpack("f", long, "g", -5000)) }, []string{"f=" + long, "g=-5000"}},
		{"listpack zset", "REDIS0011", func(r *rdbBuilder) { r.key(17, "k").str(listpack("a", "inf", 12, -1)) }, []string{"a +Inf", "12 -1"}},
		{"quicklist", "REDIS0011", func(r *rdbBuilder) { r.key(18, "k").len(2).len(1).str(long).len(2).str(listpack("b", 1<<20)) }, []string{long, "b", "1048576"}},
		{"listpack set", "REDIS0011", func(r *rdbBuilder) { r.key(20, "k").str(listpack("a", "b")) }, []string{"a", "b"}},
		{"hash of 7.4 candidates", "REDIS0012", func(r *rdbBuilder) { r.key(22, "k").len(2).len(0).str("f", "v").len(9999).str("g", "w") }, []string{"f=v", "g=w@9999"}},
		{"listpackex of 7.4 candidates", "REDIS0012", func(r *rdbBuilder) { r.key(23, "k").str(listpack("f", "v", 9999, "g", "w", 0)) }, []string{"f=v@9999", "g=w"}},
		{"hash with TTL", "REDIS0012", func(r *rdbBuilder) { r.key(24, "k").le64(5000).len(2).len(0).str("f", "v").len(1).str("g", "w") }, []string{"f=v", "g=w@5000"}},
		{"listpackex", "REDIS0012", func(r *rdbBuilder) { r.key(25, "k").le64(9999).str(listpack("f", "v", 9999, "g", "w", 0)) }, []string{"f=v@9999", "g=w"}},
		{"Valkey hash with TTL", "VALKEY080", func(r *rdbBuilder) { r.key(22, "k").len(2).str("f", "v").le64(-1).str("g", "w").le64(77) }, []string{"f=v", "g=w@77"}},
		{"stream", "REDIS0009", func(r *rdbBuilder) {
			r.key(15, "k").len(1).len(16).id(100, 5).str(streamNode).len(2).len(102).len(12).len(0)
		}, []string{"100-5 temp:21 hum:60%", "102-12 only:" + long}},
		{"path hash", "VALKEY081", func(r *rdbBuilder) {
			r.key(23, "k").len(2).str("").len(1).str("f", long).str("a/b").len(2).str("g", "w").raw(1, "h", 0xc0, 0xff)
		}, []string{": f=" + long, "a/b: g=w", "a/b: h=-1"}},
		{"array", "REDIS0014", func(r *rdbBuilder) {
			r.key(28, "k").len(3).len(0).len(4).len(0).str("a").len(9).len(1).le64(-8).len(70).len(2).le64(int64(math.Float64bits(0.5)))
		}, []string{"4=a", "9=-8", "70=0.5"}},
		{"template listpack", "REDIS0015", func(r *rdbBuilder) {
			r.raw(242).len(3).len(2).str("f", "gg").key(30, "k").str(listpack(3, "v", "w"))
		}, []string{"f=v", "gg=w"}},
		{"template array", "REDIS0015", func(r *rdbBuilder) { r.raw(242).len(3).len(2).str("f", "gg").key(32, "k").len(3).str("v", "w") }, []string{"f=v", "gg=w"}},
		{"template with its names", "REDIS0015", func(r *rdbBuilder) { r.key(31, "k").len(1).len(2).str("f", "gg").str("v", "w") }, []string{"f=v", "gg=w"}},
		{"template with long names", "REDIS0015", func(r *rdbBuilder) {
			r.key(31, "k").len(1).len(4).str(veryLong, "f", veryLong+"2").raw(0xc1, 0x39, 0x30).str("v", "w", "x", "y")
		}, []string{veryLong + "=v", "f=w", veryLong + "2=x", "12345=y"}},
		{"template with packed names", "REDIS0015", func(r *rdbBuilder) {
			r.key(29, "k").len(0).str(listpack(12345, long, -7, "f")).str(listpack(1, "v", "w", "x", 99))
		}, []string{"12345=v", long + "=w", "-7=x", "f=99"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newRDB(c.magic)
			c.write(b)
			in := b.end()
			if c.magic < "REDIS0005" {
				in = in[:len(in)-8] // no checksum before version 5
			}
			for how, source := range sources(in) {
				r := find(t, source, -1, "k")
				all := copyElements(t, r, noLimits)
				if got := elementTexts(r.Key(), all); !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s:\ngot  %q\nwant %q", how, got, c.want)
				}
				for n := range c.want {
					few := copyElements(t, r, limits{n, 10, 10})
					if len(few) != n {
						t.Errorf("limit %d: %d elements", n, len(few))
					}
					for i, e := range few {
						want := all[i]
						want.Name.Bytes, want.Value.Bytes = cut10(want.Name.Bytes), cut10(want.Value.Bytes)
						want.pairs = slices.Clone(want.pairs)
						for i, p := range want.pairs {
							want.pairs[i].Bytes = cut10(p.Bytes)
						}
						if got, want := fmt.Sprintf("%+v", e), fmt.Sprintf("%+v", want); got != want {
							t.Errorf("limit %d: element %d is %s, want %s", n, i, got, want)
						}
					}
				}
				if k := r.Key(); k.Type != Array && k.ValueBytes != lengths(k, all) {
					t.Errorf("the lengths of the elements add up to %d, value bytes are %d", lengths(k, all), k.ValueBytes)
				}
				restored(t, r)
			}
		})
	}
}

func cut10(b []byte) []byte { return b[:min(len(b), 10)] }

// TestVisitFields limits the fields of an entry, shared ones and its own, and
// finds the entries behind it.
func TestVisitFields(t *testing.T) {
	shared, values, own := []any{3, 1, 5}, []any{}, []any{}
	for i := range 5 {
		shared = append(shared, fmt.Sprint("f", i))
		values = append(values, fmt.Sprint("v", i))
		own = append(own, fmt.Sprint("own", i), fmt.Sprint("w", i))
	}
	node := append(slices.Clone(shared), 0)
	node = append(append(append(node, 2, 0, 0), values...), 8)
	node = append(append(append(node, 3, 0, 1), values...), 8) // deleted
	node = append(append(append(node, 0, 0, 2, 5), own...), 14)
	node = append(append(append(node, 2, 0, 3), values...), 8)
	b := newRDB("REDIS0011").key(15, "k").len(1).len(16).id(7, 0).str(listpack(node...)).len(3).len(7).len(3).len(0).end()
	for _, c := range []struct {
		limits
		want []string
	}{
		{limits{9, 2, 100}, []string{"7-0 f0:v0 f1:v1", "7-2 own0:w0 own1:w1", "7-3 f0:v0 f1:v1"}},
		{limits{1, 1, 100}, []string{"7-0 f0:v0"}},
		{limits{2, 9, 100}, []string{"7-0 f0:v0 f1:v1 f2:v2 f3:v3 f4:v4", "7-2 own0:w0 own1:w1 own2:w2 own3:w3 own4:w4"}},
	} {
		r := find(t, bytes.NewReader(b), -1, "k")
		elements := copyElements(t, r, c.limits)
		if got := elementTexts(r.Key(), elements); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.limits, got, c.want)
		}
		for _, e := range elements {
			if e.Fields != 5 {
				t.Errorf("%s has %d fields", e.ID, e.Fields)
			}
		}
	}
}

// TestVisitStops does not read what nobody wants.
func TestVisitStops(t *testing.T) {
	in := newRDB("REDIS0011").key(4, "k").len(4 << 20).raw(strings.Repeat("\x01f\x01v", 4<<20)).end()
	at := &countingAt{random{bytes.NewReader(in)}, 0}
	r := find(t, at, -1, "k")
	copyElements(t, r, limits{10, 10, 10})
	if at.n > 1<<20 {
		t.Errorf("%d bytes were read for 10 elements", at.n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r = NewRecords(ctx, bytes.NewReader(in), RecordOptions{})
	if r.Next() || !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("%v, want the context's error", r.Err())
	}
}

// TestSharedNames has an entry of a stream with a million fields whose names stand
// in its node's master entry: a visitor that wants whole texts is refused, one that
// limits them misses some.
func TestSharedNames(t *testing.T) {
	const n = 1_000_000
	number := func(v uint32) []byte { return append(binary.LittleEndian.AppendUint32([]byte{0xf3}, v), 5) }
	node := slices.Concat([]byte{1, 1, 0, 1}, number(n), bytes.Repeat([]byte{0x81, 'a', 2}, n), []byte{0, 1, // the master entry
		2, 1, 0, 1, 0, 1}, bytes.Repeat([]byte{0x81, 'b', 2}, n), number(n+3), []byte{0xff})
	node = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(node)+6)), []byte{0xff, 0xff}, node)
	in := newRDB("REDIS0009").key(15, "s").len(1).len(16).id(1, 1).str(string(node)).len(1).len(1).len(1).len(0).end()
	for _, c := range []struct {
		maxText int
		err     string
	}{{-1, `share field names of more than 16 MiB (in key "s")`}, {100, ""}} {
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		fields := 0
		s.Visit(&Visitor{MaxText: c.maxText, Field: func(name, value Text) bool { fields++; return true }})
		for s.Scan() {
		}
		if c.err == "" && (s.Err() != nil || fields == 0 || fields >= n) || c.err != "" && (s.Err() == nil || !strings.Contains(s.Err().Error(), c.err)) {
			t.Errorf("texts of %d bytes: %v after %d fields, want %q", c.maxText, s.Err(), fields, c.err)
		}
	}
}

// TestHeadOfTheLargest checks the first bytes that are kept of a hash's largest value,
// in every encoding and of every kind of value: from an element of LargeElement bytes on.
func TestHeadOfTheLargest(t *testing.T) {
	text := strings.Repeat("0123456789", 500)
	for _, field := range []int{rdb.LargeElement - 8, rdb.LargeElement - 6, rdb.LargeElement - 5, rdb.LargeElement - 4, rdb.LargeElement, 4000} {
		name := text[:field]
		for what, r := range map[string]*rdbBuilder{
			"table":    newRDB("REDIS0011").key(4, "k").len(2).str("f").raw(0xc0, 7).str(name).raw(0xc1, 0x39, 0x30),
			"listpack": newRDB("REDIS0011").key(16, "k").str(listpack("f", 7, name, 12345)),
			"ziplist":  newRDB("REDIS0009").key(13, "k").str(ziplist("f", 7, name, 12345)),
			"zipmap":   newRDB("REDIS0003").key(9, "k").str(zipmap(2, "f", "7", name, "12345")),
			"expiring": newRDB("REDIS0012").key(25, "k").le64(0).str(listpack("f", 7, 0, name, 12345, 0)),
			"text":     newRDB("REDIS0011").key(16, "k").str(listpack("f", "7", name, "12345")),
		} {
			want := ""
			if field+5 >= rdb.LargeElement {
				want = "12345"
			}
			in := r.endOff()
			if what == "zipmap" {
				in = in[:len(in)-8]
			}
			s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
			if !s.Scan() {
				t.Fatalf("%s: %v", what, s.Err())
			}
			if k := s.Key(); string(k.Head) != want || k.Largest != int64(field+5) || k.Longest != int64(field) {
				t.Errorf("%s, a field of %d bytes: head %q, want %q: %s", what, field, k.Head, want, line(k))
			}
		}
	}
}
