package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/text"
	"github.com/rdblens/rdblens/thresholds"
)

// fullKey has every figure, bareKey none.
func fullKey() *parser.Key {
	return &parser.Key{DB: 3, Name: []byte("user:basic.info:10086:hash"), Type: parser.Hash, Encoding: parser.EncHashtable,
		HasExpire: true, ExpireAt: -7, Idle: 0, Freq: 255, Elements: 5001, ValueBytes: 123456, Serialized: 99999,
		Largest: 4097, LargestName: []byte("=avatar,\"big\""), FieldsWithTTL: 2, Memory: 200704, MemoryUsage: 200720, Offset: math.MaxInt64}
}

func bareKey() *parser.Key {
	return &parser.Key{Name: []byte("=cmd|' /C calc'!A0"), Type: parser.Module, Idle: -1, Freq: -1, Elements: -1, ValueBytes: -1,
		Serialized: 12, Largest: -1, Memory: -1, MemoryUsage: -1, Offset: 9}
}

func TestAppendKeyCSV(t *testing.T) {
	got := KeysHeader + string(AppendKeyCSV(nil, fullKey())) + string(AppendKeyCSV(nil, bareKey()))
	want := `db,key,type,encoding,elements,value_bytes,serialized_bytes,memory_bytes,memory_usage_bytes,largest_element_bytes,largest_element,expire_at_ms,fields_with_ttl,idle_seconds,freq,offset
3,user:basic.info:10086:hash,hash,hashtable,5001,123456,99999,200704,200720,4097,"\x3davatar,""big""",-7,2,0,255,9223372036854775807
0,\x3dcmd|' /C calc'!A0,module,,,,12,,,,,,,,,9
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil || len(rows) != 3 || len(rows[2]) != 16 {
		t.Errorf("read back: %v, %q", err, rows)
	}
}

// TestFindingsOfKeyJSON checks the findings of a row, in the words of the README: rule,
// severity, measured and limit.
func TestFindingsOfKeyJSON(t *testing.T) {
	want := []thresholds.Finding{{Severity: thresholds.Error, Measured: 5001, Limit: 5000}, {Rule: 1, Severity: thresholds.Info, Measured: 129, Limit: 128}}
	var row struct {
		Findings []struct {
			Rule, Severity  string
			Measured, Limit int64
		}
	}
	if err := json.Unmarshal(AppendKeyJSON(nil, fullKey(), want), &row); err != nil {
		t.Fatal(err)
	}
	if len(row.Findings) != len(want) {
		t.Fatalf("%+v", row.Findings)
	}
	for i, f := range row.Findings {
		if w := want[i]; f.Rule != w.Rule.Name() || f.Severity != w.Severity.String() || f.Measured != w.Measured || f.Limit != w.Limit {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
}

func TestAppendKeyJSON(t *testing.T) {
	got := string(AppendKeyJSON(nil, fullKey(), nil)) + string(AppendKeyJSON(nil, bareKey(), nil))
	want := `{"db":3,"key":"user:basic.info:10086:hash","type":"hash","encoding":"hashtable","elements":5001,"value_bytes":123456,"serialized_bytes":99999,"memory_bytes":200704,"memory_usage_bytes":200720,"largest_element_bytes":4097,"largest_element":"=avatar,\"big\"","expire_at_ms":-7,"fields_with_ttl":2,"idle_seconds":0,"freq":255,"offset":9223372036854775807}
{"db":0,"key":"=cmd|' /C calc'!A0","type":"module","encoding":null,"elements":null,"value_bytes":null,"serialized_bytes":12,"memory_bytes":null,"memory_usage_bytes":null,"largest_element_bytes":null,"largest_element":null,"expire_at_ms":null,"fields_with_ttl":null,"idle_seconds":null,"freq":null,"offset":9}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	columns := strings.Split(strings.TrimSuffix(KeysHeader, "\n"), ",")
	dec := json.NewDecoder(strings.NewReader(got))
	for range 2 {
		var row map[string]any
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		if len(row) != len(columns) {
			t.Errorf("%d fields, want %d", len(row), len(columns))
		}
		for _, c := range columns {
			if _, ok := row[c]; !ok {
				t.Errorf("no field %q", c)
			}
		}
	}
}

