package parser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/testdata/watchdog"
)

// A moduleValue is a value of a module, written item by item as the format has it.
type moduleValue struct{ rdbBuilder }

// newModule returns the key "m" with a value of a type and an encoding version.
func newModule(name string, version uint64) *moduleValue {
	m := &moduleValue{*newRDB("REDIS0011")}
	m.key(7, "m").len(moduleID(name, version))
	return m
}

func (m *moduleValue) u(ns ...uint64) *moduleValue {
	for _, n := range ns {
		m.len(2).len(n)
	}
	return m
}

func (m *moduleValue) d(f float64) *moduleValue {
	m.len(4).le64(int64(math.Float64bits(f)))
	return m
}

func (m *moduleValue) s(text string) *moduleValue { m.len(5).str(text); return m }

func (m *moduleValue) z(n int) *moduleValue { return m.s(strings.Repeat("\x00", n)) }

func (m *moduleValue) snapshot() []byte { return m.len(0).end() }

// moduleFixtures are the keys of the snapshot that testdata/gen made of modules, each
// alone, with the figures that they have by construction.
func moduleFixtures(t testing.TB) map[string]moduleFixture {
	in, err := os.ReadFile("../testdata/modules/layouts.rdb")
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.ReadFile("../testdata/modules/layouts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]moduleFixture)
	for _, row := range strings.Split(strings.TrimSpace(string(truth)), "\n")[1:] {
		columns := strings.Split(row, "\t")
		all[columns[0]] = moduleFixture{typ: columns[1], want: columns[3]}
	}
	s := newScanner(bytes.NewReader(in), Options{}, scanBlock)
	n := 0
	for ; s.Scan(); n++ {
		k := s.Key()
		f := all[string(k.Name)]
		end := k.Offset + 2 + k.NameLen + k.Serialized
		f.value = len(in[:9]) + 2 + int(k.NameLen)
		f.in = newRDB("REDIS0011").raw(in[k.Offset:end]).end()
		all[string(k.Name)] = f
	}
	if s.Err() != nil || n != len(all) {
		t.Fatalf("%d keys of %d: %v", n, len(all), s.Err())
	}
	return all
}

// moduleFixture is a snapshot with one key.
type moduleFixture struct {
	in        []byte
	value     int // offset of the value
	typ, want string
}

// moduleLine is what a key of a module has.
func moduleLine(k *Key) string {
	k.NameLargest()
	var b strings.Builder
	fmt.Fprintf(&b, "n=%d v=%d largest=%d", k.Elements, k.ValueBytes, k.Largest)
	if k.LargestName != nil {
		fmt.Fprintf(&b, ":%s", k.LargestName)
	}
	f := k.Module
	for _, x := range []struct {
		name string
		n    int64
	}{{"longest", k.Longest}, {"filters", f.Filters}, {"capacity", f.Capacity}, {"labels", f.Labels}, {"rules", f.Rules}, {"retention", f.Retention},
		{"first", f.First}, {"last", f.Last}, {"chunks", f.Chunks}, {"vectors", f.VectorBytes}, {"links", f.LinkBytes}, {"depth", f.Depth}} {
		if x.n != 0 {
			fmt.Fprintf(&b, " %s=%d", x.name, x.n)
		}
	}
	return b.String()
}

func TestModuleLayouts(t *testing.T) {
	for name, f := range moduleFixtures(t) {
		s := newScanner(bytes.NewReader(f.in), withMemory, smallBlock)
		if !s.Scan() {
			t.Errorf("%s: %v", name, s.Err())
			continue
		}
		k := s.Key().Clone()
		if got := moduleLine(k); got != f.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, f.want)
		}
		if k.Type.String() != f.typ || k.MemoryBound || k.Memory < 50 {
			t.Errorf("%s: type %v, memory %d", name, k.Type, k.Memory)
		}
		if s.Scan() || s.Err() != nil {
			t.Errorf("%s: %v", name, s.Err())
		}
		differential(t, f.in)
	}
}

