package parser

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/crc64"
	"github.com/rdblens/rdblens/testdata/testtool"
)

// random is a source with random access.
type random struct{ *bytes.Reader }

func (r random) ReaderAt() io.ReaderAt { return r.Reader }

// sources are both ways to read a snapshot twice.
func sources(in []byte) map[string]io.Reader {
	return map[string]io.Reader{"random access": random{bytes.NewReader(in)}, "stream": bytes.NewReader(in)}
}

// limits of what copyElements copies.
type limits struct{ elements, fields, text int }

var noLimits = limits{1 << 30, 1 << 30, -1}

// copyElements copies the elements of the current key.
func copyElements(t *testing.T, r *Records, want limits) (all []copied) {
	t.Helper()
	err := r.Visit(&Visitor{
		MaxText: want.text,
		Element: func(e *Element) bool {
			if len(all) == want.elements {
				return false
			}
			c := copied{Element: *e}
			c.Name, c.Value, c.Path = cloneText(e.Name), cloneText(e.Value), cloneText(e.Path)
			all = append(all, c)
			return true
		},
		Field: func(name, value Text) bool {
			e := &all[len(all)-1]
			e.pairs = append(e.pairs, cloneText(name), cloneText(value))
			return len(e.pairs) < 2*want.fields
		},
	})
	if err != nil {
		t.Errorf("%s: visit: %v", line(r.Key()), err)
	}
	return all
}

// payload returns the payload of the current key.
func payload(t *testing.T, r *Records) []byte {
	t.Helper()
	p, err := r.Payload()
	if err != nil {
		t.Fatal(err)
	}
	return payloadBytes(t, p)
}

func payloadBytes(t *testing.T, p *Payload) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := p.WriteTo(&b); err != nil || n != int64(b.Len()) || n != p.Size() {
		t.Fatalf("%d bytes of %d written, %v", n, p.Size(), err)
	}
	end := b.Len() - 8
	if crc := binary.LittleEndian.Uint64(b.Bytes()[end:]); crc != crc64.Update(0, b.Bytes()[:end]) {
		t.Errorf("checksum %x", crc)
	}
	return b.Bytes()
}

// recordsOf returns the keys of a snapshot whose values can be read twice.
func recordsOf(t *testing.T, source io.Reader, keep func(*Key) bool) *Records {
	t.Helper()
	r := NewRecords(t.Context(), source, RecordOptions{Keep: keep})
	t.Cleanup(func() { r.Close() })
	return r
}

// find returns the records of a snapshot up to a key.
func find(t *testing.T, source io.Reader, db int, name string) *Records {
	t.Helper()
	r := recordsOf(t, source, func(k *Key) bool { return (db < 0 || k.DB == db) && string(k.Name) == name })
	if !r.Next() {
		t.Fatalf("%.60q: not found, %v", name, r.Err())
	}
	return r
}

// readTwice reads every key of a snapshot twice, as elements and as a payload.
func readTwice(t *testing.T, source io.Reader) (keys int) {
	t.Helper()
	r := NewRecords(t.Context(), source, RecordOptions{Library: func(p *Payload) error {
		_, err := p.Text()
		return err
	}})
	defer r.Close()
	for r.Next() {
		keys++
		k := r.Key()
		elements := copyElements(t, r, limits{1 << 30, 1 << 30, 1 << 10})
		want := k.Elements
		switch k.Type {
		case Stream:
			want = k.Live
		case JSON:
			want = 1 // the document
		}
		if opaque(k) || k.Elements < 0 {
			want = 0
		}
		if n := visitedElements(k, elements); n != want {
			t.Errorf("%s: %d elements visited", line(k), n)
		} else if k.Type != Array && k.Elements >= 0 && !opaque(k) && lengths(k, elements) != k.ValueBytes {
			t.Errorf("%s: %d bytes visited", line(k), lengths(k, elements))
		}
		restored(t, r)
	}
	return keys
}

