package report

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// TestKeyColumns checks that the columns of keys are the same in the table, in JSON and in
// the rows of a report, in their order.
func TestKeyColumns(t *testing.T) {
	want := keyColumnNames()
	if got := strings.Split(strings.TrimSuffix(KeysHeader, "\n"), ","); !slices.Equal(got, want) || len(want) != eachRow || want[0] != "db" || want[15] != "offset" {
		t.Errorf("the header has %q", got)
	}
	line := AppendKeyJSON(nil, &parser.Key{Name: []byte("k"), NameLen: 1}, nil)
	var fields []string
	for _, m := range regexp.MustCompile(`[{,]"([a-z_]+)":`).FindAllSubmatch(line, -1) {
		fields = append(fields, string(m[1]))
	}
	if !slices.Equal(fields, want) || !json.Valid(line) {
		t.Errorf("JSON has %q", fields)
	}
	var tags []string
	row := reflect.TypeFor[KeyRow]()
	for i := range eachRow {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ",")
		tags = append(tags, name)
	}
	if !slices.Equal(tags, want) {
		t.Errorf("a row of a report has %q", tags)
	}
	if cells := strings.Count(string(AppendKeyCSV(nil, &parser.Key{Name: []byte("k"), NameLen: 1})), ","); cells != eachRow-1 {
		t.Errorf("%d commas", cells)
	}
	if c := columnOf("owner"); !c.text || !c.repeats || c.known || columnOf("key").repeats || !columnOf("offset").known || columnOf("no such column").text {
		t.Errorf("%+v", c)
	}
}
