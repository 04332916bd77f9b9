package memory

import (
	"math"
	"math/bits"
)

// windowShift makes a time window of milliseconds: 8192 of them
// (VOLATILESET_BUCKET_INTERVAL_MAX in Valkey's vset.c).
const windowShift = 13

// windows counts the different time windows in which the fields of a hash
// expire, in bounded memory: every window sets one of so many bits, and the
// number of those that stay zero says how many there were. The error is a few
// per cent of what the index of expiries takes.
type windows struct {
	used bool
	bits [64]uint64
}

func (w *windows) reset() {
	if w.used {
		*w = windows{}
	}
}

func (w *windows) add(window int64) {
	w.used = true
	h := uint64(window) * 0xbf58476d1ce4e5b9
	h ^= h >> 31
	h *= 0x94d049bb133111eb
	w.bits[h>>58] |= 1 << (h >> 52 & 63)
}

// join adds the windows of another part of the same hash.
func (w *windows) join(o *windows) {
	if !o.used {
		return
	}
	w.used = true
	for i, b := range o.bits {
		w.bits[i] |= b
	}
}

// count gives the number of different windows, 1 at least.
func (w *windows) count() int64 {
	const all = 64 * 64
	zero := all
	for _, b := range w.bits {
		zero -= bits.OnesCount64(b)
	}
	return max(1, int64(math.Round(all*math.Log(all/float64(max(zero, 1))))))
}

// Expires takes the time of expiry of a field, in milliseconds since the epoch.
func (m *Model) Expires(a *Acc, at int64) {
	if m.fieldWindows {
		a.rare = true
		a.windows.add(at >> windowShift)
	}
}
