package config

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

func mustLoad(t testing.TB, opt Options) *thresholds.Policy {
	t.Helper()
	p, err := Load(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writeConfig returns the path of a configuration.
func writeConfig(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rdblens.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func ruleID(t testing.TB, name string) thresholds.RuleID {
	t.Helper()
	rule, ok := thresholds.Lookup(name)
	if !ok {
		t.Fatal(name)
	}
	return rule.ID
}

func TestShowSaysWhereValuesComeFrom(t *testing.T) {
	path := "testdata/team.yaml"
	cluster := true
	p := mustLoad(t, Options{Config: path, Rules: "all,-cold-key", Cluster: &cluster})
	got := map[string]string{}
	for _, e := range Entries(p) {
		got[e.Path] += e.Value + " # " + strings.Replace(e.Origin.String(), path, "rdblens.yaml", 1)
	}
	for path, want := range map[string]string{
		"profile":                                     "aliyun # rdblens.yaml:2",
		"separators":                                  ":# # rdblens.yaml:3",
		"cluster":                                     "true # --cluster",
		"rules.big-string.error":                      "20 KB # rdblens.yaml:5",
		"rules.big-collection.error":                  "5,000 # profile aliyun",
		"rules.compact-encoding":                      "info # rdblens.yaml:6",
		"rules.compact-encoding.max_ratio":            "8 # rdblens.yaml:6",
		"rules.compact-encoding.hash_count":           "512 # built in",
		"rules.key-length":                            "off # rdblens.yaml:7",
		"rules.cold-key":                              "off # --rules",
		"rules.queue-backlog.types.list.error":        "50 # rdblens.yaml:11",
		"overrides.feed:*.owner":                      "feed team # rdblens.yaml:22",
		"overrides.feed:*.rules.no-ttl":               "error # rdblens.yaml:25",
		"overrides.feed:*.rules.big-collection.error": "20,000 # rdblens.yaml:24",
		"overrides.feed:hot:*.rules.no-ttl":           "off # rdblens.yaml:28",
		"ignore.no-ttl":                               "key config:*, reason: settings are read at start, until 2023-11-15 # rdblens.yaml:13",
		"namespaces.order":                            "orders # rdblens.yaml:33",
		"abbreviations.economic":                      "ec # rdblens.yaml:37",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
}

func TestFlagsBeatTheFile(t *testing.T) {
	path := writeConfig(t, "extends: aliyun\nrules: {no-ttl: error}\nseparators: '#'\ncluster: true")
	cluster := false
	p := mustLoad(t, Options{Config: path, Profile: "upper", Cluster: &cluster})
	if p.Profile.Value != "upper" || p.Separators.Value != "#" || p.Cluster.Value || p.Cluster.Origin.String() != "--cluster" {
		t.Errorf("%+v %+v %+v", p.Profile, p.Separators, p.Cluster)
	}
	if !mustLoad(t, Options{Config: path}).Cluster.Value {
		t.Error("without a flag the file is not heard")
	}
	if s := p.Settings[ruleID(t, "no-ttl")]; s.Severity != thresholds.Error || !s.On {
		t.Errorf("%+v", s)
	}
}

func TestSelect(t *testing.T) {
	on := func(p *thresholds.Policy) string {
		var names []string
		for i, s := range p.Settings {
			if s.On {
				names = append(names, thresholds.RuleID(i).Name())
			}
		}
		return strings.Join(names, " ")
	}
	base := on(mustLoad(t, Options{Profile: "upper"}))
	for selector, want := range map[string]string{
		"all":                        base,
		"-key-*":                     "big-collection big-stream big-string big-value already-expired big-key-expiry ttl-stampede ttl-too-long budget queue-backlog stream-consumers",
		"key-*":                      "key-abbreviation key-charset key-empty-segment key-length key-namespace key-special-char key-structure",
		"all,-key-*,key-length":      "big-collection big-stream big-string big-value already-expired big-key-expiry ttl-stampede ttl-too-long key-length budget queue-backlog stream-consumers",
		"big-string, single-element": "big-string single-element", // named in full: on
		"no-ttl":                     "no-ttl",
	} {
		if got := on(mustLoad(t, Options{Profile: "upper", Rules: selector})); got != want {
			t.Errorf("%s: %s, want %s", selector, got, want)
		}
	}
	for selector, hint := range map[string]string{"big-strng": `did you mean big-string?`, "all,-notl": `did you mean no-ttl?`, "xyz-*": "", ",": "write all,-no-ttl or key-*"} {
		_, err := Load(Options{Rules: selector})
		var e *message.Error
		if !errors.As(err, &e) || e.Hint.String() != hint {
			t.Errorf("%s: %v, want the hint %q", selector, err, hint)
		}
	}
	var e *message.Error
	if _, err := Load(Options{Profile: "alyun"}); !errors.As(err, &e) || e.Hint.String() != `did you mean aliyun?` {
		t.Errorf("%v", err)
	}
}

func TestWrongConfigurations(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"rule:\n  x: y", `1:1: unknown field rule in the configuration`, `did you mean rules?`},
		{"rules:\n  big-strng: off", `2:3: unknown rule big-strng`, `did you mean big-string?`},
		{"rules:\n  big-string: {eror: 10KB}", `2:16: unknown field eror in big-string`, `did you mean error?`},
		{"rules:\n  big-string:\n    error: 10XB", `3:12: big-string: 10XB is not a size: write 512, 10 KB or 1.5 MB`, ""},
		{"rules:\n  big-string: {error: -1}", `is not a size`, ""},
		{"rules:\n  no-ttl: warnin", `2:11: warnin is not a setting of no-ttl`, "write off, on, info, warning or error"},
		{"rules:\n  no-ttl: {warning: 5}", `unknown field warning in no-ttl`, "known: severity, reason, source"},
		{"rules:\n  big-collection: {types: {strng: {error: 1}}}", `big-collection does not check keys of type strng`, ""},
		{"rules:\n  cold-key: {info: 30}", `30 is not a duration`, ""},
		{"rules: [a]", "rules must be a mapping", ""},
		{"rules:\n  big-string: {severity: error, error: [1]}", "a limit must be a single value", ""},
		{"extends: alyun", `1:10: unknown profile alyun`, `did you mean aliyun?`},
		{"ignore:\n  - {rule: no-ttl}", "2:6: an entry of ignore needs a reason", "write reason: why these findings are acceptable"},
		{"ignore:\n  - {reason: x}", "an entry of ignore needs a rule", `write rule: "*" for all rules`},
		{"ignore:\n  - {rule: no-ttl, reason: x, until: 31.12.2026}", `31.12.2026 is not a date`, ""},
		{"ignore:\n  - {rule: no-ttx, reason: x}", `unknown rule no-ttx`, `did you mean no-ttl?`},
		{"ignore:\n  - rule: no-ttl\n    reason: x\n    key:\n", "4:10: key needs a pattern", `write "*" for all keys`},
		{"ignore:\n  - rule: no-ttl\n    key: []\n    reason: x\n", "3:10: key needs a pattern", `write "*" for all keys`},
		{"ignore:\n  - {rule: no-ttl, key: '', reason: x}", "2:25: key pattern: empty pattern", `write "*" for all keys`},
		{"ignore:\n  - {rule: no-ttl, key: ['a*', '  '], reason: x}", "2:32: key pattern: blank", `write "*" for all keys`},
		{"overrides:\n  - {key: [], owner: x}", "2:11: key needs a pattern", `write "*" for all keys`},
		{"overrides:\n  - {owner: x}", "an entry of overrides needs a key pattern", `write key: "feed:*"`},
		{"overrides:\n  - {key: x}", "an entry of overrides changes nothing", ""},
		{"overrides:\n  - {key: x, rules: {ttl-stampede: off}}", "ttl-stampede checks the whole instance, not keys", "set it under rules"},
		{"overrides:\n  - {key: x, rules: {big-string: {info: x}}}", `x is not a size`, ""},
		{"namespaces: {'user:*': x}", `a namespace ends with a word, not with a wildcard as user:* does`, "write user"},
		{"namespaces: {'celery-task-meta-*': x}", `a namespace ends with a word`, "write celery-task-meta-"},
		{"namespaces: {'user*': x}", `a namespace ends with a word`,
			"write user, or overrides: [{key: 'user*', owner: ...}] for all names that begin with it"},
		{"namespaces: ['*']", `a namespace ends with a word`, "write the first segment of names, such as user"},
		{"namespaces: ['[ab]:pay']", `a namespace has no brackets, as [ab]:pay has`, "write * for any characters within a segment, ? for one"},
		{"rules:\n  key-charset: {allowed: '^[a-z0-9]+$'}", "2:26: allowed is a set of characters, and ^[a-z0-9]+$ looks like a regular expression", "write characters and ranges, such as a-z0-9.:, or use key-pattern"},
		{"namespaces: [user, '']", `1:20: a namespace is a word, not ""`, ""},
		{"namespaces: {'::': x}", `a namespace is a word, not ::`, "write the first segment of names, such as user"},
		{"abbreviations: {'a1': b}", `a1: an abbreviation is of words of letters`, ""},
		{"separators: a", `separators must be ASCII punctuation, not a`, ""},
		{"separators: ''", `separators must be ASCII punctuation, not ""`, ""},
		{"cluster: maybe", `1:10: cluster must be true or false, not maybe`, "write true or false"},
		{"rules:\n  key-charset: {allowed: 'z-a'}", "range z-a is empty", ""},
		{"rules:\n  key-charset: {allowed: 'é'}", "only ASCII characters can be listed", ""},
		{"rules: {no-ttl: off}\nrules: {no-ttl: on}", `mapping key "rules" already defined`, ""},
		{"rules: {no-ttl: off", "1:", ""},
		{"a: b\n---\nc: d", "more than one document", ""},
		{"rules: &x {no-ttl: off}\noverrides: *x", "an entry of overrides must be a mapping", ""},
		{"- a", "the configuration must be a mapping", ""},
		{"x: \xff", "not UTF-8 text", ""},
		{"rules:\n  big-string: error\n", "", ""},
		{strings.Repeat("[", 100), "nested deeper than 64 levels", ""},
		{strings.Repeat("- ", 100) + "a", "nested deeper than 64 levels", ""},
		{strings.Repeat("#", MaxBytes+1), "larger than 256 KB", ""},
		{"rules: {\"no\x1b[31m\": off}", "unknown rule", ""},
	} {
		path := writeConfig(t, c.text)
		_, err := Load(Options{Config: path})
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		var list Errors
		if !errors.As(err, &list) {
			t.Errorf("%.60q: %v", c.text, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
		if c.hint != "" && list[0].Hint.String() != c.hint {
			t.Errorf("%.60q: hint %q, want %q", c.text, list[0].Hint.String(), c.hint)
		}
		if strings.ContainsRune(err.Error()+list[0].Hint.String()+list[0].Excerpt, '\x1b') {
			t.Errorf("%.60q: an escape sequence came through", c.text)
		}
	}
	if _, err := Load(Options{Config: "no/such/file.yaml"}); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestAllProblemsAreReported(t *testing.T) {
	_, err := Load(Options{Config: writeConfig(t, "rules:\n  a: off\n  big-string: {error: x}\nfoo: 1\n")})
	var list Errors
	if !errors.As(err, &list) || len(list) != 3 || list[0].Line != 2 || list[1].Line != 3 || list[2].Line != 4 {
		t.Fatalf("%v", err)
	}
	if want := ">    3 |   big-string: {error: x}\n                               ^"; !strings.HasSuffix(list[1].Excerpt, want) {
		t.Errorf("%s", list[1].Excerpt)
	}
}

func TestEmptyConfigurations(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "rules:\n", "ignore: []\n", "rules: {}\n"} {
		if p, err := Load(Options{Config: writeConfig(t, text)}); err != nil || p.Profile.Value != "default" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLimitsThatCanNeverBeReported(t *testing.T) {
	p := mustLoad(t, Options{Config: writeConfig(t, "rules: {big-string: {warning: 20KB, error: 10KB}}")})
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].String(), "big-string: the warning limit 20 KB") {
		t.Errorf("%q", p.Warnings)
	}
	for _, name := range Profiles() {
		if w := mustLoad(t, Options{Profile: name}).Warnings; w != nil {
			t.Errorf("%s: %q", name, w)
		}
	}
}

func TestSettingsOfOneRule(t *testing.T) {
	for text, want := range map[string]string{
		"big-string: off":                               "off",
		"big-string: warning":                           "warning 10 KB",
		"big-string: {severity: off}":                   "off",
		"big-string: {error: off}":                      "off",
		"big-string: {error: off, info: 1KB}":           "info 1 KB",
		"single-element: on":                            "warning",
		"single-element: error":                         "error",
		"ttl-too-long: on":                              "warning 1825d",
		"ttl-too-long: {warning: 1w}":                   "warning 7d",
		"key-length: {under: {warning: 5}}":             "warning over 128 B, warning under 5 B",
		"key-length: {under: off}":                      "warning over 128 B",
		"big-collection: {types: {set: off}}":           "error 5,000; set: off",
		"big-collection: {types: {set: {error: off}}}":  "error 5,000; set: off",
		"queue-backlog: {types: {list: {warning: 10}}}": "warning 1,000; list: warning 10",
		"key-type-suffix: {aliases: {zset: rank}}":      "off",
		"key-charset: on":                               "info",
		"no-ttl: true":                                  "warning",
		"no-ttl: false":                                 "off",
		"slot-skew: {error: 20x, warning: 2.5x}":        "warning 2.5x, error 20x",
		"hashtag-skew: {warning: 0.5%}":                 "warning 0.5%",
	} {
		p := mustLoad(t, Options{Config: writeConfig(t, "rules:\n  "+text)})
		name, _, _ := strings.Cut(text, ":")
		if got := p.Settings[ruleID(t, name)].Summary(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestNothingIsDropped: what is beyond a bound is an error, with the bound and
// the line of the first entry too many.
func TestNothingIsDropped(t *testing.T) {
	entries := func(n int, entry string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(entry, "N", strings.Repeat(string(rune('a'+i%26)), 1+i/26%3)+strconv.Itoa(i)) + "\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		what string
		text func(n int) string
	}{
		{"namespaces", func(n int) string { return entries(n, "- N") }},
		{"ignore", func(n int) string { return entries(n, "- {rule: '*',reason: x}") }},
		{"overrides", func(n int) string { return entries(n, "- {key: x,owner: x}") }},
	} {
		if p, err := Load(Options{Config: writeConfig(t, c.what+":\n"+c.text(maxEntries))}); err != nil {
			t.Errorf("%s: %v", c.what, err)
		} else if n := max(len(p.Namespaces), len(p.Abbreviations), len(p.Ignores), len(p.Overrides)); n != maxEntries {
			t.Errorf("%s: %d of %d", c.what, n, maxEntries)
		}
		_, err := Load(Options{Config: writeConfig(t, c.what+":\n"+c.text(maxEntries+1))})
		var list Errors
		if !errors.As(err, &list) || list[0].Line != maxEntries+2 || !strings.Contains(err.Error(), c.what+" has 10,001 entries; at most 10,000 are allowed") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestLargeMappings: a mapping has at most 2,000 names. The YAML library takes
// seconds for 20,000.
func TestLargeMappings(t *testing.T) {
	text := func(n int, name string) string {
		var b strings.Builder
		for i := range n {
			letters := ""
			for m := i + 1; m > 0; m /= 26 {
				letters += string(rune('a' + m%26))
			}
			b.WriteString(strings.ReplaceAll(name, "N", letters+"x"))
		}
		return b.String()
	}
	for what, c := range map[string]struct{ before, name, after, problem string }{
		"namespaces":           {"namespaces:\n", " N: x\n", "", "more than 2,000 names in a mapping"},
		"namespaces in a line": {"namespaces: {", "N: x, ", "}", "namespaces has 2,001 entries; at most 2,000 are allowed"},
		"abbreviations":        {"abbreviations:\n", " N: x\n", "", "more than 2,000 names in a mapping"},
	} {
		p, err := LoadText(Options{Config: "x.yaml"}, []byte(c.before+text(2000, c.name)+c.after))
		if err != nil || len(p.Namespaces)+len(p.Abbreviations) != 2000 {
			t.Errorf("%s: %.300v", what, err)
		}
		_, err = LoadText(Options{Config: "x.yaml"}, []byte(c.before+text(2001, c.name)+c.after))
		if err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %.300v", what, err)
		}
	}
	start := time.Now()
	if _, err := LoadText(Options{Config: "x.yaml"}, []byte("namespaces:\n"+text(20000, " N: x\n"))); err == nil || time.Since(start) > 2*time.Second {
		t.Errorf("%s, %.300v", time.Since(start), err)
	}
}

// TestWarningsOfOrder checks the warning about a limit that a severer one hides,
// for rules of both directions, and for keys of an override.
func TestWarningsOfOrder(t *testing.T) {
	for config, want := range map[string]string{
		"rules: {big-string: {warning: 10KB, error: 10KB}}":                                                  "big-string: the warning limit 10 KB",
		"rules: {key-length: {info: 300, warning: 200}}":                                                     "key-length: the info limit 300 B",
		"rules: {key-length: {under: {warning: 3, error: 5}}}":                                               "key-length: the warning limit 3 B",
		"rules: {key-length: {under: {warning: 5, error: 3}}}":                                               "",
		"rules: {key-structure: {warning: 2, error: 3}}":                                                     "key-structure: the warning limit 2",
		"rules: {key-structure: {warning: 3, error: 2}}":                                                     "",
		`overrides: [{key: "board:*", rules: {big-collection: {warning: 50000, error: 5000}}}]`:              "keys board:*: big-collection: the warning limit 50,000",
		`overrides: [{key: "board:*", rules: {big-collection: {warning: 50000, error: 100000}}}]`:            "",
		"rules: {big-string: {warning: 1KB, error: off}}\noverrides: [{key: \"a:*\", rules: {no-ttl: off}}]": "",
	} {
		p := mustLoad(t, Options{Config: writeConfig(t, config)})
		got := message.New("{w}", message.List("w", "\n", p.Warnings)).String()
		if want == "" && got != "" || !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", config, got, want)
		}
	}
}
