package parser

import (
	"bytes"
	"testing"
)

// TestLargestOfArrays checks that the largest element of a document that is an array
// does not depend on those beside it.
func TestLargestOfArrays(t *testing.T) {
	for _, document := range []string{`["bbbbbbbb"]`, `[1,"bbbbbbbb"]`, `[22,"a","bbbbbbbb"]`, `[{},[],"bbbbbbbb"]`, `["bbbbbbbb",7]`} {
		s := newScanner(bytes.NewReader(newModule("ReJSON-RL", 3).s(document).snapshot()), withMemory, smallBlock)
		if !s.Scan() {
			t.Fatal(s.Err())
		}
		if k := s.Key(); k.Largest != int64(len(`"bbbbbbbb"`)) {
			t.Errorf("%s: the largest element has %d bytes", document, k.Largest)
		}
	}
}
