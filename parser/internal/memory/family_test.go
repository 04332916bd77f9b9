package memory

import (
	"slices"
	"testing"
)

// TestStructures has the sizes of structures on 64 bits, in bytes, by the headers of
// each release: dict.h, hashtable.c, ebuckets.h, entry.c, server.h, quicklist.h, stream.h
// and rax.h.
func TestStructures(t *testing.T) {
	type sizes struct {
		dict, setMetadata, hashMetadata, expiryMetadata, fieldExpiry int64
		zskiplist, skiplistHead, quicklist, quicklistNode            int64
		stream, group, consumer, nack, rax, listpackEx               int64
	}
	for name, want := range map[string]sizes{
		"redis-6.2":  {96, 0, 0, 0, 0, 32, 536, 40, 32, 40, 32, 24, 24, 24, 0},
		"redis-7.0":  {56, 0, 0, 0, 0, 32, 536, 40, 40, 80, 40, 24, 24, 24, 0},
		"redis-7.2":  {56, 0, 0, 0, 0, 32, 536, 40, 40, 80, 40, 32, 24, 24, 0},
		"redis-7.4":  {56, 0, 0, 32, 18, 32, 536, 40, 40, 80, 40, 32, 24, 24, 32},
		"redis-8.0":  {56, 0, 0, 32, 18, 32, 536, 40, 40, 80, 40, 32, 24, 24, 32},
		"redis-8.2":  {56, 0, 0, 32, 18, 32, 536, 40, 40, 112, 40, 32, 32, 24, 24},
		"redis-8.4":  {56, 8, 0, 32, 18, 40, 536, 48, 40, 120, 48, 32, 32, 32, 24},
		"redis-8.6":  {56, 8, 0, 32, 16, 40, 528, 48, 40, 160, 56, 32, 64, 32, 24},
		"redis-8.8":  {56, 8, 0, 32, 16, 40, 528, 48, 40, 160, 64, 32, 64, 32, 24},
		"redis-8.10": {56, 8, 0, 32, 16, 40, 528, 48, 40, 160, 64, 32, 64, 40, 24},
		"valkey-8.0": {56, 0, 0, 0, 0, 32, 536, 40, 40, 80, 40, 32, 24, 24, 0},
		"valkey-8.1": {72, 0, 0, 0, 0, 32, 536, 40, 40, 80, 40, 32, 24, 32, 0},
		"valkey-9":   {80, 0, 8, 0, 8, 528, 0, 40, 40, 80, 40, 32, 24, 32, 0},
		"valkey-9.2": {80, 0, 8, 0, 8, 528, 0, 40, 40, 80, 40, 32, 24, 32, 0},
	} {
		f := familyNamed(name)
		if got := (sizes{f.dict, f.setMetadata, f.hashMetadata, f.expiryMetadata, f.fieldExpiry, f.zskiplist, f.skiplistHead, f.quicklist, f.quicklistNode, f.stream, f.group, f.consumer, f.nack, f.rax, f.listpackEx}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if len(families) != 14 {
		t.Errorf("%d releases", len(families))
	}
}

// TestEmptyServers has used_memory of empty servers in bytes, alone and as a node of a
// cluster, as it was measured (6.2, 7.4 and 8.2 to 8.6 rounded to thousands), what a
// further database takes and each with keys, and the structures of a slot.
func TestEmptyServers(t *testing.T) {
	type bytes struct{ alone, cluster, database, usedDatabase, slot, slotExpires int64 }
	for name, want := range map[string]bytes{
		"redis-6.2": {900000, 1620000, 450, 0, 0, 0}, "redis-7.0": {948800, 1672500, 450, 0, 0, 0}, "redis-7.2": {948800, 1672500, 450, 0, 0, 0},
		"redis-7.4": {866000, 1850000, 450, 0, 64, 64}, "redis-8.0": {743400, 2033400, 3778, 0, 2464, 64}, "redis-8.2": {761000, 2070000, 3778, 0, 2464, 64},
		"redis-8.4": {776000, 2110000, 3778, 0, 2464, 64}, "redis-8.6": {789000, 2169000, 3778, 0, 2464, 64}, "redis-8.10": {789000, 2169000, 3778, 0, 2464, 64},
		"valkey-8.0": {948000, 2650000, 642, 0, 80, 80}, "valkey-8.1": {943700, 2739800, 642, 0, 88, 88}, "valkey-9": {973300, 2570500, 8, 1110, 96, 96}, "valkey-9.2": {973300, 2570500, 8, 1110, 96, 96},
	} {
		f := familyNamed(name)
		if got := (bytes{f.startup, f.startupCluster, f.database, f.usedDatabase, f.slot, f.slotExpires}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		alone, cluster := mustChoose(t, Options{Server: name}), mustChoose(t, Options{Server: name, Cluster: true})
		for number, further := range map[int]int64{0: 0, 15: 0, 16: 1, 99: 84} {
			databases := []Database{{Number: number}}
			if got, node := alone.Instance(7, databases, nil), cluster.Instance(7, databases, nil); got.Startup != want.alone+further*want.database || node.Startup != want.cluster+further*want.database || got.UsedMemory != got.Startup+7 || got.Tables != 0 {
				t.Errorf("%s, database %d: %+v, in a cluster %+v", name, number, got, node)
			}
		}
		one := alone.Instance(0, []Database{{Number: 0, Keys: 1}}, nil)
		other := alone.Instance(0, []Database{{Number: 1, Keys: 1}}, nil)
		if further := other.UsedMemory - one.UsedMemory; further != want.usedDatabase {
			t.Errorf("%s: a key in another database takes %d bytes more, want %d", name, further, want.usedDatabase)
		}
	}
}

// TestReleases has what each release has that those before it have not.
func TestReleases(t *testing.T) {
	names := func(line string, from, to string) (list []string) {
		all := Servers()
		first := slices.Index(all, line+from)
		last := slices.Index(all, line+to)
		return all[first : last+1]
	}
	join := func(a, b []string) []string { return append(slices.Clone(a), b...) }
	for _, c := range []struct {
		what string
		has  func(f *family) bool
		want []string
	}{
		{"Valkey", func(f *family) bool { return f.valkey }, names("valkey-", "8.0", "9.2")},
		{"a hashtable", func(f *family) bool { return f.hashtable }, names("valkey-", "8.1", "9.2")},
		{"ziplists", func(f *family) bool { return f.ziplists }, names("redis-", "6.2", "6.2")},
		{"sets without values", func(f *family) bool { return f.setNoValue }, join(names("redis-", "7.2", "8.10"), names("valkey-", "8.0", "8.0"))},
		{"sets as listpacks", func(f *family) bool { return f.setListpack }, join(names("redis-", "7.2", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"short scores", func(f *family) bool { return f.shortScores }, join(names("redis-", "7.2", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"lists as listpacks", func(f *family) bool { return f.bareListpack }, join(names("redis-", "7.2", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"plain nodes", func(f *family) bool { return f.plainNodes }, join(names("redis-", "7.4", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"immutable strings", func(f *family) bool { return f.field == mstr }, names("redis-", "7.4", "8.4")},
		{"tight headers", func(f *family) bool { return f.sds == sdsTight }, join(names("redis-", "8.4", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"tight headers of fields", func(f *family) bool { return f.field == sdsTight }, join(names("redis-", "8.6", "8.10"), names("valkey-", "8.0", "9.2"))},
		{"names in entries", func(f *family) bool { return f.key == keyInEntry }, names("valkey-", "8.0", "8.0")},
		{"names in objects", func(f *family) bool { return f.key == keyInObject }, join(names("redis-", "8.2", "8.4"), names("valkey-", "8.1", "8.1"))},
		{"names after metadata", func(f *family) bool { return f.key == keyBehindMetadata }, names("redis-", "8.6", "8.10")},
		{"values over pointers", func(f *family) bool { return f.key == keyOverlay }, names("valkey-", "9", "9.2")},
		{"exact usage", func(f *family) bool { return f.usage == usageExact }, names("redis-", "8.4", "8.10")},
		{"usage without names", func(f *family) bool { return f.usage == usageWithoutName }, names("valkey-", "8.1", "8.1")},
		{"sorted sets without values", func(f *family) bool { return f.zsetNoValue }, names("redis-", "8.2", "8.10")},
		{"values in entries", func(f *family) bool { return f.embedsValue }, join(names("redis-", "8.6", "8.10"), names("valkey-", "8.1", "9.2"))},
		{"tables for all fields", func(f *family) bool { return f.sizesForAll }, names("redis-", "8.6", "8.10")},
		{"members in nodes", func(f *family) bool { return f.memberInNode }, join(names("redis-", "8.6", "8.10"), names("valkey-", "9", "9.2"))},
		{"an index of groups", func(f *family) bool { return f.groupIndex }, names("redis-", "8.2", "8.10")},
		{"an index by time", func(f *family) bool { return f.timeIndex }, names("redis-", "8.4", "8.4")},
		{"usage of producers", func(f *family) bool { return f.producerUsage }, names("redis-", "8.8", "8.10")},
		{"values in trees", func(f *family) bool { return f.valuesInTree }, names("redis-", "8.10", "8.10")},
		{"expiring listpacks", func(f *family) bool { return f.listpackExpiry }, names("valkey-", "9.2", "9.2")},
		{"B+ trees", func(f *family) bool { return f.btree }, names("valkey-", "9.2", "9.2")},
		{"pairs of slots", func(f *family) bool { return f.slotPairs }, names("redis-", "8.6", "8.10")},
	} {
		for _, f := range families {
			if got := c.has(f); got != slices.Contains(c.want, f.name) {
				t.Errorf("%s has %s: %v", f.name, c.what, got)
			}
		}
	}
}
