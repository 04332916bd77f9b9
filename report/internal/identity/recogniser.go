package identity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// Recogniser is what is known of one library or product. It is data: see the directory
// libraries.
type Recogniser struct {
	Library  string
	Aliases  []string // other words by which it is found
	Language string
	About    string // what it is, in a few words
	Prefix   string // in front of the names by default
	// Tried is the release whose keys the recogniser was tried on, "" if it is from
	// sources and documentation only.
	Tried  string
	Source string
	Note   string // what a person should know before touching the keys
	// Beats are libraries with the same shapes, of which this one has more.
	Beats []string
	// Weak reports whether the shapes are values that other libraries write, too. Any
	// other library is preferred.
	Weak bool
	// EmptySegments reports whether names have empty segments.
	EmptySegments bool
	Shapes        []*Shape
}

// Shape is one form of keys of a library. All that is given must hold. Several words
// have spaces between them.
type Shape struct {
	Name string // a template, see parts
	Type shapeType
	Role thresholds.Role
	// Sign is how much the shape proves, 0 to 2; see the package documentation.
	Sign int

	// Of a hash or a stream: fields that are all there, of which one is there, and that
	// no others are beside; a regular expression that the name of a field matches.
	Fields, AnyField, OnlyFields string
	FieldLike                    string
	// Of a string, or of items, members and the values of fields: keys of a JSON object,
	// a regular expression, and kinds of which it is one (see kinds).
	JSON, Text, Kind string
	Score            string // the form of scores, see scores
	TTL              string // "yes" or "no"

	ByDesign bool   // no TTL by design
	Setting  string // what bounds the keys, "" nothing or not known
	// Delete is "yes", "no" or "with" what deletes the keys; see Identity.Deletion.
	Delete string
	Each   bool   // as Identity.DeletesEach
	Also   string // as Identity.DeletesAlso
}

// shapeType is the type of keys, as TYPE says it.
type shapeType struct{ parser.Type }

// Template returns the form of the names for people: <prefix>queue:<name>.
func (s *Shape) Template() string {
	var b strings.Builder
	for t := s.Name; t != ""; {
		switch end := strings.IndexByte(t, '}'); {
		case strings.HasPrefix(t, "{{"), strings.HasPrefix(t, "}}"):
			b.WriteByte(t[0])
			t = t[2:]
		case t[0] == '{' && end > 0:
			word := t[1:end]
			switch {
			case strings.Contains("P p F C L", word):
				b.WriteString("<prefix>")
			case word == "q" || word == "Q" || word == "tag":
				b.WriteString("<queue>")
			case word == "D":
			case word[0] == '=':
				b.WriteString("(" + word[1:] + ")")
			case word == "any" || word == "id":
				b.WriteByte('*')
			default:
				b.WriteString("<" + word + ">")
			}
			t = t[end+1:]
		default:
			b.WriteByte(t[0])
			t = t[1:]
		}
	}
	return b.String()
}

// pattern is a Shape as samples are compared with it.
type pattern struct {
	*Shape
	name
	fields, anyField, onlyFields, json []string
	kinds                              []func(text) bool
	text, fieldLike                    func() *regexp.Regexp
	score                              func(float64) bool
}

type name struct {
	re      func() *regexp.Regexp
	prefix  bool // the template has a prefix,
	queue   bool // and a part with shapes of its own
	same    bool // and a number that is the same in all names
	learned bool // what follows a prefix that other shapes of the library have
	beside  bool // any name in a database with the library
	bare    bool // any name at all
}

// gram is a number of three adjacent bytes, -1 none.
type gram int16

func gramOf[T string | []byte](b T) gram {
	if len(b) < 3 {
		return -1
	}
	return gram((uint32(b[0])*31*31 + uint32(b[1])*31 + uint32(b[2])) * 0x9e3779b1 >> 23)
}

// grams are those of a name. Most shapes are excluded by them.
type grams [512 / 64]uint64

