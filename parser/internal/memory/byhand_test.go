package memory

import "testing"

// The tests of this file compute values by hand from the structures of each
// server's headers on 64 bits, with the allocator of the sources. A key with a name of
// 3 bytes takes 48 in three blocks, 24 in one.

// A list of two nodes of 100 bytes each, in 112: a quicklist of 40 bytes, of 48
// from 8.4 on, and 40 for each node (quicklist.h), beside a name of 3. From 8.4 on
// MEMORY USAGE does not round what is packed.
func TestListByHand(t *testing.T) {
	for _, c := range []struct {
		server       string
		alloc, usage int64
	}{
		{"redis-6.2", 48 + 40 + 2*(32+112), 48 + 40 + 2*(32+100)}, // sz is an unsigned int
		{"redis-7.0", 48 + 40 + 2*(40+112), 48 + 40 + 2*(40+112)},
		{"redis-7.4", 48 + 40 + 2*(40+112), 48 + 40 + 2*(40+112)},
		{"redis-8.0", 48 + 40 + 2*(40+112), 48 + 40 + 2*(40+112)},
		{"redis-8.2", 24 + 40 + 2*(40+112), 24 + 40 + 2*(40+112)},
		{"redis-8.4", 24 + 48 + 2*(40+112), 22 + 48 + 2*(40+100)},
		{"redis-8.6", 24 + 48 + 2*(40+112), 24 + 48 + 2*(40+100)},
		{"redis-8.8", 24 + 48 + 2*(40+112), 22 + 48 + 2*(40+100)},
		{"valkey-8.0", 24 + 16 + 40 + 2*(40+112), 24 + 16 + 40 + 2*(40+112)}, // the name in the entry: 17+3+3+1
		{"valkey-8.1", 24 + 40 + 2*(40+112), 16 + 40 + 2*(40+112)},
		{"valkey-9", 24 + 40 + 2*(40+112), 24 + 40 + 2*(40+112)},
	} {
		m := mustChoose(t, Options{Server: c.server})
		var a Accumulator
		a.Reset(m)
		a.AddListNode(false, 100)
		a.AddListNode(false, 100)
		got := a.Sizes(&Facts{Shape: Quicklist, Type: typeList, NameLen: 3, Elements: 20})
		if got.Allocated != c.alloc || got.Usage != c.usage {
			t.Errorf("%s: got %+v, want %d and %d", c.server, got, c.alloc, c.usage)
		}
	}
}

// A stream of one node of 100 bytes, with a producer "p" that added two entries
// with identifiers of 8 bytes, beside a name of 3: stream 160, trees of 32 bytes
// each with a chain node of 16 resp. 1 bytes (4+16+4+8 = 32, 4+1+3+8 = 16) and a
// leaf of 16, producer 24, dict 56 with 4 buckets and 2 entries of 24, idmpEntry
// 32+8 (stream.h, rax.h). MEMORY USAGE leaves out the dict, and that of 8.6 the
// producers' tree.
func TestProducersByHand(t *testing.T) {
	for _, c := range []struct {
		server       string
		alloc, usage int64
	}{
		{"redis-8.6", 24 + 160 + 32 + 32 + 16 + 112 + 24 + 56 + 32 + 2*24 + 2*40 + 32 + 16 + 16, 24 + 160 + 32 + 32 + 16 + 100 + 24 + 2*40},
		{"redis-8.8", 24 + 160 + 32 + 32 + 16 + 112 + 24 + 56 + 32 + 2*24 + 2*40 + 32 + 16 + 16, 22 + 160 + 32 + 32 + 16 + 100 + 24 + 2*40 + 32 + 16 + 16},
	} {
		m := mustChoose(t, Options{Server: c.server, State: "reloaded"})
		var a Accumulator
		for range 2 { // the second time after a Reset
			a.Reset(m)
			a.AddStreamNode(1, 1, 100, 0)
			a.AddProducer([]byte("p"), 1, 2)
			a.AddIdempotent(8)
			a.AddIdempotent(8)
			got := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 2})
			if got.Allocated != c.alloc || got.Usage != c.usage {
				t.Errorf("%s: got %+v, want %d and %d", c.server, got, c.alloc, c.usage)
			}
		}
	}
}

