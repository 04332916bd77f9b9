package thresholds

import (
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// DefaultProfile is the name of the profile that applies if no other is named.
const DefaultProfile = "default"

// Policy is what keys are checked against: how each rule is set and what else a
// team has configured, each value with its origin. Package config makes policies
// from profiles, files and flags. A policy must not be changed once it has been
// compiled.
type Policy struct {
	Profile Text   // the profile that it is based on
	Title   string // of the profile, one line
	Source  string // the document behind the profile, "" for several
	File    string // path of the team's configuration, "" if none
	Rules   string // the selector given to Select, "" if none

	Baseline string // path of the baseline whose entries are among Ignores, "" if none

	Separators    Text
	Cluster       Switch    // snapshots come from cluster nodes, whatever they show
	HashTags      Switch    // off: a proxy treats {...} as an ordinary part of names
	Settings      []Setting // one for each rule, by RuleID
	Ignores       []Ignore
	Overrides     []Override // with rules of their own at most MaxOverrides
	Namespaces    []Namespace
	Budgets       []Budget // at most MaxBudgets
	Abbreviations []Abbreviation
	Identities    []IdentityEntry
	Nightly       Nightly
	CodeDirs      []Text // directories with the source code of the applications
	SourceURL     Text   // address of a line of it, with {path} and {line}; "" none
	// MaxDownload is the most bytes that are read of a snapshot at a URL, -1 any number. Nil: 100 GB.
	MaxDownload *Amount

	Warnings []message.Message // about valid but suspicious settings

	// Fallback returns how a rule is set that is switched on without limits of
	// its own; nil leaves it as it is.
	Fallback func(RuleID) *Setting
	// Deselected is the set of rules that Select excluded: no edit applies to them.
	Deselected RuleSet
	named      RuleSet // that Select was given in full

	// Stored is what package config makes the policy of again, see config.Restore.
	Stored []byte
}

// MaxOverrides is the largest number of overrides with rules in a policy: those
// that match a key are a bit set.
const MaxOverrides = 64

// Text is a text with its origin.
type Text struct {
	Value  string
	Origin Origin
}

// Switch is a setting that is on or off, with its origin.
type Switch struct {
	Value  bool
	Origin Origin
}

// Override has settings for the keys that match a pattern. Of several overrides
// that match a key, the last one that sets something decides it.
type Override struct {
	Keys   []*naming.Glob
	Owner  Text // "" if none
	Edits  []Edit
	Origin Origin
}

// Pattern returns the key patterns as one text.
func (o *Override) Pattern() string { return joinGlobs(o.Keys) }

// Namespace is a business module: the first segment of names, or the first few,
// without a separator at the end. One that ends with other punctuation has all names that begin
// with it.
type Namespace struct {
	Name   string
	Owner  string // "" if none
	Origin Origin
}

// Abbreviation is a word, or several separated by spaces, with an agreed short
// form.
type Abbreviation struct {
	Long, Short string
	Origin      Origin
}

// IdentityEntry says what the keys of groups are, whatever they look like. The groups are
// those whose patterns, or the names of whose largest keys, match a glob.
type IdentityEntry struct {
	Keys []*naming.Glob
	None bool // nothing is known of them
	Identity
	Origin Origin
}

// Pattern returns the key patterns as one text.
func (e *IdentityEntry) Pattern() string { return joinGlobs(e.Keys) }

// IdentityOf returns what the configuration says of a group; ok is false if it says nothing,
// and the identity is nil if it says that nothing is known.
func (p *Policy) IdentityOf(pattern, largest []byte) (id *Identity, ok bool) {
	for i := range p.Identities {
		e := &p.Identities[i]
		if matchAny(e.Keys, pattern) || matchAny(e.Keys, largest) {
			id, ok = nil, true
			if !e.None {
				id = new(e.Identity)
				id.Sure = Configured
			}
		}
	}
	return id, ok
}

// longWords compiles the words that have a short form.
func longWords(list []Abbreviation, separators string) *naming.Words {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.Long
	}
	return naming.NewWords(words, separators)
}

// Details returns what the rules need of values that a parser computes on request alone.
func (p *Policy) Details() (d parser.Details) {
	for i := range p.Settings {
		if s := &p.Settings[i]; s.On {
			d |= s.Rule.details
		}
	}
	for i := range p.Overrides {
		for _, e := range p.Overrides[i].Edits {
			d |= e.Rule.rule().details
		}
	}
	return d
}

// Clone returns a copy whose settings can be changed.
func (p *Policy) Clone() *Policy {
	c := *p
	c.Settings = cloneSettings(p.Settings)
	return &c
}

