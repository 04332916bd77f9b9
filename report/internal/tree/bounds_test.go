package tree

import "testing"

// value adds a value of the names at the root, such as "17:", with keys and bytes.
func (f *forest) value(label string, keys, size int64) int32 {
	i := f.add(0, hashOf(f.Node(0).hash, []byte(label), inner), label, inner, flags{})
	f.Node(i).Keys, f.Node(i).Size = keys, size
	return i
}

// TestHeaviestBounds keeps values over one of the bounds, and not those at both.
func TestHeaviestBounds(t *testing.T) {
	f := newForest(":")
	var list []ranked
	for label, of := range map[string][2]int64{"1:": {100, 100}, "2:": {101, 0}, "3:": {0, 101}, "4:": {99, 99}} {
		list = append(list, ranked{f.value(label, of[0], of[1]), of[0], of[1]})
	}
	kept := f.heaviest(list, len(list), 100, 100)
	for _, r := range list {
		if want := r.keys > 100 || r.size > 100; kept[r.node] != want {
			t.Errorf("%q of %d keys and %d bytes is kept: %t", f.Node(r.node).label, r.keys, r.size, kept[r.node])
		}
	}
}

// TestShapesAtBounds has shapes of two values over one bound, at both, and one of a single value.
func TestShapesAtBounds(t *testing.T) {
	f := newForest(":")
	out := []int32{f.value("aa1:", 51, 1), f.value("aa2:", 50, 1), f.value("bb1:", 1, 51), f.value("bb2:", 1, 50),
		f.value("cc1:", 50, 50), f.value("cc2:", 50, 50), f.value("dd1:", 900, 900)}
	f.addShapes(spot{0, inner}, out, 100, 100)
	for shape, want := range map[string]bool{"aa*:": true, "bb*:": true, "cc*:": false, "dd*:": false} {
		if got := f.find(hashOf(f.Node(0).hash, []byte(shape), inner)) != 0; got != want {
			t.Errorf("%s has a node: %t", shape, got)
		}
	}
}

// TestMissedOfFolds folds a value that may lack keys: what the place lacks has these, too.
func TestMissedOfFolds(t *testing.T) {
	f := newForest(":")
	f.Node(f.value("17:", 40, 40)).missed = 7
	f.value("18:", 41, 40)
	f.absorbOthers(spot{0, inner}, nil, share)
	if p := f.placeOf(0, inner); p.missed != 47 {
		t.Errorf("the place lacks up to %d keys, want 47", p.missed)
	}
}

// TestValuesOfBlocks adds values that a block did not know to be folded: one over a bound of its
// place has a node, one at both is folded, and a value may lack as many keys more.
func TestValuesOfBlocks(t *testing.T) {
	f := newForest(":")
	star := f.value("*:", 100*share, 100*share)
	f.Node(star).wide = true
	f.placeOf(0, inner).missed = 5
	f.merges++
	for label, of := range map[string][2]int64{"1:": {101, 1}, "2:": {1, 101}} {
		if to := f.child(0, []byte(label), &blockNode{kind: inner, keys: of[0], size: of[1]}); f.Node(to).label != label {
			t.Errorf("%s of %d keys and %d bytes is folded", label, of[0], of[1])
		}
	}
	if to := f.child(0, []byte("3:"), &blockNode{kind: inner, keys: 100, size: 100}); to != star {
		t.Errorf("a value at both bounds is not folded: %q", f.Node(to).label)
	}
	if p := f.placeOf(0, inner); p.missed != 105 {
		t.Errorf("the place lacks up to %d keys, want 105", p.missed)
	}
}
