package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestBigKeys checks that keys of one group are one row, which says how many follow, and that the
// largest keys of other groups take their place.
func TestBigKeys(t *testing.T) {
	key := func(name, group string, memory int64) KeyRow {
		return KeyRow{Key: Name(name), Group: Name(group), Type: "hash", Memory: Figure(memory), ValueBytes: Figure(memory / 2)}
	}
	r := &Report{By: ByMemory, Totals: Totals{Keys: 1000, MemoryBytes: 100_000}, Top: map[string][]KeyRow{}}
	for i := range 12 {
		r.Top[ByMemory] = append(r.Top[ByMemory], key(fmt.Sprint("cart:", i), "cart:*", 2000-int64(i)))
	}
	r.Top[ByMemory] = append(r.Top[ByMemory], key("0", "*", 90), key("1", "*", 89), key("rank", "rank", 70))
	for _, k := range []KeyRow{key("cart:0", "cart:*", 2000), key("rank", "rank", 70), key("user:9", "user:*", 60), key("page:1", "page:*", 65)} {
		r.Groups = append(r.Groups, Group{Group: k.Group, Keys: 50, LargestKey: &k})
	}
	rows := func(n int) string {
		var list []string
		for _, k := range bigKeys(r, n) {
			list = append(list, strings.TrimSpace(string(k.Key)+" "+english(k.others())))
		}
		return strings.Join(list, "; ")
	}
	if got, want := rows(10), "cart:0 +11; 0; 1; rank; page:1; user:9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := rows(2), "cart:0 +11; 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// By another measure, nothing is known of the keys that are not on the list.
	r.By, r.Top[ByElements] = ByElements, r.Top[ByMemory][:3]
	if got, want := rows(10), "cart:0 +2 or more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Totals.Keys = 3
	if got, want := rows(10), "cart:0 +2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShares checks that the shares of rows add up to 100 %, and differ from the exact ones by less
// than 0.1 %.
func TestShares(t *testing.T) {
	for _, sizes := range [][]int64{{1, 1, 1}, {333, 333, 334}, {1}, {999_999, 1}, {5, 5, 5, 5, 5, 5, 5}, {12345, 777, 3, 1, 1, 1, 99999}, {0, 7}} {
		var rows []memoryPlace
		whole := int64(0)
		for _, s := range sizes {
			rows = append(rows, memoryPlace{Group: Group{MemoryBytes: Figure(s)}})
			whole += s
		}
		roundShares(rows)
		sum := 0
		for i := range rows {
			steps := math.Round(rows[i].share * 1000)
			sum += int(steps)
			if exact := 1000 * float64(sizes[i]) / float64(whole); math.Abs(exact-steps) >= 1 {
				t.Errorf("%d: %v of %v", sizes, steps, exact)
			}
		}
		if sum != 1000 {
			t.Errorf("%d: %d steps", sizes, sum)
		}
	}
	rows := []memoryPlace{{}}
	if roundShares(rows); rows[0].share != 0 {
		t.Errorf("nothing has a share of %f", rows[0].share)
	}
}
