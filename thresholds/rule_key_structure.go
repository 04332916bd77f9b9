package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

func init() {
	register(Rule{
		Name:    "key-structure",
		Section: SectionNames,
		Title:   "name with too few segments",
		Unit:    message.Count,
		Bound:   Under,
		PerType: true,
		check:   func(c *compiler) { c.under(fewSegments, nil) },
		text: func(x *explainer) message.Message {
			return x.counted("1 segment, fewer than {limit}", "{measured} segments, fewer than {limit}")
		},
		advise: func(x *explainer) {
			// The profile's pattern, unless the team demands more segments than it
			// has, or uses other separators.
			pattern, separators := namePatterns[x.policy.Profile.Value], x.policy.Separators.Value
			if strings.Contains(separators, ":") && int64(strings.Count(pattern, ":")) >= x.Limit-1 {
				x.advise(adviseName, nil, "Follow the pattern of the profile: {pattern}.", message.Code("pattern", pattern))
			} else {
				x.advise(adviseName, nil, "Use {n} or more segments, with {separators} as the separator.",
					message.Int("n", x.Limit), separatorList(separators))
			}
			x.rename()
		},
		Doc: Doc{
			What:    "A name with fewer segments between separators than the limit. The separators are those of the configuration, or else of the profile.",
			Why:     "The first segment shows whose key it is. Without it, names of different businesses collide, and nobody can tell what may be deleted.",
			Fix:     "Name keys business:table:id (aliyun), business:meaning (baidu), module:logic:other:type (typed), PROJECT:TABLE:FIELD:ID (upper).",
			Example: "counter: 1 segment, fewer than 2.",
		},
	})
}

// namePatterns show names as the profiles demand them.
var namePatterns = map[string]string{"default": "business:table:id", "aliyun": "business:table:id", "baidu": "business:meaning",
	"typed": "module:logic.words:other:type", "upper": "PROJECT:TABLE:FIELD:ID"}

// separatorList returns the separators as the argument {separators}: ":" or "#".
func separatorList(separators string) message.Arg {
	var list []message.Message
	for _, c := range []byte(separators) {
		list = append(list, message.New("{separator}", message.Code("separator", string(rune(c)))))
	}
	return message.List("separators", " or ", list)
}
