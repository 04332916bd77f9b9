package thresholds

import (
	"math/bits"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// RuleSet is a set of rules.
type RuleSet uint64

// AllRules returns the set of all rules.
func AllRules() RuleSet { return 1<<len(Rules()) - 1 }

// Has reports whether the rule is in the set.
func (s RuleSet) Has(id RuleID) bool { return s>>id&1 != 0 }

// Len returns the number of rules in the set.
func (s RuleSet) Len() int { return bits.OnesCount64(uint64(s)) }

// UnknownRule returns the error for a word that names no rule.
func UnknownRule(word string) *message.Error {
	return &message.Error{Message: message.New("unknown rule {rule}", message.Element("rule", word)),
		Hint: Suggest(word, RuleNames())}
}

// Select returns the rules that a selector names: words separated by commas, each
// "all", the name of a rule, or a glob over names. A word that begins with "-"
// removes its rules. A later word takes precedence; if the first one removes rules,
// the selection starts with all. The error is a *message.Error.
func Select(selector string) (RuleSet, error) {
	set, _, err := parseSelector(selector)
	return set, err
}

// parseSelector returns the selected rules, and those of them that were named in
// full.
func parseSelector(selector string) (set, named RuleSet, err error) {
	first := true
	for word := range strings.SplitSeq(selector, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		name, remove := strings.CutPrefix(word, "-")
		if first && remove {
			set = AllRules()
		}
		first = false
		matched, err := MatchRules(name)
		if err != nil {
			return 0, 0, err
		}
		if remove {
			set &^= matched
			continue
		}
		set |= matched
		if matched.Len() == 1 && !naming.IsGlob(name) {
			named |= matched
		}
	}
	if first {
		return 0, 0, UnknownRule(selector).WithHint("write {example}", message.Code("example", "all,-no-ttl or key-*"))
	}
	return set, named & set, nil
}

// MatchRules returns the rules that a name, a glob over names or "all" matches. The
// error is a *message.Error.
func MatchRules(name string) (RuleSet, error) {
	if name == "all" {
		return AllRules(), nil
	}
	var set RuleSet
	glob, err := naming.ParseGlob(name)
	for _, r := range Rules() {
		if err == nil && glob.Match([]byte(r.Name)) {
			set |= 1 << r.ID
		}
	}
	if set == 0 {
		return 0, UnknownRule(name)
	}
	return set, nil
}

// RuleNames returns the names of all rules, in the order of Rules.
func RuleNames() []string {
	names := make([]string, len(Rules()))
	for i, r := range Rules() {
		names[i] = r.Name
	}
	return names
}
