package parser

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rdblens/rdblens/parser/internal/memory"
	"github.com/rdblens/rdblens/testdata/testtool"
)

var everyByte = flag.Bool("every-byte", false, "cut and flip every byte of every fixture, not only of the small ones")

// allFixtures are the snapshots of real servers and those made by hand.
func allFixtures(t testing.TB) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	err := filepath.WalkDir("../testdata", func(path string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".rdb" && ext != ".aof" && ext != ".bin" && ext != ".dfs" {
			return err
		}
		in, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = in
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range formats() {
		all["by hand: "+f.name] = f.in
	}
	return all
}

// withMemory has the memory of every key computed, too.
var withMemory = Options{Memory: func(in *Info) *memory.Model {
	m, _, _ := memory.Choose(in.Server, in.ServerVersion, memory.Options{RDB: in.Version})
	return m
}}

// wrapped reads a snapshot without the frames that surround it.
func wrapped(in io.Reader, read func(io.Reader) outcome) outcome {
	s, err := Wrap(in)
	if err != nil {
		return outcome{info: &Info{}, err: err}
	}
	defer s.Close()
	return read(s)
}

// difference says in which way two passes over the same bytes differ, "" in none.
func difference(a, b outcome) string {
	for i := range max(len(a.lines), len(b.lines)) {
		switch {
		case i >= len(a.lines):
			return "further key " + b.lines[i]
		case i >= len(b.lines):
			return "missing key " + a.lines[i]
		case a.lines[i] != b.lines[i]:
			return fmt.Sprintf("key %s\n and %s", a.lines[i], b.lines[i])
		}
	}
	if ea, eb := inFull(a.err), inFull(b.err); ea != eb {
		return fmt.Sprintf("error %s\n  and %s", ea, eb)
	}
	ia, ib := *a.info, *b.info
	ia.Trailing, ib.Trailing = 0, 0 // as far as it was looked at
	if sa, sb := fmt.Sprintf("%+v", ia), fmt.Sprintf("%+v", ib); sa != sb {
		return fmt.Sprintf("%s\n and %s", sa, sb)
	}
	return ""
}

func inFull(err error) string {
	var d *DamageError
	if errors.As(err, &d) {
		return fmt.Sprintf("at %d: %s; last key %q, key %q", d.Offset, d.Reason.Quoted(), d.LastKey, d.Key)
	}
	return fmt.Sprint(err)
}

// TestReaders reads every fixture in every way, with the same result.
func TestReaders(t *testing.T) {
	for name, in := range allFixtures(t) {
		want := wrapped(bytes.NewReader(in), func(r io.Reader) outcome { return scanned(r, withMemory, scanBlock) })
		if want.err != nil {
			t.Errorf("%s: %v", name, want.err)
		}
		for how, read := range map[string]func(r io.Reader) outcome{
			"small blocks":    func(r io.Reader) outcome { return scanned(r, withMemory, smallBlock) },
			"half":            func(r io.Reader) outcome { return scanned(iotest.HalfReader(r), withMemory, smallBlock) },
			"byte by byte":    func(r io.Reader) outcome { return scanned(iotest.OneByteReader(r), withMemory, smallBlock) },
			"data with error": func(r io.Reader) outcome { return scanned(iotest.DataErrReader(r), withMemory, smallBlock) },
			"one job":         func(r io.Reader) outcome { return ran(r, withMemory, 1) },
			"two jobs":        func(r io.Reader) outcome { return ran(r, withMemory, 2) },
			"four jobs":       func(r io.Reader) outcome { return ran(r, withMemory, 4) },
			"small jobs":      func(r io.Reader) outcome { return ranSmall(r, withMemory, 2) },
		} {
			got := wrapped(bytes.NewReader(in), read)
			got.info.Frames = want.info.Frames // not seen through another reader
			if d := difference(want, got); d != "" {
				t.Errorf("%s, %s: %s", name, how, d)
			}
		}
	}
}

// stride is how far apart the bytes are that a test tries: each night all of a small
// fixture and 40 of a large one, else 16 of each.
func stride(n int) int {
	switch {
	case *everyByte:
		return 1
	case !testtool.Nightly():
		return n/16 + 1
	case n < 4<<10:
		return 1
	}
	return n / 40
}

// TestTruncated cuts fixtures at every byte: what is whole stays, the rest is
// said to be missing.
func TestTruncated(t *testing.T) {
	for name, in := range allFixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := wrapped(bytes.NewReader(in), func(r io.Reader) outcome { return scanned(r, Options{}, smallBlock) })
			end := bytes.Index(in, []byte(whole.info.Magic)) + int(whole.info.Bytes)
			if strings.HasSuffix(name, ".dfs") { // Bytes counts what compressed blocks unpack to
				end = len(in) - int(whole.info.Trailing)
			}
			for i := 0; i < len(in); i += stride(len(in)) {
				o := wrapped(bytes.NewReader(in[:i]), func(r io.Reader) outcome { return scanned(r, Options{}, smallBlock) })
				checkDamage(t, fmt.Sprintf("cut at %d", i), whole, o)
				if i < end && o.err == nil {
					t.Errorf("cut at %d: no error", i)
				}
				if i%16 == 0 {
					ran := wrapped(bytes.NewReader(in[:i]), func(r io.Reader) outcome { return ranSmall(r, Options{}, 2) })
					if d := difference(o, ran); d != "" {
						t.Errorf("cut at %d: %s", i, d)
					}
				}
			}
		})
	}
}

