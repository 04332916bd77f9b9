package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:     "key-words",
		Section:  SectionNames,
		Title:    "name with a word that the team forbids",
		Optional: true,
		Lists: &Lists{Entry: "a word of letters, or an /expression/", Example: `[test, "/[0-9]{13,19}/"]`, Forbids: true,
			Form: `^\s*[A-Za-z][A-Za-z\s]*$|^/.+/$`, isWord: isWords,
			pattern: func(entry string) string {
				if len(entry) > 2 && entry[0] == '/' && entry[len(entry)-1] == '/' {
					return entry[1 : len(entry)-1]
				}
				return ""
			}},
		check: func(c *compiler) {
			for i := range c.Lists {
				l := &c.Lists[i]
				words := naming.NewWords(l.words, c.engine.policy.Separators.Value)
				c.whenSevere(always, -1, 0, l.Severity, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
					if _, at := words.Find(k.Name); at >= 0 {
						return true
					}
					return l.matches(k.Name)
				})
			}
		},
		text: func(x *explainer) message.Message {
			word, at, pattern := x.forbiddenWord()
			if pattern != "" {
				return x.found("{word} at byte {at} matches {pattern}, which is forbidden", message.Element("word", word),
					message.Int("at", int64(at)),
					message.Code("pattern", pattern))
			}
			return x.found("{word} at byte {at} is forbidden", message.Element("word", word), message.Int("at", int64(at)))
		},
		advise: func(x *explainer) {
			x.advise(adviseName, nil, "Leave the forbidden word out of names.")
			x.rename()
		},
		Doc: Doc{
			What: "A name with a word that a severity lists, or with a match of a listed /expression/ (RE2). Words are found " +
				"as those of key-abbreviation are: case does not matter; a word ends at anything but a letter, and before a " +
				"capital that follows a small letter, so that holdings has not the word old; several words of an entry are " +
				"consecutive ones of one segment. Off until the team lists a word.",
			Why: "Names are in logs, monitoring and backups. Words such as test or tmp mark keys that were not meant to " +
				"stay; numbers of cards or phones must not be in names at all.",
			Fix:     "Leave the word out; write a hash or an internal number in the place of personal data.",
			Example: `prd:test:1, where key-words has error: [test, "/[0-9]{13,19}/"].`,
		},
	})
}

// isWords reports whether an entry is one word of ASCII letters, or several separated
// by white space.
func isWords(entry string) bool {
	for _, c := range []byte(entry) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte(" \t\n\v\f\r", c) < 0 {
			return false
		}
	}
	return strings.TrimSpace(entry) != ""
}

// forbiddenWord returns the first forbidden word in the name, its offset, and the
// expression that it matches, "" if it is a listed word.
func (x *explainer) forbiddenWord() (word string, at int, pattern string) {
	name := x.key.Name
	for i := range x.setting.Lists {
		l := &x.setting.Lists[i]
		if l.Severity != x.Severity {
			continue
		}
		if entry, at := naming.NewWords(l.words, x.policy.Separators.Value).Find(name); at >= 0 {
			return l.words[entry], at, ""
		}
		for _, re := range l.patterns {
			if m := re.FindIndex(name); m != nil {
				return string(name[m[0]:m[1]]), m[0], "/" + re.String() + "/"
			}
		}
	}
	return "", 0, ""
}
