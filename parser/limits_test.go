package parser

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/internal/release"
)

// TestEmbeddingLimits checks up to which length a string lies in one block with
// its object: REDIS_ENCODING_EMBSTR_SIZE_LIMIT of object.c, 39 in Redis 3.0 and 44
// from 3.2 on. There was no such encoding before 3.0.
func TestEmbeddingLimits(t *testing.T) {
	for _, c := range []struct {
		server, version string
		longest         int64
	}{{"redis", "2.8.24", -1}, {"redis", "3.0.7", 39}, {"redis", "3.2.0", 44}, {"redis", "7.0.15", 44}, {"redis", "", 44}, {"valkey", "8.0.2", 44}} {
		v, _ := release.Parse(c.version)
		w := newWalker(&dialect{embed: release.EmbeddingOf(c.server, v)})
		for n := range int64(64) {
			if got := w.embedded(n); got != (n <= c.longest) {
				t.Errorf("%s %s: a string of %d bytes is embedded: %v", c.server, c.version, n, got)
			}
		}
	}
}

// TestEmbeddingBesideTheName checks the longest text that Valkey keeps in one block
// with its object and its name: for names of many lengths, without and with an expiry,
// as OBJECT ENCODING of Valkey 8.1.4 and 9.1.0 had them, -1 none.
func TestEmbeddingBesideTheName(t *testing.T) {
	for server, longest := range map[string]map[int64][2]int64{
		"8.1.4": {1: {40, 32}, 2: {39, 31}, 8: {33, 25}, 30: {11, 3}, 31: {10, 2}, 40: {1, 1}, 41: {0, 0}, 42: {-1, -1}, 64: {-1, -1}},
		"9.1.0": {1: {112, 104}, 2: {111, 103}, 8: {105, 97}, 30: {83, 75}, 31: {82, 74}, 32: {79, 71}, 33: {78, 70}, 64: {47, 39},
			100: {11, 3}, 102: {9, 1}, 103: {8, 0}, 104: {7, -1}, 112: {-1, -1}, 130: {-1, -1}},
	} {
		v, _ := release.Parse(server)
		w := newWalker(&dialect{embed: release.EmbeddingOf("valkey", v)})
		for name, want := range longest {
			for ttl, want := range want {
				w.key.NameLen, w.key.HasExpire = name, ttl == 1
				got := int64(-1)
				for n := range int64(300) {
					if w.embedded(n) {
						got = n
					}
				}
				if got != want {
					t.Errorf("%s: a name of %d bytes, expiry %v: texts of up to %d bytes are embedded, want %d", server, name, ttl == 1, got, want)
				}
			}
		}
	}
}

// TestGuard checks that an index out of range in the walk of a hostile file is a
// failure at the place where it happened, unless a callback caused it.
func TestGuard(t *testing.T) {
	w := newWalker(&dialect{})
	var none []int
	fail := w.guard(func() { none[len(w.digits)]++ })
	if fail == nil || fail.Offset != w.Offset() || !strings.Contains(fail.Reason.Quoted(), "index out of range") {
		t.Errorf("failure %v", fail)
	}
	if fail := w.guard(func() {}); fail != nil {
		t.Errorf("failure %v without a cause", fail)
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic of a callback was taken for damage")
		}
	}()
	w.inCallback = true
	w.guard(func() { none[len(w.digits)]++ })
}

// TestTemplateNamesAreBounded checks that names of templates are kept up to the
// limit, and lengths beyond it.
func TestTemplateNamesAreBounded(t *testing.T) {
	for _, whole := range []bool{false, true} {
		names := templates{whole: whole}
		names.names = names.most() - 3
		var d nameList
		names.add(&d, 3, []byte("abc"))
		names.add(&d, 1, []byte("d"))
		if string(d.bytes) != "abc" || len(d.lens) != 2 || d.lens[1] != 1 || d.ends[1] != 3 {
			t.Errorf("whole %v: %+v", whole, d)
		}
	}
}

// TestSlotCounts checks that counts of a cluster slot are read, and cut where no server
// could have as many keys: sums of all slots must not overflow.
func TestSlotCounts(t *testing.T) {
	const most = 1 << 40
	for n, want := range map[uint64]int64{0: 0, 5: 5, most - 1: most - 1, most: most, most + 1: most, 1<<63 - 1: most, 1<<64 - 1: most} {
		r := newRDB("REDIS0012")
		for slot := range uint64(16384) {
			r.raw(0xf4).len(slot).len(n).len(n / 2)
		}
		o := scanned(bytes.NewReader(r.end()), withMemory, scanBlock)
		if o.err != nil || len(o.info.Slots) != 16384 {
			t.Fatalf("%d slots: %v", len(o.info.Slots), o.err)
		}
		for _, s := range o.info.Slots {
			if s.Keys != want || s.Expires != min(int64(n/2), most) {
				t.Fatalf("%d keys, %d of them with a TTL, are %+v", n, n/2, s)
			}
		}
	}
}
