package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "big-collection",
		Section: SectionSize,
		Title:   "hash, list, set or sorted set with more elements than the limit",
		Harm:    Blocks,
		fix: &fix{action: adviseSplit, id: "Split {key}: a command on all of its {elements} makes every other client wait.",
			otherwise: &fix{action: adviseCost,
				id:        "Read {key} in parts: a command on all of its {elements} makes every other client wait.",
				otherwise: fixOfQueue}},
		Unit:    message.Count,
		PerType: true,
		Types:   append(slices.Clip(collections), parser.JSON),
		check:   func(c *compiler) { c.over(elements, nil) },
		text: func(x *explainer) message.Message {
			return x.counted("1 element, over {limit}", "{measured} elements, over {limit}")
		},
		advise: func(x *explainer) {
			x.readCost()
			x.split(anyPart)
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A hash, list, set or sorted set with more elements (HLEN, LLEN, SCARD, ZCARD) than the limit, or a JSON " +
				"document with more items or members in its root. Limits can be set for each type.",
			Why: "Commands that visit all elements (HGETALL, SMEMBERS, LRANGE 0 -1), and the deletion of the key, take time " +
				"proportional to their number, during which the server serves no other client. A cluster cannot spread one key " +
				"over several nodes, and migrating it blocks.",
			Fix: "Split it as it is read: a hash or a set by a hash of the field, a list by index or period, a sorted set by " +
				"ranges of scores, positions by region. Read it in steps with HSCAN, SSCAN or ZSCAN. Delete it with UNLINK, or " +
				"in batches before Redis 4.0.",
			Example: "fans:10001, a list of 2,000,000 elements: over 5,000.",
		},
	})
}
