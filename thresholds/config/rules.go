package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/naming"
)

type edits = []thresholds.Edit

func appendEdits(into *edits, more edits) { *into = append(*into, more...) }

// severities are the names of the severities without off.
var severities = []string{thresholds.Info.String(), thresholds.Warning.String(), thresholds.Error.String()}

// rulesShape is a mapping of rules to settings. In an override, rules over the whole
// instance are not valid, and the schemas of rules refer to those elsewhere.
func rulesShape(inOverride bool) shape[edits] {
	rules := record[edits]{what: "rules"}
	for _, rule := range thresholds.Rules() {
		if inOverride && rule.Instance {
			continue
		}
		s := ruleShape(rule)
		if inOverride {
			s.schema = func() object { return object{"$ref": "#/properties/rules/properties/" + rule.Name} }
		}
		rules.fields = append(rules.fields, to(rule.Name, s, appendEdits))
	}
	rules.unknown = func(name string) *message.Error {
		if _, ok := thresholds.Lookup(name); ok {
			return message.Errorf("{rule} checks the whole instance, not keys: no override can change it",
				message.Text("rule", name)).WithHint("set it under rules")
		}
		return thresholds.UnknownRule(name)
	}
	s := rules.shape()
	s.schema = s.schema.orNull()
	return s
}

// ruleShape is the setting of one rule: off, on, a severity, or a mapping of limits
// and parameters.
func ruleShape(rule *thresholds.Rule) shape[edits] {
	form := sync.OnceValue(func() shape[edits] { return ruleRecord(rule).shape() }) // most files name few rules
	hint := message.New("write off, on, info, warning or error")
	if rule.Lists != nil {
		hint = message.New("write off, on, or lists such as {example}",
			message.Code("example", "{error: "+rule.Lists.Example+"}"))
	} else if rule.Unit != message.None {
		hint = message.New("write off, on, or limits such as {example}",
			message.Code("example", "{warning: "+rule.Unit.Example()+"}"))
	}
	return shape[edits]{func() object {
		return with(byType("object", form().schema(), ref("setting")()), "description", rule.Title)
	}, func(r *reader, n ast.Node) (edits, bool) {
		if isMapping(n) {
			list, ok := form().read(r, n)
			// In the order in which they are to be made, not as they were written.
			slices.SortStableFunc(list, func(a, b thresholds.Edit) int {
				return cmp.Or(int(a.Kind)-int(b.Kind), ofOneType(&a)-ofOneType(&b))
			})
			return list, ok
		}
		word, ok := r.scalar(n, rule.Name)
		if !ok {
			return nil, false
		}
		edit := thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditSwitch, Origin: r.origin(n)}
		if edit.On, ok = parseSwitch(word); !ok {
			edit.Kind = thresholds.EditSeverity
			edit.Severity, ok = thresholds.ParseSeverity(strings.ToLower(word))
		}
		return edits{edit}, ok || r.refuse(n, hint, "{word} is not a setting of {rule}", message.Element("word", word),
			message.Text("rule", rule.Name))
	}}
}

// ofOneType returns 1 for a limit of a single type, which is set after those for all
// types beside it, and 0 otherwise.
func ofOneType(e *thresholds.Edit) int {
	if e.Kind == thresholds.EditLimit && e.Limit.Type != thresholds.AnyType {
		return 1
	}
	return 0
}

func ruleRecord(rule *thresholds.Rule) record[edits] {
	rec := record[edits]{what: rule.Name, fields: []field[edits]{to("severity", severityShape(rule), appendEdits)}}
	if rule.Unit != message.None {
		rec.fields = append(rec.fields, limitFields(rule, thresholds.AnyType, false)...)
	}
	if rule.Lists != nil {
		rec.fields = append(rec.fields, listFields(rule)...)
	}
	if rule.Bound == thresholds.Both {
		rec.fields = append(rec.fields, to("under", limitsShape(rule, "under", thresholds.AnyType, true), appendEdits))
	}
	if rule.PerType {
		types := typesRecord(rule, "types", func(t parser.Type) field[edits] {
			return to(t.String(), limitsShape(rule, t.String(), t, false), appendEdits)
		}).shape()
		types.schema = types.schema.orNull().with("description", "limits for single types")
		rec.fields = append(rec.fields, to("types", types, appendEdits))
	}
	for i, p := range rule.Params {
		rec.fields = append(rec.fields, to(p.Name, paramShape(rule, p), func(into *edits, v thresholds.Value) {
			*into = append(*into, thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditParam, Param: i, Value: v,
				Origin: v.Origin})
		}))
	}
	rec.fields = append(rec.fields, reasonFields(rule)...)
	return rec
}

func listFields(rule *thresholds.Rule) []field[edits] {
	fields := make([]field[edits], len(severities))
	for i, name := range severities {
		severity := thresholds.Info + thresholds.Severity(i)
		if !rule.Lists.Named {
			fields[i] = to(name, entriesShape(rule, severity, rule.Lists.Forbids), appendEdits)
			continue
		}
		sides := record[edits]{what: name, fields: []field[edits]{
			to("allowed", entriesShape(rule, severity, false), appendEdits),
			to("forbidden", entriesShape(rule, severity, true), appendEdits)}}.shape()
		sides.schema = sides.schema.orNull()
		fields[i] = to(name, sides, appendEdits)
	}
	return fields
}

