package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-charset",
		Section: SectionNames,
		Title:   "name with a character outside of the profile's set",
		Params: []Param{
			{Name: "allowed", Kind: CharsParam, Doc: "the characters that names may have, such as a-z0-9.: (empty: any)"},
			{Name: "first", Kind: CharsParam, Doc: "the characters that names may begin with (empty: any)"},
			{Name: "forbidden", Kind: CharsParam, Doc: "characters that names may not have"},
			{Name: "between_digits", Kind: FlagParam, Doc: "allow a forbidden character between two digits, as in dates and versions"},
		},
		unit: func(uint8) Unit { return Count },
		compile: func(c *compiler) {
			s := charset(c.Setting)
			if s.Suspect() == 0 && !s.LimitsFirst() {
				return
			}
			m, mask := classes, int64(s.Suspect())
			if s.LimitsFirst() {
				m, mask = always, -1
			}
			c.when(m, mask, 0, func(k *parser.Key, f *Facts, found *Finding) bool {
				found.Measured = s.Violations(k.Name, f)
				return found.Measured > 0
			})
		},
		Doc: Doc{
			What:    "A name with a character outside of the profile's set: one that is not allowed, one that may not come first, or one that is forbidden (but between two digits where the profile says so).",
			Why:     "One alphabet for all names makes them readable, lets them be split by their separators without doubt, and keeps out what shells and expressions take for operators.",
			Fix:     "Rename: separate meanings with : and words as the profile says.",
			Example: "User_Name:1 under typed: capital letters, an underscore and a first letter that is not a-z.",
			Sources: []Source{
				{onlyBaidu, Baidu, "", "Key 名字使用的分隔符号不建议使用空格和可能引起运算的符号（“-”，“.”，“+”，“=”，......），建议用 “#”，“:”，“_”",
					"As separators in names, spaces and signs that may be taken for operators (- . + = ...) are not advised; use # : _."},
				{onlyTyped, Typed, "【强制】", "以英文字母开头，命名中只能出现小写字母、数字、英文点号(.)和英文半角冒号(:)；",
					"Names begin with an English letter and consist of lower-case letters, digits, dots (.) and colons (:) alone."},
				{onlyUpper, Upper, "", "1.建议全部大写", "1. All in capitals, we advise."},
				{onlyUpper, Upper, "", "3.key 单词与单词之间以\u00a0 : 分开", "3. Separate the words of a key with a colon."},
			},
			Notes: []Note{
				{onlyBaidu, "ours: the document's own example video_info#olympic#2020-08-29#1 has - between digits, so dates and versions are let through"},
				{onlyUpper, "a recommendation on the look of names: an info"},
			},
		},
	})
}

// charset compiles the characters that the setting of key-charset allows.
func charset(s *Setting) *naming.Charset {
	set, err := naming.NewCharset(s.Param("allowed").Text, s.Param("first").Text, s.Param("forbidden").Text, s.Param("between_digits").Number != 0)
	if err != nil {
		panic("thresholds: key-charset: " + err.Error()) // was checked when it was set
	}
	return set
}
