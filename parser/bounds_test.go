package parser

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// repeated repeats a text, n bytes in all.
type repeated struct {
	text []byte
	at   int
	n    int64
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.n)]
	for n := 0; n < len(p); {
		k := copy(p[n:], r.text[r.at:])
		n += k
		r.at = (r.at + k) % len(r.text)
	}
	r.n -= int64(len(p))
	return len(p), nil
}

// times returns a text n times.
func times(n int64, text string) func() io.Reader {
	many := []byte(strings.Repeat(text, 1+4096/len(text)))
	return func() io.Reader { return &repeated{text: many, n: n * int64(len(text))} }
}

// TestBounds reads values, names and floods that are far larger than any
// buffer. All that is allocated meanwhile, freed or not, stays small.
func TestBounds(t *testing.T) {
	n := int64(250_000)
	if testtool.Nightly() {
		n = 1_000_000
	}
	head := func(magic string) *rdbBuilder { return newRDB(magic).key(0, "first").str("1") }
	end := new(rdbBuilder).key(0, "last").str("2").endOff()
	large := func(size int64) string { return string(new(rdbBuilder).len(uint64(size)).b) }
	// A listpack whose header is made by hand.
	blob := binary.LittleEndian.AppendUint32(nil, uint32(100*n+7))
	blob = append(blob, 0xff, 0xff)
	lzfRuns := 2 * n
	tests := []struct {
		name   string
		head   *rdbBuilder
		body   func() io.Reader
		tail   string
		keys   int64
		reason string // of the damage
	}{
		{"a string", head("REDIS0011").key(0, "k").raw(large(400 * n)), times(400*n, "x"), "", 3, ""},
		{"a compressed string", head("REDIS0011").key(0, "k").raw(0xc3).len(uint64(2+3*lzfRuns)).len(uint64(1+264*lzfRuns)).raw(0, "a"),
			times(lzfRuns, "\xe0\xff\x00"), "", 3, ""},
		{"a name", head("REDIS0011").raw(0).raw(large(100 * n)), times(100*n, "n"), "\x01v", 3, ""},
		{"a compressed name", head("REDIS0011").raw(0, 0xc3).len(uint64(2+3*lzfRuns)).len(uint64(1+264*lzfRuns)).raw(0, "a"),
			times(lzfRuns, "\xe0\xff\x00"), "\x01v", 3, ""},
		{"a set", head("REDIS0011").key(2, "k").raw(large(5 * n)), times(5*n, "\x00"), "", 3, ""},
		{"a hash", head("REDIS0011").key(4, "k").raw(large(3 * n)), times(3*n, "\x05field\x05value"), "", 3, ""},
		{"a list of plain nodes", head("REDIS0011").key(18, "k").raw(large(4 * n)), times(4*n, "\x01\x04item"), "", 3, ""},
		{"a listpack", head("REDIS0011").key(20, "k").raw(large(100*n+7), blob), times(50*n, "\x01\x01"), "\xff", 3, ""},
		{"a compressed listpack", head("REDIS0011").key(20, "k").raw(0xc3).len(uint64(11+3*lzfRuns)).len(uint64(264*lzfRuns+9)).
			raw(7).le32(uint32(264*lzfRuns+9)).raw(0xff, 0xff, 1, 1), times(lzfRuns, "\xe0\xff\x00"), "\x00\xff", 3, ""},
		{"an intset", head("REDIS0011").key(11, "k").raw(large(80*n + 8)).le32(2).le32(uint32(40 * n)), times(40*n, "\x07\x00"), "", 3, ""},
		{"groups of a stream", head("REDIS0011").key(21, "k").len(0).raw(make([]byte, 8)).raw(large(3 * n)), times(3*n, "\x01g\x00\x00\x00\x00\x00"), "", 3, ""},
		{"pending entries", head("REDIS0011").key(15, "k").len(0).raw(make([]byte, 3)).len(1).str("g").len(0).len(0).raw(large(2 * n)),
			times(2*n, "0123456789abcdef01234567\x01"), "\x00", 3, ""},
		{"a module's value", head("REDIS0011").key(7, "k").len(1), times(20*n, "\x02\x05"), "\x00", 3, ""},
		{"a header field", newRDB("REDIS0011").raw(0xfa).str("name").raw(large(100 * n)), times(100*n, "v"), "\x00\x01k\x01v", 2, ""},
		{"header fields", newRDB("REDIS0011"), times(2*n, "\xfa\x01a\x01b"), "\x00\x01k\x01v", 2, ""},
		{"changes of the database", head("REDIS0011"), times(5*n, "\xfe\x01"), "", 2, ""},
		{"expiries", head("REDIS0011"), times(2*n, "\xfc12345678"), "", 2, ""},
		{"metadata", head("REDIS0013").raw(0xf3).raw(large(5 * n)), times(5*n, "spec\x00"), "", 2, ""},
		{"a function", head("REDIS0011").raw(0xf5).raw(large(100 * n)), times(100*n, "x"), "", 2, ""},
		{"names of a template", head("REDIS0015").raw(0xf2).len(1).raw(large(20 * n)), times(20*n, "\x01f"), "", 1, "hash templates of more than"},
		{"templates", head("REDIS0015"), func() io.Reader { return &counting{n: int(n)} }, "", 1, "more than 65536 hash templates"},
		{"a claim of 2^47 members", head("REDIS0011").key(2, "k").len(1 << 47), times(n, "\x01m"), "", 1, "the file ends"},
		{"a claim of 2^63 bytes", head("REDIS0011").key(0, "k").len(1 << 63), times(n, "x"), "", 1, "more than any file holds"},
		{"a claim of LZF", head("REDIS0011").key(0, "k").raw(0xc3).len(10).len(1 << 40), times(n, "x"), "", 1, "more than LZF can"},
	}
	for _, tt := range tests {
		for how, read := range map[string]func(io.Reader) (*Info, error){
			"scanner": func(r io.Reader) (*Info, error) {
				s := NewScanner(r, Options{})
				for s.Scan() {
				}
				return s.Info(), s.Err()
			},
			"run": func(r io.Reader) (*Info, error) {
				opt := withMemory
				opt.Jobs = 2
				return Run(t.Context(), r, opt, newNoSink)
			},
		} {
			parts := []io.Reader{bytes.NewReader(tt.head.b), tt.body(), strings.NewReader(tt.tail)}
			if tt.reason != "the file ends" {
				parts = append(parts, bytes.NewReader(end))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			info, err := read(io.MultiReader(parts...))
			runtime.ReadMemStats(&after)
			most := uint64(24 << 20)
			if strings.Contains(tt.name, "template") {
				most = 64 << 20
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most {
				t.Errorf("%s, %s: %d MB allocated", tt.name, how, allocated>>20)
			}
			if info.Keys != tt.keys || tt.reason == "" && err != nil || tt.reason != "" && (err == nil || !strings.Contains(err.Error(), tt.reason)) {
				t.Errorf("%s, %s: %d keys, %v", tt.name, how, info.Keys, err)
			}
		}
	}
}

// counting reads as n templates of one field, each with another number.
type counting struct {
	n, at int
	rest  []byte
}

func (c *counting) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.at == c.n {
			return 0, io.EOF
		}
		c.rest = new(rdbBuilder).raw(0xf2).len(uint64(c.at)).len(1).str("f").b
		c.at++
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
