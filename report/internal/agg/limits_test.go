package agg

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/tree"
)

// TestFoldLimits checks how many values each place may have, whatever the blocks that keys
// are cut into.
func TestFoldLimits(t *testing.T) {
	// Other patterns, so many that a block folds before its end.
	var filler []parser.Key
	for _, first := range values(30) {
		for _, v := range values(90) {
			filler = append(filler, plainKey(0, 60, "z"+first+":"+v))
		}
	}
	place := func(db, n, keys int, format string) (list []parser.Key) {
		for _, v := range values(n) {
			for range keys {
				list = append(list, plainKey(db, 60, fmt.Sprintf(format, v)))
			}
		}
		return list
	}
	for name, c := range map[string]struct {
		keys   []parser.Key
		groups int // of these keys, without the filler
		star   map[string]int64
	}{
		"100 values":             {place(0, tree.GroupValues, 2, "a:%s"), 100, nil},
		"101 values":             {place(0, tree.GroupValues+1, 2, "a:%s"), 1, map[string]int64{"a:*": 202}},
		"100 values that go on":  {place(0, tree.GroupValues, 2, "a:%s:x"), 100, nil},
		"101 values that go on":  {place(0, tree.GroupValues+1, 2, "a:%s:x"), 1, map[string]int64{"a:*:x": 202}},
		"100 of each kind":       {slices.Concat(place(0, tree.GroupValues, 2, "a:%s:x"), place(0, tree.GroupValues, 2, "a:%s")), 200, nil},
		"100 and 101":            {slices.Concat(place(0, tree.GroupValues, 2, "a:%s:x"), place(0, tree.GroupValues+1, 2, "a:%s")), 101, map[string]int64{"a:*": 202}},
		"101 and 100":            {slices.Concat(place(0, tree.GroupValues+1, 2, "a:%s:x"), place(0, tree.GroupValues, 2, "a:%s")), 101, map[string]int64{"a:*:x": 202}},
		"two places":             {slices.Concat(place(0, tree.GroupValues+1, 2, "a:%s"), place(0, tree.GroupValues+1, 3, "b:%s"), place(0, tree.GroupValues, 2, "c:%s")), 102, map[string]int64{"a:*": 202, "b:*": 303}},
		"101 and a frequent one": {append(place(0, tree.GroupValues+1, 2, "a:%s"), place(0, 1, 2, "a:%s")...), 2, map[string]int64{"a:*": 200, "a:gggg": 4}},
		"and one that is not":    {append(place(0, tree.GroupValues+1, 2, "a:%s"), place(0, 1, 1, "a:%s")...), 1, map[string]int64{"a:*": 203}},
		"257 values":             {place(0, tree.Values+1, 2, "a:%s"), 1, map[string]int64{"a:*": 514}},
		"513 values":             {place(0, 2*tree.Values+1, 2, "a:%s:x"), 1, map[string]int64{"a:*:x": 1026}},
	} {
		for _, block := range []int{50, 500, 1 << 20} {
			for _, extra := range [][]parser.Key{nil, filler} {
				b := gather(testEngine(t, "default"), 0, slices.Concat(extra, c.keys, extra), block)
				got := groupsOf(b)
				n := 0
				// Those that have no group of their own any more, as the sketch estimates them.
				names := map[string]bool{}
				for i := range c.keys {
					names[string(c.keys[i].Name)] = true
				}
				for name := range got {
					delete(names, name)
				}
				if folded := b.Tables.Groups.Folded(); max(folded-int64(len(names)), int64(len(names))-folded)*20 > int64(len(names)) {
					t.Errorf("%s, blocks of %d beside %d: %d patterns are folded, want %d", name, block, len(extra), folded, len(names))
				}
				for pattern := range got {
					if !strings.HasPrefix(pattern, "z") {
						n++
					}
				}
				if n != c.groups || len(got)-n != len(extra) {
					t.Errorf("%s, blocks of %d beside %d: %d groups and %d, want %d", name, block, len(extra), n, len(got)-n, c.groups)
				}
				for pattern, keys := range c.star {
					if got[pattern].Keys != keys {
						t.Errorf("%s, blocks of %d beside %d: %s has %d keys, want %d", name, block, len(extra), pattern, got[pattern].Keys, keys)
					}
				}
			}
		}
	}
	for name, c := range map[string]struct {
		keys   []parser.Key
		groups int
	}{
		"1,000 first segments":         {place(0, tree.FirstValues, 1, "%s:x"), 1000},
		"1,001 first segments":         {place(0, tree.FirstValues+1, 1, "%s:x"), 1},
		"1,000 names":                  {place(0, tree.FirstValues, 1, "%s"), 1000},
		"1,001 names":                  {place(0, tree.FirstValues+1, 1, "%s"), 1},
		"600 in each of two databases": {slices.Concat(place(0, 600, 1, "a%s:x"), place(1, 600, 1, "b%s:x")), 1},
		"the same 600 in two":          {slices.Concat(place(0, 600, 1, "%s:x"), place(1, 600, 1, "%s:x")), 600},
		"1,001 with a second value":    {slices.Concat(place(0, 1001, 1, "%s:x"), place(0, 1001, 1, "%s:y")), 2},
	} {
		for _, block := range []int{100, 1 << 20} {
			if got := groupsOf(gather(testEngine(t, "default"), 0, c.keys, block)); len(got) != c.groups {
				t.Errorf("%s, blocks of %d: %d groups, want %d", name, block, len(got), c.groups)
			}
		}
	}
}

