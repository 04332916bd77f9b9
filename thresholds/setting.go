package thresholds

import (
	"cmp"
	"slices"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
)

// Origin is the place where a value was set.
type Origin struct {
	Kind   OriginKind
	Name   string // profile, path of the file, or flag
	Line   int    // in the file, from 1; 0 if unknown
	Column int    // in characters, from 1; 0 if unknown
}

// OriginKind is the kind of place where a value was set.
type OriginKind uint8

// The kinds of places. A later one takes precedence over an earlier one.
const (
	FromRule    OriginKind = iota // the default of the rule
	FromProfile                   // a built-in profile
	FromFile                      // the team's file
	FromFlag                      // the command line
)

// Message returns the place: "profile aliyun", "rdblens.yaml:12", "--rules".
func (o Origin) Message() message.Message {
	switch o.Kind {
	case FromProfile:
		return message.New("profile {profile}", message.Text("profile", o.Name))
	case FromFile:
		return message.New("{file}:{line}", message.Path("file", o.Name), plainNumber("line", int64(o.Line)))
	case FromFlag:
		return message.New("{flag}", message.Code("flag", o.Name))
	}
	return message.New("built in")
}

// String returns the place in English.
func (o Origin) String() string { return o.Message().String() }

// AnyType is the type of a limit that applies to all types without one of their
// own.
const AnyType = parser.NumTypes

// Limit is one limit of a rule.
type Limit struct {
	Type     parser.Type // AnyType, or the one type that it applies to
	Under    bool        // smaller values are flagged, not larger ones
	Severity Severity
	Value    int64 // in the rule's unit
	None     bool  // there is none for Type, although there is one for all types
	Origin   Origin
}

// Value is the value of a parameter.
type Value struct {
	Number  int64               // a number in the parameter's unit, or a flag: 0 or 1
	Text    string              // a set of characters
	Aliases map[string][]string // words by type
	Origin  Origin
}

// ParamKind is the kind of value that a parameter takes.
type ParamKind uint8

// The kinds of parameters.
const (
	NumberParam  ParamKind = iota // a number in the parameter's unit
	FlagParam                     // true or false
	CharsParam                    // a set of characters, such as a-z0-9.:
	AliasesParam                  // lists of words by type
)

// Param describes a parameter of a rule.
type Param struct {
	Name    string
	Kind    ParamKind
	Unit    message.Unit
	Default string // as a configuration writes it; "" for none, 0 or false
	Doc     string
}

// Setting is how a rule is set.
type Setting struct {
	Rule     *Rule
	On       bool
	Severity Severity // of a rule without limits
	Origin   Origin   // of On and Severity
	Limits   []Limit
	Lists    []List
	Params   []Value // by index in Rule.Params
	Reason   Text    // a sentence of the team's own standard, "" if none
	Source   Text    // where that stands
}

// DefaultSetting returns the setting of a rule that is off, with the defaults of
// its parameters.
func DefaultSetting(r *Rule) Setting {
	s := Setting{Rule: r, Params: make([]Value, len(r.Params))}
	for i, p := range r.Params {
		if p.Default == "" {
			continue
		}
		switch p.Kind {
		case NumberParam:
			n, err := p.Unit.Parse(p.Default)
			if err != nil {
				panic("thresholds: default of " + r.Name + "." + p.Name + ": " + err.Error())
			}
			s.Params[i].Number = n
		case FlagParam:
			s.Params[i].Number = 1
		case CharsParam:
			s.Params[i].Text = p.Default
		}
	}
	return s
}

// Idle returns why the rule checks nothing under a policy although it is on, "" if
// it does or is off.
func (s *Setting) Idle(p *Policy) string {
	switch {
	case !s.On:
		return ""
	case s.Rule.Optional && s.lacksLimits():
		return s.lacks()
	case s.Rule.idle == nil:
		return ""
	}
	return s.Rule.idle(p, s)
}

func (s *Setting) clone() Setting {
	c := *s
	c.Limits = slices.Clone(s.Limits)
	c.Lists = slices.Clone(s.Lists)
	c.Params = slices.Clone(s.Params)
	return c
}

// Param returns the value of a parameter. It panics if the rule has none of that
// name.
func (s *Setting) Param(name string) Value {
	for i, p := range s.Rule.Params {
		if p.Name == name {
			return s.Params[i]
		}
	}
	panic("thresholds: " + s.Rule.Name + " has no parameter " + name)
}

// Limit returns the limit of a severity for a type, false if there is none. A limit of
// the type itself takes precedence over one of all types.
func (s *Setting) Limit(t parser.Type, under bool, severity Severity) (int64, bool) {
	var general Limit
	general.None = true
	for _, l := range s.Limits {
		if l.Severity == severity && l.Under == under {
			if l.Type == t {
				return l.Value, !l.None
			}
			if l.Type == AnyType {
				general = l
			}
		}
	}
	return general.Value, !general.None
}

// clearLimits removes the limits of one side for a type, or for all. A type that has none,
// although there are some for all types, still has none.
func (s *Setting) clearLimits(t parser.Type, under bool) {
	s.Limits = slices.DeleteFunc(s.Limits,
		func(l Limit) bool { return l.Under == under && (t == AnyType || l.Type == t && !l.None) })
}

