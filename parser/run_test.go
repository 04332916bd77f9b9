package parser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// TestChecksum tells the outcomes apart, with and without options.
func TestChecksum(t *testing.T) {
	body := func() *rdbBuilder { return newRDB("REDIS0011").key(0, "k").str("v") }
	sound := body().end()
	tests := []struct {
		name string
		in   []byte
		opt  Options
		want Checksum
		err  string
	}{
		{"right", sound, Options{}, ChecksumOK, ""},
		{"right, strict", sound, Options{Strict: true}, ChecksumOK, ""},
		{"right, not looked at", sound, Options{NoChecksum: true}, ChecksumUnread, ""},
		{"off", body().endOff(), Options{}, ChecksumOff, ""},
		{"off, not looked at", body().endOff(), Options{NoChecksum: true}, ChecksumOff, ""},
		{"off, strict", body().endOff(), Options{Strict: true}, ChecksumOff, "the checksum is switched off"},
		{"wrong", flipped(sound, -1), Options{}, ChecksumMismatch, "the checksum is wrong"},
		{"wrong, not looked at", flipped(sound, -1), Options{NoChecksum: true}, ChecksumUnread, ""},
		{"missing", sound[:len(sound)-8], Options{}, ChecksumMissing, "0 of its 8 bytes"},
		{"short", sound[:len(sound)-1], Options{}, ChecksumMissing, "7 of its 8 bytes"},
		{"short, not looked at", sound[:len(sound)-1], Options{NoChecksum: true}, ChecksumMissing, "7 of its 8 bytes"},
		{"none", newRDB("REDIS0004").key(0, "k").str("v").endNone(), Options{}, ChecksumNone, ""},
		{"none, strict", newRDB("REDIS0004").key(0, "k").str("v").endNone(), Options{Strict: true}, ChecksumNone, ""},
		{"version 5", newRDB("REDIS0005").key(0, "k").str("v").end(), Options{}, ChecksumOK, ""},
	}
	for _, tt := range tests {
		a, b := scanned(bytes.NewReader(tt.in), tt.opt, smallBlock), ran(bytes.NewReader(tt.in), tt.opt, 2)
		if d := difference(a, b); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if a.info.Checksum != tt.want || len(a.lines) != 1 {
			t.Errorf("%s: %v, %d keys", tt.name, a.info.Checksum, len(a.lines))
		}
		var damage *DamageError
		if tt.err == "" && a.err != nil || tt.err != "" && (!errors.As(a.err, &damage) || !strings.Contains(damage.Reason.Quoted(), tt.err) || string(damage.LastKey) != "k") {
			t.Errorf("%s: %v", tt.name, a.err)
		}
	}
}

// many is a snapshot of n keys of all sizes in several databases.
func many(n int) []byte {
	r := newRDB("REDIS0011").aux("redis-ver", "7.2.4")
	for i := range n {
		if i%1000 == 0 {
			r.raw(0xfe).len(uint64(i / 1000))
		}
		switch name := fmt.Sprintf("key:%d", i); i % 5 {
		case 0:
			r.key(0, name).str(strings.Repeat("x", i%3000))
		case 1:
			r.raw(0xfc).le64(int64(i)).key(2, name).len(2).str("a", name)
		case 2:
			r.key(16, name).str(listpack("field", i, name, "value"))
		case 3:
			r.key(28, name).len(1).len(0).len(7).len(0).str("not for blocks")
		default:
			r.key(5, name).len(1).str(name).le64(1)
		}
	}
	return r.end()
}

// parts reads a snapshot and returns the keys of each part in the order in which
// they are folded.
func parts(t *testing.T, r io.Reader, jobs int) (out []string) {
	t.Helper()
	begun := 0
	opt := Options{Jobs: jobs, Header: func(*Info) { begun++ }}
	info, err := run(t.Context(), r, opt, lineSinks(func(lines []string, _ bool) error {
		out = append(out, strings.Join(lines, "\n"))
		return nil
	}), smallBlock)
	if err != nil || begun != 1 || info.Checksum != ChecksumOK {
		t.Errorf("%d jobs: %v, begun %d times, checksum %v", jobs, err, begun, info.Checksum)
	}
	return out
}

