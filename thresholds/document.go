package thresholds

import (
	"errors"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// Bounds of what a configuration may list.
const (
	maxOverrides = 64 // with rules of their own: a key's are a bit set
	maxListed    = 10000
)

// Ignore is an entry that leaves findings out of the counts.
type Ignore struct {
	Rules  RuleSet
	Names  []string       // the rules as they were written
	Keys   []*naming.Glob // nil: of any key, and of the instance
	Reason string
	Until  time.Time // end of the last day on which it holds, zero: no end
	Origin Origin
}

// Pattern gives the key patterns as one text, "*" where it holds for any key.
func (i *Ignore) Pattern() string { return globText(i.Keys) }

// Override are settings for the keys that match a pattern.
type Override struct {
	Keys   []*naming.Glob
	Owner  Text // "" none
	Origin Origin
	edits  []edit
}

// Pattern gives the key patterns as one text.
func (o *Override) Pattern() string { return globText(o.Keys) }

func globText(list []*naming.Glob) string {
	if len(list) == 0 {
		return "*"
	}
	words := make([]string, len(list))
	for i, g := range list {
		words[i] = g.String()
	}
	return strings.Join(words, ", ")
}

// Namespace is a business module: the first segment of a name, or several,
// without a separator at the end.
type Namespace struct {
	Name   string
	Owner  string // "" none
	Origin Origin
}

// Abbreviation is a word, or several, that has an agreed short form.
type Abbreviation struct {
	Long, Short string
	Origin      Origin
}

// longWords compiles the words that have a short form.
func longWords(list []Abbreviation) *naming.Words {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.Long
	}
	return naming.NewWords(words)
}

// document is a configuration or a profile, read and checked.
type document struct {
	title    string
	source   string
	extends  string
	extended ast.Node

	separators    *Text
	cluster       *Switch
	hashtags      *Switch
	edits         []edit
	ignores       []Ignore
	overrides     []Override
	namespaces    []Namespace
	abbreviations []Abbreviation
}

// Text is a setting that is a text.
type Text struct {
	Value  string
	Origin Origin
}

// Switch is a setting that is on or off.
type Switch struct {
	Value  bool
	Origin Origin
}

var (
	configFields  = []string{"extends", "rules", "ignore", "overrides", "namespaces", "abbreviations", "separators", "hashtags", "cluster"}
	profileFields = []string{"title", "source", "rules", "separators"}
)

