package memory

import (
	"math"
	"math/bits"
)

// slots gives the buckets of a dict of n entries, grown by inserts or sized by
// the loader alike: the next power of two, 4 at least (dict.c).
func slots(n int64) int64 {
	return powerOfTwo(max(n, 4))
}

// powerOfTwo gives the smallest one that is at least n, which is positive.
func powerOfTwo(n int64) int64 { return 1 << bits.Len64(uint64(min(n, 1<<60)-1)) }

// inlineEntries gives how many of n entries of a dict without values need a
// block of their own: all but the first in each bucket, which is the pointer
// itself. m (1 - 1/m)^n buckets stay empty.
func inlineEntries(n, buckets int64) int64 {
	if n <= 1 {
		return 0
	}
	m := float64(buckets)
	used := m * -math.Expm1(float64(n)*math.Log1p(-1/m))
	return int64(math.Round(float64(n) - used))
}

// inlineEntry is the size of such a block (dictEntryNoValue).
const inlineEntry = 16

// A table is a hash table's size: top-level buckets of the table and of the
// one it is being moved from, and what collides, in 1/65536 of a bucket.
type table struct {
	buckets, old int64
	chained      int64
}

// bucketSize is a bucket of Valkey's hash table: a cache line with 7 entries.
const bucketSize = 64

// grownBuckets gives the buckets of a table of n entries grown by inserts: it
// doubles when it is full (MAX_FILL_PERCENT_SOFT in hashtable.c).
func grownBuckets(n int64) int64 {
	return powerOfTwo(max((n+6)/7, 1))
}

// loadedBuckets gives the buckets of a table that is made for n entries: filled
// to 32/35 at most (BUCKET_FACTOR and BUCKET_DIVISOR in hashtable.c).
func loadedBuckets(n int64) int64 {
	return powerOfTwo(max((min(n, 1<<58)*5+31)/32, 1))
}

// chainTabled is the number of entries up to which child buckets are looked up.
const chainTabled = 1024

func chainTable(size func(int64) int64) []uint32 {
	t := make([]uint32, chainTabled)
	for n := range t {
		t[n] = uint32(chainedBuckets(int64(n), size(int64(n))))
	}
	return t
}

// chainedBuckets gives the expected number of child buckets, in 1/65536, of a
// table of n entries in so many buckets: a bucket takes 7 entries, or 6 and the
// pointer to a child of the same kind. The entries of one bucket are binomially
// distributed.
func chainedBuckets(n, buckets int64) int64 {
	if n <= 7 || buckets < 1 {
		return 0
	}
	if buckets == 1 {
		return (n - 7 + 5) / 6 * point
	}
	p := 1 / float64(buckets)
	odds := p / (1 - p)
	// The chance of k entries in a bucket, from that of none on.
	chance := math.Exp(float64(n) * math.Log1p(-p))
	var children float64
	for k := int64(0); k < 64 && k < n; k++ {
		chance *= float64(n-k) / float64(k+1) * odds
		if over := k + 1 - 7; over > 0 {
			children += float64(chance * float64((over+5)/6))
		}
	}
	return int64(math.Round(children * float64(buckets) * point))
}

// children gives the expected child buckets of a table of n entries that was
// grown by inserts, or made by the loader.
func (m *Model) children(n, buckets int64, loaded bool) int64 {
	kind := 0
	if loaded {
		kind = 1
	}
	if n < chainTabled && len(m.chained[kind]) > 0 {
		size := grownBuckets
		if loaded {
			size = loadedBuckets
		}
		if size(n) == buckets {
			return int64(m.chained[kind][n])
		}
	}
	return chainedBuckets(n, buckets)
}

// tableFor gives the table of a set or sorted set of n entries.
func (m *Model) tableFor(n int64) table {
	if !m.buckets {
		return table{buckets: slots(n)}
	}
	b := loadedBuckets(n)
	if m.live {
		b = grownBuckets(n)
	}
	return table{buckets: b, chained: m.children(n, b, !m.live)}
}

// hashTable gives the table of a hash of n fields.
//
// A loader that finds more fields than a listpack takes makes the table for all
// of them. With fewer it fills a listpack until a string is too long for one,
// moves what it has into a table of that size and goes on: long is the number
// of the field with that string, 0 none. A hash whose fields expire grows from
// nothing on Redis.
func (m *Model) hashTable(n, long int64, expiring bool) table {
	switch {
	case m.live:
		return m.tableFor(n)
	case m.buckets:
		if n > packedFields || long == 0 || expiring {
			return m.tableFor(n)
		}
		return m.loadBuckets(n, long)
	case expiring && n > packedFields:
		return m.loadDict(n, 0)
	case n > packedFields || long == 0:
		return table{buckets: slots(n)}
	}
	return m.loadDict(n, long)
}

