package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
	"github.com/rdblens/rdblens/thresholds/units"
)

// edits are what a configuration changes of one rule or several.
type edits = []thresholds.Edit

func appendEdits(into *edits, more edits) { *into = append(*into, more...) }

// severities are the names of the severities without off.
var severities = []string{thresholds.Info.String(), thresholds.Warning.String(), thresholds.Error.String()}

// rulesShape is the shape of a mapping of rules to settings. In an override, rules
// over the whole instance are not valid. The schemas of an override are references
// to the others.
func rulesShape(inOverride bool) shape[edits] {
	rules := record[edits]{what: "rules"}
	for _, rule := range thresholds.Rules() {
		if inOverride && rule.Instance {
			continue
		}
		s := ruleShape(rule)
		if inOverride {
			s.schema = object{"$ref": "#/properties/rules/properties/" + rule.Name}
		}
		rules.fields = append(rules.fields, to(rule.Name, s, appendEdits))
	}
	rules.unknown = func(name string) (problem, hint string) {
		if _, ok := thresholds.Lookup(name); ok {
			return name + " checks the whole instance, not keys: no override can change it", "set it under rules"
		}
		return fmt.Sprintf("unknown rule %q", name), thresholds.Suggest(name, thresholds.RuleNames())
	}
	s := rules.shape()
	s.schema = orNull(s.schema)
	return s
}

// ruleShape is the shape of the setting of one rule: off, on, a severity, or a
// mapping of limits and parameters.
func ruleShape(rule *thresholds.Rule) shape[edits] {
	form := ruleRecord(rule).shape()
	return shape[edits]{with(anyOf(ref("switch"), ref("severity"), form.schema), "description", rule.Title), func(r *reader, n ast.Node) (edits, bool) {
		if _, ok := plain(n).(*ast.MappingNode); ok {
			list, ok := form.read(r, n)
			// In the order in which they are to be made, not as they were written.
			slices.SortStableFunc(list, func(a, b thresholds.Edit) int { return int(a.Kind) - int(b.Kind) })
			return list, ok
		}
		text, ok := r.scalar(n, rule.Name)
		if !ok {
			return nil, false
		}
		edit := thresholds.Edit{Rule: rule.ID, Origin: r.origin(n)}
		if on, ok := parseSwitch(text); ok {
			edit.Kind, edit.On = thresholds.EditSwitch, on
		} else if s, ok := thresholds.ParseSeverity(strings.ToLower(text)); ok {
			edit.Kind, edit.Severity = thresholds.EditSeverity, s
		} else {
			hint := "write off, on, info, warning or error"
			if rule.Unit != units.None {
				hint = "write off, on, or limits such as {warning: " + rule.Unit.Example() + "}"
			}
			r.at(n.GetToken(), hint, "%q is not a setting of %s", text, rule.Name)
			return nil, false
		}
		return edits{edit}, true
	}}
}

// ruleRecord is a rule's limits and parameters.
func ruleRecord(rule *thresholds.Rule) record[edits] {
	rec := record[edits]{what: rule.Name, fields: []field[edits]{to("severity", severityShape(rule), appendEdits)}}
	if rule.Unit != units.None {
		rec.fields = append(rec.fields, limitFields(rule, thresholds.AnyType, false)...)
	}
	if rule.Bound == thresholds.Both {
		rec.fields = append(rec.fields, to("under", limitsShape(rule, "under", thresholds.AnyType, true), appendEdits))
	}
	if rule.PerType {
		types := typesRecord(rule, "types", func(t parser.Type) field[edits] {
			return to(t.String(), limitsShape(rule, t.String(), t, false), appendEdits)
		}).shape()
		types.schema = with(orNull(types.schema), "description", "limits for single types")
		rec.fields = append(rec.fields, to("types", types, appendEdits))
	}
	for i, p := range rule.Params {
		rec.fields = append(rec.fields, to(p.Name, paramShape(rule, p), func(into *edits, v thresholds.Value) {
			*into = append(*into, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditParam, Param: i, Value: v, Origin: v.Origin})
		}))
	}
	return rec
}

// typesRecord is a mapping of the types that a rule checks.
func typesRecord[S any](rule *thresholds.Rule, what string, of func(parser.Type) field[S]) record[S] {
	rec := record[S]{what: what}
	var known []string
	for t := range parser.NumTypes {
		if rule.AppliesTo(t) {
			rec.fields, known = append(rec.fields, of(t)), append(known, t.String())
		}
	}
	rec.unknown = func(name string) (problem, hint string) {
		return fmt.Sprintf("%s does not check keys of type %q", rule.Name, name), thresholds.Suggest(name, known)
	}
	return rec
}

func severityShape(rule *thresholds.Rule) shape[edits] {
	return shape[edits]{with(ref("severity"), "description",
		"of all that the rule finds: of several limits only the one that is exceeded first remains; limits beside it are set after it"),
		func(r *reader, n ast.Node) (edits, bool) {
			text, ok := r.scalar(n, "severity")
			if !ok {
				return nil, false
			}
			s, ok := thresholds.ParseSeverity(strings.ToLower(text))
			if !ok {
				r.at(n.GetToken(), thresholds.Suggest(text, append([]string{"off"}, severities...)), "%q is not a severity", text)
				return nil, false
			}
			edit := thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditSeverity, Severity: s, Origin: r.origin(n)}
			if s == thresholds.Off {
				edit.Kind = thresholds.EditSwitch
			}
			return edits{edit}, true
		}}
}

