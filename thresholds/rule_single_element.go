package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "single-element",
		Section: SectionSize,
		Title:   "collection with one element, where a string would do",
		Types:   collections,
		compile: func(c *compiler) {
			c.when(lacking, -1, -2, func(k *parser.Key, f *Facts, found *Finding) bool {
				return k.Elements == 1
			})
		},
		Doc: Doc{
			What:    "A hash, list, set or sorted set with exactly one element.",
			Why:     "A string is the simplest type: it takes less memory than a collection of one element, and every client and tool can deal with it.",
			Fix:     "Use a string unless more elements are to come. Queues and sets that happen to hold one element now can be left out with an ignore entry.",
			Example: "user:basic.info:77:hash, a hash with the one field name.",
			Sources: []Source{
				{onlyTyped, Typed, "【推荐】", "在不能确定其它复杂数据结构⼀定优于String类型时，避免使用Redis的复杂数据结构。 每种数据结构都有相应的使⽤场景，String类型是Redis中最简单的数据类型，建议使用String类型。",
					"Where it is not certain that another, more complex structure is better than a string, avoid the complex structures of Redis. Each has its use; the string is the simplest type of Redis, and is advised."},
			},
		},
	})
}