func entriesShape(rule *thresholds.Rule, severity thresholds.Severity, forbidden bool) shape[edits] {
	entry := text(rule.Lists.Entry, rule.Lists.Entry)
	if rule.Lists.Known != nil {
		entry.schema = func() object { return object{"enum": rule.Lists.Known} }
	}
	if rule.Lists.Form != "" {
		entry = entry.with("pattern", rule.Lists.Form, "type", []string{"string", "boolean"}, "errorMessage",
			"write "+rule.Lists.Example)
	}
	entry = entry.with("minLength", 1)
	s := listOf("entries", entry)
	s.schema = listSchema(entry.schema, "minItems", 1, "maxItems", maxEntries)
	return as(s, func(r *reader, n ast.Node, entries []string) (edits, bool) {
		nodes := list(n)
		if len(nodes) != len(entries) || len(entries) == 0 {
			return nil, len(nodes) > 0 || r.refuse(n, message.New("write off to switch the rule off"), "{rule} needs an entry",
				message.Text("rule", rule.Name))
		}
		l, at, err := rule.Lists.NewList(severity, forbidden, entries, r.origin(n))
		if err != nil {
			problem := message.Of(err)
			hint := noHint
			if e, ok := errors.AsType[*message.Error](err); ok {
				hint = e.Hint
			}
			return nil, r.refuse(nodes[at], hint, "{rule}: {reason}", message.Text("rule", rule.Name),
				message.Phrase("reason", problem))
		}
		return edits{{Rule: rule.ID, Kind: thresholds.EditList, List: l, Origin: l.Origin}}, true
	})
}

// reasonFields are the sentences that reports and explanations print beside a rule.
func reasonFields(rule *thresholds.Rule) []field[edits] {
	set := func(kind thresholds.EditKind) func(into *edits, v thresholds.Text) {
		return func(into *edits, v thresholds.Text) {
			*into = append(*into, thresholds.Edit{Rule: rule.ID, Kind: kind, Value: thresholds.Value{Text: v.Value},
				Origin: v.Origin})
		}
	}
	return []field[edits]{to("reason", reasonShape("the sentence of the team's own standard that demands it"),
		set(thresholds.EditReason)), to("source", sourceShape(), set(thresholds.EditSource))}
}

// reasonShape is a sentence that says why something is set.
func reasonShape(description string) shape[thresholds.Text] {
	return as(text("reason", description), located)
}

// sourceShape says where a reason stands.
func sourceShape() shape[thresholds.Text] {
	return as(text("source", "where the reason stands: a document, a section, a URL"), located)
}

func typesRecord[S any](rule *thresholds.Rule, what string, of func(parser.Type) field[S]) record[S] {
	rec := record[S]{what: what}
	var known []string
	for t := range parser.NumTypes {
		if rule.AppliesTo(t) {
			rec.fields, known = append(rec.fields, of(t)), append(known, t.String())
		}
	}
	rec.unknown = func(name string) *message.Error {
		return &message.Error{Message: message.New("{rule} does not check keys of type {type}",
			message.Text("rule", rule.Name), message.Element("type", name)), Hint: thresholds.Suggest(name, known)}
	}
	return rec
}

func severityShape(rule *thresholds.Rule) shape[edits] {
	s := as(text("severity", ""), func(r *reader, n ast.Node, word string) (edits, bool) {
		severity, ok := thresholds.ParseSeverity(strings.ToLower(word))
		edit := thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditSeverity, Severity: severity, Origin: r.origin(n)}
		if severity == thresholds.Off {
			edit.Kind = thresholds.EditSwitch
		}
		return edits{edit}, ok || r.refuse(n, thresholds.Suggest(word, append([]string{"off"}, severities...)),
			"{word} is not a severity", message.Element("word", word))
	})
	s.schema = ref("severity").with("description",
		"of all that the rule finds: of several limits only the one that is exceeded first remains; limits beside it are "+
			"set after it")
	return s
}

func limitFields(rule *thresholds.Rule, t parser.Type, under bool) []field[edits] {
	side := " over this"
	if under || rule.Bound == thresholds.Under {
		side = " under this"
	}
	fields := make([]field[edits], len(severities))
	for i, name := range severities {
		fields[i] = to(name, number(rule, "a limit", rule.Unit, name+side), func(into *edits, v figure) {
			*into = append(*into, limitEdit(rule,
				thresholds.Limit{Type: t, Under: under, Severity: thresholds.Info + thresholds.Severity(i),
					Value: v.Number, None: v.off, Origin: v.Origin}))
		})
	}
	return fields
}

func limitEdit(rule *thresholds.Rule, l thresholds.Limit) thresholds.Edit {
	return thresholds.Edit{Rule: rule.ID, Kind: thresholds.EditLimit, Limit: l, Origin: l.Origin}
}

