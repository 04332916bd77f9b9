package memory

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustChoose(t *testing.T, opt Options) *Model {
	t.Helper()
	m, _, err := Choose("redis", "7.0.15", opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The classes of jemalloc, from its size_classes table.
func TestBlock(t *testing.T) {
	for _, c := range []struct {
		name string
		want map[int64]int64
	}{
		{"jemalloc", map[int64]int64{1: 8, 8: 8, 9: 16, 17: 24, 24: 24, 25: 32, 40: 40, 56: 56, 64: 64, 65: 80, 112: 112, 113: 128, 129: 160,
			160: 160, 161: 192, 256: 256, 257: 320, 536: 640, 1024: 1024, 1025: 1280, 14336: 14336, 14337: 16384, 33851: 40960, 83730: 98304}},
		{"jemalloc-system", map[int64]int64{1: 8, 8: 8, 9: 16, 17: 32, 24: 32, 40: 48, 56: 64, 64: 64, 65: 80, 128: 128, 129: 160, 33851: 40960}},
		{"jemalloc-5.3.1", map[int64]int64{24: 32, 14337: 16384, 16385: 20480, 32768: 32768, 32769: 36864, 33851: 36864, 83730: 86016}},
	} {
		a, err := chooseAllocator(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range c.want {
			if got := a.usable(n); got != want {
				t.Errorf("%s: a block for %d bytes has %d, want %d", c.name, n, got, want)
			}
		}
	}
}

// The figures of a few keys by hand, from the structures of each server: 64
// bits, the allocator of the sources.
func TestByHand(t *testing.T) {
	text := func(key, text int64, ttl bool) Facts {
		return Facts{Shape: StringText, NameLen: key, TextLen: text, TTL: ttl}
	}
	for _, c := range []struct {
		server       string
		facts        Facts
		alloc, usage int64
	}{
		// Name of 3: 1+3+1 = 5 in 8; dictEntry 24; object 16+3+5+1 = 25 in 32.
		{"redis-7.0", text(3, 5, false), 8 + 24 + 32, 8 + 24 + 32},
		// A second dictEntry for the expiry, which MEMORY USAGE does not count.
		{"redis-7.0", text(3, 5, true), 8 + 24 + 32 + 24, 8 + 24 + 32},
		// 45 bytes do not fit the object: 3+45+1 = 49 in 56 of their own.
		{"redis-8.0", text(3, 45, false), 8 + 24 + 16 + 56, 8 + 24 + 16 + 56},
		// Ziplists are of another time: what is embedded counts unrounded.
		{"redis-6.2", text(3, 5, false), 8 + 24 + 32, 8 + 24 + 16 + 7},
		// A shared number has no object of its own, but MEMORY USAGE says so.
		{"redis-7.0", Facts{Shape: StringInt, NameLen: 3, IntValue: 42}, 8 + 24, 8 + 24 + 16},
		{"redis-7.0", Facts{Shape: StringInt, NameLen: 3, IntValue: 10000}, 8 + 24 + 16, 8 + 24 + 16},
		{"redis-7.0", Facts{Shape: StringInt, NameLen: 3, IntValue: 42, Eviction: true}, 8 + 24 + 16, 8 + 24 + 16},
		// All in one: 16 + 1+1+3+1 + 3+5+1 = 31 in 32.
		{"valkey-8.1", text(3, 5, false), 32, 32},
		// 16+3+3+4+38 = 64 is embedded, 65 is not: then 16+6 in 24, with the
		// text's 3+39+1 in 48; MEMORY USAGE leaves the name out.
		{"valkey-8.1", text(3, 38, false), 64, 64},
		{"valkey-8.1", text(3, 39, false), 24 + 48, 16 + 48},
		// The expiry counts: 64+8 is too much. 16+8+6 in 32, 3+38+1 in 48.
		{"valkey-8.1", text(3, 38, true), 32 + 48, 16 + 48},
		// A name of 32 has a longer header that the limit does not know: 65
		// bytes, in 80, where the expiry has room.
		{"valkey-8.1", text(32, 9, true), 80, 80},
		// The value lies over its pointer: 8 + 1+1+3+1 + 3+5+1 = 23.
		{"valkey-9", text(3, 5, false), 24, 24},
		{"valkey-9", text(3, 110, false), 128, 128},
		{"valkey-9", text(3, 111, false), 24 + 128, 24 + 128},
		// A name of 128 and more has room for an expiry: 16 + 1+3+133+1 + 8 = 162.
		{"valkey-9", Facts{Shape: StringInt, NameLen: 127}, 160, 160},
		{"valkey-9", Facts{Shape: StringInt, NameLen: 133}, 192, 192},
		// An expiry precedes the object and does not count for the limit.
		{"redis-8.6", text(3, 38, false), 64, 64},
		{"redis-8.6", text(3, 38, true), 80, 80},
		// MEMORY USAGE of 8.4 gives the exact bytes with what is spare.
		{"redis-8.4", Facts{Shape: StringInt, NameLen: 3, IntValue: 7}, 24, 22},
		{"redis-8.4", Facts{Shape: StringInt, NameLen: 12, IntValue: 7}, 32, 31},
		// A listpack of 100 bytes in 112.
		{"redis-8.0", Facts{Shape: Packed, Type: typeHash, NameLen: 3, PackedBytes: 100}, 8 + 24 + 16 + 112, 8 + 24 + 16 + 112},
		// An intset is not rounded by MEMORY USAGE of 6.2 and of 8.4 on.
		{"redis-6.2", Facts{Shape: Packed, Type: typeSet, Intset: true, NameLen: 3, PackedBytes: 100}, 48 + 112, 48 + 100},
		{"redis-8.6", Facts{Shape: Packed, Type: typeSet, Intset: true, NameLen: 3, PackedBytes: 100}, 24 + 112, 24 + 100},
		// With expiries of fields there is a structure of 32 in front.
		{"redis-8.0", Facts{Shape: PackedEx, Type: typeHash, NameLen: 3, PackedBytes: 100}, 48 + 32 + 112, 48 + 32 + 112},
		{"redis-8.2", Facts{Shape: PackedEx, Type: typeHash, NameLen: 3, PackedBytes: 100}, 24 + 24 + 112, 24 + 24 + 112},
		// A list of one listpack is a quicklist with one node before 7.2.
		{"redis-7.0", Facts{Shape: Packed, Type: typeList, NameLen: 3, PackedBytes: 100}, 48 + 40 + 40 + 112, 48 + 40 + 40 + 112},
		{"redis-7.2", Facts{Shape: Packed, Type: typeList, NameLen: 3, PackedBytes: 100}, 48 + 112, 48 + 112},
		// Nothing is known of a module's value but its bytes in the file.
		{"redis-8.0", Facts{Shape: Other, NameLen: 3, Serialized: 1000}, 1048, 1048},
	} {
		m := mustChoose(t, Options{Server: c.server})
		var a Accumulator
		a.Reset(m)
		got := a.Sizes(&c.facts)
		if got.Allocated != c.alloc || got.Usage != c.usage || got.LowerBound != (c.facts.Shape == Other) {
			t.Errorf("%s %+v: got %+v, want %d and %d", c.server, c.facts, got, c.alloc, c.usage)
		}
	}
}

// A set of three members of 10 bytes: dict of 56, four buckets in 32, an entry
// of 24 and 12 in 16 for each.
func TestSetByHand(t *testing.T) {
	m := mustChoose(t, Options{Server: "redis-7.0"})
	var a Accumulator
	a.Reset(m)
	for range 3 {
		a.AddMember(10)
	}
	got := a.Sizes(&Facts{Shape: SetTable, Type: typeSet, NameLen: 3, Elements: 3, Longest: 10})
	if want := int64(48 + 56 + 32 + 3*(24+16)); got.Allocated != want || got.Usage != want || got.Compact != -1 {
		t.Errorf("got %+v, want %d and no compact form", got, want)
	}
	// Later servers would load it as a listpack, of 7 + 3*12 bytes in 48.
	m = mustChoose(t, Options{Server: "redis-7.2", State: "reloaded"})
	a.Reset(m)
	for range 3 {
		a.AddMember(10)
	}
	got = a.Sizes(&Facts{Shape: SetTable, Type: typeSet, NameLen: 3, Elements: 3, Longest: 10, ListpackBytes: 43})
	if got.Allocated != 48+48 || got.Compact != 48+48 {
		t.Errorf("got %+v, want 96", got)
	}
}

// Levels of a skiplist node: 3/4 have one, 3/16 two, and so on.
func TestTower(t *testing.T) {
	for _, c := range []struct {
		allocator string
		want      float64
	}{{"jemalloc", 45.84}, {"jemalloc-system", 53.34}} {
		m := mustChoose(t, Options{Allocator: c.allocator})
		if got := float64(m.bareSkiplistNode) / fraction; math.Abs(got-c.want) > .01 {
			t.Errorf("%s: a skiplist node takes %.3f bytes, want %.2f", c.allocator, got, c.want)
		}
	}
}

// Long and short strings take the same by the table and by the formula, and
// sizes never shrink with the length.
func TestTables(t *testing.T) {
	for _, f := range families {
		for _, allocator := range Allocators() {
			m := mustChoose(t, Options{Server: f.name, Allocator: allocator})
			last := int64(0)
			for n := range int64(2 * tabled) {
				a, b := Accumulator{model: m}, Accumulator{model: m}
				a.AddMember(n)
				b.addSizes(m.stringSizes(n))
				if a != b {
					t.Fatalf("%s: a member of %d bytes takes %d by the table and %d by the formula", f.name, n, a.alloc, b.alloc)
				}
				if n > 0 && int64(a.alloc) < last {
					t.Errorf("%s: a member of %d bytes takes less than a shorter one", f.name, n)
				}
				last = int64(a.alloc)
				for _, v := range []int64{0, 1, 31, 60, 100, 130, 255, 256, 300} {
					a, b := Accumulator{model: m}, Accumulator{model: m}
					a.AddField(n, v, false)
					b.addLongField(n, v, false)
					if a.alloc != b.alloc || a.usage != b.usage {
						t.Fatalf("%s: a field of %d and %d bytes takes %d by the table and %d by the formula", f.name, n, v, a.alloc, b.alloc)
					}
				}
			}
		}
	}
}

// A raxNode of a radix tree that is built key by key.
type raxNode struct {
	kids map[byte]*raxNode
	leaf bool
}

func (n *raxNode) insert(key []byte) {
	for _, c := range key {
		if n.kids == nil {
			n.kids = map[byte]*raxNode{}
		}
		if n.kids[c] == nil {
			n.kids[c] = &raxNode{}
		}
		n = n.kids[c]
	}
	n.leaf = true
}

// measure returns nodes and bytes of the tree with runs of single children joined
// into chains, as in rax.c. A node at which a key ends has 8 bytes
// more.
func (n *raxNode) measure(a *allocator) (nodes, bytes int64) {
	if len(n.kids) == 0 {
		return 1, a.usable(16)
	}
	key := int64(0)
	if n.leaf {
		key = 8
	}
	run := int64(0)
	for len(n.kids) == 1 && (run == 0 || !n.leaf) {
		for _, k := range n.kids {
			n = k
		}
		run++
	}
	if run > 0 {
		nodes, bytes = n.measure(a)
		return nodes + 1, bytes + a.usable(chainNode(run)+key)
	}
	nodes, bytes = 1, a.usable(branchNode(int64(len(n.kids)))+key)
	for _, k := range n.kids {
		kn, kb := k.measure(a)
		nodes += kn
		bytes += kb
	}
	return nodes, bytes
}

func TestRadixTree(t *testing.T) {
	a, _ := chooseAllocator("jemalloc")
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		n := 1 + r.IntN(300)
		ms := r.Uint64N(1 << 41)
		step := uint64(1) << r.IntN(30)
		ids := map[[2]uint64]bool{}
		for range n {
			ms += r.Uint64N(step)
			ids[[2]uint64{ms, r.Uint64N(1 << r.IntN(20))}] = true
		}
		var sorted [][2]uint64
		for id := range ids {
			sorted = append(sorted, id)
		}
		slices.SortFunc(sorted, func(x, y [2]uint64) int { return slices.Compare(x[:], y[:]) })
		var root raxNode
		var one idTree
		for _, id := range sorted {
			var key [16]byte
			binary.BigEndian.PutUint64(key[:], id[0])
			binary.BigEndian.PutUint64(key[8:], id[1])
			root.insert(key[:])
			one.add(&a, id[0], id[1])
		}
		nodes, bytes := root.measure(&a)
		got := one.finish(&a)
		if got.keys != int64(len(sorted)) || got.nodes != nodes || got.bytes != bytes {
			t.Fatalf("round %d: %d IDs: got %+v, the tree has %d nodes of %d bytes", round, len(sorted), got, nodes, bytes)
		}
	}
	var empty idTree
	if got := empty.finish(&a); got.nodes != 1 || got.bytes != 8 {
		t.Errorf("an empty tree: %+v, want one node of 8 bytes", got)
	}
}

// Keys that no server writes, out of order or twice, have no bad effect.
func TestRadixTreeHostile(t *testing.T) {
	a, _ := chooseAllocator("jemalloc")
	r := rand.New(rand.NewPCG(3, 4))
	var one idTree
	for range 100000 {
		one.add(&a, r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64))
		if r.IntN(4) == 0 {
			one.add(&a, one.hi, one.lo)
		}
	}
	one.finish(&a)
}

// Child buckets of Valkey's table, against tables filled at random.
func TestChainedBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ n, buckets int64 }{{7, 1}, {8, 1}, {13, 1}, {14, 1}, {14, 2}, {40, 8}, {1000, 256}, {1700, 256}, {100000, 16384}} {
		const rounds = 400
		var children int64
		for range rounds {
			fill := make([]int64, c.buckets)
			for range c.n {
				fill[r.Int64N(c.buckets)]++
			}
			for _, k := range fill {
				if k > 7 {
					children += (k - 7 + 5) / 6
				}
			}
			if c.n > 10000 {
				break
			}
		}
		want := float64(children) / rounds
		if c.n > 10000 {
			want = float64(children)
		}
		got := float64(childBuckets(c.n, c.buckets)) / fraction
		if math.Abs(got-want) > .03*want+.1 {
			t.Errorf("%d entries in %d buckets: %.2f child buckets, at random there are %.2f", c.n, c.buckets, got, want)
		}
	}
}

