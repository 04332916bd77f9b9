package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/format"
	"github.com/rdblens/rdblens/parser/message"
	"github.com/rdblens/rdblens/report/text"
)

// What the bytes of a string are, and the bytes alone.

const (
	showWhole = 1 << 20 // bytes of a string that are looked at
	showBits  = 64      // runs of set bits that are listed
)

type content struct {
	what  message.Message
	lines []string // in place of the bytes, nil: the bytes are shown
}

// contentOf says what a string of n bytes is of which b is the beginning; false if it is
// text, or nothing that is known.
func (w *textWriter) contentOf(b []byte, n int64) (c content, known bool) {
	whole := int64(len(b)) == n
	if count, encoding, ok := hyperLogLogCount(b); ok && whole {
		c.what = message.New("HyperLogLog, {encoding}: PFCOUNT is {n}", message.Text("encoding", encoding),
			message.Int("n", count))
		c.lines = []string{}
		return c, true
	}
	for i := range formatsOfBytes {
		if name, ok := formatsOfBytes[i].match(b); ok {
			return content{message.New("binary, {format}, {size}", message.Text("format", name), message.Size("size", n)), nil},
				true
		}
	}
	if lines := w.indented(b); whole && lines != nil {
		return content{message.New("JSON, {size}", message.Size("size", n)), lines}, true
	}
	what, name := "binary, {format}, {size}", ""
	switch f := format.Of(b, whole); f {
	case format.None, format.JSON, format.Text, format.Number:
		return c, false
	case format.MessagePack, format.Protobuf, format.Binary:
		if isBits(b) {
			return w.bitmap(b, n), true
		}
		if name = f.String(); f == format.Binary {
			what = "binary, {size}"
		}
	case format.Java:
		name = "Java serialization"
	case format.PHP:
		name = "PHP serialization"
	case format.Pickle:
		name = fmt.Sprintf("Python pickle %d", b[1])
	default:
		name = f.String()
	}
	if format.IsText(b) {
		what = "{format}, {size}"
	}
	return content{message.New(what, message.Text("format", name), message.Size("size", n)), nil}, true
}

// bytesFormat is a format that is known by its first bytes.
type bytesFormat struct {
	magic string
	at    int // where it stands
	name  string
	// version, if not nil, returns what the name ends with.
	version func(b []byte) string
}

var formatsOfBytes = []bytesFormat{
	{"%PDF-", 0, "PDF", func(b []byte) string { return digits(b[5:]) }},
	{"\x89PNG\r\n\x1a\n", 0, "PNG", pngSize},
	{"\xff\xd8\xff", 0, "JPEG", nil},
	{"GIF8", 0, "GIF", func(b []byte) string { return digits(b[3:]) + "a" }},
	{"WEBP", 8, "WebP", nil},
	{"\xfd7zXZ\x00", 0, "xz", nil},
	{"BZh", 0, "bzip2", nil},
	{"PK\x03\x04", 0, "zip", nil},
	{"7z\xbc\xaf\x27\x1c", 0, "7z", nil},
	{"\x04\x08", 0, "Ruby Marshal 4.8", nil},
	{"SQLite format 3\x00", 0, "SQLite 3", nil},
	{"PAR1", 0, "Parquet", nil},
	{"Obj\x01", 0, "Avro", nil},
	{"ftyp", 4, "MP4", nil},
}

// match returns the name of the format if b begins with it. Text is none but a PDF.
func (f *bytesFormat) match(b []byte) (name string, ok bool) {
	if len(b) < f.at+len(f.magic)+4 || string(b[f.at:f.at+len(f.magic)]) != f.magic {
		return "", false
	}
	if f.name != "PDF" && format.IsText(b) || f.magic == "WEBP" && !bytes.HasPrefix(b, []byte("RIFF")) ||
		f.magic == "BZh" && (b[3] < '1' || b[3] > '9') ||
		f.magic == "\x04\x08" && strings.IndexByte(`[{"Iio:T`, b[2]) < 0 {
		return "", false
	}
	name = f.name
	if f.version != nil {
		if v := f.version(b); v != "" {
			name += " " + v
		}
	}
	return name, true
}

// digits returns a version at the beginning of bytes: "1.4".
func digits(b []byte) string {
	n := 0
	for n < min(len(b), 5) && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	return strings.Trim(string(b[:n]), ".")
}

func pngSize(b []byte) string {
	if len(b) < 24 || string(b[12:16]) != "IHDR" {
		return ""
	}
	return fmt.Sprintf("%d x %d", binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:]))
}

