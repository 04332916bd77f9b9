package agg

import (
	"math/bits"

	"github.com/rdblens/rdblens/parser"
)

// ttlRange is the shortest and the longest TTL in milliseconds; there is none if
// least is more than most.
type ttlRange struct{ least, most int64 }

var noTTL = ttlRange{1<<63 - 1, -1 << 63}

func (r *ttlRange) add(o ttlRange) { r.least, r.most = min(r.least, o.least), max(r.most, o.most) }

// TTL returns the milliseconds that a key had left when its snapshot was taken,
// which created states in seconds since the epoch. It returns false if the key has
// no expiry or created is not a time.
func TTL(k *parser.Key, created int64) (ms int64, ok bool) {
	if !k.HasExpire || !isTime(created) {
		return 0, false
	}
	return remaining(k.ExpireAt, created*1000), true
}

// isTime reports whether a number of seconds since the epoch can be a time.
func isTime(seconds int64) bool { return seconds >= 0 && seconds <= 1<<50 }

// remaining returns the milliseconds from now to at, both since the epoch.
func remaining(at, now int64) int64 {
	if left := at - now; at >= 0 || left < 0 {
		return left
	}
	return -1 << 63 // at - now overflows
}

// ttlHistogram is a histogram of TTLs in milliseconds, from which the median is
// estimated. The median is mostly near the longest TTL, because the keys of a
// group are written with one TTL and are of any age. So octaves (powers of two)
// near the longest TTL have many buckets, and the others have four; when longer
// TTLs come, octaves that were near it lose buckets, whose counts are added up.
// The resulting histogram does not depend on the order of the TTLs.
type ttlHistogram struct {
	keys    [ttlBuckets]uint32 // of the octaves in use, the shortest TTLs first
	octaves uint8              // in use: up to that of the longest TTL; 0 no keys
}

const (
	ttlBuckets    = 160
	fineBuckets   = 32 // of an octave near the longest TTL, as far as there are enough
	coarseBuckets = 4  // of any octave
	// The first octave has all TTLs under 1024 ms, the last one those from 2^39
	// to 2^40 ms, 34 years, and all longer ones.
	firstOctave = 10 // bits
	maxOctaves  = 40 - firstOctave + 1
	longestTTL  = 1<<40 - 1
)

// octave has the buckets of one power of two: mask + 1 of them, each 1<<shift
// milliseconds wide.
type octave struct{ from, shift, mask uint8 }

// octaves has the buckets of each octave, by the number of octaves in use.
var octaves = func() (all [maxOctaves + 1][maxOctaves]octave) {
	for used := 1; used <= maxOctaves; used++ {
		spare, end := ttlBuckets-used*coarseBuckets, ttlBuckets
		for o := used - 1; o >= 0; o-- {
			n := fineBuckets
			for n-coarseBuckets > spare {
				n /= 2
			}
			if n < fineBuckets {
				spare = 0 // else the remainder would move between octaves as they grow
			} else {
				spare -= n - coarseBuckets
			}
			end -= n
			all[used][o] = octave{uint8(end), uint8(firstOctave - 1 + max(o, 1) - bits.Len(uint(n)) + 1), uint8(n - 1)}
		}
	}
	return all
}()

// octaveOf returns the octave of a TTL from 0 to longestTTL.
func octaveOf(ms int64) int { return max(bits.Len64(uint64(ms)), firstOctave) - firstOctave }

func (o octave) bucket(ms int64) uint8 { return o.from + uint8(ms>>o.shift)&o.mask }

func (h *ttlHistogram) count(ms int64) {
	ms = min(max(ms, 0), longestTTL)
	o := octaveOf(ms)
	if o >= int(h.octaves) {
		h.extend(o + 1)
	}
	h.keys[octaves[h.octaves][o].bucket(ms)]++
}

// extend assigns buckets to longer TTLs.
func (h *ttlHistogram) extend(used int) {
	old := *h
	*h = ttlHistogram{octaves: uint8(used)}
	h.add(&old)
}

func (h *ttlHistogram) add(other *ttlHistogram) {
	if other.octaves > h.octaves {
		h.extend(int(other.octaves))
	}
	if other.octaves == h.octaves {
		for i, n := range other.keys {
			h.keys[i] += n
		}
		return
	}
	for o := range int(other.octaves) {
		from, to := octaves[other.octaves][o], octaves[h.octaves][o]
		for i := range int(from.mask) + 1 {
			h.keys[int(to.from)+i>>(to.shift-from.shift)] += other.keys[int(from.from)+i]
		}
	}
}

// median returns the TTL that half of the keys do not exceed, between the true
// bounds least and most: TTLs are assumed to be spread evenly within their bucket.
// The error is less than a quarter of the median, or of a second, and less than
// 1/32 of the median if that is at least half of most and most is under 2^35 ms
// (397 days). Expired keys count as keys that expire now.
func (h *ttlHistogram) median(least, most int64) int64 {
	var keys, before int64
	for _, n := range h.keys {
		keys += int64(n)
	}
	for o := range int(h.octaves) {
		buckets := octaves[h.octaves][o]
		from := int64(0)
		if o > 0 {
			from = 1 << (firstOctave - 1 + o)
		}
		for i := range int64(buckets.mask) + 1 {
			n := int64(h.keys[int64(buckets.from)+i])
			if before+n > (keys-1)/2 {
				from, to := max(from+i<<buckets.shift, least), min(from+(i+1)<<buckets.shift, most+1)
				if to <= from {
					return min(from, most)
				}
				hi, lo := bits.Mul64(uint64(to-from), uint64((keys-1)/2-before))
				into, _ := bits.Div64(hi, lo, uint64(n)) // less than to-from: it does not overflow
				return from + int64(into)
			}
			before += n
		}
	}
	return least
}
