package main

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// TestNights compares snapshots of a server under traffic, as make nights does with
// more keys.
func TestNights(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("no redis-server in PATH")
	}
	var out bytes.Buffer
	if err := checkNights(&out, []string{"redis-server"}, 20_000, time.Second); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
}
