package thresholds

import (
	"strconv"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

func init() {
	register(Rule{
		Name:    "key-charset",
		Section: SectionNames,
		Title:   "name with a character that the profile does not allow",
		Params: []Param{
			{Name: "allowed", Kind: CharsParam, Doc: "the characters that names may contain, such as a-z0-9.: (empty: any)"},
			{Name: "first", Kind: CharsParam, Doc: "the characters that names may begin with (empty: any)"},
			{Name: "forbidden", Kind: CharsParam, Doc: "characters that names must not contain"},
			{Name: "between_digits", Kind: FlagParam,
				Doc: "allow a forbidden - or . between two digits, as in dates and versions, and the dashes of a UUID"},
		},
		unit: func(uint8) message.Unit { return message.Count },
		check: func(c *compiler) {
			set := charset(c.Setting)
			if set.Suspect() == 0 && !set.LimitsFirst() {
				return
			}
			m, mask := classes, int64(set.Suspect())
			if set.LimitsFirst() {
				m, mask = always, -1
			}
			c.when(m, mask, 0, func(k *parser.Key, f *naming.Facts, found *Finding) bool {
				found.Measured = set.Violations(k.Name, f)
				return found.Measured > 0
			})
		},
		text: func(x *explainer) message.Message {
			at := charset(x.setting).FirstViolation(x.key.Name)
			if at < 0 {
				return x.found("the name is empty")
			}
			return x.counted("{char} at byte {at} is not allowed",
				"{measured} characters are not allowed, the first is {char} at byte {at}",
				message.Code("char", strconv.QuoteToASCII(string(x.key.Name[at:at+1]))), message.Int("at", int64(at)))
		},
		advise: adviseCharacters,
		Doc: Doc{
			What: "A name with a character that the profile does not allow: one outside its set, one that may not come " +
				"first, or one that is forbidden (except - and . between two digits and - inside a UUID, if the profile says so).",
			Why: "One alphabet for all names makes them readable, lets them be split at their separators without " +
				"ambiguity, and avoids characters that shells and expressions treat as operators.",
			Fix:     "Rename the keys: separate meanings with : and words as the profile says.",
			Example: "User_Name:1 under typed: capital letters, an underscore and a first letter that is not a-z.",
		},
	})
}

func charset(s *Setting) *naming.Charset {
	set, err := naming.NewCharset(s.Param("allowed").Text, s.Param("first").Text, s.Param("forbidden").Text,
		s.Param("between_digits").Number != 0)
	if err != nil {
		panic("thresholds: key-charset: " + err.Error()) // was checked when it was set
	}
	return set
}