// setLimit sets a limit, in the place of another one of the same type, side and severity.
func (s *Setting) setLimit(n Limit) {
	s.Limits = slices.DeleteFunc(s.Limits,
		func(l Limit) bool { return l.Type == n.Type && l.Under == n.Under && l.Severity == n.Severity })
	s.Limits = append(s.Limits, n)
	sortLimits(s.Limits)
}

// sortLimits sorts general limits before those of types, upper limits before lower
// ones, and mild ones before severe ones.
func sortLimits(list []Limit) {
	slices.SortFunc(list, func(a, b Limit) int {
		return cmp.Or(cmp.Compare((a.Type+1)%(AnyType+1), (b.Type+1)%(AnyType+1)), compareBool(a.Under, b.Under),
			cmp.Compare(a.Severity, b.Severity))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// first returns the limit that is exceeded first, for a type and a side, false if
// there is none.
func (s *Setting) first(t parser.Type, under bool) (value int64, ok bool) {
	for severity := Info; severity <= Error; severity++ {
		v, set := s.Limit(t, under, severity)
		switch {
		case !set:
		case !ok:
			value, ok = v, true
		case under || s.Rule.Bound == Under:
			value = max(value, v)
		default:
			value = min(value, v)
		}
	}
	return value, ok
}

// severest returns the limit of the highest severity that has one for a type, false
// if there is none.
func (s *Setting) severest(t parser.Type) (limit int64, ok bool) {
	for severity := Error; severity >= Info && !ok; severity-- {
		limit, ok = s.Limit(t, false, severity)
	}
	return limit, ok
}

// setSeverity sets the severity of all findings of the rule. Of several limits only
// the one that is exceeded first remains.
func (s *Setting) setSeverity(severity Severity, from Origin) {
	for i := range s.Lists {
		s.Lists[i].Severity = severity
	}
	if s.Rule.Unit == message.None {
		s.Severity = severity
		return
	}
	next := Setting{Rule: s.Rule}
	for _, l := range s.Limits {
		value, ok := s.first(l.Type, l.Under)
		next.setLimit(Limit{Type: l.Type, Under: l.Under, Severity: severity, Value: value, None: !ok, Origin: from})
	}
	s.Limits = next.Limits
}

// lacksLimits reports whether the rule could not report anything if it were on.
func (s *Setting) lacksLimits() bool {
	if s.Rule.Lists != nil {
		return len(s.Lists) == 0
	}
	if s.Rule.Unit == message.None {
		return s.Severity == Off
	}
	return !slices.ContainsFunc(s.Limits, func(l Limit) bool { return !l.None })
}

// lacks says what a rule lacks that is on and could not report anything.
func (s *Setting) lacks() string {
	switch {
	case s.Rule.Lists != nil:
		return "it has no list"
	case s.Rule.Unit == message.None:
		return "it has no severity"
	}
	return "it has no limit"
}

// Edit is one change of a rule's setting.
type Edit struct {
	Rule     RuleID
	Kind     EditKind
	On       bool     // EditSwitch
	Severity Severity // EditSeverity
	Limit    Limit    // EditLimit
	Param    int      // EditParam: index in Rule.Params
	Value    Value    // EditParam; of EditReason and EditSource the text
	List     List     // EditList
	Origin   Origin
}

// EditKind is what an Edit changes.
type EditKind uint8

// The kinds of edits, in the order in which those of one rule are to be made.
const (
	EditSwitch   EditKind = iota // switches the rule on or off
	EditSeverity                 // one severity for all that the rule finds
	EditLimit
	EditParam
	EditList
	EditReason
	EditSource
)

// inheritFrom copies another setting's limits, severity and parameters, except
// parameters that the team has set.
func (s *Setting) inheritFrom(other *Setting) {
	own := s.Params
	*s = other.clone()
	for i, v := range own {
		if v.Origin.Kind >= FromFile {
			s.Params[i] = v
		}
	}
}

// apply makes an edit. A rule without limits that is switched on takes those of
// fallback.
func (s *Setting) apply(e *Edit, fallback *Setting) {
	switch e.Kind {
	case EditSwitch:
		inherit := e.On && s.lacksLimits()
		if inherit {
			s.inheritFrom(fallback)
		}
		if inherit || s.On != e.On {
			s.On, s.Origin = e.On, e.Origin
		}
	case EditSeverity:
		if s.lacksLimits() {
			s.inheritFrom(fallback)
		}
		s.On, s.Origin = true, e.Origin
		s.setSeverity(e.Severity, e.Origin)
	case EditLimit:
		if !s.On {
			s.Limits = nil // those of a rule that was off have no meaning
			s.On, s.Origin = true, e.Origin
		}
		s.setLimit(e.Limit)
	case EditParam:
		if s.Rule.Params[e.Param].Kind == AliasesParam {
			e.Value.Aliases = joinAliases(s.Params[e.Param].Aliases, e.Value.Aliases)
		}
		s.Params[e.Param] = e.Value
	case EditList:
		if !s.On {
			s.Lists = nil // those of a rule that was off have no meaning
			s.On, s.Origin = true, e.Origin
		}
		s.setList(e.List)
	case EditReason:
		s.Reason = Text{e.Value.Text, e.Origin}
	case EditSource:
		s.Source = Text{e.Value.Text, e.Origin}
	}
}

// joinAliases returns the words of both for each type.
func joinAliases(a, b map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, words := range []map[string][]string{a, b} {
		for t, list := range words {
			for _, w := range list {
				if !slices.Contains(all[t], w) {
					all[t] = append(all[t], w)
				}
			}
		}
	}
	return all
}
