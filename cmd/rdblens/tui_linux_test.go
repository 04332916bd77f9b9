package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/rdblens/rdblens/testdata/testtool"
)

// terminal opens a new terminal. What is written to tty can be read from master.
func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		testtool.Missing(t, "no /dev/ptmx, with which a process opens a terminal")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return master, tty
}

// slowly runs rdblens on a snapshot that takes a second to arrive, with standard
// error on a terminal, and returns what was written to the terminal.
func slowly(t *testing.T, environment string) (shown, out string) {
	t.Helper()
	master, tty := terminal(t)
	cmd := exec.Command("rdblens", "scan", "-f", "json", "-")
	cmd.Env = append(os.Environ(), environment)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, tty
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	snapshot := manyKeys(t)
	for i := range 10 {
		if _, err := in.Write(snapshot[i*len(snapshot)/10 : (i+1)*len(snapshot)/10]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	in.Close()
	if code := exitCode(t, cmd.Wait()); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	return seen(t, master, tty), stdout.String()
}

// seen returns what was written to a terminal.
func seen(t *testing.T, master, tty *os.File) string {
	t.Helper()
	if _, err := tty.WriteString("<end>"); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for buf := make([]byte, 4096); !bytes.HasSuffix(all, []byte("<end>")); {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buf[:n]...)
	}
	return strings.TrimSuffix(string(all), "<end>")
}

// TestProgress checks that the bar appears on a terminal, and is gone when the pass
// is done.
func TestProgress(t *testing.T) {
	shown, out := slowly(t, "TERM=xterm")
	// Bytes, rate and time so far.
	if !regexp.MustCompile(`reading \([0-9.]+ MiB, [0-9.]+ [KM]iB/s\) \[[01]s\]`).MatchString(shown) {
		t.Errorf("no bar in %q", shown)
	}
	last := shown[strings.LastIndexByte(shown, '\r')+1:]
	if strings.TrimSpace(strings.ReplaceAll(last, "\x1b[2K", "")) != "" || strings.Contains(shown, "\n") {
		t.Errorf("the bar is not gone: %q", shown)
	}
	if !strings.HasPrefix(out, "{") || !strings.HasSuffix(out, "}\n") {
		t.Errorf("standard output has more than the report: %.40q ... %q", out, out[max(0, len(out)-40):])
	}
}

// TestProgressOfTotal checks the bar of a source of known length.
func TestProgressOfTotal(t *testing.T) {
	master, tty := terminal(t)
	t.Setenv("TERM", "xterm")
	const total = 8 << 20
	begun := time.Now()
	stop := startProgress(tty, total, func() int64 { return min(int64(time.Since(begun)/(100*time.Millisecond)), 40) * total / 80 })
	time.Sleep(800 * time.Millisecond)
	stop()
	shown := seen(t, master, tty)
	// Bytes of the total, rate, time so far and remaining.
	bars := regexp.MustCompile(`reading +\d+% \|█* *\| \([0-9.]+( KiB)?/8\.0 MiB, [0-9.]+ [KM]iB/s\) \[\d+s:(\d+)s\]`).FindAllStringSubmatch(shown, -1)
	if len(bars) < 2 {
		t.Fatalf("no bars in %q", shown)
	}
	for _, bar := range bars {
		if left, _ := strconv.Atoi(bar[2]); left < 5 || left > 9 {
			t.Errorf("%q: 1 MiB a second of 8 are read", bar[0])
		}
	}
}

// TestProgressFits checks that the bar never wraps.
func TestProgressFits(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, columns := range []uint16{40, 71, 72, 80, 200} {
		master, tty := terminal(t)
		if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
			t.Fatal(err)
		}
		stop := startProgress(tty, 1000<<30, func() int64 { return 999 << 20 })
		time.Sleep(450 * time.Millisecond)
		stop()
		shown := seen(t, master, tty)
		for _, line := range strings.Split(shown, "\r") {
			if n := utf8.RuneCountInString(line); n > int(columns) {
				t.Errorf("%d columns: %d in %q", columns, n, line)
			}
		}
		if !strings.Contains(shown, "B/s)") || strings.Contains(shown, "(999 MiB/1000 GiB, ") != (columns >= progressWidth) {
			t.Errorf("%d columns: %q", columns, shown)
		}
	}
}

func TestNoProgressOnDumbTerminal(t *testing.T) {
	if shown, _ := slowly(t, "TERM=dumb"); shown != "" {
		t.Errorf("shown: %q", shown)
	}
}
