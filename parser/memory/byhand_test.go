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
		got := a.Sizes(&Facts{Shape: Quicklist, Type: typeList, NameLen: 3, Elements: 20, Nodes: 2})
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
			a.AddStreamNode(1, 1, 100)
			a.AddProducer([]byte("p"), 1, 2)
			a.AddIdempotent(8)
			a.AddIdempotent(8)
			got := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 2, Nodes: 1})
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
		a.AddStreamNode(1, 1, 100)
		a.BeginGroup([]byte("g"), 1)
		a.AddPending(1, 1)
		a.BeginConsumer([]byte("c"), 1)
		a.AddConsumerPending(1, 1)
		got := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1, Nodes: 1})
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
		a.AddStreamNode(1, 1, 100)
		more := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1, Nodes: 1})
		a.Reset(m)
		a.AddStreamNode(1, 1, 100)
		if less := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1, Nodes: 1}); more.Allocated-less.Allocated != 4096-112 {
			t.Errorf("%s: %d bytes live and %d reloaded", c.server, more.Allocated, less.Allocated)
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
}
