package config

import (
	"github.com/goccy/go-yaml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestBaselineText checks that entries are read back as they were written, whatever
// bytes their names have, and that the order in which they come does not matter.
func TestBaselineText(t *testing.T) {
	rule := func(name string) (thresholds.RuleSet, []string) {
		r, _ := thresholds.Lookup(name)
		return 1 << r.ID, []string{name}
	}
	entry := func(name string, change func(*thresholds.Ignore)) thresholds.Ignore {
		in := thresholds.Ignore{Reason: "because: it {is} \"so\", #1", By: "alice"}
		in.Rules, in.Names = rule(name)
		change(&in)
		return in
	}
	glob := func(s string) []*naming.Glob {
		g, err := naming.ParseGlob(s)
		if err != nil {
			t.Fatal(err)
		}
		return []*naming.Glob{g}
	}
	zero := 0
	list := []thresholds.Ignore{
		entry("no-ttl", func(in *thresholds.Ignore) {
			in.Groups, in.Findings, in.Database = []string{"user:*:订单"}, 1200, &zero
		}),
		entry("no-ttl", func(in *thresholds.Ignore) { in.Groups = []string{"a: }\n- {\x1b[2J\u202e", "b"} }),
		entry("big-string", func(in *thresholds.Ignore) {
			in.Keys, in.Accepted, in.Until = glob("report:2026"), 119474, time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)
		}),
		entry("ttl-too-long", func(in *thresholds.Ignore) { in.Keys, in.Accepted = glob(`x\*`), 86400*40+1 }),
		entry("key-charset", func(in *thresholds.Ignore) { in.Accepted = 123456 }),
	}
	path := filepath.Join(t.TempDir(), "accepted.yaml")
	text := WriteBaseline(list)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	back, err := LoadBaseline(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := string(WriteBaseline(back)); again != string(text) || len(back) != len(list) {
		t.Errorf("%d entries read back as\n%s\nwant\n%s", len(back), again, text)
	}
	for i := range list[:len(list)/2] {
		list[i], list[len(list)-1-i] = list[len(list)-1-i], list[i]
	}
	if other := string(WriteBaseline(list)); other != string(text) {
		t.Errorf("in another order:\n%s", other)
	}
	want := `  - {rule: big-string, key: "report:2026", accepted: 119474 B, by: "alice", until: 2027-01-31, reason: "because: it {is} \"so\", #1"}`
	if !strings.Contains(string(text), "\n"+want+"\n") {
		t.Errorf("no %s in\n%s", want, text)
	}
	if lines := strings.Count(string(text), "\n  - "); lines != len(list) {
		t.Errorf("%d lines", lines)
	}
	// A byte that is not UTF-8 becomes a wildcard.
	if got := quoteYAML("a\xff\xfeb\ufffd"); got != "\"a??b\ufffd\"" {
		t.Errorf("%s", got)
	}
	// A large baseline is read, and nothing above the bounds.
	var b strings.Builder
	b.WriteString("ignore:\n")
	for range MaxAccepted {
		b.WriteString("  - {rule: no-ttl, database: 0, group: \"" + strings.Repeat("x", 200) + "\", findings: 1, reason: y}\n")
	}
	for text, problem := range map[string]string{b.String(): "", b.String() + "  - {rule: no-ttl, reason: y}\n": "at most 10,000", strings.Repeat("#\n", maxBaseline/2+1): "larger than 4 MB",
		"rules: {no-ttl: off}": "unknown field", "ignore: " + strings.Repeat("[", 100): "deeper"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBaseline(path); (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%.60q: %v, want %q", text, err, problem)
		}
	}
}

// TestAccepted checks which findings an entry ignores.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		entry, name string
		db          int
		size        int64
		ignored     bool
	}{
		{"key: a:b", "a:b", 0, 20000, true}, {"key: a:b", "a:c", 0, 20000, false}, {"key: a:b, database: 1", "a:b", 0, 20000, false}, {"key: a:b, database: 1", "a:b", 1, 20000, true},
		{"key: 'a*', accepted: 20000", "a:b", 0, 39999, true}, {"key: 'a*', accepted: 20000", "a:b", 0, 40000, false},
		{"group: 'user:*'", "user:17", 0, 20000, true}, {"group: 'user:*'", "user:alice", 0, 20000, true}, {"group: 'user:*'", "user:17:cart", 0, 20000, false},
		{"group: 'user:*:cart'", "user:17:cart", 0, 20000, true}, {"group: 'user:*:cart'", "user:17:cash", 0, 20000, false}, {"group: 'user:*:cart'", "user:17#cart", 0, 20000, false},
		{"group: 'v*:x'", "v17:x", 0, 20000, true}, {"group: '*:x'", "17:x", 0, 20000, true}, {"group: '*:x'", "17:x:y", 0, 20000, false}, {"group: 'a[b'", "a[b", 0, 20000, true}, {"group: 'a:'", "a:", 0, 20000, true},
		{"group: 'a:b:c:d:e:f:g:h:i:j:k:*'", "a:b:c:d:e:f:g:h:i:j:k:l:m:n", 0, 20000, true}, {"group: [x, 'user:*']", "user:1", 0, 20000, true}, {"group: '*'", "", 0, 20000, true},
		{"database: 3", "z", 3, 20000, true},
	} {
		p, err := LoadText(Options{Config: "x.yaml"}, []byte("ignore: [{rule: big-string, reason: r, "+c.entry+"}]"))
		if err != nil {
			t.Fatalf("%s: %v", c.entry, err)
		}
		e := p.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: -1})
		k := &parser.Key{DB: c.db, Name: []byte(c.name), NameLen: int64(len(c.name)), Type: parser.String, ValueBytes: c.size, Idle: -1, Freq: -1, Memory: -1, CompactMemory: -1}
		var f naming.Facts
		e.Namer().Facts(k.Name, &f)
		rule, _ := thresholds.Lookup("big-string")
		for _, found := range e.Check(k, &f, nil) {
			if found.Rule == rule.ID && (found.Ignored != 0) != c.ignored {
				t.Errorf("%s, key %q of %d bytes in %d: ignored by entry %d", c.entry, c.name, c.size, c.db, found.Ignored)
			}
			if found.Rule == rule.ID && c.size < 40000 && matches(p, e, rule.ID, c.db, k.Name) != c.ignored {
				t.Errorf("%s, key %q in %d: Matches", c.entry, c.name, c.db)
			}
		}
	}
}