func gramsOf(name []byte) (g grams) {
	for i := range len(name) - 2 {
		n := gramOf(name[i : i+3])
		g[n>>6] |= 1 << (n & 63)
	}
	return g
}

func (g *grams) have(n gram) bool { return n < 0 || g[n>>6]>>(n&63)&1 != 0 }

// lazy returns a regular expression that is compiled when it is needed first: most are
// not in most snapshots.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// parts are what stands between braces in a template.
var parts = map[string]string{
	"P":       `(?P<P>(?:.*[^0-9A-Za-z])?)`,   // a prefix that ends with a separator, or nothing
	"p":       `(?P<P>(?:.*?[^0-9A-Za-z])??)`, // the shortest such prefix
	"C":       `(?P<P>(?:.*:)?)`,              // one that ends with a colon
	"F":       `(?P<P>.*?)`,                   // any prefix
	"L":       ``,                             // a prefix that is learned from other shapes, see name.learned
	"D":       ``,                             // nothing, see name.beside
	"q":       `(?P<q>[^:]+)`,                 // a part that has shapes of its own, such as a queue
	"Q":       `(?P<q>.+)`,                    // the same, with colons
	"same":    `(?P<q>[0-9]{1,3})`,            // a number that is the same in all names
	"tag":     `(?P<q>\{[^{}]+\})`,            // the same, a hash tag
	"id":      `[^:]+`,
	"word":    `[A-Za-z][A-Za-z0-9_-]*`,
	"any":     `.+`,
	"n":       `[0-9]+`,
	"version": `[0-9]{1,3}`,
	"seconds": `1[4-9][0-9]{8}`,
	"ms":      `1[4-9][0-9]{11}`,
	"hex":     `[0-9a-f]{8,}`,
	"hex12":   `[0-9a-f]{12}`,
	"hex14":   `[0-9a-f]{14}`,
	"hex16":   `[0-9a-f]{16}`,
	"hex24":   `[0-9a-f]{24}`,
	"hex32":   `[0-9a-f]{32}`,
	"hex40":   `[0-9a-f]{40}`,
	"hex64":   `[0-9a-f]{64}`,
	"uuid":    `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
	"ulid":    `[0-9A-HJKMNP-TV-Z]{26}`,
	"date":    `20[0-9][0-9]-[01][0-9]-[0-3][0-9]`,
	"ip":      `(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:/[0-9]+)?`,
	"UPPER":   `[A-Z][A-Z0-9_]*`,
	"CAPS":    `[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+`, // words in capitals
	"alnum32": `[0-9a-z]{32}`,
	"alnum40": `[0-9A-Za-z]{40}`,
	"url32":   `[0-9A-Za-z_-]{32}`,
	"url43":   `[0-9A-Za-z_-]{43}`,
	"base32":  `[A-Z2-7]{52}`,
	"lock":    `(?i:.*(?:lock|mutex|lease|semaphore).*)`,
	"bytes":   `(?s:.{6,20})`,
}

// compile compiles a template: a text with parts in braces, see parts. A brace that belongs
// to the name is written twice, and {=a|b} is a or b.
func compile(template string) (n name, err error) {
	var re strings.Builder
	re.WriteString(`(?s)^`)
	for t := template; t != ""; {
		switch {
		case strings.HasPrefix(t, "{{"), strings.HasPrefix(t, "}}"):
			re.WriteString(regexp.QuoteMeta(t[:1]))
			t = t[2:]
		case t[0] == '{':
			word, rest, found := strings.Cut(t[1:], "}")
			part, known := parts[word]
			if alternatives, ok := strings.CutPrefix(word, "="); ok {
				part, known = "(?:"+strings.ReplaceAll(regexp.QuoteMeta(alternatives), `\|`, "|")+")", true
			}
			if !found || !known {
				return n, fmt.Errorf("%q: unknown part %q", template, word)
			}
			re.WriteString(part)
			n.prefix = n.prefix || strings.HasPrefix(part, "(?P<P>")
			n.queue = n.queue || strings.HasPrefix(part, "(?P<q>")
			t = rest
		default:
			re.WriteString(regexp.QuoteMeta(t[:1]))
			t = t[1:]
		}
	}
	re.WriteString(`$`)
	n.re = lazy(re.String())
	n.same = strings.Contains(template, "{same}")
	n.learned, n.beside = strings.HasPrefix(template, "{L}"), strings.HasPrefix(template, "{D}")
	n.bare = slices.Contains(bare, template) || len(template) > 3 && slices.Contains(bare, template[3:]) &&
		parts[template[1:2]] != ""
	return n, nil
}

// literalOf returns the longest text outside of braces.
func literalOf(template string) (literal string) {
	for t := template; t != ""; {
		open := strings.IndexByte(t, '{')
		if open < 0 {
			open = len(t)
		}
		if open > len(literal) {
			literal = t[:open]
		}
		_, t, _ = strings.Cut(t[open:], "}")
	}
	literal, _, _ = strings.Cut(literal, "}") // half of one that is written twice
	return literal
}

// bare are templates that any name has. {P} and the like may stand in front.
var bare = []string{"{any}", "{Q}", "{q}", "{id}", "{word}"}

// anywhere is the prefix of names of which a template has none.
const anywhere = "\xff"

// match returns the prefix and the queue of a name; ok is false if it has another form.
func (n *name) match(b []byte) (prefix, queue string, ok bool) {
	re := n.re()
	m := re.FindSubmatch(b)
	if m == nil {
		return "", "", false
	}
	prefix = anywhere
	if n.prefix {
		prefix = string(m[re.SubexpIndex("P")])
	}
	if n.queue {
		queue = string(m[re.SubexpIndex("q")])
	}
	return prefix, queue, true
}

// scores are the forms of scores that recognisers ask for by name.
var scores = map[string]func(float64) bool{
	"seconds":          isSeconds,
	"ms":               func(v float64) bool { return isSeconds(v / 1e3) },
	"us":               func(v float64) bool { return isSeconds(v / 1e6) },
	"negative-us":      func(v float64) bool { return isSeconds(-v / 1e6) },
	"negative-seconds": func(v float64) bool { return isSeconds(-v) },
	"negative-ms":      func(v float64) bool { return isSeconds(-v / 1e3) },
	"seconds-or-ever":  func(v float64) bool { return v == -1 || isSeconds(v) },
	"ms*4096":          func(v float64) bool { return isSeconds(v / 4096 / 1e3) },
}

func (s *Shape) ready() (*pattern, error) {
	n, err := compile(s.Name)
	p := &pattern{Shape: s, name: n, fields: strings.Fields(s.Fields), anyField: strings.Fields(s.AnyField),
		onlyFields: strings.Fields(s.OnlyFields), json: strings.Fields(s.JSON), score: scores[s.Score]}
	p.text, p.fieldLike = lazy("(?s)"+s.Text), lazy(s.FieldLike)
	for _, k := range strings.Fields(s.Kind) {
		if kinds[k] == nil {
			err = fmt.Errorf("%q: no kind %q", s.Name, k)
		}
		p.kinds = append(p.kinds, kinds[k])
	}
	if s.Score != "" && p.score == nil {
		err = fmt.Errorf("%q: no form of scores %q", s.Name, s.Score)
	}
	return p, err
}

// Find returns the recogniser of a library by its name or an alias, nil if there is none.
func Find(library string) *Recogniser {
	for _, r := range Recognisers() {
		if r.Known(library) {
			return r
		}
	}
	return nil
}

// Known reports whether a library is meant by a word.
func (r *Recogniser) Known(word string) bool {
	return strings.EqualFold(r.Library, word) ||
		slices.ContainsFunc(r.Aliases, func(a string) bool { return strings.EqualFold(a, word) })
}
