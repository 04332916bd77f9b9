package module

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLayouts checks that there is a fixture for every encoding version of every type. What is in
// them TestModuleLayouts of package parser compares.
func TestLayouts(t *testing.T) {
	truth, err := os.ReadFile("../../../testdata/modules/layouts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layouts {
		for v := l.oldest; v <= l.newest; v++ {
			if !strings.Contains(string(truth), fmt.Sprintf("\t%s\t%d\t", l.name, v)) {
				t.Errorf("no fixture has a value of %s, encoding version %d", l.name, v)
			}
		}
	}
}
