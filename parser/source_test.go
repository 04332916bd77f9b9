package parser

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
)

const mark = "0123456789abcdef0123456789abcdef01234567"

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

// join puts texts and bytes together.
func join(parts ...any) []byte { return new(rdbBuilder).raw(parts...).b }

func flipped(p []byte, i int) []byte {
	p = slices.Clone(p)
	if i < 0 {
		i += len(p)
	}
	p[i] ^= 0x10
	return p
}

// TestEnvelope reads a snapshot in Valkey's compressed envelope.
func TestEnvelope(t *testing.T) {
	r := newRDB("REDIS0011")
	for i := range 5 {
		r.key(0, fmt.Sprintf("key:%d", i)).str("value")
	}
	var packed bytes.Buffer
	w := lz4.NewWriter(&packed)
	w.Write(r.end())
	w.Close()
	s, err := Wrap(bytes.NewReader(join("VCS\x01\x01\x00\x01", packed.Bytes())))
	if err != nil {
		t.Fatal(err)
	}
	o := ran(s, Options{}, 2)
	if o.err != nil || len(o.lines) != 5 || o.info.Checksum != ChecksumOK || !slices.Equal(o.info.Frames, []string{"vcs-lz4"}) {
		t.Errorf("%d keys, checksum %v, frames %q, error %v", len(o.lines), o.info.Checksum, o.info.Frames, o.err)
	}
}

// TestSourceEndBetweenBlocks ends snapshots around the ends of blocks, with
// blocks read ahead behind them: what follows is counted once, whoever read it,
// and the mark is found wherever it lies.
func TestSourceEndBetweenBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	for _, behind := range []int{0, 5, 3*smallBlock + 7, 40 * smallBlock} {
		for _, over := range []int{-60, -45, -20, -1, 0, 1, 3 * smallBlock} {
			for _, head := range []string{"", "$EOF:" + mark + "\r\n"} {
				r := newRDB("REDIS0011")
				for size := 2*smallBlock + over - len(head); len(r.b) < size-80; {
					r.key(0, fmt.Sprintf("key:%d", len(r.b))).str("text")
				}
				r.key(0, "last").str(strings.Repeat("x", 2*smallBlock+over-len(head)-len(r.b)-16))
				in := join(head, r.end())
				if head != "" {
					in = join(in, mark)
				}
				in = join(in, make([]byte, behind))
				if err := os.WriteFile(path, in, 0o600); err != nil {
					t.Fatal(err)
				}
				for jobs := 1; jobs <= 4; jobs++ {
					file, err := Open(path)
					if err != nil {
						t.Fatal(err)
					}
					pipe, err := Wrap(bytes.NewReader(in))
					if err != nil {
						t.Fatal(err)
					}
					for _, src := range []*Source{file, pipe} {
						want := behind
						if src == pipe {
							want = min(want, MaxTrailing)
						}
						info, err := run(t.Context(), src, Options{Jobs: jobs}, newNoSink, smallBlock)
						if err != nil || info.Trailing != int64(want) {
							t.Errorf("end at %+d, head %q, %d jobs: %d bytes trail, want %d (%v)", over, head, jobs, info.Trailing, want, err)
						}
						src.Close()
					}
				}
			}
		}
	}
}

// hesitant is a source that returns nothing a number of times before each piece.
type hesitant struct {
	in         []byte
	piece      int
	idle, left int
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.left > 0 {
		h.left--
		return 0, nil
	}
	h.left = h.idle
	n := copy(p, h.in[:min(h.piece, len(h.in))])
	if h.in = h.in[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestIdleSource reads sources that return nothing, and no error, several times in a
// row: as package bufio does, the hundredth time ends the reading.
func TestIdleSource(t *testing.T) {
	in := many(100)
	for _, piece := range []int{5, 1000} {
		for _, idle := range []int{1, 99, 100, 1000} {
			r := &hesitant{in: in, piece: piece, idle: idle}
			o := scanned(r, Options{}, smallBlock)
			info, err := Run(t.Context(), &hesitant{in: in, piece: piece, idle: idle}, Options{}, newNoSink)
			src, wrapErr := Wrap(&hesitant{in: in, piece: piece, idle: idle, left: idle})
			if idle < 100 {
				if o.err != nil || err != nil || len(o.lines) != 100 || info.Keys != 100 || wrapErr != nil {
					t.Errorf("pieces of %d bytes after %d reads: %d and %d keys, %v, %v and %v", piece, idle, len(o.lines), info.Keys, o.err, err, wrapErr)
				}
				continue
			}
			if !errors.Is(o.err, io.ErrNoProgress) || !errors.Is(err, io.ErrNoProgress) || len(r.in) < len(in)-piece {
				t.Errorf("pieces of %d bytes after %d reads: %v and %v", piece, idle, o.err, err)
			}
			if wrapErr == nil {
				_, wrapErr = io.ReadAll(src)
			}
			if !errors.Is(wrapErr, io.ErrNoProgress) {
				t.Errorf("%d reads before the first piece: %v", idle, wrapErr)
			}
		}
	}
}

// TestNumbersWithoutName has types and encodings that do not exist: they have no name.
func TestNumbersWithoutName(t *testing.T) {
	for n := range 256 {
		if got := Type(n).String(); (got == "unknown") != (n >= int(NumTypes)) || got == "" {
			t.Errorf("type %d is %q", n, got)
		}
		if got := Encoding(n).String(); n >= int(NumEncodings) && got != "" {
			t.Errorf("encoding %d is %q", n, got)
		}
	}
}