// restored checks that the payload of the current key is its value.
func restored(t *testing.T, r *Records) {
	t.Helper()
	k := r.Key()
	p, err := r.Payload()
	if err != nil {
		t.Errorf("%s: payload: %v", line(k), err)
		return
	}
	b := payloadBytes(t, p)
	meta := int(r.meta.n)
	info := r.s.r.info
	s := newRDB(info.Magic + fmt.Sprintf("%0*d", 9-len(info.Magic), info.Version))
	if info.Server == "dragonfly" {
		s.raw(0xfa).str("df-ver", info.ServerVersion)
	}
	s.raw(b[:meta+1]).str("k").raw(b[meta+1 : len(b)-footerSize])
	again := newScanner(bytes.NewReader(s.endOff()), Options{}, smallBlock)
	if info.Version < 5 {
		again = newScanner(bytes.NewReader(s.b), Options{}, smallBlock)
	}
	if !again.Scan() {
		t.Errorf("%s: the payload: %v", line(k), again.Err())
		return
	}
	got := again.Key()
	if got.Type != k.Type || got.Elements != k.Elements || got.ValueBytes != k.ValueBytes || got.Largest != k.Largest || got.Live != k.Live || got.Groups != k.Groups ||
		got.Pending != k.Pending || got.FieldsWithTTL != k.FieldsWithTTL || got.ModuleName != k.ModuleName {
		t.Errorf("%s: restored %s", line(k), line(got))
	}
}

// TestRecordsFixtures reads every key of every fixture twice.
func TestRecordsFixtures(t *testing.T) {
	keys := 0
	for name, in := range allFixtures(t) {
		if len(in) > 4<<20 && !testtool.Nightly() {
			continue
		}
		n := 0
		s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
		for s.Scan() {
			n++
		}
		for how, source := range sources(in) {
			if got := readTwice(t, source); got != n {
				t.Errorf("%s, %s: %d keys, want %d", name, how, got, n)
			}
		}
		keys += n
	}
	t.Logf("%d keys", keys)
}

// TestRecordsFind tells equal names in several databases apart.
func TestRecordsFind(t *testing.T) {
	b := newRDB("REDIS0011").raw(254, 0).key(0, "a").str("0a").key(0, "b").str("0b").raw(254, 3).key(0, "b").str("3b").key(0, "").str("empty").end()
	for _, c := range []struct {
		db         int
		name, want string
	}{{-1, "a", "0a"}, {-1, "b", "0b"}, {0, "b", "0b"}, {3, "b", "3b"}, {-1, "", "empty"}} {
		for _, source := range sources(b) {
			if got := copyElements(t, find(t, source, c.db, c.name), noLimits); string(got[0].Value.Bytes) != c.want {
				t.Errorf("db %d, %q: %v, want %q", c.db, c.name, got, c.want)
			}
		}
	}
	for _, in := range [][]byte{b, b[:20]} {
		r := recordsOf(t, bytes.NewReader(in), func(k *Key) bool { return string(k.Name) == "ab" })
		if r.Next() || (r.Err() != nil) != (len(in) == 20) {
			t.Errorf("%d bytes: %v", len(in), r.Err())
		}
	}
}

