package parser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/memory"
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

// times repeats items.
func (m *moduleValue) times(n int, items func(i uint64)) *moduleValue {
	for i := range n {
		items(uint64(i))
	}
	return m
}

func (m *moduleValue) snapshot() []byte { return m.len(0).end() }

// moduleFixtures are values of each layout of each type, with the figures that
// they have by construction.
func moduleFixtures() map[string]struct {
	in   []byte
	want string
} {
	type fixture = struct {
		in   []byte
		want string
	}
	all := map[string]fixture{}
	add := func(name string, m *moduleValue, want string) { all[name] = fixture{m.snapshot(), want} }
	for v := range uint64(5) {
		m := newModule("MBbloom--", v).u(150, 2)
		if v >= 2 {
			m.u(0)
		}
		if v >= 4 {
			m.u(2)
		}
		for i := range 2 {
			m.u(100 << i).d(.01).u(7).d(9.6)
			if v >= 1 {
				m.u(1024, 10)
			}
			m.z(128 << i).u(75)
		}
		add(fmt.Sprint("Bloom filter ", v), m, "n=150 v=384 largest=256:1 longest=256 filters=2 capacity=300")
	}
	for _, v := range []uint64{1, 3, 4} {
		m := newModule("MBbloomCF", v).u(2, 64, 99)
		if v == 4 {
			m.u(3, 4, 20, 1)
		}
		for range 2 {
			if v == 4 {
				m.u(64)
			}
			m.z(256)
		}
		add(fmt.Sprint("cuckoo filter ", v), m, "n=99 v=512 largest=256:0 longest=256 filters=2 capacity=512")
	}
	add("count-min sketch", newModule("CMSk-TYPE", 0).u(10, 5, 1234).z(200), "n=1234 v=200 largest=200 longest=200")
	add("top-k", newModule("TopK-TYPE", 0).u(3, 8, 7).d(.9).z(448).z(72).s("apple\x00").s("\x00").s("fig\x00"), "n=2 v=456 largest=5:apple longest=5 capacity=3")
	add("t-digest", newModule("TDIS-TYPE", 0).d(100).d(-1).d(9).u(610, 2, 0, 4).d(7).d(0).d(1).d(2).d(3).d(4), "n=7 v=32 largest=16 longest=16 capacity=610")
	for v := range uint64(10) {
		all[fmt.Sprint("time series ", v)] = fixture{series(v).snapshot(), map[bool]string{
			true:  "n=3 v=48 largest=16 longest=16 labels=1 rules=8 retention=5000 first=1000 last=1002",
			false: "n=8 v=160 largest=128:1 longest=128 labels=1 rules=8 retention=5000 first=1000 last=2000 chunks=2"}[v < 2]}
	}
	for _, worst := range []uint64{0, 1} {
		m := newModule("vectorset", 0).u(8, 2, 1|16<<8, 2)
		for i := range uint64(2) {
			m.s(fmt.Sprint("e", i)).s(strings.Repeat("a", int(i))).z(8)
			count := uint64(2 + 3 + 1)
			if worst == 1 {
				count++
			}
			m.u(count, i, worst<<24, 1, 32, 1-i)
			if worst == 1 {
				m.u(5)
			}
			m.u(77)
		}
		add(fmt.Sprint("vector set ", worst), m, "n=2 v=21 largest=11:e1 longest=2 vectors=16 links=512")
	}
	add("valkey-bloom 0", newModule("bloomfltr", 0).u(2, 2).f(.01).z(50).u(400, 7, 40).z(100).u(800, 7, 80, 9), "n=49 v=150 largest=100:1 longest=100 filters=2 capacity=120")
	add("valkey-bloom 1", newModule("bloomfltr", 1).u(2, 2).d(.01).d(.5).u(1).z(50).u(40).z(100).u(80, 9), "n=49 v=150 largest=100:1 longest=100 filters=2 capacity=120")
	text := `{"a":[1,2.5,"x\u00e9"],"longest name":"value",  "b":{"c":null}}`
	add("document 2", newModule("ReJSON-RL", 2).s(text).u(0), "n=3 v=63 largest=22:longest name longest=12 depth=2")
	add("document 2 in an index", newModule("ReJSON-RL", 2).s(text).u(1).s("idx").s("$"), "n=3 v=63 largest=22:longest name longest=12 depth=2")
	add("document 3", newModule("ReJSON-RL", 3).s(text), "n=3 v=63 largest=22:longest name longest=12 depth=2")
	add("document 3, a number", func() *moduleValue { m := newModule("ReJSON-RL", 3); m.len(5).raw(0xc1, 0x39, 0x30); return m }(), "n=1 v=5 largest=5")
	add("document 4", newModule("ReJSON-RL", 4).s("\xa3\x61a\x83\x01\xf9\x41\x00\x62x!\x63key\x66values\x61b\xa1\x61c\xf6"), "n=3 v=28 largest=11:key longest=6 depth=2")
	add("document 4, typed", newModule("ReJSON-RL", 4).s("\xa1\x61a\xd8\x55\x48\x00\x00\x00\x00\x00\x00\x00\x00"), "n=1 v=14 largest=13:a longest=1 depth=2")
	for v := range uint64(2) {
		add(fmt.Sprint("document ", v), newModule("ReJSON-RL", v).u(32, 2, 128).s("list").u(64, 3, 1, 4).d(1).u(16).s("1").u(128).s("n").u(8, 1<<64-1), "n=2 v=22 largest=13:list longest=4 depth=2")
	}
	return all
}

