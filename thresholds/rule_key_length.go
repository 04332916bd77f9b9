package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:    "key-length",
		Section: SectionNames,
		Title:   "name that is too long, or too short",
		Unit:    message.Bytes,
		Bound:   Both,
		PerType: true,
		Params:  []Param{countInfo},
		check: func(c *compiler) {
			c.over(nameLength, nil)
			c.under(shortName, nil)
		},
		text: func(x *explainer) message.Message {
			if x.Measured < x.Limit {
				return x.found("name of {measured}, under {limit}")
			}
			return x.found("name of {measured}, over {limit}")
		},
		advise: func(x *explainer) {
			if x.Measured < x.Limit {
				x.advise(adviseName, nil, "Choose a name that describes the content.")
			} else {
				x.advise(adviseName, nil, "Shorten the words but keep the meaning; this saves {saved} for each name of this form.",
					message.ExactSize("saved", x.Measured-x.Limit))
			}
			x.rename()
		},
		Doc: Doc{
			What: "A name with more bytes than the limit, or with fewer than the limit under.",
			Why: "Every key's name is stored in memory: at 100 million keys, 20 bytes less save 2 GB. A name that is too " +
				"short does not show whose key it is.",
			Fix:     "Keep the meaning and shorten the words: user:{uid}:friends:messages:{mid} becomes u:{uid}:fr:m:{mid}.",
			Example: "a name of 131 bytes: over 128 B.",
		},
	})
}
