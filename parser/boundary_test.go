package parser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// TestSharedIntegers has integers that a server keeps once for all keys, unless the file
// shows that it may evict them: by an idle time or by a counter.
func TestSharedIntegers(t *testing.T) {
	model := memoryOf(t, "redis-7.2")
	opt := Options{Memory: func(*Info) *memory.Model { return model }}
	r := newRDB("REDIS0011").aux("redis-ver", "7.2.0")
	for range 2 {
		r.key(0, "a").str("7").raw(0xf8, 5).key(0, "b").str("7").raw(0xf9, 5).key(0, "c").str("7").raw(0xf8, 0).key(0, "d").raw(0xc0, 7).raw(0xf9, 0).key(0, "e").raw(0xc0, 7).key(0, "f").raw(0xc0, 7)
	}
	for how, keys := range readings(t, r.end(), opt) {
		for i, k := range keys {
			shared := i%6 == 0 || i%6 == 5
			want := int64(8 + 24 + 16) // name, entry and object
			if shared {
				want -= 16
			}
			if k.Memory != want {
				t.Errorf("%s: %s takes %d bytes, want %d", how, k.Name, k.Memory, want)
			}
		}
	}
}

// TestLargeStreams reads streams with many groups, consumers and producers, and path
// hashes with many paths, through buffers of all sizes: their names' trees are the same.
func TestLargeStreams(t *testing.T) {
	node := listpack(1, 0, 1, "a", 0, 2, 0, 0, "b", 4)
	name := func(i int) string { return fmt.Sprintf("name:%06d:%s", i, strings.Repeat("x", i*7%40)) }
	const n = 3000
	stream := func(typ byte, groups, consumers, producers int) []byte {
		r := newRDB("REDIS0014").aux("redis-ver", "8.8.0").key(typ, "k").len(1).len(16).id(1000, 1).str(node).len(1).len(1000).len(1).len(1000).len(1).len(0).len(0).len(1)
		r.len(uint64(groups))
		for i := range groups {
			r.str(name(i)).len(1000).len(1).len(1).len(1).id(1000, 1).le64(5).len(3).len(uint64(consumers))
			for j := range consumers {
				r.str(name(j)).le64(0).le64(0).len(1).id(1000, 1)
			}
			if typ == 27 {
				r.len(0)
			}
		}
		r.len(100).len(100).len(uint64(producers))
		for i := range producers {
			r.str(name(i)).len(2).str("first").len(1).len(1).str("second").len(1).len(2)
		}
		return r.len(0).len(0).end()
	}
	paths := newRDB("VALKEY081").aux("valkey-ver", "9.2.0").key(23, "k").len(n)
	for i := range n {
		paths.str(name(i)).len(1).str("f", "v")
	}
	for what, in := range map[string][]byte{"producers": stream(26, 1, 1, n), "groups": stream(27, n, 1, 1), "consumers": stream(27, 1, n, 0), "paths": paths.end()} {
		for _, server := range []string{"redis-8.8", "valkey-9.2"} {
			model := memoryOf(t, server)
			opt := Options{Memory: func(*Info) *memory.Model { return model }}
			want := scanned(bytes.NewReader(in), opt, 4*scanBlock)
			if want.err != nil || len(want.lines) != 1 {
				t.Fatalf("%s: %v", what, want.err)
			}
			for how, got := range map[string]outcome{"small blocks": scanned(bytes.NewReader(in), opt, smallBlock), "half": scanned(iotest.HalfReader(bytes.NewReader(in)), opt, smallBlock), "blocks": ranSmall(bytes.NewReader(in), opt, 2)} {
				if d := difference(want, got); d != "" {
					t.Errorf("%s, %s, %s: %s", what, server, how, d)
				}
			}
		}
	}
}

// TestEmptyNodes has a list larger than a block whose nodes have no items.
func TestEmptyNodes(t *testing.T) {
	const n = 20_000
	in := newRDB("REDIS0011").key(18, "k").len(n).raw(strings.Repeat("\x02"+newRDB("").str(listpack()).text(), n)).key(0, "next").str("v").end()
	for how, keys := range readings(t, in, Options{}) {
		if k := keys[0]; len(keys) != 2 || k.Elements != 0 || k.Largest != 0 || k.Longest != 0 || k.ValueBytes != 0 || k.Nodes != n {
			t.Errorf("%s: %d keys, %s", how, len(keys), line(k))
		}
	}
	if o := ranSmall(bytes.NewReader(in), Options{}, 2); o.info.EmptyKeys != 1 || o.err != nil {
		t.Errorf("%d empty keys, %v", o.info.EmptyKeys, o.err)
	}
}

// text returns what was written.
func (r *rdbBuilder) text() string { return string(r.b) }

// TestHugeCounts has keys larger than a block that claim more elements than any file has.
func TestHugeCounts(t *testing.T) {
	for typ, what := range map[byte]string{1: "elements", 2: "elements", 4: "elements", 5: "elements", 14: "nodes", 18: "nodes"} {
		in := newRDB("REDIS0011").key(typ, "k").len(1<<48 + 1).raw(strings.Repeat("\x02\x08aaaaaaaa", 30_000)).b
		for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "blocks": ranSmall(bytes.NewReader(in), Options{}, 2)} {
			if want := "a count of 281474976710657 " + what + " is claimed, more than any file holds"; o.err == nil || !strings.Contains(o.err.Error(), want) || !strings.Contains(o.err.Error(), "offset 21:") {
				t.Errorf("type %d, %s: %v, want %s", typ, how, o.err, want)
			}
		}
	}
}

