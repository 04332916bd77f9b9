package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// partOf returns the parts of a tree with the names of a keyspace.
func partOf(f *forest, i int32, prefix string) *Part {
	n := f.Node(i)
	p := &Part{Prefix: prefix, Keys: n.Keys, Size: n.Size}
	for _, c := range f.Sorted(i) {
		p.Children = append(p.Children, partOf(f, c, prefix+f.Node(c).Label()))
	}
	slices.SortStableFunc(p.Children, func(a, b *Part) int { return int(b.Size - a.Size) })
	return p
}

// TestCut checks that rows and what is in none of them add up to all, that no key is in two
// rows, and what the rows of some keyspaces are.
func TestCut(t *testing.T) {
	first := map[string]string{"one family": "user:*", "hexadecimal": "", "three words": "", "20,000 families": "", "no separator": "celery-task-meta-*", "Chinese": "用户:", "tokens": "tok:*",
		"i18n": "i18n:bundle:*:", "ids": "shop:", "services": "svc", "25 prefixes": "app"}
	for kind, k := range keyspaces {
		keys := keysOf(kind, 20_000)
		f := newForest(k.separators).fill(keys, 2000, 1)
		f.Finish()
		root := partOf(f, 0, "")
		rows, rest := Cut(root, 11, 0)
		all := rest.size()
		var text []string
		for i := range rows {
			all += rows[i].size()
			text = append(text, fmt.Sprintf("%s %.1f%%", rows[i].Prefix, 100*float64(rows[i].size())/float64(root.Size)))
			for j := range rows {
				if kind != "only separators" && i != j && rows[i].Others == nil && rows[j].Others == nil && strings.HasPrefix(rows[j].Prefix, rows[i].Prefix) && strings.HasSuffix(rows[i].Prefix, ":") {
					t.Errorf("%s: %q is in %q", kind, rows[j].Prefix, rows[i].Prefix)
				}
			}
		}
		t.Logf("%s: %s; rest %.1f%%", kind, strings.Join(text, ", "), 100*float64(rest.size())/float64(root.Size))
		if all != root.Size || len(rows) > 12 || len(rows) == 12 && len(rest.Others) > 0 {
			t.Errorf("%s: %d rows have %d bytes with the rest, want %d", kind, len(rows), all, root.Size)
		}
		if want, known := first[kind]; known && (want == "") != (rows == nil) {
			t.Errorf("%s: %d rows", kind, len(rows))
		} else if known && want != "" && !slices.ContainsFunc(rows, func(r Row) bool { return strings.HasPrefix(r.Prefix, want) }) {
			t.Errorf("%s: no row begins with %q", kind, want)
		}
	}
}

// TestCutAt checks the rows of a depth: the prefixes with so many segments behind what all names
// have in common.
func TestCutAt(t *testing.T) {
	leaf := func(prefix string, size int64, children ...*Part) *Part {
		p := &Part{Prefix: prefix, Keys: 1, Size: size, Children: children}
		for _, c := range children {
			p.Keys, p.Size = p.Keys+c.Keys, p.Size+c.Size
		}
		return p
	}
	root := leaf("", 0, leaf("app:", 0,
		leaf("app:a:", 0, leaf("app:a:x:", 0, leaf("app:a:x:*", 30)), leaf("app:a:…", 5)), leaf("app:b", 20), leaf("app:c:", 0, leaf("app:c:*", 10))))
	for _, c := range []struct {
		most, depth int
		want        string
	}{
		{9, 1, "app:a: 35, app:b 20, app:c: 10; 0"},
		{9, 2, "app:a:x: 30, app:b 20, app:c:* 10, app:a:… 5; 0"},
		{9, 9, "app:a:x:* 30, app:b 20, app:c:* 10, app:a:… 5; 0"},
		{2, 2, "app:a:x: 30, app:b 20; 15"},
	} {
		rows, rest := Cut(root, c.most, c.depth)
		var text []string
		for i := range rows {
			text = append(text, fmt.Sprint(rows[i].Prefix, " ", rows[i].size()))
		}
		if got := fmt.Sprint(strings.Join(text, ", "), "; ", rest.size()); got != c.want {
			t.Errorf("%d rows of depth %d: %s, want %s", c.most, c.depth, got, c.want)
		}
	}
}

// TestFewIdentifiers checks that the rows of a small keyspace have * for its numbers and UUIDs, and that values
// with many keys, and few values, keep their rows.
func TestFewIdentifiers(t *testing.T) {
	uuid := func(i int) string { return fmt.Sprintf("%08x-a9cc-477c-b0e4-6ebdae66%04x", i*0x9e3779b1&0xffffffff, i) }
	number := func(i int) string { return fmt.Sprint(i) }
	parts := []string{"jobs", "done", "visited"}
	for _, c := range []struct {
		name    string
		ids     int
		id      func(i int) string
		numbers int // of keys of each part and identifier; 0: one without a number
		want    string
	}{
		{"UUIDs", 30, uuid, 0, "crawl:*:done crawl:*:jobs crawl:*:visited"},
		{"numbers", 60, number, 0, "crawl:*:done crawl:*:jobs crawl:*:visited"},
		{"few", 2, number, 0, "crawl:0:done crawl:0:jobs crawl:0:visited crawl:1:done crawl:1:jobs crawl:1:visited"},
		{"shards", 2, number, 40, "crawl:0:done:* crawl:0:jobs:* crawl:0:visited:* " +
			"crawl:1:done:* crawl:1:jobs:* crawl:1:visited:*"},
	} {
		var keys []key
		for i := range c.ids {
			for _, part := range parts {
				name := "crawl:" + c.id(i) + ":" + part
				for k := range c.numbers {
					keys = append(keys, key{fmt.Sprint(name, ":", k), 100})
				}
				if c.numbers == 0 {
					keys = append(keys, key{name, 100})
				}
			}
		}
		f := newForest(":").fill(keys, 2000, 1)
		f.Finish()
		rows, rest := Cut(partOf(f, 0, ""), 20, 0)
		var got []string
		for i := range rows {
			got = append(got, rows[i].Prefix)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || rest.size() != 0 {
			t.Errorf("%s: %q and %d bytes, want %s", c.name, got, rest.size(), c.want)
		}
	}
	var keys []key // 20 tenants with 40 keys each
	for i := range 800 {
		keys = append(keys, key{fmt.Sprint("shop:", uuid(i%20), ":item:", i), 100})
	}
	f := newForest(":").fill(keys, 2000, 1)
	f.Finish()
	if n := len(f.Sorted(f.Sorted(0)[0])); n != 20 {
		t.Errorf("%d tenants with 40 keys each have a node, want 20", n)
	}
}
