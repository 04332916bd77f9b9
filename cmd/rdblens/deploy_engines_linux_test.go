package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// needEngines skips a test that is of make engines alone.
func needEngines(t *testing.T) {
	t.Helper()
	if os.Getenv("RDBLENS_ENGINES") == "" {
		t.Skip("make engines")
	}
}

// fleetList writes a list of snapshots of servers, of which one is damaged, and returns
// its path and the report of one scan of them.
func fleetList(t *testing.T, dir string) (list string, report []byte) {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/rules/*.rdb*")
	if err != nil || len(paths) < 10 {
		t.Fatal(err, paths)
	}
	shop, err := os.ReadFile("../../testdata/shop.rdb")
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "a b'c.rdb")
	if err := os.WriteFile(damaged, shop[:len(shop)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	paths = append(paths, damaged, "../../testdata/shop.rdb")
	lines := []string{"# a night's snapshots", ""}
	for i, path := range paths {
		if path, err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("shard-%d=%s", i, path))
	}
	list = filepath.Join(dir, "shards.txt")
	if err := os.WriteFile(list, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rdblens", "scan", "--cluster", "-f", "json", "@"+list)
	report, err = cmd.Output()
	if cmd.ProcessState.ExitCode() != exitPartial {
		t.Fatal(err)
	}
	return list, report
}

// TestSlurm runs rdblens-slurm on a cluster of one node. A task is killed in the middle,
// and a snapshot is damaged.
func TestSlurm(t *testing.T) {
	needEngines(t)
	dir := t.TempDir()
	startSlurm(t)
	list, want := fleetList(t, dir)
	program, err := exec.LookPath("rdblens")
	if err != nil {
		t.Fatal(err)
	}
	// The first try of task 2 reads a pipe that ends in the middle of a snapshot.
	worker := filepath.Join(dir, "worker")
	if err := os.WriteFile(worker, []byte(`#!/bin/sh
if [ "$1" = scan ] && [ "$SLURM_ARRAY_TASK_ID" = 2 ] && [ ! -e pid ]; then
	mkfifo pipe && exec 8<>pipe
	head -c 60000 shop.rdb >&8
	echo $$ >pid
	exec `+program+` scan -f shard=fleet/states/2.shard pipe
fi
exec `+program+` "$@"
`), 0o755); err != nil {
		t.Fatal(err)
	}
	shop, err := filepath.Abs("../../testdata/shop.rdb")
	if err == nil {
		err = os.Symlink(shop, filepath.Join(dir, "shop.rdb"))
	}
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("deploy/rdblens-slurm")
	if err != nil {
		t.Fatal(err)
	}
	submit := exec.Command("sh", script, list, "fleet", "--cluster")
	submit.Dir, submit.Env = dir, append(os.Environ(), "RDBLENS="+worker, "RDBLENS_CPUS=1", "RDBLENS_MEMORY=0")
	out, err := submit.CombinedOutput()
	var scan, merge int
	if _, scanErr := fmt.Sscan(string(out), &scan, &merge); err != nil || scanErr != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	waitUntil(t, "the first try of a task", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "pid"))
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return false
		}
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return link == program && syscall.Kill(pid, syscall.SIGKILL) == nil
	})
	waitUntil(t, "the end of both jobs (squeue)", func() bool { return runTool(t, "", "squeue", "--noheader") == "" })
	for job, want := range map[string]string{fmt.Sprintf("%d_2", scan): " Restarts=1 ", fmt.Sprint(merge): " ExitCode=3:0\n"} {
		if got := runTool(t, "", "scontrol", "show", "job", job); !strings.Contains(got, want) {
			t.Errorf("job %s has no%s\n%s", job, want, got)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "fleet", "logs", "merge.log"))
	if err != nil || !strings.Contains(string(log), `"shard-17": offset 392`) {
		t.Errorf("%v: the merge does not name the damaged snapshot\n%s", err, log)
	}
	got, err := os.ReadFile(filepath.Join(dir, "fleet", "report.json"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %d bytes, the scan of all has %d\n%s", err, len(got), len(want), log)
	}
}

func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// startSlurm starts a cluster of one node, and sets SLURM_CONF.
func startSlurm(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 1024)
	rand.Read(key)
	ports := freePorts(t, 2)
	config := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthInfo=socket=%[2]s/munge,cred_expire=5
SlurmUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES
`, host, dir, ports[0], ports[1])
	for name, content := range map[string][]byte{"key": key, "slurm.conf": []byte(config)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	startEngine(t, "munged", "--foreground", "--force", "--socket="+dir+"/munge", "--key-file="+dir+"/key",
		"--pid-file="+dir+"/munged.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+"/seed")
	waitUntil(t, "munged", func() bool {
		_, err := os.Stat(dir + "/munge")
		return err == nil
	})
	startEngine(t, "slurmctld", "-D")
	startEngine(t, "slurmd", "-D")
	waitUntil(t, "an idle node", func() bool {
		out, _ := exec.Command("sinfo", "--noheader", "--format=%T").Output()
		return string(out) == "idle\n"
	})
}

// startEngine starts a program that ends with the test.
func startEngine(t *testing.T, name string, args ...string) {
	t.Helper()
	log := new(bytes.Buffer)
	cmd := exec.Command(testtool.Need(t, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, log)
		}
	})
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// TestParallel runs the line of the manual that scans with GNU parallel.
func TestParallel(t *testing.T) {
	needEngines(t)
	testtool.Need(t, "parallel")
	manual, err := os.ReadFile("deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(manual), "\n")
	i := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, "grep '^[^#]' shards.txt | parallel ") })
	if i < 0 {
		t.Fatal("no line of GNU parallel")
	}
	dir := t.TempDir()
	_, want := fleetList(t, dir)
	cmd := exec.Command("sh", "-c", "mkdir states\n"+strings.ReplaceAll(all[i], "rdblens scan ", "rdblens scan --cluster "))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitPartial {
		t.Errorf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %d bytes, the scan of all has %d\n%s", err, len(got), len(want), out)
	}
}
