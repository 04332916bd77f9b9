package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

// realFormats returns all formats except those that tests register, and the state of a
// scan, which no canned report has.
func realFormats() []string {
	var names []string
	for _, f := range FormatNames() {
		if !strings.HasPrefix(f, "zz-") && f != "shard" {
			names = append(names, f)
		}
	}
	return names
}

// textFormats returns those of realFormats that are text, without the page, which
// has tests in a browser.
func textFormats() []string {
	return slices.DeleteFunc(realFormats(), func(name string) bool { f, _ := Lookup(name); return f.binary || name == "html" })
}

// peopleFormats are the formats for people.
var peopleFormats = []string{"table", "details", "markdown", "summary"}

// withoutNil returns a copy of a report as it is read back.
func withoutNil(r *Report) *Report {
	c := make(listFiller).fill(reflect.ValueOf(*r)).Interface().(Report)
	c.Schema = SchemaVersion
	return &c
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

// oneLineJSON returns a report as encoding/json writes it, on one line.
func oneLineJSON(t *testing.T, r *Report) []byte {
	var text, escaped bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(withoutNil(r)); err != nil {
		t.Fatal(err)
	}
	w := jsonWriter{Writer: bufio.NewWriter(&escaped)}
	w.escaped(bytes.TrimSpace(text.Bytes()))
	w.Flush()
	return escaped.Bytes()
}

func render(t *testing.T, format string, r *Report, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(format, &b, r, WriteOptions{Width: width, Now: time.Unix(1772330000, 0), Elapsed: 1500 * time.Millisecond}); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for _, c := range cannedReports() {
		for _, format := range textFormats() {
			f, _ := Lookup(format)
			compareGolden(t, c.name+f.Extension, render(t, format, c.report, 100))
		}
	}
}

// compareGolden compares an output with a golden file of testdata, or writes the file
// with -update.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no golden file report/%s: make golden writes it", path)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("report/%s differs (-want +got); if it is better to read now, make golden writes it:\n%s", path, d[:min(len(d), 4000)])
	}
}

// TestWritersChangeNothing checks that writers do not change a report, and write the
// same twice.
func TestWritersChangeNothing(t *testing.T) {
	for i, c := range cannedReports() {
		for _, format := range realFormats() {
			first := render(t, format, c.report, 100)
			if second := render(t, format, c.report, 100); !bytes.Equal(first, second) {
				t.Errorf("%s, %s: differs the second time", c.name, format)
			}
			if d := cmp.Diff(cannedReports()[i].report, c.report); d != "" {
				t.Fatalf("%s, %s: changed the report:\n%s", c.name, format, d)
			}
		}
	}
}

// TestHarmless checks that no format contains a control character, and no format for
// people an invisible one.
func TestHarmless(t *testing.T) {
	for _, c := range cannedReports() {
		for _, format := range textFormats() {
			for _, width := range []int{1, 40, 80, 120, 1000} {
				out := render(t, format, c.report, width)
				if !utf8.Valid(out) {
					t.Errorf("%s, %s: not UTF-8", c.name, format)
				}
				for _, line := range strings.Split(string(out), "\n") {
					for _, r := range line {
						if unicode.IsControl(r) || slices.Contains(peopleFormats, format) && r >= 0x80 && text.Invisible(r) {
							t.Fatalf("%s, %s: %U in %q", c.name, format, r, line)
						}
					}
				}
			}
		}
	}
}

