package thresholds

import (
	"fmt"
	"strings"
	"testing"
)

// TestFirstSpecialCharacter checks that of several special characters the first is named.
func TestFirstSpecialCharacter(t *testing.T) {
	for name, want := range map[string]string{" \x01a": "white space at byte 0", "\x01 a": "a control character at byte 0", "a' ": "a quote at byte 1", "'\\\\": "a quote at byte 0"} {
		text, _ := adviceOn(t, testEnv(), LoadOptions{}, "key-special-char", key(name, str(1)))
		if !strings.Contains(text, want) {
			t.Errorf("%q: %s, want %s", name, text, want)
		}
	}
}

// TestReasonOfABudget checks that a budget has a reason of its own, or that of the rule.
func TestReasonOfABudget(t *testing.T) {
	for config, want := range map[string][2]string{"": {}, ", reason: agreed in May, source: mail": {"agreed in May", "mail"}} {
		e := mustLoad(t, LoadOptions{Config: writeConfig(t, "budgets: [{group: 'a:*', keys: {error: 1}"+config+"}]")}).Compile(testEnv())
		all := e.NewInstance()
		for i := range 2 {
			k := key(fmt.Sprintf("a:%d", i), str(1))
			all.Add(k, facts(e, k))
		}
		list, _ := all.Findings()
		if len(list) != 1 {
			t.Fatalf("%d findings", len(list))
		}
		if reason, source := e.InstanceReason(&list[0]); reason != want[0] || source != want[1] {
			t.Errorf("%q, %q, want %q", reason, source, want)
		}
	}
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, "rules: {no-ttl: {reason: all expire}}\noverrides: [{key: 'a:*', reason: carts expire, source: '4', rules: {no-ttl: error, big-string: {error: 1, reason: own}}}]")}).Compile(testEnv())
	for _, c := range []struct{ name, rule, reason, source string }{{"b:1", "no-ttl", "all expire", ""}, {"a:1", "no-ttl", "carts expire", "4"}, {"a:1", "big-string", "own", "4"}, {"b:1", "big-string", "", ""}} {
		if reason, source := e.Reason(Finding{Rule: ruleID(t, c.rule)}, []byte(c.name)); reason != c.reason || source != c.source {
			t.Errorf("%s of %s: %q, %q", c.rule, c.name, reason, source)
		}
	}
}
