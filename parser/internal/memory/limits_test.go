package memory

import "testing"

// TestLimits has the limits of the compact encodings by default (redis.conf): 512
// fields, 128 members, 512 integers, and strings of 64 bytes.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		typ        uint8
		n, longest int64
		want       bool
	}{
		{typeHash, 512, 64, true}, {typeHash, 513, 64, false}, {typeHash, 512, 65, false}, {typeZSet, 128, 64, true}, {typeZSet, 129, 1, false}, {typeSet, 128, 64, true}, {typeSet, 129, 1, false}, {typeSet, 1, 65, false},
	} {
		if got := FitsListpack(c.typ, c.n, c.longest); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for _, state := range States() {
		m := mustChoose(t, Options{Server: "redis-8.0", State: state})
		for typ, most := range map[uint8]int64{0: 1 << 40, typeList: 1 << 40, typeSet: 128, typeZSet: 128, typeHash: 512, 5: 1 << 40} {
			for _, intset := range []bool{false, true} {
				if intset && typ == typeSet {
					most = 512
				}
				if intset && typ != typeSet {
					continue
				}
				for _, n := range []int64{most, most + 1} {
					want := state == "reloaded" && n > most && most < 1<<40
					if got := m.ConvertsOnLoad(typ, intset, n); got != want {
						t.Errorf("%s, type %d, intset %v, %d elements: converted %v", state, typ, intset, n, got)
					}
				}
			}
		}
	}
	for entry, width := range map[int64]int64{2: 2, 3: 2, 4: 2, 5: 4, 6: 4, 10: 8} { // 7, 13, 16, 24, 32 and 64 bits
		if got := intsetWidth(entry); got != width {
			t.Errorf("integers whose entries take %d bytes: width %d, want %d", entry, got, width)
		}
	}
	for n, size := range map[int64]int64{0: 2, 127: 2, 128: 3, 4095: 3} {
		if got := listpackInteger(n); got != size {
			t.Errorf("%d takes %d bytes, want %d", n, got, size)
		}
	}
}

// TestCompactSize has the sizes of tables as their compact encodings, and whether a
// server chooses these.
func TestCompactSize(t *testing.T) {
	for _, c := range []struct {
		server string
		facts  Facts
		size   int64
		fits   bool
	}{
		{"redis-8.0", Facts{Shape: SetTable, Type: typeSet, Elements: 512, Integers: true, IntEntry: 4}, 8 + 512*2, true},
		{"redis-8.0", Facts{Shape: SetTable, Type: typeSet, Elements: 513, Integers: true, IntEntry: 6}, 8 + 513*4, false},
		{"redis-6.2", Facts{Shape: SetTable, Type: typeSet, Elements: 3, Integers: true, IntEntry: 10}, 8 + 3*8, true},
		{"redis-7.0", Facts{Shape: SetTable, Type: typeSet, Elements: 3, ListpackBytes: 30, Longest: 5}, 0, false},
		{"redis-7.2", Facts{Shape: SetTable, Type: typeSet, Elements: 3, ListpackBytes: 30, Longest: 5}, 30, true},
		{"redis-7.2", Facts{Shape: SetTable, Type: typeSet, Elements: 128, ListpackBytes: 300, Longest: 64}, 300, true},
		{"redis-7.2", Facts{Shape: SetTable, Type: typeSet, Elements: 129, ListpackBytes: 300, Longest: 5}, 300, false},
		{"redis-7.0", Facts{Shape: HashTable, Type: typeHash, Elements: 3, ListpackBytes: 0, Longest: 5}, 0, false},
		{"redis-7.0", Facts{Shape: HashTable, Type: typeHash, Elements: 512, ListpackBytes: 30, Longest: 64}, 30, true},
		{"redis-7.0", Facts{Shape: HashTable, Type: typeHash, Elements: 512, ListpackBytes: 30, Longest: 65}, 30, false},
		{"redis-6.2", Facts{Shape: HashTable, Type: typeHash, Elements: 512, ListpackBytes: 30, Longest: 64}, 34, true}, // a ziplist
		{"redis-7.0", Facts{Shape: Skiplist, Type: typeZSet, Elements: 128, ListpackBytes: 30, Longest: 64}, 30, true},
		{"redis-7.0", Facts{Shape: Skiplist, Type: typeZSet, Elements: 129, ListpackBytes: 30, Longest: 64}, 30, false},
		// Fields with an expiry of 8 bytes (10 as an entry), others with a 0 (2).
		{"redis-7.4", Facts{Shape: HashTable, Type: typeHash, Elements: 5, ListpackBytes: 30, Longest: 5, FieldsWithTTL: 2}, 30 + 2*10 + 3*2, true},
		{"redis-7.2", Facts{Shape: HashTable, Type: typeHash, Elements: 5, ListpackBytes: 30, Longest: 5, FieldsWithTTL: 2}, 0, false},
		{"valkey-9", Facts{Shape: HashTable, Type: typeHash, Elements: 5, ListpackBytes: 30, Longest: 5, FieldsWithTTL: 2}, 0, false},
		{"valkey-9.2", Facts{Shape: HashTable, Type: typeHash, Elements: 5, ListpackBytes: 30, Longest: 5, FieldsWithTTL: 2}, 30 + 2*11 + 2 + 1, true},
		{"valkey-9.2", Facts{Shape: HashTable, Type: typeHash, Elements: 300, ListpackBytes: 3000, Longest: 5, FieldsWithTTL: 128}, 3000 + 128*11 + 3 + 1, true},
		{"valkey-9.2", Facts{Shape: HashTable, Type: typeHash, Elements: 5, ListpackBytes: 30, Longest: 5}, 30, true},
	} {
		if size, fits := mustChoose(t, Options{Server: c.server}).compactSize(&c.facts); size != c.size || fits != c.fits {
			t.Errorf("%s, %+v: %d, %v, want %d, %v", c.server, c.facts, size, fits, c.size, c.fits)
		}
	}
}

