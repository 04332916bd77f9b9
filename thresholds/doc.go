// Package thresholds checks the keys of a snapshot against rules, and says what to
// do about what they find.
//
// A [Policy] says how each rule is set. Package config makes one from a built-in
// profile, a team's configuration and flags. [Policy.Compile] returns the [Engine]
// for one snapshot. [Engine.Check] returns the findings about one key. It needs the
// facts about the key's name, which package naming computes, and allocates nothing.
// Rules over the whole snapshot, such as those about hash slots, count keys in an
// [Instance]. A finding has only figures; [Engine.Text] and [Engine.Advise] put it
// into words.
//
// # Rules
//
// A rule is one file, rule_<name>.go. It registers a [Rule]: name, limits and
// parameters, documentation, and functions that check, describe and advise. RULES.md,
// the JSON Schema of configurations, completion and the rules command are derived from
// it. To add a rule, write its file, add it to the profiles that need it
// (config/profiles), write its fixture (rule_<name>_test.go), without which the tests
// fail as they do for a rule without documentation, text or advice, and run make golden.
// If a document demands it, requirements/requirements.yaml says with which sentences.
//
// Rules about keys are compiled into tables of gates, one table for each type. A
// gate compares one figure of the key with a limit; only if it is passed does the
// rest of the check run. A prefilter in front of the gates recognizes most keys
// that no rule flags.
//
// A rule over the instance has an accumulator, of which each run of keys gets its
// own. Accumulators are merged in the order of the file and have bounded memory,
// so that the findings do not depend on the number of workers. A [Fleet] adds up what
// the Instances of several snapshots collected, in any order, and finds what no
// snapshot shows by itself.
//
// A limit is exceeded by values strictly greater, or, for lower limits, strictly
// less. Of several limits of a rule, the severest that is exceeded is reported.
package thresholds

//go:generate go test -run TestRulesMarkdown -update .
