package thresholds

func init() {
	register(Rule{
		Name:    "no-ttl",
		Section: SectionExpiry,
		Title:   "key that never expires",
		compile: func(c *compiler) { c.when(eternal, -1, 0, nil) },
		Doc: Doc{
			What: "A key without an expiry. A hash whose every field has an expiry of its own has one.",
			Why: "Keys that nobody deletes stay for ever and fill the memory until the server evicts, refuses writes or dies; the volatile eviction " +
				"policies can never evict them.",
			Fix: "Set the expiry as the key is written (SET key value EX 86400), with a random part where many keys are written at once. For what must " +
				"stay, add an ignore entry with the reason.",
			Example: "session:8f3a, a string without an expiry.",
			Sources: []Source{
				{onlyAliyun, Aliyun, "【推荐】", "建议使用expire设置过期时间(条件允许可以打散过期时间,防止集中过期),不过期的数据重点关注idletime。",
					"Set an expiry with EXPIRE (spread the times where you can, so that they do not fall together); of data that does not expire, watch the idle time."},
				{onlyBaidu, Baidu, "", "首先我们建议Key都是需要**设置过期时间**的，尤其是秒杀，热门活动等**集中写入的Key**的场景， 在设置过期时间的时候**要加上随机值**， 让过期时间分散一些。",
					"First, we advise that every key be given an expiry, above all where keys are written all at once, as in flash sales and campaigns; add a random value to the expiry, so that the times are spread."},
				{onlyTyped, Typed, "【强制】", "Redis key一定要设置过期时间。要跟自己的业务场景，需要对key设置合理的过期时间。",
					"A Redis key must always be given an expiry, one that is reasonable for the business that it serves."},
			},
			Notes: []Note{{onlyDefault, "three documents want it, one as a must, and the one behind upper leaves it open: a warning"}},
		},
	})
}
