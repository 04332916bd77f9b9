package watchdog

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestHang runs itself in a process of its own, which never ends without the watchdog.
func TestHang(t *testing.T) {
	if os.Getenv("WATCHDOG_LOOP") != "" {
		defer start(t, 100*time.Millisecond)()
		loop()
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHang$", "-test.timeout", "1m")
	cmd.Env = append(os.Environ(), "WATCHDOG_LOOP=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "TestHang hangs") || !strings.Contains(string(out), "watchdog.loop") {
		t.Errorf("%v; no panic that shows the loop:\n%s", err, out)
	}
}

//go:noinline
func loop() {
	for i := 0; ; i++ {
	}
}

// TestStop checks that a test which ends in time is left alone.
func TestStop(t *testing.T) {
	start(t, 50*time.Millisecond)()
	time.Sleep(100 * time.Millisecond)
}
