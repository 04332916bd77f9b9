package thresholds

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestFleetOfOne checks that a snapshot by itself has the same findings in a Fleet.
func TestFleetOfOne(t *testing.T) {
	for name, c := range instanceCases {
		for _, undated := range []bool{false, true} {
			for _, s := range []*snapshotCase{c.hit, c.miss} {
				env := testEnv()
				env.Cluster = s.cluster
				if undated {
					env.Created = -1
				}
				e := mustLoad(t, s.options(t)).Compile(env)
				i, f := e.NewInstance(), e.NewFleet()
				s.keys(func(k *parser.Key) { i.Add(k, facts(e, k)) })
				want, _ := i.Findings()
				f.Add(i, 0)
				got, _ := i.OwnFindings()
				all, _ := f.Findings()
				for _, found := range all {
					if found.Rule.Name() != "node-skew" {
						found.Largest = NodeSums{}
					}
					got = append(got, found)
				}
				slices.SortStableFunc(got, func(a, b InstanceFinding) int { return cmp.Compare(a.Rule, b.Rule) })
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: in a fleet %+v\nby itself %+v", name, got, want)
				}
			}
		}
	}
}

// shards divides the keys of a cluster among snapshots by slot, taken days apart.
func shards(t *testing.T, n int) (list []*Instance, whole *Engine) {
	config := `
rules: {mixed-business: {warning: 3}, ttl-stampede: {warning: 50, error: 120, ratio: 2x}, slot-skew: {warning: 1.1x, min_size: 1 KB}, hashtag-skew: {warning: 0.1%, min_size: 1 KB}}
budgets: [{group: 'b1*', keys: {error: 10}}, {keys: {error: 900}}, {database: 3, memory: {warning: 1 KB}}]
`
	policy := mustLoad(t, LoadOptions{Profile: "aliyun", Config: writeConfig(t, config)})
	r := rand.New(rand.NewPCG(5, 6))
	for node := range n {
		env := testEnv()
		env.Cluster = true
		env.Created = created + int64(node*37%n)*86_400/2
		if node == 3 {
			env.Created = -1
		}
		e := policy.Compile(env)
		if whole == nil {
			whole = e
		}
		i := e.NewInstance()
		for range 1000 {
			name := fmt.Sprintf("b%d:{t%d}:%d", r.IntN(9), r.IntN(100), r.IntN(1000))
			k := key(name, func(k *parser.Key) {
				k.DB = r.IntN(5)
				k.ValueBytes = int64(r.IntN(500))
				k.HasExpire = r.IntN(3) > 0
				k.ExpireAt = (created/60 + 60*24*[]int64{1, 5, 89, 95, 400}[r.IntN(5)] + int64(r.IntN(3))) * 60_000
			})
			i.Add(k, facts(e, k))
		}
		list = append(list, i)
	}
	return list, whole
}

// TestFleetInAnyGrouping merges fleets of random snapshots in random order, some of
// them written out as Counts and read again.
func TestFleetInAnyGrouping(t *testing.T) {
	const n = 12
	list, e := shards(t, n)
	want := e.NewFleet()
	for node, i := range list {
		want.Add(i, node)
	}
	expected, _ := want.Findings()
	rules := map[string]int{}
	for _, f := range expected {
		rules[f.Rule.Name()]++
	}
	if len(rules) < 6 {
		t.Errorf("only %v", rules)
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var fleets []*Fleet
		for node, i := range list {
			f := i.engine.NewFleet()
			f.Add(i, node)
			fleets = append(fleets, f)
		}
		for len(fleets) > 1 {
			a, b := r.IntN(len(fleets)), r.IntN(len(fleets))
			if a == b {
				continue
			}
			if r.IntN(2) == 0 {
				read := e.NewFleet()
				for _, node := range fleets[b].Nodes() {
					read.AddNode(node)
				}
				fleets[b].Counts(func(rule string, c *Count) {
					if err := read.Put(rule, c); err != nil {
						t.Fatal(err)
					}
				})
				fleets[b] = read
			}
			fleets[a].Merge(fleets[b])
			fleets = slices.Delete(fleets, b, b+1)
		}
		got, _ := fleets[0].Findings()
		if !reflect.DeepEqual(got, expected) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, expected)
		}
	}
}

