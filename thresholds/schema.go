package thresholds

import (
	"encoding/json"

	"github.com/rdblens/rdblens/parser"
)

// object is a part of a JSON Schema. Its keys are written in order, so that the
// schema is the same each time.
type object = map[string]any

// Schema gives the JSON Schema (draft 2020-12) of a team's configuration, for
// editors: fields, rules, limits and parameters with their documentation.
func Schema() []byte {
	rules := object{}
	judging := object{} // without the rules over the instance
	for _, r := range Rules() {
		s := r.schema()
		rules[r.Name] = s
		if !r.Instance {
			judging[r.Name] = object{"$ref": "#/properties/rules/properties/" + r.Name}
		}
	}
	pattern := object{"description": "glob, as KEYS takes it, or several", "oneOf": []any{text("glob"), object{"type": "array", "items": text("glob")}}}
	root := object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "rdblens configuration",
		"type":                 "object",
		"additionalProperties": false,
		"properties": object{
			"extends":    object{"description": "the profile to build on", "enum": profileNames, "default": DefaultProfile},
			"separators": object{"description": "the characters between the segments of names", "type": "string", "minLength": 1},
			"cluster":    object{"description": "snapshots come from a cluster's nodes, whatever they show", "type": "boolean"},
			"hashtags":   object{"description": "false: a proxy takes {...} for a part of the name", "type": "boolean", "default": true},
			"rules":      object{"description": "changes of the profile's rules", "type": "object", "additionalProperties": false, "properties": rules},
			"ignore": object{"description": "findings that are left out of the counts", "type": "array", "items": object{
				"type": "object", "additionalProperties": false, "required": []string{"rule", "reason"},
				"properties": object{
					"rule":   object{"description": "rule, or glob over rules, or several", "oneOf": []any{text("rule"), object{"type": "array", "items": text("rule")}}},
					"key":    pattern,
					"reason": text("why these findings may stand"),
					"until":  object{"description": "last day on which the entry holds", "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
				}}},
			"overrides": object{"description": "settings for the keys that match a pattern; of several that match, the last one that sets something decides it", "type": "array", "items": object{
				"type": "object", "additionalProperties": false, "required": []string{"key"},
				"properties": object{
					"key":   pattern,
					"owner": text("the team that these keys belong to"),
					"rules": object{"type": "object", "additionalProperties": false, "properties": judging},
				}}},
			"namespaces": object{"description": "first segments that names may begin with, and their owners", "oneOf": []any{
				object{"type": "array", "items": text("namespace")},
				object{"type": "object", "additionalProperties": object{"oneOf": []any{text("owner"), object{"type": "null"},
					object{"type": "object", "additionalProperties": false, "properties": object{"owner": text("owner")}}}}},
			}},
			"abbreviations": object{"description": "words that have an agreed short form: economic: ec", "type": "object", "additionalProperties": text("short form")},
		},
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // plain maps, lists and texts
	}
	return append(out, '\n')
}

func text(description string) object {
	return object{"type": "string", "description": description}
}

// unitPatterns are the regular expressions of what Unit.parse takes.
var unitPatterns = [...]string{
	Bytes:   `^[0-9][0-9.,]*\s*([kKmMgGtTpPeE]?([iI]?[bB])?)$`,
	Count:   `^[0-9_]+$`,
	Seconds: `^([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$`,
	Times:   `^[0-9]+(\.[0-9]{1,2})?[x×]?$`,
	Percent: `^[0-9]+(\.[0-9]{1,2})?\s*%?$`,
}

// limitSchema is that of a number in a unit, or off.
func limitSchema(u Unit, description string) object {
	return object{"description": description, "examples": []string{u.Format(exampleLimit(u))}, "oneOf": []any{
		object{"type": "number", "minimum": 0}, object{"type": "string", "pattern": unitPatterns[u]}, object{"enum": []any{"off", false}}}}
}

// schema is that of one rule's setting.
func (r *Rule) schema() object {
	properties := object{"severity": object{"enum": severityNames[:],
		"description": "of whatever the rule finds: of several limits the one that is passed first stays; limits beside it are set after it"}}
	limits := func(side string) object {
		m := object{}
		for _, s := range severityNames[Info:] {
			m[s] = limitSchema(r.Unit, s+" "+side+" this")
		}
		return m
	}
	off := object{"enum": []any{"off", false}}
	side := "over"
	if r.Bound == Under {
		side = "under"
	}
	if r.Unit != NoUnit {
		for name, s := range limits(side) {
			properties[name] = s
		}
	}
	if r.Bound == Both {
		properties["under"] = object{"oneOf": []any{off, object{"type": "object", "additionalProperties": false, "properties": limits("under")}}}
	}
	if r.PerType {
		types := object{}
		for t := range parser.NumTypes {
			if r.judges(t) {
				types[t.String()] = object{"oneOf": []any{off, object{"type": "object", "additionalProperties": false, "properties": limits(side)}}}
			}
		}
		properties["types"] = object{"description": "limits for single types", "type": "object", "additionalProperties": false, "properties": types}
	}
	for _, p := range r.Params {
		properties[p.Name] = p.schema(r)
	}
	return object{"description": r.Title, "oneOf": []any{
		object{"enum": []any{"off", "on", "info", "warning", "error", true, false}},
		object{"type": "object", "additionalProperties": false, "properties": properties},
	}}
}

func (p Param) schema(r *Rule) object {
	switch p.Kind {
	case FlagParam:
		return object{"description": p.Doc, "type": "boolean"}
	case CharsParam:
		return text(p.Doc)
	case AliasesParam:
		types := object{}
		for t := range parser.NumTypes {
			if r.judges(t) {
				types[t.String()] = object{"oneOf": []any{text("alias"), object{"type": "array", "items": text("alias")}}}
			}
		}
		return object{"description": p.Doc, "type": "object", "additionalProperties": false, "properties": types}
	}
	s := limitSchema(p.Unit, p.Doc)
	if p.Default != "" {
		s["default"] = p.Default
	}
	return s
}
