package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds/config"
)

// jobSnapshot has a queue of BullMQ with 30 jobs, and 5 strings without a TTL.
func jobSnapshot() []byte {
	buf := []byte("REDIS0011\xfa\x09redis-ver\x067.0.15\xfa\x05ctime\x0a1700000000\xfe\x00")
	text := func(s string) { buf = append(append(buf, byte(len(s))), s...) }
	hash := func(name string, pairs ...string) {
		buf = append(buf, 4)
		text(name)
		buf = append(buf, byte(len(pairs)/2))
		for _, s := range pairs {
			text(s)
		}
	}
	hash("bull:mail:meta", "opts.maxLenEvents", "10000")
	for i := range 30 {
		hash(fmt.Sprintf("bull:mail:%d", i+1), "name", "send", "data", "{}", "opts", "{}", "timestamp", "1700000000000")
	}
	for i := range 5 {
		buf = append(buf, 0)
		text(fmt.Sprintf("cart:%d", i))
		text("v")
	}
	return append(buf, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// TestExplainedFindings checks that what a library does by design is counted apart, and
// that all numbers of a report agree.
func TestExplainedFindings(t *testing.T) {
	b := newBuilder(agg.Options{Top: 20, Examples: 3})
	opt := parser.Options{Jobs: 1, Header: func(*parser.Info) { b.Start(testEngine(t, "default")) }}
	if _, err := parser.Run(context.Background(), bytes.NewReader(jobSnapshot()), opt, func() parser.Sink { return b.NewShard() }); err != nil {
		t.Fatal(err)
	}
	r := b.Report()
	if r.Findings.Explained != 31 {
		t.Errorf("%d findings are explained, want those of 31 keys", r.Findings.Explained)
	}
	counted := int64(0)
	for i := range r.Rules {
		f := &r.Rules[i]
		counted += f.Count
		if f.Rule != "no-ttl" {
			continue
		}
		if f.Count != 5 || len(f.Groups) != 1 || f.Groups[0].Group != "cart:*" {
			t.Errorf("no-ttl: %d findings in %v, want 5 in cart:*", f.Count, f.Groups)
		}
		// The pass kept jobs, which are larger, as examples.
		if len(f.Examples) == 0 || f.Examples[0].KeyRow.Group != "cart:*" {
			t.Errorf("no-ttl has %d examples, or one of a job", len(f.Examples))
		}
	}
	if sum := r.Findings.Error + r.Findings.Warning + r.Findings.Info; sum != counted {
		t.Errorf("%d findings by severity, %d by rule", sum, counted)
	}
	groups := int64(0)
	for i := range r.Groups {
		groups += r.Groups[i].Findings
		g := &r.Groups[i]
		if g.Identity == nil || g.Identity.Library != "BullMQ" {
			continue
		}
		for _, found := range g.LargestKey.Findings {
			if found.Rule == "no-ttl" {
				t.Errorf("%s: its largest key has a finding of no-ttl", g.Group)
			}
		}
	}
	if groups != counted {
		t.Errorf("%d findings by group, %d by rule", groups, counted)
	}
	for _, s := range r.FixFirst {
		if s.Group == "bull:mail:*" && s.Kind == "expire" {
			t.Errorf("fix first: %s", s.Text)
		}
	}
	for _, in := range r.Accept(Acceptance{}) {
		if in.Names[0] == "no-ttl" && len(in.Groups) == 1 && in.Groups[0] == "bull:mail:*" {
			t.Error("a baseline accepts what is explained")
		}
	}
}

// cartNames is a snapshot of strings whose names have 29 to 129 bytes, and an expiry, in ms since
// the epoch, unless it is nil.
func cartNames(expiry *uint64) []byte {
	buf := []byte("REDIS0011\xfa\x09redis-ver\x067.0.15\xfa\x05ctime\x0a1700000000\xfe\x00")
	for i, length := range []int{29, 30, 31, 31, 128, 128, 129} { // values have 3
		if expiry != nil {
			buf = binary.LittleEndian.AppendUint64(append(buf, 0xfc), *expiry)
		}
		name := fmt.Sprintf("cart:%d:%s", i, bytes.Repeat([]byte("n"), length-7))
		if length > 63 {
			buf = append(buf, 0, 0x40|byte(length>>8), byte(length))
		} else {
			buf = append(buf, 0, byte(length))
		}
		buf = append(append(buf, name...), "\x03abc"...)
	}
	return append(buf, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// scanText scans a snapshot under a configuration that extends baidu.
func scanText(t *testing.T, snapshot []byte, configuration, rules string) *Report {
	t.Helper()
	policy, err := config.LoadText(config.Options{Config: "rdblens.yaml", Rules: rules}, []byte("extends: baidu\n"+configuration))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Scan(context.Background(), []Source{{Name: "a.rdb", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(snapshot)), nil
	}}}, policy, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReasonsGone checks why findings are said to be gone.
func TestReasonsGone(t *testing.T) {
	expiry := uint64(1700000000_000 + 3600_000)
	none := []byte("REDIS0011\xfa\x09redis-ver\x067.0.15\xfa\x05ctime\x0a1700000000\xfe\x00\x00\x01a\x01b\xff\x00\x00\x00\x00\x00\x00\x00\x00")
	for _, c := range []struct {
		snapshot            []byte
		before, after       string
		rule, reason, other string
	}{
		{cartNames(nil), "", "rules: {no-ttl: off}\n", "no-ttl", "no-ttl is no longer checked", "key-length"},
		{cartNames(nil), "", "ignore: [{rule: no-ttl, key: 'cart:*', reason: known}]\n", "no-ttl", "ignored: known", "key-length"},
		{cartNames(nil), "rules: {key-length: {info: 30}}\n", "", "key-length", "key-length is only counted", "no-ttl"},
		{cartNames(&expiry), "", "", "no-ttl", "the keys changed", "key-length"},
		{none, "", "", "no-ttl", "the keys are gone", ""},
	} {
		before, after := scanText(t, cartNames(nil), c.before, ""), scanText(t, c.snapshot, c.after, "")
		d, err := Compare(t.Context(), CompareInput{Saved: before}, CompareInput{Saved: after}, nil, Options{}, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		given := false
		for _, f := range d.Findings.Resolved {
			given = given || f.Rule == c.rule && f.Reason == c.reason
			if f.Rule == c.other || f.Reason == "" {
				t.Errorf("%s: %s is resolved: %q", c.reason, f.Rule, f.Reason)
			}
		}
		if !given {
			t.Errorf("%s: not among %+v", c.reason, d.Findings.Resolved)
		}
	}
}

// TestCountedFindings checks that limits which Baidu's rules only recommend are counted in one
// line, that a team gets them as findings when it sets them, and that nothing is in both.
func TestCountedFindings(t *testing.T) {
	scan := func(configuration, rules string) *Report { return scanText(t, cartNames(nil), configuration, rules) }
	counts := func(r *Report) map[string]int64 {
		list := map[string]int64{}
		for i := range r.Rules {
			if f := &r.Rules[i]; f.Rule == "key-length" {
				list[f.Severity] = f.Count
			}
		}
		return list
	}
	r := scan("", "")
	if got := counts(r); got["info"] != 0 || got["warning"] != 1 || r.Findings.Info != 0 {
		t.Errorf("findings %v, %d of severity info in all", got, r.Findings.Info)
	}
	want := Counted{Rule: "key-length", Severity: "info", Limit: 30, Count: 4, Of: 7}
	if len(r.Counted) != 1 || slices.Contains(r.Passed, "key-length") {
		t.Fatalf("counted %+v, passed %v", r.Counted, r.Passed)
	}
	got := r.Counted[0]
	if got.Rule != want.Rule || got.Severity != want.Severity || got.Limit != want.Limit || got.Count != want.Count || got.Of != want.Of {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	if histogram := []CountedBucket{{30, 2}, {128, 4}, {Unknown, 1}}; !slices.Equal(got.Histogram, histogram) {
		t.Errorf("histogram %v, want %v", got.Histogram, histogram)
	}
	for _, asked := range []*Report{scan("rules: {key-length: {info: 30}}\n", ""), scan("rules: {key-length: {count_info: off}}\n", ""), scan("", "key-length")} {
		if got := counts(asked); got["info"] < 4 || len(asked.Counted) != 0 {
			t.Errorf("asked for: findings %v, counted %v", got, asked.Counted)
		}
	}
	if r := scan("rules: {key-length: {info: 20, count_info: true}}\n", ""); len(r.Counted) != 1 || r.Counted[0].Limit != 20 || r.Counted[0].Count != 7 {
		t.Errorf("a team's own limit is not only counted although it says so: %+v", r.Counted)
	}
}
