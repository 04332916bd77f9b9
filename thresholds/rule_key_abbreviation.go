package thresholds

import "github.com/rdblens/rdblens/parser"

func init() {
	register(Rule{
		Name:    "key-abbreviation",
		Section: SectionNames,
		Title:   "word that has an agreed short form",
		compile: func(c *compiler) {
			t := &c.engine.words
			if !t.any {
				return
			}
			c.when(classes, int64(ClassLower|ClassUpper), 0, func(k *parser.Key, f *Facts, found *Finding) bool {
				_, at := t.find(k.Name)
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

// wordTable finds words that have a short form.
type wordTable struct {
	any   bool
	first [256][]longWord // by first letter, small; in the order of the configuration
}

type longWord struct {
	parts []string // small letters
	entry int      // index in Policy.Abbreviations
}

// find gives the first word that has a short form, its entry and its offset in
// the name; -1 where there is none.
func (t *wordTable) find(name []byte) (entry, at int) {
	for i, c := range name {
		if !isLetter(c) || i > 0 && isLetter(name[i-1]) && !isHump(name, i) {
			continue
		}
		for _, w := range t.first[c|0x20] {
			if w.matches(name[i:]) {
				return w.entry, i
			}
		}
	}
	return 0, -1
}

// isHump reports whether a capital follows a small letter.
func isHump(name []byte, i int) bool { return isUpper(name[i]) && !isUpper(name[i-1]) }