// TestOffsetsOfDamage has what is refused, at the byte that is wrong: it follows a
// magic of nine bytes and the three of a key.
func TestOffsetsOfDamage(t *testing.T) {
	key := func(magic string, typ byte) *rdbBuilder { return newRDB(magic).key(typ, "k") }
	for _, c := range []struct {
		in     *rdbBuilder
		offset int
		reason string
	}{
		{key("REDIS0015", 31).len(2), 12, "a hash template's names have the unknown form 2"},
		{key("REDIS0014", 28).len(1).len(0).len(0).len(4), 15, "an array's element has the unknown kind 4"},
		{key("REDIS0014", 28).len(0), 13, "an array without elements"},
		{key("REDIS0011", 18).len(1).len(3), 13, "a list's node has container kind 3"}, {key("REDIS0011", 18).len(1).len(0), 13, "a list's node has container kind 0"},
		{key("REDIS0011", 0).raw(0xc4), 12, "string form 4 is not defined"}, {key("REDIS0011", 0).raw(0x82), 12, "length byte 0x82 is not defined"}, {key("REDIS0011", 4).raw(0xc0), 12, "a string form stands where a plain length must be"},
		{newRDB("REDIS0011").raw(0xfe).len(1 << 31), 15, "database number 2147483648 is out of range"}, {newRDB("REDIS0011").raw(0x50), 9, "unknown type or opcode 80"}, {newRDB("REDIS0011").key(0, "a").str("b").raw(0x51), 14, "unknown type or opcode 81"},
		{newRDB("VALKEY081").raw(0xf2, "+1\r\n"), 10, "an update does not begin as a command does"}, {newRDB("VALKEY081").raw(0xf2, "*x\r\n"), 11, "an update has a length that is not a number"}, {newRDB("VALKEY081").raw(0xf2, "*\r\n"), 11, "an update has a line that does not end"}, {newRDB("VALKEY081").raw(0xf2, "*1\rx"), 13, "an update has a line that does not end"},
		{newRDB("VALKEY081").raw(0xf2, "*1\r\n+1\r\n"), 14, "an update does not begin as a command does"}, {newRDB("VALKEY081").raw(0xf2, "*1234567890123456789\r\n"), 29, "an update has a length that is not a number"},
		{key("REDIS0009", 9).str("\x00\xff\x00"), 15, "a zipmap ends 1 bytes before its block does"}, {key("REDIS0009", 9).str("\x01\x01f\x01\x00v\xff\x00\x00"), 20, "a zipmap ends 2 bytes before its block does"},
		{key("VALKEY081", 23).len(1).str("p").len(0), 16, "a path without fields"},
	} {
		in := c.in.raw(strings.Repeat("\x00", 100)).b
		for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "blocks": ranSmall(bytes.NewReader(in), Options{}, 1)} {
			if o.err == nil || !strings.Contains(o.err.Error(), fmt.Sprintf("offset %d: %s", c.offset, c.reason)) {
				t.Errorf("%s: %v, want %s at %d", how, o.err, c.reason, c.offset)
			}
		}
	}
}

// TestVisitDocuments passes documents to a visitor, as much of them as it wants.
func TestVisitDocuments(t *testing.T) {
	for _, size := range []int{2, 100, 70_000, 300_000} {
		document := `"` + strings.Repeat("d", size-2) + `"`
		for _, most := range []int{-1, 0, 1, 50, 100_000, 1 << 20} {
			for _, block := range []int{smallBlock, scanBlock} {
				r := newRDB("REDIS0011")
				for _, m := range []*moduleValue{newModule("ReJSON-RL", 3).s(document), newModule("ReJSON-RL", 3).s("[]")} {
					r.raw(m.len(0).b[9:])
				}
				s := newScanner(bytes.NewReader(r.end()), Options{}, block)
				var got []string
				s.Visit(&Visitor{MaxText: most, Element: func(e *Element) bool {
					got = append(got, fmt.Sprint(e.Value.Len, " ", string(e.Value.Bytes)))
					return true
				}})
				for s.Scan() {
				}
				kept := func(text string) string {
					if most >= 0 {
						text = text[:min(len(text), most)]
					}
					return text
				}
				if want := []string{fmt.Sprint(size, " ", kept(document)), "2 " + kept("[]")}; s.Err() != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%d bytes of %d: %d documents, %v", most, size, len(got), s.Err())
				}
			}
		}
	}
}

// TestDamagedKeyNames has damage in the values of keys with names of each length and form:
// the name is said, or its first 32,768 bytes.
func TestDamagedKeyNames(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 300, MaxName, MaxName + 1, 100_000} {
		name := strings.Repeat("n", n)
		for form, r := range map[string]*rdbBuilder{"plain": newRDB("").str(name), "LZF": newRDB("").raw(0xc3).len(uint64(len(lzf(name)))).len(uint64(n)).raw(lzf(name))} {
			in := newRDB("REDIS0011").key(0, "before").str("v").raw(0).raw(r.b).raw(0xc4, strings.Repeat("\x00", 100)).b
			for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "blocks": ranSmall(bytes.NewReader(in), Options{}, 2)} {
				d, ok := o.err.(*DamageError)
				if !ok || d.Key == nil || string(d.Key) != name[:min(n, MaxName)] || string(d.LastKey) != "before" || d.Offset != int64(len(in)-101) {
					t.Errorf("%s, a name of %d bytes, %s: %.200v", how, n, form, o.err)
				}
			}
		}
	}
}

// TestEmptyTemplate has a hash whose own template has no fields.
func TestEmptyTemplate(t *testing.T) {
	for how, keys := range readings(t, newRDB("REDIS0015").key(31, "k").len(1).len(0).end(), Options{}) {
		if k := keys[0]; k.Elements != 0 || k.Largest != 0 || k.Longest != 0 || k.ValueBytes != 0 {
			t.Errorf("%s: %s", how, line(k))
		}
	}
}
