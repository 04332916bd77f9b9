package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
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
