package report

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestPromtool checks the metrics of all reports with Prometheus's own parser.
func TestPromtool(t *testing.T) {
	testtool.Need(t, "promtool")
	twice := fleetReport()
	twice.Inputs[1].Name = twice.Inputs[0].Name
	for _, c := range append(treeReports(), cannedReport{"same name twice", twice}) {
		metrics := render(t, "prometheus", c.report, 0)
		cmd := exec.Command("promtool", "check", "metrics")
		cmd.Stdin = strings.NewReader(string(metrics))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		series := map[string]bool{}
		for line := range strings.Lines(string(metrics)) {
			name, _, _ := strings.Cut(line, "} ")
			if !strings.HasPrefix(line, "#") && series[name] {
				t.Errorf("%s: twice %s", c.name, name)
			}
			series[name] = true
		}
	}
}

// TestGroupMetrics checks that groups of few keys are one group, so that no key's
// name is published, and that nothing is lost beyond the bound.
func TestGroupMetrics(t *testing.T) {
	r := &Report{Schema: SchemaVersion}
	for i := range maxGroupMetrics + 20 {
		r.Groups = append(r.Groups, Group{Group: Name(fmt.Sprintf("many:%c%c:*", 'a'+i/26, 'a'+i%26)), Keys: minGroupMetrics, MemoryBytes: Figure(2000 - i)})
	}
	for range 7 {
		r.Groups = append(r.Groups, Group{Group: "secret", Keys: minGroupMetrics - 1, WithoutTTL: 3, MemoryBytes: 5000})
	}
	r.Groups = append(r.Groups, Group{Group: FoldedGroup, Keys: 4, MemoryBytes: 1})
	out := string(render(t, "prometheus", r, 0))
	for metric, want := range map[string]string{
		`group_keys{group="(small)"}`:             "105",
		`group_keys_without_ttl{group="(small)"}`: "21",
		`group_memory_bytes{group="(small)"}`:     "35000",
		`group_keys{group="(other)"}`:             "324",
		`group_memory_bytes{group="many:aa:*"}`:   "2000",
	} {
		if !strings.Contains(out, "rdblens_"+metric+" "+want+"\n") {
			t.Errorf("no %s %s", metric, want)
		}
	}
	if strings.Contains(out, "secret") {
		t.Error("the name of a small group is published")
	}
	if n := len(regexp.MustCompile(`(?m)^rdblens_group_keys\{`).FindAllString(out, -1)); n != maxGroupMetrics+2 {
		t.Errorf("%d groups, want %d", n, maxGroupMetrics+2)
	}
}
