package memory

import "math"

// Random are numbers of elements whose memory chance decides, with the encodings that a
// server gives them at random.
type Random struct {
	Scored int64 // elements of skiplists: each has a random number of levels
	Sets   int64 // members of sets in hash tables, whose seed is random
	Hashes int64 // fields of hashes in hash tables
}

// Deviation returns the standard deviation of the memory of these elements together, in
// bytes: by how much two servers that load the same file differ.
//
// A node of a skiplist has a level more with a chance of 1/4 (zslRandomLevel). Elements
// fall into the buckets of a table at random: on Valkey a bucket with more than 7 has
// child buckets, and in a dict without values an element alone in its bucket needs no
// entry. Numbers in buckets are taken as Poisson distributed, and tables as half full to
// full.
func (m *Model) Deviation(r Random) float64 {
	variance := float64(r.Scored) * m.levelVariance()
	tables := r.Sets + r.Hashes + r.Scored
	if !m.hashtable {
		tables = 0
		if m.setNoValue {
			tables += r.Sets
		}
		if m.zsetNoValue {
			tables += r.Scored
		}
	}
	return math.Sqrt(variance + float64(tables)*m.bucketVariance())
}

// levelVariance returns the variance of a skiplist node, in square bytes.
func (m *Model) levelVariance() float64 {
	const head, level, levels = 24, 16, 32
	var mean, square float64
	chance := .75
	for h := int64(1); h <= levels; h++ {
		size := float64(m.usable(head + level*h))
		mean += chance * size
		square += chance * size * size
		chance /= 4
	}
	return square - mean*mean
}

// bucketVariance returns the variance of what a table takes, in square bytes for each
// element, on average over its load.
func (m *Model) bucketVariance() float64 {
	const loads = 16
	sum := 0.
	for i := range loads {
		load := .5 + (float64(i)+.5)/(2*loads) // of what fills the table
		if m.hashtable {
			load *= bucketEntries
			sum += chainVariance(load) * bucketSize * bucketSize / load
			continue
		}
		// The variance of the number of empty buckets, for each bucket.
		empty := math.Exp(-load)
		sum += empty * (1 - (1+load)*empty) * noValueEntrySize * noValueEntrySize / load
	}
	return sum / loads
}

// chainVariance returns the variance of the number of child buckets of a bucket in which
// load elements are expected. The number of all elements is given, so what follows from it
// is taken off: the square of the covariance by the variance, which is load.
func chainVariance(load float64) float64 {
	var mean, square, product float64
	chance := math.Exp(-load)
	for k := int64(1); k <= 64; k++ {
		chance *= load / float64(k)
		children := float64(chainLength(k))
		mean += chance * children
		square += chance * children * children
		product += chance * children * float64(k)
	}
	covariance := product - mean*load
	return square - mean*mean - covariance*covariance/load
}