func TestBuckets(t *testing.T) {
	for _, c := range []struct{ n, dict, grown, loaded int64 }{
		{0, 4, 1, 1}, {1, 4, 1, 1}, {4, 4, 1, 1}, {5, 8, 1, 1}, {6, 8, 1, 1}, {7, 8, 1, 2}, {8, 8, 2, 2}, {14, 16, 2, 4}, {15, 16, 4, 4},
		{512, 512, 128, 128}, {513, 1024, 128, 128}, {448, 512, 64, 128}, {409, 512, 64, 64}, {410, 512, 64, 128},
	} {
		if d, g, l := dictBuckets(c.n), grownBuckets(c.n), loadedBuckets(c.n); d != c.dict || g != c.grown || l != c.loaded {
			t.Errorf("%d entries: %d, %d and %d buckets, want %d, %d and %d", c.n, d, g, l, c.dict, c.grown, c.loaded)
		}
	}
}

// The expected number of entries that need a block of their own.
func TestInlineEntries(t *testing.T) {
	for _, c := range []struct{ n, buckets, want int64 }{{0, 4, 0}, {1, 4, 0}, {2, 4, 0}, {4, 4, 1}, {128, 128, 47}, {1000, 1024, 361}} {
		if got := noValueEntries(c.n, c.buckets); got != c.want {
			t.Errorf("%d entries in %d buckets: %d, want %d", c.n, c.buckets, got, c.want)
		}
	}
}