// TestElementName checks that a collection without elements has no largest one, and
// that a field may have the empty name.
func TestElementName(t *testing.T) {
	k := fullKey()
	k.LargestName = []byte{}
	if row := AppendKeyJSON(nil, k, nil); !bytes.Contains(row, []byte(`"largest_element":""`)) {
		t.Errorf("empty field name: %s", row)
	}
	k.Elements = 0
	if row := AppendKeyJSON(nil, k, nil); !bytes.Contains(row, []byte(`"largest_element":null`)) {
		t.Errorf("no element: %s", row)
	}
}

func TestRowsAllocateNothing(t *testing.T) {
	buf := make([]byte, 0, 1<<16)
	hostile := fullKey()
	hostile.Name = bytes.Repeat([]byte{0xff, '\\', '"', 0xe4, 0xb8, 0xad}, 500)
	for _, k := range []*parser.Key{fullKey(), bareKey(), hostile} {
		if n := testing.AllocsPerRun(100, func() {
			buf = AppendKeyCSV(buf[:0], k)
			buf = AppendKeyJSON(buf[:0], k, nil)
		}); n != 0 {
			t.Errorf("%v allocations for %.20q", n, k.Name)
		}
	}
}

func benchmarkRows(b *testing.B, name string, row func([]byte, *parser.Key) []byte) {
	k := fullKey()
	k.Type, k.Encoding, k.LargestName, k.HasExpire = parser.String, parser.EncRaw, nil, false
	k.Elements, k.ValueBytes, k.Serialized, k.Largest, k.Idle, k.Freq, k.DB, k.Offset = 1, 10, 11, 10, 3600, -1, 0, 123456789
	k.Memory, k.MemoryUsage, k.FieldsWithTTL = 112, 104, 0
	k.Name = []byte(name)
	buf := row(make([]byte, 0, 1<<16), k)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = row(buf[:0], k)
	}
}

func BenchmarkKeyCSV(b *testing.B) { benchmarkRows(b, "user:basic.info:100863:string", AppendKeyCSV) }
func BenchmarkKeyJSON(b *testing.B) {
	benchmarkRows(b, "user:basic.info:100863:string", func(dst []byte, k *parser.Key) []byte { return AppendKeyJSON(dst, k, nil) })
}
func BenchmarkKeyCSVChinese(b *testing.B) {
	benchmarkRows(b, "用户:基本信息:100863:string", AppendKeyCSV)
}

// TestCutNames writes rows of keys whose name was cut.
func TestCutNames(t *testing.T) {
	for name, want := range map[string]string{
		"abc":  `0,"abc\{65536 bytes, 0123456789abcdef}",string`,
		"a,b":  `0,"a,b\{65536 bytes, 0123456789abcdef}",string`,
		"a\"b": `0,"a""b\{65536 bytes, 0123456789abcdef}",string`,
		"=a":   `0,"\x3da\{65536 bytes, 0123456789abcdef}",string`,
	} {
		k := parser.Key{Name: []byte(name), NameLen: 65536, NameHash: 0x0123456789abcdef}
		row := string(AppendKeyCSV([]byte("before"), &k))
		if !strings.HasPrefix(row, "before"+want) {
			t.Errorf("%q: row %q, want %q", name, row, want)
		}
		cells, err := csv.NewReader(strings.NewReader(row[len("before"):])).Read()
		if err != nil || len(cells) != 16 {
			t.Errorf("%q: cells %q, %v", name, cells, err)
			continue
		}
		if got, err := text.Unescape([]byte(cells[1])); err == nil || !strings.Contains(err.Error(), "cut") {
			t.Errorf("%q: the cell is reversed to %q, %v", name, got, err)
		}
		var line struct {
			Bytes int64  `json:"key_bytes"`
			Hash  string `json:"key_hash"`
		}
		if err := json.Unmarshal(AppendKeyJSON(nil, &k, nil), &line); err != nil || line.Bytes != 65536 || line.Hash != "0123456789abcdef" {
			t.Errorf("%q: %+v, %v", name, line, err)
		}
	}
}
