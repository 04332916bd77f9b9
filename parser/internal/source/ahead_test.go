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

	"github.com/rdblens/rdblens/parser/internal/inflate"
)

// TestAheadOrder checks that an error comes after all data that was read before it, and
// remains.
func TestAheadOrder(t *testing.T) {
	for _, size := range []int{0, 1, aheadSize - 1, aheadSize, 3*aheadSize + 7, 20 * aheadSize} {
		want := strings.Repeat("x", size)
		for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, errors.New("damage")} {
			for _, together := range []bool{false, true} {
				r := io.MultiReader(strings.NewReader(want), iotest.ErrReader(err))
				if together {
					r = iotest.DataErrReader(r)
				}
				a := newAhead(r)
				var got bytes.Buffer
				_, gotErr := io.Copy(struct{ io.Writer }{&got}, struct{ io.Reader }{a})
				if gotErr == nil {
					gotErr = io.EOF
				}
				if _, again := a.Read(make([]byte, 1)); got.String() != want || gotErr != err || again != err {
					t.Errorf("%d bytes, %v: %d bytes, %v, then %v", size, err, got.Len(), gotErr, again)
				}
				a.stop()
			}
		}
	}
}

// TestAheadBound checks that no more is read ahead than the buffers hold.
func TestAheadBound(t *testing.T) {
	r := &countingReader{r: zeros{}}
	a := newAhead(r)
	defer a.stop()
	for deadline := time.Now().Add(10 * time.Second); r.n.Load() < aheadCount*aheadSize; {
		if time.Now().After(deadline) {
			t.Fatalf("only %d bytes were read ahead", r.n.Load())
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if n := r.n.Load(); n != aheadCount*aheadSize {
		t.Errorf("%d bytes were read ahead", n)
	}
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
			if s.compressed && n <= 9 {
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

// TestMemoryOfStreams bounds what is allocated for a compressed file: buffers that do not
// grow.
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
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := Wrap(bytes.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{s}, make([]byte, 4096))
		s.Close()
		runtime.ReadMemStats(&after)
		if total := after.TotalAlloc - before.TotalAlloc; n != int64(len(text)) || err != nil || total > c.most {
			t.Errorf("%s: %d bytes, %v; %d KB are allocated", kind, n, err, total>>10)
		}
	}
}
