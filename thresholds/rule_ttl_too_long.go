package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "ttl-too-long",
		Section: SectionExpiry,
		Title:   "TTL longer than the limit",
		Harm:    UsesMemory,
		fix: &fix{action: adviseTTL, ofGroup: true,
			id: "Write {which} with a shorter TTL: {memory} stays for longer than allowed."},
		Unit:    message.Seconds,
		PerType: true,
		check:   func(c *compiler) { c.over(timeLeft, nil) },
		text: func(x *explainer) message.Message {
			if x.Measured > fiveYears {
				return x.found("expires in {measured}, over {limit}: milliseconds were most likely taken for seconds")
			}
			return x.found("expires in {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			most := int64(math.MaxInt64)
			if x.Measured > fiveYears {
				x.advise(adviseTTL, nil, "Check the unit where it is written: EX takes seconds, PX milliseconds.")
				most = x.Measured / 1000
			}
			x.advise(adviseTTL, nil, "Shorten it to what the business needs, and renew it while the key is in use.")
			x.expire(most)
		},
		Doc: Doc{
			What: "A key whose TTL was longer than the limit when the snapshot was taken, by at least a second: a snapshot " +
				"gives the time at which it was taken in whole seconds, and a key that may be exactly at the limit is not " +
				"flagged. Not checked if the snapshot does not give that time. Over five years, milliseconds were most likely " +
				"taken for seconds.",
			Why: "An expiry in the distant future is as good as none: the key remains in memory long after it is needed.",
			Fix: "Choose an expiry that fits the business, and renew it if the key is still in use shortly before " +
				"it expires.",
			Example: "order:detail:1:hash, which expires in 365 days: over 30d.",
		},
	})
}

// fiveYears are the seconds from which on a TTL is most likely a mistake.
const fiveYears = 5 * 365 * day
