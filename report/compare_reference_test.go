package report

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestBudgetsAgainstReference compares budgets, and limits of losses and growth, with sums
// that the test keeps itself, over random keyspaces on two days.
func TestBudgetsAgainstReference(t *testing.T) {
	type sums struct{ keys, bytes, lasting int64 }
	groups := []string{"aa", "ab", "bb", "cc"}
	in := func(glob, group string) bool { return strings.HasPrefix(group+":", strings.TrimSuffix(glob, "*")) }
	hits := map[string]int{}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		text := func(s string) string { return string(rune(len(s))) + s }
		var policyText strings.Builder
		limits := map[string][2]int64{} // of keys, and of the share without a TTL
		policyText.WriteString("budgets:\n")
		for _, glob := range []string{"aa:*", "a*", "*"} {
			l := [2]int64{random.Int64N(250), random.Int64N(101)}
			limits[glob] = l
			fmt.Fprintf(&policyText, "- {group: '%s', keys: {error: %d}, without_ttl: {warning: %d%%}}\n", glob, l[0], l[1])
		}
		policy, err := config.LoadText(config.Options{Config: "team.yaml"}, []byte(policyText.String()))
		if err != nil {
			t.Fatal(err)
		}
		var want [2]map[string]*sums
		var reports [2]*Report
		for day := range 2 {
			want[day] = map[string]*sums{}
			var sources []Source
			for node := range 2 {
				var b strings.Builder
				b.WriteString("REDIS0010\xfa" + text("redis-ver") + text("7.0.15") + "\xfa" + text("ctime") + text(fmt.Sprint(testCreated+day*86400)) + "\xfe\x00")
				for _, group := range groups {
					s := want[day][group]
					if s == nil {
						s = &sums{}
						want[day][group] = s
					}
					for i := range []int{10, 20, 50, 93, 100}[random.IntN(5)] {
						size := 40 + random.IntN(20)
						s.keys, s.bytes = s.keys+1, s.bytes+int64(size)
						if random.IntN(2) > 0 {
							b.WriteString("\xfc" + string(binary.LittleEndian.AppendUint64(nil, uint64(testCreated+1e6)*1000)))
						} else {
							s.lasting++
						}
						b.WriteString("\x00" + text(fmt.Sprintf("%s:%d%04d", group, node, i)) + text(strings.Repeat("x", size)))
					}
				}
				b.WriteString("\xff\x00\x00\x00\x00\x00\x00\x00\x00")
				sources = append(sources, bytesSource(fmt.Sprintf("node-%d", node), []byte(b.String())))
			}
			if reports[day], err = Scan(t.Context(), sources, policy, Options{}); err != nil {
				t.Fatal(err)
			}
			for i := range reports[day].Budgets {
				b := &reports[day].Budgets[i]
				var s sums
				for _, group := range groups {
					if in(string(b.Budget), group) {
						s.keys, s.lasting = s.keys+want[day][group].keys, s.lasting+want[day][group].lasting
					}
				}
				l := limits[string(b.Budget)]
				over := []bool{s.keys > l[0], s.lasting*100 > l[1]*s.keys}
				if b.Keys != s.keys || b.WithoutTTL != s.lasting || b.Limits[0].Exceeded != over[0] || b.Limits[1].Exceeded != over[1] {
					t.Errorf("seed %d: %+v, want %+v, over %v", seed, b, s, over)
				}
				hits[fmt.Sprint("budget ", over)]++
			}
			reports[day].Totals.MemoryBytes = Unknown // sizes are those of values
		}
		d, err := Compare(t.Context(), CompareInput{Saved: reports[0]}, CompareInput{Saved: reports[1]}, policy, Options{}, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			percent, direction := []int64{7, 10, 14, 29, 50, 80}[random.IntN(6)], int64(random.IntN(2)*2-1)
			limit := []string{"*", "a*", "bb:*"}[random.IntN(3)]
			l, err := thresholds.ParseChange(fmt.Sprintf("%d%%", percent))
			if err := l.Of(limit); err != nil {
				t.Fatal(err)
			}
			var got, expected []string
			for _, r := range d.Exceeded(&l, direction) {
				got = append(got, string(*r.Group))
			}
			for _, group := range slices.Sorted(maps.Keys(want[0])) {
				before, after := want[0][group], want[1][group]
				exceeds := func(before, after int64) bool {
					by := (after - before) * direction
					return by > 0 && by*100 >= percent*before
				}
				if in(limit, group) && (exceeds(before.keys, after.keys) || exceeds(before.bytes, after.bytes)) {
					expected = append(expected, group+":*")
				}
				if before.keys > 0 && (before.keys-after.keys)*100 == percent*before.keys {
					hits["exactly"]++
				}
			}
			if slices.Sort(got); err != nil || !slices.Equal(got, expected) {
				t.Errorf("seed %d: %s by %d%% (%d): %v, want %v", seed, limit, percent, direction, got, expected)
			}
			hits[fmt.Sprint("groups ", len(expected))]++
		}
	}
	if len(hits) < 7 || hits["exactly"] == 0 {
		t.Errorf("the keyspaces test too little: %v", hits)
	}
	t.Log(hits)
}
