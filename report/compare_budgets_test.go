package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// equalKeys returns a snapshot of keys of one size.
func equalKeys(created int64, keys int) []byte {
	text := func(s string) string { return string(rune(len(s))) + s }
	var b strings.Builder
	b.WriteString("REDIS0010\xfa" + text("redis-ver") + text("7.0.15") + "\xfa" + text("ctime") + text(fmt.Sprint(created)) + "\xfe\x00")
	for i := range keys {
		b.WriteString("\x00" + text(fmt.Sprintf("item:%04d", i)) + text(strings.Repeat("x", 60)))
	}
	return []byte(b.String() + "\xff\x00\x00\x00\x00\x00\x00\x00\x00")
}

// TestGrowthOfSeveral checks that the growth of a budget is that of all snapshots of a
// report together, also where each is judged by itself and has a row of its own.
func TestGrowthOfSeveral(t *testing.T) {
	policy, err := config.LoadText(config.Options{Config: "team.yaml"}, []byte("budgets: [{growth: {warning: 20%}}, {group: 'item:*', growth: {error: 20%}}]"))
	if err != nil {
		t.Fatal(err)
	}
	scanned := func(created int64, keys ...int) *Report {
		var sources []Source
		for i, n := range keys {
			sources = append(sources, bytesSource(fmt.Sprintf("node-%d", i), equalKeys(created, n)))
		}
		r, err := Scan(t.Context(), sources, policy, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := scanned(testCreated, 100, 100)
	if len(before.Budgets) != 3 {
		t.Fatalf("%d rows of budgets, want one of the group and one of each snapshot", len(before.Budgets))
	}
	for _, c := range []struct {
		keys []int
		want string // "" no finding
	}{
		{[]int{160, 100}, "30% growth a day, over the budget of 20%"},
		{[]int{100, 160}, "30% growth a day, over the budget of 20%"},
		{[]int{100, 130}, ""},
		{[]int{130, 100}, ""},
		{[]int{100, 100, 50}, "25% growth a day, over the budget of 20%"},
	} {
		d, err := Compare(t.Context(), CompareInput{Saved: before}, CompareInput{Saved: scanned(testCreated+86400, c.keys...)}, policy, Options{}, CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[Name]string{}
		for _, f := range d.Findings.New {
			if f.Rule == "budget" {
				found[f.Subject] = f.Severity + ": " + f.Text
			}
		}
		want := map[Name]string{}
		if c.want != "" {
			want["snapshot"], want["item:*"] = thresholds.Warning.String()+": "+c.want, thresholds.Error.String()+": "+c.want
		}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%v keys: %v, want %v", c.keys, found, want)
		}
	}
}
