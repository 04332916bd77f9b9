package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "ttl-too-long",
		Section: SectionExpiry,
		Title:   "TTL longer than the limit",
		Harm:    UsesMemory,
		fix:     &fix{action: adviseTTL, ofGroup: true, id: "Write {which} with a shorter TTL: {memory} stays for longer than allowed."},
		Unit:    message.Seconds,
		PerType: true,
		check: func(c *compiler) {
			var levels []level
			for s := Error; s >= Info; s-- {
				if seconds, ok := c.Limit(c.typ, false, s); ok {
					levels = append(levels, level{min(seconds, (math.MaxInt64-maxRounding)/1000)*1000 + maxRounding, s})
				}
			}
			c.add(timeLeft, -1, false, levels, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.Measured, found.Limit = found.Measured/1000, found.Limit/1000
				return true
			})
		},
		text: func(x *explainer) message.Message { return x.found("expires in {measured}, over {limit}") },
		advise: func(x *explainer) {
			x.advise(adviseTTL, nil, "Shorten it to what the business needs, and renew it while the key is in use.")
			x.expire(math.MaxInt64)
		},
		Doc: Doc{
			What: "A key whose TTL was longer than the limit when the snapshot was taken, by at least a second: a snapshot gives the time at which it was " +
				"taken in whole seconds, and a key that may be exactly at the limit is not flagged. Not checked if the snapshot does not give that time.",
			Why:     "An expiry in the distant future is as good as none: the key remains in memory long after it is needed.",
			Fix:     "Choose an expiry that fits the business, and renew it if the key is still in use shortly before it expires.",
			Example: "order:detail:1:hash, which expires in 365 days: over 30d.",
		},
	})
}

// maxRounding is the largest number of milliseconds by which a snapshot can be
// younger than its ctime, which is in whole seconds. A key that may be at its
// limit is not over it.
const maxRounding = 999
