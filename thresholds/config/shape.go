package config

import (
	"maps"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/thresholds"
)

// A shape describes the valid values of one place in a configuration, both for the
// loader and for the JSON Schema, so that the two know the same fields. The file is
// not decoded into structs by the YAML library because that stops at the first
// problem and knows neither hints nor origins.
type shape[T any] struct {
	schema schema
	// read returns the value of a node. If it is not valid, read reports why and
	// returns false.
	read func(r *reader, n ast.Node) (T, bool)
}

// object is a part of a JSON Schema. Its keys are written in sorted order.
type object = map[string]any

// schema returns the JSON Schema of a value. It is a function because loading, which
// every scan does, does not need it.
type schema func() object

func (s schema) with(keywords ...any) schema {
	return func() object { return with(s(), keywords...) }
}

// orNull is the schema of a value that may be left blank.
func (s schema) orNull() schema {
	return func() object {
		if o := s(); o["if"] == nil {
			return with(o, "type", []string{"object", "null"})
		} else {
			return byType("null", object{}, o)
		}
	}
}

// with returns the shape with more keywords in its schema: names and values in turn.
func (s shape[T]) with(keywords ...any) shape[T] {
	s.schema = s.schema.with(keywords...)
	return s
}

// as returns a shape whose values are made from those of s. It may refuse them.
func as[T, U any](s shape[T], convert func(r *reader, n ast.Node, value T) (U, bool)) shape[U] {
	return shape[U]{s.schema, func(r *reader, n ast.Node) (result U, ok bool) {
		if value, ok := s.read(r, n); ok {
			return convert(r, n, value)
		}
		return result, false
	}}
}

func with(s object, keywords ...any) object {
	s = maps.Clone(s)
	for i := 0; i < len(keywords); i += 2 {
		s[keywords[i].(string)] = keywords[i+1]
	}
	return s
}

func ref(definition string) schema {
	return func() object { return object{"$ref": "#/$defs/" + definition} }
}

// byType is the schema of a value that has one form if it is of a type of JSON, and else
// another one. A validator then names the problem within the form that was meant.
func byType(name string, form, otherwise object) object {
	return object{"if": object{"type": name}, "then": form, "else": otherwise}
}

func listSchema(of schema, keywords ...any) schema {
	return func() object { return byType("array", with(object{"items": of()}, keywords...), of()) }
}

// words is the schema of some words in any letter case, perhaps of true and false, too. Editors
// propose them in lower case, and say what to write instead of others.
func words(list []string, keywords ...any) object {
	var pattern strings.Builder
	for i, w := range list {
		if i > 0 {
			pattern.WriteByte('|')
		}
		for _, c := range []byte(w) {
			pattern.WriteString("[" + string(c) + string(c-0x20) + "]")
		}
	}
	return with(object{"type": []string{"string", "boolean"}, "pattern": "^(" + pattern.String() + ")$", "examples": list,
		"errorMessage": "write " + strings.Join(list, ", ")}, keywords...)
}

// text is any single value; a number is the text that was written.
func text(what, description string) shape[string] {
	return shape[string]{func() object {
		return object{"type": []string{"string", "number", "boolean"}, "description": description}
	},
		func(r *reader, n ast.Node) (string, bool) { return r.scalar(n, what) }}
}

func located(r *reader, n ast.Node, value string) (thresholds.Text, bool) {
	return thresholds.Text{Value: value, Origin: r.origin(n)}, true
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

func flag(what, description string) shape[thresholds.Switch] {
	s := as(text(what, ""), func(r *reader, n ast.Node, word string) (thresholds.Switch, bool) {
		on, ok := parseSwitch(word)
		return thresholds.Switch{Value: on, Origin: r.origin(n)}, ok || r.refuse(n, message.New("write true or false"),
			"{what} must be true or false, not {word}", message.Word("what", what), message.Element("word", word))
	})
	s.schema = ref("switch").with("description", description)
	return s
}

// A field is one name of a record and where its value goes.
type field[S any] struct {
	name   string
	schema schema
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

type record[S any] struct {
	what   string // in messages
	fields []field[S]
	// unknown returns the problem with another name and a hint; nil: "unknown
	// field".
	unknown func(name string) *message.Error
}

// shape returns the shape of the record. Its value is valid if all of its fields are.
func (rec record[S]) shape() shape[S] {
	return shape[S]{func() object {
		properties := object{}
		for _, f := range rec.fields {
			properties[f.name] = f.schema()
		}
		return object{"type": "object", "additionalProperties": false, "properties": properties}
	}, rec.read}
}

func (rec record[S]) read(r *reader, n ast.Node) (into S, ok bool) {
	before := len(r.errs)
	for _, entry := range r.mapping(n, rec.what, rec.hint()) {
		if name, ok := r.scalar(entry.Key, "a name"); ok {
			rec.readField(r, name, entry, &into)
		}
	}
	return into, len(r.errs) == before
}

func (rec record[S]) hint() message.Message {
	known := make([]message.Message, min(len(rec.fields), 6))
	for i := range known {
		known[i] = message.New("{entry}", message.Code("entry", rec.fields[i].name+": ..."))
	}
	return message.New("write names and values, such as {names}", message.List("names", ", ", known))
}

func (rec record[S]) readField(r *reader, name string, entry *ast.MappingValueNode, into *S) {
	known := make([]string, len(rec.fields))
	for i, f := range rec.fields {
		if f.name == name {
			f.read(r, entry.Value, into)
			return
		}
		known[i] = f.name
	}
	if rec.unknown != nil {
		problem := rec.unknown(name)
		r.refuse(entry.Key, problem.Hint, problem.Message.ID, problem.Message.Args...)
		return
	}
	r.refuse(entry.Key, thresholds.Suggest(name, known), "unknown field {field} in {what}", message.Element("field", name),
		message.Word("what", rec.what))
}

// listOf is a list of values. A single value is a list of one, and null is an empty
// list. Its value has the valid entries.
func listOf[T any](what string, of shape[T]) shape[[]T] {
	return shape[[]T]{listSchema(of.schema, "maxItems", maxEntries), func(r *reader, n ast.Node) (values []T, ok bool) {
		for _, entry := range atMost(r, what, maxEntries, list(n)) {
			if value, ok := of.read(r, entry); ok {
				values = append(values, value)
			}
		}
		return values, true
	}}
}

// atMost returns the first most entries of a list and reports further ones.
func atMost[N ast.Node](r *reader, what string, most int, entries []N) []N {
	if len(entries) <= most {
		return entries
	}
	r.refuse(entries[most], noHint, "{what} has {n} entries; at most {most} are allowed",
		message.Word("what", what), message.Int("n", int64(len(entries))), message.Int("most", int64(most)))
	return entries[:most]
}
