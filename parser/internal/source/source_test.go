package source

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/parser/internal/crc64"
)

const mark = "0123456789abcdef0123456789abcdef01234567"

// sample is a whole snapshot of n keys whose values LZ4 can and cannot shorten.
func sample(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := []byte("REDIS0011\xfa\x09redis-ver\x057.2.4")
	for i := range n {
		b = append(b, 0)
		for _, s := range []string{fmt.Sprintf("key:%d", i), fmt.Sprintf("%d %d", rnd.Uint64(), i/7)} {
			b = append(append(b, byte(len(s))), s...)
		}
	}
	b = append(b, 0xff)
	return binary.LittleEndian.AppendUint64(b, crc64.Update(0, b))
}

func gzipped(t testing.TB, p []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(p)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdOf(t testing.TB, p []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(p, nil)
}

func lz4Of(t testing.TB, p []byte, opts ...lz4.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(append([]lz4.Option{lz4.BlockSizeOption(lz4.Block64Kb)}, opts...)...); err != nil {
		t.Fatal(err)
	}
	w.Write(p)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// join puts texts, bytes and numbers up to 255 together.
func join(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case byte:
			b = append(b, p)
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		default:
			panic("neither a byte nor a text")
		}
	}
	return b
}

// framed are inputs that hold the snapshot p, and the frames around it.
func framed(t testing.TB, p []byte) map[string]struct {
	frames []string
	bytes  []byte
} {
	type input = struct {
		frames []string
		bytes  []byte
	}
	skip := join("\x50\x2a\x4d\x18", "\x04\x00\x00\x00", "skip")
	vcs := join("VCS\x01\x01\x00\x01", lz4Of(t, p))
	length := fmt.Sprintf("$%d\r\n", len(p))
	return map[string]input{
		"plain":                    {nil, p},
		"gzip":                     {[]string{"gzip"}, gzipped(t, p)},
		"gzip in two members":      {[]string{"gzip"}, append(gzipped(t, p[:9]), gzipped(t, p[9:])...)},
		"gzip with an empty first": {[]string{"gzip"}, append(gzipped(t, nil), gzipped(t, p)...)},
		"gzip and garbage":         {[]string{"gzip"}, append(gzipped(t, p), "garbage after it"...)},
		"zstd":                     {[]string{"zstd"}, zstdOf(t, p)},
		"zstd best":                {[]string{"zstd"}, zstdOf(t, p, zstd.WithEncoderLevel(zstd.SpeedBestCompression))},
		"zstd behind a skip":       {[]string{"zstd"}, append(skip, zstdOf(t, p)...)},
		"zstd in two frames":       {[]string{"zstd"}, append(zstdOf(t, p[:9]), zstdOf(t, p[9:])...)},
		"zstd and garbage":         {[]string{"zstd"}, append(zstdOf(t, p), "garbage after it"...)},
		"lz4":                      {[]string{"lz4"}, lz4Of(t, p)},
		"lz4 large blocks":         {[]string{"lz4"}, lz4Of(t, p, lz4.BlockSizeOption(lz4.Block4Mb), lz4.BlockChecksumOption(true))},
		"lz4 with its length":      {[]string{"lz4"}, lz4Of(t, p, lz4.SizeOption(uint64(len(p))), lz4.ChecksumOption(false))},
		"lz4 behind a skip":        {[]string{"lz4"}, append(skip, lz4Of(t, p)...)},
		"lz4 in two frames":        {[]string{"lz4"}, join(lz4Of(t, p[:9]), skip, lz4Of(t, p[9:]))},
		"lz4 and garbage":          {[]string{"lz4"}, append(lz4Of(t, p), "garbage after it"...)},
		"vcs":                      {[]string{"vcs-lz4"}, vcs},
		"vcs and garbage":          {[]string{"vcs-lz4"}, append(slices.Clone(vcs), lz4Of(t, []byte("more"))...)},
		"vcs without checksums":    {[]string{"vcs-lz4"}, join("VCS\x01\x01\x01\x01", lz4Of(t, p, lz4.ChecksumOption(false)))},
		"vcs zstd":                 {[]string{"vcs-zstd"}, join("VCS\x01\x02\x00\x01", zstdOf(t, p))},
		"vcs zstd without a sum":   {[]string{"vcs-zstd"}, join("VCS\x01\x02\x01\x01", zstdOf(t, p, zstd.WithEncoderCRC(false)))},
		"vcs zstd and garbage":     {[]string{"vcs-zstd"}, join("VCS\x01\x02\x00\x01", zstdOf(t, p), zstdOf(t, []byte("more")))},
		"vcs zstd in a capture":    {[]string{"replication-eof", "vcs-zstd"}, join("$EOF:", mark, "\r\n", "VCS\x01\x02\x00\x01", zstdOf(t, p), mark)},
		"gzip around vcs":          {[]string{"gzip", "vcs-lz4"}, gzipped(t, vcs)},
		"replication eof":          {[]string{"replication-eof"}, join("$EOF:", mark, "\r\n", p, mark)},
		"replication length":       {[]string{"replication-length"}, join(length, p)},
		"keep-alives":              {[]string{"replication-eof"}, join("\n\n\n+FULLRESYNC ", mark, " 1234\r\n\n\n$EOF:", mark, "\r\n", p, mark)},
		"a whole handshake":        {[]string{"replication-length"}, join("+PONG\r\n+OK\r\n+OK\r\n+FULLRESYNC ", mark, " 0\r\n\n", length, p)},
		"gzip around a capture":    {[]string{"gzip", "replication-eof"}, gzipped(t, join("$EOF:", mark, "\r\n", p, mark))},
		"vcs in a capture":         {[]string{"replication-eof", "vcs-lz4"}, join("$EOF:", mark, "\r\n", vcs, mark)},
	}
}

