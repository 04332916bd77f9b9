package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// TestRanking compares a list of at most n entries with sorting: by value, the second
// figure, the snapshot and the place in it; and checks which key is no longer on it.
func TestRanking(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(5)
		var list ranking
		var all []Entry
		for key := range int32(12) {
			e := Entry{Value: r.Int64N(3), second: r.Int64N(2), input: int32(r.IntN(2)), offset: int64(key), key: key}
			all = append(all, e)
			slices.SortFunc(all, func(a, b Entry) int {
				for _, by := range [][2]int64{{b.Value, a.Value}, {b.second, a.second}, {int64(a.input), int64(b.input)}, {a.offset, b.offset}} {
					if by[0] != by[1] {
						return int(by[0] - by[1])
					}
				}
				return 0
			})
			before := slices.Clone(list)
			removed := list.insert(e, n)
			if !slices.Equal(list, all[:min(len(all), n)]) {
				t.Fatalf("seed %d: %+v, want %+v", seed, list, all[:min(len(all), n)])
			}
			want := int32(-1)
			for _, x := range append(before, e) {
				if !slices.Contains(list, x) {
					want = x.key
				}
			}
			if removed != want {
				t.Fatalf("seed %d: key %d is no longer on the list, want %d", seed, removed, want)
			}
		}
	}
	for _, c := range []struct {
		value, second int64
		passes        bool
	}{{6, 0, true}, {5, 4, true}, {5, 3, false}, {5, 2, false}, {4, 9, false}} {
		cut := cutoff{5, 3}
		if cut.passes(c.value, c.second) != c.passes {
			t.Errorf("%+v", c)
		}
		want := cut
		if c.passes {
			want = cutoff{c.value, c.second}
		}
		if cut.raise(cutoff{c.value, c.second}); cut != want {
			t.Errorf("%+v: raised to %+v", c, cut)
		}
	}
	for rule := range thresholds.RuleID(maxRules) {
		for severity := range thresholds.Severity(severities) {
			if at := RuleSeverity(rule, severity); at != int(rule)*4+int(severity) || SeverityOf(at) != severity || at >= RuleSeverities {
				t.Errorf("rule %d, severity %d: %d", rule, severity, at)
			}
		}
	}
}

// TestTopLists checks the lists against sorting all keys, whatever the blocks: each measure
// of each type, those of all types, LFU counters and examples; and that no key is retained
// that is on none.
func TestTopLists(t *testing.T) {
	keys := everyKey(11, 1500)
	const top, examples = 4, 3
	rule, _ := thresholds.Lookup("big-string")
	found := func(k *parser.Key) []thresholds.Finding {
		if k.Offset%300 == 0 {
			return []thresholds.Finding{{Rule: rule.ID, Severity: thresholds.Warning, Measured: k.Offset % 7, Limit: 1, Ignored: uint16(k.Offset / 300 % 5)}}
		}
		return nil
	}
	figures := func(k *parser.Key) [Measures]int64 {
		return [Measures]int64{k.Memory, k.MemoryUsage, k.ValueBytes, k.Elements, k.Serialized, k.Largest}
	}
	for _, block := range []int{7, 100, len(keys)} {
		all, part := &TopLists{top: top, examples: examples}, &TopLists{top: top, examples: examples}
		all.reset(&noCutoffs)
		part.reset(&noCutoffs)
		for i := range keys {
			part.add(&keys[i], sizeOf(&keys[i]), found(&keys[i]), 0, 0)
			if i%block == block-1 || i == len(keys)-1 {
				all.merge(part)
				part.reset(&all.cutoffs)
			}
		}
		check := func(what string, list []Entry, n int, value, second func(k *parser.Key) int64) {
			t.Helper()
			var want []*parser.Key
			for i := range keys {
				if value(&keys[i]) > 0 || value(&keys[i]) == 0 && second != nil {
					want = append(want, &keys[i])
				}
			}
			slices.SortStableFunc(want, func(a, b *parser.Key) int {
				if d := value(b) - value(a); d != 0 || second == nil {
					return int(d)
				}
				return int(second(b) - second(a))
			})
			want = want[:min(len(want), n)]
			if len(list) != len(want) {
				t.Fatalf("blocks of %d, %s: %d entries, want %d", block, what, len(list), len(want))
			}
			for i := range list {
				if k := all.Key(&list[i]).Key(); k.Offset != want[i].Offset || list[i].Value != value(want[i]) {
					t.Errorf("blocks of %d, %s: entry %d is at %d, want %d", block, what, i, k.Offset, want[i].Offset)
				}
			}
		}
		for m := range Measures {
			check(fmt.Sprint("measure ", m), all.Overall(m), top, func(k *parser.Key) int64 { return figures(k)[m] }, nil)
			for typ := range parser.NumTypes {
				check(fmt.Sprint(typ, " by ", m), all.Type(typ, m), top, func(k *parser.Key) int64 {
					if k.Type != typ {
						return -1
					}
					return figures(k)[m]
				}, nil)
			}
		}
		check("counters", all.Hot(), top, func(k *parser.Key) int64 { return int64(k.Freq) }, nil)
		check("examples", all.Examples(RuleSeverity(rule.ID, thresholds.Warning)), examples, func(k *parser.Key) int64 {
			if f := found(k); f != nil && f[0].Ignored == 0 {
				return f[0].Rank(k)
			}
			return -1
		}, sizeOf)
		uses := make([]int32, all.keys.list.Len())
		for i := range all.lists {
			for _, e := range all.lists[i] {
				uses[e.key]++
			}
			if list := all.lists[i]; len(list) == all.limit(i) && all.cutoffs[i] != (cutoff{list[len(list)-1].Value, list[len(list)-1].second}) {
				t.Errorf("list %d: cutoff %+v of %+v", i, all.cutoffs[i], list[len(list)-1])
			}
		}
		free := 0
		for _, n := range uses {
			if n == 0 {
				free++
			}
		}
		if !slices.Equal(uses, all.keys.uses) || free != len(all.keys.free) {
			t.Errorf("blocks of %d: uses %v, want %v; %d are free, want %d", block, all.keys.uses, uses, len(all.keys.free), free)
		}
		// Cut to shorter lists, the first ones are left.
		first := all.Type(parser.Hash, ByMemory)[0].Value
		if all.shorten(2, 1); len(all.Type(parser.Hash, ByMemory)) != 2 || all.Type(parser.Hash, ByMemory)[0].Value != first || len(all.Examples(RuleSeverity(rule.ID, thresholds.Warning))) != 1 || all.Limit() != 2 {
			t.Errorf("cut to %+v", all.Type(parser.Hash, ByMemory))
		}
	}
	if b := NewBuilder(Options{}); b.opt.Top != 1 || b.opt.Examples != 1 {
		t.Errorf("%+v", b.opt)
	}
}