// A stream of one node of 100 bytes, with a group "g" that has one pending entry,
// of its consumer "c". A tree of one ID has a chain node of 16 bytes in 32 and a
// leaf of 16, one of a name of one byte 16 and 16.
func TestStreamByHand(t *testing.T) {
	const ids, name, blocks = 32 + 16, 16 + 16, 16 + 2*(4+30*8)
	for _, c := range []struct {
		server                             string
		key, keyUsage                      int64
		stream, group, consumer, nack, rax int64
		packed                             int64 // as MEMORY USAGE counts it
		moreAlloc, moreUsage               int64
	}{
		{"redis-6.2", 48, 48, 40, 32, 24, 24, 24, 100, 0, 0},
		{"redis-7.0", 48, 48, 80, 40, 24, 24, 24, 112, 0, 0},
		{"redis-7.2", 48, 48, 80, 40, 32, 24, 24, 112, 0, 0},
		{"redis-7.4", 48, 48, 80, 40, 32, 24, 24, 112, 0, 0},
		{"redis-8.0", 48, 48, 80, 40, 32, 24, 24, 112, 0, 0},
		// The index from pending entries to groups: a list of 48 with a node of 24.
		{"redis-8.2", 24, 24, 112, 40, 32, 32, 24, 112, 24 + ids + 48 + 24, 0},
		// And one by time, of which an entry takes 48.
		{"redis-8.4", 24, 22, 128, 48, 32, 32, 32, 100, 32 + ids + 48 + 24 + 32 + 48, 32 + ids + 32 + 48},
		{"redis-8.6", 24, 24, 160, 56, 32, 64, 32, 100, 32 + ids + 48 + 24, 32 + ids},
		{"redis-8.8", 24, 22, 160, 64, 32, 64, 32, 100, 32 + ids + 48 + 24, 32 + ids},
		{"valkey-8.0", 40, 40, 80, 40, 32, 24, 24, 112, 0, 0},
		{"valkey-8.1", 24, 16, 80, 40, 32, 24, 32, 112, 0, 0},
		{"valkey-9", 24, 24, 80, 40, 32, 24, 32, 112, 0, 0},
	} {
		m := mustChoose(t, Options{Server: c.server, State: "reloaded"})
		var a Accumulator
		a.Reset(m)
		a.AddStreamNode(1, 1, 100, 0)
		a.BeginGroup([]byte("g"), 1)
		a.AddPending(1, 1)
		a.BeginConsumer([]byte("c"), 1)
		a.AddConsumerPending(1, 1)
		got := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1})
		// Three trees of IDs, two of names, and the consumer's name in 8.
		alloc := c.key + c.stream + c.group + c.consumer + c.nack + 112 + 3*(c.rax+ids) + 2*(c.rax+name) + 8 + c.moreAlloc
		usage := c.keyUsage + c.stream + c.group + c.consumer + c.nack + c.packed + c.moreUsage
		switch {
		case m.usage == usageExact:
			usage += 3*(c.rax+ids) + 2*(c.rax+name) + 3
		case m.hashtable:
			usage += 3*(c.rax+ids) + 1
		default:
			usage += 3*blocks + 1
		}
		if got.Allocated != alloc || got.Usage != usage {
			t.Errorf("%s: got %+v, want %d and %d", c.server, got, alloc, usage)
		}
		// XADD has reserved 4096 bytes on the server that wrote the file.
		live := mustChoose(t, Options{Server: c.server})
		a.Reset(live)
		a.AddStreamNode(1, 1, 100, 0)
		more := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1})
		a.Reset(m)
		a.AddStreamNode(1, 1, 100, 0)
		less := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1})
		reserved := int64(4096 - 112) // in MEMORY USAGE, which from 8.4 on counts what the listpack has
		if m.usage == usageExact {
			reserved = 0
		}
		if more.Allocated-less.Allocated != 4096-112 || more.Usage-less.Usage != reserved && c.server != "redis-6.2" {
			t.Errorf("%s: %+v live and %+v reloaded", c.server, more, less)
		}
	}
}

