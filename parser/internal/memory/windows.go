package memory

import (
	"math"
	"math/bits"
)

// Time windows of 8192 and of 16 ms: Valkey's index of fields by expiry has one
// entry for each of the former, and divides these down to the latter where it
// has to (VOLATILESET_BUCKET_INTERVAL_MAX and _MIN in vset.c).
const (
	wideShift   = 13
	narrowShift = 4
)

// windows counts the distinct time windows in which the fields of a hash expire,
// in bounded memory. The resulting error is a few per cent of what the index of
// expiries takes.
type windows struct {
	used         bool
	first, last  int64 // earliest and latest expiry, in milliseconds since the epoch
	wide, narrow distinct
}

// A distinct estimates how many distinct numbers it has been given. Each sets
// one of 4096 bits, and the number of zero bits shows how many there were
// (linear counting); when nearly no bit is zero, registers show it: each has the
// longest run of zero bits of the hashes that fell to it (HyperLogLog: Flajolet
// et al., 2007; standard error 1.04/sqrt(1024)).
type distinct struct {
	bits [64]uint64
	runs [1024]uint8
}

func (w *windows) reset() {
	if w.used {
		*w = windows{}
	}
}

// add adds an expiry, in milliseconds since the epoch.
func (w *windows) add(at int64) {
	if !w.used {
		w.used, w.first, w.last = true, at, at
	}
	w.first, w.last = min(w.first, at), max(w.last, at)
	w.wide.add(at >> wideShift)
	w.narrow.add(at >> narrowShift)
}

func (d *distinct) add(n int64) {
	h := uint64(n) * 0xbf58476d1ce4e5b9 // SplitMix64's finalizer
	h ^= h >> 31
	h *= 0x94d049bb133111eb
	d.bits[h>>58] |= 1 << (h >> 52 & 63)
	h ^= h >> 29
	run := &d.runs[h&1023]
	*run = max(*run, uint8(bits.LeadingZeros64(h|1023))+1)
}

// merge adds the windows of another part of the same hash.
func (w *windows) merge(o *windows) {
	if !o.used {
		return
	}
	if !w.used {
		*w = *o
		return
	}
	w.first, w.last = min(w.first, o.first), max(w.last, o.last)
	w.wide.merge(&o.wide)
	w.narrow.merge(&o.narrow)
}

func (d *distinct) merge(o *distinct) {
	for i, b := range o.bits {
		d.bits[i] |= b
	}
	for i, n := range o.runs {
		d.runs[i] = max(d.runs[i], n)
	}
}

// counts returns the number of distinct windows, wide and narrow, in which n
// fields expire, 1 at least.
func (w *windows) counts(n int64) (wide, narrow int64) {
	return w.count(&w.wide, wideShift, n), w.count(&w.narrow, narrowShift, n)
}

// count returns the number of distinct windows in d. An estimate near the number
// that n random times have is replaced by that.
func (w *windows) count(d *distinct, shift int, n int64) int64 {
	count := float64(d.count())
	span := float64(w.last>>shift) - float64(w.first>>shift) + 1
	random := span * -math.Expm1(-float64(n)/span)
	if math.Abs(count-random) < .06*random {
		count = random
	}
	return max(1, min(n, round(count)))
}

func (d *distinct) count() int64 {
	const all, few = 64 * 64, 64
	zero := all
	for _, b := range d.bits {
		zero -= bits.OnesCount64(b)
	}
	if zero >= few {
		return round(all * math.Log(all/float64(zero)))
	}
	const m = float64(len(d.runs))
	var sum float64
	for _, n := range d.runs {
		sum += math.Ldexp(1, -int(n))
	}
	return round(0.7213 / (1 + 1.079/m) * m * m / sum)
}

// spread returns how many of n fields expire in the first, in each further and
// in the last of so many narrow windows: the first and last one may be covered
// in part. Windows that do not follow each other get equal shares.
func (w *windows) spread(n, narrow int64) (first, each, last int64) {
	span := w.last>>narrowShift - w.first>>narrowShift + 1
	if narrow < 2 || narrow < span-span/10 {
		each = (n + narrow/2) / narrow
		return each, each, each
	}
	const width = 1 << narrowShift
	ms := w.last - w.first + 1
	share := func(part int64) int64 { return round(float64(n) * float64(part) / float64(ms)) }
	return share(width - w.first&(width-1)), share(width), share(w.last&(width-1) + 1)
}

// span returns the milliseconds from the first expiry of n fields to the last
// one, and how many of these are in windows with fields.
func (w *windows) span(n int64) (all, used float64) {
	_, narrow := w.counts(n)
	all = float64(w.last) - float64(w.first) + 1
	return all, min(all, float64(narrow<<narrowShift))
}

// equal reports whether all fields expire in the same millisecond.
func (w *windows) equal() bool { return w.used && w.first == w.last }
