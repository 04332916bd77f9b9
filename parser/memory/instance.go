package memory

import "math"

// A Database is what a model must know of one database of a snapshot.
type Database struct {
	Keys    int64
	Expires int64 // keys with an expiry
	// Slots is the number of cluster slots that have keys, 0 not known: then
	// the node is taken to own all of them.
	Slots int64
}

// An Instance is a server's predicted memory, in bytes.
type Instance struct {
	Startup int64 // an empty server with one client
	Keys    int64 // the sum of what the keys take
	// Tables is the databases' tables of keys and of expiries; in cluster mode
	// there is a pair of them for each slot, on servers that keep them so.
	Tables     int64
	UsedMemory int64 // the sum of these: used_memory in INFO
}

// clusterSlots is the number of slots of a cluster.
const clusterSlots = 16384

// Instance predicts used_memory of a server that has these databases, whose
// keys take alloc bytes (the sum of Result.Alloc). What no snapshot shows is not
// in it: clients, the replication backlog, scripts, buffers, and on a server
// that is still running the waste of tables and strings with a history.
func (m *Model) Instance(alloc int64, databases []Database) Instance {
	in := Instance{Startup: m.startup, Keys: alloc}
	if m.cluster {
		in.Startup = m.startupCluster
	}
	for _, d := range databases {
		if m.cluster && m.slot > 0 {
			in.Tables += m.slotTables(d.Keys, d.Slots, m.slot) + m.slotTables(d.Expires, d.Slots, m.slotExpires)
		} else {
			in.Tables += m.keyTable(d.Keys) + m.keyTable(d.Expires)
		}
	}
	in.UsedMemory = in.Startup + in.Keys + in.Tables
	return in
}

// keyTable gives what a table of n keys takes; of Redis' dictEntries only
// those that collide, since the others are counted with the keys or not there.
func (m *Model) keyTable(n int64) int64 {
	if n == 0 {
		return 0
	}
	if m.buckets {
		t := m.tableFor(n)
		return m.mem.block(bucketSize*t.buckets) + (t.chained*bucketSize+point/2)/point
	}
	b := slots(n)
	size := m.mem.block(8 * b)
	if m.object >= objKV {
		size += inlineEntry * inlineEntries(n, b)
	}
	return size
}

// slotTables gives what the tables of n keys in cluster slots take, of which
// each has a structure of head bytes. Keys fall into slots at random.
func (m *Model) slotTables(n, slots, head int64) int64 {
	if n == 0 {
		return 0
	}
	filled := float64(slots)
	if slots <= 0 || slots > clusterSlots {
		filled = clusterSlots * -math.Expm1(-float64(n)/clusterSlots)
	}
	size := int64(filled * float64(m.mem.block(head)))
	each := float64(n) / filled
	if each > 1000 {
		return size + int64(filled)*m.keyTable(int64(each))
	}
	// The number of keys in a slot is Poisson distributed, given that there is
	// one: the mean of those with keys gives the rate of all.
	rate := each
	for range 50 {
		rate = each * -math.Expm1(-rate)
	}
	chance := math.Exp(-rate)
	some := -math.Expm1(-rate)
	var mean float64
	for k := int64(1); k < int64(each)*2+100; k++ {
		chance *= rate / float64(k)
		mean += chance / some * float64(m.keyTable(k))
	}
	return size + int64(filled*mean)
}

// An Eviction is the part of a keyspace that a maxmemory-policy may evict.
type Eviction struct {
	Policies string // the policies that do so
	Keys     int64
	Bytes    int64 // of Result.Alloc
}

// Evictions gives what each kind of maxmemory-policy could evict of a keyspace
// of so many keys and bytes (Result.Alloc), of which some have an expiry.
func Evictions(keys, bytes, expiringKeys, expiringBytes int64) []Eviction {
	return []Eviction{
		{"allkeys-lru, allkeys-lfu, allkeys-random", keys, bytes},
		{"volatile-lru, volatile-lfu, volatile-random, volatile-ttl", expiringKeys, expiringBytes},
		{"noeviction", 0, 0},
	}
}

// Fits reports whether an instance of so many bytes stays within a limit, and
// by how much it is over it otherwise: what would have to be evicted.
func (in Instance) Fits(maxmemory int64) (over int64, ok bool) {
	if in.UsedMemory <= maxmemory {
		return 0, true
	}
	return in.UsedMemory - maxmemory, false
}
