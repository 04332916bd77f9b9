package tree

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// orders are orders of keys, of which a name has one of several tenants.
var orders = []func(r *rand.Rand, keys []key){
	func(r *rand.Rand, keys []key) {
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	},
	func(r *rand.Rand, keys []key) {}, // the heavy value first
	func(r *rand.Rand, keys []key) { slices.Reverse(keys) },
	func(r *rand.Rand, keys []key) { // one tenant after the other
		slices.SortStableFunc(keys, func(a, b key) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	},
	func(r *rand.Rand, keys []key) { // in bursts
		const burst = 500
		for i := range len(keys) / burst {
			j := r.IntN(i + 1)
			for n := range burst {
				keys[i*burst+n], keys[j*burst+n] = keys[j*burst+n], keys[i*burst+n]
			}
		}
	},
	func(r *rand.Rand, keys []key) { // it begins in the middle
		n := 0
		for i := range keys {
			if keys[i].size == heavySize {
				n++
			}
		}
		rest := keys[n:]
		r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		half := len(keys) / 2
		mixed := append(slices.Clone(rest[:min(half, len(rest))]), keys[:n]...)
		mixed = append(mixed, rest[min(half, len(rest)):]...)
		tail := mixed[half:]
		r.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
		copy(keys, mixed)
	},
}

// heavySize is the size of the keys of the heavy value.
const heavySize = 61

// TestHeavyValues plants a value with 1 to 40 % of the keys among values that are folded, in any
// order of the keys: with over 2 % it has a node, and no node lacks more keys than it says, also in
// a tree that was merged of parts.
func TestHeavyValues(t *testing.T) {
	seeds := 24
	switch {
	case testtool.Nightly():
		seeds = 200
	case testing.Short():
		seeds = 6
	}
	worst, mostDiffer := 0.0, 0.0
	exact, planted, found, differ, nodes := 0, 0, 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		n := 60_000
		share := []float64{0.021, 0.05, 0.15, 0.4}[seed%4]
		if seed >= 24 {
			share = 0.01 + 0.39*r.Float64()
		}
		tenants := []int{700, 5000, 40_000}[seed/4%3]
		number := seed%3 == 0 // the names of tenants are numbers, or words
		order := seed % len(orders)
		var keys []key
		for i := range n {
			tenant := "t" + word(r, 8000) + word(r, tenants/20)
			if number {
				tenant = fmt.Sprint(100_000 + r.IntN(tenants))
			}
			size := int64(60)
			if float64(i) < share*float64(n) {
				size = heavySize
				if tenant = "giant"; number {
					tenant = "777"
				}
			}
			keys = append(keys, key{fmt.Sprintf("app:%s:%s:%d", tenant, word(r, 3), i), size})
		}
		orders[order](r, keys)
		block := 1500
		if order == 0 {
			block = 60 // more blocks than are sampled often
		}
		f := newForest(":").fill(keys, block, 1+15*(seed%2))
		f.Finish()
		lacks, _ := f.check(t, keys)
		path := "app:giant:"
		if number {
			path = "app:777:"
		}
		got := f.count(path)
		if share >= 0.02 {
			planted++
		}
		if got >= 0 && share >= 0.02 {
			found++
		}
		if got < 0 && share >= 0.02 {
			t.Errorf("seed %d: %s with %.1f %% of %d tenants in order %d has no node", seed, path, 100*share, tenants, order)
		}
		if lacks == 0 {
			exact++
		}
		worst = max(worst, float64(lacks)/float64(n))
		if order == 0 && lacks > 0 {
			t.Errorf("seed %d: in random order it lacks %d keys", seed, lacks)
		}
		merged := newForest(":")
		for part := range slices.Chunk(keys, n/3) {
			p := newForest(":").fill(part, 1500, 1)
			merged.MergeTree(p.Tree, func(to int32, from *Node) { merged.sums.add(merged.Node(to), p.sums.list[from.Leaf-1]) })
			merged.Settle(MaxLeaves)
		}
		merged.Finish()
		merged.check(t, keys)
		d, most := compareTrees(f, merged)
		differ, nodes, mostDiffer = differ+d, nodes+f.used, max(mostDiffer, float64(most)/float64(n))
	}
	t.Logf("%d of %d values with 2 %% or more have nodes; of %d nodes %d differ in trees of merged parts, by %.2f %% of all keys at most", found, planted, nodes, differ, 100*mostDiffer)
	t.Logf("%d of %d exact, %.2f %% of all keys lacking at worst", exact, seeds, 100*worst)
	if worst > 0.03 {
		t.Errorf("a node lacks %.2f %% of all keys", 100*worst)
	}
}

