package text

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rdblens/rdblens/testdata/watchdog"
)

// hostileNames are names that some output would mishandle: those of
// testdata/hostile_names.txt, one Go string a line, and two long ones.
var hostileNames = func() []string {
	data, err := os.ReadFile("testdata/hostile_names.txt")
	if err != nil {
		panic(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		name, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		names = append(names, name)
	}
	return append(names, strings.Repeat("\x80\xff", 2048), strings.Repeat("k", 4096))
}()

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, plain, json, csv, display string }{
		{"user:1", "user:1", `"user:1"`, "user:1", "user:1"},
		{`a\b`, `a\\b`, `"a\\\\b"`, `a\\b`, `a\\b`},
		{"a\x00\x1f\x7fb", `a\x00\x1f\x7fb`, `"a\\x00\\x1f\\x7fb"`, `a\x00\x1f\x7fb`, `a\x00\x1f\x7fb`},
		{"a\nb", `a\x0ab`, `"a\\x0ab"`, `a\x0ab`, `a\x0ab`},
		{"\u009b", `\xc2\x9b`, `"\\xc2\\x9b"`, `\xc2\x9b`, `\xc2\x9b`},
		{"\xe4\xb8", `\xe4\xb8`, `"\\xe4\\xb8"`, `\xe4\xb8`, `\xe4\xb8`},
		{"中\xff", `中\xff`, `"中\\xff"`, `中\xff`, `中\xff`},
		{`say "x"`, `say "x"`, `"say \"x\""`, `"say ""x"""`, `say "x"`},
		{"a,b", "a,b", `"a,b"`, `"a,b"`, "a,b"},
		{"=1+1", "=1+1", `"=1+1"`, `\x3d1+1`, "=1+1"},
		{"-,", "-,", `"-,"`, `"\x2d,"`, "-,"},
		{"+", "+", `"+"`, `\x2b`, "+"},
		{"@x", "@x", `"@x"`, `\x40x`, "@x"},
		{"a=", "a=", `"a="`, "a=", "a="},
		{"a;=cmd()", "a;=cmd()", `"a;=cmd()"`, `"a;\x3dcmd()"`, "a;=cmd()"},
		{"a; \"=1;b", `a; "=1;b`, `"a; \"=1;b"`, `"a; ""\x3d1;b"`, `a; "=1;b`},
		{";;-1;+", ";;-1;+", `";;-1;+"`, `";;\x2d1;\x2b"`, ";;-1;+"},
		{"＝1;＋a＋", "＝1;＋a＋", `"＝1;＋a＋"`, `"\xef\xbc\x9d1;\xef\xbc\x8ba＋"`, "＝1;＋a＋"},
		{"－", "－", `"－"`, `\xef\xbc\x8d`, "－"},
		{"＠x", "＠x", `"＠x"`, `\xef\xbc\xa0x`, "＠x"},
		{"；=", "；=", `"；="`, "；=", "；="},
		{" a b ", " a b ", `" a b "`, `" a b "`, `\x20a b\x20`},
		{" ", " ", `" "`, `" "`, `\x20`},
		{"a\u202eb", "a\u202eb", "\"a\u202eb\"", "a\u202eb", `a\xe2\x80\xaeb`},
		{"a\u200bb", "a\u200bb", "\"a\u200bb\"", "a\u200bb", `a\xe2\x80\x8bb`},
		{"a\u2028b", "a\u2028b", "\"a\u2028b\"", "a\u2028b", `a\xe2\x80\xa8b`},
		{"a\u3000b", "a\u3000b", "\"a\u3000b\"", "a\u3000b", "a\u3000b"},
		{"a\u00a0b", "a\u00a0b", "\"a\u00a0b\"", "a\u00a0b", `a\xc2\xa0b`},
	} {
		name := []byte(c.name)
		for _, w := range []struct {
			what string
			got  []byte
			want string
		}{
			{"escaped", AppendEscaped(nil, name), c.plain}, {"json", AppendJSON(nil, name), c.json},
			{"csv", AppendCSV(nil, name), c.csv}, {"display", AppendDisplay(nil, name), c.display},
		} {
			if string(w.got) != w.want {
				t.Errorf("%s of %q: %s, want %s", w.what, c.name, w.got, w.want)
			}
		}
	}
}