// TestFleetAddsUp checks what no shard alone shows, and what remains about each
// snapshot.
func TestFleetAddsUp(t *testing.T) {
	policy := mustLoad(t, LoadOptions{Profile: "aliyun", Config: writeConfig(t, "rules: {min-keys: {error: 12000}, mixed-business: {warning: 3}}")})
	for _, cluster := range []bool{false, true} {
		var fleet *Fleet
		own := 0
		for node := range 3 {
			env := testEnv()
			env.Cluster = cluster
			env.Created += int64(node)
			e := policy.Compile(env)
			i := e.NewInstance()
			for n := range 4000 + node {
				k := key(fmt.Sprintf("b%d%c:x:%d", node, 'a'+n%2, n), expires((created+86_400)*1000))
				k.DB = node
				i.Add(k, facts(e, k))
			}
			list, _ := i.OwnFindings()
			own += len(list)
			if fleet == nil {
				fleet = e.NewFleet()
			}
			fleet.Add(i, node)
		}
		if own != 3 { // min-keys; one database and two businesses each
			t.Errorf("cluster %v: %d findings about single snapshots", cluster, own)
		}
		got := map[string]InstanceFinding{}
		list, _ := fleet.Findings()
		for _, f := range list {
			got[f.Rule.Name()] = f
		}
		if f := got["ttl-stampede"]; f.Keys != 12_003 || f.Largest.Node != 2 || f.Largest.Keys != 4002 {
			t.Errorf("cluster %v: %+v", cluster, f)
		}
		want := 1
		if cluster {
			want = 3
			if f := got["mixed-business"]; f.Measured != 6 {
				t.Errorf("%+v", f)
			}
			if f := got["multiple-databases"]; SubjectText(f.Subject) != "db 0, 1, 2" {
				t.Errorf("%+v", f)
			}
		}
		if len(got) != want || len(list) != want {
			t.Errorf("cluster %v: %+v", cluster, list)
		}
	}
}

// TestLargestNodes checks which snapshot a finding over a fleet names: that with most
// keys of a minute, and that with most bytes of a tag.
func TestLargestNodes(t *testing.T) {
	many, large := NodeSums{Node: 0, Keys: 3, Bytes: 10}, NodeSums{Node: 1, Keys: 2, Bytes: 11}
	for _, byBytes := range []bool{false, true} {
		want := many
		if byBytes {
			want = large
		}
		for _, order := range [][2]NodeSums{{many, large}, {large, many}} {
			got := order[0]
			if got.larger(order[1], byBytes); got != want {
				t.Errorf("by bytes: %v: %+v, want %+v", byBytes, got, want)
			}
		}
	}
	// Of two that are equal it is the first in the report.
	got := NodeSums{Node: 1, Keys: 2, Bytes: 3}
	if got.larger(NodeSums{Node: 0, Keys: 2, Bytes: 3}, true); got.Node != 0 {
		t.Errorf("%+v", got)
	}
}

// TestHostileCounts checks that Counts from a file do no harm.
func TestHostileCounts(t *testing.T) {
	_, e := shards(t, 1)
	r := rand.New(rand.NewPCG(7, 8))
	numbers := []int64{0, -1, 1, 63, 1 << 20, 1 << 40, -1 << 63, 1<<63 - 1}
	f := e.NewFleet()
	for range 20_000 {
		any := func() int64 { return numbers[r.IntN(len(numbers))] }
		for _, id := range f.rules {
			f.Put(id.Name(), &Count{List: uint8(r.IntN(6)), ID: any(), Part: make([]byte, r.IntN(300)), Length: int(any()), Keys: any(), Bytes: any(),
				WithoutTTL: any(), Largest: NodeSums{int(any()), any(), any()}})
		}
	}
	f.Findings()
	f.Merge(e.NewFleet())
	e.NewFleet().Merge(f)
	if err := f.Put("no-ttl", &Count{}); err == nil {
		t.Error("a rule about keys has sums")
	}
}

