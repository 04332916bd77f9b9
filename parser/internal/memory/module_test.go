package memory

import (
	"strings"
	"testing"
)

func modelOf(t *testing.T, server, state string) *Model {
	t.Helper()
	m, _, err := Choose("", "", Options{Server: server, State: state})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSizes has what structures take by the sizes of their parts, and jemalloc's classes
// (8, 16, 24, ... 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, ...). A
// string object of up to 44 bytes is a block of 20 and the text.
func TestSizes(t *testing.T) {
	digits := strings.Repeat("9", 18)
	for _, c := range []struct {
		name         string
		add          func(s *ModuleSizes)
		alloc, usage int64
		approximate  bool
	}{
		{"filter", func(s *ModuleSizes) { s.BloomFilter(100) }, 112, 100, false},
		{"Bloom filter", func(s *ModuleSizes) { s.Bloom(2) }, 32 + 128, 32 + 128, false},
		{"cuckoo's filter", func(s *ModuleSizes) { s.CuckooFilter(100) }, 112, 100, false},
		{"cuckoo filter", func(s *ModuleSizes) { s.Cuckoo(2, 4) }, 40 + 32, 40 + 32, false},
		{"old cuckoo filter", func(s *ModuleSizes) { s.Cuckoo(3, 3) }, 40 + 24, 40, false},
		{"count-min sketch", func(s *ModuleSizes) { s.CountMin(100) }, 32 + 112, 32 + 100, false},
		{"top-k", func(s *ModuleSizes) { s.TopK(100, 50) }, 2560 + 112 + 56, 2088 + 100 + 50, false},
		{"item", func(s *ModuleSizes) { s.TopKItem(8) }, 16, 0, false},
		{"t-digest", func(s *ModuleSizes) { s.TDigest(12) }, 80 + 96 + 96, 80 + 96 + 96, false},
		{"valkey-bloom", func(s *ModuleSizes) { s.ValkeyBloom(2) }, 48 + 16, 48 + 16, true},
		{"its filter", func(s *ModuleSizes) { s.ValkeyBloomFilter(100) }, 112 + 112, 112 + 100, false},

		{"series", func(s *ModuleSizes) { s.TimeSeries(3, -1) }, 160 + 24, 160 + 24, false},
		{"series with a source", func(s *ModuleSizes) { s.TimeSeries(3, 0) }, 160 + 24 + 24, 160 + 24, false},
		{"series with long names", func(s *ModuleSizes) { s.TimeSeries(50, 44) }, 160 + 16 + 56 + 64, 160 + 16 + 56, false},
		{"label", func(s *ModuleSizes) { s.Label(3, 5) }, 24 + 32, 24 + 32, false},
		{"no labels", func(s *ModuleSizes) { s.Labels(0) }, 8, 8, false},
		{"label's place", func(s *ModuleSizes) { s.Labels(1) }, 16 + 250, 16 + 250, true},
		{"labels", func(s *ModuleSizes) { s.Labels(3) }, 48 + 750, 48 + 750, true},
		{"rule", func(s *ModuleSizes) { s.Rule(2, 24) }, 80 + 24 + 24, 80 + 24, false},
		{"weighted rule", func(s *ModuleSizes) { s.Rule(2, 72) }, 80 + 80 + 24, 80 + 80, false},
		// A tree of one key of 8 bytes: a leaf of 16 under a chain of 4+8+4+8, in a structure of 24 and a dict of 8.
		{"chunk", func(s *ModuleSizes) { s.Chunk(7, 100, false); s.Chunks() }, 32 + 112 + 16 + 24 + 24 + 8, 32 + 112 + 24 + 8 + 2*244, false},
		{"compressed chunk", func(s *ModuleSizes) { s.Chunk(7, 128, true); s.Chunks() }, 80 + 128 + 16 + 24 + 24 + 8, 80 + 128 + 24 + 8 + 2*244, false},
		// Two that differ in the last byte: a chain of 7, a branch of two (4+2+2+16), two leaves.
		{"chunks", func(s *ModuleSizes) { s.Chunk(7, 100, false); s.Chunk(8, 100, false); s.Chunks() }, 2*(32+112) + 24 + 24 + 2*16 + 24 + 8, 2*(32+112) + 24 + 8 + 4*244, false},
		{"no chunks", func(s *ModuleSizes) { s.Chunks() }, 8 + 24 + 8, 244 + 24 + 8, false},
		{"plain samples", func(s *ModuleSizes) { s.PlainSamples(10, 160) }, 32 + 160 + 40 + 8 + 24, 32 + 160 + 2*244 + 8 + 24, true},
		{"more plain samples", func(s *ModuleSizes) { s.PlainSamples(11, 160) }, 2*(32+160+40) + 8 + 24, 2*(32+160+2*244) + 8 + 24, true},
		{"no plain samples", func(s *ModuleSizes) { s.PlainSamples(0, 160) }, 32 + 160 + 40 + 8 + 24, 32 + 160 + 2*244 + 8 + 24, true},
		{"plain samples, one a chunk", func(s *ModuleSizes) { s.PlainSamples(3, 16) }, 3*(32+16+40) + 8 + 24, 3*(32+16+2*244) + 8 + 24, true},

		{"vector set", func(s *ModuleSizes) { s.VectorSet(0) }, 112 + 1792, 112 + 1672, false},
		{"vector set with a projection", func(s *ModuleSizes) { s.VectorSet(100) }, 112 + 1792 + 112, 112 + 1672 + 100, false},
		{"vector", func(s *ModuleSizes) { s.VectorSet(0); s.Vector([]byte("ab"), 2, 0, 12, 1) }, 112 + 1792 + 384 + 16 + 16 + 24, 112 + 1672, false},
		{"vector of four layers", func(s *ModuleSizes) { s.VectorSet(0); s.Vector([]byte("ab"), 2, 50, 12, 4) }, 112 + 1792 + 448 + 16 + 16 + 24 + 16 + 56, 112 + 1672, false},
		{"layer", func(s *ModuleSizes) { s.VectorSet(0); s.VectorLayer(16) }, 112 + 1792 + 128, 112 + 1672, false},
		// Of no element there is the structure of an empty tree.
		{"no vectors", func(s *ModuleSizes) { s.VectorSet(0); s.VectorSetEnd(0, 12) }, 112 + 1792 + 8 + 24 + 8, 112 + 1672, false},
		{"three vectors", func(s *ModuleSizes) {
			s.VectorSet(0)
			for range 3 {
				s.Vector([]byte("same"), 4, 0, 12, 1)
				s.VectorLayer(16)
			}
			s.VectorSetEnd(3, 12)
		}, -1, 112 + 1672 + 3*(312+12+16) + 24*3*4/3 + 8*16*3 + 8*8*3/3 + 3*24, false},
		{"three vectors, two with attributes", func(s *ModuleSizes) {
			s.VectorSet(0)
			for i, attributes := range []int64{10, 0, 20} {
				s.Vector([]byte("same"), 4, attributes, 12, 1)
				s.VectorLayer(int64(16 - i)) // the first element's count
				s.VectorLayer(99)
			}
			s.VectorSetEnd(3, 12)
		}, -1, 112 + 1672 + 3*(312+12+16) + 24*3*4/3 + 8*16*3 + 8*8*3/3 + 3*24 + 2*(32+40)/2, false},

		{"document", func(s *ModuleSizes) { s.Document(3) }, 8, 8, true},
		{"text", func(s *ModuleSizes) { s.Document(3); s.Text(5); s.ShortText(5) }, 8 + 16 + 16, 8 + 13 + 13, true},
		{"name", func(s *ModuleSizes) { s.Document(3); s.Name(5) }, 8 + 16, 8 + 13, true},
		{"fraction", func(s *ModuleSizes) { s.Document(3); s.Number([]byte("1.5"), false) }, 8 + 8, 8 + 8, true},
		{"integers", func(s *ModuleSizes) {
			s.Document(3)
			s.Number([]byte("15"), true)
			s.Number([]byte(digits), true)
			s.Number([]byte("9223372036854775807"), true)
			s.Integer()
			s.Boolean()
			s.Literal()
		}, 8, 8, true},
		{"integers of more than 64 bits", func(s *ModuleSizes) {
			s.Document(3)
			s.Number([]byte("9223372036854775808"), true)
			s.Number([]byte(digits+digits), true)
		}, 8 + 16, 8 + 16, true},
		{"double", func(s *ModuleSizes) { s.Document(4); s.Double() }, 8 + 8, 8 + 8, true},
		{"array", func(s *ModuleSizes) { s.Document(3); s.Array(3) }, 8 + 40, 8 + 40, true},
		{"object", func(s *ModuleSizes) { s.Document(3); s.Object(4) }, 8 + 128, 8 + 16 + 64 + 40, true},
		{"typed array", func(s *ModuleSizes) { s.Document(4); s.TypedArray(10) }, 8 + 32, 8 + 26, true},

		{"document of RedisJSON 1", func(s *ModuleSizes) { s.Document(1) }, 16, 16, false},
		{"its text", func(s *ModuleSizes) { s.Document(0); s.Text(5); s.ShortText(5) }, 16 + 2*(24+8), 16 + 2*(24+5), false},
		{"its member", func(s *ModuleSizes) { s.Document(1); s.Member(5) }, 16 + 24 + 8, 16 + 24 + 6, false},
		{"its numbers", func(s *ModuleSizes) { s.Document(1); s.Integer(); s.Double(); s.Boolean() }, 16 + 3*24, 16 + 3*24, false},
		{"its arrays", func(s *ModuleSizes) { s.Document(1); s.Array(0); s.Array(3) }, 16 + 24 + 8 + 24 + 24, 16 + 24 + 24 + 24, false},
		{"its objects", func(s *ModuleSizes) { s.Document(1); s.Object(0); s.Object(3) }, 16 + 24 + 8 + 24 + 24, 16 + 24 + 24 + 24, false},
	} {
		s := new(ModuleSizes)
		for range 2 { // the second time after a Reset
			s.Reset(modelOf(t, "redis-8.0", "reloaded"))
			c.add(s)
			if s.Allocated != c.alloc && c.alloc >= 0 || s.Usage != c.usage || s.Approximate != c.approximate {
				t.Errorf("%s: %d and %d, approximate %v, want %d and %d", c.name, s.Allocated, s.Usage, s.Approximate, c.alloc, c.usage)
			}
		}
		s.Reset(nil)
		if c.add(s); s.Allocated != 0 || s.Usage != 0 {
			t.Errorf("%s: %d and %d without a model", c.name, s.Allocated, s.Usage)
		}
	}
}

// TestValkeyJSON has documents of valkey-json (dom.h, and RapidJSON's values of 16 bytes).
func TestValkeyJSON(t *testing.T) {
	for _, c := range []struct {
		name         string
		add          func(s *ModuleSizes)
		alloc, usage int64
	}{
		{"document", func(s *ModuleSizes) {}, 0, 0},
		{"short text", func(s *ModuleSizes) { s.Text(13); s.ShortText(13); s.Text(0) }, 0, 0},
		{"text", func(s *ModuleSizes) { s.Text(14); s.ShortText(15) }, 16 + 16, 16 + 16},
		{"name", func(s *ModuleSizes) { s.Name(5); s.Name(11) }, 24 + 32, 0},
		{"short number", func(s *ModuleSizes) { s.Number([]byte("1.2345678901234"), false) }, 0, 0},
		{"number", func(s *ModuleSizes) { s.Number([]byte("1.23456789012345"), false) }, 24, 24},
		{"integer", func(s *ModuleSizes) { s.Number([]byte("9223372036854775807"), true) }, 0, 0},
		{"long integer", func(s *ModuleSizes) { s.Number([]byte("9223372036854775808"), true) }, 24, 24},
		{"others", func(s *ModuleSizes) { s.Integer(); s.Double(); s.Boolean(); s.Literal() }, 0, 0},
		{"arrays", func(s *ModuleSizes) { s.Array(0); s.Array(1); s.Array(3) }, 16 + 48, 16 + 48},
		{"objects", func(s *ModuleSizes) { s.Object(0); s.Object(1); s.Object(3) }, 24 + 80, 24 + 80},
		{"largest object without a table", func(s *ModuleSizes) { s.Object(64) }, 1536, 1536},
		{"object with a table", func(s *ModuleSizes) { s.Object(65) }, 2560, 2560},                       // 77 slots of 32 bytes
		{"object whose table nearly fills its block", func(s *ModuleSizes) { s.Object(67) }, 2560, 2560}, // 79 slots
	} {
		for _, version := range []int{1, 3} {
			var s ModuleSizes
			s.Reset(modelOf(t, "valkey-9", "live"))
			s.Document(version)
			if c.add(&s); s.Allocated != 32+c.alloc || s.Usage != 32+c.usage || s.Approximate {
				t.Errorf("%s: %d and %d, want %d and %d", c.name, s.Allocated, s.Usage, 32+c.alloc, 32+c.usage)
			}
		}
	}
	for _, c := range []struct {
		server  string
		version int
		shared  bool
	}{{"valkey-9", 3, true}, {"valkey-9", 1, true}, {"redis-8.0", 1, false}, {"redis-8.0", 2, true}} {
		var s ModuleSizes
		if s.Reset(nil); s.SharesNames() {
			t.Error("names are shared without a model")
		}
		s.Reset(modelOf(t, c.server, ""))
		if s.Document(c.version); s.SharesNames() != c.shared {
			t.Errorf("%+v: %v", c, s.SharesNames())
		}
	}
}

// TestSampledVectors has a vector set of 25 elements: MEMORY USAGE takes the mean of the
// names and attributes of 20, which are the first ones of a file, or the last ones once it
// was loaded.
func TestSampledVectors(t *testing.T) {
	for state, names := range map[string]int64{"live": (5*24 + 15*64) / 20 * 25, "reloaded": 64 * 25} {
		for n, each := range map[int]int64{5: 32, 0: 64} { // without a sample with attributes 64 bytes are assumed
			var s ModuleSizes
			s.Reset(modelOf(t, "redis-8.0", state))
			s.VectorSet(0)
			for i := range 25 {
				name, attributes := strings.Repeat("n", 2), int64(0)
				if i >= 5 {
					name = strings.Repeat("n", 44)
				}
				if n == 5 && i >= 10 && i < 15 {
					attributes = 10
				}
				if n == 0 && (state == "live") == (i >= 20) && (i < 5 || i >= 20) {
					attributes = 10
				}
				s.Vector([]byte(name), int64(len(name)), attributes, 12, 1)
				s.VectorLayer(16)
			}
			before := s.Usage
			s.VectorSetEnd(25, 12)
			if want := int64(25*(312+12+16) + 24*25*4/3 + 8*16*25 + 8*8*25/3); s.Usage-before != want+names+5*each || s.Links != 25*128 {
				t.Errorf("%s, attributes of %d bytes: %d, want %d; links %d", state, each, s.Usage-before, want+names+5*each, s.Links)
			}
		}
	}
}
