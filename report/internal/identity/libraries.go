package identity

import (
	"embed"
	"encoding"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rdblens/rdblens/parser"
)

// Recognisers returns what is known, by the name of the library. Nobody may change it.
func Recognisers() []*Recogniser { return recognisers() }

var recognisers = sync.OnceValue(func() (list []*Recogniser) {
	files, _ := fs.Glob(libraryFiles, "libraries/*.json")
	r := dataReader{fields: map[string]int{}}
	for _, file := range files {
		data, _ := libraryFiles.ReadFile(file)
		r.text = string(data)
		r.value(reflect.ValueOf(&list).Elem())
	}
	slices.SortFunc(list, func(a, b *Recogniser) int {
		return strings.Compare(strings.ToLower(a.Library), strings.ToLower(b.Library))
	})
	return list
})

// libraryFiles has the recognisers by language. The names of fields are those of Recogniser and Shape.
//
//go:embed libraries
var libraryFiles embed.FS

// dataReader reads JSON without null and fractions into values without other lists, in a fraction of
// the time of encoding/json, which would be a quarter of that of a scan of a small snapshot. What it
// cannot read makes it panic: a test compares it with encoding/json.
type dataReader struct {
	text   string
	fields map[string]int // of Recogniser and Shape, which have no name in common
}

// more reports whether a value precedes the end of a list or an object, which it passes.
func (r *dataReader) more(end byte) bool {
	i := 0
	for r.text[i] <= ' ' || r.text[i] == ',' || r.text[i] == ':' {
		i++
	}
	more := r.text[i] != end
	if !more {
		i++
	}
	r.text = r.text[i:]
	return more
}

func (r *dataReader) value(v reflect.Value) {
	r.more(0)
	c := r.text[0]
	switch {
	case c == '[':
		for r.text = r.text[1:]; r.more(']'); {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			r.value(v.Index(v.Len() - 1))
		}
	case c == '{':
		v.Set(reflect.New(v.Type().Elem()))
		for r.text = r.text[1:]; r.more('}'); {
			r.value(v.Elem().Field(r.field(v.Type().Elem(), r.string())))
		}
	case c != '"':
		word := r.text[:strings.IndexAny(r.text, ",]} \n")]
		r.text = r.text[len(word):]
		if v.Kind() == reflect.Bool {
			v.SetBool(word == "true")
		} else {
			n, _ := strconv.Atoi(word)
			v.SetInt(int64(n))
		}
	case v.Kind() == reflect.Struct:
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(r.string())); err != nil {
			panic(err)
		}
	default:
		v.SetString(r.string())
	}
}

func (r *dataReader) string() string {
	end := 1
	for r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	s, err := strconv.Unquote(r.text[:end+1])
	if err != nil {
		panic(err)
	}
	r.text = r.text[end+1:]
	return s
}

// field returns the number of a field of a type by its name, in which case does not count.
func (r *dataReader) field(t reflect.Type, name string) int {
	i, known := r.fields[name]
	if !known {
		f, ok := t.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !ok {
			panic("unknown field " + name)
		}
		i = f.Index[0]
		r.fields[name] = i
	}
	return i
}

// UnmarshalText reads the word of a type.
func (t *shapeType) UnmarshalText(word []byte) error {
	typ, known := parser.ParseType(string(word))
	if t.Type = typ; !known {
		return fmt.Errorf("unknown type %q", word)
	}
	return nil
}
