package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "no-ttl",
		Section: SectionExpiry,
		Title:   "key that never expires",
		Harm:    UsesMemory,
		Brief:   "Give {group} a TTL: {groupmemory} in {groupkeys} is never freed without one.",
		check:   func(c *compiler) { c.when(withoutExpiry, -1, 0, nil) },
		text:    func(x *explainer) string { return x.found("never expires") },
		advise: func(x *explainer) {
			write := "EXPIRE key (86400 + random(0..8640))"
			if x.key.Type == parser.String { // SET can write value and expiry together
				write = "SET key value EX (86400 + random(0..8640))"
			}
			x.advise(adviseTTL, nil, "Set an expiry when it is written, each with a random part of its own: {write}.", "write", write)
			x.expire(day)
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A key without an expiry. A hash whose fields all have an expiry counts as having one.",
			Why: "Keys that nobody deletes remain for ever and fill the memory until the server evicts keys, refuses writes or crashes. The volatile eviction " +
				"policies never evict them.",
			Fix: "Set the expiry when the key is written (SET key value EX 86400), with a random part if many keys are written at once. For data that must " +
				"remain, add an ignore entry with the reason.",
			Example: "session:8f3a, a string without an expiry.",
			Sources: []Source{
				{onlyAliyun, aliyun, "【推荐】", "建议使用expire设置过期时间(条件允许可以打散过期时间,防止集中过期),不过期的数据重点关注idletime。",
					"Set an expiry with EXPIRE (spread the times if possible, to avoid that keys expire together); for data that does not expire, watch the idle time."},
				{onlyBaidu, baidu, "", "首先我们建议Key都是需要**设置过期时间**的，尤其是秒杀，热门活动等**集中写入的Key**的场景， 在设置过期时间的时候**要加上随机值**， 让过期时间分散一些。",
					"First, we recommend that all keys have an expiry, especially where many keys are written at once, as in flash sales and popular campaigns; add a random value to the expiry, so that the times are spread."},
				{onlyTyped, typed, "【强制】", "Redis key一定要设置过期时间。要跟自己的业务场景，需要对key设置合理的过期时间。",
					"A Redis key must always have an expiry, one that is reasonable for its business scenario."},
			},
			Notes: []Note{{onlyDefault, "three documents demand it, one as mandatory, and the one behind upper leaves it open: a warning"}},
		},
	})
}
