package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// printed runs rdblens with standard output on a terminal, and returns what it shows.
func printed(t *testing.T, rows, columns uint16, args ...string) []string {
	t.Helper()
	master, tty := terminal(t)
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rdblens", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = tty, os.Stderr
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Run()
		tty.WriteString("<end>")
	}()
	var all []byte
	for buf := make([]byte, 64<<10); !strings.HasSuffix(string(all), "<end>"); {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buf[:n]...)
	}
	if code := exitCode(t, <-ended); code != exitDone {
		t.Errorf("%q: exit code %d", args, code)
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(all), "\r\n", "\n"), "\n<end>"), "\n")
}

// TestOnTerminal checks that reports fit a terminal, and that keys and fields have columns there.
func TestOnTerminal(t *testing.T) {
	const shop = "../../testdata/shop.rdb"
	for _, rows := range []uint16{24, 40} {
		if lines := printed(t, rows, 80, "scan", shop); len(lines) >= int(rows) || !strings.Contains(lines[0], "to fix today") {
			t.Errorf("%d lines on %d:\n%s", len(lines), rows, strings.Join(lines, "\n"))
		}
	}
	if lines := printed(t, 24, 80, "scan", "--top", "12", shop); len(lines) < 40 {
		t.Errorf("--top 12: %d lines", len(lines))
	}
	keys := printed(t, 24, 80, "keys", "--under", "archive:", shop)
	if len(keys) != 2 || keys[0] != "   memory  type          elements  expires (UTC)      db  key" ||
		keys[1] != "   1.3 MB  hash                40                      0  archive:invoices:2023" {
		t.Errorf("%q", keys)
	}
	if csv := printed(t, 24, 80, "keys", "-f", "csv", "--under", "archive:", shop); !strings.HasPrefix(csv[0], "db,key,type,") {
		t.Errorf("%q", csv)
	}
	shown := strings.Join(printed(t, 24, 80, "show", shop, "order:100007:hash"), "\n")
	if !strings.Contains(shown, "\nuser      2090\nstate     paid\ntotal     13396\n") {
		t.Errorf("%s", shown)
	}
	for _, line := range printed(t, 24, 80, "rules") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// TestFlagGroups checks that every flag that a group names is one of a command, and that each
// command which can be run has an example.
func TestFlagGroups(t *testing.T) {
	flags := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, g := range flagGroups {
			for _, name := range g.names {
				flags[name] = flags[name] || cmd.Flags().Lookup(name) != nil
			}
		}
		path := cmd.CommandPath()
		if cmd.Example == "" && cmd.HasParent() && !strings.HasPrefix(path, "rdblens completion") && !strings.HasPrefix(path, "rdblens help") {
			t.Errorf("%s has no example", path)
		}
		for line := range strings.Lines(cmd.Example) {
			if command, ok := strings.CutPrefix(line, "  rdblens "); ok {
				word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
				if found, _, err := cmd.Root().Find([]string{word}); err != nil || found == cmd.Root() {
					t.Errorf("%s: no command %s", path, word)
				}
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(newRoot(&env{}))
	for name, found := range flags {
		if !found {
			t.Errorf("no command has --%s", name)
		}
	}
}
