package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// runTool runs a command and returns what it writes.
func runTool(t *testing.T, stdin string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// TestSystemdUnits checks the service and the timer with systemd's own tools: they
// are valid, and little of the system is within reach.
func TestSystemdUnits(t *testing.T) {
	testtool.Need(t, "systemd-analyze")
	dir := t.TempDir()
	for _, name := range []string{"rdblens.service", "rdblens.timer"} {
		text, err := os.ReadFile("deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("/usr/bin/rdblens "), []byte("/bin/true ")) // it must exist
		text = bytes.ReplaceAll(text, []byte("Documentation=man:rdblens(1)\n"), nil)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := runTool(t, "", "systemd-analyze", "verify", "--man=no", filepath.Join(dir, "rdblens.service"), filepath.Join(dir, "rdblens.timer"))
	for line := range strings.Lines(out) {
		if strings.Contains(line, "rdblens") {
			t.Error(line)
		}
	}
	out = runTool(t, "", "systemd-analyze", "security", "--no-pager", "--offline=true", filepath.Join(dir, "rdblens.service"))
	exposure := regexp.MustCompile(`Overall exposure level for rdblens.service: ([0-9.]+)`).FindStringSubmatch(out)
	if exposure == nil {
		t.Fatalf("no exposure level in\n%s", out)
	}
	if level, err := strconv.ParseFloat(exposure[1], 64); err != nil || level > 2 {
		t.Errorf("exposure level %s", exposure[1])
	}
	if out := runTool(t, "", "systemd-analyze", "calendar", "*-*-* 03:30"); !strings.Contains(out, "Next elapse") {
		t.Error(out)
	}
}

// TestWorkflows checks that what builds releases is pinned: a tag can be moved.
func TestWorkflows(t *testing.T) {
	paths, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(paths) < 3 {
		t.Fatal(err, paths)
	}
	pinned := regexp.MustCompile(`uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}

// TestAlertRules checks the alert rules with Prometheus's own tool, on series that
// raise each of them.
func TestAlertRules(t *testing.T) {
	testtool.Need(t, "promtool")
	runTool(t, "", "promtool", "check", "rules", "deploy/alerts.yaml")
	runTool(t, "", "promtool", "test", "rules", "deploy/alerts_test.yaml")
	metrics := exportedMetrics(t)
	rules, err := os.ReadFile("deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checkMetrics(t, string(rules), metrics)
}

// exportedMetrics returns the names of the metrics that a run of nightly writes.
func exportedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "rdblens.yaml")
	if err := os.WriteFile(config, []byte("namespaces: {cart: {owner: checkout}}\nbudgets: [{keys: {error: 1}}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := []string{"nightly", "--dir", dir + "/state", "--config", config, "--metrics", dir + "/a.prom", "../../testdata/shop.rdb"}
	if code := run(t.Context(), args, nil, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	text, err := os.ReadFile(dir + "/a.prom")
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(dir + "/a.prom"); err != nil || st.Mode().Perm() != 0o644 {
		t.Error("the metrics are not for other users")
	}
	runTool(t, string(text), "promtool", "check", "metrics")
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) gauge`).FindAllStringSubmatch(string(text), -1) {
		names[m[1]] = true
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, `{job="state"`) {
			t.Errorf("a series without its job: %s", line)
		}
	}
	return names
}

func checkMetrics(t *testing.T, text string, known map[string]bool) {
	t.Helper()
	used := regexp.MustCompile(`rdblens_[a-z_]+`).FindAllString(text, -1)
	if len(used) < 5 {
		t.Errorf("only %d metrics are used", len(used))
	}
	for _, name := range used {
		if !known[name] {
			t.Errorf("no scan writes %s", name)
		}
	}
}

// TestGrafanaDashboard checks that the dashboard has the fields that Grafana requires,
// none that it does not know, and only metrics that exist.
func TestGrafanaDashboard(t *testing.T) {
	testtool.Need(t, "promtool")
	type datasource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	var d struct {
		UID, Title, Description, Timezone, Refresh string
		Tags                                       []string
		SchemaVersion, Version                     int
		Editable                                   bool
		Time                                       struct{ From, To string }
		Panels                                     []struct {
			ID          int
			Type, Title string
			Datasource  datasource
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct {
				RefID              string `json:"refId"`
				Datasource         datasource
				Expr, LegendFormat string
			}
			FieldConfig struct {
				Defaults struct {
					Unit       string
					Thresholds *struct {
						Mode  string
						Steps []struct {
							Color string
							Value *float64
						}
					}
				}
				Overrides []any
			}
			Options map[string]any
		}
		Templating struct {
			List []struct {
				Name, Type, Query, Label string
				Datasource               *datasource
				Refresh                  int
				Multi, IncludeAll        bool
				AllValue                 string
			}
		}
	}
	text, err := os.ReadFile("deploy/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if d.UID == "" || len(d.UID) > 40 || d.Title == "" || d.SchemaVersion < 36 || d.Time.From == "" || len(d.Panels) < 8 || len(d.Templating.List) != 4 {
		t.Errorf("%+v", d)
	}
	known := map[string]bool{"timeseries": true, "stat": true, "bargauge": true}
	taken, ids := map[[2]int]bool{}, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || !known[p.Type] || p.Title == "" || p.FieldConfig.Defaults.Unit == "" || p.GridPos.W == 0 || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
			t.Errorf("panel %+v", p)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[at] {
					t.Fatalf("panel %q covers another one at %v", p.Title, at)
				}
				taken[at] = true
			}
		}
		for _, target := range p.Targets {
			if target.RefID == "" || target.Datasource.UID != "${datasource}" || !strings.Contains(target.Expr, `instance=~"$instance"`) {
				t.Errorf("panel %q: target %+v", p.Title, target)
			}
			rule := "groups: [{name: x, rules: [{record: x, expr: '" + strings.ReplaceAll(target.Expr, "$instance", "db1") + "'}]}]"
			path := filepath.Join(t.TempDir(), "rule.yaml")
			if err := os.WriteFile(path, []byte(rule), 0o644); err != nil {
				t.Fatal(err)
			}
			runTool(t, "", "promtool", "check", "rules", path)
		}
	}
	checkMetrics(t, string(text), exportedMetrics(t))
}

