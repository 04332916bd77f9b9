package thresholds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdblens/rdblens/parser"
)

// Origin says where a value in force was set.
type Origin struct {
	Kind OriginKind
	Name string // profile, path of the file, or flag
	Line int    // of the file, from 1; 0 unknown
}

// OriginKind is the kind of place that a value comes from.
type OriginKind uint8

// The places, a later one beats an earlier one.
const (
	FromRule    OriginKind = iota // the rule's own default
	FromProfile                   // a profile of this package
	FromFile                      // the team's file
	FromFlag                      // the command line
)

// String gives the place in words: "profile aliyun", "rdblens.yaml:12", "--rules".
func (o Origin) String() string {
	switch o.Kind {
	case FromProfile:
		return "profile " + o.Name
	case FromFile:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	case FromFlag:
		return o.Name
	}
	return "built in"
}

// AnyType is the type of a limit that holds for all types that have none of
// their own.
const AnyType = parser.NumTypes

// Limit is one limit of a rule.
type Limit struct {
	Type     parser.Type // AnyType, or the one type that it holds for
	Under    bool        // what is less is flagged, not what is more
	Severity Severity    // Off: switches the rule off for Type
	Value    int64       // in the rule's unit
	None     bool        // takes away a limit that a more general one sets
	Origin   Origin
}

// Value is what a parameter is set to.
type Value struct {
	Number  int64               // of a number (in the parameter's unit) or a flag (0 or 1)
	Text    string              // of a set of characters
	Aliases map[string][]string // words by type
	Origin  Origin
}

// ParamKind says what a parameter takes.
type ParamKind uint8

// The kinds of parameters.
const (
	NumberParam  ParamKind = iota // in the parameter's unit
	FlagParam                     // true or false
	CharsParam                    // a set of characters, such as a-z0-9.:
	AliasesParam                  // lists of words by type
)

// Param is a parameter of a rule beside its limits.
type Param struct {
	Name    string
	Kind    ParamKind
	Unit    Unit
	Default string // as a configuration would write it; "" none, 0 or false
	Doc     string
}

// Setting is how a rule is set.
type Setting struct {
	Rule     *Rule
	On       bool
	Severity Severity // of a rule without limits
	Origin   Origin   // of On and Severity
	Limits   []Limit
	Params   []Value // one for each of the rule's
}

