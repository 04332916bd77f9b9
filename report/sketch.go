package report

import "math/bits"

// sketch estimates how many different patterns it has seen (HyperLogLog,
// Flajolet, Fusy, Gandouet and Meunier, 2007): with 4096 registers the standard
// error is 1.04/64, under 2 %. What it says depends neither on the order nor on
// how often a pattern came.
type sketch [1 << sketchBits]uint8

const sketchBits = 12

// add adds a pattern by its hash.
func (s *sketch) add(hash uint64) {
	hash *= 0x9fb21c651e98df25
	hash ^= hash >> 32
	i := hash >> (64 - sketchBits)
	s[i] = max(s[i], uint8(bits.LeadingZeros64(hash<<sketchBits|1)+1))
}

func (s *sketch) merge(o *sketch) {
	for i, n := range o {
		s[i] = max(s[i], n)
	}
}

// count gives the estimate. It is a sum of powers of two, exact in any order.
func (s *sketch) count() int64 {
	const m = float64(len(sketch{}))
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

// linear counts by the empty registers, which is closer while many are.
func linear(zeros int) int64 {
	// The sum over registers of 1/k for k from zeros+1 to m is m's harmonic
	// number less that of zeros: ln(m/zeros).
	estimate := 0.0
	for k := zeros + 1; k <= len(sketch{}); k++ {
		estimate += float64(len(sketch{})) / float64(k)
	}
	return int64(estimate + 0.5)
}