// A hash of one field of 8 bytes that expires, with a value of 10 (12 in 16): a
// table of four buckets, 32 bytes.
func TestExpiringHashByHand(t *testing.T) {
	for _, c := range []struct {
		server       string
		alloc, usage int64
	}{
		// dict 56 and metadata 32 in 96; dictEntry 24; field 1+8+1 and 18 in 32.
		{"redis-7.4", 48 + 96 + 32 + 24 + 32 + 16, 48 + 56 + 32 + 24 + 32 + 16},
		{"redis-8.0", 48 + 96 + 32 + 24 + 32 + 16, 48 + 56 + 32 + 24 + 32 + 16},
		{"redis-8.2", 24 + 96 + 32 + 24 + 32 + 16, 24 + 56 + 32 + 24 + 32 + 16},
		// dict 56, metadata 8 and 32.
		{"redis-8.4", 24 + 96 + 32 + 24 + 32 + 16, 22 + 56 + 32 + 24 + 32 + 12},
		// Field 3+8+1, value 3+10+1 and expiry 16 in one block of 48, without a dictEntry.
		{"redis-8.6", 24 + 96 + 32 + 48, 24 + 56 + 32 + 24 + 42},
		{"redis-8.8", 24 + 96 + 32 + 48, 22 + 56 + 32 + 24 + 42},
		// hashtable 80 and metadata 8 in 96, a bucket of 64; 34 bytes in 40.
		{"valkey-9", 24 + 96 + 64 + 40, 24 + 88 + 64 + 40},
	} {
		m := mustChoose(t, Options{Server: c.server})
		var a Accumulator
		a.Reset(m)
		a.AddField(8, 10, true)
		a.AddFieldExpiry(4_000_000_000_000)
		got := a.Sizes(&Facts{Shape: HashTable, Type: typeHash, NameLen: 3, Elements: 1, FieldsWithTTL: 1, Longest: 10})
		if got.Allocated != c.alloc || got.Usage != c.usage {
			t.Errorf("%s: got %+v, want %d and %d", c.server, got, c.alloc, c.usage)
		}
	}
}

// A sorted set of one member of 200 bytes (204 in 224), in a node of 45.84 bytes
// in the mean (270 together), or inside it: 16 + 204 and 16 for each level, 240
// for one or two in 256, for three to six in 320, 260 in the mean. zset 16, head
// node 24 + 32*16 in 640, four buckets in 32.
func TestSortedSetByHand(t *testing.T) {
	for _, c := range []struct {
		server       string
		alloc, usage int64
	}{
		{"redis-6.2", 48 + 16 + 32 + 640 + 96 + 32 + 24 + 270, 48 + 16 + 32 + 640 + 96 + 32 + 24 + 270},
		{"redis-7.0", 48 + 16 + 32 + 640 + 56 + 32 + 24 + 270, 48 + 16 + 32 + 640 + 56 + 32 + 24 + 270},
		{"redis-8.0", 48 + 16 + 32 + 640 + 56 + 32 + 24 + 270, 48 + 16 + 32 + 640 + 56 + 32 + 24 + 270},
		{"redis-8.2", 24 + 16 + 32 + 640 + 56 + 32 + 270, 24 + 16 + 32 + 640 + 56 + 32 + 16 + 270},
		{"redis-8.4", 24 + 16 + 40 + 640 + 56 + 32 + 270, 22 + 16 + 40 + 640 + 56 + 32 + 24 + 270},
		{"redis-8.6", 24 + 16 + 40 + 640 + 56 + 32 + 260, 24 + 16 + 40 + 640 + 56 + 32 + 24 + 260},
		{"redis-8.8", 24 + 16 + 40 + 640 + 56 + 32 + 260, 22 + 16 + 40 + 640 + 56 + 32 + 24 + 260},
		{"valkey-8.0", 40 + 16 + 32 + 640 + 56 + 32 + 24 + 270, 40 + 16 + 32 + 640 + 56 + 32 + 24 + 270},
		{"valkey-8.1", 24 + 16 + 32 + 640 + 80 + 64 + 270, 16 + 16 + 32 + 640 + 72 + 64 + 270},
		{"valkey-9", 24 + 16 + 640 + 80 + 64 + 260, 24 + 16 + 528 + 80 + 64 + 260},
	} {
		m := mustChoose(t, Options{Server: c.server})
		var a Accumulator
		a.Reset(m)
		a.AddScoredMember(200)
		got := a.Sizes(&Facts{Shape: Skiplist, Type: typeZSet, NameLen: 3, Elements: 1, Longest: 200})
		if got.Allocated != c.alloc || got.Usage != c.usage {
			t.Errorf("%s: got %+v, want %d and %d", c.server, got, c.alloc, c.usage)
		}
	}
}

