package report

import "math/bits"

// lifetimes is a histogram of times left, in milliseconds. It is for their median,
// which mostly lies near the longest: a group's keys are written with one time to
// live and are at any age. So the octaves (powers of two) under the longest time
// have many buckets and those below have four; as longer times come, octaves that
// were near it give up buckets, and what was in them is added up. What a histogram
// ends as does not depend on the order of the times.
type lifetimes struct {
	keys    [lifetimeBuckets]uint32 // of the octaves in use, from the shortest times on
	octaves uint8                   // in use: up to that of the longest time; 0 no keys
}

const (
	lifetimeBuckets = 160
	fineBuckets     = 32 // of an octave near the longest time, as far as there are enough
	coarseBuckets   = 4  // of any octave
	// The first octave are all times under 1024 ms, the last one those from 2^39
	// to 2^40 ms, 34 years, and all beyond.
	firstOctave = 10 // bits
	maxOctaves  = 40 - firstOctave + 1
	longestLife = 1<<40 - 1
)

// octave are the buckets of one power of two: 1 + mask of them, each of as many
// milliseconds as 1<<shift.
type octave struct{ from, shift, mask uint8 }

// octaves has the buckets of each octave, by the number of octaves in use.
var octaves = func() (all [maxOctaves + 1][maxOctaves]octave) {
	for used := 1; used <= maxOctaves; used++ {
		spare, end := lifetimeBuckets-used*coarseBuckets, lifetimeBuckets
		for o := used - 1; o >= 0; o-- {
			n := fineBuckets
			for n-coarseBuckets > spare {
				n /= 2
			}
			if n < fineBuckets {
				spare = 0 // what is left over would go back and forth between octaves
			} else {
				spare -= n - coarseBuckets
			}
			end -= n
			all[used][o] = octave{uint8(end), uint8(firstOctave - 1 + max(o, 1) - bits.Len(uint(n)) + 1), uint8(n - 1)}
		}
	}
	return all
}()

// octaveOf gives the octave of a time from 0 to longestLife.
func octaveOf(ms int64) int { return max(bits.Len64(uint64(ms)), firstOctave) - firstOctave }

// bucket gives the bucket of a time in the octave.
func (o octave) bucket(ms int64) uint8 { return o.from + uint8(ms>>o.shift)&o.mask }

// count adds a key.
func (l *lifetimes) count(ms int64) {
	ms = min(max(ms, 0), longestLife)
	o := octaveOf(ms)
	if o >= int(l.octaves) {
		l.extend(o + 1)
	}
	l.keys[octaves[l.octaves][o].bucket(ms)]++
}

// extend gives buckets to longer times.
func (l *lifetimes) extend(used int) {
	old := *l
	*l = lifetimes{octaves: uint8(used)}
	l.add(&old)
}

// add adds the keys of another histogram.
func (l *lifetimes) add(other *lifetimes) {
	if other.octaves > l.octaves {
		l.extend(int(other.octaves))
	}
	if other.octaves == l.octaves {
		for i, n := range other.keys {
			l.keys[i] += n
		}
		return
	}
	for o := range int(other.octaves) {
		from, to := octaves[other.octaves][o], octaves[l.octaves][o]
		for i := range int(from.mask) + 1 {
			l.keys[int(to.from)+i>>(to.shift-from.shift)] += other.keys[int(from.from)+i]
		}
	}
}

// median gives the time left that half of all keys do not pass, between least and
// most, the true bounds: within the bucket that holds it times are taken to be
// spread evenly. It is off by less than a quarter of itself or of a second, and by
// less than 1/32 of itself if it is half of most or more, and most is under 2^35 ms,
// 397 days. Keys past their expiry count as those that expire now.
func (l *lifetimes) median(least, most int64) int64 {
	var keys, before int64
	for _, n := range l.keys {
		keys += int64(n)
	}
	for o := range int(l.octaves) {
		buckets := octaves[l.octaves][o]
		from := int64(0)
		if o > 0 {
			from = 1 << (firstOctave - 1 + o)
		}
		for i := range int64(buckets.mask) + 1 {
			n := int64(l.keys[int64(buckets.from)+i])
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
