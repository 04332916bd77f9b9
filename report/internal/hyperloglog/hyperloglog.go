// Package hyperloglog estimates how many different hashes were added to a
// sketch (HyperLogLog: Flajolet, Fusy, Gandouet and Meunier, 2007).
package hyperloglog

import (
	"encoding/binary"
	"math/bits"
)

// Sketch counts different hashes. With 4096 registers the standard error is
// 1.04/sqrt(4096), under 2 %. The count depends neither on the order of the
// hashes nor on how often one was added. The zero Sketch is empty.
type Sketch [1 << registerBits]uint8

const registerBits = 12

func (s *Sketch) Add(hash uint64) {
	hash *= 0x9fb21c651e98df25 // the upper bits select the register
	hash ^= hash >> 32
	i := hash >> (64 - registerBits)
	s[i] = max(s[i], uint8(bits.LeadingZeros64(hash<<registerBits|1)+1))
}

// Merge adds the hashes of another sketch.
func (s *Sketch) Merge(o *Sketch) {
	for at := 0; at < len(o); at += 8 {
		if binary.LittleEndian.Uint64(o[at:]) == 0 {
			continue // most of a sketch of few hashes
		}
		for i := at; i < at+8; i++ {
			s[i] = max(s[i], o[i])
		}
	}
}

// Count returns the estimate. It adds powers of two, which is exact in any
// order, so the same registers give the same count on every machine.
func (s *Sketch) Count() int64 {
	const m = float64(len(Sketch{}))
	sum, zeros := 0.0, 0
	for _, n := range s {
		sum += 1 / float64(uint64(1)<<min(n, 63))
		if n == 0 {
			zeros++
		}
	}
	if estimate := 0.7213 / (1 + 1.079/m) * m * m / sum; estimate > 2.5*m || zeros == 0 {
		return int64(estimate + 0.5)
	}
	return linear(zeros)
}

// linear estimates the count from the number of empty registers (linear
// counting), which is more accurate while there are many.
func linear(zeros int) int64 {
	// m*ln(m/zeros), as the sum of m/k for k from zeros+1 to m: the harmonic
	// number of m less that of zeros.
	estimate := 0.0
	for k := zeros + 1; k <= len(Sketch{}); k++ {
		estimate += float64(len(Sketch{})) / float64(k)
	}
	return int64(estimate + 0.5)
}