// TestNumberedWords checks where words that differ in a number have groups of their own.
func TestNumberedWords(t *testing.T) {
	names := func(n int, format string, numbers ...int) (list []parser.Key) {
		for _, number := range numbers {
			for i := range n {
				list = append(list, plainKey(0, 60, fmt.Sprintf(format, number, i)))
			}
		}
		return list
	}
	for _, c := range []struct {
		keys []parser.Key
		want string
	}{
		{names(100, "cache:v%d:product:%d", 1, 2), "cache:v1:product:* cache:v2:product:*"},
		{names(100, "v%d:%d", 1, 2, 3, 4), "v1:* v2:* v3:* v4:*"},
		{names(100, "v%d:%d", 1, 2, 3, 4, 5), "v*:*"},
		{names(100, "order:%d:%d", 2025, 2026), "order:*:*"},
		{names(100, "year%d:%d", 2025, 2026), "year*:*"},
		{names(31, "user%d:%d", 1, 2), "user*:*"}, // these are identifiers
		{slices.Concat(names(100, "user:%d:v1:%d", 7, 8), names(100, "user:%d:v2:%d", 7, 8, 9)), "user:*:v*:*"},
		{slices.Concat(names(100, "user:%d:v1:%d", 7), names(100, "user:%d:v2:%d", 8)), "user:*:v*:*"},
		{names(100, "user:%d:v1:%d", 7, 8), "user:*:v1:*"},
		{slices.Concat(names(3000, "i%dn:%d", 18), names(2, "%d:%d:x", numbersFrom1000(3000)...)), "*:*:x i18n:*"},
	} {
		for _, block := range []int{50, 1 << 20} {
			got := strings.Join(slices.Sorted(maps.Keys(groupsOf(gather(testEngine(t, "default"), 0, c.keys, block)))), " ")
			if got != c.want {
				t.Errorf("blocks of %d: %s, want %s", block, got, c.want)
			}
		}
	}
}

func numbersFrom1000(n int) (list []int) {
	for i := range n {
		list = append(list, 1000+i)
	}
	return list
}

// TestBlocksChangeNothing checks that few values that a block may not fold stay distinct
// beside one that has nearly all keys.
func TestBlocksChangeNothing(t *testing.T) {
	var keys []parser.Key
	for i, v := range values(60) {
		for n := range 40 { // with and without an expiry: two sums each
			k := plainKey(0, 60, "a:"+v)
			k.HasExpire, k.ExpireAt = n%2 == 0, 1_700_000_000_000+int64(n)
			if i == 0 || n < 2 {
				keys = append(keys, k)
			}
		}
	}
	for range 80_000 {
		keys = append(keys, plainKey(0, 60, "a:gggg"))
	}
	for _, first := range values(30) {
		for _, v := range values(90) {
			keys = append(keys, plainKey(0, 60, "z"+first+":"+v))
		}
	}
	want := map[string]int64{}
	for i := range keys {
		want[string(keys[i].Name)]++
	}
	for _, block := range []int{1000, 1 << 20} {
		got := map[string]int64{}
		for pattern, sums := range groupsOf(gather(testEngine(t, "default"), 0, keys, block)) {
			got[pattern] = sums.Keys
		}
		if !maps.Equal(got, want) {
			t.Errorf("blocks of %d: %d groups, want %d; a:* has %d keys", block, len(got), len(want), got["a:*"])
		}
	}
}

