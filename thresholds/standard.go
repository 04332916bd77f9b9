package thresholds

import "github.com/rdblens/rdblens/parser/message"

// What a team's standard says: the reasons of its settings, which of them it raised, and
// which rules judge.

// Reason returns the reason and the source that the configuration gives for the setting
// that a finding about a key comes from, "" none.
func (e *Engine) Reason(f Finding, name []byte) (reason, source string) {
	s := &e.settingsOf(name)[f.Rule]
	return s.Reason.Value, s.Source.Value
}

// InstanceReason is Reason for a finding about the instance: those of a budget are its own.
func (e *Engine) InstanceReason(f *InstanceFinding) (reason, source string) {
	if f.Rule.Name() == "budget" && f.budget < len(e.policy.Budgets) {
		if b := &e.policy.Budgets[f.budget]; b.Reason != "" || b.Source != "" {
			return b.Reason, b.Source
		}
	}
	s := &e.policy.Settings[f.Rule]
	return s.Reason.Value, s.Source.Value
}

// Raised reports whether the team itself gave findings of a rule a severity: by a limit, a
// list or a severity of its configuration, or by a flag. All budgets are the team's.
func (p *Policy) Raised(rule RuleID, severity Severity) bool {
	if rule.Name() == "budget" {
		return true
	}
	raised := p.Settings[rule].raised(severity)
	for i := range p.Overrides {
		for n := range p.Overrides[i].Edits {
			e := &p.Overrides[i].Edits[n]
			raised = raised || e.Rule == rule &&
				(e.Severity == severity || e.Limit.Severity == severity && !e.Limit.None || e.List.Severity == severity)
		}
	}
	return raised
}

func (s *Setting) raised(severity Severity) bool {
	isTeams := func(o Origin) bool { return o.Kind >= FromFile }
	for _, l := range s.Limits {
		if l.Severity == severity && !l.None && isTeams(l.Origin) {
			return true
		}
	}
	for i := range s.Lists {
		if s.Lists[i].Severity == severity && isTeams(s.Lists[i].Origin) {
			return true
		}
	}
	return s.Rule.Unit == message.None && s.Rule.Lists == nil && s.Severity == severity && isTeams(s.Origin)
}

// Judges returns the rules that keys are checked against, for some keys at least, and
// those about the instance that apply to the snapshot.
func (e *Engine) Judges() (set RuleSet) {
	for i := range e.policy.Settings {
		s := &e.policy.Settings[i]
		if s.On && s.Rule.check != nil && s.Idle(e.policy) == "" {
			set |= 1 << s.Rule.ID
		}
	}
	for i := range e.policy.Overrides {
		o := &e.policy.Overrides[i]
		settings := e.policy.Overridden(o)
		for n := range o.Edits {
			if s := &settings[o.Edits[n].Rule]; s.On && s.Rule.check != nil && s.Idle(e.policy) == "" {
				set |= 1 << s.Rule.ID
			}
		}
	}
	for i := range e.instance {
		set |= 1 << e.instance[i].rule
	}
	return set
}
