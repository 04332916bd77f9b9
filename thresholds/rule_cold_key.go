package thresholds

import (
	"math"

	"github.com/rdblens/rdblens/parser"
)

func init() {
	register(Rule{
		Name:    "cold-key",
		Section: SectionExpiry,
		Title:   "key that never expires and that nobody uses",
		Unit:    Seconds,
		PerType: true,
		unit: func(note uint8) Unit {
			if note == noteUnused {
				return Count
			}
			return Seconds
		},
		// A counter of 0 is the coldest that there is, and of keys that are equally
		// cold the larger one counts for more.
		rank: func(k *parser.Key) int64 {
			if k.Freq == 0 {
				return math.MaxInt64
			}
			return max(k.Idle, 0)
		},
		compile: func(c *compiler) {
			c.over(idleness, func(k *parser.Key, f *Facts, found *Finding) bool {
				if k.Freq == 0 {
					found.Note, found.Measured, found.Limit = noteUnused, 0, 0
				}
				return true
			})
		},
		Doc: Doc{
			What: "A key without an expiry that has been idle for longer than the limit, or whose LFU counter is 0. Silent where the snapshot has neither: idle " +
				"times are written under an LRU policy, counters under an LFU policy. They are as seen by the server that saved: on a replica, reads on the master do not count.",
			Why:     "Memory is the dearest place to keep what nobody reads, and without an expiry it is never given back.",
			Fix:     "Move it to a database or a log, or give it an expiry.",
			Example: "report:2019:final, idle for 412 days: over 30d.",
			Sources: []Source{
				{[]string{"default", "aliyun"}, Aliyun, "【推荐】", "不过期的数据重点关注idletime。", "Of data that does not expire, watch the idle time."},
				{onlyTyped, Typed, "【推荐】", "Redis的使用，应该考虑冷热数据分离，不该将所有数据全部放到Redis中，对于使用不频繁，且无关紧要的信息存入MySQL，或日志文件中，Redis的数据存储全部都是在内存中的，成本昂贵。",
					"Those who use Redis should think of separating hot data from cold, and not put everything into Redis; what is seldom used and of little weight goes into MySQL or a log file. All data of Redis is in memory, which is dear."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "typed"}, "ours: no document names a time; 30 days is our number"},
				{onlyDefault, "two documents recommend it, the others leave it open: an info"},
			},
		},
	})
}

// noteUnused is cold-key's note of a key whose LFU counter is 0.
const noteUnused = 1
