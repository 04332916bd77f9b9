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
		{"rules: {key-length: {info: 30, under: {info: 5, warning: 3}}}\noverrides: [{key: '*', rules: {key-length: {warning: off, under: off}}}]", "off"},
		// Types keep limits of their own, and stay off.
		{"extends: typed\noverrides: [{key: '*', rules: {big-collection: info}}]", "info 5,000; hash: info 100"},
		{"rules: {big-collection: {types: {set: {error: off}, list: off}}}\noverrides: [{key: '*', rules: {big-collection: warning}}]", "warning 5,000; list: off; set: off"},
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

// TestLaterLimitsDecide: the limits that a place has for all types replace all that an
// earlier one has, those for one type replace those for that type. The truth is written
// by hand: the profile, then the file, then the overrides in their order.
func TestLaterLimitsDecide(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		// The file, then an override.
		{"queue-backlog", "rules: {queue-backlog: {types: {list: {warning: 1000}}}}\noverrides: [{key: 'celery*', rules: {queue-backlog: {warning: 100000}}}]", "warning 100,000"},
		{"queue-backlog", "rules: {queue-backlog: {types: {list: {warning: 1000, error: 5000}}}}\noverrides: [{key: 'celery*', rules: {queue-backlog: {warning: 100000}}}]",
			"warning 100,000"},
		{"big-collection", "rules: {big-collection: {types: {hash: {error: 100}, set: {info: 7}}}}\noverrides: [{key: '*', rules: {big-collection: {error: 9}}}]", "error 9"},
		{"big-collection", "rules: {big-collection: {types: {hash: {error: 100}}}}\noverrides: [{key: '*', rules: {big-collection: {error: off}}}]", "off"},
		{"big-collection", "rules: {big-collection: {types: {hash: {error: off}}}}\noverrides: [{key: '*', rules: {big-collection: {error: 9}}}]", "error 9"},
		// In one place the limits of single types are set last, in whatever order they are written.
		{"big-collection", "rules: {big-collection: {types: {hash: {error: 100}}, error: 9}}", "error 9; hash: error 100"},
		{"big-collection", "overrides: [{key: '*', rules: {big-collection: {types: {hash: off}, error: 9}}}]", "error 9; hash: off"},
		// One override, then another.
		{"big-collection", "overrides: [{key: 'a*', rules: {big-collection: {types: {hash: {error: 100}}}}}, {key: '*', rules: {big-collection: {error: 9}}}]", "error 9"},
		{"big-collection", "overrides: [{key: 'a*', rules: {big-collection: {error: 9}}}, {key: '*', rules: {big-collection: {types: {hash: {error: 100}}}}}]", "error 9; hash: error 100"},
		// The profile, then the file or an override.
		{"big-collection", "extends: typed\nrules: {big-collection: {warning: 2000}}", "warning 2,000"},
		{"big-collection", "extends: typed\nrules: {big-collection: {error: 9000}}", "error 9,000"},
		{"big-collection", "extends: typed\noverrides: [{key: '*', rules: {big-collection: {warning: 2000}}}]", "warning 2,000"},
		// A type that is off.
		{"queue-backlog", "overrides: [{key: 'celery*', rules: {queue-backlog: {warning: 100000}}}]", "warning 100,000"},
		{"queue-backlog", "rules: {queue-backlog: {error: 9}}", "error 9"},
		{"queue-backlog", "rules: {queue-backlog: {types: {list: off}}}\noverrides: [{key: '*', rules: {queue-backlog: error}}]", "error 1,000; list: off"},
		// Upper and lower limits do not replace each other.
		{"key-length", "rules: {key-length: {types: {hash: {warning: 9}}, under: {warning: 3}}}\noverrides: [{key: '*', rules: {key-length: {under: {warning: 2}}}}]",
			"warning over 128 B, warning under 2 B; hash: warning over 9 B"},
	} {
		if got := settingOf(t, c.text, c.rule); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	// Flags come last: a rule that --rules leaves out stays off, whatever overrides
	// set; one that it names is on with the limits of the file.
	path := writeConfig(t, "rules: {big-collection: off, big-string: {error: 9}}\noverrides: [{key: '*', rules: {big-collection: {error: 9}}}]")
	p := mustLoad(t, Options{Config: path, Rules: "all,-big-collection"})
	if s := p.Overridden(&p.Overrides[0])[ruleID(t, "big-collection")]; s.On {
		t.Error("an override switched on what --rules leaves out")
	}
	if s := mustLoad(t, Options{Config: path, Rules: "big-string"}).Settings[ruleID(t, "big-string")]; s.Summary() != "error 9 B" {
		t.Errorf("--rules big-string: %s", s.Summary())
	}
}

// TestChanges: what a file switches on, off or changes, by hand.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"extends: aliyun", ""},
		{"rules: {no-ttl: off, big-string: {error: 20KB}, single-element: on, big-stream: {warning: 100000}}",
			"changed big-string: error 10 KB to error 20 KB; on single-element: off to warning; off no-ttl: warning to off; "},
		{"namespaces: [order, cart]", "on key-namespace: off to error, closed true; "},
		{"namespaces: {cart: {owner: checkout}}", "off key-namespace: off to off (names may begin with other words, too: set closed: true for this rule to flag them); "},
		{"namespaces: {cart: {owner: checkout}}\nrules: {key-namespace: {closed: true}}", "on key-namespace: off to error, closed true; "},
		{"abbreviations: {economic: ec}", "on key-abbreviation: off to info; "},
		{"extends: baidu\nhashtags: false", "off key-hashtag: warning to off (hashtags is false); off hashtag-skew: warning 1% to off (hashtags is false); "},
		{"overrides: [{key: 'celery*', rules: {queue-backlog: {warning: 100000}, no-ttl: off}}]",
			"celery*: off no-ttl: warning to off; celery*: changed queue-backlog: warning 1,000; list: off to warning 100,000; "},
	} {
		got := ""
		for _, x := range Changes(mustLoad(t, Options{Config: writeConfig(t, c.text)})) {
			if x.Keys != "" {
				got += x.Keys + ": "
			}
			got += x.Word() + " " + x.Rule + ": " + x.Before + " to " + x.After
			if x.Idle != "" {
				got += " (" + x.Idle + ")"
			}
			got += "; "
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
