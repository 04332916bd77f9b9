package identity

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/rdblens/rdblens/parser"
)

//go:embed recognisers/*.yaml
var files embed.FS

// Recogniser is what is known of one library or product.
type Recogniser struct {
	Library  string   `yaml:"library"`
	Aliases  []string `yaml:"aliases"` // other words by which it is found
	Language string   `yaml:"language"`
	About    string   `yaml:"about"`  // what it is, in a few words
	Prefix   string   `yaml:"prefix"` // in front of the names by default
	// Tried is the release whose keys the recogniser was tried on, "" if it is from
	// sources and documentation only.
	Tried  string `yaml:"tried"`
	Source string `yaml:"source"`
	Note   string `yaml:"note"` // what a person should know before touching the keys
	// Beats are libraries with the same shapes, of which this one has more.
	Beats []string `yaml:"beats"`
	// Weak reports whether the shapes are values that other libraries write, too: any other library
	// is preferred.
	Weak bool `yaml:"weak"`
	// EmptySegments reports whether names have empty segments.
	EmptySegments bool     `yaml:"empty_segments"`
	Shapes        []*Shape `yaml:"shapes"`
}

// Shape is one form of keys of a library. All that is given must hold.
type Shape struct {
	Name Names  `yaml:"name"` // templates, see compileName
	Type string `yaml:"type"`
	Role Role   `yaml:"role"`
	// Of the value: fields that must be there, of which one must be there, and that no
	// others may be beside; keys of a JSON object; a regular expression and a kind that
	// a string or the elements have; scores.
	Fields     Words  `yaml:"fields"`
	AnyField   Words  `yaml:"any_field"`
	OnlyFields Words  `yaml:"only_fields"`
	FieldLike  string `yaml:"field_like"`
	JSON       Words  `yaml:"json"`
	Text       string `yaml:"text"`
	Kind       Words  `yaml:"kind"` // any of these
	Score      string `yaml:"score"`
	TTL        string `yaml:"ttl"` // "yes" or "no"
	// Sign is how much the shape proves, see the package documentation.
	Sign int `yaml:"sign"`

	ByDesign bool   `yaml:"by_design"` // no TTL by design
	Setting  string `yaml:"setting"`
	Delete   string `yaml:"delete"`

	names     []name
	typ       parser.Type
	text      *regexp.Regexp
	fieldLike *regexp.Regexp
	score     func(float64) bool
}

// Words are written as a list, or as one text with spaces between them.
type Words []string

// UnmarshalYAML reads a list or a text.
func (w *Words) UnmarshalYAML(unmarshal func(any) error) error {
	var list []string
	if unmarshal(&list) == nil {
		*w = list
		return nil
	}
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	*w = strings.Fields(text)
	return nil
}

// Names are written as a list or as one text.
type Names []string

// UnmarshalYAML reads a list or a text.
func (n *Names) UnmarshalYAML(unmarshal func(any) error) error {
	var list []string
	if unmarshal(&list) == nil {
		*n = list
		return nil
	}
	var text string
	err := unmarshal(&text)
	*n = []string{text}
	return err
}

// name is a compiled template.
type name struct {
	literal []byte // that all names have
	re      *regexp.Regexp
	prefix  int // groups of re, 0 none
	queue   int
	learned bool // what follows a prefix that other shapes of the library have
	beside  bool // any name in a database with the library
	bare    bool // any name at all
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
	"alnum32": `[0-9a-z]{32}`,
	"alnum40": `[0-9A-Za-z]{40}`,
	"url32":   `[0-9A-Za-z_-]{32}`,
	"url43":   `[0-9A-Za-z_-]{43}`,
	"base32":  `[A-Z2-7]{52}`,
	"base64":  `[0-9A-Za-z+/_-]{22}`,
	"lock":    `(?i:.*(?:lock|mutex|lease|semaphore).*)`,
	"class":   `[\w$.]+`,
	"bytes":   `(?s:.{6,20})`,
}

