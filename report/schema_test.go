package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rdblens/rdblens/parser/message"
)

// TestSchema checks that the schemas describe Report and Diff: their fields, with
// their comments.
func TestSchema(t *testing.T) {
	for _, c := range []struct {
		file      string
		got, want []byte
	}{
		{"schema.json", schemaOf[Report](t, "rdblens report", SchemaVersion), Schema},
		{"diff.schema.json", schemaOf[Diff](t, "rdblens diff", DiffSchemaVersion), DiffSchema},
	} {
		if *update {
			if err := os.WriteFile(c.file, c.got, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s is not up to date: go generate ./report", c.file)
		}
	}
}

// TestReportsFitSchema checks the reports that formats write against the schema with
// a validator, and that it refuses what is wrong.
func TestReportsFitSchema(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	validate := func(report []byte) error {
		var v any
		if err := json.Unmarshal(report, &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	for _, c := range cannedReports() {
		if err := validate(render(t, "json", c.report, 0)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	report := render(t, "json", ordinaryReport(), 0)
	for _, wrong := range [][2]string{{`"keys": 4213`, `"keys": "4213"`}, {`"schema": "rdblens/2"`, `"schema": "rdblens/3"`}, {`"rules": [`, `"rules": [7,`}, {`"groups_folded"`, `"folded"`}} {
		bad := bytes.Replace(report, []byte(wrong[0]), []byte(wrong[1]), 1)
		if bytes.Equal(bad, report) {
			t.Fatalf("no %s", wrong[0])
		}
		if validate(bad) == nil {
			t.Errorf("%s is accepted", wrong[1])
		}
	}
	if err := validate(bytes.Replace(report, []byte(`"schema"`), []byte(`"later": 1, "schema"`), 1)); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

func schemaOf[T any](t *testing.T, title, version string) []byte {
	t.Helper()
	text := &jsonschema.Schema{Type: "string"}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Name]():            text,
		reflect.TypeFor[message.Message](): messageSchema(),
		reflect.TypeFor[Figure]():          {Types: []string{"integer", "null"}, Minimum: jsonschema.Ptr(0.0)},
		reflect.TypeFor[[]*TreeNode]():     {Type: "array", Items: &jsonschema.Schema{Ref: "#/properties/tree"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	describe(s, reflect.TypeFor[T](), fieldComments(t))
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = title
	s.Description = "Sizes are bytes, times are seconds since the epoch, durations are seconds, unless the name says otherwise. A figure that is unknown is null. " +
		`Names are UTF-8 with \\ for a backslash and \xNN for each byte of a control character and each byte that is not UTF-8.`
	s.Properties["schema"].Const = jsonschema.Ptr[any](version)
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// messageSchema is the schema of a message, whose arguments can have messages again.
func messageSchema() *jsonschema.Schema {
	text, number := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "integer"}
	object := &jsonschema.Schema{Type: "object", Required: []string{"id"}}
	return &jsonschema.Schema{Type: "object", Required: []string{"id"}, Properties: map[string]*jsonschema.Schema{"id": text,
		"args": {Type: "array", Items: &jsonschema.Schema{Type: "object", Required: []string{"name", "kind"}, Properties: map[string]*jsonschema.Schema{
			"name": text, "kind": {Type: "string", Enum: []any{"text", "name", "element", "path", "code", "figure", "message", "foreign"}}, "text": text,
			"value": number, "form": text, "messages": {Type: "array", Items: object}, "separator": text, "url": text}}}}}
}

// describe adds the comments of fields, and allows further fields.
func describe(s *jsonschema.Schema, t reflect.Type, comments map[string]string) {
	switch t.Kind() {
	case reflect.Pointer:
		describe(s, t.Elem(), comments)
	case reflect.Slice:
		s.Types, s.Type = nil, "array" // an empty list is [], never null
		describe(s.Items, t.Elem(), comments)
	case reflect.Map:
		s.Types, s.Type = nil, "object"
		describe(s.AdditionalProperties, t.Elem(), comments)
	case reflect.Struct:
		if t == reflect.TypeFor[message.Message]() {
			return
		}
		s.AdditionalProperties = nil
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[name]
			if f.Anonymous || p == nil {
				continue
			}
			describe(p, f.Type, comments)
			owner := t
			for _, i := range f.Index[:len(f.Index)-1] { // of an embedded struct
				if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
					owner = owner.Elem()
				}
				s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
			}
			p.Description = comments[owner.Name()+"."+f.Name]
		}
	}
}

// fieldComments returns the comments of the fields of the types of the package.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	comments := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					text := strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
					for _, name := range f.Names {
						comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
					}
				}
			}
			return true
		})
	}
	return comments
}
