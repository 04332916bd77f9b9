// Package kubernetes checks the objects for Kubernetes against its types. It is a module
// of its own, because these are large.
package kubernetes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const deploy = "../../cmd/rdblens/deploy/"

// decode decodes a file of objects into these, all of whose fields exist.
func decode(t *testing.T, file string, objects ...any) {
	t.Helper()
	text, err := os.ReadFile(deploy + file)
	if err != nil {
		t.Fatal(err)
	}
	documents := strings.Split(string(text), "\n---\n")
	if len(documents) != len(objects) {
		t.Fatalf("%d objects", len(documents))
	}
	for i, document := range documents {
		if err := yaml.UnmarshalStrict([]byte(document), objects[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// jobs returns the jobs of kubernetes.yaml.
func jobs(t *testing.T) (scan, merge batch.Job) {
	t.Helper()
	decode(t, "kubernetes.yaml", new(core.PersistentVolumeClaim), &scan, &merge)
	return scan, merge
}

// nights returns those of kubernetes-nightly.yaml.
func nights(t *testing.T) (scan, nightly, report batch.CronJob) {
	t.Helper()
	decode(t, "kubernetes-nightly.yaml", new(core.PersistentVolumeClaim), &scan, &nightly, &report)
	return scan, nightly, report
}

// start returns the minute of the day at which a job starts, and that at which it has ended.
func start(t *testing.T, job batch.CronJob) (earliest, latest int) {
	t.Helper()
	var minute, hour int
	if _, err := fmt.Sscanf(job.Spec.Schedule, "%d %d * * *", &minute, &hour); err != nil || *job.Spec.TimeZone != "Etc/UTC" {
		t.Fatalf("%v: %+v", err, job.Spec)
	}
	seconds := *job.Spec.StartingDeadlineSeconds + *job.Spec.JobTemplate.Spec.ActiveDeadlineSeconds
	return hour*60 + minute, hour*60 + minute + int(seconds/60)
}

// TestNightly checks that runs do not collide, and runs the commands of the pods of six
// nights with their volumes in a directory: each night has its states alone, whatever is left
// of the one before, and each event is in one message only.
func TestNightly(t *testing.T) {
	scan, nightly, report := nights(t)
	for _, job := range []batch.CronJob{scan, nightly, report} {
		pod := job.Spec.JobTemplate.Spec.Template.Spec
		if pod.RestartPolicy != core.RestartPolicyNever || *pod.AutomountServiceAccountToken || len(pod.Containers) != 1 {
			t.Errorf("%+v", pod)
		}
		checkContainer(t, job.Name, pod.Containers[0], pod.SecurityContext)
		if job.Name != report.Name {
			checkVolumes(t, pod.Containers[0], pod.Volumes)
			checkFailures(t, job.Name, job.Spec.JobTemplate.Spec.PodFailurePolicy)
		}
		if job.Kind != "CronJob" || job.Spec.ConcurrencyPolicy != batch.ForbidConcurrent && job.Name != report.Name {
			t.Errorf("%+v", job.Spec)
		}
	}
	// The names of the states are those of the night before: its scans have ended, and all in one day.
	_, ended := start(t, scan)
	compared, last := start(t, nightly)
	if began, _ := start(t, scan); ended > compared || last > 24*60 || began > compared {
		t.Errorf("scans end at minute %d, are compared from %d to %d", ended, compared, last)
	}
	if s := scan.Spec.JobTemplate.Spec; *s.CompletionMode != batch.IndexedCompletion || *s.BackoffLimitPerIndex != 3 || s.MaxFailedIndexes != nil {
		t.Errorf("%+v", s)
	}
	root := newRoot(t)
	root.write("config/rdblens.yaml", []byte("nightly:\n  inputs: {shard-3: {min_keys: 1000000}}\n"))
	root.write("config/accepted.yaml", []byte("ignore: []\n"))
	root.write("input/slack.url", []byte("http://127.0.0.1:1/"))
	var snapshots [][]byte
	for i, name := range []string{"shop.rdb", "rules/businesses-10.rdb", "rules/fields.rdb", "rules/names.rdb"} {
		b, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, b)
		root.write(fmt.Sprintf("input/%d", i), fmt.Appendf(nil, "shard-%d=%s/snapshots/%[1]d.rdb", i, root.dir))
	}
	c := nightly.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	c.Args = slices.DeleteFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--notify") }) // nothing listens
	for night, of := range []struct {
		without int // the scan that does not run, -1 none
		cut     int // bytes that the first snapshot lacks
		code    int
		want    []string // lines
	}{
		{-1, 0, 1, []string{"rdblens fleet: error: shard-3: min-keys: ", "first night: 4 snapshots, "}},
		{-1, 0, 0, nil},
		{2, 0, 3, []string{"rdblens fleet: error: shard-2: missing: it was not given; before, it had "}},
		{-1, len(snapshots[0]) / 2, 3, []string{"rdblens fleet: error: shard-0: not read to its end, after "}},
		{-1, 0, 0, nil},
		{3, len(snapshots[0]) / 2, 3, []string{"error    shard-3: missing: ", "error    shard-0: not read to its end, after "}},
	} {
		at := 1_800_000_000 + night*86400
		root.at = fmt.Sprintf("SOURCE_DATE_EPOCH=%d", at)
		for i, b := range snapshots {
			want := 0
			if b = taken(t, b, at-3600); i == 0 && of.cut > 0 {
				b, want = b[:of.cut], 3
			}
			root.write(fmt.Sprintf("snapshots/%d.rdb", i), b)
			if i != of.without {
				root.run(want, scan.Spec.JobTemplate.Spec.Template.Spec.Containers[0], i)
			}
		}
		os.Remove(root.dir + "/state/report.html")
		out := root.run(of.code, c, 0)
		for _, line := range of.want {
			if !strings.Contains(out, "\n"+line) {
				t.Errorf("night %d: no line %q in\n%s", night+1, line, out)
			}
		}
		if of.want == nil && len(out) > 1 {
			t.Errorf("night %d is quiet, and told\n%s", night+1, out)
		}
		if page, err := os.ReadFile(root.dir + "/state/report.html"); err != nil || !bytes.HasPrefix(page, []byte("<!doctype html>")) {
			t.Errorf("night %d: no page: %v", night+1, err)
		}
	}
}

// taken returns a snapshot with another time, and no checksum.
func taken(t *testing.T, snapshot []byte, at int) []byte {
	i := bytes.Index(snapshot, []byte("\x05ctime\xc2"))
	if i < 0 {
		t.Fatal("no time")
	}
	b := slices.Clone(snapshot)
	binary.LittleEndian.PutUint32(b[i+7:], uint32(at))
	clear(b[len(b)-8:])
	return b
}

// checkFailures checks that no pod is tried again that ended with an exit code of rdblens. A
// scan that is evicted ends with 3, too: the first rule that matches decides.
func checkFailures(t *testing.T, name string, policy *batch.PodFailurePolicy) {
	t.Helper()
	rules := policy.Rules
	if rules[0].Action != batch.PodFailurePolicyActionIgnore || rules[0].OnPodConditions[0].Type != core.DisruptionTarget {
		t.Errorf("%s: %+v", name, rules)
	}
	codes := rules[1].OnExitCodes
	if codes.Operator != batch.PodFailurePolicyOnExitCodesOpIn || !slices.Equal(codes.Values, []int32{1, 2, 3}) || *codes.ContainerName != "rdblens" {
		t.Errorf("%s: %+v", name, rules)
	}
}

// root is a directory with the volumes of pods.
type root struct {
	*testing.T
	dir, program string
	at           string // in the environment
}

func newRoot(t *testing.T) *root {
	t.Helper()
	r := &root{T: t, dir: t.TempDir(), program: buildProgram(t)}
	if err := os.Mkdir(filepath.Join(r.dir, "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *root) write(name string, b []byte) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b, 0o644)); err != nil {
		r.Fatal(err)
	}
}

// run runs the command of a pod as kubelet would, and returns what it writes behind a newline.
func (r *root) run(code int, c core.Container, index int) string {
	r.Helper()
	var args []string
	for _, arg := range c.Args {
		for _, m := range c.VolumeMounts {
			arg = strings.ReplaceAll(arg, m.MountPath+"/", r.dir+m.MountPath+"/")
		}
		args = append(args, strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index)))
	}
	cmd := exec.Command(r.program, args...)
	cmd.Env = append(os.Environ(), r.at)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != code {
		r.Fatalf("%q: %v, want exit code %d\n%s", args, err, code, out)
	}
	return "\n" + string(out)
}

// TestJobs checks what the jobs promise: tries for each index, none of them for an exit
// code of rdblens, and pods that can do little.
func TestJobs(t *testing.T) {
	scan, merge := jobs(t)
	if scan.Kind != "Job" || *scan.Spec.CompletionMode != batch.IndexedCompletion || *scan.Spec.BackoffLimitPerIndex != 3 || scan.Spec.MaxFailedIndexes != nil {
		t.Errorf("%+v", scan.Spec)
	}
	if merge.Kind != "Job" || !*merge.Spec.Suspend {
		t.Errorf("%+v", merge.Spec)
	}
	for _, job := range []batch.Job{scan, merge} {
		checkFailures(t, job.Name, job.Spec.PodFailurePolicy)
		pod := job.Spec.Template.Spec
		if pod.RestartPolicy != core.RestartPolicyNever || *pod.AutomountServiceAccountToken || len(pod.Containers) != 1 {
			t.Errorf("%s: %+v", job.Name, pod)
		}
		checkContainer(t, job.Name, pod.Containers[0], pod.SecurityContext)
		checkVolumes(t, pod.Containers[0], pod.Volumes)
	}
}

func checkContainer(t *testing.T, name string, c core.Container, pod *core.PodSecurityContext) {
	t.Helper()
	if s := c.SecurityContext; !*pod.RunAsNonRoot || *pod.RunAsUser == 0 || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation ||
		!slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || pod.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: %+v %+v", name, pod, s)
	}
	if r := c.Resources; r.Requests.Cpu().IsZero() || r.Requests.Memory().Value() < 128<<20 || r.Limits.Memory().Value() < 256<<20 {
		t.Errorf("%s: %+v", name, r)
	}
}

func checkVolumes(t *testing.T, c core.Container, volumes []core.Volume) {
	t.Helper()
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(volumes, func(v core.Volume) bool { return v.Name == m.Name })
		if i < 0 {
			t.Fatalf("no volume %s", m.Name)
		}
		if s := volumes[i].Secret; m.ReadOnly != (m.Name != "state") || s != nil && *s.DefaultMode != 0o440 {
			t.Errorf("%+v %+v", m, volumes[i])
		}
	}
}

