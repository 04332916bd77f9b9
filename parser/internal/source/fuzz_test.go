package source

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

// FuzzSource reads whole files, layers and all.
func FuzzSource(f *testing.F) {
	p := sample(5)
	for _, in := range framed(f, p) {
		f.Add(in.bytes)
		f.Add(in.bytes[:len(in.bytes)-1])
		f.Add(in.bytes[:len(in.bytes)/2])
	}
	f.Add(gzipped(f, gzipped(f, p)))
	f.Add(zstdOf(f, make([]byte, 1<<20), zstd.WithSingleSegment(true)))
	f.Add([]byte("*1\r\n$4\r\nPING\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		defer watchdog.Start(t)()
		var first string
		for i, r := range []io.Reader{bytes.NewReader(in), iotest.OneByteReader(bytes.NewReader(in)), iotest.DataErrReader(bytes.NewReader(in))} {
			got := summary(t, r)
			if i == 0 {
				first = got
			} else if got != first {
				t.Errorf("%s\n and %s", first, got)
			}
		}
	})
}

// summary returns in a line what a source makes of its input.
func summary(t *testing.T, r io.Reader) string {
	s, err := Wrap(r)
	if err != nil {
		var format *Error
		if !errors.As(err, &format) || format.Reason.IsZero() {
			t.Errorf("%T %v", err, err)
		}
		return err.Error()
	}
	defer s.Close()
	h := fnv.New64a()
	n, err := io.Copy(h, io.LimitReader(s, 4<<20))
	var trailing int64
	var end error
	if n < 4<<20 {
		trailing, end = s.End(n, nil)
	}
	return fmt.Sprintf("%q: %d bytes, %x, error %v; %d behind, error %v", s.Frames(), n, h.Sum64(), err, trailing, end)
}
