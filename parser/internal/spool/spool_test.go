package spool

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

// TestSpool adds what is read to a spool, in pieces, and reads again what was not released.
func TestSpool(t *testing.T) {
	const ahead = 1 << 20
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 12*ahead)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for _, most := range []int{3 << 10, 300 << 10, ahead} {
		s := &Spool{Ahead: ahead}
		at, from := 0, int64(0)
		name := ""
		for at < len(data) {
			n := min(1+random.IntN(most), len(data)-at)
			s.Add(data[at : at+n])
			at += n
			if random.IntN(4) == 0 { // as where a compressed block begins
				at -= random.IntN(min(n, ahead, at-int(from)) + 1)
				s.Cut(int64(at))
			}
			if s.Err != nil || s.End() != int64(at) {
				t.Fatalf("it ends at %d, not at %d: %v", s.End(), at, s.Err)
			}
			if len(s.buf) > s.most() {
				t.Fatalf("%d bytes are in memory", len(s.buf))
			}
			if s.file != nil {
				name = s.file.Name()
				if info, err := s.file.Stat(); err != nil || info.Size() > int64(at)-min(from, s.start) {
					t.Fatalf("the file has %d bytes of %d, %v", info.Size(), int64(at)-from, err)
				}
			}
			for range 3 {
				offset := from + random.Int64N(int64(at)-from+1)
				q := make([]byte, random.IntN(2*most))
				n, err := s.ReadAt(q, offset)
				if want := data[offset:min(int(offset)+len(q), at)]; !bytes.Equal(q[:n], want) || (err == io.EOF) != (len(want) < len(q)) || err != nil && err != io.EOF {
					t.Fatalf("%d bytes at %d, of %d to %d: %d are there, %v", len(q), offset, from, at, n, err)
				}
			}
			if from > 0 {
				if _, err := s.ReadAt(make([]byte, 1), from-1); err == nil {
					t.Fatal("bytes that were released are there")
				}
			}
			if random.IntN(6) == 0 {
				from += random.Int64N(min(int64(at)-from, ahead) + 1)
				if from < int64(at)-ahead {
					from = max(from, s.base)
				}
				s.Release(from)
			}
		}
		if err := s.Close(); err != nil || s.file != nil || s.Close() != nil {
			t.Error(err)
		}
		if _, err := os.Stat(name); name != "" && !os.IsNotExist(err) {
			t.Errorf("the temporary file is there: %v", err)
		}
	}
	// What nobody wants needs no file.
	s := &Spool{Ahead: ahead, Skip: true}
	if s.Add(data); s.Err != nil || s.file != nil || len(s.buf) > s.most() {
		t.Errorf("%v, a file %v", s.Err, s.file != nil)
	}
	// Without anything ahead, all but a little is in the file.
	s = &Spool{}
	s.Add(data[:1000])
	s.Add(data[1000:300_000])
	got := make([]byte, 300_000)
	if n, err := s.ReadAt(got, 0); n != len(got) || err != nil || !bytes.Equal(got, data[:300_000]) || len(s.buf) > 80<<10 {
		t.Errorf("%d bytes, %v; %d in memory", n, err, len(s.buf))
	}
	s.Close()
}
