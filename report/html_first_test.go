package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestHTMLData checks what the script of a page reads: the tree with what each name adds to
// that of its parent, groups with findings or an identity, and the findings of each.
func TestHTMLData(t *testing.T) {
	r := &Report{By: ByMemory, Totals: Totals{Keys: 9, MemoryBytes: 1000}, Types: []TypeRow{{Type: "hash"}, {Type: "string"}},
		Rules: []Finding{{Rule: "no-ttl", Severity: "warning", Count: 3, Groups: []FindingGroup{{Group: "b:*", Count: 2}, {Group: "gone", Count: 1}}}},
		Groups: []Group{{Group: "b:*", Keys: 3, MemoryBytes: 70, Findings: 2, Identity: &Identity{Library: "Sidekiq", Role: "queue"}},
			{Group: "c", Keys: 2, MemoryBytes: Unknown}},
		Tree: &TreeNode{Keys: 9, MemoryBytes: 900, Types: []string{"hash", "string"}, Children: []*TreeNode{
			{Prefix: "b:", Keys: 5, MemoryBytes: Unknown, ValueBytes: 50, Types: []string{"string"}, Findings: Counts{Error: 1, Warning: 2},
				TTLMin: p(-3), TTLMedian: p(5), TTLMax: p(9), WithoutTTL: TreeTTL{Keys: 2, MemoryBytes: Unknown}, MayLackKeys: 4,
				LargestKey: &TreeKey{Key: "b:\x00", MemoryBytes: 30}, Rules: []TreeRule{{"no-ttl", "warning", 2}, {"gone", "info", 1}}, Owner: "me", Expiring: []TreeExpiry{{"1h", 0, 0}, {"24h", 3, 40}},
				Children: []*TreeNode{{Prefix: "b:\xff", Keys: 5, Elements: 6, MemoryBytes: 7, Groups: []Name{"b:*", "gone:*"}}}},
			{Prefix: " x", Keys: 4, MemoryBytes: 8, SeveralOwners: true}}},
		Owners: []Owner{{Owner: "you"}, {Owner: "me"}}}
	v := newHTMLView(r, WriteOptions{})
	text, err := json.Marshal([]any{v.Data.Types, v.Data.Tree, v.Data.Groups, v.Data.Rules})
	if err != nil {
		t.Fatal(err)
	}
	want := `[["hash","string"],["",9,900,0,0,0,3,0,0,0,null,null,null,0,"",0,[],[],-2,[],[],` +
		`[["b:",5,50,2,0,0,2,1,2,0,-3,5,9,4,"b:\\x00",30,[0,2],[],1,[0,0,3,40],[],[["\\xff",5,7,0,0,6,0,0,0,0,null,null,null,0,"",0,[],[0],-2,[],[]]]],` +
		`["\\x20x",4,8,0,0,0,0,0,0,0,null,null,null,0,"",0,[],[],-1,[],[]]]],` +
		`[["b:*",3,"Sidekiq: queue","Sidekiq：队列"]],[["no-ttl","warning"]]]`
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	// More than the page may have: a node has all of its children or none.
	r.Tree = &TreeNode{Keys: 6000, MemoryBytes: 6000}
	for i := range 3 {
		n := &TreeNode{Prefix: Name(fmt.Sprint(i) + ":"), Keys: 2000, MemoryBytes: 2000}
		for j := range 2000 {
			n.Children = append(n.Children, &TreeNode{Prefix: Name(fmt.Sprintf("%d:%04d", i, j)), Keys: 1, MemoryBytes: 1})
		}
		r.Tree.Children = append(r.Tree.Children, n)
	}
	tree := newHTMLView(r, WriteOptions{}).Data.Tree
	if a, b, c := tree.children[0], tree.children[1], tree.children[2]; len(a.children) != 2000 || len(b.children) != 2000 || c.children != nil {
		t.Errorf("%d, %d and %d children", len(a.children), len(b.children), len(c.children))
	}
	// A name that does not continue that of its parent is whole.
	r.Tree = &TreeNode{Keys: 1, Children: []*TreeNode{{Prefix: "a ", Keys: 1, Children: []*TreeNode{{Prefix: "a b", Keys: 1}}}}}
	if label := newHTMLView(r, WriteOptions{}).Data.Tree.children[0].children[0].label; label != "\x00a b" {
		t.Errorf("label %q", label)
	}
}

