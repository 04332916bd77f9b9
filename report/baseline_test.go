package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/rdblens/rdblens/thresholds/config"
)

// reportOfGroups returns a report with a finding of each rule in n groups of two keys.
func reportOfGroups(n int, rules ...string) *Report {
	r := &Report{Complete: true}
	for i, rule := range rules {
		f := Finding{Rule: rule, Severity: "warning"}
		for g := range n {
			f.Groups = append(f.Groups, FindingGroup{Group: Name(fmt.Sprintf("%d-%d:*", i, g)), Count: 2})
			f.Count += 2
		}
		r.Rules = append(r.Rules, f)
	}
	return r
}

// TestLargeBaseline checks that rules with more findings than a baseline has entries
// are accepted as a whole.
func TestLargeBaseline(t *testing.T) {
	r := reportOfGroups(config.MaxAccepted-10, "no-ttl", "key-type-suffix")
	list := r.Accept(Acceptance{Reason: "r"})
	if len(list) != config.MaxAccepted-9 {
		t.Fatalf("%d entries", len(list))
	}
	whole := &list[len(list)-1]
	if whole.Groups != nil || whole.Keys != nil || whole.Findings != 2*int64(config.MaxAccepted-10) {
		t.Errorf("entry for all keys: %+v", whole)
	}
	more := reportOfGroups(config.MaxAccepted-9, "no-ttl", "key-type-suffix")
	updated, added := more.UpdateBaseline(list, Acceptance{})
	if added != 1 || updated[len(list)-1].Findings != 2*int64(config.MaxAccepted-9) {
		t.Errorf("%d added, %d findings", added, updated[len(list)-1].Findings)
	}
	fewer := reportOfGroups(5, "no-ttl")
	pruned, removed := fewer.PruneBaseline(updated, time.Time{})
	if len(pruned) != 5 || removed != len(updated)-5 {
		t.Errorf("%d entries, %d removed", len(pruned), removed)
	}
}

// TestPruneEnded checks that an entry that has ended is removed though findings match.
func TestPruneEnded(t *testing.T) {
	r := reportOfGroups(3, "no-ttl")
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	list := r.Accept(Acceptance{Until: day})
	list[0].Until = day.Add(time.Nanosecond)
	if _, removed := r.PruneBaseline(list, day); removed != 2 {
		t.Errorf("%d removed", removed)
	}
}
