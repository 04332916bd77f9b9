package parser

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestExtractLongNames tells keys apart whose names differ behind what a Key
// holds of them.
func TestExtractLongNames(t *testing.T) {
	long := strings.Repeat("n", MaxName+5000)
	r := newRDB("REDIS0011")
	for _, end := range []string{":a", ":b", ":c"} {
		r.key(0, long+end).str("plain" + end)
		z := lzf(long + long + end)
		r.raw(0, 0xc3).len(uint64(len(z))).len(uint64(2*len(long) + len(end))).raw(z).str("lzf" + end)
	}
	b := r.end()
	for _, c := range []struct{ name, want string }{
		{long + ":b", "plain:b"}, {long + ":c", "plain:c"}, {long + long + ":a", "lzf:a"}, {long + long + ":c", "lzf:c"},
	} {
		if x, got := extract(t, b, -1, c.name, extractAll); string(got[0].Value.Bytes) != c.want || x.Key.NameLen != int64(len(c.name)) {
			t.Errorf("%d bytes: %s, want %s", len(c.name), got[0].Value.Bytes, c.want)
		}
	}
	for _, name := range []string{long + ":d", long + long + ":d"} {
		if x, err := Extract(t.Context(), bytes.NewReader(b), Options{}, -1, []byte(name)); x != nil || err != nil {
			t.Errorf("%d bytes: %v, %v", len(name), x, err)
		}
	}
	if _, err := Extract(t.Context(), bytes.NewReader(b), Options{}, -1, make([]byte, findMax+1)); err == nil {
		t.Error("a name that cannot be compared was looked for")
	}
}

// lzfRun is a text of n times x, more than lzf makes of it.
func lzfRun(n int) string {
	out := []byte{0, 'x'}
	for n--; n >= 264; n -= 264 {
		out = append(out, 0xe0, 255, 0)
	}
	for ; n > 0; n-- {
		out = append(out, 0, 'x')
	}
	return string(out)
}