// indented returns an object or a list of JSON in lines, nil if the bytes are none. Not more
// lines than the limit of elements allows ten of are returned.
func (w *textWriter) indented(b []byte) []string {
	t := bytes.TrimSpace(b)
	if len(t) < 2 || t[0] != '{' && t[0] != '[' {
		return nil
	}
	var out bytes.Buffer
	if json.Indent(&out, t, "", "  ") != nil {
		return nil
	}
	all := strings.Split(text.SanitizeLines(out.String()), "\n")
	most := 10 * min(max(w.limit, 1), math.MaxInt/10)
	lines := all[:min(len(all), most)]
	for i := range lines {
		if len(lines[i]) > showText {
			lines[i] = text.ShortenEnd(lines[i], showText)
		}
	}
	if len(all) > most {
		lines = append(lines, w.env.line(message.New("... {n} of {lines}", message.Int("n", int64(most)),
			message.Number("lines", int64(len(all)), "1 line", "{n} lines"))))
	}
	return lines
}

// isBits reports whether bytes are a bitmap: few of them are neither 0 nor a power of two nor
// full.
func isBits(b []byte) bool {
	plain := 0
	for _, c := range b {
		if c&(c-1) == 0 || c == 0xff {
			plain++
		}
	}
	return 2*plain >= len(b)
}

// bitmap lists the bits that are set, by BITCOUNT and BITPOS.
func (w *textWriter) bitmap(b []byte, n int64) content {
	set, first, last := int64(0), int64(-1), int64(-1)
	var runs []string
	from, to := int64(-1), int64(-1) // of the run
	end := func() {
		switch {
		case from < 0:
		case from == to:
			runs = append(runs, message.FormatCount(from))
		default:
			runs = append(runs, message.FormatCount(from)+"-"+message.FormatCount(to))
		}
	}
	for i, c := range b {
		set += int64(bits.OnesCount8(c))
		for bit := 0; c != 0 && bit < 8; bit++ {
			if c&(0x80>>bit) == 0 {
				continue
			}
			at := int64(i)*8 + int64(bit)
			if last = at; first < 0 {
				first = at
			}
			if len(runs) > showBits {
				continue
			}
			if at != to+1 || from < 0 {
				end()
				from = at
			}
			to = at
		}
	}
	if len(runs) <= showBits {
		end()
	}
	if len(runs) > showBits {
		runs = append(runs[:showBits], "...")
	}
	args := []message.Arg{message.Int("set", set), message.Int("all", int64(len(b))*8), message.Int("first", first),
		message.Int("last", last), message.Size("size", n)}
	c := content{lines: []string{}}
	switch {
	case set == 0:
		c.what = message.New("bitmap: none of {all} bits is set", args...)
	case int64(len(b)) < n:
		c.what = message.New("bitmap, {size}: {set} of the first {all} bits are set, the first is {first}", args...)
	default:
		c.what = message.New("bitmap: {set} of {all} bits are set, the first is {first}, the last {last}", args...)
	}
	for line := range strings.Lines(text.Wrap("", "", strings.Join(runs, " "), 80)) {
		c.lines = append(c.lines, strings.TrimSuffix(line, "\n"))
	}
	return c
}

// The layout of a HyperLogLog, and the constants of its estimate (hyperloglog.c).
const (
	hllHeader    = 16
	hllRegisters = 1 << 14
	hllQ         = 64 - 14
	hllAlpha     = 0.721347520444481703680 // 1 / (2 ln 2)
)

// hyperLogLogCount returns what PFCOUNT of a string returns: the cached count if it is valid,
// else the estimate of O. Ertl that servers compute. It returns false for other strings.
func hyperLogLogCount(b []byte) (count int64, encoding string, ok bool) {
	if len(b) < hllHeader || string(b[:4]) != "HYLL" || b[4] > 1 {
		return 0, "", false
	}
	var histogram [64]int
	encoding = []string{"dense", "sparse"}[b[4]]
	p := b[hllHeader:]
	n := 0
	if b[4] == 0 {
		if len(p) != hllRegisters*6/8 {
			return 0, "", false
		}
		for ; n < hllRegisters; n++ {
			bit := n * 6
			v := uint(p[bit/8]) >> (bit & 7)
			if bit&7 > 2 {
				v |= uint(p[bit/8+1]) << (8 - bit&7)
			}
			histogram[v&63]++
		}
	}
	for len(p) > 0 && b[4] == 1 {
		length, value, size := int(p[0]&0x3f)+1, 0, 1 // zeros
		switch {
		case p[0]&0x80 != 0:
			length, value = int(p[0]&3)+1, int(p[0]>>2&0x1f)+1
		case p[0]&0x40 != 0:
			if len(p) < 2 {
				return 0, "", false
			}
			length, size = (int(p[0]&0x3f)<<8|int(p[1]))+1, 2
		}
		histogram[value] += length
		n += length
		p = p[size:]
	}
	if n != hllRegisters {
		return 0, "", false
	}
	if cached := binary.LittleEndian.Uint64(b[8:]); cached>>63 == 0 {
		return int64(cached), encoding, true
	}
	const m = float64(hllRegisters)
	z := m * hllTau((m-float64(histogram[hllQ+1]))/m)
	for i := hllQ; i >= 1; i-- {
		z = (z + float64(histogram[i])) * 0.5
	}
	z += m * hllSigma(float64(histogram[0])/m)
	return int64(math.Round(hllAlpha * m * m / z)), encoding, true
}

