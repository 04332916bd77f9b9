package thresholds

func init() {
	register(Rule{
		Name:     "multiple-databases",
		Section:  SectionInstance,
		Title:    "keys in more than one database",
		Instance: true,
		unit:     func(uint8) Unit { return Count },
		Doc: Doc{
			What: "A snapshot with keys in more than one database. One finding for the snapshot.",
			Why: "All databases share one thread and one memory: what one business does slows the others. Many clients and proxies support SELECT badly, and a " +
				"cluster has only database 0.",
			Fix:     "Give each business an instance of its own, and keep keys apart by prefixes within it.",
			Example: "db 0, 1, 7: 3 databases with keys.",
			Sources: []Source{
				{[]string{"default", "aliyun"}, Aliyun, "【推荐】", "redis的多数据库较弱,使用数字进行区分,很多客户端支持较差,同时多业务用多数据库实际还是单线程处理,会有干扰。",
					"The databases of Redis are weak: they are told apart by numbers, many clients support them badly, and several businesses in several databases are still served by one thread and disturb each other."},
			},
			Notes: []Note{{onlyDefault, "one document recommends it and none wants more than one database: a warning"}},
		},
	})
}
