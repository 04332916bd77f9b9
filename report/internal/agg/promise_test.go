package agg

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// gather runs keys through a Builder, in blocks.
func gather(engine *thresholds.Engine, input int, keys []parser.Key, block int) *Builder {
	b := NewBuilder(Options{Input: input})
	b.Start(engine)
	s := b.NewShard()
	for list := range slices.Chunk(keys, block) {
		for i := range list {
			s.Key(&list[i])
		}
		s.Flush(true)
	}
	return b
}

// groupsOf returns the sums of each group, by the name that a report shows.
func groupsOf(b *Builder) map[string]Sums {
	b.Finish()
	all := map[string]Sums{}
	for pattern, g := range b.Tables.Groups.All {
		all[string(b.Tables.Groups.Name(pattern))] = g.Sums
	}
	return all
}

func plainKey(db int, memory int64, name string) parser.Key {
	return parser.Key{DB: db, Name: []byte(name), NameLen: int64(len(name)), Elements: 1, ValueBytes: memory, Serialized: memory, Memory: memory,
		MemoryUsage: memory, Idle: -1, Freq: -1, Live: -1}
}

// randomKeyspace returns keys of a few kinds of names, each with segments of
// vocabularies of any size, of which some words are frequent.
func randomKeyspace(r *rand.Rand, n int) []parser.Key {
	var kinds []func() string
	for kind := range 3 + r.IntN(6) {
		var segments []func() string
		for range 1 + r.IntN(4) {
			words := []int{1, 5, 50, 300, 3000, 8000}[r.IntN(6)]
			frequent, prefix := r.IntN(4), word(r, 8000)
			switch r.IntN(8) {
			case 0:
				segments = append(segments, func() string { return fmt.Sprint(r.IntN(1e6)) })
			case 1:
				segments = append(segments, func() string { return string(randomText(r, 12)) })
			default:
				segments = append(segments, func() string {
					if r.IntN(30) < frequent {
						return fmt.Sprintf("%shot%s", prefix, word(r, 3))
					}
					return prefix + word(r, words)
				})
			}
		}
		kinds = append(kinds, func() string {
			var name []string
			if kind%2 == 0 {
				name = append(name, "app"+word(r, 20)[:1])
			}
			for _, s := range segments {
				name = append(name, s())
			}
			return strings.Join(name, ":")
		})
	}
	keys := make([]parser.Key, n)
	for i := range keys {
		kind := min(r.IntN(len(kinds)), r.IntN(len(kinds)))
		keys[i] = plainKey(0, 40+int64(r.IntN(100)), kinds[kind]())
	}
	return keys
}

// reorder puts keys into one of several orders.
func reorder(r *rand.Rand, keys []parser.Key, order int) {
	switch order {
	case 0:
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	case 1:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return bytes.Compare(a.Name, b.Name) })
	case 2:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return bytes.Compare(b.Name, a.Name) })
	case 3:
		slices.SortStableFunc(keys, func(a, b parser.Key) int { return int(a.NameLen - b.NameLen) })
	}
	for i := range keys {
		keys[i].Offset = int64(i * 40)
	}
}

// place has the keys below a path of segments.
type place struct {
	keys   int64
	values [2]map[string]*place // by whether a separator follows
}

func (p *place) add(pattern string, keys int64) {
	p.keys += keys
	for segment := range strings.SplitAfterSeq(pattern, ":") {
		if segment == "" {
			return
		}
		kind := 0
		if strings.HasSuffix(segment, ":") {
			kind = 1
		}
		if p.values[kind] == nil {
			p.values[kind] = map[string]*place{}
		}
		next := p.values[kind][segment]
		if next == nil {
			next = &place{}
			p.values[kind][segment] = next
		}
		next.keys += keys
		p = next
	}
}

