package crc64

import (
	"fmt"
	"hash/crc64"
	"math/rand/v2"
	"testing"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

// plain is the definition, bit by bit.
func plain(crc uint64, p []byte) uint64 {
	for _, b := range p {
		crc ^= uint64(b)
		for range 8 {
			if crc&1 != 0 {
				crc = crc>>1 ^ 0x95ac9329ac4bc9b5
			} else {
				crc >>= 1
			}
		}
	}
	return crc
}

var ways = []struct {
	name   string
	update func(uint64, []byte) uint64
}{
	{"update", Update},
	{"generic", updateGeneric},
	{"one", updateOne},
}

// TestCheckValue checks the value that Redis' crc64.c names.
func TestCheckValue(t *testing.T) {
	for _, w := range ways {
		if got := w.update(0, []byte("123456789")); got != 0xe9c6d914c4b8d9ca {
			t.Errorf("%s: %#x", w.name, got)
		}
	}
}

func TestRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	buf := make([]byte, 200<<10)
	for i := range buf {
		buf[i] = byte(rnd.Uint32())
	}
	check := func(start uint64, off, n int) {
		t.Helper()
		p := buf[off : off+n]
		want := plain(start, p)
		for _, w := range ways {
			if got := w.update(start, p); got != want {
				t.Fatalf("%s: start %#x, offset %d, length %d: %#x, want %#x", w.name, start, off, n, got, want)
			}
		}
	}
	for n := range 1200 { // every length around the small loops
		check(rnd.Uint64(), rnd.IntN(64), n)
	}
	for range 300 {
		start := rnd.Uint64() >> (rnd.IntN(65))
		check(start, rnd.IntN(64), rnd.IntN(8<<10))
	}
	for range 20 {
		check(rnd.Uint64(), rnd.IntN(64), 3*stream-20+rnd.IntN(100<<10))
	}
}

// TestPieces checks that a text's checksum does not depend on how it is cut.
func TestPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	buf := make([]byte, 100<<10)
	for i := range buf {
		buf[i] = byte(rnd.Uint32())
	}
	want := plain(0, buf)
	for range 50 {
		var crc uint64
		for p := buf; len(p) > 0; {
			n := min(len(p), 1+rnd.IntN(1<<rnd.IntN(17)))
			crc = Update(crc, p[:n])
			p = p[n:]
		}
		if crc != want {
			t.Fatalf("%#x, want %#x", crc, want)
		}
	}
}

func TestCombine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	buf := make([]byte, 64<<10)
	for i := range buf {
		buf[i] = byte(rnd.Uint32())
	}
	for range 300 {
		b := rnd.IntN(len(buf) >> rnd.IntN(12))
		a := rnd.IntN(len(buf) - b + 1)
		want := Update(0, buf[:a+b])
		got := Combine(Update(0, buf[:a]), Update(0, buf[a:a+b]), int64(b))
		if got != want {
			t.Fatalf("%d+%d: %#x, want %#x", a, b, got, want)
		}
	}
}

// TestCombineLong joins lengths that no buffer has: n zero bytes after a text,
// up to 2^62 of them, change its checksum in one step as they do in two.
func TestCombineLong(t *testing.T) {
	crc := Update(0, []byte("snapshot"))
	for i := range 62 {
		once, twice := Combine(crc, 0, 2<<i), Combine(Combine(crc, 0, 1<<i), 0, 1<<i)
		if once != twice {
			t.Fatalf("2^%d zero bytes: %#x, in two steps %#x", i+1, once, twice)
		}
	}
	const odd = 1<<40 + 1<<33 + 12345
	if got, want := Combine(crc, 0, odd), Combine(Combine(crc, 0, odd/3), 0, odd-odd/3); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
	if got := Combine(crc, 7, 0); got != crc^7 {
		t.Errorf("empty second part: %#x, want %#x", got, crc^7)
	}
	if got, want := Combine(crc, Update(0, make([]byte, 1<<20)), 1<<20), Update(crc, make([]byte, 1<<20)); got != want {
		t.Errorf("1 MiB: %#x, want %#x", got, want)
	}
}

func FuzzUpdate(f *testing.F) {
	f.Add(uint64(0), []byte("123456789"), 4)
	f.Add(^uint64(0), make([]byte, 300), 128)
	f.Add(uint64(1)<<63, make([]byte, 4000), 256)
	f.Fuzz(func(t *testing.T, start uint64, p []byte, cut int) {
		defer watchdog.Start(t)()
		want := plain(start, p)
		for _, w := range ways {
			if got := w.update(start, p); got != want {
				t.Fatalf("%s: %#x, want %#x", w.name, got, want)
			}
		}
		if cut < 0 || cut > len(p) {
			return
		}
		if got := Update(Update(start, p[:cut]), p[cut:]); got != want {
			t.Fatalf("cut at %d: %#x, want %#x", cut, got, want)
		}
		if got := Combine(Update(start, p[:cut]), Update(0, p[cut:]), int64(len(p)-cut)); got != want {
			t.Fatalf("combined at %d: %#x, want %#x", cut, got, want)
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	std := crc64.MakeTable(Poly)
	for _, size := range []int{16, 256, 4 << 10, 64 << 10, 1 << 20} {
		buf := make([]byte, size)
		for _, w := range ways {
			b.Run(fmt.Sprintf("%s/%d", w.name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					w.update(0, buf)
				}
			})
		}
		b.Run(fmt.Sprintf("std/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				crc64.Update(0, std, buf)
			}
		})
	}
}

func BenchmarkCombine(b *testing.B) {
	var crc uint64
	for b.Loop() {
		crc = Combine(crc, 1, 1<<20)
	}
}
