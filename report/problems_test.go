package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
)

// TestBroken checks the headline of the problems: rules and severities, each rule
// by its worst.
func TestBroken(t *testing.T) {
	finding := func(rule, severity string) Finding {
		return Finding{Rule: rule, Severity: severity, Count: 1, Examples: []Example{{Subject: "x"}}}
	}
	for _, c := range []struct {
		rules   []Finding
		passed  int
		ignored int64
		want    string
	}{
		{nil, 2, 5, "none, by 2 rules of profile default"},
		{[]Finding{finding("no-ttl", "info")}, 0, 0, "1 of 1 rule of profile default: 0 errors, 0 warnings, 1 info"},
		{[]Finding{finding("no-ttl", "error")}, 3, 1, "1 of 4 rules of profile default: 1 error, 0 warnings, 0 info; 1 finding ignored"},
		{[]Finding{finding("no-ttl", "warning"), finding("big-string", "error"), finding("big-string", "warning"), finding("key-length", "warning")}, 1, 0, "3 of 4 rules of profile default: 1 error, 2 warnings, 0 info"},
		{[]Finding{finding("no-ttl", "info"), finding("no-ttl", "warning")}, 0, 0, "1 of 1 rule of profile default: 0 errors, 1 warning, 0 info"},
	} {
		r := &Report{Config: Config{Profile: "default", FailOn: "error"}, Rules: c.rules, Passed: make([]string, c.passed),
			Findings: Counts{Ignored: c.ignored}}
		if got := english(newOverview(r, WriteOptions{}).broken); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	// How many keys a problem is about, as far as that is known.
	example := func(keys int64) Example { return Example{Subject: "s", Keys: keys} }
	for _, c := range []struct {
		f    Finding
		want Figure
	}{{Finding{Rule: "no-ttl", Count: 7, Examples: []Example{example(3)}}, 7}, {Finding{Rule: "slot-skew", Count: 7}, 7}, {Finding{Rule: "slot-skew", Count: 1, Examples: []Example{example(3)}}, 3},
		{Finding{Rule: "slot-skew", Count: 2, Examples: []Example{example(3), example(4)}}, 7}, {Finding{Rule: "slot-skew", Count: 3, Examples: []Example{example(3), example(4)}}, Unknown},
		{Finding{Rule: "slot-skew", Count: 3, Examples: []Example{{KeyRow: &KeyRow{}}}}, 3}, {Finding{Rule: "no such rule", Count: 2, Examples: []Example{example(3), example(4)}}, 7}} {
		if got := c.f.keyCount(); got != c.want {
			t.Errorf("%+v: %d keys, want %d", c.f, got, c.want)
		}
	}
	// The groups of a finding in a sentence: five, and how many others.
	for _, c := range []struct {
		groups int
		more   Figure
		want   string
	}{{1, 0, "g0 (1)"}, {5, 0, "g0 (1), g1 (2), g2 (3), g3 (4), g4 (5)"}, {6, 0, "g0 (1), g1 (2), g2 (3), g3 (4), g4 (5) and 1 other"}, {6, 3, "g0 (1), g1 (2), g2 (3), g3 (4), g4 (5) and 4 others"}, {1, 1, "g0 (1) and 1 other"}, {1, Unknown, "g0 (1)"}} {
		f := &Finding{GroupsMore: c.more}
		for i := range c.groups {
			f.Groups = append(f.Groups, FindingGroup{Group: Name(fmt.Sprint("g", i)), Count: int64(i + 1)})
		}
		if got := english(groupsText(f)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	subjects := []Example{{Groups: []Name{"a", "b"}}, {Groups: []Name{"b", "c"}}}
	if got := english(subjectGroupsText(subjects)); got != "a, b, c" {
		t.Error(got)
	}
	for i := range 9 {
		subjects = append(subjects, Example{Groups: []Name{Name(fmt.Sprint(i))}})
	}
	if got := english(subjectGroupsText(subjects)); got != "a, b, c, 0, 1, 2, 3, 4" {
		t.Error(got)
	}
}

// TestFindingsSection checks the table of findings, examples, advice and ignored findings.
func TestFindingsSection(t *testing.T) {
	key := &KeyRow{Key: "k", Type: "hash", Encoding: "listpack", DB: 0}
	advice := func(kind, text string, changes bool, commands ...string) Advice {
		a := Advice{Kind: kind, Text: text, ChangesData: changes, Commands: commands}
		if changes {
			a.Condition = "if so"
		}
		return a
	}
	r := &Report{Config: Config{Profile: "default"}, Inputs: []Input{{Name: "d/a"}, {Name: "d/b"}}, Totals: Totals{MemoryBytes: 100}, Rules: []Finding{
		{Rule: "big-string", Severity: "error", Title: "too large", Count: 2, MemoryBytes: 70, Groups: []FindingGroup{{Group: "g", Count: 2}}, Examples: []Example{{KeyRow: key, Input: 1, Text: "large", Advice: []Advice{advice("look", "look at it", false, "a", "b", "c", "d"), advice("delete", "delete it", true, "DEL k")}},
			{KeyRow: key, Text: "2"}, {KeyRow: key, Text: "3"}, {KeyRow: key, Text: "4"}}},
		{Rule: "no-ttl", Severity: "info", Title: "never expires", Count: 1, MemoryBytes: Unknown, ValueBytes: 5, Groups: []FindingGroup{{Group: "g", Count: 1}}, Examples: []Example{{KeyRow: key, Text: "none", Advice: []Advice{advice("look", "look at it", false, "a", "b", "c", "d"), advice("ttl", "let it go", false)}}}},
		{Rule: "slot-skew", Severity: "warning", Title: "skewed", Count: 1, MemoryBytes: 3, Examples: []Example{{Subject: "slot 7", Groups: []Name{"x", "y"}, Text: "full"}}},
		{Rule: "key-length", Severity: "info", Title: "long", Count: 9, MemoryBytes: 1}}}
	const head = `
# Findings (profile default; rdblens rules explain NAME describes a rule; --advice shows commands that change data)
| severity | rule | found | memory | flags
| error | big-string | 2 | 70 B | too large
| info | no-ttl | 1 | 5 B | never expires
| warning | slot-skew | 1 | 3 B | skewed
| info | key-length | 9 | 1 B | long
## error big-string (2): too large
| worst | snapshot | type | encoding | measured
| k | b | hash | listpack | large
| k | a | hash | listpack | 2
| k | a | hash | listpack | 3
groups: g (2)
look: look at it
$ a
$ b
$ c
: and 1 more command
`
	const rest = `## info no-ttl (1): never expires
| worst | snapshot | type | encoding | measured
| k | a | hash | listpack | none
ttl: let it go
## warning slot-skew (1): skewed
| worst | snapshot | measured
| slot 7 | a | full
groups: x, y`
	checkSections(t, []sectionCase{
		{"findings", r, (*details).findings, head + rest},
		{"none", &Report{Config: Config{Profile: "default"}}, (*details).findings, "# Findings\nnone"},
		{"not asked", &Report{}, (*details).findings, ""},
		{"ignored", &Report{Ignored: []Ignored{{Rule: "r", Pattern: "p", Count: 3, Until: "2026-12-31", Reason: "why"}, {Rule: "r", Pattern: "q", Until: "2020-01-01", Expired: true}, {Rule: "r", Pattern: "s", Grown: true, Unused: true}, {Rule: "r", Pattern: "t", Unused: true}}}, (*details).ignored, `
# Ignored (by the configuration)
| rule | pattern | ignored | until | reason
| r | p | 3 | 2026-12-31 | why
| r | q | 0 | 2020-01-01 (expired) |
| r | s | 0 | (twice as bad) |
| r | t | 0 | (matches nothing) |`},
		{"nothing ignored", &Report{}, (*details).ignored, ""},
	})
	p := &recordedPage{}
	newDetails(p, r, WriteOptions{Advice: true}).findings()
	if got := strings.Join(p.lines, "\n"); got != strings.TrimPrefix(strings.Replace(head, "; --advice shows commands that change data", "", 1), "\n")+"delete: (if so) delete it\n$ DEL k\n"+rest {
		t.Errorf("with advice:\n%s", got)
	}
}

// TestSharesByValue checks that types and keys of an unknown server have shares of the
// values.
func TestSharesByValue(t *testing.T) {
	keys := []parser.Key{}
	for i, typ := range []parser.Type{parser.Hash, parser.Hash, parser.List} {
		keys = append(keys, parser.Key{Name: []byte{byte('a' + i)}, NameLen: 1, Type: typ, Encoding: parser.EncListpack, Elements: 1, ValueBytes: 40 - 10*int64(i), Memory: -1, MemoryUsage: -1, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1})
	}
	policy := testPolicy(t)
	r := gather(policy.Compile(thresholds.Env{Created: testCreated}), agg.Options{Top: 3}, keys, 10).Report()
	if len(r.Types) != 2 || r.Types[0].Type != "hash" || r.Types[0].Share != 70./90 || r.Types[1].Share != 20./90 || r.By != ByValueBytes || r.Types[0].AverageBytes != 35 || r.Types[0].LargestKey.Key != "a" {
		t.Errorf("%+v", r.Types)
	}
}
