package thresholds

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// rule reads the setting of one rule: "off", "on", a severity, or a mapping of
// limits and parameters. The edits are in the order in which they take effect.
func (y *yamlFile) rule(r *Rule, n ast.Node) []edit {
	if m, ok := plain(n).(*ast.MappingNode); ok {
		return y.ruleFields(r, m)
	}
	text, ok := y.scalar(n, r.Name)
	if !ok {
		return nil
	}
	from := y.origin(n)
	if on, ok := switched(text); ok {
		return []edit{{rule: r.ID, what: editSwitch, on: on, from: from}}
	}
	if s, ok := ParseSeverity(strings.ToLower(text)); ok {
		return []edit{{rule: r.ID, what: editSeverity, sev: s, from: from}}
	}
	y.at(n.GetToken(), "write "+ruleForm(r), "%q is no setting of %s", text, r.Name)
	return nil
}

// ruleForm shows how a rule is set.
func ruleForm(r *Rule) string {
	if r.Unit == NoUnit {
		return "off, on, info, warning or error"
	}
	return "off, on, or limits such as {warning: " + r.Unit.Example() + "}"
}

// ruleFieldNames are the fields that a rule's mapping may have.
func ruleFieldNames(r *Rule) []string {
	names := []string{"severity"}
	if r.Unit != NoUnit {
		names = append(names, "info", "warning", "error")
	}
	if r.Bound == Both {
		names = append(names, "under")
	}
	if r.PerType {
		names = append(names, "types")
	}
	for _, p := range r.Params {
		names = append(names, p.Name)
	}
	return names
}

func (y *yamlFile) ruleFields(r *Rule, m *ast.MappingNode) []edit {
	var severities, limits, params []edit
	y.fields(m, r.Name, ruleFieldNames(r), func(name string, key, value ast.Node) {
		from := y.origin(value)
		switch name {
		case "severity":
			text, ok := y.scalar(value, "severity")
			if !ok {
				return
			}
			s, ok := ParseSeverity(strings.ToLower(text))
			if !ok {
				y.at(value.GetToken(), Propose(text, severityNames[:]), "%q is no severity", text)
				return
			}
			if s == Off {
				severities = append(severities, edit{rule: r.ID, what: editSwitch, on: false, from: from})
				return
			}
			severities = append(severities, edit{rule: r.ID, what: editSeverity, sev: s, from: from})
		case "info", "warning", "error":
			limits = append(limits, y.limit(r, name, value, AnyType, false)...)
		case "under":
			limits = append(limits, y.limits(r, "under", value, AnyType, true)...)
		case "types":
			types := y.mapping(value, "types")
			if types == nil {
				return
			}
			y.fields(types, "types", nil, func(name string, key, value ast.Node) {
				if t, ok := y.typeOf(r, name, key); ok {
					limits = append(limits, y.limits(r, name, value, t, false)...)
				}
			})
		default:
			for i, p := range r.Params {
				if p.Name == name {
					if v, ok := y.param(r, p, value); ok {
						v.Origin = from
						params = append(params, edit{rule: r.ID, what: editParam, param: i, value: v, from: from})
					}
				}
			}
		}
	})
	return append(append(severities, limits...), params...)
}

// limits reads a mapping of severities to limits, or "off".
func (y *yamlFile) limits(r *Rule, what string, n ast.Node, t parser.Type, under bool) []edit {
	m, ok := plain(n).(*ast.MappingNode)
	if !ok {
		text, scalar := y.scalar(n, what)
		if !scalar {
			return nil
		}
		if isOff(text) {
			from := y.origin(n)
			if t != AnyType {
				return []edit{{rule: r.ID, what: editLimit, from: from, limit: Limit{Type: t, Severity: Off, Under: under, Origin: from}}}
			}
			var edits []edit
			for s := Info; s <= Error; s++ {
				edits = append(edits, edit{rule: r.ID, what: editLimit, from: from, limit: Limit{Type: t, Severity: s, Under: under, None: true, Origin: from}})
			}
			return edits
		}
		y.at(n.GetToken(), "write off, or limits such as {warning: "+r.Unit.Example()+"}", "%q is no limit of %s", text, r.Name)
		return nil
	}
	var edits []edit
	y.fields(m, what, severityNames[Info:], func(name string, key, value ast.Node) {
		edits = append(edits, y.limit(r, name, value, t, under)...)
	})
	return edits
}

// limit reads the limit of one severity, or "off".
func (y *yamlFile) limit(r *Rule, severity string, n ast.Node, t parser.Type, under bool) []edit {
	text, ok := y.quantity(n, "a limit")
	if !ok {
		return nil
	}
	s, _ := ParseSeverity(severity)
	l := Limit{Type: t, Under: under, Severity: s, Origin: y.origin(n)}
	if isOff(text) {
		l.None = true
	} else {
		v, err := r.Unit.Parse(text)
		if err != nil {
			y.at(n.GetToken(), "", "%s: %v", r.Name, err)
			return nil
		}
		l.Value = v
	}
	return []edit{{rule: r.ID, what: editLimit, limit: l, from: l.Origin}}
}

// param reads the value of a parameter.
func (y *yamlFile) param(r *Rule, p Param, n ast.Node) (v Value, ok bool) {
	switch p.Kind {
	case FlagParam:
		on, ok := y.flag(n, p.Name)
		if on {
			v.Number = 1
		}
		return v, ok
	case AliasesParam:
		return y.aliases(r, p, n)
	}
	if p.Kind == CharsParam {
		text, ok := y.scalar(n, p.Name)
		if !ok {
			return v, false
		}
		if _, err := naming.ParseSet(text); err != nil {
			y.at(n.GetToken(), "write characters and ranges, such as a-z0-9.:", "%s: %v", p.Name, err)
			return v, false
		}
		v.Text = text
		return v, true
	}
	text, ok := y.quantity(n, p.Name)
	if !ok {
		return v, false
	}
	if isOff(text) {
		return v, true
	}
	number, err := p.Unit.Parse(text)
	if err != nil {
		y.at(n.GetToken(), "", "%s: %v", p.Name, err)
		return v, false
	}
	v.Number = number
	return v, true
}

// aliases reads words by type: {zset: [rank, geo]}.
func (y *yamlFile) aliases(r *Rule, p Param, n ast.Node) (v Value, ok bool) {
	m := y.mapping(n, p.Name)
	if m == nil {
		return v, false
	}
	v.Aliases = map[string][]string{}
	y.fields(m, p.Name, nil, func(name string, key, value ast.Node) {
		if _, ok := y.typeOf(r, name, key); !ok {
			return
		}
		for _, one := range y.list(value) {
			if word, ok := y.scalar(one, "an alias"); ok {
				v.Aliases[name] = append(v.Aliases[name], word)
			}
		}
	})
	return v, true
}
