package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "key-pattern",
		Section:  SectionNames,
		Title:    "name that matches none of the team's regular expressions",
		Optional: true,
		Lists: &Lists{Entry: "a regular expression", Example: `"^(prd|uat):[a-z]+:.+$"`,
			pattern: func(entry string) string { return entry }},
		check: func(c *compiler) {
			for i := range c.Lists {
				l := &c.Lists[i]
				c.whenSevere(always, -1, 0, l.Severity, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
					return !l.matches(k.Name)
				})
			}
		},
		text: func(x *explainer) message.Message {
			l := x.listOf(func(l *List) bool { return !l.matches(x.key.Name) })
			if l == nil || len(l.Entries) != 1 {
				return x.found("the name matches none of {entries}", l.entries())
			}
			return x.found("the name does not match {entries}", l.entries())
		},
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Write names as the team's pattern demands.")
			x.rename()
		},
		Doc: Doc{
			What: "A name that matches none of the regular expressions (RE2) that a severity lists. An expression matches " +
				"anywhere in a name: ^ and $ bind it to the beginning and the end. Of a name over 32 KB only the first 32 KB are " +
				"matched. An override's expressions replace those for all keys. Off until the team sets an expression.",
			Why: "A team's own convention is often more exact than a number of segments: the environments, the business " +
				"modules, the form of an identifier.",
			Fix:     "Write names in the agreed form, or add the new form to the rule.",
			Example: `dev:user:1, where key-pattern has error: "^(prd|uat):[a-z]+:.+$".`,
		},
	})
}
