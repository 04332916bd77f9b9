package thresholds

func init() {
	register(Rule{
		Name:    "big-key-expiry",
		Section: SectionExpiry,
		Title:   "big collection that the server will delete at once when it expires",
		Unit:    NoUnit,
		Types:   collections,
		unit:    func(uint8) Unit { return Count },
		compile: func(c *compiler) {
			severity := c.Severity
			if c.engine.server.lazyExpire() {
				severity = Info
			}
			// The limit is that of big-collection, whether that rule is on or not.
			big, _ := Lookup("big-collection")
			s := &c.settings[big.ID]
			for of := Error; of >= Info; of-- {
				if limit, ok := s.Limit(c.typ, false, of); ok {
					c.add(expiring, -1, false, []level{{limit, severity}}, nil)
					return
				}
			}
		},
		Doc: Doc{
			What: "A hash, list, set or sorted set over the error limit of big-collection (its highest, where it has no such) that has an expiry. Silent for compact " +
				"encodings, which are one block of memory. An info on Valkey from 8.0 on, where lazyfree-lazy-expire is on by default.",
			Why: "When it expires, the server deletes it within its own loop: a sorted set of 2 million members blocks for a second or more, and the slow log does not " +
				"show it, since no client sent the command.",
			Fix:     "Set lazyfree-lazy-expire yes (from Redis 4.0 on), split the key, or delete it in steps before it expires.",
			Example: "rank:daily:20260301, a sorted set of 2,000,000 members with an expiry: over 5,000.",
			Sources: []Source{
				{[]string{"default", "aliyun", "baidu", "typed", "upper"}, Aliyun, "【强制】", "同时要注意防止bigkey过期时间自动删除问题(例如一个200万的zset设置1小时过期,会触发del操作,造成阻塞,而且该操作不会不出现在慢查询中(latency可查))",
					"Mind also that big keys are deleted by themselves when they expire (a sorted set of 2 million members with an expiry of one hour, say, is deleted then, which blocks, and this does not show in the slow log; LATENCY shows it)."},
				{onlyBaidu, Baidu, "", "对于 4 系以上版本 Redis 建议开启 Redis 的 lazyfree 配置，**启用异步删除**的功能；",
					"On Redis 4 and later, switch on the lazyfree settings, so that deletion is done in the background."},
			},
			Notes: []Note{
				{everyProfile, "weakened: the sentence stands inside a 【强制】, but current servers can free in the background, so it is a warning"},
				{[]string{"default", "baidu", "typed", "upper"}, "borrowed: from Alibaba's text, and with it the number of elements"},
			},
		},
	})
}