// roundTrip requires every escaped form to be harmless and reversible.
func roundTrip(t *testing.T, name []byte) {
	t.Helper()
	back := func(what string, text []byte) {
		got, err := Unescape(text)
		if err != nil || !bytes.Equal(got, name) {
			t.Fatalf("%s of %q is %q and comes back as %q, %v", what, name, text, got, err)
		}
	}
	harmless := func(what string, text []byte, hide bool) {
		if !utf8.Valid(text) {
			t.Fatalf("%s of %q is not UTF-8: %q", what, name, text)
		}
		for _, r := range string(text) {
			if unicode.IsControl(r) || hide && (unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || !unicode.IsGraphic(r)) {
				t.Fatalf("%s of %q has %U", what, name, r)
			}
		}
	}

	text := AppendEscaped(nil, name)
	harmless("escaped form", text, false)
	back("escaped form", text)

	text = AppendDisplay(nil, name)
	harmless("display", text, true)
	back("display", text)

	text = AppendJSON(nil, name)
	harmless("json", text, false)
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("json of %q: %v", name, err)
	}
	back("json", []byte(s))
	text = AppendCSV(nil, name)
	harmless("csv", text, false)
	rows, err := csv.NewReader(bytes.NewReader(append(append([]byte("1,"), text...), ",2\n"...))).ReadAll()
	if err != nil || len(rows) != 1 || len(rows[0]) != 3 {
		t.Fatalf("csv of %q: %q, %v", name, rows, err)
	}
	back("csv", []byte(rows[0][1]))
	// Separated at commas and at semicolons, and by readers that know no quotes.
	line := "1," + string(text) + ",2"
	lazy := csv.NewReader(strings.NewReader(line))
	lazy.Comma, lazy.LazyQuotes = ';', true
	cells, err := lazy.Read()
	if err != nil {
		t.Fatalf("csv of %q, separated at semicolons: %v", name, err)
	}
	cells = append(append(append(cells, rows[0]...), strings.Split(line, ";")...), strings.Split(string(text), ";")...)
	for _, cell := range cells {
		cell = strings.TrimLeft(cell, ` "'`)
		if r, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@＝＋－＠\t\r", r) && cell != "" {
			t.Fatalf("csv of %q has a formula: %q", name, cell)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, name := range hostileNames {
		roundTrip(t, []byte(name))
	}
	for c := range 256 {
		roundTrip(t, []byte{byte(c)})
		for d := range 256 {
			roundTrip(t, []byte{byte(c), byte(d)})
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r += 1 {
		if r < 0x3100 || r%251 == 0 {
			roundTrip(t, []byte(string(r)))
		}
	}
	// Random names of lengths around the eight bytes that are checked together,
	// dense in special bytes.
	r := rand.New(rand.NewPCG(3, 4))
	dense := []byte("\\\\xx0041\"\",,==  +-@\x00\n\x7f\x80\xbf\xc2\xe2\x80\xae\xf0azAZ:._#{}~")
	for range 20000 {
		name := make([]byte, r.IntN(40))
		for i := range name {
			name[i] = dense[r.IntN(len(dense))]
		}
		roundTrip(t, name)
	}
}

// The fast path must write what the slow path writes.
func TestPlainIsSafe(t *testing.T) {
	for n := range 20 {
		for at := range n {
			for c := range 256 {
				name := bytes.Repeat([]byte{'a'}, n)
				name[at] = byte(c)
				for _, w := range []escaper{plainEscaper, jsonEscaper, csvEscaper, displayEscaper} {
					if plain(name) && (!bytes.Equal(w.append(nil, name), name) || c == ',') {
						t.Fatalf("%q passes as plain", name)
					}
				}
			}
		}
	}
	if !plain([]byte("user:basic.info:{10086}:hash_v-2~x")) {
		t.Error("an ordinary name takes the slow path")
	}
}

func TestUnescape(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"abc", "abc"}, {`\\`, `\`}, {`\x00`, "\x00"}, {`\xFf`, "\xff"}, {`\\x41`, `\x41`}, {`中\xe4`, "中\xe4"},
	} {
		if got, err := Unescape([]byte(c.text)); err != nil || string(got) != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{`\`, `\n`, `\x`, `\x4`, `\xg0`, `a\`, `\u0041`, `\\\`} {
		if got, err := Unescape([]byte(text)); err == nil {
			t.Errorf("%q: %q, want an error", text, got)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range hostileNames {
		f.Add([]byte(name))
	}
	f.Fuzz(func(t *testing.T, name []byte) {
		defer watchdog.Start(t)()
		roundTrip(t, name)
	})
}
