package report

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
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
