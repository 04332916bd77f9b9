package hashindex

import (
	"math/rand/v2"
	"testing"
)

// TestIndex compares an index that grows with a map.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := New(1)
	var list []uint64
	want := map[uint64]int{}
	find := func(hash uint64) (int, uint) {
		for slot := x.First(hash); ; slot = x.Next(slot) {
			if i := x.Position(slot); i < 0 || list[i] == hash {
				return i, slot
			}
		}
	}
	for range 20_000 {
		hash := r.Uint64N(5000) << (r.IntN(2) * 40) // many have equal low bits
		i, slot := find(hash)
		if w, ok := want[hash]; ok != (i >= 0) || ok && w != i {
			t.Fatalf("hash %x is at %d, want %d (%t)", hash, i, w, ok)
		}
		if i >= 0 {
			continue
		}
		if x.Full() {
			x.Grow(len(list), func(i int) (uint64, bool) { return list[i], true })
			_, slot = find(hash)
		}
		x.Put(slot, len(list))
		want[hash] = len(list)
		list = append(list, hash)
	}
	if x.Bytes() < 8*int64(len(list)) {
		t.Errorf("%d bytes for %d positions: more than half full", x.Bytes(), len(list))
	}
	// Positions that are left out are gone.
	x.Grow(len(list), func(i int) (uint64, bool) { return list[i], i%2 == 0 })
	for i, hash := range list {
		if got, _ := find(hash); (got >= 0) != (i%2 == 0) {
			t.Fatalf("position %d of %x after half were left out", got, hash)
		}
	}
	x.Reset()
	if i, _ := find(list[0]); i >= 0 || x.Full() {
		t.Errorf("position %d in an empty index", i)
	}
}