// TestExtractCut has values of which not all can be looked at: what is given is
// right, nothing is made up, and the reason is told.
func TestExtractCut(t *testing.T) {
	const huge = 17 << 20
	text := strings.Repeat("x", huge)
	packed := func(r *rdb, block string) {
		r.raw(0xc3).len(uint64(len(lzf(block)))).len(uint64(len(block))).raw(lzf(block))
	}
	streamEnd := func(r *rdb, n uint64) { r.len(n).len(1).len(1).len(0) }
	small := ElementOptions{Limit: 100, Fields: 10, MaxText: 8}
	for _, c := range []struct {
		what  string
		magic string
		write func(r *rdb)
		want  []string // what Element says, in short
		cut   string
	}{
		{"string", "REDIS0011", func(r *rdb) { r.key(0, "k").str(text) }, []string{"xxxxxxxx/17825792"}, ""},
		{"value of a field", "REDIS0011", func(r *rdb) { r.key(4, "k").len(3).str("a", "b", "f", text, "c", "d") },
			[]string{"a/1=b/1", "f/1=xxxxxxxx/17825792"}, cutRecord},
		{"field", "REDIS0011", func(r *rdb) { r.key(4, "k").len(2).str("a", "b", text, "v") }, []string{"a/1=b/1"}, cutRecord},
		{"only field", "REDIS0011", func(r *rdb) { r.key(4, "k").len(1).str(text, "v") }, nil, cutRecord},
		{"value before an expiry", "VALKEY080", func(r *rdb) { r.key(22, "k").len(2).str("f", "v").le64(77).str("g", text).le64(78) },
			[]string{"f/1=v/1@77"}, cutRecord},
		{"member before a score", "REDIS0011", func(r *rdb) { r.key(5, "k").len(2).str("m").le64(0).str(text).le64(0) }, []string{"m/1"}, cutRecord},
		{"item", "REDIS0011", func(r *rdb) { r.key(1, "k").len(2).str(text, "b") }, []string{"xxxxxxxx/17825792"}, cutRecord},
		{"last item", "REDIS0011", func(r *rdb) { r.key(1, "k").len(2).str("a", text) }, []string{"a/1", "xxxxxxxx/17825792"}, ""},
		{"zipmap", "REDIS0002", func(r *rdb) { r.key(9, "k").str(zipmap(0, "f", "v", "g", text)) }, []string{"f/1=v/1"}, cutRecord},
		{"listpack", "REDIS0011", func(r *rdb) { r.key(16, "k").str(listpack("f", "v", "g", text, "h", "w")) },
			[]string{"f/1=v/1", "g/1=xxxxxxxx/17825792"}, cutRecord},
		{"compressed listpack", "REDIS0011", func(r *rdb) { packed(r.key(16, "k"), listpack("f", "v", text, "v", "h", "w")) }, []string{"f/1=v/1"}, cutBlock},
		{"score", "REDIS0011", func(r *rdb) { packed(r.key(17, "k"), listpack("m", 1, text[:inflateMax-6-3-2-7], "1.25")) }, []string{"m/1"}, cutBlock},
		{"nodes of a list", "REDIS0011", func(r *rdb) {
			packed(r.key(18, "k").len(2).len(2), listpack("a", text, "c"))
			r.len(2).str(listpack("d"))
		}, []string{"a/1", "xxxxxxxx/17825792"}, cutBlock},
		{"value of a stream", "REDIS0011", func(r *rdb) {
			packed(r.key(15, "k").len(1).len(16).id(1, 0), listpack(2, 0, 0, 0, 0, 0, 0, 3, "f", "v", "g", text, "h", "w", 10, 0, 0, 1, 1, "i", "x", 6))
			streamEnd(r, 2)
		}, []string{"1-0/3 3 fields: f/1 v/1 g/1 xxxxxxxx/17825792"}, cutBlock},
		{"first field of a stream", "REDIS0011", func(r *rdb) {
			packed(r.key(15, "k").len(1).len(16).id(1, 0), listpack(1, 0, 0, 0, 0, 0, 0, 1, text, "v", 6))
			streamEnd(r, 1)
		}, []string{"1-0/3 1 fields:"}, cutBlock},
		{"shared field of a stream", "REDIS0011", func(r *rdb) {
			packed(r.key(15, "k").len(1).len(16).id(1, 0), listpack(1, 0, 1, text, 0, 2, 0, 0, "v", 4))
			streamEnd(r, 1)
		}, nil, cutBlock},
		{"fields of a template", "REDIS0015", func(r *rdb) {
			r.key(29, "k").len(0)
			packed(r, listpack("f", text, "g"))
			r.str(listpack(1, "v", "w", "x"))
		}, []string{"f/1=v/1", "xxxxxxxx/17825792=w/1"}, cutBlock},
	} {
		r := newRDB(c.magic)
		c.write(r)
		b := r.end()
		if c.magic == "REDIS0002" {
			b = b[:len(b)-8]
		}
		x, elements := extract(t, b, -1, "k", small)
		var got []string
		for _, e := range elements {
			got = append(got, inShort(e))
		}
		if !slices.Equal(got, c.want) || x.Cut != c.cut {
			t.Errorf("%s: %q, cut %q, want %q, cut %q", c.what, got, x.Cut, c.want, c.cut)
		}
		if n := len(c.want); n > 0 {
			first := small
			first.Limit = n
			y, got := extract(t, b, -1, "k", first)
			fields := strings.HasSuffix(c.what, "of a stream") // what an entry lacks of its own keeps its reason
			if len(got) != n || !fields && y.Cut != "" {
				t.Errorf("%s: limit %d, %d elements, cut %q", c.what, n, len(got), y.Cut)
			}
		}
	}
}

// inShort writes an element with the lengths of its texts.
func inShort(e Element) string {
	s := ""
	text := func(t Text) {
		if t.Bytes != nil {
			s += fmt.Sprintf("%s/%d", t.Bytes, t.Len)
		}
	}
	if text(e.Name); e.Name.Bytes != nil && e.Value.Bytes != nil {
		s += "="
	}
	text(e.Value)
	if e.ExpireAt != 0 {
		s += fmt.Sprintf("@%d", e.ExpireAt)
	}
	if e.Fields > 0 {
		s += fmt.Sprintf(" %d fields:", e.Fields)
	}
	for _, p := range e.Pairs {
		s += " "
		text(p)
	}
	return s
}

