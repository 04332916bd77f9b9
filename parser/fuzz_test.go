package parser

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

// FuzzScanner reads whole files, frames and all.
func FuzzScanner(f *testing.F) {
	for _, in := range allFixtures(f) {
		if len(in) < 64<<10 {
			f.Add(in)
			f.Add(in[:len(in)/2])
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		defer watchdog.Start(t)()
		a := wrapped(bytes.NewReader(in), func(r io.Reader) outcome { return scanned(r, withMemory, smallBlock) })
		checkError(t, "scanner", a)
		b := wrapped(bytes.NewReader(in), func(r io.Reader) outcome { return ranSmall(r, withMemory, 2) })
		if d := difference(a, b); d != "" {
			t.Error(d)
		}
	})
}

// FuzzReaders puts records near the end of a block, and reads them through
// small and large buffers, byte by byte, and with 1, 2 and 4 jobs.
func FuzzReaders(f *testing.F) {
	magics := []string{"REDIS0011", "REDIS0015", "VALKEY080", "REDIS0009\xfa\x06df-ver\x031.0", "REDIS0004"}
	for _, in := range formats() {
		head := 9
		if i := bytes.IndexByte(in.in, 0xfe); i > 0 && i < 100 {
			head = i
		}
		body := in.in[head:max(head, len(in.in)-9)]
		for i := range magics {
			f.Add(body, uint16(len(body)/2), byte(i))
			f.Add(bytes.Repeat(body, 3), uint16(len(body)), byte(i))
		}
	}
	for _, t := range []byte{1, 2, 4, 5, 14, 18, 22, 24} {
		r := newRDB("").key(t, "large")
		if t == 24 {
			r.le64(1000)
		}
		r.len(30)
		for range 30 {
			r.raw(1, "a", 1, "b", 1, "c")
		}
		f.Add(r.b, uint16(len(r.b)/2), byte(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, before uint16, how byte) {
		defer watchdog.Start(t)()
		r := newRDB(magics[int(how&15)%len(magics)])
		r.key(0, "filler").len(uint64(max(0, smallBlock-len(r.b)-13-int(before))))
		r.raw(make([]byte, max(0, smallBlock-len(r.b)-int(before))))
		r.raw(body)
		var in []byte
		if how&16 != 0 {
			in = r.b
		} else {
			in = r.end()
		}
		differential(t, in)
	})
}

func differential(t *testing.T, in []byte) {
	t.Helper()
	want := scanned(bytes.NewReader(in), withMemory, scanBlock)
	checkError(t, "scanner", want)
	for how, got := range map[string]outcome{
		"small blocks":    scanned(bytes.NewReader(in), withMemory, smallBlock),
		"half":            scanned(iotest.HalfReader(bytes.NewReader(in)), withMemory, smallBlock),
		"data with error": scanned(iotest.DataErrReader(bytes.NewReader(in)), withMemory, smallBlock),
		"one job":         ranSmall(bytes.NewReader(in), withMemory, 1),
		"two jobs":        ranSmall(iotest.HalfReader(bytes.NewReader(in)), withMemory, 2),
		"four jobs":       ranSmall(bytes.NewReader(in), withMemory, 4),
	} {
		if d := difference(want, got); d != "" {
			t.Errorf("%s: %s", how, d)
		}
	}
}

// FuzzPieces reads keys that are larger than a block, which are cut between
// their elements; plan says what these are, and a byte of all may be wrong.
func FuzzPieces(f *testing.F) {
	for i := range largeTypes {
		f.Add([]byte{0}, byte(i), uint32(0), byte(0))
		f.Add([]byte{27}, byte(i), uint32(0), byte(0))
		f.Add([]byte{1}, byte(i), uint32(0), byte(0))
		f.Add([]byte{0, 2, 4, 6, 8, 1, 3, 5, 7, 200, 201, 19, 20}, byte(i), uint32(0), byte(0))
		f.Add([]byte{3, 3, 3, 9, 3, 3, 30, 31, 32}, byte(i), uint32(150000), byte(0xff))
		f.Add([]byte{16, 17, 18}, byte(i), uint32(280000), byte(1))
	}
	f.Fuzz(func(t *testing.T, plan []byte, kind byte, at uint32, mask byte) {
		defer watchdog.Start(t)()
		if len(plan) == 0 {
			return
		}
		in, want := large(plan, int(kind))
		in[int(at)%len(in)] ^= mask
		if mask == 0 {
			s := newScanner(bytes.NewReader(in), Options{}, smallBlock)
			s.Scan()
			s.Scan()
			holds(t, want, true)("scanner", s.Key(), s.Err())
		}
		differential(t, in)
	})
}

// largeTypes are those that are cut; 0 stands for Valkey's 22.
var largeTypes = []byte{2, 4, 5, 14, 18, 22, 24, 0, 1}

// large is a snapshot with a key of 300,000 bytes between two small ones, and
// what that key has to be.
func large(plan []byte, kind int) ([]byte, reference) {
	typ := largeTypes[kind%len(largeTypes)]
	magic := "REDIS0012"
	if typ == 0 {
		magic, typ = "VALKEY080", 22
	}
	var elements rdbBuilder
	var want reference
	count := 0
	for ; len(elements.b) < 300_000; count++ {
		element(&elements, &want, typ, magic[0], plan[count%len(plan)], count)
	}
	r := newRDB(magic).key(0, "first").str("1").raw(0xfc).le64(1).raw(0xf9, 9).key(typ, "large")
	if typ == 24 {
		r.le64(1_700_000_000_000)
	}
	return r.len(uint64(count)).raw(elements.b).key(0, "last").str("2").end(), want
}

// element appends an element as byte c of a plan has it, the i-th of its key.
func element(r *rdbBuilder, want *reference, typ, magic, c byte, i int) {
	size := []int{1, 5, 10, 63, 64, 300, 5000, 16384, 70_000}[c%9]
	if c&1 == 0 {
		size += i / 16 // the largest comes late
	}
	if c == 255 {
		size = 2 * smallBlock // larger than a block itself
	}
	form := c / 9 % 4
	text := strconv.Itoa(int(int16(i)))
	if form != 1 {
		text += strings.Repeat("x", max(0, size-len(text)))
	}
	put := func() {
		switch form {
		case 1:
			r.raw(0xc1, byte(i), byte(i>>8))
		case 2:
			small := lzf(text)
			r.raw(0xc3).len(uint64(len(small))).len(uint64(len(text))).raw(small)
		default:
			r.str(text)
		}
	}
	item := func(s string) { want.element(strconv.Itoa(int(want.n)), len(s)) }
	switch typ {
	case 14:
		r.str(ziplist(text, i, "item"))
		item(text)
		item(strconv.Itoa(i))
		item("item")
	case 18:
		if form == 3 {
			r.len(1)
			put()
		} else {
			r.len(2).str(listpack("item", i, text))
			item("item")
			item(strconv.Itoa(i))
		}
		item(text)
	case 1:
		put()
		item(text)
	case 2, 5:
		put()
		want.element(text, len(text))
		if typ == 5 {
			r.le64(int64(i))
		}
	default:
		switch {
		case typ == 24:
			r.len(uint64(i % 300))
		case typ == 22 && magic == 'R':
			r.len(uint64(i%3) * 1_700_000_000_000)
		}
		put()
		value := strings.Repeat("v", i*7%60)
		r.str(value)
		want.element(text, len(text), len(value))
		if typ == 22 && magic == 'V' {
			r.le64(int64(i%5) - 1)
		}
	}
}

// FuzzRecords reads the values of a snapshot twice: the elements add up to what
// the walk counted, and the payload is the value again.
func FuzzRecords(f *testing.F) {
	for _, in := range allFixtures(f) {
		if len(in) < 8<<10 {
			f.Add(in)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		defer watchdog.Start(t)()
		for _, source := range []io.Reader{bytes.NewReader(in), random{bytes.NewReader(in)}} {
			readTwice(t, source)
		}
	})
}
