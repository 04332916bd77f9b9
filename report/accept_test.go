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

// TestOtherServers checks what a move to another server, or allocator, would save.
func TestOtherServers(t *testing.T) {
	// Other servers after a restart: of all inputs, and only those that need less.
	memory := func(own, other int64) *Memory {
		return &Memory{Model: "redis-7.0", WhatIf: []WhatIf{{Model: "redis-7.0", State: "live", Predicted: 1}, {Model: "redis-7.0", State: "reloaded", Predicted: Figure(own)}, {Model: "valkey-9.0", State: "reloaded", Predicted: Figure(other)}, {Model: "more", State: "reloaded", Predicted: Figure(own)}}}
	}
	r := &Report{Totals: Totals{Keys: 5, MemoryBytes: 1_000_000}, Inputs: []Input{{Memory: memory(5000, 4000)}, {Memory: memory(500, 400)}}}
	others, sentence := r.otherServers()
	r.Savings = stepsOf(others)
	if got := english(sentence); got != "used_memory after a restart of redis-7.0: 5.4 KB; loaded by valkey-9.0: 4.3 KB, more: 5.4 KB" {
		t.Error(got)
	}
	if s := r.Savings; len(s) != 1 || s[0].SavesBytes != 1100 || s[0].Keys != 5 || english(s[0].How) != "move from redis-7.0, 5.4 KB" {
		t.Errorf("%+v", s)
	}
	if page := string(render(t, "table", r, 200)); !strings.Contains(page, "valkey-9.0, 4.3 KB") {
		t.Error(page)
	}
	r.Inputs[1].Memory = nil
	if s, sentence := r.otherServers(); s != nil || !sentence.IsZero() {
		t.Errorf("%+v %v", s, sentence)
	}
}