func cloneSettings(list []Setting) []Setting {
	c := make([]Setting, len(list))
	for i := range list {
		c[i] = list[i].clone()
	}
	return c
}

// Apply makes edits to the settings of all rules, in their order.
func (p *Policy) Apply(edits []Edit) { p.apply(p.Settings, edits) }

// Overridden returns the settings of all rules for keys that only one override
// matches.
func (p *Policy) Overridden(o *Override) []Setting {
	settings := cloneSettings(p.Settings)
	p.apply(settings, o.Edits)
	return settings
}

// apply makes the edits of one layer to settings, except those of deselected rules. The
// limits that a layer has for a type and a side replace those of the layers below, those
// for all types also those for single types. So do its sets of characters.
func (p *Policy) apply(settings []Setting, edits []Edit) {
	type part struct {
		rule  RuleID
		kind  EditKind
		typ   parser.Type
		under bool
	}
	replaced := map[part]bool{}
	for i := range edits {
		e := &edits[i]
		if p.Deselected.Has(e.Rule) {
			continue
		}
		s := &settings[e.Rule]
		severity := part{rule: e.Rule, kind: EditSeverity}
		if to := (part{e.Rule, e.Kind, e.Limit.Type, e.Limit.Under}); !replaced[to] &&
			!(e.Kind == EditLimit && replaced[severity]) {
			replaced[to] = s.replace(e)
		}
		fallback := s
		if p.Fallback != nil {
			fallback = p.Fallback(e.Rule)
		}
		s.apply(e, fallback)
	}
}

// replace removes what the first edit of a layer replaces, and reports whether further
// ones of its kind add to it.
func (s *Setting) replace(e *Edit) bool {
	switch {
	case e.Kind == EditLimit:
		s.clearLimits(e.Limit.Type, e.Limit.Under)
	case e.Kind == EditSeverity: // limits beside it are set after it
	case e.Kind == EditList:
		s.Lists = nil
	case e.Kind != EditParam || s.Rule.Params[e.Param].Kind != CharsParam:
		return false
	default:
		for i, param := range s.Rule.Params {
			if param.Kind == CharsParam {
				s.Params[i] = Value{}
			}
		}
	}
	return true
}

// Select leaves only those rules on that a selector names, see the function
// Select, and switches on rules that it names in full. The empty selector changes
// nothing.
func (p *Policy) Select(selector string) error {
	if selector == "" {
		return nil
	}
	set, named, err := parseSelector(selector)
	if err != nil {
		return err
	}
	from := Origin{Kind: FromFlag, Name: "--rules"}
	for id := range Rules() {
		if id := RuleID(id); named.Has(id) || !set.Has(id) {
			p.Apply([]Edit{{Rule: id, Kind: EditSwitch, On: set.Has(id), Origin: from}})
		}
	}
	p.Rules, p.Deselected, p.named = selector, AllRules()&^set, named&set
	return nil
}

// CountsOnly reports whether findings of a rule and severity are only counted: they are in no
// group's sums, have no examples, and fail nothing.
func (p *Policy) CountsOnly(rule RuleID, severity Severity) bool {
	s := &p.Settings[rule]
	param := slices.IndexFunc(s.Rule.Params, func(param Param) bool { return param.Name == countInfo.Name })
	if param < 0 || s.Params[param].Number == 0 || severity != Info || p.named.Has(rule) {
		return false
	}
	return !slices.ContainsFunc(s.Limits, func(l Limit) bool {
		return l.Severity == Info && (l.Under && !l.None || l.Origin.Kind > max(FromProfile, s.Params[param].Origin.Kind))
	})
}

// Owners returns the owners that the policy names, in the order of their first
// occurrence. The first is "", nobody.
func (p *Policy) Owners() []string {
	owners := []string{""}
	known := map[string]bool{"": true}
	add := func(owner string) {
		if !known[owner] {
			known[owner] = true
			owners = append(owners, owner)
		}
	}
	for _, n := range p.Namespaces {
		add(n.Owner)
	}
	for _, o := range p.Overrides {
		add(o.Owner.Value)
	}
	return owners
}

// Describe returns the configuration in one line: "profile aliyun, rdblens.yaml,
// --rules all,-no-ttl".
func (p *Policy) Describe() message.Message {
	parts := []message.Message{message.New("profile {profile}", message.Text("profile", p.Profile.Value))}
	if p.File != "" {
		parts = append(parts, message.New("{file}", message.Path("file", p.File)))
	}
	if p.Rules != "" {
		parts = append(parts, message.New("{flag}", message.Code("flag", "--rules "+p.Rules)))
	}
	return message.New("{parts}", message.List("parts", ", ", parts))
}
