package memory

import (
	"fmt"
	"math/bits"
)

// An allocator gives the size of the block that a request gets: what a server
// counts in used_memory is blocks, not requests.
type allocator struct {
	name string
	// quantum is the step between the classes of small blocks, 8 or 16 bytes.
	// They differ in 24, 40 and 56 only, but a dictEntry, a quicklistNode and a
	// skiplist node of one level are among these.
	quantum int64
	// pages: blocks above 32 KiB grow by pages instead of by classes.
	pages bool
}

const (
	page        = 4096
	largestStep = 32 << 10 // up to here page rounding and size classes agree
)

// Allocators are the names that Options.Allocator takes, the default first:
// the jemalloc that comes with the servers' sources, that of Debian and Ubuntu
// packages, and the latter from version 5.3.1 on.
var Allocators = []string{"jemalloc", "jemalloc-system", "jemalloc-5.3.1"}

func chooseAllocator(name string) (allocator, error) {
	switch name {
	case "", "jemalloc":
		return allocator{"jemalloc", 8, false}, nil
	case "jemalloc-system":
		return allocator{"jemalloc-system", 16, false}, nil
	case "jemalloc-5.3.1":
		return allocator{"jemalloc-5.3.1", 16, true}, nil
	}
	return allocator{}, fmt.Errorf("unknown allocator %q: it is one of jemalloc, jemalloc-system and jemalloc-5.3.1", name)
}

// block gives the usable size of a block for a request of n bytes, jemalloc's
// malloc_usable_size(malloc(n)): multiples of the quantum up to 128 (from 64
// on of 16), then four classes to every doubling.
func (a *allocator) block(n int64) int64 {
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
	if a.pages && n > largestStep {
		step = page
	}
	return (n + step - 1) &^ (step - 1)
}
