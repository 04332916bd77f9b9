package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "key-structure",
		Section: SectionNames,
		Title:   "name with too few segments, or an empty one",
		Unit:    Count,
		Bound:   Under,
		PerType: true,
		compile: func(c *compiler) {
			c.under(unsegmented, func(k *parser.Key, f *Facts, found *Finding) bool {
				found.Measured = int64(f.Segments)
				if f.EmptySegment {
					found.Note = noteEmptySegment
				}
				return true
			})
		},
		Doc: Doc{
			What: "A name with fewer segments between separators than the limit, or with an empty segment (user::1, :user, user:). The separators are " +
				"those of the configuration, else of the profile.",
			Why:     "The first segment says whose key it is: without it, names of different businesses clash, and nobody can tell what may be deleted.",
			Fix:     "Name keys business:table:id (aliyun), business:meaning (baidu), module:logic:other:type (typed), PROJECT:TABLE:FIELD:ID (upper).",
			Example: "counter: 1 segment, fewer than 2.",
			Sources: []Source{
				{onlyAliyun, Aliyun, "【建议】", "以业务名(或数据库名)为前缀(防止key冲突),用冒号分隔,比如业务名:表名:id",
					"Begin with the name of the business (or of the database), so that keys do not clash, and separate with colons: business:table:id."},
				{onlyBaidu, Baidu, "", "**业务标识可以当做 Key 的前缀，标识和含义内容用“:”分隔**", "The mark of the business can be the prefix of a key; separate mark and meaning with a colon."},
				{onlyBaidu, Baidu, "", "**如果Key本身是拆分 Key，可以使用\"#\"分隔**", "Where a key is one part of a split key, # can separate."},
				{onlyTyped, Typed, "【强制】", "命名规范：业务模块名:业务逻辑含义:其他:value类型", "Naming: business module:meaning in the logic:other:type of the value."},
				{onlyUpper, Upper, "", "结合起来\u00a0 PRO:USER:UID:18", "Put together: PRO:USER:UID:18."},
			},
			Notes: []Note{
				{onlyDefault, "all demand a prefix and a separator, and no two the same number of segments: a warning under two"},
				{onlyBaidu, "the separators are those that the document advises: # : _"},
				{onlyTyped, "other may be left out, so three segments are enough"},
			},
		},
	})
}

// noteEmptySegment is key-structure's note of a name with an empty segment.
const noteEmptySegment = 1
