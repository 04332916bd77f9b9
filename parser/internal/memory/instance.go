package memory

import "math"

// A Database is what a model needs to know of one database of a snapshot.
type Database struct {
	Number  int
	Keys    int64
	Expires int64 // keys with an expiry
}

// A Slot is what a snapshot says of a cluster slot in one database.
type Slot struct {
	Keys    int64
	Expires int64 // keys with an expiry
}

// An Instance is the predicted memory of a server, in bytes.
type Instance struct {
	Startup int64 // an empty server with one idle client
	Keys    int64 // the sum of what the keys take
	// Tables is what the databases' tables of keys and of expiries take; in
	// cluster mode some servers have such a pair for each slot.
	Tables int64
	// Of Tables, ExpiryTables are those of expiries, and of Keys, ExpiryEntries are the
	// entries in these; 0 where the expiry is in the key itself.
	ExpiryTables, ExpiryEntries int64
	UsedMemory                  int64 // the sum of these: used_memory in INFO
}

const configuredDatabases = 16

const clusterSlots = 16384

// Instance predicts used_memory of a server with these databases, whose keys
// take keys bytes, the sum of Sizes.Allocated. slots are the slots of a cluster
// node that have keys. If they are nil, or do not add up to the databases' keys,
// the keys are assumed to lie in all slots of the cluster at random. The server
// is assumed to have 16 databases, or as many as the numbers show.
//
// The prediction omits what no snapshot shows: further clients, buffers, the
// replication backlog, scripts, the histogram of 24 KiB that each command has
// once it was called (latency-tracking, Redis 7.0 and later; those of two
// commands are included), and on a server that is still running the slack of
// tables and strings left by deleted data.
func (m *Model) Instance(keys int64, databases []Database, slots []Slot) Instance {
	in := Instance{Startup: m.startup, Keys: keys}
	if m.cluster {
		in.Startup = m.startupCluster
	}
	highest := configuredDatabases - 1
	var inDatabases, inSlots Slot
	for _, d := range databases {
		inDatabases.Keys += d.Keys
		inDatabases.Expires += d.Expires
		highest = max(highest, d.Number)
	}
	in.Startup += int64(highest-configuredDatabases+1) * m.database
	for _, s := range slots {
		inSlots.Keys += s.Keys
		inSlots.Expires += s.Expires
	}
	if m.key <= keyInEntry {
		in.ExpiryEntries = inDatabases.Expires * m.dictEntry
	}
	switch {
	case !m.cluster || m.slot == 0:
		for _, d := range databases {
			in.Tables += m.slotTables(Slot{d.Keys, d.Expires})
			in.ExpiryTables += m.KeyTable(d.Expires)
			if d.Number > 0 && d.Keys > 0 {
				in.Tables += m.usedDatabase
			}
		}
	case inSlots == inDatabases:
		for _, s := range slots {
			in.Tables += m.slotTables(s)
			in.ExpiryTables += m.KeyTable(s.Expires)
		}
	default:
		for _, d := range databases {
			expiries := m.randomSlotTables(d.Expires, m.slotExpires)
			in.Tables += m.randomSlotTables(d.Keys, m.slot) + expiries
			in.ExpiryTables += expiries
			if m.slotPairs && !m.live {
				in.Tables += round((filledSlots(d.Keys) - filledSlots(d.Expires)) * float64(m.usable(m.slotExpires)))
			}
		}
	}
	in.UsedMemory = in.Startup + in.Keys + in.Tables
	return in
}

// KeyTable returns what a table of n keys takes. Of the entries of Redis' dict
// it has those that collide on servers where the others are the keys themselves;
// elsewhere they are counted with the keys.
func (m *Model) KeyTable(n int64) int64 {
	if n == 0 {
		return 0
	}
	return m.keyTable(n, m.tableFor(n))
}

// ShrunkKeyTable returns what a table takes that has n of its keys left, of all that it was
// made for. A server that has just loaded its file has a table for n.
func (m *Model) ShrunkKeyTable(n, all int64) int64 {
	if !m.live {
		all = n
	}
	return m.keyTable(n, m.shrunkTable(n, all))
}

func (m *Model) keyTable(n int64, t table) int64 {
	size, _ := m.bucketSizes(t)
	if !m.hashtable && m.key >= keyInObject {
		size += noValueEntrySize * noValueEntries(n, t.buckets)
	}
	return size
}

// slotTables returns what the tables of keys and of expiries of one slot take, or
// those of one database on a server that is no node of a cluster.
func (m *Model) slotTables(s Slot) int64 {
	size := m.KeyTable(s.Keys) + m.KeyTable(s.Expires)
	if m.slot > 0 && s.Keys > 0 {
		size += m.usable(m.slot)
		if s.Expires > 0 || m.slotPairs && !m.live {
			size += m.usable(m.slotExpires)
		}
	}
	return size
}

// filledSlots returns the expected number of slots of a cluster that n keys at
// random are in.
func filledSlots(n int64) float64 { return clusterSlots * -math.Expm1(-float64(n)/clusterSlots) }

// randomSlotTables returns what the tables of n keys take that lie in the slots
// of a cluster at random, with a structure of header bytes for each slot that has
// keys.
func (m *Model) randomSlotTables(n, header int64) int64 {
	if n == 0 {
		return 0
	}
	filled := filledSlots(n)
	size := round(filled * float64(m.usable(header)))
	each := float64(n) / filled
	return size + round(filled*meanOfFilled(each, m.KeyTable))
}

// meanOfFilled returns the mean of size(k) over places that have at least one
// of the things that fall into them at random, k being their number in a place,
// and each its mean. k has a Poisson distribution without its zero.
func meanOfFilled(each float64, size func(k int64) int64) float64 {
	if each <= 1 {
		return float64(size(1))
	}
	// The rate of that distribution, which has the mean rate/(1 - exp(-rate)).
	rate := min(each, 2*(each-1)) // near 1 the steps below are small
	for range 50 {
		rate = each * -math.Expm1(-rate)
	}
	// Ten standard deviations around the rate have all that counts.
	far := 10*math.Sqrt(rate) + 50
	k := int64(max(1, rate-far))
	log, _ := math.Lgamma(float64(k + 1))
	chance := math.Exp(float64(k)*math.Log(rate)-rate-log) / -math.Expm1(-rate)
	var mean float64
	for ; float64(k) < rate+far; k++ {
		mean += chance * float64(size(k))
		chance *= rate / float64(k+1)
	}
	return mean
}