// TestFewKeysInBlocks plants values with 3 % of the keys that begin behind 128 MB of large keys, of
// which blocks have few: as many are sampled as elsewhere.
func TestFewKeysInBlocks(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		const n, block, heavy = 40_000, 60, 1200
		keys := make([]key, n)
		for i := range keys {
			keys[i] = key{fmt.Sprintf("app:t%s:%d", word(r, 8000), i), 4000}
		}
		for i := range heavy {
			keys[n*4/5+r.IntN(n/5)].name = fmt.Sprint("app:giant:", i)
		}
		f := newForest(":").fill(keys, block, 1)
		f.Finish()
		if f.check(t, keys); f.count("app:giant:") < heavy/4 {
			t.Errorf("seed %d: app:giant: has %d keys of about %d", seed, f.count("app:giant:"), heavy)
		}
	}
}

// TestStatesKeepHeavyValues merges parts of which one has a value that begins late and has 1.6 to 3 %
// of all keys: through states, as they are, it is the same tree.
func TestStatesKeepHeavyValues(t *testing.T) {
	seeds := 6
	if testtool.Nightly() {
		seeds = 60
	}
	const part, block = 20_000, 200
	kept, nodes, differ := [2]int{}, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		heavy, from, blocks := 960+r.IntN(840), 10+r.IntN(50), 18+r.IntN(20)
		merged := [2]*forest{newForest(":"), newForest(":")}
		var all []key
		for n := range 3 {
			keys := make([]key, part)
			for i := range keys {
				keys[i] = key{fmt.Sprintf("app:t%s:%d", word(r, 5000), i), 60}
			}
			for i := 0; n == 1 && i < heavy; i++ {
				keys[(from+i*blocks/heavy)*block+r.IntN(block)].name = fmt.Sprint("app:giant:", i)
			}
			all = append(all, keys...)
			p := newForest(":").fill(keys, block, 1)
			for i, from := range []*Tree{p.Tree, read(t, p).Tree} {
				to := merged[i]
				to.MergeTree(from, func(at int32, leaf *Node) { to.sums.add(to.Node(at), p.sums.list[leaf.Leaf-1]) })
				to.Settle(MaxLeaves)
			}
		}
		for i, f := range merged {
			f.Finish()
			f.check(t, all)
			if f.count("app:giant:") >= 0 {
				kept[i]++
			}
		}
		d, most := compareTrees(merged[0], merged[1])
		nodes, differ = nodes+merged[0].used, differ+d
		if a, b := merged[0].dump(), merged[1].dump(); a != b {
			t.Errorf("seed %d: %d nodes differ by %d keys at most\n%s", seed, d, most, difference(a, b))
		}
	}
	t.Logf("%d of %d values have nodes, %d in trees merged of states; %d of %d nodes have other keys", kept[0], seeds, kept[1], differ, nodes)
}