// TestSource reads every frame through readers that give much, little, and
// data together with the error.
func TestSource(t *testing.T) {
	for _, n := range []int{0, 10, 20000} {
		p := sample(n)
		for name, in := range framed(t, p) {
			readers := map[string]func(io.Reader) io.Reader{"whole": nil, "half": iotest.HalfReader, "data with error": iotest.DataErrReader}
			if n < 100 {
				readers["byte by byte"] = iotest.OneByteReader
			}
			for how, reader := range readers {
				r := io.Reader(bytes.NewReader(in.bytes))
				if reader != nil {
					r = reader(r)
				}
				s, err := Wrap(r)
				if err != nil {
					t.Errorf("%d keys, %s, %s: %v", n, name, how, err)
					continue
				}
				got := make([]byte, len(p))
				if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, p) {
					t.Errorf("%d keys, %s, %s: other bytes, error %v", n, name, how, err)
				}
				if !slices.Equal(s.Frames(), in.frames) {
					t.Errorf("%s: frames %q, want %q", name, s.Frames(), in.frames)
				}
				if trailing, err := s.End(int64(len(p)), nil); trailing != 0 || err != nil {
					t.Errorf("%d keys, %s, %s: end: %d bytes trail, error %v", n, name, how, trailing, err)
				}
				if !strings.Contains(name, "garbage") && s.Progress() != int64(len(in.bytes)) {
					t.Errorf("%s: progress %d, want %d", name, s.Progress(), len(in.bytes))
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestSourceEnd reads beyond the snapshot, as a reader with a buffer does, and
// checks what the frame requires there.
func TestSourceEnd(t *testing.T) {
	p := sample(3)
	eof := "$EOF:" + mark + "\r\n"
	tests := []struct {
		name     string
		in       []byte
		trailing int64
		err      string
	}{
		{"plain", p, 0, ""},
		{"append-only file", join(p, "*1\r\n$4\r\nPING\r\n"), 14, ""},
		{"mark that a proxy left", join(p, mark), 40, ""},
		{"mark", join(eof, p, mark), 0, ""},
		{"mark and commands", join(eof, p, mark, "*1\r\n"), 4, ""},
		{"no mark", join(eof, p), 0, "closing mark"},
		{"short mark", join(eof, p, mark[:39]), 39, "closing mark"},
		{"other mark", join(eof, p, mark[:39], "8"), 40, "closing mark"},
		{"length", join(fmt.Sprintf("$%d\r\n", len(p)), p, "*1\r\n"), 4, ""},
		{"length too small", join(fmt.Sprintf("$%d\r\n", len(p)-1), p), 0, fmt.Sprintf("announces a snapshot of %d bytes and this one has %d", len(p)-1, len(p))},
		{"gzip", gzipped(t, join(p, "tail")), 4, ""},
		{"gzip with a wrong checksum", flipped(gzipped(t, p), -8), 0, "gzip data is damaged"},
		{"gzip cut in its checksum", gzipped(t, p)[:len(gzipped(t, p))-3], 0, "gzip data ends early"},
		{"lz4 with a wrong checksum", flipped(lz4Of(t, p), -1), 0, "lz4 data is damaged: a checksum differs"},
		{"lz4 cut before its end", lz4Of(t, p)[:len(lz4Of(t, p))-8], 0, "lz4 data ends early"},
		{"vcs zstd in a capture without a mark", join(eof, "VCS\x01\x02\x00\x01", zstdOf(t, p)), 0, "closing mark"},
		{"vcs in a capture without a mark", join(eof, "VCS\x01\x01\x00\x01", lz4Of(t, p)), 0, "closing mark"},
	}
	for _, tt := range tests {
		for _, ahead := range []int{0, 1, 39, 40, 100} {
			path := filepath.Join(t.TempDir(), "in")
			if err := os.WriteFile(path, tt.in, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got := make([]byte, len(p)+ahead)
			n, _ := io.ReadFull(s, got)
			if !bytes.HasPrefix(got[:n], p) {
				t.Fatalf("%s: other bytes", tt.name)
			}
			trailing, err := s.End(int64(len(p)), got[len(p):n])
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%s, %d ahead: error %v, want %q", tt.name, ahead, err, tt.err)
			}
			if trailing != tt.trailing {
				t.Errorf("%s, %d ahead: %d bytes trail, want %d", tt.name, ahead, trailing, tt.trailing)
			}
			if s.Size() != int64(len(tt.in)) {
				t.Errorf("%s: size %d, want %d", tt.name, s.Size(), len(tt.in))
			}
			s.Close()
		}
	}
}

func flipped(p []byte, i int) []byte {
	p = slices.Clone(p)
	if i < 0 {
		i += len(p)
	}
	p[i] ^= 0x10
	return p
}

func le32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// lz4Head is a frame's magic, flags, block size and more, with its checksum.
func lz4Head(flags, size byte, more ...byte) []byte {
	head := append([]byte{1<<6 | flags, size << 4}, more...)
	var sum xxh32
	sum.reset()
	sum.write(head)
	return append(join("\x04\x22\x4d\x18", head), byte(sum.sum()>>8))
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	var format *Error
	if _, err := Open(dir); !errors.As(err, &format) || format.Reason.Quoted() != "this is a directory" || strings.HasSuffix(format.Hint.String(), ": dump.rdb") {
		t.Errorf("directory: %v", err)
	}
	path := filepath.Join(dir, "dump.rdb")
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, sample(1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.As(err, &format) || !strings.HasSuffix(format.Hint.String(), ": dump.rdb") {
		t.Errorf("directory with a snapshot: %v", err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(make([]byte, 10<<10)); err != nil {
		t.Error(err) // what had been looked at
	}
	if _, err := s.raw.r.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
}

// TestSourceReadError tells an error of the disk from damage.
func TestSourceReadError(t *testing.T) {
	disk := errors.New("input/output error")
	p := sample(1000)
	for name, in := range framed(t, p) {
		for _, n := range []int{0, 3, 20, len(in.bytes) / 2} {
			s, err := Wrap(io.MultiReader(bytes.NewReader(in.bytes[:n]), iotest.ErrReader(disk)))
			if err == nil {
				_, err = io.Copy(io.Discard, s)
			}
			if !errors.Is(err, disk) {
				t.Errorf("%s, error after %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestSourceCut cuts and flips every byte of every frame: an error or other
// bytes, but neither a panic nor more bytes than there can be.
func TestSourceCut(t *testing.T) {
	p := sample(20)
	read := func(name string, in []byte) ([]byte, error) {
		s, err := Wrap(bytes.NewReader(in))
		if err != nil {
			return nil, err
		}
		defer s.Close()
		got, err := io.ReadAll(io.LimitReader(s, 1<<24))
		if len(got) == 1<<24 {
			t.Errorf("%s: too many bytes", name)
		}
		return got, err
	}
	for name, in := range framed(t, p) {
		for i := range in.bytes {
			if got, err := read(name, in.bytes[:i]); err == nil && !bytes.HasPrefix(append(p, mark...), got) {
				t.Errorf("%s: cut at %d: other bytes and no error", name, i)
			}
			read(name, flipped(in.bytes, i))
		}
	}
}

// TestLZ4Linked undoes blocks that reach back into those before them.
func TestLZ4Linked(t *testing.T) {
	first := strings.Repeat("REDIS0011 and more. ", 3277)[:64<<10]
	second := "what stands in the second block"
	in := join(lz4Head(0, 4), le32(1<<31|64<<10), first, le32(1<<31|uint32(len(second))), second)
	// No literal and a match of 4 bytes at the distance of 65,535, then one of
	// 10 bytes 2 back, then 5 literals.
	in = join(in, le32(12), 0x00, 0xff, 0xff, 0x06, 0x02, 0x00, 0x50, "final", le32(0))
	all := first + second
	all += all[len(all)-65535:][:4]
	for range 10 {
		all += all[len(all)-2:][:1]
	}
	all += "final"
	// Blocks are decompressed to where they are read if there is room for the largest.
	for _, sizes := range [][]int{{512}, {64 << 10}, {256 << 10}, {256 << 10, 512}, {512, 256 << 10}} {
		s, err := Wrap(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for i := 0; err == nil; i++ {
			var n int
			part := make([]byte, sizes[i%len(sizes)])
			n, err = s.Read(part)
			got = append(got, part[:n]...)
		}
		if err != io.EOF || string(got) != all {
			t.Errorf("read by %v: %d bytes, want %d, error %v", sizes, len(got), len(all), err)
		}
	}
	far := join(lz4Head(0, 4), le32(4), 0x00, 0x01, 0x00, 0x00, le32(0))
	if _, err := Wrap(bytes.NewReader(far)); err == nil {
		t.Error("a match before the beginning was accepted")
	}
}

// TestZstdWindow checks the limit on memory.
func TestZstdWindow(t *testing.T) {
	for size, fits := range map[int]bool{8 << 20: true, 32 << 20: true, 64 << 20: false, 512 << 20: false} {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b, zstd.WithWindowSize(size), zstd.WithSingleSegment(false), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(sample(10))
		w.Flush() // so that the length is not known when the head is written
		w.Close()
		s, err := Wrap(&b)
		if err == nil {
			s.Close()
		}
		var format *Error
		if fits != (err == nil) || !fits && (!errors.As(err, &format) || !strings.Contains(format.Hint.String(), "zstd -dc --long=31")) {
			t.Errorf("window of %d: %v", size, err)
		}
	}
}

// TestEmptyFrames checks that a decoder skips many empty frames without recursion:
// the stack is kept small.
func TestEmptyFrames(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	for name, frame := range map[string][]byte{
		"gzip": gzipped(t, nil),
		"zstd": zstdOf(t, nil, zstd.WithZeroFrames(true)),
		"lz4":  join(lz4Head(lz4Independent, 4), "\x00\x00\x00\x00"),
		"skip": []byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"),
	} {
		in := bytes.Repeat(frame, 100_000)
		if name == "skip" {
			in = append(in, lz4Of(t, sample(1))...)
		}
		if _, err := Wrap(bytes.NewReader(in)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestXXH32 compares with values of the reference implementation, xxhsum -H0.
func TestXXH32(t *testing.T) {
	for text, want := range map[string]uint32{"": 0x02cc5d05, "a": 0x550d7456, "abc": 0x32d153ff,
		"Nobody inspects the spammish repetition": 0xe2293b2f} {
		for cut := range len(text) + 1 {
			var x xxh32
			x.reset()
			x.write([]byte(text[:cut]))
			x.write([]byte(text[cut:]))
			if got := x.sum(); got != want {
				t.Errorf("%q cut at %d: %#x, want %#x", text, cut, got, want)
			}
		}
	}
}

func BenchmarkSource(b *testing.B) {
	p := sample(200000)
	buf := make([]byte, 1<<20)
	for _, kind := range []string{"plain", "gzip", "zstd", "lz4"} {
		in := framed(b, p)[kind].bytes
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := Wrap(bytes.NewReader(in))
				if err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := s.Read(buf); err != nil {
						break
					}
				}
				s.Close()
			}
		})
	}
}