// limitFields are the limits for one type, or for all, on one side.
func limitFields(rule *thresholds.Rule, t parser.Type, under bool) []field[edits] {
	side := " over this"
	if under || rule.Bound == thresholds.Under {
		side = " under this"
	}
	fields := make([]field[edits], len(severities))
	for i, name := range severities {
		limit := thresholds.Limit{Type: t, Under: under, Severity: thresholds.Info + thresholds.Severity(i)}
		of := number(rule.Name, "a limit", rule.Unit, name+side)
		fields[i] = to(name, of, func(into *edits, v thresholds.Value) {
			limit := limit
			limit.Value, limit.None, limit.Origin = v.Number, v.Text == "off", v.Origin
			*into = append(*into, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditLimit, Limit: limit, Origin: v.Origin})
		})
	}
	return fields
}

// limitsShape is a mapping of severities to limits, or off.
func limitsShape(rule *thresholds.Rule, what string, t parser.Type, under bool) shape[edits] {
	limits := record[edits]{what: what, fields: limitFields(rule, t, under)}.shape()
	return shape[edits]{anyOf(ref("off"), limits.schema), func(r *reader, n ast.Node) (list edits, ok bool) {
		if _, ok := plain(n).(*ast.MappingNode); ok {
			return limits.read(r, n)
		}
		text, ok := r.scalar(n, what)
		if !ok {
			return nil, false
		}
		if !isOff(text) {
			r.at(n.GetToken(), "write off, or limits such as {warning: "+rule.Unit.Example()+"}", "%q is not a limit of %s", text, rule.Name)
			return nil, false
		}
		limit := thresholds.Limit{Type: t, Under: under, Origin: r.origin(n)} // of severity off
		if t != thresholds.AnyType {
			return edits{{Rule: rule.ID, Kind: thresholds.EditLimit, Limit: limit, Origin: limit.Origin}}, true
		}
		limit.None = true
		for limit.Severity = thresholds.Info; limit.Severity <= thresholds.Error; limit.Severity++ {
			list = append(list, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditLimit, Limit: limit, Origin: limit.Origin})
		}
		return list, true
	}}
}

// number is a figure in a unit, or off: then its Text is "off".
func number(rule, what string, unit units.Unit, description string) shape[thresholds.Value] {
	return shape[thresholds.Value]{with(ref(unit.String()), "description", description), func(r *reader, n ast.Node) (v thresholds.Value, ok bool) {
		text, ok := r.number(n, what)
		if !ok {
			return v, false
		}
		v.Origin = r.origin(n)
		if isOff(text) {
			v.Text = "off"
			return v, true
		}
		var err error
		if v.Number, err = unit.Parse(text); err != nil {
			r.at(n.GetToken(), "", "%s: %v", rule, err)
		}
		return v, err == nil
	}}
}

// unitSchema is the schema of a figure in a unit, or off.
func unitSchema(u units.Unit) object {
	forms := []any{object{"type": "string", "pattern": u.Pattern(), "minLength": 1}, ref("off")}
	if largest := u.LargestNumber(); largest >= 0 {
		forms = append(forms, object{"type": "integer", "minimum": 0, "maximum": largest})
	}
	return with(anyOf(forms...), "examples", []string{u.Example()})
}

// paramShape is the shape of a parameter.
func paramShape(rule *thresholds.Rule, p thresholds.Param) shape[thresholds.Value] {
	switch p.Kind {
	case thresholds.FlagParam:
		on := flag(p.Name, p.Doc)
		return shape[thresholds.Value]{on.schema, func(r *reader, n ast.Node) (v thresholds.Value, ok bool) {
			s, ok := on.read(r, n)
			if v.Origin = s.Origin; s.Value {
				v.Number = 1
			}
			return v, ok
		}}
	case thresholds.CharsParam:
		chars := text(p.Name, p.Doc).with("pattern", `^[\x00-\x7f]*$`)
		return shape[thresholds.Value]{chars.schema, func(r *reader, n ast.Node) (v thresholds.Value, ok bool) {
			text, ok := chars.read(r, n)
			if ok {
				if _, err := naming.ParseSet(text); err != nil {
					r.at(n.GetToken(), "write characters and ranges, such as a-z0-9.:", "%s: %v", p.Name, err)
					ok = false
				}
			}
			return thresholds.Value{Text: text, Origin: r.origin(n)}, ok
		}}
	case thresholds.AliasesParam:
		type aliases = map[string][]string
		types := typesRecord(rule, p.Name, func(t parser.Type) field[aliases] {
			word := text("an alias", "alias")
			list := shape[[]string]{anyOf(word.schema, object{"type": "array", "items": word.schema}, object{"type": "null"}), word.readAll}
			return to(t.String(), list, func(into *aliases, words []string) {
				if *into == nil {
					*into = aliases{}
				}
				(*into)[t.String()] = words
			})
		}).shape()
		return shape[thresholds.Value]{with(orNull(types.schema), "description", p.Doc), func(r *reader, n ast.Node) (v thresholds.Value, ok bool) {
			v.Origin = r.origin(n)
			v.Aliases, ok = types.read(r, n)
			return v, ok
		}}
	}
	s := number(rule.Name, p.Name, p.Unit, p.Doc)
	if p.Default != "" {
		s.schema["default"] = p.Default
	}
	return s.that(func(r *reader, n ast.Node, v *thresholds.Value) bool {
		v.Text = "" // off is 0
		return true
	})
}

// readAll returns the valid values of a list, or of a single value.
func (s shape[T]) readAll(r *reader, n ast.Node) (values []T, ok bool) {
	for _, entry := range list(n) {
		if value, ok := s.read(r, entry); ok {
			values = append(values, value)
		}
	}
	return values, true
}