// f is d for a number of 4 bytes.
func (m *moduleValue) f(f float32) *moduleValue { m.len(3).le32(math.Float32bits(f)); return m }

// series is a time series of an encoding version with a rule of each kind.
func series(v uint64) *moduleValue {
	m := newModule("TSDB-TYPE", v).s("m").u(5000, 256)
	if v >= 1 {
		m.u(0)
	}
	if v >= 2 {
		m.u(2000).d(1).u(8)
	}
	if v >= 3 {
		m.u(0)
	}
	if v >= 2 {
		m.u(1).s("source")
	}
	if v >= 8 {
		m.u(0).d(0)
	}
	m.u(1).s("label").s("value").u(8)
	for _, aggregation := range []uint64{1, 3, 4, 6, 9, 13, 15, 8} {
		m.s("to").u(1000)
		if v >= 6 {
			m.u(0)
		}
		m.u(aggregation, 1000)
		if v >= 9 {
			m.u(1)
		}
		switch aggregation {
		case 1, 8:
			if m.d(1).d(2); v < 6 {
				m.s("x")
			}
		case 3, 15:
			if m.d(1); v >= 3 && v < 7 {
				m.u(1)
			}
		case 4:
			if m.d(1).d(2); v >= 4 {
				m.u(1)
			}
		case 6:
			if m.d(1); v >= 3 {
				m.u(1)
			}
		case 9:
			m.d(1).d(2).u(3)
		case 13:
			m.d(1).u(2).d(3).u(1, 2, 3, 4, 5, 6, 7)
		}
	}
	if v < 2 {
		return m.u(3).times(3, func(i uint64) { m.u(1000 + i).d(1) })
	}
	m.u(2)
	if v%2 == 1 { // compressed
		return m.u(32, 2, 100, 1, 1000, 1001, 1, 1, 0, 0).z(32).u(128, 6, 200, 1, 1500, 2000, 1, 1, 0, 0).z(128)
	}
	return m.u(32, 2, 100, 1, 1000, 1001, 1, 1, 0, 0).z(32).u(128, 6, 200, 1, 1500, 2000, 1, 1, 0, 0).z(128)
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
	for name, f := range moduleFixtures() {
		s := newScanner(bytes.NewReader(f.in), withMemory, smallBlock)
		if !s.Scan() {
			t.Errorf("%s: %v", name, s.Err())
			continue
		}
		k := s.Key().Clone()
		if got := moduleLine(k); got != f.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, f.want)
		}
		if k.Type == Module || k.MemoryBound || k.Memory < 50 {
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
		if info := s.Info(); s.Err() != nil || len(info.Warnings) != 1 || !strings.Contains(info.Warnings[0], "1 keys of the module type "+info.Modules[0].Name) {
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
	for name, f := range moduleFixtures() {
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
	for _, x := range moduleFixtures() {
		at := len("REDIS0011") + len("\x07\x01m")
		f.Add(x.in[at+9:len(x.in)-9], x.in[at:at+9])
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