// TestPackedSizes has packed values by the server that loads them: a ziplist becomes
// a listpack from 7.0 on. By jemalloc's classes 40, 48, 56 and 64.
func TestPackedSizes(t *testing.T) {
	for _, c := range []struct {
		server, state string
		facts         Facts
		alloc, usage  int64
	}{
		{"redis-7.0", "live", Facts{Type: typeHash, PackedBytes: 44}, 48, 48},
		{"redis-8.4", "live", Facts{Type: typeHash, PackedBytes: 44}, 48, 44},
		{"redis-6.2", "live", Facts{Type: typeHash, PackedBytes: 44, Ziplist: true}, 48, 44},
		{"redis-6.2", "live", Facts{Type: typeHash, PackedBytes: 44}, 48, 48}, // a ziplist of 4 bytes more
		{"redis-6.2", "live", Facts{Type: typeHash, PackedBytes: 45}, 56, 49},
		{"redis-7.0", "live", Facts{Type: typeHash, PackedBytes: 45, Ziplist: true}, 48, 48}, // 41
		{"redis-7.0", "live", Facts{Type: typeHash, PackedBytes: 44, Ziplist: true}, 40, 40}, // 40
		{"redis-7.0", "live", Facts{Type: typeHash, PackedBytes: 45, Ziplist: true, ListpackBytes: 49}, 56, 56},
		{"redis-7.0", "live", Facts{Type: typeHash, PackedBytes: 10, Ziplist: true}, 8, 8}, // 7 at least
		{"redis-7.0", "live", Facts{Type: typeSet, PackedBytes: 44, Intset: true}, 48, 48},
		{"redis-6.2", "live", Facts{Type: typeSet, PackedBytes: 44, Intset: true}, 48, 44},
		{"redis-7.0", "live", Facts{Type: typeList, PackedBytes: 44}, 40 + 40 + 48, 40 + 40 + 48},
		{"redis-7.2", "live", Facts{Type: typeList, PackedBytes: 44}, 48, 48},
		{"redis-7.2", "reloaded", Facts{Type: typeList, PackedBytes: 44, Ziplist: true, ListpackBytes: 44}, 40 + 40 + 48, 40 + 40 + 48},
		{"redis-7.2", "live", Facts{Type: typeList, PackedBytes: 44, Ziplist: true, ListpackBytes: 44}, 48, 48},
		{"redis-7.4", "live", Facts{Type: typeHash, PackedBytes: 44, Shape: PackedEx}, 48 + 32, 48 + 32},
		{"redis-7.4", "live", Facts{Type: typeHash, PackedBytes: 44, FieldsWithTTL: 1}, 48 + 32, 48 + 32},
		{"redis-7.4", "live", Facts{Type: typeZSet, PackedBytes: 44, FieldsWithTTL: 1}, 48, 48},
		{"redis-7.2", "live", Facts{Type: typeHash, PackedBytes: 44, FieldsWithTTL: 1}, 48, 48},
		{"redis-8.4", "live", Facts{Type: typeHash, PackedBytes: 44, Shape: PackedEx}, 48 + 24, 44 + 24},
	} {
		m := mustChoose(t, Options{Server: c.server, State: c.state})
		if alloc, usage := m.packedSizes(&c.facts); alloc != c.alloc || usage != c.usage {
			t.Errorf("%s, %s, %+v: %d and %d, want %d and %d", c.server, c.state, c.facts, alloc, usage, c.alloc, c.usage)
		}
	}
}

