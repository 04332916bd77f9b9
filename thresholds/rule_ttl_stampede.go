package thresholds

func init() {
	register(Rule{
		Name:     "ttl-stampede",
		Section:  SectionExpiry,
		Title:    "minute in which too many keys expire at once",
		Instance: true,
		Unit:     Count,
		Params:   []Param{{Name: "ratio", Unit: Times, Default: "10x", Doc: "how many times the median minute a minute must be over"}},
		Doc: Doc{
			What: "A whole UTC minute in which more keys expire than the limit, and more than 10 times those of the median minute that has any (a lone minute " +
				"has nothing to be held against). Keys that had already expired do not count. Minutes more than 90 days ahead fold into hours, which are " +
				"held against the median hour. The 100 worst are kept, with the groups of their keys; the rest is counted.",
			Why:     "Deleting them takes the server's time just then, and all requests that found them in the cache go to the database together.",
			Fix:     "Add a random part to the expiry: EXPIRE key (3600 + random(0..600)), so that the keys of one batch are spread over several minutes.",
			Example: "minute 2026-11-11T00:00Z: 480,000 keys expire, over 10,000; groups item:*:price, item:*:stock.",
			Sources: []Source{
				{[]string{"default", "aliyun"}, Aliyun, "【推荐】", "建议使用expire设置过期时间(条件允许可以打散过期时间,防止集中过期),不过期的数据重点关注idletime。",
					"Set an expiry with EXPIRE (spread the times where you can, so that they do not fall together); of data that does not expire, watch the idle time."},
				{onlyBaidu, Baidu, "", "在设置过期时间的时候**要加上随机值**， 让过期时间分散一些。", "Add a random value to the expiry, so that the times are spread."},
				{onlyBaidu, Baidu, "", "使用 EXPIREAT 设置过期时间，不要集中到某个时间戳，最好加上随机时间；", "Set expiries with EXPIREAT, not all at one timestamp, and at best with a random time added."},
				{onlyUpper, Upper, "", "若有很多个key同时到期,将会占用cpu大量的时间来删除key,不能让cpu做要紧的事",
					"Where many keys end at the same time, much CPU time goes into deleting them and is missing for what matters."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "baidu", "upper"}, "ours: no document names a number; Baidu's limits are the narrower ones, so its profile has a tenth"},
			},
		},
	})
}
