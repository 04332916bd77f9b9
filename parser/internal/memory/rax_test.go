package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What used_memory of Redis 7.0.15 fell by when a stream of one entry was
// deleted (the mean of 20), and what MEMORY USAGE of Redis 8.6.3 says, which
// counts all of a stream: with the names as consumers of one group, and as
// groups. Both servers had loaded the file.
func TestNamesOfServers(t *testing.T) {
	for _, c := range []struct {
		what                      string
		n                         int
		name                      func(i int) string
		consumers, groups, usage8 int64 // groups 0: not measured to the byte
	}{
		{"numbered", 1000, func(i int) string { return fmt.Sprintf("c%04d", i) }, 107104, 154952, 106173},
		{"unpadded", 1000, func(i int) string { return fmt.Sprintf("worker-%d", i) }, 114064, 153912, 110023},
		{"hosts", 1000, func(i int) string { return fmt.Sprintf("host%d.example.com:%d", i*37%99, i) }, 0, 0, 143202},
		{"hex", 1000, func(i int) string { return fmt.Sprintf("%08x-%04x", uint32(i)*2654435761, uint16(i*40503)) }, 151056, 190904, 150125},
		{"each the beginning of the next", 300, func(i int) string { return strings.Repeat("n", i+1) }, 82656, 0, 82547},
		{"beginnings and branches", 300, func(i int) string { return strings.Repeat("a", i/3+1) + []string{"", "b", "cc"}[i%3] }, 50232, 48280, 49781},
		{"one", 1, func(int) string { return "only-consumer" }, 568, 456, 636},
		{"long", 30, func(i int) string { return strings.Repeat("xyz"[i/10:i/10+1], 3000) + fmt.Sprint(i%10) }, 104768, 14136, 104837},
	} {
		var names []string
		for i := range c.n {
			names = append(names, c.name(i))
		}
		slices.Sort(names)
		for _, asGroups := range []bool{false, true} {
			for _, server := range []string{"redis-7.0", "redis-8.6"} {
				allocator, want := "jemalloc-system", c.consumers
				if asGroups {
					want = c.groups
				}
				if server == "redis-8.6" {
					allocator, want = "jemalloc-5.3.1", c.usage8
					if asGroups {
						continue
					}
				}
				m := mustChoose(t, Options{Server: server, Allocator: allocator, State: "reloaded"})
				var a Accumulator
				a.Reset(m)
				a.AddStreamNode(1000, 1, 29, 0)
				if !asGroups {
					a.BeginGroup([]byte("g"), 1)
				}
				for _, n := range names {
					if asGroups {
						a.BeginGroup([]byte(n), int64(len(n)))
					} else {
						a.BeginConsumer([]byte(n), int64(len(n)))
					}
				}
				got := a.Sizes(&Facts{Shape: StreamTree, Type: 5, NameLen: 3, Elements: 1})
				figure := got.Allocated
				if server == "redis-8.6" {
					figure = got.Usage
				}
				if want > 0 && figure != want {
					t.Errorf("%s, %s, as groups %v: %d, want %d", server, c.what, asGroups, figure, want)
				}
			}
		}
	}
}

// The tree of any names is that of one that is built name by name.
func TestNameTree(t *testing.T) {
	a, _ := chooseAllocator("jemalloc")
	r := rand.New(rand.NewPCG(9, 10))
	var one nameTree
	for round := range 400 {
		var names []string
		letters := 1 + r.IntN(5)
		for range 1 + r.IntN(200) {
			b := make([]byte, r.IntN(1+r.IntN(40)))
			for i := range b {
				b[i] = byte('a' + r.IntN(letters))
			}
			names = append(names, string(b))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		var root raxNode
		for _, n := range names {
			root.insert([]byte(n))
			one.add(&a, []byte(n), int64(len(n)))
		}
		_, want := root.measure(&a)
		if got := one.finish(&a); got != want {
			t.Fatalf("round %d: %d names: %d bytes, the tree has %d: %q", round, len(names), got, want, names)
		}
	}
	if got := one.finish(&a); got != 8 {
		t.Errorf("no names: %d bytes, want 8", got)
	}
}

// Names out of order, twice, or too long to be kept are estimated, and the
// next tree is not.
func TestNameTreeHostile(t *testing.T) {
	a, _ := chooseAllocator("jemalloc")
	long := strings.Repeat("n", MaxStreamName+1)
	for _, names := range [][]string{{"b", "a"}, {"a", "a"}, {"", ""}, {"ab", "a", "abc"}, {"a", long, "b"}, {long}} {
		var one nameTree
		var length int64
		for _, n := range names {
			one.add(&a, []byte(n[:min(len(n), MaxStreamName)]), int64(len(n)))
			length += int64(len(n))
		}
		if got, want := one.finish(&a), estimatedNames(&a, int64(len(names)), length); got != want {
			t.Errorf("%.20q: %d, want the estimate %d", names, got, want)
		}
		one.add(&a, []byte("ab"), 2)
		if got, want := one.finish(&a), a.usable(16)+a.usable(chainNode(2)); got != want {
			t.Errorf("after %.20q: a name of 2 bytes takes %d, want %d", names, got, want)
		}
	}
}

// The estimate for names that are too long to be kept is exact where they differ in
// their last byte alone, at any length.
func TestLongNamesAlike(t *testing.T) {
	for _, a := range allocators {
		for length := 1; length < 300; length++ {
			for _, n := range []int{1, 2, 9, 10} {
				var root raxNode
				for i := range n {
					root.insert(append([]byte(strings.Repeat("n", length)), byte('0'+i)))
				}
				_, want := root.measure(&a)
				if got := estimatedNames(&a, int64(n), int64(n*(length+1))); got != want {
					t.Fatalf("%s: %d names of %d bytes: %d bytes, the tree has %d", a.name, n, length+1, got, want)
				}
			}
		}
	}
}