// TestNodeSkew checks the limits of node-skew at their bounds.
func TestNodeSkew(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		nodes []NodeSums
		want  string
	}{
		{[]NodeSums{{0, 10, 150 * mb}, {1, 10, 75 * mb}, {2, 10, 75 * mb}}, ""},
		{[]NodeSums{{0, 10, 151 * mb}, {1, 10, 75 * mb}, {2, 10, 75 * mb}}, "0 node memory 151 MB, 1.5x the mean of the nodes, over 1.5x"},
		{[]NodeSums{{0, 10, 75 * mb}, {1, 10, 75 * mb}, {2, 10, 300 * mb}}, "2 node memory 300 MB, 2x the mean of the nodes, over 1.5x"},
		{[]NodeSums{{0, 10, 100 * mb}, {1, 10, mb}, {2, 10, mb}}, ""}, // no more than 100 MB
		{[]NodeSums{{0, 10, 400 * mb}, {1, 10, mb}}, ""},              // two nodes
		{[]NodeSums{{0, 100_001, 9}, {1, 10, 10}, {2, 10, 10}}, "0 node keys 100,001 keys, 2.99x the mean of the nodes, over 1.5x"},
		{[]NodeSums{{0, 100_000, 9}, {1, 10, 10}, {2, 10, 10}}, ""},
	} {
		env := testEnv()
		env.Cluster = true
		e := mustLoad(t, LoadOptions{Rules: "node-skew"}).Compile(env)
		f := e.NewFleet()
		for _, n := range c.nodes {
			f.AddNode(n)
		}
		got := ""
		list, _ := f.Findings()
		for _, found := range list {
			got += fmt.Sprintf("%d %s %s", found.Largest.Node, found.Subject, e.InstanceText(found))
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.nodes, got, c.want)
		}
	}
}

// TestSumsOfFleets checks that each figure of a Count is added up in a Fleet of Fleets as it
// is in one, by the state that it has afterwards.
func TestSumsOfFleets(t *testing.T) {
	list, _ := shards(t, 6)
	counts := func(f *Fleet) map[string]Count {
		all := map[string]Count{}
		f.Counts(func(rule string, c *Count) {
			id := fmt.Sprint(rule, " ", c.List, " ", c.ID, " ", string(c.Part))
			if _, twice := all[id]; twice {
				t.Errorf("%s has two sums", id)
			}
			sum := *c
			sum.Part = nil
			all[id] = sum
		})
		return all
	}
	one := list[0].engine.NewFleet()
	for n, i := range list {
		one.Add(i, n)
	}
	two, three := list[0].engine.NewFleet(), list[0].engine.NewFleet()
	for n, i := range list {
		if n%2 == 0 {
			two.Add(i, n)
		} else {
			three.Add(i, n)
		}
	}
	two.Merge(three)
	want := counts(one)
	if got := counts(two); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(two.Nodes(), one.Nodes()) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	// The sums are those of the keys: of all slots, and of the budget of all keys.
	var keys, bytes, slotKeys, slotBytes, withoutTTL int64
	for _, n := range one.Nodes() {
		keys, bytes = keys+n.Keys, bytes+n.Bytes
	}
	for id, c := range want {
		switch {
		case id == "budget 0 1 ":
			withoutTTL = c.WithoutTTL
			if c.Keys != keys || c.Bytes != bytes {
				t.Errorf("%+v, all are %d keys, %d bytes", c, keys, bytes)
			}
		case len(id) > 10 && id[:10] == "slot-skew ":
			slotKeys, slotBytes = slotKeys+c.Keys, slotBytes+c.Bytes
			if c.Largest.Bytes*6 < c.Bytes || c.Largest.Bytes > c.Bytes {
				t.Errorf("%s: the largest of six has %+v", id, c)
			}
		}
	}
	if slotKeys != keys || slotBytes != bytes || withoutTTL == 0 || withoutTTL > keys {
		t.Errorf("slots of %d keys, %d bytes, %d keys without a TTL; all are %d, %d", slotKeys, slotBytes, withoutTTL, keys, bytes)
	}
	judged := one.Budgets()
	for _, b := range judged {
		c := want[fmt.Sprint("budget 0 ", b.Index, " ")]
		if b.Sums != (BudgetSums{c.Keys, c.Bytes, c.WithoutTTL}) || b.Largest != c.Largest {
			t.Errorf("budget %d: %+v, want %+v", b.Index, b, c)
		}
	}
}