// A hash whose fields expire grows from 4 buckets: the old table is there
// until its buckets that are not empty have been moved, one at every insert.
func TestLoadDict(t *testing.T) {
	m := mustChoose(t, Options{Server: "redis-8.0", State: "reloaded"})
	for _, c := range []struct{ n, buckets, old int64 }{
		{512, 512, 0}, {513, 1024, 512}, {800, 1024, 512}, {835, 1024, 512}, {840, 1024, 0}, {1024, 1024, 0}, {1025, 2048, 1024},
	} {
		if got := insertedDict(c.n); got.buckets != c.buckets || got.old != c.old {
			t.Errorf("%d fields: %+v, want %d buckets and %d old ones", c.n, got, c.buckets, c.old)
		}
	}
	// The fields after the first long one get a table made for them. The figures are
	// those of DEBUG HTSTATS-KEY of Redis 7.0.15 and 8.0.2 for hashes of n fields whose
	// field number long has 65 bytes.
	for _, c := range []struct{ n, long, buckets, old int64 }{
		{500, 1, 512, 0}, {260, 257, 512, 256}, {256, 200, 256, 0}, {3, 1, 4, 0}, {500, 100, 512, 0}, {500, 129, 512, 0}, {500, 130, 512, 0},
		{500, 250, 512, 0}, {500, 251, 512, 0}, {500, 252, 512, 0}, {500, 300, 512, 0}, {100, 50, 128, 64}, {100, 49, 128, 64}, {20, 15, 32, 16}, {20, 16, 32, 16},
		{9, 4, 16, 8}, {9, 5, 16, 8}, {10, 5, 16, 8}, {10, 6, 16, 8}, {12, 7, 16, 8}, {12, 8, 16, 8}, {12, 9, 16, 8}, {512, 512, 512, 0}, {512, 17, 512, 0},
		{512, 33, 512, 0}, {400, 200, 512, 256}, {130, 65, 256, 128}, {130, 64, 256, 128}, {70, 5, 128, 64}, {70, 66, 128, 0}, {70, 65, 128, 64}, {70, 64, 128, 64},
	} {
		if got := m.convertedDict(c.n, c.long, false); got.buckets != c.buckets || got.old != c.old {
			t.Errorf("%d fields, long from the %d.: %+v, want %d buckets and %d old ones", c.n, c.long, got, c.buckets, c.old)
		}
	}
}

