package thresholds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
)

// Package config reads the profiles and configurations that the tests of this
// package use. It imports this package, so the tests reach it through a function
// that their external part sets.
var loadPolicy func(LoadOptions) (*Policy, error)

var profileNames = []string{DefaultProfile, "aliyun", "baidu", "typed", "upper"}

// LoadOptions is config.Options.
type LoadOptions struct {
	Profile, Config, Rules string
	Cluster                *bool
	Edits                  []Edit
	Baseline               string
}

// SetLoad sets config.Load.
func SetLoad(load func(LoadOptions) (*Policy, error)) { loadPolicy = load }

func mustLoad(t testing.TB, opt LoadOptions) *Policy {
	t.Helper()
	p, err := loadPolicy(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// profileOf returns a built-in profile.
func profileOf(name string) *Policy {
	p, err := loadPolicy(LoadOptions{Profile: name})
	if err != nil {
		panic(err)
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

func TestTeamConfiguration(t *testing.T) {
	p := mustLoad(t, LoadOptions{Config: "config/testdata/team.yaml"})
	e := p.Compile(testEnv())
	severity := func(rule, name string, change func(*parser.Key)) Finding {
		return found(t, e, rule, key(name, change))
	}
	check := func(what string, got Finding, want Severity, limit int64) {
		t.Helper()
		if got.Severity != want || got.Limit != limit {
			t.Errorf("%s: %s over %d, want %s over %d", what, got.Severity, got.Limit, want, limit)
		}
	}
	check("a changed limit", severity("big-string", "user:1", str(20481)), Error, 20480)
	check("an added limit", severity("big-string", "user:1", str(10241)), Warning, 5120)
	check("at the added limit", severity("big-string", "user:1", str(5120)), Off, 0)
	check("a rule switched off", severity("key-length", strings.Repeat("a", 200), nil), Off, 0)
	check("a rule switched on", severity("big-element", "user:1", with(collection(parser.Hash, parser.EncListpack, 2), str(8193))), Warning, 8192)
	check("a parameter", severity("compact-encoding", "user:1", collection(parser.Hash, parser.EncHashtable, 4096)), Info, 512)
	check("beyond the parameter", severity("compact-encoding", "user:1", collection(parser.Hash, parser.EncHashtable, 4097)), Off, 0)
	check("one type's limit", severity("queue-backlog", "user:1", collection(parser.List, parser.EncQuicklist, 51)), Error, 50)
	check("an override", severity("big-collection", "feed:1", collection(parser.List, parser.EncQuicklist, 20000)), Off, 0)
	check("over an override", severity("big-collection", "feed:1", collection(parser.List, parser.EncQuicklist, 20001)), Error, 20000)
	check("big-key-expiry takes the override's limit", severity("big-key-expiry", "feed:1", collection(parser.List, parser.EncQuicklist, 20001)), Warning, 20000)
	check("no override", severity("big-collection", "order:1", collection(parser.List, parser.EncQuicklist, 5001)), Error, 5000)
	check("an override's severity", severity("no-ttl", "feed:1", forever), Error, 0)
	check("the later override", severity("no-ttl", "feed:hot:1", forever), Off, 0)
	check("and what only the earlier sets", severity("big-collection", "feed:hot:1", collection(parser.List, parser.EncQuicklist, 5001)), Off, 0)
	check("a separator", severity("key-structure", "user#1", nil), Off, 0)

	if got := severity("no-ttl", "config:a", forever); got.Severity != Warning || got.Ignored != 1 {
		t.Errorf("ignored: %+v", got)
	}
	if got := severity("key-special-char", "legacy:a b", nil); got.Ignored != 2 {
		t.Errorf("ignored by a glob over rules: %+v", got)
	}
	if got := severity("no-ttl", "legacy:a", forever); got.Severity != Warning || got.Ignored != 0 {
		t.Errorf("not ignored: %+v", got)
	}
	env := testEnv()
	env.Now = time.Date(2023, 11, 16, 0, 0, 0, 0, time.UTC)
	if got := found(t, p.Compile(env), "no-ttl", key("config:a", forever)); got.Ignored != 0 {
		t.Errorf("the entry has ended: %+v", got)
	}
	env.Now = env.Now.Add(-time.Second)
	if got := found(t, p.Compile(env), "no-ttl", key("config:a", forever)); got.Ignored != 1 {
		t.Errorf("the last second of the last day: %+v", got)
	}

	for name, want := range map[string]string{"feed:1": "feed team", "user:1": "accounts", "user": "accounts", "order:1": "orders", "order:item:7": "items", "order:items:7": "orders",
		"tmp:1": "", "feed:archive": "archive", "users:1": "", "x:archive": "archive"} {
		k := key(name, nil)
		if got := e.Owners()[e.Owner(k, facts(e, k))]; got != want {
			t.Errorf("owner of %s: %q, want %q", name, got, want)
		}
	}
	if p.Describe().String() != "profile aliyun, "+p.File {
		t.Error(p.Describe())
	}
}

func ruleID(t *testing.T, name string) RuleID {
	r, ok := Lookup(name)
	if !ok {
		t.Fatal(name)
	}
	return r.ID
}

func TestManyOverridesAtOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("overrides:\n")
	for i := range MaxOverrides {
		b.WriteString("  - {key: '*" + string(rune('0'+i%10)) + "*', rules: {big-string: {error: " + strings.Repeat("1", 1+i/10) + "}}}\n")
	}
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, b.String())}).Compile(testEnv())
	for i := range 2000 { // more combinations than are kept
		name := []byte("0000000000")
		for bit := range 10 {
			if i>>bit&1 != 0 {
				name[bit] = byte('0' + bit)
			} else {
				name[bit] = 'x'
			}
		}
		k := key(string(name), str(2_000_000))
		want := Error
		if f := found(t, e, "big-string", k); f.Severity != want {
			t.Fatalf("%s: %+v", name, f)
		}
	}
	if n := len(*e.combined.Load()); n > maxCombined {
		t.Errorf("%d tables are kept", n)
	}
	_, err := loadPolicy(LoadOptions{Config: writeConfig(t, b.String()+"  - {key: x, rules: {no-ttl: off}}\n")})
	if err == nil {
		t.Error("one override too many was taken")
	}
}

