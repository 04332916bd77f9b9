// Package kubernetes checks the objects for Kubernetes against its types. It is a module
// of its own, because these are large.
package kubernetes

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// jobs returns the jobs of kubernetes.yaml, all of whose fields exist.
func jobs(t *testing.T) (scan, merge batch.Job) {
	scan, merge, _ = objects(t)
	return scan, merge
}

func objects(t *testing.T) (scan, merge batch.Job, nightly batch.CronJob) {
	t.Helper()
	text, err := os.ReadFile(deploy + "kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects := []any{new(core.PersistentVolumeClaim), &scan, &merge, &nightly}
	documents := strings.Split(string(text), "\n---\n")
	if len(documents) != len(objects) {
		t.Fatalf("%d objects", len(documents))
	}
	for i, document := range documents {
		if err := yaml.UnmarshalStrict([]byte(document), objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	return scan, merge, nightly
}

// TestNightly checks that the runs of the CronJob do not collide, and that it runs as the
// jobs do: twice, of which the second time nothing happened.
func TestNightly(t *testing.T) {
	_, _, nightly := objects(t)
	spec := nightly.Spec.JobTemplate.Spec
	if nightly.Kind != "CronJob" || nightly.Spec.ConcurrencyPolicy != batch.ForbidConcurrent || nightly.Spec.StartingDeadlineSeconds == nil || *spec.BackoffLimit != 0 || spec.ActiveDeadlineSeconds == nil {
		t.Errorf("%+v", nightly.Spec)
	}
	pod := spec.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever || *pod.AutomountServiceAccountToken || len(pod.Containers) != 1 {
		t.Errorf("%+v", pod)
	}
	c := pod.Containers[0]
	checkContainer(t, nightly.Name, c, pod.SecurityContext)
	checkVolumes(t, c, pod.Volumes)
	root, program := t.TempDir(), buildProgram(t)
	shop, err := os.ReadFile("../shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"snapshots/0.rdb": shop, "snapshots/1.rdb": shop[:len(shop)/2], "config/rdblens.yaml": []byte("rules: {}\n"), "input/slack.url": []byte("http://127.0.0.1:1/"), "state/x": nil} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var args []string
	for _, arg := range c.Args {
		for _, m := range c.VolumeMounts {
			arg = strings.ReplaceAll(arg, m.MountPath, root+m.MountPath)
		}
		if !strings.HasPrefix(arg, "--notify") { // nothing listens
			args = append(args, arg)
		}
	}
	for _, want := range []string{"not read to its end", ""} {
		out, err := exec.Command(program, args...).Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(string(out), want) || want == "" && len(out) > 0 {
			t.Errorf("%v, want %q: %s", err, want, out)
		}
	}
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
		// A scan that is evicted ends with 3, too: the first rule that matches decides.
		rules := job.Spec.PodFailurePolicy.Rules
		if rules[0].Action != batch.PodFailurePolicyActionIgnore || rules[0].OnPodConditions[0].Type != core.DisruptionTarget {
			t.Errorf("%s: %+v", job.Name, rules)
		}
		if codes := rules[1].OnExitCodes; codes.Operator != batch.PodFailurePolicyOnExitCodesOpIn || !slices.Equal(codes.Values, []int32{1, 2, 3}) || *codes.ContainerName != "rdblens" {
			t.Errorf("%s: %+v", job.Name, rules)
		}
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

// argoText returns argo.yaml.
func argoText(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(deploy + "argo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestArgo checks that the workflow does what the jobs do. TestArgoTypes checks the fields
// that are Argo's own.
func TestArgo(t *testing.T) {
	type task struct {
		Name, Template, Depends string
		WithSequence            *struct{ Count string }
		Arguments               struct {
			Parameters []struct{ Name, Value string }
		}
	}
	var w struct {
		meta.TypeMeta   `json:",inline"`
		meta.ObjectMeta `json:"metadata"`
		Spec            struct {
			Entrypoint      string
			Parallelism     int
			SecurityContext core.PodSecurityContext
			Volumes         []core.Volume
			Templates       []struct {
				Name          string
				DAG           *struct{ Tasks []task }
				Inputs        struct{ Parameters []struct{ Name string } }
				RetryStrategy *struct{ Limit, RetryPolicy, Expression string }
				Container     *core.Container
			}
		}
	}
	if err := yaml.UnmarshalStrict(argoText(t), &w); err != nil {
		t.Fatal(err)
	}
	// A graph has no exit code: with tries of its own it would run again when the merge ends with 3.
	if w.Spec.Templates[0].RetryStrategy != nil {
		t.Error("the graph is tried again")
	}
	scan, merge := jobs(t)
	for i, job := range []batch.Job{scan, merge} {
		if r := w.Spec.Templates[i+1].RetryStrategy; r == nil || r.Limit != fmt.Sprint(*scan.Spec.BackoffLimitPerIndex) {
			t.Errorf("%s: %+v", job.Name, r)
		}
		checkRetry(t, w.Spec.Templates[i+1].RetryStrategy.Expression)
		c := w.Spec.Templates[i+1].Container
		checkContainer(t, "argo", *c, &w.Spec.SecurityContext)
		checkVolumes(t, *c, w.Spec.Volumes)
		args := strings.ReplaceAll(strings.Join(c.Args, " "), "{{inputs.parameters.index}}", "$(JOB_COMPLETION_INDEX)")
		if want := strings.Join(job.Spec.Template.Spec.Containers[0].Args, " "); args != want {
			t.Errorf("arguments %s, the job has %s", args, want)
		}
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
	text, err := yaml.YAMLToJSON(argoText(t))
	if err != nil {
		t.Fatal(err)
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
	for i := 0; i < len(changes); i += 2 {
		changed := strings.Replace(string(text), changes[i], changes[i+1], 1)
		if i > 0 && changed == string(text) {
			t.Errorf("no %s in the workflow", changes[i])
		}
		args = append(args, fmt.Sprintf("%s/w%d.ts", dir, i))
		source := `import type { IWorkflow } from "@kubernetes-models/argo-workflows/argoproj.io/v1alpha1";
export const workflow: IWorkflow = ` + changed + "\n"
		if err := os.WriteFile(args[len(args)-1], []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	for i := 0; i < len(changes); i += 2 {
		if wrong := strings.Contains(string(out), fmt.Sprintf("w%d.ts(", i)); wrong != (i > 0) {
			t.Errorf("%v: change %s: %s", err, changes[i+1], out)
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
	root, program := t.TempDir(), buildProgram(t)
	for _, dir := range []string{"input", "state", "snapshots"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(root, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
		write(path, b)
		lines = append(lines, fmt.Sprintf("shard-%d=%s/%s", i, root, path))
		states = append(states, fmt.Sprintf("%s/state/%d.shard", root, i))
		write(fmt.Sprintf("input/%d", i), []byte(lines[i]))
	}
	write("input/states", []byte(strings.Join(states, "\n")))
	write("list", []byte(strings.Join(lines, "\n")))
	run := func(want int, args ...string) string {
		var errs bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Stderr = &errs
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%q: %v, want exit code %d\n%s", args, err, want, &errs)
		}
		return errs.String()
	}
	pod := func(want int, job batch.Job, index int) string {
		var args []string
		for _, arg := range job.Spec.Template.Spec.Containers[0].Args {
			for _, m := range job.Spec.Template.Spec.Containers[0].VolumeMounts {
				arg = strings.ReplaceAll(arg, m.MountPath+"/", root+m.MountPath+"/")
			}
			args = append(args, strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index)))
		}
		return run(want, args...)
	}
	for i := range lines {
		pod([]int{0, 0, 3, 0}[i], scan, i)
	}
	if errs := pod(3, merge, 0); !strings.Contains(errs, `"shard-2"`) {
		t.Errorf("the damaged snapshot is not named: %s", errs)
	}
	run(3, "scan", "-f", "json="+root+"/one.json", "@"+root+"/list")
	got, err := os.ReadFile(root + "/state/report.json")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(root + "/one.json")
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes, one scan has %d", len(got), len(want))
	}
}
