package thresholds

import (
	"unicode"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-special-char",
		Section: SectionNames,
		Title:   "name with white space, quotes, backslash, control characters or bytes that are not UTF-8",
		unit:    func(uint8) Unit { return Count },
		compile: func(c *compiler) {
			c.when(classes, int64(naming.ClassSpace|naming.ClassQuote|naming.ClassBackslash|naming.ClassControl|naming.ClassHigh), 0,
				func(k *parser.Key, f *Facts, found *Finding) bool {
					n, _, _ := specialChars(k.Name, k.NameLen > int64(len(k.Name)))
					found.Measured = n
					return n > 0
				})
		},
		Doc: Doc{
			What: "A name with white space, a quote (' \" `), a backslash, a control character, or bytes that are not UTF-8. White space and control " +
				"characters outside of ASCII count too.",
			Why:     "Such names break scripts, logs and command lines, cannot be typed, and look like other names.",
			Fix:     "Build names of letters, digits and separators alone; encode what comes from users before it becomes a part of a name.",
			Example: `user 1001:name, with a space at byte 4.`,
			Sources: []Source{
				{onlyAliyun, Aliyun, "【强制】", "不要包含特殊字符", "Names must not contain special characters. (Bad: spaces, line breaks, single and double quotes and other escape characters.)"},
				{onlyBaidu, Baidu, "", "**不使用特殊字符**， 比如空格、单引号、转义字符；", "Use no special characters, such as spaces, single quotes and escape characters."},
				{onlyTyped, Typed, "【强制】", "不要包含特殊字符，如下划线、空格、换行、单双引号以及其他转义字符；",
					"Names must not contain special characters, such as underscores, spaces, line breaks, single and double quotes and other escape characters."},
			},
			Notes: []Note{
				{onlyDefault, "all that name special characters forbid these; the underscore is forbidden by one and used by another, so key-charset has it"},
				{onlyBaidu, "the document forbids them without a condition, hence an error"},
				{onlyUpper, "borrowed: from Alibaba's text; the document behind upper says nothing of them"},
			},
		},
	})
}

// The kinds of special characters.
const (
	charSpace = iota
	charQuote
	charBackslash
	charControl
	charInvalid // not UTF-8
)

// specialChars counts the special characters of a name, and gives the offset
// and the kind of the first. A name that was cut may end within a character.
func specialChars(name []byte, isCut bool) (count int64, first int, kind int) {
	first = -1
	for i := 0; i < len(name); {
		k := -1
		r, size := utf8.DecodeRune(name[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			if isCut && !utf8.FullRune(name[i:]) {
				return count, first, kind
			}
			k = charInvalid
		case r == '\'' || r == '"' || r == '`':
			k = charQuote
		case r == '\\':
			k = charBackslash
		case unicode.IsSpace(r):
			k = charSpace
		case unicode.IsControl(r):
			k = charControl
		}
		if k >= 0 {
			if count++; first < 0 {
				first, kind = i, k
			}
		}
		i += size
	}
	return count, first, kind
}
