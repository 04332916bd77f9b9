package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// entries returns the entries of a baseline as text.
func entries(list []thresholds.Ignore) string {
	var lines []string
	for i := range list {
		in := &list[i]
		db := -1
		if in.Database != nil {
			db = *in.Database
		}
		lines = append(lines, fmt.Sprintf("%s %s groups %t db %d findings %d worst %d", in.Names[0], in.Pattern(), in.Groups != nil, db, in.Findings, in.Accepted))
	}
	return strings.Join(lines, "\n")
}

// TestAccept checks the entries of a baseline by hand: by group, by key where a group has
// one, by subject; those of two severities are one.
func TestAccept(t *testing.T) {
	three := 3
	key := func(name, group string, measured Figure, unit string) Example {
		return Example{KeyRow: &KeyRow{Key: Name(name), Group: Name(group)}, Measured: measured, Limit: 1, Unit: unit}
	}
	r := &Report{Config: Config{Separators: ":"}, Groups: []Group{{Group: "a:*", Keys: 9, DB: &three}, {Group: "one*", Keys: 1, LargestKey: &KeyRow{Key: "one*"}}, {Group: "long", Keys: 1, LargestKey: &KeyRow{Key: "lon", NameBytes: 5000}}},
		Rules: []Finding{
			{Rule: "big-string", Severity: "error", Groups: []FindingGroup{{Group: "a:*", Count: 2}, {Group: "one*", Count: 1}, {Group: "long", Count: 1}, {Group: "unknown", Count: 4}}, Examples: []Example{key("a:1", "a:*", 900, message.Bytes.String()), key("one*", "one*", 700, message.Bytes.String()), key("x", "other", 300, message.Bytes.String())}},
			{Rule: "big-string", Severity: "warning", Groups: []FindingGroup{{Group: "a:*", Count: 5}}, Examples: []Example{key("a:2", "a:*", 100, message.Bytes.String())}},
			{Rule: "no-ttl", Severity: "warning", Groups: []FindingGroup{{Group: "a:*", Count: 7}}, Examples: []Example{key("a:1", "a:*", Unknown, "")}},
			{Rule: "slot-skew", Severity: "warning", Examples: []Example{{Subject: "slot 7", Measured: 1200, Unit: message.Ratio.String()}, {Subject: "slot 9", Measured: 1100, Unit: message.Count.String()}}},
			{Rule: "min-keys", Severity: "error", Examples: []Example{{Subject: "snapshot", Measured: 1}}}, // it is wrong, not accepted
			{Rule: "no such rule", Groups: []FindingGroup{{Group: "a:*", Count: 7}}}}}
	want := `big-string a:* groups true db 3 findings 7 worst 900
big-string one\* groups false db -1 findings 0 worst 700
big-string lon* groups false db -1 findings 0 worst 300
big-string unknown groups true db -1 findings 4 worst 300
no-ttl a:* groups true db 3 findings 7 worst 0
slot-skew slot 7 groups false db -1 findings 0 worst 1200
slot-skew slot 9 groups false db -1 findings 0 worst 0`
	until := time.Unix(86400, 0)
	list := r.Accept(Acceptance{By: "me", Reason: "why", Until: until})
	if got := entries(list); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for i := range list {
		if in := &list[i]; in.By != "me" || in.Reason != "why" || !in.Until.Equal(until) || in.Rules.Len() != 1 {
			t.Errorf("%+v", in)
		}
	}
	// What is known gets its new figures, what is new is added, what is covered is not.
	base := r.Accept(Acceptance{})
	base = slices.Delete(base, 4, 5) // no-ttl
	base[0].Findings, base[0].Accepted, base[5].Accepted = 1, 1, 5
	updated, added := r.UpdateBaseline(base, Acceptance{By: "you"})
	if added != 1 || updated[0].Findings != 7 || updated[0].Accepted != 900 || updated[len(updated)-1].Names[0] != "no-ttl" || updated[len(updated)-1].By != "you" || updated[0].By != "" || len(updated) != 7 {
		t.Errorf("%d added\n%s", added, entries(updated))
	}
	rule, _ := thresholds.Lookup("big-string")
	whole := []thresholds.Ignore{{Rules: 1 << rule.ID, Names: []string{"big-string"}, Findings: 2, Accepted: 3}}
	updated, added = r.UpdateBaseline(whole, Acceptance{})
	if added != 3 || updated[0].Findings != 7+1+1+4 || updated[0].Accepted != 900 || updated[0].Pattern() != "*" {
		t.Errorf("%d added\n%s", added, entries(updated))
	}
	// Entries that have ended, or are about nothing, go.
	base = r.Accept(Acceptance{})
	base[1].Until = time.Unix(1000, 0)
	base = append(base, thresholds.Ignore{Rules: 1 << rule.ID, Names: []string{"big-string"}, Groups: []string{"gone:*"}})
	for at, removed := range map[int64]int{999: 1, 1000: 2} {
		pruned, n := r.PruneBaseline(slices.Clone(base), time.Unix(at, 0))
		if n != removed || len(pruned) != 8-removed || strings.Contains(entries(pruned), "gone") {
			t.Errorf("at %d, %d are removed\n%s", at, n, entries(pruned))
		}
	}
	r.Rules[0].GroupsMore = 1 // then nobody knows
	if _, n := r.PruneBaseline(slices.Clone(base), time.Unix(0, 0)); n != 0 {
		t.Errorf("%d are removed", n)
	}
	// Too many entries: the rules with most of them have one each.
	var many []thresholds.Ignore
	for i := range config.MaxAccepted + 1 {
		name := []string{"big-string", "big-string", "no-ttl"}[i%3]
		many = append(many, thresholds.Ignore{Names: []string{name}, Groups: []string{fmt.Sprint(i)}, Findings: int64(i % 2), Accepted: int64(i)})
	}
	if few := acceptRules(slices.Clone(many[:config.MaxAccepted])); len(few) != config.MaxAccepted {
		t.Errorf("%d entries", len(few))
	}
	few := acceptRules(slices.Clone(many))
	last := few[len(few)-1]
	large, findings := 0, int64(0)
	for i := range many {
		if many[i].Names[0] == "big-string" {
			large, findings = large+1, findings+1 // at least one each
		}
	}
	if len(few) != len(many)-large+1 || last.Names[0] != "big-string" || last.Groups != nil || last.Findings != findings || last.Accepted < int64(config.MaxAccepted)-2 {
		t.Errorf("%d entries, the last %+v", len(few), last)
	}
}