// TestParts checks that the parts depend neither on the number of jobs nor on the
// sizes of the source's reads.
func TestParts(t *testing.T) {
	in := many(8000)
	want := parts(t, bytes.NewReader(in), 1)
	if len(want) < 30 {
		t.Fatalf("only %d parts", len(want))
	}
	for _, jobs := range []int{0, 1, 2, 3, 8, 64} {
		for how, r := range map[string]io.Reader{"whole": bytes.NewReader(in), "half": iotest.HalfReader(bytes.NewReader(in))} {
			if got := parts(t, r, jobs); !slices.Equal(got, want) {
				t.Errorf("%d jobs, %s: other parts: %d, want %d", jobs, how, len(got), len(want))
			}
		}
	}
}

// TestInterrupted cancels a pass: what was folded are the first keys, and the
// error says why.
func TestInterrupted(t *testing.T) {
	in := many(8000)
	whole := ran(bytes.NewReader(in), Options{}, 1).lines
	for _, jobs := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		info, err := run(ctx, bytes.NewReader(in), Options{Jobs: jobs}, lineSinks(func(lines []string, _ bool) error {
			if got = append(got, lines...); len(got) > 500 {
				cancel()
			}
			return nil
		}), smallBlock)
		var damage *DamageError
		if !errors.Is(err, context.Canceled) || !errors.As(err, &damage) || damage.Reason.Quoted() != "interrupted" {
			t.Errorf("%d jobs: %v", jobs, err)
		} else if name := fmt.Sprintf("%q", damage.LastKey); !strings.Contains(got[len(got)-1], name) {
			t.Errorf("%d jobs: last key %s, but %s", jobs, name, got[len(got)-1])
		}
		if len(got) == len(whole) || !slices.Equal(got, whole[:len(got)]) || info.Keys != int64(len(got)) {
			t.Errorf("%d jobs: %d keys folded, %d counted of %d", jobs, len(got), info.Keys, len(whole))
		}
		cancel()
	}
}

// TestInterruptedWithinKey cancels a pass in the middle of keys that are far
// larger than a block, whichever way they are walked: it must not read on to
// their end.
func TestInterruptedWithinKey(t *testing.T) {
	element := strings.Repeat("\x05value", 2*smallBlock/6)
	for name, head := range map[string]*rdbBuilder{
		"hash":        newRDB("REDIS0011").key(0, "good").str("1").key(4, "large").len(1 << 40),
		"plain list":  newRDB("REDIS0011").key(0, "good").str("1").key(1, "large").len(1 << 40),
		"string":      newRDB("REDIS0011").key(0, "good").str("1").key(0, "large").len(1 << 40),
		"name":        newRDB("REDIS0011").key(0, "good").str("1").raw(0).len(1 << 40),
		"long header": newRDB("REDIS0011").key(0, "good").str("1").raw(0xfa).str("aux").len(1 << 40),
	} {
		for _, jobs := range []int{1, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			src := &endless{head: head.b, more: element, at: 50 * smallBlock, then: cancel}
			info, err := run(ctx, src, Options{Jobs: jobs}, newNoSink, smallBlock)
			var damage *DamageError
			if !errors.Is(err, context.Canceled) || !errors.As(err, &damage) || damage.Reason.Quoted() != "interrupted" || string(damage.LastKey) != "good" {
				t.Errorf("%s, %d jobs: %.200v", name, jobs, err)
			}
			if info.Keys != 1 || src.read > 52*smallBlock {
				t.Errorf("%s, %d jobs: %d keys, read on to byte %d", name, jobs, info.Keys, src.read)
			}
			cancel()
		}
	}
}

// TestInterruptedAhead cancels a pass in the middle of a key, while all blocks but one are
// being filled from a compressed file.
func TestInterruptedAhead(t *testing.T) {
	in := newRDB("REDIS0011").key(0, "good").str("1").key(0, "large").len(1 << 40).b
	src, err := Wrap(bytes.NewReader(packers["gzip"](append(in, make([]byte, 100*smallBlock)...))))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	ctx := &endingContext{Context: t.Context()}
	ctx.left.Store(10)
	if info, err := run(ctx, src, Options{Jobs: 1}, newNoSink, smallBlock); !errors.Is(err, context.Canceled) || info.Keys != 1 {
		t.Errorf("%d keys, %v", info.Keys, err)
	}
}