// The same of Valkey 8.1.1 and 9.1.2, whose DEBUG HTSTATS-KEY gives the entries of a
// table, 7 a bucket.
func TestLoadHashtable(t *testing.T) {
	m := mustChoose(t, Options{Server: "valkey-9", State: "reloaded"})
	for _, c := range []struct{ n, long, entries, old int64 }{
		{500, 1, 896, 0}, {260, 257, 448, 0}, {256, 200, 448, 224}, {3, 1, 7, 0}, {500, 100, 896, 448}, {500, 129, 896, 448}, {500, 252, 896, 448}, {500, 260, 896, 448}, {500, 300, 896, 448},
		{100, 50, 112, 0}, {100, 49, 112, 0}, {20, 15, 28, 0}, {20, 16, 28, 0}, {9, 4, 14, 0}, {9, 5, 14, 0}, {10, 5, 14, 0}, {10, 6, 14, 0}, {12, 7, 14, 0},
		{12, 8, 14, 0}, {12, 9, 14, 0}, {512, 512, 896, 0}, {512, 17, 896, 0}, {512, 33, 896, 0}, {400, 200, 448, 0}, {130, 65, 224, 0}, {130, 64, 224, 0}, {70, 5, 112, 0},
		{70, 66, 112, 0}, {70, 65, 112, 0}, {70, 64, 112, 0},
	} {
		if got := m.convertedHashtable(c.n, c.long); got.buckets*7 != c.entries || got.old*7 != c.old {
			t.Errorf("%d fields, long from the %d.: %+v, want a table of %d and an old one of %d", c.n, c.long, got, c.entries, c.old)
		}
	}
}

