package config

import (
	"maps"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/rdblens/rdblens/thresholds"
)

// A shape describes the valid values of one place in a configuration, both for the
// loader and for the JSON Schema, so that the two know the same fields. The file is
// not decoded into structs by the YAML library because that stops at the first
// problem and knows neither hints nor origins.
type shape[T any] struct {
	schema object
	// read returns the value of a node. If it is not valid, read reports why and
	// returns false.
	read func(r *reader, n ast.Node) (T, bool)
}

// object is a part of a JSON Schema. Its keys are written in sorted order.
type object = map[string]any

// with returns the shape with more keywords in its schema: names and values in turn.
func (s shape[T]) with(keywords ...any) shape[T] {
	s.schema = with(s.schema, keywords...)
	return s
}

// that returns the shape with a further check, which reports what is wrong.
func (s shape[T]) that(check func(r *reader, n ast.Node, value *T) bool) shape[T] {
	read := s.read
	s.read = func(r *reader, n ast.Node) (T, bool) {
		value, ok := read(r, n)
		return value, ok && check(r, n, &value)
	}
	return s
}

// defined returns the shape with its schema moved to definitions.
func (s shape[T]) defined(definitions object, name string) shape[T] {
	definitions[name] = s.schema
	s.schema = ref(name)
	return s
}

func with(s object, keywords ...any) object {
	s = maps.Clone(s)
	for i := 0; i < len(keywords); i += 2 {
		s[keywords[i].(string)] = keywords[i+1]
	}
	return s
}

func ref(definition string) object { return object{"$ref": "#/$defs/" + definition} }

func anyOf(list ...any) object { return object{"anyOf": list} }

// oneOrMore is the schema of a value, or of a list of such that is not empty.
func oneOrMore(s object) object {
	return anyOf(s, object{"type": "array", "minItems": 1, "items": s})
}

// orNull is the schema of a mapping that may be left blank.
func orNull(s object) object { return with(s, "type", []string{"object", "null"}) }

// words is the schema of some words in any letter case. Editors propose them in
// lower case.
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

// text is any single value; a number is the text that was written.
func text(what, description string) shape[string] {
	return shape[string]{object{"type": []string{"string", "number", "boolean"}, "description": description},
		func(r *reader, n ast.Node) (string, bool) { return r.scalar(n, what) }}
}

// located is a text with its origin.
func located(s shape[string]) shape[thresholds.Text] {
	return shape[thresholds.Text]{s.schema, func(r *reader, n ast.Node) (thresholds.Text, bool) {
		value, ok := s.read(r, n)
		return thresholds.Text{Value: value, Origin: r.origin(n)}, ok
	}}
}

// The words for on and off, in any letter case.
var (
	wordsOn  = []string{"on", "true", "yes"}
	wordsOff = []string{"off", "false", "no"}
)

// parseSwitch returns the meaning of a word for on or off.
func parseSwitch(text string) (on, ok bool) {
	for i := range wordsOn {
		if strings.EqualFold(text, wordsOn[i]) {
			return true, true
		}
		ok = ok || strings.EqualFold(text, wordsOff[i])
	}
	return false, ok
}

func isOff(text string) bool {
	on, ok := parseSwitch(text)
	return ok && !on
}

// flag is true or false.
func flag(what, description string) shape[thresholds.Switch] {
	return shape[thresholds.Switch]{with(ref("switch"), "description", description), func(r *reader, n ast.Node) (s thresholds.Switch, ok bool) {
		text, ok := r.scalar(n, what)
		if !ok {
			return s, false
		}
		on, ok := parseSwitch(text)
		if !ok {
			r.at(n.GetToken(), "write true or false", "%s must be true or false, not %q", what, text)
		}
		return thresholds.Switch{Value: on, Origin: r.origin(n)}, ok
	}}
}

// A field is one name of a record and where its value goes.
type field[S any] struct {
	name   string
	schema object
	read   func(r *reader, n ast.Node, into *S)
}

// to makes a field whose valid values are passed to set.
func to[S, T any](name string, of shape[T], set func(into *S, value T)) field[S] {
	return field[S]{name, of.schema, func(r *reader, n ast.Node, into *S) {
		if value, ok := of.read(r, n); ok {
			set(into, value)
		}
	}}
}

// A record is a mapping with known names.
type record[S any] struct {
	what   string // in messages
	fields []field[S]
	// unknown returns the problem with another name and a hint; nil: "unknown
	// field".
	unknown func(name string) (problem, hint string)
}

// shape returns the shape of the record. Its value is valid if all of its fields are.
func (rec record[S]) shape() shape[S] {
	properties := object{}
	for _, f := range rec.fields {
		properties[f.name] = f.schema
	}
	return shape[S]{object{"type": "object", "additionalProperties": false, "properties": properties}, rec.read}
}

func (rec record[S]) read(r *reader, n ast.Node) (into S, ok bool) {
	before := len(r.errs)
	entries, _ := r.mapping(n, rec.what)
	for _, entry := range entries {
		if name, ok := r.scalar(entry.Key, "a name"); ok {
			rec.readField(r, name, entry, &into)
		}
	}
	return into, len(r.errs) == before
}

func (rec record[S]) readField(r *reader, name string, entry *ast.MappingValueNode, into *S) {
	for _, f := range rec.fields {
		if f.name == name {
			f.read(r, entry.Value, into)
			return
		}
	}
	if rec.unknown != nil {
		problem, hint := rec.unknown(name)
		r.at(entry.Key.GetToken(), hint, "%s", problem)
		return
	}
	names := make([]string, len(rec.fields))
	for i, f := range rec.fields {
		names[i] = f.name
	}
	r.at(entry.Key.GetToken(), thresholds.Suggest(name, names), "unknown field %q in %s", name, rec.what)
}

// listOf is a list of at most maxEntries valid values; it may be left blank, and a
// single value is a list of one. accept, if not nil, is asked about each value with
// those before it, and reports why not.
func listOf[T any](what string, of shape[T], accept func(r *reader, n ast.Node, before []T, value *T) bool) shape[[]T] {
	return shape[[]T]{anyOf(object{"type": "array", "maxItems": maxEntries, "items": of.schema}, of.schema, object{"type": "null"}),
		func(r *reader, n ast.Node) (values []T, ok bool) {
			for _, entry := range atMost(r, what, list(n)) {
				value, ok := of.read(r, entry)
				if ok && (accept == nil || accept(r, entry, values, &value)) {
					values = append(values, value)
				}
			}
			return values, true
		}}
}

// atMost returns the first maxEntries entries of a list and reports further ones.
func atMost[N ast.Node](r *reader, what string, entries []N) []N {
	if len(entries) <= maxEntries {
		return entries
	}
	r.at(entries[maxEntries].GetToken(), "", "%s has %d entries; at most %d are allowed", what, len(entries), maxEntries)
	return entries[:maxEntries]
}
