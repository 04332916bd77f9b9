package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "big-stream",
		Section: SectionSize,
		Title:   "stream with more entries than the limit",
		Harm:    Blocks,
		fix: &fix{action: adviseQueue,
			id: "Find out which entries of {key} are still read: it has {elements} and takes {memory}."},
		Unit:    message.Count,
		PerType: true,
		Types:   []parser.Type{parser.Stream},
		check:   func(c *compiler) { c.over(elements, nil) },
		text: func(x *explainer) message.Message {
			return x.counted("1 entry, over {limit}", "{measured} entries, over {limit}")
		},
		advise: func(x *explainer) {
			x.readCost()
			x.change(adviseTrim, message.New("if the oldest entries may be lost"), nil,
				"Trim it to what all groups have read and acknowledged: {trim}, where id is the lowest of their oldest pending "+
					"entries (XPENDING) and last-delivered IDs (XINFO GROUPS). {add} caps it on writing (~ may leave some more), "+
					"and loses what a group has not read by then.",
				message.Code("trim", "XTRIM key MINID id"), message.Code("add", "XADD key MAXLEN ~ "+decimal(x.Limit-x.Limit/10)+" * ..."))
			x.newStreams()
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A stream with more entries (XLEN) than the limit.",
			Why: "A stream that is never trimmed grows without bound: acknowledging an entry does not remove it. Reading from " +
				"its start, loading it and deleting it take time proportional to its length.",
			Fix: "Trim it to what all its groups have read and acknowledged (XTRIM key MINID id), or cap it on writing if " +
				"the oldest entries may be lost (XADD key MAXLEN ~ 10000 * ...); or start a new stream each day or month.",
			Example: "events:orders, a stream of 3,400,000 entries: over 100,000.",
		},
	})
}