// TestHTMLFirst checks the first screen by hand: what the memory is made of, and what to fix.
func TestHTMLFirst(t *testing.T) {
	r := &Report{Totals: Totals{Keys: 9, MemoryBytes: 400}, Types: []TypeRow{{Type: "hash", MemoryBytes: 300}, {Type: "module", MemoryBytes: 100}, {Type: "set"}},
		Inputs: []Input{{Memory: &Memory{Predicted: 900, Startup: 300, Tables: 200, Difference: p(100)}}},
		FixFirst: []Step{{Severity: "warning", Group: "a:*", Keys: 3, OfKeys: 4, MemoryBytes: 200, SavesBytes: 50, List: []string{"rdblens", "keys", "--group", "a:*'"}},
			{Severity: "error", Key: "k", Keys: 1, OfKeys: 1, MemoryBytes: 100}, {Advice: Advice{ChangesData: true}}, {Group: "z", MemoryBytes: Unknown, List: []string{"a\x1bb"}}}}
	v := newHTMLView(r, WriteOptions{})
	var got []string
	for _, p := range v.Parts {
		got = append(got, fmt.Sprint(p.Class, " ", english(p.Label), " ", english(p.Size), " ", english(p.Share), " ", p.X, " ", p.Width))
	}
	want := []string{"t-hash hash 300 B 30.0% 0 300", "t-other module 100 B 10.0% 300 100", "t-tables key tables 200 B 20.0% 400 200",
		"t-server empty server 300 B 30.0% 600 300", "t-rest buffers, fragmentation 100 B 10.0% 900 100"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = nil
	for _, f := range slices.Concat(v.Later, v.Today) {
		got = append(got, strings.Join([]string{f.About, f.Severity, english(f.Gain), english(f.Keys), fmt.Sprint(f.Width, f.Saves), strings.Join(f.Commands, " ")}, "|"))
	}
	want = []string{`a:*|warning|saves 50 B|3 of 4 keys|250 true|rdblens keys --group 'a:*'\'''`, "z||||0 false|", "k|error|100 B affected|this key|500 false|"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if r.Filter = new(Filter); len(newHTMLView(r, WriteOptions{}).Parts) != 2 {
		t.Error("what is not keys is shown of keys that a filter chose")
	}
}

// TestVerdict checks the sentence that says how bad it is.
func TestVerdict(t *testing.T) {
	finding := func(rule, severity string, count int64, keys ...Name) Finding {
		f := Finding{Rule: rule, Severity: severity, Count: count}
		for _, k := range keys {
			f.Examples = append(f.Examples, Example{KeyRow: &KeyRow{Key: k}})
		}
		return f
	}
	saving := []Step{{Group: "a:*", SavesBytes: 30}, {Key: "k", SavesBytes: 10}, {SavesBytes: 500}}
	for _, c := range []struct {
		rules   []Finding
		savings []Step
		keys    int64
		want    string
	}{
		{nil, nil, 0, "There are no keys."},
		{nil, nil, 5, "Nothing to fix today."},
		{[]Finding{finding("no-ttl", "warning", 3)}, nil, 5, "Nothing to fix today, some things to look at."},
		{[]Finding{finding("key-special-char", "error", 3)}, saving, 5, "1 thing to fix today. 40 B (40.0%) can be saved."},
		{[]Finding{finding("big-string", "error", 1, "a"), finding("big-collection", "error", 2, "b", "c"), finding("big-value", "warning", 1, "b"),
			finding("ttl-stampede", "warning", 7), finding("big-element", "info", 9)}, saving, 5,
			"2 things to fix today, 2 later. 5 keys can stall the server. 40 B (40.0%) can be saved."},
		{[]Finding{finding("big-string", "warning", 5, "a")}, nil, 5,
			"Nothing to fix today, some things to look at. 5 keys can stall the server."},
	} {
		r := &Report{Totals: Totals{Keys: c.keys, MemoryBytes: 100}, Rules: c.rules, Savings: c.savings}
		if slices.ContainsFunc(c.rules, func(f Finding) bool { return f.Rule == "big-string" }) {
			r.Totals.Stalling = 5
		}
		for _, f := range c.rules { // a fix each
			if f.Severity != "info" {
				r.FixFirst = append(r.FixFirst, Step{Severity: f.Severity})
			}
		}
		if got := english(newOverview(r, WriteOptions{}).verdict()); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
