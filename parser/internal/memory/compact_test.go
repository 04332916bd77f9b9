package memory_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/internal/memory"
)

// What a table would take in the compact form is what it takes when a server
// loads it into that form, as it does with one that grew and shrank.
func TestCompact(t *testing.T) {
	for _, path := range []string{"../../../testdata/rules/compact.rdb", "../../../testdata/rules/compact-valkey.rdb"} {
		compact := map[string]int64{}
		live := map[string]int64{}
		scan(t, path, memory.Options{}, func(k *parser.Key) {
			if strings.Contains(string(k.Name), "shrunk") && !k.Encoding.Compact() {
				compact[string(k.Name)] = k.CompactMemory
				live[string(k.Name)] = k.Memory
			}
		})
		if len(compact) == 0 {
			t.Errorf("%s: no table that shrank", path)
		}
		scan(t, path, memory.Options{State: "reloaded"}, func(k *parser.Key) {
			name := string(k.Name)
			want, ok := compact[name]
			if !ok || want < 0 {
				return
			}
			if k.Memory != want {
				t.Errorf("%s: %q would take %d bytes in the compact form, but takes %d when it is loaded", path, name, want, k.Memory)
			}
			if live[name] <= want {
				t.Errorf("%s: %q takes %d bytes, and no less in the compact form (%d)", path, name, live[name], want)
			}
		})
	}
}

// Lists of servers before Redis 3.2 have their items one by one, numbers as texts
// or in binary. The sizes are MEMORY USAGE of Redis 7.0.15, 8.0.2 and Valkey
// 9.1.2 after they had loaded this file.
func TestOldLists(t *testing.T) {
	file := []byte("REDIS0006\xfe\x00")
	list := func(name string, n int, item func(i int) string) {
		file = append(file, 1, byte(len(name)))
		file = append(append(file, name...), 0x40|byte(n>>8), byte(n))
		for i := range n {
			file = append(append(file, byte(len(item(i)))), item(i)...)
		}
	}
	list("num:600", 600, func(i int) string { return strconv.Itoa(i * 1000) })
	list("num:5000", 5000, func(i int) string { return strconv.Itoa(i * 1000) })
	list("mix:5000", 5000, func(i int) string {
		if i%2 == 0 {
			return "text" + strconv.Itoa(i)
		}
		return strconv.Itoa(i * 7)
	})
	list("long:3000", 3000, func(i int) string { return strconv.Itoa(1_000_000_000_000_000 + i) })
	list("text:3000", 3000, func(i int) string { return "item" + strconv.Itoa(i) })
	file = append(file, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	path := filepath.Join(t.TempDir(), "old.rdb")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  memory.Options
		want map[string]int64
	}{
		{memory.Options{Server: "redis-7.0", Allocator: "jemalloc-system"}, map[string]int64{"num:600": 3208, "num:5000": 25280, "mix:5000": 34856, "long:3000": 30976, "text:3000": 29952}},
		{memory.Options{Server: "redis-8.0", Allocator: "jemalloc-system"}, map[string]int64{"num:600": 3128, "num:5000": 25280, "mix:5000": 34856, "long:3000": 30976, "text:3000": 29952}},
		{memory.Options{Server: "valkey-9", Allocator: "jemalloc-5.3.1"}, map[string]int64{"num:600": 3104, "num:5000": 25256, "mix:5000": 34832, "long:3000": 30952, "text:3000": 29928}},
	} {
		c.opt.State = "reloaded"
		scan(t, path, c.opt, func(k *parser.Key) {
			if k.MemoryUsage != c.want[string(k.Name)] {
				t.Errorf("%s: %s takes %d bytes, the server says %d", c.opt.Server, k.Name, k.MemoryUsage, c.want[string(k.Name)])
			}
		})
	}
}