// TestRecordsLarge has values far larger than what is kept in memory, wanted and
// not: those of a stream that are not wanted leave no bytes in a file.
func TestRecordsLarge(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	b := newRDB("REDIS0011").raw(254, 0).key(1, "list").len(20000)
	item := newRDB("").str(strings.Repeat("i", 1000)).b
	b.raw(bytes.Repeat(item, 20000))
	b.key(0, "after").str("found").key(0, "big").len(20 << 20)
	b.raw(make([]byte, 20<<20))
	in := b.key(2, "last").len(2).str("x", "y").end()
	for how, source := range sources(in) {
		for _, wanted := range []bool{true, false} {
			r := recordsOf(t, source, func(k *Key) bool { return wanted || k.Name[0] != 'l' && k.Name[0] != 'b' })
			var names []string
			for r.Next() {
				k := r.Key()
				names = append(names, string(k.Name))
				if got := copyElements(t, r, limits{1 << 30, 1, 100}); int64(len(got)) != k.Elements {
					t.Errorf("%s: %s has %d elements", how, k.Name, len(got))
				}
				p := payload(t, r)
				value := in[k.Offset+2+k.NameLen:][:k.Serialized]
				if p[0] != k.RDBType || !bytes.Equal(p[1:len(p)-footerSize], value) {
					t.Errorf("%s: payload of %s", how, k.Name)
				}
			}
			if want := map[bool]int{true: 4, false: 1}[wanted]; r.Err() != nil || len(names) != want {
				t.Errorf("%s: %q, %v", how, names, r.Err())
			}
			if r.spool != nil && r.spool.Spilled() != wanted {
				t.Errorf("%s: a file that nobody needs, or none", how)
			}
			source.(io.Seeker).Seek(0, io.SeekStart)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestRecordsWithoutDisk has nowhere to write a large value.
func TestRecordsWithoutDisk(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	in := newRDB("REDIS0011").key(0, "small").str("v").key(0, "big").str(strings.Repeat("x", 8<<20)).end()
	r := recordsOf(t, bytes.NewReader(in), nil)
	n := 0
	for r.Next() {
		n++
	}
	var path *os.PathError
	if err := r.Err(); n != 1 || !errors.As(err, &path) || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("%d keys, %v", n, err)
	}
}

// TestRecordsLongNames tells keys apart whose names differ at their ends.
func TestRecordsLongNames(t *testing.T) {
	long := strings.Repeat("n", MaxName+5000)
	b := newRDB("REDIS0011")
	for _, end := range []string{":a", ":b", ":c"} {
		b.key(0, long+end).str("plain" + end)
		z := lzf(long + long + end)
		b.raw(0, 0xc3).len(uint64(len(z))).len(uint64(2*len(long) + len(end))).raw(z).str("lzf" + end)
	}
	in := b.end()
	for _, c := range []struct{ name, want string }{
		{long + ":b", "plain:b"}, {long + ":c", "plain:c"}, {long + long + ":a", "lzf:a"}, {long + long + ":c", "lzf:c"},
	} {
		for _, source := range sources(in) {
			r := find(t, source, -1, c.name)
			if got := copyElements(t, r, noLimits); string(got[0].Value.Bytes) != c.want || r.Key().NameLen != int64(len(c.name)) {
				t.Errorf("%d bytes: %s, want %s", len(c.name), got[0].Value.Bytes, c.want)
			}
			restored(t, r)
		}
	}
}

// TestRecordsLibraries finds libraries of functions in the header and between
// keys, and the values after them.
func TestRecordsLibraries(t *testing.T) {
	big := strings.Repeat("x", 6*scannerAhead)
	packed := "#!lua name=lib\n" + strings.Repeat("a", 100)
	b := newRDB("REDIS0010").raw(0xf5).str(big).raw(0xf5, 0xc3).len(uint64(len(lzf(packed)))).len(uint64(len(packed))).raw(lzf(packed))
	in := b.key(0, "first").str("v").raw(0xf5).str("between").key(1, "k").len(2).str("a").str("b").end()
	for how, source := range sources(in) {
		var texts []string
		r := NewRecords(t.Context(), source, RecordOptions{Library: func(p *Payload) error {
			text, err := p.Text()
			texts = append(texts, string(text))
			all := payloadBytes(t, p)
			if !bytes.Contains(in, all[:len(all)-footerSize]) || all[0] != 0xf5 || p.version != 10 {
				t.Errorf("%s: payload of %d bytes, version %d", how, len(all), p.version)
			}
			return err
		}})
		keys := 0
		for r.Next() {
			if keys++; keys == 2 && len(copyElements(t, r, noLimits)) != 2 {
				t.Errorf("%s: elements are missing", how)
			}
		}
		if r.Close(); keys != 2 || r.Err() != nil || !slices.Equal(texts, []string{big, packed, "between"}) {
			t.Errorf("%s: %d keys, %v, %d libraries", how, keys, r.Err(), len(texts))
		}
	}
	wrong := errors.New("no more")
	r := NewRecords(t.Context(), bytes.NewReader(in), RecordOptions{Library: func(*Payload) error { return wrong }})
	if r.Next() || r.Err() != wrong {
		t.Errorf("%v, want %v", r.Err(), wrong)
	}
}

// TestPayload has what is not simply type and value.
func TestPayload(t *testing.T) {
	names := newRDB("").len(2).str("f", "gg").b
	meta := newRDB("").raw(0xf3).len(1).raw(1, 2, 3, 4).len(2).len(7).len(0).b
	for _, c := range []struct {
		what, magic string
		write       func(r *rdbBuilder)
		want        []byte
		version     int
	}{
		{"string", "REDIS0011", func(r *rdbBuilder) { r.key(0, "k").str("v") }, newRDB("").raw(0).str("v").b, 6},
		{"quicklist", "REDIS0012", func(r *rdbBuilder) { r.key(18, "k").len(1).len(2).str(listpack("b")) }, newRDB("").raw(18).len(1).len(2).str(listpack("b")).b, 10},
		{"Valkey's hash", "VALKEY080", func(r *rdbBuilder) { r.key(22, "k").len(1).str("f", "v").le64(-1) }, newRDB("").raw(22).len(1).str("f", "v").le64(-1).b, 80},
		{"a type of Valkey and Redis", "VALKEY080", func(r *rdbBuilder) { r.key(20, "k").str(listpack("a")) }, newRDB("").raw(20).str(listpack("a")).b, 11},
		{"hash with TTL", "REDIS0012", func(r *rdbBuilder) { r.key(24, "k").le64(5000).len(1).len(0).str("f", "v") }, newRDB("").raw(24).le64(5000).len(1).len(0).str("f", "v").b, 12},
		{"template listpack", "REDIS0015", func(r *rdbBuilder) {
			r.raw(242).len(3).len(2).str("f", "gg").key(30, "k").str(listpack(3, "v", "w"))
		}, newRDB("").raw(29, 1, names).str(listpack(3, "v", "w")).b, 15},
		{"template array", "REDIS0015", func(r *rdbBuilder) {
			r.raw(242).len(3).len(1).str("x").raw(242).len(300).len(2).str("f", "gg").key(32, "k").len(300).str("v", "w")
		}, newRDB("").raw(31, 1, names).str("v", "w").b, 15},
		{"metadata", "REDIS0013", func(r *rdbBuilder) { r.raw(meta).raw(0xfa).str("a", "b").key(0, "k").str("v") }, newRDB("").raw(meta).raw(0).str("v").b, 13},
		{"KeyDB's job", "REDIS0009", func(r *rdbBuilder) { r.key(64, "k").str("s").raw(make([]byte, 16)).len(0).len(0) },
			newRDB("").raw(64).str("s").raw(make([]byte, 16)).len(0).len(0).b, 9},
	} {
		b := newRDB(c.magic)
		c.write(b)
		in := b.end()
		for how, source := range sources(in) {
			got := payload(t, find(t, source, -1, "k"))
			version := int(binary.LittleEndian.Uint16(got[len(got)-footerSize:]))
			if !bytes.Equal(got[:len(got)-footerSize], c.want) || version != c.version {
				t.Errorf("%s, %s: version %d, %q, want %d, %q", c.what, how, version, got, c.version, c.want)
			}
		}
	}
}

// TestRecordsChangedFile has a source that is not what it was.
func TestRecordsChangedFile(t *testing.T) {
	in := newRDB("REDIS0011").key(4, "k").len(1000).raw(strings.Repeat("\x01f\x01v", 1000)).end()
	for _, what := range []string{"shorter", "other"} {
		file := bytes.NewReader(in)
		r := find(t, random{file}, -1, "k")
		if what == "shorter" {
			file.Reset(in[:20])
		} else {
			file.Reset(bytes.Repeat([]byte{0xff}, len(in)))
		}
		var again *RereadError
		if err := r.Visit(&Visitor{}); !errors.As(err, &again) {
			t.Errorf("%s: visit: %v", what, err)
		}
		if p, err := r.Payload(); err != nil {
			t.Error(err)
		} else if _, err := p.WriteTo(io.Discard); what == "shorter" && !errors.As(err, &again) {
			t.Errorf("%s: payload: %v", what, err)
		}
	}
}

// countingAt counts the bytes of random access.
type countingAt struct {
	random
	n int
}

func (c *countingAt) ReaderAt() io.ReaderAt { return c }

func (c *countingAt) ReadAt(p []byte, off int64) (int, error) {
	c.n += len(p)
	return c.random.ReadAt(p, off)
}
