package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/rdblens/rdblens/report"
	"github.com/rdblens/rdblens/testdata/testtool"
)

// TestStreamFromServer reads the snapshot that a server sends as to a replica, while
// it is written to: every key that was there before is in the report.
func TestStreamFromServer(t *testing.T) {
	server := testtool.Redis(t, "--repl-diskless-sync-delay", "0", "--enable-debug-command", "yes")
	const keys = 20000
	if got := server.Do("DEBUG POPULATE 20000 before 400\n"); got != "OK\n" {
		t.Fatalf("DEBUG POPULATE: %q", got)
	}
	load := exec.Command("redis-benchmark", "-s", server.Socket, "-n", "100000000", "-r", "1000", "-t", "set", "-d", "100", "-q")
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { load.Process.Kill(); load.Wait() }()
	dump := exec.Command("redis-cli", "-s", server.Socket, "--rdb", "-")
	stream, err := dump.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dump.Start(); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"scan", "-f", "json", "-"}, stream, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	if err := dump.Wait(); err != nil {
		t.Error(err)
	}
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	before := int64(0)
	for _, g := range r.Groups {
		if strings.HasPrefix(string(g.Group), "before:") {
			before += g.Keys
		}
	}
	if !r.Complete || before != keys || r.Inputs[0].Checksum == "" {
		t.Errorf("complete: %v, %d keys that were there before, want %d", r.Complete, before, keys)
	}
}
