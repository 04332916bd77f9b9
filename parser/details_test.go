package parser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/format"
)

// TestLongestField compares the longest field names with those that a visitor sees, on
// what servers wrote, and checks that other figures do not depend on the details.
func TestLongestField(t *testing.T) {
	files, _ := filepath.Glob("../testdata/truth/*/[alo]*.rdb")
	if len(files) < 4 {
		t.Fatal("no snapshots of servers")
	}
	hashes := 0
	for _, path := range files {
		if in, err := os.Stat(path); err != nil || in.Size() > 2<<20 {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		var longest int64
		s := NewScanner(bytes.NewReader(data), Options{})
		s.Visit(&Visitor{Key: func(k *Key) bool { longest = 0; return k.Type == Hash }, Element: func(e *Element) bool { longest = max(longest, e.Name.Len); return true }})
		for s.Scan() {
			n := int64(-1)
			if s.Key().Type == Hash {
				n, hashes = longest, hashes+1
			}
			want = append(want, n)
		}
		plain := scanned(bytes.NewReader(data), Options{}, smallBlock)
		detailed := Options{Details: DetailFormats | DetailFieldNames}
		whole := scanned(bytes.NewReader(data), detailed, scanBlock)
		for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(data), detailed, smallBlock), "blocks": ranSmall(bytes.NewReader(data), detailed, 2),
			"names": ranSmall(bytes.NewReader(data), Options{Details: DetailFieldNames}, 2)} {
			if how != "names" && !slices.Equal(o.lines, whole.lines) {
				t.Errorf("%s, %s: other details", path, how)
			}
			for i, line := range o.lines {
				figures, rest, _ := strings.Cut(line, " field=")
				n := int64(-1)
				fmt.Sscanf(rest, "%d", &n)
				if i >= len(want) || figures != plain.lines[i] || n != want[i] {
					t.Fatalf("%s, %s: %s; without details %s, longest field %d", path, how, line, plain.lines[i], want[i])
				}
			}
			if len(o.lines) != len(want) {
				t.Errorf("%s, %s: %d keys of %d", path, how, len(o.lines), len(want))
			}
		}
	}
	if hashes < 40 {
		t.Errorf("%d hashes only", hashes)
	}
}

// TestFormatsOfValues checks of which values the formats are.
func TestFormatsOfValues(t *testing.T) {
	long := `{"a": "` + strings.Repeat("x", 100_000) + `"}`
	r := newRDB("REDIS0011").key(0, "json").str(`{"a": 1}`).key(0, "long").str(long).key(0, "number").raw(0xc0, 7).key(0, "digits").str("12345678901").key(0, "empty").str("").
		key(1, "list").len(9).str("1", "{}", "", "a", "a", "a", "a", "a", "N;").
		key(4, "hash").len(2).str("N;", "1", "b", "\x1f\x8b\x08").key(2, "set").len(1).str("plain").
		key(4, "fields").len(2).str("a", "1", strings.Repeat("f", 3000), strings.Repeat("v", 5000))
	in := r.end()
	want := map[string]string{"json": "json", "long": "json", "number": "number", "digits": "number", "empty": "", "list": "json text number", "hash": "gzip number", "set": "text", "fields": "text number"}
	for _, opt := range []Options{{Details: DetailFormats}, {Details: DetailFormats | DetailFieldNames}} {
		for how, keys := range map[string][]*Key{"scanner": keysOf(t, in, opt, 0), "blocks": keysOf(t, in, opt, 2)} {
			for _, k := range keys {
				var words []string
				for f := format.JSON; f <= format.Binary; f++ {
					if k.Formats.Has(f) {
						words = append(words, f.String())
					}
				}
				if got := strings.Join(words, " "); got != want[string(k.Name)] {
					t.Errorf("%s: %s is %q, not %q", how, k.Name, got, want[string(k.Name)])
				}
				if string(k.Name) == "fields" && (k.LongestField != 3000) != (opt.Details == DetailFormats) {
					t.Errorf("%s: the longest field has %d bytes", how, k.LongestField)
				}
			}
		}
	}
}

type detailSink struct{ all *[]*Key }

func (s detailSink) Key(k *Key)       { *s.all = append(*s.all, k.Clone()) }
func (s detailSink) Size() int        { return 0 }
func (s detailSink) Flush(bool) error { return nil }

// keysOf returns all keys, with jobs 0 those of a Scanner.
func keysOf(t *testing.T, in []byte, opt Options, jobs int) (keys []*Key) {
	t.Helper()
	if jobs == 0 {
		s := NewScanner(bytes.NewReader(in), opt)
		for s.Scan() {
			keys = append(keys, s.Key().Clone())
		}
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
		return keys
	}
	opt.Jobs = 1
	if _, err := Run(t.Context(), bytes.NewReader(in), opt, func() Sink { return detailSink{&keys} }); err != nil {
		t.Fatal(err)
	}
	return keys
}
