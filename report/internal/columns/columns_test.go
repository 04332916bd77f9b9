package columns

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

type pair struct{ A, B int64 }

// row has a field of every kind.
type row struct {
	Yes      bool
	Small    int8
	Wide     int64
	Byte     uint8
	Hash     uint64
	Score    float64
	Text     string
	Bytes    []byte
	Of       *pair
	List     []pair
	Numbers  []uint32
	Names    []string
	Array    [3]pair
	Skipped  int `json:"-"`
	internal int
}

func rows(r *rand.Rand) (list []*row) {
	for i := range 40 {
		x := &row{Skipped: i, internal: i, Yes: r.IntN(2) == 0, Small: int8(r.IntN(256) - 128), Wide: int64(r.Uint64()), Byte: uint8(r.IntN(256)), Hash: r.Uint64(),
			Score: []float64{0, -1.5, 1e300, math.Inf(1), r.Float64()}[r.IntN(5)], Text: fmt.Sprint("user:", i), Array: [3]pair{{1, 2}, {3, int64(i)}, {}}}
		if i%3 > 0 {
			x.Bytes, x.Of, x.List = make([]byte, i%5), &pair{int64(i), math.MinInt64}, []pair{{1, 2}, {int64(i), 4}}
			x.Numbers, x.Names = []uint32{}, []string{"a", "", "ab"}
		}
		list = append(list, x)
	}
	return list
}

func TestRunReturns(t *testing.T) {
	for seed := range uint64(20) {
		want := rows(rand.New(rand.NewPCG(seed, 1)))
		var run Run
		for _, x := range want {
			run.Add(x)
		}
		i := 0
		if !Read(bytes.Join(run.Parts(1<<20), nil), func(got *row) bool {
			want[i].Skipped, want[i].internal = 0, 0 // are not written
			if !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("seed %d, value %d:\n got %+v\nwant %+v", seed, i, got, want[i])
			}
			i++
			return true
		}) || i != len(want) {
			t.Fatalf("seed %d: %d of %d values were read", seed, i, len(want))
		}
	}
}

// TestHostileRuns reads runs that are cut or damaged: without a panic, and in bounded memory.
func TestHostileRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var run Run
	for _, x := range rows(r) {
		run.Add(x)
	}
	text := bytes.Join(run.Parts(1<<20), nil)
	accept := func(*row) bool { return true }
	for n := range text {
		if Read(text[:n], accept) {
			t.Fatalf("a run that is cut after %d of %d bytes is accepted", n, len(text))
		}
	}
	for range 20_000 {
		bad := append([]byte(nil), text...)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		Read(bad, accept)
	}
	if Read(append(text, 0), accept) {
		t.Error("a run with a byte behind it is accepted")
	}
	if Read(text, func(*row) bool { return false }) {
		t.Error("a value that is refused is accepted")
	}
}
