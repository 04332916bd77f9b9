package format

import (
	"math/rand/v2"
	"testing"
)

// TestOf has values that the programs named wrote, or bytes by the specification.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		what, value string
		want        Format
	}{
		{"nothing", "", None},
		{"JSON object", `{"a": [1, null]}`, JSON}, {"JSON with white space", "\n [ ]", JSON}, {"a JSON string", `"a"`, JSON}, {"true", "true", JSON},
		{"an object that ends early", `{"a": 1`, Text}, {"a Go map", "map[a:1]", Text}, {"braces", "{order}", Text},
		{"integer", "42", Number}, {"negative", "-42", Number}, {"decimal", "3.25", Number}, {"exponent", "1e-7", Number}, {"leading zeros", "007", Number},
		{"an address", "10.0.0.1", Text}, {"a date", "2026-01-01", Text}, {"Chinese", "订单", Text}, {"lines", "a\tb\r\n", Text}, {"a control character", "a\x00b", Binary},
		{"Latin-1", "caf\xe9 au lait", Binary},
		{"Java, an ArrayList", "\xac\xed\x00\x05sr\x00\x13java.util.ArrayListx\x81\xd2\x1d\x99\xc7a\x9d\x03\x00\x01I\x00\x04sizexp\x00\x00\x00\x00w\x04\x00\x00\x00\x00x", Java},
		{"PHP, an array", `a:1:{s:1:"a";i:1;}`, PHP}, {"PHP, an object with private fields", "O:4:\"User\":1:{s:8:\"\x00User\x00id\";i:7;}", PHP}, {"PHP, null", "N;", PHP}, {"PHP, true", "b:1;", PHP},
		{"igbinary", "\x00\x00\x00\x02\x14\x01\x11\x01a\x06\x01", PHP},
		{"Python 3, protocol 2", "\x80\x02}q\x00(X\x04\x00\x00\x00userq\x01K\x01u.", Pickle}, {"protocol 4", "\x80\x04\x95\x33\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x04user\x94K\x01u.", Pickle},
		{"protocol 4, a small integer", "\x80\x04K\x05.", Pickle},
		{"zlib of Python", "\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1", Zlib}, {"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9", Gzip},
		{"zstd 1.5", "\x28\xb5\x2f\xfd\x04\x58\x65\x00\x00\x30hello \x01\x00\x99\x4b\x11\x17\x5e\xae\x0d", Zstd},
		{"lz4 1.9", "\x04\x22\x4d\x18\x64\x40\xa7\x0f\x00\x00\x00\x68hello \x06\x00\x50hello\x00\x00\x00\x00\xf2\x6b\x94\x0b", LZ4},
		{"a Snappy frame", "\xff\x06\x00\x00sNaPpY\x01\x04\x00\x00", Snappy},
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", Image}, {"JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", Image}, {"WebP", "RIFF\x24\x00\x00\x00WEBPVP8 ", Image},
		{"MessagePack, a map", "\x82\xa1a\x01\xa1b\x93\xc3\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xcd\x01\x00", MessagePack}, {"an array", "\x92\x01\xa2hi", MessagePack},
		{"a map with a text of 40 bytes", "\x81\xa1k\xd9\x280123456789012345678901234567890123456789", MessagePack}, {"an array 16", "\xdc\x00\x02\xc0\xc2", MessagePack},
		{"a map that ends early", "\x82\xa1a\x01\xa1b", Binary}, {"a map and a byte more", "\x81\xa1a\x01\x02", Binary},
		{"Protocol Buffers: the example of its encoding guide, and a number", "\x12\x07testing\x08\x96\x01", Protobuf}, {"a field of number 0", "\x02\x07testing\x08\x96\x01", Binary},
	} {
		if got := Of([]byte(c.value), true); got != c.want {
			t.Errorf("%s, %q: %v, not %v", c.what, c.value, got, c.want)
		}
	}
	for value, want := range map[string]Format{`{"a": "b`: JSON, `[1, 2`: JSON, `"abc`: Text, "123": Text, "\x82\xa1a\x01\xa1b\x93\xc3\xcb\x3f": MessagePack, "\x12\x07testing\x08\x96\x01\x1a\xff\x10": Protobuf, "\x80\x04\x95\x33": Pickle} {
		if got := Of([]byte(value), false); got != want {
			t.Errorf("the beginning %q: %v, not %v", value, got, want)
		}
	}
}

// TestRandom checks how often random bytes are taken for a format that has no magic number.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var found [count]int
	const n = 20_000
	for range n {
		b := make([]byte, 16+random.IntN(200))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		found[Of(b, true)]++
	}
	if found[Binary] < n*995/1000 || found[MessagePack] > n/1000 || found[Protobuf] > n/300 {
		t.Errorf("of %d random values: %v", n, found)
	}
}

func TestWords(t *testing.T) {
	for _, name := range Names() {
		if f := Parse(name); f.String() != name || f == None {
			t.Errorf("%s is %v", name, f)
		}
	}
	var s Set
	s.Add(None)
	if s != 0 || s.First() != None || Parse("xml") != None {
		t.Error("the empty set has a format")
	}
	s.Add(Number)
	s.Add(Text)
	if s.First() != Text || !s.Has(Number) || s.Has(JSON) {
		t.Error(s)
	}
	if !Text.Includes(JSON) || !JSON.Includes(Number) || JSON.Includes(Text) || PHP.Includes(Text) {
		t.Error("a number is JSON and text, JSON is text, no text is JSON")
	}
}