// compileName compiles a template: a text with parts in braces, see parts. A brace
// that belongs to the name is written twice.
func compileName(template string) (name, error) {
	var n name
	var re strings.Builder
	re.WriteString(`(?s)^`)
	literal := ""
	end := func() {
		if len(literal) > len(n.literal) {
			n.literal = []byte(literal)
		}
		literal = ""
	}
	for i := 0; i < len(template); {
		switch {
		case strings.HasPrefix(template[i:], "{{"), strings.HasPrefix(template[i:], "}}"):
			literal += template[i : i+1]
			re.WriteString(regexp.QuoteMeta(template[i : i+1]))
			i += 2
		case template[i] == '{':
			word, _, found := strings.Cut(template[i+1:], "}")
			part, known := parts[word]
			if alternatives, ok := strings.CutPrefix(word, "="); ok {
				part, known = "(?:"+regexpAlternatives(alternatives)+")", true
			}
			if !found || !known {
				return n, fmt.Errorf("%q: unknown part %q", template, word)
			}
			end()
			re.WriteString(part)
			i += len(word) + 2
		default:
			literal += template[i : i+1]
			re.WriteString(regexp.QuoteMeta(template[i : i+1]))
			i++
		}
	}
	end()
	n.learned, n.beside = strings.HasPrefix(template, "{L}"), strings.HasPrefix(template, "{D}")
	n.bare = bareName.MatchString(template)
	re.WriteString(`$`)
	var err error
	if n.re, err = regexp.Compile(re.String()); err != nil {
		return n, err
	}
	n.prefix, n.queue = max(n.re.SubexpIndex("P"), 0), max(n.re.SubexpIndex("q"), 0)
	return n, nil
}

func regexpAlternatives(list string) string {
	var out []string
	for _, a := range strings.Split(list, "|") {
		out = append(out, regexp.QuoteMeta(a))
	}
	return strings.Join(out, "|")
}

// anywhere is the prefix of names of which a template has none.
const anywhere = "\xff"

// bareName is a template that any name has, or any with a separator.
var bareName = regexp.MustCompile(`^(\{[PpFCLD]\})?\{(any|Q|q|id|word)\}$`)

// match returns the prefix and the queue of a name; ok is false if it has another form.
func (n *name) match(b []byte) (prefix, queue string, ok bool) {
	if !bytes.Contains(b, n.literal) {
		return "", "", false
	}
	m := n.re.FindSubmatch(b)
	if m == nil {
		return "", "", false
	}
	prefix = anywhere
	if n.prefix > 0 {
		prefix = string(m[n.prefix])
	}
	if n.queue > 0 {
		queue = string(m[n.queue])
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
	"seconds-or-ever":  func(v float64) bool { return v == -1 || isSeconds(v) },
	"ms*4096":          func(v float64) bool { return isSeconds(v / 4096 / 1e3) },
	"time":             func(v float64) bool { return isSeconds(v) || isSeconds(v/1e3) },
}

func (s *Shape) compile() error {
	for _, template := range s.Name {
		n, err := compileName(template)
		if err != nil {
			return err
		}
		s.names = append(s.names, n)
	}
	var ok bool
	if s.typ, ok = parser.ParseType(s.Type); !ok {
		return fmt.Errorf("%v: no type %q", s.Name, s.Type)
	}
	if !roles[s.Role] {
		return fmt.Errorf("%v: no role %q", s.Name, s.Role)
	}
	if s.Delete != "" && s.Delete != "yes" && s.Delete != "no" && !strings.HasPrefix(s.Delete, "with ") {
		return fmt.Errorf("%v: delete %q", s.Name, s.Delete)
	}
	for _, k := range s.Kind {
		if kinds[k] == nil {
			return fmt.Errorf("%v: no kind %q", s.Name, k)
		}
	}
	if s.score = scores[s.Score]; s.Score != "" && s.score == nil {
		return fmt.Errorf("%v: no form of scores %q", s.Name, s.Score)
	}
	var err error
	if s.Text != "" {
		if s.text, err = regexp.Compile("(?s)" + s.Text); err != nil {
			return err
		}
	}
	if s.FieldLike != "" {
		s.fieldLike, err = regexp.Compile(s.FieldLike)
	}
	return err
}

// Recognisers returns what is known, by the name of the library. Nobody may change it.
func Recognisers() []*Recogniser { return loaded() }

var loaded = sync.OnceValue(func() []*Recogniser {
	list, err := load(files)
	if err != nil {
		panic(err) // a test loads the files of the program
	}
	return list
})

func load(from fs.FS) (list []*Recogniser, err error) {
	names, err := fs.Glob(from, "recognisers/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range names {
		b, err := fs.ReadFile(from, file)
		if err != nil {
			return nil, err
		}
		var several struct {
			Recognisers []*Recogniser `yaml:"recognisers"`
		}
		if err := yaml.UnmarshalWithOptions(b, &several, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, r := range several.Recognisers {
			for _, s := range r.Shapes {
				if err := s.compile(); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", file, r.Library, err)
				}
			}
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Recogniser) int {
		return strings.Compare(strings.ToLower(a.Library), strings.ToLower(b.Library))
	})
	return list, nil
}

// Find returns the recogniser of a library by its name or an alias, nil if there is none.
func Find(library string) *Recogniser {
	for _, r := range Recognisers() {
		if strings.EqualFold(r.Library, library) || slices.ContainsFunc(r.Aliases, func(a string) bool { return strings.EqualFold(a, library) }) {
			return r
		}
	}
	return nil
}