// read reads a whole file.
func (y *yamlFile) read() *document {
	d := new(document)
	m := y.parse()
	if m == nil {
		return d
	}
	known, where := configFields, "the configuration"
	if y.kind == FromProfile {
		known, where = profileFields, "the profile"
	}
	y.fields(m, where, known, func(name string, key, value ast.Node) {
		switch name {
		case "title":
			d.title, _ = y.scalar(value, name)
		case "source":
			d.source, _ = y.scalar(value, name)
		case "extends":
			d.extends, _ = y.scalar(value, name)
			d.extended = value
		case "separators":
			d.separators = y.separators(value)
		case "cluster":
			d.cluster = y.toggle(value, name)
		case "hashtags":
			d.hashtags = y.toggle(value, name)
		case "rules":
			d.edits = y.rules(value, false)
		case "ignore":
			for _, n := range atMost(y, name, y.list(value), maxListed) {
				y.ignore(n, &d.ignores)
			}
		case "overrides":
			for _, n := range atMost(y, name, y.list(value), maxListed) {
				y.override(n, &d.overrides)
			}
		case "namespaces":
			y.namespaces(value, &d.namespaces)
		case "abbreviations":
			y.abbreviations(value, &d.abbreviations)
		}
	})
	sort.SliceStable(y.errs, func(i, j int) bool {
		a, b := y.errs[i], y.errs[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	return d
}

// atMost gives the entries of a list that is not too long; the first one beyond
// the bound is an error.
func atMost[N ast.Node](y *yamlFile, what string, entries []N, bound int) []N {
	if len(entries) <= bound {
		return entries
	}
	y.at(entries[bound].GetToken(), "", "%s has %d entries, and at most %d are taken", what, len(entries), bound)
	return entries[:bound]
}

func (y *yamlFile) toggle(n ast.Node, what string) *Switch {
	if on, ok := y.flag(n, what); ok {
		return &Switch{on, y.origin(n)}
	}
	return nil
}

// Regular expressions, which the schema has, too. Separators are any punctuation
// of ASCII but braces, which are hash tags; a namespace has no stars and
// brackets, and some character that cannot be a separator.
const (
	separatorsPattern = "^[!-/:-@\\[-`|~]+$"
	namespacePattern  = "^[^*?\\[]*[^\\x00-/:-@\\[-`|~\\x7f][^*?\\[]*$"
)

var (
	matchesSeparators = regexp.MustCompile(separatorsPattern).MatchString
	matchesNamespace  = regexp.MustCompile(namespacePattern).MatchString
)

func (y *yamlFile) separators(n ast.Node) *Text {
	text, ok := y.scalar(n, "separators")
	if !ok {
		return nil
	}
	if !matchesSeparators(text) {
		y.at(n.GetToken(), `write ":" or ":#_"`, "separators must be punctuation of ASCII, not %q", text)
		return nil
	}
	return &Text{text, y.origin(n)}
}

// globs reads one key pattern, or a list of them: at least one.
func (y *yamlFile) globs(n ast.Node) []*naming.Glob {
	var list []*naming.Glob
	entries := y.list(n)
	if len(entries) == 0 {
		y.at(n.GetToken(), `write "*" for every key`, "key needs a pattern")
	}
	for _, entry := range entries {
		text, ok := y.scalar(entry, "a key pattern")
		if !ok {
			continue
		}
		g, err := naming.ParseGlob(text)
		if err == nil && strings.TrimSpace(text) == "" {
			err = errors.New("blank")
		}
		if err != nil {
			y.at(entry.GetToken(), `write "*" for every key`, "key pattern: %v", err)
			continue
		}
		list = append(list, g)
	}
	return list
}

func (y *yamlFile) ignore(n ast.Node, list *[]Ignore) {
	m := y.mapping(n, "an entry of ignore")
	if m == nil {
		return
	}
	before := len(y.errs)
	entry := Ignore{Origin: y.origin(firstKey(m, n))}
	y.fields(m, "an entry of ignore", []string{"rule", "key", "reason", "until"}, func(name string, key, value ast.Node) {
		switch name {
		case "rule":
			for _, one := range y.list(value) {
				word, ok := y.scalar(one, "a rule")
				if !ok {
					continue
				}
				set, err := matchRules(word)
				if err != nil {
					y.at(one.GetToken(), hintOf(err), "%v", err)
				}
				entry.Rules |= set
				entry.Names = append(entry.Names, word)
			}
		case "key":
			entry.Keys = y.globs(value)
		case "reason":
			entry.Reason, _ = y.scalar(value, name)
		case "until":
			text, ok := y.scalar(value, name)
			day, err := time.Parse(time.DateOnly, text)
			if ok && err != nil {
				y.at(value.GetToken(), "write 2027-01-31: the last day on which the entry holds", "%q is not a date", text)
			}
			entry.Until = day.AddDate(0, 0, 1)
		}
	})
	if len(y.errs) > before {
		return
	}
	at := firstKey(m, n).GetToken()
	if entry.Rules == 0 {
		y.at(at, `write rule: "*" for every rule`, "an entry of ignore needs a rule")
	}
	if strings.TrimSpace(entry.Reason) == "" {
		y.at(at, "write reason: why these findings may stand", "an entry of ignore needs a reason")
	}
	*list = append(*list, entry)
}

func firstKey(m *ast.MappingNode, n ast.Node) ast.Node {
	if len(m.Values) > 0 {
		return m.Values[0].Key
	}
	return n
}

func hintOf(err error) string {
	if h, ok := err.(interface{ Hint() string }); ok {
		return h.Hint()
	}
	return ""
}

func (y *yamlFile) override(n ast.Node, list *[]Override) {
	m := y.mapping(n, "an entry of overrides")
	if m == nil {
		return
	}
	before := len(y.errs)
	ruled := false
	entry := Override{Origin: y.origin(firstKey(m, n))}
	y.fields(m, "an entry of overrides", []string{"key", "owner", "rules"}, func(name string, key, value ast.Node) {
		switch name {
		case "key":
			entry.Keys = y.globs(value)
		case "owner":
			owner, ok := y.scalar(value, name)
			if ok && owner == "" {
				y.at(value.GetToken(), "leave owner out", "owner must not be empty")
			}
			entry.Owner = Text{owner, y.origin(value)}
		case "rules":
			entry.edits = y.rules(value, true)
			rules, ok := plain(value).(*ast.MappingNode)
			ruled = ok && len(rules.Values) > 0
		}
	})
	if len(y.errs) > before {
		return
	}
	at := firstKey(m, n).GetToken()
	if len(entry.Keys) == 0 {
		y.at(at, `write key: "feed:*"`, "an entry of overrides needs a key pattern")
	}
	if entry.Owner.Value == "" && !ruled {
		y.at(at, "give it an owner, or rules", "an entry of overrides changes nothing")
	}
	if len(entry.edits) > 0 {
		others := 0
		for _, o := range *list {
			if len(o.edits) > 0 {
				others++
			}
		}
		if others == maxOverrides {
			y.at(at, "give one entry a list of patterns", "more than %d overrides with rules", maxOverrides)
			return
		}
	}
	*list = append(*list, entry)
}

func (y *yamlFile) namespaces(n ast.Node, list *[]Namespace) {
	add := func(name, owner string, at ast.Node) {
		switch {
		case strings.ContainsAny(name, "*?["):
			y.at(at.GetToken(), "a pattern belongs under overrides", "a namespace is a plain word, not %q", name)
			return
		case !matchesNamespace(name):
			y.at(at.GetToken(), "write the first segment of names, such as user", "a namespace is a word, not %q", name)
			return
		}
		*list = append(*list, Namespace{name, owner, y.origin(at)})
	}
	if _, ok := plain(n).(*ast.SequenceNode); ok {
		for _, one := range atMost(y, "namespaces", y.list(n), maxListed) {
			if name, ok := y.scalar(one, "a namespace"); ok {
				add(name, "", one)
			}
		}
		return
	}
	m := y.mapping(n, "namespaces")
	if m == nil {
		return
	}
	m.Values = atMost(y, "namespaces", m.Values, maxListed)
	y.fields(m, "namespaces", nil, func(name string, key, value ast.Node) {
		owner := ""
		switch v := plain(value).(type) {
		case *ast.NullNode:
		case *ast.MappingNode:
			y.fields(v, "a namespace", []string{"owner"}, func(_ string, _, value ast.Node) {
				owner, _ = y.scalar(value, "owner")
			})
		default:
			owner, _ = y.scalar(value, "owner")
		}
		add(name, owner, key)
	})
}

func (y *yamlFile) abbreviations(n ast.Node, list *[]Abbreviation) {
	m := y.mapping(n, "abbreviations")
	if m == nil {
		return
	}
	m.Values = atMost(y, "abbreviations", m.Values, maxListed)
	y.fields(m, "abbreviations", nil, func(name string, key, value ast.Node) {
		short, ok := y.scalar(value, "a short form")
		if !ok {
			return
		}
		for _, w := range strings.Fields(name) {
			for _, c := range w {
				if c|0x20 < 'a' || c|0x20 > 'z' {
					y.at(key.GetToken(), "write words of a-z, with a space between them", "%q: an abbreviation is of words of letters", name)
					return
				}
			}
		}
		if len(strings.Fields(name)) == 0 || short == "" {
			y.at(key.GetToken(), "write economic: ec", "an abbreviation needs a word and its short form")
			return
		}
		*list = append(*list, Abbreviation{name, short, y.origin(key)})
	})
}

// rules reads the settings of rules by their names; for keys: of rules that judge
// keys alone.
func (y *yamlFile) rules(n ast.Node, keys bool) []edit {
	m := y.mapping(n, "rules")
	if m == nil {
		return nil
	}
	names := make([]string, 0, maxRules)
	for _, r := range Rules() {
		names = append(names, r.Name)
	}
	var edits []edit
	y.fields(m, "rules", nil, func(name string, key, value ast.Node) {
		r, ok := Lookup(name)
		if !ok {
			y.at(key.GetToken(), Propose(name, names), "unknown rule %q", name)
			return
		}
		if keys && r.Instance {
			y.at(key.GetToken(), "set it under rules", "%s judges the instance, not keys: no override can change it", name)
			return
		}
		edits = append(edits, y.rule(r, value)...)
	})
	return edits
}

// typeOf reads the name of a type that a rule judges.
func (y *yamlFile) typeOf(r *Rule, name string, key ast.Node) (parser.Type, bool) {
	t, ok := parser.ParseType(name)
	if ok && r.appliesTo(t) {
		return t, true
	}
	var known []string
	for t := range parser.NumTypes {
		if r.appliesTo(t) {
			known = append(known, t.String())
		}
	}
	y.at(key.GetToken(), Propose(name, known), "%s judges no keys of type %q", r.Name, name)
	return 0, false
}
