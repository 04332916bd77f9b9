package kubernetes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// controlPlane is an API server with its etcd, the controllers and the scheduler.
type controlPlane struct {
	t        *testing.T
	dir      string // of logs and keys
	programs string // the directory that make control-plane fills
	url      string
	client   *http.Client
}

// startControlPlane starts the programs of make control-plane, which end with the test.
func startControlPlane(t *testing.T) *controlPlane {
	t.Helper()
	if os.Getenv("RDBLENS_ENGINES") == "" {
		t.Skip("make kubernetes")
	}
	if os.Getuid() != 0 {
		t.Skip("the containers of pods are made by unshare and chroot, as root")
	}
	programs, err := filepath.Abs("../../bin/control-plane")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(programs + "/kube-apiserver"); err != nil {
		t.Skip("no kube-apiserver: make control-plane")
	}
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Skip("no etcd: apt-get install etcd-server")
	}
	etcd, apiServer := freeAddress(t), freeAddress(t)
	_, port, _ := net.SplitHostPort(apiServer)
	c := &controlPlane{t: t, dir: t.TempDir(), programs: programs, url: "https://" + apiServer, client: &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c.write("key", pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	c.write("tokens", []byte("token,admin,admin,system:masters\n"))
	c.write("config", fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: test,
contexts: [{name: test, context: {cluster: test, user: admin}}],
clusters: [{name: test, cluster: {server: %q, insecure-skip-tls-verify: true}}],
users: [{name: admin, user: {token: token}}]}
`, c.url))
	c.start("etcd", "--data-dir="+c.dir+"/etcd", "--listen-client-urls=http://"+etcd, "--advertise-client-urls=http://"+etcd,
		"--listen-peer-urls=http://"+freeAddress(t), "--unsafe-no-fsync")
	c.start("kube-apiserver", "--etcd-servers=http://"+etcd, "--bind-address=127.0.0.1", "--secure-port="+port, "--cert-dir="+c.dir,
		"--token-auth-file="+c.dir+"/tokens", "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+c.dir+"/key", "--service-account-signing-key-file="+c.dir+"/key")
	c.await("the API server", func() bool { return c.do("GET", "/readyz", nil, nil) == nil })
	c.start("kube-controller-manager", "--kubeconfig="+c.dir+"/config", "--leader-elect=false", "--secure-port=0", "--service-account-private-key-file="+c.dir+"/key")
	c.start("kube-scheduler", "--kubeconfig="+c.dir+"/config", "--leader-elect=false", "--secure-port=0")
	c.await("the service account of the namespace", func() bool {
		return c.do("GET", "/api/v1/namespaces/default/serviceaccounts/default", nil, nil) == nil
	})
	return c
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (c *controlPlane) write(name string, content []byte) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), content, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// start starts a program, whose log is shown if the test fails.
func (c *controlPlane) start(name string, args ...string) {
	c.t.Helper()
	path := filepath.Join(c.programs, name)
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if c.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			c.t.Logf("%s:\n%s", name, text[max(0, len(text)-800):])
		}
	})
}

func (c *controlPlane) await(what string, done func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("waited for %s", what)
		}
	}
}

// do sends a request with in as its body, and decodes the answer into out.
func (c *controlPlane) do(method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer token")
	request.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		request.Header.Set("Content-Type", "application/strategic-merge-patch+json")
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s\n%s", method, path, response.Status, text)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	return err
}

// must is do for a request that succeeds.
func (c *controlPlane) must(method, path string, in, out any) {
	c.t.Helper()
	if err := c.do(method, path, in, out); err != nil {
		c.t.Fatal(err)
	}
}

// command returns a command of bash with kubectl in its PATH.
func (c *controlPlane) command(dir, script string) *exec.Cmd {
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), "PATH="+c.programs+":"+os.Getenv("PATH"), "KUBECONFIG="+c.dir+"/config")
	return cmd
}

// shell runs commands that succeed.
func (c *controlPlane) shell(dir, script string) {
	c.t.Helper()
	if out, err := c.command(dir, script).CombinedOutput(); err != nil {
		c.t.Fatalf("%v\n%s", err, out)
	}
}

// readmeCommands returns the block of commands of README.md that has the text.
func readmeCommands(t *testing.T, text string) string {
	t.Helper()
	readme, err := os.ReadFile(deploy + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(readme), "```sh\n") {
		if block, _, _ = strings.Cut(block, "```\n"); strings.Contains(block, text) {
			return block
		}
	}
	t.Fatalf("no commands with %q", text)
	return ""
}