func limitsShape(rule *thresholds.Rule, what string, t parser.Type, under bool) shape[edits] {
	limits := sync.OnceValue(func() shape[edits] {
		return record[edits]{what: what, fields: limitFields(rule, t, under)}.shape()
	})
	return shape[edits]{func() object { return byType("object", limits().schema(), ref("off")()) },
		func(r *reader, n ast.Node) (list edits, ok bool) {
			if isMapping(n) {
				return limits().read(r, n)
			}
			word, ok := r.scalar(n, what)
			if !ok || !isOff(word) {
				return nil, ok && r.refuse(n, message.New("write off, or limits such as {example}",
					message.Code("example", "{warning: "+rule.Unit.Example()+"}")),
					"{word} is not a limit of {rule}", message.Element("word", word), message.Text("rule", rule.Name))
			}
			for _, side := range []bool{false, true} {
				if side != under && (t == thresholds.AnyType || rule.Bound != thresholds.Both) {
					continue // a type is off on both sides
				}
				for severity := thresholds.Info; severity <= thresholds.Error; severity++ {
					list = append(list, limitEdit(rule,
						thresholds.Limit{Type: t, Under: side, Severity: severity, None: true, Origin: r.origin(n)}))
				}
			}
			return list, true
		}}
}

// figure is a number in a unit, or off.
type figure struct {
	thresholds.Value
	off bool
}

func number(rule *thresholds.Rule, what string, unit message.Unit, description string) shape[figure] {
	return shape[figure]{ref(unit.String()).with("description", description),
		func(r *reader, n ast.Node) (v figure, ok bool) {
			word, ok := r.number(n, what)
			v.Origin, v.off = r.origin(n), isOff(word)
			if !ok || v.off {
				return v, ok
			}
			var err error
			v.Number, err = unit.Parse(word)
			return v, err == nil || r.refuse(n, noHint, "{rule}: {reason}", message.Text("rule", rule.Name),
				message.Reason("reason", err))
		}}
}

func unitSchema(u message.Unit) object {
	off := words(wordsOff)["pattern"].(string)
	o := object{"type": []string{"string", "boolean"}, "pattern": "(" + u.Pattern() + ")|" + off,
		"not": object{"enum": []bool{true}}, "minLength": 1,
		"examples": []string{u.Example()}, "errorMessage": "write " + u.Example() + ", or off"}
	if largest := u.LargestNumber(); largest >= 0 {
		return with(o, "type", []string{"string", "boolean", "integer"}, "minimum", 0, "maximum", largest)
	}
	return o
}

// expressionPattern matches what was meant as a regular expression, where a set of
// characters is wanted: a class in brackets, or an anchor at both ends.
const expressionPattern = `\[[^\]]+\]|^\^.*\$$`

var isExpression = matching(expressionPattern)

func paramShape(rule *thresholds.Rule, p thresholds.Param) shape[thresholds.Value] {
	type value = thresholds.Value
	switch p.Kind {
	case thresholds.FlagParam:
		return as(flag(p.Name, p.Doc), func(r *reader, n ast.Node, s thresholds.Switch) (value, bool) {
			v := value{Origin: s.Origin}
			if s.Value {
				v.Number = 1
			}
			return v, true
		})
	case thresholds.CharsParam:
		return as(text(p.Name, p.Doc).with("pattern", `^[\x00-\x7f]*$`, "not",
			object{"type": "string", "pattern": expressionPattern},
			"errorMessage", "write characters and ranges, such as a-z0-9.:"), func(r *reader, n ast.Node, chars string) (value,
			bool) {
			if isExpression(chars) {
				return value{}, r.refuse(n, message.New("write characters and ranges, such as a-z0-9.:, or use key-pattern"),
					"{parameter} is a set of characters, and {chars} looks like a regular expression",
					message.Code("parameter", p.Name), message.Element("chars", chars))
			}
			_, err := naming.ParseSet(chars)
			return value{Text: chars, Origin: r.origin(n)},
				err == nil || r.refuse(n, message.New("write characters and ranges, such as a-z0-9.:"), "{parameter}: {reason}",
					message.Code("parameter", p.Name), message.Reason("reason", err))
		})
	case thresholds.AliasesParam:
		type aliases = map[string][]string
		words := listOf(p.Name, text("an alias", "alias"))
		words.schema = words.schema.orNull()
		types := typesRecord(rule, p.Name, func(t parser.Type) field[aliases] {
			return to(t.String(), words, func(into *aliases, list []string) {
				if *into == nil {
					*into = aliases{}
				}
				(*into)[t.String()] = list
			})
		}).shape()
		types.schema = types.schema.orNull().with("description", p.Doc)
		return as(types, func(r *reader, n ast.Node, a aliases) (value, bool) {
			return value{Aliases: a, Origin: r.origin(n)}, true
		})
	}
	s := number(rule, p.Name, p.Unit, p.Doc)
	if p.Default != "" {
		s = s.with("default", p.Default)
	}
	return as(s, func(_ *reader, _ ast.Node, v figure) (value, bool) { return v.Value, true }) // off is 0
}
