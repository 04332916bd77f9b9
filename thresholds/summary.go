package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
)

// ProfileSetting gives how a profile sets a rule, nil for an unknown profile.
// It must not be changed.
func ProfileSetting(profile string, id RuleID) *Setting {
	p, ok := profiles()[profile]
	if !ok {
		return nil
	}
	return &p.Settings[id]
}

// Summary puts the setting in a few words: "off", "warning", "warning 1KB, error
// 10KB", "error 5000; hash: warning 100".
func (s *Setting) Summary() string {
	if !s.On {
		return "off"
	}
	if s.Rule.Unit == NoUnit {
		return s.Severity.String()
	}
	var parts []string
	if general := s.limitWords(AnyType); general != "" {
		parts = append(parts, general)
	}
	for t := range parser.NumTypes {
		if own := s.limitWords(t); own != "" {
			parts = append(parts, t.String()+": "+own)
		}
	}
	if len(parts) == 0 {
		return "off"
	}
	return strings.Join(parts, "; ")
}

// ParamSummary puts the parameters that a profile or the team has set in a few
// words: "element 4KB", "allowed a-z0-9.:, first a-z"; "" none.
func (s *Setting) ParamSummary() string {
	var parts []string
	for i, p := range s.Rule.Params {
		if v := &s.Params[i]; v.Origin.Kind != FromRule {
			if text := v.format(p); text != "" {
				parts = append(parts, p.Name+" "+text)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// limitWords gives the limits that are set for one type, or for all.
func (s *Setting) limitWords(t parser.Type) string {
	var words []string
	for _, l := range s.effective() {
		switch {
		case l.Type != t:
		case l.Severity == Off:
			words = append(words, "off")
		case l.None && t == AnyType:
		case l.None:
			words = append(words, l.Severity.String()+" off")
		default:
			words = append(words, l.Severity.String()+" "+s.side(l)+s.Rule.Unit.Format(l.Value))
		}
	}
	return strings.Join(words, ", ")
}

// side says on which side of a limit a finding lies, where that is not plain.
func (s *Setting) side(l Limit) string {
	switch {
	case s.Rule.Bound == Under || l.Under:
		return "under "
	case s.Rule.Bound == Both:
		return "over "
	}
	return ""
}
