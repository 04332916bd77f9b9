// Package thresholds holds keys against written conventions: rules, the profiles
// that set them, a team's own configuration, findings and advice.
//
// Load makes a Policy of a profile, a configuration and what the command line
// says. Compile turns it into an Engine for one snapshot: tables of comparisons
// that Check runs for each key without allocating, and an Instance that gathers
// what the rules over the whole snapshot need. A finding holds figures alone;
// Text and Advise put it into words.
//
// A rule is one file, rule_<name>.go, with its documentation: RULES.md, the
// configuration's JSON Schema, completion and the rules command all come from it.
package thresholds

//go:generate go test -run TestRulesMarkdown -update .