// TestStaticBinary runs the binary of the container file, which has nothing beside
// it and at most 28 MB, as nobody in a directory that is not writable. Of these are 0.5 MB of
// tcell, with which browse draws.
func TestStaticBinary(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chroot is for root")
	}
	recipe, err := os.ReadFile("deploy/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	build := regexp.MustCompile(`(?m)^RUN CGO_ENABLED=0 go (build .*) -o /rdblens \./cmd/rdblens$`).FindStringSubmatch(string(recipe))
	if build == nil || !strings.Contains(string(recipe), "\nFROM scratch\n") || !strings.Contains(string(recipe), "\nUSER 65534:65534\n") {
		t.Fatalf("%s", recipe)
	}
	// The paths of the sources, which -trimpath leaves out, change every package's build.
	flags := strings.Fields(strings.Replace(build[1], " -trimpath", "", 1))
	cmd := exec.Command("go", append(flags, "-o", root+"/rdblens", ".")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(root + "/rdblens"); err != nil {
		t.Fatal(err)
	} else if info.Size() > 28<<20 {
		t.Errorf("the binary has %d bytes, over 28 MB", info.Size())
	}
	snapshot, err := os.ReadFile("../../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/dump.rdb", snapshot, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"version"}, {"scan", "/dump.rdb"}, {"scan", "-f", "json", "-"}, {"scan", "-f", "html", "/dump.rdb"}} {
		cmd := exec.Command("/rdblens", args...)
		cmd.Dir, cmd.Env = "/", []string{}
		cmd.Stdin = bytes.NewReader(snapshot)
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	cmd = exec.Command("/rdblens", "scan", "-f", "json=/report.json", "/dump.rdb")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != exitUsage {
		t.Errorf("a file in a read-only root: %v\n%s", err, out)
	}
}
