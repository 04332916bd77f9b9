package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tests of whole processes with signals, pipes and full disks. The rdblens in
// PATH is this test binary: see TestMain.

// manyKeys is a snapshot that is longer than the buffer of a pipe.
func manyKeys(t *testing.T) []byte {
	t.Helper()
	b, err := snapshotOf("aux redis-ver 7.0.15\ndb 0\nstamped session: 200000 string\n")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

func TestInterrupt(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			// The tests may run with the signal ignored, which a child inherits;
			// a signal that is caught is not inherited.
			signal.Notify(make(chan os.Signal, 1), sent)
			defer signal.Reset(sent)
			dir := t.TempDir()
			cmd := exec.Command("rdblens", "scan", "-f", "json", "-f", "json=report.json", "-")
			cmd.Dir = dir
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// All but the end, and then nothing: the pass waits for more.
			snapshot := manyKeys(t)
			if _, err := in.Write(snapshot[:len(snapshot)-100]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(300 * time.Millisecond)
			if err := cmd.Process.Signal(sent); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd.Wait()); code != exitPartial {
				t.Errorf("exit code %d, want %d; %s", code, exitPartial, &errs)
			}
			var report struct {
				Complete, Interrupted bool
				Totals                struct{ Keys int64 }
				Inputs                []struct {
					Error struct {
						Reason  string
						LastKey string `json:"last_key"`
					}
				}
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatalf("%v in %s", err, &out)
			}
			if report.Complete || !report.Interrupted {
				t.Errorf("complete %v, interrupted %v", report.Complete, report.Interrupted)
			}
			if report.Totals.Keys < 150000 || report.Totals.Keys >= 200000 {
				t.Errorf("%d keys", report.Totals.Keys)
			}
			if e := report.Inputs[0].Error; e.Reason != "interrupted" || !strings.HasPrefix(e.LastKey, "session:") {
				t.Errorf("error %+v", e)
			}
			if !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("standard error: %s", &errs)
			}
			file, err := os.ReadFile(filepath.Join(dir, "report.json"))
			if err != nil || !bytes.Equal(file, out.Bytes()) {
				t.Errorf("report.json differs from standard output (%v)", err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestSilentConfig: a signal ends the reading of a configuration from a pipe that
// nobody writes to.
func TestSilentConfig(t *testing.T) {
	for _, args := range [][]string{{"scan", "--config", "/dev/stdin", "../../testdata/shop.rdb"}, {"config", "check", "/dev/fd/0"}} {
		cmd := exec.Command("rdblens", args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGTERM)
		stuck := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		if code := exitCode(t, cmd.Wait()); code != exitPartial || !strings.Contains(errs.String(), "interrupted while the configuration was read") {
			t.Errorf("%q: exit code %d, %s", args, code, &errs)
		}
		stuck.Stop()
	}
}

// TestOutputToNull: a shell, Python and Node give a program whose output is not
// wanted /dev/null, opened for writing alone or for both. Go opens it, for both, where
// standard output is closed, before any code of the program runs. So a closed
// standard output is not an error: nothing distinguishes it from that of Python.
func TestOutputToNull(t *testing.T) {
	for _, redirection := range []string{">/dev/null", "1<>/dev/null", ">&-"} {
		cmd := exec.Command("sh", "-c", "rdblens scan --fail-on error ../../testdata/shop.rdb "+redirection)
		if out, err := cmd.CombinedOutput(); exitCode(t, err) != exitFindings || !strings.Contains(string(out), "at or above --fail-on error") {
			t.Errorf("%s: %v, %s", redirection, err, out)
		}
	}
}

// TestSignalsOfStacks ends a process by the signals at which Go writes the stacks of
// all goroutines: no temporary file stays.
func TestSignalsOfStacks(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT} {
		dir := t.TempDir()
		cmd := exec.Command("rdblens", "keys", "-f", "csv=keys.csv", "-")
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Write(manyKeys(t)[:1000000])
		begun := false
		for range 100 {
			left, _ := filepath.Glob(filepath.Join(dir, ".rdblens-*"))
			if begun = len(left) > 0; begun {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		code := exitCode(t, cmd.Wait())
		if code != exitUsage || !strings.Contains(errs.String(), "goroutine ") {
			t.Errorf("%v: exit code %d, %.200s", sent, code, &errs)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 || !begun {
			t.Errorf("%v: left behind: %v", sent, left)
		}
	}
}

// TestInterruptSilent stops a pass whose input never sends anything.
func TestInterruptSilent(t *testing.T) {
	stop := func(args []string, after time.Duration) (code int, output string) {
		cmd := exec.Command("rdblens", args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		code = exitCode(t, cmd.Wait())
		return code, errs.String()
	}
	for _, args := range [][]string{{"scan", "-"}, {"keys", "-"}, {"show", "-", "key"}} {
		code, output := stop(args, 200*time.Millisecond)
		if code == -1 { // a busy machine had not yet begun to run main
			code, output = stop(args, 5*time.Second)
		}
		if code != exitPartial || !strings.HasPrefix(output, "rdblens: standard input: interrupted ") {
			t.Errorf("%q: exit code %d, want %d; %s", args, code, exitPartial, output)
		}
	}
}

// TestNoHangUp closes the terminal of a process that ignores it.
func TestNoHangUp(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap '' HUP; exec rdblens scan -f json -`)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	snapshot := manyKeys(t)
	in.Write(snapshot[:len(snapshot)/2])
	time.Sleep(200 * time.Millisecond)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	in.Write(snapshot[len(snapshot)/2:])
	in.Close()
	if code := exitCode(t, cmd.Wait()); code != exitDone || !strings.Contains(out.String(), `"complete": true`) {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestFileAsInput has a file as standard input, whose length is known, and which is read once.
func TestFileAsInput(t *testing.T) {
	const path = "../../testdata/shop.rdb"
	for _, args := range [][]string{{"keys"}, {"scan", "-f", "groups.csv"}, {"scan", "-f", "groups.csv", "--target", "redis-8.0"}} {
		want, err := exec.Command("rdblens", append(args, path)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("rdblens", append(args, "-")...)
		if cmd.Stdin, err = os.Open(path); err != nil {
			t.Fatal(err)
		}
		got, err := cmd.Output()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: %v, %d bytes, want %d", args, err, len(got), len(want))
		}
	}
}

// TestClosedPipe reads one line and closes the pipe, as head -1 does.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{{"keys"}, {"keys", "-f", "jsonl"}, {"scan", "-f", "json", "--top", "1000"}} {
		path := filepath.Join(t.TempDir(), "many.rdb")
		if err := os.WriteFile(path, manyKeys(t), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("rdblens", append(args, path)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReaderSize(out, 16).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		out.Close()
		if code := exitCode(t, cmd.Wait()); code != exitDone || errs.Len() > 0 {
			t.Errorf("%q: exit code %d, standard error %q", args, code, &errs)
		}
	}
}

// TestNobodyReads writes to a pipe that is closed from the start.
func TestNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.rdb")
	if err := os.WriteFile(path, manyKeys(t), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"scan", path}, {"keys", path}, {"show", path, "session:1"}, {"version"}, {"rules", "list"}, {"rules", "list", "--not-checkable"},
		{"rules", "explain", "no-ttl"}, {"config", "show"}, {"config", "schema"}, {"completion", "bash"}, {"--help"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := exec.Command("rdblens", args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		err = cmd.Run()
		w.Close()
		if code := exitCode(t, err); code != exitDone || errs.Len() > 0 {
			t.Errorf("%q: exit code %d, standard error %q", args, code, &errs)
		}
	}
}

// TestFullDisk writes to a full device.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	path, cut := filepath.Join(dir, "many.rdb"), filepath.Join(dir, "cut.rdb")
	for path, b := range map[string][]byte{path: manyKeys(t), cut: manyKeys(t)[:1000]} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	damage := fmt.Sprintf("rdblens: %q: offset 1000: the file ends", cut)
	for _, c := range []struct {
		args  []string
		first string // what is printed before that
	}{
		{[]string{"scan", path}, ""},
		{[]string{"scan", cut}, damage},
		{[]string{"keys", path}, ""},
		{[]string{"show", path, "session:1"}, ""},
		{[]string{"version"}, ""},
		{[]string{"rules", "list"}, ""},
		{[]string{"rules", "explain", "no-ttl"}, ""},
		{[]string{"config", "show"}, ""},
		{[]string{"config", "schema"}, ""},
		{[]string{"completion", "bash"}, ""},
		{[]string{"completion", "zsh"}, ""},
		{[]string{"completion", "fish"}, ""},
		{[]string{"completion", "powershell"}, ""},
		{nil, ""},
		{[]string{"--help"}, ""},
		{[]string{"help"}, ""},
		{[]string{"help", "scan"}, ""},
		{[]string{"keys", "-h"}, ""},
		{[]string{"rules"}, ""},
		{[]string{"rules", "list", "--not-checkable"}, ""},
		{[]string{"config"}, ""},
		{[]string{"completion"}, ""},
		{[]string{"__complete", "sc"}, ""},
		{[]string{"show", "-f", "json", path}, ""},
		{[]string{"show", "-f", "resp", "--portable", path}, ""},
		{[]string{"scan", "-f", "json=/dev/full", path}, ""},
		{[]string{"scan", "-f", "json=/dev/full", cut}, damage},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("rdblens", c.args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		err = cmd.Run()
		full.Close()
		if code := exitCode(t, err); code != exitUsage {
			t.Errorf("%q: exit code %d, want %d", c.args, code, exitUsage)
		}
		text := errs.String()
		if !strings.HasPrefix(text, c.first) || c.first == "" && strings.Count(text, "rdblens: ") != 1 {
			t.Errorf("%q: standard error %q, want first %q", c.args, text, c.first)
		}
		_, text, _ = strings.Cut("\n"+text, "\nrdblens: cannot write ")
		if !strings.HasSuffix(text, ": no space left on device\nhint: free space on the disk, or write elsewhere\n") {
			t.Errorf("%q: standard error %q", c.args, &errs)
		}
	}
}
