package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-abbreviation",
		Section: SectionNames,
		Title:   "word that has an agreed short form",
		idle: func(p *Policy, s *Setting) string {
			if len(p.Abbreviations) == 0 {
				return "there are no abbreviations"
			}
			return ""
		},
		check: func(c *compiler) {
			words := c.engine.words
			c.when(classes, int64(naming.ClassLower|naming.ClassUpper), 0,
				func(k *parser.Key, f *naming.Facts, found *Finding) bool {
					_, at := words.Find(k.Name)
					return at >= 0
				})
		},
		text: func(x *explainer) message.Message {
			w := x.abbreviation()
			return x.found("{long} has the short form {short}", message.Name("long", w.Long), message.Name("short", w.Short))
		},
		advise: func(x *explainer) {
			w := x.abbreviation()
			x.advise(adviseName, nil, "Write {short} instead of {long}.", message.Name("long", w.Long),
				message.Name("short", w.Short))
			x.rename()
		},
		Doc: Doc{
			What: "A word, or several consecutive words, for which the configuration lists a short form. Case does not " +
				"matter. A word ends at anything but a letter, and before a capital that follows a small letter (filePath). " +
				"Consecutive words are in one segment, with at most one character between them: file.path is file path, " +
				"file:path is not. Off if the configuration lists none.",
			Why:     "Every key's name is stored in memory; agreed short forms keep names short and still readable.",
			Fix:     "Use the short form in the list.",
			Example: "economic:2026:rate, where abbreviations has economic: ec.",
		},
	})
}

// abbreviation returns the first abbreviation that the name does not use.
func (x *explainer) abbreviation() Abbreviation {
	if entry, at := x.words.Find(x.key.Name); at >= 0 {
		return x.policy.Abbreviations[entry]
	}
	return Abbreviation{}
}
