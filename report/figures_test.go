package report

import (
	"testing"

	"github.com/rdblens/rdblens/parser"
	"github.com/rdblens/rdblens/report/internal/agg"
	"github.com/rdblens/rdblens/thresholds"
	"github.com/rdblens/rdblens/thresholds/config"
)

// TestFloorSeconds rounds times before and after a snapshot down.
func TestFloorSeconds(t *testing.T) {
	for ms, want := range map[int64]int64{0: 0, 999: 0, 1000: 1, 1999: 1, -1: -1, -999: -1, -1000: -1, -1001: -2} {
		if got := floorSeconds(ms); got != want {
			t.Errorf("%d ms are %d s, want %d", ms, got, want)
		}
	}
}

// TestMedianOf has the middle of an odd number of figures, and the mean of the two in the middle.
func TestMedianOf(t *testing.T) {
	for want, list := range map[float64][]float64{5: {5}, 2: {1, 3}, 7: {1, 7, 100}, 4: {1, 3, 5, 100}} {
		if got := median(list); got != want {
			t.Errorf("%v: %g, want %g", list, got, want)
		}
	}
}

// TestSkewOfNodes compares nodes with their mean.
func TestSkewOfNodes(t *testing.T) {
	r := &Report{Totals: Totals{MemoryBytes: 1000}, Nodes: []Node{{Input: 0, MemoryBytes: 125}, {Input: 1, MemoryBytes: 625},
		{Input: 2, MemoryBytes: 125}, {Input: 3, MemoryBytes: 125}}}
	r.rankNodes()
	for i, want := range []Node{{Input: 1, Share: .625, Skew: 2.5}, {Input: 0, Share: .125, Skew: .5}} {
		if n := r.Nodes[i]; n.Input != want.Input || n.Share != want.Share || n.Skew != want.Skew {
			t.Errorf("%+v, want %+v", n, want)
		}
	}
}

// TestWorstGroups keeps the groups with most findings, and counts the others.
func TestWorstGroups(t *testing.T) {
	found := &Finding{}
	for i := range 1003 {
		found.Groups = append(found.Groups, FindingGroup{Count: int64(i)})
	}
	(&finisher{opt: &Options{}}).worstGroups(found)
	if len(found.Groups) != 1000 || found.GroupsMore != 3 || found.Groups[0].Count != 1002 || found.Groups[999].Count != 3 {
		t.Errorf("%d groups and %d more, from %d to %d findings", len(found.Groups), found.GroupsMore, found.Groups[0].Count,
			found.Groups[len(found.Groups)-1].Count)
	}
}

// TestOneOwner has the sums of the only owner of a configuration and of the keys without one, a
// budget that is met to the key, and one that is exceeded by a key.
func TestOneOwner(t *testing.T) {
	policy, err := config.LoadText(config.Options{Config: "team.yaml"}, []byte(`
namespaces: {user: {owner: accounts}}
budgets: [{group: "user:*", keys: {error: 3}}, {group: "order:*", keys: {error: 1}}]`))
	if err != nil {
		t.Fatal(err)
	}
	var keys []parser.Key
	for _, name := range []string{"user:1", "user:2", "user:3", "order:1", "order:2"} {
		keys = append(keys, parser.Key{Name: []byte(name), NameLen: int64(len(name)), Encoding: parser.EncEmbstr, Elements: 1,
			ValueBytes: 10, Memory: 60, MemoryUsage: 60, Largest: 10, Longest: 10, CompactMemory: -1, Idle: -1, Freq: -1, Live: -1})
	}
	engine := policy.Compile(thresholds.Env{Server: "redis", Version: "7.0.15", Created: testCreated, Memory: true})
	r := gather(engine, agg.Options{Top: 3}, keys, 2).Report()
	if len(r.Owners) != 2 || r.Owners[0].Owner != "accounts" || r.Owners[0].Keys != 3 || r.Owners[0].MemoryBytes != 180 ||
		r.Owners[1].Owner != "" || r.Owners[1].Keys != 2 {
		t.Errorf("owners: %+v", r.Owners)
	}
	if len(r.Budgets) != 2 || r.Budgets[0].Limits[0].Exceeded || !r.Budgets[1].Limits[0].Exceeded {
		t.Errorf("budgets: %+v", r.Budgets)
	}
}

// TestSumsOfBacklog adds a backlog that only the identity of a group shows to the findings of its
// rule.
func TestSumsOfBacklog(t *testing.T) {
	b := gather(testEngine(t, "default"), agg.Options{}, []parser.Key{{Name: []byte("q"), NameLen: 1, Idle: -1, Freq: -1, Live: -1}}, 1)
	b.Finish()
	rule, _ := thresholds.Lookup("queue-backlog")
	at := agg.RuleSeverity(rule.ID, thresholds.Warning)
	f := &finisher{Builder: b.Builder, opt: &Options{}, r: &Report{}, backlogs: map[string]backlog{
		"q": {at: at, count: agg.Count{Keys: 1, ValueBytes: 700, Memory: 900}, key: &agg.RetainedKey{}}}}
	found := f.keyFinding(rule, thresholds.Warning, make([][]FindingGroup, agg.RuleSeverities))
	if found == nil || found.Count != 1 || found.ValueBytes != 700 || found.MemoryBytes != 900 {
		t.Errorf("%+v", found)
	}
}
