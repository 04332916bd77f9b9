package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/report/language"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
	"github.com/rdblens/rdblens/thresholds/naming"
)

// TestMergeOfSnapshots compares the report of two snapshots with that of one that
// has the keys of both.
func TestMergeOfSnapshots(t *testing.T) {
	keys := testKeys(10, 20_000)
	engine := testEngine(t, "typed")
	one := gather(engine, agg.Options{Top: 20}, keys, 1000).Report()
	a := gather(engine, agg.Options{Top: 20, Input: 0}, keys[:12_000], 1000)
	a.Merge(gather(engine, agg.Options{Top: 20, Input: 1}, keys[12_000:], 1000))
	both := a.Report()
	if one.Totals != both.Totals {
		t.Errorf("totals\n got %+v\nwant %+v", both.Totals, one.Totals)
	}
	for i, row := range both.Top[ByMemory] {
		if w := one.Top[ByMemory][i]; row.Key != w.Key || row.Offset != w.Offset {
			t.Errorf("entry %d is %q, want %q", i, row.Key, w.Key)
		}
	}
	if len(both.Databases) != 4 || both.Databases[3].Input != 1 {
		t.Errorf("databases %+v", both.Databases)
	}
}

// TestDatabasesOfAFleet checks that the bound on databases applies to each input.
func TestDatabasesOfAFleet(t *testing.T) {
	engine := testEngine(t, "default")
	var all *gathered
	for input := range 3 {
		var keys []parser.Key
		for db := range 1100 {
			keys = append(keys, parser.Key{DB: db, Name: []byte("a:b"), NameLen: 3, Elements: 1, ValueBytes: 10, Memory: 60, MemoryUsage: 60, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1})
		}
		b := gather(engine, agg.Options{Top: 3, Input: input}, keys, 300)
		if all == nil {
			all = b
		} else {
			all.Merge(b)
		}
	}
	r := all.Report()
	if len(r.Databases) != 3*1025 {
		t.Fatalf("%d databases", len(r.Databases))
	}
	for i, d := range r.Databases {
		want := Database{Input: i / 1025, DB: i % 1025, Keys: 1, ValueBytes: 10, MemoryBytes: 60, WithTTLMemory: 0}
		if want.DB == 1024 {
			want.DB, want.Keys, want.ValueBytes, want.MemoryBytes = OtherDatabases, 76, 760, 4560
		}
		if d != want {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
}

// TestFleetWithoutSomeMemory checks that a total says which keys it lacks.
func TestFleetWithoutSomeMemory(t *testing.T) {
	keys := slices.DeleteFunc(testKeys(21, 1000), func(k parser.Key) bool { return k.MemoryBound })
	known := gather(testEngine(t, "default"), agg.Options{Top: 3}, keys, 300)
	r := known.Report()
	if r.Totals.MemoryBound || r.Totals.WithoutMemory != 0 {
		t.Errorf("%+v", r.Totals)
	}
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	unknown := make([]parser.Key, 600)
	copy(unknown, keys)
	for i := range unknown {
		unknown[i].Memory, unknown[i].MemoryUsage = -1, -1
	}
	without := func(input int) *gathered {
		return gather(policy.Compile(thresholds.Env{Server: "dragonfly", Created: testCreated}), agg.Options{Top: 3, Input: input}, unknown, 300)
	}
	b := gather(testEngine(t, "default"), agg.Options{Top: 3}, keys, 300)
	b.Merge(without(1))
	both := b.Report()
	if both.Totals.MemoryBytes != r.Totals.MemoryBytes || !both.Totals.MemoryBound || both.Totals.WithoutMemory != 600 {
		t.Errorf("%+v", both.Totals)
	}
	if alone := without(0).Report(); alone.Totals.MemoryBytes.Known() || alone.Totals.WithoutMemory != 0 {
		t.Errorf("%+v", alone.Totals)
	}
}

// TestInstanceFindingsOfMixedFiles checks that value bytes, which replace memory
// if no model covers the server, are not added to memory.
func TestInstanceFindingsOfMixedFiles(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var keys, without []parser.Key
	for i := range 6 {
		k := parser.Key{DB: i % 3, Name: []byte("a:b"), NameLen: 3, Elements: 1, ValueBytes: 10, Serialized: 11, Memory: 60, MemoryUsage: 60,
			Largest: 10, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1}
		keys = append(keys, k)
		k.Memory, k.MemoryUsage = -1, -1
		without = append(without, k)
	}
	b := gather(testEngine(t, "default"), agg.Options{Top: 3}, keys, 4)
	b.Merge(gather(policy.Compile(thresholds.Env{Server: "dragonfly", Created: testCreated}), agg.Options{Top: 3, Input: 1}, without, 4))
	r := b.Report()
	at := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "multiple-databases" })
	if at < 0 {
		t.Fatal("none found")
	}
	if f := r.Rules[at]; f.Count != 2 || f.MemoryBytes != 360 || f.ValueBytes != 60 {
		t.Errorf("%d found, %d bytes of memory, %d of values", f.Count, f.MemoryBytes, f.ValueBytes)
	}
}