// TestMergedTrees compares trees of parts, merged in any order and through their records,
// with that of all keys.
func TestMergedTrees(t *testing.T) {
	for kind, k := range keyspaces {
		keys := keysOf(kind, 24_000)
		whole := newForest(k.separators).fill(keys, 2000, 1)
		var parts []*forest
		for list := range slices.Chunk(keys, 8000) {
			parts = append(parts, newForest(k.separators).fill(list, 2000, 1))
		}
		merged := func(order ...int) *forest {
			all := newForest(k.separators)
			for _, i := range order {
				all.MergeTree(read(t, parts[i]).Tree, func(to int32, from *Node) { all.sums.add(all.Node(to), parts[i].sums.list[from.Leaf-1]) })
				all.Settle(MaxLeaves)
			}
			return all
		}
		a, b := merged(0, 1, 2), merged(2, 0, 1)
		whole.Finish()
		for _, f := range []*forest{a, b} {
			f.check(t, keys)
			f.Finish()
			f.check(t, keys)
		}
		differ, most := compareTrees(whole, a)
		again, _ := compareTrees(a, b)
		t.Logf("%s: %d nodes, %d differ from one pass, by %d keys at most; %d with the order", kind, whole.used, differ, most, again)
		exact := kind != "25 prefixes" && kind != "12 levels" && // these have too many leaves
			kind != "only separators"
		if exact && (differ > 0 || again > 0) || most > int64(len(keys))/20 {
			t.Errorf("%s: %d nodes differ by %d keys at most, %d with the order", kind, differ, most, again)
		}
		if t.Failed() {
			t.Fatal(kind)
		}
	}
}

// compareTrees returns how many nodes are in one tree only or have other keys, and the
// most keys by which they differ.
func compareTrees(a, b *forest) (differ int, most int64) {
	nodes := map[string][2]int64{}
	for side, f := range []*forest{a, b} {
		for i := range int32(f.nodes.Len()) {
			if n := f.Node(i); !n.removed {
				path := fmt.Sprint(n.kind, string(f.AppendPath(nil, i)))
				v := nodes[path]
				v[side] = n.Keys
				nodes[path] = v
			}
		}
	}
	for _, v := range nodes {
		if v[0] != v[1] {
			differ++
			most = max(most, v[0]-v[1], v[1]-v[0])
		}
	}
	return differ, most
}

// read returns a tree that was stored and read again, which stores the same.
func read(t *testing.T, f *forest) *forest {
	t.Helper()
	back := newForest(f.namer.Separators())
	r := NewReader(back.Tree)
	f.Records(func(rec Record, leaf int32) {
		node, ok := r.Read(&rec)
		if !ok || rec.Leaf != (leaf != 0) {
			t.Fatalf("%+v is not read", rec)
		}
		if leaf != 0 {
			back.Node(node).Leaf = leaf
			back.AddSums(node, f.sums.list[leaf-1], 0)
			for i := range int32(f.nodes.Len()) {
				if f.Node(i).Leaf == leaf {
					back.AddSums(node, 0, f.Node(i).Size)
				}
			}
		}
	})
	back.sums.list = f.sums.list
	if a, b := f.dump(), back.dump(); a != b {
		t.Fatalf("another tree is read\n%s", difference(a, b))
	}
	return back
}

// TestHostileRecords checks that records that no tree wrote are refused.
func TestHostileRecords(t *testing.T) {
	none := [2]int64{-1, -1}
	good := []Record{{Lost: none}, {Depth: 1, Label: []byte("a:"), Lost: [2]int64{3, -1}}, {Depth: 2, Leaf: true, Label: []byte("x"), Lost: none}}
	for what, edit := range map[string]func(r []Record) []Record{
		"no root":   func(r []Record) []Record { return r[1:] },
		"two roots": func(r []Record) []Record { return append(r, r[0]) },
		"twice":     func(r []Record) []Record { return append(r, r[2]) },
		"too deep":  func(r []Record) []Record { r[2].Depth = 4; return r },
		"below a leaf": func(r []Record) []Record {
			return append(r, Record{Depth: 3, Leaf: true, Label: []byte("y"), Lost: none})
		},
		"no separator":       func(r []Record) []Record { r[1].Label = []byte("a"); return r },
		"missed":             func(r []Record) []Record { r[2].Missed = -1; return r },
		"lost":               func(r []Record) []Record { r[1].Lost[0] = -2; return r },
		"a folded leaf":      func(r []Record) []Record { r[2].Lost[1] = 0; return r },
		"a long label":       func(r []Record) []Record { r[2].Label = make([]byte, 1000); return r },
		"rest":               func(r []Record) []Record { r[2].Flags = recordRest; return r },
		"flags":              func(r []Record) []Record { r[2].Flags = recordFlags; return r },
		"a wide empty label": func(r []Record) []Record { r[2].Flags, r[2].Label = recordWide, nil; return r },
		"a closed node":      func(r []Record) []Record { r[1].Flags = recordClosed; return r },
	} {
		records := edit(slices.Clone(good))
		r := NewReader(New(naming.NewNamer(":"), &sums{}))
		ok := true
		for i := range records {
			if _, read := r.Read(&records[i]); !read {
				ok = false
				break
			}
		}
		if ok {
			t.Errorf("%s: read", what)
		}
	}
	r := NewReader(New(naming.NewNamer(":"), &sums{}))
	for i := range good {
		if _, ok := r.Read(&good[i]); !ok {
			t.Errorf("record %d is refused", i)
		}
	}
}

