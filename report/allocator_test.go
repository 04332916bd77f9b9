package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/thresholds/config"
)

// keysWithUsedMemory is a snapshot of a release of Redis 7.0, 7.0.nn, with n strings that
// states a used_memory.
func keysWithUsedMemory(release string, n int, used int64) []byte {
	b := []byte("REDIS0010\xfa\x09redis-ver\x06" + release + "\xfa\x08used-mem\xc2")
	b = binary.LittleEndian.AppendUint32(b, uint32(used))
	b = append(b, "\xfe\x00\xfb\x80"...)
	b = append(binary.BigEndian.AppendUint32(b, uint32(n)), 0)
	for i := range n {
		b = append(b, fmt.Sprintf("\x00\x0ckey:%08d\x1e%030d", i, i)...)
	}
	return append(b, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
}

// TestAllocatorsOfKeys has snapshots of small servers, whose used_memory all allocators fit: the
// keys differ with them although used_memory hardly does, or the sum of the keys, because one of
// them is large.
func TestAllocatorsOfKeys(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		large int // bytes of one more key
	}{{"small keys", 0}, {"one large key", 7<<20 - 100}} {
		in := keysWithUsedMemory("7.0.15", 300, 1_200_000+int64(c.large))
		if c.large > 0 {
			in = append(in[:len(in)-9], "\x00\x05large\x80"...)
			in = append(binary.BigEndian.AppendUint32(in, uint32(c.large)), make([]byte, c.large)...)
			in = append(in, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
		}
		source := Source{Name: "dump.rdb", Size: int64(len(in)), Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(in)), nil
		}}
		r, err := Scan(context.Background(), []Source{source}, policy, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Inputs[0].Memory; m.AllocatorBasis != AllocatorTie || m.AllocatorsDiffer < .05 || m.Doubt().IsZero() {
			t.Errorf("%s: %+v", c.name, m.AllocatorChoice)
		}
	}
}

// TestAllocatorFound scans a snapshot whose used_memory is a little over what is
// predicted for one allocator.
func TestAllocatorFound(t *testing.T) {
	policy, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scan := func(in []byte, size int64, opt Options) (*Memory, int) {
		opened := 0
		source := Source{Name: "dump.rdb", Size: size, Open: func(context.Context) (io.ReadCloser, error) {
			opened++
			return io.NopCloser(bytes.NewReader(in)), nil
		}}
		r, err := Scan(context.Background(), []Source{source}, policy, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r.Inputs[0].Memory, opened
	}
	const packaged, other = "7.0.15", "7.0.14"
	for _, n := range []int{60_000, 250_000} { // read whole beforehand, and in part
		size := int64(len(keysWithUsedMemory(other, n, 0)))
		var predicted []int64
		for _, a := range memory.Allocators()[:2] {
			m, _ := scan(keysWithUsedMemory(other, n, 1), size, Options{Memory: memory.Options{Allocator: a}})
			if m.Allocator != a || m.AllocatorBasis != AllocatorGiven {
				t.Errorf("%s was given: %s, %s", a, m.Allocator, m.AllocatorBasis)
			}
			predicted = append(predicted, int64(m.Predicted))
		}
		// What histograms of commands may take hides which one it is of 8 MB.
		clear := AllocatorFound
		unclear := "jemalloc-system"
		if n == 60_000 {
			clear, unclear = AllocatorTie, "jemalloc"
		}
		for _, c := range []struct {
			release          string
			used             int64
			size             int64
			allocator, basis string
			opened           int
		}{
			{other, predicted[0] * 1005 / 1000, size, "jemalloc", AllocatorFound, 2},
			{other, predicted[1] * 1005 / 1000, size, unclear, clear, 2},
			{packaged, predicted[0] * 1005 / 1000, size, "jemalloc", AllocatorFound, 2},
			{packaged, predicted[1] * 1005 / 1000, size, "jemalloc-system", clear, 2},
			{other, predicted[0] * 1005 / 1000, -1, "jemalloc", AllocatorFound, 1}, // a pipe
			{packaged, predicted[0] * 1005 / 1000, -1, "jemalloc-system", AllocatorAssumed, 1},
			{packaged, predicted[1] * 1005 / 1000, -1, "jemalloc-system", clear, 1},
			{packaged, predicted[0] * 3 / 2, size, "jemalloc-system", AllocatorTie, 2},
			{other, predicted[0] * 4, size, "jemalloc", AllocatorUnknown, 2},
			{packaged, predicted[0] * 4, size, "jemalloc-system", AllocatorUnknown, 2},
			{other, 0, size, "jemalloc", AllocatorUnknown, 2},
		} {
			m, opened := scan(keysWithUsedMemory(c.release, n, c.used), c.size, Options{})
			if m.Allocator != c.allocator || m.AllocatorBasis != c.basis || opened != c.opened {
				t.Errorf("%s, %d keys, used_memory %d of %d: %s, %s, read %d times, want %s, %s, %d times",
					c.release, n, c.used, predicted, m.Allocator, m.AllocatorBasis, opened, c.allocator, c.basis, c.opened)
			}
			if c.basis == AllocatorFound && int64(m.Predicted) != predicted[map[string]int{"jemalloc": 0, "jemalloc-system": 1}[c.allocator]] {
				t.Errorf("%s: %d are predicted, want %d", c.allocator, m.Predicted, predicted)
			}
		}
	}
}
