package source

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/rdblens/rdblens/parser/internal/inflate"
)

// TestAheadOrder checks that an error comes after all data that was read before it, and
// remains, whether all buffers are taken by Next or the last ones read by Read.
func TestAheadOrder(t *testing.T) {
	const size = 1000 // of a buffer
	for _, n := range []int{0, 1, size - 1, size, 3*size + 7, 20 * size} {
		want := strings.Repeat("x", n)
		for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, errors.New("damage")} {
			for _, together := range []bool{false, true} {
				for _, taken := range []int{0, 1, 2, 30} {
					r := io.MultiReader(strings.NewReader(want), iotest.ErrReader(err))
					if together {
						r = iotest.DataErrReader(r)
					}
					s := &Reader{top: &peekReader{r: r}, compressed: true}
					got, gotErr := readAhead(s, size, taken)
					if gotErr == nil {
						var rest []byte
						rest, gotErr = io.ReadAll(s)
						got += string(rest)
						if gotErr == nil {
							gotErr = io.EOF
						}
					}
					if got != want || gotErr != err {
						t.Errorf("%d bytes, %v, %d by Next: %d bytes, %v", n, err, taken, len(got), gotErr)
					}
					if _, again := s.Read(make([]byte, 1)); again != err {
						t.Errorf("%d bytes, %v, %d by Next: then %v", n, err, taken, again)
					}
					s.Close()
				}
			}
		}
	}
}

// readAhead reads at most n buffers, of which two are begun at a time.
func readAhead(s *Reader, size, n int) (got string, err error) {
	buffers := [][]byte{make([]byte, size), make([]byte, size)}
	for _, b := range buffers {
		s.Begin(b)
	}
	for i := 0; i < n && err == nil; i++ {
		var k int
		k, err = s.Next()
		got += string(buffers[i%2][:k])
		s.Begin(buffers[i%2])
	}
	return got, err
}

// TestAheadBound checks that nothing is read before a buffer is begun, and no more than the
// buffers hold.
func TestAheadBound(t *testing.T) {
	const size = 10_000
	raw := &countingReader{r: zeros{}}
	s := &Reader{top: &peekReader{r: raw}, compressed: true}
	for i := range int64(2) {
		for deadline := time.Now().Add(10 * time.Second); raw.n.Load() < i*size; {
			if time.Now().After(deadline) {
				t.Fatalf("only %d bytes were read ahead", raw.n.Load())
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		if n := raw.n.Load(); n != i*size {
			t.Errorf("%d buffers: %d bytes were read ahead", i, n)
		}
		s.Begin(make([]byte, size))
	}
	s.Close()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestCloseEarly closes sources of which little or all was read: no goroutine remains,
// nobody reads the input after Close, and a later Read fails.
func TestCloseEarly(t *testing.T) {
	p := sample(25_000)
	before := runtime.NumGoroutine()
	for name, in := range framed(t, p) {
		for _, n := range []int{0, 9, 10_000, len(p) + 1} {
			raw := &countingReader{r: bytes.NewReader(in.bytes)}
			s, err := Wrap(raw)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := make([]byte, n)
			if n, _ = io.ReadFull(s, got); !bytes.HasPrefix(append(p, mark...), got[:min(n, len(p))]) {
				t.Errorf("%s: other bytes", name)
			}
			for range MaxAhead {
				s.Begin(make([]byte, 5000))
			}
			if err := s.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			end := raw.n.Load()
			s.Close()
			for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
				if time.Now().After(deadline) {
					t.Fatalf("%s, %d bytes: %d goroutines, before %d", name, n, runtime.NumGoroutine(), before)
				}
			}
			if raw.n.Load() != end {
				t.Errorf("%s: the input is read after Close", name)
			}
			if s.compressed {
				if _, err := io.Copy(io.Discard, s); err == nil {
					t.Errorf("%s: a read after Close succeeds", name)
				}
			}
		}
	}
}

// TestCloseWhileReading closes a source whose goroutine waits for input.
func TestCloseWhileReading(t *testing.T) {
	in := gzipped(t, sample(1000))
	r, w := io.Pipe()
	go w.Write(in[:len(in)/2])
	s, err := Wrap(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(s, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	s.Begin(make([]byte, 1<<20))
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	w.CloseWithError(errors.New("interrupted"))
	<-closed
}

// TestGzipDamage has the place in errors of gzip.
func TestGzipDamage(t *testing.T) {
	in := gzipped(t, sample(1000))
	in[len(in)-8] ^= 1
	s, err := Wrap(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = io.Copy(io.Discard, s)
	var damage *inflate.Error
	if !errors.As(err, &damage) || damage.Offset != int64(len(in)) {
		t.Errorf("%v, want an error at byte %d", err, len(in))
	}
}

// TestOuterChecksum finds damage to a frame that goes on behind the frame within it.
func TestOuterChecksum(t *testing.T) {
	p := sample(1000)
	in := gzipped(t, join("VCS\x01\x02\x01\x01", zstdOf(t, p, zstd.WithEncoderCRC(false)), "what follows"))
	in[len(in)-8] ^= 1
	s, err := Wrap(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.ReadFull(s, make([]byte, len(p))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.End(int64(len(p)), nil); !errors.Is(err, inflate.ErrChecksum) {
		t.Errorf("%v", err)
	}
}

// TestMemoryOfStreams bounds what is allocated for a compressed file that is read three
// times: buffers that do not grow, and are used again.
func TestMemoryOfStreams(t *testing.T) {
	text := append([]byte("REDIS0011"), make([]byte, 8<<20)...)
	for i, rnd := 9, rand.New(rand.NewPCG(4, 9)); i < len(text); i++ { // ever less compressible
		text[i] = byte(rnd.IntN(2 + i>>15))
	}
	for kind, c := range map[string]struct {
		in   []byte
		most uint64
	}{
		"gzip": {gzipped(t, text), 1 << 20},
		"zstd": {zstdOf(t, text, zstd.WithWindowSize(2<<20)), 7 << 19},
		"lz4":  {lz4Of(t, text, lz4.BlockSizeOption(lz4.Block4Mb)), 9 << 19},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 3 {
			s, err := Wrap(bytes.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{s}, make([]byte, 4096))
			s.Close()
			if n != int64(len(text)) || err != nil {
				t.Errorf("%s: %d bytes, %v", kind, n, err)
			}
		}
		runtime.ReadMemStats(&after)
		if total := after.TotalAlloc - before.TotalAlloc; total > c.most {
			t.Errorf("%s: %d KB are allocated", kind, total>>10)
		}
	}
}
