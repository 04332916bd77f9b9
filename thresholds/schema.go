package thresholds

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser"
)

// object is a part of a JSON Schema. Its keys are written in order, so that the
// schema is the same each time.
type object = map[string]any

// Schema gives the JSON Schema (draft 2020-12) of a team's configuration, for
// editors: fields, rules, limits and parameters with their documentation. It
// takes what Load takes, but for what no schema can say: that a date exists, that
// a range of characters is not empty, that a glob over rules matches one, and how
// many overrides have rules.
func Schema() []byte {
	rules, judging := object{}, object{} // judging: without the rules over the instance
	names := []string{"all"}
	for _, r := range Rules() {
		rules[r.Name] = r.schema()
		names = append(names, r.Name)
		if !r.Instance {
			judging[r.Name] = object{"$ref": "#/properties/rules/properties/" + r.Name}
		}
	}
	rule := anyOf(object{"enum": names}, object{"type": "string", "pattern": `[*?\[\\]`})
	glob := plus(text("glob"), "minLength", 1, "pattern", `\S`)
	pattern := plus(oneOrMore(glob), "description", "glob, as KEYS takes it, or several")
	namespace := plus(text("namespace"), "pattern", namespacePattern)
	ignore := plus(record(object{
		"rule":   plus(oneOrMore(rule), "description", "rule, or glob over rules, or several"),
		"key":    plus(pattern, "description", "glob, as KEYS takes it, or several; without it any key, and the instance"),
		"reason": plus(text("why these findings may stand"), "pattern", `\S`),
		"until": object{"description": "last day on which the entry holds", "type": "string",
			"pattern": `^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$`},
	}), "required", []string{"rule", "reason"})
	owner := plus(text("the team that these keys belong to"), "minLength", 1)
	override := plus(record(object{"key": pattern, "owner": owner, "rules": optional(record(judging))}), "required", []string{"key"},
		"anyOf", []any{object{"required": []string{"owner"}},
			object{"required": []string{"rules"}, "properties": object{"rules": object{"type": "object", "minProperties": 1}}}})
	root := optional(record(object{
		"extends":    object{"description": "the profile to build on", "enum": profileNames, "default": DefaultProfile},
		"separators": object{"description": "the characters between the segments of names", "type": "string", "pattern": separatorsPattern},
		"cluster":    plus(ref("switch"), "description", "true: snapshots come from a cluster's nodes, whatever they show"),
		"hashtags":   plus(ref("switch"), "description", "false: a proxy takes {...} for a part of the name", "default", true),
		"rules":      plus(optional(record(rules)), "description", "changes of the profile's rules"),
		"ignore":     plus(entries("ignore"), "description", "findings that are left out of the counts"),
		"overrides": plus(entries("override"), "description",
			"settings for the keys that match a pattern; of several that match, the last one that sets something decides it"),
		"namespaces": plus(anyOf(
			object{"type": "array", "maxItems": maxListed, "items": namespace},
			object{"type": "object", "maxProperties": maxListed, "propertyNames": object{"pattern": namespacePattern},
				"additionalProperties": anyOf(text("owner"), record(object{"owner": text("owner")}), object{"type": "null"})},
			object{"type": "null"},
		), "description", "first segments that names may begin with, and their owners; a separator at the end counts for nothing"),
		"abbreviations": object{"description": "words that have an agreed short form: economic: ec", "type": []string{"object", "null"}, "maxProperties": maxListed,
			"propertyNames": object{"pattern": `^\s*[A-Za-z]+(\s+[A-Za-z]+)*\s*$`}, "additionalProperties": plus(text("short form"), "minLength", 1)},
	}))
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "rdblens configuration"
	defs := object{"ignore": ignore, "override": override, "off": anyOf(object{"enum": []any{"off", false}}, words(wordsOff...)),
		"switch": anyOf(object{"type": "boolean"}, words(slices.Concat(wordsOn, wordsOff)...)), "severity": words(severityNames[:]...)}
	for u := Bytes; u <= Percent; u++ {
		defs[u.String()] = unitSchema(u)
	}
	root["$defs"] = defs
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // plain maps, lists and texts
	}
	return append(out, '\n')
}

