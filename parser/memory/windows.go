package memory

import (
	"math"
	"math/bits"
)

// Time windows of milliseconds: Valkey's index of fields by expiry has one
// entry for 8192 of them, and divides that down to 16 where it has to
// (VOLATILESET_BUCKET_INTERVAL_MAX and _MIN in vset.c).
const (
	wideShift   = 13
	narrowShift = 4
)

// windows counts the different time windows in which the fields of a hash
// expire, wide and narrow ones, in bounded memory. The error is a few per cent
// of what the index of expiries takes.
type windows struct {
	used         bool
	first, last  int64 // the earliest and latest expiry
	wide, narrow sketch
}

// sketch counts different numbers. Each sets one of so many bits, and how many
// stay zero says how many there were; where nearly none does, the registers say
// it: each has the longest run of zero bits of the hashes that fell to it
// (HyperLogLog: Flajolet and others, 2007; standard error 1.04/sqrt(1024)).
type sketch struct {
	bits [64]uint64
	runs [1024]uint8
}

func (w *windows) reset() {
	if w.used {
		*w = windows{}
	}
}

// add takes an expiry, in milliseconds.
func (w *windows) add(at int64) {
	if !w.used {
		w.used, w.first, w.last = true, at, at
	}
	w.first, w.last = min(w.first, at), max(w.last, at)
	w.wide.add(at >> wideShift)
	w.narrow.add(at >> narrowShift)
}

func (s *sketch) add(window int64) {
	h := uint64(window) * 0xbf58476d1ce4e5b9
	h ^= h >> 31
	h *= 0x94d049bb133111eb
	s.bits[h>>58] |= 1 << (h >> 52 & 63)
	h ^= h >> 29
	run := &s.runs[h&1023]
	*run = max(*run, uint8(bits.LeadingZeros64(h|1023))+1)
}

// join adds the windows of another part of the same hash.
func (w *windows) join(o *windows) {
	if !o.used {
		return
	}
	if !w.used {
		*w = *o
		return
	}
	w.first, w.last = min(w.first, o.first), max(w.last, o.last)
	w.wide.join(&o.wide)
	w.narrow.join(&o.narrow)
}

func (s *sketch) join(o *sketch) {
	for i, b := range o.bits {
		s.bits[i] |= b
	}
	for i, n := range o.runs {
		s.runs[i] = max(s.runs[i], n)
	}
}

// counts gives the number of different windows, wide and narrow, in which n
// fields expire, 1 at least.
func (w *windows) counts(n int64) (wide, narrow int64) {
	return max(1, min(n, w.wide.count())), max(1, min(n, w.narrow.count()))
}

// count estimates how many different numbers were added.
func (s *sketch) count() int64 {
	const all, few = 64 * 64, 64
	zero := all
	for _, b := range s.bits {
		zero -= bits.OnesCount64(b)
	}
	if zero >= few {
		return int64(math.Round(all * math.Log(all/float64(zero))))
	}
	const m = float64(len(s.runs))
	var sum float64
	for _, n := range s.runs {
		sum += math.Ldexp(1, -int(n))
	}
	return int64(0.7213 / (1 + 1.079/m) * m * m / sum)
}

// spread gives how many of n fields expire in the first, in each further and
// in the last one of so many narrow windows: the first and the last one may be
// there in part. Windows that do not follow each other have the same share.
func (w *windows) spread(n, narrow int64) (first, each, last int64) {
	span := w.last>>narrowShift - w.first>>narrowShift + 1
	if narrow < 2 || narrow < span-span/10 {
		return n / narrow, n / narrow, n / narrow
	}
	const width = 1 << narrowShift
	ms := w.last - w.first + 1
	share := func(part int64) int64 { return int64(float64(n) * float64(part) / float64(ms)) }
	return share(width - w.first&(width-1)), share(width), share(w.last&(width-1) + 1)
}

// span gives the milliseconds from the first expiry of n fields to the last
// one, and how many of them are in windows that have fields.
func (w *windows) span(n int64) (all, used float64) {
	_, narrow := w.counts(n)
	all = float64(w.last) - float64(w.first) + 1
	return all, min(all, float64(narrow<<narrowShift))
}

// equal says that all fields expire in the same millisecond.
func (w *windows) equal() bool { return w.used && w.first == w.last }

// AddFieldExpiry takes the time of expiry of a field, in milliseconds since the epoch.
func (a *Accumulator) AddFieldExpiry(at int64) {
	a.rare = true
	a.windows.add(at)
}