func matches(p *thresholds.Policy, e *thresholds.Engine, rule thresholds.RuleID, db int, name []byte) (found bool) {
	thresholds.NewIgnores(p.Ignores, e.Namer(), time.Time{}).Each(rule, db, name, func(int) bool { found = true; return false })
	return found
}

// TestQuoteYAML checks the escapes of YAML 1.2 (5.7) for what is not printable, and that
// the YAML library reads the same text.
func TestQuoteYAML(t *testing.T) {
	for text, want := range map[string]string{"": `""`, "a b": `"a b"`, `a"b`: `"a\"b"`, `a\b`: `"a\\b"`, "a\n\t\x00\x7f": `"a\x0a\x09\x00\x7f"`, "\u0080\u00a0": `"\x80\xa0"`, "\u00ff": "\"\u00ff\"", "\u0100": "\"\u0100\"",
		"\u200b\u202e\ufeff": `"\u200b\u202e\ufeff"`, "\uffff": `"\uffff"`, "\U000e0001": `"\U000e0001"`, "\U0001f600": "\"\U0001f600\"", "\u4e2d": "\"\u4e2d\"", "\xff": `"?"`} {
		got := quoteYAML(text)
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		var read map[string]string
		if err := yaml.Unmarshal([]byte("a: "+got), &read); err != nil || text != "\xff" && read["a"] != text {
			t.Errorf("%s is read as %q: %v", got, read["a"], err)
		}
	}
}