// TestTableBuckets has the buckets of tables at their limits: a dict has a power of
// two of at least 4, as many as entries; a hashtable grows when all 7 places of its
// buckets are taken, and is made with 5 buckets for 32 entries.
func TestTableBuckets(t *testing.T) {
	for _, c := range []struct{ n, dict, grown, loaded int64 }{
		{0, 4, 1, 1}, {1, 4, 1, 1}, {4, 4, 1, 1}, {5, 8, 1, 1}, {6, 8, 1, 1}, {7, 8, 1, 2}, {8, 8, 2, 2}, {9, 16, 2, 2}, {12, 16, 2, 2}, {13, 16, 2, 4}, {14, 16, 2, 4}, {15, 16, 4, 4}, {16, 16, 4, 4}, {17, 32, 4, 4},
		{25, 32, 4, 4}, {26, 32, 4, 8}, {28, 32, 4, 8}, {29, 32, 8, 8}, {51, 64, 8, 8}, {52, 64, 8, 16}, {56, 64, 8, 16}, {57, 64, 16, 16}, {1 << 20, 1 << 20, 1 << 18, 1 << 18}, {1<<20 + 1, 1 << 21, 1 << 18, 1 << 18},
	} {
		if got := dictBuckets(c.n); got != c.dict {
			t.Errorf("a dict of %d: %d buckets, want %d", c.n, got, c.dict)
		}
		if got := grownBuckets(c.n); got != c.grown {
			t.Errorf("a hashtable that grew to %d: %d buckets, want %d", c.n, got, c.grown)
		}
		if got := loadedBuckets(c.n); got != c.loaded {
			t.Errorf("a hashtable made for %d: %d buckets, want %d", c.n, got, c.loaded)
		}
	}
	for n, want := range map[int64]int64{8: 1, 13: 1, 14: 2, 19: 2, 20: 3} { // a chained bucket takes 6, and one more as the last of its chain
		if got := chainLength(n); got != want {
			t.Errorf("%d entries of one bucket: %d child buckets, want %d", n, got, want)
		}
	}
}

// TestClasses has jemalloc's classes beside their limits (size_classes.h).
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		n                       int64
		eight, sixteen, inPages int64
	}{
		{0, 8, 8, 8}, {8, 8, 8, 8}, {9, 16, 16, 16}, {17, 24, 32, 32}, {33, 40, 48, 48}, {48, 48, 48, 48}, {49, 56, 64, 64}, {57, 64, 64, 64}, {64, 64, 64, 64}, {65, 80, 80, 80}, {81, 96, 96, 96}, {112, 112, 112, 112}, {113, 128, 128, 128}, {128, 128, 128, 128},
		{129, 160, 160, 160}, {161, 192, 192, 192}, {256, 256, 256, 256}, {257, 320, 320, 320}, {512, 512, 512, 512}, {513, 640, 640, 640}, {28673, 32768, 32768, 32768}, {32768, 32768, 32768, 32768}, {32769, 40960, 40960, 36864}, {36865, 40960, 40960, 40960}, {40961, 49152, 49152, 45056}, {83730, 98304, 98304, 86016},
	} {
		for i, name := range Allocators() {
			a, _ := chooseAllocator(name)
			if got, want := a.usable(c.n), []int64{c.eight, c.sixteen, c.inPages}[i]; got != want {
				t.Errorf("%s: %d bytes take %d, want %d", name, c.n, got, want)
			}
		}
	}
}

