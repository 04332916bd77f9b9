package thresholds

import (
	"strings"

	"github.com/rdblens/rdblens/parser"
)

// Entry is one value that is in force, and where it was set.
type Entry struct {
	Path   string // rules.big-string.error
	Value  string // as a configuration writes it
	Origin Origin
}

// Show gives every value in force: first the settings of the whole, then the
// rules in their order, then what the configuration lists, overrides as they
// stand there: what they come to depends on the others that match a key.
func (p *Policy) Show() []Entry {
	list := []Entry{{"profile", p.Profile.Value, p.Profile.Origin}, {"separators", p.Separators.Value, p.Separators.Origin},
		{"hashtags", onOff(p.HashTags.Value), p.HashTags.Origin}, {"cluster", onOff(p.Cluster.Value), p.Cluster.Origin}}
	for i := range p.Settings {
		list = p.Settings[i].show(list)
	}
	for _, o := range p.Overrides {
		path := "overrides." + o.Pattern()
		if o.Owner.Value != "" {
			list = append(list, Entry{path + ".owner", o.Owner.Value, o.Owner.Origin})
		}
		for i := range o.edits {
			if e := &o.edits[i]; p.selected.Has(e.rule) {
				list = append(list, e.show(path))
			}
		}
	}
	for _, i := range p.Ignores {
		value := "key " + i.Pattern() + ", reason: " + i.Reason
		if !i.Until.IsZero() {
			value += ", until " + i.LastDay()
		}
		list = append(list, Entry{"ignore." + strings.Join(i.Names, ","), value, i.Origin})
	}
	for _, n := range p.Namespaces {
		list = append(list, Entry{"namespaces." + n.Name, n.Owner, n.Origin})
	}
	for _, a := range p.Abbreviations {
		list = append(list, Entry{"abbreviations." + a.Long, a.Short, a.Origin})
	}
	return list
}

// show gives what the edit sets, under a path.
func (e *edit) show(path string) Entry {
	r := Rules()[e.rule]
	path += ".rules." + r.Name
	switch e.what {
	case editLimit:
		return r.showLimit(path, e.limit)
	case editParam:
		p := r.Params[e.param]
		value := e.value.format(p)
		if value == "" {
			value = "off" // a list without words, a set without characters
		}
		return Entry{path + "." + p.Name, value, e.from}
	case editSeverity:
		return Entry{path, e.sev.String(), e.from}
	}
	if e.on {
		return Entry{path, "on", e.from}
	}
	return Entry{path, "off", e.from}
}

// showLimit gives a limit of the rule, under a path.
func (r *Rule) showLimit(path string, l Limit) Entry {
	if l.Type != AnyType {
		path += ".types." + l.Type.String()
	}
	if l.Under {
		path += ".under"
	}
	if l.Severity != Off {
		path += "." + l.Severity.String()
	}
	if l.None || l.Severity == Off {
		return Entry{path, "off", l.Origin}
	}
	return Entry{path, r.Unit.Format(l.Value), l.Origin}
}

// LastDay gives the last day on which the entry holds, "" where it has no end.
func (i *Ignore) LastDay() string {
	if i.Until.IsZero() {
		return ""
	}
	return i.Until.AddDate(0, 0, -1).Format("2006-01-02")
}

func onOff(on bool) string {
	if on {
		return "true"
	}
	return "false"
}

// show appends the values of a rule: "off" alone where it is off.
func (s *Setting) show(list []Entry) []Entry {
	path := "rules." + s.Rule.Name
	if !s.On {
		return append(list, Entry{path, "off", s.Origin})
	}
	if s.Rule.Unit == NoUnit {
		list = append(list, Entry{path, s.Severity.String(), s.Origin})
	}
	for _, l := range s.effective() {
		list = append(list, s.Rule.showLimit(path, l))
	}
	for i, p := range s.Rule.Params {
		if text := s.Params[i].format(p); text != "" {
			list = append(list, Entry{path + "." + p.Name, text, s.Params[i].Origin})
		}
	}
	return list
}

// format writes a parameter's value as a configuration has it, "" where it is
// not set.
func (v *Value) format(p Param) string {
	switch p.Kind {
	case CharsParam:
		return v.Text
	case FlagParam:
		if v.Number == 0 && v.Origin.Kind == FromRule {
			return ""
		}
		return onOff(v.Number != 0)
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