// TestTableSaysAtLeast checks that a count which stops at a bound is not shown as an
// exact one.
func TestTableSaysAtLeast(t *testing.T) {
	r := ordinaryReport()
	r.Inputs[0].Trailing, r.Inputs[0].Databases = parser.MaxTrailing, parser.MaxDatabases
	r.Inputs[0].Memory.Bound = true
	text := string(render(t, "details", r, 100))
	for _, want := range []string{"predicted       at least ", "1,048,576 bytes or more after the end", "in at least 65,536 databases"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestTableWidth checks that a table fits the width of the terminal, except for
// commands, which are for pasting, and words that cannot be broken. A Chinese
// character takes two columns.
func TestTableWidth(t *testing.T) {
	chinese := ordinaryReport()
	long := Name(strings.Repeat("用户:基本信息:", 20) + "结束")
	for i := range chinese.Top[ByMemory] {
		chinese.Top[ByMemory][i].Key = long
	}
	for i := range chinese.Groups {
		chinese.Groups[i].Group = long
		chinese.Groups[i].Owner = string(long)
	}
	for i := range chinese.Rules {
		for j := range chinese.Rules[i].Groups {
			chinese.Rules[i].Groups[j].Group = long
		}
		for j := range chinese.Rules[i].Examples {
			chinese.Rules[i].Examples[j].Text = string(long)
		}
	}
	chinese.Ignored[0].Reason = string(long)
	reports := []cannedReport{{"chinese", chinese}}
	for _, c := range append(reports, cannedReports()...) {
		if c.name == "hostile" {
			continue // it has words without a space where ours have some
		}
		for _, width := range []int{80, 100, 120} {
			for _, format := range []string{"table", "details"} {
				for line := range strings.Lines(string(render(t, format, c.report, width))) {
					if line = strings.TrimSuffix(line, "\n"); text.Width(line) > width {
						t.Errorf("%s, %s: %d columns for %d: %s", c.name, format, text.Width(line), width, line)
					}
				}
			}
		}
	}
}

func TestJSONComesBack(t *testing.T) {
	for _, c := range cannedReports() {
		out := render(t, "json", c.report, 0)
		got, err := Read(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(withoutNil(c.report), got); d != "" && c.name != "hostile" {
			t.Errorf("%s:\n%s", c.name, d)
		}
		var line bytes.Buffer
		if json.Compact(&line, out); !bytes.Equal(line.Bytes(), oneLineJSON(t, c.report)) {
			t.Errorf("%s: encoding/json writes it in another way", c.name)
		}
		if again := render(t, "json", got, 0); !bytes.Equal(out, again) {
			t.Errorf("%s: written again it differs", c.name)
		}
		if c.name == "hostile" {
			for i, k := range got.Top[ByValueBytes] {
				if string(k.Key) != hostileName(i) || string(*k.LargestElement) != hostileName(i) {
					t.Errorf("%q came back as %q, %q", hostileName(i), k.Key, *k.LargestElement)
				}
			}
		}
	}
	for _, text := range []string{"", "{}", "[]", `{"schema":"rdblens/0"}`, `{"schema":"rdblens/3"}`, `{"schema":"rdblens/11"}`} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestOlderSchema reads a report that a build of schema rdblens/1 wrote of
// testdata/shop.rdb (with shortened lists) and writes it in the present schema.
func TestOlderSchema(t *testing.T) {
	saved, err := os.ReadFile("testdata/schema1.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	if r.Schema != "rdblens/1" || !r.Complete || r.Totals.Keys != 12624 || len(r.Groups) != 4 || r.Rules[0].Rule == "" ||
		len(r.Rules[0].Examples) == 0 || len(r.Top[ByMemory]) != 2 || r.Top[ByMemory][0].Key == "" {
		t.Errorf("schema %s, %d keys, %d groups", r.Schema, r.Totals.Keys, len(r.Groups))
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal(saved, &want), json.Unmarshal(render(t, "json", r, 0), &got)); err != nil {
		t.Fatal(err)
	}
	// What the older schema did not have is false, or empty.
	delete(got, "fix_first")
	delete(got, "savings")
	for _, rule := range got["rules"].([]any) {
		for _, example := range rule.(map[string]any)["examples"].([]any) {
			for _, a := range example.(map[string]any)["advice"].([]any) {
				if a := a.(map[string]any); a["changes_data"] == false && a["condition"] == "" {
					delete(a, "changes_data")
					delete(a, "condition")
				}
			}
		}
	}
	if want["schema"] = SchemaVersion; !cmp.Equal(want, got) {
		t.Errorf("written again it differs:\n%s", cmp.Diff(want, got))
	}
	var schema *SchemaError
	if _, err := Read(strings.NewReader(`{"schema":"rdblens/3"}`)); !errors.As(err, &schema) ||
		err.Error() != "unknown schema rdblens/3: this version reads rdblens/2 and rdblens/1" {
		t.Errorf("%v", err)
	}
}

// TestJSONHasNoNullLists checks that no list is null, in a report without lists and
// in one with all of them. It compares the JSON with the Go types.
func TestJSONHasNoNullLists(t *testing.T) {
	for _, c := range cannedReports() {
		var root any
		if err := json.Unmarshal(render(t, "json", c.report, 0), &root); err != nil {
			t.Fatal(err)
		}
		lists := 0
		var walk func(at string, v any, typ reflect.Type)
		walk = func(at string, v any, typ reflect.Type) {
			for typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			switch typ.Kind() {
			case reflect.Slice, reflect.Map:
				lists++
				if v == nil {
					t.Errorf("%s: %s is null", c.name, at)
				}
				switch list := v.(type) {
				case []any:
					for _, e := range list {
						walk(at+"[]", e, typ.Elem())
					}
				case map[string]any:
					for name, e := range list {
						walk(at+"."+name, e, typ.Elem())
					}
				}
			case reflect.Struct:
				object, _ := v.(map[string]any)
				for _, field := range reflect.VisibleFields(typ) {
					name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
					if e, ok := object[name]; ok && name != "-" && !field.Anonymous {
						walk(at+"."+name, e, field.Type)
					}
				}
			}
		}
		walk("report", root, reflect.TypeFor[Report]())
		if lists < 12 {
			t.Errorf("%s: %d lists", c.name, lists)
		}
	}
}

func TestCSVComesBack(t *testing.T) {
	read := func(format string, r *Report) [][]string {
		rows, err := csv.NewReader(bytes.NewReader(render(t, format, r, 0))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		return rows[1:]
	}
	check := func(what, cell, want string) {
		got, err := text.Unescape([]byte(cell))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q is %q, %v, want %q", what, cell, got, err, want)
		}
	}
	for _, c := range cannedReports() {
		for _, format := range realFormats() {
			if strings.HasSuffix(format, "csv") {
				for _, row := range read(format, c.report) {
					for _, cell := range row {
						if cell != "" && strings.ContainsRune("=+@", rune(cell[0])) {
							t.Errorf("%s, %s: formula %q", c.name, format, cell)
						}
					}
				}
			}
		}
	}
	r := hostileReport()
	for i, row := range read("csv", r)[:len(hostileNames)] {
		check("csv key", row[3], hostileName(i))
		check("csv element", row[12], hostileName(i))
		check("csv group", row[19], hostileName(i))
	}
	for i, row := range read("groups.csv", r) {
		check("groups", row[0], hostileName(i))
		check("groups largest", row[10], hostileName(i))
	}
	for i, row := range read("findings.csv", r) {
		if i%2 == 0 {
			check("findings key", row[9], hostileName(i/2))
		} else {
			check("findings subject", row[14], hostileName(i/2))
		}
	}
	if n := len(read("findings.csv", ordinaryReport())); n != 4 {
		t.Errorf("findings.csv has %d lines, want one an example: 4", n)
	}
}

// TestFormats checks that every format describes itself, and that no two end their
// files alike.
func TestFormats(t *testing.T) {
	names := make(map[string]string)
	for _, f := range Formats() {
		if strings.HasPrefix(f.Name, "zz-") {
			continue
		}
		if f.Doc == "" || !strings.HasPrefix(f.Extension, ".") || names[f.Extension] != "" {
			t.Errorf("%s: %q, extension %q, as %q", f.Name, f.Doc, f.Extension, names[f.Extension])
		}
		names[f.Extension] = f.Name
		if targets, err := ParseTargets([]string{"a/report" + f.Extension}); err != nil || targets[0].Format != f.Name {
			t.Errorf("%s: a file with its extension is %v, %v", f.Name, targets, err)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := Write("jsno", nil, &Report{}, WriteOptions{}); err == nil || !strings.Contains(err.Error(), "json") {
		t.Errorf("%v", err)
	}
	if f, ok := Lookup("groups"); !ok || f.Name != "groups.csv" {
		t.Errorf("groups is %v", f)
	}
}

// hostileName returns a name as the canned report contains it.
func hostileName(i int) string { return hostileNames[i][:min(len(hostileNames[i]), 100)] }