// TestFirstLong has the number of the first field that no listpack takes, in one part of
// a hash and in another.
func TestFirstLong(t *testing.T) {
	for _, server := range []string{"redis-8.0", "valkey-9"} {
		m := mustChoose(t, Options{Server: server})
		add := func(fields ...[2]int64) *Accumulator {
			var a Accumulator
			a.Reset(m)
			for _, f := range fields {
				a.AddField(f[0], f[1], false)
			}
			return &a
		}
		short := [2]int64{64, 64}
		for _, c := range []struct {
			a, b *Accumulator
			want int64
		}{
			{add(), add(), 0}, {add(short, short), add(short), 0}, {add([2]int64{65, 0}), add(), 1}, {add(short, [2]int64{0, 65}), add(), 2}, {add(short, short, [2]int64{300, 300}, [2]int64{65, 65}), add([2]int64{65, 65}), 3},
			{add(short, short), add([2]int64{65, 0}), 3}, {add(short, short), add(short, short, [2]int64{0, 65}), 5}, {add(), add(short, [2]int64{0, 65}), 2},
		} {
			n := c.a.fields + c.b.fields
			if c.a.Merge(c.b); c.a.firstLong != c.want || c.a.fields != n {
				t.Errorf("%s: the first of %d is %d, want %d of %d", server, c.a.fields, c.a.firstLong, c.want, n)
			}
		}
	}
}

// TestUsageOfSets has sets of Valkey 8.0, of which MEMORY USAGE counts the entries that
// there are, and those of Redis, of which it counts one for each member: a table of 56 and
// 8 for each of 256 buckets, and members of 1+10+1 bytes.
func TestUsageOfSets(t *testing.T) {
	for server, counted := range map[string]int64{"valkey-8.0": noValueEntrySize * noValueEntries(200, 256), "redis-7.2": 24 * 200} {
		var a Accumulator
		a.Reset(mustChoose(t, Options{Server: server}))
		for range 200 {
			a.AddMember(10)
		}
		alloc, usage := a.model.setSizes(&a, &Facts{Shape: SetTable, Type: typeSet, Elements: 200}, 200)
		if want := int64(56 + 8*256 + 200*16); usage != want+counted || alloc != want+noValueEntrySize*noValueEntries(200, 256) {
			t.Errorf("%s: %d and %d, want %d", server, alloc, usage, want+counted)
		}
	}
}

// TestAccumulatorsAgain adds each kind of value twice, with a Reset between.
func TestAccumulatorsAgain(t *testing.T) {
	for _, server := range []string{"redis-6.2", "redis-7.2", "redis-8.10", "valkey-8.1", "valkey-9.2"} {
		for _, state := range States() {
			m := mustChoose(t, Options{Server: server, State: state})
			var a Accumulator
			for name, c := range map[string]struct {
				facts Facts
				add   func()
			}{
				"items":   {Facts{Shape: LinkedList, Type: typeList, Elements: 2}, func() { a.AddListItem(5, 7); a.AddListItem(20000, 20010) }},
				"an item": {Facts{Shape: LinkedList, Type: typeList, Elements: 1}, func() { a.AddListItem(5, 7) }},
				"nodes":   {Facts{Shape: Quicklist, Type: typeList, Elements: 2}, func() { a.AddListNode(false, 50); a.AddListNode(true, 9000) }},
				"a node":  {Facts{Shape: Quicklist, Type: typeList, Elements: 2}, func() { a.AddZiplistNode(50, 40) }},
				"expiries": {Facts{Shape: HashTable, Type: typeHash, Elements: 600, FieldsWithTTL: 600}, func() {
					for i := range int64(600) {
						a.AddField(10, 10, true)
						a.AddFieldExpiry(1700000000000 + i*20000)
					}
				}},
				"a stream": {Facts{Shape: StreamTree, Elements: 3}, func() {
					a.AddStreamNode(1, 2, 300, 0)
					a.AddStreamNode(3, 2, 300, 0)
					a.BeginGroup([]byte("group"), 5)
					a.AddPending(1, 2)
					a.BeginConsumer([]byte("consumer"), 8)
					a.AddConsumerPending(1, 2)
				}},
				"an empty stream": {Facts{Shape: StreamTree}, func() {}},
				"producers":       {Facts{Shape: StreamTree}, func() { a.AddProducer([]byte("p"), 1, 2); a.AddIdempotent(8) }},
				"an array":        {Facts{Shape: SlicedArray, Elements: 2}, func() { a.AddArrayElement(5, 9); a.AddArrayElement(50000, -1) }},
				"paths": {Facts{Shape: PathTree, Elements: 1}, func() {
					a.BeginPath([]byte("path"), 4)
					a.AddField(100, 1, false)
					a.EndPath(1, 100, 110)
				}},
				"no paths": {Facts{Shape: PathTree}, func() {}},
			} {
				a = Accumulator{}
				a.Reset(m)
				c.add()
				want := a.Sizes(&c.facts)
				for range 2 {
					a.Reset(m)
					if c.add(); a.Sizes(&c.facts) != want {
						t.Errorf("%s, %s, %s: %+v after a Reset, want %+v", server, state, name, a.Sizes(&c.facts), want)
					}
				}
				// And behind a value of which nothing was asked.
				a.Reset(m)
				c.add()
				a.Reset(m)
				if c.add(); a.Sizes(&c.facts) != want {
					t.Errorf("%s, %s, %s: another size behind a value that was not measured", server, state, name)
				}
			}
		}
	}
}