// TestStoredSamples stores a tree that has a leaf which samples have found, and which no key has had since.
func TestStoredSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var keys []key
	for i := range 30_000 {
		name := "x:" + token(r, 12)
		if i > 5000 && i%2 == 0 {
			name = fmt.Sprintf("x:zz%c-%d", 'a'+r.IntN(25), i)
		}
		keys = append(keys, key{name, 50})
	}
	found := 0
	for n := 10_000; n < len(keys); n += 1000 {
		f := newForest(":").fill(keys[:n], 50, 1)
		for i := range int32(f.nodes.Len()) {
			if node := f.Node(i); !node.removed && node.kind == end && node.Keys == 0 && i > 0 {
				found++
			}
		}
		read(t, f)
	}
	if found == 0 {
		t.Error("no leaf without keys")
	}
}

// TestSeeds fills trees under different seeds of hashes: they are the same.
func TestSeeds(t *testing.T) {
	defer func(old maphash.Seed) { seed = old }(seed)
	same := func(what string, keys []key) {
		want := ""
		for k := range 4 {
			seed = maphash.MakeSeed()
			got := newForest(":").fill(keys, 2000, 1+k%2).dump()
			if k > 0 && got != want {
				t.Fatalf("%s: another seed makes another tree\n%s", what, difference(want, got))
			}
			want = got
		}
	}
	r := rand.New(rand.NewPCG(11, 12))
	for n := range 6 {
		var keys []key
		for i := range 40_000 {
			tenant := word(r, 2000)
			if n%2 == 1 {
				tenant = fmt.Sprint("t", r.IntN(2000))
			}
			if i > 15_000 && r.IntN(60) == 0 {
				tenant = "t9giant"
			}
			keys = append(keys, key{fmt.Sprintf("app:%s:%s:%d", tenant, word(r, 400*(n/2)+1), i), 60})
		}
		same(fmt.Sprint(n), keys)
	}
	for kind := range keyspaces {
		same(kind, keysOf(kind, 12_000))
	}
}

// TestHeavyBytes plants values with much memory and few keys that begin late: of many keys, of few that are
// 8 and 60 times as large as others, and of one block at the end.
func TestHeavyBytes(t *testing.T) {
	for n, k := range []struct{ keys, from, heavy, size int }{
		{100_000, 30_000, 1000, 800}, {20_000, 10_000, 64, 800}, {20_000, 6000, 9, 6000}, {20_000, 19_000, 60, 800},
	} {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 13))
			keys := make([]key, k.keys)
			for i := range keys {
				keys[i] = key{fmt.Sprintf("app:t%s:%d", word(r, 5000), i), 100}
			}
			for i := range k.heavy {
				at := k.from + r.IntN(k.keys-k.from)
				for keys[at].size != 100 {
					at = k.from + r.IntN(k.keys-k.from)
				}
				keys[at] = key{fmt.Sprint("app:giant:", i), int64(k.size)}
			}
			f := newForest(":").fill(keys, 400, 1)
			f.Finish()
			if f.check(t, keys); f.count("app:giant:") < 0 {
				t.Errorf("keyspace %d, seed %d: app:giant: has no node", n, seed)
			}
		}
	}
}