// loadDict plays what a dict does while fields are added to it: it doubles when
// it is full, and every further insert moves one bucket of the old table that is
// not empty. With long 0 it begins empty. Else it is made for the fields before
// that one, and then for those to come, unless it is being moved (rdbLoadObject
// in rdb.c).
func (m *Model) loadDict(n, long int64) table {
	var t table
	var steps int64 // until the old table is gone
	var used int64
	if long > 0 {
		used = long - 1
	}
	t.buckets = slots(used)
	for used < n {
		if long == 0 && steps == 0 && used < t.buckets {
			used = min(n, t.buckets) // nothing happens until it is full
			continue
		}
		if steps > 0 {
			k := int64(1)
			if long == 0 {
				k = min(steps, n-used) // it is never full before the old one is gone
			}
			used += k - 1
			if steps -= k; steps == 0 {
				t.old = 0
			}
		}
		if steps == 0 && used >= t.buckets {
			t.old, t.buckets = t.buckets, slots(used+1)
			steps = filledBuckets(used, t.old)
		}
		used++
		if used == long && steps == 0 {
			if next := m.resized(t.buckets, used, n); next != t.buckets {
				t.old, t.buckets = t.buckets, next
				steps = filledBuckets(used, t.old)
			}
		}
	}
	return t
}

// resized gives the buckets of a dict when the first field that no listpack
// takes is in it, as the last of used out of n.
func (m *Model) resized(buckets, used, n int64) int64 {
	left := n - used
	if m.load == loadWhole {
		left = n
	}
	if left <= 4 || used > left || m.load != loadRest && buckets >= left {
		return buckets
	}
	return slots(left)
}

// intsetTable gives the buckets of the old table of a set of n members that a
// server before Redis 7.2 has loaded, 0 if there is none. It begins small sets
// as intsets: at the first member that is no integer it makes a table for those
// before, then one for all, and every member from that one on moves a bucket
// that is not empty (rdbLoadObject in rdb.c).
func intsetTable(before, n int64) int64 {
	if before == 0 || slots(before) == slots(n) || n-before >= filledBuckets(before, slots(before)) {
		return 0
	}
	return slots(before)
}

// filledBuckets gives how many buckets of a dict of n entries are not empty.
func filledBuckets(n, buckets int64) int64 {
	m := float64(buckets)
	return max(1, int64(math.Round(m*-math.Expm1(float64(n)*math.Log1p(-1/m)))))
}

// loadBuckets plays the same for Valkey's table, which moves one bucket at
// every insert.
func (m *Model) loadBuckets(n, long int64) table {
	used := long - 1
	t := table{buckets: loadedBuckets(max(used, 1))}
	steps, moving := int64(0), int64(0) // buckets to be moved, and entries that began there
	grow := func(size int64) {
		t.old, t.buckets = t.buckets, loadedBuckets(size)
		steps, moving = t.old, used
	}
	for used < n {
		if steps > 0 {
			if steps--; steps == 0 {
				t.old = 0
			}
		}
		if steps == 0 && used+1 > 7*t.buckets {
			grow(used + 1)
		}
		used++
		if left := n - used; used == long && left >= used && steps == 0 && loadedBuckets(left) != t.buckets {
			grow(left)
		}
	}
	if t.old == 0 {
		t.chained = m.children(n, t.buckets, true)
		return t
	}
	t.chained = chainedBuckets(n-moving*steps/t.old, t.buckets) + chainedBuckets(moving, t.old)*steps/t.old
	return t
}

// grownTable gives Valkey's table of n entries that were put into it one by one:
// with the entry that no longer fits it doubles, and every further one moves a
// bucket of the old table (hashtable.c).
func (m *Model) grownTable(n int64) table {
	t := table{buckets: grownBuckets(n)}
	old := t.buckets / 2
	moving := 7 * old
	moved := n - moving - 1
	if old == 0 || moved >= old {
		t.chained = m.children(n, t.buckets, false)
		return t
	}
	t.old = old
	left := old - moved
	t.chained = chainedBuckets(n-moving*left/old, t.buckets) + chainedBuckets(moving, old)*left/old
	return t
}

// sizes gives what a table takes without its entries: the structure with its
// metadata, and the buckets.
func (m *Model) sizes(t table, meta int64) (alloc, usage int64) {
	if m.buckets {
		chained := (t.chained*bucketSize + point/2) / point
		alloc = m.mem.block(m.dict+meta) + m.mem.block(bucketSize*t.buckets) + chained
		usage = m.dict + meta + bucketSize*t.buckets + chained
		if t.old > 0 {
			alloc += m.mem.block(bucketSize * t.old)
			usage += bucketSize * t.old
		}
		return alloc, usage
	}
	alloc = m.mem.block(m.dict+meta) + m.mem.block(8*t.buckets)
	usage = m.dict + 8*t.buckets
	if t.old > 0 {
		alloc += m.mem.block(8 * t.old)
		usage += 8 * t.old
	}
	return alloc, usage
}

// entries gives what the entries of a dict take beside their strings.
func (m *Model) entries(n int64, t table, inline bool) (alloc, usage int64) {
	if m.buckets {
		return 0, 0
	}
	usage = 24 * n
	if inline {
		alloc = inlineEntry * inlineEntries(n, t.buckets)
		return alloc, usage
	}
	return n * m.entryBlock, usage
}
