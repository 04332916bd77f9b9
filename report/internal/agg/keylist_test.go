package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/thresholds"
)

// listOf lists keys that come in blocks, of which several begin at a time.
func listOf(l *KeyList, keys []parser.Key, found func(*parser.Key) []thresholds.Finding, block, beside int) {
	batches := make([]keyBatch, beside)
	for i := range batches {
		batches[i].cutoff, batches[i].flagged = -1, -1
	}
	var open []*keyBatch
	for from := 0; from < len(keys); from += block {
		b := &batches[from/block%beside]
		for i := from; i < min(from+block, len(keys)); i++ {
			k := &keys[i]
			b.lookUp(l, k, 0)
			b.add(k, sizeOf(k), found(k), 0)
		}
		if open = append(open, b); len(open) == beside {
			for _, b := range open {
				l.flush(b)
			}
			open = nil
		}
	}
	for _, b := range open {
		l.flush(b)
	}
	l.drop()
	l.Fill(l.Keys)
}

// TestKeyList checks a list against sorting: it has the largest keys and those over a
// limit, whatever the blocks, and finds the keys of another list.
func TestKeyList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 60_000
	keys := make([]parser.Key, n)
	for i := range keys {
		keys[i] = parser.Key{Name: fmt.Appendf(nil, "key:%d", i), Memory: rng.Int64N(100_000), ValueBytes: 5, Offset: int64(i)}
	}
	flagged := func(k *parser.Key) bool { return k.Offset%100 == 0 }
	length, _ := thresholds.Lookup("big-string")
	found := func(k *parser.Key) []thresholds.Finding {
		if flagged(k) {
			return []thresholds.Finding{{Rule: length.ID, Severity: thresholds.Warning, Measured: 5, Limit: 4}}
		}
		return nil
	}
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, func(a, b parser.Key) int {
		if a.Memory != b.Memory {
			return int(b.Memory - a.Memory)
		}
		return int(a.Offset - b.Offset)
	})
	var want []string
	for i := range sorted {
		if i < listedKeys || flagged(&sorted[i]) {
			want = append(want, string(sorted[i].Name))
		}
	}
	for _, c := range [][2]int{{n, 1}, {100, 1}, {1000, 3}, {7, 16}} {
		other := NewKeyList(nil)
		other.Fill([]ListedKey{{KeyID: KeyID{Name: "key:7"}}, {KeyID: KeyID{Name: "key:missing"}}, {KeyID: KeyID{DB: 1, Name: "key:8"}}})
		l := NewKeyList(other)
		listOf(l, keys, found, c[0], c[1])
		var got []string
		for i := range l.Keys {
			got = append(got, l.Keys[i].Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("blocks of %d: %d keys, want %d", c[0], len(got), len(want))
		}
		if l.Cutoff < 0 || l.Cutoff > l.Keys[listedKeys-1].Size() {
			t.Errorf("blocks of %d: cutoff %d", c[0], l.Cutoff)
		}
		for i := range sorted {
			if s := &sorted[i]; l.Find(KeyID{Name: string(s.Name)}) < 0 && s.Memory > l.Cutoff {
				t.Fatalf("blocks of %d: %s of %d bytes is not listed, the cutoff is %d", c[0], s.Name, s.Memory, l.Cutoff)
			}
		}
		l.KnowAll()
		if l.Found[0].Type == "" || l.Found[0].Memory != keys[7].Memory || l.Found[1].Type != "" || l.Found[2].Type != "" {
			t.Errorf("found %+v", l.Found)
		}
	}
}

// TestKeyListBytes checks that long names do not take more than the bytes of a list.
func TestKeyListBytes(t *testing.T) {
	length, _ := thresholds.Lookup("big-string")
	found := []thresholds.Finding{{Rule: length.ID, Severity: thresholds.Warning, Measured: 5, Limit: 4}}
	name := make([]byte, 5000)
	l := NewKeyList(nil)
	b := keyBatch{cutoff: -1, flagged: -1}
	most := 0
	for i := range 200_000 {
		copy(name, fmt.Sprint(i))
		k := parser.Key{Name: name, NameLen: int64(len(name)), Memory: int64(i), Offset: int64(i)}
		b.add(&k, k.Memory, found, 0)
		if i%100 == 0 {
			l.flush(&b)
			most = max(most, len(l.Keys))
		}
	}
	l.flush(&b)
	l.drop()
	if bytes := len(l.Keys) * (ListedName + 150); bytes > listedBytes || most > 3*listedBytes/ListedName {
		t.Errorf("%d keys, %d on the way", len(l.Keys), most)
	}
	if l.Keys[0].Memory != 199_999 || l.flagged != l.Keys[len(l.Keys)-1].Memory-1 || l.Cutoff < l.flagged {
		t.Errorf("the first has %d bytes, the cutoffs are %d and %d, the last has %d", l.Keys[0].Memory, l.Cutoff, l.flagged, l.Keys[len(l.Keys)-1].Memory)
	}
}
