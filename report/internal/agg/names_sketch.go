package agg

import (
	"slices"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// sketchNames is how many names a NameSketch keeps.
const sketchNames = 256

// NameSketch has the names of a snapshot with the least hashes: those that two of them have below
// the same hash are a sample of all names that they have in common.
type NameSketch struct {
	hashes []uint64 // sorted up to the last call of trim
	below  uint64   // all names with smaller hashes are kept; 0 all names
}

func (s *NameSketch) add(name []byte, db int) {
	h := (naming.HashPattern(name) ^ uint64(db)*0xa4093822299f31d1) * 0x9e3779b97f4a7c15
	if h ^= h >> 32; s.below == 0 || h < s.below {
		if s.hashes = append(s.hashes, h); len(s.hashes) >= 4*sketchNames {
			s.trim()
		}
	}
}

func (s *NameSketch) trim() {
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	if len(s.hashes) > sketchNames {
		s.below = s.hashes[sketchNames]
		s.hashes = s.hashes[:sketchNames]
	}
}

func (s *NameSketch) merge(o *NameSketch) {
	s.hashes = append(s.hashes, o.hashes...)
	if o.below != 0 && (s.below == 0 || o.below < s.below) {
		s.below = o.below
		s.hashes = slices.DeleteFunc(s.hashes, func(h uint64) bool { return h >= s.below })
	}
	s.trim()
}

func (s *NameSketch) reset() { s.hashes, s.below = s.hashes[:0], 0 }

// Common returns how many of the sampled names of the sketch with fewer the other one has, too.
func (s *NameSketch) Common(o *NameSketch) (common, of int) {
	below := func(s *NameSketch, limit uint64) []uint64 {
		at, _ := slices.BinarySearch(s.hashes, limit)
		if limit == 0 {
			at = len(s.hashes)
		}
		return s.hashes[:at]
	}
	limit := min(s.below-1, o.below-1) + 1 // 0 is none
	a, b := below(s, limit), below(o, limit)
	for _, h := range a {
		if _, found := slices.BinarySearch(b, h); found {
			common++
		}
	}
	return common, min(len(a), len(b))
}