// TestModuleNotKnown reads values of encoding versions that are not known, and
// with items that are not those of the layout: they are passed, and this is said.
func TestModuleNotKnown(t *testing.T) {
	deep := strings.Repeat("[", 2000)
	for name, m := range map[string]*moduleValue{
		"a version of tomorrow":        newModule("ReJSON-RL", 5).s("{}"),
		"a cuckoo filter of version 0": newModule("MBbloomCF", 0).u(1),
		"too few items":                newModule("CMSk-TYPE", 0).u(1, 2),
		"too many items":               newModule("CMSk-TYPE", 0).u(1, 2, 3).z(8).u(4),
		"another item":                 newModule("CMSk-TYPE", 0).u(1, 2).s("3").z(8),
		"a count that no file holds":   newModule("MBbloom--", 4).u(1, 1<<60, 0, 2),
		"an unknown aggregation":       newModule("TSDB-TYPE", 9).s("m").u(0, 4096, 0, 0).d(0).u(0, 0, 0, 0).d(0).u(0, 1).s("to").u(1, 1, 99, 1, 1).d(3),
		"vectors of another size":      newModule("vectorset", 0).u(8, 1, 1, 0).s("e").z(7).u(0),
		"links that no server has":     newModule("vectorset", 0).u(8, 1, 1, 0).s("e").z(8).u(6, 1, 0, 1, 1<<40, 3, 9),
		"text that is no JSON":         newModule("ReJSON-RL", 3).s("{]"),
		"empty text":                   newModule("ReJSON-RL", 3).s(""),
		"two values":                   newModule("ReJSON-RL", 3).s("{} []"),
		"text that ends early":         newModule("ReJSON-RL", 3).s(`{"a":"`),
		"an escape that ends early":    newModule("ReJSON-RL", 3).s(`"\`),
		"too many levels":              newModule("ReJSON-RL", 3).s(deep + strings.ReplaceAll(deep, "[", "]")),
		"CBOR with too many levels":    newModule("ReJSON-RL", 4).s(strings.Repeat("\x81", 3000) + "\x01"),
		"CBOR that ends early":         newModule("ReJSON-RL", 4).s("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
		"CBOR without a length":        newModule("ReJSON-RL", 4).s("\x9f\x01\xff"),
		"CBOR with a number as a name": newModule("ReJSON-RL", 4).s("\xa1\x01\x01"),
		"CBOR and something more":      newModule("ReJSON-RL", 4).s("\x01\x01"),
		"a tree with another node":     newModule("ReJSON-RL", 0).u(77),
		"a tree with too many levels":  newModule("ReJSON-RL", 0).u(bytes2uints(64, 1, 1500)...).u(1),
	} {
		in := m.snapshot()
		s := newScanner(bytes.NewReader(in), withMemory, smallBlock)
		if !s.Scan() {
			t.Errorf("%s: %v", name, s.Err())
			continue
		}
		k := s.Key()
		if k.Elements != -1 || k.ValueBytes != -1 || !k.MemoryBound {
			t.Errorf("%s: %s, memory is a lower bound: %v", name, moduleLine(k), k.MemoryBound)
		}
		for s.Scan() {
		}
		if info := s.Info(); s.Err() != nil || len(info.Warnings) != 1 || !strings.Contains(info.Warnings[0].String(), "1 keys of the module type "+info.Modules[0].Name) {
			t.Errorf("%s: %v %q", name, s.Err(), info.Warnings)
		}
		differential(t, in)
	}
}

// bytes2uints returns a and b, n times.
func bytes2uints(a, b uint64, n int) (list []uint64) {
	for range n {
		list = append(list, a, b)
	}
	return list
}

// TestMemberNames has several goroutines read documents of which some bring new
// names: the first in the file pays, however many goroutines there are.
func TestMemberNames(t *testing.T) {
	model, _, err := memory.Choose("valkey", "9.0.0", memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Memory: func(*Info) *memory.Model { return model }}
	r := newRDB("VALKEY080")
	for i := range 3000 {
		doc := fmt.Sprintf(`{"id":%d,"name":"x","only %d":1,"shared by three %d":2}`, i, i%700, i/3)
		r.key(7, fmt.Sprint("doc:", i)).len(moduleID("ReJSON-RL", 3)).len(5).str(doc).len(0)
	}
	in := r.end()
	want := scanned(bytes.NewReader(in), opt, scanBlock)
	for _, jobs := range []int{1, 2, 4} {
		opt.Jobs = jobs
		if d := difference(want, ranSmall(bytes.NewReader(in), opt, jobs)); d != "" {
			t.Errorf("%d jobs: %s", jobs, d)
		}
	}
}

// TestModuleAllocations reads many keys of each type, which must not allocate
// memory for each.
func TestModuleAllocations(t *testing.T) {
	for name, f := range moduleFixtures(t) {
		record := f.in[9 : len(f.in)-9]
		read := func(n int) float64 {
			in := newRDB("REDIS0011").raw(bytes.Repeat(record, n)).end()
			return testing.AllocsPerRun(3, func() {
				s := newScanner(bytes.NewReader(in), withMemory, scanBlock)
				for s.Scan() {
				}
			})
		}
		if few, many := read(10), read(1010); many-few > 20 {
			t.Errorf("%s: 1000 more keys allocate %.0f times", name, many-few)
		}
	}
}

// FuzzModules reads values of modules with any items.
func FuzzModules(f *testing.F) {
	for _, x := range moduleFixtures(f) {
		f.Add(x.in[x.value+9:len(x.in)-9], x.in[x.value:x.value+9])
	}
	f.Fuzz(func(t *testing.T, items, id []byte) {
		defer watchdog.Start(t)()
		r := newRDB("REDIS0011").key(7, "m")
		in := r.raw(id, items).end()
		differential(t, in)
	})
}

// FuzzDocument compares the walk of JSON text with a reading of encoding/json.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5,"x\u00e9"],"b":{"c":null}}`, ` [ ] `, `"\ud83d\ude00\n"`, `-1.5e3`, `{"":{"":[[],{}]}}`, `[1,"` + strings.Repeat("long ", 9000) + `"]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer watchdog.Start(t)()
		if !json.Valid([]byte(text)) {
			return
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return
		}
		if depthOf(value) > 1000 {
			return
		}
		for _, block := range []int{smallBlock, scanBlock} {
			s := newScanner(bytes.NewReader(newModule("ReJSON-RL", 3).s(text).snapshot()), withMemory, block)
			if !s.Scan() {
				t.Fatal(s.Err())
			}
			k := s.Key()
			if k.Elements < 0 || k.Module.Depth != depthOf(value) || k.ValueBytes != int64(len(text)) {
				t.Fatalf("%s: %s, depth %d", text, moduleLine(k), depthOf(value))
			}
			if list, ok := value.([]any); ok && k.Elements != int64(len(list)) {
				t.Fatalf("%s: %d items", text, k.Elements)
			}
			if _, ok := value.(map[string]any); !ok && k.Module.Depth == 0 && k.Elements != 1 {
				t.Fatalf("%s: %d elements", text, k.Elements)
			}
		}
	})
}

// depthOf returns the levels of a value.
func depthOf(value any) (depth int64) {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			depth = max(depth, depthOf(e))
		}
		return depth + 1
	case map[string]any:
		for _, e := range v {
			depth = max(depth, depthOf(e))
		}
		return depth + 1
	}
	return 0
}
