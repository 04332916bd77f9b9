package memory_test

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
)

// What a table would take in the compact form is what it takes when a server
// loads it into that form, as it does with one that grew and shrank.
func TestCompact(t *testing.T) {
	for _, path := range []string{"../../testdata/rules/compact.rdb", "../../testdata/rules/compact-valkey.rdb"} {
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
