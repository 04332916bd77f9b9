package config

import (
	"slices"

	"github.com/rdblens/rdblens/thresholds"
)

// A Change is what a configuration changes of a rule.
type Change struct {
	Keys   string // patterns of the override, "" for all keys
	Rule   string
	Before string // of the profile, or for all keys: "off", or severities, limits and parameters
	After  string
	Idle   string // why the rule checks nothing although it is on, "" if it does
}

// Word returns "on", "off" or "changed".
func (c *Change) Word() string {
	switch {
	case c.After == "off":
		return "off"
	case c.Before == "off":
		return "on"
	}
	return "changed"
}

// Changes returns what a policy changes of its profile: first for all keys, then
// what overrides change for some.
func Changes(p *thresholds.Policy) []Change {
	base := Profile(p.Profile.Value)
	list := changes(nil, "", base, base.Settings, p, p.Settings)
	for i := range p.Overrides {
		o := &p.Overrides[i]
		list = changes(list, o.Pattern(), p, p.Settings, p, p.Overridden(o))
	}
	return list
}

func changes(list []Change, keys string, before *thresholds.Policy, from []thresholds.Setting, after *thresholds.Policy,
	to []thresholds.Setting) []Change {
	for id, rule := range thresholds.Rules() {
		c := Change{Keys: keys, Rule: rule.Name, Before: inForce(before, &from[id]), After: inForce(after, &to[id]),
			Idle: to[id].Idle(after)}
		if c.Idle == from[id].Idle(before) &&
			slices.EqualFunc(showSetting(nil, &from[id]), showSetting(nil, &to[id]), sameValue) {
			continue // perhaps set to what it was
		}
		if c.Before != c.After || c.Idle != "" && from[id].On && c.Idle != from[id].Idle(before) {
			list = append(list, c)
		}
	}
	return list
}

func sameValue(a, b Entry) bool { return a.Path == b.Path && a.Value == b.Value }

// inForce returns the limits and parameters of a rule, "off" if it checks nothing.
func inForce(p *thresholds.Policy, s *thresholds.Setting) string {
	if s.Idle(p) != "" {
		return "off"
	}
	text := s.Summary()
	if params := s.ParamSummary(); params != "" && text != "off" {
		text += ", " + params
	}
	return text
}
