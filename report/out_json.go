package report

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
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
	j := jsonWriter{Writer: w, types: map[reflect.Type]*jsonType{}}
	j.encoder = json.NewEncoder(&j.buf)
	w.WriteByte('{')
	n := 0
	for _, f := range j.typeOf(of.Type()).fields {
		if v := of.FieldByIndex(f.index); !f.omit || !v.IsZero() {
			j.next(&n, newLine)
			w.WriteString(f.name + " ")
			j.rows(v, j.typeOf(v.Type()), newLine)
		}
	}
	w.WriteString("\n}\n")
	return j.err
}

// jsonWriter writes values as json.Marshal does, but empty lists and maps in place of nil, and
// \u00NN for the control characters that json.Marshal does not escape (DEL, C1).
type jsonWriter struct {
	*bufio.Writer
	types   map[reflect.Type]*jsonType
	encoder *json.Encoder // into buf
	buf     bytes.Buffer
	inArg   bool  // <, > and & are escaped, as json.Marshal does
	err     error // the first
}

// jsonType says how the values of a type are written.
type jsonType struct {
	kind   reflect.Kind // Invalid: by encoding/json
	elem   *jsonType    // of a pointer, a list or a map
	fields []jsonField  // of a struct
}

type jsonField struct {
	name  string // quoted, with a colon
	index []int
	omit  bool      // if it is empty
	of    *jsonType // nil until it is needed
}

func (j *jsonWriter) typeOf(t reflect.Type) *jsonType {
	if known := j.types[t]; known != nil {
		return known
	}
	of := &jsonType{kind: t.Kind()}
	j.types[t] = of
	switch {
	case t == reflect.TypeFor[Name](), t == reflect.TypeFor[Figure]():
	case t == reflect.TypeFor[message.Arg]():
		of.kind, of.elem = reflect.Func, j.typeOf(reflect.TypeFor[message.JSONArg]())
	case t.Kind() != reflect.Pointer && (t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())):
		of.kind = reflect.Invalid
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Map:
		of.elem = j.typeOf(t.Elem())
	case t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.IsExported() && !f.Anonymous && name != "-" {
				of.fields = append(of.fields, jsonField{`"` + cmp.Or(name, f.Name) + `":`, f.Index, option != "", nil})
			}
		}
	}
	return of
}

// What precedes a value: a new line, with two spaces for each level, or nothing.
const (
	newLine = "\n  "
	oneLine = ""
)

func deeper(line string) string {
	if line == oneLine {
		return oneLine
	}
	return line + newLine[1:]
}

// next begins an element after n others.
func (j *jsonWriter) next(n *int, line string) {
	if *n > 0 {
		j.WriteByte(',')
	}
	*n++
	j.WriteString(line)
}

// end ends n elements.
func (j *jsonWriter) end(n int, line string, with byte) {
	if n > 0 {
		j.WriteString(line)
	}
	j.WriteByte(with)
}

// rows writes a field of the report: each element of a list and each node of a tree has a line.
func (j *jsonWriter) rows(v reflect.Value, of *jsonType, line string) {
	switch {
	case of.kind == reflect.Slice:
		j.list(v, of, line, oneLine)
	case of.kind == reflect.Map:
		j.entries(v, of, line, j.rows)
	case v.Type() == reflect.TypeFor[*TreeNode]() && !v.IsNil():
		j.node(v.Elem(), of.elem, line)
	default:
		j.value(v, of, line)
	}
}

// node writes a node on one line, and its children on the next ones.
func (j *jsonWriter) node(v reflect.Value, of *jsonType, line string) {
	last := len(of.fields) - 1
	j.WriteByte('{')
	j.fields(v, of.fields[:last], oneLine)
	if children := v.FieldByIndex(of.fields[last].index); children.Len() > 0 {
		j.WriteString(`,"children":[`)
		n, inner := 0, deeper(line)
		for i := range children.Len() {
			j.next(&n, inner)
			j.node(children.Index(i).Elem(), of, inner)
		}
		j.end(n, line, ']')
	}
	j.WriteByte('}')
}

// value writes a value; on several lines if a line is given.
func (j *jsonWriter) value(v reflect.Value, of *jsonType, line string) {
	switch of.kind {
	case reflect.Bool:
		j.Write(strconv.AppendBool(j.AvailableBuffer(), v.Bool()))
	case reflect.Int, reflect.Int64, reflect.Int32:
		if v.Int() < 0 && v.Type() == reflect.TypeFor[Figure]() {
			j.WriteString("null")
		} else {
			j.Write(strconv.AppendInt(j.AvailableBuffer(), v.Int(), 10))
		}
	case reflect.String:
		if s := v.String(); isPlain(s) {
			j.WriteByte('"')
			j.WriteString(s)
			j.WriteByte('"')
		} else {
			j.escaped(j.encoded(v, line))
		}
	case reflect.Func:
		outer := j.inArg
		j.inArg = true
		j.value(reflect.ValueOf(v.Interface().(message.Arg).JSON()), of.elem, line)
		j.inArg = outer
	case reflect.Pointer:
		if v.IsNil() {
			j.WriteString("null")
		} else {
			j.value(v.Elem(), of.elem, line)
		}
	case reflect.Slice:
		j.list(v, of, line, deeper(line))
	case reflect.Map:
		j.entries(v, of, line, j.value)
	case reflect.Struct:
		j.WriteByte('{')
		n := j.fields(v, of.fields, deeper(line))
		j.end(n, line, '}')
	default:
		j.escaped(j.encoded(v, line))
	}
}

// isPlain reports whether a text, or a name, is written as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func (j *jsonWriter) fields(v reflect.Value, fields []jsonField, line string) (n int) {
	for i := range fields {
		f := &fields[i]
		value, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omit && isEmpty(value) {
			continue // of a struct that is nil, or empty
		}
		j.next(&n, line)
		j.WriteString(f.name)
		if line != oneLine {
			j.WriteByte(' ')
		}
		if f.of == nil {
			f.of = j.typeOf(value.Type())
		}
		j.value(value, f.of, line)
	}
	return n
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	}
	return v.IsZero()
}

func (j *jsonWriter) list(v reflect.Value, of *jsonType, line, elements string) {
	j.WriteByte('[')
	n, inner := 0, deeper(line)
	for i := range v.Len() {
		j.next(&n, inner)
		j.value(v.Index(i), of.elem, elements)
	}
	j.end(n, line, ']')
}

func (j *jsonWriter) entries(v reflect.Value, of *jsonType, line string, write func(reflect.Value, *jsonType, string)) {
	j.WriteByte('{')
	n, inner := 0, deeper(line)
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		j.next(&n, inner)
		j.escaped(j.encoded(key, oneLine))
		j.WriteByte(':')
		if line != oneLine {
			j.WriteByte(' ')
		}
		write(v.MapIndex(key), of.elem, inner)
	}
	j.end(n, line, '}')
}

// encoded returns the text of a value by encoding/json, which is valid until the next call; nil
// after an error.
func (j *jsonWriter) encoded(v reflect.Value, line string) []byte {
	if j.err != nil {
		return nil
	}
	j.buf.Reset()
	j.encoder.SetEscapeHTML(j.inArg)
	j.encoder.SetIndent(strings.TrimPrefix(line, "\n"), deeper(line)[len(line):])
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