// The items of a list that is one ziplist are pushed into nodes of up to 8184
// bytes, 7 of which are no items: two full ones in 8192, and the rest in a third.
func TestPushedListByHand(t *testing.T) {
	m := mustChoose(t, Options{Server: "redis-7.0", State: "reloaded"})
	for _, c := range []struct{ listpack, want int64 }{
		{100, 48 + 40 + 40 + 112},
		{8184, 48 + 40 + 40 + 8192},
		{7 + 2*8177, 48 + 40 + 2*(40+8192)},
		{7 + 2*8177 + 50, 48 + 40 + 2*(40+8192) + 40 + 64},
	} {
		var a Accumulator
		a.Reset(m)
		got := a.Sizes(&Facts{Shape: Packed, Type: typeList, Ziplist: true, NameLen: 3, PackedBytes: c.listpack + 100, ListpackBytes: c.listpack})
		if got.Allocated != c.want || got.Usage != c.want {
			t.Errorf("%d bytes: got %+v, want %d", c.listpack, got, c.want)
		}
	}
}

// In cluster mode a dictEntry of 7.0 and 7.2 has two pointers more. MEMORY USAGE
// of 7.2 counts the dict's pointer to its database instead.
func TestClusterKeyByHand(t *testing.T) {
	for server, usage := range map[string]int64{"redis-7.0": 8 + 40 + 16, "redis-7.2": 8 + 24 + 8 + 16} {
		m := mustChoose(t, Options{Server: server, Cluster: true})
		if a, u := m.IntegerSizes(3, 42, false, true); a != 8+40+16 || u != usage {
			t.Errorf("%s: %d and %d, want %d and %d", server, a, u, 8+40+16, usage)
		}
	}
}

// Two fields of which one expires load as a listpack with an entry of 10 bytes for
// the expiry and one of 2 for none: 52 + 12 bytes, behind a structure of 32.
func TestExpiringListpackByHand(t *testing.T) {
	m := mustChoose(t, Options{Server: "redis-8.0", State: "reloaded"})
	var a Accumulator
	a.Reset(m)
	a.AddField(8, 10, true)
	a.AddFieldExpiry(4_000_000_000_000)
	a.AddField(8, 10, false)
	got := a.Sizes(&Facts{Shape: HashTable, Type: typeHash, NameLen: 3, Elements: 2, FieldsWithTTL: 1, Longest: 10, ListpackBytes: 52})
	if want := int64(48 + 32 + 64); got.Allocated != want || got.Usage != want || got.Compact != want {
		t.Errorf("got %+v, want %d", got, want)
	}
	// With three that expire and one that does not, 97 + 32 bytes in 160.
	a.Reset(m)
	for i := range 4 {
		a.AddField(8, 10, i < 3)
		if i < 3 {
			a.AddFieldExpiry(4_000_000_000_000)
		}
	}
	got = a.Sizes(&Facts{Shape: HashTable, Type: typeHash, NameLen: 3, Elements: 4, FieldsWithTTL: 3, Longest: 10, ListpackBytes: 97})
	if want := int64(48 + 32 + 160); got.Allocated != want || got.Usage != want {
		t.Errorf("got %+v, want %d", got, want)
	}
}