// TestLettersOnly checks that identifiers of letters and digits which happen to have no digit have no
// groups of their own, and that words that may be parts of an application keep theirs.
func TestLettersOnly(t *testing.T) {
	identifiers := func(n int, format string) (list []parser.Key) {
		r := rand.New(rand.NewPCG(41, 42))
		for range n {
			id := make([]byte, 10)
			for i := range id {
				id[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)]
			}
			list = append(list, plainKey(0, 60, fmt.Sprintf(format, id)))
		}
		return list
	}
	words := func(n int, name string) []parser.Key { return slices.Repeat([]parser.Key{plainKey(0, 60, name)}, n) }
	numbers := []parser.Key{plainKey(0, 60, "user:config")}
	for i := range 3000 {
		numbers = append(numbers, plainKey(0, 60, fmt.Sprintf("user:%d", i)))
	}
	config := []parser.Key{plainKey(0, 60, "s:config:data"), plainKey(0, 60, "s:production:flags")}
	tags := []parser.Key{plainKey(0, 60, "{order:7}:items"), plainKey(0, 60, "{bull}:id")}
	for i := range 40 {
		tags = append(tags, plainKey(0, 60, fmt.Sprintf("{order:%d}:items", i)), plainKey(0, 60, fmt.Sprintf("{%c%c}:cart", 'g'+i%9, 'p'+i/9)))
	}
	for _, c := range []struct {
		keys []parser.Key
		want string
	}{
		{identifiers(400, "invite:%s"), "invite:*=400"}, // 15 have letters only
		{identifiers(9000, "invite:%s"), "invite:*=9000"},
		{identifiers(9000, "%s"), "*=9000"},
		{slices.Concat(identifiers(9000, "user:%s"), words(200, "user:count")), "user:*=9000 user:count=200"},
		{append(identifiers(9000, "user:%s"), plainKey(0, 60_000, "user:config")), "user:*=9000 user:config=1"},
		{slices.Concat(identifiers(3000, "user:7:%s"), identifiers(3000, "user:8:%s"), words(40, "user:7:cart")),
			"user:*:*=6000 user:*:cart=40"},
		{numbers, "user:*=3000 user:config=1"},
		{append(identifiers(2400, "s:%s:data"), config...), "s:*:data=2400 s:config:data=1 s:production:flags=1"},
		{append(identifiers(60, "s:%s:data"), config...), "s:*:data=60 s:config:data=1 s:production:flags=1"},
		{identifiers(2400, "%s:data"), "*:data=2400"},
		{append(identifiers(20_000, "s:%s:data"), config[0]), "s:*:data=20000 s:config:data=1"}, // 780 have letters only
		{append(identifiers(20_000, "s:%s"), plainKey(0, 60, "s:config")), "s:*=20000 s:config=1"},
		{append(identifiers(20_000, "s:{%s}:data"), plainKey(0, 60, "s:config:data")), "s:config:data=1 s:{*}:data=20000"},
		{tags, "{*}:cart=40 {bull}:id=1 {order:*}:items=41"}, {tags[:6], "{bull}:id=1 {gp}:cart=1 {hp}:cart=1 {order:*}:items=3"},
		{identifiers(60, "s:%s"), "s:*=60"},
	} {
		for _, block := range []int{50, 1 << 20} {
			var got []string
			for name, s := range groupsOf(gather(testEngine(t, "default"), 0, c.keys, block)) {
				got = append(got, fmt.Sprintf("%s=%d", name, s.Keys))
			}
			slices.Sort(got)
			if all := strings.Join(got, " "); all != c.want {
				t.Errorf("blocks of %d: %.300s, want %s", block, all, c.want)
			}
		}
	}
}
