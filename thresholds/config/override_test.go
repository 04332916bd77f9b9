package config

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
)

// settingOf returns how a rule is set for keys that all overrides match.
func settingOf(t *testing.T, text, rule string) string {
	t.Helper()
	p := mustLoad(t, Options{Config: writeConfig(t, text)})
	p = p.Clone()
	for _, o := range p.Overrides {
		p.Apply(o.Edits)
	}
	return p.Settings[ruleID(t, rule)].Summary()
}

// TestLastSettingDecides: whatever stands below, the last one that sets something
// of a rule is heard.
func TestLastSettingDecides(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// One severity over several limits: what is found is of it, from the first limit on.
		{"extends: baidu\nrules: {big-string: error}", "error 100 B"},
		{"rules: {big-string: {warning: 100B, error: 1KB}}\noverrides: [{key: '*', rules: {big-string: info}}]", "info 100 B"},
		{"overrides: [{key: '*', rules: {big-string: {warning: 100B, error: 1KB}}}, {key: '*', rules: {big-string: info}}]", "info 100 B"},
		{"overrides: [{key: '*', rules: {big-string: {warning: 100B, error: 1KB}}}, {key: '*', rules: {big-string: {severity: info, error: 2KB}}}]", "info 100 B, error 2 KB"},
		{"overrides: [{key: '*', rules: {big-string: {info: 100B, warning: off}}}, {key: '*', rules: {big-string: error}}]", "error 100 B"},
		// Limits of smallest values: the first that is passed is the highest.
		{"rules: {key-structure: {warning: 3, error: 2}}\noverrides: [{key: '*', rules: {key-structure: info}}]", "info under 3"},
		{"rules: {key-length: {info: 30, warning: 64, under: {info: 5, warning: 3}}}\noverrides: [{key: '*', rules: {key-length: error}}]", "error over 30 B, error under 5 B"},
		// Types keep limits of their own, and stay off.
		{"extends: typed\noverrides: [{key: '*', rules: {big-collection: info}}]", "info 5,000; hash: info 100"},
		{"rules: {big-collection: {types: {set: {error: off}, list: off}}}\noverrides: [{key: '*', rules: {big-collection: warning}}]", "warning 5,000; list: off; set: warning off"},
		// On and off.
		{"rules: {big-string: off}\noverrides: [{key: '*', rules: {big-string: on}}]", "error 10 KB"},
		{"overrides: [{key: '*', rules: {big-string: off}}, {key: '*', rules: {big-string: on}}]", "error 10 KB"},
		{"rules: {big-string: {error: off}}\noverrides: [{key: '*', rules: {big-string: on}}]", "error 10 KB"},
		{"rules: {big-string: {error: off}}\noverrides: [{key: '*', rules: {big-string: info}}]", "info 10 KB"},
		{"rules: {queue-backlog: {types: {list: {warning: 500}}}}\noverrides: [{key: '*', rules: {queue-backlog: {types: {list: off}}}}]", "warning 1,000; list: off"},
		{"rules: {queue-backlog: {types: {list: {error: 500}}}}", "warning 1,000; list: warning off, error 500"},
	} {
		rule := c.text[strings.LastIndex(c.text, "rules: {")+len("rules: {"):]
		rule, _, _ = strings.Cut(rule, ":")
		if got := settingOf(t, c.text, rule); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestShowOverrides: every line that an override writes is listed, whether or not
// it changes what stands below.
func TestShowOverrides(t *testing.T) {
	path := writeConfig(t, `
rules:
  big-string: off
  queue-backlog: {types: {list: {warning: 500}}}
overrides:
  - key: "a:*"
    rules:
      big-string: on
      no-ttl: warning
      big-element: off
      key-length: {severity: error, under: {info: 2}}
      key-charset: {allowed: a-z}
      big-collection: {types: {hash: off}}
  - key: "b:*"
    rules:
      big-element: off
`)
	show := func(opt Options) (list []string) {
		for _, e := range Entries(mustLoad(t, opt)) {
			if e.Origin.Kind == thresholds.FromFile {
				list = append(list, e.Path+" "+e.Value)
			}
		}
		return list
	}
	want := []string{
		"rules.big-string off", "rules.queue-backlog.types.list.warning 500",
		"overrides.a:*.rules.big-string on", "overrides.a:*.rules.no-ttl warning", "overrides.a:*.rules.big-element off",
		"overrides.a:*.rules.key-length error", "overrides.a:*.rules.key-length.under.info 2 B", "overrides.a:*.rules.key-charset.allowed a-z",
		"overrides.a:*.rules.big-collection.types.hash off",
		"overrides.b:*.rules.big-element off",
	}
	if got := show(Options{Config: path}); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, line := range show(Options{Config: path, Rules: "-big-*"}) {
		if strings.HasPrefix(line, "overrides.") && strings.Contains(line, ".big-") {
			t.Errorf("%s: --rules left it out", line)
		}
	}
}
