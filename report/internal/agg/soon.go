package agg

// SoonHours and SoonMidnight are the parts of the day after a snapshot whose expiring keys are
// added up: each of its hours, and the time until midnight (UTC).
const (
	SoonHours    = 24
	SoonMidnight = SoonHours
	soonParts    = SoonHours + 1

	hourMillis = 3600_000
	soonMillis = SoonHours * hourMillis
)

// SoonSum has keys that expire, and their memory in bytes.
type SoonSum struct{ Keys, Memory int64 }

// soonSums has the keys of a group that expire within a day of the snapshot. Those that had
// expired when it was taken are in none.
type soonSums [soonParts]SoonSum

func (s *soonSums) add(o *soonSums) {
	for i := range o {
		s[i].Keys += o[i].Keys
		s[i].Memory += o[i].Memory
	}
}

// addSoon adds a key whose TTL in milliseconds is less than a day. midnight is how far away
// that is.
func (t *aggregates) addSoon(a *aggregate, ttl, midnight, memory int64) {
	if a.soon == 0 {
		t.soon = append(t.soon, soonSums{})
		a.soon = int32(len(t.soon))
	}
	s := &t.soon[a.soon-1]
	of := &s[ttl/hourMillis]
	of.Keys++
	of.Memory += memory
	if ttl < midnight {
		s[SoonMidnight].Keys++
		s[SoonMidnight].Memory += memory
	}
}

func (g *Groups) addSoon(to *Group, s *soonSums) {
	switch n := len(g.freeSoon); {
	case to.soon != 0:
	case n > 0:
		to.soon = g.freeSoon[n-1]
		g.freeSoon = g.freeSoon[:n-1]
		g.soon[to.soon-1] = soonSums{}
	default:
		g.soon = append(g.soon, soonSums{})
		to.soon = int32(len(g.soon))
	}
	g.soon[to.soon-1].add(s)
}

// Soon returns the keys of a group that expire in an hour after the snapshot, from 0 on, or
// until SoonMidnight.
func (g *Groups) Soon(group *Group, part int) SoonSum {
	if group.soon == 0 {
		return SoonSum{}
	}
	return g.soon[group.soon-1][part]
}

// idleRange is the shortest and the longest idle time in seconds; there is none if least is
// more than most.
type idleRange struct{ least, most uint32 }

// longestIdle is the longest idle time that is distinguished, 136 years in seconds.
const longestIdle = 1<<32 - 1

var neverIdle = idleRange{longestIdle, 0}

func (r *idleRange) add(o idleRange) { r.least, r.most = min(r.least, o.least), max(r.most, o.most) }

// Idle returns the shortest and the longest idle time of the keys of a group that are cold, in
// seconds; ok is false if none is known.
func (g *Group) Idle() (least, most int64, ok bool) {
	return int64(g.idle.least), int64(g.idle.most), g.idle.least <= g.idle.most
}