// TestSavingBounds checks from which figures on a change is worth a line.
func TestSavingBounds(t *testing.T) {
	small := Group{Group: "u:*", Type: "string", Keys: 500, ValueBytes: 500 * 64, NameBytes: 500 * (2 + 64), MemoryBytes: 200_000, WithoutTTL: 500, MemoryWithoutTTL: 200_000, SerializedBytes: 40_000}
	for what, c := range map[string]struct {
		edit  func(g *Group)
		saves bool
	}{"at all bounds": {func(*Group) {}, true}, "a key less without a TTL": {func(g *Group) { g.WithoutTTL = 499 }, false}, "a longer value": {func(g *Group) { g.ValueBytes = 500 * 65 }, false}, "longer names": {func(g *Group) { g.NameBytes = 500 * (2 + 65) }, false},
		"unknown memory": {func(g *Group) { g.MemoryWithoutTTL = Unknown }, false}, "a hash": {func(g *Group) { g.Type = "hash" }, false}} {
		g := small
		c.edit(&g)
		if got := g.inHashes().bytes; (got != 0) != c.saves || c.saves && got != 200_000-(64+64+4)*500*9/8-2*128 {
			t.Errorf("%s: %d", what, got)
		}
	}
	for _, c := range []struct {
		group string
		keys  int64
		want  int64
	}{{"customer:address:list:*", 500, (5 + 4 + 1) * 500}, {"customer:address:list:*", 499, 0}, {"customer:address:lis:*", 500, (5 + 4) * 500}, {"customer:addr:list:*", 500, 0}, {"abc:abc:abc:abc:abc:abc:*", 500, 0}, {"CUSTOMER_ADDRESS_LISTING:1", 500, (5 + 4 + 4) * 500}, {"abcdefghijklmnopqrstu", 500, 18 * 500}} {
		if got := (&Group{Group: Name(c.group), Keys: c.keys}).shorterNames().bytes; got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, c := range []struct {
		keys, value, serialized int64
		want                    int64
	}{{10, 5120, 4096, 1024}, {10, 5119, 4000, 0}, {10, 5120, 4097, 0}, {10, 10_000, 1000, 9000}} {
		if got := (&Group{Type: "string", Keys: c.keys, ValueBytes: c.value, SerializedBytes: c.serialized}).compressed().bytes; got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	// What to do, in a table and in a sentence.
	for _, c := range []struct {
		s          saving
		how, brief string
	}{
		{small.inHashes(), "share hashes (400 B for 64 B)", "Store the 500 strings of u:* without a TTL as fields of hashes, up to 500 in each: a key takes 336 bytes besides its value of 64 bytes. Saves about 123 KB."},
		{(&Group{Group: "customer:address:list:*", Keys: 1000}).shorterNames(), "shorter names (10 B less)", "Shorten the names of customer:address:list:*: three letters a word are 10 bytes less for each of 1,000 keys. Saves about 9.8 KB."},
		{(&Group{Group: "page:*", Type: "string", Keys: 10, ValueBytes: 10_240, SerializedBytes: 5120}).compressed(), "compress (LZF: to 50.0%)", "Compress the values of page:* before they are stored: LZF shrinks the 10 values to 50.0% in this file. Saves about 5 KB."},
	} {
		if how, brief := english(c.s.how), english(c.s.brief); how != c.how || brief != c.brief {
			t.Errorf("%q, %q, want %q, %q", how, brief, c.how, c.brief)
		}
	}
	// A saving counts from a 500th of all memory and two keys on.
	for _, c := range []struct {
		saved, keys int64
		n           int
	}{{2000, 2, 1}, {1999, 2, 0}, {2000, 1, 0}} {
		r := &Report{Totals: Totals{MemoryBytes: 1_000_000}, Groups: []Group{{Group: "g:*", Keys: c.keys, MemoryBytes: 5000}}, Rules: []Finding{{Rule: "compact-encoding", Groups: []FindingGroup{{Group: "g:*", Count: 2, SavedBytes: c.saved}}}}}
		if v := newOverview(r, WriteOptions{}); len(v.savings) != c.n {
			t.Errorf("%+v: %+v", c, v.savings)
		}
	}
	// Other servers after a restart: of all inputs, and only those that need less.
	memory := func(own, other int64) *Memory {
		return &Memory{Model: "redis-7.0", WhatIf: []WhatIf{{Model: "redis-7.0", State: "live", Predicted: 1}, {Model: "redis-7.0", State: "reloaded", Predicted: Figure(own)}, {Model: "valkey-9.0", State: "reloaded", Predicted: Figure(other)}, {Model: "more", State: "reloaded", Predicted: Figure(own)}}}
	}
	r := &Report{Totals: Totals{Keys: 5, MemoryBytes: 1_000_000}, Inputs: []Input{{Memory: memory(5000, 4000)}, {Memory: memory(500, 400)}}}
	v := newOverview(r, WriteOptions{})
	if len(v.savings) != 1 || v.savings[0].bytes != 1100 || v.savings[0].keys != 5 || english(v.savings[0].group) != "valkey-9.0, 4.3 KB" || english(v.savings[0].how) != "move from redis-7.0, 5.4 KB" {
		t.Errorf("%+v", v.savings)
	}
	r.Inputs[1].Memory = nil
	if v := newOverview(r, WriteOptions{}); v.savings != nil {
		t.Errorf("%+v", v.savings)
	}
	// Another allocator: one that is nearer, in the same state, or the hint to try.
	for _, c := range []struct {
		used, predicted, other Figure
		state                  string
		want                   string
	}{{1000, 900, 950, "live", "used_memory fits --allocator libc better: the prediction is 5.0% off, 10.0% with jemalloc"}, {1000, 900, 1099, "live", "used_memory fits --allocator libc better: the prediction is 9.9% off"}, {1000, 900, 1100, "live", ""}, {1000, 900, 950, "reloaded", ""}, {1000, 1000, 1000, "live", ""}} {
		in := &Input{UsedMem: c.used, Memory: &Memory{Model: "m", State: "live", Allocator: "jemalloc", Keys: 600, Predicted: c.predicted, Difference: p(int64(c.used - c.predicted)), WhatIf: []WhatIf{{Model: "m", Allocator: "libc", State: c.state, Predicted: c.other}}}}
		if got := english(otherAllocator(in)); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q", c, got)
		}
	}
	for _, c := range []struct {
		keys, difference int64
		hint             bool
	}{{501, 31, true}, {501, -31, true}, {501, 30, false}, {500, 31, false}} {
		in := &Input{UsedMem: 1000, Memory: &Memory{Allocator: "jemalloc", Keys: Figure(c.keys), Predicted: Figure(1000 - c.difference), Difference: &c.difference}}
		if got := english(otherAllocator(in)); (got != "") != c.hint {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
