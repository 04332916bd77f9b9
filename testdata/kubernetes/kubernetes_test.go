// Package kubernetes checks the objects for Kubernetes against its types. It is a module
// of its own, because these are large.
package kubernetes

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const deploy = "../../cmd/rdblens/deploy/"

// jobs returns the jobs of kubernetes.yaml, all of whose fields exist.
func jobs(t *testing.T) (scan, merge batch.Job) {
	t.Helper()
	text, err := os.ReadFile(deploy + "kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects := []any{new(core.PersistentVolumeClaim), &scan, &merge}
	documents := strings.Split(string(text), "\n---\n")
	if len(documents) != len(objects) {
		t.Fatalf("%d objects", len(documents))
	}
	for i, document := range documents {
		if err := yaml.UnmarshalStrict([]byte(document), objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	return scan, merge
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
		rules := job.Spec.PodFailurePolicy.Rules
		if codes := rules[0].OnExitCodes; codes.Operator != batch.PodFailurePolicyOnExitCodesOpIn || !slices.Equal(codes.Values, []int32{1, 2, 3}) || *codes.ContainerName != "rdblens" {
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

// TestArgo checks the fields of the workflow that are of Kubernetes. Those of Argo are
// only listed here: its types are not at hand.
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
			Entrypoint       string
			Parallelism      int
			SecurityContext  core.PodSecurityContext
			Volumes          []core.Volume
			TemplateDefaults struct {
				RetryStrategy struct{ Limit, RetryPolicy, Expression string }
			}
			Templates []struct {
				Name      string
				DAG       *struct{ Tasks []task }
				Inputs    struct{ Parameters []struct{ Name string } }
				Container *core.Container
			}
		}
	}
	text, err := os.ReadFile(deploy + "argo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &w); err != nil {
		t.Fatal(err)
	}
	scan, merge := jobs(t)
	for i, job := range []batch.Job{scan, merge} {
		c := w.Spec.Templates[i+1].Container
		checkContainer(t, "argo", *c, &w.Spec.SecurityContext)
		checkVolumes(t, *c, w.Spec.Volumes)
		args := strings.ReplaceAll(strings.Join(c.Args, " "), "{{inputs.parameters.index}}", "$(JOB_COMPLETION_INDEX)")
		if want := strings.Join(job.Spec.Template.Spec.Containers[0].Args, " "); args != want {
			t.Errorf("arguments %s, the job has %s", args, want)
		}
	}
}

// TestPods runs the commands of all pods as kubelet would, with their volumes in a
// directory. One snapshot is damaged.
func TestPods(t *testing.T) {
	scan, merge := jobs(t)
	root, program := t.TempDir(), filepath.Join(t.TempDir(), "rdblens")
	build := exec.Command("go", "build", "-o", program, "./cmd/rdblens")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
