package memory_test

import (
	"fmt"
	"log"

	"github.com/rdblens/rdblens/parser/internal/memory"
)

// The same string of 30 bytes under a name of 10, on four servers.
func ExampleModel_TextSizes() {
	for _, server := range []string{"redis-7.0", "redis-8.6", "valkey-8.1", "valkey-9"} {
		m, _, err := memory.Choose("", "", memory.Options{Server: server})
		if err != nil {
			log.Fatal(err)
		}
		allocated, usage := m.TextSizes(10, 30, true)
		fmt.Printf("%s: %d bytes allocated, %d by MEMORY USAGE\n", server, allocated, usage)
	}
	// Output:
	// redis-7.0: 120 bytes allocated, 96 by MEMORY USAGE
	// redis-8.6: 80 bytes allocated, 80 by MEMORY USAGE
	// valkey-8.1: 72 bytes allocated, 48 by MEMORY USAGE
	// valkey-9: 64 bytes allocated, 64 by MEMORY USAGE
}

// A set of 1000 members of 20 bytes, and the instance that has it.
func ExampleAccumulator() {
	m, _, err := memory.Choose("redis", "8.0.2", memory.Options{Allocator: "jemalloc", State: "reloaded"})
	if err != nil {
		log.Fatal(err)
	}
	var a memory.Accumulator
	a.Reset(m)
	for range 1000 {
		a.AddMember(20)
	}
	sizes := a.Sizes(&memory.Facts{Shape: memory.SetTable, Type: 2, NameLen: 8, Elements: 1000, Longest: 20})
	instance := m.Instance(sizes.Allocated, []memory.Database{{Keys: 1}}, nil)
	fmt.Printf("%d bytes allocated, %d by MEMORY USAGE; used_memory %d\n", sizes.Allocated, sizes.Usage, instance.UsedMemory)
	// Output:
	// 38080 bytes allocated, 56304 by MEMORY USAGE; used_memory 784072
}
