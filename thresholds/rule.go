package thresholds

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/internal/requirements"
)

// Severity is how serious a finding is. The zero value is that of a rule that is
// off.
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

// String returns the word that configurations and reports use.
func (s Severity) String() string {
	if s < numSeverities {
		return severityNames[s]
	}
	return "unknown"
}

// ParseSeverity returns the severity with a name that String returns, including
// "off".
func ParseSeverity(s string) (Severity, bool) {
	for i, n := range severityNames {
		if n == s {
			return Severity(i), true
		}
	}
	return 0, false
}

// RuleID is a rule's index in Rules.
type RuleID uint8

// maxRules is the number of rules that a RuleSet can hold.
const maxRules = 64

// Name returns the rule's name.
func (id RuleID) Name() string { return id.rule().Name }

// Compacts reports whether the advice of the rule saves the difference between
// Key.Memory and Key.CompactMemory.
func (id RuleID) Compacts() bool { return id.rule().compacts }

// IsCold reports whether the rule is about keys that are not being used.
func (id RuleID) IsCold() bool { return id.Name() == "cold-key" }

// Stalls reports whether a key with a finding of the rule of this severity makes other clients wait.
func (id RuleID) Stalls(s Severity) bool { return id.rule().Harm == Blocks && s >= Warning }

func (id RuleID) rule() *Rule { return Rules()[id] }

// Section is the part of the rule reference that a rule belongs to.
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

// String returns the section's title.
func (s Section) String() string { return sectionNames[s] }

// Harm is what a finding does to the server.
type Harm uint8

// The harms, the least first.
const (
	Names      Harm = iota // none at once: people and programs suffer
	UsesMemory             // it takes memory
	Blocks                 // it makes other clients wait
	// The snapshot is not the one that it should be, so that a report without findings means nothing.
	Misleads
)

// Rule is one convention that keys, or the whole instance, are checked against.
// Each rule is defined in a file of its own: limits, check, text, advice and
// documentation.
type Rule struct {
	ID      RuleID // index in Rules
	Name    string
	Section Section
	Title   string // what it flags, in one line
	Harm    Harm
	// Instance is true for a rule that flags minutes, slots, tags or the snapshot
	// as a whole, not single keys.
	Instance bool
	// Optional is true for a rule that no document demands: it checks nothing until
	// the team sets a limit.
	Optional bool

	// Unit is the unit of the limits. message.None means that the rule has a severity
	// instead of limits.
	Unit  message.Unit
	Bound Bound
	// PerType is true if limits may be set for each type. Types are the types that
	// the rule applies to, nil for all.
	PerType bool
	Types   []parser.Type
	Lists   *Lists // that the rule takes instead of limits, nil if none
	Params  []Param

	Doc Doc

	// idle returns why a rule that is on checks nothing, "" if it does; nil: it
	// always does.
	idle func(*Policy, *Setting) string
	// details are what the rule needs that a parser computes on request alone.
	details parser.Details
	// compacts is true if its advice brings a key into the compact encoding, which
	// takes Key.CompactMemory.
	compacts bool
	// check adds the checks of a rule about keys to the table of one type.
	check func(*compiler)
	// accumulate returns the constructor of the accumulators of a rule over the
	// instance, nil if the rule does not apply to the snapshot.
	accumulate func(*Engine, *Setting) func() accumulator
	// bySnapshot reports whether a finding of a rule over the instance is about one
	// snapshot, whatever other snapshots a report is about. nil: their sums are added
	// up, see Fleet.
	bySnapshot func(*Engine, *InstanceFinding) bool
	// ofGroup is a check of a rule about groups, see Engine.JudgeGroups.
	ofGroup groupCheck
	// expiring is true if an accumulator needs only keys with an expiry.
	expiring bool
	// text returns what was measured against which limit, as a phrase.
	text func(*explainer) message.Message
	// advise adds what to do about a finding.
	advise func(*explainer)
	// fix is what to do first about its findings; nil if nothing would help at once.
	fix *fix

	// unit returns the unit of a finding's figures if it is not Unit.
	unit func(note uint8) message.Unit
	// rank returns how bad it is that a key is flagged, at least 0, if the
	// distance from the limit does not show it.
	rank func(*parser.Key) int64
}

// Bound is the side of a limit on which findings are.
type Bound uint8

// The bounds.
const (
	Over  Bound = iota // more than the limit
	Under              // less than the limit
	Both               // the rule has limits of both kinds
)

// countInfo is the parameter of rules whose mildest limit is a recommendation that many keys
// are over, see Policy.CountsOnly.
var countInfo = Param{Name: "count_info", Kind: FlagParam,
	Doc: "true: findings at severity info are only counted, in one line, unless the limit is the team's own or --rules " +
		"names the rule"}

// Doc is the documentation of a rule.
type Doc struct {
	What    string // what is flagged, exactly
	Why     string // why it matters
	Fix     string // how to fix it
	Example string // a key that is flagged, and the finding
}

var registry []*Rule

// register adds a rule. The init function of the rule's file calls it.
func register(r Rule) { registry = append(registry, &r) }

var allRules = sync.OnceValue(func() []*Rule {
	list := slices.Clone(registry)
	slices.SortFunc(list, func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(a.Section, b.Section), strings.Compare(a.Name, b.Name))
	})
	for i, r := range list {
		r.ID = RuleID(i)
	}
	return list
})

// Rules returns all rules, by section and then by name. A rule's index is its
// RuleID. The list must not be modified.
func Rules() []*Rule { return allRules() }

// Lookup returns the rule with a name.
func Lookup(name string) (*Rule, bool) {
	for _, r := range Rules() {
		if r.Name == name {
			return r, true
		}
	}
	return nil, false
}

// Basis is why profiles have a rule.
type Basis = requirements.Basis

// Source is a sentence in a document that requires what a rule checks.
type Source = requirements.Source

// NotCheckable returns the requirements that a snapshot shows partly or not at all: those of
// the document behind a profile, or of all documents if no document is behind it alone.
func NotCheckable(profile string) []requirements.Requirement {
	return requirements.NotCheckable(profile)
}

// OfGroup reports whether each finding of the rule is about a group of keys.
func (r *Rule) OfGroup() bool { return r.ofGroup != nil }

// Basis returns why profiles have the rule: the sentences of documents, and notes.
func (r *Rule) Basis() Basis { return requirements.BasisOf(r.Name) }

// AppliesTo reports whether the rule checks keys of a type.
func (r *Rule) AppliesTo(t parser.Type) bool { return r.Types == nil || slices.Contains(r.Types, t) }

// collections are the types for which the documents limit the number of elements.
var collections = []parser.Type{parser.List, parser.Set, parser.ZSet, parser.Hash}