// TestExtractFields bounds the fields of an entry, shared ones and its own, and
// finds the entries behind it.
func TestExtractFields(t *testing.T) {
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
	r := newRDB("REDIS0011").key(15, "k").len(1).len(16).id(7, 0).str(listpack(node...)).len(3).len(7).len(3).len(0)
	b := r.end()
	for _, c := range []struct {
		limit, fields int
		want          []string
	}{
		{9, 0, []string{"7-0/3 5 fields:", "7-2/3 5 fields:", "7-3/3 5 fields:"}},
		{9, 2, []string{"7-0/3 5 fields: f0/2 v0/2 f1/2 v1/2", "7-2/3 5 fields: own0/4 w0/2 own1/4 w1/2", "7-3/3 5 fields: f0/2 v0/2 f1/2 v1/2"}},
		{1, 1, []string{"7-0/3 5 fields: f0/2 v0/2"}},
	} {
		x, elements := extract(t, b, -1, "k", ElementOptions{Limit: c.limit, Fields: c.fields, MaxText: 100})
		var got []string
		for _, e := range elements {
			got = append(got, inShort(e))
		}
		if !slices.Equal(got, c.want) || x.Cut != "" {
			t.Errorf("%d elements, %d fields: %q, cut %q, want %q", c.limit, c.fields, got, x.Cut, c.want)
		}
	}
}

// TestExtractCopies bounds what is copied, all in all and of what is repeated.
func TestExtractCopies(t *testing.T) {
	text := lzfRun(64 << 10)
	list := newRDB("REDIS0011").key(1, "k").len(1000)
	for range 1000 {
		list.raw(0xc3).len(uint64(len(text))).len(64 << 10).raw(text)
	}
	entries := []any{1000, 0, 1, strings.Repeat("f", 32<<10), 0}
	for i := range 1000 {
		entries = append(entries, 2, 0, i, "v", 4)
	}
	stream := newRDB("REDIS0011").key(15, "k").len(1).len(16).id(1, 0).str(listpack(entries...)).len(1000).len(1).len(1).len(0)
	const fields = 1 << 20
	one := []any{1, 0, fields}
	one = append(append(append(one, slices.Repeat([]any{1}, fields)...), 0, 2, 0, 0), slices.Repeat([]any{1}, fields)...)
	wide := newRDB("REDIS0011").key(15, "k").len(1).len(16).id(1, 0).str(listpack(append(one, fields+3)...)).len(1).len(1).len(1).len(0)
	names := newRDB("REDIS0015").key(31, "k").len(1).len(1<<19).raw(strings.Repeat("\x01f", 1<<19), strings.Repeat("\x01v", 1<<19))
	for what, c := range map[string]struct {
		r         *rdb
		low, high int64 // elements; fields of the one
	}{
		"compressed texts":        {list, 128, 129},
		"a name of many":          {stream, 254, 256},
		"many fields of an entry": {wide, copyMax / 3 / textCost / 2, copyMax / 2 / textCost},
		"many fields in front":    {names, copyMax / 2 / (textCost + 1), copyMax/2/(textCost+1) + 1},
	} {
		x, elements := extract(t, c.r.end(), -1, "k", extractAll)
		n, bytes := int64(len(elements)), 0
		for _, e := range elements {
			bytes += len(e.Value.Bytes)
			for _, p := range e.Pairs {
				bytes += len(p.Bytes)
			}
			if len(elements) == 1 {
				n = int64(len(e.Pairs)) / 2
			}
		}
		if n < c.low || n > c.high || x.Cut != cutCopied || bytes > copyMax+(64<<10) {
			t.Errorf("%s: %d elements, %d bytes, cut %q", what, n, bytes, x.Cut)
		}
	}
}

// TestExtractBehindFunctions holds that libraries of functions, in the header and
// between keys, take none of the room for the value.
func TestExtractBehindFunctions(t *testing.T) {
	library := strings.Repeat("x", captureMax+scannerAhead)
	for _, name := range []string{"k", strings.Repeat("k", MaxName+100)} {
		for _, keys := range []int{0, 1} {
			r := newRDB("REDIS0011")
			for range keys {
				r.key(0, "first").str("v")
			}
			in := r.raw(0xf5).str(library).key(1, name).len(2).str("a").str("b").end()
			x, elements := extract(t, in, -1, name, ElementOptions{Limit: 10, Fields: 10, MaxText: 100})
			if x.Cut != "" || len(elements) != 2 {
				t.Errorf("a name of %d bytes, %d keys before: %d elements, cut %q", len(name), keys, len(elements), x.Cut)
			}
		}
	}
}
