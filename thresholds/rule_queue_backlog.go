package thresholds

import (
	"fmt"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "queue-backlog",
		Section: SectionInstance,
		Title:   "queue whose producers are faster than its consumers",
		Harm:    Blocks,
		Brief:   "Find out why nobody empties {key}: {text}.",
		Unit:    message.Count,
		PerType: true,
		Types:   []parser.Type{parser.List, parser.Stream},
		check: func(c *compiler) {
			if c.typ == parser.Stream {
				c.over(pending, nil)
				return
			}
			c.over(elements, nil)
		},
		text: func(x *explainer) string {
			if x.key.Type == parser.Stream {
				return x.counted("1 pending entry, over {limit}", "{measured} pending entries, over {limit}")
			}
			return x.counted("1 item, over {limit}", "{measured} items, over {limit}")
		},
		advise: func(x *explainer) {
			if x.key.Type == parser.Stream {
				x.advise(adviseQueue, x.commands("XINFO GROUPS %s", "XINFO STREAM %s"),
					"Find the consumer that does not acknowledge; take over its entries with XAUTOCLAIM (Redis 6.2 and later) or XCLAIM.")
			} else {
				x.advise(adviseQueue, x.commands("LLEN %s"), "Add consumers, or find the one that is stuck; limit the length of the queue on writing.")
				x.trimQueue("RPUSH", "head", fmt.Sprintf("LTRIM %%s %d -1", -x.Limit))
				x.trimQueue("LPUSH", "tail", fmt.Sprintf("LTRIM %%s 0 %d", x.Limit-1))
			}
			x.inspect()
		},
		Doc: Doc{
			What:    "A list longer than the limit, or a stream with more pending entries than the limit (delivered to consumers but not acknowledged, in all groups together).",
			Why:     "Producers are faster than consumers: the queue grows until the memory is full, and when the consumers recover, the whole backlog is consumed at once.",
			Fix:     "Add consumers, or find out which one is stuck (XPENDING key group). Limit the queue with LTRIM or XADD MAXLEN. Take over abandoned entries with XAUTOCLAIM.",
			Example: "mq:orders, a stream with 48,211 pending entries: over 1,000.",
		},
	})
}

// trimQueue adds a command that cuts a queue to the limit, and what it discards, by
// the command that producers write with and the end at which the oldest items are.
// For a limit of 0 no LTRIM of this form does so.
func (x *explainer) trimQueue(push, end, command string) {
	if x.arg == "" || x.Limit <= 0 {
		return
	}
	x.change(adviseDelete, x.fill("if jobs may be lost, and producers write with {push}", "push", push), x.commands(command),
		"LTRIM discards {lost} of the {all} items that were queued when the snapshot was taken, the oldest, at the {end}, and keeps the newest {keep}.",
		"lost", comma(x.Measured-x.Limit), "all", comma(x.Measured), "end", end, "keep", comma(x.Limit))
}
