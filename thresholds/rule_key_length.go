package thresholds

import "github.com/rdblens/rdblens/thresholds/units"

func init() {
	register(Rule{
		Name:    "key-length",
		Section: SectionNames,
		Title:   "name that is too long, or too short",
		Unit:    units.Bytes,
		Bound:   Both,
		PerType: true,
		check: func(c *compiler) {
			c.over(nameLength, nil)
			c.under(shortName, nil)
		},
		text: func(x *explainer) string {
			if x.Measured < x.Limit {
				return x.found("name of {measured}, under {limit}")
			}
			return x.found("name of {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			if x.Measured < x.Limit {
				x.advise(adviseName, nil, "Choose a name that describes the content.")
			} else {
				x.advise(adviseName, nil, "Shorten the words but keep the meaning; this saves {saved} for each name of this form.", "saved", measuredText(units.Bytes, x.Measured-x.Limit))
			}
			x.rename()
		},
		Doc: Doc{
			What: "A name with more bytes than the limit, or with fewer than the limit under.",
			Why: "Every key's name is stored in memory: at 100 million keys, 20 bytes less save 2 GB. A name that is too short does not show whose key " +
				"it is.",
			Fix:     "Keep the meaning and shorten the words: user:{uid}:friends:messages:{mid} becomes u:{uid}:fr:m:{mid}.",
			Example: "a name of 131 bytes: over 128 B.",
			Sources: []Source{
				{onlyAliyun, aliyun, "【建议】", "保证语义的前提下,控制key的长度,当key较多时,内存占用也不容忽视,例如:",
					"Limit the length of keys as far as their meaning allows: with many keys, the memory for names is significant."},
				{onlyBaidu, baidu, "", "建议控制在 **30 个字节内**，尽可能**不超过 128 字节**，如果是 MGET 超过 100 个数据的场景，此时Key名字最好不超过 20 字节。",
					"Keep it within 30 bytes, and if at all possible not over 128; if MGET fetches more than 100 values, a name should preferably not exceed 20 bytes."},
				{onlyTyped, typed, "【推荐】", "Redis key命名需具有可读性以及可管理性，不该使用含义不清的key以及特别长的key名；",
					"Names must be readable and manageable; names with unclear meaning and very long names should not be used."},
				{onlyUpper, upper, "", "2.key不能太长也不能太短,键名越长越占资源,太短可读性太差",
					"2. A key must be neither too long nor too short: a longer name takes more resources, and one that is too short is hard to understand."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun", "typed"}, "borrowed: 128 bytes is Baidu's upper limit; these documents give no number"},
				{onlyUpper, "borrowed: 30 bytes is Baidu's recommendation; ours: a name under 3 bytes has no readable meaning"},
			},
		},
	})
}
