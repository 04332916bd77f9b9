package thresholds

// Text says in words what was measured against which limit.
func (e *Engine) Text(f Finding, s *Subject) string { return "" }

// Advise gives what to do about a finding.
func (e *Engine) Advise(f Finding, s *Subject) []Advice { return nil }

// InstanceText says in words what was measured against which limit.
func (e *Engine) InstanceText(f InstanceFinding) string { return "" }

// AdviseInstance gives what to do about a finding over the whole instance.
func (e *Engine) AdviseInstance(f InstanceFinding) []Advice { return nil }
