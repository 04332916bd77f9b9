package thresholds

import (
	"bytes"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-hashtag",
		Section: SectionNames,
		Title:   "name with {…}, a hash tag",
		idle:    withoutTags,
		check: func(c *compiler) {
			severity := c.Severity
			if !c.engine.env.Cluster && c.Origin.Kind < FromFile { // what a team says counts everywhere
				severity = max(severity-1, Info)
			}
			c.whenSevere(classes, int64(naming.ClassBrace), 0, severity,
				func(k *parser.Key, f *naming.Facts, found *Finding) bool {
					if f.TagEnd > f.TagStart {
						return true
					}
					open := bytes.IndexByte(k.Name, '{')
					return open >= 0 && bytes.IndexByte(k.Name[open:], '}') > 0
				})
		},
		text: func(x *explainer) message.Message {
			f := x.facts()
			if f.TagEnd <= f.TagStart {
				return x.found("braces without a hash tag")
			}
			return x.found("hash tag {tag}", message.Name("tag", x.key.Name[f.TagStart-1:f.TagEnd+1]))
		},
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Omit the braces unless a command needs such keys in one slot.")
			if x.env.Cluster {
				x.advise(adviseInstance, x.commands("CLUSTER KEYSLOT {key}"),
					"In a cluster the tag determines the slot: make sure that few keys share it.")
			}
			x.rename()
		},
		Doc: Doc{
			What: "A name with { and } around something, or with {}. Its severity is that of the setting if the snapshot " +
				"shows cluster mode or --cluster is given, and one less elsewhere (an info instead of a warning), where tags " +
				"have no effect, unless the team sets it. Not checked if hashtags: false says that the proxy ignores tags.",
			Why: "A cluster chooses the slot by what is in the braces: all keys with the same tag are on one node, " +
				"intended or not.",
			Fix: "Omit braces from names. If keys must be in one slot for a transaction or a script, keep the tag, and " +
				"keep the data that shares it small.",
			Example: "{user}:1001:name: every key of this form is in the same slot.",
		},
	})
}

// withoutTags returns why rules on hash tags check nothing: tags have no effect.
func withoutTags(p *Policy, s *Setting) string {
	if p.HashTags.Value {
		return ""
	}
	return "hashtags is false"
}
