package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/parser/memory"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

func testPolicy(tb testing.TB) *thresholds.Policy {
	tb.Helper()
	policy, err := config.Load(config.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return policy
}

// bytesSource is a Source of bytes in memory.
func bytesSource(name string, data []byte) Source {
	return Source{Name: name, Size: int64(len(data)), Open: func(context.Context) (io.ReadCloser, error) { return parser.Wrap(bytes.NewReader(data)) }}
}

// TestScanOptions checks that options that are not valid are refused.
func TestScanOptions(t *testing.T) {
	for _, opt := range []Options{{By: "size"}, {GroupOrder: "colour"}, {Memory: memory.Options{Server: "memcached"}}} {
		if r, err := Scan(t.Context(), nil, testPolicy(t), opt); err == nil || r != nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	for _, by := range GroupOrders() {
		r, err := Scan(t.Context(), []Source{FileSource("../testdata/shop.rdb")}, testPolicy(t), Options{GroupOrder: by, By: ByElements})
		if err != nil || r.By != ByElements || len(r.Groups) == 0 {
			t.Errorf("sorted by %q: %v", by, err)
		}
	}
}

// TestScanPartly checks that what was read of damaged sources is reported beside
// an error that names them.
func TestScanPartly(t *testing.T) {
	data, err := os.ReadFile("../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{bytesSource("a whole", data), FileSource("b missing.rdb"), bytesSource("c cut", data[:len(data)/2]), bytesSource("d text", []byte("hello world"))}
	r, err := Scan(t.Context(), sources, testPolicy(t), Options{Top: 3})
	var failed ScanError
	if !errors.As(err, &failed) || len(failed) != 3 || failed[0].Name != "b missing.rdb" || failed[1].Name != "c cut" || failed[2].Name != "d text" {
		t.Fatalf("error %v", err)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Error("the cause of the missing file is lost")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("error in %d lines", len(lines))
	}
	if r.Complete || r.Interrupted || len(r.Inputs) != 4 {
		t.Fatalf("complete %t, interrupted %t, %d inputs", r.Complete, r.Interrupted, len(r.Inputs))
	}
	for i, want := range []bool{true, false, false, false} {
		if in := &r.Inputs[i]; in.Complete != want || (in.Error == nil) != want || string(in.Name) != sources[i].Name {
			t.Errorf("input %d: %+v", i, in)
		}
	}
	if in := &r.Inputs[2]; in.Keys == 0 || failed[1].Keys != in.Keys || r.Totals.Keys != r.Inputs[0].Keys+in.Keys {
		t.Errorf("%d keys of the cut file, %d in all", in.Keys, r.Totals.Keys)
	}
}

// TestScanInterrupted distinguishes a context that ends from damage.
func TestScanInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Scan(ctx, []Source{FileSource("../testdata/shop.rdb")}, testPolicy(t), Options{})
	if !errors.Is(err, context.Canceled) || r == nil || !r.Interrupted || r.Complete {
		t.Errorf("error %v", err)
	}
}

// TestInstanceFindingsHaveMemory checks that a finding about a slot has the memory of
// its keys, here three strings of 4 MB with one hash tag, and not their value bytes.
func TestInstanceFindingsHaveMemory(t *testing.T) {
	r, err := Scan(t.Context(), []Source{FileSource("../testdata/rules/cluster-skewed.rdb.gz")}, testPolicy(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Rules, func(f Finding) bool { return f.Rule == "slot-skew" })
	if i < 0 || r.Rules[i].MemoryBytes <= 3*4<<20 || r.Rules[i].ValueBytes != Unknown {
		t.Errorf("finding %d of %+v", i, r.Rules)
	}
}
