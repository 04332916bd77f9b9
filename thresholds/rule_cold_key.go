package thresholds

import (
	"cmp"
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "cold-key",
		Section: SectionExpiry,
		Title:   "key without an expiry that is not being used",
		Harm:    UsesMemory,
		fix:     &fix{action: adviseLook, ofGroup: true, id: "Find out who still needs {which}: {memory} is not being used."},
		Unit:    message.Seconds,
		PerType: true,
		unit: func(note uint8) message.Unit {
			if note == noteUnused {
				return message.Count
			}
			return message.Seconds
		},
		// No key is colder than one with a counter of 0. The report orders keys
		// that are equally cold by size.
		rank: func(k *parser.Key) int64 {
			if k.Freq == 0 {
				return math.MaxInt64
			}
			return max(k.Idle, 0)
		},
		check: func(c *compiler) {
			c.over(idleTime, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				if k.Freq == 0 {
					found.note, found.Measured, found.Limit = noteUnused, 0, 0
				}
				return true
			})
		},
		text: func(x *explainer) message.Message {
			if x.note == noteUnused {
				return x.found("never expires, and its LFU counter is 0")
			}
			return x.found("never expires, and has been idle for {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseExpire, nil, "Move it to a database, or let it expire: reading does not extend an expiry, and "+
				"writing removes it only where it replaces the value, as SET does. "+
				"Idle times and counters are those of the server that saved the snapshot: on a replica, reads on the master do "+
				"not count.")
			x.expire(cmp.Or(x.key.GroupTTL, day))
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A key without an expiry that has been idle for longer than the limit, or whose LFU counter is 0. Not " +
				"checked if the snapshot has neither: idle times are written under an LRU policy, counters under an LFU policy. " +
				"Both are those of the server that saved the snapshot: on a replica, reads on the master do not count.",
			Why: "Memory is the most expensive place to store data that is not read, and without an expiry it is never " +
				"released.",
			Fix:     "Move it to a database or a log, or set an expiry.",
			Example: "report:2019:final, idle for 412 days: over 30d.",
		},
	})
}

// noteUnused is the note on a key whose LFU counter is 0.
const noteUnused = 1
