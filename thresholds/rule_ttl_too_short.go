package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "ttl-too-short",
		Section:  SectionExpiry,
		Title:    "TTL shorter than the limit",
		Harm:     Names,
		Optional: true,
		Unit:     message.Seconds,
		Bound:    Under,
		PerType:  true,
		check: func(c *compiler) {
			c.under(timeExpired, func(k *parser.Key, f *naming.Facts, found *Finding) bool { return found.Measured > 0 })
		},
		text: func(x *explainer) message.Message { return x.found("expires in {measured}, under {limit}") },
		advise: func(x *explainer) {
			x.advise(adviseTTL, nil, "Write it with a TTL of at least {limit}, or renew it in time.",
				message.Limit("limit", message.Seconds, x.Limit))
		},
		Doc: Doc{
			What: "A key that had less time to live than the limit when the snapshot was taken, and was not expired. What " +
				"counts is the time that was left: a key that was written long ago with a longer TTL is flagged, too. Not " +
				"checked if the snapshot does not give the time at which it was taken. Off until the team sets a limit.",
			Why: "A cache that expires too early is built again and again from the database behind it; a lock or a " +
				"session that does ends work that still runs.",
			Fix:     "Write the key with a longer TTL, or renew it while it is in use.",
			Example: "prd:session:1, which expires in 59m 59s, where ttl-too-short has error: 1h.",
		},
	})
}
