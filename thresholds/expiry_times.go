package thresholds

// ExpiryTimes has the keys that expire in each of equal steps of time.
type ExpiryTimes struct {
	From int64   `json:"from"`         // when the latest snapshot was taken, in seconds since the epoch
	Step int64   `json:"step_seconds"` // length of a step
	Keys []int64 `json:"keys"`         // by step; those that expire later are in none
	// Limit is the lowest limit of ttl-stampede, in keys a minute. Reports of older versions do not have it.
	Limit int64 `json:"minute_limit,omitempty"`
}

// ExpiryTimes returns the keys that expire within a day, 30 days and two years of the
// latest snapshot, each in about a hundred steps. It returns nil if ttl-stampede does not
// add them up, if no key expires, and if the time of the snapshots is not known. Beyond 90
// days keys are counted by the hour.
func (f *Fleet) ExpiryTimes() (list []ExpiryTimes) {
	for _, a := range f.accumulators {
		s, ok := a.(*expiryTimes)
		if !ok || s.created < 0 {
			continue
		}
		first := floorDiv(s.created, 60_000)
		for _, of := range []struct{ minutes, steps int64 }{{10, 144}, {6 * 60, 120}, {7 * 24 * 60, 104}} {
			t := ExpiryTimes{From: first * 60, Step: of.minutes * 60, Keys: make([]int64, of.steps), Limit: s.levels[len(s.levels)-1].limit}
			any := false
			add := func(minute, keys int64) {
				if i := (minute - first) / of.minutes; minute >= first && i < of.steps {
					t.Keys[i] += keys
					any = true
				}
			}
			eachOf(&s.minutes, func(minute int64, n totals) { add(minute, n.keys) })
			eachOf(&s.hours, func(hour int64, n totals) { add(hour*60, n.keys) })
			if any {
				list = append(list, t)
			}
		}
	}
	return list
}
