package thresholds

import (
	"sort"
	"sync"

	"github.com/rdblens/rdblens/parser"
)

// Severity says how much a finding matters. The zero value is that of a rule
// that is off.
type Severity uint8

// The severities, in the documents' own words: 【建议】 is an info, 【推荐】 a
// warning, 【强制】 an error.
const (
	Off Severity = iota
	Info
	Warning
	Error
	numSeverities
)

var severityNames = [numSeverities]string{"off", "info", "warning", "error"}

// String gives the word that configurations and reports use.
func (s Severity) String() string {
	if s < numSeverities {
		return severityNames[s]
	}
	return "unknown"
}

// ParseSeverity gives the severity of a name that String gives, "off" included.
func ParseSeverity(s string) (Severity, bool) {
	for i, n := range severityNames {
		if n == s {
			return Severity(i), true
		}
	}
	return 0, false
}

// RuleID is a rule's place in Rules.
type RuleID uint8

// maxRules is how many rules a RuleSet can hold.
const maxRules = 64

// Name gives the rule's name.
func (id RuleID) Name() string { return Rules()[id].Name }

// Section is the chapter of the rule reference that a rule stands in.
type Section uint8

// The sections, in the order of the reference.
const (
	SectionSize Section = iota
	SectionExpiry
	SectionNames
	SectionInstance
	numSections
)

var sectionNames = [numSections]string{"Size", "Expiry", "Names", "The whole instance"}

// String gives the section's title.
func (s Section) String() string { return sectionNames[s] }

// Rule is one convention that keys are held against.
type Rule struct {
	ID      RuleID // place in Rules, set when the rule is registered
	Name    string
	Section Section
	Title   string // what it flags, in a line
	// Instance says that it flags no key of its own but minutes, slots, tags
	// or the snapshot as a whole.
	Instance bool

	// Unit is that of the limits, NoUnit where there are none and one severity
	// stands for the whole rule. Under says that a rule flags what is smaller
	// than a limit, Both that it has limits of either kind.
	Unit  Unit
	Bound Bound
	// PerType says that limits may be set for single types. Types are those
	// that it judges, nil all.
	PerType bool
	Types   []parser.Type
	Params  []Param

	Doc Doc

	// compile adds the rule's checks to a table, for one type after the other.
	compile func(*compiler)
	// unit is the unit of a finding's figures where it depends on the note.
	unit func(note uint8) Unit
	// rank says how bad it is that a key is flagged, the more the worse and never
	// less than 0, where the distance from the limit does not tell.
	rank func(*parser.Key) int64
}

// Bound says on which side of a limit a finding lies.
type Bound uint8

// The bounds.
const (
	Over  Bound = iota // strictly more than the limit
	Under              // strictly less
	Both               // limits of both kinds: the plain ones are Over
)

// Doc is what a rule says of itself.
type Doc struct {
	What    string // what is flagged, exactly
	Why     string // why it matters
	Fix     string // what to do
	Example string // a key that is flagged, and what is said of it
	Sources []Source
	Notes   []Note
}

// Source is a sentence of a document that demands what a rule checks.
type Source struct {
	Profiles []string // that take the rule from it
	Document Document
	Level    string // the document's own mark, such as 【强制】, "" none
	Original string // the sentence, as it stands there
	English  string
}

// Note says where a profile's setting is not its document's own word: a limit
// borrowed from another document, a severity weakened on purpose, a number of
// ours.
type Note struct {
	Profiles []string
	Text     string // begins with "borrowed:", "weakened:" or "ours:"
}

var registry []*Rule

// register adds a rule. It is called by the init function of the rule's file.
func register(r Rule) { registry = append(registry, &r) }

var allRules = sync.OnceValue(func() []*Rule {
	list := append([]*Rule(nil), registry...)
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Section != b.Section {
			return a.Section < b.Section
		}
		return a.Name < b.Name
	})
	for i, r := range list {
		r.ID = RuleID(i)
	}
	return list
})

// Rules gives all rules, by section and then by name. A rule's index is its
// RuleID. The list must not be changed.
func Rules() []*Rule { return allRules() }

// Lookup gives the rule of a name.
func Lookup(name string) (*Rule, bool) {
	for _, r := range Rules() {
		if r.Name == name {
			return r, true
		}
	}
	return nil, false
}

// judges reports whether the rule looks at keys of a type.
func (r *Rule) judges(t parser.Type) bool {
	if r.Types == nil {
		return true
	}
	for _, x := range r.Types {
		if x == t {
			return true
		}
	}
	return false
}

// collections are the types that the documents set an element count for.
var collections = []parser.Type{parser.List, parser.Set, parser.ZSet, parser.Hash}