// TestArgo checks that the workflows do what the jobs do. TestArgoTypes checks the fields
// that are Argo's own.
func TestArgo(t *testing.T) {
	type task struct {
		Name, Template, Depends string
		WithSequence            *struct{ Count string }
		Arguments               struct {
			Parameters []struct{ Name, Value string }
		}
	}
	type artifact struct {
		Name, Path string
		Archive    map[string]any
		Optional   bool
	}
	type workflow struct {
		Entrypoint      string
		Parallelism     int
		SecurityContext core.PodSecurityContext
		Volumes         []core.Volume
		Templates       []struct {
			Name                  string
			ActiveDeadlineSeconds int
			DAG                   *struct{ Tasks []task }
			Inputs                struct{ Parameters []struct{ Name string } }
			Outputs               struct{ Artifacts []artifact }
			RetryStrategy         *struct{ Limit, RetryPolicy, Expression string }
			Container             *core.Container
		}
	}
	var once struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            workflow
	}
	decode(t, "argo.yaml", &once)
	scan, merge := jobs(t)
	var every struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            struct {
			Schedules                                                                   []string
			Timezone, ConcurrencyPolicy                                                 string
			StartingDeadlineSeconds, SuccessfulJobsHistoryLimit, FailedJobsHistoryLimit int
			WorkflowSpec                                                                workflow
		}
	}
	decode(t, "argo-nightly.yaml", &every)
	scans, nightly, _ := nights(t)
	if every.Spec.ConcurrencyPolicy != "Forbid" || every.Spec.Timezone != "Etc/UTC" || every.Spec.Schedules[0] != scans.Spec.Schedule {
		t.Errorf("%+v", every.Spec)
	}
	for _, c := range []struct {
		workflow workflow
		jobs     []batch.JobSpec
	}{{once.Spec, []batch.JobSpec{scan.Spec, merge.Spec}}, {every.Spec.WorkflowSpec, []batch.JobSpec{scans.Spec.JobTemplate.Spec, nightly.Spec.JobTemplate.Spec}}} {
		w := c.workflow
		// A graph has no exit code: with tries of its own it would run again when its last task ends with 3.
		if w.Templates[0].RetryStrategy != nil || w.Templates[0].DAG.Tasks[1].Depends != "scan.Succeeded || scan.Failed || scan.Errored" {
			t.Errorf("%+v", w.Templates[0])
		}
		for i, job := range c.jobs {
			if r := w.Templates[i+1].RetryStrategy; r == nil || r.Limit != "3" {
				t.Errorf("%s: %+v", w.Templates[i+1].Name, r)
			}
			checkRetry(t, w.Templates[i+1].RetryStrategy.Expression)
			c := w.Templates[i+1].Container
			checkContainer(t, "argo", *c, &w.SecurityContext)
			checkVolumes(t, *c, w.Volumes)
			args := strings.ReplaceAll(strings.Join(c.Args, " "), "{{inputs.parameters.index}}", "$(JOB_COMPLETION_INDEX)")
			args = strings.ReplaceAll(args, "{{workflow.name}}", "today")
			if want := strings.Join(job.Template.Spec.Containers[0].Args, " "); args != want {
				t.Errorf("arguments %s, the job has %s", args, want)
			}
			if !reflect.DeepEqual(c.VolumeMounts, job.Template.Spec.Containers[0].VolumeMounts) {
				t.Errorf("%+v, the job has %+v", c.VolumeMounts, job.Template.Spec.Containers[0].VolumeMounts)
			}
		}
	}
	out := every.Spec.WorkflowSpec.Templates[2].Outputs.Artifacts
	if len(out) != 1 || !slices.Contains(every.Spec.WorkflowSpec.Templates[2].Container.Args, "-f=html="+out[0].Path) {
		t.Errorf("%+v", out)
	}
}

