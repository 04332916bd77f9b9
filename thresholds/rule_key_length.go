package thresholds

func init() {
	register(Rule{
		Name:    "key-length",
		Section: SectionNames,
		Title:   "name that is too long, or too short",
		Unit:    Bytes,
		Bound:   Both,
		PerType: true,
		compile: func(c *compiler) {
			c.over(nameLength, nil)
			c.under(shortness, nil)
		},
		Doc: Doc{
			What: "A name with more bytes than the limit, or with fewer than the limit under.",
			Why: "A name is kept in memory with every key: at 100 million keys, 20 bytes less are 2 GB. One that is too short tells nobody whose key " +
				"it is.",
			Fix:     "Keep the meaning and shorten the words: user:{uid}:friends:messages:{mid} becomes u:{uid}:fr:m:{mid}.",
			Example: "a name of 131 bytes: over 128B.",
			Sources: []Source{
				{onlyAliyun, Aliyun, "【建议】", "保证语义的前提下,控制key的长度,当key较多时,内存占用也不容忽视,例如:",
					"Keep the meaning, and keep the key short: where there are many keys, what their names take in memory cannot be ignored."},
				{onlyBaidu, Baidu, "", "建议控制在 **30 个字节内**，尽可能**不超过 128 字节**，如果是 MGET 超过 100 个数据的场景，此时Key名字最好不超过 20 字节。",
					"Keep it within 30 bytes, and if at all possible not over 128; where MGET fetches more than 100 values, a name should at best not exceed 20 bytes."},
				{onlyTyped, Typed, "【推荐】", "Redis key命名需具有可读性以及可管理性，不该使用含义不清的key以及特别长的key名；",
					"Names must be readable and manageable; keys of unclear meaning and especially long names should not be used."},
				{onlyUpper, Upper, "", "2.key不能太长也不能太短,键名越长越占资源,太短可读性太差",
					"2. A key may be neither too long nor too short: the longer its name, the more it takes, and one that is too short cannot be read."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "typed"}, "borrowed: 128 bytes is Baidu's last limit; these documents name no number"},
				{onlyUpper, "borrowed: 30 bytes is Baidu's advice; ours: under 3 bytes nothing can be read"},
			},
		},
	})
}
