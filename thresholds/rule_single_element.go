package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "single-element",
		Section: SectionSize,
		Title:   "collection with one element, where a string would do",
		Harm:    UsesMemory,
		Types:   collections,
		check: func(c *compiler) {
			c.when(fewElements, -1, -2, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				return k.Elements == 1
			})
		},
		text: func(x *explainer) message.Message {
			return x.found("{type} with one element", message.Text("type", x.key.Type.String()))
		},
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil, "A string takes no more memory than a {type} with one element, and mostly less, "+
				"unless more elements are to come.", message.Text("type", x.key.Type.String()))
			x.inspect()
		},
		Doc: Doc{
			What: "A hash, list, set or sorted set with exactly one element.",
			Why: "A string is the simplest type: it takes no more memory than a collection of one element, and every " +
				"client and tool supports it.",
			Fix: "Use a string unless more elements are to come. Queues and sets that happen to hold one element at the " +
				"moment can be excluded with an ignore entry.",
			Example: "user:basic.info:77:hash, a hash whose only field is name.",
		},
	})
}
