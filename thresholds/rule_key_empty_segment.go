package thresholds

import "github.com/rdblens/rdblens/parser/message"

func init() {
	register(Rule{
		Name:    "key-empty-segment",
		Section: SectionNames,
		Title:   "name with an empty segment",
		check:   func(c *compiler) { c.when(emptySegments, -1, 0, nil) },
		text:    func(x *explainer) message.Message { return x.found("an empty segment") },
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Find out which variable was empty when the name was built, and fill it.")
			x.rename()
		},
		Doc: Doc{
			What: "A name with an empty segment (user::1), with a separator at the beginning or at the end, or without any " +
				"byte. The separators are those of the configuration, or else of the profile. Names that a recognised library " +
				"writes in this form are not counted.",
			Why: "A variable was most likely empty when the name was built: keys of different users or things then share " +
				"a name, and overwrite each other.",
			Fix:     "Reject empty values where names are built.",
			Example: "cart::items: an empty segment.",
		},
	})
}
