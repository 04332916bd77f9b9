package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// packed returns a member that compress/gzip writes.
func packed(t testing.TB, p []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(p)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads r by a buffer of n bytes.
func readAll(r io.Reader, n int) ([]byte, error) {
	var all bytes.Buffer
	_, err := io.CopyBuffer(struct{ io.Writer }{&all}, struct{ io.Reader }{r}, make([]byte, n))
	return all.Bytes(), err
}

// member is a gzip member around a deflate stream that stands for text.
func member(stream []byte, text string) []byte {
	sum := crc32.ChecksumIEEE([]byte(text))
	b := append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), stream...)
	for _, v := range []uint32{sum, uint32(len(text))} {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

// bitsOf packs bits: each text is a field whose first character is its lowest bit,
// as Huffman codes are written; spaces are for the reader.
func bitsOf(text string) (b []byte) {
	n := 0
	for _, c := range text {
		if c == ' ' {
			continue
		}
		if n%8 == 0 {
			b = append(b, 0)
		}
		if c == '1' {
			b[n/8] |= 1 << (n % 8)
		}
		n++
	}
	return b
}

// TestByHand has streams that were written by hand from RFC 1951.
func TestByHand(t *testing.T) {
	const a, end = "10010001", "0000000" // the fixed codes of 'a' (0x30 + 97) and of the end
	const incomplete = "the code of the lengths of codes is incomplete"
	tests := []struct {
		name, bits, want, reason string
	}{
		{"fixed codes", "1 10 " + a + end, "a", ""},
		{"no literal", "1 10" + end, "", ""},
		{"a match of 3, 1 back", "1 10" + a + "0000001 00000" + end, "aaaa", ""},
		{"a match of 258, 1 back", "1 10" + a + "11000101 00000" + end, strings.Repeat("a", 259), ""},
		{"a match of 258 as 227 and 31", "1 10" + a + "11000100 11111 00000" + end, strings.Repeat("a", 259), ""},
		{"a match of 11 and 1, 1 back", "1 10" + a + "0001001 1 00000" + end, strings.Repeat("a", 13), ""},
		{"a match of 3, 2 back", "1 10" + a + "10010010" + "0000001 00001" + end, "ababa", ""},
		{"two blocks", "0 10" + a + end + "1 10" + a + end, "aa", ""},
		{"a match into the block before", "0 10" + a + end + "1 10" + "0000001 00000" + end, "aaaa", ""},
		{"a match before the beginning", "1 10" + "0000001 00000" + end, "", farMatch},
		{"a match one byte before the beginning", "1 10" + a + "0000001 00001" + end, "a", farMatch},
		{"length symbol 286", "1 10" + a + "11000110 00000" + end, "a", badCode},
		{"distance symbol 30", "1 10" + a + "0000001 11110" + end, "a", badDistance},
		{"block type 3", "1 11", "", "a block of unknown type"},
		{"a stored block", "1 00 00000 1000000000000000 0111111111111111 10000110", "a", ""},
		{"an empty stored block", "0 00 00000 0000000000000000 1111111111111111 1 10" + a + end, "a", ""},
		{"a stored block of two lengths", "1 00 00000 1000000000000000 1111111111111111 10000110", "", "the length of a stored block is wrong"},
		// 257 literals and lengths, one distance, 18 lengths of codes: symbols 18 (1 bit),
		// 0 and 1 (2 bits). The literals 0 and 256 have codes of one bit.
		{"codes of one bit", "1 01 00000 00000 0111 000 000 100 010 " + strings.Repeat("000 ", 13) + "010" +
			"11 0 1111111 0 0101011 11 10" + "0 0 1", "\x00\x00", ""},
		{"too many literals", "1 01 01111 00000 0111", "", "a block has too many codes"},
		{"too many distances", "1 01 00000 01111 0111", "", "a block has too many codes"},
		{"no code for the lengths", "1 01 00000 00000 0000 000 000 000 000 1111", "", badCode},
		{"two codes that are the same", "1 01 00000 00000 0000 100 100 100 000", "", incomplete},
		{"an incomplete code of lengths", "1 01 00000 00000 0000 010 000 000 000", "", incomplete},
		{"a repetition first", "1 01 00000 00000 0000 100 000 000 000 0 00", "",
			"the first length of a code repeats one before it"},
		{"too many zeros", "1 01 00000 00000 0000 000 000 100 000 " + strings.Repeat("0 1111111", 2), "",
			"a block has too many lengths of codes"},
	}
	for _, tt := range tests {
		for _, reader := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.OneByteReader} {
			// Bytes behind the stream make room for the fast loop.
			for _, rest := range []int{0, 100} {
				in := append(member(bitsOf(tt.bits), tt.want), make([]byte, rest)...)
				got, err := readAll(NewReader(reader(bytes.NewReader(in))), 1000)
				var damage *Error
				isTold := errors.As(err, &damage) && damage.Reason == tt.reason
				if string(got) != tt.want || tt.reason == "" && err != nil || tt.reason != "" && !isTold {
					t.Errorf("%s: %q, %v, want %q, %q", tt.name, got, err, tt.want, tt.reason)
				}
				if damage != nil && (damage.Offset < 10 || damage.Offset > int64(len(in)-rest-8)) {
					t.Errorf("%s: at %d of %d bytes", tt.name, damage.Offset, len(in)-rest)
				}
			}
		}
	}
}