func hllTau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z, before := 1.0, 1-x, math.NaN()
	for before != z {
		x, before = math.Sqrt(x), z
		y *= 0.5
		z -= (1 - x) * (1 - x) * y
	}
	return z / 3
}

func hllSigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z, before := 1.0, x, math.NaN()
	for before != z {
		x, before = x*x, z
		z += x * y
		y += y
	}
	return z
}

// geoPlace returns the longitude and latitude, in degrees, that a score of a geo set stands for:
// the middle of its cell, as GEOPOS returns it (geohash.c).
func geoPlace(score float64) (longitude, latitude float64) {
	const cells, mostLatitude = 1 << 26, 85.05112878
	var x, y uint64
	for i := range 26 {
		y |= uint64(score) >> (2 * i) & 1 << i
		x |= uint64(score) >> (2*i + 1) & 1 << i
	}
	at := func(n uint64, most float64) float64 { return -most + (float64(n)+0.5)/cells*2*most }
	return at(x, 180), at(y, mostLatitude)
}

// placesIn reports whether a sorted set is a geo set: all scores that are shown can be geohashes
// of 52 bits, and most are larger than any time in seconds or milliseconds. Those of the far
// south-west alone are small.
func (w *textWriter) placesIn(r *parser.Records) (yes bool, err error) {
	n, large := 0, 0
	yes = true
	err = r.Visit(&parser.Visitor{Element: func(e *parser.Element) bool {
		n++
		if e.Score >= 1e14 {
			large++
		}
		yes = yes && e.Score >= 0 && e.Score < 1<<52 && e.Score == math.Trunc(e.Score)
		return yes && n < max(w.limit, 1)
	}})
	return yes && 2*large > n, err
}

func (w *textWriter) writeString(r *parser.Records) error {
	return r.Visit(&parser.Visitor{MaxText: showWhole, Element: func(e *parser.Element) bool {
		b, n := e.Value.Bytes, e.Value.Len
		c, known := w.contentOf(b, n)
		if known {
			w.line("content", w.env.line(c.what))
		}
		if w.WriteString("\n"); c.lines == nil {
			most := showText
			if known && !format.IsText(b) {
				most = 256 // of what nobody reads
			}
			fmt.Fprintln(w, display(b[:min(len(b), most)], n))
		}
		for _, line := range c.lines {
			fmt.Fprintln(w, line)
		}
		return true
	}})
}

// rawWriter writes the bytes of strings and nothing else.
type rawWriter struct {
	*bufio.Writer
}

func (w *rawWriter) library(*parser.Payload) error { return nil }

func (w *rawWriter) key(r *parser.Records) error {
	if k := r.Key(); k.Type != parser.String {
		return refuse("--raw writes strings, and this is a {type}", message.Text("type", k.Type.String()))
	}
	return r.Visit(&parser.Visitor{MaxText: -1, Element: func(e *parser.Element) bool {
		w.Write(e.Value.Bytes)
		return true
	}})
}

// nameWidth returns the width of the names of the elements that are shown, for columns on a
// terminal: at most 40, 0 in a pipe.
func (w *textWriter) nameWidth(r *parser.Records) (width int, err error) {
	const most = 40
	if k := r.Key(); !isTerminal(w.env.stdout) || k.Type != parser.Hash && k.Type != parser.ZSet {
		return 0, nil
	}
	n := 0
	err = r.Visit(&parser.Visitor{MaxText: most, Element: func(e *parser.Element) bool {
		switch n++; {
		case e.Name.Bytes != nil:
			width = max(width, min(text.Width(display(e.Name.Bytes, e.Name.Len)), most))
		case !w.geo:
			width = max(width, text.Width(score(e.Score)))
		}
		return n < w.limit
	}})
	return width, err
}
