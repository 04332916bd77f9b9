package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPrometheus runs three jobs on one host, whose metrics Debian's node_exporter and a
// Prometheus read, and checks which alerts fire, of which snapshot, and that they end.
func TestPrometheus(t *testing.T) {
	needEngines(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	read := func(path string) []byte {
		b, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write := func(path string, b []byte) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	data := [][]byte{read("testdata/shop.rdb"), read("testdata/rules/fields.rdb")}
	put := func(job string, shard, age int, b []byte) {
		b = slices.Clone(b)
		i := bytes.Index(b, []byte("\x05ctime\xc2"))
		binary.LittleEndian.PutUint32(b[i+7:], uint32(time.Now().Unix()-int64(age)))
		clear(b[len(b)-8:]) // no checksum
		write(fmt.Sprintf("%s/%d.rdb", job, shard), b)
	}
	night := func(code int, job string, args ...string) {
		cmd := exec.Command("rdblens", append([]string{"nightly", "--dir", "state-" + job, "--job", job, "--metrics", "text/" + job + ".prom", job}, args...)...)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%q: exit code %d, want %d\n%s", cmd.Args, cmd.ProcessState.ExitCode(), code, out)
		}
	}
	ports := freePorts(t, 2)
	write("prometheus.yml", fmt.Appendf(nil, "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yaml]\n"+
		"scrape_configs: [{job_name: node, static_configs: [{targets: ['127.0.0.1:%d']}]}]\n", ports[0]))
	write("alerts.yaml", regexp.MustCompile(`for: \d+[mh]`).ReplaceAll(read("cmd/rdblens/deploy/alerts.yaml"), []byte("for: 1s")))
	write("text/none.prom", nil)
	for _, job := range []string{"a", "b", "c"} {
		put(job, 0, 600, data[0])
		put(job, 1, 600, data[1])
		night(0, job, "--accept")
	}
	startEngine(t, "prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory=text",
		fmt.Sprintf("--web.listen-address=127.0.0.1:%d", ports[0]))
	startEngine(t, "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", fmt.Sprintf("--web.listen-address=127.0.0.1:%d", ports[1]))
	get := func(path string, into any) error {
		answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/api/v1/%s", ports[1], path))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		return json.NewDecoder(answer.Body).Decode(into)
	}
	value := func(query string) string {
		var v struct {
			Data struct{ Result []struct{ Value [2]any } }
		}
		if err := get("query?query="+url.QueryEscape(query), &v); err != nil || len(v.Data.Result) != 1 {
			return fmt.Sprint(err, v)
		}
		return fmt.Sprint(v.Data.Result[0].Value[1])
	}
	firing := func() (list []string) {
		var v struct {
			Data struct {
				Alerts []struct {
					State  string
					Labels map[string]string
				}
			}
		}
		if get("alerts", &v) != nil {
			return nil
		}
		for _, a := range v.Data.Alerts {
			if a.State == "firing" {
				list = append(list, strings.TrimSpace(a.Labels["alertname"]+" "+a.Labels["exported_job"]+" "+a.Labels["snapshot"]))
			}
		}
		slices.Sort(list)
		return list
	}
	// Alerts fire and end within some seconds; then nothing changes any more.
	expect := func(what string, want ...string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !slices.Equal(firing(), want) && time.Now().Before(end); {
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		if got := firing(); !slices.Equal(got, want) {
			t.Errorf("%s: %q fire, want %q", what, got, want)
		}
		t.Logf("%s: %q", what, want)
	}
	waitUntil(t, "series of all jobs", func() bool { return value(`count(count by(exported_job)(rdblens_exit_code))`) == "3" })
	if got := value(`node_textfile_scrape_error`); got != "0" {
		t.Errorf("node_exporter refuses the files: %s", got)
	}
	if got := value(`count({__name__=~"rdblens_.*"}) - count({__name__=~"rdblens_.*",exported_job!=""})`); got != "0" {
		t.Errorf("series without a job: %s", got)
	}
	expect("nothing happened")
	os.Remove("b/1.rdb")
	night(3, "b")
	put("c", 0, 600, data[0])
	whole, _ := os.ReadFile("c/0.rdb")
	write("c/0.rdb", whole[:len(whole)*2/3])
	night(3, "c")
	put("a", 0, 600, read("testdata/rules/businesses-10.rdb"))
	night(1, "a")
	expect("one is gone, one cut, one has lost keys", "RdblensIncomplete c c/0.rdb", "RdblensShrunk a a/0.rdb", "RdblensSnapshotMissing b b/1.rdb")
	put("b", 1, 60, data[1])
	put("c", 0, 60, data[0])
	put("a", 0, 60, data[0])
	for _, job := range []string{"a", "b", "c"} {
		night(0, job)
	}
	expect("all are back")
	os.Remove("text/a.prom")
	night(2, "b", "--config", "nosuch.yaml")
	put("c", 1, 30*3600, data[1])
	night(1, "c")
	expect("no metrics, a run that failed, an old snapshot", "RdblensJobGone a", "RdblensRunFailed b", "RdblensSnapshotOld c c/1.rdb")
	put("c", 1, 30, data[1])
	for _, job := range []string{"a", "b", "c"} {
		night(0, job)
	}
	expect("all run again")
}
