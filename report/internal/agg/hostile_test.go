package agg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/columns"
	"github.com/rdblens/rdblens/report/internal/tree"
	"github.com/rdblens/rdblens/thresholds"
)

// stateRecord is a record of a state.
type stateRecord struct {
	kind byte
	text []byte
}

// recordsOf returns the records of a state but the last, each of one value.
func recordsOf(t *testing.T, state []byte) (list []stateRecord) {
	t.Helper()
	for len(state) > 0 {
		n, size := binary.Uvarint(state)
		end := size + 1 + int(n)
		for _, text := range single(state[size], state[size+1:end]) {
			list = append(list, stateRecord{state[size], text})
		}
		state = state[end:]
	}
	return list
}

// single returns a run for each value of a run.
func single(kind byte, text []byte) [][]byte {
	switch kind {
	case recordSums:
		return singleOf[sumsState](text)
	case recordSnapshot:
		return singleOf[snapshotState](text)
	case recordNode:
		return singleOf[nodeState](text)
	case recordCount:
		return singleOf[countState](text)
	case recordDatabase:
		return singleOf[Database](text)
	case recordTree:
		return singleOf[treeState](text)
	case recordKey:
		return singleOf[listedKey](text)
	case recordList:
		return singleOf[listState](text)
	case recordSample:
		return singleOf[sampleState](text)
	}
	return nil
}

func singleOf[T any](text []byte) (list [][]byte) {
	columns.Read(text, func(v *T) bool {
		list = append(list, runOf(v))
		return true
	})
	return list
}

// runOf returns a run of one value.
func runOf(v any) []byte {
	var run columns.Run
	run.Add(v)
	return bytes.Join(run.Parts(1<<20), nil)
}

// stateOfRecords returns a state, with the number of its records at the end.
func stateOfRecords(t *testing.T, list []stateRecord) []byte {
	t.Helper()
	var b bytes.Buffer
	w := &stateWriter{w: &b}
	for _, r := range list {
		w.record(r.kind, r.text)
	}
	if w.record(recordEnd, binary.AppendUvarint(nil, w.records)); w.err != nil {
		t.Fatal(w.err)
	}
	return b.Bytes()
}

// hostileState returns a state with records of all kinds, and how it is read.
func hostileState(t *testing.T) ([]stateRecord, StateOptions) {
	t.Helper()
	engine := testEngine(t, "aliyun")
	var keys []parser.Key
	for i := range 40 {
		k := plainKey(i%2, int64(20_000+i), fmt.Sprint("user:", i))
		k.HasExpire, k.ExpireAt, k.Freq = i%4 == 0, (testCreated+100*int64(i))*1000, int16(i)
		keys = append(keys, k)
	}
	for _, v := range values(2*tree.Values + 1) {
		keys = append(keys, plainKey(0, 60, "a:"+v))
	}
	b := NewBuilder(Options{Top: 3, Examples: 2})
	b.Start(engine)
	s := b.NewShard()
	for i := range keys {
		s.Key(&keys[i])
	}
	s.Flush(true)
	var out bytes.Buffer
	if err := b.WriteState(&out); err != nil {
		t.Fatal(err)
	}
	return recordsOf(t, out.Bytes()), StateOptions{Options: Options{Top: 3, Examples: 2}, Engine: engine, Numbers: []int{0}}
}

// edited returns records of which the first of a kind is another one.
func edited[T any](t *testing.T, list []stateRecord, kind byte, edit func(*T)) []stateRecord {
	t.Helper()
	at := slices.IndexFunc(list, func(r stateRecord) bool { return r.kind == kind })
	if at < 0 {
		t.Fatalf("no record of kind %d", kind)
	}
	list = slices.Clone(list)
	ok := columns.Read(list[at].text, func(v *T) bool {
		edit(v)
		list[at].text = runOf(v)
		return true
	})
	if !ok {
		t.Fatalf("kind %d is no %T", kind, new(T))
	}
	return list
}

