package parser

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// beginnings is a Sink that writes the first elements of each key as Peek has them.
type beginnings struct {
	of   map[string]string
	most int
}

func (s *beginnings) Key(k *Key) {
	var b bytes.Buffer
	if k.Peek(firstElements(&b, s.most)) {
		s.of[fmt.Sprintf("%d %q", k.DB, k.Name)] = b.String()
	}
}

func (s *beginnings) Size() int        { return 0 }
func (s *beginnings) Flush(bool) error { return nil }

// firstElements returns a visitor that writes elements until there are most.
func firstElements(b *bytes.Buffer, most int) *Visitor {
	n := 0
	return &Visitor{MaxText: 100, Element: func(e *Element) bool {
		if n++; n <= most {
			fmt.Fprintf(b, "%q %q %v %v\n", e.Name.Bytes, e.Value.Bytes, e.Score, e.ID)
		}
		return n < most
	}, Field: func(name, value Text) bool {
		if n <= most {
			fmt.Fprintf(b, "%q %q\n", name.Bytes, value.Bytes)
		}
		return true
	}}
}

// TestPeek compares what Peek passes with the elements that a Scanner passes, for
// snapshots whose keys fit into a block and for blocks that are smaller than keys.
func TestPeek(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.rdb")
	if err != nil || len(files) == 0 {
		t.Fatal("no snapshots", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{1, 4, 1 << 20} {
			want := map[string]string{}
			s := NewScanner(bytes.NewReader(data), Options{})
			var b bytes.Buffer
			s.Visit(&Visitor{MaxText: 100, Key: func(*Key) bool { return true }})
			v := firstElements(&b, most)
			n := 0
			s.Visit(&Visitor{MaxText: 100, Key: func(*Key) bool { n = 0; *v = *firstElements(&b, most); return true },
				Element: func(e *Element) bool {
					if n++; n <= most {
						return v.Element(e)
					}
					return false
				}, Field: func(name, value Text) bool { return v.Field(name, value) }})
			for b.Reset(); s.Scan(); b.Reset() {
				k := s.Key()
				want[fmt.Sprintf("%d %q", k.DB, k.Name)] = b.String()
			}
			if s.Err() != nil {
				t.Fatal(s.Err())
			}
			for _, size := range []int{blockSize, 4 << 10} {
				sink := &beginnings{map[string]string{}, most}
				if _, err := run(context.Background(), bytes.NewReader(data), Options{Jobs: 1}, func() Sink { return sink }, size); err != nil {
					t.Fatal(err)
				}
				missing := 0
				for name, text := range want {
					got, ok := sink.of[name]
					switch {
					case !ok:
						missing++
					case got != text && !(most > 100 && size < blockSize): // of a key in pieces there is the first one
						t.Fatalf("%s: blocks of %d: %s: got\n%swant\n%s", file, size, name, got, text)
					}
				}
				if missing*20 > len(want) {
					t.Errorf("%s: blocks of %d: %d of %d keys are not at hand", file, size, missing, len(want))
				}
			}
		}
	}
}

// TestPeekAlone checks that a key outside of a Sink, or cloned, has nothing at hand, and
// that Peek leaves the key as it is.
func TestPeekAlone(t *testing.T) {
	if (&Key{}).Peek(&Visitor{}) {
		t.Error("a key of no snapshot is at hand")
	}
	data, err := os.ReadFile("../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	sink := sinkOf(func(k *Key) {
		before := *k.Clone()
		k.Peek(&Visitor{MaxText: 10})
		after := *k.Clone()
		if c := k.Clone(); c.Peek(&Visitor{}) {
			t.Fatal("a clone is at hand")
		}
		same := reflect.DeepEqual(before.Behind, after.Behind)
		before.Behind, after.Behind = nil, nil // whose places differ
		if !same || fmt.Sprint(before) != fmt.Sprint(after) {
			t.Fatalf("Peek changed\n%+v\n%+v", before, after)
		}
		n++
	})
	if _, err := Run(context.Background(), bytes.NewReader(data), Options{Jobs: 1}, func() Sink { return sink }); err != nil || n == 0 {
		t.Fatal(err, n)
	}
}

type sinkOf func(*Key)

func (f sinkOf) Key(k *Key)       { f(k) }
func (f sinkOf) Size() int        { return 0 }
func (f sinkOf) Flush(bool) error { return nil }
