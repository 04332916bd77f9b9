package agg

// sightings bound how many keys the values have that a block has folded, without
// their names. Values with the same slot are counted together, so the figure is
// never too small.
type sightings [1 << sightingBits]uint16

const (
	sightingBits = 13
	// distinct marks slots of values that are not folded.
	distinct = 1 << 15
)

func (s *sightings) slot(hash uint64) *uint16 { return &s[hash>>(64-sightingBits)] }

// add counts units of a value and returns how many it may have.
func (s *sightings) add(hash uint64, units int64) int64 {
	slot := s.slot(hash)
	n := min(int64(*slot&^distinct)+units, distinct-1)
	*slot = *slot&distinct | uint16(n)
	return n
}

// units returns the sightings that a weight counts as: one for each key and for
// each unit of memory.
func (f *foldedValues) units(w weight) int64 {
	if w.size <= f.unit {
		return w.keys
	}
	return max(w.keys, (w.size+f.unit-1)/f.unit)
}

// sight counts a key of a folded value. It reports whether the value may have so
// many that it becomes distinct, and how many were counted before.
func (t *patternTrie) sight(f *foldedValues, hash uint64, w weight) (before weight, many bool) {
	if t.seen == nil || w.keys == 0 {
		return weight{}, false
	}
	units := f.units(w)
	n := f.base + t.seen.add(hash, units)
	if n > f.keys/blockShare {
		*t.seen.slot(hash) |= distinct
		return weight{n - units, (n - units) * f.unit}, true
	}
	f.missed.raise(weight{n, n * f.unit})
	return weight{}, false
}

// sightKnown is sight for a value that cannot become distinct, and returns false
// if it can.
func (t *patternTrie) sightKnown(f *foldedValues, hash uint64, size int64) bool {
	slot, units := t.seen.slot(hash), int64(1)
	if size > f.unit {
		units = (size + f.unit - 1) / f.unit
	}
	if f.base+int64(*slot)+units > f.missed.keys {
		return false
	}
	*slot += uint16(units)
	f.keys++
	return true
}

// hashDatabase makes hashes of patterns in several databases differ.
func hashDatabase(db int32) uint64 { return uint64(db) * 0x9fb21c651e98df25 }
