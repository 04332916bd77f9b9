package thresholds

import (
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-abbreviation",
		Section: SectionNames,
		Title:   "word that has an agreed short form",
		compile: func(c *compiler) {
			if len(c.engine.policy.Abbreviations) == 0 {
				return
			}
			words := c.engine.words
			c.when(classes, int64(naming.ClassLower|naming.ClassUpper), 0, func(k *parser.Key, f *Facts, found *Finding) bool {
				_, at := words.Find(k.Name)
				return at >= 0
			})
		},
		Doc: Doc{
			What: "A word, or several in a row, for which the configuration lists a short form. Capitals count as small letters; words end at anything " +
				"but a letter, and at a capital after a small one (filePath). Off while the configuration lists none.",
			Why:     "Names stand in memory with every key; agreed short forms keep them short and still readable by all.",
			Fix:     "Write the short form that the list gives.",
			Example: "economic:2026:rate, where abbreviations has economic: ec.",
			Sources: []Source{
				{everyProfile, Baidu, "", "常见单词**尽可能使用英文简写**， 比如“economic”简写为“ec”，“file path”简写为“fp”。",
					"Write common words in short wherever possible: ec for economic, fp for file path."},
			},
			Notes: []Note{{[]string{"default", "aliyun", "typed", "upper"}, "borrowed: from Baidu's text; the list is the team's own, so the rule speaks only where a team has one"}},
		},
	})
}
