package memory

import "math"

// A Database is what a model must know of one database of a snapshot.
type Database struct {
	Keys    int64
	Expires int64 // keys with an expiry
}

// A Slot is what a snapshot says of a cluster slot in one database.
type Slot struct {
	Keys    int64
	Expires int64 // keys with an expiry
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
// keys take alloc bytes (the sum of Sizes.Allocated). Slots are those of a cluster
// node that have keys; where they are not known, or do not have all the keys, the
// keys are taken to lie in all slots of the cluster at random. What no snapshot
// shows is not in it: clients, the replication backlog, scripts, buffers, and on
// a server that is still running the waste of tables and strings with a history.
func (m *Model) Instance(alloc int64, databases []Database, known []Slot) Instance {
	in := Instance{Startup: m.startup, Keys: alloc}
	if m.cluster {
		in.Startup = m.startupCluster
	}
	var all, told Slot
	for _, d := range databases {
		all.Keys += d.Keys
		all.Expires += d.Expires
	}
	for _, s := range known {
		told.Keys += s.Keys
		told.Expires += s.Expires
	}
	switch {
	case !m.cluster || m.slot == 0:
		for _, d := range databases {
			in.Tables += m.keyTable(d.Keys) + m.keyTable(d.Expires)
		}
	case told == all:
		for _, s := range known {
			in.Tables += m.slotTable(s.Keys, m.slot) + m.slotTable(s.Expires, m.slotExpires)
			if m.slotPairs && !m.live && s.Keys > 0 && s.Expires == 0 {
				in.Tables += m.mem.block(m.slotExpires)
			}
		}
	default:
		for _, d := range databases {
			in.Tables += m.anySlots(d.Keys, m.slot) + m.anySlots(d.Expires, m.slotExpires)
			if m.slotPairs && !m.live {
				in.Tables += int64((filledSlots(d.Keys) - filledSlots(d.Expires)) * float64(m.mem.block(m.slotExpires)))
			}
		}
	}
	in.UsedMemory = in.Startup + in.Keys + in.Tables
	return in
}

// slotTable gives what the table of n keys of one slot takes, with a structure
// of head bytes.
func (m *Model) slotTable(n, head int64) int64 {
	if n == 0 {
		return 0
	}
	return m.mem.block(head) + m.keyTable(n)
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

// filledSlots is how many slots n keys at random are in.
func filledSlots(n int64) float64 { return clusterSlots * -math.Expm1(-float64(n)/clusterSlots) }

// anySlots gives what the tables of n keys take that lie in the slots of a cluster
// at random, with a structure of head bytes for each slot that has any.
func (m *Model) anySlots(n, head int64) int64 {
	if n == 0 {
		return 0
	}
	filled := filledSlots(n)
	size := int64(filled * float64(m.mem.block(head)))
	each := float64(n) / filled
	if each > 1000 {
		return size + int64(filled)*m.keyTable(int64(each))
	}
	return size + int64(filled*meanOfFilled(each, m.keyTable))
}

// meanOfFilled gives the mean size of what things that fall at random into many
// places make there: so many on average in each place that has any, and size
// gives what k of them take. Their number in one place is Poisson distributed,
// given that there is one; the mean of those with any gives the rate of all.
func meanOfFilled(each float64, size func(k int64) int64) float64 {
	if each <= 1 {
		return float64(size(1))
	}
	rate := min(each, 2*(each-1)) // near 1 the steps below are small
	for range 50 {
		rate = each * -math.Expm1(-rate)
	}
	chance := math.Exp(-rate)
	some := -math.Expm1(-rate)
	var mean float64
	for k := int64(1); k < int64(each)*2+100; k++ {
		chance *= rate / float64(k)
		mean += chance / some * float64(size(k))
	}
	return mean
}