// TestInstanceFindingsOfAFleet checks that the keys of a minute are added up over
// snapshots, and that a finding names the one with most of them.
func TestInstanceFindingsOfAFleet(t *testing.T) {
	engine := testEngine(t, "default")
	var all *gathered
	for input, most := range []int{10_500, 30_000, 10_800} {
		var keys []parser.Key
		for minute := range int64(12) {
			n := 1
			if minute >= 6 {
				n = most + int(minute)
			}
			for i := range n {
				keys = append(keys, parser.Key{Name: fmt.Appendf(nil, "shop%d:item:%d", input, i), NameLen: 12, Elements: 1, ValueBytes: 10, Serialized: 11,
					Memory: 60, MemoryUsage: 60, Largest: 10, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1,
					HasExpire: true, ExpireAt: (testCreated + 3600 + 120*minute) * 1000, Offset: int64(len(keys)) * 50}) // no neighbouring minutes
			}
		}
		b := gather(engine, agg.Options{Top: 3, Input: input, Examples: 8}, keys, 1000)
		if all == nil {
			all = b
		} else {
			all.Merge(b)
		}
	}
	r := all.Report()
	at := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "ttl-stampede" })
	if at < 0 {
		t.Fatal("none found")
	}
	f := &r.Rules[at]
	if f.Count != 6 || len(f.Examples) != 6 {
		t.Errorf("%d found, %d shown", f.Count, len(f.Examples))
	}
	for i, e := range f.Examples {
		minute := int64(11 - i)
		if e.Input != 1 || e.Inputs != 3 || e.Keys != 10_500+30_000+10_800+3*minute || e.InputKeys != 30_000+minute {
			t.Errorf("example %d: of %d inputs, %d keys; of input %d %d", i, e.Inputs, e.Keys, e.Input, e.InputKeys)
		}
	}
	if len(f.Groups) != 3 {
		t.Errorf("groups %+v", f.Groups)
	}
	for i, g := range f.Groups {
		if g.Count != 6 || string(g.Group) != fmt.Sprintf("shop%d:item:*", i) {
			t.Errorf("group %d is %s with %d findings", i, g.Group, g.Count)
		}
	}
}

// TestSlots compares the ranges of slots with a sum over the keys of two nodes.
func TestSlots(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	env := thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true, Cluster: true}
	keys := testKeys(11, 5000)
	a := gather(policy.Compile(env), agg.Options{Top: 3, Input: 0}, keys[:3000], 100)
	a.Merge(gather(policy.Compile(env), agg.Options{Top: 3, Input: 1}, keys[3000:], 100))
	got := a.Report().Slots
	var want [256]thresholds.SlotRange
	for i := range want {
		want[i].First, want[i].Last = i*64, i*64+63
	}
	for i := range keys {
		r := &want[naming.Slot(keys[i].Name)/64]
		r.Keys++
		r.Bytes += keys[i].Memory
	}
	if !slices.Equal(got, want[:]) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	env.Cluster = false
	if got := gather(policy.Compile(env), agg.Options{Top: 3}, keys, 100).Report().Slots; got != nil {
		t.Errorf("slots without a cluster: %v", got)
	}
}

// TestUnreadAmongNodes checks what is said of a file that was not read beside one that
// was: nothing is 0 that is not known, and the checksum is that of what was read.
func TestUnreadAmongNodes(t *testing.T) {
	shop := FileSource("../testdata/shop.rdb")
	r, err := Scan(t.Context(), []Source{shop, FileSource("missing.rdb")}, testPolicy(t), Options{})
	if r == nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write("table", &b, r, WriteOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^2 snapshots.* checksum ok,`,
		`(?m)^NODES .*\n.*\n +NOT READ  missing.rdb\n +4.3 MB  100.0%  #+ +1x  +5.9 MB  12,624  +10.3% .* \S*shop.rdb$`,
	} {
		if !regexp.MustCompile(want).Match(b.Bytes()) {
			t.Errorf("no %s in\n%s", want, b.Bytes())
		}
	}
	b.Reset()
	if err := Write("html", &b, r, WriteOptions{Language: language.Chinese}); err != nil || !bytes.Contains(b.Bytes(), []byte(`<span class="zh" lang="zh">2 个快照</span></h1>`)) {
		t.Errorf("the page is not titled in Chinese: %v", err)
	}
}
