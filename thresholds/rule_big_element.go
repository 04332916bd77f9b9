package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "big-element",
		Section: SectionSize,
		Title:   "collection or stream whose largest element is over the limit",
		Harm:    Blocks,
		fix: &fix{action: adviseMove, id: "Store {element} of {key} {how}: " +
			"it is {part} of the {size} that a read of the whole value sends."},
		Unit:    message.Bytes,
		PerType: true,
		Types:   withElements,
		check:   func(c *compiler) { c.over(largest, nil) },
		text: func(x *explainer) message.Message {
			switch {
			case x.key.Type == parser.Hash && x.namesLongest():
				return x.found("value of {name} of {measured}, over {limit}", message.Element("name", x.key.LargestName))
			case x.key.Type == parser.Hash:
				return x.found("value of {measured}, over {limit}")
			case len(x.key.LargestName) > 0:
				return x.found("largest element {name} of {measured}, over {limit}", message.Element("name", x.key.LargestName))
			}
			return x.found("largest element of {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			name := x.key.LargestName
			if len(name) == 0 || x.key.LargestNameLen > int64(len(name)) || x.key.Type == parser.Hash && !x.namesLongest() {
				x.moveElementOut(x.Measured)
			} else {
				var commands []message.Message
				if x.key.Type == parser.Hash && x.server.AtLeast(3, 2) {
					commands = x.command("HSTRLEN {key} {field}", message.Element("field", name))
				}
				x.advise(adviseSplit, commands, "Store {element} {how}, and the name in its place.",
					message.Element("element", name), message.Phrase("how", x.outside(x.Measured)))
			}
			x.readCost()
			x.inspect()
		},
		Doc: Doc{
			What: "A collection or stream whose largest element is over the limit. An element is a list item, a member, or " +
				"the fields and values of one stream entry; of a hash the value alone counts, without its field.",
			Why: "Commands that read a whole collection multiply the size of its elements. A single long field or value also " +
				"makes the server abandon the compact encoding of the whole key.",
			Fix: "Store the large part under a key of its own and put that key's name into the element. Store strings, " +
				"not JSON documents.",
			Example: "edu:0:info, whose field school.list holds a JSON text of 6,120 bytes: over 4 KB.",
		},
	})
}

// namesLongest reports whether LargestName is the field of the hash's longest value.
// It is that of the largest pair, which may have a shorter value and a longer field.
func (x *explainer) namesLongest() bool {
	return len(x.key.LargestName) > 0 && x.key.LargestNameLen+x.Measured == x.key.Largest
}