// TestServerNames has names of models as people write them.
func TestServerNames(t *testing.T) {
	for in, want := range map[string]string{"redis-7.0": "redis 7.0", "7.0.15": "redis 7.0.15", "v8.0": "redis 8.0", "V8.0": "redis 8.0", "Valkey-9.1.0-rc1": "valkey 9.1.0-rc1", "valkey-v8.1": "valkey 8.1", "REDIS-v6.2": "redis 6.2"} {
		if server, release, err := parseServer(in); err != nil || server+" "+release != want {
			t.Errorf("%s: %s %s, %v", in, server, release, err)
		}
	}
	for _, in := range []string{"", "redis", "redis-", "0.5", "v0.9", "redis-0.1", "keydb-6.3", "valkey"} {
		if server, release, err := parseServer(in); err == nil {
			t.Errorf("%q: %s %s", in, server, release)
		}
	}
}

// TestListItems has old lists whose items a server pushes one by one: an item of more
// than 8,192 bytes has a node of its own from Redis 7.4 on; a node is full that has no
// room for an item and 8 bytes.
func TestListItems(t *testing.T) {
	const quicklist, node = 40, 40
	for _, c := range []struct {
		server string
		items  []int64
		want   int64
	}{
		{"redis-7.2", []int64{10, 10}, 32}, {"redis-7.0", []int64{10, 10}, quicklist + node + 32}, // 7+12+12
		{"redis-7.4", []int64{8192}, quicklist + node + 10240}, {"redis-7.4", []int64{8193}, quicklist + node + 10240}, {"redis-7.4", []int64{10, 8193, 10}, quicklist + 3*node + 24 + 10240 + 24}, {"redis-7.4", []int64{10, 8192, 10}, quicklist + 3*node + 24 + 10240 + 24},
		{"redis-7.0", []int64{4000, 4000}, quicklist + node + 8192}, {"redis-7.0", []int64{4089, 4084}, quicklist + node + 8192}, {"redis-7.0", []int64{4089, 4085}, quicklist + 2*node + 5120 + 4096}, // 7+4093, and 4084+8
	} {
		var a Accumulator
		a.Reset(mustChoose(t, Options{Server: c.server, State: "reloaded"}))
		for _, n := range c.items {
			entry := n + 2
			if n > 63 {
				entry = n + 4
			}
			if n > 4095 {
				entry = n + 7
			}
			a.AddListItem(n, entry)
		}
		key, _ := a.model.keySizes(3, false)
		if got := a.Sizes(&Facts{Shape: LinkedList, Type: typeList, NameLen: 3, Elements: int64(len(c.items))}); got.Allocated-key != c.want {
			t.Errorf("%s, %d: %d, want %d", c.server, c.items, got.Allocated-key, c.want)
		}
	}
	if sdsClassic.separate(0) != 4 || sdsClassic.separate(1) != 3 {
		t.Error("an empty string has a header of 3 bytes, one of a byte one of 1")
	}
}