// checkDamage checks that a part of a snapshot has the first keys of the whole,
// and an error that fits.
func checkDamage(t *testing.T, name string, whole, o outcome) {
	t.Helper()
	if len(o.lines) > len(whole.lines) || !slices.Equal(o.lines, whole.lines[:len(o.lines)]) {
		t.Errorf("%s: other keys", name)
	}
	if o.err == nil && len(o.lines) != len(whole.lines) {
		t.Errorf("%s: %d of %d keys, and no error", name, len(o.lines), len(whole.lines))
	}
	checkError(t, name, o)
}

func checkError(t *testing.T, name string, o outcome) {
	t.Helper()
	var damage *DamageError
	var format *FormatError
	switch {
	case o.err == nil || errors.As(o.err, &format):
	case !errors.As(o.err, &damage):
		t.Errorf("%s: %T %v", name, o.err, o.err)
	case strings.Contains(damage.Reason.Quoted(), "internal error"):
		t.Errorf("%s: a claim went unchecked: %v", name, damage)
	case (damage.LastKey == nil) != (len(o.lines) == 0):
		t.Errorf("%s: last key %q after %d keys", name, damage.LastKey, len(o.lines))
	}
	if o.info.Keys != int64(len(o.lines)) {
		t.Errorf("%s: %d keys counted, %d delivered", name, o.info.Keys, len(o.lines))
	}
}

// TestFlipped changes every byte of fixtures. Where the checksum is on, no
// other result than the right one comes without an error.
func TestFlipped(t *testing.T) {
	for name, in := range allFixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := wrapped(bytes.NewReader(in), func(r io.Reader) outcome { return scanned(r, Options{}, smallBlock) })
			magic := bytes.Index(in, []byte(whole.info.Magic)) // not found where it is compressed
			for i := 0; i < len(in); i += stride(len(in)) {
				masks := []byte{0xff, 0x01, 0x80}
				if len(in) > 1<<10 && !*everyByte {
					masks = masks[i%3:][:1]
				}
				for _, mask := range masks {
					bad := slices.Clone(in)
					bad[i] ^= mask
					o := wrapped(bytes.NewReader(bad), func(r io.Reader) outcome { return scanned(r, Options{}, smallBlock) })
					what := fmt.Sprintf("byte %d ^ %#x", i, mask)
					checkError(t, what, o)
					if whole.info.Checksum == ChecksumOK && o.err == nil && !slices.Equal(o.lines, whole.lines) {
						t.Errorf("%s: other keys, and no error", what)
					}
					if whole.info.Checksum == ChecksumOK && o.err == nil && magic >= 0 && i >= magic && i < magic+9 {
						t.Errorf("%s: another header, and no error", what)
					}
					if i%16 == 0 {
						ran := wrapped(bytes.NewReader(bad), func(r io.Reader) outcome { return ranSmall(r, Options{}, 2) })
						if d := difference(o, ran); d != "" {
							t.Errorf("%s: %s", what, d)
						}
					}
				}
			}
		})
	}
}

