package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// reportOn scans a snapshot under a profile.
func reportOn(t *testing.T, data []byte, profile string) *Report {
	t.Helper()
	policy, err := config.Load(config.Options{Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	b := newBuilder(agg.Options{Top: 20, Examples: 3})
	opt := parser.Options{Jobs: 1, Memory: func(info *parser.Info) *memory.Model {
		m, _, _ := memory.Choose(info.Server, info.ServerVersion, memory.Options{})
		return m
	}}
	opt.Header = func(info *parser.Info) {
		b.Start(policy.Compile(thresholds.Env{Server: info.Server, Version: info.ServerVersion, Created: info.Created, Memory: true}))
	}
	if _, err := parser.Run(context.Background(), bytes.NewReader(data), opt, func() parser.Sink { return b.NewShard() }); err != nil {
		t.Fatal(err)
	}
	return b.Report()
}

// TestGroupRulesOnServersKeys checks rules about groups, and about consumer groups, on keys
// that a server wrote.
func TestGroupRulesOnServersKeys(t *testing.T) {
	f, err := os.Open("../testdata/rules/groups.rdb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	// What groupLimits of testdata/gen writes.
	want := map[string]map[string]string{
		"mixed-ttl": {"one:*": "1 of 100 keys have no TTL, the others have one", "thirty:*": "30 of 100 keys have no TTL, the others have one",
			"most:*": "1 of 100 keys have a TTL, the others have none"},
		"stream-consumers": {"behind:10001": "group billing is 10,001 entries behind, over 10,000: 1 consumer, which read within the week before; 5 entries pending, the oldest of 1970-01-01 00:00:00 UTC"},
		"outlier":          {"cart:*": "", "days:*": ""},
	}
	for profile, on := range map[string]bool{"default": true, "upper": false} {
		r := reportOn(t, data.Bytes(), profile)
		found := map[string]int{}
		for i := range r.Rules {
			rule := r.Rules[i].Rule
			if want[rule] == nil {
				continue
			}
			for _, e := range r.Rules[i].Examples {
				text, wanted := want[rule][string(e.subject())]
				if !wanted || text != "" && e.Text != text {
					t.Errorf("%s, %s: %s: %s", profile, rule, e.subject(), e.Text)
				}
				found[rule]++
			}
			if int(r.Rules[i].Count) != len(want[rule]) {
				t.Errorf("%s, %s: %d findings, want %d", profile, rule, r.Rules[i].Count, len(want[rule]))
			}
		}
		for rule := range want {
			if wanted := on || rule == "stream-consumers"; wanted && found[rule] != len(want[rule]) || !wanted && found[rule] > 0 {
				t.Errorf("%s: %d examples of %s", profile, found[rule], rule)
			}
		}
	}
}

// TestForgottenTTL checks that groups in which a few keys have no TTL, or a few have one, are among what to fix
// first, however much memory others take, and that a comparison says what to do about the one that is new.
func TestForgottenTTL(t *testing.T) {
	day := func(forgotten int) *Report {
		var keys []handKey
		for i := range 200 {
			session, lock, other := int64(3600), int64(-1), strings.Repeat("x", 9000)
			if i < forgotten {
				session = 0
			}
			if i < 40 {
				lock = 3600
			}
			keys = append(keys, handKey{fmt.Sprintf("session:%d", i), session, -1, "v"}, handKey{fmt.Sprintf("lock:%d", i), max(lock, 0), -1, "v"},
				handKey{fmt.Sprintf("large:%d", i), 0, -1, other})
		}
		return scanBytes(t, Options{}, bytesSource("dump.rdb", handSnapshot(noon, "", keys)))
	}
	before, after := day(0), day(50)
	fixes := map[Name]string{}
	for _, s := range after.FixFirst {
		fixes[s.Group] = s.Text
	}
	const session = "Find the code that writes session:* with and without a TTL: 50 of 200 keys have no TTL, the others have one."
	if fixes["session:*"] != session || !strings.Contains(fixes["lock:*"], "40 of 200 keys have a TTL, the others have none") {
		t.Errorf("fix first: %q", fixes)
	}
	var got []string
	for _, m := range compareSaved(t, before, after, CompareOptions{}).fixes() {
		got = append(got, english(m))
	}
	if !slices.Equal(got, []string{session}) {
		t.Errorf("what is new: %q", got)
	}
}
