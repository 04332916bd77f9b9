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

// TestReasonOfABudget checks that the advice has the reason of a budget, if it has one.
func TestReasonOfABudget(t *testing.T) {
	for reason, want := range map[string]string{"": "agree on a larger budget.", "agreed in May": "agree on a larger budget. Its reason: agreed in May"} {
		e := mustLoad(t, LoadOptions{Config: writeConfig(t, "budgets: [{group: 'a:*', keys: {error: 1}, reason: '"+reason+"'}]")}).Compile(testEnv())
		all := e.NewInstance()
		for i := range 2 {
			k := key(fmt.Sprintf("a:%d", i), str(1))
			all.Add(k, facts(e, k))
		}
		list, _ := all.Findings()
		if len(list) != 1 {
			t.Fatalf("%d findings", len(list))
		}
		if a := e.AdviseInstance(list[0]); len(a) != 1 || !strings.HasSuffix(a[0].Text.String(), want) {
			t.Errorf("%+v, want %s", a, want)
		}
	}
}
