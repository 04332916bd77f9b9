// Package testtool finds the programs that tests run, and starts servers for them.
package testtool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Need returns the path of a program. Without it the test is skipped, but fails in
// .ci/run, which installs all programs and sets RDBLENS_CI.
func Need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, "no "+program+": apt-get install the package that has it")
	}
	return path
}

// Missing skips a test for want of something, or fails in .ci/run.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("RDBLENS_CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Nightly reports whether tests of many keys, seeds and damaged bytes are whole, as in
// make nightly-tests, and not a sample of a tenth.
func Nightly() bool { return os.Getenv("RDBLENS_NIGHTLY") != "" }

// Untranslated notes a sentence that has no Chinese. It fails no test: make chinese, which
// names a file in RDBLENS_CHINESE, lists such sentences.
func Untranslated(t testing.TB, where, sentence string) {
	t.Helper()
	t.Logf("%s: no Chinese for %q", where, sentence)
	path := os.Getenv("RDBLENS_CHINESE")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = fmt.Fprintf(file, "%s: %q\n", where, sentence)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Server is a redis-server that ends with the test.
type Server struct {
	Socket string // path
	Dir    string // of dump.rdb and log
	t      testing.TB
	cli    string
}

// Redis starts a redis-server that listens to a socket only and saves nothing by
// itself. Args are more of its arguments.
func Redis(t testing.TB, args ...string) *Server {
	t.Helper()
	dir := t.TempDir()
	s := &Server{Socket: filepath.Join(dir, "s"), Dir: dir, t: t, cli: Need(t, "redis-cli")}
	cmd := exec.Command(Need(t, "redis-server"), append([]string{"--port", "0", "--unixsocket", s.Socket, "--dir", dir, "--save", "", "--logfile", filepath.Join(dir, "log")}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for deadline := time.Now().Add(30 * time.Second); s.reply("PING\n") != "PONG\n"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("the server does not answer\n%s", log)
		}
	}
	return s
}

func (s *Server) reply(commands string) string {
	cmd := exec.Command(s.cli, "-s", s.Socket)
	cmd.Stdin = strings.NewReader(commands)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// Do sends commands, one a line, and returns the replies as redis-cli prints them. A
// reply that is an error ends the test.
func (s *Server) Do(commands string) string {
	s.t.Helper()
	out := s.reply(commands)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ERR ") || strings.HasPrefix(line, "Could not connect") {
			s.t.Fatalf("the server: %s", line)
		}
	}
	return out
}
