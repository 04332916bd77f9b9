package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/internal/tree"
)

// TestGroupsAreExact checks that every group counts exactly the keys whose names
// fold into its pattern. Blocks are up to as crowded as those of 256 KB of such
// names; see package agg for what holds beyond.
func TestGroupsAreExact(t *testing.T) {
	for n, block := range []int{100, 3000, 1000, 2000} {
		engine := testEngine(t, []string{"typed", "baidu"}[n%2]) // one separator, three
		keys := testKeys(uint64(block), 60_000)
		b := gather(engine, agg.Options{Top: 20}, keys[:40_000], block)
		second := gather(engine, agg.Options{Top: 20, Input: 1}, keys[40_000:], block)
		b.Merge(second)
		b.Finish()
		patterns := make([]string, len(keys))
		for i := range keys {
			patterns[i] = b.Tables.Groups.PatternOf(keys[i].Name)
		}
		groups := map[string]*agg.Group{}
		for pattern, g := range b.Tables.Groups.All {
			groups[pattern] = g
		}
		r := b.Report()
		want := map[string]*Group{}
		for i := range keys {
			k := &keys[i]
			name := patterns[i]
			if g := groups[name]; g != nil && g.Keys == 1 {
				name = string(k.Name) // the report shows it instead
			}
			g := want[name]
			if g == nil {
				g = &Group{}
				want[name] = g
			}
			g.Keys++
			g.Elements += orZero(k.Elements)
			g.ValueBytes += orZero(k.ValueBytes)
			g.MemoryBytes += Figure(orZero(k.Memory))
			g.MemoryUsage += Figure(orZero(k.MemoryUsage))
			if !k.HasExpire {
				g.WithoutTTL++
			} else {
				left := floorSeconds(k.ExpireAt - testCreated*1000)
				if g.TTLMin == nil || left < *g.TTLMin {
					g.TTLMin = &left
				}
				if g.TTLMax == nil || left > *g.TTLMax {
					g.TTLMax = &left
				}
			}
			if g.LargestKey == nil || k.Memory > int64(g.LargestKey.Memory) {
				row := newKeyRow(k)
				g.LargestKey = &row
			}
		}
		if len(want) != len(r.Groups) {
			t.Errorf("blocks of %d: %d groups, names fold into %d", block, len(r.Groups), len(want))
		}
		for i := range r.Groups {
			g := &r.Groups[i]
			w := want[string(g.Group)]
			if w == nil {
				t.Errorf("blocks of %d: no name folds into %q", block, g.Group)
				continue
			}
			if g.Keys != w.Keys || g.Elements != w.Elements || g.ValueBytes != w.ValueBytes || g.MemoryBytes != w.MemoryBytes || g.MemoryUsage != w.MemoryUsage || g.WithoutTTL != w.WithoutTTL {
				t.Errorf("blocks of %d: group %q\n got %+v\nwant %+v", block, g.Group, *g, *w)
			}
			if g.LargestKey.Offset != w.LargestKey.Offset || g.LargestKey.Key != w.LargestKey.Key {
				t.Errorf("group %q: largest key %q at %d, want %q at %d", g.Group, g.LargestKey.Key, g.LargestKey.Offset, w.LargestKey.Key, w.LargestKey.Offset)
			}
			if (g.TTLMin == nil) != (w.TTLMin == nil) || g.TTLMin != nil && (*g.TTLMin != *w.TTLMin || *g.TTLMax != *w.TTLMax || *g.TTLMedian < *g.TTLMin || *g.TTLMedian > *g.TTLMax) {
				t.Errorf("group %q: TTLs differ", g.Group)
			}
		}
		t.Logf("blocks of %d: %d groups, %d patterns folded", block, len(r.Groups), r.GroupsFolded)
	}
}

// TestFoldedPlaces checks what is folded and what stays distinct.
func TestFoldedPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var keys []parser.Key
	add := func(name string) {
		keys = append(keys, parser.Key{Name: []byte(name), NameLen: int64(len(name)), Elements: 1, ValueBytes: 10, Serialized: 11, Memory: 60, MemoryUsage: 60, Idle: -1, Freq: -1})
	}
	for range 50_000 {
		add("tok:" + string(randomText(r, 22)))
		add(fmt.Sprintf("user:%s%s:cart", randomWord(r, 8000), randomWord(r, 8000)))
		if r.IntN(5) == 0 {
			add("user:guest:cart")
		}
		add(fmt.Sprintf("mod%s:item:%d", randomWord(r, 200), r.IntN(100)))
	}
	for _, block := range []int{500, 20_000, 1 << 20} {
		b := gather(testEngine(t, "default"), agg.Options{}, keys, block)
		got := map[string]int64{}
		for _, g := range b.Report().Groups {
			got[string(g.Group)] = g.Keys
		}
		if got["tok:*"] != 50_000 || got["user:*:cart"] != 50_000 || got["user:guest:cart"] == 0 {
			t.Errorf("blocks of %d: tok:* %d, user:*:cart %d, user:guest:cart %d", block, got["tok:*"], got["user:*:cart"], got["user:guest:cart"])
		}
		if len(got) != 203 {
			t.Errorf("blocks of %d: %d groups, want 203: the 200 modules are first segments", block, len(got))
		}
	}
}

// TestFullTable fills the table of groups with patterns that have few values of
// any segment. Each group is still exact, and the rest is counted apart; only if a
// block alone has more patterns than it can hold do groups miss keys, and those of
// * have them, no more than one in 1,000 of the snapshot.
func TestFullTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	keys := make([]parser.Key, 60_000)
	for i := range keys {
		var words []string
		for range 6 {
			words = append(words, randomWord(r, 9))
		}
		name := strings.Join(words, ":")
		keys[i] = parser.Key{Name: []byte(name), NameLen: int64(len(name)), Elements: 1, ValueBytes: 10, Serialized: 11, Memory: 60, MemoryUsage: 60,
			Idle: -1, Freq: -1, Offset: int64(i)}
	}
	for _, c := range []struct {
		block int
		miss  int64
	}{{500, 0}, {2500, 0}, {5000, int64(len(keys)) / 1000}} {
		block := c.block
		b := gather(testEngine(t, "default"), agg.Options{}, keys, block)
		b.Finish()
		if groups := b.Tables.Groups.Len(); groups > tree.MaxLeaves {
			t.Errorf("blocks of %d: %d groups", block, groups)
		}
		want := map[string]int64{}
		for i := range keys {
			want[b.Tables.Groups.PatternOf(keys[i].Name)]++
		}
		for pattern, g := range b.Tables.Groups.All {
			if n := want[pattern]; max(n-g.Keys, g.Keys-n) > c.miss {
				t.Errorf("blocks of %d: group %q has %d keys, want %d", block, pattern, g.Keys, want[pattern])
			}
		}
	}
}

func TestSortGroups(t *testing.T) {
	five, nine := int64(5), int64(9)
	list := []Group{{Group: "b", Keys: 1, MemoryBytes: 20, TTLMax: &five},
		{Group: "a", Keys: 1, MemoryBytes: 10}, {Group: "c", Keys: 3, MemoryBytes: 10, TTLMax: &nine}}
	for by, want := range map[string]string{"": "b a c", "keys": "c a b", "group": "a b c", "ttl_max": "c b a"} {
		sortGroups(list, by)
		var got []string
		for _, g := range list {
			got = append(got, string(g.Group))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("sorted by %q: %q, want %q", by, got, want)
		}
	}
	if orders := GroupOrders(); orders[0] != "memory_bytes" || orders[len(orders)-1] != "group" {
		t.Errorf("orders %q", orders)
	}
}