// TestMembers has headers with all parts, several members, and what follows the last.
func TestMembers(t *testing.T) {
	text := strings.Repeat("a text for members ", 40)
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment = strings.Repeat("name", 40), "a comment"
	w.Extra, w.ModTime = []byte("extra\x00field"), time.Unix(1, 0)
	io.WriteString(w, text)
	w.Close()
	full := b.Bytes()
	head := "\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\x03" + strings.Repeat("long comment ", 1000) + "\x00"
	long := append([]byte(head), packed(t, []byte(text), 6)[10:]...)
	summed := []byte("\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x03")
	sum := crc32.ChecksumIEEE(summed)
	summed = append(append(summed, byte(sum), byte(sum>>8)), packed(t, []byte(text), 6)[10:]...)
	empty, one := packed(t, nil, 6), packed(t, []byte(text), 6)
	changed := func(p []byte, at int) []byte {
		p = bytes.Clone(p)
		p[(at+len(p))%len(p)] ^= 1
		return p
	}
	for name, c := range map[string]struct {
		in   []byte
		want int // texts
		err  string
	}{
		"all parts":                    {full, 1, "EOF"},
		"a long comment":               {long, 1, "EOF"},
		"the checksum of a header":     {summed, 1, "EOF"},
		"another checksum of a header": {changed(summed, 10), 0, "the checksum of the header is wrong, at byte 12"},
		"two":                          {append(bytes.Clone(one), full...), 2, "EOF"},
		"empty ones around":            {bytes.Join([][]byte{empty, empty, one, empty}, nil), 1, "EOF"},
		"zeros":                        {append(bytes.Clone(one), make([]byte, 600)...), 1, "EOF"},
		"one byte":                     {append(bytes.Clone(one), 0), 1, "EOF"},
		"another method":               {append(bytes.Clone(one), "\x1f\x8b\x07more"...), 1, "EOF"},
		"a cut header":                 {append(bytes.Clone(one), "\x1f\x8b\x08"...), 1, "unexpected EOF"},
		"one byte of a header":         {append(bytes.Clone(one), 0x1f), 1, "unexpected EOF"},
		"another checksum":             {changed(one, -8), 1, fmt.Sprintf("the checksum is wrong, at byte %d", len(one))},
		"another length":               {changed(one, -4), 1, fmt.Sprintf("the length is wrong, at byte %d", len(one))},
		"damage behind a member": {append(bytes.Clone(one), changed(one, -8)...), 2,
			fmt.Sprintf("the checksum is wrong, at byte %d", 2*len(one))},
		"no member": {[]byte("something else"), 0, "the header is wrong, at byte 1"},
		"nothing":   {nil, 0, "unexpected EOF"},
	} {
		for _, reader := range []func(io.Reader) io.Reader{iotest.HalfReader, iotest.OneByteReader, iotest.DataErrReader} {
			z := NewReader(reader(bytes.NewReader(c.in)))
			got, err := readAll(z, 100)
			if err == nil {
				_, err = z.Read(make([]byte, 1))
			}
			if string(got) != strings.Repeat(text, c.want) || fmt.Sprint(err) != c.err {
				t.Errorf("%s: %d bytes, %v, want %q", name, len(got), err, c.err)
			}
		}
	}
}