// TestNamespaceWithSeparator: who writes user: means the segment user.
func TestNamespaceWithSeparator(t *testing.T) {
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, "separators: ':#'\nnamespaces: {'user:': accounts, 'order:item#': items, 'a_': x, user: others}")})
	e := p.Compile(testEnv())
	for name, want := range map[string]string{"user:1": "accounts", "order:item:1": "items", "a_:1": "x"} {
		k := key(name, nil)
		if got := e.Owners()[e.Owner(k, facts(e, k))]; got != want {
			t.Errorf("%s: owner %q, want %q", name, got, want)
		}
		if f := found(t, e, "key-namespace", k); f.Severity != Off {
			t.Errorf("%s is on no list", name)
		}
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].String(), `namespace user has the owner accounts `) {
		t.Errorf("%q", p.Warnings)
	}
}

// TestOpenNamespace: a namespace that ends with other punctuation than a separator has all names
// that begin with it, the longest first.
func TestOpenNamespace(t *testing.T) {
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, "namespaces: {celery-: jobs, celery-task-meta-: platform, '*:pay-': pay, "+
		"'prd:tmp_': tmp, celery: broker}\nrules: {key-namespace: {closed: true}}")})
	e := p.Compile(testEnv())
	for name, want := range map[string]string{"celery-task-meta-0af3": "platform", "celery-task-meta-": "platform",
		"celery-task-meta-0af3:x": "platform", "celery-x": "jobs", "celery": "broker", "celery:1": "broker", "celery1": "",
		"prd:pay-1": "pay", "prd:pay": "", "prd:tmp_1:x": "tmp", "prd:tmp": "", "x:tmp_1": ""} {
		k := key(name, nil)
		if got := e.Owners()[e.Owner(k, facts(e, k))]; got != want {
			t.Errorf("%s: owner %q, want %q", name, got, want)
		}
		if f := found(t, e, "key-namespace", k); (f.Severity == Off) != (want != "") {
			t.Errorf("%s: %s", name, f.Severity)
		}
	}
	p = mustLoad(t, LoadOptions{Config: writeConfig(t, "separators: ':-'\nnamespaces: {celery-: jobs}")})
	if k := key("celery1-2", nil); p.Compile(testEnv()).Owner(k, facts(p.Compile(testEnv()), k)) != 0 {
		t.Error("a separator at the end is not ignored")
	}
}

func TestOverrideOfAnUnselectedRule(t *testing.T) {
	p := mustLoad(t, LoadOptions{Rules: "-no-ttl", Config: writeConfig(t, "overrides: [{key: 'a*', rules: {no-ttl: error}}]")})
	if f := found(t, p.Compile(testEnv()), "no-ttl", key("ab:c", forever)); f.Severity != Off {
		t.Error("an override switched a rule on that the flag left out")
	}
}

// TestOverrideOverOverride checks keys against two overrides that both match.
func TestOverrideOverOverride(t *testing.T) {
	e := mustLoad(t, LoadOptions{Config: writeConfig(t, `
overrides:
  - {key: "str:*", rules: {big-string: {warning: 100B, error: 1KB}}}
  - {key: "str:len:1*", rules: {big-string: info}}
`)}).Compile(testEnv())
	for name, want := range map[string]Severity{"str:len:2": Error, "str:len:1": Info} {
		if f := found(t, e, "big-string", key(name, str(2000))); f.Severity != want {
			t.Errorf("%s: %s, want %s", name, f.Severity, want)
		}
	}
	if f := found(t, e, "big-string", key("str:len:1", str(101))); f.Severity != Info || f.Limit != 100 {
		t.Errorf("%s over %d", f.Severity, f.Limit)
	}
}

// TestOverridesOfOwnersDoNotCount checks that the bound on overrides with rules is one on
// these: any number of others may come before, between and after them.
func TestOverridesOfOwnersDoNotCount(t *testing.T) {
	var b strings.Builder
	b.WriteString("overrides:\n")
	for range 2 * MaxOverrides {
		b.WriteString("  - {key: 'x:*', owner: team}\n")
	}
	b.WriteString("  - {key: 'big:*', rules: {big-string: {error: 1MB}}}\n  - {key: 'x:*', owner: others}\n")
	p := mustLoad(t, LoadOptions{Config: writeConfig(t, b.String())})
	e := p.Compile(testEnv())
	for name, want := range map[string]Severity{"big:1": Off, "x:1": Error, "other:1": Error} {
		if f := found(t, e, "big-string", key(name, str(200_000))); f.Severity != want {
			t.Errorf("%s: %v, want %v", name, f.Severity, want)
		}
	}
	if len(e.ruled) != 1 {
		t.Errorf("%d overrides have rules", len(e.ruled))
	}
}
