package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
)

// TestParquetRows reads back what is written of keys: every column by its name, and null
// where a figure is unknown.
func TestParquetRows(t *testing.T) {
	known := parser.Key{DB: 3, Name: []byte("a\x00b"), NameLen: 3, Type: parser.Hash, Encoding: parser.EncListpack, Elements: 2, ValueBytes: 4, Serialized: 5, Memory: 6, MemoryUsage: 7, Largest: 8, LargestName: []byte("f"), LargestNameLen: 1,
		HasExpire: true, ExpireAt: -9, FieldsWithTTL: 10, Idle: 11, Freq: 12, Offset: 13}
	bare := parser.Key{Name: []byte("cut"), NameLen: 65536, NameHash: 0x1f, Type: parser.String, Elements: -1, ValueBytes: -1, Serialized: 0, Memory: -1, MemoryUsage: -1, Largest: -1, Idle: -1, Freq: -1}
	var file bytes.Buffer
	w := NewKeysParquet(&file, []string{"file", "owner", "ttl_seconds"}, true)
	var rows []byte
	for i, k := range []*parser.Key{&known, &bare} {
		rows = AppendKeyParquet(rows, k)
		rows = AppendParquetText(rows, []byte("x.rdb"), true)
		rows = AppendParquetText(rows, []byte("me"), i == 0)
		rows = AppendParquetNumber(rows, -5, i == 0)
	}
	if n, err := w.Write(rows); n != len(rows) || err != nil {
		t.Fatal(n, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Schema().Columns() {
		names = append(names, c[0])
	}
	if want := strings.TrimSuffix(KeysHeader, "\n") + ",file,owner,ttl_seconds"; strings.Join(names, ",") != want {
		t.Errorf("columns %q", names)
	}
	r := parquet.NewReader(f)
	defer r.Close()
	list := make([]parquet.Row, 2)
	if n, err := r.ReadRows(list); n != 2 {
		t.Fatal(n, err)
	}
	for i, want := range []string{
		`db=3 key=a\x00b type=hash encoding=listpack elements=2 value_bytes=4 serialized_bytes=5 memory_bytes=6 memory_usage_bytes=7 largest_element_bytes=8 largest_element=f expire_at_ms=-9 fields_with_ttl=10 idle_seconds=11 freq=12 offset=13 file=x.rdb owner=me ttl_seconds=-5`,
		`db=0 key=cut\{65536 bytes, 000000000000001f} type=string encoding=<null> elements=<null> value_bytes=<null> serialized_bytes=0 memory_bytes=<null> memory_usage_bytes=<null> largest_element_bytes=<null> largest_element=<null> expire_at_ms=<null> fields_with_ttl=<null> idle_seconds=<null> freq=<null> offset=0 file=x.rdb owner=<null> ttl_seconds=<null>`,
	} {
		var cells []string
		for _, v := range list[i] {
			cells = append(cells, names[v.Column()]+"="+v.String())
		}
		if got := strings.Join(cells, " "); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// TestEmptyListsInJSON checks that no list or map is null wherever it is, behind a pointer
// too, but where an empty one is left out; and that nothing is changed by that.
func TestEmptyListsInJSON(t *testing.T) {
	type inner struct {
		List []int          `json:"list"`
		None []int          `json:"none,omitempty"`
		Map  map[string]int `json:"map"`
	}
	type outer struct {
		Pointer *inner           `json:"pointer"`
		Nil     *inner           `json:"nil"`
		Deep    map[string]inner `json:"deep"`
		Rows    []inner          `json:"rows"`
		Plain   struct{ N int }  `json:"plain"`
		hidden  []int
		Numbers []int `json:"numbers"`
	}
	o := outer{Pointer: &inner{}, Deep: map[string]inner{"x": {}}, Rows: []inner{{}, {List: []int{1}}}, Numbers: []int{7}}
	var lines, text bytes.Buffer
	w := bufio.NewWriter(&lines)
	err := cmp.Or(writeJSONFields(w, reflect.ValueOf(o)), w.Flush(), json.Compact(&text, lines.Bytes()))
	if want := `{"pointer":{"list":[],"map":{}},"nil":null,"deep":{"x":{"list":[],"map":{}}},"rows":[{"list":[],"map":{}},{"list":[1],"map":{}}],"plain":{"N":0},"numbers":[7]}`; err != nil || text.String() != want {
		t.Errorf("%s, %v, want %s", &text, err, want)
	}
	if o.Pointer.List != nil || o.Rows[0].Map != nil || o.Deep["x"].List != nil || o.hidden != nil {
		t.Errorf("%+v was changed", o)
	}
}

// TestNamesAreCut checks how much is kept of a long name: 1,024 bytes on the lists of keys,
// 512 of a group's largest, with the length and the hash of the whole one.
func TestNamesAreCut(t *testing.T) {
	for length, want := range map[int]int{1024: 1024, 1025: 1024, 9000: 1024} {
		name := []byte("a:" + strings.Repeat("x", length-2))
		keys := []parser.Key{{Name: name, NameLen: int64(length), Type: parser.String, Encoding: parser.EncRaw, Elements: 1, ValueBytes: 10, Memory: 60, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1}}
		r := gather(testPolicy(t).Compile(thresholds.Env{Created: testCreated, Memory: true}), agg.Options{Top: 3}, keys, 10).Report()
		top, largest := r.Top[ByMemory][0], r.Groups[0].LargestKey
		if len(top.Key) != want || len(largest.Key) != 512 || largest.NameBytes != int64(length) || (top.NameHash == "") != (length == want) || length > want && top.NameBytes != int64(length) {
			t.Errorf("a name of %d bytes: %d bytes on the list, %d of the group; %d %q", length, len(top.Key), len(largest.Key), top.NameBytes, top.NameHash)
		}
		if length > want && top.NameHash != largest.NameHash && fmt.Sprintf("%016x", keys[0].NameHash) == top.NameHash {
			t.Errorf("hashes %q, %q", top.NameHash, largest.NameHash)
		}
	}
}

// TestTextFields checks where a fact begins beside its label: at column 19, or right
// behind a longer one.
func TestTextFields(t *testing.T) {
	for label, want := range map[string]string{"": strings.Repeat(" ", 18) + "x", "keys": "  keys" + strings.Repeat(" ", 12) + "x", "a label of 15 ch": "  a label of 15 chx", "a label of 15 c": "  a label of 15 c x", "a label of 17 cha": "  a label of 17 chax", "字": "  字" + strings.Repeat(" ", 14) + "x"} {
		var b bytes.Buffer
		text := newTextPage(bufio.NewWriter(&b), WriteOptions{})
		text.field(label, verbatim("x"))
		text.w.Flush()
		if got := strings.TrimSuffix(b.String(), "\n"); got != want {
			t.Errorf("%q: %q, want %q", label, got, want)
		}
	}
}
