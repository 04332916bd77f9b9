package thresholds

func init() {
	register(Rule{
		Name:     "mixed-business",
		Section:  SectionInstance,
		Title:    "more businesses on one instance than the limit",
		Instance: true,
		Unit:     Count,
		Doc: Doc{
			What: "More different first segments of names than the limit. Numbers, hexadecimal of at least eight digits and UUIDs are no businesses, and names " +
				"without a separator have no first segment. The first 4096 are told apart. One finding for the snapshot.",
			Why:     "Businesses that have nothing to do with each other disturb each other: one's big key or full memory is everyone's failure.",
			Fix:     "Split unrelated businesses onto instances of their own, and make what they share a service.",
			Example: "14 first segments, over 10: user, order, cart, ...",
			Sources: []Source{
				{onlyAliyun, Aliyun, "【推荐】", "避免多个应用使用一个Redis实例", "Avoid that several applications use one Redis instance. (Better: split unrelated businesses, and turn shared data into a service.)"},
			},
			Notes: []Note{{onlyAliyun, "ours: the document names no number, and a snapshot knows applications only by the first segment of their names"}},
		},
	})
}
