package parser

import (
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser/version"
)

// TestEmbeddingLimits checks up to which length a string lies in one block with
// its object: REDIS_ENCODING_EMBSTR_SIZE_LIMIT of object.c, 39 in Redis 3.0 and 44
// from 3.2 on. There was no such encoding before 3.0.
func TestEmbeddingLimits(t *testing.T) {
	for _, c := range []struct {
		server, version string
		longest         int64
	}{{"redis", "2.8.24", -1}, {"redis", "3.0.7", 39}, {"redis", "3.2.0", 44}, {"redis", "7.0.15", 44}, {"redis", "", 44}, {"valkey", "8.0.2", 44}} {
		v, _ := version.Parse(c.version)
		w := newWalker(&dialect{embed: embeddingOf(c.server, v)})
		for n := range int64(64) {
			if got := w.embedded(n); got != (n <= c.longest) {
				t.Errorf("%s %s: a string of %d bytes is embedded: %v", c.server, c.version, n, got)
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
	if fail == nil || fail.Offset != w.Offset() || !strings.Contains(fail.Reason, "index out of range") {
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
		var d template
		names.add(&d, 3, []byte("abc"))
		names.add(&d, 1, []byte("d"))
		if string(d.names) != "abc" || len(d.lens) != 2 || d.lens[1] != 1 || d.ends[1] != 3 {
			t.Errorf("whole %v: %+v", whole, d)
		}
	}
}
