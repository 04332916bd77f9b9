package report

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestTreeIsExact compares each node of the tree without * with the sums of the keys of a
// snapshot, and each node with its children, for scans with one and several goroutines, and
// with few nodes.
func TestTreeIsExact(t *testing.T) {
	files, err := filepath.Glob("../testdata/rules/*.rdb*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, path := range append(files, "../testdata/shop.rdb") {
		type sums struct{ keys, values, elements, withoutTTL int64 }
		prefixes, names := map[string]sums{}, map[string]sums{}
		opt := Options{Jobs: 1, Keep: func(k *parser.Key, _ string, _ int64) bool {
			name := string(k.Name)
			add := func(m map[string]sums, p string) {
				s := m[p]
				s.keys++
				s.values += orZero(k.ValueBytes)
				s.elements += orZero(k.Elements)
				if !k.HasExpire {
					s.withoutTTL++
				}
				m[p] = s
			}
			add(names, name)
			for i := range name {
				if name[i] == ':' {
					add(prefixes, name[:i+1])
				}
			}
			return true
		}}
		policy := fleetPolicy(t, func(*config.Options) {})
		first, err := Scan(t.Context(), []Source{FileSource(path)}, policy, opt)
		if err != nil {
			t.Fatal(path, err)
		}
		nodes := 0
		var check func(n *TreeNode)
		check = func(n *TreeNode) {
			nodes++
			var got sums
			for _, c := range n.Children {
				got = sums{got.keys + c.Keys, got.values + c.ValueBytes, got.elements + c.Elements, got.withoutTTL + c.WithoutTTL.Keys}
				check(c)
			}
			own := sums{n.Keys, n.ValueBytes, n.Elements, n.WithoutTTL.Keys}
			if n.Children != nil && got != own {
				t.Errorf("%s: %q has %+v, its children %+v", path, n.Prefix, own, got)
			}
			if p := string(n.Prefix); p != "" && !strings.ContainsAny(p, "*{") && !strings.HasSuffix(p, "…") {
				want := names[p]
				if strings.HasSuffix(p, ":") {
					want = prefixes[p]
				}
				if own != want {
					t.Errorf("%s: %q has %+v, want %+v", path, p, own, want)
				}
			}
			if n.LargestKey == nil || len(n.Types) == 0 {
				t.Errorf("%s: %q has no largest key or type", path, n.Prefix)
			}
		}
		check(first.Tree)
		if first.Tree.Keys != first.Totals.Keys || nodes < 2 {
			t.Errorf("%s: %d nodes, %d keys of %d", path, nodes, first.Tree.Keys, first.Totals.Keys)
		}
		for _, few := range []int{1, 2, 7, 20} {
			r, err := Scan(t.Context(), []Source{FileSource(path)}, policy, Options{Jobs: 16, TreeNodes: few})
			if err != nil {
				t.Fatal(err)
			}
			nodes = 0
			check(r.Tree)
			if nodes > few {
				t.Errorf("%s: %d nodes of %d", path, nodes, few)
			}
		}
	}
}