// checkRetry evaluates an expression as Argo does, which has -1 for a pod without an exit code.
func checkRetry(t *testing.T, expression string) {
	t.Helper()
	for _, code := range []int{-1, 1, 2, 3, 4, 137, 143} {
		retry, err := expr.Eval(expression, map[string]any{"lastRetry": map[string]string{"exitCode": strconv.Itoa(code)},
			"asInt": func(s string) (int, error) { return strconv.Atoi(s) }})
		if want := code < 1 || code > 2; err != nil || retry != want {
			t.Errorf("%s with %d: %v %v", expression, code, retry, err)
		}
	}
}

// TestArgoTypes checks the workflow against the types of Argo, which TypeScript compares
// with a literal strictly.
func TestArgoTypes(t *testing.T) {
	modules, err := filepath.Abs("../../bin/argo/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("no types of Argo: make argo")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(modules, dir+"/node_modules"), os.WriteFile(dir+"/package.json", []byte(`{"type":"module"}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	// A file with a change that is wrong shows that the comparison is strict there.
	args := []string{modules + "/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"}
	changes := []string{``, ``, `"entrypoint":"fleet"`, `"entrypoint":1`, `"volumes"`, `"volume"`, `"defaultMode"`, `"mode"`, `"dag"`, `"dga"`,
		`"depends"`, `"depend"`, `"withSequence"`, `"withSequences"`, `"count"`, `"counts"`, `"arguments"`, `"argument"`, `"inputs"`, `"input"`,
		`"expression"`, `"expresion"`, `"Always"`, `"Allways"`, `"limit"`, `"limits"`, `"args"`, `"arg"`, `"drop"`, `"drops"`}
	kinds := map[string]string{"argo": "IWorkflow", "argo-nightly": "ICronWorkflow"}
	for name, kind := range kinds {
		text, err := os.ReadFile(deploy + name + ".yaml")
		if err == nil {
			text, err = yaml.YAMLToJSON(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(changes); i += 2 {
			changed := strings.Replace(string(text), changes[i], changes[i+1], 1)
			if i > 0 && changed == string(text) {
				t.Errorf("no %s in %s", changes[i], name)
			}
			args = append(args, fmt.Sprintf("%s/%s%d.ts", dir, name, i))
			source := "import type { " + kind + ` } from "@kubernetes-models/argo-workflows/argoproj.io/v1alpha1";
export const workflow: ` + kind + " = " + changed + "\n"
			if err := os.WriteFile(args[len(args)-1], []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	out = append([]byte("\n"), out...)
	for name := range kinds {
		for i := 0; i < len(changes); i += 2 {
			if wrong := strings.Contains(string(out), fmt.Sprintf("\n%s%d.ts(", name, i)); wrong != (i > 0) {
				t.Errorf("%v: %s, change %s: %s", err, name, changes[i+1], out)
			}
		}
	}
}

// buildProgram builds rdblens as it is in the image.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "rdblens")
	build := exec.Command("go", "build", "-o", program, "./cmd/rdblens")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestPods runs the commands of all pods as kubelet would, with their volumes in a
// directory. One snapshot is damaged.
func TestPods(t *testing.T) {
	scan, merge := jobs(t)
	root := newRoot(t)
	var lines, states []string
	for i, name := range []string{"shop.rdb", "rules/cluster.rdb.gz", "shop.rdb", "rules/streams.rdb.gz"} {
		b, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			b = b[:len(b)/2]
		}
		path := fmt.Sprintf("snapshots/%d.rdb", i)
		root.write(path, b)
		lines = append(lines, fmt.Sprintf("shard-%d=%s/%s", i, root.dir, path))
		states = append(states, fmt.Sprintf("%s/state/%d.shard", root.dir, i))
		root.write(fmt.Sprintf("input/%d", i), []byte(lines[i]))
	}
	root.write("input/states", []byte(strings.Join(states, "\n")))
	root.write("list", []byte(strings.Join(lines, "\n")))
	for i := range lines {
		root.run([]int{0, 0, 3, 0}[i], scan.Spec.Template.Spec.Containers[0], i)
	}
	if errs := root.run(3, merge.Spec.Template.Spec.Containers[0], 0); !strings.Contains(errs, `"shard-2"`) {
		t.Errorf("the damaged snapshot is not named: %s", errs)
	}
	root.run(3, core.Container{Args: []string{"scan", "-f", "json=" + root.dir + "/one.json", "@" + root.dir + "/list"}}, 0)
	got, err := os.ReadFile(root.dir + "/state/report.json")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(root.dir + "/one.json")
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes, one scan has %d", len(got), len(want))
	}
}