// TestCut checks that each whole symbol before a cut is returned.
func TestCut(t *testing.T) {
	// A literal of 8 bits in each byte from the second bit of the fourth on.
	text := strings.Repeat("ab", 50)
	bits := "1 10"
	for range 50 {
		bits += "10010001 10010010"
	}
	in := member(bitsOf(bits+"0000000"), text)
	for cut := 11; cut < len(in)-8; cut++ {
		got, err := readAll(NewReader(bytes.NewReader(in[:cut])), 1000)
		if want := ((cut-10)*8 - 3) / 8; err != io.ErrUnexpectedEOF || string(got) != text[:min(want, len(text))] {
			t.Errorf("%d bytes: %d literals, want %d, %v", cut, len(got), want, err)
		}
	}
}

// TestReadError returns an error of the reader as it is, behind what came before.
func TestReadError(t *testing.T) {
	disk := errors.New("input/output error")
	text := strings.Repeat("a text ", 100)
	in := packed(t, []byte(text), 0)
	for _, n := range []int{0, 5, 100, len(in) - 1, len(in)} {
		got, err := readAll(NewReader(io.MultiReader(bytes.NewReader(in[:n]), iotest.ErrReader(disk))), 50)
		if err != disk || !strings.HasPrefix(text, string(got)) || n >= 100 && len(got) != min(n-15, len(text)) {
			t.Errorf("%d bytes: %d bytes, %v", n, len(got), err)
		}
	}
	if _, err := readAll(NewReader(iotest.ErrReader(nil)), 10); err != io.ErrNoProgress {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}

// readers are used again and again: what the tables and buffers have must not matter.
var readers struct {
	own    Reader
	oracle gzip.Reader
}

// compare reads in and compares with compress/gzip. It returns what differs, "" if
// nothing but what is meant to.
func compare(in []byte, n int, reader func(io.Reader) io.Reader) string {
	r := io.Reader(bytes.NewReader(in))
	if reader != nil {
		r = reader(r)
	}
	readers.own.state = state{r: r, stage: (*Reader).header}
	got, gotErr := readAll(&readers.own, n)
	var want []byte
	wantErr := readers.oracle.Reset(bytes.NewReader(in))
	if wantErr == nil {
		want, wantErr = readAll(&readers.oracle, 4096)
	}
	var damage *Error
	var corrupt flate.CorruptInputError
	cut := gotErr == io.ErrUnexpectedEOF
	switch {
	case wantErr == gzip.ErrHeader && gotErr != nil:
		return "" // a header with a text of more than 511 bytes
	case cut && len(got) > len(want) && len(got) <= len(want)+2*maxMatch:
		got = got[:len(want)] // more symbols before the cut
	}
	switch {
	case !bytes.Equal(got, want):
		return fmt.Sprintf("%d bytes, want %d; errors %v, want %v", len(got), len(want), gotErr, wantErr)
	case gotErr == nil && (wantErr == nil || wantErr == gzip.ErrHeader || wantErr == io.ErrUnexpectedEOF):
		return "" // what follows the last member is ignored
	case cut && (wantErr == io.ErrUnexpectedEOF || wantErr == io.EOF):
		return ""
	case cut && errors.As(wantErr, &corrupt):
		return "" // an invalid code whose extra bits are cut off
	case gotErr != nil && strings.HasPrefix(gotErr.Error(), "the header is wrong") && wantErr == io.ErrUnexpectedEOF:
		return "" // a header that is wrong before it is cut off
	case errors.As(gotErr, &damage) &&
		(errors.As(wantErr, &corrupt) || wantErr == gzip.ErrChecksum || wantErr == gzip.ErrHeader):
		return ""
	}
	return fmt.Sprintf("%d bytes; errors %v, want %v", len(got), gotErr, wantErr)
}

// A maker makes inputs that are valid, damaged, or random.
type maker struct {
	rnd  *rand.Rand
	text []byte
	out  bytes.Buffer
	zips [12]*gzip.Writer
	// skewed: each letter is half as frequent as the one before, which makes codes of 1 to 15 bits.
	skewed bool
}

func newMaker(seed uint64) *maker { return &maker{rnd: rand.New(rand.NewPCG(seed, 1))} }

// words is a text with repetitions at small and large distances.
func (m *maker) words(n int) []byte {
	m.text = m.text[:0]
	letters := 1 + m.rnd.IntN(256)
	for len(m.text) < n {
		if k := m.rnd.IntN(40); len(m.text) > 1 && m.rnd.IntN(3) == 0 {
			back := 1 + m.rnd.IntN(len(m.text))
			if m.skewed {
				back = 1 + m.rnd.IntN(len(m.text)>>min(bits.TrailingZeros32(m.rnd.Uint32()), bits.Len(uint(len(m.text)))-1))
			} else if m.rnd.IntN(2) == 0 {
				back = 1 + m.rnd.IntN(min(len(m.text), 40))
			}
			for range 3 + k*k/4 {
				m.text = append(m.text, m.text[len(m.text)-back])
			}
		} else {
			for range 1 + k {
				letter := m.rnd.IntN(letters)
				if m.skewed {
					letter = 7 * bits.TrailingZeros32(m.rnd.Uint32())
				}
				m.text = append(m.text, byte(letter))
			}
		}
	}
	return m.text[:n]
}

func (m *maker) input(size int) []byte {
	m.out.Reset()
	m.skewed = m.rnd.IntN(3) == 0
	for range 1 + m.rnd.IntN(5)/4*m.rnd.IntN(3) {
		level := m.rnd.IntN(12) - 2 // Huffman codes alone, the usual level, 0 to 9
		w := m.zips[level+2]
		if w == nil {
			w, _ = gzip.NewWriterLevel(&m.out, level)
			m.zips[level+2] = w
		}
		w.Reset(&m.out)
		if m.rnd.IntN(8) == 0 {
			w.Name, w.Comment, w.Extra = "n\xe9", "c", make([]byte, m.rnd.IntN(9))
			w.Name = "name"
		}
		p := m.words(m.rnd.IntN(size))
		if cut := m.rnd.IntN(len(p) + 1); m.rnd.IntN(3) == 0 {
			w.Write(p[:cut])
			w.Flush()
			p = p[cut:]
		}
		w.Write(p)
		w.Close()
	}
	in := m.out.Bytes()
	switch m.rnd.IntN(8) {
	case 0:
	case 1:
		in = in[:m.rnd.IntN(len(in)+1)]
	case 2:
		in = append(in, m.words(1+m.rnd.IntN(30))...)
	case 3: // random bits in a member
		in = append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), make([]byte, m.rnd.IntN(200))...)
		for i := 10; i < len(in); i++ {
			in[i] = byte(m.rnd.Uint32())
		}
		if len(in) > 10 && m.rnd.IntN(2) == 0 {
			in[10] = in[10]&^7 | 5 // the last block, with its own codes
		}
	default:
		for range 1 + m.rnd.IntN(3) {
			at := m.rnd.IntN(len(in))
			if m.rnd.IntN(2) == 0 {
				at = min(len(in)-1, 10+m.rnd.IntN(60))
			}
			in[at] ^= 1 << m.rnd.IntN(8)
		}
	}
	return in
}