// TestNodeSkewLimits checks the limits of node-skew at their bounds: three snapshots, 1.5
// times the mean, 100 MB, and of keys 100,000.
func TestNodeSkewLimits(t *testing.T) {
	env := testEnv()
	env.Cluster = true
	e := mustLoad(t, LoadOptions{}).Compile(env)
	const mb = 1 << 20
	for _, c := range []struct {
		nodes []NodeSums
		want  string
	}{
		{[]NodeSums{{0, 10, 150 * mb}, {1, 10, 50 * mb}}, ""}, // two
		{[]NodeSums{{0, 10, 150 * mb}, {1, 10, 75 * mb}, {2, 10, 75 * mb}}, ""},
		{[]NodeSums{{0, 10, 150*mb + 1}, {1, 10, 75 * mb}, {2, 10, 75 * mb}}, "0 node memory 150 of 150"},
		{[]NodeSums{{0, 10, 100 * mb}, {1, 10, 1}, {2, 10, 1}}, ""},
		{[]NodeSums{{0, 10, 100*mb + 1}, {1, 10, 1}, {2, 10, 1}}, "0 node memory 299 of 150"},
		{[]NodeSums{{0, 100_000, 1}, {1, 1, 1}, {2, 1, 1}}, ""},
		{[]NodeSums{{0, 1, 1}, {1, 100_001, 1}, {2, 1, 1}}, "1 node keys 299 of 150"},
		{[]NodeSums{{0, 150_000, 1}, {1, 75_000, 1}, {2, 75_000, 1}}, ""},
		{[]NodeSums{{0, 150_001, 1}, {1, 75_000, 1}, {2, 75_000, 1}}, "0 node keys 150 of 150"},
	} {
		f := e.NewFleet()
		for _, n := range c.nodes {
			f.AddNode(n)
		}
		got := ""
		list, _ := f.Findings()
		for _, found := range list {
			if found.Rule.Name() == "node-skew" {
				got += fmt.Sprint(found.Largest.Node, " ", found.Subject, " ", found.Measured, " of ", found.Limit)
				if found.Keys != found.Largest.Keys || found.Bytes != found.Largest.Bytes {
					t.Errorf("%+v", found)
				}
			}
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.nodes, got, c.want)
		}
	}
}

// TestBudgetLimits checks which limit of a budget is exceeded, and the growth of a day.
func TestBudgetLimits(t *testing.T) {
	b := &Budget{Limits: []BudgetLimit{{BudgetKeys, Warning, 10}, {BudgetKeys, Error, 20}, {BudgetMemory, Info, 5}, {BudgetWithoutTTL, Warning, 5000}}}
	for _, c := range []struct {
		m    BudgetMeasure
		n    int64
		want Severity
	}{{BudgetKeys, 10, Off}, {BudgetKeys, 11, Warning}, {BudgetKeys, 20, Warning}, {BudgetKeys, 21, Error}, {BudgetMemory, 5, Off}, {BudgetMemory, 6, Info}, {BudgetGrowth, 99, Off}} {
		l, ok := b.limit(c.m, c.n)
		if l.Severity != c.want || ok != (c.want != Off) {
			t.Errorf("%s %d: %v, %t", c.m, c.n, l, ok)
		}
	}
	for _, c := range []struct {
		sums BudgetSums
		want [4]int64
	}{{BudgetSums{4, 70, 1}, [4]int64{4, 70, 2500, 0}}, {BudgetSums{0, 0, 0}, [4]int64{}}, {BudgetSums{1, 2, 1}, [4]int64{1, 2, 10000, 0}}} {
		for m := range NumBudgetMeasures {
			if got := c.sums.Measure(m); got != c.want[m] {
				t.Errorf("%+v: %s %d", c.sums, m, got)
			}
		}
	}
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "budgets: [{group: 'a*', growth: {warning: 10%, error: 50%}}]")}).Compile(testEnv())
	for _, c := range []struct {
		before, after, seconds int64
		want                   Severity
	}{{1000, 1100, 86400, Off}, {1000, 1101, 86400, Warning}, {1000, 1500, 86400, Warning}, {1000, 1501, 86400, Error}, {1000, 1201, 2 * 86400, Warning}, {1000, 1200, 2 * 86400, Off}, {1000, 1051, 43200, Warning},
		{1000, 500, 86400, Off}, {0, 500, 86400, Off}, {1000, 5000, 0, Off}, {1000, 5000, -1, Off}, {1, 2, 1, Error}} {
		found, ok := e.Growth(0, BudgetSums{Bytes: c.before}, BudgetSums{Keys: 3, Bytes: c.after}, c.seconds)
		if ok != (c.want != Off) || found.Severity != c.want || ok && (found.Keys != 3 || found.Bytes != c.after || SubjectText(found.Subject) != "a*") {
			t.Errorf("%+v: %+v, %t", c, found, ok)
		}
	}
}
