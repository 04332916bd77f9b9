package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "big-value",
		Section: SectionSize,
		Title:   "collection or stream whose elements total more bytes than the limit",
		Harm:    Blocks,
		fix: &fix{action: adviseSplit,
			id: "Split {key}: a read of the whole value sends {measured}, and a 1 Gbit/s network card sends {reads} " +
				"a second.",
			otherwise: &fix{action: adviseCost, id: "Read {key} in parts: a read of the whole value sends {measured}.",
				otherwise: fixOfQueue}},
		Unit:    message.Bytes,
		PerType: true,
		Types:   append(slices.Clip(withElements), parser.JSON),
		check:   func(c *compiler) { c.over(valueBytes, nil) },
		text: func(x *explainer) message.Message {
			if n := x.key.Elements; n >= 0 {
				return x.found("{measured} in {elements}, over {limit}",
					message.Number("elements", n, "1 element", "{n} elements"))
			}
			return x.found("{measured}, over {limit}")
		},
		advise: func(x *explainer) {
			x.readCost()
			x.split(wholeElements)
			x.inspect()
			x.delete()
		},
		Doc: Doc{
			What: "A collection, stream or JSON document whose elements' lengths add up to more than the limit: fields and " +
				"values of a hash, members of a set or sorted set (without the scores), items of a list, fields and values of a " +
				"stream. Of a JSON document the bytes of its text (or CBOR) count. Strings are checked by big-string.",
			Why: "A read of the whole value transfers that many bytes: at 1 MB, 128 reads a second fill a 1 Gbit/s network " +
				"card. Migrating such a key to another node of a cluster blocks both nodes.",
			Fix: "Split it so that each part is under the limit. Read parts of it (HMGET, LRANGE 0 50, ZRANGE with LIMIT). " +
				"Keep large texts out of collections.",
			Example: "edu:schools, a hash of 900 fields and 1,400,000 bytes: over 1 MB.",
		},
	})
}

var withElements = []parser.Type{parser.List, parser.Set, parser.ZSet, parser.Hash, parser.Stream, parser.Array}