// TestDifferential compares with compress/gzip. RDBLENS_INFLATE is the number of
// inputs, RDBLENS_SEED the first seed.
func TestDifferential(t *testing.T) {
	n, seed := 20_000, uint64(1)
	if v, err := strconv.Atoi(os.Getenv("RDBLENS_INFLATE")); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("RDBLENS_SEED"), 10, 64); err == nil {
		seed = v
	}
	m := newMaker(seed)
	for i := range n {
		size := 600
		if i%500 == 0 {
			size = 500_000
		}
		in := m.input(size)
		buffer := []int{1, 20, 1000, 100_000}[m.rnd.IntN(4)]
		if size > 1000 {
			buffer = 5000
		}
		var reader func(io.Reader) io.Reader
		if m.rnd.IntN(4) == 0 && len(in) < 1000 {
			reader = iotest.OneByteReader
		}
		if diff := compare(in, buffer, reader); diff != "" {
			t.Fatalf("input %d: %s\n%q", i, diff, in[:min(len(in), 2000)])
		}
	}
}

// FuzzInflate compares with compress/gzip.
func FuzzInflate(f *testing.F) {
	m := newMaker(1)
	for range 100 {
		f.Add(bytes.Clone(m.input(400)), uint16(100))
	}
	f.Add([]byte("\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\x03"+strings.Repeat("comment", 90)+"\x00cut"), uint16(100))
	f.Fuzz(func(t *testing.T, in []byte, n uint16) {
		if len(in) > 100_000 {
			return
		}
		for _, reader := range []func(io.Reader) io.Reader{nil, iotest.OneByteReader} {
			if diff := compare(in, int(n)+1, reader); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// TestOffset has damage at the same place however the input is cut into reads: a pipe
// gives fewer bytes at once than a file.
func TestOffset(t *testing.T) {
	m := newMaker(5)
	reasons := map[string]int{}
	for range 2000 {
		in := m.input(2000)
		_, whole := readAll(NewReader(bytes.NewReader(in)), 5000)
		for _, reader := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			if _, err := readAll(NewReader(reader(bytes.NewReader(in))), 5000); fmt.Sprint(err) != fmt.Sprint(whole) {
				t.Fatalf("%v, and read in one piece %v: %q", err, whole, in)
			}
		}
		if damage := (*Error)(nil); errors.As(whole, &damage) {
			reasons[damage.Reason]++
		}
	}
	for _, reason := range []string{badCode, badDistance, farMatch, badSum} {
		if reasons[reason] < 3 {
			t.Errorf("%q is the reason of %d inputs: too few", reason, reasons[reason])
		}
	}
}

// TestLarge reads more than all buffers hold, with matches over their ends.
func TestLarge(t *testing.T) {
	m := newMaker(7)
	text := bytes.Clone(m.words(1_500_000))
	m.skewed = true
	p := append(text, m.words(1_500_000)...)
	for _, level := range []int{0, 1, 6, 9, gzip.HuffmanOnly} {
		in := append(packed(t, p, level), packed(t, p[:1000], level)...)
		few := p[len(p)/2:][:200_000] // read byte by byte, symbols are decoded one by one, too
		got, err := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(packed(t, few, level)))), 777)
		if err != nil || !bytes.Equal(got, few) {
			t.Errorf("level %d, byte by byte: %d bytes, %v", level, len(got), err)
		}
		for _, n := range []int{777, 64 << 10, 1 << 20} {
			got, err := readAll(NewReader(bytes.NewReader(in)), n)
			if err != nil || len(got) != len(p)+1000 || !bytes.Equal(got[:len(p)], p) {
				t.Errorf("level %d, a buffer of %d: %d bytes, %v", level, n, len(got), err)
			}
		}
	}
}

// TestBoundsChecks checks that the compiler finds each index of the fast loop within
// its array.
func TestBoundsChecks(t *testing.T) {
	// A flag of the compiler is part of the key of the build cache, with what it printed.
	out, err := exec.Command("go", "build", "-gcflags=-d=ssa/check_bce", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !bytes.Contains(out, []byte("symbol.go")) {
		t.Errorf("no check is reported in symbol.go, which has some: %s", out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "fast.go") {
			t.Errorf("a bounds check: %s", line)
		}
	}
}

func BenchmarkInflate(b *testing.B) {
	p := bytes.Clone(newMaker(3).words(10 << 20))
	in := packed(b, p, 6)
	buf := make([]byte, 256<<10)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(in))
		for err := error(nil); err == nil; {
			_, err = r.Read(buf)
		}
	}
}