// TestGroupsOfAKeyList checks that listed keys know the group that counts them.
func TestGroupsOfAKeyList(t *testing.T) {
	var keys []parser.Key
	for _, v := range values(tree.GroupValues + 1) {
		keys = append(keys, plainKey(0, 60, "a:"+v))
	}
	keys = append(keys, plainKey(0, 90, "b:1"), plainKey(0, 80, "b:2"), plainKey(0, 70, "alone"))
	list := NewKeyList(nil)
	b := NewBuilder(Options{List: list})
	b.Start(testEngine(t, "default"))
	s := b.NewShard()
	for i := range keys {
		s.Key(&keys[i])
	}
	s.Flush(true)
	b.Finish()
	for i := range list.Keys {
		k := &list.Keys[i]
		want := map[byte]string{'a': "a:*", 'b': "b:*"}[k.Name[0]]
		if k.Name == "alone" {
			want = "alone"
		}
		if k.Group != want {
			t.Errorf("%s is in group %q, want %q", k.Name, k.Group, want)
		}
	}
	if len(list.Keys) != len(keys) || list.Cutoff != -1 || list.Keys[0].Name != "b:1" || list.Keys[1].Name != "b:2" || list.Keys[2].Name != "alone" {
		t.Errorf("%d keys, cutoff %d, first %+v", len(list.Keys), list.Cutoff, list.Keys[0])
	}
}

// TestCommon adds groups that agree, that have no keys, and that differ in their type.
func TestCommon(t *testing.T) {
	c := common{undefined, undefined, undefined}
	for _, o := range []common{{1, 2, 3}, {undefined, undefined, undefined}, {1, 4, 3}} {
		c.add(o)
	}
	if want := (common{1, mixed, 3}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	c.add(common{undefined, undefined, undefined})
	if c.typ != mixed || c.owner != 1 {
		t.Errorf("a group without keys makes %+v", c)
	}
}

// TestJoin adds a group to one without keys, and to one that has some.
func TestJoin(t *testing.T) {
	var g Groups
	g.init(testEngine(t, "default").Namer())
	to, from := newGroup(nil), newGroup(nil)
	from.Sums, from.WithoutTTL, from.MemoryWithoutTTL = Sums{Keys: 3, Memory: 90, ValueBytes: 30}, 2, 50
	for times := range int64(2) {
		g.joinKeys(&to, &from, &g)
		if n := times + 1; to.Keys != 3*n || to.Memory != 90*n || to.ValueBytes != 30*n || to.WithoutTTL != 2*n || to.MemoryWithoutTTL != 50*n {
			t.Errorf("joined %d times: %+v", n, to)
		}
	}
}
