package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
)

func init() {
	register(Rule{
		Name:    "already-expired",
		Section: SectionExpiry,
		Title:   "key that was past its expiry when the snapshot was taken",
		unit:    func(uint8) Unit { return Seconds },
		compile: func(c *compiler) {
			created := c.engine.createdMilli()
			if created < 0 {
				return
			}
			// ^a > ^b is a < b, and no number overflows.
			c.when(overdue, -1, ^created, func(k *parser.Key, f *Facts, found *Finding) bool {
				found.Measured, found.Limit = math.MaxInt64/1000, 0
				if k.ExpireAt > created-math.MaxInt64 {
					found.Measured = (created - k.ExpireAt) / 1000
				}
				return true
			})
		},
		Doc: Doc{
			What: "A key whose expiry lay before the time at which the snapshot was taken (its ctime, in whole seconds). Silent where the snapshot has no ctime.",
			Why: "The server deletes expired keys bit by bit and when they are asked for. Many that are left mean that it does not keep up: their " +
				"memory is lost until then. On a replica they wait for the master's DEL.",
			Fix:     "Nothing for a few. For many raise active-expire-effort (Redis 6.0 and later), spread expiries, or look for a replica that lags.",
			Example: "token:9f1c, which had expired 340 seconds before.",
			Sources: []Source{
				{everyProfile, Upper, "", "redis定时扫描任务可能不会将过期的key完全删除,此时redis会用一种懒惰策略来被动式的更新过期的key,即当这个key被实际访问时,redis会检查这个key的过期状态,如果过期,那么将这个key删除",
					"The timed scan of Redis may not delete all expired keys; then a lazy strategy deals with them: when a key is accessed, Redis looks whether it has expired, and deletes it if so."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "baidu", "typed"}, "borrowed: the document behind upper describes it"},
				{everyProfile, "ours: no document demands anything here, hence an info"},
			},
		},
	})
}