// endingContext ends when it was asked some times.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedStall cancels a pass whose source delivered some bytes and then
// nothing: all keys that were delivered whole are folded.
func TestInterruptedStall(t *testing.T) {
	in := many(200)
	offsets := []int64{}
	s := NewScanner(bytes.NewReader(in), Options{})
	for s.Scan() {
		offsets = append(offsets, s.Key().Offset)
	}
	for at := 9; at < len(in); at += 97 {
		ctx, cancel := context.WithCancel(t.Context())
		src := &stalled{in: in[:at], ctx: ctx, then: cancel}
		info, err := Run(ctx, src, Options{Jobs: 2}, newNoSink)
		var damage *DamageError
		if !errors.Is(err, context.Canceled) || !errors.As(err, &damage) || damage.Reason.Quoted() != "interrupted" {
			t.Fatalf("%d bytes: %v", at, err)
		}
		begun := 0 // keys whose first byte was delivered; the last may not be whole
		for begun < len(offsets) && offsets[begun] < int64(at) {
			begun++
		}
		if info.Keys < int64(begun-1) || info.Keys > int64(begun) {
			t.Fatalf("%d bytes: %d keys, want %d or one less", at, info.Keys, begun)
		}
	}
}

// stalled delivers some bytes, calls a function, and blocks until the context ends.
type stalled struct {
	in   []byte
	ctx  context.Context
	then func()
}

func (s *stalled) Read(p []byte) (int, error) {
	if len(s.in) > 0 {
		n := copy(p, s.in)
		s.in = s.in[n:]
		return n, nil
	}
	s.then()
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// endless is a source without an end. It calls a function once it has returned a
// number of bytes.
type endless struct {
	head []byte
	more string
	read int
	at   int
	then func()
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.head)
	if e.head = e.head[n:]; n == 0 {
		n = copy(p, e.more)
	}
	if e.read += n; e.read >= e.at {
		e.then()
	}
	if e.read > 200*e.at {
		return 0, io.ErrUnexpectedEOF // enough
	}
	return n, nil
}

// TestFlushFails ends a run by an error of its own.
func TestFlushFails(t *testing.T) {
	full := errors.New("no more")
	for _, jobs := range []int{1, 4} {
		flushes := 0
		_, err := run(t.Context(), bytes.NewReader(many(8000)), Options{Jobs: jobs}, lineSinks(func([]string, bool) error {
			if flushes++; flushes == 3 {
				return full
			}
			return nil
		}), smallBlock)
		if err != full || flushes != 3 {
			t.Errorf("%d jobs: %v after %d flushes", jobs, err, flushes)
		}
	}
}

// TestSourceFails reads from a disk that fails: neither the end of the file nor
// damage of its own.
func TestSourceFails(t *testing.T) {
	disk := errors.New("input/output error")
	in := many(3000)
	for _, n := range []int{0, 1, 5, 8, 9, 100, 5000, smallBlock, smallBlock + 1, len(in) - 10, len(in) - 1} {
		reader := func() io.Reader { return io.MultiReader(bytes.NewReader(in[:n]), iotest.ErrReader(disk)) }
		a, b := scanned(reader(), Options{}, smallBlock), ranSmall(reader(), Options{}, 2)
		if d := difference(a, b); d != "" {
			t.Errorf("after %d bytes: %s", n, d)
		}
		if !errors.Is(a.err, disk) || !strings.Contains(a.err.Error(), "input/output error") {
			t.Errorf("after %d bytes: %v", n, a.err)
		}
	}
	// Behind the snapshot it does not matter.
	if o := scanned(io.MultiReader(bytes.NewReader(in), iotest.ErrReader(disk)), Options{}, smallBlock); o.err != nil {
		t.Error(o.err)
	}
	for _, read := range []func(io.Reader) outcome{
		func(r io.Reader) outcome { return scanned(r, Options{}, smallBlock) },
		func(r io.Reader) outcome { return ranSmall(r, Options{}, 2) },
	} {
		if o := read(iotest.ErrReader(disk)); !errors.Is(o.err, disk) {
			t.Errorf("at once: %v", o.err)
		}
	}
}

// TestScannerEnds checks what a Scanner reports after the last key.
func TestScannerEnds(t *testing.T) {
	in := many(10)
	s := NewScanner(bytes.NewReader(in), Options{})
	if s.Key() != nil || s.Err() != nil || s.Info().ServerVersion != "7.2.4" {
		t.Errorf("before the first key: %v, %v, %q", s.Key(), s.Err(), s.Info().ServerVersion)
	}
	n := 0
	for k, err := range s.All() {
		if err != nil || k == nil {
			t.Errorf("%v, %v", k, err)
		}
		n++
	}
	if n != 10 || s.Scan() || s.Key() != nil || s.Err() != nil {
		t.Errorf("%d keys, then %v, %v", n, s.Key(), s.Err())
	}
	s = NewScanner(bytes.NewReader(in[:len(in)-20]), Options{})
	var last error
	for k, err := range s.All() {
		if last = err; err != nil && k != nil {
			t.Errorf("a key with an error")
		}
	}
	if last == nil || last != s.Err() || s.Scan() {
		t.Errorf("%v, %v", last, s.Err())
	}
	for range NewScanner(bytes.NewReader(in), Options{}).All() {
		break // early, and that is all
	}
}

