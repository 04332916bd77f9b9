package memory

import (
	"cmp"
	"math/bits"

	"github.com/rdblens/rdblens/parser/message"
)

// An allocator rounds requests up to the blocks that jemalloc has: used_memory
// counts blocks, not requests.
type allocator struct {
	name string
	// quantum is the step between size classes up to 64 bytes: 8 for the
	// jemalloc of the servers' sources (--with-lg-quantum=3 in deps/Makefile), 16
	// for a jemalloc of the system. They differ in 24, 40 and 56 only, but these
	// are the sizes of a dictEntry, a quicklistNode and many skiplist nodes.
	quantum int64
	// pages: blocks over 32 KiB grow in steps of a page instead of size classes,
	// as from jemalloc 5.3.1 on.
	pages bool
}

const (
	pageSize     = 4096
	largestClass = 32 << 10 // up to here page rounding and size classes agree
)

var allocators = []allocator{
	{"jemalloc", 8, false},
	{"jemalloc-system", 16, false},
	{"jemalloc-5.3.1", 16, true},
}

// Allocators returns the names that Options.Allocator accepts, the default
// first: the jemalloc that is built with the servers' sources, the one of Debian
// and Ubuntu packages, and the latter from version 5.3.1 on.
func Allocators() []string {
	var names []string
	for _, a := range allocators {
		names = append(names, a.name)
	}
	return names
}

// chooseAllocator returns the allocator of a name, the default for "".
func chooseAllocator(name string) (allocator, error) {
	for _, a := range allocators {
		if a.name == name || name == "" {
			return a, nil
		}
	}
	return allocator{}, message.Errorf("unknown allocator {name}: it is jemalloc, jemalloc-system or jemalloc-5.3.1",
		message.Element("name", name))
}

// packaged are the releases that Debian and Ubuntu have as packages, which are linked to
// the system's jemalloc: 5.3.1 in Debian sid of 2026, before that an older one. Versions that only
// experimental has are left out: few servers run them. Sources: tracker.debian.org and packages.ubuntu.com.
var packaged = map[string]string{
	"redis 4.0.9": "jemalloc-system", "redis 5.0.7": "jemalloc-system", "redis 5.0.14": "jemalloc-system",
	"redis 6.0.16": "jemalloc-system",
	"redis 7.0.15": "jemalloc-system", "redis 8.0.2": "jemalloc-system", "redis 8.0.6": "jemalloc-5.3.1",
	"valkey 8.1.1": "jemalloc-system", "valkey 9.1.2": "jemalloc-5.3.1",
}

// UsualAllocator returns the allocator that servers of a release, such as 7.0.15, most
// often have: of one that a distribution has as a package that of the package, else the
// one that is built with the servers' sources.
func UsualAllocator(server, release string) string {
	return cmp.Or(packaged[server+" "+release], allocators[0].name)
}

// usable returns the size of the block for a request of n bytes, jemalloc's
// malloc_usable_size(malloc(n)): multiples of the quantum up to 64, of 16 up to
// 128, then four classes for every doubling (sz.h and size_classes.h).
func (a *allocator) usable(n int64) int64 {
	switch {
	case n <= 8:
		return 8
	case n <= 64:
		return (n + a.quantum - 1) &^ (a.quantum - 1)
	case n <= 128:
		return (n + 15) &^ 15
	case n > 1<<56:
		return n
	}
	step := int64(1) << (bits.Len64(uint64(n-1)) - 3)
	if a.pages && n > largestClass {
		step = pageSize
	}
	return (n + step - 1) &^ (step - 1)
}
