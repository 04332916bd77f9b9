package memory

import (
	"testing"
)

// TestShortTexts checks that the sizes of short texts, which are computed once, are
// those of all texts, when documents of several kinds and models alternate.
func TestShortTexts(t *testing.T) {
	var of ModuleSizes
	for range 2 {
		for _, server := range []string{"", "redis-8.0", "valkey-8.1"} {
			var model *Model
			if server != "" {
				var err error
				if model, _, err = Choose("", "", Options{Server: server}); err != nil {
					t.Fatal(err)
				}
			}
			for _, version := range []int{1, 3} {
				for n := range int64(ShortTexts) {
					of.Reset(model)
					of.Document(version)
					empty := [2]int64{of.Allocated, of.Usage}
					of.ShortText(n)
					short := [2]int64{of.Allocated - empty[0], of.Usage - empty[1]}
					of.Text(n)
					if any := [2]int64{of.Allocated - empty[0] - short[0], of.Usage - empty[1] - short[1]}; any != short {
						t.Fatalf("%s, version %d, %d bytes: %v, want %v", server, version, n, short, any)
					}
				}
			}
		}
	}
}
