package thresholds

import (
	"strconv"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Summary returns the setting in a few words: "off", "warning", "warning 1 KB,
// error 10 KB", "error 5,000; hash: warning 100".
func (s *Setting) Summary() string {
	if !s.On {
		return "off"
	}
	if s.Rule.Lists != nil && len(s.Lists) > 0 {
		return s.listSummary()
	}
	if s.Rule.Unit == message.None {
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

// ParamSummary returns the parameters that a profile or the team has set: "element
// 4 KB", "allowed a-z0-9.:, first a-z"; "" if none.
func (s *Setting) ParamSummary() string {
	var parts []string
	for i, p := range s.Rule.Params {
		if v := &s.Params[i]; v.Origin.Kind != FromRule {
			if text := v.Format(p); text != "" {
				parts = append(parts, p.Name+" "+text)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// limitWords returns the limits for one type, or the general ones; "off" for a type that
// has none although there are general ones.
func (s *Setting) limitWords(t parser.Type) string {
	var words []string
	isSet, isOff := false, true
	for _, under := range []bool{false, true} {
		for severity := Info; severity <= Error; severity++ {
			_, inForce := s.Limit(t, under, severity)
			isOff = isOff && !inForce
		}
	}
	for _, l := range s.Limits {
		if l.Type != t {
			continue
		}
		isSet = true
		if _, general := s.Limit(AnyType, l.Under, l.Severity); !l.None {
			words = append(words, l.Severity.String()+" "+s.side(l)+s.Rule.Unit.Format(l.Value))
		} else if t != AnyType && general {
			words = append(words, l.Severity.String()+" off")
		}
	}
	if isSet && isOff && t != AnyType {
		return "off"
	}
	return strings.Join(words, ", ")
}

// side returns "under " or "over " for a limit where the side is not obvious.
func (s *Setting) side(l Limit) string {
	switch {
	case s.Rule.Bound == Under || l.Under:
		return "under "
	case s.Rule.Bound == Both:
		return "over "
	}
	return ""
}

// Format returns the value of the parameter p as a configuration writes it, "" if
// it has no value.
func (v *Value) Format(p Param) string {
	switch p.Kind {
	case CharsParam:
		return v.Text
	case FlagParam:
		if v.Number == 0 && v.Origin.Kind == FromRule {
			return ""
		}
		return strconv.FormatBool(v.Number != 0)
	case AliasesParam:
		var words []string
		for t := range parser.NumTypes {
			if list := v.Aliases[t.String()]; len(list) > 0 {
				words = append(words, t.String()+": ["+strings.Join(list, ", ")+"]")
			}
		}
		if words == nil {
			return ""
		}
		return "{" + strings.Join(words, ", ") + "}"
	}
	switch {
	case v.Number != 0:
		return p.Unit.Format(v.Number)
	case v.Origin.Kind == FromRule:
		return ""
	}
	return "off"
}
