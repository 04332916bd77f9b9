package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
)

func init() {
	register(Rule{
		Name:    "ttl-too-long",
		Section: SectionExpiry,
		Title:   "expiry further away than the limit",
		Unit:    Seconds,
		PerType: true,
		compile: func(c *compiler) {
			created := c.engine.createdMilli()
			if created < 0 {
				return
			}
			var levels []level
			for s := Error; s >= Info; s-- {
				if seconds, ok := c.Limit(c.typ, false, s); ok {
					latest := created + unseen
					levels = append(levels, level{min(seconds, (math.MaxInt64-latest)/1000)*1000 + latest, s})
				}
			}
			c.add(expiry, -1, false, levels, func(k *parser.Key, f *Facts, found *Finding) bool {
				found.Measured, found.Limit = (k.ExpireAt-created)/1000, (found.Limit-created)/1000
				return true
			})
		},
		Doc: Doc{
			What: "A key whose expiry was further away than the limit when the snapshot was taken, by at least a second: a snapshot tells the " +
				"second in which it was taken, and nothing that may be at the limit is flagged. Silent where it does not say when it was taken.",
			Why:     "An expiry in the far future is none: the key stays in memory long after anyone needs it.",
			Fix:     "Choose an expiry that fits the business, and renew it when the key is still in use as it nears its end.",
			Example: "order:detail:1:hash, which expires in 365 days: over 30d.",
			Sources: []Source{
				{onlyTyped, Typed, "【强制】", "对于key的超时时长设置，可根据业务场景进行评估，设置合理有效期；",
					"Judge by the business how long a key is to live, and set a reasonable time."},
				{onlyTyped, Typed, "【强制】", "某些业务的确需要长期有效，可以判断即将到期时，重新设置有效期，避免引起热点key问题。",
					"Where something must stay valid for long, renew its time when it is about to end, so that no hot key comes of it."},
			},
			Notes: []Note{{onlyTyped, "ours: the document names no number; 30 days is a hint, and an info"}},
		},
	})
}

// unseen are the milliseconds by which the snapshot may be younger than its ctime
// says, which is in whole seconds: a key that may be at its limit is not over it.
const unseen = 999