// TestVersion reads snapshots that contradict their version, where no checksum
// shows whether it is what was written. Versions are those of rdb.h in the
// releases of Redis and Valkey.
func TestVersion(t *testing.T) {
	body := func(magic string) *rdbBuilder { return newRDB(magic).key(0, "first").str("v") }
	for _, c := range []struct {
		in  []byte
		err string
	}{
		{append(body("REDIS0004").raw(255).b, 1, 2, 3, 4, 5, 6, 7, 8), "eight bytes follow"},
		{append(body("REDIS0004").raw(255).b, 0, 0, 0, 0, 0, 0, 0, 0), "eight bytes follow"},
		{append(body("REDIS0004").raw(255).b, '*', '1', '\r', '\n', '$', '4'), ""},
		{body("REDIS0004").raw(255).b, ""},
		{body("REDIS0001").key(12, "z").str(ziplist("m", "1")).raw(255).b, "version 1, but has type 12, which exists from version 2 on"},
		{body("REDIS0002").key(12, "z").str(ziplist("m", "1")).raw(255).b, ""},
		{body("REDIS0003").raw(252).le64(1).key(0, "k").str("v").raw(255).b, ""},
		{body("REDIS0002").raw(252).le64(1).key(0, "k").str("v").raw(255).b, "version 2, but has opcode 252, which exists from version 3 on"},
		{body("REDIS0002").raw(253).le32(1).key(0, "k").str("v").raw(255).b, ""},
		{body("REDIS0006").key(14, "l").len(0).raw(255).le64(0).b, "version 6, but has type 14, which exists from version 7 on"},
		{body("REDIS0009").key(20, "s").str(listpack("m")).raw(255).le64(0).b, "version 9, but has type 20, which exists from version 11 on"},
		{body("REDIS0010").key(20, "s").str(listpack("m")).raw(255).le64(1).b, "version 10, but has type 20, which exists from version 11 on"},
		{newRDB("REDIS0009").aux("df-ver", "1.2").key(18, "first").len(1).len(2).str(listpack("a")).raw(255).le64(0).b, ""},
		{body("VALKEY080").key(22, "h").len(0).raw(255).le64(0).b, ""},
		{body("VALKEY008").raw(255).le64(0).b, "version 8, but the magic VALKEY exists from version 80 on"},
		{body("VALKEY001").raw(255).le64(0).b, "version 1, but the magic VALKEY exists from version 80 on"},
	} {
		o := scanned(bytes.NewReader(c.in), Options{}, smallBlock)
		if c.err == "" && o.err != nil || c.err != "" && (o.err == nil || !strings.Contains(o.err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.in, o.err, c.err)
		}
		if len(o.lines) == 0 || !strings.Contains(o.lines[0], "first") {
			t.Errorf("%q: keys %q", c.in, o.lines)
		}
		if d := difference(o, ranSmall(bytes.NewReader(c.in), Options{}, 2)); d != "" {
			t.Errorf("%q: %s", c.in, d)
		}
	}
	// Each of the nine bytes of the header counts.
	for _, magic := range []string{"REDIS0011", "VALKEY080"} {
		for i := range magic {
			wrong := []byte(body(magic).end())
			wrong[i] = 'x'
			if o := scanned(bytes.NewReader(wrong), Options{}, smallBlock); o.err == nil || !strings.Contains(o.err.Error(), "not a snapshot") || len(o.lines) != 0 {
				t.Errorf("%q: %v", wrong[:9], o.err)
			}
		}
		if o := scanned(strings.NewReader(magic[:8]), Options{}, smallBlock); o.err == nil {
			t.Errorf("%q is a snapshot", magic[:8])
		}
	}
	if o := scanned(bytes.NewReader(body("REDIS9011").end()), Options{}, smallBlock); o.info.Version != 9011 {
		t.Errorf("version %d, want 9011", o.info.Version)
	}
	sound := newRDB("REDIS0009").key(20, "s").str(listpack("m")).end()
	if o := scanned(bytes.NewReader(sound), Options{}, smallBlock); o.err != nil || len(o.info.Warnings) != 1 {
		t.Errorf("with a checksum that is right: %v, warnings %q", o.err, o.info.Warnings)
	}
}

// TestLargeDamaged cuts and flips keys that are larger than a block.
func TestLargeDamaged(t *testing.T) {
	plans := []string{"\x01", "\x02\x05\x0b\x16\x14", "\x00", "\x08\x1a\x23"}
	if !testtool.Nightly() {
		plans = plans[:2]
	}
	for kind := range largeTypes {
		for _, plan := range plans {
			in, _ := large([]byte(plan), kind)
			what := fmt.Sprintf("type %d, plan %q", largeTypes[kind], plan)
			var bad [][]byte
			for _, i := range []int{60, 1000, smallBlock - 1, smallBlock, smallBlock + 40, len(in) / 2, 2 * smallBlock, len(in) - 20, len(in) - 9} {
				bad = append(bad, in[:i], flipped(in, i), flipped(in, i+1), flipped(in, i+2), flipped(in, i+3))
			}
			for i, in := range bad {
				want := scanned(bytes.NewReader(in), withMemory, smallBlock)
				if want.err == nil {
					t.Errorf("%s, damage %d: no error", what, i)
				}
				checkError(t, what, want)
				for _, jobs := range []int{1, 3} {
					if d := difference(want, ranSmall(bytes.NewReader(in), withMemory, jobs)); d != "" {
						t.Errorf("%s, damage %d, %d jobs: %s", what, i, jobs, d)
					}
				}
			}
		}
	}
}