// defaultSetting is a rule that is off, with the defaults of its parameters.
func defaultSetting(r *Rule) Setting {
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

func (s *Setting) clone() Setting {
	c := *s
	c.Limits = append([]Limit(nil), s.Limits...)
	c.Params = append([]Value(nil), s.Params...)
	return c
}

// Param gives the value of a parameter by its name.
func (s *Setting) Param(name string) Value {
	for i, p := range s.Rule.Params {
		if p.Name == name {
			return s.Params[i]
		}
	}
	panic("thresholds: " + s.Rule.Name + " has no parameter " + name)
}

// Limit gives the limit of a severity for a type, and false where there is none.
func (s *Setting) Limit(t parser.Type, under bool, severity Severity) (int64, bool) {
	var general *Limit
	off := false
	for i := range s.Limits {
		switch l := &s.Limits[i]; {
		case l.Type == t && l.Severity == Off:
			off = true
		case l.Severity != severity || l.Under != under:
		case l.Type == t && t != AnyType:
			return l.Value, !l.None
		case l.Type == AnyType:
			general = l
		}
	}
	if general == nil || off || general.None {
		return 0, false
	}
	return general.Value, true
}

// setLimit puts a limit in the place of the one that stands for the same
// thing; an off for a type takes the place of all limits of its own.
func (s *Setting) setLimit(n Limit) {
	s.Limits = slices.DeleteFunc(s.Limits, func(l Limit) bool {
		return l.Type == n.Type && (n.Severity == Off || l.Under == n.Under && l.Severity == n.Severity)
	})
	s.Limits = append(s.Limits, n)
	sortLimits(s.Limits)
}

// sortLimits puts general limits first, then those of types, plain ones before
// those under, the severest last.
func sortLimits(list []Limit) {
	rank := func(l Limit) int {
		r := int(l.Type) + 1
		if l.Type == AnyType {
			r = 0
		}
		r *= 2
		if l.Under {
			r++
		}
		return r*int(numSeverities) + int(l.Severity)
	}
	slices.SortStableFunc(list, func(a, b Limit) int { return cmp.Compare(rank(a), rank(b)) })
}

// effective gives the limits as they work out: where a type that is off has
// limits of its own, it is the general limits that are off for it.
func (s *Setting) effective() []Limit {
	has := func(t parser.Type, match func(Limit) bool) bool {
		return slices.ContainsFunc(s.Limits, func(l Limit) bool { return l.Type == t && l.Severity != Off && match(l) })
	}
	var list []Limit
	for _, l := range s.Limits {
		if l.Severity != Off || !has(l.Type, func(Limit) bool { return true }) {
			list = append(list, l)
			continue
		}
		for _, general := range s.Limits {
			same := func(own Limit) bool { return own.Under == general.Under && own.Severity == general.Severity }
			if general.Type == AnyType && !has(l.Type, same) {
				list = append(list, Limit{Type: l.Type, Under: general.Under, Severity: general.Severity, None: true, Origin: l.Origin})
			}
		}
	}
	sortLimits(list)
	return list
}

// mildest gives the limit that is passed first, for a type and a side, and false
// where there is none.
func (s *Setting) mildest(t parser.Type, under bool) (value int64, ok bool) {
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

// setSeverity gives one severity to whatever the rule finds. Of several limits
// the one that is passed first stays: the others could say nothing more.
func (s *Setting) setSeverity(severity Severity, from Origin) {
	if s.Rule.Unit == NoUnit {
		s.Severity = severity
		return
	}
	next := Setting{Rule: s.Rule}
	for _, l := range s.Limits {
		if l.Severity == Off {
			next.setLimit(l)
			continue
		}
		value, ok := s.mildest(l.Type, l.Under)
		if ok || l.Type != AnyType {
			next.setLimit(Limit{Type: l.Type, Under: l.Under, Severity: severity, Value: value, None: !ok, Origin: from})
		}
	}
	s.Limits = next.Limits
}

// idle reports whether the rule could report nothing, were it on.
func (s *Setting) idle() bool {
	if s.Rule.Unit == NoUnit {
		return s.Severity == Off
	}
	return !slices.ContainsFunc(s.Limits, func(l Limit) bool { return !l.None && l.Severity != Off })
}

// edit is one change of a setting, as a configuration asks for it.
type edit struct {
	rule  RuleID
	what  editKind
	on    bool     // editSwitch
	sev   Severity // editSeverity
	limit Limit    // editLimit
	param int      // editParam: index into the rule's
	value Value
	from  Origin
}

type editKind uint8

const (
	editSwitch editKind = iota
	editSeverity
	editLimit
	editParam
)

// borrow takes another setting's limits, severity and parameters, but for the
// parameters that the team has set.
func (s *Setting) borrow(from *Setting) {
	own := s.Params
	*s = from.clone()
	for i, v := range own {
		if v.Origin.Kind >= FromFile {
			s.Params[i] = v
		}
	}
}

// apply changes the setting; whatever was set before, the edit decides.
// fallback is what a rule takes that is switched on without anything else being
// said.
func (s *Setting) apply(e *edit, fallback *Setting) {
	switch e.what {
	case editSwitch:
		idle := e.on && s.idle()
		if idle {
			s.borrow(fallback)
		}
		if idle || s.On != e.on {
			s.On, s.Origin = e.on, e.from
		}
	case editSeverity:
		if s.idle() {
			s.borrow(fallback)
		}
		s.On, s.Origin = true, e.from
		s.setSeverity(e.sev, e.from)
	case editLimit:
		if !s.On {
			s.Limits = nil // those of a rule that was off say nothing
			s.On, s.Origin = true, e.from
		}
		s.setLimit(e.limit)
	case editParam:
		s.Params[e.param] = e.value
	}
}
