package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:     "field-name-length",
		Section:  SectionSize,
		Title:    "hash with a field name longer than the limit",
		Optional: true,
		Types:    []parser.Type{parser.Hash},
		Unit:     message.Bytes,
		details:  parser.DetailFieldNames,
		check:    func(c *compiler) { c.over(fieldName, nil) },
		text: func(x *explainer) message.Message {
			return x.found("a field name of {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil, "Shorten the names of fields: every key of the kind stores them again.")
			x.inspect()
		},
		Doc: Doc{
			What: "A hash whose longest field name has more bytes than the limit. All fields are measured. Off until the " +
				"team sets a limit.",
			Why: "Every hash stores the names of its fields again: a million users with twenty fields have twenty " +
				"million of them.",
			Fix:     "Agree on short names for fields, and keep the long ones in the code.",
			Example: "user:1, with the field preferred_communication_channel, where field-name-length has error: 24B.",
		},
	})
}