// TestControlPlane runs the commands of README.md on a control plane. Of six scans, the
// first try of one is killed and that of another evicted, and one has a damaged snapshot.
func TestControlPlane(t *testing.T) {
	c := startControlPlane(t)
	k := startKubelet(c)
	work := t.TempDir()
	if err := os.Chmod(filepath.Dir(work), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"state", "snapshots"} {
		if err := os.Mkdir(filepath.Join(work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(work+"/state", 65534, 65534); err != nil {
		t.Fatal(err)
	}
	const killed, damaged, evicted = 1, 2, 3
	var list strings.Builder
	for i, name := range []string{"shop.rdb", "rules/cluster.rdb.gz", "shop.rdb", "rules/streams.rdb.gz", "rules/sizes.rdb.gz", "rules/texts.rdb.gz"} {
		b, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("%s/snapshots/%d.rdb", work, i)
		whole := path
		switch i {
		case damaged:
			b = b[:len(b)/2]
		case killed, evicted:
			err = syscall.Mkfifo(path, 0o644)
			k.disturb[fmt.Sprint(i)] = func(pod core.Pod, process *os.Process) {
				middle(t, path, b)
				if i == killed {
					process.Kill()
				} else {
					c.must("POST", podPath(pod)+"/eviction", policy.Eviction{ObjectMeta: meta.ObjectMeta{Name: pod.Name}}, nil)
				}
			}
			whole += ".whole"
		}
		if err := errors.Join(err, os.WriteFile(whole, b, 0o644)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "shard-%d=/snapshots/%d.rdb\n", i, i)
	}
	objects, err := os.ReadFile(deploy + "kubernetes.yaml")
	if err == nil {
		err = errors.Join(os.WriteFile(work+"/kubernetes.yaml", objects, 0o644), os.WriteFile(work+"/shards.txt", []byte(list.String()), 0o644),
			os.WriteFile(work+"/volumes.yaml", []byte(strings.ReplaceAll(volumes, "DIR", work)), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.shell(work, "kubectl apply -f volumes.yaml; kubectl label namespace default pod-security.kubernetes.io/enforce=restricted")
	wrong := c.command(work, "sed s/completionMode/completionMod/ kubernetes.yaml | kubectl apply --dry-run=server -f -")
	if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), `unknown field "spec.completionMod"`) {
		t.Errorf("a field that does not exist: %v\n%s", err, out)
	}

	scan, merge := k.runCommands(work)
	s := scan.Status
	if s.Succeeded != 5 || s.Failed != 2 || s.CompletedIndexes != "0,1,3-5" || *s.FailedIndexes != "2" || ended(scan).Reason != batch.JobReasonFailedIndexes {
		t.Errorf("%+v", s)
	}
	// An eviction is no failure, and its pod is gone.
	var pods core.PodList
	c.must("GET", "/api/v1/namespaces/default/pods?labelSelector=job-name%3Drdblens-scan", nil, &pods)
	var tries []string
	for _, pod := range pods.Items {
		a := pod.Annotations
		tries = append(tries, fmt.Sprintf("%s %s, %s failures, %s ignored", a[batch.JobCompletionIndexAnnotation], pod.Status.Phase,
			a[batch.JobIndexFailureCountAnnotation], cmp.Or(a[batch.JobIndexIgnoredFailureCountAnnotation], "0")))
	}
	slices.Sort(tries)
	if want := []string{"0 Succeeded, 0 failures, 0 ignored", "1 Failed, 0 failures, 0 ignored", "1 Succeeded, 1 failures, 0 ignored", "2 Failed, 0 failures, 0 ignored",
		"3 Succeeded, 0 failures, 1 ignored", "4 Succeeded, 0 failures, 0 ignored", "5 Succeeded, 0 failures, 0 ignored"}; !slices.Equal(tries, want) {
		t.Errorf("%q", tries)
	}
	if s := merge.Status; s.Failed != 1 || ended(merge).Reason != batch.JobReasonPodFailurePolicy || !strings.Contains(ended(merge).Message, "exit code 3") {
		t.Errorf("%+v", s)
	}
	log, err := os.ReadFile(c.dir + "/rdblens-merge.log")
	if err != nil || !strings.Contains(string(log), `"shard-2"`) {
		t.Errorf("%v: the damaged snapshot is not named: %s", err, log)
	}
	k.checkReport(work, scan, 3)

	// The same on the next night, on which no snapshot is damaged.
	b, err := os.ReadFile("../shop.rdb")
	if err == nil {
		err = errors.Join(os.WriteFile(work+"/snapshots/2.rdb", b, 0o644), os.RemoveAll(work+"/input"))
	}
	if err != nil {
		t.Fatal(err)
	}
	k.shell(work, "kubectl delete job rdblens-scan rdblens-merge; kubectl delete secret rdblens-input")
	scan, merge = k.runCommands(work)
	if ended(scan).Type != batch.JobComplete || scan.Status.Failed != 0 || ended(merge).Type != batch.JobComplete || merge.Status.Failed != 0 {
		t.Errorf("%+v %+v", scan.Status, merge.Status)
	}
	k.checkReport(work, scan, 0)
}

// runCommands runs the commands of README.md until both jobs have ended.
func (k *kubelet) runCommands(work string) (scan, merge batch.Job) {
	k.t.Helper()
	var out bytes.Buffer
	script := k.command(work, readmeCommands(k.t, "rdblens-input"))
	script.Stdout, script.Stderr = &out, &out
	if err := script.Start(); err != nil {
		k.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- script.Wait() }()
	k.await("the end of the commands", func() bool {
		k.sync()
		select {
		case err := <-done:
			if err != nil || strings.Contains(out.String(), "Warning") {
				k.t.Fatalf("%v\n%s", err, &out)
			}
			return true
		default:
			return false
		}
	})
	const path = "/apis/batch/v1/namespaces/default/jobs/"
	k.await("the end of the merge", func() bool {
		k.sync()
		merge = batch.Job{}
		k.must("GET", path+"rdblens-merge", nil, &merge)
		return ended(merge) != nil
	})
	k.must("GET", path+"rdblens-scan", nil, &scan)
	return scan, merge
}

// checkReport compares the merged report with that of one scan, which has an exit code.
func (k *kubelet) checkReport(work string, scan batch.Job, code int) {
	k.t.Helper()
	spec := scan.Spec.Template.Spec
	one := containerCommand(k.t, k.program, spec.SecurityContext, spec.Containers[0], map[string]string{"input": work, "state": work + "/state", "snapshots": work + "/snapshots"},
		[]string{"scan", "-f=json=/state/one.json", "@/input/shards.txt"})
	if out, err := one.CombinedOutput(); one.ProcessState.ExitCode() != code {
		k.t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(work + "/state/report.json")
	if err != nil {
		k.t.Fatal(err)
	}
	if want, _ := os.ReadFile(work + "/state/one.json"); !bytes.Equal(got, want) {
		k.t.Errorf("%d bytes, one scan has %d", len(got), len(want))
	}
}

// volumes are those that an administrator of the cluster provides, below the directory DIR.
const volumes = `apiVersion: v1
kind: PersistentVolume
metadata: {name: state}
spec:
  capacity: {storage: 16Gi}
  accessModes: [ReadWriteMany]
  hostPath: {path: DIR/state}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: snapshots}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadOnlyMany]
  hostPath: {path: DIR/snapshots}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: rdblens-snapshots}
spec:
  accessModes: [ReadOnlyMany]
  resources: {requests: {storage: 1Gi}}
  volumeName: snapshots
`

// middle writes half of b into the pipe at path when it is read, and puts the file
// path.whole in its place for the next reader.
func middle(t *testing.T, path string, b []byte) {
	t.Helper()
	for range 100 {
		pipe, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			_, err = pipe.Write(b[:min(len(b)/2, 32<<10)])
			t.Cleanup(func() { pipe.Close() })
			if err := errors.Join(err, os.Rename(path+".whole", path)); err != nil {
				t.Fatal(err)
			}
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s is not read", path)
}

// ended returns the condition with which a job has ended.
func ended(job batch.Job) *batch.JobCondition {
	for i, c := range job.Status.Conditions {
		if c.Type == batch.JobFailed || c.Type == batch.JobComplete {
			return &job.Status.Conditions[i]
		}
	}
	return nil
}
