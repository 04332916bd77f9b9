package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:     "key-type",
		Section:  SectionNames,
		Title:    "key of a type that the team does not allow",
		Optional: true,
		Lists:    &Lists{Entry: "a type", Example: "{allowed: [string, hash]}", Named: true, Known: typeNames()},
		check: func(c *compiler) {
			for i := range c.Lists {
				if l := &c.Lists[i]; l.flags(c.typ.String()) {
					c.whenSevere(always, -1, 0, l.Severity, nil)
				}
			}
		},
		text: func(x *explainer) message.Message {
			typ := message.Text("type", x.key.Type.String())
			l := x.listOf(func(l *List) bool { return l.flags(x.key.Type.String()) })
			if l == nil || l.Forbidden {
				return x.found("type {type} is forbidden", typ)
			}
			return x.found("type {type}, allowed: {entries}", typ, l.entries())
		},
		advise: func(x *explainer) {
			x.advise(adviseEncoding, nil,
				"Store it as one of the types that the team allows here, or under a name for which this type is allowed.")
			x.inspect()
		},
		Doc: Doc{
			What: "A key whose type, as TYPE says it, is not among those that are allowed, or is one that is forbidden; in " +
				"an override for the keys of a pattern. Off until the team sets a list.",
			Why:     "Programs that share keys rely on their types; a command for another type fails at run time (WRONGTYPE).",
			Fix:     "Write the key with an allowed type, or under a name for which the type is allowed.",
			Example: "prd:counter:1, a hash, where an override for prd:counter:* has key-type: {error: {allowed: [string]}}.",
		},
	})
}

func typeNames() (names []string) {
	for t := range parser.NumTypes {
		names = append(names, t.String())
	}
	return names
}

// flags reports whether a word is forbidden, or not allowed.
func (l *List) flags(word string) bool { return slices.Contains(l.words, word) == l.Forbidden }
