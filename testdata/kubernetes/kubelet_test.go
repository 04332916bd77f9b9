package kubernetes

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// kubelet is a node of a control plane. It runs the containers of the pods that the
// scheduler binds to it as processes with a root directory and mounts of their own.
type kubelet struct {
	*controlPlane
	program    string // the entry point of all images
	containers map[types.UID]*container
	beat       time.Time // of the last status of the node

	// disturb has what is done to the first pod of an index, in the middle of its work.
	disturb map[string]func(core.Pod, *os.Process)
}

type container struct {
	process *os.Process
	ended   chan int // receives the exit code
	done    bool     // its end is reported
}

func startKubelet(c *controlPlane) *kubelet {
	c.t.Helper()
	k := &kubelet{controlPlane: c, program: buildProgram(c.t), containers: make(map[types.UID]*container), disturb: make(map[string]func(core.Pod, *os.Process))}
	node := core.Node{ObjectMeta: meta.ObjectMeta{Name: "node"}, Status: core.NodeStatus{Capacity: core.ResourceList{
		core.ResourceCPU: resource.MustParse("64"), core.ResourceMemory: resource.MustParse("64Gi"), core.ResourcePods: resource.MustParse("110")}}}
	node.Status.Allocatable = node.Status.Capacity
	c.must("POST", "/api/v1/nodes", node, nil)
	return k
}

// sync starts, ends and reports what changed since the last call.
func (k *kubelet) sync() {
	k.t.Helper()
	if time.Since(k.beat) > 5*time.Second {
		k.beat = time.Now()
		k.must("PATCH", "/api/v1/nodes/node/status", map[string]any{"status": core.NodeStatus{Conditions: []core.NodeCondition{
			{Type: core.NodeReady, Status: core.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: meta.Now()}}}}, nil)
	}
	var pods core.PodList
	k.must("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode", nil, &pods)
	for _, pod := range pods.Items {
		c := k.containers[pod.UID]
		if c == nil {
			k.containers[pod.UID] = k.start(pod)
			continue
		}
		if pod.DeletionTimestamp != nil {
			c.process.Signal(syscall.SIGTERM)
		}
		select {
		case code := <-c.ended:
			phase := core.PodSucceeded
			if code != 0 {
				phase = core.PodFailed
			}
			k.report(pod, phase, core.ContainerState{Terminated: &core.ContainerStateTerminated{ExitCode: int32(code), FinishedAt: meta.Now()}})
			if c.done = true; pod.DeletionTimestamp != nil {
				k.must("DELETE", podPath(pod)+"?gracePeriodSeconds=0", nil, nil)
			}
		default:
		}
	}
}

func podPath(pod core.Pod) string {
	return "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name
}

func (k *kubelet) report(pod core.Pod, phase core.PodPhase, state core.ContainerState) {
	k.t.Helper()
	k.must("PATCH", podPath(pod)+"/status", map[string]any{"status": core.PodStatus{Phase: phase,
		ContainerStatuses: []core.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, State: state}}}}, nil)
}

func (k *kubelet) start(pod core.Pod) *container {
	k.t.Helper()
	spec := pod.Spec.Containers[0]
	args := append([]string{}, spec.Args...)
	for _, env := range spec.Env {
		value := env.Value
		if env.ValueFrom != nil {
			path := env.ValueFrom.FieldRef.FieldPath
			field, ok := strings.CutPrefix(path, "metadata.labels['")
			if value, ok = pod.Labels[strings.TrimSuffix(field, "']")]; !ok {
				k.t.Fatalf("no label for %s", path)
			}
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$("+env.Name+")", value)
		}
	}
	mounts := make(map[string]string)
	for _, volume := range pod.Spec.Volumes {
		mounts[volume.Name] = k.volume(pod, volume)
	}
	cmd := containerCommand(k.t, k.program, pod.Spec.SecurityContext, spec, mounts, args)
	log, err := os.Create(filepath.Join(k.dir, pod.Labels[batch.JobNameLabel]+".log"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer log.Close()
	if cmd.Stderr = log; cmd.Start() != nil {
		k.t.Fatalf("%q does not start", cmd.Args)
	}
	c := &container{process: cmd.Process, ended: make(chan int, 1)}
	k.report(pod, core.PodRunning, core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: meta.Now()}})
	index := pod.Labels[batch.JobCompletionIndexAnnotation]
	if disturb := k.disturb[index]; disturb != nil {
		delete(k.disturb, index)
		disturb(pod, cmd.Process)
	}
	go func() {
		err := cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && code < 0 {
			code = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
		}
		c.ended <- code
	}()
	return c
}

// volume returns the directory of a volume: the files of a secret, or the path of the
// volume that is bound to a claim.
func (k *kubelet) volume(pod core.Pod, volume core.Volume) string {
	k.t.Helper()
	namespace := "/api/v1/namespaces/" + pod.Namespace
	if volume.Secret == nil {
		var claim core.PersistentVolumeClaim
		var bound core.PersistentVolume
		k.must("GET", namespace+"/persistentvolumeclaims/"+volume.PersistentVolumeClaim.ClaimName, nil, &claim)
		k.must("GET", "/api/v1/persistentvolumes/"+claim.Spec.VolumeName, nil, &bound)
		return bound.Spec.HostPath.Path
	}
	var secret core.Secret
	k.must("GET", namespace+"/secrets/"+volume.Secret.SecretName, nil, &secret)
	dir := k.t.TempDir()
	for name, content := range secret.Data {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, content, 0o600)
		err = errors.Join(err, os.Chown(path, 0, int(*pod.Spec.SecurityContext.FSGroup)), os.Chmod(path, os.FileMode(*volume.Secret.DefaultMode)))
		if err != nil {
			k.t.Fatal(err)
		}
	}
	return dir
}

// containerCommand returns the command of a container, with nothing in its root directory but the
// program and the mounts of volumes.
func containerCommand(t *testing.T, program string, pod *core.PodSecurityContext, spec core.Container, mounts map[string]string, args []string) *exec.Cmd {
	t.Helper()
	root := t.TempDir()
	script := "set -e\nmount --bind " + root + " " + root + "\n"
	bind := func(source, target string, readOnly bool) {
		script += "mount --bind " + source + " " + root + target + "\n"
		if readOnly {
			script += "mount -o remount,bind,ro " + root + target + "\n"
		}
	}
	if err := os.WriteFile(root+"/rdblens", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	bind(program, "/rdblens", true)
	for _, m := range spec.VolumeMounts {
		if err := os.Mkdir(root+m.MountPath, 0o755); err != nil {
			t.Fatal(err)
		}
		bind(mounts[m.Name], m.MountPath, m.ReadOnly)
	}
	if *spec.SecurityContext.ReadOnlyRootFilesystem {
		script += "mount -o remount,bind,ro " + root + "\n"
	}
	script += fmt.Sprintf(`exec chroot --userspec=%d:%d --groups=%d %s /rdblens "$@"`, *pod.RunAsUser, *pod.RunAsGroup, *pod.FSGroup, root)
	return exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh"}, args...)...)
}
