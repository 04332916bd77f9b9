package parser

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
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
			c.Name, c.Value = cloneText(e.Name), cloneText(e.Value)
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
			if k.Type.Opaque() || k.Type == Array {
				continue
			}
			want := k.Elements
			if k.Type == Stream {
				want = k.Live
			}
			if int64(len(v.elements)) != want || lengths(k, v.elements) != k.ValueBytes {
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

// lengths adds up what Key.ValueBytes does.
func lengths(k *Key, elements []copied) (n int64) {
	for _, e := range elements {
		n += e.Value.Len
		if k.Type == Hash {
			n += e.Name.Len
		}
		for _, p := range e.pairs {
			n += p.Len
		}
	}
	return n
}
