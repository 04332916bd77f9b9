package thresholds

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-special-char",
		Section: SectionNames,
		Title:   "name with white space, quotes, backslash, control or format characters or bytes that are not UTF-8",
		fix: &fix{action: adviseName, ofGroup: true,
			id: "Encode input before it becomes part of a name: the names of {which} break tools."},
		unit: func(uint8) message.Unit { return message.Count },
		check: func(c *compiler) {
			c.when(classes, int64(naming.ClassSpace|naming.ClassQuote|naming.ClassBackslash|naming.ClassControl|naming.ClassHigh), 0,
				func(k *parser.Key, f *naming.Facts, found *Finding) bool {
					n, _, _ := specialChars(k.Name, k.NameLen > int64(len(k.Name)))
					found.Measured = n
					return n > 0
				})
		},
		text: func(x *explainer) message.Message {
			_, at, kind := specialChars(x.key.Name, x.key.NameLen > int64(len(x.key.Name)))
			return x.counted("{char} at byte {at}", "{measured} special characters, the first is {char} at byte {at}",
				message.Phrase("char", x.specialChar(kind, at)), message.Int("at", int64(at)))
		},
		advise: adviseCharacters,
		Doc: Doc{
			What: "A name with white space, a quote (' \" `), a backslash, a control or format character, or bytes that are not UTF-8. White space and control " +
				"characters outside ASCII are included. Format characters (Unicode Cf) are invisible: zero width, direction, " +
				"soft hyphen, byte order mark.",
			Why:     "Such names break scripts, logs and command lines, cannot be typed, and look like other names.",
			Fix:     "Build names only from letters, digits and separators. Encode user input before it becomes part of a name.",
			Example: `user 1001:name, with a space at byte 4.`,
		},
	})
}

// The kinds of special characters.
const (
	charSpace = iota
	charQuote
	charBackslash
	charControl
	charFormat
	charInvalid // not UTF-8
)

// specialChar returns the name of a special character of a kind at a byte offset.
func (x *explainer) specialChar(kind, at int) message.Message {
	switch kind {
	case charSpace:
		return message.New("white space")
	case charQuote:
		return message.New("a quote")
	case charBackslash:
		return message.New("a backslash")
	case charControl:
		return message.New("a control character")
	case charFormat:
		r, _ := utf8.DecodeRune(x.key.Name[at:])
		return message.New("the invisible character {code}", message.Text("code", fmt.Sprintf("%U", r)))
	}
	return message.New("a byte that is not UTF-8")
}

// specialChars returns the number of special characters in a name, and the byte
// offset and the kind of the first one. A name that was cut may end inside a
// character.
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
		case r >= 0x80 && unicode.Is(unicode.Cf, r):
			k = charFormat
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