func TestWindows(t *testing.T) {
	var w windows
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int64{1, 10, 100, 1000, 8000, 100000, 1000000} {
		w.reset()
		for k := range n {
			at := (1<<28+3*k+r.Int64N(2))<<wideShift + r.Int64N(1<<narrowShift)
			w.add(at)
			w.add(at)
		}
		wide, narrow := w.counts(n)
		for _, got := range []int64{wide, narrow} {
			// From some 20,000 on they are taken to lie at random, which these do not.
			if math.Abs(float64(got-n)) > .16*float64(n)+.5 {
				t.Errorf("%d windows are counted as %d", n, got)
			}
		}
	}
	if w.equal() {
		t.Error("different times are called equal")
	}
	w.reset()
	w.add(5)
	w.add(5)
	if !w.equal() {
		t.Error("equal times are not called so")
	}
}

// Parts of a hash that were walked apart join to the whole.
func TestMerge(t *testing.T) {
	m := mustChoose(t, Options{Server: "valkey-9"})
	var whole, first, second Accumulator
	for _, a := range []*Accumulator{&whole, &first, &second} {
		a.Reset(m)
	}
	for i := range int64(300) {
		part := &first
		if i >= 120 {
			part = &second
		}
		for _, a := range []*Accumulator{&whole, part} {
			a.AddField(i%40, i%70, i%3 == 0)
			a.AddFieldExpiry(i << 15)
		}
	}
	first.Merge(&second)
	if first != whole {
		t.Errorf("joined %+v, whole %+v", first, whole)
	}
	whole.Reset(m)
	if whole != (Accumulator{model: m}) {
		t.Errorf("after Reset there is %+v", whole)
	}
}

