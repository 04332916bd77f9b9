package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "queue-backlog",
		Section: SectionInstance,
		Title:   "queue whose producers outrun its consumers",
		Unit:    Count,
		PerType: true,
		Types:   []parser.Type{parser.List, parser.Stream},
		compile: func(c *compiler) {
			if c.typ == parser.Stream {
				c.over(pending, nil)
				return
			}
			c.over(elements, nil)
		},
		Doc: Doc{
			What:    "A list longer than the limit, or a stream with more pending entries (delivered to consumers and not acknowledged, over all groups) than the limit.",
			Why:     "Producers outrun consumers: the queue grows until the memory is full, and when consumption comes back it comes all at once.",
			Fix:     "Add consumers, or find out which one is stuck (XPENDING key group); bound the queue with LTRIM or XADD MAXLEN; take over abandoned entries with XAUTOCLAIM.",
			Example: "mq:orders, a stream with 48,211 pending entries: over 1,000.",
			Sources: []Source{
				{[]string{"default", "aliyun", "baidu"}, Baidu, "", "用 List 类型做消息队列，**要注意生产和消费保持平衡**，并且通过 LEN 检查长度，通过 LTRIM 对队列的长度进行控制，及时截断；",
					"Where a list serves as a message queue, see that producers and consumers stay in balance, check its length with LLEN, and keep it in bounds in time with LTRIM."},
				{onlyBaidu, Baidu, "", "消息队列要监控上下游的生产消费速度，或者监控队列长度，避免任务堆积；",
					"Watch how fast a queue is filled and emptied, or its length, so that tasks do not pile up."},
			},
			Notes: []Note{
				{[]string{"default", "aliyun"}, "borrowed: from Baidu's text, for streams alone: a long list may be no queue"},
				{[]string{"default", "aliyun", "baidu"}, "ours: 1000 is the number of elements that the text advises elsewhere"},
			},
		},
	})
}
