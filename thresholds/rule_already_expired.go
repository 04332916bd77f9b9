package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "already-expired",
		Section: SectionExpiry,
		Title:   "key that had already expired when the snapshot was taken",
		Harm:    UsesMemory,
		unit:    func(uint8) message.Unit { return message.Seconds },
		check: func(c *compiler) {
			c.add(timeExpired, -1, false, []level{{0, c.Severity}}, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.Measured /= 1000
				return true
			})
		},
		text: func(x *explainer) message.Message { return x.found("expired {measured} before the snapshot was taken") },
		advise: func(x *explainer) {
			x.advise(adviseTTL, nil, "The server deletes it by itself, at the latest when a client accesses it. "+
				"If many such keys remain, raise active-expire-effort (Redis 6.0 and later) or spread the expiry times.")
		},
		Doc: Doc{
			What: "A key whose expiry time was before the time at which the snapshot was taken (its ctime, in whole seconds). " +
				"Not checked if the snapshot has no ctime.",
			Why: "The server deletes expired keys gradually, and when a client accesses them. Many remaining expired keys " +
				"mean that it cannot keep up, and their memory is wasted until then. On a replica they wait for the master's DEL.",
			Fix: "Nothing for a few keys. For many, raise active-expire-effort (Redis 6.0 and later), spread the expiry " +
				"times, or look for a lagging replica.",
			Example: "token:9f1c, which had expired 340 seconds earlier.",
		},
	})
}
