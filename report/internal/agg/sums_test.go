package agg

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rdblens/rdblens/parser"
)

// everyKey returns keys of all types with every figure that is counted, and some of
// which each is unknown.
func everyKey(seed uint64, n int) []parser.Key {
	r := rand.New(rand.NewPCG(seed, 9))
	keys := make([]parser.Key, n)
	for i := range keys {
		some := func() int64 { return 1 + r.Int64N(5000) }
		name := fmt.Sprintf("%s:%s:%d", word(r, 30), word(r, 40), r.IntN(100))
		k := plainKey(r.IntN(3), some(), name)
		k.Type, k.Encoding = parser.Type(r.IntN(int(parser.NumTypes))), parser.Encoding(r.IntN(int(parser.NumEncodings)))
		k.Elements, k.ValueBytes, k.Serialized, k.MemoryUsage, k.Largest, k.Longest, k.CompactMemory = some(), some(), some(), some(), some(), some(), some()/9
		k.HasExpire, k.ExpireAt = r.IntN(2) == 0, (testCreated+r.Int64N(1<<22)-5000)*1000
		k.FieldsWithTTL, k.Groups, k.Pending = r.Int64N(3), r.Int64N(4), r.Int64N(5)
		k.MemoryBound, k.MemoryApproximate = r.IntN(5) == 0, r.IntN(5) == 0
		k.Idle, k.Freq, k.Offset = r.Int64N(1<<22)-1, int16(r.IntN(257)-1), int64(100*i)
		k.LargestName, k.LargestNameLen = []byte("field"), 5
		if r.IntN(9) == 0 {
			k.Elements, k.ValueBytes, k.Memory, k.MemoryUsage, k.Largest = -1, -1, -1, -1, -1
		}
		keys[i] = k
	}
	return keys
}

// TestStateAgain checks that a state that is read is written again as it was.
func TestStateAgain(t *testing.T) {
	engine := testEngine(t, "aliyun")
	state := func(b *Builder) []byte {
		var out bytes.Buffer
		if err := b.WriteState(&out); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	b := NewBuilder(Options{Top: 5, Examples: 3, Input: 1})
	b.Start(engine)
	s := b.NewShard()
	for _, k := range everyKey(2, 700) {
		s.Key(&k)
	}
	if err := s.Flush(true); err != nil {
		t.Fatal(err)
	}
	want := state(b)
	b, err := ReadState(bytes.NewReader(want), StateOptions{Options: Options{Top: 5, Examples: 3}, Engine: engine, Numbers: []int{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(state(b), want) {
		t.Error("the state of a Builder that was read differs")
	}
}

// TestSums checks the sums of the tables against those of the keys, each figure by
// itself.
func TestSums(t *testing.T) {
	keys := everyKey(5, 3000)
	b := gather(testEngine(t, "default"), 0, keys, 250)
	type sums struct {
		Sums
		withTTL, withTTLMemory int64
	}
	var all, tables sums
	var bound, approximate, fields, groups, pending int64
	cells, databases := map[[2]int]sums{}, map[int]sums{}
	add := func(s *sums, k *parser.Key) {
		s.Keys++
		s.Elements += max(k.Elements, 0)
		s.ValueBytes += max(k.ValueBytes, 0)
		s.Serialized += k.Serialized
		s.Memory += max(k.Memory, 0)
		s.MemoryUsage += max(k.MemoryUsage, 0)
		s.NameBytes += k.NameLen
		if k.HasExpire {
			s.withTTL++
			s.withTTLMemory += max(k.Memory, 0)
		}
	}
	for i := range keys {
		k := &keys[i]
		add(&all, k)
		cell, db := cells[[2]int{int(k.Type), int(k.Encoding)}], databases[k.DB]
		add(&cell, k)
		add(&db, k)
		cells[[2]int{int(k.Type), int(k.Encoding)}], databases[k.DB] = cell, db
		if k.MemoryBound {
			bound++
		}
		if k.MemoryApproximate {
			approximate++
		}
		if k.Type == parser.Hash {
			fields += k.FieldsWithTTL
		}
		if k.Type == parser.Stream {
			groups += k.Groups
			pending += k.Pending
		}
	}
	var snapshot Snapshot
	snapshot.sums(b)
	if want := all.Keys - all.withTTL; snapshot.WithoutTTL != want || snapshot.Memory != all.Memory {
		t.Errorf("the snapshot has %d keys without a TTL and %d bytes, want %d and %d", snapshot.WithoutTTL, snapshot.Memory, want,
			all.Memory)
	}
	tab := &b.Tables
	for typ := range tab.Cells {
		for enc := range tab.Cells[typ] {
			c := &tab.Cells[typ][enc]
			if got, want := (sums{c.Sums, c.WithTTL, c.WithTTLMemory}), cells[[2]int{typ, enc}]; got != want {
				t.Errorf("type %d in encoding %d: %+v, want %+v", typ, enc, got, want)
			}
			tables.add(&c.Sums)
			tables.withTTL, tables.withTTLMemory = tables.withTTL+c.WithTTL, tables.withTTLMemory+c.WithTTLMemory
		}
	}
	if tables != all || b.Keys != all.Keys {
		t.Errorf("all: %+v, want %+v", tables, all)
	}
	for i := range tab.Databases {
		d := &tab.Databases[i]
		if got, want := (sums{d.Sums, d.WithTTL, d.WithTTLMemory}), databases[d.DB]; got != want {
			t.Errorf("database %d: %+v, want %+v", d.DB, got, want)
		}
	}
	b.Finish()
	var lasting, memory int64 // of the groups, which were joined from blocks
	for _, g := range tab.Groups.All {
		lasting, memory = lasting+g.WithoutTTL, memory+g.MemoryWithoutTTL
	}
	if lasting != all.Keys-all.withTTL || memory != all.Memory-all.withTTLMemory {
		t.Errorf("%d keys of %d bytes in groups have no TTL, want %d of %d", lasting, memory, all.Keys-all.withTTL,
			all.Memory-all.withTTLMemory)
	}
	if got, want := [5]int64{tab.MemoryBound, tab.MemoryApproximate, tab.FieldsWithTTL, tab.StreamGroups, tab.StreamPending}, [5]int64{bound, approximate, fields, groups, pending}; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}
