package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

func init() {
	register(Rule{
		Name:    "key-structure",
		Section: SectionNames,
		Title:   "name with too few segments, or an empty one",
		Unit:    units.Count,
		Bound:   Under,
		PerType: true,
		check: func(c *compiler) {
			c.under(fewSegments, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.Measured = int64(f.Segments)
				if f.EmptySegment {
					found.note = noteEmptySegment
				}
				return true
			})
		},
		text: func(x *explainer) string {
			if x.note == noteEmptySegment {
				return x.found("an empty segment")
			}
			return x.counted("1 segment, fewer than {limit}", "{measured} segments, fewer than {limit}")
		},
		advise: func(x *explainer) {
			// The profile's pattern, unless the team demands more segments than it
			// has, or uses other separators.
			pattern, separators := namePatterns[x.policy.Profile.Value], x.policy.Separators.Value
			if strings.Contains(separators, ":") && int64(strings.Count(pattern, ":")) >= x.Limit-1 {
				x.advise(adviseName, nil, "Follow the pattern of the profile: {pattern}.", "pattern", pattern)
			} else {
				x.advise(adviseName, nil, "Use {n} or more segments, none of them empty, with {separators} as the separator.",
					"n", comma(x.Limit), "separators", strings.Join(strings.Split(separators, ""), " or "))
			}
			x.rename()
		},
		Doc: Doc{
			What: "A name with fewer segments between separators than the limit, or with an empty segment (user::1, :user, user:). The separators are " +
				"those of the configuration, or else of the profile.",
			Why:     "The first segment shows whose key it is. Without it, names of different businesses collide, and nobody can tell what may be deleted.",
			Fix:     "Name keys business:table:id (aliyun), business:meaning (baidu), module:logic:other:type (typed), PROJECT:TABLE:FIELD:ID (upper).",
			Example: "counter: 1 segment, fewer than 2.",
			Sources: []Source{
				{onlyAliyun, aliyun, "【建议】", "以业务名(或数据库名)为前缀(防止key冲突),用冒号分隔,比如业务名:表名:id",
					"Use the name of the business (or of the database) as a prefix, to prevent conflicts between keys, and separate with colons: business:table:id."},
				{onlyBaidu, baidu, "", "**业务标识可以当做 Key 的前缀，标识和含义内容用“:”分隔**", "The business identifier can be the prefix of a key; separate identifier and meaning with a colon."},
				{onlyBaidu, baidu, "", "**如果Key本身是拆分 Key，可以使用\"#\"分隔**", "If the key is one part of a split key, # can be the separator."},
				{onlyTyped, typed, "【强制】", "命名规范：业务模块名:业务逻辑含义:其他:value类型", "Naming: business module:business meaning:other:type of the value."},
				{onlyUpper, upper, "", "结合起来\u00a0 PRO:USER:UID:18", "Combined: PRO:USER:UID:18."},
			},
			Notes: []Note{
				{everyProfile, "ours: no document mentions empty segments; user::1 has a part without a meaning, and names of this form (Spring's cache::id) are hard to tell from mistakes"},
				{onlyDefault, "all demand a prefix and a separator, and no two the same number of segments: a warning under two; # counts as a separator because Baidu's text recommends it (uid#0#0)"},
				{onlyBaidu, "the separators are those that the document recommends: # : _"},
				{onlyTyped, "ours: the document does not say that its third part, other, may be omitted; it often is, so three segments are enough"},
			},
		},
	})
}

// noteEmptySegment is the note on a name with an empty segment.
const noteEmptySegment = 1

// namePatterns show names as the profiles demand them.
var namePatterns = map[string]string{"default": "business:table:id", "aliyun": "business:table:id", "baidu": "business:meaning",
	"typed": "module:logic.words:other:type", "upper": "PROJECT:TABLE:FIELD:ID"}
