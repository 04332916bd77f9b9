package memory

import (
	"math"
	"math/bits"
)

// A table is the size of a hash table: its buckets, those of the table that it
// is being moved from (0 none), and the child buckets of both, in 1/65536 of a
// bucket. A bucket of a dict is a pointer; one of Valkey's hashtable is a cache
// line for 7 entries, or for 6 and a pointer to a child bucket.
type table struct {
	buckets, old int64
	children     int64
}

const (
	pointerSize   = 8
	bucketSize    = 64
	bucketEntries = 7
)

// round returns the integer nearest to an expected value.
func round(x float64) int64 { return int64(math.Round(x)) }

// powerOfTwo returns the smallest power of two that is at least n, a positive
// number.
func powerOfTwo(n int64) int64 { return 1 << bits.Len64(uint64(min(n, 1<<60)-1)) }

// dictBuckets returns the buckets of a dict of n entries, whether it was grown
// by inserts or sized by the loader: the next power of two, 4 at least (dict.c).
func dictBuckets(n int64) int64 { return powerOfTwo(max(n, 4)) }

// grownBuckets returns the buckets of a hashtable of n entries grown by inserts:
// it doubles when it is full (MAX_FILL_PERCENT_SOFT in hashtable.c).
func grownBuckets(n int64) int64 { return powerOfTwo(max((n+6)/bucketEntries, 1)) }

// loadedBuckets returns the buckets of a hashtable that is made for n entries:
// filled to 32/35 at most (BUCKET_FACTOR and BUCKET_DIVISOR in hashtable.c).
func loadedBuckets(n int64) int64 { return powerOfTwo(max((min(n, 1<<58)*5+31)/32, 1)) }

// filledShare returns the expected share of buckets with entries when n entries fall
// into them at random: 1 - (1 - 1/buckets)^n.
func filledShare(n, buckets int64) float64 {
	return -math.Expm1(float64(n) * math.Log1p(-1/float64(buckets)))
}

// filledBuckets returns the expected number of buckets with entries, 1 at least,
// of a dict of n entries.
func filledBuckets(n, buckets int64) int64 {
	return max(1, round(float64(buckets)*filledShare(n, buckets)))
}

// noValueEntries returns the expected number of entries that need a block of
// their own in a dict of n entries without values: all but one in each bucket,
// where the bucket points to the element itself.
func noValueEntries(n, buckets int64) int64 {
	if n <= 1 {
		return 0
	}
	return round(float64(n) - float64(buckets)*filledShare(n, buckets))
}

// childBuckets returns the expected number of child buckets, in 1/65536, of a
// hashtable of n entries: the entries of a bucket are binomially distributed.
func childBuckets(n, buckets int64) int64 {
	if n <= bucketEntries || buckets < 1 {
		return 0
	}
	if buckets == 1 {
		return chainLength(n) * fraction
	}
	p := 1 / float64(buckets)
	odds := p / (1 - p)
	// The chance of k entries in a bucket follows from that of k-1.
	chance := math.Exp(float64(n) * math.Log1p(-p))
	var children float64
	for k := int64(1); k <= 64 && k <= n; k++ {
		chance *= float64(n-k+1) / float64(k) * odds
		if k > bucketEntries {
			children += float64(chance * float64(chainLength(k)))
		}
	}
	return round(children * float64(buckets) * fraction)
}

// chainLength returns the child buckets of a bucket with n entries, of which
// there are more than it takes.
func chainLength(n int64) int64 { return (n - bucketEntries + 5) / 6 }

// tabledChildren is the number of entries under which child buckets are looked
// up.
const tabledChildren = 1024

// hashtableBuckets returns the buckets of a hashtable of n entries that is not
// being moved: grown by inserts, or made by the loader.
func (m *Model) hashtableBuckets(n int64) int64 {
	if m.live {
		return grownBuckets(n)
	}
	return loadedBuckets(n)
}

// tableFor returns the table of a set or sorted set of n entries.
func (m *Model) tableFor(n int64) table {
	if !m.hashtable {
		return table{buckets: dictBuckets(n)}
	}
	t := table{buckets: m.hashtableBuckets(n)}
	if n < int64(len(m.children)) {
		t.children = int64(m.children[n])
	} else {
		t.children = childBuckets(n, t.buckets)
	}
	return t
}

// shrunkTable returns the table of n entries that once had more, had: a server makes a hashtable
// smaller when less than 13 % of it is used (MIN_FILL_PERCENT_SOFT in hashtable.c).
func (m *Model) shrunkTable(n, had int64) table {
	if had <= n {
		return m.tableFor(n)
	}
	t := table{}
	if m.hashtable {
		for t.buckets = grownBuckets(had); n*100 < 13*bucketEntries*t.buckets && t.buckets > 1; {
			t.buckets = grownBuckets(13 * bucketEntries * t.buckets / 100)
		}
		t.children = childBuckets(n, t.buckets)
		return t
	}
	for t.buckets = dictBuckets(had); n*m.shrinks <= t.buckets && t.buckets > 4; {
		t.buckets = dictBuckets(t.buckets / m.shrinks)
	}
	return t
}

func (m *Model) bucketSizes(t table) (alloc, usage int64) {
	size := int64(pointerSize)
	if m.hashtable {
		size = bucketSize
	}
	alloc, usage = m.usable(size*t.buckets), size*t.buckets
	if t.old > 0 {
		alloc += m.usable(size * t.old)
		usage += size * t.old
	}
	children := rounded(t.children * bucketSize)
	return alloc + children, usage + children
}

// tableSizes returns what a table takes without its entries: the structure with
// its metadata, and the buckets. MEMORY USAGE of Redis leaves out the metadata.
func (m *Model) tableSizes(t table, metadata int64) (alloc, usage int64) {
	alloc, usage = m.bucketSizes(t)
	usage += m.dict
	if m.hashtable {
		usage += metadata
	}
	return alloc + m.usable(m.dict+metadata), usage
}

// dictEntries returns what the entries of a dict take beside their strings.
// Those of a hashtable have none.
func (m *Model) dictEntries(n int64, t table, noValue bool) (alloc, usage int64) {
	switch {
	case m.hashtable:
		return 0, 0
	case noValue:
		return noValueEntrySize * noValueEntries(n, t.buckets), dictEntrySize * n
	}
	return m.dictEntry * n, dictEntrySize * n
}