// TestFramesAndEnd checks the frames around a snapshot and the bytes after it.
func TestFramesAndEnd(t *testing.T) {
	p := many(10)
	s, err := Wrap(bytes.NewReader(gzipped(t, join("$EOF:", mark, "\r\n", p, mark, "tail"))))
	if err != nil {
		t.Fatal(err)
	}
	o := ran(s, Options{}, 2)
	if o.err != nil || o.info.Trailing != 4 || !slices.Equal(o.info.Frames, []string{"gzip", "replication-eof"}) {
		t.Errorf("%v, %d bytes after it, frames %q", o.err, o.info.Trailing, o.info.Frames)
	}
	if s, err = Wrap(bytes.NewReader(join("$EOF:", mark, "\r\n", p))); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	if o := ran(s, Options{}, 2); !errors.As(o.err, &damage) || !strings.Contains(damage.Reason.Quoted(), "closing mark") || len(o.lines) != 10 || string(damage.LastKey) != "key:9" {
		t.Errorf("%v after %d keys", o.err, len(o.lines))
	}
}

// TestDatabaseAfterRareRecords selects databases beside what is not cut off in blocks:
// the keys that follow are in the database that was selected last.
func TestDatabaseAfterRareRecords(t *testing.T) {
	for what, rare := range map[string]func(r *rdbBuilder){
		"an expiry before the selection": func(r *rdbBuilder) { r.raw(0xfc).le64(5).raw(0xfe, 5) },
		"a header field before it":       func(r *rdbBuilder) { r.aux("name", "value").raw(0xfe, 5) },
		"a header field behind it":       func(r *rdbBuilder) { r.raw(0xfe, 5).aux("name", "value") },
		"a function between":             func(r *rdbBuilder) { r.raw(0xfe, 4).raw(0xf5).str("text").raw(0xfe, 5) },
		"an array":                       func(r *rdbBuilder) { r.raw(0xfe, 5).key(28, "a").len(1).len(0).len(7).len(0).str("v") },
	} {
		r := newRDB("REDIS0014").key(0, "before").str("v")
		rare(r)
		for i := range 400 { // several blocks
			r.key(0, fmt.Sprint("behind", i)).str(strings.Repeat("v", 1000))
		}
		in := r.end()
		for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "one job": ranSmall(bytes.NewReader(in), Options{}, 1), "two jobs": ranSmall(bytes.NewReader(in), Options{}, 2)} {
			if o.err != nil || len(o.lines) < 401 || !strings.HasPrefix(o.lines[0], `0 "before"`) {
				t.Fatalf("%s, %s: %d keys, %v", what, how, len(o.lines), o.err)
			}
			for i, line := range o.lines[len(o.lines)-400:] {
				if !strings.HasPrefix(line, fmt.Sprintf(`5 "behind%d"`, i)) {
					t.Fatalf("%s, %s: key %d is %s", what, how, i, line)
				}
			}
		}
	}
}

// TestLongStringsOfModules passes compressed strings of a module that nobody knows,
// which are longer than a buffer.
func TestLongStringsOfModules(t *testing.T) {
	for _, n := range []int{1, 5000, smallBlock - 100, smallBlock, 3 * smallBlock} {
		text := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)
		var lzf []byte
		for part := range slices.Chunk(text, 32) {
			lzf = append(append(lzf, byte(len(part)-1)), part...)
		}
		r := newRDB("REDIS0011").key(7, "module").len(moduleID("unknown-1", 1))
		r.len(5).raw(0xc3).len(uint64(len(lzf))).len(uint64(len(text))).raw(lzf).len(2).len(7).len(0)
		in := r.key(0, "after").str("v").end()
		for how, o := range map[string]outcome{"scanner": scanned(bytes.NewReader(in), Options{}, smallBlock), "run": ranSmall(bytes.NewReader(in), Options{}, 2)} {
			if o.err != nil || len(o.lines) != 2 || !strings.HasPrefix(o.lines[1], `0 "after"`) {
				t.Errorf("%d bytes, %s: %q, %v", len(text), how, o.lines, o.err)
			}
		}
	}
}
