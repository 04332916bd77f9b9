package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-structure",
		Section: SectionNames,
		Title:   "name with too few segments",
		Unit:    message.Count,
		Bound:   Under,
		PerType: true,
		Params: []Param{{Name: "also", Kind: CharsParam,
			Doc: "further characters that separate segments for this rule; those of a profile have no effect if the " +
				"configuration sets separators"}},
		check: func(c *compiler) {
			also := alsoSeparators(c.engine.policy, c.Setting)
			var classes [256]uint8
			for b := range classes {
				if c.engine.namer.IsSeparator(byte(b)) {
					classes[b] = separator
				} else if strings.IndexByte(also, byte(b)) >= 0 {
					classes[b] = furtherSeparator
				}
			}
			levels := c.levels(c.typ)
			c.under(fewSegments, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.Measured = int64(f.Segments)
				if also == "" {
					return true
				}
				found.Measured += furtherSegments(k.Name, &classes)
				for _, l := range levels {
					if found.Measured < l.limit {
						found.Severity, found.Limit = l.severity, l.limit
						return true
					}
				}
				return false
			})
		},
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
			What: "A name with fewer segments between separators than the limit. The separators are those of the " +
				"configuration, or else of the profile.",
			Why: "The first segment shows whose key it is. Without it, names of different businesses collide, and nobody " +
				"can tell what may be deleted.",
			Fix: "Name keys business:table:id (aliyun), business:meaning (baidu), module:logic:other:type (typed), " +
				"PROJECT:TABLE:FIELD:ID (upper).",
			Example: "counter: 1 segment, fewer than 2.",
		},
	})
}

// alsoSeparators returns the characters that separate segments for the rule only.
func alsoSeparators(p *Policy, s *Setting) string {
	also := s.Param("also")
	if also.Origin.Kind == FromProfile && p.Separators.Origin.Kind > FromProfile {
		return ""
	}
	return also.Text
}

// The classes of bytes that furtherSegments distinguishes; 0 is any other.
const (
	separator = iota + 1
	furtherSeparator
)

// furtherSegments returns the number of segments that further separators add to a name.
// One that is next to another, or begins or ends the name, adds none.
func furtherSegments(name []byte, classes *[256]uint8) (n int64) {
	if len(name) < 3 {
		return 0
	}
	for i, b := range name[1 : len(name)-1] { // most names have none: this loop is all that they cost
		if classes[b] == furtherSeparator && classes[name[i]] == 0 && classes[name[i+2]] != separator {
			n++
		}
	}
	return n
}

// namePatterns show names as the profiles demand them.
var namePatterns = map[string]string{"default": "business:table:id", "aliyun": "business:table:id",
	"baidu": "business:meaning", "typed": "module:logic.words:other:type", "upper": "PROJECT:TABLE:FIELD:ID"}

// separatorList returns the separators as the argument {separators}: ":" or "#".
func separatorList(separators string) message.Arg {
	var list []message.Message
	for _, c := range []byte(separators) {
		list = append(list, message.New("{separator}", message.Code("separator", string(rune(c)))))
	}
	return message.List("separators", " or ", list)
}
