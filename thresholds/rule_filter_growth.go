package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "filter-growth",
		Section: SectionSize,
		Title:   "Bloom or cuckoo filter that has grown into many filters",
		Harm:    Blocks,
		Unit:    message.Count,
		Types:   []parser.Type{parser.Bloom, parser.Cuckoo, parser.ValkeyBloom},
		check:   func(c *compiler) { c.over(filters, nil) },
		text: func(x *explainer) message.Message {
			return x.counted("1 filter, over {limit}", "{measured} filters, over {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil, "Make a new filter for as many items as it will have (BF.RESERVE, CF.RESERVE), fill "+
				"it from the source of the items while writers add to both, and rename it over this one: "+
				"a filter cannot be merged or read back. It has {elements} items now.",
				message.Int("elements", max(x.key.Elements, 0)))
			x.inspect()
		},
		Doc: Doc{
			What: "A Bloom or cuckoo filter (RedisBloom, valkey-bloom) that consists of more filters than the limit: each " +
				"time it was full, another one was added.",
			Why: "A look-up asks the filters one after the other, so that an item which is not there costs as many look-ups " +
				"as there are filters. All filters together also take more memory than one of the right size, and more items are " +
				"found that are not there.",
			Fix:     "Reserve it for the number of items that it will have, or with a larger expansion.",
			Example: "seen:urls, a Bloom filter made for 100 items that has 1,000,000: 14 filters, over 4.",
		},
	})
}
