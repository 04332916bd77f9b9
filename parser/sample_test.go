package parser

import (
	"bytes"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// memorySum adds up the memory of keys.
type memorySum struct{ total *int64 }

func (s memorySum) Key(k *Key)       { *s.total += k.Memory }
func (s memorySum) Size() int        { return 0 }
func (s memorySum) Flush(bool) error { return nil }

// TestSampledAllocators compares the sample of small snapshots, which is all of them,
// with the sum of each allocator.
func TestSampledAllocators(t *testing.T) {
	sum := func(in []byte, allocator string, jobs int) (total int64, info *Info) {
		var sums []*int64
		info, err := run(t.Context(), bytes.NewReader(in), Options{Jobs: jobs, Allocators: true, Memory: func(i *Info) *memory.Model {
			m, _, _ := memory.Choose(i.Server, i.ServerVersion, memory.Options{Allocator: allocator, RDB: i.Version})
			return m
		}}, func() Sink {
			sums = append(sums, new(int64))
			return memorySum{sums[len(sums)-1]}
		}, blockSize)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sums {
			total += *s
		}
		return total, info
	}
	differ := 0
	for _, path := range []string{"../testdata/truth/redis-7.0.15/all.rdb", "../testdata/truth/valkey-9.1.2/all.rdb", "../testdata/shop.rdb"} {
		in := mustRead(t, path)
		var want []int64
		for _, a := range memory.Allocators() {
			total, _ := sum(in, a, 1)
			want = append(want, total)
		}
		for i, a := range memory.Allocators() {
			_, info := sum(in, a, 1+i)
			if !slices.Equal(info.Sampled, want) || info.SampledBytes <= 0 || info.SampledBytes > info.Bytes {
				t.Errorf("%s: %d of %d bytes take %d with %s, want %d", path, info.SampledBytes, info.Bytes, info.Sampled, a, want)
			}
			if want[i] != want[0] {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("all allocators are the same")
	}
}

// TestSampledPart samples a part of a large snapshot, the same with any number of
// goroutines, with a key that is split.
func TestSampledPart(t *testing.T) {
	b := newRDB("REDIS0011").aux("redis-ver", "7.2.4").raw(254, 0)
	b.key(2, "large").len(4 << 17)
	for i := range 4 << 17 {
		b.str(string(rune('a'+i%26)) + "member of a large set")
	}
	for i := range 4 << 18 {
		b.key(0, string(rune('a'+i%26))+" name of some length").str("a value of more bytes")
	}
	in := b.end()
	var first *Info
	for jobs := 1; jobs < 4; jobs++ {
		info, err := run(t.Context(), bytes.NewReader(in), Options{Jobs: jobs, Allocators: true, Memory: withMemory.Memory}, func() Sink { return memorySum{new(int64)} }, blockSize)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = info
		}
		whole := int64(len(in))
		if !slices.Equal(info.Sampled, first.Sampled) || info.SampledBytes != first.SampledBytes || info.SampledBytes < whole/64 || info.SampledBytes > whole/6 {
			t.Errorf("%d jobs: %d of %d bytes take %d, with one %d", jobs, info.SampledBytes, whole, info.Sampled, first.Sampled)
		}
		if info.Sampled[0] >= info.Sampled[1] {
			t.Errorf("%d: the same with any quantum", info.Sampled)
		}
	}
}