// Values of Valkey 9.2 and Redis 8.10 with a name of 3 bytes: a key of 24 bytes.
func TestNewestByHand(t *testing.T) {
	const key = 24
	add := func(m *Model, f *Facts, each func(a *Accumulator)) Sizes {
		var a Accumulator
		var got Sizes
		for range 2 { // the second time after a Reset
			a.Reset(m)
			each(&a)
			f.NameLen = 3
			got = a.Sizes(f)
		}
		return got
	}
	valkey := mustChoose(t, Options{Server: "valkey-9.2", State: "reloaded"})
	redis := mustChoose(t, Options{Server: "redis-8.10", State: "reloaded"})

	// A B+ tree of 200 members of 10 bytes: zset 16, index 24, four leaves of 512
	// under an inner node of 2048, items of 1+8+10+1 bytes in 24, and a hashtable:
	// see its own tests. MEMORY USAGE has one inner node even for one leaf.
	table, tableUsage := valkey.tableSizes(valkey.tableFor(200), 0)
	got := add(valkey, &Facts{Shape: Skiplist, Type: typeZSet, Elements: 200, Longest: 10}, func(a *Accumulator) {
		for range 200 {
			a.AddScoredMember(10)
		}
	})
	if want := key + 16 + 24 + 4*512 + 2048 + table + 200*24; got.Allocated != want || !got.Approximate {
		t.Errorf("tree: %+v, want %d, approximate", got, want)
	}
	if want := key + 16 + 24 + 4*512 + 2048 + tableUsage + 200*24; got.Usage != want {
		t.Errorf("tree: usage %d, want %d", got.Usage, want)
	}

	// A hash of two fields of which one has an expiry is a listpack: 7 bytes, two
	// fields of 3 and values of 3 bytes, an entry of 11 for the expiry and one of 3
	// for the number of expiries.
	for _, state := range States() {
		got = add(mustChoose(t, Options{Server: "valkey-9.2", State: state}), &Facts{Shape: HashTable, Type: typeHash, Elements: 2, Longest: 1, FieldsWithTTL: 1, ListpackBytes: 7 + 4*3}, func(a *Accumulator) {
			a.AddField(1, 1, true)
			a.AddFieldExpiry(1700000000000)
			a.AddField(1, 1, false)
		})
		if want := int64(key + 40); got.Allocated != want || got.Usage != want || !got.Approximate {
			t.Errorf("expiring listpack, %s: %+v, want %d", state, got, want)
		}
	}

	// A path hash with the paths "a" and "a/b": 16 bytes, a tree of 32 with a chain
	// of "a" (4+1+3+8 = 16), one of "/b" below it with the value of "a" (4+2+2+8+8 =
	// 24) and a leaf of 16, and for each path an object of 16 and a listpack of 7+3+3
	// bytes in 16.
	got = add(valkey, &Facts{Shape: PathTree, Elements: 2}, func(a *Accumulator) {
		for _, path := range []string{"a", "a/b"} {
			a.BeginPath([]byte(path), int64(len(path)))
			a.AddField(1, 1, false)
			a.EndPath(1, 1, 6)
		}
	})
	if want := int64(key + 16 + 32 + 16 + 24 + 16 + 2*(16+16)); got.Allocated != want || got.Usage != want {
		t.Errorf("path hash: %+v, want %d", got, want)
	}

	// Arrays: 80 bytes, a directory of 8 for one slice and of 16 for two, and slices
	// of 32 with 4 elements of 2+8 bytes (32+8+32 = 72 in 80), or with a window of 16
	// elements for indexes 0 to 11 (32+8*16 = 160). A text of 8 bytes has 2+8 in 16.
	for _, c := range []struct {
		name    string
		indexes []uint64
		want    int64
	}{
		{"one slice", []uint64{5}, 80 + 8 + 80},
		{"two slices", []uint64{5, 4096}, 80 + 16 + 2*80},
		{"dense", []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 80 + 8 + 160},
		{"dense at the end", []uint64{4084, 4085, 4086, 4087, 4088, 4089, 4090, 4091, 4092, 4093, 4094, 4095}, 80 + 8 + 160},
		{"sparse of nine", []uint64{0, 9, 20, 30, 40, 50, 60, 70, 80}, 80 + 8 + 160}, // 32+24+80 = 136
		// A directory of directories: 4 entries of 24 bytes, and two blocks of 2048
		// pointers.
		{"beyond 8,388,608", []uint64{0, 8388608}, 80 + 2*80 + 96 + 2*16384},
	} {
		got = add(redis, &Facts{Shape: SlicedArray, Elements: int64(len(c.indexes))}, func(a *Accumulator) {
			for _, i := range c.indexes {
				a.AddArrayElement(i, -1)
			}
			a.AddArrayElement(c.indexes[len(c.indexes)-1], 8)
		})
		if want := key + c.want + 16; got.Allocated != want || got.Usage != want-2 || got.Approximate {
			t.Errorf("array, %s: %+v, want %d", c.name, got, want)
		}
	}

	// A hash with a template: its values in a listpack of 20 bytes, or in an array of
	// 16+8*2 bytes beside 5 (1+3+1) in 8 and 44 (3+40+1) in 48.
	got = add(redis, &Facts{Shape: Template, Type: typeHash, Elements: 2, PackedBytes: 20}, func(*Accumulator) {})
	if got.Allocated != key+24 || got.Usage != 22+20 || !got.Approximate {
		t.Errorf("template, packed: %+v", got)
	}
	got = add(redis, &Facts{Shape: Template, Type: typeHash, Elements: 2}, func(a *Accumulator) {
		a.AddTemplateValue(3)
		a.AddTemplateValue(40)
	})
	if got.Allocated != key+32+8+48 || got.Usage != 22+32+5+48 {
		t.Errorf("template, array: %+v", got)
	}
	// The template itself: 80, two pointers, names of 1+1+1 and 3+40+1 bytes, and its
	// entry in a table of 24 (MEMORY USAGE divides all but the entry).
	if alloc, usage := redis.TemplateSize([]uint32{1, 40}); alloc != 80+16+8+48+24 || usage != 80+16+8+48 {
		t.Errorf("template: %d and %d", alloc, usage)
	}
}