// TestReservedListpacks has sets of a text behind integers: a loader reserves the listpack
// for the integers, which MEMORY USAGE counts before Redis 8.4.
func TestReservedListpacks(t *testing.T) {
	for _, c := range []struct {
		server   string
		integers int64
		usage    int64
	}{{"redis-7.2", 100, 448}, {"redis-8.0", 100, 448}, {"redis-8.4", 100, 300}, {"redis-7.2", 10, 320}, {"redis-8.4", 10, 300}} {
		var a Accumulator
		a.Reset(mustChoose(t, Options{Server: c.server, State: "reloaded"}))
		key, keyUsage := a.model.keySizes(3, false)
		got := a.Sizes(&Facts{Shape: SetTable, Type: typeSet, NameLen: 3, Elements: c.integers + 1, ListpackBytes: 300, Longest: 5, LeadingIntegers: c.integers, IntEntry: 4})
		if want := max(320, a.model.usable(7+4*c.integers)); got.Allocated-key != want || got.Usage-keyUsage != c.usage || got.Compact-key != 320 {
			t.Errorf("%s, %d integers: %+v, want %d and %d beside the key", c.server, c.integers, got, want, c.usage)
		}
	}
}

// TestTreeSizes has B+ trees of leaves of 512 bytes for 61 items under inner nodes of 2,048
// for 61 children. MEMORY USAGE takes the mean of 16 leaves, of which the first may not be
// full, and counts an inner node for 60 leaves.
func TestTreeSizes(t *testing.T) {
	for _, c := range []struct{ n, alloc, usage int64 }{
		{1, 512, 24 + 512 + 2048}, {61, 512, 24 + 512 + 2048}, {62, 2*512 + 2048, 24 + 2*512 + 2048}, {16 * 61, 16*512 + 2048, 24 + 16*512 + 2048},
		{1000, 17*512 + 2048, 24 + (1000*16/(1000-61)+1)*512 + 2048}, {61 * 61, 61*512 + 2048, 24 + 62*512 + 2*2048}, {61*61 + 1, 62*512 + 3*2048, 24 + (3722*16/(3722-46*61)+1)*512 + 2*2048},
	} {
		if alloc, usage := treeSizes(c.n); alloc != c.alloc || usage != c.usage {
			t.Errorf("%d items: %d and %d, want %d and %d", c.n, alloc, usage, c.alloc, c.usage)
		}
	}
	var a Accumulator
	a.Reset(mustChoose(t, Options{Server: "valkey-9.2"}))
	if got := a.model.pathSizes(&a); got != 16+32+8 { // a pointer and a count, a tree, an empty node
		t.Errorf("no paths take %d bytes", got)
	}
}

// TestShrunkTable: a hash that is a table with 512 fields or fewer once had 513, and its table of
// 1,024 pointers stays until a tenth of it (Redis 7.0) or an eighth (7.4) is used; a loader makes a
// listpack of it. Valkey's hashtable has buckets of 64 bytes for 7, and stays until 13 % is used.
func TestShrunkTable(t *testing.T) {
	for _, c := range []struct {
		server  string
		n, want int64 // bytes of the table
	}{
		{"redis-7.0", 512, 8 * 1024}, {"redis-7.0", 103, 8 * 1024}, {"redis-7.0", 102, 8 * 128},
		{"redis-8.0", 129, 8 * 1024}, {"redis-8.0", 128, 8 * 128}, {"redis-8.0", 16, 8 * 16},
		{"valkey-8.1", 117, 64 * 128}, {"valkey-8.1", 116, 64 * 32},
	} {
		m := mustChoose(t, Options{Server: c.server})
		if size, _ := m.bucketSizes(table{buckets: m.shrunkTable(c.n, 513).buckets}); size != c.want {
			t.Errorf("%s, %d fields: %d, want %d", c.server, c.n, size, c.want)
		}
		if now := m.shrunkTable(513, 513); now != m.tableFor(513) {
			t.Errorf("%s: %+v", c.server, now)
		}
	}
}