// editedLeaf returns records of which the first leaf of the tree is another one.
func editedLeaf(t *testing.T, list []stateRecord, edit func(*treeState)) []stateRecord {
	t.Helper()
	for at := range list {
		if list[at].kind != recordTree {
			continue
		}
		if columns.Read(list[at].text, func(s *treeState) bool { return s.Group != nil }) {
			return append(slices.Clone(list[:at]), edited(t, list[at:], recordTree, edit)...)
		}
	}
	t.Fatal("no leaf")
	return nil
}

// editedKey returns records of which the first key that is no leaf's is another one.
func editedKey(t *testing.T, list []stateRecord, edit func(*keyState)) []stateRecord {
	t.Helper()
	at := slices.IndexFunc(list, func(r stateRecord) bool {
		return r.kind == recordKey && columns.Read(r.text, func(s *listedKey) bool { return s.Key != nil })
	})
	if at < 0 {
		t.Fatal("no key")
	}
	return append(slices.Clone(list[:at]), edited(t, list[at:], recordKey, func(s *listedKey) {
		s.Key.differ(1)
		edit(s.Key)
		s.Key.differ(-1)
	})...)
}

// TestHostileRecords changes one field of a state after the other: figures at their bounds
// are read, those beyond are refused, and nothing that is wrong ends in a panic.
func TestHostileRecords(t *testing.T) {
	list, opt := hostileState(t)
	read := func(what string, ok bool, list []stateRecord) {
		t.Helper()
		b, err := ReadState(bytes.NewReader(stateOfRecords(t, list)), opt)
		if (err == nil) != ok || err != nil && !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil && !b.Finish() {
			t.Errorf("%s: nothing was read", what)
		}
	}
	read("as it is", true, list)
	sums := func(what string, ok bool, edit func(s *sumsState)) {
		t.Helper()
		read("sums: "+what, ok, edited(t, list, recordSums, edit))
	}
	// What refers to leaves and keys is left out.
	alone := slices.DeleteFunc(slices.Clone(list), func(r stateRecord) bool { return r.kind >= recordKey })
	group := func(what string, ok bool, edit func(s *groupState)) {
		t.Helper()
		read("group: "+what, ok, editedLeaf(t, alone, func(s *treeState) {
			created := map[int32]int64{0: testCreated}
			s.Group.Largest.Name, s.Group.Below = append([]byte("a:"), s.Group.Largest.Name...), false
			s.Group.differ(created, 1)
			edit(s.Group)
			s.Group.differ(created, -1)
		}))
	}
	key := func(what string, ok bool, edit func(s *keyState)) {
		t.Helper()
		read("key: "+what, ok, slices.DeleteFunc(editedKey(t, list, edit), func(r stateRecord) bool { return r.kind == recordList }))
		group("largest key: "+what, ok, func(s *groupState) { edit(s.Largest) })
	}
	// Figures that are not those of keys: under 0, over maxFigure.
	figures := map[string]func(s *sumsState) *int64{
		"keys": func(s *sumsState) *int64 { return &s.Keys }, "dropped": func(s *sumsState) *int64 { return &s.Dropped }, "bound": func(s *sumsState) *int64 { return &s.MemoryBound },
		"approximate": func(s *sumsState) *int64 { return &s.MemoryApproximate }, "fields": func(s *sumsState) *int64 { return &s.FieldsWithTTL }, "groups": func(s *sumsState) *int64 { return &s.StreamGroups },
		"pending": func(s *sumsState) *int64 { return &s.StreamPending },
		"cell":    func(s *sumsState) *int64 { return &s.Cells[0].Memory }, "cell elements": func(s *sumsState) *int64 { return &s.Cells[0].Elements }, "cell values": func(s *sumsState) *int64 { return &s.Cells[0].ValueBytes },
		"cell serialized": func(s *sumsState) *int64 { return &s.Cells[0].Serialized }, "cell usage": func(s *sumsState) *int64 { return &s.Cells[0].MemoryUsage }, "cell names": func(s *sumsState) *int64 { return &s.Cells[0].NameBytes },
		"cell keys": func(s *sumsState) *int64 { return &s.Cells[0].Keys }, "cell TTL": func(s *sumsState) *int64 { return &s.Cells[0].WithTTL }, "cell TTL memory": func(s *sumsState) *int64 { return &s.Cells[0].WithTTLMemory },
		"rule keys": func(s *sumsState) *int64 { return &s.Rules[0].Keys }, "rule usage": func(s *sumsState) *int64 { return &s.Rules[0].MemoryUsage }, "rule saved": func(s *sumsState) *int64 { return &s.Rules[0].Saved },
		"rule values": func(s *sumsState) *int64 { return &s.Rules[0].ValueBytes }, "rule memory": func(s *sumsState) *int64 { return &s.Rules[0].Memory },
		"owner": func(s *sumsState) *int64 { return &s.Owners[0].Keys }, "owner TTL": func(s *sumsState) *int64 { return &s.Owners[0].WithoutTTL }, "owner ignored": func(s *sumsState) *int64 { return &s.Owners[0].Ignored },
		"owner findings": func(s *sumsState) *int64 { return &s.Owners[0].Findings[1] }, "expiry": func(s *sumsState) *int64 { return &s.Expiry[11].Keys }, "lengths": func(s *sumsState) *int64 { return &s.Lengths[0].Memory },
		"elements": func(s *sumsState) *int64 { return &s.Elements[1].ValueBytes }, "idle": func(s *sumsState) *int64 { return &s.Idle[2].Keys }, "counters": func(s *sumsState) *int64 { return &s.Freq[255].Keys },
	}
	for what, field := range figures {
		for _, v := range []struct {
			n  int64
			ok bool
		}{{-1, false}, {0, true}, {maxFigure, true}, {maxFigure + 1, false}} {
			sums(fmt.Sprint(what, " ", v.n), v.ok, func(s *sumsState) { *field(s) = v.n })
		}
	}
	sums("no top", false, func(s *sumsState) { s.Top = 0 })
	sums("top as asked", true, func(s *sumsState) { s.Top = 3 })
	sums("more top", false, func(s *sumsState) { s.Top = 4 })
	sums("no examples", false, func(s *sumsState) { s.Examples = 0 })
	sums("more examples", false, func(s *sumsState) { s.Examples = 3 })
	sums("type", false, func(s *sumsState) { s.Cells[0].Type = parser.NumTypes })
	sums("last type", true, func(s *sumsState) { s.Cells[0].Type = parser.NumTypes - 1 })
	sums("encoding", false, func(s *sumsState) { s.Cells[0].Encoding = parser.NumEncodings })
	sums("last encoding", true, func(s *sumsState) { s.Cells[0].Encoding = parser.NumEncodings - 1 })
	sums("rule", false, func(s *sumsState) { s.Rules[0].RuleSeverity = RuleSeverities })
	sums("last rule", true, func(s *sumsState) { s.Rules[0].RuleSeverity = RuleSeverities - 1 })
	sums("rule under 0", false, func(s *sumsState) { s.Rules[0].RuleSeverity = -1 })
	sums("owners", false, func(s *sumsState) { s.Owners = append(s.Owners, OwnerSums{}) })
	sums("ignored", false, func(s *sumsState) { s.Ignored = append(s.Ignored, IgnoredSums{}) })
	sums("folded", false, func(s *sumsState) { s.Folded = s.Folded[1:] })
	sums("counter", false, func(s *sumsState) { s.Freq = s.Freq[1:] })
	sums("no counters", true, func(s *sumsState) { s.Freq = nil })

	snapshot := func(what string, ok bool, edit func(s *snapshotState)) {
		t.Helper()
		read("snapshot: "+what, ok, edited(t, list, recordSnapshot, edit))
	}
	for what, field := range map[string]func(s *snapshotState) *int64{"keys": func(s *snapshotState) *int64 { return &s.Keys }, "values": func(s *snapshotState) *int64 { return &s.ValueBytes },
		"memory": func(s *snapshotState) *int64 { return &s.Memory }, "without TTL": func(s *snapshotState) *int64 { return &s.WithoutTTL }, "found": func(s *snapshotState) *int64 { return &s.Found[3] }} {
		snapshot(what, false, func(s *snapshotState) { *field(s) = -1 })
		snapshot(what, true, func(s *snapshotState) { *field(s) = maxFigure })
	}
	for _, n := range []int{-1, 1} {
		snapshot(fmt.Sprint("input ", n), false, func(s *snapshotState) { s.Input = n })
		read(fmt.Sprint("node ", n), false, edited(t, list, recordNode, func(s *nodeState) { s.Node = n }))
		read(fmt.Sprint("database of ", n), false, edited(t, list, recordDatabase, func(s *Database) { s.Input = n }))
		key(fmt.Sprint("input ", n), false, func(s *keyState) { s.Input = int32(n) })
	}
	omitted := func(what string, ok bool, o thresholds.Omitted) {
		t.Helper()
		snapshot("omitted "+what, ok, func(s *snapshotState) { s.Omitted = []thresholds.Omitted{o} })
	}
	rules := thresholds.RuleID(len(thresholds.Rules()))
	omitted("of the last rule", true, thresholds.Omitted{Rule: rules - 1, Severity: thresholds.Error, Count: 1, Keys: 1, Bytes: 1})
	omitted("of no rule", false, thresholds.Omitted{Rule: rules, Severity: thresholds.Error})
	omitted("of no severity", false, thresholds.Omitted{Severity: thresholds.Error + 1})
	omitted("ignored", false, thresholds.Omitted{Ignored: 1})
	omitted("count", false, thresholds.Omitted{Count: -1})
	omitted("keys", false, thresholds.Omitted{Keys: -1})
	omitted("bytes", false, thresholds.Omitted{Bytes: -1})
	snapshot("budget", false, func(s *snapshotState) { s.Budgets = []thresholds.JudgedBudget{{}} })
	snapshot("finding", false, func(s *snapshotState) { s.Findings = []thresholds.FindingState{{Rule: rules}} })

	read("node keys", false, edited(t, list, recordNode, func(s *nodeState) { s.Keys = -1 }))
	read("node bytes", false, edited(t, list, recordNode, func(s *nodeState) { s.Bytes = -1 }))
	for _, n := range []int{-1, 4, 5} {
		read(fmt.Sprint("fleet ", n), false, edited(t, list, recordNode, func(s *nodeState) { s.Fleet = n }))
	}
	if slices.ContainsFunc(list, func(r stateRecord) bool { return r.kind == recordCount }) {
		for what, edit := range map[string]func(s *countState){"length": func(s *countState) { s.Length = -1 }, "keys": func(s *countState) { s.Keys = -1 }, "bytes": func(s *countState) { s.Bytes = -1 },
			"without TTL": func(s *countState) { s.WithoutTTL = -1 }, "keys of a node": func(s *countState) { s.NodeKeys = -maxFigure }, "bytes of a node": func(s *countState) { s.NodeBytes = -maxFigure }, "rule": func(s *countState) { s.Rule = "x" },
			"fleet": func(s *countState) { s.Fleet = 3 }, "node": func(s *countState) { s.Node = 1 }} {
			read("count: "+what, false, edited(t, list, recordCount, edit))
		}
	} else {
		t.Error("no record of a count")
	}
	for what, edit := range map[string]func(s *Database){"number": func(s *Database) { s.DB = OtherDatabases - 1 }, "keys": func(s *Database) { s.Keys = -1 }, "memory": func(s *Database) { s.Memory = -1 },
		"with TTL": func(s *Database) { s.WithTTL = -1 }, "memory with TTL": func(s *Database) { s.WithTTLMemory = -1 }, "order": func(s *Database) { s.DB = 1 }, "order of others": func(s *Database) { s.DB = OtherDatabases }} {
		read("database: "+what, false, edited(t, list, recordDatabase, edit))
	}

	for what, v := range map[string]struct {
		ok   bool
		edit func(s *groupState)
	}{
		"no keys": {false, func(s *groupState) { s.Keys = 0 }}, "one key": {true, func(s *groupState) { s.Keys = 1 }},
		"memory": {false, func(s *groupState) { s.Memory = -1 }}, "without TTL": {false, func(s *groupState) { s.WithoutTTL = -1 }}, "memory without TTL": {false, func(s *groupState) { s.MemoryWithoutTTL = -1 }},
		"no owner": {true, func(s *groupState) { s.Owner = undefined }}, "owner": {false, func(s *groupState) { s.Owner = undefined - 1 }}, "owners": {false, func(s *groupState) { s.Owner = 1 }},
		"no type": {true, func(s *groupState) { s.Type = undefined }}, "type": {false, func(s *groupState) { s.Type = undefined - 1 }}, "types": {false, func(s *groupState) { s.Type = int32(parser.NumTypes) }},
		"last type": {true, func(s *groupState) { s.Type = int32(parser.NumTypes) - 1 }}, "no database": {true, func(s *groupState) { s.CommonDB = undefined }}, "common database": {false, func(s *groupState) { s.CommonDB = undefined - 1 }},
		"octaves without a histogram": {false, func(s *groupState) { s.TTLOctaves, s.TTLs = 1, nil }}, "a histogram without octaves": {false, func(s *groupState) { s.TTLOctaves, s.TTLs = 0, []uint32{1} }},
		"a histogram": {true, func(s *groupState) {
			s.TTLLeast, s.TTLMost, s.TTLOctaves, s.TTLs = 1, 2, maxOctaves, make([]uint32, ttlBuckets)
		}}, "octaves": {false, func(s *groupState) {
			s.TTLLeast, s.TTLMost, s.TTLOctaves, s.TTLs = 1, 2, maxOctaves+1, make([]uint32, ttlBuckets)
		}},
		"a long histogram": {false, func(s *groupState) {
			s.TTLLeast, s.TTLMost, s.TTLOctaves, s.TTLs = 1, 2, maxOctaves, make([]uint32, ttlBuckets+1)
		}}, "a histogram of nothing": {false, func(s *groupState) { s.TTLLeast, s.TTLMost, s.TTLOctaves, s.TTLs = 2, 1, 1, []uint32{1} }},
		"no TTL": {true, func(s *groupState) { s.TTLLeast, s.TTLMost, s.TTLOctaves, s.TTLs = 2, 1, 0, nil }}, "rule": {false, func(s *groupState) { s.Findings = []groupFindingState{{RuleSeverity: RuleSeverities}} }},
		"last rule": {true, func(s *groupState) { s.Findings = []groupFindingState{{RuleSeverity: RuleSeverities - 1}} }}, "rule under 0": {false, func(s *groupState) { s.Findings = []groupFindingState{{RuleSeverity: -1}} }},
		"findings": {false, func(s *groupState) { s.Findings = []groupFindingState{{Count: Count{Keys: -1}}} }}, "no largest": {true, func(s *groupState) { s.Largest = nil }},
	} {
		group(what, v.ok, v.edit)
	}

	for what, field := range map[string]func(s *keyState) *int64{"elements": func(s *keyState) *int64 { return &s.Elements }, "values": func(s *keyState) *int64 { return &s.ValueBytes }, "memory": func(s *keyState) *int64 { return &s.Memory },
		"usage": func(s *keyState) *int64 { return &s.MemoryUsage }, "compact": func(s *keyState) *int64 { return &s.CompactMemory }, "largest": func(s *keyState) *int64 { return &s.Largest }, "longest": func(s *keyState) *int64 { return &s.Longest },
		"idle": func(s *keyState) *int64 { return &s.Idle }, "fields": func(s *keyState) *int64 { return &s.FieldsWithTTL }} {
		key(what+" unknown", true, func(s *keyState) { *field(s) = -1 })
		key(what+" under that", false, func(s *keyState) { *field(s) = -2 })
	}
	for what, field := range map[string]func(s *keyState) *int64{"size": func(s *keyState) *int64 { return &s.Size }, "offset": func(s *keyState) *int64 { return &s.Offset }, "serialized": func(s *keyState) *int64 { return &s.Serialized },
		"pending": func(s *keyState) *int64 { return &s.Pending }, "compressed": func(s *keyState) *int64 { return &s.LZFIn }, "raw": func(s *keyState) *int64 { return &s.LZFOut }, "length of the largest": func(s *keyState) *int64 { return &s.LargestNameLen }} {
		key(what, false, func(s *keyState) { *field(s) = -1 })
		key(what+" 0", true, func(s *keyState) { *field(s) = 0 })
	}
	for what, v := range map[string]struct {
		ok   bool
		edit func(s *keyState)
	}{
		"counter": {true, func(s *keyState) { s.Freq = 255 }}, "counter over that": {false, func(s *keyState) { s.Freq = 256 }}, "counter unknown": {true, func(s *keyState) { s.Freq = -1 }}, "counter under that": {false, func(s *keyState) { s.Freq = -2 }},
		"database": {false, func(s *keyState) { s.DB = -1 }}, "owner": {false, func(s *keyState) { s.Owner = -1 }}, "owners": {false, func(s *keyState) { s.Owner = 1 }}, "type": {false, func(s *keyState) { s.Type = parser.NumTypes }},
		"last type": {true, func(s *keyState) { s.Type = parser.NumTypes - 1 }}, "encoding": {false, func(s *keyState) { s.Encoding = parser.NumEncodings }}, "last encoding": {true, func(s *keyState) { s.Encoding = parser.NumEncodings - 1 }},
		"name cut": {true, func(s *keyState) { s.NameLen = int64(len(s.Name)) + 1 }}, "name longer than it is": {false, func(s *keyState) { s.NameLen = int64(len(s.Name)) - 1 }},
		"long element": {true, func(s *keyState) { s.LargestName = make([]byte, parser.MaxElementName) }}, "longer element": {false, func(s *keyState) { s.LargestName = make([]byte, parser.MaxElementName+1) }},
		"long module": {true, func(s *keyState) { s.Module = string(make([]byte, parser.MaxElementName)) }}, "longer module": {false, func(s *keyState) { s.Module = string(make([]byte, parser.MaxElementName+1)) }},
	} {
		key(what, v.ok, v.edit)
	}
	name := func(n int) func(s *keyState) {
		return func(s *keyState) { s.Name, s.NameLen = make([]byte, n), int64(n) }
	}
	read("key: long name", true, editedKey(t, list, name(ListedName)))
	read("key: longer name", false, editedKey(t, list, name(ListedName+1)))
	group("largest key: long name", true, func(s *groupState) { name(maxGroupName)(s.Largest) })
	group("largest key: longer name", false, func(s *groupState) { name(maxGroupName + 1)(s.Largest) })

	for what, edit := range map[string]func(s *listState){"under 0": func(s *listState) { s.List = -1 }, "over all": func(s *listState) { s.List = numLists }, "twice": func(s *listState) { s.List = 1 },
		"long": func(s *listState) { s.Entries = append(s.Entries, s.Entries[0]) }, "key under 0": func(s *listState) { s.Entries[0].Key = -1 }, "key": func(s *listState) { s.Entries[0].Key = 1000 },
		"value": func(s *listState) { s.Entries[0].Value = -maxFigure }, "second": func(s *listState) { s.Entries[0].Second = -1 }, "finding": func(s *listState) { s.Entries[0].Finding = &thresholds.FindingState{} },
		"an example without a finding": func(s *listState) { s.List = exampleLists }} {
		read("list: "+what, false, edited(t, list, recordList, edit))
	}
	for what, edit := range map[string]func(s *listedKey){"under 0": func(s *listedKey) { *s = listedKey{Largest: -1} }, "nothing": func(s *listedKey) { *s = listedKey{} },
		"of no leaf": func(s *listedKey) { *s = listedKey{Largest: 1 << 20} }} {
		read("key: "+what, false, edited(t, list, recordKey, edit))
	}
	read("sample of no leaf", false, edited(t, list, recordSample, func(s *sampleState) { s.Largest = 1 << 20 }))
	for what, edit := range map[string]func(s *treeState){"depth": func(s *treeState) { s.Node.Depth = 9 }, "a second root": func(s *treeState) { s.Node.Depth = 0 },
		"flags": func(s *treeState) { s.Node.Flags = 128 }, "label": func(s *treeState) { s.Node.Label = make([]byte, 1000) }, "missed": func(s *treeState) { s.Node.Missed = -1 },
		"lost": func(s *treeState) { s.Node.Lost[0] = -2 }, "a place below a leaf": func(s *treeState) { s.Node.Lost[1] = 0 }, "closed": func(s *treeState) { s.Node.Flags = 4 },
		"rest": func(s *treeState) { s.Node.Flags = 2 }, "no group": func(s *treeState) { s.Group = nil }} {
		read("leaf: "+what, false, editedLeaf(t, list, edit))
	}

	// Records twice, in another order, of a kind that there is not, or too few.
	for kind := byte(recordSums); kind < recordEnd; kind++ {
		at := slices.IndexFunc(list, func(r stateRecord) bool { return r.kind == kind })
		if at < 0 {
			t.Errorf("no record of kind %d", kind)
			continue
		}
		if kind != recordCount && kind != recordKey && kind != recordSample { // one more of these is no harm
			read(fmt.Sprint("twice kind ", kind), false, slices.Insert(slices.Clone(list), at, list[at]))
		}
		if kind < recordList {
			read(fmt.Sprint("kind ", kind, " last"), false, append(slices.Delete(slices.Clone(list), at, at+1), list[at]))
		}
		read(fmt.Sprint("an empty one of kind ", kind), false, slices.Insert(slices.Clone(list), at, stateRecord{kind, nil}))
	}
	read("kind 0", false, slices.Insert(slices.Clone(list), 0, stateRecord{0, nil}))
	read("a kind after the end", false, append(slices.Clone(list), stateRecord{recordEnd + 1, nil}))
	read("without a snapshot", false, slices.DeleteFunc(slices.Clone(list), func(r stateRecord) bool { return r.kind == recordSnapshot }))
	whole := stateOfRecords(t, list)
	for what, state := range map[string][]byte{"a byte more": append(slices.Clone(whole), 0), "a byte less": whole[:len(whole)-1], "a record less": stateOfRecords(t, list[:len(list)-1])[:0],
		"another number of records": append(slices.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1), "a long record": binary.AppendUvarint(nil, maxRecord+1)} {
		if _, err := ReadState(bytes.NewReader(state), opt); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, o := range []Options{{Top: maxStateTop + 1, Examples: 2}, {Top: 3, Examples: maxStateTop + 1}} {
		opt := opt
		if opt.Options = o; true {
			if _, err := ReadState(bytes.NewReader(whole), opt); !errors.Is(err, ErrState) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	more := opt
	more.Options = Options{Top: maxStateTop, Examples: maxStateTop}
	if _, err := ReadState(bytes.NewReader(whole), more); err != nil {
		t.Error(err)
	}
}
