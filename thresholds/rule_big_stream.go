package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "big-stream",
		Section: SectionSize,
		Title:   "stream with more entries than the limit",
		Unit:    Count,
		PerType: true,
		Types:   []parser.Type{parser.Stream},
		compile: func(c *compiler) { c.over(elements, nil) },
		Doc: Doc{
			What: "A stream with more entries (XLEN) than the limit.",
			Why: "A stream that nobody trims grows for ever: acknowledging an entry does not remove it. Reading from its start, loading it and deleting " +
				"it take time in proportion to its length.",
			Fix:     "Trim as you write (XADD key MAXLEN ~ 10000 * ...), or by age (XTRIM key MINID ~ id); begin a new stream each day or month.",
			Example: "events:orders, a stream of 3,400,000 entries: over 100,000.",
			Sources: []Source{
				{everyProfile, Baidu, "", "用 List 类型做消息队列，**要注意生产和消费保持平衡**，并且通过 LEN 检查长度，通过 LTRIM 对队列的长度进行控制，及时截断；",
					"Where a list serves as a message queue, see that producers and consumers stay in balance, check its length with LLEN, and keep it in bounds in time with LTRIM."},
			},
			Notes: []Note{{everyProfile, "ours: no document names streams, and none a length for them; the sentence on queues is the nearest"}},
		},
	})
}
