package config

import (
	"slices"
	"strings"
	"testing"
)

// TestEntries checks what config show says of each kind of setting, with the line that it
// is from.
func TestEntries(t *testing.T) {
	p, err := LoadText(Options{Config: "team.yaml"}, []byte(`extends: default
separators: ':#'
hashtags: false
cluster: true
rules:
  no-ttl: error
  big-string: off
  big-collection: {error: 7000, types: {hash: {warning: 100}, list: off}}
  key-length: {warning: 99, under: {info: 3}}
  key-type-suffix: {severity: info, aliases: {zset: [rank]}}
overrides:
  - {key: ['a:*', 'b:*'], owner: team, rules: {no-ttl: off, big-string: on, big-collection: warning, key-length: {under: {error: 2}}}}
ignore:
  - {rule: [no-ttl, big-*], key: 'c:*', reason: wanted, until: 2026-12-31}
  - {rule: key-length, group: ['x:*', 'y:*'], reason: long}
budgets:
  - {group: 'd:*', keys: {warning: 10, error: 20}, memory: {error: 1 MB}, reason: planned}
  - {database: 3, without_ttl: {info: 50%}}
  - {growth: {warning: 10%}}
namespaces: {user: {owner: accounts}}
abbreviations: {economic: ec}
nightly:
  shrink: {'flat:*': 5%, input: 20%, all: 10 %}
  grow: 1 GB
  max_age: 26h
  min_keys: off
  notify: [mail=a@example.com, /usr/bin/tell]
  keep: 10
  remind: 7d
  inputs: {'cache-*': {shrink: off, min_keys: 5}, a: {grow: {'x:*': 3%}, max_age: off}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range Entries(p) {
		got = append(got, e.Path+" = "+e.Value+" ("+e.Origin.String()+")")
	}
	for _, want := range []string{"separators = :# (team.yaml:2)", "hashtags = false (team.yaml:3)", "cluster = true (team.yaml:4)", "rules.no-ttl = error (team.yaml:6)", "rules.big-string = off (team.yaml:7)", "rules.big-collection.error = 7,000 (team.yaml:8)", "rules.big-collection.types.hash.warning = 100 (team.yaml:8)",
		"rules.big-collection.types.list = off (team.yaml:8)", "rules.key-length.warning = 99 B (team.yaml:9)", "rules.key-length.under.info = 3 B (team.yaml:9)", "rules.key-type-suffix = info (team.yaml:10)", "rules.key-type-suffix.aliases = {string: [bitmap, hyperloglog, hll], zset: [geo, geospatial, sortedset, rank]} (team.yaml:10)",
		"overrides.a:*, b:*.owner = team (team.yaml:12)", "overrides.a:*, b:*.rules.no-ttl = off (team.yaml:12)", "overrides.a:*, b:*.rules.big-string = on (team.yaml:12)", "overrides.a:*, b:*.rules.big-collection = warning (team.yaml:12)", "overrides.a:*, b:*.rules.key-length.under.error = 2 B (team.yaml:12)",
		"ignore.no-ttl,big-* = key c:*, reason: wanted, until 2026-12-31 (team.yaml:14)", "ignore.key-length = key x:*, y:*, reason: long (team.yaml:15)", "budgets.d:* = keys warning 10; keys error 20; memory error 1 MB, reason: planned (team.yaml:17)", "budgets.database 3 = without_ttl info 50% (team.yaml:18)",
		"budgets.snapshot = growth warning 10% (team.yaml:19)", "namespaces.user = accounts (team.yaml:20)", "abbreviations.economic = ec (team.yaml:21)",
		"nightly.shrink.flat:* = 5% (team.yaml:23)", "nightly.shrink.input = 20% (team.yaml:23)", "nightly.shrink.all = 10 % (team.yaml:23)", "nightly.grow.input = 1 GB (team.yaml:24)", "nightly.max_age = 1d 2h (team.yaml:25)",
		"nightly.min_keys = off (team.yaml:26)", "nightly.notify = mail=a@example.com (team.yaml:27)", "nightly.notify = /usr/bin/tell (team.yaml:27)", "nightly.keep = 10 (team.yaml:28)", "nightly.remind = 7d (team.yaml:29)",
		"nightly.inputs.cache-*.shrink.input = off (team.yaml:30)", "nightly.inputs.cache-*.shrink.* = off (team.yaml:30)", "nightly.inputs.cache-*.min_keys = 5 (team.yaml:30)",
		"nightly.inputs.a.grow.x:* = 3% (team.yaml:30)", "nightly.inputs.a.max_age = off (team.yaml:30)"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "profile = default") }) || t.Failed() {
		t.Logf("%s", strings.Join(got, "\n"))
	}
	// Entries that contradict themselves are refused, each at its line.
	for text, want := range map[string]string{
		"ignore: [{rule: no-ttl}]": "needs a reason", "ignore: [{reason: x}]": "needs a rule", "ignore: [{rule: no-ttl, reason: ' '}]": "needs a reason", "ignore: [{rule: no-ttl, reason: x, key: a, group: b}]": "has either key or group", "ignore: [{rule: no-ttl, reason: x, group: []}]": "group needs a pattern",
		"ignore: [{rule: no-ttl, reason: x, until: 2026-13-01}]": "is not a date", "ignore: [{rule: [no-ttl, big-string], reason: x, accepted: 5}]": "accepted is a figure of one rule", "ignore: [{rule: big-string, reason: x, accepted: 5x}]": "accepted: ", "ignore: [{rule: no-ttl, reason: x, findings: -1}]": "is not a number",
		"ignore: [{rule: no-ttl, reason: x, findings: 12345678901}]": "is not a number", "budgets: [{group: a, owner: b, keys: {error: 1}}]": "a budget is of a group, an owner or a database", "budgets: [{group: a, database: 0, keys: {error: 1}}]": "a budget is of a group", "budgets: [{owner: a, database: 1, keys: {error: 1}}]": "a budget is of a group",
	} {
		if _, err := LoadText(Options{Config: "x.yaml"}, []byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.yaml:1:") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"ignore: [{rule: big-string, reason: x, accepted: 5 KB, findings: 0}]", "ignore: [{rule: big-string, reason: x, accepted: 5 KB, findings: 999999999}]", "budgets: [{keys: {error: off}}]"} {
		if _, err := LoadText(Options{Config: "x.yaml"}, []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestExcerpts checks the lines that an error shows, with a mark under the column.
func TestExcerpts(t *testing.T) {
	text := "first\nsecond line\n\tthird"
	for _, c := range []struct {
		line, column int
		want         string
	}{{1, 1, ">    1 | first\n         ^"}, {2, 8, "     1 | first\n>    2 | second line\n                ^"}, {3, 2, "     2 | second line\n>    3 |  third\n          ^"}, {0, 1, ""}, {4, 1, ""}, {1, 0, ">    1 | first\n         ^"}, {1, 121, ">    1 | first"}} {
		if got := excerpt([]byte(text), c.line, c.column); got != c.want {
			t.Errorf("line %d, column %d:\n%s\nwant\n%s", c.line, c.column, got, c.want)
		}
	}
	if got := excerpt([]byte(strings.Repeat("x", 500)), 1, 120); got != ">    1 | "+strings.Repeat("x", 120)+"\n"+strings.Repeat(" ", 128)+"^" {
		t.Error(got)
	}
	for s, want := range map[string]string{"a\x00\x1f b": "a\ufffd\ufffd b", "a\x7f\u0080\u009f\u00a0": "a\ufffd\ufffd\ufffd\u00a0", "\u200a\u200b\u200f\u2010": "\u200a\ufffd\ufffd\u2010", "\u2027\u2028\u202e\u202f": "\u2027\ufffd\ufffd\u202f", "\u2065\u2066\u2069\u206a": "\u2065\ufffd\ufffd\u206a", "\ufeff\ufefe": "\ufffd\ufefe", "a\r": "a", "a\n~": "a\n~"} {
		if got := printable(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestHiddenLimits checks which limits are said never to be reported: those that a severer
// one is reached before, or with, on their side; not those that are off.
func TestHiddenLimits(t *testing.T) {
	for text, want := range map[string]int{
		"big-string: {warning: 10KB, error: 20KB}": 0, "big-string: {warning: 20KB, error: 10KB}": 1, "big-string: {warning: 10KB, error: 10KB}": 1, "big-string: {info: 30KB, warning: 20KB, error: 10KB}": 2, "big-string: {warning: off, error: 10KB}": 0, "big-string: {warning: 20KB, error: off}": 0,
		"key-length: {warning: 99, error: 100, under: {info: 3, warning: 2}}": 0, "key-length: {warning: 99, error: 100, under: {info: 3, warning: 3}}": 1, "key-length: {warning: 99, error: 100, under: {info: 2, warning: 3}}": 1,
		"key-structure: {warning: 3, error: 2}": 0, "key-structure: {warning: 2, error: 3}": 1, "key-structure: {warning: 2, error: 2}": 1, "big-string: off": 0,
		"big-collection: {error: 5000, types: {hash: {warning: 6000}}}": 1, "big-collection: {error: 5000, types: {hash: {warning: 4000}}}": 0, "big-collection: {error: 5000, types: {hash: off}}": 0, "big-collection: {error: 5000, types: {hash: {warning: off}}}": 0,
	} {
		p, err := LoadText(Options{Config: "x.yaml"}, []byte("extends: default\nrules: {"+text+"}"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		list := Contradictions(p)
		for _, e := range list {
			if e.Line != 2 || e.Column < 9 || e.Hint.IsZero() || !strings.HasSuffix(e.Excerpt, "^") {
				t.Errorf("%s: at %d:%d, hint %q: %s", text, e.Line, e.Column, e.Hint, e.Excerpt)
			}
		}
		if len(list) != want || want > 0 && !strings.Contains(list[0].Error(), "can never be reported: the ") {
			t.Errorf("%s: %q, want %d", text, list, want)
		}
	}
}
