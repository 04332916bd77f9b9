package thresholds

func init() {
	register(Rule{
		Name:    "big-element",
		Section: SectionSize,
		Title:   "collection or stream whose largest element is over the limit",
		Unit:    Bytes,
		PerType: true,
		Types:   withElements,
		compile: func(c *compiler) { c.over(largest, nil) },
		Doc: Doc{
			What: "A collection or stream whose largest element is over the limit: a hash's field and value together, a list's item, a member, the " +
				"fields and values of one stream entry.",
			Why: "Commands over a whole collection multiply the size of its elements. A single long field or value also makes the server " +
				"give up the compact encoding of the whole key.",
			Fix:     "Keep the large part under a key of its own and put that key's name into the element; store strings, not JSON documents.",
			Example: "edu:0:info, whose field school.list holds a JSON text of 6,120 bytes: over 4KB.",
			Sources: []Source{
				{[]string{"default", "baidu"}, Baidu, "", "复合类型元素或者成员的 Value 建议小于 4k，避免 HGETALL，LRANGE 0 -1，SMEMBERS 取全集导致 Redis 压力过大；",
					"The value of an element or member of a composite type should be smaller than 4k, so that HGETALL, LRANGE 0 -1 and SMEMBERS do not put Redis under too much pressure."},
			},
			Notes: []Note{{onlyDefault, "borrowed: Baidu alone names a size for elements, and no other document allows more"}},
		},
	})
}
