package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/rdblens/rdblens/parser/message"
)

// The versioned JSON report: the fields of Report. Each element of a list and each node
// of the tree has a line of its own, for line tools; all else is indented by two spaces a level. An
// empty list is [], never null. Unknown figures are null. Names are escaped such
// that UnmarshalText returns their bytes.

// Schema is the JSON Schema (draft 2020-12) of the JSON report, schema version
// SchemaVersion. It allows fields that it does not know: later versions of the
// program may add some.
//
//go:generate go test -run TestSchema -update .
//go:embed schema.json
var Schema []byte

// DiffSchema is that of the JSON form of a Diff, schema version DiffSchemaVersion.
//
//go:embed diff.schema.json
var DiffSchema []byte

func init() {
	register(&Format{Name: "json", Doc: "everything, for programs", Extension: ".json", rank: 3, write: writeJSON})
}

// writeJSON writes the fields, and the elements of lists, one by one, so that the
// text of a report with many groups is never in memory as a whole.
func writeJSON(w *bufio.Writer, r *Report, _ WriteOptions) error {
	c := *r
	c.Schema = SchemaVersion
	return writeJSONFields(w, reflect.ValueOf(c))
}

func writeJSONFields(w *bufio.Writer, of reflect.Value) error {
	j := jsonWriter{Writer: w}
	j.encoder = json.NewEncoder(&j.buf)
	j.encoder.SetEscapeHTML(false)
	fields := make(listFiller).fill(of)
	w.WriteByte('{')
	comma := ""
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		v := fields.Field(i)
		if !field.IsExported() || name == "-" || (option == "omitempty" || option == "omitzero") && v.IsZero() {
			continue
		}
		w.WriteString(comma + "\n  \"" + name + "\": ")
		comma = ","
		j.write(v, "  ")
	}
	w.WriteString("\n}\n")
	return j.err
}

// jsonWriter writes values as json.Marshal does, with line breaks, and with \u00NN
// for the control characters that json.Marshal does not escape (DEL, C1).
type jsonWriter struct {
	*bufio.Writer
	encoder *json.Encoder // into buf
	buf     bytes.Buffer
	err     error // the first
}

func (j *jsonWriter) write(v reflect.Value, indent string) {
	switch {
	case v.Kind() == reflect.Slice && v.Len() > 0:
		j.WriteByte('[')
		for i := range v.Len() {
			j.line(i, indent)
			j.text(v.Index(i), "", "")
		}
		j.WriteString("\n" + indent + "]")
	case v.Kind() == reflect.Map && v.Len() > 0:
		j.WriteByte('{')
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for i, key := range keys {
			j.line(i, indent)
			j.text(key, "", "")
			j.WriteString(": ")
			j.write(v.MapIndex(key), indent+"  ")
		}
		j.WriteString("\n" + indent + "}")
	case v.Type() == reflect.TypeFor[*TreeNode]() && !v.IsNil():
		j.node(v.Interface().(*TreeNode), indent)
	default:
		j.text(v, indent, "  ")
	}
}

// node writes a node on one line, and its children on the next ones.
func (j *jsonWriter) node(n *TreeNode, indent string) {
	own := *n
	own.Children = nil
	j.escaped(bytes.TrimSuffix(j.encoded(reflect.ValueOf(&own), "", ""), []byte("}")))
	if len(n.Children) > 0 {
		j.WriteString(`,"children":[`)
		for i, c := range n.Children {
			j.line(i, indent)
			j.node(c, indent+"  ")
		}
		j.WriteString("\n" + indent + "]")
	}
	j.WriteByte('}')
}

func (j *jsonWriter) line(i int, indent string) {
	if i > 0 {
		j.WriteByte(',')
	}
	j.WriteString("\n" + indent + "  ")
}

func (j *jsonWriter) text(v reflect.Value, indent, more string) {
	j.escaped(j.encoded(v, indent, more))
}

// encoded returns the text of a value, which is valid until the next call; nil after an error.
func (j *jsonWriter) encoded(v reflect.Value, indent, more string) []byte {
	if j.err != nil {
		return nil
	}
	if v.CanAddr() {
		v = v.Addr()
	}
	j.buf.Reset()
	j.encoder.SetIndent(indent, more)
	if j.err = j.encoder.Encode(v.Interface()); j.err != nil {
		return nil
	}
	return bytes.TrimSuffix(j.buf.Bytes(), []byte("\n"))
}

func (j *jsonWriter) escaped(text []byte) {
	start := 0
	for i, c := range text {
		switch {
		case c == 0x7f:
			j.Write(text[start:i])
			j.WriteString(`\u007f`)
			start = i + 1
		case c == 0xc2 && text[i+1] < 0xa0:
			j.Write(text[start:i])
			fmt.Fprintf(j, `\u00%02x`, text[i+1])
			start = i + 2
		}
	}
	j.Write(text[start:])
}

// Read reads a report that was written as JSON, in the present schema or an older
// one. The error is a *SchemaError if it has another schema. Report.Schema says
// which it is; figures that an older schema did not have are 0 or unknown.
func Read(rd io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(rd).Decode(&r); err != nil {
		return nil, err
	}
	if r.Schema != SchemaVersion && !slices.Contains(olderSchemas, r.Schema) {
		return nil, &SchemaError{Schema: r.Schema}
	}
	for i := range r.Rules {
		for _, e := range r.Rules[i].Examples {
			if e.KeyRow != nil {
				e.KeyRow.Input = e.Input // one name in JSON
			}
		}
	}
	return &r, nil
}

// SchemaError reports that the schema of a report is not the one that Read reads.
type SchemaError struct{ Schema string }

func (e *SchemaError) Error() string {
	if e.Schema == "" {
		return "not a report: it names no schema"
	}
	return "unknown schema " + Name(e.Schema).Display() + ": this version reads " + SchemaVersion + " and " +
		strings.Join(olderSchemas, ", ")
}

// listFiller replaces nil by empty lists and maps, except fields that are omitted when
// empty. It copies what it changes. It knows of each type whether its values
// have lists or maps.
type listFiller map[reflect.Type]bool

// fill returns a value with empty lists and maps in place of nil.
func (l listFiller) fill(v reflect.Value) reflect.Value {
	t := v.Type()
	switch {
	case !l.hasLists(t) || t.Kind() == reflect.Pointer && v.IsNil():
		return v
	case t.Kind() == reflect.Slice && !v.IsNil() && !l.hasLists(t.Elem()):
		return v
	case t.Kind() == reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for i := range t.NumField() {
			list := c.Field(i).Kind() == reflect.Slice || c.Field(i).Kind() == reflect.Map
			if f := t.Field(i); f.IsExported() && l.hasLists(f.Type) && !(list && omitsEmpty(f) && c.Field(i).IsNil()) {
				c.Field(i).Set(l.fill(v.Field(i)))
			}
		}
		return c
	}
	return copied(v, l.fill)
}

func (l listFiller) hasLists(t reflect.Type) bool {
	known, ok := l[t]
	if ok {
		return known
	}
	if t == reflect.TypeFor[message.Message]() { // it writes itself
		return false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		known = true
	case reflect.Pointer:
		known = l.hasLists(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			known = known || t.Field(i).IsExported() && l.hasLists(t.Field(i).Type)
		}
	}
	l[t] = known
	return known
}

func omitsEmpty(f reflect.StructField) bool {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	return !f.IsExported() || name == "-" || option == "omitempty" || option == "omitzero"
}