// checkPromise compares the keys that were counted below a path with all there
// are. A value with 16 keys and 1/128 of those at its place is distinct in any
// order, and at most 1/256 of the keys at its place were counted under * before.
// At most slack keys are missing from the path itself. If rare is not 0, values with
// up to rare keys were folded anywhere, and their places at the end like all others
// that were folded before.
func checkPromise(t *testing.T, path string, all, counted *place, limit int, slack, rare int64) {
	t.Helper()
	for kind, values := range all.values {
		var keys int64
		different := 0
		for segment, v := range values {
			keys += v.keys
			if strings.TrimSuffix(segment, ":") != "*" {
				different++
			}
		}
		folds, missing := different > limit || rare > 0, slack+rare
		if folds {
			missing += keys / 256
		}
		for segment, v := range values {
			if strings.TrimSuffix(segment, ":") == "*" {
				continue
			}
			var got *place
			if counted.values[kind] != nil {
				got = counted.values[kind][segment]
			}
			if got == nil {
				got = &place{}
			}
			if folds && v.keys < max(16, (keys+127)/128)+slack+rare {
				continue // it may be folded
			}
			if got.keys < v.keys-missing || got.keys == 0 && v.keys > slack+rare {
				t.Errorf("%s%s: %d keys counted, %d there, of %d at its place (%d values), slack %d", path, segment, got.keys, v.keys, keys, different, slack)
				continue
			}
			checkPromise(t, path+segment, v, got, MaxValues, missing, rare)
		}
	}
}

func checkGroups(t *testing.T, b *Builder, keys []parser.Key) {
	t.Helper()
	b.Finish()
	rare := b.Tables.Groups.rare
	if rare > int64(len(keys)/1000) {
		t.Errorf("values of up to %d of %d keys are folded", rare, len(keys))
	}
	namer := naming.NewNamer(":")
	var all, counted place
	for i := range keys {
		all.add(string(namer.AppendPattern(nil, keys[i].Name)), 1)
	}
	for pattern, g := range b.Tables.Groups.All {
		counted.add(string(pattern), g.Keys)
	}
	checkPromise(t, "", &all, &counted, maxFirstValues, 0, rare)
	checkFit(t, b, keys)
}

// TestPromise checks random keyspaces in several orders, cut into blocks of any
// size.
func TestPromise(t *testing.T) {
	step := uint64(5) // each order once, and each size of blocks once
	seeds := uint64(16)
	if testtool.Nightly() {
		step, seeds = 1, 40
	}
	for seed := uint64(0); seed < seeds; seed += step {
		r := rand.New(rand.NewPCG(seed, 77))
		keys := randomKeyspace(r, 10_000+r.IntN(50_000))
		reorder(r, keys, int(seed%4))
		checkGroups(t, gather(testEngine(t, "default"), 0, keys, []int{300, 1000, 5000, 20_000}[seed/4%4]), keys)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestGroupsOfAnyOrder checks that groups do not depend on the order of keys, nor
// on the blocks, while the patterns are within the bounds.
func TestGroupsOfAnyOrder(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 78))
		keys := randomKeyspace(r, 10_000)
		for i := range keys {
			keys[i].DB = r.IntN(4) / 3
		}
		var want map[string]Sums
		for order := range 4 {
			reorder(r, keys, order)
			got := groupsOf(gather(testEngine(t, "default"), 0, keys, 100+r.IntN(900)))
			if want == nil {
				want = got
			} else if !maps.Equal(got, want) {
				t.Fatalf("seed %d: order %d changes groups", seed, order)
			}
		}
	}
}

// TestNamesWithoutNamespace checks that names without a namespace do not fold
// namespaces, in one database, in another or in another snapshot.
func TestNamesWithoutNamespace(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var random, business []parser.Key
	for range 20_000 {
		random = append(random, plainKey(0, 60, string(randomText(r, 16))), plainKey(0, 60, "tok:"+string(randomText(r, 16))), plainKey(0, 60, string(randomText(r, 9))+":"+string(randomText(r, 9))))
	}
	for _, b := range []string{"order", "invoice", "cart", "product", "user"} {
		for i := range 1200 {
			business = append(business, plainKey(1, 60, fmt.Sprintf("%s:item:%d", b, i)))
		}
	}
	engine := testEngine(t, "default")
	check := func(when string, b *Builder) {
		t.Helper()
		got := groupsOf(b)
		for _, group := range []string{"order:item:*", "invoice:item:*", "cart:item:*", "product:item:*", "user:item:*"} {
			if got[group].Keys != 1200 {
				t.Errorf("%s: %s has %d keys, want 1200", when, group, got[group].Keys)
			}
		}
		if got["tok:*"].Keys != 20_000 {
			t.Errorf("%s: tok:* has %d keys", when, got["tok:*"].Keys)
		}
	}
	both := append(slices.Clone(random), business...)
	check("databases", gather(engine, 0, both, 2000))
	for i := range business {
		business[i].DB = 0
	}
	b := gather(engine, 0, random, 2000)
	b.Merge(gather(engine, 1, business, 2000))
	check("snapshots", b)
}

