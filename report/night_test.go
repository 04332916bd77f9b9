package report_test

import (
	"testing"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/thresholds"
)

// A comparison of saved reports knows some findings by their group alone.
func TestNightNamesGroups(t *testing.T) {
	never := message.New("never expires")
	for _, test := range []struct {
		finding report.DiffFinding
		want    string
	}{
		{report.DiffFinding{Group: "sess:*", CountAfter: 3000}, "no-ttl: 3,000 findings in sess:*"},
		{report.DiffFinding{Group: "sess:*", CountAfter: 1}, "no-ttl: sess:*"},
		{report.DiffFinding{Group: "sess:*", Subject: "sess:1", CountAfter: 2, Message: never},
			"no-ttl: 2 findings, the worst sess:1: never expires"},
		{report.DiffFinding{CountAfter: 1, Message: never}, `no-ttl: "": never expires`}, // the empty key
	} {
		test.finding.Rule, test.finding.Severity = "no-ttl", "warning"
		brief := report.NewBrief(&report.Report{Complete: true})
		events := report.Events([]report.Night{{Name: "a.rdb", Now: brief, Last: brief, Judged: true,
			Diff: &report.Diff{Findings: report.DiffFindings{New: []report.DiffFinding{test.finding}}}}},
			report.NightOptions{Limits: &thresholds.Nightly{}, Severity: thresholds.Warning, Fleet: &report.Report{}})
		if len(events) != 1 || events[0].What.String() != test.want {
			t.Errorf("%+v: %v, want %s", test.finding, events, test.want)
		}
	}
}

// What grew without a limit is information if it is much of what was there, and of all.
func TestNightGrowth(t *testing.T) {
	const mb = 1 << 20
	row := func(group string, keys, keysNow, bytes, bytesNow int64) report.DiffRow {
		r := report.DiffRow{KeysBefore: keys, KeysAfter: keysNow, ValueBytesBefore: bytes, ValueBytesAfter: bytesNow}
		if group != "" {
			name := report.Name(group)
			r.Group = &name
		}
		return r
	}
	for _, test := range []struct {
		what          string
		totals, group report.DiffRow
		want          []string
	}{
		{"both", row("", 1e5, 1e5, 100*mb, 112*mb), row("a:*", 10, 10, 10*mb, 22*mb),
			[]string{"all keys: 100,000 -> 100,000 keys, 100 MB -> 112 MB", "a:*: 10 -> 10 keys, 10 MB -> 22 MB"}},
		{"a new group", row("", 1e5, 1e5, 100*mb, 102*mb), row("a:*", 0, 10, 0, 2*mb),
			[]string{"a:*: 0 -> 10 keys, 0 B -> 2 MB"}},
		{"keys", row("", 1e6, 1020_000, 100*mb, 100*mb), row("a:*", 30_000, 50_000, mb, mb),
			[]string{"a:*: 30,000 -> 50,000 keys, 1 MB -> 1 MB"}},
		{"a small share of the group", row("", 1e5, 1e5, 100*mb, 109*mb), row("a:*", 10, 10, 40*mb, 49*mb), nil},
		{"a small share of all", row("", 1e5, 1e5, 1000*mb, 1005*mb), row("a:*", 10, 10, 5*mb, 10*mb), nil},
		{"few bytes and keys", row("", 100, 5000, mb/4, mb), row("a:*", 10, 4910, 10, mb/2), nil},
	} {
		brief := report.NewBrief(&report.Report{Complete: true})
		events := report.Events([]report.Night{{Name: "a.rdb", Now: brief, Last: brief, Diff: &report.Diff{
			Measure: report.ByValueBytes, Totals: test.totals, Groups: []report.DiffRow{test.group}}, Judged: true}},
			report.NightOptions{Limits: &thresholds.Nightly{}, Fleet: &report.Report{}})
		var got []string
		for _, e := range events {
			if got = append(got, e.What.String()); e.Severity != thresholds.Info || e.Kind != report.EventGrown {
				t.Errorf("%s: %+v", test.what, e)
			}
		}
		if len(got) != len(test.want) {
			t.Fatalf("%s: %q, want %q", test.what, got, test.want)
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %q, want %q", test.what, got[i], test.want[i])
			}
		}
	}
}
