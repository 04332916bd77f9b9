package source_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/internal/source"
)

// TestOffsets checks that offsets count from the snapshot's magic, whatever
// surrounds it.
func TestOffsets(t *testing.T) {
	p := source.Sample(10)
	for name, in := range source.Framed(t, p) {
		s, err := parser.Wrap(bytes.NewReader(in))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k, err := range parser.NewScanner(s, parser.Options{}).All() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if at := p[k.Offset:]; !bytes.HasPrefix(at, source.Join(0, len(k.Name), string(k.Name))) {
				t.Errorf("%s: key %q is not at offset %d", name, k.Name, k.Offset)
			}
		}
		s.Close()
	}
	s, err := parser.Wrap(bytes.NewReader(source.Join("+OK\r\n$EOF:", source.Mark, "\r\n", p[:len(p)-30])))
	if err != nil {
		t.Fatal(err)
	}
	var damage *parser.DamageError
	sc := parser.NewScanner(s, parser.Options{})
	for sc.Scan() {
	}
	if !errors.As(sc.Err(), &damage) || damage.Offset != int64(len(p)-30) {
		t.Errorf("cut after %d bytes: %v", len(p)-30, sc.Err())
	}
}