// TestLargeValues checks that values with much memory are distinct, also late
// ones, and that a group of one key has its name.
func TestLargeValues(t *testing.T) {
	for order := range 3 {
		r := rand.New(rand.NewPCG(9, 9))
		var keys []parser.Key
		for range 20_000 {
			keys = append(keys, plainKey(0, 100, "blob:"+string(randomText(r, 12))))
		}
		for i := range 3 {
			keys = append(keys, plainKey(0, 3_000_000, "blob:"+[]string{"one", "two", "three"}[i]))
		}
		keys = append(keys, plainKey(0, 100, "single:4711:x"))
		reorder(r, keys, order)
		got := groupsOf(gather(testEngine(t, "default"), 0, keys, 5000))
		if len(got) != 5 || got["blob:*"].Keys != 20_000 || got["blob:one"].Keys != 1 || got["blob:two"].Keys != 1 || got["blob:three"].Keys != 1 || got["single:4711:x"].Keys != 1 {
			t.Errorf("order %d: %v", order, got)
		}
	}
}

// TestSeparators fills the table with combinations of separators, which no value
// could fold.
func TestSeparators(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	keys := make([]parser.Key, 60_000)
	for i := range keys {
		name := []byte("a")
		for range 14 {
			name = append(name, ":._"[r.IntN(3)], byte('a'+r.IntN(26)))
		}
		keys[i] = plainKey(0, 50, string(name))
	}
	for _, block := range []int{500, 20_000} {
		groups := groupsOf(gather(testEngine(t, "baidu"), 0, keys, block))
		var sum int64
		for _, g := range groups {
			sum += g.Keys
		}
		if sum != int64(len(keys)) || len(groups) > MaxGroups {
			t.Errorf("blocks of %d: %d groups of %d keys", block, len(groups), sum)
		}
	}
}

// checkFit checks that every key can have been counted in exactly one group that
// its name fits: the sums are equal, and no group has more keys than fit it, or
// fewer than fit no other.
func checkFit(t *testing.T, b *Builder, keys []parser.Key) {
	t.Helper()
	type count struct{ keys, fit, only int64 }
	groups := map[string]*count{}
	var sum int64
	for pattern, g := range b.Tables.Groups.All {
		groups[string(pattern)] = &count{keys: g.Keys}
		sum += g.Keys
	}
	if sum != int64(len(keys)) {
		t.Errorf("the groups have %d keys of %d", sum, len(keys))
	}
	namer := naming.NewNamer(":")
	for i := range keys {
		segments := strings.SplitAfter(string(namer.AppendPattern(nil, keys[i].Name)), ":")
		var fit []*count
		for folded := range 1 << len(segments) {
			var pattern strings.Builder
			twice := false
			for n, segment := range segments {
				star := "*" + segment[len(strings.TrimSuffix(segment, ":")):]
				if folded>>n&1 != 0 {
					twice = twice || segment == star
					segment = star
				}
				pattern.WriteString(segment)
			}
			if g := groups[pattern.String()]; g != nil && !twice {
				fit = append(fit, g)
			}
		}
		for _, g := range fit {
			g.fit++
		}
		if len(fit) == 1 {
			fit[0].only++
		} else if len(fit) == 0 {
			t.Fatalf("%q fits no group", keys[i].Name)
		}
	}
	for pattern, g := range groups {
		if g.keys > g.fit || g.keys < g.only {
			t.Errorf("group %q has %d keys; %d fit it, %d no other", pattern, g.keys, g.fit, g.only)
		}
	}
}
