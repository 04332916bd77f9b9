package align

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func groups(text string) (list []Group) {
	for _, f := range strings.Fields(text) {
		pattern, keys, _ := strings.Cut(f, "=")
		g := Group{Pattern: pattern}
		fmt.Sscan(keys, &g.Keys)
		list = append(list, g)
	}
	return list
}

func patterns(list []Group) string {
	var out []string
	for _, g := range list {
		out = append(out, g.Pattern)
	}
	return strings.Join(out, " ")
}

// TestMerge checks which groups are the same keys under a wider pattern.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, old, new       string
		oldFolded, newFolded bool
		wantOld, wantNew     string
		merged               int
	}{
		{"the same", "a:*=5 b:*=6", "a:*=7 b:*=6", true, true, "a:*  b:*", "a:*  b:*", 0},
		{"folded tonight", "a:b:c=10 a:x:c=12", "a:*:c=23", false, true, "a:*:c a:*:c", "a:*:c", 2},
		{"folded last night", "a:*:c=23", "a:b:c=10 a:x:c=12", true, false, "a:*:c", "a:*:c a:*:c", 2},
		{"nothing was folded", "a:b:c=10 a:x:c=12", "a:*:c=23", false, false, "a:b:c a:x:c", "a:*:c", 0},
		{"some of them folded", "a:*:c=100 a:b:c=10 a:x:c=12", "a:*:c=110 a:x:c=12", true, true, "a:*:c a:*:c a:x:c", "a:*:c a:x:c", 1},
		{"gone, not folded", "a:*:c=100 a:b:c=50", "a:*:c=101", true, true, "a:*:c a:b:c", "a:*:c", 0},
		{"new, not folded", "a:*:c=101", "a:*:c=100 a:b:c=50", true, true, "a:*:c", "a:*:c a:b:c", 0},
		{"another length", "a:b=10 a:b:c:d=4", "a:*:c=14", true, true, "a:b a:b:c:d", "a:*:c", 0},
		{"the narrowest", "a:b:c=10", "*:b:c=3 a:*:*=9 a:*:c=10 *:*:*=10", true, true, "a:*:c", "*:b:c a:*:* a:*:c *:*:*", 1},
		{"other separators", "a.b.c=10", "a:*:c=10", true, true, "a.b.c", "a:*:c", 0},
		{"last segment", "a:b=10 a:c=10", "a:*=20", true, true, "a:* a:*", "a:*", 2},
		{"more numbers", "a:v1:*=10 a:v2:*=20", "a:v*:*=36", false, false, "a:v*:* a:v*:*", "a:v*:*", 2},
		{"one is new", "a:v*:*=30", "a:v1:*=10 a:v2:*=20 a:b1:*=5", false, false, "a:v*:*", "a:v*:* a:v*:* a:b1:*", 2},
		{"star within", "a:b=10", "a:*b=10", true, true, "a:b", "a:*b", 0},
	} {
		old, new := groups(c.old), groups(c.new)
		if n := Merge(old, new, ":", c.oldFolded, c.newFolded); n != c.merged {
			t.Errorf("%s: %d merged, want %d", c.name, n, c.merged)
		}
		if got, want := patterns(old), strings.Join(strings.Fields(c.wantOld), " "); got != want {
			t.Errorf("%s: old %s, want %s", c.name, got, want)
		}
		if got, want := patterns(new), strings.Join(strings.Fields(c.wantNew), " "); got != want {
			t.Errorf("%s: new %s, want %s", c.name, got, want)
		}
		for _, g := range slices.Concat(old, new) {
			if g.Folds && c.merged == 0 {
				t.Errorf("%s: %s is marked", c.name, g.Pattern)
			}
		}
	}
}

// TestMergeHostile checks that patterns of a report that somebody made up end soon.
func TestMergeHostile(t *testing.T) {
	var old, new []Group
	for i := range 20_000 {
		old = append(old, Group{Pattern: strings.Repeat("a:", 100) + fmt.Sprint(i), Keys: 1})
		new = append(new, Group{Pattern: strings.Repeat("*:", 100) + fmt.Sprint(-i), Keys: 1})
	}
	started := time.Now()
	Merge(old, new, ":", true, true)
	if d := time.Since(started); d > time.Minute {
		t.Errorf("took %s", d)
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"temp:import:*", "loaded:import:*", 2}, {"a:b", "a:b", 2}, {"a:b:c", "x:a:b:c", 3}, {"a:b:c", "a:b:c:d", 2}, {"a", "b", 0}} {
		if got := Alike(c.a, c.b, ":"); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
