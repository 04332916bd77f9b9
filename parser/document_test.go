package parser

import (
	"bytes"
	"strings"
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

// TestTextLengths checks the length of a string, with and without an escape in it, as
// a name and as a value, wherever it ends in a word and in a buffer.
func TestTextLengths(t *testing.T) {
	lengths := []int{31, 32, 127, 128, 300, 70_000} // the last does not lie in a buffer whole
	for n := range 18 {
		lengths = append(lengths, n)
	}
	for _, escape := range []struct {
		text   string
		length int
	}{{"", 0}, {`\\`, 1}, {`\"`, 1}, {`\/`, 1}, {`\u0041`, 1}, {`\u00e9`, 2}, {`\u20ac`, 3}, {`\ud83d\ude00`, 4}, {`\"\\`, 2}} {
		for _, n := range lengths {
			for _, at := range []int{0, n / 2, n} {
				text := `"` + strings.Repeat("a", at) + escape.text + strings.Repeat("b", n-at) + `"`
				for _, document := range []string{`[{"":` + text + `},2]`, `[{` + text + `:1},2]`, `[{"":"",` + text + ` : ""},2]`, `[3,` + text + `]`, `{` + text + `:[],"":[` + text + `]}`} {
					s := newScanner(bytes.NewReader(newModule("ReJSON-RL", 3).s(document).snapshot()), withMemory, smallBlock)
					if !s.Scan() {
						t.Fatal(s.Err())
					}
					if k := s.Key(); k.Longest != int64(n+escape.length) || k.Elements != 2 {
						t.Fatalf("%.80s: %d elements, longest text %d, want 2 and %d", document, k.Elements, k.Longest, n+escape.length)
					}
				}
			}
		}
	}
}
