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
