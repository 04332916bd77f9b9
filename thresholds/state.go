package thresholds

import (
	"encoding/json"
	"errors"

	"github.com/rdblens/rdblens/parser/message"
)

// FindingState is a Finding, or an InstanceFinding, as a state stores it.
type FindingState struct {
	Rule            RuleID
	Severity        Severity
	Note            uint8
	Ignored         uint16
	Measured, Limit int64
	Subject         []byte // JSON
	Keys, Bytes     int64
	Groups          []string
	Budget          int
}

// State returns what Engine.Restore makes the finding of.
func (f *InstanceFinding) State() FindingState {
	subject, err := json.Marshal(f.Subject)
	if err != nil {
		panic(err) // a message has nothing that JSON cannot represent
	}
	return FindingState{Rule: f.Rule, Severity: f.Severity, Note: f.note, Ignored: f.Ignored, Measured: f.Measured,
		Limit: f.Limit, Subject: subject, Keys: f.Keys, Bytes: f.Bytes, Groups: f.Groups, Budget: f.budget}
}

var errFinding = errors.New("a finding that no rule makes")

// Restore returns the finding of a state, which may be hostile, under the policy of
// the engine.
func (e *Engine) Restore(s *FindingState) (f InstanceFinding, err error) {
	if int(s.Rule) >= len(Rules()) || s.Severity < Info || s.Severity > Error || int(s.Ignored) > len(e.ignores) ||
		s.Keys < 0 || s.Bytes < 0 {
		return f, errFinding
	}
	rule := Rules()[s.Rule]
	if len(e.policy.Budgets) == 0 && rule.Name == "budget" || s.Budget < 0 || s.Budget >= max(1, len(e.policy.Budgets)) {
		return f, errFinding
	}
	var subject message.Message
	if err := json.Unmarshal(s.Subject, &subject); err != nil {
		return f, errFinding
	}
	return InstanceFinding{Finding: Finding{Rule: s.Rule, Severity: s.Severity, note: s.Note, ranked: rule.rank != nil,
		Ignored:  s.Ignored,
		Measured: s.Measured, Limit: s.Limit}, Subject: subject, Keys: s.Keys, Bytes: s.Bytes, Groups: s.Groups, budget: s.Budget}, nil
}