// TestTreeNodes compares the nodes of a B+ tree with one that is filled item by
// item from its left edge: a full node stays, and the next item begins a new leaf;
// an inner node of 61 children keeps 31.
func TestTreeNodes(t *testing.T) {
	var leaves int64
	var levels []int64 // nodes of each level of inner nodes
	var first []int64  // children of the first node of each
	filled := int64(treeItems)
	for n := int64(1); n <= 120_000; n++ {
		if filled++; filled > treeItems {
			filled = 1
			leaves++
			below := leaves
			for l := 0; below > 1; l++ {
				if l == len(levels) {
					levels, first = append(levels, 1), append(first, 1)
				}
				if first[l]++; first[l] <= treeItems {
					break
				}
				levels[l]++
				first[l] = treeHalf // 30 and the new one, before 31
				below = levels[l]
			}
		}
		want := treeLeaf * leaves
		for _, nodes := range levels {
			want += treeInner * nodes
		}
		if got, _ := treeSizes(n); got != want {
			t.Fatalf("%d items: %d bytes, want %d", n, got, want)
		}
	}
}

// TestStreamTail checks what the last node of a live stream is taken to have reserved: 4096
// bytes, or about stream-node-max-bytes if full nodes show that it is less.
func TestStreamTail(t *testing.T) {
	for _, c := range []struct{ full, entries, last, others, tail int64 }{
		{960, 16, 300, 0, 1024},    // of 1000 bytes: 60 more would be too many
		{960, 16, 300, 2000, 1024}, // its own nodes were full with less than those of other streams
		{960, 100, 300, 0, 4096},   // full because of stream-node-max-entries
		{4000, 13, 300, 0, 4096},
		{5000, 3, 300, 0, 4096},
		{0, 0, 300, 1010, 1024}, // one node, and other streams with full ones
		{0, 0, 300, 9000, 4096},
		{0, 0, 300, 0, 4096},
	} {
		var allocated []int64
		for _, state := range States() {
			var a Accumulator
			a.Reset(mustChoose(t, Options{Server: "redis-7.0", State: state, StreamNode: c.others}))
			if c.full > 0 {
				a.AddStreamNode(1, 1, c.full, c.entries)
			}
			a.AddStreamNode(2, 1, c.last, 4)
			allocated = append(allocated, a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: c.entries + 4}).Allocated)
		}
		if got := allocated[0] - allocated[1]; got != c.tail-mustChoose(t, Options{}).usable(c.last) { // 300 bytes are in a block of 320
			t.Errorf("%+v: %d more than after a restart, want %d", c, got, c.tail-320)
		}
	}
	var a Accumulator
	a.Reset(mustChoose(t, Options{}))
	for i, node := range []struct{ bytes, entries int64 }{{300, 3}, {960, 16}, {5000, 1}, {1000, 100}, {1100, 2}} {
		a.AddStreamNode(uint64(i), 1, node.bytes, node.entries)
	}
	if got := a.StreamNode(); got != 960 { // the others are full with one entry, or with 100, or the last
		t.Errorf("the largest full node has %d bytes", got)
	}
}
