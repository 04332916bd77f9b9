package thresholds

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/rdblens/rdblens/thresholds/naming"
)

// RuleSet is a set of rules.
type RuleSet uint64

// AllRules gives the set of every rule there is.
func AllRules() RuleSet { return 1<<len(Rules()) - 1 }

// Has reports whether the rule is in the set.
func (s RuleSet) Has(id RuleID) bool { return s>>id&1 != 0 }

// Len gives the number of rules in the set.
func (s RuleSet) Len() int { return bits.OnesCount64(uint64(s)) }

// SelectError is a selector that names no rule.
type SelectError struct {
	Word   string
	advice string
}

// Error names the word.
func (e *SelectError) Error() string { return fmt.Sprintf("unknown rule %q", e.Word) }

// Hint proposes the nearest name.
func (e *SelectError) Hint() string { return e.advice }

// Select gives the rules that a selector names: words with commas between them,
// each "all", a rule or a glob over rules, taken out again where it begins with
// "-". A later word beats an earlier one; a selector that begins by taking out
// begins with all.
func Select(selector string) (RuleSet, error) {
	set, _, err := parseSelector(selector)
	return set, err
}

// parseSelector gives the set, and in it those rules that were named in full.
func parseSelector(selector string) (set, named RuleSet, err error) {
	first := true
	for word := range strings.SplitSeq(selector, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		name, out := strings.CutPrefix(word, "-")
		if first && out {
			set = AllRules()
		}
		first = false
		one, err := matchRules(name)
		if err != nil {
			return 0, 0, err
		}
		if out {
			set &^= one
			continue
		}
		set |= one
		if one.Len() == 1 && !naming.IsGlob(name) {
			named |= one
		}
	}
	if first {
		return 0, 0, &SelectError{Word: selector, advice: "write all,-no-ttl or key-*"}
	}
	return set, named & set, nil
}

// matchRules gives the rules of a name, a glob or "all".
func matchRules(name string) (RuleSet, error) {
	if name == "all" {
		return AllRules(), nil
	}
	var set RuleSet
	names := make([]string, 0, maxRules)
	glob, err := naming.ParseGlob(name)
	for _, r := range Rules() {
		names = append(names, r.Name)
		if err == nil && glob.Match([]byte(r.Name)) {
			set |= 1 << r.ID
		}
	}
	if set == 0 {
		return 0, &SelectError{Word: name, advice: Propose(name, names)}
	}
	return set, nil
}