func TestNoAllocations(t *testing.T) {
	for _, f := range families {
		m := mustChoose(t, Options{Server: f.name})
		var a Accumulator
		n := testing.AllocsPerRun(100, func() {
			a.Reset(m)
			for i := range int64(600) {
				a.AddField(i, i, i&1 == 0)
				a.AddFieldExpiry(i << 20)
			}
			sink = a.Sizes(&Facts{Shape: HashTable, Type: typeHash, Elements: 600, FieldsWithTTL: 300})
			a.Reset(m)
			for i := range uint64(100) {
				a.AddStreamNode(i, i, 100, 0)
			}
			a.BeginGroup([]byte("group"), 5)
			a.AddPending(1, 2)
			a.BeginConsumer([]byte("worker1"), 7)
			a.AddConsumerPending(1, 2)
			sink = a.Sizes(&Facts{Shape: StreamTree, Type: 5, Elements: 100})
		})
		if n != 0 {
			t.Errorf("%s: %.0f allocations a key", f.name, n)
		}
	}
}

// TestResizing has what collections took beside their settled tables on servers that had
// just written them, bytes a collection: measured, with what else differs there.
func TestResizing(t *testing.T) {
	for _, c := range []struct {
		server   string
		n        int64
		measured float64
	}{
		{"redis-7.0", 20, 128}, // 1,500 hashes
		{"redis-8.0", 20, 128},
		{"redis-8.0", 40, 302}, // 600 sets, whose members that share a bucket have entries, too
		{"valkey-8.1", 15, 187},
		{"valkey-9.1", 15, 188},
		{"redis-8.0", 15, 0},
		{"valkey-8.1", 40, 0},
	} {
		got := float64(mustChoose(t, Options{Server: c.server, Allocator: "jemalloc-system"}).Resizing(c.n))
		if math.Abs(got-c.measured) > c.measured/6 {
			t.Errorf("%s, %d elements: %v, measured %v", c.server, c.n, got, c.measured)
		}
		if got := mustChoose(t, Options{Server: c.server, State: "reloaded"}).Resizing(c.n); got != 0 {
			t.Errorf("%s, %d elements after a restart: %d", c.server, c.n, got)
		}
	}
}