// plus gives a schema with more keywords: names and values in turn.
func plus(s object, keywords ...any) object {
	s = maps.Clone(s)
	for i := 0; i < len(keywords); i += 2 {
		s[keywords[i].(string)] = keywords[i+1]
	}
	return s
}

func anyOf(list ...any) object { return object{"anyOf": list} }

// text is any single value: a number is the text that stands there.
func text(description string) object {
	return object{"type": []string{"string", "number", "boolean"}, "description": description}
}

// record is a mapping with these fields and no others.
func record(fields object) object {
	return object{"type": "object", "additionalProperties": false, "properties": fields}
}

// optional is a mapping that may be left blank.
func optional(s object) object { return plus(s, "type", []string{"object", "null"}) }

// oneOrMore is a value, or a list of such that is not empty.
func oneOrMore(s object) object {
	return anyOf(s, object{"type": "array", "minItems": 1, "items": s})
}

// entries is a list of mappings, which may be left blank, or one alone.
func entries(of string) object {
	return anyOf(object{"type": "array", "maxItems": maxListed, "items": ref(of)}, ref(of), object{"type": "null"})
}

// ref is one of the definitions.
func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

// words are some words, in capitals or not. An editor proposes them as they are.
func words(list ...string) object {
	var pattern strings.Builder
	for i, w := range list {
		if i > 0 {
			pattern.WriteByte('|')
		}
		for _, c := range []byte(w) {
			pattern.WriteString("[" + string(c) + string(c-0x20) + "]")
		}
	}
	return anyOf(object{"enum": list}, object{"type": "string", "pattern": "^(" + pattern.String() + ")$"})
}

// unitSchema is that of a figure in the unit, or off.
func unitSchema(u Unit) object {
	forms := []any{object{"type": "string", "pattern": u.Pattern(), "minLength": 1}, ref("off")}
	if largest := u.LargestNumber(); largest >= 0 {
		forms = append(forms, object{"type": "integer", "minimum": 0, "maximum": largest})
	}
	return plus(anyOf(forms...), "examples", []string{u.Example()})
}

// schema is that of one rule's setting.
func (r *Rule) schema() object {
	properties := object{"severity": plus(ref("severity"), "description",
		"of whatever the rule finds: of several limits the one that is passed first stays; limits beside it are set after it")}
	limits := func(side string) object {
		m := object{}
		for _, s := range severityNames[Info:] {
			m[s] = plus(ref(r.Unit.String()), "description", s+" "+side+" this")
		}
		return m
	}
	side := "over"
	if r.Bound == Under {
		side = "under"
	}
	if r.Unit != NoUnit {
		maps.Copy(properties, limits(side))
	}
	if r.Bound == Both {
		properties["under"] = anyOf(ref("off"), record(limits("under")))
	}
	if r.PerType {
		types := object{}
		for t := range parser.NumTypes {
			if r.appliesTo(t) {
				types[t.String()] = anyOf(ref("off"), record(limits(side)))
			}
		}
		properties["types"] = plus(optional(record(types)), "description", "limits for single types")
	}
	for _, p := range r.Params {
		properties[p.Name] = p.schema(r)
	}
	return plus(anyOf(ref("switch"), ref("severity"), record(properties)), "description", r.Title)
}

func (p Param) schema(r *Rule) object {
	switch p.Kind {
	case FlagParam:
		return plus(ref("switch"), "description", p.Doc)
	case CharsParam:
		return plus(text(p.Doc), "pattern", `^[\x00-\x7f]*$`)
	case AliasesParam:
		types := object{}
		for t := range parser.NumTypes {
			if r.appliesTo(t) {
				types[t.String()] = anyOf(text("alias"), object{"type": "array", "items": text("alias")}, object{"type": "null"})
			}
		}
		return plus(optional(record(types)), "description", p.Doc)
	}
	s := plus(ref(p.Unit.String()), "description", p.Doc)
	if p.Default != "" {
		s["default"] = p.Default
	}
	return s
}
